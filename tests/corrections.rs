//! A person's word: acknowledged and corrected decisions, and the correction's way to the sessions that start after it.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod home;
mod recordings;

use std::fs;
use std::path::Path;

use home::Home;
use recordings::{each, project, put, review};
use rstest::rstest;
use serde_json::{Value, json};

/// Ids of the recorded session `decides`.
const QUESTION: &str = "5a444950fc602368";
const PLAN: &str = "d3f43c5aee48d06b";
const PERMISSION: &str = "c4eb5bbd1a98cff1";

fn decided() -> Home {
    let home = recordings::home();
    put(&home, "decides");
    home
}

fn check(home: &Home) -> Option<i32> {
    home.run(&["review", "--check"]).status.code()
}

fn reviews(home: &Home) -> String {
    fs::read_to_string(home.state().join("reviews.jsonl")).unwrap_or_default()
}

/// What a session is told that starts in this folder.
fn told(home: &Home, session: &str, folder: &Path, source: &str) -> Option<String> {
    let start = json!({
        "session_id": session, "cwd": folder, "hook_event_name": "SessionStart", "source": source,
        "transcript_path": "/nowhere.jsonl",
    });
    let answer = home.hook(&start.to_string())?;
    answer["hookSpecificOutput"]["additionalContext"].as_str().map(str::to_owned)
}

fn stop(home: &Home, session: &str, folder: &Path) {
    let stop = json!({
        "session_id": session, "cwd": folder, "hook_event_name": "Stop", "last_assistant_message": "Done.",
        "stop_hook_active": false, "permission_mode": "default",
    });
    assert_eq!(home.hook(&stop.to_string()), None);
}

fn is_corrected(told: Option<String>) -> bool {
    told.is_some_and(|told| told.contains("Blue, always."))
}

#[test]
fn check_goes_from_1_to_0_by_ack_and_correct() {
    let home = decided();
    assert_eq!(check(&home), Some(1));
    assert_eq!(home.says(&["ack", QUESTION, &PLAN[..7]]), "2 decisions are reviewed.\n");
    assert_eq!(check(&home), Some(1));
    assert_eq!(each(&review(&home, &["--unreviewed"]), "id"), [PERMISSION]);
    assert!(home.says(&["correct", PERMISSION, "Blue, always."]).starts_with("c4eb5bbd1a98cff1 is corrected: Bash"));
    assert_eq!(check(&home), Some(0));
    assert_eq!(home.says(&["review", "--check"]), "");
    assert_eq!(each(&review(&home, &["--all"]), "reviewed"), [true, true, true]);
    assert_eq!(review(&home, &["--all"])["decisions"][2]["correction"]["text"], "Blue, always.");
}

#[test]
fn everything_can_be_acknowledged_at_once() {
    let home = recordings::all();
    assert_eq!(home.says(&["ack", "--all"]), "16 decisions are reviewed.\n");
    assert_eq!(home.says(&["ack", "--all"]), "Nothing to do: every decision is reviewed.\n");
    assert_eq!((check(&home), reviews(&home).lines().count()), (Some(0), 16));
}

#[test]
fn what_was_said_is_only_ever_added_to() {
    use std::os::unix::fs::PermissionsExt;
    let home = decided();
    home.says(&["ack", PLAN]);
    let before = reviews(&home);
    home.says(&["correct", QUESTION, "Blue, always."]);
    home.says(&["correct", QUESTION, "Green, always."]);
    assert!(reviews(&home).starts_with(&before));
    assert_eq!(review(&home, &["--all"])["decisions"][0]["correction"]["text"], "Green, always.");
    for file in ["reviews.jsonl", "corrections"] {
        let mode = fs::metadata(home.state().join(file)).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode, if file == "corrections" { 0o700 } else { 0o600 }, "{file}");
    }
}

#[test]
fn a_decision_that_a_later_hook_saw_too_may_be_named_by_that_record() {
    let home = decided();
    home.says(&["ack", "be275fcc16592d63"]);
    assert_eq!(each(&review(&home, &["--all"]), "reviewed"), [false, true, false]);
}

#[rstest]
#[case::none(&["ack", "ffffffff"], "no decision has an id that begins with ffffffff", "hint: unattended review --all")]
#[case::no_id(&["ack", "red"], "\"red\" is no id", "at least four of its digits")]
#[case::too_short(&["correct", "5a4", "x"], "\"5a4\" is no id", "at least four of its digits")]
#[case::no_text(&["correct", QUESTION, "  "], "the correction is empty", "hint: say what you want instead")]
#[case::nothing_piped(&["correct", QUESTION], "the correction is empty", "hint: say what you want instead")]
#[case::too_long(&["correct", QUESTION, &"x".repeat(4001)], "longer than 4000 characters", "hint: put the details")]
fn what_cannot_be_meant_changes_nothing(#[case] args: &[&str], #[case] what: &str, #[case] hint: &str) {
    let home = decided();
    let output = home.run(args);
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!((output.status.code(), output.stdout.len()), (Some(1), 0));
    assert!(said.contains(what) && said.contains(hint), "{said}");
    assert_eq!(reviews(&home), "");
}

