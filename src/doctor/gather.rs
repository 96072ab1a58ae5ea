//! Gathers the facts: reads files, runs commands, each with a limit. Judges nothing, and changes nothing.

mod client_files;
mod live;
mod mcp;
mod place;
mod programs;
mod state;

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};

use super::Check;
use super::facts::{Client, ConfigFile, Facts};
use crate::history::{Detail, Span};
use crate::policy::Policy;
use crate::{client, clock, files, history, paths, program, wiring};

/// How far back stalls are looked for.
pub const STALL_DAYS: i64 = 7;

/// What to gather.
#[derive(Debug, Clone)]
pub struct Options {
    /// For which checks. What others need and takes time is left out.
    pub checks: Vec<Check>,
    /// The path by which this executable is registered.
    pub exe: String,
    /// `None`: `claude` on the PATH.
    pub client: Option<PathBuf>,
    /// As long as `claude mcp list` may take.
    pub mcp_limit: Duration,
    /// Servers that a run gets besides: files as for the client's `--mcp-config`.
    pub mcp_configs: Vec<String>,
}

/// How many waits were recorded since then.
fn stalls(state: &Path, since: DateTime<Utc>) -> Result<usize, String> {
    let span = Span { since: Some(since), until: None };
    let history = history::read(state, span, Detail::Counts).map_err(|error| error.to_string())?;
    match history.odd.first() {
        Some(odd) if history.stalls.is_empty() => Err(odd.what()),
        _ => Ok(history.stalls.len()),
    }
}

/// Gathers what the checks need. `progress` is told now and then what takes time, and how long already.
///
/// # Errors
/// There is no current folder; `Interrupted` where we were told to end.
pub fn facts(options: &Options, progress: &mut dyn FnMut(&str, Duration)) -> io::Result<Facts> {
    let wants = |check| options.checks.contains(&check);
    let folder = std::env::current_dir()?;
    let folder = folder.canonicalize().unwrap_or(folder);
    let place = place::of(folder);
    let client = find_client(options);
    let layers = client_files::layers(&place.folder);
    let environment = environment(&layers);
    let policy = Policy::load();
    let state = state::of(paths::state_folder());
    let now = clock::now();
    let stalls = match &state.folder {
        Some(folder) if wants(Check::Stalls) => stalls(folder, now - TimeDelta::days(STALL_DAYS)),
        _ => Ok(0),
    };
    let version = client.version.as_ref().ok().copied();
    let text = layers.0.iter().map(|layer| layer.text.as_str()).collect::<Vec<_>>().join("\n");
    let mut facts = Facts {
        now,
        home: dirs::home_dir(),
        root: is_root(),
        keychain: cfg!(target_os = "macos"),
        wanted: wiring::wanted(version, &options.exe, wiring::configured_waits(), &text),
        exe: options.exe.clone(),
        client,
        told: client_files::told(paths::client_state_file()),
        credentials: client_files::credentials(paths::client_folder()),
        environment,
        policy,
        config: config_file(),
        state,
        stalls,
        programs: Vec::new(),
        trials: None,
        mcp: None,
        terminal: has_terminal(),
        git: on_path("git"),
        place,
        layers,
    };
    if wants(Check::Wiring) {
        facts.programs = programs::of(&facts)?;
    }
    if wants(Check::Live) {
        facts.trials = Some(live::trials(&facts)?);
    }
    if wants(Check::Mcp) {
        facts.mcp = Some(mcp::of(&facts, options, progress)?);
    }
    Ok(facts)
}

fn find_client(options: &Options) -> Client {
    let path = options.client.clone().or_else(|| std::env::var_os("PATH").and_then(|path| client::find(&path)));
    let version = match &path {
        Some(path) => client::version(path),
        None => Err("there is no claude on PATH".to_owned()),
    };
    Client { path, version }
}

/// The environment as a run's tools have it: the client lays the `env` of its settings over its own.
fn environment(layers: &super::layers::Layers) -> BTreeMap<String, String> {
    let own =
        std::env::vars_os().filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)));
    let mut all: BTreeMap<String, String> = own.collect();
    for layer in &layers.0 {
        let set = layer.value(&["env"]).and_then(|env| env.as_object()).into_iter().flatten();
        all.extend(set.filter_map(|(name, value)| Some((name.clone(), value.as_str()?.to_owned()))));
    }
    all
}

fn config_file() -> ConfigFile {
    let file = paths::config_file();
    let text = file.as_deref().map_or(Ok(None), files::read_text).map_err(|error| error.to_string());
    let config = text.as_ref().ok().and_then(Option::as_deref).map(|text| crate::config::read(text).0);
    let notify_trouble = config.and_then(|config| notify_trouble(config.notify.command.first()?));
    ConfigFile { file, text, notify_trouble }
}

/// Why a program cannot be started by the hook, which looks for it on its PATH.
fn notify_trouble(named: &str) -> Option<&'static str> {
    let path = Path::new(named);
    let on_path = || program::find(&std::env::var_os("PATH").unwrap_or_default(), named).is_some();
    match path.components().count() > 1 {
        true if !path.is_absolute() => Some("it is neither a name nor an absolute path"),
        true if !program::is_executable(path) => Some("there is no such program"),
        false if !on_path() => Some("it is not on PATH"),
        _ => None,
    }
}

fn on_path(name: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(format!("{name}{}", std::env::consts::EXE_SUFFIX)).is_file())
}

#[cfg(unix)]
fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

#[cfg(not(unix))]
fn is_root() -> bool {
    false
}

/// It can be opened only where there is one.
#[cfg(unix)]
fn has_terminal() -> bool {
    use rustix::fs::{Mode, OFlags};
    rustix::fs::open("/dev/tty", OFlags::RDONLY | OFlags::NOCTTY | OFlags::CLOEXEC | OFlags::NONBLOCK, Mode::empty())
        .is_ok()
}

#[cfg(not(unix))]
fn has_terminal() -> bool {
    false
}
