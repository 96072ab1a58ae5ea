//! What a hook does that waits for a person: asks in a file, takes a reply that counts, and goes on when the time is up,
//! never later and never with an answer that is nobody's.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod home;

use std::fs;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use home::{Home, denial, payload};
use rstest::rstest;
use serde_json::{Value, json};

const LONG: &str = "[questions]\nwait = \"5m\"\n[plans]\nwait = \"5m\"\n[permissions]\nwait = \"5m\"\n";
const SHORT: &str = "[questions]\nwait = \"1s\"\n[plans]\nwait = \"1s\"\n[permissions]\nwait = \"1s\"\n";
/// As long as a loaded machine may need for what takes milliseconds.
const PATIENCE: Duration = Duration::from_secs(60);

fn question() -> String {
    payload("2.1.332", "question-unanswered", "PreToolUse", "AskUserQuestion")
}

fn wizard() -> String {
    payload("2.1.332", "question-wizard-with-multiselect", "PreToolUse", "AskUserQuestion")
}

fn plan() -> String {
    payload("2.1.332", "plan-unanswered", "PermissionRequest", "ExitPlanMode")
}

fn tool() -> String {
    payload("2.1.332", "tool-permission-unanswered", "PermissionRequest", "Bash")
}

/// A hook that has been given its payload and not been waited for.
struct Waiting {
    child: Child,
    _stdin: Option<std::process::ChildStdin>,
}

impl Waiting {
    fn start(home: &Home, payload: &str) -> Self {
        Self::start_with(home, &["hook", "--timeout", "600"], payload)
    }

    fn start_with(home: &Home, args: &[&str], payload: &str) -> Self {
        let mut command = home.command(args);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut stdin = child.stdin.take();
        stdin.as_mut().unwrap().write_all(payload.as_bytes()).unwrap();
        Self { child, _stdin: stdin }
    }

    /// What it answers in the end.
    fn answer(mut self) -> Option<Value> {
        let mut text = String::new();
        self.child.stdout.take().unwrap().read_to_string(&mut text).unwrap();
        assert_eq!(self.child.wait().unwrap().code(), Some(0));
        (!text.is_empty()).then(|| serde_json::from_str(&text).unwrap())
    }
}

/// The requests that are up.
fn requests(home: &Home) -> Vec<Value> {
    let Ok(folder) = fs::read_dir(home.state().join("pending")) else { return Vec::new() };
    let files = folder.map(|entry| entry.unwrap().path()).filter(|path| path.extension().is_some_and(|e| e == "json"));
    files.map(|path| serde_json::from_slice(&fs::read(path).unwrap()).unwrap()).collect()
}

/// Waits until so many requests are up.
fn up(home: &Home, count: usize) -> Vec<Value> {
    let started = Instant::now();
    loop {
        let there = requests(home);
        if there.len() == count {
            return there;
        }
        assert!(started.elapsed() < PATIENCE, "{} requests, not {count}", there.len());
        thread::sleep(Duration::from_millis(10));
    }
}

/// Replies as a bridge does: a file of another name, then a link.
fn reply(request: &Value, said: Value) {
    let mut reply = json!({"v": 1, "token": request["token"], "means": "test"});
    reply.as_object_mut().unwrap().extend(said.as_object().unwrap().clone());
    put(request, &reply.to_string());
}

fn put(request: &Value, text: &str) {
    let place = PathBuf::from(request["reply_to"].as_str().unwrap());
    let fresh = place.with_file_name("fresh");
    fs::write(&fresh, text).unwrap();
    fs::rename(fresh, place).unwrap();
}

fn left(home: &Home) -> usize {
    fs::read_dir(home.state().join("pending")).map_or(0, Iterator::count)
}

fn validator(schema: &str) -> jsonschema::Validator {
    jsonschema::validator_for(&serde_json::from_str(schema).unwrap()).unwrap()
}

/// The newest record, which the schema allows.
fn record(home: &Home) -> Value {
    let record = home.last_record();
    let validator = validator(include_str!("../docs/record.schema.json"));
    let errors: Vec<_> = validator.iter_errors(&record).map(|error| error.to_string()).collect();
    assert!(errors.is_empty(), "{errors:?} in {record:#}");
    record
}

#[test]
fn where_no_wait_is_configured_nothing_is_put_up_and_nothing_waits() {
    let home = Home::on();
    denial(&home.hook(&question()).unwrap());
    assert!(!home.state().join("pending").exists());
    assert_eq!(record(&home).get("wait"), None);
}

#[rstest]
#[case::an_option(question(), json!([[2]]), json!({"Do you prefer red or blue?": "Blue"}))]
#[case::free_text(question(), json!(["Neither: \"green\""]), json!({"Do you prefer red or blue?": "Neither: \"green\""}))]
#[case::a_wizard(wizard(), json!([[1, 3], [2]]), json!({"Which colors?": "Red, Green", "Which size?": "Large (Recommended)"}))]
#[case::a_wizard_with_free_text(wizard(), json!(["all", "none"]), json!({"Which colors?": "all", "Which size?": "none"}))]
fn a_persons_answer_is_what_the_client_gets(#[case] payload: String, #[case] said: Value, #[case] answers: Value) {
    let home = Home::on().with("CLAUDE_CODE_SESSION_ATTENDED", "0").config(LONG);
    let hook = Waiting::start(&home, &payload);
    let request = &up(&home, 1)[0];
    let schema = validator(include_str!("../docs/pending.schema.json"));
    assert!(schema.is_valid(request), "{request:#}");
    assert_eq!(request["record"]["kind"], "question");
    reply(request, json!({"do": "answer", "answers": said}));
    let answer = hook.answer().expect("an answer");
    let sent: Value = serde_json::from_str(&payload).unwrap();
    let mut input = sent["tool_input"].clone();
    input["answers"] = answers.clone();
    assert_eq!(answer["hookSpecificOutput"]["permissionDecision"], "allow");
    assert_eq!(answer["hookSpecificOutput"]["updatedInput"], input);
    let record = record(&home);
    assert_eq!(record["decision"], json!({"action": "answer", "answers": answers}));
    assert_eq!((&record["wait"]["end"], &record["wait"]["by"]), (&json!("reply"), &json!("person")));
    assert_eq!((&record["wait"]["means"], &record["wait"]["limit_ms"]), (&json!("test"), &json!(300_000)));
    assert_eq!((&record["id"], left(&home)), (&request["id"], 0));
}

