//! The hook as the client calls it: streams, arguments, the switch, and what is left on disk.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod home;

use std::fs;
use std::io::{Read, Write};
use std::process::Stdio;
use std::time::{Duration, Instant};

use home::{Home, denial, payload};
use rstest::rstest;
use serde_json::{Value, json};

fn question() -> String {
    payload("2.1.332", "question-unanswered", "PreToolUse", "AskUserQuestion")
}

fn start() -> String {
    payload("2.1.332", "question-unanswered", "SessionStart", "")
}

#[test]
fn a_payload_on_standard_input_and_no_argument_means_hook() {
    let home = Home::on();
    let answer = home.hook_bytes(&[], question().as_bytes()).expect("an answer");
    denial(&serde_json::from_slice(&answer).unwrap());
}

#[test]
fn arguments_that_nothing_knows_do_not_fail_a_hook() {
    let home = Home::on();
    assert!(home.hook_bytes(&["hook", "--of-a-newer-version", "x"], question().as_bytes()).is_some());
}

#[test]
fn the_answer_comes_without_waiting_for_the_end_of_the_stream() {
    let home = Home::on();
    let mut child = home.command(&["hook"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(question().as_bytes()).unwrap();
    let mut answer = String::new();
    child.stdout.take().unwrap().read_to_string(&mut answer).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(0));
    denial(&serde_json::from_str(&answer).unwrap());
    drop(stdin);
}

#[rstest]
#[case::closed(">&-")]
#[case::full(">/dev/full")]
#[case::nobody_reads("| true")]
#[case::both_output_streams_closed(">&- 2>&-")]
fn an_output_that_takes_nothing_ends_in_exit_0_and_a_record(#[case] redirected: &str) {
    let home = Home::on();
    fs::write(home.path().join("payload.json"), question()).unwrap();
    let script = format!("{{ '{}' hook <payload.json; echo $? >code; }} {redirected}", home::PROGRAM);
    let mut shell = std::process::Command::new("sh");
    shell.args(["-c", &script]).env_clear().env("HOME", home.path()).env("UNATTENDED", "on").current_dir(home.path());
    shell.stdout(Stdio::null()).stderr(Stdio::null()).status().unwrap();
    assert_eq!(fs::read_to_string(home.path().join("code")).unwrap(), "0\n");
    assert_eq!(home.last_record()["decision"]["action"], "deny");
}

#[test]
#[ignore = "it panics on purpose; a_panic_gives_the_canned_answer_and_exit_0 runs it in a process of its own"]
fn panics_behind_the_shield() {
    let policy = unattended::policy::Policy::load();
    unattended::commands::hook::shield(&policy, Some("PreToolUse:AskUserQuestion"));
    panic!("something nobody thought of");
}

#[rstest]
#[case::where_we_act("on", true)]
#[case::where_we_do_not("off", false)]
fn a_panic_gives_the_canned_answer_and_exit_0(#[case] switch: &str, #[case] answered: bool) {
    let home = Home::new();
    let output = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--ignored", "--exact", "panics_behind_the_shield", "--nocapture", "--quiet"])
        .env_clear()
        .env("HOME", home.path())
        .env("UNATTENDED", switch)
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0));
    let said = String::from_utf8(output.stdout).unwrap();
    assert_eq!(said.contains("\"permissionDecision\":\"deny\""), answered, "{said}");
    assert!(!said.contains("something nobody thought of"));
}

#[rstest]
#[case::a_question("PreToolUse:AskUserQuestion", Some("deny"))]
#[case::a_plan_before_the_tool("PreToolUse:ExitPlanMode", None)]
#[case::a_permission("PermissionRequest", Some("deny"))]
#[case::an_elicitation("Elicitation", Some("cancel"))]
#[case::a_stop("Stop", None)]
fn where_nothing_comes_the_registration_says_what_to_answer(#[case] registered: &str, #[case] expected: Option<&str>) {
    let home = Home::on();
    let started = Instant::now();
    let mut child =
        home.command(&["hook", "--for", registered]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let kept_open = child.stdin.take();
    let mut answer = String::new();
    child.stdout.take().unwrap().read_to_string(&mut answer).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(0));
    assert!(started.elapsed() < Duration::from_secs(20), "well before the client's timeout");
    drop(kept_open);
    match expected {
        Some(word) => assert!(answer.contains(word), "{answer}"),
        None => assert_eq!(answer, ""),
    }
    let record = home.last_record();
    assert_eq!((&record["kind"], &record["event"]), (&json!("problem"), &json!(registered.split(':').next())));
}

