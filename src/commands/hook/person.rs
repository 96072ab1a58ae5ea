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
use crate::pending::{self, Followed, Open, Standing};
use crate::policy::Policy;
use crate::question::Question;
use crate::record::{self, Kind};
use crate::request::{self, Reply, Request, Said};
use crate::switch::Verdict;
use crate::{clock, hash, mask, room};

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
/// How long another hook may take between the two steps of putting a request up.
const PUTTING_UP: Duration = Duration::from_millis(500);
/// How long at most between two looks at another hook's wait: one that is killed tells nobody.
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
    let began = Instant::now();
    let notified = notify(asking, &open, &mut heard.problems);
    let end = wait(asking, &open, &request, began + limit, acts, &mut heard);
    // What was left while the wait ended counts.
    let last = open.close();
    let (reply, end) = match end {
        Ended::Reply(reply) => (Some(reply), End::Reply),
        // To nobody: the client takes no answer any more.
        Ended::Without(End::Gone) => (None, End::Gone),
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
        let whole = |time: Duration| Duration::from_millis(milliseconds(time));
        let [wait, room] = [asking.wait, room].map(|time| humantime::format_duration(whole(time)));
        let timeout = asking.timeout;
        problems.push(format!(
            "the wait of {wait} was cut to {room}: the hook is registered with a timeout of {timeout:?}; \
             `unattended install` registers it anew"
        ));
    }
    asking.wait.min(room)
}

/// What became of a request.
enum Put {
    /// It is up.
    Up(Open, Box<Request>),
    /// It is up already, by another registration.
    Elsewhere(Followed),
}

fn put_up(asking: &Asking<'_>, registration: &str, limit: Duration) -> io::Result<Put> {
    let mut request = Box::new(Request {
        v: request::VERSION,
        id: String::new(),
        token: token()?,
        registration: registration.to_owned(),
        since: asking.now,
        until: clock::now() + limit,
        reply_to: String::new(),
        record: RawValue::from_string("{}".to_owned())?,
    });
    if let Some(id) = id_of_call(asking.call) {
        name(asking, &mut request, id)?;
        let tried = Instant::now();
        loop {
            match pending::open(asking.state, &request) {
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                put => return Ok(Put::Up(put?, request)),
            }
            match pending::follow(asking.state, &request.id) {
                // Two calls that are alike, side by side, by one registration: only their own ids would tell them apart.
                Some((_, up)) if asking.call.ids.tool_use_id.is_none() && up.registration == registration => break,
                Some((followed, _)) => return Ok(Put::Elsewhere(followed)),
                // It is being put up, or what a hook left that is no more.
                None if tried.elapsed() < PUTTING_UP => std::thread::sleep(Duration::from_millis(10)),
                None => break,
            }
        }
    }
    name(asking, &mut request, record::id(asking.call.ids.session_id.as_deref().unwrap_or_default(), clock::now()))?;
    Ok(Put::Up(pending::open(asking.state, &request)?, request))
}

/// The id under which every registration of ours asks about this call: of its own id where it has one, else of what it
/// is about. None where the session is not known.
fn id_of_call(call: &Call<'_>) -> Option<String> {
    let ids = &call.ids;
    let own = ids.tool_use_id.as_deref();
    let (tool, input) = match &call.event {
        Event::Permission { tool, input, .. } | Event::Question { tool, input, .. } => (tool.as_ref(), *input),
        Event::ExitPlan { input, .. } => ("ExitPlanMode", *input),
        _ => return None,
    };
    let about = [ids.prompt_id.as_deref().unwrap_or_default(), tool, input.map_or("", RawValue::get)];
    let parts = [ids.session_id.as_deref()?, own.unwrap_or_default()];
    let about = if own.is_some() { &[][..] } else { &about[..] };
    let all = parts.iter().chain(about);
    let hash = all.fold(hash::of(b""), |hash, part| hash::more(hash::more(hash, part.as_bytes()), b"\0"));
    Some(format!("{hash:016x}"))
}

/// Waits for the end of another hook's wait, as long as this one may: whether that one answers. A silence of ours takes
/// nothing from its answer; a denial would.
fn follow(asking: &Asking<'_>, followed: &Followed) -> bool {
    let watch = FolderWatch::on(&[&pending::folder(asking.state)]);
    loop {
        let left = asking.timeout.saturating_sub(MARGIN).saturating_sub(asking.started.elapsed());
        match followed.standing() {
            Standing::Closed => return true,
            Standing::Dead => return false,
            Standing::Up if left.is_zero() => return true,
            Standing::Up => drop(watch.wait(left.min(LOOK))),
        }
    }
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
        let mut there = open.reply();
        if there.is_none() {
            half = None;
        }
        while let Some(bytes) = there.take() {
            match read(&bytes, asking, request, &mut heard.problems) {
                Ok(reply) => return Ended::Reply(reply),
                Err(Unread::Half) if half.get_or_insert_with(Instant::now).elapsed() < HALF_WRITTEN => {}
                Err(why) => {
                    if let Unread::Half = why {
                        refuse("it is no JSON, or was not written to its end", &mut heard.problems);
                    }
                    half = None;
                    refused += 1;
                    there = open.refuse(&bytes);
                }
            }
        }
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Ended::Without(End::Time);
        }
        if refused >= MANY_REFUSED {
            std::thread::sleep(left.min(LOOK));
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
        refuse(&why, problems);
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

/// Notes it; one that is written over and over is told of often enough.
fn refuse(why: &str, problems: &mut Vec<String>) {
    if problems.len() < 8 {
        problems.push(format!("a reply was refused: {why}"));
    }
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
    let start = move || {
        if let Err(error) = command.spawn() {
            let _ = tell.send(format!("notify.command was not started: {error}"));
        }
    };
    match std::thread::Builder::new().stack_size(256 * 1024).spawn(start) {
        Ok(_) => Some(told),
        Err(error) => {
            problems.push(format!("notify.command was not started: {error}"));
            None
        }
    }
}

fn milliseconds(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}
