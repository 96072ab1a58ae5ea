//! Records over time and over many machines: how long they are kept, and how they are exported.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod home;
mod recordings;

use std::fs;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use chrono::Days;
use home::{Home, payload};
use rstest::rstest;
use serde_json::{Value, json};

/// A home with records, memories and waiting requests of today and of so many days ago.
fn aged(config: &str, days: u64) -> Home {
    let home = Home::new().config(config);
    let old = unattended::clock::now().date_naive().checked_sub_days(Days::new(days)).unwrap();
    let today = unattended::clock::now().date_naive();
    for folder in ["records", "sessions", "pending"] {
        fs::create_dir_all(home.state().join(folder)).unwrap();
    }
    let names = [format!("records/{today}.jsonl"), format!("records/{old}.jsonl"), "records/notes.txt".into()];
    let others = ["sessions/new.jsonl", "sessions/old.jsonl", "pending/new.json", "pending/old.json", "reviews.jsonl"];
    for name in names.iter().map(String::as_str).chain(others) {
        let file = fs::File::create(home.state().join(name)).unwrap();
        if !name.contains("new") {
            file.set_modified(SystemTime::now() - Duration::from_secs((days * 24 + 1) * 3600)).unwrap();
        }
    }
    home
}

fn left(home: &Home) -> Vec<String> {
    let mut left = Vec::new();
    for folder in ["", "records", "sessions", "pending"] {
        for entry in fs::read_dir(home.state().join(folder)).unwrap().map(|entry| entry.unwrap()) {
            if entry.file_type().unwrap().is_file() {
                left.push(entry.file_name().to_string_lossy().into_owned());
            }
        }
    }
    left.sort();
    left
}

#[rstest]
#[case::by_review(&["review"])]
#[case::by_review_in_json(&["review", "--json"])]
#[case::by_status(&["status"])]
#[case::by_doctor(&["doctor", "--only", "state"])]
fn what_is_older_than_keep_days_goes(#[case] args: &[&str]) {
    let home = aged("[records]\nkeep_days = 7\n", 8);
    home.run(args);
    let today = format!("{}.jsonl", unattended::clock::now().date_naive());
    assert_eq!(left(&home), [today.as_str(), "new.json", "new.jsonl", "notes.txt", "reviews.jsonl"]);
}

#[rstest]
#[case::what_is_just_that_old("[records]\nkeep_days = 8\n", 7)]
#[case::by_default_90_days("", 89)]
#[case::with_0_for_ever("[records]\nkeep_days = 0\n", 5000)]
#[case::where_the_config_may_say_more("[records]\nkeep_days = \"a year\"\n", 5000)]
#[case::where_a_key_of_it_is_unknown("[records]\nkeep_day = 7000\n", 5000)]
fn everything_is_kept(#[case] config: &str, #[case] days: u64) {
    let home = aged(config, days);
    let before = left(&home);
    home.says(&["review"]);
    home.says(&["status"]);
    assert_eq!(left(&home), before);
}

#[test]
fn the_hook_and_the_other_verbs_remove_nothing() {
    let home = aged("[records]\nkeep_days = 7\n", 8).with("UNATTENDED", "on");
    home.hook(&payload("2.1.332", "question-unanswered", "PreToolUse", "AskUserQuestion"));
    home.says(&["ack", "--all"]);
    home.says(&["export"]);
    for old in ["old.jsonl", "old.json"] {
        assert!(left(&home).contains(&old.to_owned()), "{old}");
    }
}

#[test]
fn no_link_is_followed_out_of_the_folder() {
    let home = aged("[records]\nkeep_days = 7\n", 8);
    let precious = home.path().join("precious");
    fs::write(&precious, "precious").unwrap();
    std::os::unix::fs::symlink(&precious, home.state().join("records/2020-01-01.jsonl")).unwrap();
    home.says(&["review"]);
    assert_eq!(fs::read_to_string(precious).unwrap(), "precious");
    assert!(fs::symlink_metadata(home.state().join("records/2020-01-01.jsonl")).is_err());
}

fn record(id: u32, at: &str) -> Value {
    json!({"v": 1, "at": at, "id": format!("{id:016x}"), "kind": "session", "on": true, "decision": {"action": "none"}})
}

/// State folders as they come from several machines: one record is in two of them.
fn fleet() -> (Home, [PathBuf; 2]) {
    let (one, two) = (Home::new(), Home::new());
    recordings::add_records(&one, &[record(3, "2026-11-30T10:00:00.000Z"), record(1, "2026-11-29T23:00:00.000Z")]);
    recordings::add_records(
        &two,
        &[
            record(2, "2026-11-30T09:00:00.000Z"),
            record(3, "2026-11-30T10:00:00.000Z"),
            record(4, "2026-11-30T10:00:00.000Z"),
            record(5, "2026-12-01T00:00:00.000Z"),
        ],
    );
    let home = Home::new();
    let folders = ["one", "two"].map(|name| home.path().join(name));
    for (from, to) in [one, two].iter().zip(&folders) {
        fs::rename(from.state(), to).unwrap();
    }
    (home, folders)
}

