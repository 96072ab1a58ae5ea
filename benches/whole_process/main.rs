//! What a hook call costs as the client pays for it: whole processes of the static release, interleaved with
//! `/bin/true` and with a process that does nothing at all, so that the machine's own speed falls out of the ratios.
//! Prints medians as the tables of docs/performance.md; asserts nothing.
//!
//! `cargo bench` for all; `cargo bench -- 100` for another number of rounds than 400; `cargo bench -- --large` also with
//! a state folder of ten million records and 100,000 sessions (2.5 GB below the target folder, made once).
#![allow(unreachable_pub, clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

mod cost;
mod payloads;
mod programs;
mod state;

use std::path::Path;
use std::process::Command;

use cost::{Cost, interleaved, median, system_calls};
use payloads::{CALLS_A_SESSION, payload, told_apart};
use programs::Programs;

/// The recorded calls that are measured: name, recording, event, tool.
const CASES: [(&str, &str, &str, &str); 5] = [
    ("question", "question-unanswered", "PreToolUse", "AskUserQuestion"),
    ("plan", "plan-unanswered", "PermissionRequest", "ExitPlanMode"),
    ("permission", "tool-permission-unanswered", "PermissionRequest", "Bash"),
    ("stop", "turn-ended-with-a-question-in-prose", "Stop", ""),
    ("notification", "tool-permission-unanswered", "Notification", ""),
];

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let rounds = arguments.iter().find_map(|argument| argument.parse().ok()).unwrap_or(400);
    let programs = Programs::build();
    println!("{}, {rounds} rounds, medians\n", programs.ours.display());
    heading();
    let empty = |_: &str| tempfile::tempdir().unwrap();
    for (name, case, event, tool) in CASES {
        let state = empty(name);
        row(name, "hook", &programs, &payload(case, event, tool), state.path(), rounds);
    }
    let permission = payload("tool-permission-unanswered", "PermissionRequest", "Bash");
    let state = empty("status line");
    row("status line", "statusline", &programs, &permission, state.path(), rounds);
    if arguments.iter().any(|argument| argument == "--large") {
        let large = state::large(&programs.target);
        for (name, case, event, tool) in CASES {
            row(&format!("{name}, large state"), "hook", &programs, &payload(case, event, tool), &large, rounds);
        }
        let mut counted = Command::new(&programs.ours);
        counted.args(["statusline", "--recount"]).env("UNATTENDED_STATE", &large);
        Cost::of(&mut counted, b"");
        row("status line, large state", "statusline", &programs, &permission, &large, rounds);
    }
    others(&programs, rounds);
    long(&programs, rounds.min(60));
    println!("\nThe peak of a process counts from what this one held when it was started.");
}

fn heading() {
    println!("| call | of `/bin/true` | of a process that does nothing | page faults | peak KiB | system calls |");
    println!("|---|---|---|---|---|---|");
}

/// One call in fresh prompts and sessions, between the two yardsticks. A status line has something new to count each time.
fn row(name: &str, verb: &str, programs: &Programs, payload: &str, state: &Path, rounds: usize) {
    let start = crate::payload("question-unanswered", "SessionStart", "");
    let call = |verb: &str| {
        let mut command = Command::new(&programs.ours);
        command.arg(verb).env("UNATTENDED_STATE", state);
        command
    };
    let costs = interleaved(rounds, |round| {
        if round % CALLS_A_SESSION == 0 {
            Cost::of(&mut call("hook"), told_apart(&start, round).as_bytes());
        }
        if verb != "hook" {
            Cost::of(&mut call("hook"), told_apart(payload, round).as_bytes());
        }
        vec![
            Cost::of(&mut call(verb), told_apart(payload, round).as_bytes()),
            Cost::of(&mut Command::new("/bin/true"), b""),
            Cost::of(&mut Command::new(&programs.nothing), b""),
        ]
    });
    assert!(std::fs::read_dir(state.join("records")).unwrap().next().is_some(), "{name} was not recorded");
    let calls = system_calls(call(verb), told_apart(payload, rounds + 1).as_bytes());
    println!(
        "| {name} | {:.3} | {:.2} | {:.0} | {:.0} | {} |",
        median(costs.iter().map(|round| round[0].micros / round[1].micros)),
        median(costs.iter().map(|round| round[0].micros / round[2].micros)),
        median(costs.iter().map(|round| round[0].faults as f64)),
        median(costs.iter().map(|round| round[0].peak as f64)),
        calls.map_or("no strace".to_owned(), |calls| calls.to_string()),
    );
}

/// The same question by handlers in other languages.
fn others(programs: &Programs, rounds: usize) {
    println!("\n| question answered and recorded by | of `/bin/true` | ms | peak MiB |\n|---|---|---|---|");
    let question = payload("question-unanswered", "PreToolUse", "AskUserQuestion");
    let state = tempfile::tempdir().unwrap();
    let mut all = vec![("unattended", vec![programs.ours.clone().into_os_string(), "hook".into()])];
    all.extend(programs.handlers());
    let costs = interleaved(rounds.min(100), |round| {
        let question = told_apart(&question, round);
        let mut costs = vec![Cost::of(&mut Command::new("/bin/true"), b"")];
        costs.extend(all.iter().map(|(_, words)| {
            let mut command = Command::new(&words[0]);
            Cost::of(command.args(&words[1..]).env("UNATTENDED_STATE", state.path()), question.as_bytes())
        }));
        costs
    });
    for (place, (name, _)) in all.iter().enumerate() {
        println!(
            "| {name} | {:.2} | {:.1} | {:.1} |",
            median(costs.iter().map(|round| round[place + 1].micros / round[0].micros)),
            median(costs.iter().map(|round| round[place + 1].micros / 1000.0)),
            median(costs.iter().map(|round| round[place + 1].peak as f64 / 1024.0)),
        );
    }
}

/// A payload of 5 MiB, against a program that only reads it.
fn long(programs: &Programs, rounds: usize) {
    println!("\n| 5 MiB | of a program that only reads it | peak MiB |\n|---|---|---|");
    let state = tempfile::tempdir().unwrap();
    for (name, payload) in payloads::long() {
        let costs = interleaved(rounds, |_| {
            let mut hook = Command::new(&programs.ours);
            vec![
                Cost::of(hook.arg("hook").env("UNATTENDED_STATE", state.path()), payload.as_bytes()),
                Cost::of(&mut Command::new(&programs.only_read), payload.as_bytes()),
            ]
        });
        println!(
            "| {name} | {:.2} | {:.0} |",
            median(costs.iter().map(|round| round[0].micros / round[1].micros)),
            median(costs.iter().map(|round| round[0].peak as f64 / 1024.0)),
        );
    }
}
