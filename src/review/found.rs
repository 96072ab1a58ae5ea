//! What is found beside the records of decisions: what was assumed, in the session's transcript, and what else happened
//! to sessions.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

use chrono::{DateTime, Utc};
use serde_json::{Map, Value};

use super::item::text;
use super::{Death, Item, Matter, Run};
use crate::assumption::{self, Assumption, Sought};
use crate::history::History;
use crate::record::Kind;
use crate::transcript;

/// An end of a turn, as a record has it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct TurnEnd {
    at: DateTime<Utc>,
    message: String,
}

/// The ends of the turns of each session, the oldest first.
pub(super) type TurnEnds = HashMap<String, Vec<TurnEnd>>;

/// The ends of turns that records have: those that were let go, and those that were sent on.
pub(super) fn turn_ends(history: &History) -> TurnEnds {
    let mut all = TurnEnds::new();
    let mut add = |at: DateTime<Utc>, record: &Map<String, Value>| {
        if let (Some(session), Some(message)) = (text(record, "session_id"), text(record, "last_assistant_message")) {
            all.entry(session).or_default().push(TurnEnd { at, message });
        }
    };
    for (at, _, line) in history.others.iter().filter(|(_, kind, _)| *kind == Kind::Stop) {
        if let Ok(record) = serde_json::from_str(line) {
            add(*at, &record);
        }
    }
    for decided in history.decisions.iter().filter(|decided| decided.kind == Kind::Nudge) {
        add(decided.at, &decided.record());
    }
    all.values_mut().for_each(|ends| ends.sort());
    all
}

/// The turns that the API ended.
pub(super) fn deaths(history: &History) -> impl Iterator<Item = Death> {
    let sessions = history.others.iter().filter(|(_, kind, _)| *kind == Kind::Session);
    sessions.filter_map(|(at, _, line)| {
        let record: Map<String, Value> = serde_json::from_str(line).ok()?;
        (record.get("event")?.as_str()? == "StopFailure").then(|| Death {
            at: *at,
            error: text(&record, "error"),
            message: text(&record, "message"),
            session_id: text(&record, "session_id"),
            cwd: text(&record, "cwd"),
        })
    })
}

/// Finds what was assumed after each decision of a run: in the transcript it was written to, in another one where the
/// session went on under another id, else in the closing message that a record has.
pub(super) fn assumptions(run: &mut Run, ends: &TurnEnds) {
    let mut by_file: BTreeMap<(PathBuf, bool), Vec<usize>> = BTreeMap::new();
    for (at, item) in run.items.iter().enumerate() {
        if let Some(file) = file_of(item) {
            by_file.entry(file).or_default().push(at);
        }
    }
    for ((file, aside), places) in &by_file {
        let wanted: Vec<(usize, Sought)> =
            places.iter().filter_map(|at| Some((*at, sought(run.items.get(*at)?)))).collect();
        let missing = look_into(file, *aside, &wanted, &mut run.items);
        let Some(since) = missing.iter().map(|(_, sought)| sought.at).min() else { continue };
        let mut missing: Vec<_> =
            missing.into_iter().filter(|(_, sought)| sought.call.is_some() && !sought.line_only).collect();
        for other in transcript::others(file, since) {
            if missing.is_empty() {
                break;
            }
            missing = look_into(&other, *aside, &missing, &mut run.items);
        }
    }
    for item in run.items.iter_mut().filter(|item| item.assumption.is_none() && item.kind != Kind::Plan) {
        let ends = item.session_id.as_ref().and_then(|session| ends.get(session));
        let after = ends.into_iter().flatten().find(|end| end.at > item.at);
        if let Some(found) = after.and_then(|end| assumption::closing(&end.message)) {
            item.assume(found);
        }
    }
}

/// Sets what a transcript says was assumed, and gives back the decisions of which it says nothing.
fn look_into(file: &Path, aside: bool, wanted: &[(usize, Sought)], items: &mut [Item]) -> Vec<(usize, Sought)> {
    let Some(since) = wanted.iter().map(|(_, sought)| sought.at).min() else { return Vec::new() };
    let Ok(beats) = transcript::beats(file, since, aside) else { return wanted.to_vec() };
    let sought: Vec<Sought> = wanted.iter().map(|(_, sought)| sought.clone()).collect();
    let found: Vec<Option<Assumption>> = assumption::find(&beats, &sought);
    let mut missing = Vec::new();
    for ((at, sought), found) in wanted.iter().zip(found) {
        match (found, items.get_mut(*at)) {
            (Some(found), Some(item)) => item.assume(found),
            _ => missing.push((*at, sought.clone())),
        }
    }
    missing
}

/// The transcript in which what followed stands, and whether it stands there aside, as a subagent's doings do in one
/// file with the session's own. Newer clients give each subagent a file.
fn file_of(item: &Item) -> Option<(PathBuf, bool)> {
    let path = PathBuf::from(item.transcript_path.as_deref()?);
    let Some(agent) = item.agent_id.as_deref() else { return Some((path, false)) };
    match transcript::of_subagent(&path, agent).filter(|own| own.is_file()) {
        Some(own) => Some((own, true)),
        None => Some((path, true)),
    }
}

/// After a plan only the line that was asked for says that something was assumed: other words are the work.
fn sought(item: &Item) -> Sought {
    let line_only = matches!(item.matter, Matter::Plan { .. });
    Sought { at: item.at, call: item.tool_use_id.clone(), line_only }
}
