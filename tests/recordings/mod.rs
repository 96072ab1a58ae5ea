//! Sessions of the real client, recorded whole: its transcripts and our records of them, put into a home as if they had
//! run there.
#![allow(dead_code, reason = "each test target uses its part of it")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::home::{Home, fixtures};

/// Every recorded session.
pub(crate) const SESSIONS: [&str; 10] = [
    "assumes-by-line",
    "assumes-without-line",
    "assumes-in-german",
    "assumes-after-tool",
    "assumes-nothing",
    "assumes-twice",
    "thrice",
    "decides",
    "prose-once",
    "subagent",
];

const RECORDED_ID: &str = "00000000-0000-4000-8000-000000000001";

/// The session's id in a home: one of its own for each.
pub(crate) fn session_id(name: &str) -> String {
    let number = SESSIONS.iter().position(|known| *known == name).unwrap();
    RECORDED_ID.replacen("00000000", &format!("5e5510{number:02}"), 1)
}

/// A home in which records are kept for ever, however long ago these were recorded.
pub(crate) fn home() -> Home {
    Home::new().config("[records]\nkeep_days = 0\n")
}

/// The folder of a session's project.
pub(crate) fn project(home: &Home, name: &str) -> PathBuf {
    home.path().join(name)
}

/// Where the session's transcript is.
pub(crate) fn transcript(home: &Home, name: &str) -> PathBuf {
    transcripts(home, name).join(format!("{}.jsonl", session_id(name)))
}

fn transcripts(home: &Home, name: &str) -> PathBuf {
    home.path().join(".claude/projects").join(name)
}

/// Puts a session into a home.
pub(crate) fn put(home: &Home, name: &str) {
    let recorded = fixtures().join("transcripts").join(name);
    fs::create_dir_all(project(home, name)).unwrap();
    let translate = |text: &str| {
        text.replace(RECORDED_ID, &session_id(name))
            .replace("/home/dev/.claude/projects/-home-dev-project", transcripts(home, name).to_str().unwrap())
            .replace("/home/dev/project", project(home, name).to_str().unwrap())
    };
    copy(&recorded, &transcripts(home, name), &translate);
    let records = translate(&fs::read_to_string(recorded.join("records.jsonl")).unwrap());
    add_records(home, &records.lines().map(|line| serde_json::from_str(line).unwrap()).collect::<Vec<_>>());
}

fn copy(from: &Path, to: &Path, translate: &impl Fn(&str) -> String) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().map(|entry| entry.unwrap().path()) {
        let name = translate(entry.file_name().unwrap().to_str().unwrap());
        if entry.is_dir() {
            copy(&entry, &to.join(name), translate);
        } else if name != "records.jsonl" {
            fs::write(to.join(name), translate(&fs::read_to_string(entry).unwrap())).unwrap();
        }
    }
}

/// Adds records to the files of their days.
pub(crate) fn add_records(home: &Home, records: &[Value]) {
    use std::io::Write;
    let folder = home.state().join("records");
    fs::create_dir_all(&folder).unwrap();
    for record in records {
        let file = folder.join(format!("{}.jsonl", record["at"].as_str().unwrap().split('T').next().unwrap()));
        let mut file = fs::OpenOptions::new().create(true).append(true).open(file).unwrap();
        writeln!(file, "{record}").unwrap();
    }
}

/// A home with all of them.
pub(crate) fn all() -> Home {
    let home = home();
    SESSIONS.iter().for_each(|name| put(&home, name));
    home
}

/// What `review --json` says with these arguments.
pub(crate) fn review(home: &Home, args: &[&str]) -> Value {
    serde_json::from_str(&home.says(&[&["review", "--json"], args].concat())).unwrap()
}

/// One field of each decision.
pub(crate) fn each(review: &Value, field: &str) -> Vec<Value> {
    review["decisions"].as_array().unwrap().iter().map(|decision| decision[field].clone()).collect()
}
