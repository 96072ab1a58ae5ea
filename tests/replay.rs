//! `unattended replay`: answers of then and now, made of payloads and of records, with nothing touched on disk.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

mod cases;
mod home;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use home::{Home, fixtures, payload, recorded};
use rstest::rstest;
use serde_json::{Value, json};

fn lines(output: &[u8]) -> Vec<Value> {
    let schema: Value = serde_json::from_str(include_str!("../docs/replay.schema.json")).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let lines = std::str::from_utf8(output).unwrap().lines().map(|line| serde_json::from_str(line).unwrap());
    lines.inspect(|line| assert!(validator.is_valid(line), "{line:#}")).collect()
}

/// What `replay --json` says of these lines.
fn replayed(home: &Home, args: &[&str], input: &[String]) -> Vec<Value> {
    let output = home.pipe(&[&["replay", "-", "--json"], args].concat(), input.join("\n").as_bytes());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    lines(&output.stdout)
}

fn records(home: &Home) -> Vec<String> {
    home.records().iter().map(Value::to_string).collect()
}

/// Everything below a folder: each file's bytes, and when it and each folder was changed.
fn laid_out(folder: &Path) -> BTreeMap<PathBuf, (SystemTime, Vec<u8>)> {
    let mut all = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        let there = fs::symlink_metadata(&entry).unwrap();
        if there.is_dir() {
            all.extend(laid_out(&entry));
        }
        let bytes = if there.is_file() { fs::read(&entry).unwrap() } else { Vec::new() };
        all.insert(entry, (there.modified().unwrap(), bytes));
    }
    all
}

#[test]
fn every_recorded_payload_is_answered_as_stands_beside_it() {
    let home = Home::new();
    for (file, payloads, answers) in cases::sessions_in(&fixtures()) {
        let output = home.run(&["replay", file.to_str().unwrap(), "--json", "--as", "on"]);
        let played = lines(&output.stdout);
        assert_eq!(played.len(), payloads.len());
        for (played, expected) in played.iter().zip(cases::expected(&answers)) {
            assert_eq!((&played["answer"], &played["compared"]), (&expected, &json!("same")), "{}", file.display());
        }
    }
}

#[rstest]
fn what_was_recorded_of_a_session_is_answered_as_it_was(
    #[values("2.1.332", "2.1.198", "2.1.50")] version: &str,
    #[values("", "[stop]\nnudges = 1\n[plans]\nthen = \"auto\"\n")] config: &str,
) {
    for (file, payloads, _) in cases::sessions_in(&fixtures()) {
        if !file.parent().unwrap().ends_with(version) {
            continue;
        }
        let home = Home::on().config(config);
        let answers = cases::answers(&home, &payloads);
        let records = records(&home);
        let played = replayed(&home, &[], &records);
        assert_eq!(played.len(), records.len());
        for played in &played {
            assert_eq!(
                (&played["from"], &played["compared"]),
                (&json!("record"), &json!("same")),
                "{}",
                file.display()
            );
        }
        // The answers themselves, too: what a record keeps of a payload is what an answer is made of.
        let replayed: Vec<_> = played.iter().map(|played| played["answer"].clone()).collect();
        assert_eq!(given(replayed), given(answers), "{}", file.display());
    }
}

/// The answers that are any, without the input that is echoed in them: of that a record keeps what is read of it.
fn given(answers: Vec<Value>) -> Vec<Value> {
    let plain = |mut answer: Value| {
        for place in ["/hookSpecificOutput", "/hookSpecificOutput/decision"] {
            if let Some(fields) = answer.pointer_mut(place).and_then(Value::as_object_mut) {
                fields.remove("updatedInput");
            }
        }
        answer
    };
    answers.into_iter().filter(|answer| !answer.is_null()).map(plain).collect()
}

#[test]
fn nothing_on_disk_is_touched() {
    let home = Home::new().config("[questions]\nreply = \"leave\"\n");
    let session = recorded("2.1.332", "plan-entered-from-bypass-mode");
    cases::answers(&home, &session);
    home.says(&["on"]);
    let file = home.path().join("payloads.jsonl");
    fs::write(&file, session.join("\n")).unwrap();
    let before = laid_out(home.path());
    assert!(before.len() > 5);
    for args in [&["replay", "payloads.jsonl"][..], &["replay", "payloads.jsonl", "--json", "--as", "off"]] {
        home.says(args);
    }
    home.pipe(&["replay", "-"], session.join("\n").as_bytes());
    assert_eq!(laid_out(home.path()), before);
}

