//! Each check with facts that are sound, and with one thing wrong at a time.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may stop at the first thing that fails")]

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use rstest::rstest;
use serde_json::{Value, json};

use super::*;
use crate::client::Version;
use crate::config;
use crate::doctor::facts::*;
use crate::doctor::layers::{Layer, Layers, Scope};
use crate::doctor::trust::Place;
use crate::history::{Odd, Why};
use crate::policy::Policy;
use crate::settings::{self, Form, Waits};
use crate::switch::{Position, Switch};

const EXE: &str = "/home/me/.local/bin/unattended";
const NEW: Version = Version(2, 1, 332);
/// Stands for every kind of secret; no finding may have it.
const SECRET: &str = "sk-ant-planted-0123456789abcdef";

fn now() -> DateTime<Utc> {
    DateTime::from_timestamp(1_796_000_000, 0).unwrap()
}

pub(crate) fn layer(scope: Scope, text: &str) -> Layer {
    let file = match scope {
        Scope::User => "/home/me/.claude/settings.json",
        Scope::Project => "/home/me/p/.claude/settings.json",
        Scope::Local => "/home/me/p/.claude/settings.local.json",
        Scope::Managed => "/etc/claude-code/managed-settings.json",
    };
    Layer::of(scope, PathBuf::from(file), Ok(text.as_bytes().to_vec()))
}

