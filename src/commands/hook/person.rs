//! Puts what is to be decided before a person, and waits for the reply, never longer than was configured or than the
//! client lets the hook run.

use std::io::{self, ErrorKind};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use chrono::{DateTime, Utc};
use serde_json::value::RawValue;

use crate::answer::Answer;
use crate::answered::{By, End, Waited};
use crate::decide::Decision;
use crate::event::{Call, Event};
use crate::folder_watch::{FolderWatch, Woken};
use crate::pending::{self, Open};
use crate::policy::Policy;
use crate::question::Question;
use crate::record::{self, Kind};
use crate::request::{self, Reply, Request, Said};
use crate::switch::Verdict;
use crate::{clock, hash, mask};

/// The timeout that the client gives a hook whose registration does not tell it (`hooks/hooks.json`).
pub(super) const USUAL_TIMEOUT: Duration = Duration::from_secs(30);
/// What a hook needs of its timeout besides the wait.
const MARGIN: Duration = Duration::from_secs(10);
/// How long a reply may be half written.
const HALF_WRITTEN: Duration = Duration::from_secs(1);
/// How many replies are refused before nobody is asked any more.
const MOST_REFUSED: usize = 100;

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
    /// Another hook of ours, by another registration, asks the same.
    pub(super) asked_elsewhere: bool,
    pub(super) problems: Vec<String>,
}

/// Asks. `acts` says whether we still act; where that ends, so does the wait.
pub(super) fn ask(asking: &Asking<'_>, acts: impl Fn() -> bool) -> Heard {
    let mut heard = Heard { said: None, waited: None, request: None, asked_elsewhere: false, problems: Vec::new() };
    let limit = limit(asking, &mut heard.problems);
    let (open, request) = match put_up(asking, limit) {
        Ok(put) => put,
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            heard.asked_elsewhere = true;
            heard.problems.push("another registration of this hook has put it before a person".to_owned());
            return heard;
        }
        Err(error) => {
            heard.problems.push(format!("it was not put before a person: {error}"));
            return heard;
        }
    };
    let began = Instant::now();
    let notified = notify(asking, &open, &mut heard.problems);
    let end = wait(asking, &open, &request, began + limit, acts, &mut heard);
    // What was left while the wait ended counts.
    let last = open.close();
    let (reply, end) = match end {
        Ended::Reply(reply) => (Some(reply), End::Reply),
        Ended::Without(end) => match last.and_then(|bytes| read(&bytes, asking, &request, &mut heard.problems).ok()) {
            Some(reply) => (Some(reply), End::Reply),
            None => (None, end),
        },
    };
    heard.problems.extend(notified.and_then(|notified| notified.try_recv().ok()));
    heard.waited = Some(Waited {
        limit_ms: milliseconds(limit),
        cut_from_ms: (limit < asking.wait).then(|| milliseconds(asking.wait)),
        waited_ms: milliseconds(began.elapsed()),
        end,
        by: reply.is_some().then_some(By::Person),
        means: reply.as_ref().map(|reply| reply.means.chars().take(100).collect()),
    });
    heard.request = Some(request.id);
    heard.said = reply.map(|reply| reply.said);
    heard
}

/// How long there is. A client that ends the hook before its time would open the dialog.
fn limit(asking: &Asking<'_>, problems: &mut Vec<String>) -> Duration {
    let room = asking.timeout.saturating_sub(MARGIN).saturating_sub(asking.started.elapsed());
    if room < asking.wait {
        let [wait, room] =
            [asking.wait, room].map(|time| humantime::format_duration(Duration::from_secs(time.as_secs())));
        let timeout = asking.timeout;
        problems.push(format!(
            "the wait of {wait} was cut to {room}: the hook is registered with a timeout of {timeout:?}; \
             `unattended install` registers it anew"
        ));
    }
    asking.wait.min(room)
}

