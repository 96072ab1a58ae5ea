//! Payloads as nobody should send them: a question is denied whatever else is broken, a plan is never changed, and
//! nothing costs more than its size.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod home;

use std::process::Stdio;

use home::{Home, denial, payload};
use rstest::rstest;
use serde_json::{Value, json};

fn question() -> Value {
    serde_json::from_str(&payload("2.1.332", "question-unanswered", "PreToolUse", "AskUserQuestion")).unwrap()
}

/// The recorded question with another input.
fn asking(input: Value) -> String {
    let mut question = question();
    question["tool_input"] = input;
    question.to_string()
}

/// The question as JSON text with a member of the caller's own before the others.
fn with_member(member: &str) -> String {
    question().to_string().replacen('{', &format!("{{{member},"), 1)
}

fn nested(depth: usize) -> String {
    format!("{}{}", "[".repeat(depth), "]".repeat(depth))
}

#[rstest]
#[case::a_byte_order_mark(format!("\u{feff}{}", question()))]
#[case::line_breaks_of_windows(serde_json::to_string_pretty(&question()).unwrap().replace('\n', "\r\n"))]
#[case::blanks_before_it(format!("{}{}", " \n\t".repeat(1000), question()))]
#[case::more_behind_it(format!("{}\n{{\"hook_event_name\": \"Stop\"}}", question()))]
#[case::half_a_surrogate_pair(question().to_string().replacen("\"question\":\"", "\"question\":\"\\ud83d", 1))]
#[case::nested_a_hundred_thousand_deep(with_member(&format!("\"deep\": {}", nested(100_000))))]
#[case::nested_in_its_input(question().to_string().replacen("\"questions\":", &format!("\"deep\":{},\"questions\":", nested(100_000)), 1))]
#[case::keys_twice(with_member("\"session_id\": \"another\", \"cwd\": 5, \"tool_input\": {\"questions\": []}"))]
#[case::a_number_beyond_all_bounds(with_member(
    "\"huge\": 1e999999, \"small\": -1e-999999, \"long\": 123456789012345678901234567890"
))]
#[case::questions_as_a_text(asking(json!({"questions": "Which one?"})))]
#[case::questions_as_a_number(asking(json!({"questions": 1})))]
#[case::questions_as_an_object(asking(json!({"questions": {"question": "Which?"}})))]
#[case::no_questions(asking(json!({"questions": []})))]
#[case::a_hundred_questions(asking(json!({"questions": vec![json!({"question": "Which?", "options": ["a", "b"]}); 100]})))]
#[case::options_as_texts(asking(json!({"questions": [{"question": "Which?", "options": ["a", "b (Recommended)"]}]})))]
#[case::options_as_a_text(asking(json!({"questions": [{"question": "Which?", "options": "a or b"}]})))]
#[case::a_thousand_options(asking(json!({"questions": [{"question": "Which?", "options": vec!["a"; 1000]}]})))]
#[case::nothing_where_something_is_due(asking(json!({"questions": [{"question": null, "header": null, "options": [null, {}]}]})))]
#[case::an_input_that_is_null(asking(Value::Null))]
#[case::an_input_that_is_a_text(asking(json!("Which one?")))]
#[case::control_characters(asking(json!({"questions": [{"question": "\u{1b}[2J\u{7}\u{0}\u{9b}31m Which?\u{202e}", "options": ["\u{1b}]0;x\u{7}"]}]})))]
#[case::ids_that_are_numbers(with_member("\"prompt_id\": 5, \"agent_id\": {}, \"permission_mode\": []"))]
#[case::a_mode_of_a_newer_client(question().to_string().replace("\"default\"", "\"someday\""))]
fn a_question_is_denied(#[case] payload: String) {
    let home = Home::on();
    assert!(denial(&home.hook(&payload).unwrap()).contains("available"));
    let record = home.last_record();
    assert_eq!(record["decision"]["action"], "deny", "{}", record.to_string().get(..300).unwrap_or_default());
}

#[rstest]
#[case::no_text(&b"\xff\xfe"[..])]
#[case::half_a_character(&b"\xe2\x82"[..])]
fn a_question_that_is_no_utf_8_is_denied(#[case] bytes: &[u8]) {
    let home = Home::on();
    let mut payload = question().to_string().into_bytes();
    let at = payload.windows(12).position(|window| window == b"\"question\":\"").unwrap() + 12;
    payload.splice(at..at, bytes.iter().copied());
    let answer = home.hook_bytes(&["hook"], &payload).unwrap();
    denial(&serde_json::from_slice(&answer).unwrap());
    assert_eq!(home.last_record()["kind"], "problem");
}

