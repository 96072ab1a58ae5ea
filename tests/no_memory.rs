//! A hook call to which the system refuses memory: at any one request, at all from any one on, and below any limit of its
//! address space. It ends with 0 and gives the answer that it gives elsewhere, or the canned one.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod home;

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use home::{Home, PROGRAM, payload};
use serde_json::{Value, json};
use unattended::config::Config;
use unattended::reply;

/// One call: what it is registered for, and what it is answered where there is memory and where there is none.
struct Call {
    registered_for: String,
    payload: String,
    answer: Vec<u8>,
    canned: &'static str,
}

impl Call {
    fn of(event: &str, tool: &str, payload: String) -> Self {
        let registered_for = if tool.is_empty() { event.to_owned() } else { format!("{event}:{tool}") };
        let answer = Home::on().hook_bytes(&["hook", "--for", &registered_for], payload.as_bytes()).unwrap_or_default();
        let canned = reply::canned(event, Some(tool).filter(|tool| !tool.is_empty()), &Config::default());
        Self { registered_for, payload, answer, canned }
    }

    fn recorded(case: &str, event: &str, tool: &str) -> Self {
        Self::of(event, tool, payload("2.1.332", case, event, tool))
    }

    /// With a text of its own in a field of the payload.
    fn long(case: &str, event: &str, tool: &str, field: &str, length: usize) -> Self {
        let mut long: Value = serde_json::from_str(&payload("2.1.332", case, event, tool)).unwrap();
        *long.pointer_mut(field).unwrap() = json!("\"é\"\t\u{1b} words and more.\n".repeat(length / 24));
        Self::of(event, tool, long.to_string())
    }
}

fn short() -> Vec<Call> {
    vec![
        Call::recorded("question-unanswered", "PreToolUse", "AskUserQuestion"),
        Call::recorded("plan-unanswered", "PermissionRequest", "ExitPlanMode"),
        Call::recorded("tool-permission-unanswered", "PermissionRequest", "Bash"),
        Call::recorded("elicitation-unanswered", "Elicitation", ""),
        Call::recorded("turn-ended-with-a-question-in-prose", "Stop", ""),
        Call::recorded("tool-permission-unanswered", "Notification", ""),
    ]
}

fn long() -> Vec<Call> {
    let question = "/tool_input/questions/0/question";
    vec![
        Call::long("question-unanswered", "PreToolUse", "AskUserQuestion", question, 40_000),
        Call::long("question-unanswered", "PreToolUse", "AskUserQuestion", question, 1 << 20),
        Call::long("plan-unanswered", "PermissionRequest", "ExitPlanMode", "/tool_input/plan", 1 << 20),
        Call::long("tool-permission-unanswered", "PermissionRequest", "Bash", "/tool_input/command", 1 << 20),
        Call::long("turn-ended-with-a-question-in-prose", "Stop", "", "/last_assistant_message", 200_000),
        Call::long("turn-ended-with-a-question-in-prose", "Stop", "", "/last_assistant_message", 1 << 20),
    ]
}

/// Strace, if it is there and can trace.
fn strace() -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let strace = std::env::split_paths(&path).map(|folder| folder.join("strace")).find(|file| file.is_file())?;
    let tried = Command::new(&strace).args(["-qq", "-o", "/dev/null", "true"]).output().ok()?;
    tried.status.success().then_some(strace)
}

/// Past the capture of a test's output, so that CI prints it.
fn skipped() {
    let _ = writeln!(std::io::stderr(), "SKIPPED: no strace that can trace, to refuse memory with");
}

/// Runs a call traced; gives what came out and the trace.
fn traced(strace: &Path, home: &Home, call: &Call, options: &[&str], words: &[&str]) -> (Output, String) {
    let trace = home.path().join("trace");
    let mut command = Command::new(strace);
    command.args(["-qq", "-e", "signal=none", "-e", "trace=mmap,brk,munmap,mremap,mprotect", "-o"]).arg(&trace);
    command.args(options).args(words).args(["hook", "--for", &call.registered_for]);
    command.env_clear().env("HOME", home.path()).env("UNATTENDED", "on").env("PATH", "/usr/bin:/bin");
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let _ = child.stdin.take().unwrap().write_all(call.payload.as_bytes());
    let output = child.wait_with_output().unwrap();
    (output, fs::read_to_string(&trace).unwrap_or_default())
}

