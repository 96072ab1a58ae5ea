//! What the pages say is true: every command, snippet, printed line, key and link in README.md and docs/*.md.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

mod documents;
mod home;
mod screens;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::fs::symlink;
use std::process::{Command, Stdio};

use clap::CommandFactory;
use documents::{Block, commands, pages, root};
use home::{Home, PROGRAM, fixtures};
use screens::steady;
use serde_json::{Value, json};
use unattended::cli::Cli;

/// The languages of blocks, each with what tries it here or elsewhere.
const LANGUAGES: [(&str, &str); 10] = [
    ("console", "played: each_command_shown_prints_what_is_shown"),
    ("sh", "read by a shell; our commands by the program"),
    ("crontab", "our commands by the program"),
    ("ini", "our commands by the program"),
    ("toml", "read as a config"),
    ("json", "held against the schema of what it is"),
    ("jsonl", "held against the schema of what it is"),
    ("python", "a file of examples, which is run"),
    ("sql", "run by .ci/fleet"),
    ("text", "said of files and folders, nothing that is printed"),
];

/// Pages whose own tests run their Python.
const TRIED_ELSEWHERE: [(&str, &str); 1] = [("docs/bridges.md", "tests/bridges.rs")];

#[test]
fn each_language_of_a_block_is_one_that_is_tried() {
    for page in pages() {
        for block in page.blocks() {
            assert!(LANGUAGES.iter().any(|(language, _)| *language == block.language), "{}", block.place);
        }
    }
}

#[test]
fn each_page_is_in_the_index_and_each_link_leads_somewhere() {
    let pages = pages();
    let index = pages.iter().find(|page| page.name == "docs/README.md").unwrap();
    let listed: BTreeSet<_> = index.links().into_iter().collect();
    for page in pages.iter().filter(|page| page.name.starts_with("docs/") && page.name != index.name) {
        assert!(listed.contains(page.name.trim_start_matches("docs/")), "{} is not in {}", page.name, index.name);
    }
    assert!(pages[0].links().iter().any(|link| link == &index.name), "the README names the index");
    for page in &pages {
        for link in page.links() {
            let (file, anchor) = link.split_once('#').unwrap_or((&link, ""));
            let target = if file.is_empty() { root().join(&page.name) } else { page.leads(file) };
            assert!(target.exists(), "{}: {link}", page.name);
            if !anchor.is_empty() {
                let target = target.canonicalize().unwrap();
                let there =
                    pages.iter().find(|page| root().join(&page.name).canonicalize().unwrap() == target).unwrap();
                assert!(there.anchors().iter().any(|known| known == anchor), "{}: {link}", page.name);
            }
        }
    }
}

/// The commands of ours in a block.
fn ours(block: &Block<'_>) -> Vec<Vec<String>> {
    let lines = block.text.lines();
    match block.language {
        "sh" | "crontab" => lines.flat_map(commands).collect(),
        "console" => lines.filter_map(|line| line.strip_prefix("$ ")).flat_map(commands).collect(),
        "ini" => lines.filter_map(|line| line.strip_prefix("ExecStart=")).flat_map(commands).collect(),
        _ => Vec::new(),
    }
}

#[test]
fn each_command_shown_is_one_that_the_program_takes() {
    let (program, mut count) = (Cli::command(), 0);
    for page in pages() {
        let inline = page.code().into_iter().flat_map(|code| commands(&code)).map(|words| (page.name.clone(), words));
        let blocks = page
            .blocks()
            .into_iter()
            .flat_map(|block| ours(&block).into_iter().map(move |words| (block.place.clone(), words)));
        for (place, words) in inline.chain(blocks) {
            let parsed = program.clone().try_get_matches_from(&words);
            assert!(parsed.is_ok(), "{place}: {}: {}", words.join(" "), parsed.unwrap_err());
            count += 1;
        }
    }
    assert!(count > 30, "{count}");
}

#[test]
fn each_verb_is_on_a_page() {
    let said: Vec<Vec<String>> = pages()
        .iter()
        .flat_map(|page| {
            let inline = page.code().into_iter().flat_map(|code| commands(&code));
            inline.chain(page.blocks().iter().flat_map(ours)).collect::<Vec<_>>()
        })
        .collect();
    for verb in Cli::command().get_subcommands().filter(|verb| !verb.is_hide_set()) {
        let name = verb.get_name();
        assert!(
            said.iter().any(|words| words.get(1).is_some_and(|word| word == name)),
            "no page says `unattended {name}`"
        );
    }
}

#[test]
fn each_shell_snippet_is_one_that_a_shell_reads() {
    for page in pages() {
        for block in page.blocks().iter().filter(|block| block.language == "sh") {
            let output = Command::new("sh").args(["-n", "-c", block.text]).output().unwrap();
            assert!(output.status.success(), "{}: {}", block.place, String::from_utf8_lossy(&output.stderr));
        }
    }
}

