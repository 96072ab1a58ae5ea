//! `client`: found, its version known and tried, and what is known of that version.

use crate::client::{OLDEST, Version};
use crate::doctor::facts::Facts;
use crate::doctor::{Check, Finding, State};

/// The newest client that the suite was run with.
const NEWEST: Version = Version(2, 1, 332);

/// Known troubles: first and last version, what happens there (FACTS.md), and what to do.
const TROUBLES: [(Version, Version, &str, State, &str); 3] = [
    (
        Version(2, 0, 0),
        Version(2, 0, 9999),
        "no-permission-hook",
        State::Failure,
        "asks no PermissionRequest hook in SDK sessions: tools and plans wait there",
    ),
    (
        Version(2, 0, 0),
        Version(2, 1, 50),
        "drops-settings",
        State::Warning,
        "drops a whole settings file for one event it does not know, and asks at its start",
    ),
    (
        Version(2, 0, 0),
        Version(2, 1, 50),
        "plans-in-print",
        State::Warning,
        "does not let a hook approve a plan in plain `claude -p`: such a run ends in plan mode",
    ),
];

/// Judges it.
pub(super) fn judge(facts: &Facts) -> Vec<Finding> {
    let check = Check::Client;
    let Some(path) = facts.client.path.as_deref().map(|path| facts.shown(path)) else {
        let remedy = "install Claude Code, or name it with --client PATH; a run under cron needs it on its own PATH";
        return vec![Finding::bad(check, "absent", State::Failure, "there is no claude on PATH", remedy)];
    };
    let version = match &facts.client.version {
        Ok(version) => *version,
        Err(why) => {
            let finding = format!("the version of {path} cannot be had: {why}");
            let remedy = format!("see what `{path} --version` says; install it anew if it does not start");
            return vec![Finding::bad(check, "no-version", State::Failure, finding, remedy).of(path)];
        }
    };
    if version < OLDEST {
        let finding = format!("Claude Code {version} is older than {OLDEST}, the oldest that was tried");
        return vec![Finding::bad(check, "too-old", State::Failure, finding, "update it: claude update").of(path)];
    }
    let mut findings = vec![Finding::ok(check, "found", format!("Claude Code {version} ({path})"))];
    for (first, last, about, state, what) in TROUBLES {
        if (first..=last).contains(&version) {
            let finding = format!("Claude Code {version} {what}");
            findings.push(Finding::bad(check, about, state, finding, "update it: claude update"));
        }
    }
    if version > NEWEST {
        findings.push(Finding::ok(check, "newer", format!("it is newer than {NEWEST}, the newest that was tried")));
    }
    findings
}