#[test]
fn a_session_remembers_from_line_to_line() {
    let home = Home::new();
    let modes = |played: &[Value]| {
        let plan = |played: &&Value| played["event"] == "PermissionRequest" && played["tool"] == "ExitPlanMode";
        played.iter().find(plan).unwrap()["now"]["modes"].clone()
    };
    let all = replayed(&home, &[], &recorded("2.1.332", "plan-entered-from-bypass-mode"));
    assert_eq!(modes(&all), json!(["bypassPermissions"]));
    let plan = payload("2.1.332", "plan-entered-from-bypass-mode", "PermissionRequest", "ExitPlanMode");
    assert_eq!(modes(&replayed(&home, &[], &[plan])), json!(["acceptEdits"]), "alone it began in plan mode");
    let asks = |prompt: &str, first: bool| {
        json!({"session_id": "s", "prompt_id": prompt, "hook_event_name": "Stop", "stop_hook_active": !first,
               "last_assistant_message": "Shall I proceed?"})
        .to_string()
    };
    let turns = [asks("p", true), asks("p", false), asks("p", false), asks("q", true)];
    let sent_on: Vec<_> = replayed(&home, &[], &turns).iter().map(|played| played["now"]["action"].clone()).collect();
    assert_eq!(sent_on, ["send_on", "send_on", "none", "send_on"]);
}

#[test]
fn a_record_alone_says_what_its_session_remembered() {
    let home = Home::on();
    cases::answers(&home, &recorded("2.1.332", "plan-entered-from-bypass-mode"));
    let plan = home.records().into_iter().find(|record| record["event"] == "PermissionRequest").unwrap();
    let played = &replayed(&home, &[], &[plan.to_string()])[0];
    assert_eq!((&played["now"]["modes"], &played["compared"]), (&json!(["bypassPermissions"]), &json!("same")));

    let home = Home::on();
    let question = payload("2.1.332", "question-unanswered", "PreToolUse", "AskUserQuestion");
    let mut question: Value = serde_json::from_str(&question).unwrap();
    home.hook(&question.to_string());
    question["tool_use_id"] = json!("another");
    home.hook(&question.to_string());
    let firmer = home.last_record();
    assert_eq!(firmer["asked_before"], 1);
    assert_eq!(replayed(&home, &[], &[firmer.to_string()])[0]["compared"], "same");

    let mut asks =
        json!({"session_id": "s", "prompt_id": "p", "hook_event_name": "Stop", "last_assistant_message": "Shall I?"});
    home.hook(&asks.to_string());
    asks["stop_hook_active"] = json!(true);
    home.hook(&asks.to_string());
    let second = home.last_record();
    assert_eq!(second["nudge"], 2);
    let once = home.config("[stop]\nnudges = 1\n");
    assert_eq!(replayed(&once, &[], &[second.to_string()])[0]["compared"], "different", "one is all now");
}

#[test]
fn a_config_is_tried_on_a_night_before_it_is_in_force() {
    let night = Home::new().with("CLAUDE_CODE_SESSION_ATTENDED", "0");
    cases::answers(&night, &recorded("2.1.332", "question-unanswered"));
    cases::answers(&night, &recorded("2.1.332", "tool-permission-unanswered"));
    let records = records(&night);
    let tried = Home::new().config("[permissions]\nreply = \"leave\"\n");
    let output = tried.pipe(&["replay", "-", "--only-changed"], records.join("\n").as_bytes());
    let shown = String::from_utf8(output.stdout).unwrap();
    let rows: Vec<&str> = shown.lines().collect();
    assert!(rows[0].starts_with(" line event "), "{shown}");
    let row: Vec<&str> = rows[1].split_whitespace().collect();
    assert_eq!((row[1], &row[3..]), ("PermissionRequest", &["deny", "nothing", "other"][..]), "{shown}");
    assert_eq!(rows[2], "", "{shown}");
    assert_eq!(rows[3], format!("{} payloads: {} as then, 1 otherwise", records.len(), records.len() - 1));
    assert!(shown.lines().all(|line| line.chars().count() <= 80) && !shown.contains('\u{1b}'), "{shown}");
}

