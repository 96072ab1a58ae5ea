//! The journal: the records on disk, one file a day (UTC). Appends lines; `history` reads them back.

use std::io;
use std::path::{Path, PathBuf};

use chrono::{DateTime, NaiveDate, Utc};

use crate::mask;
use crate::record::Record;
use crate::state;

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

/// Appends a record to the file of its day, without its secrets if `mask` says so.
///
/// # Errors
/// Where it could not be written whole.
pub fn append(state: &Path, record: &Record<'_>, at: DateTime<Utc>, mask: bool) -> io::Result<()> {
    let mut line = serde_json::to_string(record)?;
    if let Some(masked) = Some(&line).filter(|_| mask).and_then(|line| mask::masked(line)) {
        line = masked;
    }
    line.push('\n');
    state::append(&day_file(state, at.date_naive()), line.as_bytes()).map(drop)
}
