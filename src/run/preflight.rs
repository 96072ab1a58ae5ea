//! Doctor's facts, judged for one run: by its own arguments, without what only a terminal session asks. Pure.

use std::path::PathBuf;

use serde_json::json;

use super::arguments::Arguments;
use crate::doctor::facts::Facts;
use crate::doctor::layers::{Layer, Scope};
use crate::doctor::{self, Check, Finding, State};

/// What is looked at. Past stalls say nothing of this run, gates are a terminal's, and what makes tools wait is what a
/// run sets itself.
pub const CHECKS: [Check; 10] = [
    Check::Client,
    Check::Wiring,
    Check::Live,
    Check::InForce,
    Check::Rivals,
    Check::Mcp,
    Check::Login,
    Check::Config,
    Check::State,
    Check::Switch,
];

/// How our hooks come into a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hooks {
    /// By the settings that the run reads.
    Installed,
    /// By `--settings`, for this run alone.
    Brought,
    /// Not at all: something turns them off.
    Off,
}

/// Makes the facts those of a run with these arguments: the settings files that it reads, the caller's own `--settings`
/// (its name and its text), the mode that it starts in, the switch in its environment.
pub fn fit(facts: &mut Facts, arguments: &Arguments, own: Option<(&str, &str)>) {
    let text = |name: &str| arguments.value(name).map(|value| value.to_string_lossy().into_owned());
    if let Some(sources) = text("setting-sources") {
        let sources: Vec<&str> = sources.split(',').map(str::trim).collect();
        facts.layers.0.retain(|layer| match layer.scope {
            Scope::User => sources.contains(&"user"),
            Scope::Project => sources.contains(&"project"),
            Scope::Local => sources.contains(&"local"),
            Scope::Managed => true,
        });
    }
    if arguments.has("restricted") {
        facts.layers.0.retain(|layer| layer.scope == Scope::Managed);
    }
    let layers = &facts.layers.0;
    if let Some(trials) = &mut facts.trials {
        trials.retain(|trial| layers.iter().any(|layer| layer.file == trial.file));
    }
    let managed = layers.iter().position(|layer| layer.scope == Scope::Managed).unwrap_or(layers.len());
    let mut more = Vec::new();
    if let Some((name, text)) = own {
        more.push(Layer::of(Scope::User, PathBuf::from(name), Ok(text.as_bytes().to_vec())));
    }
    let bypass = arguments.has("dangerously-skip-permissions").then(|| "bypassPermissions".to_owned());
    if let Some(mode) = bypass.or_else(|| text("permission-mode")) {
        let mode = json!({"permissions": {"defaultMode": mode}}).to_string();
        more.push(Layer::of(Scope::User, PathBuf::from("--permission-mode"), Ok(mode.into_bytes())));
    }
    for layer in &more {
        let set = layer.value(&["env"]).and_then(|env| env.as_object()).into_iter().flatten();
        facts.environment.extend(set.filter_map(|(name, value)| Some((name.clone(), value.as_str()?.to_owned()))));
    }
    facts.layers.0.splice(managed..managed, more);
    let said = facts.variable("UNATTENDED").unwrap_or("on").to_owned();
    facts.policy.surroundings.unattended = Some(said);
}

/// How our hooks come into the run of which these are the facts.
pub fn hooks(facts: &Facts, arguments: &Arguments) -> Hooks {
    let off = doctor::judge(facts, &[Check::InForce]).iter().any(|finding| finding.about == "hooks-off");
    if off || arguments.has("bare") || arguments.has("safe-mode") {
        return Hooks::Off;
    }
    let findings = doctor::judge(facts, &[Check::Wiring, Check::Live]);
    let broken = |finding: &Finding| {
        finding.state == State::Failure && (finding.check == Check::Wiring || finding.about == "not-started")
    };
    if findings.iter().any(broken) { Hooks::Brought } else { Hooks::Installed }
}

/// What stands in the way of this run.
pub fn judge(facts: &Facts, arguments: &Arguments, checks: &[Check]) -> Vec<Finding> {
    let mut findings = doctor::judge(facts, checks);
    findings.retain(|finding| !is_no_matter(facts, arguments, finding));
    for finding in &mut findings {
        if finding.state == State::Failure && is_note(finding, arguments) {
            finding.state = State::Warning;
        }
    }
    findings
}

/// What a plain `-p` does not ask about, what a run sees to itself, and servers that it does not start.
fn is_no_matter(facts: &Facts, arguments: &Arguments, finding: &Finding) -> bool {
    match (finding.check, finding.about) {
        (Check::Wiring, _) => finding.state != State::Ok,
        (Check::Live, about) => matches!(about, "none" | "untrusted"),
        (Check::InForce, about) => matches!(about, "onboarding" | "bypass-disclaimer"),
        (Check::Login, about) => about == "key-unapproved",
        (Check::Mcp, _) if arguments.has("strict-mcp-config") => {
            let configs = arguments.values("mcp-config");
            let servers = facts.mcp.iter().flat_map(|mcp| &mcp.servers);
            let other = |name: &String| {
                servers.clone().any(|server| {
                    let own = server.from == "--mcp-config" || configs.iter().any(|config| *config == *server.from);
                    server.name == *name && !own
                })
            };
            finding.subject.as_ref().is_some_and(other)
        }
        _ => false,
    }
}

