//! What real clients sent gets the answers that stand beside it, and a record that the published schema allows.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

mod cases;
mod home;

use std::fs;
use std::path::PathBuf;

use home::{Home, fixtures};
use serde_json::Value;

/// Every recorded session: its payloads and the file with the answers expected.
fn sessions() -> Vec<(PathBuf, Vec<String>, PathBuf)> {
    let sessions = cases::sessions_in(&fixtures());
    assert!(sessions.len() >= 75, "all recordings are there: {}", sessions.len());
    sessions
}

fn validator() -> jsonschema::Validator {
    let schema: Value = serde_json::from_str(include_str!("../docs/record.schema.json")).unwrap();
    jsonschema::validator_for(&schema).unwrap()
}

/// `UPDATE_ANSWERS=1 cargo test --test recorded` writes the answers anew, to be read before they are committed.
#[test]
fn every_recorded_payload_gets_the_answer_beside_it_and_a_valid_record() {
    let validator = validator();
    for (file, payloads, answers_file) in sessions() {
        let home = Home::on();
        let answers = cases::answers(&home, &payloads);
        if std::env::var_os("UPDATE_ANSWERS").is_some() {
            let lines: String = answers.iter().map(|answer| format!("{answer}\n")).collect();
            fs::write(&answers_file, lines).unwrap();
        }
        assert_eq!(answers, cases::expected(&answers_file), "{}", file.display());
        for record in home.records() {
            let errors: Vec<_> = validator.iter_errors(&record).map(|error| error.to_string()).collect();
            assert!(errors.is_empty(), "{}: {errors:?}\n{record:#}", file.display());
        }
    }
}

#[test]
fn while_off_nothing_is_answered_but_the_line_at_the_start_and_only_what_a_person_sees_is_recorded() {
    let validator = validator();
    for (file, payloads, _) in sessions() {
        let home = Home::new().with("UNATTENDED", "off");
        for payload in &payloads {
            let sent: Value = serde_json::from_str(payload).unwrap();
            match home.hook(payload) {
                Some(answer) => {
                    assert_eq!(sent["hook_event_name"], "SessionStart", "{}: {answer}", file.display());
                    let line = answer["systemMessage"].as_str().unwrap();
                    assert!(line.starts_with("unattended: off") && answer.as_object().unwrap().len() == 1, "{answer}");
                }
                None => assert_ne!(sent["hook_event_name"], "SessionStart"),
            }
        }
        for record in home.records() {
            assert!(validator.is_valid(&record), "{record:#}");
            let kind = record["kind"].as_str().unwrap();
            assert!(["question", "plan", "answer"].contains(&kind), "{}: {record}", file.display());
            assert_eq!((&record["on"], &record["decision"]["action"]), (&Value::Bool(false), &"none".into()));
        }
    }
}

#[test]
fn no_answer_is_one_that_lets_a_dialog_open_or_stops_the_run() {
    for (file, _, answers) in sessions() {
        let text = fs::read_to_string(answers).unwrap();
        for never in ["\"ask\"", "\"defer\"", "\"continue\"", "\"interrupt\""] {
            assert!(!text.contains(never), "{}: {never}", file.display());
        }
        for answer in text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()) {
            let specific = &answer["hookSpecificOutput"];
            let allows = specific["permissionDecision"] == "allow" || specific["decision"]["behavior"] == "allow";
            let echoes = specific.get("updatedInput").or_else(|| specific["decision"].get("updatedInput"));
            assert_eq!(allows, echoes.is_some_and(Value::is_object), "a bare allow: {answer}");
        }
    }
}
