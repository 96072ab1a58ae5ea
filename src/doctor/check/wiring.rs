//! `wiring`: our entries in the settings that the folder sees, and the executables that they name.

use std::collections::BTreeSet;

use super::words;
use crate::doctor::facts::Facts;
use crate::doctor::layers::{Layer, Scope};
use crate::doctor::{Check, Finding, State};
use crate::settings::{self, NAME, Survey};

const CHECK: Check = Check::Wiring;

/// Judges it.
pub(super) fn judge(facts: &Facts) -> Vec<Finding> {
    let surveys: Vec<(&Layer, Survey)> = facts
        .layers
        .0
        .iter()
        // The client skips a file with a fault; `in-force` tells of it.
        .filter(|layer| layer.trouble.is_none())
        .map(|layer| (layer, settings::survey(&layer.text, &facts.exe, &facts.wanted)))
        .filter(|(_, survey)| !survey.ours.is_empty())
        .collect();
    if surveys.is_empty() {
        if let Some(plugin) = plugin(facts) {
            return vec![Finding::ok(CHECK, "by-plugin", format!("the hooks come with the plugin {plugin}"))];
        }
        let finding = "no hook of ours is in the settings that this folder sees: nothing is answered";
        return vec![Finding::bad(CHECK, "none", State::Failure, finding, "unattended install")];
    }
    let mut findings = missing(facts, &surveys);
    for (layer, survey) in &surveys {
        let file = facts.shown(&layer.file);
        findings.extend(entries(facts, layer, survey).into_iter().map(|finding| finding.of(&file)));
    }
    findings.extend(twice(facts, &surveys));
    findings.extend(programs(facts));
    super::or_ok(findings, || {
        let files: Vec<String> = surveys.iter().map(|(layer, _)| facts.shown(&layer.file)).collect();
        Finding::ok(CHECK, "wired", format!("every event that the client knows is wired in {}", words::list(&files)))
    })
}

/// What no layer has.
fn missing(facts: &Facts, surveys: &[(&Layer, Survey)]) -> Vec<Finding> {
    let mut missing: Option<BTreeSet<&String>> = None;
    for (_, survey) in surveys {
        let here = survey.missing.iter().collect();
        missing = Some(match missing {
            Some(so_far) => &so_far & &here,
            None => here,
        });
    }
    let missing: Vec<String> = missing.into_iter().flatten().cloned().collect();
    if missing.is_empty() {
        return Vec::new();
    }
    let known = facts.version().map(|version| format!(" (Claude Code {version} knows that)")).unwrap_or_default();
    let finding = format!("not registered: {}{known}", words::list(&missing));
    let remedy = install(surveys.first().map(|(layer, _)| layer.scope));
    vec![Finding::bad(CHECK, "missing", State::Failure, finding, remedy)]
}

/// What is wrong in one file.
fn entries(facts: &Facts, layer: &Layer, survey: &Survey) -> Vec<Finding> {
    let mut findings = Vec::new();
    let file = facts.shown(&layer.file);
    let wanted = |event: &str| facts.wanted.iter().any(|wanted| wanted.event == event);
    let unwanted = || survey.ours.iter().filter(|ours| ours.unwanted);
    let unknown: BTreeSet<&str> = unwanted().map(|ours| ours.event.as_str()).filter(|event| !wanted(event)).collect();
    if let Some(version) = facts.version().filter(|_| !unknown.is_empty()) {
        let names: Vec<String> = unknown.iter().map(ToString::to_string).collect();
        let finding = format!(
            "{file} has {}: Claude Code {version} does not know that, and asks at its start",
            words::list(&names)
        );
        findings.push(Finding::bad(CHECK, "unknown-event", State::Failure, finding, install(Some(layer.scope))));
    }
    let twice: BTreeSet<&str> = unwanted().map(|ours| ours.event.as_str()).filter(|event| wanted(event)).collect();
    if !twice.is_empty() {
        let names: Vec<String> = twice.iter().map(ToString::to_string).collect();
        let finding = format!("{} is registered more than once in {file}", words::list(&names));
        findings.push(Finding::bad(CHECK, "duplicate", State::Warning, finding, install(Some(layer.scope))));
    }
    findings.extend(timeouts(facts, layer, survey));
    let moved = survey.ours.iter().any(|ours| ours.program != facts.exe);
    if survey.unlike && !moved && findings.is_empty() {
        let finding = format!("the entries in {file} are not as this version and its config want them");
        findings.push(Finding::bad(CHECK, "unlike", State::Warning, finding, install(Some(layer.scope))));
    }
    findings
}