#[test]
fn a_persons_session_stays_a_persons_and_off_is_said_to_be_off() {
    let attended = Home::new().with("CLAUDE_CODE_SESSION_ATTENDED", "1");
    cases::answers(&attended, &recorded("2.1.332", "question-unanswered"));
    let records = records(&attended);
    let played = replayed(&Home::new(), &[], &records);
    assert!(played.iter().all(|played| played["because"] == "attended" && played["compared"] == "same"), "{played:?}");
    let output = Home::new().pipe(&["replay", "-"], records.join("\n").as_bytes());
    let told = String::from_utf8(output.stderr).unwrap();
    assert_eq!(told, "hint: nothing is answered while off; --as on shows what would be\n");
    let played = replayed(&Home::new(), &["--as", "on"], &records);
    assert!(played.iter().any(|played| played["compared"] == "different"));
    assert!(played.iter().all(|played| played["because"] == "environment"));
    let switched = Home::new();
    switched.says(&["off"]);
    let payloads = recorded("2.1.332", "question-unanswered");
    let because = |args: &[&str]| replayed(&switched, args, &payloads)[0]["because"].clone();
    assert_eq!((because(&[]), because(&["--as", "auto"])), (json!("switch"), json!("unattended")));
}

#[test]
fn where_a_person_would_be_asked_first_nobody_is_waited_for() {
    let home = Home::new().config("[questions]\nwait = \"1h\"\n");
    let played = replayed(&home, &[], &recorded("2.1.332", "question-unanswered"));
    assert!(played.iter().any(|played| played["now"]["action"] == "deny"));
    assert!(!home.state().exists());
}

#[test]
fn what_is_neither_is_told_with_its_line_and_the_rest_is_played() {
    let good = payload("2.1.332", "question-unanswered", "PreToolUse", "AskUserQuestion");
    let rumour = r#"{"v":1,"kind":"rumour","decision":{}}"#;
    let input = format!("\n{good}\n{{\n[]\n{{\"a\":1}}\n\n{rumour}\n{good}\n");
    let output = Home::new().pipe(&["replay", "-", "--json"], input.as_bytes());
    assert_eq!(output.status.code(), Some(1));
    let numbers: Vec<_> = lines(&output.stdout).iter().map(|played| played["line"].clone()).collect();
    assert_eq!(numbers, [2, 8]);
    let told = String::from_utf8(output.stderr).unwrap();
    let told: Vec<&str> =
        told.lines().map(|line| line.split_once(": neither").or(line.split_once(": a record")).unwrap().0).collect();
    assert_eq!(told, [3, 4, 5, 7].map(|number| format!("warning: standard input, line {number}")));
}

#[test]
fn of_many_lines_that_are_neither_a_few_are_told_and_the_rest_counted() {
    let good = payload("2.1.332", "question-unanswered", "PreToolUse", "AskUserQuestion");
    let pretty = serde_json::to_string_pretty(&serde_json::from_str::<Value>(&good).unwrap()).unwrap();
    let output = Home::new().pipe(&["replay", "-"], pretty.as_bytes());
    let told = String::from_utf8(output.stderr).unwrap();
    assert_eq!((output.status.code(), told.matches(", line ").count()), (Some(1), 5), "{told}");
    assert!(told.contains("more lines passed over") && told.contains("jq -c"), "{told}");
}

#[test]
fn a_line_that_is_too_long_is_told_and_not_dropped() {
    let good = payload("2.1.332", "question-unanswered", "PreToolUse", "AskUserQuestion");
    let long = format!("{}\n", "x".repeat(33 << 20));
    let output = Home::new().pipe(&["replay", "-", "--json"], format!("{good}\n{long}{good}\n").as_bytes());
    assert_eq!((output.status.code(), lines(&output.stdout).len()), (Some(1), 2));
    let told = String::from_utf8(output.stderr).unwrap();
    assert_eq!(told, "warning: standard input, line 2: longer than 32 MiB; passed over\n");
}

