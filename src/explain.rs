//! What would be answered to an event, and what decides it. Nothing here knows the policy: a sample payload is given to
//! `decide`, and again with one thing changed at a time; what changes the answer decides it. `explain/cases.rs` has the
//! samples, `explain/knobs.rs` the things that can be changed, `explain/screen.rs` the words. Pure.

pub mod cases;
pub mod knobs;
pub mod screen;

use serde::Serialize;
use serde_json::value::RawValue;

use self::cases::Case;
use crate::config::Config;
use crate::correction::Correction;
use crate::memory::{Memory, Note};
use crate::replay::rehearsal::{Answered, Standing, once};
use crate::replay::said::Said;
use crate::switch::{Because, Verdict};

/// The version of `docs/explain.schema.json`.
pub const VERSION: u32 = 1;

/// What there is to go by.
#[derive(Debug, Clone, Copy)]
pub struct Ground<'g> {
    /// What the config says.
    pub config: &'g Config,
    /// What the session remembers.
    pub memory: &'g Memory,
    /// In this environment, in a session that nobody attends, and in one that somebody does: what holds, and the line
    /// for a person at its start.
    pub standings: [(Verdict, &'g str); 3],
    /// The corrections that are due to a session that starts here, and the file that they are in.
    pub corrections: (&'g str, &'g [Correction]),
}

/// What would be answered, and why; `explain --json` prints a list of it.
#[derive(Debug, Serialize)]
pub struct Explained {
    /// The version of the schema.
    pub v: u32,
    /// The event, as the client names it.
    pub event: String,
    /// The tool; of a notification its type, of a start its source, of a turn's end how it ends.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub about: Option<String>,
    /// The sample that was answered.
    pub payload: Box<RawValue>,
    /// What holds in this environment.
    #[serde(flatten)]
    pub here: Outcome,
    /// In a session that nobody attends.
    pub unattended: Outcome,
    /// In a session that somebody attends.
    pub attended: Outcome,
    /// What the answer hangs on where we act.
    pub decided_by: Vec<Decider>,
    /// What would be answered where we act, if one thing were different.
    pub otherwise: Vec<Otherwise>,
}

/// What would be answered.
#[derive(Debug, Serialize)]
pub struct Outcome {
    /// Whether we act.
    pub on: bool,
    /// What decides that.
    pub because: Because,
    /// What is answered, as a record's `decision` names it.
    pub now: Said,
    /// The answer as the client would read it; none where there is none.
    pub answer: Option<Box<RawValue>>,
    /// How long a person may reply first, in seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wait: Option<u64>,
    /// What the session would remember of it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub remembers: Vec<String>,
    /// It would be recorded as a stall.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub stall: bool,
}

/// A thing that the answer hangs on.
#[derive(Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "what", rename_all = "lowercase")]
pub enum Decider {
    /// Whether we act.
    Switch,
    /// A key of the config.
    Config {
        /// Its name, such as `questions.reply`.
        key: &'static str,
        /// What it is, as TOML.
        value: String,
        /// Whether it is so by default.
        default: bool,
    },
    /// What the session remembers.
    Memory,
}

/// What would be answered if.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct Otherwise {
    /// If what.
    #[serde(rename = "if")]
    pub condition: String,
    /// Then what.
    pub then: Said,
    /// How long a person might reply first, in seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wait: Option<u64>,
    /// It would be recorded as a stall.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub stall: bool,
}

/// Explains a case.
///
/// # Errors
/// None that a case can cause.
pub fn explain(case: &Case, ground: Ground<'_>) -> serde_json::Result<Explained> {
    let Ground { config, memory, standings: [here, unattended, attended], corrections } = ground;
    let line = unattended.1;
    let told = |acts, config: &Config, memory: &Memory| {
        let answered = once(&case.payload, Standing { acts, config, line, corrections }, memory);
        (answered.said, answered.wait.map(|wait| wait.as_secs()), answered.stall)
    };
    let acting = told(true, config, memory);
    let (mut decided_by, mut otherwise) = (Vec::new(), Vec::new());
    let mut unless = |condition: String, told: (Said, Option<u64>, bool)| {
        let changes = told != acting;
        if changes {
            let (then, wait, stall) = told;
            otherwise.push(Otherwise { condition, then, wait, stall });
        }
        changes
    };
    if unless("while off".to_owned(), told(false, config, memory)) {
        decided_by.push(Decider::Switch);
    }
    for knob in knobs::config() {
        let mut hangs_on_it = false;
        for (value, set) in knob.values {
            let mut other = config.clone();
            set(&mut other);
            if other != *config {
                hangs_on_it |= unless(format!("{} = {value}", knobs::shown(knob.key)), told(true, &other, memory));
            }
        }
        if hangs_on_it {
            let value = (knob.value)(config);
            let default = value == (knob.value)(&Config::default());
            decided_by.push(Decider::Config { key: knob.key, value, default });
        }
    }
    if unless("with nothing remembered".to_owned(), told(true, config, &Memory::default())) {
        decided_by.push(Decider::Memory);
    }
    for (condition, notes) in knobs::memories(case, config) {
        let other = notes.into_iter().fold(memory.clone(), |memory, note| memory.with(case.now, note));
        unless(condition, told(true, config, &other));
    }
    let outcome = |(verdict, line): (Verdict, &str)| {
        outcome(once(&case.payload, Standing { acts: verdict.acts, config, line, corrections }, memory), verdict)
    };
    Ok(Explained {
        v: VERSION,
        event: case.event.clone(),
        about: case.about.clone(),
        payload: RawValue::from_string(case.payload.clone())?,
        here: outcome(here)?,
        unattended: outcome(unattended)?,
        attended: outcome(attended)?,
        decided_by,
        otherwise,
    })
}

fn outcome(answered: Answered, verdict: Verdict) -> serde_json::Result<Outcome> {
    let answer = String::from_utf8_lossy(&answered.bytes).into_owned();
    Ok(Outcome {
        on: verdict.acts,
        because: verdict.because,
        now: answered.said,
        answer: Some(answer).filter(|answer| !answer.is_empty()).map(RawValue::from_string).transpose()?,
        wait: answered.wait.map(|wait| wait.as_secs()),
        remembers: answered.remember.iter().map(remembered).collect(),
        stall: answered.stall,
    })
}

fn remembered(note: &Note) -> String {
    match note {
        Note::Started => "since when the session is there".to_owned(),
        Note::EnteredPlan { mode } => format!("that plan mode was entered from {mode}"),
        Note::LeftPlan => "that the session is out of plan mode".to_owned(),
        Note::PlanLeft => "that the plan was left to a person".to_owned(),
        Note::PlanTaken => "that the plan was approved without a person".to_owned(),
        Note::PlanSeen => "that a person approved the plan".to_owned(),
        Note::Answered { .. } => "that a person answered".to_owned(),
        Note::Asked { .. } => "that this prompt has asked".to_owned(),
        Note::Stopped { .. } => "how the turn ended".to_owned(),
        Note::Given { .. } => "which corrections it was given".to_owned(),
        Note::Delivered { .. } => "which corrections were delivered".to_owned(),
    }
}