/// A machine on which nothing stands in the way; the switch is on, so that terminal sessions count.
pub(crate) fn sound() -> Facts {
    let wanted = settings::wanted(EXE, Form::Exec, Waits::default(), |event| NEW.knows(event));
    let mut user: Value = serde_json::from_str(&settings::alone(EXE, &wanted).unwrap()).unwrap();
    user["permissions"] = json!({"defaultMode": "acceptEdits", "allow": ["Bash(ls:*)"], "deny": ["WebFetch"]});
    let environment = [("GIT_TERMINAL_PROMPT", "0"), ("GIT_SSH_COMMAND", "ssh -o BatchMode=yes"), ("PAGER", "cat")];
    let answer = |sample, stdout: &str| Trial {
        sample,
        file: "/home/me/.claude/settings.json".into(),
        result: TrialResult::Ran {
            code: Some(0),
            stdout: stdout.to_owned(),
            stderr: String::new(),
            took: Duration::from_micros(2345),
        },
    };
    Facts {
        now: now(),
        place: Place { folder: "/home/me/p".into(), top: None, main: None, trouble: None },
        home: Some("/home/me".into()),
        root: false,
        keychain: false,
        exe: EXE.to_owned(),
        client: Client { path: Some("/home/me/.local/bin/claude".into()), version: Ok(NEW) },
        layers: Layers(vec![layer(Scope::User, &user.to_string())]),
        wanted,
        told: Told {
            file: Some("/home/me/.claude.json".into()),
            value: json!({"hasCompletedOnboarding": true, "projects": {"/home/me/p": {"hasTrustDialogAccepted": true}}}),
            trouble: None,
        },
        credentials: Credentials {
            there: true,
            expires: Some(now() + TimeDelta::hours(5)),
            renewable: true,
            servers: vec![],
            trouble: None,
        },
        environment: environment.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect(),
        policy: Policy {
            switch: Some(Switch { v: 1, switch: Position::On, since: now(), until: None }),
            ..Policy::default()
        },
        config: ConfigFile {
            file: Some("/home/me/.config/unattended/config.toml".into()),
            text: Ok(None),
            notify_trouble: None,
        },
        state: StateFolder {
            folder: Some("/home/me/.local/state/unattended".into()),
            kind: FolderKind::Folder,
            mode: Some(0o700),
            writable: true,
            room: Some(10 << 30),
            switch_trouble: None,
            odd: Vec::new(),
        },
        stalls: Ok(0),
        programs: vec![Program { named: EXE.to_owned(), version: Ok(env!("CARGO_PKG_VERSION").to_owned()) }],
        trials: Some(vec![
            answer(Sample::Question, r#"{"hookSpecificOutput": {"permissionDecision": "deny"}}"#),
            answer(Sample::Plan, r#"{"hookSpecificOutput": {"decision": {"behavior": "allow", "updatedInput": {}}}}"#),
        ]),
        mcp: Some(Mcp {
            servers: vec![server("good")],
            listing: Listing::Whole("good: /bin/x - ✔ Connected\n".to_owned()),
            needed_login: vec![],
            troubles: vec![],
        }),
        terminal: false,
        git: true,
    }
}

/// A wait of ten minutes is configured for questions, and their hook is registered so.
fn waits(facts: &mut Facts, timeout: u64, told: Option<&str>) {
    let waits = Waits { questions: 600, ..Waits::default() };
    facts.wanted = settings::wanted(EXE, Form::Exec, waits, |event| NEW.knows(event));
    let mut user: Value = serde_json::from_str(&settings::alone(EXE, &facts.wanted).unwrap()).unwrap();
    let mut args = vec!["hook", "--for", "PreToolUse:AskUserQuestion"];
    args.extend(told.iter().flat_map(|told| ["--timeout", told]));
    let entry = &mut user["hooks"]["PreToolUse"][0]["hooks"][0];
    (entry["timeout"], entry["args"]) = (json!(timeout), json!(args));
    set(facts, &["hooks"], user["hooks"].clone());
}

fn server(name: &str) -> Server {
    Server { name: name.to_owned(), from: "~/.claude.json".to_owned(), pending: false, disabled: false }
}

/// Another layer beside, or over, those that are there.
fn with(facts: &mut Facts, scope: Scope, value: Value) {
    facts.layers.0.push(layer(scope, &value.to_string()));
    facts.layers.0.sort_by_key(|layer| layer.scope);
}

/// The user's settings with this laid over them.
fn set(facts: &mut Facts, keys: &[&str], value: Value) {
    let mut user = facts.layers.0.remove(0).value;
    let place = keys.iter().fold(&mut user, |place, key| &mut place[*key]);
    *place = value;
    facts.layers.0.insert(0, layer(Scope::User, &user.to_string()));
}

/// An entry of the state folder that cannot be read.
fn odd(path: &str, why: Why) -> Odd {
    Odd { path: PathBuf::from("/home/me/.local/state/unattended").join(path), why }
}

fn auto(facts: &mut Facts) {
    facts.policy.switch = None;
}

fn ran(facts: &mut Facts, code: i32, out: &str, error: &str) {
    for trial in facts.trials.iter_mut().flatten() {
        trial.result = TrialResult::Ran {
            code: Some(code),
            stdout: out.to_owned(),
            stderr: error.to_owned(),
            took: Duration::from_millis(3),
        };
    }
}

fn list(facts: &mut Facts, servers: Vec<Server>, text: &str) {
    if let Some(mcp) = &mut facts.mcp {
        mcp.servers = servers;
        mcp.listing = Listing::Whole(text.to_owned());
    }
}

#[test]
fn where_all_is_sound_each_check_says_so_once_or_more_and_nothing_else() {
    let facts = sound();
    for check in <Check as clap::ValueEnum>::value_variants() {
        let findings = of(*check)(&facts);
        assert!(!findings.is_empty(), "{check:?}");
        assert!(
            findings.iter().all(|it| it.check == *check && it.state == State::Ok && it.remedy.is_none()),
            "{findings:#?}"
        );
    }
}

#[rstest]
#[case::no_client(Check::Client, |f: &mut Facts| f.client.path = None, "absent", State::Failure)]
#[case::mute_client(Check::Client, |f: &mut Facts| f.client.version = Err("it says nothing".into()), "no-version", State::Failure)]
#[case::old_client(Check::Client, |f: &mut Facts| f.client.version = Ok(Version(2, 0, 50)), "too-old", State::Failure)]
#[case::troubled_client(Check::Client, |f: &mut Facts| f.client.version = Ok(Version(2, 0, 77)), "no-permission-hook", State::Failure)]
#[case::strict_client(Check::Client, |f: &mut Facts| f.client.version = Ok(Version(2, 1, 50)), "drops-settings", State::Warning)]
#[case::not_wired(Check::Wiring, |f: &mut Facts| set(f, &["hooks"], json!({})), "none", State::Failure)]
#[case::an_event_missing(Check::Wiring, |f: &mut Facts| set(f, &["hooks", "Elicitation"], json!([])), "missing", State::Failure)]
#[case::an_event_too_many(Check::Wiring, |f: &mut Facts| {
    f.client.version = Ok(Version(2, 1, 77));
    f.wanted.retain(|wanted| Version(2, 1, 77).knows(&wanted.event));
}, "unknown-event", State::Failure)]
#[case::twice_in_a_file(Check::Wiring, |f: &mut Facts| {
    let entry = json!({"type": "command", "command": EXE, "args": ["hook", "--for", "Stop"], "timeout": 30});
    set(f, &["hooks", "Stop"], json!([{"hooks": [entry.clone()]}, {"hooks": [entry]}]));
}, "duplicate", State::Warning)]
#[case::not_as_wanted(Check::Wiring, |f: &mut Facts| {
    let entry = json!({"type": "command", "command": EXE, "args": ["hook"], "timeout": 30});
    set(f, &["hooks", "Stop"], json!([{"hooks": [entry]}]));
}, "unlike", State::Warning)]
#[case::told_of_more_time_than_it_has(Check::Wiring, |f: &mut Facts| waits(f, 100, Some("630")), "timeout", State::Failure)]
#[case::told_of_too_little_time_for_a_wait(Check::Wiring, |f: &mut Facts| waits(f, 630, Some("100")), "timeout", State::Warning)]
#[case::not_told_of_its_time(Check::Wiring, |f: &mut Facts| waits(f, 630, None), "timeout", State::Warning)]
#[case::nothing_to_notify_with(Check::Config, |f: &mut Facts| {
    f.config.text = Ok(Some("[notify]\ncommand = [\"pager\"]\n".into()));
    f.config.notify_trouble = Some("it is not on PATH");
}, "notify", State::Failure)]
#[case::in_two_files(Check::Wiring, |f: &mut Facts| {
    let entry = json!({"type": "command", "command": "/opt/unattended", "args": ["hook", "--for", "Stop"], "timeout": 30});
    with(f, Scope::Project, json!({"hooks": {"Stop": [{"hooks": [entry]}]}}));
}, "several", State::Warning)]
#[case::beside_the_plugin(Check::Wiring, |f: &mut Facts| set(f, &["enabledPlugins"], json!({"unattended@x": true})), "several", State::Warning)]
#[case::executable_gone(Check::Wiring, |f: &mut Facts| f.programs[0].version = Err("No such file".into()), "program", State::Failure)]
#[case::executable_of_another_version(Check::Wiring, |f: &mut Facts| f.programs[0].version = Ok("0.0.1".into()), "other-version", State::Warning)]
#[case::nothing_to_try(Check::Live, |f: &mut Facts| f.trials = Some(vec![]), "none", State::Unknown)]
#[case::an_untrusted_project(Check::Live, |f: &mut Facts| {
    f.told.value["projects"] = json!({});
    let ours = f.layers.0.remove(0).text;
    f.layers.0.push(layer(Scope::Project, &ours));
    f.trials = Some(vec![]);
}, "untrusted", State::Unknown)]
#[case::it_hangs(Check::Live, |f: &mut Facts| f.trials.as_mut().unwrap()[0].result = TrialResult::Hung(Duration::from_secs(5)), "hangs", State::Failure)]
#[case::it_does_not_start(Check::Live, |f: &mut Facts| f.trials.as_mut().unwrap()[1].result = TrialResult::NotStarted("x".into()), "not-started", State::Failure)]
#[case::it_fails(Check::Live, |f: &mut Facts| ran(f, 127, "", "sh: no interpreter"), "exit", State::Failure)]
#[case::it_is_silent(Check::Live, |f: &mut Facts| ran(f, 0, "", ""), "silent", State::Failure)]
#[case::something_prints(Check::Live, |f: &mut Facts| ran(f, 0, "Welcome!\n{\"hookSpecificOutput\": {}}", ""), "noise", State::Failure)]
#[case::it_says_something_else(Check::Live, |f: &mut Facts| ran(f, 0, "{}", ""), "wrong", State::Failure)]
#[case::it_answers_what_is_to_be_left(Check::Live, |f: &mut Facts| {
    f.policy.config = config::read("[questions]\nreply = \"leave\"\n").0;
}, "wrong", State::Failure)]
#[case::it_is_slow(Check::Live, |f: &mut Facts| match &mut f.trials.as_mut().unwrap()[0].result {
    TrialResult::Ran { took, .. } => *took = Duration::from_secs(2),
    _ => unreachable!(),
}, "slow", State::Warning)]
#[case::hooks_off(Check::InForce, |f: &mut Facts| set(f, &["disableAllHooks"], json!(true)), "hooks-off", State::Failure)]
#[case::hooks_off_in_the_project(Check::InForce, |f: &mut Facts| with(f, Scope::Local, json!({"disableAllHooks": true})), "hooks-off", State::Failure)]
#[case::managed_hooks_only(Check::InForce, |f: &mut Facts| with(f, Scope::Managed, json!({"allowManagedHooksOnly": true})), "hooks-off", State::Failure)]
#[case::hooks_of_plugins_only(Check::InForce, |f: &mut Facts| with(f, Scope::Managed, json!({"strictPluginOnlyCustomization": true})), "hooks-off", State::Failure)]
#[case::broken_settings(Check::InForce, |f: &mut Facts| f.layers.0.push(layer(Scope::Project, "{\"a\": }")), "broken-settings", State::Failure)]
#[case::broken_hooks(Check::InForce, |f: &mut Facts| with(f, Scope::Project, json!({"hooks": []})), "broken-settings", State::Failure)]
#[case::repository_unread(Check::InForce, |f: &mut Facts| (f.place.top, f.place.trouble) = (Some("/home/me/p".into()), Some("it is a FIFO".into())), "unread-repository", State::Failure)]
#[case::broken_state(Check::InForce, |f: &mut Facts| f.told.trouble = Some("line 1, column 2".into()), "broken-state", State::Failure)]
#[case::never_set_up(Check::InForce, |f: &mut Facts| f.told.value["hasCompletedOnboarding"] = json!(false), "onboarding", State::Failure)]
#[case::never_set_up_but_attended(Check::InForce, |f: &mut Facts| { auto(f); f.told.value = Value::Null }, "onboarding", State::Warning)]
#[case::untrusted(Check::InForce, |f: &mut Facts| f.told.value["projects"] = json!({}), "untrusted", State::Failure)]
#[case::untrusted_but_attended(Check::InForce, |f: &mut Facts| { auto(f); f.told.value["projects"] = json!({}) }, "untrusted", State::Warning)]
#[case::bypass_not_accepted(Check::InForce, |f: &mut Facts| set(f, &["permissions", "defaultMode"], json!("bypassPermissions")), "bypass-disclaimer", State::Failure)]
#[case::everything_allowed(Check::InForce, |f: &mut Facts| set(f, &["permissions", "allow"], json!(["*"])), "allows-all", State::Warning)]
#[case::a_rival_hook(Check::Rivals, |f: &mut Facts| with(f, Scope::Project, json!({"hooks": {"PreToolUse": [
    {"matcher": "", "hooks": [{"type": "command", "command": "/opt/guard --key sk-ant-planted-0123456789abcdef"}]}]}})), "hook", State::Warning)]