/// What the hook answers although JSON has no such thing, or not alone.
#[rstest]
#[case::byte_order_mark(b"\xef\xbb\xbf{EVENT,\"tool_input\":{}}")]
#[case::lone_surrogate(b"{EVENT,\"tool_input\":{\"command\":\"\\ud83d\"}}")]
#[case::no_number(b"{EVENT,\"n\":1e999,\"tool_input\":{}}")]
#[case::something_behind_it(b"{EVENT,\"tool_input\":{}} {\"a\":1} junk")]
#[case::nested(NESTED.as_bytes())]
#[case::control_character(b"{EVENT,\"tool_input\":{\"command\":\"a\x01\"}}")]
#[case::no_utf8(b"{EVENT,\"tool_input\":{\"command\":\"\xff\"}}")]
#[case::cut_off(b"{EVENT,\"tool_input\":{\"command\":\"a")]
fn what_the_hook_answers_is_played_however_broken_it_is(#[case] line: &[u8]) {
    for event in
        [("PreToolUse", "AskUserQuestion"), ("PermissionRequest", "Bash"), ("PermissionRequest", "ExitPlanMode")]
    {
        let event = format!("\"hook_event_name\":\"{}\",\"session_id\":\"s\",\"tool_name\":\"{}\"", event.0, event.1);
        let at = line.windows(5).position(|five| five == b"EVENT").unwrap();
        let mut payload = [&line[..at], event.as_bytes(), &line[at + 5..]].concat();
        let nested = "[".repeat(5_000) + &"]".repeat(5_000);
        if let Some(at) = payload.windows(6).position(|six| six == b"NESTED") {
            payload.splice(at..at + 6, nested.into_bytes());
        }
        let answer = Home::on().hook_bytes(&["hook"], &payload).map(|bytes| String::from_utf8(bytes).unwrap());
        let output = Home::on().pipe(&["replay", "-", "--json"], &payload);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let played = String::from_utf8(output.stdout).unwrap();
        // As texts, since a reader of JSON would not take all of it.
        assert!(
            played.contains(&format!("\"answer\":{}", answer.as_deref().unwrap_or("null"))),
            "{played}\n{answer:?}"
        );
    }
}

const NESTED: &str = r#"{EVENT,"tool_input":{"deep":NESTED}}"#;

#[test]
fn a_record_keeps_who_attended_its_session_whatever_decided() {
    for (attended, on_now) in [("1", false), ("0", true)] {
        let home = Home::new().with("CLAUDE_CODE_SESSION_ATTENDED", attended);
        home.says(&["on"]);
        home.hook(&payload("2.1.332", "tool-permission-unanswered", "PermissionRequest", "Bash")).unwrap();
        let record = home.last_record();
        assert_eq!((&record["because"], record["attendance"].is_string()), (&json!("switch"), true));
        let played = &replayed(&Home::new(), &[], &[record.to_string()])[0];
        assert_eq!((&played["on"], played.get("lacks")), (&json!(on_now), None), "{played}");
        // One of an older version does not say it.
        let mut record = record;
        record.as_object_mut().unwrap().remove("attendance");
        let played = &replayed(&Home::new(), &[], &[record.to_string()])[0];
        assert_eq!(played["lacks"], json!(["whether anybody attended its session"]));
    }
}

#[test]
fn a_start_is_the_same_only_if_the_model_is_told_the_same() {
    let start =
        json!({"session_id": "s", "cwd": "/tmp", "hook_event_name": "SessionStart", "source": "startup"}).to_string();
    let home = Home::on();
    home.hook(&start).unwrap();
    let compared = |home: Home, line: &str| replayed(&home, &[], &[line.to_owned()])[0]["compared"].clone();
    let record = records(&home).remove(0);
    assert_eq!(compared(Home::on(), &record), "same");
    assert_eq!(compared(Home::new().with("UNATTENDED", "off"), &record), "different");
    let answered = Home::on().config("[questions]\nwait = \"10m\"\n");
    fs::write(answered.path().join("case.jsonl"), format!("{start}\n")).unwrap();
    fs::write(answered.path().join("case.answers.jsonl"), home.hook_bytes(&["hook"], start.as_bytes()).unwrap())
        .unwrap();
    let played = lines(answered.says(&["replay", "case.jsonl", "--json"]).as_bytes());
    assert_eq!(played[0]["compared"], "words");
}

