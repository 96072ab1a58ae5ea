//! The journal: the records on disk, one file a day (UTC). Appends lines; `history` reads them back.

use std::io;
use std::path::{Path, PathBuf};

use chrono::{DateTime, NaiveDate, Utc};
use serde_json::{Map, Value, json};

use crate::mask;
use crate::record::Record;
use crate::request::Request;
use crate::{clock, room, state};

/// The folder with the records, below the state folder.
pub fn folder(state: &Path) -> PathBuf {
    state.join("records")
}

/// The file for the records of a day, below the state folder.
pub fn day_file(state: &Path, day: NaiveDate) -> PathBuf {
    folder(state).join(format!("{}.jsonl", day.format("%Y-%m-%d")))
}

/// The day whose records a file of this name holds; `None` where it is no name of ours.
pub fn day_of(name: &str) -> Option<NaiveDate> {
    NaiveDate::parse_from_str(name.strip_suffix(".jsonl")?, "%Y-%m-%d").ok()
}

/// A line that grows as far as the system gives memory, and is an error where it gives none.
struct Line(Vec<u8>);

impl io::Write for Line {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.try_reserve(bytes.len() + 1)?;
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Appends a record to the file of its day, without its secrets if `mask` says so.
///
/// # Errors
/// Where it could not be written whole.
pub fn append(state: &Path, record: &Record<'_>, at: DateTime<Utc>, mask: bool) -> io::Result<()> {
    let mut line = Line(Vec::with_capacity(2048));
    serde_json::to_writer(&mut line, record)?;
    let mut line = String::from_utf8(line.0).map_err(io::Error::other)?;
    // What the mask takes grows with the line.
    if mask && line.len() > room::SMALL && !room::ask(4 * line.len()) {
        return Err(io::ErrorKind::OutOfMemory.into());
    }
    if let Some(masked) = Some(&line).filter(|_| mask).and_then(|line| mask::masked(line)) {
        line = masked;
    }
    line.push('\n');
    state::append(&day_file(state, at.date_naive()), line.as_bytes()).map(drop)
}

/// Appends the record of a request whose hook was ended while it waited; it is masked as the request is.
///
/// # Errors
/// As `append`, and where the request holds no record.
pub fn append_ended(state: &Path, request: &Request) -> io::Result<()> {
    let mut record: Map<String, Value> = serde_json::from_str(request.record.get())?;
    let limit = (request.until - request.since).num_milliseconds().max(0);
    let waited = (clock::now() - request.since).num_milliseconds().clamp(0, limit);
    record.insert("wait".to_owned(), json!({"limit_ms": limit, "waited_ms": waited, "end": "gone"}));
    record.insert("problems".to_owned(), json!(["the hook was ended while it waited for a person"]));
    let line = format!("{}\n", serde_json::to_string(&record)?);
    state::append(&day_file(state, request.since.date_naive()), line.as_bytes()).map(drop)
}