#[rstest]
#[case::question(question())]
#[case::plan(plan())]
#[case::tool(tool())]
fn left_alone_the_answer_is_the_one_without_a_wait_when_the_time_is_up(#[case] payload: String) {
    let expected = Home::on().hook(&payload).unwrap();
    let home = Home::on().config(SHORT);
    let started = Instant::now();
    assert_eq!(home.hook(&payload).unwrap(), expected);
    assert!(started.elapsed() >= Duration::from_secs(1));
    let record = record(&home);
    assert_eq!((&record["wait"]["end"], record["wait"].get("by")), (&json!("time"), None));
    assert_eq!(record.get("problems"), None);
    assert_eq!(left(&home), 0);
}

#[rstest]
#[case::forged(|_: &Value| json!({"v": 1, "token": "0".repeat(32), "means": "x", "do": "answer", "answers": [[1]]}).to_string(), "token")]
#[case::half_written(|r: &Value| format!("{{\"v\": 1, \"token\": {}, \"do\": \"ans", r["token"]), "not written to its end")]
#[case::no_such_option(|r: &Value| json!({"v": 1, "token": r["token"], "means": "x", "do": "answer", "answers": [[7]]}).to_string(), "there is no option 7")]
#[case::the_clients_own_row(|r: &Value| json!({"v": 1, "token": r["token"], "means": "x", "do": "answer", "answers": [[3]]}).to_string(), "write the words")]
#[case::for_something_else(|r: &Value| json!({"v": 1, "token": r["token"], "means": "x", "do": "allow"}).to_string(), "it is a question")]
#[case::too_many_answers(|r: &Value| json!({"v": 1, "token": r["token"], "means": "x", "do": "answer", "answers": [[1], [2]]}).to_string(), "1 question")]
#[case::of_a_newer_version(|r: &Value| json!({"v": 2, "token": r["token"], "means": "x", "do": "answer", "answers": [[1]]}).to_string(), "version 2")]
#[case::empty(|_: &Value| String::new(), "not written to its end")]
fn a_reply_that_does_not_count_changes_nothing_and_one_that_does_may_follow(
    #[case] bad: fn(&Value) -> String,
    #[case] why: &str,
    #[values(true, false)] followed: bool,
) {
    let home = Home::on().config(&LONG.replace("5m", if followed { "5m" } else { "2s" }));
    let expected = Home::on().hook(&question()).unwrap();
    let hook = Waiting::start(&home, &question());
    let request = &up(&home, 1)[0];
    put(request, &bad(request));
    if followed {
        // A half-written one is given a second to become whole.
        reply(request, json!({"do": "answer", "answers": [[1]]}));
        assert!(denial_or_words(&hook.answer().unwrap()).contains("Red"));
    } else {
        assert_eq!(hook.answer().unwrap(), expected);
        assert_eq!(record(&home)["wait"]["end"], "time");
        if !why.is_empty() {
            assert!(record(&home)["problems"][0].as_str().unwrap().contains(why), "{}", record(&home));
        }
    }
    assert_eq!(left(&home), 0);
}

/// The words by which an answer reaches the model of a client that is not known to take answers.
fn denial_or_words(answer: &Value) -> String {
    denial(answer).to_owned()
}

#[rstest]
#[case::before_2_1_90("2.1.50", true)]
#[case::from_2_1_90_on("2.1.90", false)]
#[case::of_no_known_version("", true)]
fn a_client_that_takes_no_answers_is_told_them_by_a_denial(#[case] version: &str, #[case] denied: bool) {
    let home = Home::on().config(LONG);
    let transcript = home.path().join("transcript.jsonl");
    fs::write(&transcript, format!("{{\"type\":\"x\"}}\n{{\"type\":\"user\",\"version\":\"{version}\"}}\n{{}}\n"))
        .unwrap();
    let mut payload: Value = serde_json::from_str(&wizard()).unwrap();
    payload["transcript_path"] = json!(transcript);
    let hook = Waiting::start(&home, &payload.to_string());
    reply(&up(&home, 1)[0], json!({"do": "answer", "answers": [[1, 3], "as large as it gets"]}));
    let answer = hook.answer().unwrap();
    if denied {
        let words = denial(&answer);
        assert!(words.starts_with("A person has answered."), "{words}");
        assert!(words.ends_with("- \"Which colors?\" Red, Green\n- \"Which size?\" as large as it gets"), "{words}");
    } else {
        assert_eq!(answer["hookSpecificOutput"]["permissionDecision"], "allow");
    }
    assert_eq!(record(&home)["wait"]["by"], "person");
}

#[test]
fn a_look_alike_of_the_question_tool_is_told_by_a_denial_since_its_server_would_be_called() {
    let home = Home::on().with("CLAUDE_CODE_SESSION_ATTENDED", "0").config(LONG);
    let hook = Waiting::start(&home, &question().replace("\"AskUserQuestion\"", "\"mcp__forms__AskUserQuestion\""));
    reply(&up(&home, 1)[0], json!({"do": "answer", "answers": [[1]]}));
    assert!(denial(&hook.answer().unwrap()).ends_with("- \"Do you prefer red or blue?\" Red"));
}

