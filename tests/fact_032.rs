//! Fact 032, point by point on the recordings of its client, 2.1.314: the hooks carry the question and the options, so
//! that the dialog can be shown and answered with no screen to parse.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

mod home;

use home::{Home, payload, recorded};
use serde_json::{Value, json};

const CLIENT: &str = "2.1.314";

/// The record of a recorded session's question while the dialog is left to a person.
fn question(case: &str, event: &str) -> Value {
    let home = Home::new().with("UNATTENDED", "off");
    assert_eq!(home.hook(&payload(CLIENT, case, event, "AskUserQuestion")), None);
    home.last_record()
}

#[test]
fn point_1_the_record_holds_the_dialog_as_it_was_drawn() {
    let question = &question("question-answered-by-digit", "PreToolUse")["questions"][0];
    assert_eq!(question["header"], "Color");
    assert_eq!(question["question"], "Do you prefer red or blue?");
    let rows: Vec<_> = question["rows"].as_array().unwrap().iter().map(|row| row["label"].as_str().unwrap()).collect();
    assert_eq!(rows, ["Red", "Blue", "Type something.", "Chat about this"]);
    assert_eq!(question["options"][0]["description"], "You prefer red.");
}

/// The hook events of a recorded session from the question on, each given to the hook, and the kinds recorded.
fn played(case: &str) -> (Vec<String>, Vec<Value>) {
    let home = Home::new().with("UNATTENDED", "off");
    let mut events = Vec::new();
    for line in recorded(CLIENT, case) {
        home.hook(&line);
        events.push(serde_json::from_str::<Value>(&line).unwrap()["hook_event_name"].as_str().unwrap().to_owned());
    }
    let first = events.iter().position(|event| event == "PreToolUse").unwrap();
    (events.split_off(first), home.records().iter().map(|record| record["kind"].clone()).collect())
}

#[test]
fn point_2_the_hooks_fire_in_the_order_of_the_fact_and_each_is_understood() {
    let (events, kinds) = played("question-unanswered");
    assert_eq!(events, ["PreToolUse", "PermissionRequest", "Notification"]);
    assert_eq!(kinds, ["question", "question"]);
    let (events, kinds) = played("question-answered-by-digit");
    assert_eq!(events, ["PreToolUse", "PermissionRequest", "PostToolUse", "Stop"], "answered before the notification");
    assert_eq!(kinds, ["question", "question", "answer"]);
}

#[test]
fn point_3_both_hooks_before_the_dialog_give_the_same_question() {
    let [before, request] =
        ["PreToolUse", "PermissionRequest"].map(|event| question("question-answered-by-digit", event));
    assert_eq!(before["questions"], request["questions"]);
    assert_eq!(before["questions"][0]["multiSelect"], false);
    assert_eq!((before["tool_use_id"].is_string(), request.get("tool_use_id")), (true, None));
}

#[test]
fn point_4_the_client_adds_two_rows_to_the_options_and_they_are_told_apart() {
    let record = question("question-answered-by-digit", "PreToolUse");
    assert_eq!(
        record["questions"][0]["rows"],
        json!([
            {"number": 1, "label": "Red", "kind": "option"},
            {"number": 2, "label": "Blue", "kind": "option"},
            {"number": 3, "label": "Type something.", "kind": "free_text"},
            {"number": 4, "label": "Chat about this", "kind": "chat"},
        ])
    );
}

#[test]
fn point_5_the_answer_maps_the_question_to_the_label() {
    let home = Home::new().with("UNATTENDED", "off");
    home.hook(&payload(CLIENT, "question-answered-by-digit", "PostToolUse", "AskUserQuestion"));
    let record = home.last_record();
    assert_eq!((&record["kind"], &record["whose"]), (&json!("answer"), &json!("person")));
    assert_eq!(record["answers"], json!({"Do you prefer red or blue?": "Red"}));
}

#[test]
fn point_6_the_digit_of_an_option_is_its_number() {
    let record = question("question-wizard-with-multiselect", "PreToolUse");
    for question in record["questions"].as_array().unwrap() {
        let (options, rows) = (question["options"].as_array().unwrap(), question["rows"].as_array().unwrap());
        for (index, option) in options.iter().enumerate() {
            assert_eq!((&rows[index]["number"], &rows[index]["label"]), (&json!(index + 1), &option["label"]));
        }
        assert_eq!(rows.len(), options.len() + 2);
    }
}

#[test]
fn point_7_a_plan_comes_with_its_text_and_file_and_goes_on_in_the_mode_that_was_set() {
    let home = Home::on();
    let answer = home.hook(&payload(CLIENT, "plan-unanswered", "PermissionRequest", "ExitPlanMode")).unwrap();
    let mode = &answer["hookSpecificOutput"]["decision"]["updatedPermissions"][0]["mode"];
    let plan = home.last_record()["plan"].clone();
    assert!(plan["text"].as_str().unwrap().starts_with("# Plan"));
    assert!(plan["path"].as_str().unwrap().contains("/.claude/plans/"));
    assert_eq!((mode, &plan["seen_by"]), (&json!("acceptEdits"), &json!("nobody")));
}

#[test]
fn a_wizard_with_multi_select_is_recorded_whole_with_what_the_model_recommends() {
    let record = question("question-wizard-with-multiselect", "PreToolUse");
    let questions = record["questions"].as_array().unwrap();
    assert_eq!(questions.iter().map(|question| &question["multiSelect"]).collect::<Vec<_>>(), [true, false]);
    assert_eq!(
        questions[1]["options"][1],
        json!({"label": "Large (Recommended)", "description": "l", "recommended": true})
    );
}

#[test]
fn with_several_to_choose_the_free_row_is_one_more_box() {
    let record = question("question-wizard-with-multiselect", "PreToolUse");
    let labels = |at: usize| record["questions"][at]["rows"].as_array().unwrap().iter().map(|row| row["label"].clone());
    assert_eq!(labels(0).collect::<Vec<_>>(), ["Red", "Blue", "Green", "Type something", "Chat about this"]);
    assert_eq!(labels(1).collect::<Vec<_>>(), ["Small", "Large (Recommended)", "Type something.", "Chat about this"]);
}

#[test]
fn an_answer_in_the_persons_own_words_is_recorded_as_they_wrote_it() {
    let home = Home::new().with("UNATTENDED", "off");
    let answered = payload(CLIENT, "question-answered-in-free-text", "PostToolUse", "AskUserQuestion");
    home.hook(&answered);
    let sent: Value = serde_json::from_str(&answered).unwrap();
    let record = home.last_record();
    assert_eq!(record["answers"], sent["tool_response"]["answers"]);
    assert_eq!(record["whose"], "person");
}

#[test]
fn chat_about_this_and_escape_bring_no_answer() {
    for case in ["question-chat-about-this", "question-escaped"] {
        let home = Home::new().with("UNATTENDED", "off");
        recorded(CLIENT, case).iter().for_each(|line| drop(home.hook(line)));
        assert!(home.records().iter().all(|record| record["kind"] == "question"), "{case}");
    }
}

#[test]
fn a_preview_is_recorded_with_its_option_and_takes_the_place_of_the_free_row() {
    let record = question("question-with-preview", "PreToolUse");
    let question = &record["questions"][0];
    let options = question["options"].as_array().unwrap();
    assert!(options.iter().any(|option| option["preview"].is_string()), "{record:#}");
    let rows = question["rows"].as_array().unwrap();
    assert_eq!(rows.len(), options.len() + 1);
    assert_eq!(rows.last().unwrap(), &json!({"label": "Chat about this", "kind": "chat"}));
}