#[test]
fn each_config_shown_is_read_without_a_complaint() {
    for page in pages() {
        for block in page.blocks().iter().filter(|block| block.language == "toml") {
            assert_eq!(unattended::config::read(block.text).1, Vec::<String>::new(), "{}", block.place);
        }
    }
}

/// Every schema of docs, whole and each of its definitions.
fn schemas() -> Vec<jsonschema::Validator> {
    let mut all = Vec::new();
    for entry in fs::read_dir(root().join("docs")).unwrap() {
        let place = entry.unwrap().path();
        if !place.to_str().unwrap().ends_with(".schema.json") {
            continue;
        }
        let whole: Value = serde_json::from_str(&fs::read_to_string(place).unwrap()).unwrap();
        let definitions = whole["$defs"].as_object().cloned().unwrap_or_default();
        for name in definitions.keys() {
            let part = json!({"$defs": whole["$defs"], "$ref": format!("#/$defs/{name}")});
            all.extend(jsonschema::validator_for(&part));
        }
        all.extend(jsonschema::validator_for(&whole));
    }
    all
}

/// Whether a JSON value is what one of our schemas says, what the hook reads or prints, or settings of the client that
/// were tried with it.
fn is_known(value: &Value, schemas: &[jsonschema::Validator]) -> bool {
    let tried = include_str!("real_client/native.rs");
    let keys: Vec<&str> = value.as_object().unwrap().keys().map(String::as_str).collect();
    keys.iter().any(|key| ["hookSpecificOutput", "hook_event_name"].contains(key))
        || keys.iter().all(|key| tried.contains(&format!("\"{key}\"")) || ["hooks", "statusLine"].contains(key))
        || schemas.iter().any(|schema| schema.is_valid(value))
}

#[test]
fn each_json_snippet_is_what_it_is_shown_as() {
    let schemas = schemas();
    for page in pages() {
        for block in page.blocks() {
            let values: Vec<&str> = match block.language {
                "json" => vec![block.text],
                "jsonl" => block.text.lines().collect(),
                _ => continue,
            };
            for text in values {
                let value: Value =
                    serde_json::from_str(text).unwrap_or_else(|error| panic!("{}: {error}", block.place));
                assert!(is_known(&value, &schemas), "{}: nothing says what this is", block.place);
            }
        }
    }
}

#[test]
fn each_python_snippet_is_a_file_of_examples_and_runs_where_it_is_shown() {
    for page in pages() {
        let blocks = page.blocks();
        for block in blocks.iter().filter(|block| block.language == "python") {
            let Some(file) = block.how.first() else {
                let tests = TRIED_ELSEWHERE
                    .iter()
                    .find(|(name, _)| *name == page.name)
                    .unwrap_or_else(|| panic!("{}: say which file", block.place))
                    .1;
                let tests = fs::read_to_string(root().join(tests)).unwrap();
                assert!(tests.contains(&page.name) && tests.contains("blocks(\"python\")"), "{}", block.place);
                continue;
            };
            assert_eq!(block.text, fs::read_to_string(root().join(file)).unwrap(), "{}", block.place);
            let run = format!("$ python3 {file}\n");
            assert!(blocks.iter().any(|block| block.language == "console" && block.text.contains(&run)), "{file}");
        }
    }
}

#[test]
fn the_question_of_the_first_steps_is_one_that_a_client_sent() {
    let sent = home::payload("2.1.332", "question-unanswered", "PreToolUse", "AskUserQuestion");
    assert_eq!(fs::read_to_string(root().join("examples/question.json")).unwrap(), sent + "\n");
}

/// The home in which a block is played: `after=CASE` plays a recorded session of 2.1.332 through the hook before, or
/// puts one there that has its transcript; what else stands there is set in the environment.
fn home(how: &[&str]) -> Home {
    let mut home = Home::new().config("[records]\nkeep_days = 0\n").with("TZ", "UTC");
    for (variable, value) in how.iter().filter_map(|word| word.split_once('=')).filter(|(name, _)| *name != "after") {
        home = home.with(variable, value);
    }
    let here = home.path().join("unattended");
    fs::create_dir(&here).unwrap();
    for name in ["examples", "tests", "docs"] {
        symlink(root().join(name), here.join(name)).unwrap();
    }
    fs::create_dir_all(home.path().join(".local/bin")).unwrap();
    symlink(PROGRAM, home.path().join(".local/bin/unattended")).unwrap();
    for case in how.iter().filter_map(|word| word.strip_prefix("after=")) {
        let played = fixtures().join("2.1.332").join(format!("{case}.jsonl"));
        if played.exists() {
            fs::read_to_string(played).unwrap().lines().for_each(|line| drop(home.hook(line)));
        } else {
            rest(&home, case);
        }
    }
    home
}