#[rstest]
#[case::as_it_would_be(json!({"do": "approve"}), &["acceptEdits"])]
#[case::in_another_mode(json!({"do": "approve", "mode": "default"}), &["default"])]
#[case::in_bypass_mode_or_what_is_next_to_it(json!({"do": "approve", "mode": "bypassPermissions"}), &["acceptEdits", "bypassPermissions"])]
fn a_plan_that_a_person_approves_is_carried_out_and_known_as_seen(#[case] said: Value, #[case] modes: &[&str]) {
    let home = Home::on().config(LONG);
    let hook = Waiting::start(&home, &plan());
    reply(&up(&home, 1)[0], said);
    let answer = hook.answer().unwrap();
    let decision = &answer["hookSpecificOutput"]["decision"];
    let sent: Value = serde_json::from_str(&plan()).unwrap();
    assert_eq!((&decision["behavior"], &decision["updatedInput"]), (&json!("allow"), &sent["tool_input"]));
    let set: Vec<_> = decision["updatedPermissions"].as_array().unwrap().iter().map(|mode| &mode["mode"]).collect();
    assert_eq!(set, modes);
    assert_eq!(record(&home)["plan"]["seen_by"], "person");
    // What follows is not called automatic.
    let mut after = sent;
    (after["hook_event_name"], after["tool_response"]) = (json!("PostToolUse"), json!({"plan": "# Plan"}));
    assert_eq!(home.hook(&after.to_string()), None);
    assert_eq!(record(&home)["plan"]["seen_by"], "person");
}

#[test]
fn a_plan_that_a_person_sends_back_goes_back_with_that_persons_words() {
    let home = Home::on().config(LONG);
    let hook = Waiting::start(&home, &plan());
    reply(&up(&home, 1)[0], json!({"do": "reject", "message": "Write {words} to in.txt instead."}));
    let answer = hook.answer().unwrap();
    assert!(denial(&answer).ends_with("\nWrite {words} to in.txt instead."), "{answer}");
    assert_eq!((&record(&home)["plan"]["seen_by"], &record(&home)["wait"]["by"]), (&json!("person"), &json!("person")));
}

#[test]
fn a_plan_is_left_to_the_hook_that_can_wait_and_set_a_mode() {
    let payload = payload("2.1.332", "plan-entered-from-bypass-mode", "PreToolUse", "ExitPlanMode");
    let enter = home::payload("2.1.332", "plan-entered-from-bypass-mode", "PreToolUse", "EnterPlanMode");
    for (config, answered) in [("", true), (SHORT, false)] {
        let home = Home::on().config(config);
        home.hook(&enter);
        assert_eq!(home.hook(&payload).is_some(), answered);
    }
}

#[rstest]
#[case::allowed(json!({"do": "allow"}), "allow", "")]
#[case::refused(json!({"do": "deny"}), "deny", "Bash may not be used for this")]
#[case::refused_with_words(json!({"do": "deny", "message": "Use {tool} not."}), "deny", "\nUse {tool} not.")]
fn a_tool_is_what_the_person_says(#[case] said: Value, #[case] behavior: &str, #[case] words: &str) {
    let home = Home::on().config(LONG);
    let hook = Waiting::start(&home, &tool());
    reply(&up(&home, 1)[0], said);
    let answer = hook.answer().unwrap();
    let decision = &answer["hookSpecificOutput"]["decision"];
    let sent: Value = serde_json::from_str(&tool()).unwrap();
    assert_eq!(decision["behavior"], behavior);
    match behavior {
        "allow" => assert_eq!(decision["updatedInput"], sent["tool_input"]),
        _ => assert!(decision["message"].as_str().unwrap().contains(words), "{decision}"),
    }
    assert_eq!(
        (&record(&home)["decision"]["action"], &record(&home)["wait"]["by"]),
        (&json!(behavior), &json!("person"))
    );
}

#[rstest]
#[case::told(&["hook", "--timeout", "12"], 2_000)]
#[case::not_told(&["hook", "--for", "PreToolUse:AskUserQuestion"], 20_000)]
fn a_wait_never_outlasts_the_hooks_own_timeout(#[case] args: &[&str], #[case] at_most: u64) {
    let home = Home::on().config(LONG);
    let hook = Waiting::start_with(&home, args, &question());
    if at_most > 10_000 {
        reply(&up(&home, 1)[0], json!({"do": "answer", "answers": [[1]]}));
    }
    denial(&hook.answer().unwrap());
    let record = record(&home);
    assert!(record["wait"]["limit_ms"].as_u64().unwrap() <= at_most, "{}", record["wait"]);
    assert_eq!(record["wait"]["cut_from_ms"], 300_000);
    let problem = record["problems"][0].as_str().unwrap();
    assert!(problem.contains("wait of 5m was cut") && problem.contains("unattended install"), "{problem}");
}

#[rstest]
#[case::less_than_a_hook_needs("5", "5s")]
#[case::just_that("10", "10s")]
#[case::none("0", "0s")]
fn where_there_is_no_time_to_wait_nothing_is_put_up_and_nobody_is_told(#[case] timeout: &str, #[case] shown: &str) {
    let home = Home::on().config(&format!("{LONG}[notify]\ncommand = [\"/nowhere/notify\"]\n"));
    denial(&Waiting::start_with(&home, &["hook", "--timeout", timeout], &question()).answer().unwrap());
    let record = record(&home);
    assert_eq!((record.get("wait"), home.state().join("pending").exists()), (None, false));
    let problems: Vec<&str> = record["problems"].as_array().unwrap().iter().map(|it| it.as_str().unwrap()).collect();
    let [cut, not_put] = problems[..] else { panic!("{problems:?}") };
    assert!(cut.contains("wait of 5m was cut to 0s") && cut.contains(&format!("a timeout of {shown};")), "{cut}");
    assert_eq!(not_put, "it was not put before a person: there is no time for it");
}

/// Leaves replies that do not count, one after another, until the request is gone.
fn flood(request: &Value, text: String) -> thread::JoinHandle<()> {
    let place = PathBuf::from(request["reply_to"].as_str().unwrap());
    thread::spawn(move || {
        let fresh = place.parent().unwrap().with_extension("flood");
        while place.parent().unwrap().exists() {
            fs::write(&fresh, &text).unwrap();
            let _ = fs::rename(&fresh, &place);
        }
        let _ = fs::remove_file(fresh);
    })
}

