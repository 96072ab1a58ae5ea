//! Puts what is to be decided before a person, and waits for the reply, never longer than was configured or than the
//! client lets the hook run.

mod notify;
mod put;

use std::path::Path;
use std::time::{Duration, Instant};

use chrono::{DateTime, Utc};

use self::notify::notify;
use self::put::{Put, follow, put_up};
use crate::answered::{By, End, Waited};
use crate::decide::Decision;
use crate::event::{Call, Event};
use crate::folder_watch::{FolderWatch, Woken};
use crate::pending::Open;
use crate::policy::Policy;
use crate::question::Question;
use crate::record::Kind;
use crate::request::{self, Reply, Request, Said};
use crate::room;
use crate::switch::Verdict;

/// The timeout that the client gives a hook whose registration does not tell it (`hooks/hooks.json`).
pub(super) const USUAL_TIMEOUT: Duration = Duration::from_secs(30);
/// What a hook needs of its timeout besides the wait.
const MARGIN: Duration = Duration::from_secs(10);
/// How long a reply may be half written.
const HALF_WRITTEN: Duration = Duration::from_secs(1);
/// After how many refused replies the next one is looked at no sooner than a second later.
const MANY_REFUSED: usize = 100;
/// How much memory a wait needs at most, in bytes, beside what the call has: for the request, its masks, and replies.
const ROOM: usize = 12 * 1024 * 1024;
/// How long at most between two looks: an end of the switch that comes by itself, a request that is taken away and another
/// hook that is killed tell nobody.
const LOOK: Duration = Duration::from_secs(1);

/// What is put before a person, and the ground for it.
#[derive(Debug)]
pub(super) struct Asking<'c> {
    pub(super) policy: &'c Policy,
    pub(super) call: &'c Call<'c>,
    pub(super) decision: &'c Decision<'c>,
    pub(super) verdict: Verdict,
    pub(super) state: &'c Path,
    pub(super) now: DateTime<Utc>,
    /// How long a person may take, by the config.
    pub(super) wait: Duration,
    /// How long the client lets this hook run, and since when it does.
    pub(super) timeout: Duration,
    pub(super) started: Instant,
}

/// What came of it.
#[derive(Debug)]
pub(super) struct Heard {
    /// What the person said.
    pub(super) said: Option<Said>,
    /// How the wait went; none where there was none.
    pub(super) waited: Option<Waited>,
    /// The id under which it was asked.
    pub(super) request: Option<String>,
    /// Another hook of ours, by another registration, has asked the same and answers.
    pub(super) answered_elsewhere: bool,
    pub(super) problems: Vec<String>,
}

/// Asks. `registration` is the one by which this hook was called. `acts` says whether we still act; where that ends, so
/// does the wait.
pub(super) fn ask(asking: &Asking<'_>, registration: &str, acts: impl Fn() -> bool) -> Heard {
    let mut heard = Heard { said: None, waited: None, request: None, answered_elsewhere: false, problems: Vec::new() };
    // Where it is refused here, there is still what a denial needs.
    if !room::ask(ROOM) {
        heard.problems.push("it was not put before a person: there is no memory for it".to_owned());
        return heard;
    }
    let limit = limit(asking, &mut heard.problems);
    if limit.is_zero() {
        heard.problems.push("it was not put before a person: there is no time for it".to_owned());
        return heard;
    }
    // Before it is up, as the time that it names: a hook may be stopped at any moment.
    let began = Instant::now();
    let (open, request) = match put_up(asking, registration, limit) {
        Ok(Put::Up(open, request)) => (open, *request),
        Ok(Put::Elsewhere(followed)) => {
            heard.answered_elsewhere = follow(asking, &followed);
            let end = if heard.answered_elsewhere { "" } else { ", and was ended" };
            heard.problems.push(format!("another registration of this hook has put it before a person{end}"));
            return heard;
        }
        Err(error) => {
            heard.problems.push(format!("it was not put before a person: {error}"));
            return heard;
        }
    };
    let notified = notify(asking, &open, &mut heard.problems);
    let end = wait(asking, &open, &request, began + limit, acts, &mut heard);
    let last = open.close();
    let (reply, end) = match end {
        Ended::Reply(reply) => (Some(reply), End::Reply),
        // What was left while the switch was turned off counts. When the time is up nothing does any more, however late a
        // hook that was stopped notices, and where nobody takes an answer none is given.
        Ended::Without(End::Off) => {
            match last.and_then(|bytes| read(&bytes, asking, &request, &mut heard.problems).ok()) {
                Some(reply) => (Some(reply), End::Reply),
                None => (None, End::Off),
            }
        }
        Ended::Without(end) => (None, end),
    };
    heard.problems.extend(notified.and_then(|notified| notified.try_recv().ok()));
    heard.waited = Some(Waited {
        limit_ms: milliseconds(limit),
        cut_from_ms: (limit < asking.wait).then(|| milliseconds(asking.wait)),
        waited_ms: milliseconds(began.elapsed()),
        end,
        by: reply.is_some().then_some(By::Person),
        means: reply.as_ref().map(|reply| reply.means.clone()),
    });
    heard.request = Some(request.id);
    heard.said = reply.map(|reply| reply.said);
    heard
}

