//! A session's transcript, as the client writes it: lines of JSON, read for what the model said after something was
//! decided without a person. Tolerant: what is unknown, cut or broken is passed over. Reads files that payloads name, and
//! of those only regular ones, to a limit.

use std::fs;
use std::io::{self, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use chrono::{DateTime, Duration, Utc};

use crate::assumption::{Beat, Said};
use crate::client::Version;
use crate::files;
use crate::hash;
use crate::lines;
use crate::wire::{self, Payload};

/// How much of a transcript is read, in bytes: its end, which is the newest.
const READ_LIMIT: u64 = 512 * 1024 * 1024;
/// How much of one message is kept, in bytes.
const SAID_LIMIT: usize = 16 * 1024;
/// How many other transcripts of the same folder are looked into for a session that went on under another id.
const MOST_OTHERS: usize = 16;
/// How long before a decision its session's words may matter: clocks and writers are not in step.
const LEAD: Duration = Duration::seconds(60);

/// What happened in a session from `since` on. `aside`: what its subagents did, in clients that write it in between.
///
/// # Errors
/// Where the file cannot be read, or is no regular one.
pub fn beats(path: &Path, since: DateTime<Utc>, aside: bool) -> io::Result<Vec<Beat>> {
    // A FIFO or a device in its place is not opened.
    let mut file = files::open(path)?;
    let length = file.metadata()?.len();
    if length > READ_LIMIT {
        file.seek(SeekFrom::Start(length - READ_LIMIT))?;
    }
    read(file, since, aside)
}

/// What happened from `since` on, by the lines of a transcript.
///
/// # Errors
/// As the source gives them.
pub fn read(lines: impl io::Read, since: DateTime<Utc>, aside: bool) -> io::Result<Vec<Beat>> {
    let mut found = Vec::new();
    let from = since.checked_sub_signed(LEAD).unwrap_or(since);
    lines::each(lines, |line| {
        // Most of a long transcript is something else, and need not be taken apart.
        let spoken =
            ["\"assistant\"", "\"user\""].iter().any(|kind| memchr::memmem::find(line, kind.as_bytes()).is_some());
        if let (true, Ok(text)) = (spoken, std::str::from_utf8(line)) {
            read_line(text, from, aside, &mut found);
        }
    })?;
    Ok(found)
}

/// The transcripts that lie beside one and were written to after `since`, the newest first: a session that was resumed
/// may have gone on in one of them.
pub fn others(path: &Path, since: DateTime<Utc>) -> Vec<PathBuf> {
    let entries = path.parent().and_then(|folder| fs::read_dir(folder).ok());
    let mut found: Vec<(SystemTime, PathBuf)> = entries
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path())
        .filter(|other| other != path && other.extension().is_some_and(|end| end == "jsonl"))
        .filter_map(|other| Some((fs::metadata(&other).ok()?.modified().ok()?, other)))
        .filter(|(written, _)| *written >= SystemTime::from(since))
        .collect();
    found.sort();
    found.into_iter().rev().take(MOST_OTHERS).map(|(_, other)| other).collect()
}

/// Where the client writes what a subagent does: beside the session's transcript, in a folder of its name (seen on
/// 2.1.332).
pub fn of_subagent(path: &Path, agent: &str) -> Option<PathBuf> {
    let plain = !agent.is_empty() && agent.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-');
    plain.then(|| path.with_extension("").join("subagents").join(format!("agent-{agent}.jsonl")))
}

/// The client that wrote the end of a transcript.
pub fn version(end: &[u8]) -> Option<Version> {
    let lines = end.rsplit(|byte| *byte == b'\n').filter_map(|line| std::str::from_utf8(line).ok());
    lines.filter_map(|line| Payload::read(line).ok()?.text("version")?.parse().ok()).next()
}

fn read_line(text: &str, from: DateTime<Utc>, aside: bool, found: &mut Vec<Beat>) {
    let Ok(line) = Payload::read(text) else { return };
    let at = line.text("timestamp").and_then(|at| DateTime::parse_from_rfc3339(&at).ok()).map(|at| at.to_utc());
    if at.is_some_and(|at| at < from) || line.flag("isSidechain") != aside {
        return;
    }
    let (Some(kind), Some(message)) = (line.text("type"), line.object("message")) else { return };
    let content = message.raw("content");
    let blocks: Vec<Payload<'_>> =
        content.map(wire::list).unwrap_or_default().into_iter().filter_map(wire::object).collect();
    match kind.as_ref() {
        "assistant" => {
            for block in &blocks {
                let said = match block.text("type").as_deref() {
                    Some("text") => Said::Words(cut(&block.text("text").unwrap_or_default())),
                    Some("tool_use") => Said::Call {
                        id: block.text("id").unwrap_or_default().into_owned(),
                        input: hash::of(block.raw("input").map_or("", |input| input.get()).as_bytes()),
                    },
                    _ => continue,
                };
                found.push(Beat { at, said });
            }
        }
        "user" => {
            let results = blocks.iter().filter(|block| block.text("type").as_deref() == Some("tool_result"));
            let results: Vec<_> = results.filter_map(|block| block.text("tool_use_id")).collect();
            if results.is_empty() && !line.flag("isMeta") && !line.flag("isCompactSummary") {
                found.push(Beat { at, said: Said::Prompt });
            }
            found.extend(results.into_iter().map(|id| Beat { at, said: Said::Result { id: id.into_owned() } }));
        }
        _ => {}
    }
}

fn cut(text: &str) -> String {
    text.get(..text.floor_char_boundary(SAID_LIMIT)).unwrap_or_default().to_owned()
}