#[rstest]
#[case::large(900_000)]
#[case::small(10)]
fn however_many_forged_replies_come_the_wait_ends_in_time(#[case] size: usize) {
    let home = Home::on().config(&LONG.replace("5m", "1500ms"));
    let hook = Waiting::start(&home, &tool());
    let request = up(&home, 1).remove(0);
    let forged = json!({"v": 1, "token": "0".repeat(32), "means": "x", "do": "deny", "message": "x".repeat(size)});
    let flood = flood(&request, forged.to_string());
    denial(&hook.answer().unwrap());
    flood.join().unwrap();
    let wait = &record(&home)["wait"];
    assert_eq!(wait["end"], "time");
    // Far less than what reading all of them takes, and than a second more for the pause after a hundred of them.
    assert!((1_500..2_400).contains(&wait["waited_ms"].as_u64().unwrap()), "{wait}");
}

#[test]
fn a_registration_that_follows_and_whose_client_is_gone_ends() {
    let home = Home::on().config(LONG);
    let first = Waiting::start_with(&home, TWO_REGISTRATIONS[0], &question());
    let request = up(&home, 1).remove(0);
    let mut second = Waiting::start_with(&home, TWO_REGISTRATIONS[1], &question());
    drop(second.child.stdout.take());
    let started = Instant::now();
    while second.child.try_wait().unwrap().is_none() {
        assert!(started.elapsed() < PATIENCE, "it follows on");
        thread::sleep(Duration::from_millis(10));
    }
    assert_eq!(requests(&home).len(), 1);
    reply(&request, json!({"do": "answer", "answers": [[2]]}));
    assert!(denial(&first.answer().unwrap()).contains("Blue"));
}

#[rstest]
#[case::a_folder(|place: &Path| fs::create_dir(place).unwrap())]
#[case::a_folder_with_something_in_it(|place: &Path| fs::create_dir_all(place.join("x/y")).unwrap())]
#[case::a_symlink_to_nowhere(|place: &Path| std::os::unix::fs::symlink("/nowhere", place).unwrap())]
#[case::a_socket(|place: &Path| drop(std::os::unix::net::UnixListener::bind(place).unwrap()))]
fn what_is_no_file_in_the_place_of_a_reply_is_taken_away_and_told_of(#[case] plant: fn(&Path)) {
    let home = Home::on().config(LONG);
    let hook = Waiting::start(&home, &question());
    let request = up(&home, 1).remove(0);
    let place = PathBuf::from(request["reply_to"].as_str().unwrap());
    plant(&place);
    // The verb waits for the room, and takes it.
    home.says(&["answer", request["id"].as_str().unwrap(), "2"]);
    assert!(denial(&hook.answer().unwrap()).contains("Blue"));
    let record = record(&home);
    assert!(record["problems"][0].as_str().unwrap().contains("it is no JSON in a file"), "{record}");
    assert!(!place.parent().unwrap().exists());
}

#[rstest]
#[case::a_permission_with_words(tool(), json!({"do": "allow", "message": "only on staging"}), "\"allow\" goes with nothing else")]
#[case::an_approval_with_words(plan(), json!({"do": "approve", "message": "but"}), "\"approve\" goes with a `mode` at most")]
#[case::a_rejection_with_a_mode(plan(), json!({"do": "reject", "message": "no", "mode": "auto"}), "\"reject\" goes with a `message` alone")]
#[case::a_rejection_without_words(plan(), json!({"do": "reject"}), "\"reject\" goes with a `message` alone")]
#[case::a_field_that_none_has(tool(), json!({"do": "allow", "only": "once"}), "it has a field that none has: only")]
#[case::no_means(tool(), json!({"do": "allow", "means": " "}), "its `means` is not of 1 to 100 characters")]
#[case::nothing_that_is_known(tool(), json!({"do": "permit"}), "is none of answer, approve, reject, allow, deny")]
fn a_reply_whose_words_would_be_lost_does_not_count(#[case] payload: String, #[case] said: Value, #[case] why: &str) {
    let home = Home::on().config(LONG);
    let hook = Waiting::start(&home, &payload);
    let request = up(&home, 1).remove(0);
    let mut bad = json!({"v": 1, "token": request["token"], "means": "test"});
    bad.as_object_mut().unwrap().extend(said.as_object().unwrap().clone());
    assert!(!validator(include_str!("../docs/pending.schema.json")).is_valid(&bad), "by the schema either");
    put(&request, &bad.to_string());
    let place = PathBuf::from(request["reply_to"].as_str().unwrap());
    let started = Instant::now();
    while place.exists() {
        assert!(started.elapsed() < PATIENCE, "it is not taken away");
        thread::sleep(Duration::from_millis(5));
    }
    let deny = if payload == tool() { json!({"do": "deny"}) } else { json!({"do": "reject", "message": "No."}) };
    reply(&request, deny);
    denial(&hook.answer().unwrap());
    assert!(record(&home)["problems"][0].as_str().unwrap().contains(why), "{}", record(&home));
}

#[test]
fn a_hook_that_was_stopped_takes_no_answer_that_its_time_was_up_for() {
    use rustix::process::{Pid, Signal, kill_process};
    let home = Home::on().config(&LONG.replace("5m", "1s"));
    let hook = Waiting::start(&home, &tool());
    let request = up(&home, 1).remove(0);
    let id = request["id"].as_str().unwrap();
    let pid = Pid::from_raw(hook.child.id() as i32).unwrap();
    kill_process(pid, Signal::STOP).unwrap();
    let until: chrono::DateTime<chrono::Utc> = request["until"].as_str().unwrap().parse().unwrap();
    while unattended::clock::now() <= until {
        thread::sleep(Duration::from_millis(20));
    }
    let late = home.run(&["answer", id, "allow"]);
    let errors = String::from_utf8(late.stderr).unwrap();
    assert_eq!(late.status.code(), Some(1), "{errors}");
    assert!(errors.starts_with(&format!("error: time for {} was up at ", &id[..7])), "{errors}");
    // Nor one that somebody leaves who looks at no clock.
    reply(&request, json!({"do": "allow"}));
    kill_process(pid, Signal::CONT).unwrap();
    denial(&hook.answer().unwrap());
    assert_eq!((&record(&home)["wait"]["end"], left(&home)), (&json!("time"), 0));
}