/// What a session with its transcript left in a home.
fn rest(home: &Home, case: &str) {
    let (projects, records) = (home.path().join(".claude/projects/-home-dev-project"), home.state().join("records"));
    fs::create_dir_all(&projects).unwrap();
    fs::create_dir_all(&records).unwrap();
    for entry in fs::read_dir(fixtures().join("transcripts").join(case)).unwrap() {
        let file = entry.unwrap();
        let text = fs::read_to_string(file.path()).unwrap().replace("/home/dev", home.path().to_str().unwrap());
        let ours = file.file_name() == "records.jsonl";
        let place = if ours { records.join("2026-11-30.jsonl") } else { projects.join(file.file_name()) };
        fs::write(place, text).unwrap();
    }
}

/// Plays the commands of a block; whatever prints otherwise than shown. Ids and times may differ; `…` at the end of a
/// line is its rest, and on a line of its own any number of lines.
fn played(home: &Home, block: &Block<'_>, ids: &mut BTreeMap<String, String>) -> Vec<String> {
    let mut found = Vec::new();
    for part in format!("\n{}", block.text).split("\n$ ").skip(1) {
        let (command, shown) = part.split_once('\n').unwrap_or((part, ""));
        let real = ids.iter().fold(command.to_owned(), |command, (shown, real)| command.replace(shown, real));
        let mut shell = Command::new("sh");
        shell.args(["-c", &real]).env_clear().current_dir(home.path().join("unattended")).stdin(Stdio::null());
        shell.envs(home.command(&[]).get_envs().filter_map(|(name, value)| Some((name, value?))));
        let path = std::env::var("PATH").unwrap_or_default();
        shell.env("PATH", format!("{}:{path}", home.path().join(".local/bin").display()));
        let output = shell.output().unwrap();
        let printed = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
        ids.extend(ids_in(shown).zip(ids_in(&printed)).map(|(shown, printed)| (shown.to_owned(), printed.to_owned())));
        if !fits(&shown.lines().collect::<Vec<_>>(), &printed.lines().collect::<Vec<_>>()) {
            found.push(format!("{}: `{command}` prints\n{printed}\nnot\n{shown}", block.place));
        }
    }
    found
}

/// The ids in a text, in their order.
fn ids_in(text: &str) -> impl Iterator<Item = &str> {
    text.split_whitespace().filter(|word| word.len() >= 7 && word.chars().all(|c| c.is_ascii_hexdigit()))
}

fn fits(shown: &[&str], printed: &[&str]) -> bool {
    match (shown.split_first(), printed.split_first()) {
        (None, _) => printed.iter().all(|line| line.trim().is_empty()),
        (Some((&"…", rest)), _) => (0..=printed.len()).any(|skipped| fits(rest, &printed[skipped..])),
        (Some((first, rest)), Some((line, lines))) => {
            let same = match first.strip_suffix('…') {
                Some(beginning) => steady(line).starts_with(&steady(beginning)),
                None => steady(first).trim_end() == steady(line).trim_end(),
            };
            same && fits(rest, lines)
        }
        (Some(_), None) => shown.iter().all(|line| line.trim().is_empty()),
    }
}

#[test]
fn each_command_shown_prints_what_is_shown() {
    let (mut found, mut count) = (Vec::new(), 0);
    for page in pages() {
        let mut home_of_page: Option<Home> = None;
        let mut ids = BTreeMap::new();
        for block in page.blocks().iter().filter(|block| block.language == "console") {
            if home_of_page.is_none() || !block.how.is_empty() {
                home_of_page = Some(home(&block.how));
            }
            found.extend(played(home_of_page.as_ref().unwrap(), block, &mut ids));
            count += 1;
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n\n"));
    assert!(count > 2, "{count}");
}

#[test]
fn what_is_shown_otherwise_than_it_is_printed_is_found() {
    assert!(fits(&["a 3f2a91c", "…", "b"], &["a 77aa012", "x", "y", "b"]));
    assert!(!fits(&["a", "b"], &["a"]));
    assert!(!fits(&["a"], &["a", "b"]));
    assert!(!fits(&["2 decisions"], &["3 decisions"]));
    assert!(fits(&["{\"a\":…"], &["{\"a\": 1}".replace(": ", ":").as_str()]));
    let line =
        "cd ~/p && UNATTENDED=on PATH=$HOME/.local/bin:$PATH unattended run --max-time 6h -- \"a b\" >> log 2>&1";
    assert_eq!(commands(line), [["unattended", "run", "--max-time", "6h", "--", "a b"]]);
    assert_eq!(commands("claude plugin install unattended@unattended"), Vec::<Vec<String>>::new());
    assert_eq!(commands("claude -p --x \"$(unattended prompt)\" \"y\""), [["unattended", "prompt"]]);
}
