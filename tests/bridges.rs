//! From end to end: the hook that waits, and a person's word through the verb or a bridge's own code; and that what
//! docs/bridges.md says is so.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod home;

use std::env;
use std::fs;
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use clap::CommandFactory;
use home::{Home, denial, payload};
use rstest::rstest;
use serde_json::{Value, json};
use unattended::cli::Cli;
use unattended::config::{self, Config};

const DOC: &str = include_str!("../docs/bridges.md");
const WAITS: &str = "[questions]\nwait = \"5m\"\n[plans]\nwait = \"5m\"\n[permissions]\nwait = \"5m\"\n";

fn blocks(language: &str) -> Vec<&'static str> {
    DOC.split(&format!("```{language}\n")).skip(1).map(|rest| rest.split("```").next().unwrap()).collect()
}

/// A home in which a hook puts everything before a person first, for a client that takes answers.
fn waits() -> Home {
    Home::on().with("CLAUDE_CODE_SESSION_ATTENDED", "0").config(WAITS)
}

fn question() -> String {
    payload("2.1.332", "question-unanswered", "PreToolUse", "AskUserQuestion")
}

/// A hook that waits for a person.
struct Hook(Child);

impl Hook {
    fn start(home: &Home, payload: &str) -> Self {
        let mut command = home.command(&["hook", "--timeout", "600"]);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(payload.as_bytes()).unwrap();
        Self(child)
    }

    fn answer(mut self) -> Value {
        let mut text = String::new();
        self.0.stdout.take().unwrap().read_to_string(&mut text).unwrap();
        self.0.wait().unwrap();
        serde_json::from_str(&text).unwrap()
    }
}

/// The one request that waits.
fn listed(home: &Home) -> Value {
    let until = Instant::now() + Duration::from_secs(60);
    loop {
        let mut list: Vec<Value> = serde_json::from_str(&home.says(&["answer", "--list", "--json"])).unwrap();
        match list.pop() {
            Some(one) => return one,
            None => assert!(Instant::now() < until, "nothing waits"),
        }
        thread::sleep(Duration::from_millis(10));
    }
}

#[rstest]
#[case::by_number(&["2"], "Blue")]
#[case::in_words(&["Green, please"], "Green, please")]
fn what_a_person_answers_is_what_the_client_gets(#[case] words: &[&str], #[case] answer: &str) {
    let home = waits();
    let hook = Hook::start(&home, &question());
    let request = listed(&home);
    let id = request["id"].as_str().unwrap();
    assert_eq!(home.says(&[&["answer", id], words].concat()), format!("{}: taken: {answer}\n", &id[..7]));
    let output = &hook.answer()["hookSpecificOutput"];
    assert_eq!(output["permissionDecision"], "allow");
    let question = output["updatedInput"]["questions"][0]["question"].as_str().unwrap();
    assert_eq!(output["updatedInput"]["answers"], json!({question: answer}));
    let record = home.last_record();
    assert_eq!((&record["id"], &record["wait"]["end"]), (&request["id"], &json!("reply")));
    assert_eq!((&record["wait"]["by"], &record["wait"]["means"]), (&json!("person"), &json!("terminal")));
    let late = home.run(&["answer", id, "1"]);
    assert!(String::from_utf8(late.stderr).unwrap().contains(" was answered before: at "));
    assert_eq!(late.status.code(), Some(1));
}

#[test]
fn a_plan_and_a_tool_are_what_the_person_says() {
    let home = waits();
    let hook = Hook::start(&home, &payload("2.1.332", "plan-unanswered", "PermissionRequest", "ExitPlanMode"));
    let id = listed(&home)["id"].as_str().unwrap().to_owned();
    home.says(&["answer", &id, "reject", "Tests first"]);
    assert!(denial(&hook.answer()).contains("Tests first"));
    let tool = payload("2.1.332", "tool-permission-unanswered", "PermissionRequest", "Bash");
    let hook = Hook::start(&home, &tool);
    let id = listed(&home)["id"].as_str().unwrap().to_owned();
    home.says(&["answer", &id, "allow"]);
    assert_eq!(hook.answer()["hookSpecificOutput"]["decision"]["behavior"], "allow");
}

#[test]
fn when_its_time_was_up_the_refusal_says_so() {
    let home = Home::on().config("[questions]\nwait = \"1s\"\n");
    denial(&home.hook(&question()).unwrap());
    let id = home.last_record()["id"].as_str().unwrap().to_owned();
    let errors = String::from_utf8(home.run(&["answer", &id, "1"]).stderr).unwrap();
    assert!(errors.starts_with(&format!("error: time for {} was up at ", &id[..7])), "{errors}");
}

