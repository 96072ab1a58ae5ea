//! Follows a run from outside: its sessions' transcripts and our records of them, read on from where they were read to.
//! Reads files, writes nothing.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use chrono::{DateTime, NaiveDate, Utc};
use serde_json::Value;

use crate::tail::Tail;
use crate::{clock, journal, mask, paths};

/// How much of what a session did last is told, in characters.
const TOLD: usize = 160;
/// How far below a session's own folder files are looked at.
const DEPTH: usize = 3;

/// What a run has done.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Counts {
    /// Messages of the model.
    pub turns: usize,
    /// Questions denied.
    pub questions: usize,
    /// Permissions denied.
    pub permissions: usize,
    /// What waited although we acted.
    pub stalls: usize,
}

/// A turn that the API ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Death {
    /// The client's name for the cause: `rate_limit`.
    pub error: String,
    /// Its words.
    pub message: String,
}

/// A run as it goes on.
pub struct Follower {
    state: Option<PathBuf>,
    folder: PathBuf,
    since: DateTime<Utc>,
    /// No session but the known one is of this run.
    only: bool,
    sessions: Vec<String>,
    day: NaiveDate,
    records: Option<Tail>,
    transcripts: Vec<(PathBuf, Tail)>,
    calls: HashSet<String>,
    last_message: String,
    newest: Option<SystemTime>,
    /// What it has done.
    pub counts: Counts,
    /// What it did last.
    pub doing: Option<String>,
    /// What ended its last turn, if the API did.
    pub death: Option<Death>,
}

impl Follower {
    /// Follows the sessions that begin in a folder from now on. `session`: the id of the run's own, if it is known;
    /// `only`: there is no other.
    pub fn new(state: Option<PathBuf>, folder: PathBuf, session: Option<String>, only: bool) -> Follower {
        let now = clock::now();
        let records = state.as_deref().map(|state| Tail::at_end(journal::day_file(state, now.date_naive())));
        Follower {
            state,
            folder,
            since: now,
            only,
            sessions: session.into_iter().collect(),
            day: now.date_naive(),
            records,
            transcripts: Vec::new(),
            calls: HashSet::new(),
            last_message: String::new(),
            newest: None,
            counts: Counts::default(),
            doing: None,
            death: None,
        }
    }

    /// Since when it follows.
    pub fn since(&self) -> DateTime<Utc> {
        self.since
    }

    /// The ids of the run's sessions, as far as they are known.
    pub fn sessions(&self) -> &[String] {
        &self.sessions
    }

    /// Reads on, and says whether something has happened since the last time.
    pub fn look(&mut self) -> bool {
        let recorded = self.look_at_records();
        for session in self.sessions.clone() {
            let own = |(path, _): &(PathBuf, Tail)| path.file_stem().is_some_and(|stem| *stem == *session);
            if !self.transcripts.iter().any(own)
                && let Some(path) = find_transcript(&session)
            {
                self.transcripts.push((path.clone(), Tail::at_start(path)));
            }
        }
        let mut newest = None;
        for at in 0..self.transcripts.len() {
            let Some((path, tail)) = self.transcripts.get_mut(at) else { break };
            newest = newest.max(newest_below(path));
            for line in tail.lines() {
                self.take(&line);
            }
        }
        let written = newest > self.newest;
        self.newest = self.newest.max(newest);
        recorded || written
    }

    fn look_at_records(&mut self) -> bool {
        let mut lines = self.records.as_mut().map(Tail::lines).unwrap_or_default();
        let today = clock::now().date_naive();
        if today != self.day {
            self.day = today;
            self.records = self.state.as_deref().map(|state| Tail::at_start(journal::day_file(state, today)));
            lines.extend(self.records.as_mut().map(Tail::lines).unwrap_or_default());
        }
        let mut ours = false;
        for record in lines.iter().filter_map(|line| serde_json::from_str::<Value>(line).ok()) {
            let Some(session) = text(&record, "session_id") else { continue };
            let starts = text(&record, "event").as_deref() == Some("SessionStart");
            let here = record.get("cwd").and_then(Value::as_str).is_some_and(|cwd| self.folder == Path::new(cwd));
            if starts && here && !self.only && !self.sessions.contains(&session) {
                self.sessions.push(session.clone());
            }
            if self.sessions.contains(&session) {
                ours = true;
                self.count(&record);
            }
        }
        ours
    }