#[rstest]
#[case::nothing("{}")]
#[case::other_keys(r#"{"hookEventName":"PreToolUse","toolName":"AskUserQuestion","tool_input":{}}"#)]
#[case::no_tool(r#"{"hook_event_name":"PreToolUse","tool_input":{}}"#)]
#[case::a_tool_that_is_no_text(r#"{"hook_event_name":"PreToolUse","tool_name":{"name":"AskUserQuestion"}}"#)]
#[case::a_tool_taken_back(r#"{"hook_event_name":"PreToolUse","tool_name":"AskUserQuestion","tool_name":null}"#)]
#[case::another_case(r#"{"hook_event_name":"preToolUse","tool_name":"AskUserQuestion"}"#)]
#[case::wrapped(r#"{"payload":{"hook_event_name":"PreToolUse","tool_name":"AskUserQuestion"}}"#)]
#[case::broken_with_an_escape(r#"{"hook_event_name":"PreToolUse","tool_name":"AskUser\u0051uestion",}"#)]
#[case::broken_with_its_input_first(r#"{"tool_input":{"tool_name":"Bash"},"tool_name":"AskUserQuestion",}"#)]
fn what_a_payload_does_not_say_of_itself_the_registration_says(#[case] payload: &str) {
    let home = Home::on();
    let answer = |registered: &str| home.hook_bytes(&["hook", "--for", registered], payload.as_bytes());
    denial(&serde_json::from_slice(&answer("PreToolUse:AskUserQuestion").unwrap()).unwrap());
    let record = home.last_record();
    assert_eq!((&record["kind"], &record["event"]), (&json!("problem"), &json!("PreToolUse")));
    assert_eq!(
        Home::new()
            .with("UNATTENDED", "off")
            .hook_bytes(&["hook", "--for", "PreToolUse:AskUserQuestion"], payload.as_bytes()),
        None
    );
}

#[rstest]
#[case("1", true)]
#[case("TRUE", true)]
#[case(" yes ", true)]
#[case("ON", true)]
#[case("0", false)]
#[case("False", false)]
#[case("no", false)]
#[case("OFF", false)]
fn the_variable_may_say_it_as_others_do(#[case] value: &str, #[case] acts: bool) {
    for attended in ["0", "1"] {
        let home = Home::new().with("UNATTENDED", value).with("CLAUDE_CODE_SESSION_ATTENDED", attended);
        assert_eq!(home.hook(&question()).is_some(), acts, "{value:?}");
    }
}

#[test]
fn where_nobody_may_be_answered_for_nothing_is_even_if_nothing_comes() {
    let home = Home::new().with("CLAUDE_CODE_SESSION_ATTENDED", "1");
    assert_eq!(home.hook_bytes(&["hook", "--for", "PreToolUse:AskUserQuestion"], b""), None);
}

#[rstest]
#[case::cut_off(&question()[..300])]
#[case::not_json("{\"hook_event_name\": \"PreToolUse\", \"tool_name\": \"AskUserQuestion\", oops}")]
fn a_broken_question_is_denied_all_the_same(#[case] broken: &str) {
    let home = Home::on();
    let answer = home.hook(broken);
    match broken.contains("AskUserQuestion") {
        true => assert!(denial(&answer.unwrap()).contains("nobody is available")),
        false => assert_eq!(answer, None),
    }
    assert_eq!(home.last_record()["kind"], "problem");
}

#[test]
fn a_broken_plan_is_let_through_as_it_stands_and_raises_no_mode() {
    let home = Home::on();
    let whole = payload("2.1.332", "plan-unanswered", "PermissionRequest", "ExitPlanMode");
    let answer = home.hook(whole.strip_suffix('}').unwrap()).unwrap();
    let decision = json!({"behavior": "allow", "updatedInput": {}});
    assert_eq!(answer, json!({"hookSpecificOutput": {"hookEventName": "PermissionRequest", "decision": decision}}));
}

#[test]
fn a_plan_is_echoed_byte_for_byte() {
    let home = Home::on();
    let input = r##"{ "planFilePath":"\/p.md" ,"zeta":1.0e+02, "plan":"# \u00e9\ud83d\ude00 \"x\"\\n","a":{"n":-0.0,"n":12345678901234567890123}}"##;
    let payload = format!(
        r#"{{"session_id":"s","permission_mode":"plan","hook_event_name":"PermissionRequest","tool_name":"ExitPlanMode","tool_input":{input}}}"#
    );
    let answer = home.hook_bytes(&["hook"], payload.as_bytes()).unwrap();
    let answer = String::from_utf8(answer).unwrap();
    assert!(answer.contains(&format!("\"updatedInput\":{input},")), "{answer}");
}