/// The loop as it is shown, with somebody to ask.
#[test]
fn the_bridge_that_is_shown_leaves_a_reply_that_counts() {
    let [code] = blocks("python")[..] else { panic!("one bridge is shown") };
    let home = waits();
    let hook = Hook::start(&home, &question());
    let asked = "def ask_somebody(record):\n    return {'do': 'answer', 'answers': [[1]]}\n";
    // Twice, to see what a second reply is told.
    let code =
        code.replace("        reply(event", "        print(reply(event").replace("[\"record\"]))", "[\"record\"])))");
    let code =
        format!("{asked}{code}        print(reply(event['request'], {{'do': 'allow'}}), flush=True)\n        break\n");
    let programs = Path::new(home::PROGRAM).parent().unwrap().display().to_string();
    let mut python = Command::new("python3");
    python.args(["-c", &code]).env_clear().env("HOME", home.path());
    python.env("PATH", format!("{programs}:{}", env::var("PATH").unwrap()));
    let output = python.stdin(Stdio::null()).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(String::from_utf8_lossy(&output.stdout), "True\nFalse\n");
    assert_eq!(hook.answer()["hookSpecificOutput"]["updatedInput"]["answers"].as_object().unwrap().len(), 1);
    assert_eq!(home.last_record()["wait"]["means"], "chat");
    assert_eq!(fs::read_dir(home.state().join("pending")).unwrap().count(), 0);
}

#[test]
fn every_config_that_is_shown_is_one_that_is_read() {
    let shown = blocks("toml");
    assert_eq!(shown.len(), 2);
    for text in shown {
        let (config, problems) = config::read(text);
        assert!(problems.is_empty() && config != Config::default(), "{text}: {problems:?}");
    }
    for wait in ["90s", "10m", "1h 30m", "7days", "0s"] {
        assert!(DOC.contains(&format!("`{wait}`")));
        assert!(config::read(&format!("[plans]\nwait = \"{wait}\"\n")).1.is_empty(), "{wait}");
    }
}

#[test]
fn every_command_that_is_shown_is_one_that_the_program_takes() {
    let shown = DOC.split('`').chain(blocks("sh").into_iter().flat_map(str::lines));
    let mut count = 0;
    for command in shown.filter(|text| text.starts_with("unattended ") && !text.contains('\n')) {
        let parsed = Cli::command().try_get_matches_from(command.split_whitespace());
        assert!(parsed.is_ok(), "`{command}`: {}", parsed.unwrap_err());
        count += 1;
    }
    assert!(count > 14, "{count}");
}

#[test]
fn every_reply_that_is_shown_is_one_by_the_schema() {
    let schema: Value = serde_json::from_str(include_str!("../docs/pending.schema.json")).unwrap();
    let schema = jsonschema::validator_for(&schema).unwrap();
    let shown: Vec<&str> = DOC.split('`').filter(|text| text.starts_with("{\"do\":")).collect();
    assert_eq!(shown.len(), 5);
    for text in shown {
        let mut reply: Value = serde_json::from_str(text).unwrap();
        reply["v"] = json!(1);
        reply["token"] = json!("0");
        reply["means"] = json!("chat");
        assert!(schema.is_valid(&reply), "{text}");
        let _: unattended::request::Reply = serde_json::from_value(reply).unwrap();
    }
}

#[test]
fn the_wait_that_is_shown_is_one_by_the_schema() {
    let schema: Value = serde_json::from_str(include_str!("../docs/record.schema.json")).unwrap();
    let [shown] = blocks("json")[..] else { panic!("one is shown") };
    let shown: Value = serde_json::from_str(shown).unwrap();
    let wait = jsonschema::validator_for(&schema["$defs"]["wait"]).unwrap();
    assert!(wait.is_valid(&shown));
    for end in schema["$defs"]["wait"]["properties"]["end"]["enum"].as_array().unwrap() {
        assert!(DOC.contains(&format!("`{}`", end.as_str().unwrap())), "{end}");
    }
}

#[test]
fn every_file_that_is_linked_is_there() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs");
    for link in DOC.split("](").skip(1).map(|rest| rest.split(')').next().unwrap()) {
        assert!(folder.join(link).exists(), "{link}");
    }
}
