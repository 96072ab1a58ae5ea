//! What waits for a person, put up as the hook does it: by `pending::open`, with a record as the hook would write it.
#![allow(dead_code, reason = "each test target uses its part of it")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use chrono::{DateTime, Utc};
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Value, json};
use unattended::pending::{self, Open};
use unattended::request::{Request, VERSION};
use unattended::{clock, question};

pub(crate) const ONE: &str = "3f2a91c0aaaaaaaa";
pub(crate) const TWO: &str = "77aa012bbbbbbbbb";
pub(crate) const TOKEN: &str = "0123456789abcdef0123456789abcdef";

/// The record of a question, with the rows as the client draws them.
pub(crate) fn question(input: &Value) -> Value {
    let input: Box<RawValue> = to_raw_value(input).unwrap();
    let mut record = record("question", "AskUserQuestion");
    record["questions"] = serde_json::to_value(question::questions(&input)).unwrap();
    record["asked_before"] = json!(0);
    record
}

/// A question with two options.
pub(crate) fn colour() -> Value {
    question(&json!({"questions": [{
        "question": "Which colour?", "header": "Colour", "multiSelect": false,
        "options": [
            {"label": "Red", "description": "as in the logo"},
            {"label": "Blue (Recommended)", "description": "easy on the eyes"},
        ],
    }]}))
}

/// A question of which several options may be chosen.
pub(crate) fn toppings() -> Value {
    question(&json!({"questions": [{
        "question": "Which toppings?", "header": "Toppings", "multiSelect": true,
        "options": [{"label": "Olives"}, {"label": "Onions"}, {"label": "Cheese"}],
    }]}))
}

/// Two questions in one dialog, and a third one without options.
pub(crate) fn wizard() -> Value {
    question(&json!({"questions": [
        {"question": "Which colour?", "header": "Colour", "multiSelect": false,
         "options": [{"label": "Red"}, {"label": "Blue"}]},
        {"question": "Which toppings?", "header": "Toppings", "multiSelect": true,
         "options": [{"label": "Olives"}, {"label": "Onions"}, {"label": "Cheese"}]},
        {"question": "How many?", "header": "", "multiSelect": false, "options": []},
    ]}))
}

pub(crate) fn plan() -> Value {
    let mut record = record("plan", "ExitPlanMode");
    record["plan"] = json!({"text": "# Tidy up\n\n1. Remove the old parser.\n2. Run the tests.", "seen_by": "nobody"});
    record
}

pub(crate) fn permission() -> Value {
    let mut record = record("permission", "Bash");
    record["tool_input"] = json!({"command": "make deploy", "description": "Deploy"});
    record
}

fn record(kind: &str, tool: &str) -> Value {
    json!({
        "v": 1, "at": "2026-11-30T12:00:00.000Z", "id": ONE, "kind": kind, "session_id": "5f3a2b1c-0000-4000-8000-00",
        "cwd": "/nowhere/project", "permission_mode": "default", "event": "PreToolUse", "on": true,
        "because": "environment", "tool": tool, "decision": {"action": "deny", "message": "Nobody is available."},
    })
}

/// A request that waits from a minute ago until `seconds` from now.
pub(crate) fn request(state: &Path, id: &str, mut record: Value, seconds: i64) -> Request {
    record["id"] = json!(id);
    let now = clock::now();
    Request {
        v: VERSION,
        id: id.to_owned(),
        token: TOKEN.to_owned(),
        registration: String::new(),
        since: now - chrono::Duration::seconds(61),
        until: now + chrono::Duration::seconds(seconds),
        reply_to: pending::reply_file(state, id).to_str().unwrap().to_owned(),
        record: to_raw_value(&record).unwrap(),
    }
}

/// Puts a request up; it waits as long as what is given back lives.
pub(crate) fn put(state: &Path, id: &str, record: Value) -> Open {
    pending::open(state, &request(state, id, record, 600)).unwrap()
}

/// Takes a request away as a hook does at the end of its wait, and records it. Gives what was replied.
pub(crate) fn end(state: &Path, open: Open, record: Value, end: &str) -> Option<Value> {
    let reply = open.close().map(|bytes| serde_json::from_slice::<Value>(&bytes).unwrap());
    let end = if reply.is_some() { "reply" } else { end };
    append(state, &ended(record, end, reply.as_ref()));
    reply
}

/// A record as it is written when its wait is over.
pub(crate) fn ended(mut record: Value, end: &str, reply: Option<&Value>) -> Value {
    record["wait"] = json!({"limit_ms": 600_000, "waited_ms": 61_000, "end": end});
    if let Some(reply) = reply {
        record["wait"]["by"] = json!("person");
        record["wait"]["means"] = reply["means"].clone();
    }
    record
}

/// The file of a day's records.
pub(crate) fn day_file(state: &Path, day: DateTime<Utc>) -> PathBuf {
    state.join(format!("records/{}.jsonl", day.format("%Y-%m-%d")))
}

/// Appends to today's records.
pub(crate) fn append(state: &Path, record: &Value) {
    append_text(state, &format!("{record}\n"));
}

pub(crate) fn append_text(state: &Path, text: &str) {
    let file = day_file(state, clock::now());
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::File::options().append(true).create(true).open(file).unwrap().write_all(text.as_bytes()).unwrap();
}

/// A hook that waits for a reply to a request, reads it at once, and records it. Gives what it read.
pub(crate) fn hook(state: &Path, id: &str, mut record: Value) -> JoinHandle<Option<Value>> {
    record["id"] = json!(id);
    let open = put(state, id, record.clone());
    let state = state.to_path_buf();
    thread::spawn(move || {
        let until = Instant::now() + Duration::from_secs(60);
        while open.reply().is_none() && Instant::now() < until {
            thread::sleep(Duration::from_millis(2));
        }
        end(&state, open, record, "time")
    })
}
