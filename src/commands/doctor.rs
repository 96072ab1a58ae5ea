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
use crate::doctor::{self, Check, Finding, State, fix};
use crate::policy::Policy;
use crate::trouble::Trouble;
use crate::{paths, retention};

/// The schema version of the JSON output, `docs/doctor.schema.json`.
const VERSION: u32 = 1;

/// As wide as the output is.
const WIDTH: usize = 80;

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
        mcp_limit: limit(&args.mcp_timeout)?,
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

fn limit(text: &str) -> anyhow::Result<Duration> {
    let seconds = text.parse().ok().map(Duration::from_secs);
    let limit = seconds.map_or_else(|| humantime::parse_duration(text).ok(), Some);
    limit
        .filter(|limit| !limit.is_zero())
        .ok_or_else(|| Trouble::error(format!("\"{text}\" is no time for --mcp-timeout"), "say it like 60s or 2m"))
}

/// Gathers, with a line on the terminal while something takes its time.
fn facts(options: &Options) -> anyhow::Result<Facts> {
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
    match anstream::stdout().write_all(text.as_bytes()).and_then(|()| anstream::stdout().flush()) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        done => Ok(done?),
    }
}

/// What is not as it should be, then a summary.
fn told(findings: &[Finding], checks: usize, strict: bool) -> String {
    let mut text = String::new();
    for finding in findings.iter().filter(|finding| finding.state != State::Ok) {
        let (word, colour) = match finding.state {
            State::Failure => ("failure", anstyle::AnsiColor::Red),
            State::Warning => ("warning", anstyle::AnsiColor::Yellow),
            State::Unknown | State::Ok => ("unknown", anstyle::AnsiColor::Cyan),
        };
        let style = anstyle::Style::new().bold().fg_color(Some(colour.into()));
        let said = format!("{}: {}", finding.check.id(), finding.finding);
        text.push_str(&format!("{style}{word}{style:#}  {}\n", wrapped(&said, 9)));
        if let Some(remedy) = &finding.remedy {
            text.push_str(&format!("         {}\n", wrapped(&format!("do: {remedy}"), 13)));
        }
    }
    let count = |state| findings.iter().filter(|finding| finding.state == state).count();
    let counts = [
        (count(State::Failure), "failure", "failures"),
        (count(State::Warning), "warning", "warnings"),
        (count(State::Unknown), "unknown", "unknown"),
    ];
    let counted: Vec<String> = counts
        .into_iter()
        .filter(|(count, ..)| *count > 0)
        .map(|(count, one, many)| format!("{count} {}", if count == 1 { one } else { many }))
        .collect();
    let looked = format!("{checks} {}", if checks == 1 { "check" } else { "checks" });
    let stands = count(State::Failure) > 0 || (strict && !counted.is_empty());
    let summary = match (counted.is_empty(), stands) {
        (true, _) => format!("Nothing stands in the way of a run ({looked})."),
        (false, false) => format!("A run goes on ({looked}: {}).", counted.join(", ")),
        (false, true) => format!("Settle this before you leave ({looked}: {}).", counted.join(", ")),
    };
    text.push_str(&summary);
    text.push('\n');
    text
}

/// Words in lines of at most 80 columns, those behind the first indented; made harmless for a terminal.
fn wrapped(text: &str, indent: usize) -> String {
    let harmless: String = text.chars().map(|c| if is_harmful(c) { '\u{fffd}' } else { c }).collect();
    let mut lines = vec![String::new()];
    let mut width = indent.min(9);
    for word in harmless.split(' ') {
        let length = word.chars().count();
        let Some(line) = lines.last_mut() else { break };
        if line.is_empty() {
            line.push_str(word);
            width += length;
        } else if width + 1 + length <= WIDTH {
            line.push(' ');
            line.push_str(word);
            width += 1 + length;
        } else {
            lines.push(word.to_owned());
            width = indent + length;
        }
    }
    lines.join(&format!("\n{}", " ".repeat(indent)))
}

/// Moves the cursor, changes the terminal, or turns the direction of what follows.
fn is_harmful(c: char) -> bool {
    c.is_control() || matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finding(state: State, text: &str) -> Finding {
        Finding { state, ..Finding::bad(Check::Mcp, "x", state, text, "do this") }
    }

    #[test]
    fn nothing_but_a_summary_is_told_where_all_is_well() {
        let ok = Finding::ok(Check::Mcp, "x", "well");
        assert_eq!(told(&[ok], 3, true), "Nothing stands in the way of a run (3 checks).\n");
    }

    #[test]
    fn lines_fit_and_control_characters_do_no_harm() {
        let long = finding(State::Failure, &"a server of many words ".repeat(9));
        let evil = finding(State::Warning, "a\x1b[2Jb\u{202e}c\nd");
        let text = anstream::adapter::strip_str(&told(&[long, evil], 13, false)).to_string();
        assert!(text.lines().all(|line| line.chars().count() <= WIDTH), "{text}");
        assert!(text.contains("warning  mcp: a\u{fffd}[2Jb\u{fffd}c\u{fffd}d\n         do: do this\n"), "{text}");
        assert!(text.ends_with("Settle this before you leave (13 checks: 1 failure, 1 warning).\n"), "{text}");
    }

    #[test]
    fn a_time_is_seconds_or_has_a_unit() {
        assert_eq!(limit("60").unwrap(), Duration::from_secs(60));
        assert_eq!(limit("2m").unwrap(), Duration::from_secs(120));
        for text in ["", "0", "0s", "soon", "-1"] {
            assert!(limit(text).is_err(), "{text}");
        }
    }
}
