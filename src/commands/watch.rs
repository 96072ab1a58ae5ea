//! `unattended watch`: what waits for a person and what became of it, and every other record, as JSON lines while it
//! happens. Only reads, but for the folders that it makes where they are missing, so that they can be watched.

use std::collections::{BTreeMap, BTreeSet};
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
    let mut watch = Watch::on(&folders);
    loop {
        let lines = follower
            .look()
            .with_context(|| format!("could not read what waits in {}", paths::shown(&pending::folder(&state))))?;
        match write(&lines) {
            Err(error) if error.kind() == ErrorKind::BrokenPipe => return Ok(()),
            written => out::written(written)?,
        }
        if watch.wait(&folders, follower.patience()) == Woken::HungUp {
            return Ok(());
        }
    }
}

/// What has been told, and what is still to be told.
struct Follower {
    state: PathBuf,
    requests_only: bool,
    journal: Journal,
    waiting: BTreeSet<String>,
    /// What waits no more and has no record yet, since when.
    over: BTreeMap<String, Instant>,
}

impl Follower {
    fn new(state: &Path, requests_only: bool) -> Self {
        let journal = Journal::from_now(state);
        Self { state: state.to_path_buf(), requests_only, journal, waiting: BTreeSet::new(), over: BTreeMap::new() }
    }

    /// The lines on what has happened since the last look.
    fn look(&mut self) -> anyhow::Result<String> {
        let mut out = String::new();
        let requests = pending::list(&self.state)?;
        for request in &requests {
            if self.waiting.insert(request.id.clone()) {
                add(&mut out, &Line::Request { request })?;
            }
        }
        for id in std::mem::take(&mut self.waiting) {
            if requests.iter().any(|request| request.id == id) {
                self.waiting.insert(id);
            } else {
                self.over.insert(id, Instant::now());
            }
        }
        // What has no form of a record, as half a line on a full disk, is told by nobody.
        for line in self.journal.lines() {
            let (Ok(record), Some(outcome)) = (serde_json::from_str(&line), Outcome::of(&line)) else { continue };
            let waited = self.over.remove(&outcome.id).is_some() | self.waiting.remove(&outcome.id);
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

/// A watch on folders that may be taken away and made anew.
struct Watch {
    watch: FolderWatch,
    places: Vec<Option<u64>>,
}

impl Watch {
    fn on(folders: &[PathBuf]) -> Self {
        let paths: Vec<&Path> = folders.iter().map(PathBuf::as_path).collect();
        let places = folders.iter().map(|folder| place(folder)).collect();
        Self { watch: FolderWatch::on(&paths), places }
    }

    fn wait(&mut self, folders: &[PathBuf], limit: Duration) -> Woken {
        let woken = self.watch.wait(limit);
        if folders.iter().map(|folder| place(folder)).ne(self.places.iter().copied()) {
            *self = Self::on(folders);
        }
        woken
    }
}

/// Which folder it is, if it is there.
#[cfg(unix)]
fn place(folder: &Path) -> Option<u64> {
    Some(std::os::unix::fs::MetadataExt::ino(&std::fs::metadata(folder).ok()?))
}

#[cfg(not(unix))]
fn place(folder: &Path) -> Option<u64> {
    folder.exists().then_some(0)
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
