//! `state`, `switch` and `stalls`: our own folder, what the switch says, and what waited although we acted.

use std::path::Path;

use super::words;
use crate::doctor::facts::{Facts, FolderKind};
use crate::doctor::gather::STALL_DAYS;
use crate::doctor::{Check, Finding, State};
use crate::switch::{self, Surroundings};
use crate::{journal, standing};

/// Room below which a long run may fill the disk, and below which nothing is sure to be recorded; in bytes.
const LITTLE_ROOM: u64 = 100 * 1024 * 1024;
const NO_ROOM: u64 = 1024 * 1024;

/// Judges the state folder.
pub(super) fn judge(facts: &Facts) -> Vec<Finding> {
    let check = Check::State;
    let state = &facts.state;
    let Some(folder) = state.folder.as_deref().map(|folder| facts.shown(folder)) else {
        let finding = "there is no home folder: nothing is recorded";
        return vec![Finding::bad(
            check,
            "no-home",
            State::Failure,
            finding,
            "set HOME, or UNATTENDED_STATE to a folder",
        )];
    };
    let mut findings = Vec::new();
    let mut bad = |about, state, what: String, remedy: String| {
        findings.push(Finding::bad(check, about, state, what, remedy).of(&folder));
    };
    if state.kind == FolderKind::Else {
        bad(
            "no-folder",
            State::Failure,
            format!("{folder} is no folder: nothing is recorded"),
            format!("move {folder} away"),
        );
    } else if !state.writable {
        let remedy = format!("make {folder} writable for you, or set UNATTENDED_STATE to another folder");
        bad("not-writable", State::Failure, format!("{folder} cannot be written: nothing is recorded"), remedy);
    }
    if let Some(mode) = state.mode.filter(|mode| state.kind == FolderKind::Folder && mode & 0o077 != 0) {
        let what = format!("{folder} is open to others ({mode:03o}): records hold what you and the model wrote");
        bad("open", State::Warning, what, format!("chmod 700 {folder}"));
    }
    let journal = [journal::folder(Path::new("")), journal::day_file(Path::new(""), facts.now.date_naive())];
    for odd in &state.odd {
        // Where today's records should go.
        let now = journal.iter().any(|place| odd.path.ends_with(place));
        let (state, means) = match (now, &odd.why) {
            (true, _) => (State::Failure, "nothing is recorded there"),
            (false, _) => (State::Warning, "what it may hold is not shown"),
        };
        bad(
            "odd-entry",
            state,
            format!("{} {}: {means}", facts.shown(&odd.path), odd.why.text()),
            odd.remedy().to_owned(),
        );
    }
    if let Some(room) = state.room.filter(|room| *room < LITTLE_ROOM) {
        let state = if room < NO_ROOM { State::Failure } else { State::Warning };
        bad("room", state, format!("{} MiB are left where {folder} is", room / 1024 / 1024), "make room".to_owned());
    }
    super::or_ok(findings, || Finding::ok(check, "sound", format!("{folder} can be written, and is yours alone")))
}

/// Judges what the switch says.
pub(super) fn judge_switch(facts: &Facts) -> Vec<Finding> {
    let check = Check::Switch;
    let mut findings = Vec::new();
    if let Err(why) = facts.policy.surroundings.said() {
        findings.push(Finding::bad(check, "no-word", State::Warning, why, "set it to on, off or auto, or unset it"));
    }
    if let Some(why) = &facts.state.switch_trouble {
        let finding = format!("the switch file cannot be read, and counts as absent: {}", words::first_line(why));
        findings.push(Finding::bad(
            check,
            "unread",
            State::Warning,
            finding,
            "say it again: unattended on, off or auto",
        ));
    }
    let verdict = |attended: &str| {
        let surroundings = Surroundings { attended: Some(attended.to_owned()), ..facts.policy.surroundings.clone() };
        switch::resolve(&surroundings, facts.policy.switch.as_ref(), facts.policy.config.default, facts.now, || None)
    };
    let headless = verdict("0");
    if !headless.acts {
        let finding = format!("it is off by {}: every dialog waits for a person", headless.because);
        findings.push(Finding::bad(
            check,
            "off",
            State::Failure,
            finding,
            "unattended on, or unattended auto for runs that nobody attends",
        ));
        return findings;
    }
    let until =
        facts.policy.switch.as_ref().filter(|switch| switch.in_force(facts.now)).and_then(|switch| switch.until);
    let until = until.map(|until| format!(" until {}", standing::clock(until, facts.now))).unwrap_or_default();
    let said = if facts.terminals_are_answered() {
        format!("every session is answered{until}")
    } else {
        format!("headless sessions are answered, terminal sessions are yours; to leave one: {}", standing::LEAVING)
    };
    findings.push(Finding::ok(check, "says", said));
    findings
}

/// Judges the stalls that were recorded lately.
pub(super) fn judge_stalls(facts: &Facts) -> Vec<Finding> {
    let check = Check::Stalls;
    vec![match &facts.stalls {
        Ok(0) => Finding::ok(check, "none", format!("no stall was recorded in the last {STALL_DAYS} days")),
        Ok(count) => {
            let stalls = if *count == 1 { "one stall was".to_owned() } else { format!("{count} stalls were") };
            let finding = format!("{stalls} recorded in the last {STALL_DAYS} days while it was on");
            Finding::bad(check, "stalls", State::Warning, finding, "see what waited: unattended status")
        }
        Err(why) => {
            let finding = format!("the records cannot be read: {why}");
            Finding::bad(check, "unread", State::Unknown, finding, "see that you may read the state folder")
        }
    }]
}