/// A hook that waits for a person must know when the client ends it, and end before: where it is ended, the dialog opens.
fn timeouts(facts: &Facts, layer: &Layer, survey: &Survey) -> Vec<Finding> {
    /// What the client gives an entry that says nothing, in seconds: the least of what it has given.
    const UNSAID: f64 = 60.0;
    let file = facts.shown(&layer.file);
    let mut findings = Vec::new();
    for ours in survey.ours.iter().filter(|ours| !ours.unwanted) {
        let Some(tag) = &ours.tag else { continue };
        let timeout = ours.timeout.unwrap_or(UNSAID);
        let told = ours.told_timeout.unwrap_or(0);
        let needed = facts.wanted.iter().find(|wanted| wanted.tag == *tag).map_or(0, |wanted| wanted.least_timeout);
        // Whole seconds are exact in an f64 for longer than anybody waits.
        if needed > 0 && told as f64 > timeout {
            let finding = format!(
                "{tag} in {file} is ended after {timeout} s and believes that it has {told} s: it may wait for a person \
                 when the client ends it, and the dialog opens"
            );
            findings.push(Finding::bad(CHECK, "timeout", State::Failure, finding, install(Some(layer.scope))));
        } else if told < needed {
            let finding = format!(
                "{tag} in {file} has no time for the configured wait: it is cut short (registered for {} s, {needed} s \
                 are needed)",
                if told > 0 { told as f64 } else { timeout }
            );
            findings.push(Finding::bad(CHECK, "timeout", State::Warning, finding, install(Some(layer.scope))));
        }
    }
    findings
}

/// The same in several files: the client runs identical commands once, others each.
fn twice(facts: &Facts, surveys: &[(&Layer, Survey)]) -> Vec<Finding> {
    let commands = |survey: &Survey| -> BTreeSet<(String, Option<Vec<String>>)> {
        survey.ours.iter().map(|ours| (ours.command.clone(), ours.args.clone())).collect()
    };
    let Some((_, first)) = surveys.first() else { return Vec::new() };
    let differ = surveys.iter().skip(1).any(|(_, survey)| commands(survey) != commands(first));
    let plugin = plugin(facts);
    if !differ && plugin.is_none() {
        return Vec::new();
    }
    let mut places: Vec<String> = surveys.iter().map(|(layer, _)| facts.shown(&layer.file)).collect();
    places.extend(plugin.map(|plugin| format!("the plugin {plugin}")));
    let finding = format!("hooks of ours are in {}: each answers every call", words::list(&places));
    let remedy = "keep one: unattended uninstall, with --scope project or --scope local for the project's";
    vec![Finding::bad(CHECK, "several", State::Warning, finding, remedy)]
}

/// The executables named.
fn programs(facts: &Facts) -> Vec<Finding> {
    let own = env!("CARGO_PKG_VERSION");
    let mut findings = Vec::new();
    for program in &facts.programs {
        let named = facts.shown(std::path::Path::new(&program.named));
        let finding = match &program.version {
            Ok(version) if version == own => continue,
            Ok(version) => Finding::bad(
                CHECK,
                "other-version",
                State::Warning,
                format!("{named} is version {version}, this is {own}"),
                "register this one: unattended install",
            ),
            Err(why) => Finding::bad(
                CHECK,
                "program",
                State::Failure,
                format!("{named} is registered and does not run: {}", words::first_line(why)),
                "put it back, or register this one: unattended install",
            ),
        };
        findings.push(finding.of(named));
    }
    findings
}

/// Our plugin, where it is enabled.
fn plugin(facts: &Facts) -> Option<String> {
    let (_, plugins) = facts.layers.value(&["enabledPlugins"])?;
    let enabled = plugins.as_object()?.iter().filter(|(_, enabled)| **enabled == true);
    enabled.map(|(name, _)| name).find(|name| name.split('@').next() == Some(NAME)).cloned()
}

fn install(scope: Option<Scope>) -> String {
    match scope {
        Some(Scope::Project) => "unattended install --scope project".to_owned(),
        Some(Scope::Local) => "unattended install --scope local".to_owned(),
        Some(Scope::Managed) => {
            "whoever manages this machine registers them anew: unattended install --print".to_owned()
        }
        Some(Scope::User) | None => "unattended install".to_owned(),
    }
}