#[case::a_rule_that_asks(Check::Rivals, |f: &mut Facts| set(f, &["permissions", "ask"], json!(["AskUserQuestion"])), "ask", State::Warning)]
#[case::a_rule_that_denies(Check::Rivals, |f: &mut Facts| set(f, &["permissions", "deny"], json!(["ExitPlanMode"])), "deny", State::Warning)]
#[case::prompts_denied(Check::Rivals, |f: &mut Facts| set(f, &["permissions", "denyInsteadOfPrompting"], json!(true)), "denies-prompts", State::Warning)]
#[case::prompts_denied_in_plan_mode(Check::Rivals, |f: &mut Facts| {
    set(f, &["permissions"], json!({"denyInsteadOfPrompting": true, "defaultMode": "plan"}));
}, "denies-prompts", State::Failure)]
#[case::a_login_wanted(Check::Mcp, |f: &mut Facts| list(f, vec![server("x")], "x: http://y (HTTP) - ! Needs authentication"), "needs-login", State::Failure)]
#[case::a_token_to_renew(Check::Mcp, |f: &mut Facts| {
    list(f, vec![server("x")], "x: http://y (HTTP) - ! Needs authentication");
    let ended = Some(now() - TimeDelta::hours(1));
    f.credentials.servers = vec![ServerToken { server: "x".into(), expires: ended, renewable: true }];
}, "token-ended", State::Unknown)]
#[case::a_keychain(Check::Mcp, |f: &mut Facts| {
    f.keychain = true;
    list(f, vec![server("x")], "x: http://y (HTTP) - ! Needs authentication");
}, "needs-login", State::Unknown)]
#[case::a_dead_server(Check::Mcp, |f: &mut Facts| list(f, vec![server("x")], "x: http://y?k=sk-ant-planted-0123456789abcdef (HTTP) - ✘ Failed to connect — http://y?k=sk-ant-planted-0123456789abcdef"), "failed", State::Failure)]
#[case::an_optional_server(Check::Mcp, |f: &mut Facts| {
    f.policy.config = config::read("[doctor]\noptional_servers = [\"x\"]\n").0;
    list(f, vec![server("x")], "x: y - ✗ Failed to connect");
}, "failed", State::Warning)]
#[case::not_approved(Check::Mcp, |f: &mut Facts| list(f, vec![server("x")], "x: y - ⏸ Pending approval"), "pending", State::Failure)]
#[case::not_approved_by_a_client_that_starts_it(Check::Mcp, |f: &mut Facts| {
    f.client.version = Ok(Version(2, 1, 150));
    list(f, vec![Server { pending: true, ..server("x") }], "x: y - ✓ Connected");
}, "pending", State::Failure)]
#[case::not_approved_and_therefore_turned_off_in_the_copy(Check::Mcp, |f: &mut Facts| {
    list(f, vec![Server { pending: true, ..server("x") }], "x: y - ⊘ Disabled");
}, "pending", State::Failure)]
#[case::lame(Check::Mcp, |f: &mut Facts| list(f, vec![server("x")], "x: y - ! Connected · tools fetch failed"), "lame", State::Warning)]
#[case::new_words(Check::Mcp, |f: &mut Facts| list(f, vec![server("x")], "x: y - ☂ Raining"), "else", State::Unknown)]
#[case::not_listed(Check::Mcp, |f: &mut Facts| list(f, vec![server("x")], "No MCP servers configured."), "skipped", State::Unknown)]
#[case::no_answer(Check::Mcp, |f: &mut Facts| f.mcp.as_mut().unwrap().listing = Listing::Cut(String::new(), Duration::from_secs(60)), "no-answer", State::Failure)]
#[case::not_run(Check::Mcp, |f: &mut Facts| f.mcp.as_mut().unwrap().listing = Listing::NotRun("why".into()), "not-asked", State::Unknown)]
#[case::not_run_and_a_login_was_wanted(Check::Mcp, |f: &mut Facts| {
    let mcp = f.mcp.as_mut().unwrap();
    mcp.needed_login = vec!["good".into()];
    mcp.listing = Listing::NotRun("why".into());
}, "needed-login", State::Unknown)]
#[case::a_config_unread(Check::Mcp, |f: &mut Facts| f.mcp.as_mut().unwrap().troubles = vec![("x.json".into(), "no JSON".into())], "unread-config", State::Failure)]
#[case::no_login(Check::Login, |f: &mut Facts| f.credentials = Credentials::default(), "absent", State::Failure)]
#[case::no_login_and_a_provider_turned_off(Check::Login, |f: &mut Facts| {
    f.credentials = Credentials::default();
    f.environment.insert("CLAUDE_CODE_USE_BEDROCK".into(), "0".into());
}, "absent", State::Failure)]
#[case::no_login_in_the_files_of_a_mac(Check::Login, |f: &mut Facts| { f.credentials = Credentials::default(); f.keychain = true }, "keychain", State::Unknown)]
#[case::login_ended(Check::Login, |f: &mut Facts| { f.credentials.renewable = false; f.credentials.expires = Some(now()) }, "expired", State::Failure)]
#[case::login_ends_soon(Check::Login, |f: &mut Facts| f.credentials.renewable = false, "ends-soon", State::Warning)]
#[case::login_to_renew(Check::Login, |f: &mut Facts| f.credentials.expires = Some(now() - TimeDelta::days(1)), "stale", State::Warning)]
#[case::credentials_unread(Check::Login, |f: &mut Facts| f.credentials.trouble = Some("line 1, column 1".into()), "unread", State::Failure)]
#[case::a_key_never_approved(Check::Login, |f: &mut Facts| { f.environment.insert("ANTHROPIC_API_KEY".into(), SECRET.into()); }, "key-unapproved", State::Failure)]
#[case::root_bypasses(Check::Login, |f: &mut Facts| { f.root = true; set(f, &["permissions", "defaultMode"], json!("bypassPermissions")) }, "root-bypass", State::Failure)]
#[case::config_broken(Check::Config, |f: &mut Facts| f.config.text = Ok(Some("[stop]\nnudges = \"two\"".into())), "broken", State::Failure)]
#[case::config_unread(Check::Config, |f: &mut Facts| f.config.text = Err("Permission denied".into()), "unread", State::Failure)]
#[case::config_with_a_slip(Check::Config, |f: &mut Facts| f.config.text = Ok(Some("defualt = \"on\"".into())), "unknown-key", State::Warning)]
#[case::no_home(Check::State, |f: &mut Facts| f.state.folder = None, "no-home", State::Failure)]
#[case::a_file_in_its_place(Check::State, |f: &mut Facts| f.state.kind = FolderKind::Else, "no-folder", State::Failure)]
#[case::read_only(Check::State, |f: &mut Facts| f.state.writable = false, "not-writable", State::Failure)]
#[case::open_to_others(Check::State, |f: &mut Facts| f.state.mode = Some(0o755), "open", State::Warning)]
#[case::little_room(Check::State, |f: &mut Facts| f.state.room = Some(50 << 20), "room", State::Warning)]
#[case::no_room(Check::State, |f: &mut Facts| f.state.room = Some(4096), "room", State::Failure)]
#[case::a_folder_among_the_records(Check::State, |f: &mut Facts| f.state.odd = vec![odd("records/2026-11-20.jsonl", Why::Folder)], "odd-entry", State::Warning)]
#[case::a_link_in_the_place_of_todays_file(Check::State, |f: &mut Facts| {
    let today = format!("records/{}.jsonl", f.now.date_naive());
    f.state.odd = vec![odd(&today, Why::Link)];
}, "odd-entry", State::Failure)]
#[case::a_file_in_the_place_of_the_records(Check::State, |f: &mut Facts| f.state.odd = vec![odd("records", Why::NoFolder)], "odd-entry", State::Failure)]
#[case::switched_off(Check::Switch, |f: &mut Facts| f.policy.switch.as_mut().unwrap().switch = Position::Off, "off", State::Failure)]
#[case::off_by_config(Check::Switch, |f: &mut Facts| { auto(f); f.policy.config = config::read("default = \"off\"").0 }, "off", State::Failure)]
#[case::no_word_of_ours(Check::Switch, |f: &mut Facts| f.policy.surroundings.unattended = Some("maybe".into()), "no-word", State::Warning)]
#[case::switch_unread(Check::Switch, |f: &mut Facts| f.state.switch_trouble = Some("x".into()), "unread", State::Warning)]
#[case::stalls(Check::Stalls, |f: &mut Facts| f.stalls = Ok(2), "stalls", State::Warning)]
#[case::records_unread(Check::Stalls, |f: &mut Facts| f.stalls = Err("x".into()), "unread", State::Unknown)]
#[case::auto_behind_a_gateway(Check::Gates, |f: &mut Facts| {
    f.environment.insert("ANTHROPIC_BASE_URL".into(), "http://gateway".into());
    set(f, &["permissions", "defaultMode"], json!("auto"));
}, "auto-behind-gateway", State::Failure)]
#[case::auto_by_the_clients_own_default(Check::Gates, |f: &mut Facts| {
    auto(f);
    f.environment.insert("ANTHROPIC_BASE_URL".into(), "http://gateway".into());
    set(f, &["permissions"], json!({}));
}, "auto-behind-gateway", State::Warning)]
#[case::auto_without_consent(Check::Gates, |f: &mut Facts| {
    f.client.version = Ok(Version(2, 1, 150));
    set(f, &["permissions", "defaultMode"], json!("auto"));
}, "auto-consent", State::Failure)]
#[case::git_asks(Check::Surroundings, |f: &mut Facts| { f.environment.remove("GIT_TERMINAL_PROMPT"); }, "git-asks", State::Warning)]
#[case::ssh_asks(Check::Surroundings, |f: &mut Facts| { f.environment.remove("GIT_SSH_COMMAND"); }, "git-asks", State::Warning)]
#[case::a_pager(Check::Surroundings, |f: &mut Facts| { f.environment.insert("PAGER".into(), "less".into()); }, "pager", State::Warning)]
#[case::a_terminal(Check::Surroundings, |f: &mut Facts| f.terminal = true, "terminal", State::Warning)]
fn one_thing_wrong_is_found_named_and_remedied(
    #[case] check: Check,
    #[case] spoil: fn(&mut Facts),
    #[case] about: &str,
    #[case] state: State,
) {
    let mut facts = sound();
    spoil(&mut facts);
    let findings = of(check)(&facts);
    let found: Vec<_> = findings.iter().filter(|finding| finding.about == about && finding.state == state).collect();
    assert!(!found.is_empty(), "{findings:#?}");
    for finding in &findings {
        assert_eq!(finding.state == State::Ok, finding.remedy.is_none(), "{finding:#?}");
        let said = format!("{finding:?}");
        assert!(!said.contains("planted") && !finding.finding.contains('\n'), "{said}");
    }
}

