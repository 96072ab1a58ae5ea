//! `unattended run`: starts `claude -p` so that nothing keeps it waiting, waits for it, and tells what became of it.
//! Standard output is the client's; everything of ours goes to standard error.

mod brought;
mod told;

use std::ffi::OsString;
use std::io::{IsTerminal, stderr, stdout};
use std::path::Path;
use std::process::ExitCode;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::Context;

use super::doctor::{facts, limit};
use super::install::executable;
use crate::cli::{KeepArgs, RunArgs};
use crate::doctor::facts::Facts;
use crate::doctor::gather::Options;
use crate::doctor::{Check, Finding, State};
use crate::run::arguments::Arguments;
use crate::run::follow::Follower;
use crate::run::input::Input;
use crate::run::preflight::{self, Hooks};
use crate::run::session::{self, Order, Told};
use crate::run::{keeper, lineage, surroundings};
use crate::trouble::Trouble;
use crate::{paths, program};

/// The exit code where something stands in the way.
const STANDS_IN_THE_WAY: u8 = 3;
/// And where it was ended at a limit.
const ENDED: u8 = 4;

/// Options of the client with which there is no run to wait for.
const ELSEWHERE: [&str; 7] = ["bg", "background", "cloud", "desktop", "teleport", "remote-control", "tmux"];

/// Runs it; the exit code is the client's.
///
/// # Errors
/// Options that cannot be, settings that cannot be merged, a client that is not there.
pub fn run(args: &RunArgs) -> anyhow::Result<ExitCode> {
    let begun = Instant::now();
    let limits = Limits {
        silence: args.max_silence.as_deref().map(|text| limit(text, "--max-silence")).transpose()?,
        time: args.max_time.as_deref().map(|text| limit(text, "--max-time")).transpose()?,
    };
    let mut arguments = Arguments::new(args.args.clone());
    refuse(&arguments)?;
    let input = Input::of(arguments.has_prompt());
    check_prompt(&arguments, input)?;
    let own = brought::callers_settings(&arguments)?;
    let told = Told::listen().context("signals cannot be heard")?;
    let checks = checks(args);
    let options = Options {
        checks: checks.clone(),
        exe: executable()?,
        client: args.client.clone(),
        mcp_limit: limit(&args.mcp_timeout, "--mcp-timeout")?,
        mcp_configs: texts(arguments.values("mcp-config")),
    };
    let mut facts = match look_ahead(options, &told, begun, limits.time)? {
        Ahead::Seen(facts) => *facts,
        Ahead::Ended(code) => return Ok(code),
    };
    preflight::fit(&mut facts, &arguments, own.as_ref().map(|own| (own.name.as_str(), own.text.as_str())));
    let findings = preflight::judge(&facts, &arguments, &checks);
    if stands_in_the_way(&findings, checks.len()) {
        return Ok(ExitCode::from(STANDS_IN_THE_WAY));
    }
    let Some(client) = facts.client.path.clone() else {
        return Err(Trouble::error("there is no claude on PATH", "install Claude Code, or name it with --client PATH"));
    };
    if input == Input::Silent {
        told::say("note: nothing came on standard input in 3 s; the client is given none\n");
    }
    // Gone with this function; the client reads it at its start.
    let mut _kept = None;
    match preflight::hooks(&facts, &arguments) {
        Hooks::Installed => {}
        Hooks::Brought => _kept = brought::hooks(&mut arguments, &facts, own.as_ref())?,
        Hooks::Off => {
            told::say("note: hooks are turned off for this run: nothing it asks is recorded\n");
            _kept = brought::contract(&mut arguments)?;
        }
    }
    let follower = follow(&mut arguments);
    arguments.add("print");
    if let Some(signal) = told.signal(Duration::ZERO) {
        return Ok(code(128 + signal));
    }
    watch(&client, arguments, input, told, follower, limits, begun)
}

/// What was found before the client is started.
enum Ahead {
    Seen(Box<Facts>),
    /// A signal came, or a limit was reached.
    Ended(ExitCode),
}

