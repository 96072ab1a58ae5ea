//! How long things are kept: what is older than `[records] keep_days` goes from `records/`, `sessions/` and `pending/`.
//! Never called by the hook. What people said (`reviews.jsonl`, `corrections/`) stays.

use std::fs;
use std::io;
use std::path::Path;
use std::time::{Duration, SystemTime};

use chrono::{DateTime, Days, Utc};

use crate::history::{self, Why};
use crate::policy::Policy;
use crate::{journal, pending};

/// Removes what is too old, and says how many files went. Nothing does where the config could not be read as it was
/// meant: it may say to keep more. Folders among the records, and what links lead to, stay.
///
/// # Errors
/// Where a folder cannot be listed or a file not removed.
pub fn apply(state: &Path, policy: &Policy, now: DateTime<Utc>) -> io::Result<usize> {
    let keep = policy.config.records.keep_days;
    if keep == 0 || !policy.problems.is_empty() {
        return Ok(0);
    }
    let mut gone = 0;
    let Some(first) = now.date_naive().checked_sub_days(Days::new(keep.into())) else { return Ok(0) };
    // A folder of records that cannot be listed is named by who reads it.
    let history::Days { mut files, odd } = history::days(&journal::folder(state)).unwrap_or_default();
    files.extend(odd.into_iter().filter(|(_, odd)| odd.why != Why::Folder).map(|(day, odd)| (day, odd.path)));
    for (_, file) in files.into_iter().filter(|(day, _)| *day < first) {
        gone += remove(&file)?;
    }
    let oldest = SystemTime::from(now).checked_sub(Duration::from_secs(u64::from(keep) * 24 * 60 * 60));
    for folder in ["sessions", "pending"] {
        gone += sweep(&state.join(folder), oldest.unwrap_or(SystemTime::UNIX_EPOCH))?;
    }
    Ok(gone)
}

/// Removes the files of a folder that were last written before `oldest`. Folders in it and links' targets stay, and so
/// does a request that waits: that may be for longer than anything is kept.
fn sweep(folder: &Path, oldest: SystemTime) -> io::Result<usize> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(0),
        listed => listed?,
    };
    let mut gone = 0;
    for entry in entries {
        let entry = entry?;
        // Of the entry itself, not of what a link leads to.
        let there = match entry.metadata() {
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            there => there?,
        };
        if !there.is_dir() && there.modified()? < oldest && !waits(&entry.path()) {
            gone += remove(&entry.path())?;
        }
    }
    Ok(gone)
}

/// Whether it is a request whose hook waits.
fn waits(file: &Path) -> bool {
    let state = file.parent().filter(|folder| folder.ends_with("pending")).and_then(Path::parent);
    let id = file.file_name().and_then(|name| name.to_str()?.strip_suffix(".json"));
    state.zip(id).is_some_and(|(state, id)| pending::find(state, id).is_some())
}

/// Removes a file, if no other process was faster.
fn remove(path: &Path) -> io::Result<usize> {
    match fs::remove_file(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(0),
        removed => removed.map(|()| 1),
    }
}
