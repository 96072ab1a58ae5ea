//! `unattended statusline`: one line for Claude Code's `statusLine`. Called at each turn of a session, so that it reads
//! little, waits for nothing, and exits with 0 whatever is broken.

use std::io::{IsTerminal, stdin};
use std::path::Path;
use std::time::Duration;

use chrono::{DateTime, Utc};

use crate::cli::StatuslineArgs;
use crate::memory::Memory;
use crate::policy::Policy;
use crate::statusline::{self, Counts, View};
use crate::store::Store;
use crate::switch::{Attendance, Because, Verdict};
use crate::wire::Payload;
use crate::{clock, input, paths, standing, streams, tally, when};

/// How long the client may take to say whose line it is, and how long it may take the line.
const LIMIT: Duration = Duration::from_millis(300);
/// How much of what is not in the count on disk is counted at once, in bytes: some 5 ms.
const AT_ONCE: u64 = 1024 * 1024;

/// Prints the line.
pub fn run(args: &StatuslineArgs) {
    std::panic::set_hook(Box::new(|_| std::process::exit(0)));
    let now = clock::now();
    let session = session();
    let state = paths::state_folder();
    let mut policy = Policy::load();
    // A status line is drawn for a person at a terminal.
    if policy.surroundings.attendance() == Attendance::Unsaid {
        policy.surroundings.attended = Some("1".to_owned());
    }
    let memory = || {
        let store = Store::of(state.as_deref()?, session.as_deref()?);
        store.load("").as_ref().ok().and_then(Memory::there_since)
    };
    let verdict = policy.verdict(now, memory);
    let counted = state.as_deref().and_then(|state| counts(state, now, args.recount));
    let passed_over = counted.is_some_and(|(_, passed_over)| passed_over);
    let counts = counted.map(|(counts, _)| counts);
    let view = View {
        holds: holds(&policy, verdict, now),
        acts: verdict.acts,
        counts: if state.is_some() { counts } else { Some(Counts { whole: true, ..Counts::default() }) },
        problem: !policy.problems.is_empty() || passed_over,
    };
    let coloured = args.color && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
    let line = statusline::line(&view, coloured) + "\n";
    let _ = streams::write(&mut [std::io::IoSlice::new(line.as_bytes())], LIMIT);
}

/// Whose line it is, as far as the client says so.
fn session() -> Option<String> {
    if stdin().is_terminal() {
        return None;
    }
    let input = input::read_within(LIMIT);
    let payload = Payload::read(input::text(&input.bytes)?).ok()?;
    payload.text("session_id").map(std::borrow::Cow::into_owned)
}

/// What there is, and whether something could not be read.
fn counts(state: &Path, now: DateTime<Utc>, anew: bool) -> Option<(Counts, bool)> {
    let limit = if anew { u64::MAX } else { AT_ONCE };
    let counted = tally::update(state, now, limit, anew).ok()?;
    let stalls = if counted.tally.has_stalls() { counted.tally.stalls_since(when::midnight(now)) } else { 0 };
    let counts = Counts { whole: counted.whole, unreviewed: counted.tally.unreviewed(), stalls: stalls as u64 };
    Some((counts, counted.passed_over))
}

fn holds(policy: &Policy, verdict: Verdict, now: DateTime<Utc>) -> String {
    let until = policy.switch.as_ref().and_then(|switch| switch.until).map(|until| standing::clock(until, now));
    match (verdict.acts, verdict.because, until) {
        (true, Because::Switch, Some(until)) => format!("on until {until}"),
        (true, Because::SwitchEnded, Some(until)) => format!("on, ended {until} for new sessions"),
        (false, Because::Switch, Some(until)) => format!("off until {until}"),
        (false, Because::Attended, _) => "auto, dialogs are yours".to_owned(),
        (acts, ..) => if acts { "on" } else { "off" }.to_owned(),
    }
}
