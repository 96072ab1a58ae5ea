//! What stands among the records and is no file of ours: what can be read is read and shown, the odd entry is named.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod home;

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Output;

use home::Home;
use rstest::rstest;
use serde_json::Value;

fn question() -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/question.json")).unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

fn records(home: &Home) -> PathBuf {
    home.state().join("records")
}

/// An old day's file, three days back: within what is kept, before what is shown where nothing is said.
fn old(home: &Home) -> PathBuf {
    let day = unattended::clock::now().date_naive() - chrono::Days::new(3);
    records(home).join(format!("{day}.jsonl"))
}

/// A home with one question on record, of now.
fn asked() -> Home {
    let home = Home::on();
    home.hook(&question()).unwrap();
    home
}

fn folder(path: &Path) {
    fs::create_dir(path).unwrap();
}

fn link(path: &Path) {
    let target = path.with_extension("elsewhere");
    fs::write(&target, "{\"at\":\"2026-11-30T00:00:00.000Z\",\"id\":\"secret\"}\n").unwrap();
    symlink(target, path).unwrap();
}

fn circle(path: &Path) {
    symlink(path.file_name().unwrap(), path).unwrap();
}

fn fifo(path: &Path) {
    assert!(std::process::Command::new("mkfifo").arg(path).status().unwrap().success());
}

/// As the entry is named, once.
fn named(output: &Output, place: &Path, what: &str) {
    let said = text(&output.stderr);
    let name = place.file_name().unwrap().to_str().unwrap();
    assert_eq!(said.matches(name).count(), 1, "{said}");
    assert!(said.contains(&format!("{name} {what}")) && said.contains("move it away"), "{said}");
}

#[rstest]
#[case::a_folder(folder, "is a folder, not a file")]
#[case::a_link(link, "is a link, which is not followed")]
#[case::a_link_to_itself(circle, "is a link, which is not followed")]
#[case::a_pipe(fifo, "is no regular file")]
fn beside_an_odd_entry_all_else_is_shown_and_it_is_named(#[case] put: fn(&Path), #[case] what: &str) {
    let home = asked();
    let place = old(&home);
    put(&place);
    let before = fs::symlink_metadata(&place).unwrap().file_type();

    let review = home.run(&["review", "--all"]);
    assert!(text(&review.stdout).contains("1 decision, 1 not yet reviewed"), "{review:?}");
    named(&review, &place, what);
    assert_eq!(review.status.code(), Some(1));

    let json = home.run(&["review", "--all", "--json"]);
    let json: Value = serde_json::from_slice(&json.stdout).unwrap();
    assert_eq!((json["totals"]["decisions"].as_u64(), json["unread"][0]["why"].as_str()), (Some(1), Some(what)));

    let export = home.run(&["export"]);
    assert_eq!(text(&export.stdout).lines().count(), 1, "{export:?}");
    named(&export, &place, what);
    assert_eq!(export.status.code(), Some(1));
    let file = home.run(&["export", "--output", "all.jsonl"]);
    assert_eq!(fs::read(home.path().join("all.jsonl")).unwrap(), export.stdout, "{file:?}");

    let status = home.says(&["status"]);
    assert!(
        status.contains("1 question denied") && status.contains(what) && status.contains("move it away"),
        "{status}"
    );
    assert_eq!(home.says(&["statusline"]), "unattended on · 1 to review · a problem: unattended status\n");
    let doctor = home.says(&["doctor", "--only", "state,switch"]);
    assert!(doctor.contains("warning  state") && doctor.contains("do: move it away"), "{doctor}");

    let ack = home.run(&["ack", "--all"]);
    assert!(text(&ack.stdout).ends_with(" is reviewed.\n"), "{ack:?}");
    named(&ack, &place, what);
    assert_eq!(ack.status.code(), Some(1));
    let again = home.run(&["ack", "--all"]);
    assert_eq!(text(&again.stdout), "Nothing to do: every decision that can be read is reviewed.\n");
    let check = home.run(&["review", "--check"]);
    assert_eq!((check.status.code(), check.stdout.len()), (Some(1), 0), "not all is known to be reviewed");
    named(&check, &place, what);
    assert_eq!(fs::symlink_metadata(&place).unwrap().file_type(), before, "it is left where it is");
}

