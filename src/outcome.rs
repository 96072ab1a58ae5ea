//! What became of what waited for a person, by its record: answered, decided without one, or never heard of. Reads
//! records, writes nothing.

use std::io;
use std::path::Path;

use chrono::{DateTime, Utc};
use serde::Deserialize;

use crate::{history, journal};

/// What a record says of a wait.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Outcome {
    /// The record's id, which was the request's.
    pub id: String,
    /// When it was asked.
    pub at: DateTime<Utc>,
    /// The wait; none where it was decided at once.
    #[serde(default)]
    pub wait: Option<Wait>,
}

/// How a wait ended.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Wait {
    /// By what.
    pub end: End,
    /// After how long, in milliseconds.
    #[serde(default)]
    pub waited_ms: u64,
    /// By which means the person replied.
    #[serde(default)]
    pub means: Option<String>,
}

/// What ended a wait, as any version wrote it; what this one writes is `answered::End`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum End {
    /// A person's reply.
    Reply,
    /// Time was up.
    Time,
    /// The switch was turned off.
    Off,
    /// Nobody waited for the answer any more, or what waited was taken away.
    Gone,
    /// Something that this version knows nothing of.
    #[serde(other)]
    Other,
}

impl Outcome {
    /// Of a line of the journal; `None` for one that is no record.
    pub fn of(line: &str) -> Option<Outcome> {
        serde_json::from_str(line).ok()
    }
}

/// The newest record whose id begins so; one that tells of a wait before any other.
///
/// # Errors
/// Where the folder of the records is there and cannot be listed.
pub fn find(state: &Path, start: &str) -> io::Result<Option<Outcome>> {
    let wanted = memchr::memmem::Finder::new(start.as_bytes());
    let mut files = history::day_files(&journal::folder(state))?;
    let mut found: Option<Outcome> = None;
    while let Some((_, file)) = files.pop() {
        // A file that cannot be read keeps none of the others from being looked at; `doctor` names it.
        let _ = history::each_line(&file, |line| {
            // Most lines need no reading.
            if wanted.find(line.as_bytes()).is_none() {
                return;
            }
            let Some(outcome) = Outcome::of(line).filter(|outcome| outcome.id.starts_with(start)) else { return };
            if outcome.wait.is_some() || found.as_ref().is_none_or(|found| found.wait.is_none()) {
                found = Some(outcome);
            }
        });
        if found.is_some() {
            break;
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn the_newest_that_waited_is_found_by_the_beginning_of_its_id() {
        let state = tempfile::tempdir().unwrap();
        let folder = journal::folder(state.path());
        fs::create_dir_all(&folder).unwrap();
        let line = |id: &str, wait: &str| format!("{{\"id\":\"{id}\",\"at\":\"2026-11-30T12:00:00.000Z\"{wait}}}\n");
        let time = ",\"wait\":{\"limit_ms\":5,\"waited_ms\":5,\"end\":\"time\"}";
        let reply = ",\"wait\":{\"limit_ms\":5,\"waited_ms\":3,\"end\":\"reply\",\"by\":\"person\",\"means\":\"chat\"}";
        fs::write(folder.join("2026-11-29.jsonl"), line("aaaa000000000001", time)).unwrap();
        let text = [line("bbbb000000000001", reply), line("bbbb000000000002", ""), line("cccc", ",\"x\":\"dddd1\"")];
        fs::write(folder.join("2026-11-30.jsonl"), text.concat()).unwrap();
        // What cannot be read beside them is passed over.
        fs::create_dir(folder.join("2026-12-01.jsonl")).unwrap();
        let end = |start: &str| find(state.path(), start).unwrap().and_then(|found| found.wait).map(|wait| wait.end);
        assert_eq!((end("aaaa"), end("bbbb"), end("bbbb000000000002")), (Some(End::Time), Some(End::Reply), None));
        assert_eq!(find(state.path(), "dddd1").unwrap(), None, "it only stands in another record");
        assert_eq!(find(&state.path().join("nowhere"), "aaaa").unwrap(), None);
    }
}
