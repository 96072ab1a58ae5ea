//! Puts a request up, once for all registrations of the hook: whoever comes second follows the first.

use std::io::{self, ErrorKind};
use std::time::{Duration, Instant};

use serde_json::value::RawValue;

use super::{Asking, LOOK, MARGIN};
use crate::answer::Answer;
use crate::decide::Decision;
use crate::event::{Call, Event};
use crate::folder_watch::{FolderWatch, Woken};
use crate::pending::{self, Followed, Open, Standing};
use crate::request::{self, Request};
use crate::{clock, hash, mask, record};

/// How long another hook may take between the two steps of putting a request up.
const PUTTING_UP: Duration = Duration::from_millis(500);

/// What became of a request.
pub(super) enum Put {
    /// It is up.
    Up(Open, Box<Request>),
    /// It is up already, by another registration.
    Elsewhere(Followed),
}

/// Puts the request up, unless another registration of ours has.
pub(super) fn put_up(asking: &Asking<'_>, registration: &str, limit: Duration) -> io::Result<Put> {
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
pub(super) fn follow(asking: &Asking<'_>, followed: &Followed) -> bool {
    let watch = FolderWatch::on(&[&pending::folder(asking.state)]);
    loop {
        let left = asking.timeout.saturating_sub(MARGIN).saturating_sub(asking.started.elapsed());
        match followed.standing() {
            Standing::Closed => return true,
            Standing::Dead => return false,
            Standing::Up if left.is_zero() => return true,
            Standing::Up if watch.wait(left.min(LOOK)) == Woken::HungUp => return true,
            Standing::Up => {}
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