#[rstest]
#[case::its_folder(|pending: &Path, _: &str| fs::remove_dir_all(pending).unwrap())]
#[case::its_file(|pending: &Path, id: &str| fs::remove_file(pending.join(format!("{id}.json"))).unwrap())]
#[case::the_room_for_its_reply(|pending: &Path, id: &str| fs::remove_dir(pending.join(format!("{id}.reply"))).unwrap())]
fn a_request_that_is_taken_away_is_decided_without_a_person_at_once(#[case] take: fn(&Path, &str)) {
    let home = Home::on().config(LONG);
    let hook = Waiting::start(&home, &question());
    let request = up(&home, 1).remove(0);
    let id = request["id"].as_str().unwrap();
    take(&home.state().join("pending"), id);
    denial(&hook.answer().unwrap());
    assert_eq!((&record(&home)["wait"]["end"], &record(&home)["id"]), (&json!("gone"), &json!(id)));
    assert!(record(&home)["wait"]["waited_ms"].as_u64().unwrap() < 60_000);
}

#[test]
fn a_switch_that_ends_by_itself_ends_the_wait_of_a_session_that_it_does_not_cover() {
    let home = Home::new().with("CLAUDE_CODE_SESSION_ATTENDED", "1").config(LONG);
    home.says(&["on", "--for", "2s"]);
    let hook = Waiting::start(&home, &question());
    up(&home, 1);
    assert_eq!(hook.answer(), None);
    let wait = &record(&home)["wait"];
    assert_eq!(wait["end"], "off");
    assert!(wait["waited_ms"].as_u64().unwrap() < 60_000, "{wait}");
}

#[test]
fn clearing_old_records_leaves_what_still_waits() {
    let home = Home::on().config(&format!("{LONG}[records]\nkeep_days = 1\n"));
    let hook = Waiting::start(&home, &question());
    let request = up(&home, 1).remove(0);
    let file = home.state().join(format!("pending/{}.json", request["id"].as_str().unwrap()));
    let dead = home.state().join("pending/.0123456789abcdef.7.new");
    fs::write(&dead, "").unwrap();
    let long_ago = std::time::SystemTime::now() - Duration::from_secs(5 * 24 * 60 * 60);
    for file in [&file, &dead] {
        fs::File::open(file).unwrap().set_modified(long_ago).unwrap();
    }
    home.says(&["status"]);
    assert!(!dead.exists(), "old records were cleared");
    home.says(&["answer", request["id"].as_str().unwrap(), "2"]);
    assert!(denial(&hook.answer().unwrap()).contains("Blue"));
}

#[test]
fn turning_the_switch_off_gives_the_dialog_to_the_person_at_once() {
    let home = Home::new().config(LONG);
    home.says(&["on"]);
    let hook = Waiting::start(&home, &question());
    up(&home, 1);
    home.says(&["off"]);
    assert_eq!(hook.answer(), None);
    let record = record(&home);
    assert_eq!((&record["wait"]["end"], &record["on"], left(&home)), (&json!("off"), &json!(false), 0));
}

#[test]
fn a_hook_whose_client_is_gone_does_not_wait_on() {
    let home = Home::on().config(LONG);
    let mut hook = Waiting::start(&home, &question());
    up(&home, 1);
    drop(hook.child.stdout.take());
    let started = Instant::now();
    while hook.child.try_wait().unwrap().is_none() {
        assert!(started.elapsed() < PATIENCE, "it waits on");
        thread::sleep(Duration::from_millis(10));
    }
    assert_eq!((&record(&home)["wait"]["end"], left(&home)), (&json!("gone"), 0));
}

#[test]
fn a_hook_that_is_killed_leaves_nothing_that_can_be_answered() {
    let home = Home::on().config(LONG);
    let mut hook = Waiting::start(&home, &question());
    let dead = up(&home, 1).remove(0);
    hook.child.kill().unwrap();
    hook.child.wait().unwrap();
    // The same call again, by another hook, asks anew.
    let hook = Waiting::start(&home, &question());
    let started = Instant::now();
    let request = loop {
        if let Some(request) = requests(&home).into_iter().find(|request| request["token"] != dead["token"]) {
            break request;
        }
        assert!(started.elapsed() < PATIENCE);
        thread::sleep(Duration::from_millis(10));
    };
    reply(&request, json!({"do": "answer", "answers": [[1]]}));
    denial(&hook.answer().unwrap());
    assert_eq!((&record(&home)["wait"]["by"], left(&home)), (&json!("person"), 0));
}

#[test]
fn a_notification_tells_of_a_stall_only_where_no_hook_of_its_session_waits() {
    let home = Home::on().config(LONG);
    let notice = payload("2.1.332", "tool-permission-unanswered", "Notification", "");
    let hook = Waiting::start(&home, &tool());
    let request = up(&home, 1).remove(0);
    home.hook(&notice);
    assert_eq!(record(&home)["stall"], false);
    home.hook(&notice.replace("000000000002", "000000000009"));
    assert_eq!(record(&home)["stall"], true, "another session");
    reply(&request, json!({"do": "deny"}));
    hook.answer();
    home.hook(&notice);
    assert_eq!(record(&home)["stall"], true, "the wait is over");
}

const TWO_REGISTRATIONS: [&[&str]; 2] = [&["hook", "--timeout", "600"], &["hook", "--timeout", "601"]];

