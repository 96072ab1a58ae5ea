//! Sample payloads: for each event that is answered or recorded, one of each sort. Pure.

use chrono::{DateTime, Utc};
use serde_json::{Map, Value, json};

use crate::event::is_question_tool;

/// A sample.
#[derive(Debug, Clone)]
pub struct Case {
    /// The event, as the client names it.
    pub event: String,
    /// What tells this sort from the others of the event.
    pub about: Option<String>,
    /// The payload.
    pub payload: String,
    /// When it is.
    pub now: DateTime<Utc>,
}

/// What of a sample a person can say.
#[derive(Debug, Clone, Copy, Default)]
pub struct Wanted<'w> {
    /// The tool; of a notification its type, of a start its source, of a turn's end `waits`, `done` or its last words.
    pub about: Option<&'w str>,
    /// The permission mode.
    pub mode: Option<&'w str>,
    /// The session.
    pub session: Option<&'w str>,
}

/// The events, each with the sorts that are told where none is asked for.
pub const EVENTS: [(&str, &[&str]); 11] = [
    ("PreToolUse", &["AskUserQuestion", "EnterPlanMode", "ExitPlanMode", "Bash"]),
    ("PermissionRequest", &["AskUserQuestion", "ExitPlanMode", "Bash"]),
    ("PostToolUse", &["AskUserQuestion", "ExitPlanMode", "Bash"]),
    ("PermissionDenied", &["Bash"]),
    ("Elicitation", &[]),
    ("Stop", &["waits", "done"]),
    ("Notification", &["permission_prompt", "elicitation_dialog", "agent_needs_input", "idle_prompt", "auth_success"]),
    ("SessionStart", &["startup", "compact"]),
    ("SubagentStart", &[]),
    ("SessionEnd", &[]),
    ("StopFailure", &[]),
];

/// The samples of an event; none where the event is not known.
pub fn of(event: &str, wanted: Wanted<'_>, now: DateTime<Utc>) -> Vec<Case> {
    let Some((event, sorts)) = EVENTS.iter().find(|(name, _)| name.eq_ignore_ascii_case(event)) else {
        return Vec::new();
    };
    let sorts: Vec<Option<&str>> = match wanted.about {
        Some(about) => vec![Some(about)],
        None if sorts.is_empty() => vec![None],
        None => sorts.iter().copied().map(Some).collect(),
    };
    let case = |about: Option<&str>| Case {
        event: (*event).to_owned(),
        about: about.map(str::to_owned),
        payload: payload(event, about, wanted),
        now,
    };
    sorts.into_iter().map(case).collect()
}

fn payload(event: &str, about: Option<&str>, wanted: Wanted<'_>) -> String {
    let mut payload = Map::new();
    let mut set = |name: &str, value: Value| payload.insert(name.to_owned(), value);
    if let Some(session) = wanted.session {
        set("session_id", session.into());
    }
    set("hook_event_name", event.into());
    let about = about.unwrap_or_default();
    let usual = if about == "ExitPlanMode" { "plan" } else { "default" };
    if matches!(event, "PreToolUse" | "PermissionRequest" | "PostToolUse" | "PermissionDenied" | "Stop") {
        set("permission_mode", wanted.mode.unwrap_or(usual).into());
        set("prompt_id", "prompt".into());
    }
    match event {
        "PreToolUse" | "PermissionRequest" | "PostToolUse" | "PermissionDenied" => {
            set("tool_name", about.into());
            set("tool_input", input(about));
        }
        "Elicitation" => {
            set("mcp_server_name", "server".into());
            set("message", "Which region?".into());
        }
        "Stop" => {
            let message = match about {
                "waits" => "Shall I proceed?",
                "done" => "The tests pass.",
                words => words,
            };
            set("stop_hook_active", false.into());
            set("last_assistant_message", message.into());
        }
        "Notification" => drop(set("notification_type", about.into())),
        "SessionStart" => drop(set("source", about.into())),
        _ => {}
    }
    Value::Object(payload).to_string()
}

fn input(tool: &str) -> Value {
    match tool {
        tool if is_question_tool(tool) => json!({"questions": [{
            "question": "Which one?",
            "header": "Choice",
            "multiSelect": false,
            "options": [{"label": "One (Recommended)"}, {"label": "Another"}],
        }]}),
        "ExitPlanMode" => json!({"plan": "# A plan"}),
        "EnterPlanMode" => json!({}),
        _ => json!({"command": "make"}),
    }
}
