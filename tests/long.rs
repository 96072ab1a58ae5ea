//! Payloads of megabytes: answered as short ones are, an echo byte for byte whatever takes it and however slowly, and
//! recorded by a bounded part.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod home;

use std::fs::File;
use std::io::{Read, Seek, Write};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::process::Stdio;
use std::thread;
use std::time::Duration;

use home::{Home, denial, payload};
use serde_json::{Value, json};

/// A recorded payload with another value in one of its fields.
fn with(case: &str, event: &str, tool: &str, field: &str, value: Value) -> String {
    let mut changed: Value = serde_json::from_str(&payload("2.1.332", case, event, tool)).unwrap();
    *changed.pointer_mut(field).unwrap() = value;
    changed.to_string()
}

fn words(length: usize) -> String {
    "Read \"every\" line, é and\tall.\n".repeat(length / 32)
}

/// A request for a plan of 3 MiB, and what its answer holds.
fn plan() -> (String, String) {
    let plan = with("plan-unanswered", "PermissionRequest", "ExitPlanMode", "/tool_input/plan", words(3 << 20).into());
    let read: Value = serde_json::from_str(&plan).unwrap();
    let echo = format!("\"updatedInput\":{}", read["tool_input"]);
    (plan, echo)
}

/// Runs the hook on a payload into `stdout`.
fn into(home: &Home, payload: &str, stdout: impl Into<Stdio>) {
    let mut child = home.command(&["hook"]).stdin(Stdio::piped()).stdout(stdout).spawn().unwrap();
    child.stdin.take().unwrap().write_all(payload.as_bytes()).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

/// Takes a little at a time, at first with breaks that are longer than any buffer lasts.
fn slowly(mut from: impl Read) -> String {
    let (mut all, mut piece) = (Vec::new(), vec![0; 7001]);
    loop {
        if all.len() < 300_000 {
            thread::sleep(Duration::from_millis(2));
        }
        match from.read(&mut piece).unwrap() {
            0 => return String::from_utf8(all).unwrap(),
            length => all.extend_from_slice(&piece[..length]),
        }
    }
}

fn assert_echoed(answer: &str, echo: &str) {
    let read: Value = serde_json::from_str(answer).unwrap();
    assert_eq!(read["hookSpecificOutput"]["decision"]["behavior"], "allow");
    assert!(answer.contains(echo), "{} bytes", answer.len());
}

#[test]
fn a_plan_is_echoed_to_a_reader_that_takes_its_time_and_recorded_by_its_beginning() {
    let (plan, echo) = plan();
    let home = Home::on();
    let (ours, theirs) = std::io::pipe().unwrap();
    let reader = thread::spawn(move || slowly(ours));
    into(&home, &plan, theirs);
    assert_echoed(&reader.join().unwrap(), &echo);
    let text = home.last_record()["plan"]["text"].as_str().unwrap().to_owned();
    assert!(text.starts_with("Read \"every\" line") && text.ends_with(" bytes)"), "{}", text.len());
    assert!((200_000..300_000).contains(&text.len()), "{}", text.len());
}

#[test]
fn a_plan_is_echoed_through_a_socket() {
    let (plan, echo) = plan();
    let (ours, theirs) = UnixStream::pair().unwrap();
    let reader = thread::spawn(move || slowly(ours));
    into(&Home::on(), &plan, OwnedFd::from(theirs));
    assert_echoed(&reader.join().unwrap(), &echo);
}

#[test]
fn a_plan_is_echoed_into_a_file_behind_what_it_holds() {
    let (plan, echo) = plan();
    let home = Home::on();
    let path = home.path().join("answer");
    let mut file = File::options().create_new(true).read(true).write(true).open(&path).unwrap();
    file.write_all(b"before\n").unwrap();
    into(&home, &plan, file.try_clone().unwrap());
    file.rewind().unwrap();
    let mut all = String::new();
    file.read_to_string(&mut all).unwrap();
    assert_echoed(all.strip_prefix("before\n").unwrap(), &echo);
}

#[test]
fn a_question_that_no_dialog_could_show_is_denied_and_kept_by_its_beginning() {
    let home = Home::on();
    let field = "/tool_input/questions/0/question";
    let asked = with("question-unanswered", "PreToolUse", "AskUserQuestion", field, words(1 << 20).into());
    denial(&home.hook(&asked).unwrap());
    let record = home.last_record();
    assert_eq!((&record["kind"], &record["questions"]), (&json!("question"), &json!([])));
    let input = record["tool_input"].as_str().unwrap();
    assert!(input.len() < 70_000 && input.ends_with(" bytes)"), "{}", input.len());
}

#[test]
fn of_more_options_than_anyone_could_choose_from_some_are_kept() {
    let home = Home::on();
    let options = "/tool_input/questions/0/options";
    let asked = with("question-unanswered", "PreToolUse", "AskUserQuestion", options, json!(vec![""; 80_000]));
    denial(&home.hook(&asked).unwrap());
    assert_eq!(home.last_record()["questions"][0]["options"].as_array().unwrap().len(), 4000);
}

#[test]
fn a_long_message_of_a_server_and_a_long_id_are_kept_by_their_beginnings() {
    let home = Home::on();
    let asked = with("elicitation-unanswered", "Elicitation", "", "/message", words(1 << 20).into());
    assert_eq!(home.hook(&asked).unwrap()["hookSpecificOutput"]["action"], "cancel");
    let asked = with("elicitation-unanswered", "Elicitation", "", "/session_id", "\u{1b}/".repeat(1 << 20).into());
    assert_eq!(home.hook(&asked).unwrap()["hookSpecificOutput"]["action"], "cancel");
    let records = home.records();
    for text in [&records[0]["message"], &records[1]["session_id"]] {
        let text = text.as_str().unwrap();
        assert!(text.len() < 70_000 && text.ends_with(" bytes)"), "{}", text.len());
    }
}

#[test]
fn a_turn_that_ends_with_a_question_behind_megabytes_is_sent_on() {
    let home = Home::on();
    let message = format!("{}\nWhich of the two do you want me to use?", words(5 << 20));
    let stop = with("turn-ended-with-a-question-in-prose", "Stop", "", "/last_assistant_message", message.into());
    assert_eq!(home.hook(&stop).unwrap()["decision"], "block");
    let kept = home.last_record()["last_assistant_message"].as_str().unwrap().to_owned();
    assert!(kept.starts_with('(') && kept.ends_with("want me to use?") && kept.len() < 70_000, "{}", kept.len());
}