#[rstest]
#[case::question(question(), json!({"do": "answer", "answers": [[2]]}), "deny")]
#[case::plan(plan(), json!({"do": "reject", "message": "No."}), "deny")]
#[case::tool(tool(), json!({"do": "allow"}), "allow")]
fn two_registrations_ask_a_person_once_and_the_answer_stands(
    #[case] payload: String,
    #[case] said: Value,
    #[case] answer: &str,
) {
    let home = Home::on().config(LONG);
    let hooks = TWO_REGISTRATIONS.map(|args| Waiting::start_with(&home, args, &payload));
    let request = up(&home, 1).remove(0);
    // Time for the other one to ask as well, if it did.
    thread::sleep(Duration::from_millis(300));
    assert_eq!(requests(&home).len(), 1);
    reply(&request, said);
    let answers: Vec<String> = hooks.into_iter().filter_map(Waiting::answer).map(|answer| answer.to_string()).collect();
    // The other one says nothing, which takes nothing away from it.
    assert_eq!(answers.len(), 1, "{answers:?}");
    assert!(answers[0].contains(answer), "{answers:?}");
    let told = home.records().iter().any(|record| record["problems"].to_string().contains("another registration"));
    assert!(told && left(&home) == 0);
    assert_eq!(home.run(&["review", "--check"]).status.code(), Some(0));
}

#[test]
fn where_the_registration_that_asks_is_killed_the_other_one_decides() {
    let home = Home::on().config(LONG);
    let mut first = Waiting::start_with(&home, TWO_REGISTRATIONS[0], &question());
    up(&home, 1);
    let second = Waiting::start_with(&home, TWO_REGISTRATIONS[1], &question());
    thread::sleep(Duration::from_millis(300));
    first.child.kill().unwrap();
    first.child.wait().unwrap();
    assert!(denial(&second.answer().unwrap()).starts_with("nobody is available"));
}

#[test]
fn a_registration_that_comes_after_the_answer_does_not_undo_it() {
    let home = Home::on().config(LONG);
    let first = Waiting::start_with(&home, TWO_REGISTRATIONS[0], &question());
    reply(&up(&home, 1)[0], json!({"do": "answer", "answers": [[2]]}));
    first.answer();
    assert_eq!(Waiting::start_with(&home, TWO_REGISTRATIONS[1], &question()).answer(), None);
}

#[test]
fn an_answer_that_another_hook_has_turned_into_a_dialog_is_given_there() {
    let home = Home::on().with("CLAUDE_CODE_SESSION_ATTENDED", "0").config(LONG);
    let hook = Waiting::start(&home, &wizard());
    reply(&up(&home, 1)[0], json!({"do": "answer", "answers": [[1, 3], "as large as it gets"]}));
    hook.answer();
    let mut dialog: Value = serde_json::from_str(&wizard()).unwrap();
    dialog["hook_event_name"] = json!("PermissionRequest");
    dialog.as_object_mut().unwrap().remove("tool_use_id");
    let answer = home.hook(&dialog.to_string()).unwrap();
    let decision = &answer["hookSpecificOutput"]["decision"];
    let answers = json!({"Which colors?": "Red, Green", "Which size?": "as large as it gets"});
    assert_eq!((&decision["behavior"], &decision["updatedInput"]["answers"]), (&json!("allow"), &answers));
    assert_eq!(record(&home)["decision"]["answers"], answers);
    assert_eq!(home.run(&["review", "--check"]).status.code(), Some(0));
    // Of another prompt, and of another question, it is not the answer.
    denial(&home.hook(&dialog.to_string().replace("Which size?", "What size?")).unwrap());
    dialog["prompt_id"] = json!("another");
    denial(&home.hook(&dialog.to_string()).unwrap());
}

#[test]
fn calls_that_are_alike_are_each_asked_about_and_each_counts_for_itself() {
    let home = Home::on().config(LONG);
    let hooks = [Waiting::start(&home, &tool()), Waiting::start(&home, &tool())];
    let requests = up(&home, 2);
    reply(&requests[0], json!({"do": "allow"}));
    reply(&requests[1], json!({"do": "deny"}));
    let behaviors = hooks.map(|hook| hook.answer().unwrap()["hookSpecificOutput"]["decision"]["behavior"].clone());
    assert!(behaviors.contains(&json!("allow")) && behaviors.contains(&json!("deny")), "{behaviors:?}");
    // What nobody was asked about is not what a person said of its like.
    let home = home.config("");
    home.hook(&tool());
    let review: Value = serde_json::from_str(&home.says(&["review", "--json"])).unwrap();
    let decisions = review["decisions"].as_array().unwrap();
    assert_eq!((decisions.len(), &decisions[0]["id"]), (1, &record(&home)["id"]));
}

#[test]
fn what_a_killed_hook_had_asked_is_on_record() {
    let home = Home::on().config(LONG);
    let mut hook = Waiting::start(&home, &question());
    let request = up(&home, 1).remove(0);
    hook.child.kill().unwrap();
    hook.child.wait().unwrap();
    home.says(&["answer", "--list"]);
    let record = record(&home);
    assert_eq!((&record["id"], &record["wait"]["end"], left(&home)), (&request["id"], &json!("gone"), 0));
    assert_eq!(home.records().len(), 1);
}

#[test]
fn an_answer_that_nobody_takes_does_not_count_as_given() {
    let home = Home::on().config(LONG);
    let mut command = home.command(&["hook", "--timeout", "600"]);
    let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let mut hook = command.stdin(Stdio::piped()).stdout(full).spawn().unwrap();
    hook.stdin.take().unwrap().write_all(question().as_bytes()).unwrap();
    reply(&up(&home, 1)[0], json!({"do": "answer", "answers": [[2]]}));
    assert_eq!(hook.wait().unwrap().code(), Some(0));
    assert_eq!(record(&home)["wait"]["end"], "gone");
}

#[rstest]
#[case::a_tools_input_that_no_record_holds(tool().replace("touch bash-ran", &"x".repeat(70_000)))]
#[case::a_plan_that_no_record_holds(plan().replace("# Plan", &"x".repeat(300_000)))]
#[case::questions_of_one_text(wizard().replace("Which size?", "Which colors?"))]
#[case::an_option_without_a_label(question().replace("\"Red\"", "\" \""))]
fn what_cannot_be_shown_or_told_apart_is_not_put_before_a_person(#[case] payload: String) {
    let home = Home::on().config(LONG);
    let expected = Home::on().hook(&payload);
    assert_eq!(Waiting::start(&home, &payload).answer(), expected);
    assert_eq!((record(&home).get("wait"), home.state().join("pending").exists()), (None, false));
}

