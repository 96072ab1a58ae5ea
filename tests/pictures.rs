//! The pictures in the README say what the program says, of the same session recorded.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

mod home;
mod screens;

use std::fs;
use std::path::Path;

use home::{Home, fixtures};
use portable_pty::{CommandBuilder, PtySize, native_pty_system};
use screens::{lines, squeezed, steady};
use serde_json::{Value, json};

fn picture(name: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/demo").join(name)).unwrap()
}

/// The home in which the session of the pictures ran, afterwards.
fn afterwards() -> Home {
    let home = Home::new().config("[records]\nkeep_days = 0\n");
    let recorded = fixtures().join("transcripts/demo");
    let projects = home.path().join(".claude/projects/-home-dev-project");
    let records = home.state().join("records");
    fs::create_dir_all(home.path().join("project")).unwrap();
    fs::create_dir_all(&projects).unwrap();
    fs::create_dir_all(&records).unwrap();
    for entry in fs::read_dir(recorded).unwrap() {
        let file = entry.unwrap();
        let text = fs::read_to_string(file.path()).unwrap().replace("/home/dev", home.path().to_str().unwrap());
        let place = if file.file_name() == "records.jsonl" {
            records.join("2026-11-30.jsonl")
        } else {
            projects.join(file.file_name())
        };
        fs::write(place, text).unwrap();
    }
    home
}

/// What a verb says in a terminal of the pictures' width, line by line.
fn said(home: &Home, args: &[&str]) -> Vec<String> {
    let size = PtySize { rows: 50, cols: 80, pixel_width: 0, pixel_height: 0 };
    let pair = native_pty_system().openpty(size).unwrap();
    let mut command = CommandBuilder::new(home::PROGRAM);
    command.args(args);
    command.env_clear();
    command.env("HOME", home.path());
    command.env("TERM", "xterm-256color");
    command.cwd(home.path().join("project"));
    let mut child = pair.slave.spawn_command(command).unwrap();
    drop(pair.slave);
    let mut reader = pair.master.try_clone_reader().unwrap();
    let mut shown = Vec::new();
    // A terminal whose last process is gone reports an error in the place of an end.
    let _ = std::io::Read::read_to_end(&mut reader, &mut shown);
    assert!(child.wait().unwrap().success(), "{}", String::from_utf8_lossy(&shown));
    let screen = screens::captured(&String::from_utf8(shown).unwrap().replace("\r\n", "\n"), 50, 80);
    screen.screen().contents().lines().filter(|line| !line.is_empty()).map(steady).collect()
}

#[test]
fn the_review_and_the_correction_are_what_the_program_prints() {
    let home = afterwards();
    let drawn: Vec<String> = lines(&picture("review.svg"));
    let review: Value = serde_json::from_str(&home.says(&["review", "--all", "--json"])).unwrap();
    let id = review["decisions"][0]["id"].as_str().unwrap().to_owned();
    let typed = drawn.iter().find_map(|line| line.strip_prefix("$ unattended correct ")).unwrap();
    let text = typed.split_once(' ').unwrap().1.trim_matches('"').to_owned();

    let mut expected = vec!["$ unattended review".to_owned()];
    // The picture was made on the day; the record is older now.
    expected.push(steady("Since Sun 2026-11-29 18:42; --all for everything kept."));
    expected.extend(said(&home, &["review", "--all"]));
    expected.push(steady(&format!("$ unattended correct {} \"{text}\"", &id[..7])));
    expected.extend(said(&home, &["correct", &id[..7], &text]));
    expected.push("$".to_owned());
    let drawn: Vec<String> = drawn.iter().map(|line| steady(line)).collect();
    assert_eq!(drawn.join("\n"), expected.join("\n"));
    assert!(said(&home, &["review"])[0].starts_with("Since #"), "of a line that is there where nothing else is said");
}

/// The hook's own calls for what the pictures show.
fn asked() -> (Value, Value) {
    let text = fs::read_to_string(fixtures().join("transcripts/demo/records.jsonl")).unwrap();
    let records: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let record = records.iter().find(|record| record["kind"] == "question").unwrap();
    let mut questions = record["questions"].clone();
    for question in questions.as_array_mut().unwrap() {
        question.as_object_mut().unwrap().remove("rows");
    }
    let payload = json!({
        "session_id": "pictured", "hook_event_name": "PreToolUse", "tool_name": "AskUserQuestion",
        "tool_use_id": "toolu_1", "tool_input": {"questions": questions},
    });
    (payload, record["questions"][0]["rows"].clone())
}

#[test]
fn the_denial_and_the_line_at_the_start_are_what_the_hook_says() {
    let shown = squeezed(&lines(&picture("with.svg")).join("\n"));
    let home = Home::on();
    let denial = home.hook(&asked().0.to_string()).unwrap();
    assert!(shown.contains(&squeezed(home::denial(&denial))), "{denial}\nis not in {shown}");
    let home = Home::new();
    home.says(&["on"]);
    let start = json!({"session_id": "pictured", "hook_event_name": "SessionStart", "source": "startup"});
    let welcome = home.hook(&start.to_string()).unwrap();
    assert!(shown.contains(&squeezed(welcome["systemMessage"].as_str().unwrap())), "{welcome}");
}

#[test]
fn the_dialog_that_waits_has_the_rows_of_the_record() {
    let shown = lines(&picture("without.svg"));
    for row in asked().1.as_array().unwrap() {
        let row = format!("{}. {}", row["number"], row["label"].as_str().unwrap());
        assert!(shown.iter().any(|line| line.contains(&row)), "{row} is not in {shown:?}");
    }
}

#[test]
fn a_picture_is_small_and_holds_nothing_that_acts_or_comes_from_elsewhere() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/demo");
    let mut count = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let svg = fs::read_to_string(entry.unwrap().path()).unwrap();
        assert!(svg.len() < 40_000, "{}", svg.len());
        for word in ["<script", "href", "url(", "@import", "<image", "foreignObject", "onload"] {
            assert!(!svg.contains(word), "{word}");
        }
        assert_eq!(svg.matches("http").count(), 1, "the name space alone");
        assert!(lines(&svg).iter().all(|line| line.chars().count() <= 80));
        count += 1;
    }
    assert_eq!(count, 3);
}