#[rstest]
#[case::with_odd_spaces("{ \"plan\" :\t\"1. Write\\u0020out.txt\" , \"planFilePath\":\"/p.md\"  }")]
#[case::with_a_number_that_loses_digits("{\"plan\": \"x\", \"n\": 1.00000000000000000000001e+2}")]
#[case::with_keys_twice("{\"plan\": \"first\", \"plan\": \"second\"}")]
#[case::with_half_a_surrogate_pair("{\"plan\": \"x \\ud83d y\"}")]
#[case::with_no_plan("{}")]
#[case::with_a_plan_that_is_no_text("{\"plan\": [1, 2]}")]
#[case::nested_deep(&format!("{{\"plan\": \"x\", \"deep\": {}}}", nested(50_000)))]
fn a_plan_is_echoed_as_it_came(#[case] input: &str) {
    let request = payload("2.1.332", "plan-unanswered", "PermissionRequest", "ExitPlanMode");
    let mut request: Value = serde_json::from_str(&request).unwrap();
    request["tool_input"] = json!("HERE");
    let answer = Home::on().hook_bytes(&["hook"], request.to_string().replace("\"HERE\"", input).as_bytes()).unwrap();
    let answer = String::from_utf8(answer).unwrap();
    assert!(answer.contains(&format!("\"updatedInput\":{input}")), "{}", answer.get(..400).unwrap_or(&answer));
}

#[test]
fn a_hundred_megabytes_are_not_read_to_their_end_and_memory_stays_bounded() {
    use std::io::Write;
    use wait4::Wait4;
    let home = Home::on();
    let mut child = home.command(&["hook"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let head = question().to_string();
    let _ = stdin.write_all(&head.as_bytes()[..head.len() - 1]);
    let _ = stdin.write_all(b",\"much\":\"");
    let piece = vec![b'x'; 1 << 20];
    let written = (0..100).take_while(|_| stdin.write_all(&piece).is_ok()).count();
    let mut answer = String::new();
    std::io::Read::read_to_string(&mut child.stdout.take().unwrap(), &mut answer).unwrap();
    let ended = child.wait4().unwrap();
    assert!(ended.status.success());
    denial(&serde_json::from_str(&answer).unwrap());
    assert!(written < 40, "{written} MiB were taken");
    assert!(ended.rusage.maxrss < 160 << 20, "{} bytes", ended.rusage.maxrss);
    let record = home.last_record();
    assert_eq!(record["kind"], "problem");
    assert!(record.to_string().len() < 8192);
}

#[test]
fn secrets_are_taken_out_of_the_record_and_not_out_of_the_answer() {
    let question = asking(json!({"questions": [{"question": "Use DB_PASSWORD=hunter2?", "options": [
        {"label": "Yes, ghp_0123456789abcdefghij0123456789abcdef (Recommended)"}, {"label": "No"}]}]}));
    let home = Home::on();
    assert!(denial(&home.hook(&question).unwrap()).contains("ghp_0123456789"), "the model reads its own words");
    let record = home.last_record();
    assert_eq!(record["masked"], true);
    assert_eq!(record["questions"][0]["question"], "Use DB_PASSWORD=[masked]");
    assert_eq!(record["questions"][0]["rows"][0]["label"], "Yes, [masked] (Recommended)");
    assert!(!record.to_string().contains("0123456789"), "{record}");
}

#[test]
fn secrets_are_kept_where_the_config_says_so() {
    let mut request: Value =
        serde_json::from_str(&payload("2.1.332", "tool-permission-unanswered", "PermissionRequest", "Bash")).unwrap();
    request["tool_input"]["command"] = json!("API_KEY=abc ./deploy");
    for (config, kept) in [("", "API_KEY=[masked] ./deploy"), ("[records]\nmask = false\n", "API_KEY=abc ./deploy")] {
        let home = Home::on().config(config);
        home.hook(&request.to_string());
        assert_eq!(home.last_record()["tool_input"]["command"], kept);
    }
}