fn put_up(asking: &Asking<'_>, limit: Duration) -> io::Result<(Open, Request)> {
    let mut request = Request {
        v: request::VERSION,
        id: String::new(),
        token: token()?,
        since: asking.now,
        until: clock::now() + limit,
        reply_to: String::new(),
        record: RawValue::from_string("{}".to_owned())?,
    };
    // A call that has an id is asked about once, whatever registrations there are.
    let ids = &asking.call.ids;
    let of_call = ids.tool_use_id.as_deref().map(|call| {
        let hash = hash::more(hash::of(ids.session_id.as_deref().unwrap_or_default().as_bytes()), b"\0");
        format!("{:016x}", hash::more(hash, call.as_bytes()))
    });
    let anew = || record::id(ids.session_id.as_deref().unwrap_or_default(), clock::now());
    if let Some(id) = of_call {
        name(asking, &mut request, id)?;
        match pending::open(asking.state, &request) {
            // What a hook left that is no more asks nobody.
            Err(error)
                if error.kind() == ErrorKind::AlreadyExists && pending::find(asking.state, &request.id).is_none() => {}
            put => return Ok((put?, request)),
        }
    }
    name(asking, &mut request, anew())?;
    Ok((pending::open(asking.state, &request)?, request))
}

/// Gives a request its id, and what depends on it.
fn name(asking: &Asking<'_>, request: &mut Request, id: String) -> io::Result<()> {
    let mut findings = asking.decision.findings.clone();
    findings.request = Some(id.clone());
    let undecided = Decision { answer: Answer::Nothing, remember: Vec::new(), findings };
    let attendance = asking.policy.surroundings.attendance();
    let Some(record) = record::of(asking.call, &undecided, asking.verdict, attendance, &[], asking.now) else {
        return Err(io::Error::other("there is no record of it"));
    };
    let mut line = serde_json::to_string(&record)?;
    if let Some(masked) = Some(&line).filter(|_| asking.policy.config.records.mask).and_then(|line| mask::masked(line))
    {
        line = masked;
    }
    request.record = RawValue::from_string(line)?;
    let reply_to = std::path::absolute(pending::reply_file(asking.state, &id))?;
    request.reply_to = reply_to.to_str().ok_or(io::Error::other("the state folder's path is no UTF-8"))?.to_owned();
    request.id = id;
    Ok(())
}

/// 128 bits that nobody can guess.
fn token() -> io::Result<String> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(io::Error::other)?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
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
    let mut half: Option<Instant> = None;
    let mut refused = 0;
    loop {
        if let Some(bytes) = open.reply() {
            match read(&bytes, asking, request, &mut heard.problems) {
                Ok(reply) => return Ended::Reply(reply),
                Err(Unread::Half) if half.get_or_insert_with(Instant::now).elapsed() < HALF_WRITTEN => {}
                Err(_) => {
                    open.refuse();
                    half = None;
                    refused += 1;
                }
            }
        }
        if refused >= MOST_REFUSED {
            return Ended::Without(End::Time);
        }
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Ended::Without(End::Time);
        }
        let next = if half.is_some() { left.min(HALF_WRITTEN) } else { left };
        if watch.wait(next) == Woken::HungUp {
            return Ended::Without(End::Gone);
        }
        if !acts() {
            return Ended::Without(End::Off);
        }
    }
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
        // One that is written over and over is told of often enough.
        if problems.len() < 8 {
            problems.push(format!("a reply was refused: {why}"));
        }
        Unread::Refused
    };
    let reply: Reply = match serde_json::from_slice(bytes) {
        Err(error) if !error.is_data() => return Err(Unread::Half),
        read => read.map_err(|error| refuse(error.to_string()))?,
    };
    if reply.v != request::VERSION {
        return Err(refuse(format!("it is of version {}", reply.v)));
    }
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

/// Starts the person's own program with the request on its standard input. It may take its time to start, so that is
/// not waited for either; what went wrong can be asked for later.
fn notify(asking: &Asking<'_>, open: &Open, problems: &mut Vec<String>) -> Option<Receiver<String>> {
    let (program, arguments) = asking.policy.config.notify.command.split_first()?;
    let path = Path::new(program);
    // From the folder of the session a path would lead to what its repository has there.
    if path.components().count() > 1 && !path.is_absolute() {
        problems.push(format!("notify.command was not started: \"{program}\" is neither a name nor an absolute path"));
        return None;
    }
    let request = match open.stream() {
        Ok(request) => request,
        Err(error) => {
            problems.push(format!("notify.command was not started: {error}"));
            return None;
        }
    };
    let mut command = Command::new(program);
    command.args(arguments).current_dir(asking.state).stdin(request).stdout(Stdio::null()).stderr(Stdio::null());
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    let (tell, told) = channel();
    std::thread::spawn(move || {
        if let Err(error) = command.spawn() {
            let _ = tell.send(format!("notify.command was not started: {error}"));
        }
    });
    Some(told)
}

fn milliseconds(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}
