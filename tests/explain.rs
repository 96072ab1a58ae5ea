//! `unattended explain`: what it says is what the hook answers, and what it names as deciding decides.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

mod home;

use std::collections::BTreeSet;
use std::fs;

use home::Home;
use rstest::rstest;
use serde_json::{Value, json};
use unattended::config::{self, Config};
use unattended::explain::cases::EVENTS;
use unattended::explain::knobs;

fn explained(home: &Home, args: &[&str]) -> Vec<Value> {
    let schema: Value = serde_json::from_str(include_str!("../docs/explain.schema.json")).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let told: Value = serde_json::from_str(&home.says(&[&["explain", "--json"], args].concat())).unwrap();
    let errors: Vec<_> = validator.iter_errors(&told).map(|error| error.to_string()).collect();
    assert!(errors.is_empty(), "{errors:?}\n{told:#}");
    told.as_array().unwrap().clone()
}

fn one(home: &Home, args: &[&str]) -> Value {
    let mut all = explained(home, args);
    assert_eq!(all.len(), 1, "{args:?}");
    all.remove(0)
}

/// A config for each value of each key on which an answer can hang.
fn configs() -> Vec<String> {
    let knobs = knobs::config();
    let set = knobs.iter().flat_map(|knob| knob.values.iter().map(|(value, _)| (knob.key, *value)));
    let file = |(key, value): (&str, &str)| {
        let (table, key) = key.split_once('.').unwrap();
        format!("[{table}]\n{key} = {value}\n")
    };
    set.map(file).collect()
}

#[test]
fn what_it_says_is_what_the_hook_answers_to_every_event_and_tool_under_every_config() {
    let mut compared = 0;
    for config in configs() {
        let home = Home::new().with("CLAUDE_CODE_SESSION_ATTENDED", "0").config(&config);
        for (event, _) in EVENTS {
            for told in explained(&home, &[event]) {
                if !told["wait"].is_null() {
                    continue; // The hook waits so long.
                }
                let answer = home.hook(&told["payload"].to_string()).unwrap_or_default();
                assert_eq!((&told["answer"], &told["unattended"]["answer"]), (&answer, &answer), "{config}: {told:#}");
                compared += 1;
            }
        }
    }
    assert!(compared > 300, "{compared}");
}

#[rstest]
#[case::attended(Home::new().with("CLAUDE_CODE_SESSION_ATTENDED", "1"))]
#[case::nothing_said(Home::new())]
#[case::off(Home::new().with("UNATTENDED", "off"))]
#[case::on(Home::on())]
#[case::by_config(Home::new().config("default = \"off\"\n"))]
fn what_it_says_of_a_persons_session_is_what_the_hook_answers_there(#[case] home: Home) {
    for (event, _) in EVENTS {
        for told in explained(&home, &[event]) {
            let payload = told["payload"].to_string();
            assert_eq!(told["answer"], home.hook(&payload).unwrap_or_default(), "{told:#}");
        }
    }
    let attended = home.with("CLAUDE_CODE_SESSION_ATTENDED", "1");
    for (event, _) in EVENTS {
        for told in explained(&attended, &[event]) {
            let answer = attended.hook(&told["payload"].to_string()).unwrap_or_default();
            assert_eq!(told["attended"]["answer"], answer, "{told:#}");
        }
    }
}

#[test]
fn where_a_person_is_asked_first_it_says_for_how_long() {
    let config = "[questions]\nwait = \"10m\"\n[plans]\nwait = \"2h\"\n[permissions]\nwait = \"90s\"\n";
    let home = Home::on().config(config);
    let wait = |event, tool| one(&home, &[event, tool])["wait"].clone();
    assert_eq!(wait("PreToolUse", "AskUserQuestion"), 600);
    assert_eq!(wait("PermissionRequest", "ExitPlanMode"), 7200);
    assert_eq!(wait("PermissionRequest", "Bash"), 90);
    assert_eq!(wait("PostToolUse", "ExitPlanMode"), Value::Null);
    let shown = home.says(&["explain", "PermissionRequest", "Bash"]);
    assert!(shown.contains("a person may reply for 1m 30s; else denied"), "{shown}");
}

