//! `in-force`: what turns hooks off, and the dialogs that come before any hook runs.

use std::collections::BTreeMap;

use super::terminal_gate;
use crate::doctor::facts::Facts;
use crate::doctor::layers::{Layer, Scope, UNREAD};
use crate::doctor::{Check, Finding, State};
use crate::settings;

const CHECK: Check = Check::InForce;

/// Judges it.
pub(super) fn judge(facts: &Facts) -> Vec<Finding> {
    let mut findings = broken(facts);
    findings.extend(repository(facts));
    findings.extend(turned_off(facts));
    findings.extend(told(facts));
    findings.extend(bypass(facts));
    findings.extend(allows_all(facts));
    super::or_ok(findings, || {
        Finding::ok(CHECK, "in-force", "hooks run in this folder, and no dialog comes before them")
    })
}

/// A settings file that the client cannot read: it is skipped whole, and a terminal session asks at its start (seen from
/// 2.1.50 to 2.1.332).
fn broken(facts: &Facts) -> Vec<Finding> {
    let broken = facts.layers.0.iter().filter_map(|layer| Some((layer, layer.trouble.as_ref()?)));
    broken
        .map(|(layer, trouble)| {
            let file = facts.shown(&layer.file);
            if trouble.what.starts_with(UNREAD) {
                let finding = format!("{file} {}", trouble.what);
                return Finding::bad(CHECK, "unread-settings", State::Failure, finding, trouble.hint.clone()).of(file);
            }
            let finding = format!("{file} {}: the client skips all of it, and asks at its start", trouble.what);
            Finding::bad(CHECK, "broken-settings", State::Failure, finding, format!("correct {file} at that place"))
                .of(file)
        })
        .collect()
}

/// What git, and with it the client, would read first in the folder.
fn repository(facts: &Facts) -> Option<Finding> {
    let (top, why) = (facts.place.top.as_ref()?, facts.place.trouble.as_ref()?);
    let git = facts.shown(&top.join(".git"));
    let remedy = format!("take {git} away, or make it what git makes it");
    let finding = format!("{git} cannot be read: {why}");
    Some(Finding::bad(CHECK, "unread-repository", State::Failure, finding, remedy).of(git))
}

fn turned_off(facts: &Facts) -> Vec<Finding> {
    let mut findings = Vec::new();
    let off = |key: &str, layer: &Layer| {
        let file = facts.shown(&layer.file);
        let finding = format!("{key} in {file} keeps our hooks from running");
        let remedy = match layer.scope {
            Scope::Managed => "whoever manages this machine can take it out, or register the hooks there".to_owned(),
            _ => format!("take {key} out of {file}"),
        };
        Finding::bad(CHECK, "hooks-off", State::Failure, finding, remedy).of(file)
    };
    // A higher layer's `false` overrules a lower one's `true` (2.1.332).
    findings.extend(facts.layers.says_true(&["disableAllHooks"]).map(|layer| off("disableAllHooks", layer)));
    let ours_are_managed =
        facts.layers.0.iter().any(|layer| {
            layer.scope == Scope::Managed && !settings::registered(&layer.text, &facts.exe).events.is_empty()
        });
    if !ours_are_managed {
        // In other layers the client passes these over; of several managed files a later one's word holds (2.1.332).
        let mut forbidden = BTreeMap::new();
        for layer in facts.layers.0.iter().filter(|layer| layer.scope == Scope::Managed && layer.trouble.is_none()) {
            for (key, said) in settings::forbids(&layer.text).into_iter().filter(|(key, _)| *key != "disableAllHooks") {
                match said {
                    Some(true) => drop(forbidden.insert(key, layer)),
                    Some(false) => drop(forbidden.remove(key)),
                    None => {}
                }
            }
        }
        findings.extend(forbidden.into_iter().map(|(key, layer)| off(key, layer)));
    }
    findings
}

/// What a person must have said to the client once.
fn told(facts: &Facts) -> Vec<Finding> {
    let mut findings = Vec::new();
    let told = &facts.told;
    let file = told.file.as_deref().map(|file| facts.shown(file)).unwrap_or_default();
    if let Some(why) = &told.trouble {
        let finding = format!("{file} cannot be read: {why}");
        let remedy = format!("correct it, or move {file} away and start claude once");
        return vec![Finding::bad(CHECK, "broken-state", State::Failure, finding, remedy).of(file)];
    }
    if *told.at(&["hasCompletedOnboarding"]) != true {
        let finding = "the client was never set up here: a terminal session asks for a theme and a login";
        findings.push(Finding::bad(
            CHECK,
            "onboarding",
            terminal_gate(facts),
            finding,
            "start claude once and answer what it asks",
        ));
    }
    if !facts.is_trusted() {
        let folder = facts.shown(&facts.place.folder);
        let finding = format!("{folder} is not trusted yet: a terminal session asks, and runs no hook until then");
        let at = facts.place.main.as_deref().unwrap_or(&facts.place.folder);
        let remedy = format!("start claude once in {} and accept", facts.shown(at));
        findings.push(Finding::bad(CHECK, "untrusted", terminal_gate(facts), finding, remedy).of(folder));
    }
    findings
}

/// The client keeps the consent in settings, and older ones in `~/.claude.json`, which 2.1.332 takes as well.
fn bypass(facts: &Facts) -> Option<Finding> {
    let accepted = facts.layers.says_true(&["skipDangerousModePermissionPrompt"]).is_some()
        || *facts.told.at(&["bypassPermissionsModeAccepted"]) == true;
    (facts.mode() == "bypassPermissions" && !accepted).then(|| {
        let finding = "permissions.defaultMode is bypassPermissions, and its disclaimer was never accepted: a terminal session asks";
        Finding::bad(CHECK, "bypass-disclaimer", terminal_gate(facts), finding, "start claude once and accept it")
    })
}

/// A rule that allows everything answers the question tool with nothing where no hook does.
fn allows_all(facts: &Facts) -> Option<Finding> {
    let rules = facts.layers.strings(&["permissions", "allow"]);
    let (layer, _) = rules.into_iter().find(|(_, rule)| *rule == "*")?;
    let file = facts.shown(&layer.file);
    let finding = format!("permissions.allow in {file} has \"*\": some clients answer questions with nothing by it");
    let remedy = format!("name the tools in {file}, or use a permission mode");
    Some(Finding::bad(CHECK, "allows-all", State::Warning, finding, remedy).of(file))
}