/// Gathers the facts. Whatever may be slow there, a signal and the limit end it, and what was started for it.
fn look_ahead(options: Options, told: &Told, begun: Instant, time: Option<Duration>) -> anyhow::Result<Ahead> {
    /// What is told to end has so long to leave nothing behind.
    const LEAVE: Duration = Duration::from_secs(3);
    let (tell, hear) = mpsc::channel();
    // Not joined: where it cannot be ended it ends with this process.
    thread::spawn(move || tell.send(facts(&options).map(Box::new)));
    let ended = loop {
        match hear.recv_timeout(Duration::from_millis(20)) {
            Ok(Ok(facts)) => return Ok(Ahead::Seen(facts)),
            Ok(Err(error)) => {
                return told.signal(Duration::from_millis(50)).map(|s| Ahead::Ended(code(128 + s))).ok_or(error);
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => anyhow::bail!("the facts could not be gathered"),
        }
        if let Some(signal) = told.signal(Duration::ZERO) {
            break code(128 + signal);
        }
        if let Some(time) = time.filter(|time| begun.elapsed() >= *time) {
            told::not_started(time);
            break ExitCode::from(ENDED);
        }
    };
    program::end_all();
    let _ = hear.recv_timeout(LEAVE);
    lineage::end_all(Duration::ZERO);
    Ok(Ahead::Ended(ended))
}

/// `keep-client`: the process between a run and its client.
///
/// # Errors
/// The client does not start.
pub fn keep(args: &KeepArgs) -> anyhow::Result<ExitCode> {
    match keeper::keep(args.parent, &args.command) {
        Ok(code) => Ok(ExitCode::from(code)),
        Err((code, why)) => {
            let client = args.command.first().map(|client| paths::shown(Path::new(client))).unwrap_or_default();
            told::say(&format!("error: {client} does not start: {why}\n"));
            told::say("hint: name the claude executable with --client PATH\n");
            Ok(ExitCode::from(code))
        }
    }
}

/// When a run is ended.
#[derive(Debug, Clone, Copy)]
struct Limits {
    silence: Option<Duration>,
    time: Option<Duration>,
}

/// Which limit was reached.
#[derive(Debug, Clone, Copy)]
enum Reached {
    Silence(Duration),
    Time(Duration),
}

fn refuse(arguments: &Arguments) -> anyhow::Result<()> {
    match ELSEWHERE.iter().find(|name| arguments.has(name)) {
        None => Ok(()),
        Some(name) => Err(Trouble::error(
            format!("--{name} starts a session elsewhere, for which no run can wait"),
            format!("leave --{name} out, or call claude itself"),
        )),
    }
}

fn check_prompt(arguments: &Arguments, input: Input) -> anyhow::Result<()> {
    let asks_nothing = ["help", "version", "resume", "continue", "from-pr"].iter().any(|name| arguments.has(name));
    if arguments.has_prompt() || input == Input::Piped || asks_nothing {
        return Ok(());
    }
    Err(Trouble::error(
        "there is no prompt: none among the arguments, and nothing on standard input",
        "unattended run -- \"PROMPT\", or unattended run < FILE",
    ))
}

fn checks(args: &RunArgs) -> Vec<Check> {
    if args.no_preflight {
        return Vec::new();
    }
    preflight::CHECKS.into_iter().filter(|check| !(args.no_mcp && *check == Check::Mcp)).collect()
}

/// Tells what was found, if there is anything to tell, and whether it keeps the run from being started.
fn stands_in_the_way(findings: &[Finding], checks: usize) -> bool {
    let worst = findings.iter().map(|finding| finding.state).max().unwrap_or(State::Ok);
    if worst > State::Ok {
        told::say(&crate::doctor::told::told(findings, checks, false));
    }
    if worst == State::Failure {
        told::say("hint: nothing was started; --no-preflight starts it all the same\n");
    }
    worst == State::Failure
}

/// Gives the run a session id of its own where the caller leaves that open, so that it is known which it is.
fn follow(arguments: &mut Arguments) -> Follower {
    let folder = std::env::current_dir().unwrap_or_default();
    let folder = folder.canonicalize().unwrap_or(folder);
    let given = texts(arguments.values("session-id")).pop();
    let goes_on = ["resume", "continue", "from-pr"].iter().any(|name| arguments.has(name));
    let (session, only) = match given {
        Some(id) => (Some(id), true),
        // What is no id is a word to search by, and leads to no session that is known.
        None if goes_on => (texts(arguments.values("resume")).pop(), false),
        None => {
            let id = fresh_id();
            if let Some(id) = &id {
                arguments.set("session-id", id.as_ref());
            }
            let only = id.is_some();
            (id, only)
        }
    };
    Follower::new(paths::state_folder(), folder, session, only)
}

/// A random UUID; `None` where the system gives no random bytes.
fn fresh_id() -> Option<String> {
    use std::io::Read;
    let mut bytes = [0; 16];
    std::fs::File::open("/dev/urandom").and_then(|mut file| file.read_exact(&mut bytes)).ok()?;
    let number = u128::from_be_bytes(bytes) & !(0xf000 << 64) & !(0xc000 << 48) | 0x4000 << 64 | 0x8000 << 48;
    let hex = format!("{number:032x}");
    let part = |from, to| hex.get(from..to).unwrap_or_default();
    Some(format!("{}-{}-{}-{}-{}", part(0, 8), part(8, 12), part(12, 16), part(16, 20), part(20, 32)))
}

fn watch(
    client: &Path,
    arguments: Arguments,
    input: Input,
    told: Told,
    mut follower: Follower,
    limits: Limits,
    begun: Instant,
) -> anyhow::Result<ExitCode> {
    let streams = texts(arguments.values("output-format")).pop().is_some_and(|format| format == "stream-json");
    let shows = stderr().is_terminal() && !(stdout().is_terminal() && streams);
    let progress = told::Progress::new(shows);
    let order = Order {
        program: client,
        args: arguments.into_words(),
        environment: surroundings::additions(|name| std::env::var_os(name).is_some_and(|value| !value.is_empty())),
        input: input.stdio(),
        copied: limits.silence.is_some() || (shows && stdout().is_terminal()),
    };
    let session = session::start(order, told).map_err(|error| {
        Trouble::error(format!("this executable does not start itself: {error}"), "see that it may be run")
    })?;
    if let Ok(mut before) = session.seen.before.lock() {
        *before = progress.clearing();
    }
    let (mut moved, mut bytes, mut looked, mut reached) = (Instant::now(), 0, Instant::now(), None);
    let exit = session.wait(|seen| {
        if looked.elapsed() >= Duration::from_secs(1) && (shows || limits.silence.is_some()) {
            looked = Instant::now();
            if follower.look() || seen.bytes() != bytes {
                (moved, bytes) = (Instant::now(), seen.bytes());
            }
            progress.show(begun.elapsed(), &follower.counts);
        }
        reached = match limits {
            Limits { time: Some(time), .. } if begun.elapsed() >= time => Some(Reached::Time(time)),
            Limits { silence: Some(silence), .. } if moved.elapsed() >= silence => Some(Reached::Silence(silence)),
            _ => return false,
        };
        true
    });
    progress.clear();
    let took = begun.elapsed();
    follower.look();
    told::end(&follower, reached, exit, took);
    Ok(ExitCode::from(if reached.is_some() { ENDED } else { exit }))
}

fn texts(words: Vec<OsString>) -> Vec<String> {
    words.into_iter().map(|word| word.to_string_lossy().into_owned()).collect()
}

fn code(number: i32) -> ExitCode {
    ExitCode::from(u8::try_from(number).unwrap_or(u8::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fresh_id_is_a_uuid_and_another_one_each_time() {
        let ids: Vec<String> = (0..100).filter_map(|_| fresh_id()).collect();
        assert_eq!(ids.len(), 100);
        for id in &ids {
            let shape: String = id.chars().map(|c| if c.is_ascii_hexdigit() { 'x' } else { c }).collect();
            assert_eq!(shape, "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx");
            assert!(id.get(14..15) == Some("4") && "89ab".contains(id.get(19..20).unwrap()), "{id}");
        }
        assert_eq!(ids.iter().collect::<std::collections::HashSet<_>>().len(), 100);
    }
}
