//! What was decided, read back from the journal: the records of a span of time, joined. One entry a decision however
//! many hooks saw it, one a wait. The one place that joins; `status`, `review`, `export`, `doctor` and `statusline` read
//! through it. Reads records, writes nothing.

mod entry;
mod join;
mod links;
mod tally;

use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use chrono::{DateTime, Duration, NaiveDate, Utc};

use self::entry::Entry;
use self::join::Joiner;
pub use self::join::{Decided, Stall};
pub use self::tally::Tally;
use crate::record::Kind;
use crate::{journal, lines, state};

/// How long before a span reading begins, so that a decision whose records lie on both sides of its beginning is whole.
const LEAD: Duration = Duration::hours(1);

/// What the records of a span say together.
#[derive(Debug, Default)]
pub struct History {
    /// What was decided, the oldest first.
    pub decisions: Vec<Decided>,
    /// What waited although we acted, the oldest first.
    pub stalls: Vec<Stall>,
    /// Turns' ends, and what happened to sessions: records as they were written. Only where they are asked for.
    pub others: Vec<(DateTime<Utc>, Kind, Box<str>)>,
    /// How many sentences about what went wrong there are.
    pub problems: usize,
    /// Lines that could not be read.
    pub unreadable: usize,
}

/// A span of time; a side that is absent is open.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    /// From then on.
    pub since: Option<DateTime<Utc>>,
    /// Before then.
    pub until: Option<DateTime<Utc>>,
}

/// How much of the records is kept.
#[derive(Debug, Clone, Copy)]
pub enum Detail<'d> {
    /// What counting needs.
    Counts,
    /// The records themselves.
    Records,
    /// Those of these sessions, by `Decided::session`.
    RecordsOf(&'d HashSet<u64>),
}

/// Reads and joins what was recorded in a span. A line that cannot be read is counted and passed over.
///
/// # Errors
/// Where the folder or a file of records is there and cannot be read.
pub fn read(state: &Path, span: Span, detail: Detail<'_>) -> io::Result<History> {
    let from = span.since.map(|since| since.checked_sub_signed(LEAD).unwrap_or(since));
    let mut joiner = Joiner::new(detail);
    let mut unreadable = 0;
    for (day, file) in day_files(&journal::folder(state))? {
        let over = |at: Option<DateTime<Utc>>, is: fn(&NaiveDate, &NaiveDate) -> bool| {
            at.is_some_and(|at| is(&day, &at.date_naive()))
        };
        if over(from, NaiveDate::lt) || over(span.until, NaiveDate::gt) {
            continue;
        }
        each_line(&file, |line| match serde_json::from_str::<Entry<'_>>(line) {
            Ok(entry) if from.is_some_and(|from| entry.at < from) => {}
            Ok(entry) if span.until.is_some_and(|until| entry.at >= until) => {}
            Ok(entry) => joiner.add(&entry, line),
            Err(_) => unreadable += 1,
        })?;
    }
    let within = |at: DateTime<Utc>| span.since.is_none_or(|since| at >= since);
    let mut decisions = joiner.matters;
    decisions.retain(|decided| decided.is_decision() && within(decided.at));
    decisions.sort_by_key(|decided| (decided.at, decided.id()));
    let mut stalls = joiner.stalls;
    stalls.retain(|stall| within(stall.at));
    let mut others = joiner.others;
    others.retain(|(at, ..)| within(*at));
    Ok(History { decisions, stalls, others, problems: joiner.problems, unreadable })
}

/// What waited from `since` on although we acted, the oldest first.
///
/// # Errors
/// Where the folder or a file of records is there and cannot be read.
pub fn stalls(state: &Path, since: DateTime<Utc>) -> io::Result<Vec<Stall>> {
    read(state, Span { since: Some(since), until: None }, Detail::Counts).map(|history| history.stalls)
}

impl History {
    /// How many decisions there are of each kind.
    pub fn counts(&self) -> BTreeMap<Kind, usize> {
        let mut counts = BTreeMap::new();
        for decided in &self.decisions {
            *counts.entry(decided.kind).or_default() += 1;
        }
        counts
    }
}

/// The day files in a folder of records, the oldest first. What is named otherwise is none.
///
/// # Errors
/// Where the folder is there and cannot be listed.
pub fn day_files(folder: &Path) -> io::Result<Vec<(NaiveDate, PathBuf)>> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        listed => listed?,
    };
    let mut files = Vec::new();
    for entry in entries {
        let path = entry?.path();
        let day = path.file_name().and_then(|name| name.to_str()).and_then(journal::day_of);
        files.extend(day.map(|day| (day, path)));
    }
    files.sort();
    Ok(files)
}

/// Calls `look` with each line of a file that is no blank one; a file that is gone has none. What is no UTF-8 in it becomes
/// U+FFFD.
///
/// # Errors
/// Where the file cannot be read.
pub fn each_line(file: &Path, mut look: impl FnMut(&str)) -> io::Result<()> {
    match state::open(file) {
        // Another process has cleared it away since the folder was looked at.
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        opened => lines::each(opened?, |line| look(&String::from_utf8_lossy(line))),
    }
}
