//! The journal: the records on disk, one file a day (UTC). Appends lines and reads them back.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};

use chrono::{DateTime, NaiveDate, Utc};
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::hash;
use crate::mask;
use crate::record::{Kind, Record};
use crate::state;

/// The file for the records of a day, below the state folder.
pub fn day_file(state: &Path, day: NaiveDate) -> PathBuf {
    state.join("records").join(format!("{}.jsonl", day.format("%Y-%m-%d")))
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

/// A record as far as counting needs it. A field that a record lacks, or that is of another version, is absent.
#[derive(Debug, Deserialize)]
#[allow(missing_docs, reason = "the names are the record's")]
pub struct Entry<'a> {
    pub at: DateTime<Utc>,
    pub kind: Kind,
    #[serde(default)]
    pub session_id: Option<String>,
    #[serde(default)]
    pub prompt_id: Option<String>,
    #[serde(default)]
    pub tool_use_id: Option<String>,
    #[serde(default)]
    pub tool: Option<String>,
    #[serde(borrow, default)]
    pub questions: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub tool_input: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub requested_schema: Option<&'a RawValue>,
    #[serde(default)]
    pub mcp_server_name: Option<String>,
    #[serde(default)]
    pub message: Option<String>,
    #[serde(default)]
    pub last_assistant_message: Option<String>,
    #[serde(default)]
    pub nudge: Option<u32>,
    #[serde(default)]
    pub stall: bool,
    #[serde(default)]
    pub plan: Option<EntryPlan>,
    pub decision: EntryDecision,
    #[serde(default)]
    pub problems: Vec<String>,
}

/// A record's plan.
#[derive(Debug, Deserialize)]
#[allow(missing_docs, reason = "the names are the record's")]
pub struct EntryPlan {
    #[serde(default)]
    pub text: Option<String>,
}

/// A record's decision.
#[derive(Debug, Deserialize)]
#[allow(missing_docs, reason = "the names are the record's")]
pub struct EntryDecision {
    pub action: String,
}

/// How many decisions there were of each kind, and what else a person must know of.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Counts {
    /// One entry a decision, however many hooks saw it.
    pub decisions: BTreeMap<Kind, usize>,
    /// Things that waited although we acted.
    pub stalls: usize,
    /// Sentences about what went wrong.
    pub problems: usize,
    /// Lines that could not be read.
    pub unreadable: usize,
}

/// Counts what was recorded from `since` on.
///
/// # Errors
/// Where a file of records is there and cannot be read.
pub fn count(state: &Path, since: DateTime<Utc>, until: DateTime<Utc>) -> io::Result<Counts> {
    let mut counts = Counts::default();
    let mut decisions: BTreeMap<(Kind, u64), BTreeSet<String>> = BTreeMap::new();
    for day in since.date_naive().iter_days().take_while(|day| *day <= until.date_naive()) {
        let file = match fs::File::open(day_file(state, day)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            opened => opened?,
        };
        for line in BufReader::new(file).split(b'\n') {
            let line = line?;
            match serde_json::from_slice::<Entry<'_>>(&line) {
                Ok(entry) if entry.at >= since => entry.count(&mut counts, &mut decisions),
                Ok(_) => {}
                Err(_) if line.trim_ascii().is_empty() => {}
                Err(_) => counts.unreadable += 1,
            }
        }
    }
    for ((kind, _), calls) in decisions {
        *counts.decisions.entry(kind).or_default() += calls.len().max(1);
    }
    Ok(counts)
}

impl Entry<'_> {
    fn count(&self, counts: &mut Counts, decisions: &mut BTreeMap<(Kind, u64), BTreeSet<String>>) {
        counts.stalls += usize::from(self.stall);
        counts.problems += self.problems.len();
        if matches!(self.decision.action.as_str(), "none" | "welcome" | "canned") {
            return;
        }
        let calls = decisions.entry((self.kind, self.matter())).or_default();
        calls.extend(self.tool_use_id.clone());
    }

    /// What the decision is about, whichever hook saw it: session, prompt, tool and input. Several tool calls about the
    /// same are told apart by their ids.
    fn matter(&self) -> u64 {
        let number = self.nudge.map(|nudge| nudge.to_string());
        let parts = [
            self.session_id.as_deref(),
            self.prompt_id.as_deref(),
            self.tool.as_deref(),
            self.questions.or(self.tool_input).or(self.requested_schema).map(RawValue::get),
            self.plan.as_ref().and_then(|plan| plan.text.as_deref()),
            self.mcp_server_name.as_deref(),
            self.message.as_deref().or(self.last_assistant_message.as_deref()),
            number.as_deref(),
        ];
        parts
            .iter()
            .fold(hash::of(b""), |hash, part| hash::more(hash::more(hash, &[0]), part.unwrap_or_default().as_bytes()))
    }
}