fn ids(exported: &str) -> Vec<u64> {
    let id = |line: &str| serde_json::from_str::<Value>(line).unwrap()["id"].as_str().unwrap().to_owned();
    exported.lines().map(|line| u64::from_str_radix(&id(line), 16).unwrap()).collect()
}

#[rstest]
#[case::all(&[], &[1, 2, 3, 4, 5])]
#[case::since_a_time(&["--since", "2026-11-30T09:30:00Z"], &[3, 4, 5])]
#[case::until_a_time(&["--until", "2026-11-30T10:00:00Z"], &[1, 2])]
#[case::between(&["--since", "2026-11-30T00:00:00Z", "--until", "2026-12-01T00:00:00Z"], &[2, 3, 4])]
fn records_are_merged_each_once_and_in_order(#[case] args: &[&str], #[case] expected: &[u64]) {
    let (home, [one, two]) = fleet();
    let from = ["export", "--from", one.to_str().unwrap(), two.to_str().unwrap()];
    assert_eq!(ids(&home.says(&[&from[..], args].concat())), expected);
    // Folders of day files alone do as well.
    let days = ["export", "--from", &format!("{}/records", one.display()), &format!("{}/records", two.display())];
    assert_eq!(ids(&home.says(&[&days[..], args].concat())), expected);
}

#[test]
fn without_folders_it_is_ones_own_records_byte_for_byte() {
    let home = Home::on();
    home.hook(&payload("2.1.332", "question-unanswered", "PreToolUse", "AskUserQuestion"));
    let file = fs::read_dir(home.state().join("records")).unwrap().next().unwrap().unwrap().path();
    assert_eq!(home.says(&["export"]), fs::read_to_string(file).unwrap());
}

#[test]
fn a_file_is_written_whole_and_for_its_owner_alone() {
    use std::os::unix::fs::PermissionsExt;
    let (home, [one, two]) = fleet();
    let file = home.path().join("fleet.jsonl");
    fs::write(&file, "old").unwrap();
    let args = ["export", "--output", "fleet.jsonl", "--from", one.to_str().unwrap(), two.to_str().unwrap()];
    assert_eq!(home.says(&args), "");
    assert_eq!(ids(&fs::read_to_string(&file).unwrap()), [1, 2, 3, 4, 5]);
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(fs::read_dir(home.path()).unwrap().count(), 3, "nothing else is left");
}

#[test]
fn lines_that_are_no_records_are_left_out_and_said() {
    let (home, [one, _]) = fleet();
    let day = one.join("records/2026-11-30.jsonl");
    fs::write(&day, format!("oops\n{}\n\n{{\"v\":1", fs::read_to_string(&day).unwrap())).unwrap();
    let output = home.run(&["export", "--from", one.to_str().unwrap()]);
    assert_eq!(ids(std::str::from_utf8(&output.stdout).unwrap()), [1, 3]);
    assert_eq!(String::from_utf8(output.stderr).unwrap(), "note: 2 lines are no records and were left out\n");
}

#[rstest]
#[case::ends_before_it_begins(&["export", "--since", "1h", "--until", "2h"], "nothing lies between --since and --until: it ends before it begins")]
#[case::nothing_in_it(&["export", "--since", "2020-01-01", "--until", "2020-01-02"], "nothing is recorded of that time")]
#[case::nothing_at_all(&["export", "--from", "records"], "nothing is recorded of that time")]
#[case::no_such_session(&["review", "--session", "zz"], "nothing that fits is recorded of a session whose id begins with zz")]
fn where_there_is_nothing_it_is_said_and_is_no_fault(#[case] args: &[&str], #[case] said: &str) {
    let home = aged("", 2);
    fs::create_dir(home.path().join("records")).unwrap();
    fs::write(home.path().join("records/2026-11-30.jsonl"), "").unwrap();
    let output = home.run(args);
    assert_eq!((output.status.code(), String::from_utf8(output.stderr).unwrap()), (Some(0), format!("note: {said}\n")));
}

#[rstest]
#[case::a_time_before_all_times(&["review", "--since", "99999999h"], "\"99999999h\" is longer ago than there are records", "hint: say it like 8h")]
#[case::a_folder_without_records(&["export", "--from", "."], "holds no records", "hint: name a state folder")]
#[case::no_folder(&["export", "--from", "nowhere"], "nowhere holds no records", "hint: name a state folder")]
#[case::a_folder_to_write_to(&["export", "--output", "."], "is no file", "hint: name a file")]
#[case::a_time_that_is_none(&["export", "--since", "soon"], "\"soon\" is no time", "hint: say it like 8h")]
fn what_cannot_be_meant_is_refused(#[case] args: &[&str], #[case] what: &str, #[case] hint: &str) {
    let home = Home::new();
    let output = home.run(args);
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!((output.status.code(), output.stdout.len()), (Some(1), 0));
    assert!(said.contains(what) && said.contains(hint), "{said}");
}
