//! What people said about decisions: `reviews.jsonl`, and below `corrections/` what the sessions of each project are to
//! be told. Lines, only ever appended to. The hook reads and writes the files below `corrections/` alone, and of those
//! one, to a limit.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::correction::{self, Correction, Delivery, Line};
use crate::history::{self, Decided, Odd};
use crate::project::Project;
use crate::state;

/// The schema version of a line.
pub const VERSION: u32 = 1;
/// How much of a project's corrections a hook reads, in bytes: those at the end, which are the newest.
const DUE_LIMIT: u64 = 256 * 1024;
/// How many bytes of acknowledgements are written at a time.
const PIECE: usize = 32 * 1024;

/// A line of `reviews.jsonl`.
#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "did", rename_all = "lowercase")]
enum Review {
    Ack(Ack),
    Correct(Correction),
}

/// That a person has seen a decision.
#[derive(Debug, Serialize, Deserialize)]
struct Ack {
    v: u32,
    at: DateTime<Utc>,
    id: String,
}

/// All that was said.
#[derive(Debug, Default)]
pub struct Reviews {
    reviewed: HashSet<u64>,
    corrections: HashMap<u64, Vec<Correction>>,
    deliveries: HashMap<String, Vec<Delivery>>,
    /// Lines that could not be read.
    pub unreadable: usize,
    /// What could not be read at all.
    pub odd: Vec<Odd>,
}

impl Reviews {
    /// Reads it all; what cannot be read in it is counted or named, and passed over.
    pub fn read(state: &Path) -> Self {
        let mut all = Self::default();
        let file = file(state);
        let read = history::each_line(&file, |line| match serde_json::from_str(line) {
            Ok(Review::Ack(ack)) => all.reviewed.extend(number(&ack.id)),
            Ok(Review::Correct(correction)) => {
                if let Some(id) = number(&correction.id) {
                    all.reviewed.insert(id);
                    all.corrections.entry(id).or_default().push(correction);
                }
            }
            Err(_) => all.unreadable += 1,
        });
        all.odd.extend(read.err().map(|error| Odd::of(&file, &error)));
        if !all.corrections.is_empty()
            && let Err(error) = all.read_deliveries(state)
        {
            all.odd.push(Odd::of_folder(&folder(state), &error));
        }
        all
    }

    fn read_deliveries(&mut self, state: &Path) -> io::Result<()> {
        let Some(entries) = or_none(fs::read_dir(folder(state)))? else { return Ok(()) };
        for entry in entries {
            let file = entry?.path();
            let read = history::each_line(&file, |line| {
                let Ok(Line::Delivered(delivery)) = serde_json::from_str(line) else { return };
                for correction in &delivery.corrections {
                    self.deliveries.entry(correction.clone()).or_default().push(delivery.clone());
                }
            });
            self.odd.extend(read.err().map(|error| Odd::of(&file, &error)));
        }
        Ok(())
    }

    /// Whether a person has acknowledged or corrected it.
    pub fn is_reviewed(&self, decided: &Decided) -> bool {
        decided.ids.iter().any(|id| self.reviewed.contains(id))
    }

    /// The correction that counts: the last one.
    pub fn correction(&self, decided: &Decided) -> Option<&Correction> {
        decided.ids.iter().filter_map(|id| self.corrections.get(id)).flatten().max_by_key(|said| said.at)
    }

    /// When and to which sessions it was delivered, the first first.
    pub fn deliveries(&self, correction: &Correction) -> &[Delivery] {
        self.deliveries.get(&correction.correction).map_or(&[], Vec::as_slice)
    }
}

/// The decisions that these lines of what people said are about.
pub fn reviewed(lines: &[u8]) -> impl Iterator<Item = u64> {
    lines.split(|byte| *byte == b'\n').filter_map(|line| match serde_json::from_slice(line) {
        Ok(Review::Ack(ack)) => number(&ack.id),
        Ok(Review::Correct(correction)) => number(&correction.id),
        Err(_) => None,
    })
}

