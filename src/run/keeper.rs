//! The process between `run` and the client: it has a session of its own, without a terminal, passes signals on to the
//! client's group, and ends with the client all that comes from it. It outlives a `run` that is killed for as long as
//! that takes. Knows nothing of what is run.

use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::process::Command;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, WaitOptions, WaitStatus, getppid, kill_process_group, setsid, wait};
use signal_hook::iterator::Signals;

use super::lineage;
use crate::program;

/// How long a client that was told to end may take for it.
pub const GRACE: Duration = Duration::from_secs(10);
/// How long one may take whose `run` is gone.
const ALONE: Duration = Duration::from_secs(2);
/// How long what a client leaves behind may take to end in order.
const LEFT_BEHIND: Duration = Duration::from_millis(300);
/// The exit code where the client does not start, as shells have it.
const NOT_STARTED: u8 = 126;

enum Event {
    /// With this exit code, 128 more than its signal if it was one.
    Gone(u8),
    Told(i32),
}

/// Runs the client to its end and gives its exit code. `parent` is the process that asks for it.
///
/// # Errors
/// The client does not start; what to say of it.
pub fn keep(parent: u32, command: &[OsString]) -> Result<u8, (u8, String)> {
    // Refused only where we lead a group already, as one who calls this by hand does.
    let _ = setsid();
    lineage::adopt_orphans();
    lineage::hear_of_parents_end();
    let is_alone = || getppid().map_or(0, |pid| pid.as_raw_nonzero().get().unsigned_abs()) != parent;
    if is_alone() {
        return Ok(NOT_STARTED);
    }
    let (tell, hear) = mpsc::channel();
    let not_started = |error: std::io::Error| (NOT_STARTED, error.to_string());
    // Before the client is there: a signal that comes in between is for it.
    let mut signals = Signals::new(program::heeded()).map_err(not_started)?;
    let Some((program, args)) = command.split_first() else { return Ok(NOT_STARTED) };
    let child = Command::new(program).args(args).process_group(0).spawn().map_err(not_started)?;
    let Some(client) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) else { return Ok(NOT_STARTED) };
    let gone = tell.clone();
    // Neither is joined: they end with this process.
    thread::spawn(move || gone.send(Event::Gone(wait_for(client))));
    thread::spawn(move || signals.forever().all(|signal| tell.send(Event::Told(signal)).is_ok()));
    let mut until: Option<Instant> = None;
    let code = loop {
        let event = match until {
            None => hear.recv().map_err(|_| RecvTimeoutError::Disconnected),
            Some(until) => hear.recv_timeout(until.saturating_duration_since(Instant::now())),
        };
        match event {
            Ok(Event::Gone(code)) => break code,
            // Told twice, it is not asked any more.
            Ok(Event::Told(_)) if until.is_some() && !is_alone() => until = Some(Instant::now()),
            Ok(Event::Told(signal)) => {
                if let Some(signal) = Signal::from_named_raw(signal) {
                    let _ = kill_process_group(client, signal);
                }
                until = Some(Instant::now() + if is_alone() { ALONE } else { GRACE });
            }
            Err(_) => {
                let _ = kill_process_group(client, Signal::KILL);
                // It was not waited for yet, so that its number is still its own.
                match hear.recv_timeout(ALONE) {
                    Ok(Event::Gone(code)) => break code,
                    _ => break 128 + 9,
                }
            }
        }
    };
    lineage::end_all(LEFT_BEHIND);
    Ok(code)
}

/// Waits for all children, as orphans may be among them, until this one has ended; gives its exit code.
pub(super) fn wait_for(child: Pid) -> u8 {
    loop {
        match wait(WaitOptions::empty()) {
            Ok(Some((pid, status))) if pid == child => return code(status),
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(_) => return NOT_STARTED,
        }
    }
}

fn code(status: WaitStatus) -> u8 {
    let signal = status.terminating_signal().map(|signal| signal + 128);
    status.exit_status().or(signal).and_then(|code| u8::try_from(code).ok()).unwrap_or(u8::MAX)
}
