//! `unattended watch`: each request, each outcome and each other record as a line, as it happens, by the schema.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod home;
mod waiting;

use std::fs;
use std::io::{BufRead, BufReader};
use std::process::{Child, ChildStdout, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use home::Home;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use unattended::pending;
use waiting::{ONE, TWO, append, append_text, colour, day_file, end, permission, plan, put, request};

/// A watcher, and the lines that it prints.
struct Watcher {
    child: Child,
    lines: Receiver<Value>,
}

impl Watcher {
    fn start(home: &Home, args: &[&str]) -> Self {
        let mut command = home.command(&[&["watch"], args].concat());
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().unwrap();
        let (sender, lines) = channel();
        let stdout: BufReader<ChildStdout> = BufReader::new(child.stdout.take().unwrap());
        thread::spawn(move || {
            for line in stdout.lines() {
                let line = line.unwrap();
                let value = serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"));
                if sender.send(value).is_err() {
                    return;
                }
            }
        });
        Self { child, lines }
    }

    /// One that has told of what waits already.
    fn ready(home: &Home, args: &[&str]) -> Self {
        let open = put(&home.state(), "eeee000000000000", plan());
        let watcher = Self::start(home, args);
        assert_eq!(watcher.next()["request"]["id"], "eeee000000000000");
        let mut record = plan();
        record["id"] = json!("eeee000000000000");
        end(&home.state(), open, record, "time");
        assert_eq!(watcher.next()["type"], "outcome");
        watcher
    }

    fn next(&self) -> Value {
        let line = self.lines.recv_timeout(Duration::from_secs(60)).expect("a line comes");
        by_schema(&line);
        line
    }

    fn ended(&mut self) -> Option<i32> {
        let until = Instant::now() + Duration::from_secs(60);
        loop {
            match self.child.try_wait().unwrap() {
                Some(status) => return status.code(),
                None if Instant::now() > until => panic!("it goes on"),
                None => thread::sleep(Duration::from_millis(5)),
            }
        }
    }
}

impl Drop for Watcher {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Holds a line against the schemas that are published.
fn by_schema(line: &Value) {
    let read = |text: &str| serde_json::from_str::<Value>(text).unwrap();
    let registry = jsonschema::Registry::new()
        .add("json-schema:///pending.schema.json", read(include_str!("../docs/pending.schema.json")))
        .and_then(|all| all.add("json-schema:///record.schema.json", read(include_str!("../docs/record.schema.json"))))
        .and_then(|all| all.prepare())
        .unwrap();
    let schema = jsonschema::options()
        .with_base_uri("json-schema:///watch.schema.json")
        .with_registry(&registry)
        .build(&read(include_str!("../docs/watch.schema.json")))
        .unwrap();
    let errors: Vec<String> =
        schema.iter_errors(line).map(|error| format!("{}: {error}", error.instance_path())).collect();
    assert!(errors.is_empty(), "{errors:?}\n{line}");
}

#[test]
fn a_request_its_outcome_and_other_records_are_told_as_they_come() {
    let home = Home::new();
    append(&home.state(), &colour());
    let already = put(&home.state(), TWO, permission());
    let watcher = Watcher::start(&home, &[]);
    let first = watcher.next();
    assert_eq!((&first["type"], &first["request"]["id"]), (&json!("request"), &json!(TWO)), "what waits already");
    let open = put(&home.state(), ONE, colour());
    let line = watcher.next();
    assert_eq!((&line["type"], &line["request"]["id"]), (&json!("request"), &json!(ONE)));
    assert_eq!(line["request"]["token"], waiting::TOKEN);
    assert_eq!(line["request"]["reply_to"], json!(pending::reply_file(&home.state(), ONE)));
    assert_eq!(line["request"]["record"], colour());
    home.run(&["answer", ONE, "2", "--means", "chat"]);
    end(&home.state(), open, colour(), "time");
    let line = watcher.next();
    assert_eq!((&line["type"], &line["id"], &line["record"]["id"]), (&json!("outcome"), &json!(ONE), &json!(ONE)));
    assert_eq!(line["record"]["wait"]["means"], "chat");
    let mut other = plan();
    other["id"] = json!("abcd000000000000");
    append(&home.state(), &other);
    assert_eq!(watcher.next(), json!({"type": "record", "record": other}));
    drop(already);
}

#[test]
fn a_bridge_may_ask_for_requests_and_outcomes_alone() {
    let home = Home::new();
    let watcher = Watcher::ready(&home, &["--requests"]);
    let mut other = plan();
    other["id"] = json!("abcd000000000000");
    append(&home.state(), &other);
    let open = put(&home.state(), ONE, colour());
    assert_eq!(watcher.next()["request"]["id"], ONE);
    append(&home.state(), &other);
    end(&home.state(), open, colour(), "time");
    let line = watcher.next();
    assert_eq!((&line["type"], &line["record"]["wait"]["end"]), (&json!("outcome"), &json!("time")));
}

#[test]
fn a_hook_that_dies_has_an_outcome_that_says_so() {
    let home = Home::new();
    let watcher = Watcher::ready(&home, &[]);
    let open = put(&home.state(), ONE, colour());
    assert_eq!(watcher.next()["request"]["id"], ONE);
    drop(open);
    // A dead hook tells nobody; the next change is a reason to look.
    let mut other = plan();
    other["id"] = json!("abcd000000000000");
    append(&home.state(), &other);
    let mut lines = [watcher.next(), watcher.next()];
    lines.sort_by_key(|line| line["type"].to_string());
    assert_eq!((&lines[0]["type"], &lines[0]["id"]), (&json!("outcome"), &json!(ONE)));
    assert_eq!(lines[0]["record"]["wait"]["end"], "gone");
    assert_eq!(lines[1]["type"], "record");
}

/// Stopped, as on a machine that is busy, it finds the one gone and the other there in one look.
#[test]
fn the_same_call_asked_anew_is_told_though_both_come_in_one_look() {
    let home = Home::new();
    let watcher = Watcher::ready(&home, &["--requests"]);
    let first = put(&home.state(), ONE, permission());
    assert_eq!(watcher.next()["request"]["id"], ONE);
    let pid = Pid::from_raw(watcher.child.id() as i32).unwrap();
    kill_process(pid, Signal::STOP).unwrap();
    end(&home.state(), first, permission(), "time");
    let mut anew = request(&home.state(), ONE, permission(), 600);
    anew.token = "f".repeat(32);
    let anew = pending::open(&home.state(), &anew).unwrap();
    kill_process(pid, Signal::CONT).unwrap();
    let line = watcher.next();
    assert_eq!((&line["type"], &line["record"]["wait"]["end"]), (&json!("outcome"), &json!("time")));
    let line = watcher.next();
    assert_eq!((&line["type"], &line["request"]["token"]), (&json!("request"), &json!("f".repeat(32))));
    end(&home.state(), anew, permission(), "time");
    assert_eq!(watcher.next()["type"], "outcome");
}

/// The new folder has the number of the old one, where the file system gives it out again.
#[test]
fn a_folder_that_is_made_anew_while_it_looks_away_is_followed() {
    let home = Home::new();
    let watcher = Watcher::ready(&home, &["--requests"]);
    let pid = Pid::from_raw(watcher.child.id() as i32).unwrap();
    kill_process(pid, Signal::STOP).unwrap();
    fs::remove_dir_all(home.state().join("pending")).unwrap();
    fs::create_dir(home.state().join("pending")).unwrap();
    kill_process(pid, Signal::CONT).unwrap();
    thread::sleep(Duration::from_millis(300));
    let _open = put(&home.state(), ONE, colour());
    assert_eq!(watcher.next()["request"]["id"], ONE);
}

#[test]
fn a_record_is_told_once_it_is_whole_and_what_is_none_never() {
    let home = Home::new();
    let watcher = Watcher::ready(&home, &[]);
    let text = colour().to_string();
    let (half, rest) = text.split_at(100);
    append_text(&home.state(), half);
    thread::sleep(Duration::from_millis(100));
    assert!(watcher.lines.try_recv().is_err());
    append_text(&home.state(), &format!("{rest}\nno record\n{{\"id\":5}}\n"));
    assert_eq!(watcher.next()["record"], colour());
    append(&home.state(), &plan());
    assert_eq!(watcher.next()["record"], plan());
}

#[test]
fn it_goes_on_over_midnight() {
    let home = Home::new();
    let watcher = Watcher::ready(&home, &[]);
    let tomorrow = day_file(&home.state(), unattended::clock::now() + chrono::Duration::days(1));
    fs::write(&tomorrow, format!("{}\n", colour())).unwrap();
    assert_eq!(watcher.next()["record"], colour());
    // One that began before midnight is recorded on its day.
    append(&home.state(), &plan());
    assert_eq!(watcher.next()["record"], plan());
}

#[test]
fn where_nothing_is_yet_it_waits_for_it_and_a_folder_made_anew_is_followed() {
    let home = Home::new();
    assert!(!home.state().exists());
    let watcher = Watcher::start(&home, &[]);
    let until = Instant::now() + Duration::from_secs(60);
    while !home.state().join("records").exists() && Instant::now() < until {
        thread::sleep(Duration::from_millis(5));
    }
    let mode = |folder: &str| {
        std::os::unix::fs::PermissionsExt::mode(&fs::metadata(home.state().join(folder)).unwrap().permissions()) & 0o777
    };
    assert_eq!((mode("pending"), mode("records")), (0o700, 0o700));
    let open = put(&home.state(), ONE, colour());
    assert_eq!(watcher.next()["request"]["id"], ONE);
    fs::remove_dir_all(home.state()).unwrap();
    assert_eq!(watcher.next(), json!({"type": "outcome", "id": ONE, "record": null}));
    drop(open);
    let _again = put(&home.state(), TWO, colour());
    assert_eq!(watcher.next()["request"]["id"], TWO);
}

#[test]
fn it_ends_quietly_when_nobody_reads_any_more() {
    let home = Home::new();
    let mut child =
        home.command(&["watch"]).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), String::from_utf8_lossy(&output.stderr).as_ref()), (Some(0), ""));
}

