//! The switch as a person works it: what each verb says, what then holds in which session, and until when.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod home;

use std::fs;

use chrono::{DateTime, Duration, Utc};
use home::{Home, payload};
use rstest::rstest;
use serde_json::{Value, json};

const ATTENDED: (&str, &str) = ("CLAUDE_CODE_SESSION_ATTENDED", "1");
const UNATTENDED: (&str, &str) = ("CLAUDE_CODE_SESSION_ATTENDED", "0");

fn question() -> String {
    payload("2.1.332", "question-unanswered", "PreToolUse", "AskUserQuestion")
}

fn start(source: &str) -> String {
    payload("2.1.332", "question-unanswered", "SessionStart", "").replace("\"startup\"", &format!("\"{source}\""))
}

fn acts(home: &Home) -> bool {
    home.hook(&question()).is_some()
}

/// Sets the switch as it would be had `on --until` been said an hour ago.
fn on_until(home: &Home, until: DateTime<Utc>) {
    home.says(&["on"]);
    let since = unattended::clock::now() - Duration::hours(1);
    let switch = json!({"v": 1, "switch": "on", "since": since, "until": until});
    fs::write(home.state().join("switch.json"), switch.to_string()).unwrap();
}

#[rstest]
#[case::the_client_says_nobody(&[UNATTENDED], true, "unattended")]
#[case::the_client_says_a_person(&[ATTENDED], false, "attended")]
#[case::an_old_client_in_an_sdk(&[("CLAUDE_CODE_ENTRYPOINT", "sdk-cli")], true, "unattended")]
#[case::an_sdk_by_another_name(&[("CLAUDE_CODE_ENTRYPOINT", "sdk-py")], true, "unattended")]
#[case::an_old_client_in_a_terminal(&[("CLAUDE_CODE_ENTRYPOINT", "cli")], false, "attended")]
#[case::an_old_client_in_githubs_action(&[("CLAUDE_CODE_ENTRYPOINT", "claude-code-github-action")], true, "unattended")]
#[case::an_editor(&[("CLAUDE_CODE_ENTRYPOINT", "claude-vscode")], false, "attended")]
#[case::a_background_session(&[UNATTENDED, ("CLAUDE_CODE_ENTRYPOINT", "cli")], true, "unattended")]
#[case::a_newer_value_is_no_word(&[("CLAUDE_CODE_SESSION_ATTENDED", "maybe")], true, "unsaid")]
#[case::nothing_says_anything(&[], true, "unsaid")]
fn auto_acts_where_nobody_is_there_to_be_asked(
    #[case] environment: &[(&str, &str)],
    #[case] expected: bool,
    #[case] because: &str,
) {
    let home = environment.iter().fold(Home::new(), |home, (name, value)| home.with(name, value));
    assert_eq!(acts(&home), expected);
    let record = home.last_record();
    assert_eq!((&record["on"], &record["because"]), (&json!(expected), &json!(because)));
}

#[test]
fn the_environment_counts_before_the_switch_and_the_switch_before_the_config() {
    let home = Home::new().with(ATTENDED.0, ATTENDED.1).config("default = \"on\"\n");
    assert!(acts(&home), "the config");
    home.says(&["off"]);
    assert!(!acts(&home), "the switch");
    let home = home.with("UNATTENDED", "on");
    assert!(acts(&home), "the environment");
    let home = home.with("UNATTENDED", "auto");
    assert!(!acts(&home), "auto in the environment asks who attends");
    let home = home.with("UNATTENDED", "perhaps");
    assert!(!acts(&home), "no word counts as unset");
    let problem = home.last_record()["problems"][0].as_str().unwrap().to_owned();
    assert!(problem.contains("UNATTENDED=\"perhaps\" is none of on, off, auto"), "{problem}");
}

#[test]
fn on_off_and_auto_hold_for_every_session_from_that_moment() {
    let home = Home::new().with(ATTENDED.0, ATTENDED.1);
    assert!(home.says(&["on"]).contains("To be asked again: unattended off"));
    assert!(acts(&home));
    assert!(home.says(&["off"]).starts_with("off: every dialog waits for a person"));
    assert!(!acts(&home));
    assert!(home.says(&["auto"]).contains("unattended on --for 8h"));
    assert!(!acts(&home));
    assert!(!home.state().join("switch.json").exists(), "auto is no file");
    let home = home.with(UNATTENDED.0, UNATTENDED.1);
    assert!(acts(&home));
    home.says(&["off", "--for", "2h"]);
    assert!(!acts(&home), "off counts where nobody attends, too");
}