#[rstest]
#[case::overruled(|f: &mut Facts| { set(f, &["disableAllHooks"], json!(true)); with(f, Scope::Project, json!({"disableAllHooks": false})) })]
#[case::managed_hooks_only_in_a_layer_where_it_counts_for_nothing(|f: &mut Facts| set(f, &["allowManagedHooksOnly"], json!(true)))]
#[case::managed_hooks_only_and_ours_are_managed(|f: &mut Facts| {
    let mut ours = f.layers.0[0].value.clone();
    ours["allowManagedHooksOnly"] = json!(true);
    with(f, Scope::Managed, ours);
})]
#[case::bypass_accepted(|f: &mut Facts| {
    set(f, &["permissions", "defaultMode"], json!("bypassPermissions"));
    set(f, &["skipDangerousModePermissionPrompt"], json!(true));
})]
#[case::bypass_accepted_long_ago(|f: &mut Facts| {
    set(f, &["permissions", "defaultMode"], json!("bypassPermissions"));
    f.told.value["bypassPermissionsModeAccepted"] = json!(true);
})]
#[case::a_hook_for_other_tools(|f: &mut Facts| with(f, Scope::Project, json!({"hooks": {"PreToolUse": [
    {"matcher": "Bash", "hooks": [{"type": "command", "command": "guard"}]}],
    "Stop": [{"hooks": [{"type": "command", "command": "notify"}]}]}})))]
