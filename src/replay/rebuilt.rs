//! A payload made of a record. What the record does not hold is left out, and what of that might matter is said; nothing is
//! invented. Pure.

use serde_json::{Map, Value, json};

use crate::mask::MASK;
use crate::switch::Attendance;

/// From this length on, in bytes, a record may have cut a plan.
const LONG_PLAN: usize = 128 * 1024;

/// A payload, and what came with its record.
#[derive(Debug, Default)]
pub struct Rebuilt {
    /// The payload. For a record of what could not be read: its beginning, as a text.
    pub payload: String,
    /// What it lacks that might matter, a few words each.
    pub lacks: Vec<String>,
    /// What the session remembered when it was recorded.
    pub before: Before,
    /// Who attended the session, where the record tells.
    pub attendance: Option<Attendance>,
    /// What was decided, in a record.
    pub decision: Value,
    /// In a record: the model was told something at the start of its session, and not only a person.
    pub told: bool,
    /// A payload that the hook cannot read.
    pub unread: bool,
}

/// What a session remembered, as far as its record shows it.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Before {
    /// The mode from which it entered plan mode.
    pub entered_from: Option<String>,
    /// How many other questions the prompt had asked.
    pub asked: usize,
    /// How often the prompt was sent on.
    pub sent_on: u32,
}

/// Whether an object is a record and no payload.
pub fn is_record(object: &Map<String, Value>) -> bool {
    object.contains_key("v") && object.contains_key("kind") && object.contains_key("decision")
}

/// Makes a payload of a record; `None` where the record is of no kind that is known here.
pub fn of(record: &Map<String, Value>) -> Option<Rebuilt> {
    let kind = record.get("kind").and_then(Value::as_str)?;
    let text = |name: &str| record.get(name).and_then(Value::as_str);
    let mut made = Rebuilt {
        decision: record.get("decision").cloned().unwrap_or_default(),
        told: record.get("on") == Some(&Value::Bool(true)) || record.contains_key("corrections"),
        attendance: text("because").and_then(attendance).or_else(|| attendance(text("attendance")?)),
        ..Rebuilt::default()
    };
    if kind == "problem" {
        made.payload = text("payload").unwrap_or_default().to_owned();
        if made.payload.len() >= 2048 {
            made.lacks.push("what came behind its first 2 KiB".to_owned());
        }
        return Some(made);
    }
    let mut payload = Map::new();
    for name in ["session_id", "prompt_id", "tool_use_id", "agent_id", "cwd", "transcript_path", "permission_mode"] {
        set(&mut payload, name, record.get(name));
    }
    set(&mut payload, "hook_event_name", record.get("event"));
    set(&mut payload, "tool_name", record.get("tool"));
    match kind {
        "question" => question(record, &mut payload, &mut made),
        "answer" => {
            payload.insert("tool_response".into(), json!({"answers": record.get("answers")}));
        }
        "plan" => plan(record, &mut payload, &mut made),
        "permission" => {
            set(&mut payload, "tool_input", record.get("tool_input"));
            set(&mut payload, "permission_suggestions", record.get("suggestions"));
            set(&mut payload, "reason", record.get("reason"));
        }
        "elicitation" => {
            for name in ["mcp_server_name", "message", "mode", "requested_schema"] {
                set(&mut payload, name, record.get(name));
            }
        }
        "stop" | "nudge" => stop(record, &mut payload, &mut made),
        "notice" => {
            set(&mut payload, "notification_type", record.get("notification_type"));
            set(&mut payload, "message", record.get("message"));
        }
        "session" => {
            for name in ["source", "model", "reason", "error", "agent_type"] {
                set(&mut payload, name, record.get(name));
            }
            set(&mut payload, "last_assistant_message", record.get("message"));
            if made.decision.get("action").is_some_and(|action| action == "welcome") && made.told {
                made.lacks.push("what the model was told at its start".to_owned());
            }
        }
        _ => return None,
    }
    // Of one that is too long a record keeps the beginning, as a text.
    if payload.get("tool_input").is_some_and(Value::is_string) {
        made.lacks.push("the end of its input".to_owned());
    }
    made.payload = Value::Object(payload).to_string();
    if record.contains_key("masked") && made.payload.contains(MASK) {
        made.lacks.push("what was masked".to_owned());
    }
    Some(made)
}

fn attendance(name: &str) -> Option<Attendance> {
    match name {
        "attended" => Some(Attendance::Attended),
        "unattended" => Some(Attendance::Unattended),
        "unsaid" => Some(Attendance::Unsaid),
        _ => None,
    }
}

fn set(payload: &mut Map<String, Value>, name: &str, value: Option<&Value>) {
    if let Some(value) = value.filter(|value| !value.is_null()) {
        payload.insert(name.to_owned(), value.clone());
    }
}

/// The rows, and which option is recommended, were read from the rest.
fn question(record: &Map<String, Value>, payload: &mut Map<String, Value>, made: &mut Rebuilt) {
    made.before.asked = record.get("asked_before").and_then(Value::as_u64).unwrap_or_default() as usize;
    let mut questions = record.get("questions").and_then(Value::as_array).cloned().unwrap_or_default();
    for question in questions.iter_mut().filter_map(Value::as_object_mut) {
        question.remove("rows");
        for option in question.get_mut("options").and_then(Value::as_array_mut).into_iter().flatten() {
            option.as_object_mut().map(|option| option.remove("recommended"));
        }
    }
    if questions.is_empty() {
        set(payload, "tool_input", record.get("tool_input"));
    } else {
        payload.insert("tool_input".into(), json!({"questions": questions}));
    }
}

fn plan(record: &Map<String, Value>, payload: &mut Map<String, Value>, made: &mut Rebuilt) {
    let plan = record.get("plan").and_then(Value::as_object).cloned().unwrap_or_default();
    let approved = record.get("event").is_some_and(|event| event == "PostToolUse");
    let mut fields = Map::new();
    let cut = |text: &&str| text.len() > LONG_PLAN && text.ends_with(" bytes)");
    if plan.get("text").and_then(Value::as_str).filter(cut).is_some() {
        made.lacks.push("the end of its plan".to_owned());
    }
    set(&mut fields, "plan", plan.get("text"));
    set(&mut fields, if approved { "filePath" } else { "planFilePath" }, plan.get("path"));
    payload.insert("tool_input".into(), if approved { json!({}) } else { Value::Object(fields.clone()) });
    if approved {
        payload.insert("tool_response".into(), Value::Object(fields));
    } else {
        made.before.entered_from = plan.get("entered_from").and_then(Value::as_str).map(str::to_owned);
    }
}

fn stop(record: &Map<String, Value>, payload: &mut Map<String, Value>, made: &mut Rebuilt) {
    set(payload, "last_assistant_message", record.get("last_assistant_message"));
    set(payload, "stop_hook_active", record.get("stop_hook_active"));
    let nudge = record.get("nudge").and_then(Value::as_u64).unwrap_or_default();
    made.before.sent_on = u32::try_from(nudge).unwrap_or(u32::MAX).saturating_sub(1);
    let tasks = record.get("background_tasks").and_then(Value::as_u64).unwrap_or_default().min(1000);
    if tasks > 0 {
        payload.insert("background_tasks".into(), (0..tasks).map(|_| json!({})).collect());
        made.lacks.push("which background tasks there were".to_owned());
    }
}