#[test]
fn a_signal_ends_it_quietly() {
    for signal in [Signal::INT, Signal::TERM] {
        let home = Home::new();
        let mut watcher = Watcher::ready(&home, &[]);
        kill_process(Pid::from_raw(watcher.child.id() as i32).unwrap(), signal).unwrap();
        assert_eq!(watcher.ended(), Some(0));
    }
}

#[test]
fn a_state_folder_that_cannot_be_made_is_named() {
    let home = Home::new().with("UNATTENDED_STATE", "/proc/nowhere");
    let output = home.run(&["watch"]);
    let errors = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(errors.starts_with("error: /proc/nowhere/pending cannot be made: "), "{errors}");
    assert!(errors.contains("\nhint: name a folder that you may write in"), "{errors}");
}

/// Processor time, so that it holds on a busy machine as well.
#[test]
fn it_is_not_busy_while_nothing_happens() {
    let home = Home::new();
    let _open = pending::open(&home.state(), &request(&home.state(), ONE, colour(), 600)).unwrap();
    let watcher = Watcher::start(&home, &[]);
    watcher.next();
    let ticks = || -> u64 {
        let stat = fs::read_to_string(format!("/proc/{}/stat", watcher.child.id())).unwrap();
        let fields: Vec<&str> = stat.rsplit(')').next().unwrap().split_whitespace().collect();
        fields[11].parse::<u64>().unwrap() + fields[12].parse::<u64>().unwrap()
    };
    let before = ticks();
    thread::sleep(Duration::from_millis(1500));
    assert!(ticks() - before <= 5, "hundredths of a second of {}", 150);
}