#[test]
fn off_ends_by_itself() {
    let home = Home::on().with("UNATTENDED", "");
    home.says(&["off", "--for", "1h"]);
    assert!(!acts(&home));
    let over = json!({"v": 1, "switch": "off", "since": "2026-01-01T00:00:00Z", "until": "2026-01-01T01:00:00Z"});
    fs::write(home.state().join("switch.json"), over.to_string()).unwrap();
    assert!(acts(&home), "nothing says anything again");
}

#[test]
fn a_session_that_was_there_before_the_end_stays_on_and_a_new_one_does_not() {
    let home = Home::new().with(ATTENDED.0, ATTENDED.1);
    on_until(&home, unattended::clock::now() + Duration::hours(1));
    home.hook(&start("startup"));
    on_until(&home, unattended::clock::now() + Duration::milliseconds(1));
    std::thread::sleep(std::time::Duration::from_millis(5));
    assert!(acts(&home), "the late run goes on");
    assert_eq!(home.last_record()["because"], "switch_ended");
    let another = question().replace("000000000002", "000000000009");
    assert_eq!(home.hook(&another), None, "a session of which nothing is known");
    home.hook(&start("resume"));
    assert!(!acts(&home), "resumed after the end is started after the end");
}

#[test]
fn a_compaction_is_no_new_start() {
    let home = Home::new().with(ATTENDED.0, ATTENDED.1);
    on_until(&home, unattended::clock::now() + Duration::hours(1));
    home.hook(&start("startup"));
    on_until(&home, unattended::clock::now() + Duration::milliseconds(1));
    std::thread::sleep(std::time::Duration::from_millis(5));
    home.hook(&start("compact"));
    assert!(acts(&home));
}

#[test]
fn off_acts_at_once_on_a_session_that_stayed_on() {
    let home = Home::new().with(ATTENDED.0, ATTENDED.1);
    on_until(&home, unattended::clock::now() + Duration::milliseconds(1));
    home.hook(&start("startup"));
    home.says(&["off"]);
    assert!(!acts(&home));
    home.says(&["auto"]);
    assert!(!acts(&home));
}

#[rstest]
#[case::a_word(&["on", "--for", "soon"], "\"soon\" is no duration", "hint: say it like 8h")]
#[case::a_time(&["on", "--until", "25:00"], "\"25:00\" is no time", "hint: say it like 07:00")]
#[case::far_away(&["on", "--for", "99999999h"], "\"99999999h\" is more than a year away", "hint: name a time within a year")]
#[case::far_away_by_date(&["off", "--until", "2999-01-01 07:00"], "is more than a year away", "hint: name a time within a year")]
#[case::the_past(&["off", "--until", "2020-01-01 07:00"], "is over already", "hint: name a time to come")]
fn a_time_that_is_none_is_refused_and_changes_nothing(#[case] args: &[&str], #[case] what: &str, #[case] hint: &str) {
    let home = Home::new();
    let output = home.run(args);
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!((output.status.code(), output.stdout.len()), (Some(1), 0));
    assert!(said.contains(what) && said.contains(hint), "{said}");
    assert!(!home.state().exists());
}

#[rstest]
#[case::of_another_form("{\"v\":9,\"switch\":\"off\"}")]
#[case::with_another_position("{\"v\":9,\"switch\":\"later\",\"since\":\"2026-01-01T00:00:00Z\"}")]
fn a_switch_file_of_a_newer_version_is_told_by_its_version(#[case] text: &str) {
    let home = Home::new();
    home.says(&["off"]);
    fs::write(home.state().join("switch.json"), text).unwrap();
    let said = "counts as absent: it is of version 9, and this program knows version 1";
    assert!(home.says(&["status"]).contains(&format!("switch.json: {said}")));
    let doctor = String::from_utf8(home.run(&["doctor", "--only", "switch", "--json"]).stdout).unwrap();
    assert!(doctor.contains("it is of version 9, and this program knows version 1"), "{doctor}");
    assert!(acts(&home));
}

#[test]
fn a_broken_switch_file_counts_as_none_and_is_said() {
    let home = Home::new();
    home.says(&["off"]);
    fs::write(home.state().join("switch.json"), "{\"v\": 1, \"switch\": ").unwrap();
    assert!(acts(&home));
    let problem = home.last_record()["problems"][0].as_str().unwrap().to_owned();
    assert!(problem.contains("switch.json: counts as absent"), "{problem}");
    assert!(home.says(&["status"]).contains("switch.json: counts as absent"));
}

#[test]
fn what_a_person_sees_at_the_start_says_whose_the_dialogs_are_and_the_word_for_the_other() {
    let line = |home: &Home| home.hook(&start("startup")).unwrap()["systemMessage"].as_str().unwrap().to_owned();
    let home = Home::new().with(ATTENDED.0, ATTENDED.1);
    assert_eq!(line(&home), "unattended: off: dialogs are yours to answer. When you leave: unattended on --for 8h");
    home.says(&["on", "--for", "8h"]);
    let on = line(&home);
    assert!(on.starts_with("unattended: on until ") && on.ends_with("To be asked again: unattended off"), "{on}");
    let home = Home::new().with(UNATTENDED.0, UNATTENDED.1);
    assert!(line(&home).starts_with("unattended: on, nobody attends this session"));
}

