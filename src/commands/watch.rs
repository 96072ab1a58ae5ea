//! `unattended watch`: what waits for a person and what became of it, and every other record, as JSON lines while it
//! happens. Only reads, but for the folders that it makes where they are missing, so that they can be watched.

use std::collections::BTreeMap;
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use anyhow::Context;
use serde::Serialize;
use serde_json::value::RawValue;

use super::{out, state_folder};
use crate::cli::WatchArgs;
use crate::folder_watch::{FolderWatch, Woken};
use crate::outcome::Outcome;
use crate::request::Request;
use crate::review::text::harmless_json;
use crate::tail::Journal;
use crate::trouble::Trouble;
use crate::{journal, paths, pending, state};

/// How long the record of a request that is over may take to come; after that its hook is taken to have died.
const GRACE: Duration = Duration::from_secs(3);
/// How long at most between two looks while something waits: a hook that was killed tells nobody.
const LOOK: Duration = Duration::from_secs(10);
/// How long at most between two looks where nothing does.
const QUIET: Duration = Duration::from_secs(3600);

/// Held while a line is written, so that a signal cuts none in two.
static WRITING: Mutex<()> = Mutex::new(());

/// One line; the schema is docs/watch.schema.json.
#[derive(Debug, Serialize)]
#[serde(tag = "type", rename_all = "lowercase")]
enum Line<'l> {
    Request { request: &'l Request },
    Outcome { id: &'l str, record: Option<&'l RawValue> },
    Record { record: &'l RawValue },
}

/// Prints until nobody reads any more, or a signal ends it.
///
/// # Errors
/// A state folder that cannot be made or read.
pub fn run(args: &WatchArgs) -> anyhow::Result<()> {
    let state = state_folder()?;
    let folders = [pending::folder(&state), journal::folder(&state)];
    for folder in &folders {
        state::create_folder(folder).map_err(|error| {
            Trouble::error(
                format!("{} cannot be made: {error}", paths::shown(folder)),
                "name a folder that you may write in by UNATTENDED_STATE, the same as for the runs",
            )
        })?;
    }
    end_by_signal()?;
    let mut follower = Follower::new(&state, args.requests);
    let watched: Vec<&Path> = folders.iter().map(PathBuf::as_path).collect();
    let mut watch = FolderWatch::on(&watched);
    loop {
        let lines = follower
            .look()
            .with_context(|| format!("could not read what waits in {}", paths::shown(&pending::folder(&state))))?;
        match write(&lines) {
            Err(error) if error.kind() == ErrorKind::BrokenPipe => return Ok(()),
            written => out::written(written)?,
        }
        match watch.wait(follower.patience()) {
            Woken::HungUp => return Ok(()),
            // What changed may be that a folder was taken away and made anew.
            Woken::Changed => watch = FolderWatch::on(&watched),
            Woken::Time => {}
        }
    }
}

/// What has been told, and what is still to be told.
struct Follower {
    state: PathBuf,
    requests_only: bool,
    journal: Journal,
    /// What waits and was told, by its id: the token. The same call, asked anew, has the same id.
    waiting: BTreeMap<String, String>,
    /// What waits no more and has no record yet, since when.
    over: BTreeMap<String, Instant>,
}

impl Follower {
    fn new(state: &Path, requests_only: bool) -> Self {
        let journal = Journal::from_now(state);
        Self { state: state.to_path_buf(), requests_only, journal, waiting: BTreeMap::new(), over: BTreeMap::new() }
    }

    /// The lines on what has happened since the last look.
    fn look(&mut self) -> anyhow::Result<String> {
        let mut out = String::new();
        let requests = pending::list(&self.state)?;
        let told = |id: &String, token: &String| requests.iter().any(|there| there.id == *id && there.token == *token);
        let ended = self.waiting.extract_if(.., |id, token| !told(id, token));
        self.over.extend(ended.map(|(id, _)| (id, Instant::now())));
        // What has no form of a record, as half a line on a full disk, is told by nobody.
        for line in self.journal.lines() {
            let (Ok(record), Some(outcome)) = (serde_json::from_str(&line), Outcome::of(&line)) else { continue };
            // One that has ended since it was listed; another one of its id waits on.
            let still = |token: &String| pending::find(&self.state, &outcome.id).is_some_and(|it| it.token == *token);
            let waited = self.over.remove(&outcome.id).is_some()
                || self.waiting.get(&outcome.id).is_some_and(|token| !still(token))
                    && self.waiting.remove(&outcome.id).is_some();
            if waited || outcome.wait.is_some() {
                add(&mut out, &Line::Outcome { id: &outcome.id, record: Some(record) })?;
            } else if !self.requests_only {
                add(&mut out, &Line::Record { record })?;
            }
        }
        let dead: Vec<String> =
            self.over.extract_if(.., |_, since| since.elapsed() >= GRACE).map(|(id, _)| id).collect();
        for id in &dead {
            add(&mut out, &Line::Outcome { id, record: None })?;
        }
        // Last: a request of an id that waited before comes behind the outcome of that one.
        for request in &requests {
            let known = self.over.contains_key(&request.id) || self.waiting.contains_key(&request.id);
            if !known && pending::still(&self.state, request) {
                self.waiting.insert(request.id.clone(), request.token.clone());
                add(&mut out, &Line::Request { request })?;
            }
        }
        Ok(out)
    }

    /// How long until the next look at the latest.
    fn patience(&self) -> Duration {
        let grace = self.over.values().map(|since| GRACE.saturating_sub(since.elapsed())).min();
        let usual = if self.waiting.is_empty() { QUIET } else { LOOK };
        grace.unwrap_or(usual).min(usual)
    }
}

fn add(out: &mut String, line: &Line<'_>) -> anyhow::Result<()> {
    out.push_str(&harmless_json(&serde_json::to_string(line)?));
    out.push('\n');
    Ok(())
}

fn write(lines: &str) -> io::Result<()> {
    let _whole = WRITING.lock();
    let mut stdout = io::stdout().lock();
    stdout.write_all(lines.as_bytes())?;
    stdout.flush()
}

/// Ends quietly, with 0, between two lines. A reader that takes nothing does not keep it.
#[cfg(unix)]
fn end_by_signal() -> anyhow::Result<()> {
    use signal_hook::consts::{SIGINT, SIGTERM};
    let mut signals = signal_hook::iterator::Signals::new([SIGINT, SIGTERM])?;
    std::thread::spawn(move || {
        if signals.forever().next().is_some() {
            let until = Instant::now() + Duration::from_secs(1);
            let mut whole = WRITING.try_lock();
            while whole.is_err() && Instant::now() < until {
                std::thread::sleep(Duration::from_millis(5));
                whole = WRITING.try_lock();
            }
            std::process::exit(0);
        }
    });
    Ok(())
}

#[cfg(not(unix))]
fn end_by_signal() -> anyhow::Result<()> {
    Ok(())
}
