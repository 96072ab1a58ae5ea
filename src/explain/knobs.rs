//! What can be changed to see what an answer hangs on: the keys of the config, and what a session may remember. Pure.

use std::time::Duration;

use super::cases::Case;
use crate::config::{Config, ElicitationReply, PermissionReply, PlanReply, QuestionReply, Then};
use crate::event::{self, At, Event};
use crate::memory::Note;
use crate::replay::rehearsal::{asked, sent_on};
use crate::wire::Payload;

/// What makes a config say something.
type Set = fn(&mut Config);

/// A key of the config.
pub struct Knob {
    /// Its name, such as `questions.reply`.
    pub key: &'static str,
    /// What it is in a config, as TOML.
    pub value: fn(&Config) -> String,
    /// What it can be, as TOML, and how it becomes so.
    pub values: &'static [(&'static str, Set)],
}

/// A key as the file has it: `[questions] reply`.
pub fn shown(key: &str) -> String {
    key.split_once('.').map_or_else(|| key.to_owned(), |(table, key)| format!("[{table}] {key}"))
}

const TEN_MINUTES: Duration = Duration::from_secs(600);

/// The keys on which answers can hang.
pub fn config() -> [Knob; 9] {
    [
        Knob {
            key: "questions.reply",
            value: |config| match config.questions.reply {
                QuestionReply::Guide => "\"guide\"".to_owned(),
                QuestionReply::Leave => "\"leave\"".to_owned(),
            },
            values: &[
                ("\"guide\"", |config| config.questions.reply = QuestionReply::Guide),
                ("\"leave\"", |config| config.questions.reply = QuestionReply::Leave),
            ],
        },
        Knob {
            key: "questions.wait",
            value: |config| wait(config.questions.wait),
            values: &[
                ("\"0s\"", |config| config.questions.wait = Duration::ZERO),
                ("\"10m\"", |config| config.questions.wait = TEN_MINUTES),
            ],
        },
        Knob {
            key: "plans.reply",
            value: |config| match config.plans.reply {
                PlanReply::Approve => "\"approve\"".to_owned(),
                PlanReply::Leave => "\"leave\"".to_owned(),
            },
            values: &[
                ("\"approve\"", |config| config.plans.reply = PlanReply::Approve),
                ("\"leave\"", |config| config.plans.reply = PlanReply::Leave),
            ],
        },
        Knob {
            key: "plans.then",
            value: |config| match config.plans.then {
                Then::Default => "\"default\"".to_owned(),
                Then::AcceptEdits => "\"acceptEdits\"".to_owned(),
                Then::Auto => "\"auto\"".to_owned(),
                Then::BypassPermissions => "\"bypassPermissions\"".to_owned(),
            },
            values: &[
                ("\"default\"", |config| config.plans.then = Then::Default),
                ("\"acceptEdits\"", |config| config.plans.then = Then::AcceptEdits),
                ("\"auto\"", |config| config.plans.then = Then::Auto),
                ("\"bypassPermissions\"", |config| config.plans.then = Then::BypassPermissions),
            ],
        },
        Knob {
            key: "plans.wait",
            value: |config| wait(config.plans.wait),
            values: &[
                ("\"0s\"", |config| config.plans.wait = Duration::ZERO),
                ("\"10m\"", |config| config.plans.wait = TEN_MINUTES),
            ],
        },
        Knob {
            key: "permissions.reply",
            value: |config| match config.permissions.reply {
                PermissionReply::Deny => "\"deny\"".to_owned(),
                PermissionReply::Leave => "\"leave\"".to_owned(),
            },
            values: &[
                ("\"deny\"", |config| config.permissions.reply = PermissionReply::Deny),
                ("\"leave\"", |config| config.permissions.reply = PermissionReply::Leave),
            ],
        },
        Knob {
            key: "permissions.wait",
            value: |config| wait(config.permissions.wait),
            values: &[
                ("\"0s\"", |config| config.permissions.wait = Duration::ZERO),
                ("\"10m\"", |config| config.permissions.wait = TEN_MINUTES),
            ],
        },
        Knob {
            key: "elicitations.reply",
            value: |config| match config.elicitations.reply {
                ElicitationReply::Cancel => "\"cancel\"".to_owned(),
                ElicitationReply::Decline => "\"decline\"".to_owned(),
                ElicitationReply::Leave => "\"leave\"".to_owned(),
            },
            values: &[
                ("\"cancel\"", |config| config.elicitations.reply = ElicitationReply::Cancel),
                ("\"decline\"", |config| config.elicitations.reply = ElicitationReply::Decline),
                ("\"leave\"", |config| config.elicitations.reply = ElicitationReply::Leave),
            ],
        },
        Knob {
            key: "stop.nudges",
            value: |config| config.stop.nudges.to_string(),
            values: &[("0", |config| config.stop.nudges = 0), ("2", |config| config.stop.nudges = 2)],
        },
    ]
}

/// A time as the file has it.
fn wait(wait: Duration) -> String {
    format!("\"{}\"", humantime::format_duration(wait))
}

/// What a session may remember, in words, with the notes of it.
pub fn memories(case: &Case, config: &Config) -> Vec<(String, Vec<Note>)> {
    let payload = Payload::read(&case.payload).unwrap_or_default();
    let prompt = payload.text("prompt_id");
    let at = match event::read(&payload).event {
        Event::Question { at, .. } => at,
        _ => At::PreToolUse,
    };
    let entered = ["default", "acceptEdits", "auto", "dontAsk", "bypassPermissions"]
        .map(|mode| (format!("plan mode was entered from {mode}"), vec![Note::EnteredPlan { mode: mode.to_owned() }]));
    let let_go = Note::Stopped { prompt: None, waits: true, sent_on: false, first: true };
    let mut all: Vec<_> = entered.into();
    all.push(("the plan was left to a person".to_owned(), vec![Note::PlanLeft]));
    all.push(("the prompt has asked before".to_owned(), vec![asked(at, prompt.as_deref())]));
    all.push(("the last turn waits for an answer, and was let go".to_owned(), vec![let_go]));
    // As often as configured; more than a thousand times is for ever.
    let often = config.stop.nudges.min(1000);
    let sendings = (0..often).map(|_| sent_on(prompt.as_deref())).collect();
    all.push((format!("the prompt was sent on {often} times"), sendings));
    all
}
