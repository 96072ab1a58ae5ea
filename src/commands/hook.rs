//! `unattended hook`: one payload in, at most one answer out, exit 0. The answer goes out before anything is recorded,
//! and no fault of disk, config, clock or input delays or changes it.

mod person;

use std::cell::Cell;
use std::io::{IoSlice, Write};
use std::panic;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use chrono::{DateTime, SubsecRound, Utc};

use crate::answered::{self, End};
use crate::client::Version;
use crate::correction::Correction;
use crate::decide::{Decision, Ground, decide};
use crate::event::{self, Call, Event};
use crate::input::{self, Input, SILENCE_LIMIT};
use crate::memory::{Memory, Note};
use crate::policy::Policy;
use crate::store::Store;
use crate::switch::Verdict;
use crate::wire::{Payload, glimpse};
use crate::{clock, hash, journal, paths, pending, record, reply, reviews, standing, state, streams, transcript};

/// The answer for the case that something here breaks, and whether an answer was given already.
static CANNED: Mutex<&str> = Mutex::new("");
static ANSWERED: AtomicBool = AtomicBool::new(false);

/// Answers one payload from standard input. `registered_for` is what the registration says it is for, `EVENT` or
/// `EVENT:TOOL`; it counts where the payload does not say. `timeout`: after how many seconds the client ends the hook,
/// where the registration says so.
pub fn run(registered_for: Option<&str>, timeout: Option<u64>) {
    let started = Instant::now();
    let policy = Policy::load();
    let standing = shield(&policy, registered_for);
    let input = input::read();
    let time = Time { started, timeout: timeout.map_or(person::USUAL_TIMEOUT, Duration::from_secs) };
    answer(&policy, &input, standing, split(registered_for), time);
}

/// What time this call has.
#[derive(Debug, Clone, Copy)]
struct Time {
    started: Instant,
    timeout: Duration,
}

/// From here on a panic gives the canned answer for what the hook is registered for, and exit 0; that works where a
/// panic aborts, too. Gives whether we act, as far as that can be told without the session.
pub fn shield(policy: &Policy, registered_for: Option<&str>) -> Verdict {
    panic::set_hook(Box::new(|_| {
        if !ANSWERED.swap(true, Ordering::SeqCst) {
            let canned = CANNED.try_lock().map_or("", |canned| *canned);
            let _ = streams::write(&mut [IoSlice::new(canned.as_bytes())], SILENCE_LIMIT);
        }
        std::process::exit(0);
    }));
    let standing = resolve(policy, clock::now(), None);
    let (event, tool) = split(registered_for);
    arm(standing, event, tool, policy);
    standing
}

fn answer(policy: &Policy, input: &Input, standing: Verdict, registered: (&str, Option<&str>), time: Time) {
    let payload = match (&input.problem, input::text(&input.bytes)) {
        (Some(problem), _) => Err(problem.clone()),
        (None, None) => Err("the payload is no UTF-8".to_owned()),
        (None, Some(text)) => Payload::read(text).map_err(|error| format!("the payload is no JSON: {error}")),
    };
    let payload = payload.map(|payload| (event::read(&payload), payload));
    match payload {
        Ok((call, payload)) if says_what_it_is(&call, &payload, registered) => answer_call(policy, &call, time),
        Ok(_) => {
            answer_unread(policy, standing, input, registered, "the payload does not name its event or tool".into())
        }
        Err(problem) => answer_unread(policy, standing, input, registered, problem),
    }
}

/// Whether a payload names its event, and its tool where the hook is registered for one. A name that is none of those known
/// here is one only where the hook is registered for it.
fn says_what_it_is(call: &Call<'_>, payload: &Payload<'_>, (event, tool): (&str, Option<&str>)) -> bool {
    let named = call.ids.hook_event_name.as_deref();
    let known = event.is_empty() || named == Some(event) || !matches!(call.event, Event::Other);
    known && (tool.is_none() || payload.text("tool_name").is_some())
}

