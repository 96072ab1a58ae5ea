//! The payloads that are measured: recorded ones, told apart by their ids, and long ones made from them.

use std::path::Path;

use serde_json::Value;

/// How many dialogs a session has here.
pub const CALLS_A_SESSION: usize = 8;
/// How long a long payload is, in bytes.
const LONG: usize = 5 << 20;

/// A recorded payload of the newest client.
pub fn payload(case: &str, event: &str, tool: &str) -> String {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/fixtures/2.1.332/{case}.jsonl"));
    let wanted = |line: &&str| {
        let payload: Value = serde_json::from_str(line).unwrap();
        payload["hook_event_name"] == event && (tool.is_empty() || payload["tool_name"] == tool)
    };
    std::fs::read_to_string(file).unwrap().lines().find(wanted).unwrap().to_owned()
}

/// The same payload in another prompt and call, and every few in another session.
pub fn told_apart(payload: &str, number: usize) -> String {
    let mut payload: Value = serde_json::from_str(payload).unwrap();
    payload["session_id"] = format!("00000000-0000-4000-8000-{:012}", number / CALLS_A_SESSION).into();
    payload["prompt_id"] = format!("00000000-0000-4000-9000-{number:012}").into();
    if payload.get("tool_use_id").is_some() {
        payload["tool_use_id"] = format!("toolu_{number:024}").into();
    }
    payload.to_string()
}

/// Payloads of 5 MiB: a plan, a tool's input, a closing message.
pub fn long() -> [(&'static str, String); 3] {
    let text = "The parser keeps `offsets` of \"every\" line, and the tests say so.\n".repeat(LONG / 68);
    let of = |case, event, tool, field: &str| {
        let mut long: Value = serde_json::from_str(&payload(case, event, tool)).unwrap();
        *long.pointer_mut(field).unwrap() = text.clone().into();
        long.to_string()
    };
    [
        ("a plan", of("plan-unanswered", "PermissionRequest", "ExitPlanMode", "/tool_input/plan")),
        ("a tool's input", of("tool-permission-unanswered", "PermissionRequest", "Bash", "/tool_input/command")),
        ("a closing message", of("turn-ended-with-a-question-in-prose", "Stop", "", "/last_assistant_message")),
    ]
}
