//! Joins records: one entry a decision however many hooks saw it, one entry a wait however often it was told, and what
//! a session did. Pure.

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use serde_json::{Map, Value};

use super::Detail;
use super::entry::Entry;
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
    /// The hooks that saw it without a call's id, by their names.
    call: Option<u64>,
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

/// Gathers records in the order in which they were written.
#[derive(Debug)]
pub(super) struct Joiner<'d> {
    detail: Detail<'d>,
    pub(super) matters: Vec<Decided>,
    pub(super) stalls: Vec<Stall>,
    /// The records that are no part of a decision, where lines are kept: turns' ends, sessions' starts and ends.
    pub(super) others: Vec<(DateTime<Utc>, Kind, Box<str>)>,
    pub(super) problems: usize,
    by_call: HashMap<u64, usize>,
    by_matter: HashMap<u64, Vec<usize>>,
    open_stalls: HashMap<u64, usize>,
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
            by_call: HashMap::new(),
            by_matter: HashMap::new(),
            open_stalls: HashMap::new(),
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
        self.wait(entry);
        if entry.is_matter() {
            self.join(entry, line);
        } else if matches!(entry.kind, Kind::Stop | Kind::Session) && self.keeps(entry.session()) {
            self.others.push((entry.at, entry.kind, line.into()));
        }
    }

    /// By the call's id where there is one, else by the matter. PreToolUse and PostToolUse have the id; PermissionRequest
    /// of the same call has none, and is of the call of this matter that came last.
    fn join(&mut self, entry: &Entry<'_>, line: &str) {
        let matter = entry.matter();
        let call = entry.call();
        let keeps = self.keeps(entry.session());
        let alike = self.by_matter.entry(matter).or_default();
        let last = |fits: &dyn Fn(&Decided) -> bool, all: &[Decided]| {
            alike.iter().rev().copied().find(|at| all.get(*at).is_some_and(fits))
        };
        let known = match call {
            Some(call) => {
                self.by_call.get(&call).copied().or_else(|| last(&|decided| decided.call.is_none(), &self.matters))
            }
            None => last(&|_| true, &self.matters),
        };
        let at = known.unwrap_or(self.matters.len());
        if known.is_none() {
            alike.push(at);
            self.matters.push(Decided {
                ids: Vec::new(),
                kind: entry.kind,
                at: entry.at,
                lines: Vec::new(),
                decided: false,
                session: entry.session(),
                call: None,
            });
        }
        let Some(decided) = self.matters.get_mut(at) else { return };
        decided.ids.push(entry.id);
        decided.decided |= entry.decides();
        decided.call = decided.call.or(call);
        if let Some(call) = call {
            self.by_call.insert(call, at);
        }
        if keeps {
            decided.lines.push(line.into());
        }
    }

    /// A notification tells of the wait that is there; anything else a session does ends it.
    fn wait(&mut self, entry: &Entry<'_>) {
        let session = entry.session();
        let open = self.open_stalls.get(&session).and_then(|at| self.stalls.get_mut(*at));
        if entry.kind == Kind::Notice {
            if entry.stall && open.is_none() {
                self.stall(entry, entry.notification_type.as_deref().unwrap_or("notification"));
            }
            return;
        }
        // The plugin beside the settings: one end of a turn, told twice.
        let again = |open: &Stall| entry.stall && open.what == PROSE && entry.at - open.at < TWICE;
        if let Some(open) = open {
            if again(open) {
                return;
            }
            open.moved = Some(entry.at);
            self.open_stalls.remove(&session);
        }
        if entry.stall {
            self.stall(entry, PROSE);
        }
    }

    fn stall(&mut self, entry: &Entry<'_>, what: &str) {
        let text =
            |value: Option<&serde_json::value::RawValue>| value.and_then(wire::text).map(std::borrow::Cow::into_owned);
        let session = entry.session();
        self.open_stalls.insert(session, self.stalls.len());
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
/// Within this time the same end of a turn is one.
const TWICE: chrono::Duration = chrono::Duration::seconds(5);

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
