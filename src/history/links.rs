//! Which records are of one decision, and which tell of one wait. Everything that joins goes by these two. Pure.

use std::collections::HashMap;

use chrono::{DateTime, Duration, Utc};

use super::entry::Entry;
use crate::record::Kind;

/// Within this time the same end of a turn is one.
const TWICE: Duration = Duration::seconds(5);

/// The decisions met so far, by their places in the order in which they came.
#[derive(Debug, Default)]
pub(super) struct Links {
    by_call: HashMap<u64, usize>,
    by_matter: HashMap<u64, Vec<usize>>,
    calls: Vec<Option<u64>>,
}

impl Links {
    /// The place of the decision that a record belongs to; the next one where it begins a decision. By the call's id
    /// where there is one, else by the matter. PreToolUse and PostToolUse have the id; PermissionRequest of the same call
    /// has none, and is of the call of this matter that came last.
    pub(super) fn place(&mut self, matter: u64, call: Option<u64>) -> usize {
        let alike = self.by_matter.entry(matter).or_default();
        let nameless = |at: &usize| self.calls.get(*at).is_some_and(Option::is_none);
        let known = match call {
            Some(call) => self.by_call.get(&call).copied().or_else(|| alike.iter().rev().copied().find(nameless)),
            None => alike.last().copied(),
        };
        let at = known.unwrap_or(self.calls.len());
        if known.is_none() {
            alike.push(at);
            self.calls.push(None);
        }
        if let Some(call) = call {
            self.by_call.insert(call, at);
            if let Some(named) = self.calls.get_mut(at) {
                *named = named.or(Some(call));
            }
        }
        at
    }

    /// The call of the decision at this place, where one of its records has it.
    pub(super) fn call(&self, at: usize) -> Option<u64> {
        self.calls.get(at).copied().flatten()
    }
}

/// The waits that are open, by session.
#[derive(Debug, Default)]
pub(super) struct Waits(HashMap<u64, Open>);

/// An open wait.
#[derive(Debug, Clone, Copy)]
pub(super) struct Open {
    pub(super) at: DateTime<Utc>,
    /// A turn that was let go; else a notification.
    pub(super) prose: bool,
    /// Which wait it is, by whoever counts them.
    pub(super) place: usize,
}

/// What a record says of the wait of its session.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Step {
    /// The wait that is over.
    pub(super) ends: Option<usize>,
    /// Another one is there.
    pub(super) begins: bool,
}

impl Waits {
    /// A notification tells of the wait that is there; anything else a session does ends it. `next` is the place of a wait
    /// that begins here.
    pub(super) fn see(&mut self, entry: &Entry<'_>, next: usize) -> Step {
        let session = entry.session();
        let open = self.0.get(&session).copied();
        let notified = entry.kind == Kind::Notice;
        let step = match open {
            Some(_) if notified => Step::default(),
            // The plugin beside the settings: one end of a turn, told twice.
            Some(open) if entry.stall && open.prose && entry.at - open.at < TWICE => Step::default(),
            _ => Step { ends: open.map(|open| open.place), begins: entry.stall },
        };
        if step.ends.is_some() {
            self.0.remove(&session);
        }
        if step.begins {
            self.open(session, Open { at: entry.at, prose: !notified, place: next });
        }
        step
    }

    pub(super) fn open(&mut self, session: u64, open: Open) {
        self.0.insert(session, open);
    }

    pub(super) fn all(&self) -> impl Iterator<Item = (u64, Open)> {
        self.0.iter().map(|(session, open)| (*session, *open))
    }
}