#[test]
fn each_key_named_as_deciding_does_and_no_other() {
    let home = Home::on();
    let deciding = |event: &str, about: &str| -> Vec<String> {
        let told = one(&home, &[event, about]);
        let keys = told["decided_by"].as_array().unwrap().iter().filter_map(|decider| decider["key"].as_str());
        keys.map(str::to_owned).collect()
    };
    assert_eq!(deciding("PreToolUse", "AskUserQuestion"), ["questions.reply", "questions.wait"]);
    assert_eq!(deciding("PermissionRequest", "mcp__any__AskUserQuestion"), ["questions.reply"]);
    assert_eq!(deciding("PermissionRequest", "ExitPlanMode"), ["plans.reply", "plans.then", "plans.wait"]);
    assert_eq!(deciding("PermissionRequest", "Write"), ["permissions.reply", "permissions.wait"]);
    assert_eq!(deciding("Stop", "Shall I go on?"), ["stop.nudges"]);
    assert_eq!(deciding("SessionStart", "startup"), ["questions.wait", "plans.wait", "permissions.wait"]);
    assert_eq!(one(&home, &["SessionStart", "startup"])["decided_by"][0]["what"], "switch");
    assert_eq!(deciding("Stop", "All is done."), Vec::<String>::new());
    assert_eq!(one(&home, &["Elicitation"])["decided_by"][1]["key"], "elicitations.reply");
}

#[test]
fn every_key_of_the_config_is_one_that_is_tried_or_one_on_which_no_answer_hangs() {
    let readme = include_str!("../README.md");
    let shown = readme.split("```toml\n").nth(1).unwrap().split("```").next().unwrap();
    let silent = ["default", "records.while_off", "records.mask", "records.keep_days", "doctor.optional_servers"];
    let known: Vec<&str> =
        knobs::config().iter().map(|knob| knob.key).chain(silent).chain(["notify.command"]).collect();
    let mut table = String::new();
    let mut seen = 0;
    for line in shown.lines() {
        if let Some(name) = line.strip_prefix('[') {
            table = format!("{}.", name.trim_end_matches(']'));
        } else if let Some((key, _)) = line.split_once(" = ") {
            let key = format!("{table}{key}");
            assert!(known.contains(&key.as_str()), "{key}: a new key: have explain try it (src/explain/knobs.rs)");
            seen += 1;
        }
    }
    assert!(seen >= 11, "{seen}");
}

#[test]
fn every_value_that_is_tried_is_one_of_the_file() {
    for knob in knobs::config() {
        let (table, key) = knob.key.split_once('.').unwrap();
        for (value, set) in knob.values {
            let mut config = Config::default();
            set(&mut config);
            assert_eq!(config::read(&format!("[{table}]\n{key} = {value}\n")), (config.clone(), vec![]));
            assert_eq!((knob.value)(&config), *value);
        }
    }
}

#[test]
fn the_events_explained_are_those_that_are_registered() {
    let registered: Value = serde_json::from_str(include_str!("../hooks/hooks.json")).unwrap();
    let registered: BTreeSet<&str> = registered["hooks"].as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(EVENTS.iter().map(|(event, _)| *event).collect::<BTreeSet<_>>(), registered);
}

#[test]
fn an_event_that_is_none_is_refused_with_those_that_are() {
    let output = Home::new().run(&["explain", "PreToolUSED"]);
    assert_eq!((output.status.code(), output.stdout.len()), (Some(1), 0));
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(told.starts_with("error: \"PreToolUSED\" is no event that is answered or recorded\nhint: the events are "));
    assert!(EVENTS.iter().all(|(event, _)| told.contains(event)), "{told}");
    assert_eq!(one(&Home::new(), &["pretooluse", "Bash"])["event"], "PreToolUse", "however it is written");
}