#[test]
fn a_start_is_given_the_corrections_that_the_hook_would_give_it() {
    let home = Home::on();
    let project = home.path().join("project");
    fs::create_dir(&project).unwrap();
    let payload = |event: &str, more: Value| {
        let mut payload = json!({"session_id": "s", "cwd": project, "hook_event_name": event});
        payload.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        payload.to_string()
    };
    home.hook(&payload("PermissionRequest", json!({"tool_name": "Bash", "tool_input": {"command": "make"}}))).unwrap();
    let id = home.last_record()["id"].as_str().unwrap().to_owned();
    home.says(&["correct", &id, "Use ninja"]);
    let start = payload("SessionStart", json!({"source": "startup"}));
    let played = replayed(&home, &[], std::slice::from_ref(&start));
    let mut explain = home.command(&["explain", "SessionStart", "startup", "--json"]);
    let explained = explain.current_dir(&project).output().unwrap().stdout;
    let explained: Value = serde_json::from_slice(&explained).unwrap();
    let answer = home.hook(&start).unwrap();
    assert!(answer.to_string().contains("Use ninja"), "{answer}");
    assert_eq!((&played[0]["answer"], &explained[0]["answer"]), (&answer, &answer));
}

#[test]
fn a_payload_that_could_not_be_read_then_gets_the_canned_answer_now() {
    let home = Home::on();
    home.hook_bytes(&["hook"], br#"{"hook_event_name":"PermissionRequest","tool_name":"Bash","tool_input":{"#);
    let played = &replayed(&home, &[], &records(&home))[0];
    assert_eq!((&played["then"]["action"], &played["compared"]), (&json!("deny"), &json!("same")));
}

#[test]
fn what_a_record_lacks_is_said() {
    let home = Home::on();
    for payload in [
        json!({"session_id": "s", "hook_event_name": "PermissionRequest", "tool_name": "Bash",
               "tool_input": {"command": "DB_PASSWORD=hunter2hunter2 make"}}),
        json!({"session_id": "s", "hook_event_name": "PermissionRequest", "tool_name": "Write",
               "tool_input": {"content": "x".repeat(70_000)}}),
        json!({"session_id": "s", "hook_event_name": "Stop", "last_assistant_message": "Shall I?",
               "background_tasks": [{}]}),
    ] {
        home.hook(&payload.to_string());
    }
    home.hook(&json!({"session_id": "s", "hook_event_name": "SessionStart", "source": "startup"}).to_string());
    let lacks: Vec<_> = replayed(&home, &[], &records(&home)).iter().map(|played| played["lacks"].clone()).collect();
    let expected = [
        "what was masked",
        "the end of its input",
        "which background tasks there were",
        "what the model was told at its start",
    ];
    assert_eq!(lacks, expected.map(|lack| json!([lack])));
}

#[test]
fn a_file_that_is_not_there_and_one_with_nothing_in_it_are_errors() {
    let home = Home::new();
    let output = home.run(&["replay", "gone.jsonl"]);
    assert_eq!(output.status.code(), Some(1));
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(told.starts_with("error: could not read gone.jsonl: ") && told.contains("\nhint: "), "{told}");
    let output = home.pipe(&["replay", "-"], b"\n");
    assert!(output.status.code() == Some(1) && output.stdout.is_empty());
    assert!(String::from_utf8(output.stderr).unwrap().starts_with("error: there is nothing in standard input\n"));
    let output = home.run(&["replay", "."]);
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(told.starts_with("error: could not read .: ") && told.contains("\nhint: "), "{told}");
}

#[rstest]
#[case::nothing_usable("case", "not json\n", "there is no payload and no record")]
#[case::no_name("folder/", GOOD, "names no case")]
#[case::no_folder("gone/case", GOOD, "there is no folder gone")]
#[case::there_already("there", GOOD, "there.jsonl is there already")]
fn a_fixture_that_cannot_be_made_leaves_nothing(#[case] case: &str, #[case] input: &str, #[case] why: &str) {
    let home = Home::new();
    fs::create_dir(home.path().join("folder")).unwrap();
    fs::write(home.path().join("there.jsonl"), "mine").unwrap();
    let before = laid_out(home.path());
    let output = home.pipe(&["replay", "-", "--as-fixture", case], input.as_bytes());
    let told = String::from_utf8(output.stderr).unwrap();
    assert_eq!((output.status.code(), output.stdout), (Some(1), vec![]));
    assert!(told.contains(why) && told.contains("hint: "), "{told}");
    assert_eq!(laid_out(home.path()), before);
}

#[test]
fn a_case_may_be_named_by_its_file() {
    let home = Home::new();
    home.pipe(&["replay", "-", "--as-fixture", "case.jsonl"], GOOD.as_bytes());
    assert!(home.path().join("case.jsonl").is_file() && home.path().join("case.answers.jsonl").is_file());
}

const GOOD: &str = r#"{"hook_event_name":"PermissionRequest","tool_name":"Bash","tool_input":{}}"#;

/// A bug report: what a night recorded, its payloads, and one more with a secret; with names in it.
fn report() -> Vec<String> {
    let home = Home::on();
    let strange = |payload: &String| {
        payload
            .replace("/home/dev/project", "/srv/acme/shop")
            .replace("/home/dev", "/home/alice")
            .replace("-home-dev-project", "-srv-acme-shop")
            .replace("00000000-0000-4000-8000-00000000000", "1c0ffee0-dead-4bee-8fed-00000000000")
    };
    let session: Vec<String> = recorded("2.1.332", "plan-entered-from-bypass-mode").iter().map(strange).collect();
    cases::answers(&home, &session);
    let secret = json!({"session_id": "2c0ffee0-dead-4bee-8fed-000000000009", "cwd": "/srv/acme/shop",
                        "hook_event_name": "PermissionRequest", "tool_name": "Bash",
                        "tool_input": {"command": "DB_PASSWORD=hunter2hunter2 /home/alice/bin/x"}});
    records(&home).into_iter().chain(session).chain([secret.to_string()]).collect()
}

#[test]
fn a_report_becomes_a_fixture_that_the_tests_take_as_it_is() {
    let home = Home::new().config("[permissions]\nreply = \"leave\"\n");
    fs::create_dir_all(home.path().join("fixtures/9.9.9")).unwrap();
    let input = report();
    let args = ["replay", "-", "--as-fixture", "fixtures/9.9.9/case"];
    let output = home.pipe(&args, input.join("\n").as_bytes());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(output.stdout, b"fixtures/9.9.9/case.jsonl\nfixtures/9.9.9/case.answers.jsonl\n");
    let sessions = cases::sessions_in(&home.path().join("fixtures"));
    let [(file, payloads, answers)] = &sessions[..] else { panic!("{sessions:?}") };
    assert_eq!(payloads.len(), input.len());
    assert_eq!(cases::answers(&Home::on(), payloads), cases::expected(answers));
    let text = fs::read_to_string(file).unwrap();
    for left in ["alice", "acme", "hunter2", "c0ffee0", "masked\":"] {
        assert!(!text.contains(left), "{left}: {text}");
    }
    for payload in payloads {
        let payload: Value = serde_json::from_str(payload).unwrap();
        assert!(payload["hook_event_name"].is_string());
        assert_eq!(payload["cwd"], "/home/dev/project");
    }
    let output = home.pipe(&args, input.join("\n").as_bytes());
    assert!(!output.status.success(), "a case that is there is not written over");
    assert_eq!(fs::read_to_string(file).unwrap(), text);
}

#[test]
fn a_reader_that_has_seen_enough_is_no_error() {
    let home = Home::new();
    fs::write(home.path().join("long.jsonl"), recorded("2.1.332", "question-unanswered").join("\n")).unwrap();
    let mut child = home.command(&["replay", "long.jsonl"]).stdout(std::process::Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    assert!(child.wait().unwrap().success());
}