    /// Hooks that see one call are several records.
    fn count(&mut self, record: &Value) {
        let denied = record.get("decision").is_some_and(|decision| text(decision, "action").as_deref() == Some("deny"));
        let call = text(record, "tool_use_id").or_else(|| text(record, "id")).unwrap_or_default();
        if record.get("stall").and_then(Value::as_bool) == Some(true) {
            self.counts.stalls += 1;
        }
        if !denied || !self.calls.insert(call) {
            return;
        }
        match text(record, "kind").as_deref() {
            Some("question") => self.counts.questions += 1,
            Some("permission") => self.counts.permissions += 1,
            _ => {}
        }
    }

    /// A line of a transcript.
    fn take(&mut self, line: &str) {
        if !line.contains("\"assistant\"") {
            return;
        }
        let Ok(line) = serde_json::from_str::<Value>(line) else { return };
        let at = text(&line, "timestamp").and_then(|at| DateTime::parse_from_rfc3339(&at).ok());
        let before = at.is_some_and(|at| at < self.since);
        if before || text(&line, "type").as_deref() != Some("assistant") || is_true(&line, "isSidechain") {
            return;
        }
        let Some(message) = line.get("message") else { return };
        let blocks: Vec<&Value> = message.get("content").and_then(Value::as_array).into_iter().flatten().collect();
        let words: Vec<String> = blocks.iter().filter_map(|block| text(block, "text")).collect();
        if is_true(&line, "isApiErrorMessage") {
            let error = text(&line, "error").unwrap_or_else(|| "an error".to_owned());
            self.death = Some(Death { error, message: told(&words.join(" ")) });
            return;
        }
        self.death = None;
        let id = text(message, "id").unwrap_or_default();
        if id.is_empty() || id != self.last_message {
            self.counts.turns += 1;
            self.last_message = id;
        }
        let call = blocks.iter().rev().find(|block| text(block, "type").as_deref() == Some("tool_use"));
        if let Some(call) = call {
            let name = text(call, "name").unwrap_or_default();
            let input = call.get("input").and_then(Value::as_object);
            let input = input.and_then(|input| input.values().find_map(Value::as_str)).unwrap_or_default();
            self.doing = Some(format!("the tool {}", told(&format!("{name}: {input}"))));
        } else if let Some(words) = words.last() {
            self.doing = Some(format!("it said: {}", told(words)));
        }
    }
}

fn text(value: &Value, key: &str) -> Option<String> {
    value.get(key)?.as_str().map(str::to_owned)
}

fn is_true(value: &Value, key: &str) -> bool {
    value.get(key).and_then(Value::as_bool) == Some(true)
}

/// In one line, cut, without secrets.
fn told(words: &str) -> String {
    let masked = mask::masked(&serde_json::json!({ "text": words }).to_string());
    let masked: Option<Value> = masked.and_then(|line| serde_json::from_str(&line).ok());
    let words = masked.and_then(|value| text(&value, "text")).unwrap_or_else(|| words.to_owned());
    let flat = words.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut told: String = flat.chars().take(TOLD).collect();
    if flat.chars().nth(TOLD).is_some() {
        told.push('…');
    }
    told
}

/// The client keeps a folder a project; a session's id is in one of them alone.
fn find_transcript(session: &str) -> Option<PathBuf> {
    // An id of another form leads nowhere.
    if !session.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-') {
        return None;
    }
    let projects = fs::read_dir(paths::client_folder()?.join("projects")).ok()?;
    let mut files = projects.flatten().map(|project| project.path().join(format!("{session}.jsonl")));
    files.find(|file| fs::metadata(file).is_ok_and(|there| there.is_file()))
}

/// When a transcript, or something in the folder beside it in which its subagents write, was last written to.
fn newest_below(transcript: &Path) -> Option<SystemTime> {
    let mut newest = modified(transcript);
    let mut folders = vec![(transcript.with_extension(""), 0)];
    while let Some((folder, depth)) = folders.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            newest = newest.max(modified(&entry.path()));
            if depth < DEPTH && entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                folders.push((entry.path(), depth + 1));
            }
        }
    }
    newest
}