#[test]
fn what_lies_outside_the_time_asked_for_is_no_matter() {
    let home = asked();
    folder(&old(&home));
    for args in [["review", "--since", "1h"], ["export", "--since", "1h"]] {
        let output = home.run(&args);
        assert_eq!((output.status.code(), text(&output.stderr)), (Some(0), String::new()), "{args:?}");
    }
    let id = home.last_id();
    assert!(home.says(&["correct", &id, "Blue"]).contains("is corrected"));
    let missing = home.run(&["ack", "ffffffff"]);
    named(&missing, &old(&home), "is a folder, not a file");
}

trait LastId {
    fn last_id(&self) -> String;
}

impl LastId for Home {
    fn last_id(&self) -> String {
        let json: Value = serde_json::from_str(&self.says(&["review", "--json"])).unwrap();
        json["decisions"][0]["id"].as_str().unwrap().to_owned()
    }
}

#[rstest]
#[case::a_folder(folder)]
#[case::a_link(link)]
fn in_the_place_of_todays_file_it_is_a_failure_and_nothing_is_not_said_of_today(#[case] put: fn(&Path)) {
    let home = Home::on();
    fs::create_dir_all(records(&home)).unwrap();
    let place = records(&home).join(format!("{}.jsonl", unattended::clock::now().date_naive()));
    put(&place);
    assert!(home.hook(&question()).is_some(), "answered all the same");
    let status = home.says(&["status"]);
    assert!(status.contains("today                 nothing that can be read\n"), "{status}");
    let doctor = home.run(&["doctor", "--only", "state,stalls"]);
    let said = text(&doctor.stdout);
    assert!(said.contains("failure  state") && said.contains("unknown  stalls"), "{said}");
    assert_eq!(doctor.status.code(), Some(1));
}

#[rstest]
#[case::review(&["review"])]
#[case::ack(&["ack", "--all"])]
#[case::export(&["export"])]
fn a_file_in_the_place_of_the_records_is_named_with_what_to_do(#[case] args: &[&str]) {
    let home = Home::new();
    fs::create_dir_all(home.state()).unwrap();
    fs::write(records(&home), "").unwrap();
    let output = home.run(args);
    let said = "error: ~/.local/state/unattended/records is no folder\nhint: move it away\n";
    assert_eq!((output.status.code(), text(&output.stderr).as_str()), (Some(1), said));
    assert!(home.says(&["status"]).contains("records is no folder; move it away"));
    assert_eq!(home.run(&["doctor", "--only", "state"]).status.code(), Some(1));
}

#[test]
fn an_old_folder_among_the_records_keeps_nothing_from_being_cleared_away() {
    let home = asked().config("[records]\nkeep_days = 1\n");
    fs::write(records(&home).join("2020-01-01.jsonl"), "").unwrap();
    folder(&records(&home).join("2019-01-01.jsonl"));
    let output = home.run(&["review"]);
    assert_eq!((output.status.code(), text(&output.stderr)), (Some(0), String::new()));
    assert!(!records(&home).join("2020-01-01.jsonl").exists() && records(&home).join("2019-01-01.jsonl").is_dir());
}

#[test]
fn a_folder_in_the_place_of_what_people_said_is_named_and_nothing_counts_as_reviewed() {
    let home = asked();
    let id = home.last_id();
    folder(&home.state().join("reviews.jsonl"));
    let review = home.run(&["review"]);
    assert!(text(&review.stdout).contains("1 decision, 1 not yet reviewed"), "{review:?}");
    named(&review, Path::new("reviews.jsonl"), "is a folder, not a file");
    for args in [vec!["ack", &id], vec!["correct", &id, "Blue"]] {
        let output = home.run(&args);
        assert_eq!(output.status.code(), Some(1));
        assert!(
            text(&output.stderr).contains("reviews.jsonl is a folder, not a file\nhint: move it away\n"),
            "{output:?}"
        );
    }
    assert!(home.says(&["status"]).contains("reviews.jsonl is a folder"));
}

#[test]
fn a_switch_is_not_written_through_a_link_behind_which_nobody_reads_it() {
    let home = Home::new();
    fs::create_dir_all(home.state()).unwrap();
    let (place, target) = (home.state().join("switch.json"), home.path().join("elsewhere.json"));
    symlink(&target, &place).unwrap();
    let output = home.run(&["on"]);
    let said = "error: ~/.local/state/unattended/switch.json is a link, which is not followed\nhint: move it away, and say it again\n";
    assert_eq!((output.status.code(), text(&output.stderr).as_str(), output.stdout.len()), (Some(1), said, 0));
    assert!(!target.exists());
    fs::write(&target, "{}").unwrap();
    let status = home.says(&["status"]);
    assert!(status.contains("switch.json: counts as absent: is a link, which is not followed\n"), "{status}");
    let doctor = text(&home.run(&["doctor", "--only", "switch", "--json"]).stdout);
    assert!(doctor.contains("is a link, which is not followed"), "{doctor}");
    assert!(home.says(&["auto"]).starts_with("auto"), "the link is taken away, not what it leads to");
    assert!(target.exists() && !place.exists());
    fs::create_dir(&place).unwrap();
    assert!(home.says(&["status"]).contains("switch.json: counts as absent: is a folder, not a file\n"));
}