/// Notes that a person has seen these decisions.
///
/// # Errors
/// Where it could not be written.
pub fn acknowledge(state: &Path, ids: impl Iterator<Item = u64>, at: DateTime<Utc>) -> io::Result<()> {
    let mut text = Vec::new();
    let mut ids = ids.peekable();
    while let Some(id) = ids.next() {
        serde_json::to_writer(&mut text, &Review::Ack(Ack { v: VERSION, at, id: name(id) }))?;
        text.push(b'\n');
        if text.len() > PIECE || ids.peek().is_none() {
            state::append(&file(state), &text)?;
            text.clear();
        }
    }
    Ok(())
}

/// Notes a correction, and lays it ready for the sessions of its project.
///
/// # Errors
/// Where it could not be written, and into which file.
pub fn correct(state: &Path, correction: &Correction, project: Option<&Project>) -> Result<(), (PathBuf, io::Error)> {
    if let Some(project) = project {
        let file = folder(state).join(project.file_name());
        append(&file, &Line::Correct(correction.clone())).map_err(|error| (file, error))?;
    }
    let file = file(state);
    append(&file, &Review::Correct(correction.clone())).map_err(|error| (file, error))
}

/// The corrections that are due to a session in the folder `cwd`, and the name of the file that they are in. `again`:
/// those that it was given before and has lost.
fn due(state: &Path, cwd: &Path, again: &[&str]) -> io::Result<(String, Vec<Correction>)> {
    let folder = folder(state);
    if !folder.is_dir() {
        return Ok(Default::default());
    }
    let project = Project::of(cwd);
    let Some(bytes) = or_none(state::read_end(&folder.join(project.file_name()), DUE_LIMIT))? else {
        return Ok(Default::default());
    };
    let lines = correction::lines(&String::from_utf8_lossy(&bytes));
    Ok((project.file_name(), correction::due(lines, &project.key(), again)))
}

/// The corrections that are due to a session that starts by `source` in the folder `cwd`, and the name of the file that
/// they are in. `given` says which it was given before.
///
/// # Errors
/// Where there is something that cannot be read.
pub fn due_at_start<'g>(
    state: &Path,
    cwd: &Path,
    source: Option<&str>,
    given: impl FnOnce() -> Vec<&'g str>,
) -> io::Result<(String, Vec<Correction>)> {
    // What a session was told before, it has lost after these.
    let forgot = matches!(source, Some("compact" | "clear"));
    due(state, cwd, &if forgot { given() } else { Vec::new() })
}

/// Notes that a session which was given corrections from this file has reached a Stop.
///
/// # Errors
/// Where it could not be written.
pub fn delivered(state: &Path, file: &str, corrections: &[String], session: &str, at: DateTime<Utc>) -> io::Result<()> {
    // The name comes from the session's memory; it leads nowhere else.
    if file.contains(['/', '\\']) {
        return Err(ErrorKind::InvalidInput.into());
    }
    let (corrections, session_id) = (corrections.to_vec(), session.to_owned());
    append(&folder(state).join(file), &Line::Delivered(Delivery { v: VERSION, at, corrections, session_id }))
}

/// An id as people write it.
pub fn name(id: u64) -> String {
    format!("{id:016x}")
}

fn number(id: &str) -> Option<u64> {
    u64::from_str_radix(id, 16).ok()
}

/// The file of all that people said.
pub fn file(state: &Path) -> PathBuf {
    state.join("reviews.jsonl")
}

/// The folder of what the sessions of each project are to be told.
pub fn folder(state: &Path) -> PathBuf {
    state.join("corrections")
}

fn append(file: &Path, line: &impl Serialize) -> io::Result<()> {
    let mut text = serde_json::to_vec(line)?;
    text.push(b'\n');
    state::append(file, &text).map(drop)
}

fn or_none<T>(done: io::Result<T>) -> io::Result<Option<T>> {
    match done {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        done => done.map(Some),
    }
}