#[test]
fn status_says_what_holds_for_either_kind_of_session_and_why() {
    let home = Home::new();
    let said = home.says(&["status"]);
    assert!(said.contains("attended sessions     left to a person (auto: a person attends)"), "{said}");
    assert!(said.contains("unattended sessions   answered (auto: nobody attends)"), "{said}");
    assert!(said.contains("today                 nothing"), "{said}");
    home.says(&["on", "--for", "8h"]);
    let said = home.says(&["status"]);
    assert_eq!(said.matches("answered until ").count(), 2, "{said}");
    assert!(said.lines().all(|line| line.chars().count() <= 80), "{said}");
}

#[test]
fn status_counts_a_decision_once_however_many_hooks_saw_it() {
    let home = Home::on();
    for case in ["plan-entered-from-bypass-mode", "question-unanswered", "elicitation-unanswered"] {
        for line in home::recorded("2.1.332", case) {
            home.hook(&line);
            home.hook(&line);
        }
    }
    home.hook(&question().replace("toolu_000000000000000000000001", "toolu_another"));
    let status: Value = serde_json::from_str(&home.says(&["status", "--json"])).unwrap();
    let today = &status["today"];
    assert_eq!((&today["questions"], &today["plans"], &today["elicitations"]), (&json!(2), &json!(1), &json!(1)));
    assert_eq!(today["stalls"], 2, "two dialogs stood open, each told twice");
    assert_eq!(status["attended"], json!({"answered": true, "because": "environment"}));
    let said = home.says(&["status"]);
    assert!(said.contains("2 questions denied, 1 plan approved, 1 elicitation ended"), "{said}");
}

#[test]
fn prompt_prints_what_a_session_is_told_at_its_start() {
    let home = Home::on();
    let context = home.hook(&start("startup")).unwrap()["hookSpecificOutput"]["additionalContext"].clone();
    assert_eq!(json!(home.says(&["prompt"]).trim_end()), context);
}

#[rstest]
#[case(&["status"])]
#[case(&["prompt"])]
#[case(&["install", "--print", "--client-version", "2.1.332"])]
#[case(&["review", "--all"])]
#[case(&["completions", "bash"])]
#[case(&["help"])]
#[case(&["--version"])]
#[case(&["export"])]
#[case(&["man"])]
fn who_reads_no_further_ends_a_verb_without_a_fault(#[case] args: &[&str]) {
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let output = Home::new().command(args).stdout(writer).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{said}");
    assert!(!said.contains("panicked") && !said.contains("error"), "{said}");
}

#[rstest]
#[case(&["status"])]
#[case(&["status", "--json"])]
#[case(&["auto"])]
#[case(&["on"])]
#[case(&["prompt"])]
#[case(&["review", "--all"])]
#[case(&["review", "--json"])]
#[case(&["export"])]
#[case(&["answer", "--list"])]
#[case(&["explain", "Stop"])]
#[case(&["install", "--print", "--client-version", "2.1.332"])]
#[case(&["doctor", "--only", "state"])]
#[case(&["help"])]
#[case(&["help", "review"])]
#[case(&["review", "--help"])]
#[case(&["--version"])]
#[case(&["man"])]
#[case(&["completions", "bash"])]
fn a_full_disk_behind_standard_output_is_one_error_with_a_hint(#[case] args: &[&str]) {
    let home = Home::on();
    home.hook(&question()).unwrap();
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let output = home.command(args).stdout(full).output().unwrap();
    let said = "error: standard output cannot be written: No space left on device (os error 28)\n\
        hint: see where it goes: to a full disk, or to what was closed\n";
    let all = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{args:?}: {all}");
    assert!(all.ends_with(said) && all.matches("error").count() == 2, "{args:?}: {all}");
}

#[test]
fn when_an_off_ends_the_default_holds_again_for_a_session_that_runs() {
    let home = Home::new().with("CLAUDE_CODE_SESSION_ATTENDED", "0");
    home.says(&["off", "--for", "1h"]);
    home.hook(&start("startup"));
    assert!(!acts(&home));
    let (since, until) = ("2026-01-01T00:00:00Z", "2026-01-01T01:00:00Z");
    let over = json!({"v": 1, "switch": "off", "since": since, "until": until});
    fs::write(home.state().join("switch.json"), over.to_string()).unwrap();
    assert!(acts(&home));
}
