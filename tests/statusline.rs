//! `unattended statusline`: its line, its counts held against `review`, how much it reads, and that nothing breaks it.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

mod home;
mod recordings;

use std::fs;
use std::path::Path;
use std::process::Stdio;

use chrono::{DateTime, Duration, Utc};
use home::Home;
use proptest::prelude::*;
use recordings::{all, review};
use rstest::rstest;
use serde_json::{Value, json};
use unattended::history::{self, Decided, Span};
use unattended::{reviews, tally};

fn line_with(home: &Home, args: &[&str], payload: &str) -> String {
    let output = home.pipe(&[&["statusline"], args].concat(), payload.as_bytes());
    assert_eq!((output.status.code(), output.stderr.len()), (Some(0), 0), "{output:?}");
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(text.matches('\n').count(), 1, "one line: {text:?}");
    text.trim_end_matches('\n').to_owned()
}

fn line(home: &Home) -> String {
    line_with(home, &[], r#"{"session_id":"abc","cwd":"/","model":{"id":"m"},"workspace":{"current_dir":"/"}}"#)
}

#[rstest]
#[case::nothing_said(Home::new(), "unattended auto, dialogs are yours")]
#[case::attended(Home::new().with("CLAUDE_CODE_SESSION_ATTENDED", "1"), "unattended auto, dialogs are yours")]
#[case::by_entry_point(Home::new().with("CLAUDE_CODE_ENTRYPOINT", "cli"), "unattended auto, dialogs are yours")]
#[case::unattended(Home::new().with("CLAUDE_CODE_SESSION_ATTENDED", "0"), "unattended on")]
#[case::environment(Home::on(), "unattended on")]
#[case::environment_off(Home::new().with("UNATTENDED", "off"), "unattended off")]
#[case::config(Home::new().config("default = \"on\"\n"), "unattended on")]
#[case::no_word(
    Home::new().with("UNATTENDED", "maybe"),
    "unattended auto, dialogs are yours · a problem: unattended status"
)]
fn it_says_what_holds_for_the_session(#[case] home: Home, #[case] expected: &str) {
    assert_eq!(line(&home), expected);
    assert!(!home.state().exists(), "nothing is written where nothing is recorded");
}

fn switch(home: &Home, position: &str, until: Option<&str>) {
    fs::create_dir_all(home.state()).unwrap();
    let switch = json!({"v": 1, "switch": position, "since": "2026-01-01T00:00:00Z", "until": until});
    fs::write(home.state().join("switch.json"), switch.to_string()).unwrap();
}

#[test]
fn it_says_until_when() {
    let home = Home::new().with("TZ", "UTC");
    for position in ["on", "off"] {
        switch(&home, position, None);
        assert_eq!(line(&home), format!("unattended {position}"));
        switch(&home, position, Some("2999-01-02T07:00:00Z"));
        assert_eq!(line(&home), format!("unattended {position} until Wed 2999-01-02 07:00"));
    }
}

