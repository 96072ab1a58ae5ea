//! The ways of driving a client, and the one watch over all of them: did the run go on to its end, or does something
//! wait? "Waits" is a fact a driver can show (a dialog, an unanswered request), held for a while with nothing asked of
//! the API meanwhile; the time limit is only for what is neither.

pub mod background;
pub mod print;
pub mod sdk;
pub mod terminal;

use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use anyhow::Result;

use crate::api::Api;

/// How long something must be seen waiting before it counts: hooks decide while the dialog is already drawn.
const SETTLED: Duration = Duration::from_secs(5);
/// How long a run must be quiet after its last turn to count as ended, where no event says so.
const QUIET: Duration = Duration::from_millis(2500);
/// How often a session is started that its client ends before it has asked the model anything.
const STARTS: usize = 3;
/// The longest a session may take with neither an end nor a fact of waiting.
pub const LIMIT: Duration = Duration::from_secs(120);

/// What wakes the watch.
#[derive(Debug)]
pub enum Happened {
    /// The API was asked something.
    Asked,
    /// The client wrote something.
    Wrote(Vec<u8>),
    /// The client wrote something to its standard error.
    Complained(String),
    /// The client's output ended.
    Closed,
}

/// How a run ended, or why it did not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// The run came to its end.
    WentOn,
    /// Something waits for a person or a host; what that is.
    Waits(String),
    /// The client ended the session before it had asked the model anything; what was seen last.
    Unasked(String),
    /// Neither within the limit, or the client failed; what was seen last.
    Failed(String),
}

/// A way of driving.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Way {
    /// A terminal with a screen.
    Tui,
    /// `-p` with stream-json both ways, permissions asked of the host.
    Sdk,
    /// Plain `-p`.
    Print,
    /// `claude --bg`.
    Bg,
}

impl Way {
    /// The name used in cells and tables.
    pub fn name(self) -> &'static str {
        match self {
            Way::Tui => "tui",
            Way::Sdk => "sdk",
            Way::Print => "print",
            Way::Bg => "bg",
        }
    }
}

/// A session under way.
pub trait Session {
    /// Takes in what the client wrote.
    fn take(&mut self, bytes: &[u8]);
    /// The client's output ended.
    fn closed(&mut self);
    /// What waits right now, as the client shows it.
    fn waits_for(&mut self) -> Option<String>;
    /// Whether the run is over; `quiet` says that nothing has happened for a while after the last scripted turn.
    fn is_over(&mut self, quiet: bool) -> bool;
    /// The client's own word that it failed.
    fn failed(&mut self) -> Option<String>;
    /// The client's own word that the session is over; only a background session's supervisor gives it.
    fn ended(&mut self) -> bool {
        false
    }
    /// The last of what was seen, for a failure's message.
    fn last_seen(&mut self) -> String;
    /// What a person would see; only a terminal has it.
    fn screen(&self) -> Option<String> {
        None
    }
    /// Every line a person has seen so far; only a terminal has them.
    fn shown(&self) -> Vec<String> {
        Vec::new()
    }
    /// The words that close the next script.
    fn closes_with(&mut self, _closing: &str) {}
    /// Presses keys as a person would; only in a terminal.
    fn press(&mut self, _keys: &str) -> Result<()> {
        anyhow::bail!("there is no terminal to press keys in")
    }
}

/// Starts a session and watches it; once more, with a word of it, where its client ended it before it had asked the model
/// anything. One of some seven hundred sessions of `claude --bg` (2.1.332) ended so, on a busy machine, whatever is hooked
/// in. Not seen is why; its supervisor hands the prompt to a process that it has started a moment before, and ends that one
/// when it does not listen within three seconds.
pub fn start_and_watch(
    mut start: impl FnMut() -> Result<Box<dyn Session>>,
    api: &Api,
    bell: &Receiver<Happened>,
) -> Result<(Box<dyn Session>, Outcome)> {
    for _ in 1..STARTS {
        let mut session = start()?;
        match watch(session.as_mut(), api, bell) {
            Outcome::Unasked(last) => {
                eprintln!(
                    "note: a session ended before it asked the model anything, and is started again; last: {last}"
                )
            }
            outcome => return Ok((session, outcome)),
        }
    }
    let mut session = start()?;
    let outcome = watch(session.as_mut(), api, bell);
    Ok((session, outcome))
}

