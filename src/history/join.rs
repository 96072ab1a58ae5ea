//! Joins records: one entry a decision however many hooks saw it, one entry a wait however often it was told, and what
//! a session did. Pure.

use chrono::{DateTime, Utc};
use serde_json::{Map, Value};

use super::Detail;
use super::entry::Entry;
use super::links::{Links, Waits};
use crate::record::Kind;
use crate::wire;

/// A thing that was decided without a person.
#[derive(Debug, Clone)]
pub struct Decided {
    /// The ids of its records, the oldest first; that one names the decision.
    pub ids: Vec<u64>,
    /// What kind of thing: a question, a plan, a permission, an elicitation or a nudge.
    pub kind: Kind,
    /// When its oldest record was made.
    pub at: DateTime<Utc>,
    /// Its records as they were written, where they were asked for.
    lines: Vec<Box<str>>,
    /// Somebody but a person decided.
    decided: bool,
    session: u64,
}

/// A wait that a notification or a let-go turn proves although we acted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stall {
    /// When it was first proved. A dialog has stood open some seconds by then.
    pub at: DateTime<Utc>,
    /// When the session next did something, as far as records show; none: it has not.
    pub moved: Option<DateTime<Utc>>,
    /// What proves it: a `notification_type` of the client's, or `prose`.
    pub what: String,
    /// The session.
    pub session_id: Option<String>,
    /// Its folder.
    pub cwd: Option<String>,
}

/// What went wrong at a call.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Problem {
    /// When.
    pub at: DateTime<Utc>,
    /// One sentence.
    pub what: String,
}

/// Gathers records in the order in which they were written.
#[derive(Debug)]
pub(super) struct Joiner<'d> {
    detail: Detail<'d>,
    pub(super) matters: Vec<Decided>,
    pub(super) stalls: Vec<Stall>,
    /// The records that are no part of a decision, where lines are kept: turns' ends, sessions' starts and ends.
    pub(super) others: Vec<(DateTime<Utc>, Kind, Box<str>)>,
    pub(super) problems: usize,
    pub(super) last_problem: Option<Problem>,
    pub(super) newer: usize,
    links: Links,
    waits: Waits,
}

impl<'d> Joiner<'d> {
    /// Gathers, and keeps of the records what `detail` says.
    pub(super) fn new(detail: Detail<'d>) -> Self {
        Self {
            detail,
            matters: Vec::new(),
            stalls: Vec::new(),
            others: Vec::new(),
            problems: 0,
            last_problem: None,
            newer: 0,
            links: Links::default(),
            waits: Waits::default(),
        }
    }

    fn keeps(&self, session: u64) -> bool {
        match self.detail {
            Detail::Counts => false,
            Detail::Records => true,
            Detail::RecordsOf(sessions) => sessions.contains(&session),
        }
    }

    /// Takes the next record, of which `line` is the text.
    pub(super) fn add(&mut self, entry: &Entry<'_>, line: &str) {
        self.problems += entry.problems.len();
        if let Some(what) = entry.problems.last()
            && self.last_problem.as_ref().is_none_or(|last| last.at <= entry.at)
        {
            self.last_problem = Some(Problem { at: entry.at, what: what.clone().into_owned() });
        }
        self.newer += usize::from(entry.is_newer());
        self.wait(entry);
        if entry.is_matter() {
            self.join(entry, line);
        } else if matches!(entry.kind, Kind::Stop | Kind::Session) && self.keeps(entry.session()) {
            self.others.push((entry.at, entry.kind, line.into()));
        }
    }

    fn join(&mut self, entry: &Entry<'_>, line: &str) {
        let at = self.links.place(entry.matter(), entry.call());
        if at == self.matters.len() {
            self.matters.push(Decided {
                ids: Vec::new(),
                kind: entry.kind,
                at: entry.at,
                lines: Vec::new(),
                decided: false,
                session: entry.session(),
            });
        }
        let keeps = self.keeps(entry.session());
        let Some(decided) = self.matters.get_mut(at) else { return };
        decided.ids.push(entry.id);
        decided.decided |= entry.decides();
        if keeps {
            decided.lines.push(line.into());
        }
    }

    fn wait(&mut self, entry: &Entry<'_>) {
        let step = self.waits.see(entry, self.stalls.len());
        if let Some(ended) = step.ends.and_then(|at| self.stalls.get_mut(at)) {
            ended.moved = Some(entry.at);
        }
        if step.begins {
            let notified = entry.kind == Kind::Notice;
            let what = if notified { entry.notification_type.as_deref().unwrap_or("notification") } else { PROSE };
            self.stall(entry, what);
        }
    }

    fn stall(&mut self, entry: &Entry<'_>, what: &str) {
        let text =
            |value: Option<&serde_json::value::RawValue>| value.and_then(wire::text).map(std::borrow::Cow::into_owned);
        self.stalls.push(Stall {
            at: entry.at,
            moved: None,
            what: what.to_owned(),
            session_id: text(entry.session_id),
            cwd: text(entry.cwd),
        });
    }
}

/// What a turn that was let go is called.
const PROSE: &str = "prose";

impl Decided {
    /// Whether somebody but a person decided it.
    pub(super) fn is_decision(&self) -> bool {
        self.decided && !self.ids.is_empty()
    }

    /// The id by which people name it: that of its oldest record.
    pub fn id(&self) -> u64 {
        self.ids.first().copied().unwrap_or_default()
    }

    /// Its session, as a name for sets.
    pub fn session(&self) -> u64 {
        self.session
    }

    /// Its records as one: each field as the record says that decided, else as the first that has it.
    pub fn record(&self) -> Map<String, Value> {
        let mut all = Map::new();
        let mut weight = 0;
        for record in self.records() {
            let this = weight_of(&record);
            for (name, value) in record {
                if this > weight {
                    all.insert(name, value);
                } else {
                    all.entry(name).or_insert(value);
                }
            }
            weight = weight.max(this);
        }
        all
    }

    /// Its records, each on its own.
    pub fn records(&self) -> impl Iterator<Item = Map<String, Value>> {
        self.lines.iter().filter_map(|line| serde_json::from_str(line).ok())
    }
}

/// How much a record says about what was decided: an answer more than a word to the model, that more than nothing.
fn weight_of(record: &Map<String, Value>) -> u8 {
    match record.get("decision").and_then(|decision| decision.get("action")).and_then(Value::as_str) {
        None | Some("none") => 1,
        Some("context") => 2,
        Some(_) => 3,
    }
}

impl Stall {
    /// How long it is known to have lasted; none where the session has not moved since.
    pub fn waited(&self) -> Option<chrono::Duration> {
        self.moved.map(|moved| moved - self.at)
    }
}