#[test]
fn a_session_that_was_there_before_the_switch_ended_is_told_so() {
    let home = Home::new().with("TZ", "UTC");
    switch(&home, "on", Some("2026-01-02T07:00:00Z"));
    fs::create_dir_all(home.state().join("sessions")).unwrap();
    let started = r#"{"t":1767225600000,"p":1,"lane":"0","e":"started"}"#;
    fs::write(home.state().join("sessions/abc.jsonl"), started).unwrap();
    assert_eq!(line(&home), "unattended on, ended Fri 2026-01-02 07:00 for new sessions");
    assert_eq!(line_with(&home, &[], r#"{"session_id":"another"}"#), "unattended auto, dialogs are yours");
}

#[test]
fn colours_are_there_only_where_they_are_wanted() {
    let home = Home::on();
    assert!(!line(&home).contains('\u{1b}'));
    assert!(line_with(&home, &["--color"], "{}").contains("\u{1b}[33m"));
    assert_eq!(line_with(&home.with("NO_COLOR", "1"), &["--color"], "{}"), "unattended on");
}

/// What the line says is to be reviewed; nothing is none.
fn to_review(line: &str) -> u64 {
    line.split(" · ").find_map(|part| part.strip_suffix(" to review")).map_or(0, |count| count.parse().unwrap())
}

#[test]
fn it_counts_what_review_counts_after_each_word_of_a_person() {
    let home = all();
    let agrees = |home: &Home| {
        let counted = to_review(&line(home));
        let output = home.run(&["review", "--check", "--json"]);
        let reviewed: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(counted, reviewed["totals"]["unreviewed"].as_u64().unwrap());
        counted
    };
    let first = agrees(&home);
    assert!(first > 5, "{first}");
    let decisions = review(&home, &["--all"])["decisions"].clone();
    let id = |at: usize| decisions[at]["id"].as_str().unwrap().to_owned();
    home.says(&["ack", &id(0)]);
    assert_eq!(agrees(&home), first - 1);
    home.says(&["correct", &id(1), "Blue"]);
    assert_eq!(agrees(&home), first - 2);
    home.says(&["correct", &id(1), "No, red"]);
    assert_eq!(agrees(&home), first - 2, "said twice");
    let payload = json!({"session_id": "new", "hook_event_name": "PermissionRequest", "tool_name": "Bash",
                         "tool_input": {"command": "x"}});
    let home = home.with("UNATTENDED", "on");
    assert!(home.hook(&payload.to_string()).is_some());
    assert_eq!(agrees(&home), first - 1);
    home.says(&["ack", "--all"]);
    assert_eq!(agrees(&home), 0);
    assert_eq!(line_with(&home, &["--recount"], "{}"), "unattended on");
    fs::remove_file(home.state().join("tally.json")).unwrap();
    assert_eq!(agrees(&home), 0, "counted anew");
}

#[test]
fn what_goes_by_its_age_is_not_counted_any_more() {
    let home = all();
    assert!(to_review(&line(&home)) > 0);
    for file in fs::read_dir(home.state().join("records")).unwrap() {
        fs::remove_file(file.unwrap().path()).unwrap();
    }
    assert_eq!(to_review(&line(&home)), 0);
}

const START: &str = "2026-11-28T10:00:00Z";

/// A moment in a state folder.
#[derive(Debug, Clone)]
enum Moment {
    Record { session: u8, prompt: u8, call: Option<u8>, sort: u8 },
    Ack(u8),
    Count(u16),
    Later(u16),
}

fn moments() -> impl Strategy<Value = Vec<Moment>> {
    let record = (0..2u8, 0..2u8, proptest::option::of(0..3u8), 0..9u8)
        .prop_map(|(session, prompt, call, sort)| Moment::Record { session, prompt, call, sort });
    let moment = prop_oneof![
        6 => record,
        2 => any::<u8>().prop_map(Moment::Ack),
        2 => (0..900u16).prop_map(Moment::Count),
        1 => (0..2000u16).prop_map(Moment::Later),
    ];
    proptest::collection::vec(moment, 1..60)
}

fn record(session: u8, prompt: u8, call: Option<u8>, sort: u8, id: usize, at: DateTime<Utc>) -> Value {
    let (kind, action, more) = match sort {
        0 => ("question", "deny", json!({"tool": "AskUserQuestion", "questions": []})),
        1 => ("question", "none", json!({"tool": "AskUserQuestion", "questions": []})),
        2 => ("permission", "deny", json!({"tool": "Bash", "tool_input": {"command": "make"}})),
        3 => ("plan", "approve", json!({"tool": "ExitPlanMode", "plan": {"text": "p", "seen_by": "nobody"}})),
        4 => ("plan", "context", json!({"tool": "ExitPlanMode", "plan": {"text": "p", "seen_by": "nobody"}})),
        5 => ("notice", "none", json!({"notification_type": "permission_prompt", "stall": true})),
        6 => ("stop", "none", json!({"stall": true, "turn": "waits"})),
        7 => ("nudge", "send_on", json!({"nudge": 1})),
        _ => ("session", "welcome", json!({})),
    };
    let mut record = json!({"v": 1, "at": at.to_rfc3339_opts(chrono::SecondsFormat::Millis, true),
        "id": format!("{id:016x}"), "kind": kind, "session_id": format!("s{session}"), "prompt_id": format!("p{prompt}"),
        "on": true, "decision": {"action": action, "message": "m"}});
    if let Some(call) = call {
        record["tool_use_id"] = format!("c{call}").into();
    }
    record.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    record
}

fn append(state: &Path, record: &Value) {
    use std::io::Write;
    let folder = state.join("records");
    fs::create_dir_all(&folder).unwrap();
    let file = folder.join(format!("{}.jsonl", &record["at"].as_str().unwrap()[..10]));
    writeln!(fs::OpenOptions::new().create(true).append(true).open(file).unwrap(), "{record}").unwrap();
}

fn unreviewed(state: &Path) -> Vec<Decided> {
    unattended::review::unreviewed(state, Span::default()).unwrap().0
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    /// However the reading is cut into pieces, and whatever is reviewed in between.
    #[test]
    fn a_count_bit_by_bit_is_the_count_of_the_whole(moments in moments()) {
        let folder = tempfile::tempdir().unwrap();
        let state = folder.path();
        let mut now: DateTime<Utc> = START.parse().unwrap();
        for (id, moment) in moments.iter().enumerate() {
            match *moment {
                Moment::Record { session, prompt, call, sort } => {
                    append(state, &record(session, prompt, call, sort, id + 1, now));
                    now += Duration::milliseconds(700);
                }
                Moment::Ack(which) => {
                    let open = unreviewed(state);
                    if let Some(decided) = open.get(usize::from(which) % open.len().max(1)) {
                        reviews::acknowledge(state, std::iter::once(decided.id()), now).unwrap();
                    }
                }
                Moment::Count(limit) => drop(tally::update(state, now, limit.into(), false).unwrap()),
                Moment::Later(minutes) => now += Duration::minutes(minutes.into()),
            }
        }
        let counted = tally::update(state, now, u64::MAX, false).unwrap();
        prop_assert!(counted.whole);
        prop_assert_eq!(counted.tally.unreviewed(), unreviewed(state).len() as u64);
        let stalls = history::read(state, Span::default(), history::Detail::Counts).unwrap().stalls;
        prop_assert_eq!(counted.tally.stalls_since(DateTime::UNIX_EPOCH), stalls.len());
        let midnight: DateTime<Utc> = "2026-11-29T00:00:00Z".parse().unwrap();
        let since = stalls.iter().filter(|stall| stall.at >= midnight).count();
        prop_assert_eq!(counted.tally.stalls_since(midnight), since);
        let again = tally::update(state, now, u64::MAX, false).unwrap();
        prop_assert!(again.read < tally::WORTH_WRITING);
        prop_assert_eq!(again.tally, counted.tally);
    }
}

#[test]
fn what_is_read_does_not_grow_with_what_is_recorded() {
    let folder = tempfile::tempdir().unwrap();
    let state = folder.path();
    let start: DateTime<Utc> = START.parse().unwrap();
    fs::create_dir_all(state.join("records")).unwrap();
    let mut size = 0;
    for day in 0..4 {
        let at = start + Duration::days(day);
        let lines: String = (0..2_000)
            .map(|id| format!("{}\n", record(0, 0, None, 2, id, at)).replace("\"p0\"", &format!("\"{day}-{id}\"")))
            .map(|line| line.replacen("\"id\":\"0", &format!("\"id\":\"{day}"), 1))
            .collect();
        size += lines.len() as u64;
        fs::write(state.join(format!("records/{}.jsonl", at.date_naive())), lines).unwrap();
    }
    let now = start + Duration::days(3);
    let limit = 256 * 1024;
    let mut calls = 0;
    let counted = loop {
        let counted = tally::update(state, now, limit, false).unwrap();
        assert!(counted.read <= limit);
        calls += 1;
        if counted.whole {
            break counted;
        }
    };
    assert_eq!(counted.tally.unreviewed(), 8_000);
    assert!(calls > size / limit, "{calls}");
    let known = fs::metadata(state.join("tally.json")).unwrap().len();
    assert!(known < 128 * 1024, "{known}");
    let one = record(1, 0, None, 2, 99, now);
    append(state, &one);
    let counted = tally::update(state, now, limit, false).unwrap();
    assert_eq!(counted.tally.unreviewed(), 8_001);
    assert!(counted.read < one.to_string().len() as u64 + tally::WORTH_WRITING, "{}", counted.read);
    reviews::acknowledge(state, unreviewed(state).iter().map(Decided::id), now).unwrap();
    let counted = tally::update(state, now, u64::MAX, false).unwrap();
    assert_eq!(counted.tally.unreviewed(), 0, "those beyond the ones known by name too");
}

#[test]
fn a_record_that_is_being_written_is_counted_once_it_is_whole() {
    let folder = tempfile::tempdir().unwrap();
    let state = folder.path();
    let now: DateTime<Utc> = START.parse().unwrap();
    let text = record(0, 0, None, 2, 1, now).to_string();
    let file = state.join("records/2026-11-28.jsonl");
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(&file, &text[..40]).unwrap();
    let counted = tally::update(state, now, 1000, false).unwrap();
    assert_eq!((counted.whole, counted.tally.unreviewed()), (true, 0));
    fs::write(&file, format!("{text}\n")).unwrap();
    assert_eq!(tally::update(state, now, 10, false).unwrap().tally.unreviewed(), 1, "longer than the limit");
    fs::write(&file, "").unwrap();
    assert_eq!(tally::update(state, now, 1000, false).unwrap().tally.unreviewed(), 0, "begun anew");
}

#[rstest]
#[case::nothing(b"")]
#[case::no_json(b"hello")]
#[case::no_utf8(b"{\"session_id\":\"\xff\"}")]
#[case::half(b"{\"session_id\":\"abc")]
#[case::other_types(b"{\"session_id\":[7]}")]
#[case::a_path(b"{\"session_id\":\"../../../etc/passwd\"}")]
fn whatever_is_piped_in_there_is_a_line(#[case] input: &[u8]) {
    let output = Home::on().pipe(&["statusline"], input);
    assert_eq!((output.status.code(), output.stdout.as_slice()), (Some(0), b"unattended on\n".as_slice()));
}

#[rstest]
#[case::tally("tally.json")]
#[case::reviews("reviews.jsonl")]
#[case::records("records")]
#[case::a_day("records/2026-11-28.jsonl")]
#[case::switch("switch.json")]
#[case::session("sessions/abc.jsonl")]
fn whatever_lies_in_the_state_folder_there_is_a_line(#[case] name: &str) {
    for what in ["garbage", "folder", "fifo", "link"] {
        let home = Home::on();
        let file = home.state().join(name);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        match what {
            "garbage" => fs::write(&file, b"\xff{]\n{\"v\":9}\n").unwrap(),
            "folder" => fs::create_dir(&file).unwrap(),
            "fifo" => assert!(std::process::Command::new("mkfifo").arg(&file).status().unwrap().success()),
            _ => std::os::unix::fs::symlink("/dev/zero", &file).unwrap(),
        }
        assert!(line(&home).starts_with("unattended on"), "{name}: {what}");
    }
}

#[test]
fn without_a_home_there_is_a_line() {
    let home = Home::new();
    let Some(mut command) = home.homeless(&["statusline"]) else { return };
    let output = command.stdin(Stdio::null()).output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert!(String::from_utf8(output.stdout).unwrap().starts_with("unattended auto"));
}

#[test]
fn it_does_not_wait_for_a_client_that_says_nothing() {
    let home = Home::on();
    let mut child = home.command(&["statusline"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let held = child.stdin.take();
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), output.stdout.as_slice()), (Some(0), b"unattended on\n".as_slice()));
    drop(held);
}

#[test]
fn the_settings_shown_are_json_and_call_it() {
    let readme = include_str!("../README.md");
    let shown = readme.split("```json\n").skip(1).map(|rest| rest.split("```").next().unwrap());
    let settings: Vec<Value> = shown.map(|text| serde_json::from_str(text).unwrap()).collect();
    let lines: Vec<&Value> = settings.iter().filter_map(|settings| settings.get("statusLine")).collect();
    let [shown] = lines[..] else { panic!("one status line is shown") };
    assert_eq!(shown["type"], "command");
    let home = Home::on();
    let folder = Path::new(home::PROGRAM).parent().unwrap().display().to_string();
    let mut shell = std::process::Command::new("/bin/sh");
    shell.args(["-c", shown["command"].as_str().unwrap()]).env_clear().env("UNATTENDED", "on");
    shell.env("HOME", home.path()).env("PATH", format!("{folder}:/usr/bin:/bin")).stdin(Stdio::null());
    let said = String::from_utf8(shell.output().unwrap().stdout).unwrap();
    assert_eq!(anstream::adapter::strip_str(&said).to_string(), "unattended on\n");
}