fn modified(path: &Path) -> Option<SystemTime> {
    fs::symlink_metadata(path).ok()?.modified().ok()
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn follower(state: &Path) -> Follower {
        Follower::new(Some(state.to_path_buf()), PathBuf::from("/project"), Some("s1".to_owned()), true)
    }

    #[test]
    fn decisions_of_this_run_are_counted_once() {
        let home = tempfile::tempdir().unwrap();
        let file = journal::day_file(home.path(), clock::now().date_naive());
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        let line = |session: &str, kind: &str, call: &str| {
            format!(
                "{{\"session_id\":\"{session}\",\"kind\":\"{kind}\",\"tool_use_id\":\"{call}\",\"decision\":{{\"action\":\"deny\"}}}}\n"
            )
        };
        fs::write(&file, line("s1", "question", "before")).unwrap();
        let mut run = follower(home.path());
        assert!(!run.look());
        let text = [line("s1", "question", "a"), line("s1", "question", "a"), line("s2", "question", "b")].concat()
            + &line("s1", "permission", "c")
            + r#"{"session_id":"s1","kind":"notice","stall":true,"decision":{"action":"none"}}"#;
        let mut there = fs::OpenOptions::new().append(true).open(&file).unwrap();
        there.write_all(text.as_bytes()).unwrap();
        assert!(run.look());
        assert_eq!(
            run.counts,
            Counts { turns: 0, questions: 1, permissions: 1, stalls: 0 },
            "the last line is not whole"
        );
        there.write_all(b"\n").unwrap();
        assert!(run.look() && !run.look());
        assert_eq!(run.counts.stalls, 1);
    }

    #[test]
    fn a_transcript_says_what_was_done_last_and_what_ended_it() {
        let home = tempfile::tempdir().unwrap();
        let mut run = follower(home.path());
        let line = |more: &str, id: &str, block: &str| {
            format!(
                r#"{{"type":"assistant","timestamp":"2999-01-01T00:00:00Z"{more},"message":{{"id":"{id}","content":[{block}]}}}}"#
            )
        };
        run.take(&line("", "m1", r#"{"type":"text","text":"I look."}"#));
        run.take(&line(
            "",
            "m1",
            r#"{"type":"tool_use","name":"Bash","input":{"command":"make  test\nDB_PASSWORD=hunter2hunter2 x"}}"#,
        ));
        run.take(&line(r#","isSidechain":true"#, "m2", r#"{"type":"text","text":"aside"}"#));
        run.take(&line("", "m0", r#"{"type":"text","text":"long ago"}"#).replace("2999", "1999"));
        assert_eq!(run.counts.turns, 1);
        let doing = run.doing.clone().unwrap();
        assert!(doing.starts_with("the tool Bash: make test DB_PASSWORD=") && !doing.contains("hunter2"), "{doing}");
        run.take(&line(
            r#","isApiErrorMessage":true,"error":"rate_limit""#,
            "m3",
            r#"{"type":"text","text":"Limit reached"}"#,
        ));
        assert_eq!(run.death, Some(Death { error: "rate_limit".into(), message: "Limit reached".into() }));
        run.take(&line("", "m4", r#"{"type":"text","text":"It goes on."}"#));
        assert_eq!((run.death, run.counts.turns), (None, 2));
    }

    #[test]
    fn what_subagents_write_counts_as_well() {
        let home = tempfile::tempdir().unwrap();
        let transcript = home.path().join("s1.jsonl");
        fs::write(&transcript, "").unwrap();
        let before = newest_below(&transcript).unwrap();
        let aside = home.path().join("s1/subagents/agent-1.jsonl");
        fs::create_dir_all(aside.parent().unwrap()).unwrap();
        fs::write(&aside, "").unwrap();
        fs::File::options()
            .append(true)
            .open(&aside)
            .unwrap()
            .set_modified(before + std::time::Duration::from_secs(5))
            .unwrap();
        assert_eq!(newest_below(&transcript), Some(before + std::time::Duration::from_secs(5)));
    }
}