#[test]
fn an_id_that_two_decisions_share_the_beginning_of_names_both() {
    let home = decided();
    let mut twin: Value = home.records().into_iter().find(|record| record["kind"] == "permission").unwrap();
    twin["id"] = json!("c4eb000000000000");
    twin["session_id"] = json!("another");
    recordings::add_records(&home, &[twin]);
    let said = String::from_utf8(home.run(&["ack", "c4eb"]).stderr).unwrap();
    assert!(said.contains("2 decisions have ids that begin with c4eb"), "{said}");
    assert!(said.contains("c4eb000000000000") && said.contains(PERMISSION), "{said}");
    home.says(&["ack", "c4eb5"]);
}

#[test]
fn a_correction_is_taken_from_standard_input_too() {
    let home = decided();
    assert!(home.pipe(&["correct", QUESTION], b"Blue,\nalways.\n").status.success());
    assert_eq!(review(&home, &["--all"])["decisions"][0]["correction"]["text"], "Blue,\nalways.");
}

#[rstest]
#[case::attended("CLAUDE_CODE_SESSION_ATTENDED", "1")]
#[case::unattended("CLAUDE_CODE_SESSION_ATTENDED", "0")]
#[case::switched_off("UNATTENDED", "off")]
fn every_new_session_is_told_until_one_has_reached_a_stop(#[case] variable: &str, #[case] value: &str) {
    let home = decided().with(variable, value);
    home.says(&["correct", QUESTION, "Blue, always."]);
    let folder = project(&home, "decides");
    let first = told(&home, "one", &folder, "startup").unwrap();
    let expected = "- A session asked \"Which colour for the door?\" and nobody answered (assumed then: \"red, because it is \
                    in stock.\"). The person says: Blue, always.";
    assert!(first.ends_with(expected), "{first}");
    assert!(first.contains("that person's own word"), "{first}");
    assert!(is_corrected(told(&home, "two", &folder, "startup")), "the first has not reached a Stop");
    let undelivered = review(&home, &["--all", "--kind", "question"]);
    assert_eq!(undelivered["decisions"][0]["correction"]["delivered"], json!([]));
    stop(&home, "two", &folder);
    assert!(!is_corrected(told(&home, "three", &folder, "startup")));
    let review = review(&home, &["--all", "--kind", "question"]);
    let delivered = &review["decisions"][0]["correction"]["delivered"];
    assert_eq!((delivered.as_array().unwrap().len(), &delivered[0]["session_id"]), (1, &json!("two")));
    assert!(home.says(&["review", "--all"]).contains(" to session two\n"));
}

#[test]
fn the_record_of_the_start_names_what_was_given_and_fits_the_schema() {
    let schema: Value = serde_json::from_str(include_str!("../docs/record.schema.json")).unwrap();
    let schema = jsonschema::validator_for(&schema).unwrap();
    let home = decided().with("UNATTENDED", "off");
    home.says(&["correct", QUESTION, "Blue, always."]);
    told(&home, "one", &project(&home, "decides"), "startup");
    let record = home.last_record();
    assert_eq!((&record["event"], &record["on"]), (&json!("SessionStart"), &json!(false)));
    let line: Value = serde_json::from_str(reviews(&home).lines().last().unwrap()).unwrap();
    assert_eq!(record["corrections"], json!([line["correction"]]));
    assert!(schema.is_valid(&record), "{record}");
}

#[test]
fn where_we_act_the_contract_comes_before_the_corrections() {
    let home = decided().with("UNATTENDED", "on");
    home.says(&["correct", QUESTION, "Blue, always."]);
    let told = told(&home, "one", &project(&home, "decides"), "startup").unwrap();
    let contract = home.says(&["prompt"]);
    assert!(told.starts_with(contract.trim_end()) && told.ends_with("Blue, always."), "{told}");
}

#[test]
fn the_session_that_was_told_is_told_again_after_a_compaction_and_no_other_is() {
    let home = decided();
    home.says(&["correct", QUESTION, "Blue, always."]);
    let folder = project(&home, "decides");
    told(&home, "one", &folder, "startup");
    stop(&home, "one", &folder);
    assert!(is_corrected(told(&home, "one", &folder, "compact")));
    assert!(is_corrected(told(&home, "one", &folder, "compact")), "and after the next one");
    assert!(!is_corrected(told(&home, "one", &folder, "resume")), "its transcript has it");
    assert!(!is_corrected(told(&home, "two", &folder, "compact")));
    stop(&home, "one", &folder);
    let review = review(&home, &["--all", "--kind", "question"]);
    assert_eq!(review["decisions"][0]["correction"]["delivered"].as_array().unwrap().len(), 1);
}

#[test]
fn the_session_that_decided_is_told_where_it_goes_on() {
    let home = decided();
    home.says(&["correct", QUESTION, "Blue, always."]);
    assert!(is_corrected(told(&home, &recordings::session_id("decides"), &project(&home, "decides"), "resume")));
}

