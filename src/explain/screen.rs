//! An explanation in words. Knows how an answer is called, not when it is given. Pure; colours are taken away where they do
//! not belong.

use std::time::Duration;

use anstyle::Style;
use serde_json::Value;

use super::knobs::shown;
use super::{Decider, Explained, Outcome};
use crate::event::is_question_tool;
use crate::replay::said::Said;
use crate::review::text::{line, wrapped};

/// How wide the names at the left are, in columns.
const NAMES: usize = 20;

/// The screen of one, in lines of at most `width` columns.
pub fn show(explained: &Explained, width: usize) -> String {
    let bold = Style::new().bold();
    let title = match &explained.about {
        Some(about) => format!("{} {}", explained.event, line(about, width.saturating_sub(20))),
        None => explained.event.clone(),
    };
    let mut out = format!("{bold}{title}{bold:#}\n");
    let mut tell = |name: &str, texts: &[String]| {
        for (number, text) in texts.iter().enumerate() {
            let name = if number == 0 { name } else { "" };
            out.push_str(&wrapped(text, width, &format!("  {name:<NAMES$} ")));
        }
    };
    let [unattended, attended] = [&explained.unattended, &explained.attended].map(|outcome| told(explained, outcome));
    if unattended == attended {
        tell("any session", &unattended);
    } else {
        tell("unattended session", &unattended);
        tell("attended session", &attended);
    }
    tell("decided by", &explained.decided_by.iter().map(decider).collect::<Vec<_>>());
    let otherwise = explained.otherwise.iter().map(|otherwise| {
        let words = words(explained, &otherwise.then, otherwise.wait, &explained.unattended.now);
        let stall = if otherwise.stall { ", and it counts as a stall" } else { "" };
        format!("{}: {words}{stall}", otherwise.condition)
    });
    tell("otherwise", &otherwise.collect::<Vec<_>>());
    let acting = [&explained.unattended, &explained.attended].into_iter().find(|outcome| outcome.on);
    let message = acting.and_then(|outcome| {
        let told = outcome.now.message.clone();
        told.or_else(|| within(outcome, &["hookSpecificOutput", "additionalContext"]))
    });
    tell("the model reads", message.as_slice());
    out
}

/// A text within an answer.
fn within(outcome: &Outcome, names: &[&str]) -> Option<String> {
    let answer: Value = serde_json::from_str(outcome.answer.as_ref()?.get()).ok()?;
    names.iter().try_fold(&answer, |value, name| value.get(name))?.as_str().map(str::to_owned)
}

/// What is answered, what is remembered, and what decides whether we act.
fn told(explained: &Explained, outcome: &Outcome) -> Vec<String> {
    let line = within(outcome, &["systemMessage"]).map(|line| format!("a person sees \"{line}\""));
    let mut told = Vec::new();
    if line.is_none() || outcome.now.action != "line" {
        told.push(words(explained, &outcome.now, outcome.wait, &outcome.now));
    }
    told.extend(line);
    if outcome.stall {
        told.push("counts as a stall: something waits although dialogs are answered".to_owned());
    }
    if !outcome.remembers.is_empty() {
        told.push(format!("remembers {}", outcome.remembers.join(", ")));
    }
    told.push(format!("since it is {}, by {}", if outcome.on { "on" } else { "off" }, outcome.because));
    told
}

fn decider(decider: &Decider) -> String {
    match decider {
        Decider::Switch => "the switch".to_owned(),
        Decider::Config { key, value, default } => {
            format!("{} = {value}{}", shown(key), if *default { ", the default" } else { "" })
        }
        Decider::Memory => "what the session remembers".to_owned(),
    }
}

/// An answer in words; `usual` is the one whose words for the model are shown whole.
fn words(explained: &Explained, said: &Said, wait: Option<u64>, usual: &Said) -> String {
    let other = said.action == usual.action && said.message != usual.message;
    let answer = match (said.action.as_str(), said.modes.as_slice()) {
        ("none", _) => nothing(explained).to_owned(),
        ("deny", _) if other => "denied, in other words".to_owned(),
        ("deny", _) => "denied, with guidance for the model".to_owned(),
        ("approve", []) => "approved unchanged; the client goes back to the mode it had".to_owned(),
        ("approve", [mode]) => format!("approved unchanged, and carried out in {mode}"),
        ("approve", [floor, .., mode]) => {
            format!("approved unchanged, and carried out in {mode}; where that is not to be had, in {floor}")
        }
        ("context", _) if other => "the model is told something, in other words".to_owned(),
        ("context", _) => "nothing is decided; the model is told something".to_owned(),
        ("cancel", _) => "cancelled: no user made a choice".to_owned(),
        ("decline", _) => "declined".to_owned(),
        ("send_on", _) => "the turn goes on".to_owned(),
        ("welcome", _) if other => "the model is told of it in other words".to_owned(),
        ("welcome", _) => "the model is told what holds".to_owned(),
        ("line", _) => "only a person is told".to_owned(),
        (action, _) => action.to_owned(),
    };
    match wait {
        Some(seconds) => {
            let wait = humantime::format_duration(Duration::from_secs(seconds));
            format!("a person may reply for {wait}; else {answer}")
        }
        None => answer,
    }
}

/// What no answer means at this event.
fn nothing(explained: &Explained) -> &'static str {
    let tool = explained.about.as_deref().unwrap_or_default();
    match explained.event.as_str() {
        "PreToolUse" if is_question_tool(tool) => "nothing: the dialog is left to a person",
        "PreToolUse" if tool == "ExitPlanMode" => "nothing yet: PermissionRequest follows",
        "PermissionRequest" | "Elicitation" => "nothing: the dialog is left to a person",
        "Stop" => "nothing: the turn ends",
        _ => "nothing",
    }
}
