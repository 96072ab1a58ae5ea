//! Many at once and many in a row: nothing is lost, nothing is torn, nothing grows but the records.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod home;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use home::Home;
use serde_json::{Value, json};

const PROCESSES: usize = 64;
const RECORDS: usize = 10_000;

#[test]
#[ignore = "one process of many; records_of_64_processes_are_neither_lost_nor_torn runs it"]
fn appends_its_share() {
    let variable = |name| std::env::var(name).unwrap();
    let (file, process) = (variable("CROWD_FILE"), variable("CROWD_PROCESS"));
    for number in 0..RECORDS.div_ceil(PROCESSES) {
        let line = json!({"process": process, "number": number, "text": process.repeat(20_000 / process.len())});
        unattended::state::append(Path::new(&file), format!("{line}\n").as_bytes()).unwrap();
    }
}

#[test]
fn records_of_64_processes_are_neither_lost_nor_torn() {
    let home = Home::new();
    let file = home.state().join("records/day.jsonl");
    let spawn = |process: usize| {
        Command::new(std::env::current_exe().unwrap())
            .args(["--ignored", "--exact", "appends_its_share", "--quiet"])
            .env("CROWD_FILE", &file)
            .env("CROWD_PROCESS", format!("p{process:02}"))
            .stdout(Stdio::null())
            .spawn()
            .unwrap()
    };
    let children: Vec<_> = (0..PROCESSES).map(spawn).collect();
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    let mut seen = BTreeSet::new();
    for line in fs::read_to_string(&file).unwrap().lines() {
        let line: Value = serde_json::from_str(line).unwrap();
        let process = line["process"].as_str().unwrap().to_owned();
        assert!(line["text"].as_str().unwrap().as_bytes().chunks_exact(3).all(|part| part == process.as_bytes()));
        assert!(seen.insert((process, line["number"].as_u64())), "a line is there twice");
    }
    assert_eq!(seen.len(), RECORDS.div_ceil(PROCESSES) * PROCESSES);
    assert!(seen.len() >= RECORDS);
}

/// Every recorded payload of the newest client, from all of its sessions.
fn payloads() -> Vec<Value> {
    let mut files: Vec<_> = fs::read_dir(home::fixtures().join("2.1.332"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| !path.to_string_lossy().contains(".answers."))
        .collect();
    files.sort();
    let lines = files.iter().flat_map(|file| {
        let text = fs::read_to_string(file).unwrap();
        text.lines().map(str::to_owned).collect::<Vec<_>>()
    });
    lines.map(|line| serde_json::from_str(&line).unwrap()).collect()
}

/// Files below a folder by its first part, with their sizes.
fn sizes(folder: &Path) -> BTreeMap<String, Vec<u64>> {
    let mut sizes: BTreeMap<String, Vec<u64>> = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(&next).unwrap().map(Result::unwrap) {
            if entry.path().is_dir() {
                folders.push(entry.path());
                continue;
            }
            let relative = entry.path().strip_prefix(folder).unwrap().to_owned();
            let first = relative.components().next().unwrap().as_os_str().to_string_lossy().into_owned();
            sizes.entry(first).or_default().push(entry.metadata().unwrap().len());
        }
    }
    sizes
}

/// 2,000 calls; `SOAK_CALLS` for another number.
#[test]
fn thousands_of_calls_in_a_row_leave_nothing_but_records_and_a_small_memory_a_session() {
    const SESSIONS: usize = 10;
    let calls = std::env::var("SOAK_CALLS").map_or(2_000, |calls| calls.parse().expect("SOAK_CALLS is a number"));
    let (home, payloads) = (Home::on(), payloads());
    for number in 0..calls {
        let mut payload = payloads[number % payloads.len()].clone();
        payload["session_id"] = json!(format!("00000000-0000-4000-8000-{:012}", number % SESSIONS));
        if payload.get("prompt_id").is_some() {
            payload["prompt_id"] = json!(format!("00000000-0000-4000-9000-{:012}", number / 50));
        }
        if payload.get("tool_use_id").is_some() {
            payload["tool_use_id"] = json!(format!("toolu_{number:024}"));
        }
        home.hook_bytes(&["hook"], payload.to_string().as_bytes());
    }
    let sizes = sizes(&home.state());
    let names: Vec<_> = sizes.keys().map(String::as_str).collect();
    assert_eq!(names, ["records", "sessions"]);
    assert_eq!(sizes["sessions"].len(), SESSIONS, "one memory a session, and no file of a cut left over");
    assert!(sizes["sessions"].iter().all(|size| *size < 20 * 1024), "{:?}", sizes["sessions"]);
    let records = home.records();
    assert!(records.len() > calls / 2, "{} records of {calls} calls", records.len());
    assert!(records.iter().all(|record| record["problems"].is_null()), "a problem was recorded");
    eprintln!("{calls} calls, {} records, memories of {:?} bytes", records.len(), sizes["sessions"]);
}