#[test]
fn a_persons_session_and_one_that_nobody_attends_are_told_side_by_side() {
    let shown = Home::new().says(&["explain", "PreToolUse", "AskUserQuestion"]);
    let expected = concat!(
        "PreToolUse AskUserQuestion\n",
        "  unattended session   denied, with guidance for the model\n",
        "                       remembers that this prompt has asked\n",
        "                       since it is on, by auto: nobody attends\n",
        "  attended session     nothing: the dialog is left to a person\n",
        "                       since it is off, by auto: a person attends\n",
        "  decided by           the switch\n",
        "                       [questions] reply = \"guide\", the default\n",
    );
    assert!(shown.starts_with(expected), "{shown}");
    let shown = Home::on().says(&["explain", "PermissionRequest", "ExitPlanMode"]);
    let expected = concat!(
        "PermissionRequest ExitPlanMode\n",
        "  any session          approved unchanged, and carried out in acceptEdits\n",
        "                       since it is on, by UNATTENDED in the environment\n",
    );
    assert!(shown.starts_with(expected), "{shown}");
}

#[test]
fn every_screen_fits_into_80_columns_and_is_plain() {
    for (event, _) in EVENTS {
        let shown = Home::new().says(&["explain", event]);
        assert!(shown.lines().all(|line| line.chars().count() <= 80), "{shown}");
        assert!(!shown.contains('\u{1b}'));
    }
    let hostile = Home::new().says(&["explain", "Stop", "Shall I\u{1b}[2J go on?"]);
    assert!(!hostile.contains('\u{1b}'), "{hostile:?}");
}

#[test]
fn the_mode_matters_where_it_is_remembered() {
    let told = one(&Home::on(), &["PreToolUse", "EnterPlanMode", "--mode", "auto"]);
    assert_eq!(told["remembers"], json!(["that plan mode was entered from auto"]));
    assert_eq!(one(&Home::on(), &["PreToolUse", "EnterPlanMode", "--mode", "plan"])["remembers"], Value::Null);
}

#[test]
fn what_a_session_remembers_counts_and_is_named() {
    let home = Home::on();
    let enter = json!({"session_id": "abc", "permission_mode": "auto", "hook_event_name": "PreToolUse",
                       "tool_name": "EnterPlanMode", "tool_input": {}});
    home.hook(&enter.to_string());
    let notes = fs::read(home.state().join("sessions/abc.jsonl")).unwrap();
    let told = one(&home, &["PermissionRequest", "ExitPlanMode", "--session", "abc"]);
    assert_eq!(told["now"]["modes"], json!(["auto"]));
    assert!(told["decided_by"].as_array().unwrap().contains(&json!({"what": "memory"})), "{told:#}");
    assert_eq!(fs::read(home.state().join("sessions/abc.jsonl")).unwrap(), notes, "nothing is written");
    assert_eq!(home.hook(&told["payload"].to_string()).unwrap(), told["answer"]);
    let output = home.run(&["explain", "Stop", "--session", "unknown"]);
    assert_eq!(output.status.code(), Some(1));
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(told.starts_with("error: nothing is remembered of a session unknown\nhint: "), "{told}");
}

#[test]
fn a_session_that_is_on_beyond_the_switchs_end_is_told_as_that() {
    let home = Home::new().with("CLAUDE_CODE_SESSION_ATTENDED", "1");
    fs::create_dir_all(home.state().join("sessions")).unwrap();
    let switch = json!({"v": 1, "switch": "on", "since": "2026-01-01T00:00:00Z", "until": "2026-01-02T00:00:00Z"});
    fs::write(home.state().join("switch.json"), switch.to_string()).unwrap();
    let started = r#"{"t":1767225600000,"p":1,"lane":"0","e":"started"}"#;
    fs::write(home.state().join("sessions/abc.jsonl"), started).unwrap();
    assert_eq!(one(&home, &["Elicitation", "--session", "abc"])["because"], "switch_ended");
    assert_eq!(one(&home, &["Elicitation"])["because"], "attended");
}

#[test]
fn nothing_is_written() {
    let home = Home::on();
    home.says(&["explain", "PermissionRequest"]);
    assert_eq!(fs::read_dir(home.path()).unwrap().count(), 0);
}