#[test]
fn other_projects_never_see_it_and_worktrees_do() {
    let home = decided();
    let repository = project(&home, "decides");
    let at = |path: &str| home.path().join(path);
    for folder in ["decides/.git/worktrees/wt", "decides/src/deep", "wt/src", "other"] {
        fs::create_dir_all(at(folder)).unwrap();
    }
    fs::write(at("decides/.git/HEAD"), "ref: refs/heads/main\n").unwrap();
    fs::write(at("wt/.git"), format!("gitdir: {}\n", at("decides/.git/worktrees/wt").display())).unwrap();
    fs::write(at("decides/.git/worktrees/wt/commondir"), "../..\n").unwrap();
    fs::write(at("decides/.git/worktrees/wt/gitdir"), format!("{}\n", at("wt/.git").display())).unwrap();
    home.says(&["correct", QUESTION, "Blue, always."]);
    for (folder, expected) in [
        (at("other"), false),
        (home.path().to_path_buf(), false),
        (repository, true),
        (at("decides/src/deep"), true),
        (at("wt/src"), true),
    ] {
        assert_eq!(is_corrected(told(&home, "one", &folder, "startup")), expected, "{}", folder.display());
    }
}

#[test]
fn a_later_correction_of_the_same_decision_takes_the_place_of_the_earlier() {
    let home = decided();
    home.says(&["correct", QUESTION, "Green, perhaps."]);
    home.says(&["correct", QUESTION, "Blue, always."]);
    let told = told(&home, "one", &project(&home, "decides"), "startup").unwrap();
    assert!(told.contains("Blue, always.") && !told.contains("Green"), "{told}");
}

#[test]
fn a_huge_file_of_corrections_costs_no_more_than_its_end() {
    let home = decided();
    home.says(&["correct", PERMISSION, "Old."]);
    let file = fs::read_dir(home.state().join("corrections")).unwrap().next().unwrap().unwrap().path();
    let filler = format!("{}\n", json!({"did": "delivered", "v": 1, "corrections": ["x".repeat(900)]}));
    let mut text = fs::read_to_string(&file).unwrap();
    text.push_str(&filler.repeat(50_000));
    fs::write(&file, text).unwrap();
    home.says(&["correct", QUESTION, "Blue, always."]);
    let told = told(&home, "one", &project(&home, "decides"), "startup").unwrap();
    assert!(told.contains("Blue, always.") && !told.contains("Old."), "{told}");
}

#[test]
fn many_corrections_are_given_the_newest_first_and_the_others_later() {
    let home = recordings::home();
    put(&home, "assumes-twice");
    let folder = project(&home, "assumes-twice");
    let ids = each(&review(&home, &["--all"]), "id");
    for (number, id) in ids.iter().enumerate() {
        home.says(&["correct", id.as_str().unwrap(), &format!("{number} {}", "x".repeat(3500))]);
    }
    let mut given = Vec::new();
    for session in ["one", "two", "three"] {
        let told = told(&home, session, &folder, "startup").unwrap();
        assert!(told.chars().count() < 10_000, "the client would put it into a file");
        given.push((0..3).filter(|number| told.contains(&format!("says: {number} x"))).collect::<Vec<_>>());
        stop(&home, session, &folder);
    }
    assert_eq!(given, [[2], [1], [0]]);
}

#[rstest]
#[case::a_pipe("mkfifo")]
#[case::a_folder("mkdir")]
fn what_stands_in_the_place_of_corrections_stops_no_start(#[case] make: &str) {
    let home = decided().with("UNATTENDED", "on");
    home.says(&["correct", QUESTION, "Blue, always."]);
    let file = fs::read_dir(home.state().join("corrections")).unwrap().next().unwrap().unwrap().path();
    fs::remove_file(&file).unwrap();
    assert!(std::process::Command::new(make).arg(&file).status().unwrap().success());
    let told = told(&home, "one", &project(&home, "decides"), "startup").unwrap();
    assert!(told.starts_with("This session runs unattended"), "{told}");
}

#[test]
fn where_nothing_was_corrected_a_start_leaves_and_looks_for_nothing() {
    let home = Home::on();
    told(&home, "one", home.path(), "startup");
    stop(&home, "one", home.path());
    assert!(!home.state().join("corrections").exists() && !home.state().join("reviews.jsonl").exists());
    let memory = fs::read_to_string(home.state().join("sessions/one.jsonl")).unwrap();
    assert_eq!(memory.lines().count(), 1, "{memory}");
}

#[test]
fn the_text_of_a_correction_can_act_on_no_terminal() {
    let home = decided();
    home.says(&["correct", QUESTION, "Blue\u{1b}[31m, always."]);
    assert!(!reviews(&home).contains("\\u001b"), "{}", reviews(&home));
    assert_eq!(review(&home, &["--all"])["decisions"][0]["correction"]["text"], "Blue\u{fffd}[31m, always.");
}
