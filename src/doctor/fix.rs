//! Mends what is safe to mend: our own entries, and the modes of our own folder. Touches nothing of others.

use std::path::PathBuf;

use super::facts::{Facts, FolderKind};
use super::layers::Scope;
use super::{Check, Finding, State};
use crate::settings::{self, Made};
use crate::settings_file::SettingsFile;
use crate::trouble::Trouble;
use crate::{paths, state, wiring};

/// The checks whose findings can be mended.
pub const MENDS: [Check; 2] = [Check::Wiring, Check::State];

/// Mends what was found; tells what was done, and what could not be.
pub fn mend(facts: &Facts, findings: &[Finding]) -> Vec<anyhow::Result<String>> {
    let wrong = |check: Check, about: &str| {
        findings.iter().any(|finding| finding.check == check && finding.about == about && finding.state > State::Ok)
    };
    let mut done = Vec::new();
    let looked_at_state = findings.iter().any(|finding| finding.check == Check::State);
    done.extend(folder(facts, wrong(Check::State, "open")).filter(|_| looked_at_state));
    let entries = ["none", "missing", "unknown-event", "duplicate", "unlike", "program", "other-version"];
    if entries.iter().any(|about| wrong(Check::Wiring, about)) {
        done.extend(files(facts).into_iter().filter_map(|file| install(facts, file).transpose()));
    }
    done
}

/// Makes the state folder, or takes it away from others.
fn folder(facts: &Facts, open: bool) -> Option<anyhow::Result<String>> {
    let folder = facts.state.folder.as_deref()?;
    let shown = facts.shown(folder);
    let trouble = |error: std::io::Error| {
        Trouble::error(format!("{shown}: {error}"), "set UNATTENDED_STATE to a folder that you may write")
    };
    match facts.state.kind {
        FolderKind::Absent => {
            Some(state::create_folder(folder).map(|()| format!("{shown} is made, for you alone")).map_err(trouble))
        }
        FolderKind::Folder if open => {
            Some(state::close_folder(folder).map(|()| format!("{shown} is yours alone")).map_err(trouble))
        }
        _ => None,
    }
}

/// The settings files that hold entries of ours, else the user's. What an administrator wrote is left alone.
fn files(facts: &Facts) -> Vec<PathBuf> {
    let ours = facts.layers.0.iter().filter(|layer| layer.scope != Scope::Managed);
    let ours = ours.filter(|layer| !settings::registered(&layer.text, &facts.exe).events.is_empty());
    let files: Vec<PathBuf> = ours.map(|layer| layer.file.clone()).collect();
    if files.is_empty() {
        return paths::client_folder().map(|folder| folder.join("settings.json")).into_iter().collect();
    }
    files
}

/// `None` where nothing was to be done.
fn install(facts: &Facts, file: PathBuf) -> anyhow::Result<Option<String>> {
    let Some(state) = paths::state_folder() else {
        return Err(Trouble::error("there is no home folder in which to remember what was changed", "set HOME"));
    };
    let file = SettingsFile::at(file, std::path::absolute(state)?)?;
    let waits = wiring::configured_waits();
    let plan = |text: &str, made: Option<&Made>| {
        settings::install(text, &facts.exe, &wiring::wanted(facts.version(), &facts.exe, waits, text), made)
    };
    let change = file.change(&plan)?;
    Ok((!change.is_none()).then(|| format!("the hooks are in {}, read back and checked", file.shown())))
}
