//! What the scripted model answers to a request: which scenario, which turn, its placeholders filled. Knows nothing of
//! HTTP; the only thing it does besides is to wait a moment for a client that is not ready.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};

use crate::scenario::{self, Scenario, Turn};
use crate::sse;

/// What a client says that has not yet started its MCP servers; the model tries that turn again.
const TOO_EARLY: &str = "No such tool available: mcp__";
/// After this time.
const AGAIN: Duration = Duration::from_secs(1);

/// What the model says where it must write a plan and has not been told yet into which file, which comes a moment
/// after it entered plan mode; and how often at most, since some ways of driving never tell it.
const MOMENT: &str = "One moment.";
const MOMENTS: usize = 3;

/// What the server needs to know to answer.
pub struct Play {
    /// All scenarios by name.
    pub scenarios: Arc<BTreeMap<String, Scenario>>,
    /// For `{project}`.
    pub project: PathBuf,
    /// For `{plan_file}` where the client never names one.
    pub plan_file: PathBuf,
    /// The scenario of every conversation that names none.
    pub only: Option<String>,
}

/// Which scenario and turn a request asks for: the marker of the last marked user message, and how often the model has
/// spoken since. Requests without tools, and the client's own ones that borrow the conversation, are none of ours.
pub fn scripted<'a>(play: &'a Play, body: &Value) -> Option<(String, &'a Scenario, usize)> {
    body["tools"].as_array().filter(|tools| !tools.is_empty())?;
    let messages = body["messages"].as_array()?;
    let own = |text: &str| text.contains("[SUGGESTION MODE") || text.contains("create a detailed summary");
    if messages.iter().rev().find(|message| message["role"] == "user").is_some_and(|last| texts(last).any(own)) {
        return None;
    }
    let named = messages.iter().enumerate().rev().find_map(|(at, message)| {
        (message["role"] == "user").then_some(())?;
        let name = texts(message).filter_map(scenario::named_in).last()?;
        Some((at, name))
    });
    let (at, name) = named.or(play.only.as_deref().map(|name| (0, name)))?;
    let scenario = play.scenarios.get(name)?;
    let since = messages.get(at..).unwrap_or_default();
    let said = since.iter().filter(|message| message["role"] == "assistant");
    let spoken = said.filter(|message| !texts(message).any(|text| text == MOMENT)).count();
    let too_early = since.iter().filter(|message| contains(&message["content"], TOO_EARLY)).count();
    if messages.iter().rev().take_while(|message| message["role"] != "assistant").any(|last| contains(last, TOO_EARLY))
    {
        std::thread::sleep(AGAIN);
    }
    Some((name.to_owned(), scenario, spoken - too_early.min(spoken)))
}

/// The text blocks of a message.
pub fn texts(message: &Value) -> Box<dyn Iterator<Item = &str> + '_> {
    match &message["content"] {
        Value::String(text) => Box::new(std::iter::once(text.as_str())),
        Value::Array(blocks) => Box::new(blocks.iter().filter_map(|block| block["text"].as_str())),
        _ => Box::new(std::iter::empty()),
    }
}

/// A turn as content blocks, its placeholders filled.
pub fn written(play: &Play, turn: &Turn, body: &Value) -> Vec<Value> {
    let moments = body["messages"].as_array().into_iter().flatten().flat_map(texts).filter(|text| *text == MOMENT);
    let needs_plan_file = turn.calls.iter().any(|call| contains(&call.input, "{plan_file}"));
    if needs_plan_file && plan_file(body).is_none() && moments.count() < MOMENTS {
        let notes = play.project.join("notes.txt");
        return vec![json!({"type": "text", "text": MOMENT}), sse::call("Read", json!({"file_path": notes}))];
    }
    let mut content = if turn.say.is_empty() { Vec::new() } else { sse::text(&turn.say) };
    for call in &turn.calls {
        let plan_file = plan_file(body).unwrap_or_else(|| play.plan_file.display().to_string());
        let input =
            filled(&call.input, &[("{project}", &play.project.display().to_string()), ("{plan_file}", &plan_file)]);
        content.push(sse::call(offered(&call.tool, body), input));
    }
    content
}

/// Of the names a tool had over the versions, `Agent|Task`, the one that the client offers; else the first.
fn offered<'a>(names: &'a str, body: &Value) -> &'a str {
    let offers = |name: &&str| body["tools"].as_array().is_some_and(|all| all.iter().any(|tool| tool["name"] == *name));
    names.split('|').find(offers).or(names.split('|').next()).unwrap_or(names)
}

/// The plan file the client named to the model: the last `…/plans/NAME.md` in the request.
fn plan_file(body: &Value) -> Option<String> {
    let mut found = None;
    each_text(body, &mut |text| {
        for (at, _) in text.match_indices("/plans/") {
            let start =
                text.get(..at)?.rfind(|c: char| c.is_whitespace() || "\"'`(".contains(c)).map_or(0, |at| at + 1);
            let rest = text.get(start..)?;
            let end = rest.find(".md").map(|at| at + 3)?;
            let path = rest.get(..end)?;
            if path.starts_with('/') && !path.contains(char::is_whitespace) && !path.contains('*') {
                found = Some(path.to_owned());
            }
        }
        Some(())
    });
    found
}

/// Calls `look` with each string inside a value.
pub fn each_text<'a>(value: &'a Value, look: &mut dyn FnMut(&'a str) -> Option<()>) {
    match value {
        Value::String(text) => {
            let _ = look(text);
        }
        Value::Array(items) => items.iter().for_each(|item| each_text(item, look)),
        Value::Object(fields) => fields.values().for_each(|field| each_text(field, look)),
        _ => {}
    }
}

fn filled(value: &Value, words: &[(&str, &str)]) -> Value {
    match value {
        Value::String(text) => {
            Value::String(words.iter().fold(text.clone(), |text, (from, to)| text.replace(from, to)))
        }
        Value::Array(items) => items.iter().map(|item| filled(item, words)).collect(),
        Value::Object(fields) => fields.iter().map(|(key, field)| (key.clone(), filled(field, words))).collect(),
        other => other.clone(),
    }
}

/// An answer to the client's own calls: a title where it wants one in JSON, else a word.
pub fn aside_text(body: &Value) -> &'static str {
    let wants = body.to_string();
    if wants.contains("create a detailed summary") {
        "The work goes on where it was left."
    } else if wants.contains("\"title\"") || wants.contains("isNewTopic") {
        r#"{"title": "Scripted work", "isNewTopic": false}"#
    } else {
        "ok"
    }
}

/// Whether any text inside a value has these words.
pub fn contains(value: &Value, words: &str) -> bool {
    let mut found = false;
    each_text(value, &mut |text| {
        found |= text.contains(words);
        Some(())
    });
    found
}