/// Whether this is the first request of ours, before which nothing of ours has run.
fn is_first(line: &str) -> bool {
    line.starts_with("mmap(NULL, 1048576, PROT_READ|PROT_WRITE,")
}

/// The requests for memory after the start, each as its name and its number among those of that name.
fn requests(strace: &Path, call: &Call) -> Vec<(String, usize)> {
    let (output, trace) = traced(strace, &Home::on(), call, &[], &[PROGRAM]);
    assert!(output.status.success());
    let (mut seen, mut requests, mut started) = (BTreeMap::<&str, usize>::new(), Vec::new(), false);
    for line in trace.lines() {
        let Some((name, _)) = line.split_once('(') else { continue };
        let number = seen.entry(name).or_default();
        *number += 1;
        started = started || is_first(line);
        if started {
            requests.push((name.to_owned(), *number));
        }
    }
    assert!(started, "the trace was not read: {trace}");
    requests
}

fn assert_answered(output: &Output, call: &Call, or_canned: bool, what: &str) {
    let (said, answer) = (String::from_utf8_lossy(&output.stderr), String::from_utf8_lossy(&output.stdout));
    let whole = String::from_utf8_lossy(&call.answer);
    let what = format!("{}, {} bytes, {what}", call.registered_for, call.payload.len());
    assert_eq!(output.status.code(), Some(0), "{what}: {said}");
    assert!(
        answer == whole || (or_canned && answer == call.canned),
        "{what}: {said}{}",
        answer.get(..400).unwrap_or(&answer)
    );
}

#[test]
fn each_request_for_memory_may_be_refused_and_the_answer_is_the_same() {
    let Some(strace) = strace() else { return skipped() };
    for call in short() {
        let requests = requests(&strace, &call);
        for (name, number) in requests {
            let inject = format!("inject={name}:error=ENOMEM:when={number}");
            let (output, _) = traced(&strace, &Home::on(), &call, &["-e", &inject], &[PROGRAM]);
            assert_answered(&output, &call, false, &inject);
        }
    }
}

#[test]
fn each_request_of_a_call_on_a_long_payload_may_be_refused() {
    let Some(strace) = strace() else { return skipped() };
    for call in long() {
        let requests = requests(&strace, &call);
        assert!(requests.len() > 2, "a long payload needs more than a short one: {requests:?}");
        for (name, number) in requests {
            let inject = format!("inject={name}:error=ENOMEM:when={number}");
            let (output, _) = traced(&strace, &Home::on(), &call, &["-e", &inject], &[PROGRAM]);
            assert_answered(&output, &call, true, &inject);
        }
    }
}

/// From each request on none is granted; from the first on, nothing at all can be taken from the heap.
#[test]
fn all_requests_from_one_on_may_be_refused() {
    let Some(strace) = strace() else { return skipped() };
    for call in short().into_iter().chain(long()) {
        for (name, number) in requests(&strace, &call) {
            let inject = format!("inject={name}:error=ENOMEM:when={number}+");
            let (output, _) = traced(&strace, &Home::on(), &call, &["-e", &inject], &[PROGRAM]);
            assert_answered(&output, &call, true, &inject);
        }
    }
}