#[case::disabled_server(|f: &mut Facts| list(f, vec![Server { disabled: true, ..server("x") }], "x: y - ⊘ Disabled for this project"))]
#[case::disabled_server_of_a_client_that_starts_it(|f: &mut Facts| {
    f.client.version = Ok(Version(2, 1, 150));
    list(f, vec![Server { disabled: true, ..server("x") }], "x: y - ✗ Failed to connect");
})]
#[case::key_approved(|f: &mut Facts| {
    f.environment.insert("ANTHROPIC_API_KEY".into(), SECRET.into());
    f.told.value["customApiKeyResponses"] = json!({"approved": [&SECRET[SECRET.len() - 20..]]});
})]
#[case::root_in_a_sandbox(|f: &mut Facts| {
    f.root = true;
    f.environment.insert("IS_SANDBOX".into(), "1".into());
    set(f, &["permissions", "defaultMode"], json!("bypassPermissions"));
    set(f, &["skipDangerousModePermissionPrompt"], json!(true));
})]
#[case::what_is_to_be_left_is_left(|f: &mut Facts| {
    f.policy.config = config::read("[questions]\nreply = \"leave\"\n[plans]\nreply = \"leave\"\n").0;
    ran(f, 0, "", "");
})]
#[case::auto_without_a_gateway(|f: &mut Facts| set(f, &["permissions", "defaultMode"], json!("auto")))]
#[case::no_git(|f: &mut Facts| { f.git = false; f.environment = BTreeMap::new() })]
#[case::the_same_commands_in_two_files(|f: &mut Facts| { let ours = f.layers.0[0].value.clone(); with(f, Scope::Local, ours) })]
fn what_is_no_trouble_is_not_told(#[case] change: fn(&mut Facts)) {
    let mut facts = sound();
    change(&mut facts);
    for check in <Check as clap::ValueEnum>::value_variants() {
        let findings = of(*check)(&facts);
        let bad: Vec<_> = findings
            .iter()
            .filter(|finding| finding.state != State::Ok)
            // An old client has troubles of its own.
            .filter(|finding| *check != Check::Client || finding.about == "absent")
            .collect();
        assert_eq!(bad, Vec::<&Finding>::new());
    }
}