#[test]
fn a_payload_with_a_byte_order_mark_and_line_breaks_is_read() {
    let home = Home::on();
    let pretty = serde_json::to_string_pretty(&serde_json::from_str::<Value>(&question()).unwrap()).unwrap();
    let payload = format!("\u{feff}\r\n{}", pretty.replace('\n', "\r\n"));
    denial(&home.hook(&payload).unwrap());
    assert_eq!(home.last_record()["questions"][0]["question"], "Do you prefer red or blue?");
}

#[test]
fn half_a_surrogate_pair_spoils_nothing_but_itself() {
    let home = Home::on();
    denial(&home.hook(&question().replace("Do you prefer", "\\ud83d Do you prefer")).unwrap());
    assert_eq!(home.last_record()["questions"][0]["question"], "\u{fffd} Do you prefer red or blue?");
}

#[rstest]
#[case::questions_as_a_text(json!("Which?"))]
#[case::no_questions(json!([]))]
#[case::of_numbers(json!([1, null, {}]))]
#[case::null(json!(null))]
fn a_question_without_readable_questions_is_denied_and_kept_as_it_came(#[case] questions: Value) {
    let home = Home::on();
    let mut payload: Value = serde_json::from_str(&question()).unwrap();
    payload["tool_input"]["questions"] = questions;
    denial(&home.hook(&payload.to_string()).unwrap());
    let record = home.last_record();
    assert_eq!((&record["questions"], &record["tool_input"]), (&json!([]), &payload["tool_input"]));
}

#[test]
fn options_that_are_plain_texts_are_options() {
    let home = Home::on();
    let mut payload: Value = serde_json::from_str(&question()).unwrap();
    payload["tool_input"]["questions"][0]["options"] = json!(["Red", "Blue (Recommended)"]);
    assert!(denial(&home.hook(&payload.to_string()).unwrap()).contains("(you marked \"Blue (Recommended)\")"));
    assert_eq!(home.last_record()["questions"][0]["options"][1]["recommended"], true);
}

#[test]
fn a_twin_of_the_question_tool_with_one_flat_question_is_read() {
    let home = Home::on();
    let mut payload: Value = serde_json::from_str(&question()).unwrap();
    payload["tool_name"] = json!("mcp__helper__AskUserQuestion");
    payload["tool_input"] = json!({"question": "Which?", "options": ["A", "B"]});
    denial(&home.hook(&payload.to_string()).unwrap());
    assert_eq!(home.last_record()["questions"][0]["rows"][3]["label"], "Chat about this");
}

#[test]
fn a_plan_mode_entered_in_one_process_is_remembered_in_the_next_and_forgotten_after() {
    let home = Home::on();
    let session = home::recorded("2.1.332", "plan-entered-from-bypass-mode");
    let mut approved = Vec::new();
    for line in &session {
        let answer = home.hook(line).unwrap_or_default();
        approved.push(answer["hookSpecificOutput"]["permissionDecision"] == "allow");
    }
    assert_eq!(approved.iter().filter(|approved| **approved).count(), 1);
    let exit = session.iter().find(|line| line.contains("PreToolUse") && line.contains("ExitPlanMode")).unwrap();
    assert_eq!(home.hook(exit), None, "the next plan of the session is another one");
}