/// A question of its own: its call's id tells it from the others.
fn question(number: usize) -> String {
    let mut payload: Value =
        serde_json::from_str(&home::payload("2.1.332", "question-unanswered", "PreToolUse", "AskUserQuestion"))
            .unwrap();
    payload["tool_use_id"] = json!(format!("toolu_{number:024}"));
    payload["session_id"] = json!(format!("00000000-0000-4000-8000-{:012}", number % 7));
    payload["tool_input"]["questions"][0]["question"] = json!(format!("Question {number}?"));
    payload.to_string()
}

#[test]
fn what_people_say_and_what_is_cleared_away_beside_hooks_that_record_loses_nothing() {
    const BEFORE: usize = 8;
    const BESIDE: usize = 120;
    let home = Home::on().config("[records]\nkeep_days = 30\n");
    for number in 0..BEFORE {
        home.hook(&question(number));
    }
    let ids: Vec<String> = home.records().iter().map(|record| record["id"].as_str().unwrap().to_owned()).collect();
    std::thread::scope(|scope| {
        for part in 0..2 {
            let home = &home;
            scope.spawn(move || (0..BESIDE / 2).for_each(|at| drop(home.hook(&question(BEFORE + part * BESIDE + at)))));
        }
        scope.spawn(|| ids.iter().for_each(|id| drop(home.says(&["correct", id, &format!("Not so: {id}")]))));
        scope.spawn(|| (0..12).for_each(|_| drop(home.says(&["ack", "--all"]))));
        scope.spawn(|| (0..12).for_each(|_| drop(home.says(&["review", "--json"]))));
        scope.spawn(|| {
            for day in 1..=12 {
                // Too old to be kept, so that each look at the records clears something away.
                fs::write(home.state().join(format!("records/2020-01-{day:02}.jsonl")), "{}\n").unwrap();
                home.says(&["status"]);
                home.says(&["export", "--since", "1h"]);
            }
        });
        scope.spawn(|| {
            let settings = home.path().join("settings.json");
            for _ in 0..6 {
                for verb in ["install", "uninstall"] {
                    let said = home.run(&[verb, "--settings", settings.to_str().unwrap()]);
                    assert!(said.status.success(), "{}", String::from_utf8_lossy(&said.stderr));
                }
            }
        });
    });
    let records = home.records();
    let asked: BTreeSet<&str> =
        records.iter().filter_map(|record| record["questions"][0]["question"].as_str()).collect();
    assert_eq!((records.len(), asked.len()), (BEFORE + BESIDE, BEFORE + BESIDE));
    assert_eq!(fs::read_dir(home.state().join("records")).unwrap().count(), 1, "what is too old is gone");
    let said = fs::read_to_string(home.state().join("reviews.jsonl")).unwrap();
    assert!(said.lines().all(|line| serde_json::from_str::<Value>(line).is_ok()), "a line is torn");
    let review: Value = serde_json::from_str(&home.says(&["review", "--json", "--all"])).unwrap();
    let decisions = review["decisions"].as_array().unwrap();
    for id in &ids {
        let decision = decisions.iter().find(|decision| decision["id"] == **id).unwrap();
        assert_eq!(decision["correction"]["text"], format!("Not so: {id}"));
    }
    home.says(&["ack", "--all"]);
    assert!(home.run(&["review", "--check"]).status.success());
}
