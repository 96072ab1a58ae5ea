//! The client under way: starts it behind a keeper, passes signals on, copies its output where that must be seen, and
//! waits for its end. Writes nothing of its own.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::AsFd;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use signal_hook::iterator::Signals;

use super::{keeper, lineage};
use crate::program;

/// The verb by which our own executable becomes the keeper.
pub const KEEPER: &str = "keep-client";
/// How often the run is looked at.
const STEP: Duration = Duration::from_millis(500);
/// A keeper that has not ended so long after it was told to is ended.
const LATE: Duration = Duration::from_secs(5);
/// How long output that nobody is left to write may take to end.
const LEFT_OPEN: Duration = Duration::from_secs(2);
/// As much as is copied at once, in bytes.
const PIECE: usize = 64 * 1024;

/// Signals that came, from before the client is there until after its end.
pub struct Told {
    hear: Receiver<Event>,
    tell: Sender<Event>,
}

enum Event {
    Gone(u8),
    Told(i32),
}

impl Told {
    /// From here on signals that would end us are kept for the client.
    ///
    /// # Errors
    /// As the system gives them.
    pub fn listen() -> io::Result<Told> {
        let (tell, hear) = mpsc::channel();
        let mut signals = Signals::new(program::heeded())?;
        let told = tell.clone();
        // Not joined: it ends with this process.
        thread::spawn(move || signals.forever().all(|signal| told.send(Event::Told(signal)).is_ok()));
        Ok(Told { hear, tell })
    }

    /// The signal that came, if one has or does within `time`.
    pub fn signal(&self, time: Duration) -> Option<i32> {
        match self.hear.recv_timeout(time) {
            Ok(Event::Told(signal)) => Some(signal),
            _ => None,
        }
    }
}

/// How to start the client.
pub struct Order<'o> {
    /// The client.
    pub program: &'o Path,
    /// Its arguments.
    pub args: Vec<OsString>,
    /// What is set in its environment beside what is there.
    pub environment: Vec<(&'static str, &'static str)>,
    /// Its standard input.
    pub input: Stdio,
    /// Whether its output goes through us, so that it is seen when it comes.
    pub copied: bool,
}

/// What a copied output has shown.
#[derive(Default)]
pub struct Seen {
    bytes: AtomicU64,
    writes: AtomicBool,
    /// Called before something is written, so that a progress line does not stand in its way.
    pub before: Mutex<Option<Box<dyn FnMut() + Send>>>,
}

impl Seen {
    /// How much has come, in bytes.
    pub fn bytes(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
    }
}

/// A client under way.
pub struct Session {
    keeper: Pid,
    told: Told,
    copies: Vec<JoinHandle<()>>,
    /// What its output has shown, where it is copied.
    pub seen: Arc<Seen>,
}

/// Starts the client. To be called by the thread that lives as long as the process: with it the keeper is told to end.
///
/// # Errors
/// Our own executable does not start.
pub fn start(order: Order<'_>, told: Told) -> io::Result<Session> {
    lineage::adopt_orphans();
    let mut command = Command::new(std::env::current_exe()?);
    command.arg(KEEPER).arg("--parent").arg(std::process::id().to_string()).arg("--").arg(order.program);
    command.args(order.args).envs(order.environment).stdin(order.input);
    if order.copied {
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
    }
    let mut child = command.spawn()?;
    let keeper = i32::try_from(child.id()).ok().and_then(Pid::from_raw).ok_or(io::ErrorKind::Other)?;
    let seen = Arc::new(Seen::default());
    let mut copies = Vec::new();
    if let Some(stream) = child.stdout.take() {
        copies.push(copy(stream, File::from(io::stdout().as_fd().try_clone_to_owned()?), &seen));
    }
    if let Some(stream) = child.stderr.take() {
        copies.push(copy(stream, File::from(io::stderr().as_fd().try_clone_to_owned()?), &seen));
    }
    let gone = told.tell.clone();
    thread::spawn(move || gone.send(Event::Gone(keeper::wait_for(keeper))));
    Ok(Session { keeper, told, copies, seen })
}

/// Byte for byte, as it comes. Who does not want any more of it is a closed pipe for the client, as without us.
fn copy(mut from: impl Read + Send + 'static, mut to: File, seen: &Arc<Seen>) -> JoinHandle<()> {
    let seen = Arc::clone(seen);
    thread::spawn(move || {
        let mut piece = vec![0; PIECE];
        loop {
            let read = match from.read(&mut piece) {
                Ok(0) => return,
                Ok(read) => read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(_) => return,
            };
            seen.bytes.fetch_add(read as u64, Ordering::Relaxed);
            if let Ok(mut before) = seen.before.lock()
                && let Some(before) = before.as_mut()
            {
                before();
            }
            seen.writes.store(true, Ordering::Relaxed);
            let written = to.write_all(piece.get(..read).unwrap_or_default());
            seen.writes.store(false, Ordering::Relaxed);
            if written.is_err() {
                return;
            }
        }
    })
}

impl Session {
    /// Waits for the end and gives the exit code; meanwhile passes signals on, and calls `look` now and then, which says
    /// whether the run is to be ended.
    pub fn wait(mut self, mut look: impl FnMut(&Seen) -> bool) -> u8 {
        let mut told: Option<Instant> = None;
        let mut over = false;
        let code = loop {
            match self.told.hear.recv_timeout(STEP) {
                Ok(Event::Gone(code)) => break code,
                Ok(Event::Told(signal)) => {
                    if let Some(signal) = Signal::from_named_raw(signal) {
                        let _ = kill_process(self.keeper, signal);
                    }
                    told.get_or_insert_with(Instant::now);
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => thread::sleep(STEP),
            }
            if !over && look(&self.seen) {
                over = true;
                let _ = kill_process(self.keeper, Signal::TERM);
                told.get_or_insert_with(Instant::now);
            }
            if told.is_some_and(|told| told.elapsed() > keeper::GRACE + LATE) {
                let _ = kill_process(self.keeper, Signal::KILL);
            }
        };
        // Nothing is left where the keeper has ended in order; where it was killed, all comes to us.
        lineage::end_all(Duration::ZERO);
        self.drain();
        code
    }

    /// What was written is still passed on, however long its reader takes.
    fn drain(&mut self) {
        let (mut bytes, mut since) = (self.seen.bytes(), Instant::now());
        while self.copies.iter().any(|copy| !copy.is_finished()) {
            if self.seen.bytes() != bytes || self.seen.writes.load(Ordering::Relaxed) {
                (bytes, since) = (self.seen.bytes(), Instant::now());
            }
            if since.elapsed() > LEFT_OPEN {
                return;
            }
            thread::sleep(Duration::from_millis(5));
        }
    }
}