/// Whoever has said that dialogs are theirs is not answered for where there is no memory to read what they said.
#[test]
fn without_any_memory_nothing_is_answered_where_a_person_may_have_said_otherwise() {
    let Some(strace) = strace() else { return skipped() };
    let call = Call::recorded("question-unanswered", "PreToolUse", "AskUserQuestion");
    let (_, first) = requests(&strace, &call).remove(0);
    let inject = format!("inject=mmap:error=ENOMEM:when={first}+");
    let answer = |setup: &str, variables: &str| {
        let home = Home::on();
        let script = format!("{setup}\nexec env -u UNATTENDED {variables} \"$0\" \"$@\"");
        // The shell and `env` take memory of their own; only the last program is refused any.
        let words = ["sh", "-c", &script, strace.to_str().unwrap(), "-qq", "-o", "/dev/null", "-e", &inject, PROGRAM];
        let mut command = Command::new("sh");
        command.args(&words[1..]).args(["hook", "--for", &call.registered_for]).current_dir(home.path());
        command.env_clear().env("HOME", home.path()).env("PATH", "/usr/bin:/bin");
        let output = command.stdin(Stdio::null()).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    let state = "mkdir -p .local/state/unattended .config/unattended\n";
    let switch = |said: &str| format!("{state}printf '{said}' >.local/state/unattended/switch.json");
    let config = |said: &str| format!("{state}printf '{said}' >.config/unattended/config.toml");
    for (setup, variables) in [
        ("", ""),
        ("", "UNATTENDED=on"),
        ("", "CLAUDE_CODE_SESSION_ATTENDED=0"),
        ("", "CLAUDE_CODE_ENTRYPOINT=sdk-cli"),
        (&switch("{\"v\":1,\"switch\":\"on\",\"since\":\"2026-01-01T00:00:00Z\"}"), "CLAUDE_CODE_SESSION_ATTENDED=1"),
        (&config("[records]\\nkeep_days = 3\\n"), ""),
    ] {
        assert_eq!(answer(setup, variables), call.canned, "{setup} {variables}");
    }
    for (setup, variables) in [
        ("", "UNATTENDED=off"),
        ("", "CLAUDE_CODE_SESSION_ATTENDED=1"),
        ("", "CLAUDE_CODE_ENTRYPOINT=cli"),
        (&switch("{\"v\":1,\"switch\":\"off\",\"since\":\"2026-01-01T00:00:00Z\"}"), ""),
        (&config("[questions]\\nreply = \"leave\"\\n"), ""),
        (&config("default = \"off\"\\n"), ""),
        (&format!("{state}mkdir .config/unattended/config.toml"), ""),
    ] {
        assert_eq!(answer(setup, variables), "", "{setup} {variables}");
    }
}

/// From too little for the program to be started to plenty. Below the first limit at which it runs at all, the system
/// ends it before anything of ours has run.
#[test]
fn below_any_limit_of_its_address_space_a_call_that_starts_is_answered() {
    let Some(strace) = strace() else { return skipped() };
    let run = |call: &Call, kib: usize| {
        let script = format!("ulimit -v {kib}; exec \"$0\" \"$@\"");
        let (output, trace) = traced(&strace, &Home::on(), call, &[], &["sh", "-c", &script, PROGRAM]);
        (output, trace.lines().any(is_first))
    };
    let calls: Vec<_> = short().into_iter().chain(long()).collect();
    let (mut too_little, mut enough) = (512, 1 << 20);
    while enough - too_little > 16 {
        let middle = (too_little + enough) / 2;
        *(if run(&calls[0], middle).1 { &mut enough } else { &mut too_little }) = middle;
    }
    let (mut answered, mut refused, mut not_started) = (0, 0, 0);
    for call in &calls {
        let (step, most) = if call.payload.len() < 16 * 1024 { (96, 1500) } else { (500, 14_000) };
        for kib in (enough..enough + most).step_by(step) {
            let (output, started) = run(call, kib);
            // The system places things differently from run to run, so that a little more may be too little.
            if !started {
                not_started += 1;
                continue;
            }
            assert_answered(&output, call, true, &format!("{kib} KiB, started from {enough} on"));
            answered += 1;
            refused += usize::from(output.stdout != call.answer);
        }
        let (output, _) = run(call, enough + 40 * 1024);
        assert_answered(&output, call, false, "plenty");
    }
    eprintln!("{answered} answered, {refused} of them by the canned answer; {not_started} not started");
    assert!(answered > 10 * not_started && refused > 0, "{answered} answered, {refused} canned, {not_started} not");
}
