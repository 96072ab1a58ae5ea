//! `unattended doctor`: gathers the facts, judges them, mends what is safe to mend, and tells what stands in the way.

use std::io::{ErrorKind, IsTerminal, Write};
use std::process::ExitCode;
use std::time::Duration;

use chrono::SecondsFormat;
use clap::ValueEnum;
use serde::Serialize;

use super::install::executable;
use crate::cli::DoctorArgs;
use crate::doctor::facts::Facts;
use crate::doctor::gather::{self, Options};
use crate::doctor::told::told;
use crate::doctor::{self, Check, Finding, State, fix};
use crate::policy::Policy;
use crate::trouble::Trouble;
use crate::{paths, retention};

/// The schema version of the JSON output, `docs/doctor.schema.json`.
const VERSION: u32 = 1;

/// What `doctor --json` prints.
#[derive(Serialize)]
struct Report<'r> {
    v: u32,
    at: String,
    sound: bool,
    state: State,
    folder: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    client: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    client_version: Option<String>,
    fixed: &'r [String],
    findings: &'r [Finding],
}

/// Looks, tells, and says by its exit code whether a run would go on: 1 if anything failed.
///
/// # Errors
/// An option that cannot be, no current folder, a signal.
pub fn run(args: &DoctorArgs) -> anyhow::Result<ExitCode> {
    if let Some(state) = paths::state_folder()
        && let Err(error) = retention::apply(&state, &Policy::load(), crate::clock::now())
    {
        eprintln!("note: old records were not removed: {error}");
    }
    let checks = checks(args);
    let mut options = Options {
        checks: checks.clone(),
        exe: executable()?,
        client: args.client.clone(),
        mcp_limit: limit(&args.mcp_timeout, "--mcp-timeout")?,
        mcp_configs: args.mcp_config.clone(),
    };
    let mut fixed = Vec::new();
    if args.fix {
        options.checks.retain(|check| fix::MENDS.contains(check));
        let facts = facts(&options)?;
        for done in fix::mend(&facts, &doctor::judge(&facts, &options.checks)) {
            match done {
                Ok(what) => {
                    eprintln!("fixed: {what}");
                    fixed.push(what);
                }
                Err(error) => eprintln!("note: not fixed: {error:#}"),
            }
        }
        options.checks.clone_from(&checks);
    }
    let facts = facts(&options)?;
    let findings = doctor::judge(&facts, &checks);
    let worst = findings.iter().map(|finding| finding.state).max().unwrap_or(State::Ok);
    let sound = worst < if args.strict { State::Unknown } else { State::Failure };
    if args.json {
        let client = facts.client.path.as_ref().map(|path| path.display().to_string());
        let report = Report {
            v: VERSION,
            at: facts.now.to_rfc3339_opts(SecondsFormat::Millis, true),
            sound,
            state: worst,
            folder: facts.place.folder.display().to_string(),
            client,
            client_version: facts.version().map(|version| version.to_string()),
            fixed: &fixed,
            findings: &findings,
        };
        say(&format!("{}\n", serde_json::to_string_pretty(&report)?))?;
    } else {
        say(&told(&findings, checks.len(), args.strict))?;
    }
    Ok(if sound { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn checks(args: &DoctorArgs) -> Vec<Check> {
    let all = if args.only.is_empty() { Check::value_variants().to_vec() } else { args.only.clone() };
    let mut checks: Vec<Check> = all.into_iter().filter(|check| !(args.no_mcp && *check == Check::Mcp)).collect();
    checks.sort();
    checks.dedup();
    checks
}

/// How long a limit may be; a longer one is mistyped.
const LONGEST: Duration = Duration::from_secs(366 * 24 * 60 * 60);

/// A time of the command line, for this option: seconds, or with a unit.
pub(super) fn limit(text: &str, option: &str) -> anyhow::Result<Duration> {
    let seconds = text.parse().ok().map(Duration::from_secs);
    let limit = seconds.map_or_else(|| humantime::parse_duration(text).ok(), Some);
    if limit.is_some_and(|limit| limit > LONGEST) {
        return Err(Trouble::error(format!("\"{text}\" is more than a year, for {option}"), "say it like 60s or 2m"));
    }
    limit
        .filter(|limit| !limit.is_zero())
        .ok_or_else(|| Trouble::error(format!("\"{text}\" is no time for {option}"), "say it like 60s or 2m"))
}

/// Gathers, with a line on the terminal while something takes its time.
pub(super) fn facts(options: &Options) -> anyhow::Result<Facts> {
    let mut shown = false;
    let terminal = std::io::stderr().is_terminal();
    let mut progress = |what: &str, so_far: Duration| {
        if terminal && so_far >= Duration::from_millis(500) {
            let _ = write!(std::io::stderr(), "\r{what} … {} s\x1b[K", so_far.as_secs());
            shown = true;
        }
    };
    let facts = gather::facts(options, &mut progress);
    if shown {
        let _ = write!(std::io::stderr(), "\r\x1b[K");
    }
    facts.map_err(|error| match error.kind() {
        ErrorKind::Interrupted => Trouble::error("told to end; nothing was left running", "start it again"),
        _ => Trouble::error(format!("the facts cannot be gathered: {error}"), "start it in a folder that is there"),
    })
}

/// All at once; who closed the pipe has read enough.
fn say(text: &str) -> anyhow::Result<()> {
    super::out::print(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_seconds_or_has_a_unit() {
        assert_eq!(limit("60", "--x").unwrap(), Duration::from_secs(60));
        assert_eq!(limit("2m", "--x").unwrap(), Duration::from_secs(120));
        for text in ["", "0", "0s", "soon", "-1", "99999999h", "18446744073709551615"] {
            assert!(limit(text, "--x").is_err(), "{text}");
        }
    }
}
