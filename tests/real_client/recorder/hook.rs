//! The hook that records: appends its payload to a file and gives the answer that the session's list has for the event.
//! Run by the client as `real_client serve-hook FILE ANSWERS`.

use std::collections::BTreeMap;
use std::io::{Read, Write};

use anyhow::{Context, Result};
use serde_json::Value;

/// Records one payload.
pub fn serve(arguments: &[String]) -> Result<()> {
    let [file, answers] = arguments else { anyhow::bail!("serve-hook needs FILE and ANSWERS") };
    let mut payload = String::new();
    std::io::stdin().read_to_string(&mut payload)?;
    let line = format!("{}\n", payload.trim_end().replace('\n', " "));
    // One write each: hooks of parallel calls run beside each other.
    std::fs::OpenOptions::new().create(true).append(true).open(file)?.write_all(line.as_bytes())?;
    let payload: Value = serde_json::from_str(&payload).context("the payload is no JSON")?;
    let answers: BTreeMap<String, Value> = serde_json::from_str(&std::fs::read_to_string(answers)?)?;
    let repeated = payload["stop_hook_active"] == true;
    if let Some(answer) = names(&payload).iter().find_map(|name| answers.get(name)).filter(|_| !repeated) {
        println!("{}", echoed(answer, &payload["tool_input"]));
    }
    Ok(())
}

/// The names of a payload's event, the fullest first: `PreToolUse:ExitPlanMode`, `PreToolUse`.
pub fn names(payload: &Value) -> Vec<String> {
    let event = payload["hook_event_name"].as_str().unwrap_or_default();
    let about = payload["tool_name"].as_str().or(payload["notification_type"].as_str());
    about.map(|about| format!("{event}:{about}")).into_iter().chain([event.to_owned()]).collect()
}

/// The answer with `"{tool_input}"` replaced by the input of the call.
fn echoed(answer: &Value, input: &Value) -> Value {
    match answer {
        Value::String(text) if text == "{tool_input}" => input.clone(),
        Value::Array(items) => items.iter().map(|item| echoed(item, input)).collect(),
        Value::Object(fields) => fields.iter().map(|(key, field)| (key.clone(), echoed(field, input))).collect(),
        other => other.clone(),
    }
}
