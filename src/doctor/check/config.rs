//! `config`: our config file parses, and holds no key that nothing knows.

use super::words;
use crate::config;
use crate::doctor::facts::Facts;
use crate::doctor::{Check, Finding, State};

const CHECK: Check = Check::Config;

/// Judges it.
pub(super) fn judge(facts: &Facts) -> Vec<Finding> {
    let file = facts.config.file.as_deref().map(|file| facts.shown(file)).unwrap_or_default();
    let text = match &facts.config.text {
        Ok(Some(text)) => text,
        Ok(None) => return vec![Finding::ok(CHECK, "absent", "there is no config file: the defaults hold")],
        Err(why) => {
            let finding = format!("{file} cannot be read: {why}: the defaults hold");
            return vec![
                Finding::bad(CHECK, "unread", State::Failure, finding, format!("make {file} readable")).of(file),
            ];
        }
    };
    let (config, problems) = config::read(text);
    let mut findings: Vec<Finding> = problems
        .into_iter()
        .map(|problem| match problem.strip_prefix("defaults hold: ") {
            Some(what) => {
                let finding =
                    format!("{file} cannot be read, so that the defaults hold: {}", words::without_secrets(what));
                Finding::bad(CHECK, "broken", State::Failure, finding, format!("correct {file} there")).of(&file)
            }
            None => {
                let remedy = format!("correct its name in {file}, or take it out");
                Finding::bad(
                    CHECK,
                    "unknown-key",
                    State::Warning,
                    format!("{file}: {}", words::without_secrets(&problem)),
                    remedy,
                )
                .of(&file)
            }
        })
        .collect();
    if let (Some(program), Some(why)) = (config.notify.command.first(), &facts.config.notify_trouble) {
        let finding = format!("notify.command cannot be started: {program}: {why}");
        let remedy = format!("name a program by its absolute path, or one on PATH, in {file}");
        findings.push(Finding::bad(CHECK, "notify", State::Failure, finding, remedy).of(&file));
    }
    super::or_ok(findings, || Finding::ok(CHECK, "parses", format!("{file} parses, every key is known")))
}
