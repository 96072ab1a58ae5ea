//! `unattended status`: what holds for attended and for unattended sessions, why, until when, and today's counts.

use std::path::{Path, PathBuf};

use chrono::{DateTime, Utc};
use serde::Serialize;

use super::out;
use crate::cli::StatusArgs;
use crate::history::{self, Detail, History, Problem, Span};
use crate::policy::Policy;
use crate::record::Kind;
use crate::review::text::{filled, harmless, harmless_json};
use crate::switch::{Because, Surroundings, Verdict};
use crate::{clock, paths, pending, retention, standing, when};

/// What `status --json` prints.
#[derive(Debug, Serialize)]
struct Status {
    attended: Standing,
    unattended: Standing,
    #[serde(skip_serializing_if = "Option::is_none")]
    until: Option<DateTime<Utc>>,
    /// How many things wait for a person's reply.
    waiting: usize,
    today: Today,
    #[serde(skip_serializing_if = "Option::is_none")]
    state: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    config: Option<String>,
    problems: Vec<String>,
}

#[derive(Debug, Serialize)]
struct Standing {
    answered: bool,
    because: Because,
}

#[derive(Debug, Serialize)]
struct Today {
    questions: usize,
    plans: usize,
    permissions: usize,
    elicitations: usize,
    nudges: usize,
    stalls: usize,
    problems: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    last_problem: Option<Problem>,
    /// Not all of it could be read.
    #[serde(skip)]
    partly: bool,
}

/// Prints what holds.
///
/// # Errors
/// Standard output cannot be written.
pub fn run(args: &StatusArgs) -> anyhow::Result<()> {
    let now = clock::now();
    let policy = Policy::load();
    let state = paths::state_folder();
    let mut problems = policy.problems.clone();
    if let Some(state) = &state
        && let Err(error) = retention::apply(state, &policy, now)
    {
        problems.push(format!("old records were not removed: {error}"));
    }
    let span = Span { since: Some(when::midnight(now)), until: None };
    // What cannot be listed is named below.
    let read = |state: &PathBuf| history::read(state, span, Detail::Counts).ok();
    let history = state.as_ref().and_then(read).unwrap_or_default();
    let odd = state.as_deref().map(history::all_odd).unwrap_or_default();
    problems.extend(odd.iter().map(|odd| format!("{}; {}", odd.what(), odd.remedy())));
    match history.unreadable {
        0 => {}
        1 => problems.push("one line of today's records could not be read".to_owned()),
        lines => problems.push(format!("{lines} lines of today's records could not be read")),
    }
    match history.newer {
        0 => {}
        1 => problems.push("one of today's records is of a newer version of unattended".to_owned()),
        many => problems.push(format!("{many} of today's records are of a newer version of unattended")),
    }
    let waiting = match state.as_deref().map(pending::list) {
        Some(Ok(requests)) => requests.len(),
        Some(Err(error)) => {
            problems.push(format!("what waits for a person cannot be read: {error}"));
            0
        }
        None => 0,
    };
    let [attended, unattended] = ["1", "0"].map(|attended| verdict(&policy, attended, now));
    let switch = policy.switch.as_ref().filter(|switch| switch.in_force(now));
    let until = switch.filter(|_| attended.because == Because::Switch).and_then(|switch| switch.until);
    let status = Status {
        attended: attended.into(),
        unattended: unattended.into(),
        until,
        waiting,
        today: today(&history),
        state: state.map(|state| state.display().to_string()),
        config: paths::config_file().filter(|file| file.exists()).map(|file| file.display().to_string()),
        problems,
    };
    if args.json {
        let json = serde_json::to_string_pretty(&status)?;
        return out::print(&format!("{}\n", harmless_json(&json)));
    }
    out::print(&screen(&status, now, out::columns()))
}