#[test]
fn a_recorded_listing_of_each_client_names_the_same_servers_as_wrong() {
    let servers = |old: bool| {
        let mut servers: Vec<Server> =
            ["good", "oauth", "oauth-sse", "dead", "missing", "my server: odd", "local"].map(server).into();
        servers.push(Server { disabled: true, ..server("off") });
        servers.push(Server { pending: old, ..server("pending") });
        servers
    };
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/mcp-list");
    let mut versions = 0;
    for file in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        let version: Version = file.file_stem().unwrap().to_string_lossy().parse().unwrap();
        let mut facts = sound();
        facts.client.version = Ok(version);
        list(&mut facts, servers(version < Version(2, 1, 246)), &std::fs::read_to_string(&file).unwrap());
        let mut found: Vec<_> = of(Check::Mcp)(&facts)
            .into_iter()
            .map(|finding| (finding.subject.unwrap_or_default(), finding.about, finding.state))
            .collect();
        found.sort();
        let wrong = [
            ("dead", "failed"),
            ("local", "failed"),
            ("missing", "failed"),
            ("oauth", "needs-login"),
            ("oauth-sse", "failed"),
            ("pending", "pending"),
        ];
        let wrong = wrong.map(|(name, about)| (name.to_owned(), about, State::Failure));
        assert_eq!(found, wrong, "{version}");
        versions += 1;
    }
    assert!(versions >= 4);
}

#[test]
fn a_remedy_is_one_that_the_client_has() {
    let remedy = |version| {
        let mut facts = sound();
        facts.client.version = Ok(version);
        list(&mut facts, vec![server("my server")], "my server: http://y (HTTP) - ! Needs authentication");
        of(Check::Mcp)(&facts).remove(0).remedy.unwrap()
    };
    assert_eq!(remedy(NEW), "claude mcp login 'my server'");
    assert_eq!(remedy(Version(2, 1, 150)), "start claude with it and log in under /mcp");
}