#[test]
fn a_permission_that_becomes_the_persons_meanwhile_is_on_record() {
    let home = Home::new().config(LONG);
    home.says(&["on"]);
    let hook = Waiting::start(&home, &tool());
    up(&home, 1);
    home.says(&["off"]);
    assert_eq!(hook.answer(), None);
    assert_eq!((&record(&home)["wait"]["end"], &record(&home)["on"]), (&json!("off"), &json!(false)));
}

#[test]
fn requests_of_several_runs_stay_apart() {
    let home = Home::on().config(LONG);
    let hooks: Vec<_> = ["1", "2", "3"]
        .iter()
        .map(|run| {
            let payload = question().replace("000000000002", &format!("00000000000{run}")).replace("red or", run);
            Waiting::start(&home, &payload)
        })
        .collect();
    for request in up(&home, 3) {
        let asked = request["record"]["questions"][0]["question"].as_str().unwrap().to_owned();
        reply(&request, json!({"do": "answer", "answers": [asked]}));
    }
    for (hook, run) in hooks.into_iter().zip(["1", "2", "3"]) {
        let answer = hook.answer().unwrap();
        assert!(denial(&answer).ends_with(&format!("{run} blue?\" Do you prefer {run} blue?")), "{answer}");
    }
    assert_eq!(left(&home), 0);
}

#[rstest]
#[case::a_file(|home: &Home| fs::write(home.state().join("pending"), "").unwrap())]
#[case::a_symlink(|home: &Home| std::os::unix::fs::symlink(home.path(), home.state().join("pending")).unwrap())]
fn where_nothing_can_be_put_up_nothing_waits(#[case] spoil: fn(&Home)) {
    let home = Home::on().config(LONG);
    fs::create_dir_all(home.state()).unwrap();
    spoil(&home);
    denial(&Waiting::start(&home, &question()).answer().unwrap());
    let record = record(&home);
    assert!(record["problems"][0].as_str().unwrap().starts_with("it was not put before a person"), "{record}");
    assert_eq!(record.get("wait"), None);
}

#[test]
fn with_no_home_at_all_nothing_waits() {
    let home = Home::on();
    let config = home.path().join("config.toml");
    fs::write(&config, LONG).unwrap();
    let Some(mut command) = home.homeless(&["hook"]) else { return };
    command.env("UNATTENDED_CONFIG", config);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(question().as_bytes()).unwrap();
    denial(&serde_json::from_slice(&child.wait_with_output().unwrap().stdout).unwrap());
}

#[test]
fn a_reply_that_is_a_fifo_or_a_symlink_is_neither_waited_for_nor_followed() {
    let home = Home::on().config(&LONG.replace("5m", "2s"));
    let hook = Waiting::start(&home, &question());
    let request = up(&home, 1).remove(0);
    let elsewhere = home.path().join("elsewhere.json");
    let said = json!({"v": 1, "token": request["token"], "means": "x", "do": "answer", "answers": [[1]]});
    fs::write(&elsewhere, said.to_string()).unwrap();
    std::os::unix::fs::symlink(&elsewhere, request["reply_to"].as_str().unwrap()).unwrap();
    assert!(denial(&hook.answer().unwrap()).starts_with("nobody is available"));
    assert!(elsewhere.exists() && left(&home) == 0);
}

#[test]
fn the_persons_program_gets_the_request_and_is_not_waited_for() {
    let home = Home::on();
    let (script, out) = (home.path().join("notify"), home.path().join("out.json"));
    fs::write(
        home.path().join("text"),
        format!("#!/bin/sh\necho $$ >pid\ncat >'{0}.new'\nmv '{0}.new' '{0}'\nexec sleep 600\n", out.display()),
    )
    .unwrap();
    // By another process: a file that is open for writing anywhere cannot be run.
    let made = "cp text notify && chmod +x notify";
    assert!(std::process::Command::new("sh").args(["-c", made]).current_dir(home.path()).status().unwrap().success());
    let home = home.config(&format!("{SHORT}[notify]\ncommand = [\"{}\"]\n", script.display()));
    denial(&home.hook(&question()).unwrap());
    let started = Instant::now();
    while !out.exists() {
        assert!(started.elapsed() < PATIENCE, "it got nothing");
        thread::sleep(Duration::from_millis(10));
    }
    let request: Value = serde_json::from_slice(&fs::read(&out).unwrap()).unwrap();
    assert_eq!((&request["id"], &request["record"]["kind"]), (&record(&home)["id"], &json!("question")));
    assert_eq!(record(&home).get("problems"), None);
    // It stands in the state folder, from where nothing of the session's is found, and outlives the hook.
    let left = fs::read_to_string(home.state().join("pid")).unwrap().trim().parse().unwrap();
    let left = rustix::process::Pid::from_raw(left).unwrap();
    rustix::process::kill_process(left, rustix::process::Signal::KILL).expect("it goes on");
}

#[rstest]
#[case::missing("/nowhere/notify", "notify.command was not started: No such file")]
#[case::of_the_repository("./notify", "neither a name nor an absolute path")]
fn a_program_that_cannot_be_started_is_a_problem_of_the_record_alone(#[case] program: &str, #[case] why: &str) {
    let home = Home::on().config(&format!("{SHORT}[notify]\ncommand = [\"{program}\"]\n"));
    denial(&home.hook(&question()).unwrap());
    assert!(record(&home)["problems"][0].as_str().unwrap().contains(why), "{}", record(&home));
}

#[test]
fn what_comes_back_after_a_persons_answer_is_known_as_that_persons() {
    let home = Home::on().with("CLAUDE_CODE_SESSION_ATTENDED", "0").config(LONG);
    let hook = Waiting::start(&home, &question());
    reply(&up(&home, 1)[0], json!({"do": "answer", "answers": [[2]]}));
    hook.answer();
    let mut after: Value = serde_json::from_str(&question()).unwrap();
    after["hook_event_name"] = json!("PostToolUse");
    after["tool_response"] = json!({"answers": {"Do you prefer red or blue?": "Blue"}});
    home.hook(&after.to_string());
    assert_eq!((&record(&home)["kind"], &record(&home)["whose"]), (&json!("answer"), &json!("person")));
    after["tool_use_id"] = json!("toolu_other");
    home.hook(&after.to_string());
    assert_eq!(record(&home)["whose"], "unknown", "an answer that no person gave us");
}