/// Watches a session until it has ended, waits, or the limit is reached.
pub fn watch(session: &mut dyn Session, api: &Api, bell: &Receiver<Happened>) -> Outcome {
    let started = Instant::now();
    let mut last_asked = Instant::now();
    let mut waiting: Option<(String, Instant)> = None;
    let mut complaints = String::new();
    loop {
        match bell.recv_timeout(Duration::from_millis(200)) {
            Ok(Happened::Asked) => {
                last_asked = Instant::now();
                waiting = None;
            }
            Ok(Happened::Wrote(bytes)) => session.take(&bytes),
            Ok(Happened::Complained(text)) => complaints.push_str(&text),
            Ok(Happened::Closed) | Err(RecvTimeoutError::Disconnected) => session.closed(),
            Err(RecvTimeoutError::Timeout) => {}
        }
        if let Some(why) = session.failed() {
            // What it says of it comes on another pipe, and may come later.
            while let Ok(happened) = bell.recv_timeout(Duration::from_millis(300)) {
                if let Happened::Complained(text) = happened {
                    complaints.push_str(&text);
                }
            }
            return Outcome::Failed(format!("{why} {complaints}").trim_end().to_owned());
        }
        if session.ended() && api.with(|kept| kept.turns.is_empty()) {
            return Outcome::Unasked(session.last_seen());
        }
        match (session.waits_for(), waiting.take()) {
            (None, _) => {}
            (Some(what), Some((before, since))) if what == before => {
                if since.elapsed() >= SETTLED {
                    return Outcome::Waits(what);
                }
                waiting = Some((before, since));
            }
            (Some(what), _) => waiting = Some((what, Instant::now())),
        }
        let played_out = api.with(|kept| kept.turns.last().is_some_and(|turn| turn.last));
        let quiet = played_out && last_asked.elapsed() >= QUIET;
        if waiting.is_none() && session.is_over(quiet) {
            return Outcome::WentOn;
        }
        if started.elapsed() > LIMIT {
            let turns = api.with(|kept| kept.turns.len());
            let last = session.last_seen();
            return Outcome::Failed(format!("neither an end nor a dialog in {LIMIT:?}, {turns} turns; last: {last}"));
        }
    }
}

/// Reads a stream to its end on a thread of its own and tells the watch.
fn listen(mut stream: impl std::io::Read + Send + 'static, bell: std::sync::mpsc::Sender<Happened>) {
    std::thread::spawn(move || {
        let mut buffer = vec![0; 64 * 1024];
        while let Ok(read @ 1..) = stream.read(&mut buffer) {
            let bytes = buffer.get(..read).unwrap_or_default().to_vec();
            if bell.send(Happened::Wrote(bytes)).is_err() {
                return;
            }
        }
        let _ = bell.send(Happened::Closed);
    });
}

/// Ends a process group that this suite started.
fn end_group(leader: u32) {
    if let Some(group) = rustix::process::Pid::from_raw(leader as i32) {
        let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
    }
}

/// The last characters of a text, for messages.
fn tail(text: &str, length: usize) -> String {
    let skip = text.chars().count().saturating_sub(length);
    text.chars().skip(skip).collect()
}

/// What is needed to start a session.
#[derive(Clone)]
pub struct Start<'a> {
    /// The home it runs in.
    pub home: &'a crate::home::Home,
    /// `--permission-mode`.
    pub mode: &'a str,
    /// The first prompt.
    pub prompt: &'a str,
    /// The text that closes the script.
    pub closing: &'a str,
    /// More arguments for the client.
    pub extra: &'a [String],
    /// Where to ring.
    pub bell: std::sync::mpsc::Sender<Happened>,
}

impl Way {
    /// Starts a session this way.
    pub fn start(self, start: Start<'_>) -> Result<Box<dyn Session>> {
        Ok(match self {
            Way::Tui => Box::new(terminal::Terminal::start(start)?),
            Way::Sdk => Box::new(sdk::Sdk::start(start)?),
            Way::Print => Box::new(print::Print::start(start)?),
            Way::Bg => Box::new(background::Background::start(start)?),
        })
    }
}