/// How long there is. A client that ends the hook before its time would open the dialog.
fn limit(asking: &Asking<'_>, problems: &mut Vec<String>) -> Duration {
    let room = asking.timeout.saturating_sub(MARGIN).saturating_sub(asking.started.elapsed());
    if room < asking.wait {
        let whole = |time: Duration| Duration::from_millis(milliseconds(time));
        let [wait, room, timeout] =
            [asking.wait, room, asking.timeout].map(|time| humantime::format_duration(whole(time)));
        problems.push(format!(
            "the wait of {wait} was cut to {room}: the hook is registered with a timeout of {timeout}; \
             `unattended install` registers it anew"
        ));
    }
    asking.wait.min(room)
}

/// How a wait ended.
#[derive(Debug)]
enum Ended {
    Reply(Reply),
    Without(End),
}

fn wait(
    asking: &Asking<'_>,
    open: &Open,
    request: &Request,
    until: Instant,
    acts: impl Fn() -> bool,
    heard: &mut Heard,
) -> Ended {
    let watch = FolderWatch::on(&[&open.reply_folder(), asking.state]);
    let left = || until.saturating_duration_since(Instant::now());
    let mut half: Option<Instant> = None;
    let mut refused = 0;
    // One that took the place of a refused one while that was taken away.
    let mut next: Option<Vec<u8>> = None;
    // Each pass reads one reply at most, and none when the time is up.
    while !left().is_zero() {
        let there = next.take().or_else(|| open.reply());
        if there.is_none() {
            half = None;
        }
        if let Some(bytes) = there {
            match read(&bytes, asking, request, &mut heard.problems) {
                Ok(reply) => return Ended::Reply(reply),
                Err(Unread::Half) if half.get_or_insert_with(Instant::now).elapsed() < HALF_WRITTEN => {}
                Err(why) => {
                    if let Unread::Half = why {
                        refuse("it is no JSON in a file, or was not written to its end", &mut heard.problems);
                    }
                    half = None;
                    refused += 1;
                    next = open.refuse(&bytes);
                }
            }
        }
        match refused < MANY_REFUSED {
            true if next.is_some() => continue,
            true => {}
            false => std::thread::sleep(left().min(LOOK)),
        }
        let pause = if next.is_some() { Duration::ZERO } else { left().min(LOOK) };
        if watch.wait(pause) == Woken::HungUp {
            return Ended::Without(End::Gone);
        }
        if !acts() {
            return Ended::Without(End::Off);
        }
        if !open.stands() {
            return Ended::Without(End::Gone);
        }
    }
    Ended::Without(End::Time)
}

/// Why bytes are no reply.
enum Unread {
    /// They are no JSON, and may be still being written.
    Half,
    /// They are one that does not count.
    Refused,
}

fn read(bytes: &[u8], asking: &Asking<'_>, request: &Request, problems: &mut Vec<String>) -> Result<Reply, Unread> {
    let mut refuse = |why: String| {
        refuse(&why, problems);
        Unread::Refused
    };
    let reply: Reply = match serde_json::from_slice(bytes) {
        Err(error) if !error.is_data() => return Err(Unread::Half),
        read => read.map_err(|error| refuse(error.to_string()))?,
    };
    if reply.token != request.token {
        return Err(refuse("it has not the request's token".to_owned()));
    }
    let (kind, questions): (Kind, &[Question<'_>]) = match &asking.call.event {
        Event::Question { questions, .. } => (Kind::Question, questions),
        Event::ExitPlan { .. } => (Kind::Plan, &[]),
        _ => (Kind::Permission, &[]),
    };
    request::fits(&reply.said, kind, questions).map_err(refuse)?;
    Ok(reply)
}

/// Notes it; one that is written over and over is told of often enough.
fn refuse(why: &str, problems: &mut Vec<String>) {
    if problems.len() < 8 {
        problems.push(format!("a reply was refused: {why}"));
    }
}

fn milliseconds(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}