/// What is worth a word and no reason not to start. Plain `-p` takes trust for granted.
fn is_note(finding: &Finding, arguments: &Arguments) -> bool {
    match (finding.check, finding.about) {
        (Check::InForce, "untrusted" | "hooks-off") | (Check::Mcp, "pending") | (Check::Live, "not-started") => true,
        // Only a host is asked in vain.
        (Check::Client, "no-permission-hook") => !arguments.has("permission-prompt-tool"),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;
    use serde_json::Value;

    use super::*;
    use crate::doctor::check::tests::{layer, sound};
    use crate::doctor::facts::{Listing, Mcp, Server, TrialResult};
    use crate::switch::{Position, Switch};

    /// What is found of a run on a machine with one thing wrong: `about state` of all that is not ok, and how our hooks
    /// come in.
    fn found(spoil: fn(&mut Facts), args: &[&str], own: Option<&str>) -> (Vec<String>, Hooks) {
        let mut facts = sound();
        spoil(&mut facts);
        let arguments = Arguments::new(args.iter().map(Into::into).collect());
        fit(&mut facts, &arguments, own.map(|text| ("--settings", text)));
        let findings = judge(&facts, &arguments, &CHECKS);
        let bad = findings.iter().filter(|finding| finding.state != State::Ok);
        let told = bad.map(|finding| format!("{} {:?}", finding.about, finding.state)).collect();
        (told, hooks(&facts, &arguments))
    }

    fn unwired(facts: &mut Facts) {
        facts.layers.0 = vec![layer(Scope::User, "{}")];
        facts.trials = Some(Vec::new());
    }

    fn hung(facts: &mut Facts) {
        for trial in facts.trials.iter_mut().flatten() {
            trial.result = TrialResult::Hung(std::time::Duration::from_secs(5));
        }
    }

    fn servers(facts: &mut Facts) {
        let server =
            |name: &str, from: &str, pending| Server { name: name.into(), from: from.into(), pending, disabled: false };
        facts.mcp = Some(Mcp {
            servers: vec![
                server("theirs", ".mcp.json", true),
                server("old", "~/.claude.json", false),
                server("mine", "m.json", false),
            ],
            listing: Listing::Whole("old: x - ✘ Failed to connect\nmine: y - ✘ Failed to connect\n".into()),
            needed_login: Vec::new(),
            troubles: Vec::new(),
        });
    }

    #[rstest]
    #[case::sound(|_: &mut Facts| (), &["x"], None, &[], Hooks::Installed)]
    #[case::not_installed(unwired, &["x"], None, &[], Hooks::Brought)]
    #[case::of_layers_that_it_does_not_read(|_: &mut Facts| (), &["--setting-sources", "project,local", "x"], None, &[], Hooks::Brought)]
    #[case::of_no_layer_at_all(|_: &mut Facts| (), &["--restricted", "x"], None, &[], Hooks::Brought)]
    #[case::off_by_the_caller(|_: &mut Facts| (), &["x"], Some(r#"{"disableAllHooks": true}"#), &["hooks-off Warning"], Hooks::Off)]
    #[case::off_by_an_option(|_: &mut Facts| (), &["--safe-mode", "x"], None, &[], Hooks::Off)]
    #[case::hung(hung, &["x"], None, &["hangs Failure", "hangs Failure"], Hooks::Installed)]
    #[case::untrusted(|facts: &mut Facts| facts.told.value["projects"] = Value::Null, &["x"], None, &["untrusted Warning"], Hooks::Installed)]
    #[case::never_set_up(|facts: &mut Facts| facts.told.value["hasCompletedOnboarding"] = false.into(), &["x"], None, &[], Hooks::Installed)]
    #[case::root(|facts: &mut Facts| facts.root = true, &["--dangerously-skip-permissions", "x"], None, &["root-bypass Failure"], Hooks::Installed)]
    #[case::root_in_another_mode(|facts: &mut Facts| facts.root = true, &["--permission-mode=plan", "x"], None, &[], Hooks::Installed)]
    #[case::servers(
        servers, &["--mcp-config", "m.json", "--", "x"], None,
        &["pending Warning", "failed Failure", "failed Failure"], Hooks::Installed
    )]
    #[case::its_own_servers_alone(
        servers, &["--strict-mcp-config", "--mcp-config", "m.json", "--", "x"], None, &["failed Failure"], Hooks::Installed
    )]
    fn a_machine_is_judged_for_this_run(
        #[case] spoil: fn(&mut Facts),
        #[case] args: &[&str],
        #[case] own: Option<&str>,
        #[case] want: &[&str],
        #[case] hooks: Hooks,
    ) {
        assert_eq!(found(spoil, args, own), (want.iter().map(ToString::to_string).collect(), hooks));
    }

    #[test]
    fn the_run_is_on_unless_its_environment_says_otherwise() {
        let off = |facts: &mut Facts| {
            facts.policy.switch = Some(Switch { v: 1, switch: Position::Off, since: facts.now, until: None });
        };
        assert_eq!(found(off, &["x"], None).0, Vec::<String>::new(), "the switch is for other sessions");
        let off = |facts: &mut Facts| {
            facts.environment.insert("UNATTENDED".into(), "off".into());
        };
        assert_eq!(found(off, &["x"], None).0, ["off Failure"]);
        assert_eq!(found(|_: &mut Facts| (), &["x"], Some(r#"{"env": {"UNATTENDED": "off"}}"#)).0, ["off Failure"]);
    }
}