#[test]
fn questions_side_by_side_are_all_counted() {
    let home = Home::on();
    let asked = |id: usize| question().replace("toolu_000000000000000000000001", &format!("toolu_{id}"));
    let children: Vec<_> = (0..16)
        .map(|id| {
            let mut child = home.command(&["hook"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
            child.stdin.take().unwrap().write_all(asked(id).as_bytes()).unwrap();
            child
        })
        .collect();
    for child in children {
        denial(&serde_json::from_slice(&child.wait_with_output().unwrap().stdout).unwrap());
    }
    home.hook(&asked(99));
    assert_eq!(home.last_record()["asked_before"], 16);
    assert_eq!(home.records().len(), 17);
}

#[test]
fn the_memory_of_a_long_session_stays_small_and_keeps_what_counts() {
    let home = Home::on();
    let session = home::recorded("2.1.332", "plan-entered-from-bypass-mode");
    session.iter().filter(|line| line.contains("EnterPlanMode")).for_each(|line| drop(home.hook(line)));
    for id in 0..300 {
        let mut asked: Value = serde_json::from_str(&question()).unwrap();
        asked["session_id"] = json!("00000000-0000-4000-8000-000000000005");
        asked["permission_mode"] = json!("plan");
        asked["tool_use_id"] = json!(format!("toolu_{id}"));
        home.hook(&asked.to_string());
    }
    let files: Vec<_> = fs::read_dir(home.state().join("sessions")).unwrap().map(|file| file.unwrap()).collect();
    assert_eq!(files.len(), 1, "{files:?}");
    assert!(files[0].metadata().unwrap().len() < 20 * 1024, "{}", files[0].metadata().unwrap().len());
    let exit = session.iter().find(|line| line.contains("PermissionRequest")).unwrap();
    let answer = home.hook(exit).unwrap();
    let mode = &answer["hookSpecificOutput"]["decision"]["updatedPermissions"][0]["mode"];
    assert_eq!(mode, "bypassPermissions", "the mode before plan mode outlived the cuts");
}

#[test]
fn what_is_written_can_be_read_by_its_owner_alone() {
    use std::os::unix::fs::PermissionsExt;
    let home = Home::on();
    home.hook(&start());
    home.hook(&question());
    let mode = |path: &std::path::Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    for folder in ["", "records", "sessions"] {
        let folder = home.state().join(folder);
        assert_eq!(mode(&folder), 0o700, "{}", folder.display());
        for file in fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_file()) {
            assert_eq!(mode(&file), 0o600, "{}", file.display());
        }
    }
}

#[rstest]
#[case("../../escape")]
#[case("/etc/passwd")]
#[case("")]
#[case("a\u{0}b")]
#[case(&"x".repeat(5000))]
fn a_session_id_is_never_a_path(#[case] id: &str) {
    let home = Home::on();
    let mut payload: Value = serde_json::from_str(&question()).unwrap();
    payload["session_id"] = json!(id);
    denial(&home.hook(&payload.to_string()).unwrap());
    let files: Vec<_> = fs::read_dir(home.state().join("sessions")).unwrap().map(|file| file.unwrap()).collect();
    assert_eq!(files.len(), 1);
    assert!(files[0].file_name().to_string_lossy().starts_with("other-"), "{files:?}");
}

#[test]
fn a_state_folder_that_cannot_be_used_changes_no_answer() {
    let home = Home::on();
    let answer = home.hook(&question());
    for (name, make) in
        [("file", fs::write as fn(_, _) -> _), ("link", |path, _| std::os::unix::fs::symlink("/nowhere", path))]
    {
        let broken = Home::on();
        fs::create_dir_all(broken.path().join(".local/state")).unwrap();
        make(broken.state(), "").unwrap();
        assert_eq!(broken.hook(&question()), answer, "{name}");
    }
    // Not with HOME unset: the folder of the account that runs the tests would be found and written to.
    assert_eq!(Home::on().with("UNATTENDED_STATE", "/proc/nowhere").hook(&question()), answer, "an unwritable folder");
}

#[test]
fn links_planted_in_the_state_folder_are_not_followed() {
    let home = Home::on();
    let target = home.path().join("precious");
    fs::write(&target, "precious").unwrap();
    for folder in ["records", "sessions"] {
        fs::create_dir_all(home.state().join(folder)).unwrap();
    }
    let today = unattended::clock::now().format("records/%Y-%m-%d.jsonl").to_string();
    for link in [today.as_str(), "sessions/00000000-0000-4000-8000-000000000002.jsonl"] {
        std::os::unix::fs::symlink(&target, home.state().join(link)).unwrap();
    }
    denial(&home.hook(&question()).unwrap());
    assert_eq!(fs::read_to_string(target).unwrap(), "precious");
}

#[test]
fn a_pipe_in_the_place_of_a_file_is_not_waited_for() {
    let home = Home::on();
    for folder in ["records", "sessions"] {
        fs::create_dir_all(home.state().join(folder)).unwrap();
    }
    let today = unattended::clock::now().format("records/%Y-%m-%d.jsonl").to_string();
    for pipe in [today.as_str(), "switch.json", "sessions/00000000-0000-4000-8000-000000000002.jsonl"] {
        let made = std::process::Command::new("mkfifo").arg(home.state().join(pipe)).status().unwrap();
        assert!(made.success());
    }
    let started = Instant::now();
    denial(&home.hook(&question()).unwrap());
    assert!(started.elapsed() < Duration::from_secs(4));
}

#[test]
fn a_broken_config_means_the_defaults_and_is_said_in_the_record() {
    let home = Home::on().config("[questions]\nreply = \"leaf\"\n");
    denial(&home.hook(&question()).unwrap());
    let problem = home.last_record()["problems"][0].as_str().unwrap().to_owned();
    assert!(problem.contains("config.toml: defaults hold: line 2: "), "{problem}");
}

#[test]
fn every_reply_can_be_left_to_a_person() {
    let home = Home::on().config("[questions]\nreply = \"leave\"\n");
    assert_eq!(home.hook(&question()), None);
    assert_eq!(home.last_record()["decision"], json!({"action": "none"}));
}

#[test]
fn a_permission_is_recorded_with_the_suggestions_that_would_allow_it() {
    let home = Home::on();
    home.hook(&payload("2.1.332", "tool-permission-unanswered", "PermissionRequest", "Bash"));
    let record = home.last_record();
    assert_eq!((&record["tool"], &record["tool_input"]["command"]), (&json!("Bash"), &json!("touch bash-ran")));
    assert_eq!(record["suggestions"][1]["mode"], "acceptEdits");
}

#[test]
fn an_input_that_is_too_long_is_recorded_by_its_beginning() {
    let home = Home::on();
    let mut request: Value =
        serde_json::from_str(&payload("2.1.332", "tool-permission-unanswered", "PermissionRequest", "Bash")).unwrap();
    request["tool_input"]["command"] = json!("é".repeat(100_000));
    denial(&home.hook(&request.to_string()).unwrap());
    let input = home.last_record()["tool_input"].as_str().unwrap().to_owned();
    assert!(input.len() < 70_000 && input.ends_with(" bytes)"), "{}", input.len());
}

#[test]
fn a_closing_message_that_is_too_long_is_recorded_by_its_end() {
    let home = Home::on();
    let mut stop: Value =
        serde_json::from_str(&payload("2.1.332", "turn-ended-with-a-question-in-prose", "Stop", "")).unwrap();
    stop["last_assistant_message"] = json!(format!("{}\n\nShall I go on?", "é".repeat(100_000)));
    assert_eq!(home.hook(&stop.to_string()).unwrap()["decision"], "block");
    let message = home.last_record()["last_assistant_message"].as_str().unwrap().to_owned();
    assert!(message.starts_with("(200016 bytes) …é") && message.ends_with("Shall I go on?"), "{}", message.len());
    assert!(message.len() < 70_000);
}

#[rstest]
#[case("question-answered-by-digit", "person")]
#[case("question-timed-out", "timeout")]
fn an_answer_says_whose_it_was(#[case] case: &str, #[case] whose: &str) {
    let home = Home::new().with("CLAUDE_CODE_SESSION_ATTENDED", "1");
    home.hook(&payload("2.1.198", case, "PostToolUse", "AskUserQuestion"));
    assert_eq!(home.last_record()["whose"], whose);
}

#[test]
fn an_answer_that_a_host_or_another_hook_gave_is_no_persons() {
    let home = Home::new().with("CLAUDE_CODE_SESSION_ATTENDED", "0");
    home.hook(&payload("2.1.332", "question-answered-by-digit", "PostToolUse", "AskUserQuestion"));
    assert_eq!(home.last_record()["whose"], "unknown");
}

#[test]
fn a_plan_that_a_person_approved_is_recorded_as_seen() {
    let home = Home::new().with("CLAUDE_CODE_SESSION_ATTENDED", "1");
    for line in home::recorded("2.1.332", "plan-approved-with-manual-edits") {
        home.hook(&line);
    }
    let seen: Vec<_> = home.records().iter().map(|record| record["plan"]["seen_by"].clone()).collect();
    assert_eq!(seen, ["unknown", "unknown", "person"]);
}

#[test]
fn a_dialog_that_stands_open_although_we_act_is_a_stall() {
    let home = Home::on();
    home.hook(&payload("2.1.332", "elicitation-unanswered", "Notification", ""));
    assert_eq!(home.last_record()["stall"], true);
    home.hook(&payload("2.1.332", "terminal-left-idle", "Notification", ""));
    assert_eq!(home.last_record()["stall"], false, "a finished session is idle too");
}

#[test]
fn a_terminal_left_idle_after_a_turn_that_was_let_go_is_a_stall() {
    let home = Home::on().config("[stop]\nnudges = 0\n");
    for line in home::recorded("2.1.332", "terminal-left-idle") {
        home.hook(&line);
    }
    let stalls: Vec<_> = home.records().iter().map(|record| record["stall"].clone()).collect();
    assert_eq!(stalls, [Value::Null, json!(true), json!(true)]);
    assert_eq!(home.records()[1]["stall_kind"], "prose");
}
