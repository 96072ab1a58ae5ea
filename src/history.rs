//! What was decided, read back from the journal: the records of a span of time, joined. One entry a decision however
//! many hooks saw it, one a wait. The one place that joins; `status`, `review`, `export`, `doctor` and `statusline` read
//! through it. Reads records, writes nothing.

mod entry;
mod join;
mod links;
mod odd;
mod tally;

use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use chrono::{DateTime, Duration, NaiveDate, Utc};

use self::entry::Entry;
use self::join::Joiner;
pub use self::join::{Decided, Problem, Stall};
pub use self::odd::{Odd, Why, all as all_odd};
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
    /// The newest of them.
    pub last_problem: Option<Problem>,
    /// Lines that could not be read.
    pub unreadable: usize,
    /// Records of a newer version than this program knows.
    pub newer: usize,
    /// What of the span could not be read at all.
    pub odd: Vec<Odd>,
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

/// Reads and joins what was recorded in a span. A line that cannot be read is counted and passed over; an entry of the
/// folder that cannot be read is named and passed over.
///
/// # Errors
/// Where the folder is there and cannot be listed.
pub fn read(state: &Path, span: Span, detail: Detail<'_>) -> io::Result<History> {
    let from = span.since.map(|since| since.checked_sub_signed(LEAD).unwrap_or(since));
    let mut joiner = Joiner::new(detail);
    let mut unreadable = 0;
    let Days { files, odd } = days(&journal::folder(state))?;
    let outside = |day: &NaiveDate, from: Option<DateTime<Utc>>| {
        from.is_some_and(|from| *day < from.date_naive()) || span.until.is_some_and(|until| *day > until.date_naive())
    };
    let mut odd: Vec<Odd> = odd.into_iter().filter(|(day, _)| !outside(day, span.since)).map(|(_, odd)| odd).collect();
    for (day, file) in files {
        if outside(&day, from) {
            continue;
        }
        let read = each_line(&file, |line| match serde_json::from_str::<Entry<'_>>(line) {
            Ok(entry) if from.is_some_and(|from| entry.at < from) => {}
            Ok(entry) if span.until.is_some_and(|until| entry.at >= until) => {}
            Ok(entry) => joiner.add(&entry, line),
            Err(_) => unreadable += 1,
        });
        odd.extend(read.err().map(|error| Odd::of(&file, &error)));
    }
    odd.sort();
    let within = |at: DateTime<Utc>| span.since.is_none_or(|since| at >= since);
    let mut decisions = joiner.matters;
    decisions.retain(|decided| decided.is_decision() && within(decided.at));
    decisions.sort_by_key(|decided| (decided.at, decided.id()));
    let mut stalls = joiner.stalls;
    stalls.retain(|stall| within(stall.at));
    let mut others = joiner.others;
    others.retain(|(at, ..)| within(*at));
    let Joiner { problems, last_problem, newer, .. } = joiner;
    Ok(History { decisions, stalls, others, problems, last_problem, unreadable, newer, odd })
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

/// What a folder of records holds, the oldest first. What has no name of a day is neither.
#[derive(Debug, Default)]
pub struct Days {
    /// The files of days.
    pub files: Vec<(NaiveDate, PathBuf)>,
    /// What has the name of one and is none.
    pub odd: Vec<(NaiveDate, Odd)>,
}

/// What a folder of records holds. A folder that is not there holds nothing.
///
/// # Errors
/// Where the folder is there and cannot be listed.
pub fn days(folder: &Path) -> io::Result<Days> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Days::default()),
        listed => listed?,
    };
    let mut days = Days::default();
    for entry in entries {
        let entry = entry?;
        let Some(day) = entry.file_name().to_str().and_then(journal::day_of) else { continue };
        match entry.file_type().ok().and_then(Why::of_type) {
            Some(why) => days.odd.push((day, Odd { path: entry.path(), why })),
            None => days.files.push((day, entry.path())),
        }
    }
    days.files.sort();
    days.odd.sort();
    Ok(days)
}

/// The files of days in a folder of records, the oldest first.
///
/// # Errors
/// Where the folder is there and cannot be listed.
pub fn day_files(folder: &Path) -> io::Result<Vec<(NaiveDate, PathBuf)>> {
    days(folder).map(|days| days.files)
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
        opened => {
            let file = opened?;
            // A FIFO would be as good as empty.
            if !file.metadata()?.is_file() {
                return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file"));
            }
            lines::each(file, |line| look(&String::from_utf8_lossy(line)))
        }
    }
}
