//! Turns that end waiting for an answer, over processes: how often a prompt is sent on, and what is recorded when it is
//! let go.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod home;

use std::io::Write;
use std::process::Stdio;

use home::{Home, payload};
use rstest::rstest;
use serde_json::{Value, json};

/// The end of a turn that asks to proceed. `first` is one that no hook caused.
fn asks(first: bool) -> Value {
    let recorded = payload("2.1.332", "turn-ended-with-a-question-in-prose", "Stop", "");
    let mut stop: Value = serde_json::from_str(&recorded).unwrap();
    stop["stop_hook_active"] = json!(!first);
    stop["last_assistant_message"] = json!("I have looked at the code. Shall I proceed?");
    stop
}

/// Whether a registration, told apart by its words, sends the turn on.
fn sends_on(home: &Home, words: &[&str], stop: &Value) -> bool {
    let answer = home.hook_bytes(words, stop.to_string().as_bytes());
    answer.is_some_and(|answer| serde_json::from_slice::<Value>(&answer).unwrap()["decision"] == "block")
}

#[test]
fn a_model_that_asks_for_ever_is_let_go_after_two_and_recorded_as_a_stall() {
    let home = Home::on();
    let sent_on: Vec<_> = [true, false, false].map(|first| sends_on(&home, &["hook"], &asks(first))).into();
    assert_eq!(sent_on, [true, true, false]);
    let records = home.records();
    let told: Vec<_> = records.iter().map(|record| (record["kind"].clone(), record["nudge"].clone())).collect();
    assert_eq!(told, [("nudge".into(), json!(1)), ("nudge".into(), json!(2)), ("stop".into(), Value::Null)]);
    assert_eq!((&records[2]["stall"], &records[2]["stall_kind"]), (&json!(true), &json!("prose")));
    assert_eq!(records[0]["turn"], "waits");
}

#[test]
fn the_next_prompt_is_sent_on_again() {
    let home = Home::on();
    for first in [true, false, false] {
        sends_on(&home, &["hook"], &asks(first));
    }
    let mut next = asks(true);
    next["prompt_id"] = json!("another");
    assert!(sends_on(&home, &["hook"], &next));
}

#[test]
fn the_reason_tells_the_model_to_decide_and_to_stop_where_all_is_done() {
    let home = Home::on();
    let answer = home.hook(&asks(true).to_string()).unwrap();
    let reason = answer["reason"].as_str().unwrap();
    for part in ["has not been answered", "stop now and take on nothing new", "`Assumed:`", "easiest to undo"] {
        assert!(reason.contains(part), "{part}: {reason}");
    }
}

#[rstest]
#[case::without_prompt_ids(false)]
#[case::with_prompt_ids(true)]
fn two_registrations_on_one_stop_give_the_same_answer_and_count_once(#[case] prompt_ids: bool) {
    let home = Home::on();
    let registrations: [&[&str]; 2] = [&["hook", "--for", "Stop"], &["hook", "--for", "Stop", "--plugin"]];
    for (first, expected) in [(true, true), (false, true), (false, false)] {
        let mut stop = asks(first);
        if !prompt_ids {
            stop.as_object_mut().unwrap().remove("prompt_id");
        }
        for words in registrations {
            assert_eq!(sends_on(&home, words, &stop), expected, "{words:?} first: {first}");
        }
    }
    let status: Value = serde_json::from_str(&home.says(&["status", "--json"])).unwrap();
    assert_eq!(status["today"]["nudges"], 2);
}

#[test]
fn hooks_side_by_side_on_one_stop_count_once() {
    let home = Home::on();
    let children: Vec<_> = (0..8)
        .map(|_| {
            let mut child = home.command(&["hook"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
            child.stdin.take().unwrap().write_all(asks(true).to_string().as_bytes()).unwrap();
            child
        })
        .collect();
    for child in children {
        assert!(!child.wait_with_output().unwrap().stdout.is_empty(), "each sends on");
    }
    assert!(sends_on(&home, &["hook"], &asks(false)), "the second of two");
    assert!(!sends_on(&home, &["hook"], &asks(false)));
}

#[test]
fn a_stop_in_plan_mode_is_recorded_as_such() {
    let home = Home::on();
    let mut stop = asks(true);
    stop["permission_mode"] = json!("plan");
    home.hook(&stop.to_string());
    assert_eq!(home.last_record()["in_plan_mode"], true);
}

#[test]
fn an_offer_after_finished_work_is_left_alone() {
    let home = Home::on();
    let mut stop = asks(true);
    stop["last_assistant_message"] = json!("All done, the tests pass. Want me to also open a pull request?");
    assert!(!sends_on(&home, &["hook"], &stop));
    assert_eq!(home.last_record()["turn"], "offer");
}

#[test]
fn while_background_tasks_run_a_turn_is_left_to_them_and_is_no_stall() {
    let home = Home::on();
    let mut stop = asks(true);
    stop["background_tasks"] = json!([{"id": "a", "type": "subagent", "status": "running"}]);
    assert!(!sends_on(&home, &["hook"], &stop));
    let record = home.last_record();
    assert_eq!((&record["background_tasks"], record.get("stall")), (&json!(1), None));
}