/// The whole way of a call that could be read.
fn answer_call(policy: &Policy, call: &Call<'_>, time: Time) {
    let now = clock::now();
    let mut problems = policy.problems.clone();
    let state = paths::state_folder();
    let store = state.as_deref().zip(call.ids.session_id.as_deref()).map(|(state, id)| Store::of(state, id));
    let memory = match store.as_ref().map(|store| store.load(&lane())) {
        Some(Ok(memory)) => memory,
        Some(Err(error)) => {
            problems.push(format!("the session's memory counts as empty: {error}"));
            Memory::unreadable()
        }
        None => Memory::default(),
    };
    let mut verdict = resolve(policy, now, Some(&memory));
    arm(verdict, call.ids.hook_event_name.as_deref().unwrap_or_default(), tool_of(&call.event), policy);
    let (line, (file, corrections)) = match call.event {
        Event::SessionStart { .. } => {
            (standing::start_line(policy, verdict, now), due(state.as_deref(), call, &memory, &mut problems))
        }
        _ => Default::default(),
    };
    let corrections = (file.as_str(), corrections.as_slice());
    let waits = waits_elsewhere(policy, call, state.as_deref());
    let ground =
        Ground { acts: verdict.acts, config: &policy.config, memory: &memory, waits, line: &line, corrections };
    let mut decision = decide(call, ground);
    if let (Some(wait), Some(state)) = (answered::wait(call, &decision, &policy.config), state.as_deref()) {
        (decision, verdict) = ask(policy, call, ground, decision, verdict, state, (wait, time, now), &mut problems);
    }
    let given = give(&mut reply::of(&decision.answer).parts(), &mut problems);
    if let Some(waited) = decision.findings.waited.as_mut().filter(|_| !given) {
        waited.end = End::Gone;
    }
    keep(policy, call, &decision, verdict, store.as_ref().zip(Some(&memory)), state, problems, now);
}

/// Asks a person first. What is decided then: by that person's word, as it was without one, or nothing, where the switch
/// was turned off in the meantime.
#[inline(never)]
#[allow(clippy::too_many_arguments, reason = "a part of the one way through, not a function for others")]
fn ask<'a>(
    policy: &Policy,
    call: &Call<'a>,
    ground: Ground<'_>,
    decision: Decision<'a>,
    verdict: Verdict,
    state: &Path,
    (wait, time, now): (Duration, Time, DateTime<Utc>),
    problems: &mut Vec<String>,
) -> (Decision<'a>, Verdict) {
    let Time { started, timeout } = time;
    let asking = person::Asking { policy, call, decision: &decision, verdict, state, now, wait, timeout, started };
    // The one that ended the wait counts, whatever was said since.
    let last = Cell::new(verdict);
    let acts = || {
        last.set(resolve(&Policy::load(), clock::now(), Some(ground.memory)));
        last.get().acts
    };
    let heard = person::ask(&asking, &lane(), acts);
    problems.extend(heard.problems);
    let ended = heard.waited.as_ref().map(|waited| waited.end);
    let (mut decision, verdict) = match &heard.said {
        _ if heard.answered_elsewhere => (Decision::default(), verdict),
        Some(said) => (answered::decide(call, decision, said, client_takes_answers(policy, call)), verdict),
        None if ended == Some(End::Off) => (decide(call, Ground { acts: false, ..ground }), last.get()),
        None => (decision, verdict),
    };
    decision.findings.waited = heard.waited;
    decision.findings.request = heard.request;
    (decision, verdict)
}

/// Whether the client takes answers to a question from a hook: from 2.1.90 on (FACTS.md, Questions 5). The payload does
/// not say which client it is; its transcript does, and what a newer one has set in the environment.
fn client_takes_answers(policy: &Policy, call: &Call<'_>) -> bool {
    const END: u64 = 256 * 1024;
    let transcript = call.ids.transcript_path.as_deref();
    let end = transcript.and_then(|path| state::read_end(Path::new(path), END).ok()).unwrap_or_default();
    transcript::version(&end).map_or(policy.surroundings.attended.is_some(), Version::takes_answers)
}

/// Whether a hook of this session waits for a person; asked only where a notification may tell of that wait.
fn waits_elsewhere(policy: &Policy, call: &Call<'_>, state: Option<&Path>) -> bool {
    let config = &policy.config;
    let waits = [config.questions.wait, config.plans.wait, config.permissions.wait].iter().any(|wait| !wait.is_zero());
    match (&call.event, state, call.ids.session_id.as_deref()) {
        (Event::Notification { .. }, Some(state), Some(session)) if waits => pending::waits(state, session),
        _ => false,
    }
}

/// What follows the answer: memory first, since the next hook reads it, then the record.
#[allow(clippy::too_many_arguments, reason = "the end of the one way through, not a function for others")]
fn keep(
    policy: &Policy,
    call: &Call<'_>,
    decision: &Decision<'_>,
    verdict: Verdict,
    memory: Option<(&Store, &Memory)>,
    state: Option<PathBuf>,
    mut problems: Vec<String>,
    now: DateTime<Utc>,
) {
    if let Some((store, memory)) = memory.filter(|_| !decision.remember.is_empty())
        && let Err(error) = store.add(memory, &decision.remember, now)
    {
        problems.push(format!("the session's memory was not written: {error}"));
    }
    if matches!(call.event, Event::Stop { .. }) {
        deliver(state.as_deref(), call, &decision.remember, &mut problems, now);
    }
    if !verdict.acts && !policy.config.records.while_off && decision.findings.waited.is_none() {
        return;
    }
    let attendance = policy.surroundings.attendance();
    if let Some(record) = record::of(call, decision, verdict, attendance, &problems, now) {
        append(policy, state, &record, now);
    }
}

