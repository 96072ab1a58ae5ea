//! Leaves a reply, and finds out what became of it: the hook that takes it puts that on record.

use std::io;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use crate::folder_watch::{FolderWatch, Woken};
use crate::outcome::{End, Outcome};
use crate::pending::Left;
use crate::request::{Reply, Request};
use crate::tail::Journal;
use crate::{clock, journal, outcome, pending};

/// How long a hook may take to take a reply.
const PATIENCE: Duration = Duration::from_secs(3);

/// How long the record of what waits no more may take to come.
const RECORDED: Duration = Duration::from_secs(1);

/// What became of a reply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Given {
    /// The hook has read it, and the session goes on with it.
    Taken,
    /// Another one lies there, which the hook has not taken.
    Second,
    /// It came when the time was up, and the hook has not noticed that.
    TimeUp,
    /// The wait was over; how it ended, where that is on record.
    Late(Option<Outcome>),
    /// The hook took it away as none.
    Refused,
    /// It lies there still.
    Waits,
    /// What waited is gone, and no record of it came.
    Unrecorded,
}

/// Leaves a reply to this request, and waits until it is known what became of it.
///
/// # Errors
/// As the system gives them.
pub(super) fn give(state: &Path, request: &Request, reply: &Reply) -> io::Result<Given> {
    let id = request.id.as_str();
    let mut journal = Journal::from_now(state);
    let (pending, records) = (pending::folder(state), journal::folder(state));
    let watch = FolderWatch::on(&[&pending, &records]);
    let place = pending::reply_file(state, id);
    let mut left = pending::leave(state, id, reply)?;
    let mut known = None;
    if left == Left::Late {
        known = outcome::find(state, id)?;
    }
    let until = Instant::now() + PATIENCE;
    loop {
        let gone = !pending::still(state, request);
        let mut recorded = journal.lines().into_iter().filter_map(|line| Outcome::of(&line));
        if let Some(outcome) = known.take().or_else(|| recorded.find(|outcome| outcome.id == id)) {
            let reply = outcome.wait.as_ref().is_some_and(|wait| wait.end == End::Reply);
            return Ok(if reply && left == Left::There { Given::Taken } else { Given::Late(Some(outcome)) });
        }
        // The folder goes first when a wait ends: one that is there without its reply had it taken out.
        if !gone && !pending::is_there(&place) && place.parent().is_some_and(pending::is_there) {
            match left {
                Left::There => return Ok(Given::Refused),
                // The other one did not count: there is room for this one.
                Left::Second => left = pending::leave(state, id, reply)?,
                Left::TimeUp | Left::Late => {}
            }
        }
        let rest = until.saturating_duration_since(Instant::now());
        if rest.is_zero() {
            return Ok(match left {
                Left::There | Left::TimeUp if !gone && request.until <= clock::now() => Given::TimeUp,
                Left::There if gone => Given::Unrecorded,
                Left::There => Given::Waits,
                Left::Second if !gone => Given::Second,
                Left::Second | Left::TimeUp | Left::Late => Given::Late(None),
            });
        }
        pause(&watch, rest);
    }
}

/// What is on record of a request that waits no more, or will be in a moment: a hook records what it has answered.
///
/// # Errors
/// Where the records are there and cannot be read.
pub(super) fn ended(state: &Path, start: &str) -> io::Result<Option<Outcome>> {
    let records = journal::folder(state);
    let watch = FolderWatch::on(&[&records]);
    let mut journal = Journal::from_now(state);
    if let Some(outcome) = outcome::find(state, start)? {
        return Ok(Some(outcome));
    }
    let until = Instant::now() + RECORDED;
    loop {
        let recorded = journal.lines().into_iter().filter_map(|line| Outcome::of(&line));
        let found = recorded.into_iter().find(|outcome| outcome.id.starts_with(start));
        let rest = until.saturating_duration_since(Instant::now());
        if found.is_some() || rest.is_zero() {
            return Ok(found);
        }
        pause(&watch, rest);
    }
}

/// Waits for a change, at most so long. A reader that is gone is no reason to look again and again.
fn pause(watch: &FolderWatch, limit: Duration) {
    if watch.wait(limit) == Woken::HungUp {
        thread::sleep(limit.min(Duration::from_millis(50)));
    }
}