/// What holds in a session of that kind, begun now in this environment.
fn verdict(policy: &Policy, attended: &str, now: DateTime<Utc>) -> Verdict {
    let surroundings = Surroundings { attended: Some(attended.to_owned()), ..policy.surroundings.clone() };
    let policy =
        Policy { surroundings, switch: policy.switch.clone(), config: policy.config.clone(), problems: vec![] };
    policy.verdict(now, || None)
}

impl From<Verdict> for Standing {
    fn from(verdict: Verdict) -> Self {
        Self { answered: verdict.acts, because: verdict.because }
    }
}

fn today(history: &History) -> Today {
    let counts = history.counts();
    let of = |kind| counts.get(&kind).copied().unwrap_or_default();
    Today {
        questions: of(Kind::Question),
        plans: of(Kind::Plan),
        permissions: of(Kind::Permission),
        elicitations: of(Kind::Elicitation),
        nudges: of(Kind::Nudge),
        stalls: history.stalls.len(),
        problems: history.problems,
        last_problem: history.last_problem.clone(),
        partly: !history.odd.is_empty(),
    }
}

/// The lines, each behind its name, in so many columns where there are any.
fn screen(status: &Status, now: DateTime<Utc>, columns: Option<usize>) -> String {
    let bold = anstyle::Style::new().bold();
    let row = |name: &str, text: &str| filled(&format!("{name:<21} "), &harmless(text), columns);
    let mut shown = String::new();
    let until = status.until.map(|until| format!(" until {}", standing::clock(until, now))).unwrap_or_default();
    for (sessions, holds) in [("attended", &status.attended), ("unattended", &status.unattended)] {
        let word = format!("{}{until}", if holds.answered { "answered" } else { "left to a person" });
        let text = row(&format!("{sessions} sessions"), &format!("{word} ({})", holds.because));
        // Where it goes over two lines it is left plain.
        shown.push_str(&text.replacen(&format!(" {word}"), &format!(" {bold}{word}{bold:#}"), 1));
    }
    if status.waiting > 0 {
        let name = if status.waiting == 1 { "waits" } else { "wait" };
        shown.push_str(&row(name, &format!("{} for your answer, for now: unattended answer", status.waiting)));
    }
    let today = &status.today;
    let counts = [
        (today.questions, "question denied", "questions denied"),
        (today.plans, "plan approved", "plans approved"),
        (today.permissions, "permission denied", "permissions denied"),
        (today.elicitations, "elicitation ended", "elicitations ended"),
        (today.nudges, "turn sent on", "turns sent on"),
        (today.stalls, "stall", "stalls"),
        (today.problems, "problem", "problems"),
    ];
    let said: Vec<String> = counts
        .iter()
        .filter(|(count, ..)| *count > 0)
        .map(|(count, one, many)| format!("{count} {}", if *count == 1 { one } else { many }))
        .collect();
    let counts = match said.as_slice() {
        [] if today.partly => "nothing that can be read".to_owned(),
        said => rows(said).join("\n"),
    };
    shown.push_str(&row("today", &counts));
    if let Some(last) = &today.last_problem {
        let name = if today.problems == 1 { "the problem" } else { "the last problem" };
        shown.push_str(&row(name, &format!("{} {}", standing::clock(last.at, now), last.what)));
    }
    if let Some(state) = &status.state {
        shown.push_str(&row("records", &paths::shown(&Path::new(state).join("records"))));
    }
    let config = status.config.as_deref().map(|file| paths::shown(Path::new(file)));
    shown.push_str(&row("config", &config.unwrap_or_else(|| "none, the defaults hold".to_owned())));
    for problem in &status.problems {
        shown.push_str(&row("problem", problem));
    }
    if !status.attended.answered {
        let leave = format!("When you leave a terminal session: {}", standing::LEAVING);
        shown.push_str(&format!("\n{}", filled("", &leave, columns)));
    }
    shown
}

/// The counts in rows that fit beside their name.
fn rows(said: &[String]) -> Vec<String> {
    if said.is_empty() {
        return vec!["nothing".to_owned()];
    }
    said.chunks(3).map(|chunk| chunk.join(", ")).collect()
}