/// The corrections that a session which starts is given, and the file that they are in.
#[inline(never)]
fn due(
    state: Option<&Path>,
    call: &Call<'_>,
    memory: &Memory,
    problems: &mut Vec<String>,
) -> (String, Vec<Correction>) {
    let (Some(state), Some(cwd), Event::SessionStart { source, .. }) = (state, call.ids.cwd.as_deref(), &call.event)
    else {
        return Default::default();
    };
    reviews::due_at_start(state, Path::new(cwd), source.as_deref(), || memory.given()).unwrap_or_else(|error| {
        problems.push(format!("corrections were not given: {error}"));
        Default::default()
    })
}

/// A session that was given corrections has reached a Stop: they are delivered.
fn deliver(state: Option<&Path>, call: &Call<'_>, notes: &[Note], problems: &mut Vec<String>, now: DateTime<Utc>) {
    for note in notes {
        if let (Note::Delivered { file, corrections }, Some(state)) = (note, state) {
            let session = call.ids.session_id.as_deref().unwrap_or_default();
            if let Err(error) = reviews::delivered(state, file, corrections, session, now.trunc_subsecs(3)) {
                problems.push(format!("the corrections' delivery was not noted: {error}"));
            }
        }
    }
}

/// A call that could not be read: the canned answer for what is known of it, and a record of its beginning.
fn answer_unread(
    policy: &Policy,
    standing: Verdict,
    input: &Input,
    (event, tool): (&str, Option<&str>),
    problem: String,
) {
    // What is seen in a broken payload may be another's name; what the hook is registered for is its own.
    let (seen_event, seen_tool) = glimpse(&input.bytes);
    let event = if event.is_empty() { seen_event.unwrap_or_default() } else { event };
    let tool = tool.or(seen_tool);
    let answer = if standing.acts { reply::canned(event, tool, &policy.config) } else { "" };
    let mut problems = policy.problems.clone();
    problems.push(problem);
    give(&mut [IoSlice::new(answer.as_bytes())], &mut problems);
    if standing.acts || policy.config.records.while_off {
        let now = clock::now();
        let event = Some(event).filter(|event| !event.is_empty());
        let record = record::of_problem(&input.bytes, event, answer, standing, &problems, now);
        append(policy, paths::state_folder(), &record, now);
    }
}

fn append(policy: &Policy, state: Option<PathBuf>, record: &record::Record<'_>, now: DateTime<Utc>) {
    let Some(state) = state else { return };
    if let Err(error) = journal::append(&state, record, now, policy.config.records.mask) {
        let _ = writeln!(std::io::stderr(), "unattended: the record was not written: {error}");
    }
}

fn resolve(policy: &Policy, now: DateTime<Utc>, memory: Option<&Memory>) -> Verdict {
    policy.verdict(now, || memory?.there_since())
}

/// Lays the canned answer ready.
fn arm(verdict: Verdict, event: &str, tool: Option<&str>, policy: &Policy) {
    if let Ok(mut canned) = CANNED.lock() {
        *canned = if verdict.acts { reply::canned(event, tool, &policy.config) } else { "" };
    }
}

/// Whether it could be written.
fn give(answer: &mut [IoSlice<'_>], problems: &mut Vec<String>) -> bool {
    ANSWERED.store(true, Ordering::SeqCst);
    let written = streams::write(answer, SILENCE_LIMIT);
    if let Err(error) = &written {
        problems.push(format!("the answer was not written: {error}"));
    }
    written.is_ok()
}

fn tool_of<'c>(event: &'c Event<'_>) -> Option<&'c str> {
    match event {
        Event::Question { tool, .. } | Event::Permission { tool, .. } => Some(tool),
        Event::ExitPlan { .. } => Some("ExitPlanMode"),
        _ => None,
    }
}

pub(super) fn split(registered_for: Option<&str>) -> (&str, Option<&str>) {
    match registered_for.unwrap_or_default().split_once(':') {
        Some((event, tool)) => (event, Some(tool)),
        None => (registered_for.unwrap_or_default(), None),
    }
}

/// The registration by which this call came: its command line.
fn lane() -> String {
    let line =
        std::env::args_os().fold(hash::of(b""), |hash, arg| hash::more(hash::more(hash, arg.as_encoded_bytes()), &[0]));
    format!("{:08x}", line as u32)
}
