//! `unattended status`: what holds for attended and for unattended sessions, why, until when, and today's counts.

use chrono::{DateTime, Utc};
use serde::Serialize;

use crate::cli::StatusArgs;
use crate::history::{self, Detail, History, Span};
use crate::policy::Policy;
use crate::record::Kind;
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
}

/// Prints what holds.
///
/// # Errors
/// Where the records are there and cannot be read.
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
    let history = match &state {
        Some(state) => history::read(state, span, Detail::Counts).unwrap_or_else(|error| {
            problems.push(format!("{}: {error}", state.join("records").display()));
            History::default()
        }),
        None => History::default(),
    };
    if history.unreadable > 0 {
        problems.push(format!("{} lines of today's records could not be read", history.unreadable));
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
        println!("{}", serde_json::to_string_pretty(&status)?);
    } else {
        print(&status, now);
    }
    Ok(())
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
    }
}

fn print(status: &Status, now: DateTime<Utc>) {
    let bold = anstyle::Style::new().bold();
    let until = status.until.map(|until| format!(" until {}", standing::clock(until, now))).unwrap_or_default();
    for (sessions, holds) in [("attended", &status.attended), ("unattended", &status.unattended)] {
        let word = if holds.answered { "answered" } else { "left to a person" };
        anstream::println!("{:<21} {bold}{word}{until}{bold:#} ({})", format!("{sessions} sessions"), holds.because);
    }
    if status.waiting > 0 {
        let count = status.waiting;
        println!(
            "{:<21} {count} for your answer, for now: unattended answer",
            if count == 1 { "waits" } else { "wait" }
        );
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
    for (at, row) in rows(&said).iter().enumerate() {
        println!("{:<21} {row}", if at == 0 { "today" } else { "" });
    }
    if let Some(state) = &status.state {
        println!("{:<21} {}", "records", paths::shown(&std::path::Path::new(state).join("records")));
    }
    let config = status.config.as_deref().map(|file| paths::shown(std::path::Path::new(file)));
    println!("{:<21} {}", "config", config.unwrap_or_else(|| "none, the defaults hold".to_owned()));
    for problem in &status.problems {
        println!("{:<21} {problem}", "problem");
    }
    if !status.attended.answered {
        println!("\nWhen you leave a terminal session: {}", standing::LEAVING);
    }
}

/// The counts in rows that fit beside their name.
fn rows(said: &[String]) -> Vec<String> {
    if said.is_empty() {
        return vec!["nothing".to_owned()];
    }
    said.chunks(3).map(|chunk| chunk.join(", ")).collect()
}
