//! What a hook call costs as the client pays for it: whole processes of the static release, interleaved with
//! `/bin/true`, so that the machine's own speed falls out of the ratio. Prints medians; asserts nothing.
//!
//! `cargo bench` for all cases, `cargo bench -- PAIRS` for another number of pairs than 400.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};
use wait4::Wait4;

const CASES: [(&str, &str, &str, &str); 5] = [
    ("question", "question-unanswered", "PreToolUse", "AskUserQuestion"),
    ("plan", "plan-unanswered", "PermissionRequest", "ExitPlanMode"),
    ("permission", "tool-permission-unanswered", "PermissionRequest", "Bash"),
    ("stop", "turn-ended-with-a-question-in-prose", "Stop", ""),
    ("notification", "tool-permission-unanswered", "Notification", ""),
];

/// How many dialogs a session has here.
const CALLS_A_SESSION: usize = 8;

/// One finished process: wall time in microseconds, minor page faults, peak memory in KiB.
struct Cost {
    micros: f64,
    faults: u64,
    peak: u64,
}

fn main() {
    let pairs = std::env::args().skip(1).find_map(|arg| arg.parse().ok()).unwrap_or(400);
    let program = build();
    println!("{}\n{pairs} pairs a case, interleaved with /bin/true; medians", program.display());
    println!("{:<14} {:>9} {:>9} {:>7} {:>7} {:>9}", "", "us", "true us", "ratio", "faults", "peak KiB");
    let start = payload("question-unanswered", "SessionStart", "");
    for (name, case, event, tool) in CASES {
        let payload = payload(case, event, tool);
        let state = tempfile::tempdir().unwrap();
        let (mut ours, mut theirs, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
        for pair in 0..pairs + 20 {
            let payload = told_apart(&payload, pair);
            if pair % CALLS_A_SESSION == 0 {
                let start = told_apart(&start, pair);
                run(Command::new(&program).arg("hook").env("UNATTENDED_STATE", state.path()), start.as_bytes());
            }
            let hook =
                run(Command::new(&program).arg("hook").env("UNATTENDED_STATE", state.path()), payload.as_bytes());
            let nothing = run(&mut Command::new("/bin/true"), b"");
            // The first pairs warm the caches and make the folders.
            if pair >= 20 {
                ratios.push(hook.micros / nothing.micros);
                ours.push(hook);
                theirs.push(nothing);
            }
        }
        let recorded = std::fs::read_dir(state.path().join("records")).unwrap().count();
        assert!(recorded > 0, "{name} was not recorded");
        println!(
            "{name:<14} {:>9.0} {:>9.0} {:>7.3} {:>7.0} {:>9.0}",
            median(ours.iter().map(|cost| cost.micros)),
            median(theirs.iter().map(|cost| cost.micros)),
            median(ratios.into_iter()),
            median(ours.iter().map(|cost| cost.faults as f64)),
            median(ours.iter().map(|cost| cost.peak as f64)),
        );
    }
    println!("The peak of a process counts from what this one held when it was started.");
}

/// Builds the static release where its target is there, else the host's own, and says so.
fn build() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let target = format!("{}-unknown-linux-musl", std::env::consts::ARCH);
    let build = |target: Option<&str>| {
        let mut cargo = Command::new(env!("CARGO"));
        cargo.args(["build", "--release", "--locked", "--quiet"]).current_dir(root);
        cargo.args(target.map(|target| ["--target", target]).into_iter().flatten());
        cargo.status().expect("cargo starts").success()
    };
    let built = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
    if build(Some(&target)) {
        return built.join(target).join("release/unattended");
    }
    println!("The target {target} is not there (rustup target add {target}): measuring the host's own build.");
    assert!(build(None), "the release builds");
    built.join("release/unattended")
}

fn payload(case: &str, event: &str, tool: &str) -> String {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/fixtures/2.1.332/{case}.jsonl"));
    let wanted = |line: &&str| {
        let payload: serde_json::Value = serde_json::from_str(line).unwrap();
        payload["hook_event_name"] == event && (tool.is_empty() || payload["tool_name"] == tool)
    };
    std::fs::read_to_string(file).unwrap().lines().find(wanted).unwrap().to_owned()
}

/// The same payload in another prompt and call, and every few in another session, which has had its start.
fn told_apart(payload: &str, number: usize) -> String {
    let mut payload: serde_json::Value = serde_json::from_str(payload).unwrap();
    payload["session_id"] = format!("00000000-0000-4000-8000-{:012}", number / CALLS_A_SESSION).into();
    payload["prompt_id"] = format!("00000000-0000-4000-9000-{number:012}").into();
    if payload.get("tool_use_id").is_some() {
        payload["tool_use_id"] = format!("toolu_{number:024}").into();
    }
    payload.to_string()
}

fn run(command: &mut Command, input: &[u8]) -> Cost {
    command.env_remove("CLAUDE_CODE_SESSION_ATTENDED").env_remove("CLAUDE_CODE_ENTRYPOINT").env("UNATTENDED", "on");
    command.env("UNATTENDED_CONFIG", "/nonexistent/config.toml");
    let started = Instant::now();
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
    let _ = child.stdin.take().unwrap().write_all(input);
    let pid = Pid::from_child(&child);
    waitid(WaitId::Pid(pid), WaitIdOptions::EXITED | WaitIdOptions::NOWAIT).unwrap();
    let micros = started.elapsed().as_secs_f64() * 1e6;
    let faults = minor_faults(pid);
    let ended = child.wait4().unwrap();
    assert!(ended.status.success());
    Cost { micros, faults, peak: ended.rusage.maxrss / 1024 }
}

/// The minor page faults of a process that has ended and was not yet waited for: the tenth field of its `stat`.
fn minor_faults(pid: Pid) -> u64 {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", pid.as_raw_nonzero())).unwrap();
    let behind_name = stat.rsplit(") ").next().unwrap();
    behind_name.split(' ').nth(7).unwrap().parse().unwrap()
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