#[test]
fn what_a_person_decided_needs_no_review_and_what_nobody_answered_does() {
    let home = Home::on().config(LONG);
    let hook = Waiting::start(&home, &question());
    reply(&up(&home, 1)[0], json!({"do": "answer", "answers": [[2]]}));
    hook.answer();
    let hook = Waiting::start(&home, &plan());
    reply(&up(&home, 1)[0], json!({"do": "reject", "message": "No."}));
    hook.answer();
    assert_eq!(home.run(&["review", "--check"]).status.code(), Some(0));
    let home = home.config(SHORT);
    home.hook(&tool());
    assert_eq!(home.run(&["review", "--check"]).status.code(), Some(1));
}

#[test]
fn a_secret_in_a_question_is_masked_where_it_is_put_up_and_whole_in_the_answer() {
    let home = Home::on().with("CLAUDE_CODE_SESSION_ATTENDED", "0").config(LONG);
    let secret = "ghp_0123456789abcdefghijABCDEFGHIJ012345";
    let hook = Waiting::start(&home, &question().replace("Blue", secret));
    let request = up(&home, 1).remove(0);
    assert!(!request.to_string().contains(secret) && request["record"]["masked"] == true, "{request:#}");
    reply(&request, json!({"do": "answer", "answers": [[2]]}));
    let answer = hook.answer().unwrap();
    assert_eq!(answer["hookSpecificOutput"]["updatedInput"]["answers"]["Do you prefer red or blue?"], secret);
    assert!(!record(&home).to_string().contains(secret));
}

#[test]
fn the_model_is_told_what_is_put_before_a_person() {
    let start = payload("2.1.332", "question-unanswered", "SessionStart", "");
    let told = |config: &str| {
        let home = Home::on().config(config);
        let context =
            home.hook(&start).unwrap()["hookSpecificOutput"]["additionalContext"].as_str().unwrap().to_owned();
        assert_eq!(home.says(&["prompt"]).trim_end(), context);
        assert!(context.chars().count() <= 1200, "{}", context.chars().count());
        context
    };
    assert!(told("").contains("no question, dialog or request will be answered"));
    let all = told(LONG);
    assert!(all.contains("Questions, plans and requests for a permission are put before a person"), "{all}");
    assert!(all.contains("- Ask only what you cannot well decide yourself"), "{all}");
    let plans = told("[plans]\nwait = \"10m\"\n");
    assert!(plans.contains(" Plans are put before a person") && plans.contains("- Do not ask. Where"), "{plans}");
}

#[test]
fn status_tells_what_waits() {
    let home = Home::on().config(LONG);
    assert!(!home.says(&["status"]).contains("wait  "));
    let hook = Waiting::start(&home, &question());
    let request = up(&home, 1).remove(0);
    assert!(home.says(&["status"]).contains("\nwaits                 1 for your answer, for now: unattended answer\n"));
    let status: Value = serde_json::from_str(&home.says(&["status", "--json"])).unwrap();
    assert_eq!(status["waiting"], 1);
    reply(&request, json!({"do": "answer", "answers": [[1]]}));
    hook.answer();
}

#[test]
fn files_of_a_request_are_their_owners_alone() {
    use std::os::unix::fs::PermissionsExt;
    let home = Home::on().config(LONG);
    let hook = Waiting::start(&home, &question());
    let request = up(&home, 1).remove(0);
    let mode = |path: PathBuf| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let pending = home.state().join("pending");
    assert_eq!(mode(pending.clone()), 0o700);
    assert_eq!(mode(pending.join(format!("{}.json", request["id"].as_str().unwrap()))), 0o600);
    assert_eq!(mode(PathBuf::from(request["reply_to"].as_str().unwrap()).parent().unwrap().to_path_buf()), 0o700);
    reply(&request, json!({"do": "answer", "answers": [[1]]}));
    hook.answer();
}

#[rstest]
#[case::ahead("2100-03-01 00:00:00")]
#[case::back("1969-12-31 23:59:50")]
fn a_clock_that_jumps_meanwhile_makes_a_wait_neither_longer_nor_shorter(#[case] jump: &str) {
    let library = fs::read_dir("/usr/lib").unwrap().filter_map(Result::ok);
    let mut library = library.map(|entry| entry.path().join("faketime/libfaketime.so.1"));
    let Some(library) = library.find(|path| path.exists()) else {
        let _ = writeln!(std::io::stderr(), "SKIPPED: no libfaketime below /usr/lib to make the clock jump with");
        return;
    };
    let home = Home::on().config(&LONG.replace("5m", "3s"));
    let clock = home.path().join("clock");
    fs::write(&clock, "2026-11-30 12:00:00").unwrap();
    let home = home.with("TZ", "UTC").with("LD_PRELOAD", library.to_str().unwrap());
    let home = home.with("FAKETIME_NO_CACHE", "1").with("DONT_FAKE_MONOTONIC", "1");
    let home = home.with("FAKETIME_TIMESTAMP_FILE", clock.to_str().unwrap());
    let hook = Waiting::start(&home, &question());
    let request = up(&home, 1).remove(0);
    assert_eq!(
        (&request["since"], &request["until"]),
        (&json!("2026-11-30T12:00:00Z"), &json!("2026-11-30T12:00:03Z"))
    );
    fs::write(&clock, jump).unwrap();
    // A look at the clock would be taken now: something changed.
    fs::write(home.state().join("anything"), "").unwrap();
    denial(&hook.answer().unwrap());
    let wait = &record(&home)["wait"];
    assert_eq!((&wait["end"], wait["waited_ms"].as_u64().unwrap() / 1000 >= 3), (&json!("time"), true), "{wait}");
}