#[test]
fn what_install_did_is_neither_read_nor_written_through_a_link() {
    let home = Home::new();
    fs::create_dir_all(home.state()).unwrap();
    symlink(home.path().join("elsewhere.json"), home.state().join("install.json")).unwrap();
    let output = home.run(&["install", "--client-version", "2.1.332"]);
    assert!(text(&output.stderr).contains("is a link, which is not followed"), "{output:?}");
    assert!(!home.path().join("elsewhere.json").exists());
    assert!(fs::symlink_metadata(home.state().join("install.json")).unwrap().is_file());
}

#[test]
fn a_day_that_could_not_be_read_is_counted_for_the_status_line_once_it_can() {
    let home = asked();
    let place = old(&home);
    folder(&place);
    home.says(&["statusline", "--recount"]);
    fs::remove_dir(&place).unwrap();
    let record = home.records().pop().unwrap().to_string();
    let older = record.replace(&home.last_id(), "00000000000000aa").replace("toolu_", "toolu_other");
    let day = place.file_stem().unwrap().to_str().unwrap();
    let today = unattended::clock::now().date_naive().to_string();
    fs::write(&place, format!("{}\n", older.replace(&today, day).replace("red", "green"))).unwrap();
    assert_eq!(home.says(&["statusline"]), "unattended on · 2 to review\n");
}

#[test]
fn records_of_a_newer_version_are_shown_as_far_as_they_are_known_and_said_once() {
    let home = asked();
    let file = records(&home).join(format!("{}.jsonl", unattended::clock::now().date_naive()));
    let newer = fs::read_to_string(&file).unwrap().replace("\"v\":1", "\"v\":7");
    fs::write(&file, newer).unwrap();
    let said = "note: one record is of a newer version of unattended, and is read as far as this one knows it\n";
    for args in [&["review"][..], &["review", "--json"], &["export"], &["ack", "--all"]] {
        let output = home.run(args);
        assert_eq!((output.status.code(), text(&output.stderr).as_str()), (Some(0), said), "{args:?}");
        assert!(!output.stdout.is_empty());
    }
    assert!(home.says(&["status"]).contains("one of today's records is of a newer version of unattended"));
}

#[test]
fn lines_of_what_people_said_that_cannot_be_read_are_counted() {
    let home = asked();
    fs::write(home.state().join("reviews.jsonl"), "{\"v\":9,\"did\":\"doubt\"}\n").unwrap();
    let output = home.run(&["review"]);
    assert_eq!(text(&output.stderr), "note: one line of reviews.jsonl cannot be read, and counts as unsaid\n");
}

#[test]
fn status_names_the_newest_problem_and_lets_nothing_act_on_the_terminal() {
    let home = Home::on();
    home.pipe(&["hook"], b"");
    let status = home.says(&["status"]);
    assert!(
        status.contains("1 problem\nthe problem           ") && status.contains(" standard input was empty\n"),
        "{status}"
    );
    let review = home.says(&["review"]);
    assert!(review.contains("\none problem, ") && review.ends_with(": standard input was empty\n"), "{review}");
    home.hook(&question());
    let file = records(&home).join(format!("{}.jsonl", unattended::clock::now().date_naive()));
    let hostile = home.last_record().to_string().replace("\"kind\"", "\"problems\":[\"a\\u001b[2Jb\"],\"kind\"");
    fs::write(&file, format!("{}{hostile}\n", fs::read_to_string(&file).unwrap())).unwrap();
    let status = home.says(&["status"]);
    assert!(status.contains("the last problem") && status.contains("a\u{fffd}[2Jb\n"), "{status}");
    let json: Value = serde_json::from_str(&home.says(&["status", "--json"])).unwrap();
    assert!(home.says(&["review"]).contains("2 problems, the last "));
    assert_eq!(json["today"]["last_problem"]["what"], "a\u{1b}[2Jb");
    assert!(!home.says(&["status", "--json"]).contains('\u{1b}'));
}
