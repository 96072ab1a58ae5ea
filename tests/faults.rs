//! A hook call while the system fails: each of its system calls, the disk, limits, the environment, the clock. The
//! answer is the one that is given where nothing fails, and the exit code is 0.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod home;

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use home::{Home, PROGRAM, denial, payload};
use rstest::rstest;
use serde_json::Value;

fn question() -> String {
    payload("2.1.332", "question-unanswered", "PreToolUse", "AskUserQuestion")
}

/// The kinds of call, each with what it is answered where nothing fails.
fn calls() -> Vec<(String, Vec<u8>)> {
    let calls = [
        ("question-unanswered", "PreToolUse", "AskUserQuestion"),
        ("plan-unanswered", "PermissionRequest", "ExitPlanMode"),
        ("tool-permission-unanswered", "PermissionRequest", "Bash"),
        ("elicitation-unanswered", "Elicitation", ""),
        ("turn-ended-with-a-question-in-prose", "Stop", ""),
    ];
    let answered = |(case, event, tool)| {
        let payload = payload("2.1.332", case, event, tool);
        let answer = Home::on().hook_bytes(&["hook"], payload.as_bytes()).expect("an answer");
        (payload, answer)
    };
    calls.into_iter().map(answered).collect()
}

/// Runs a command on a payload; it must end by itself.
fn fed(mut command: Command, payload: &str) -> Output {
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let _ = child.stdin.take().unwrap().write_all(payload.as_bytes());
    child.wait_with_output().unwrap()
}

/// The same through a shell that sets something up first; `$0` is the program.
fn through_shell(home: &Home, setup: &str, payload: &str) -> Output {
    let mut command = home.command(&[]);
    let environment: Vec<_> =
        command.get_envs().map(|(name, value)| (name.to_owned(), value.map(ToOwned::to_owned))).collect();
    command = Command::new("sh");
    command.env_clear().envs(environment.into_iter().filter_map(|(name, value)| Some((name, value?))));
    command.current_dir(home.path()).args(["-c", setup, PROGRAM]);
    fed(command, payload)
}

/// As without the fault; but that a plan is given no mode where what the session remembers could not be read.
fn assert_answered(output: &Output, expected: &[u8], what: &str) {
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{what}: {said}");
    let (answer, expected) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(expected));
    let without_mode = expected.split_once(",\"updatedPermissions\":").map(|(before, _)| format!("{before}}}}}}}"));
    if without_mode.as_deref() != Some(&*answer) {
        assert_eq!(answer, expected, "{what}: {said}");
    }
}

/// Says that a test could not be done here, and why; past the capture of a test's output, so that CI prints it.
fn skipped(why: &str) {
    let _ = writeln!(std::io::stderr(), "SKIPPED: {why}");
}

fn on_path(name: &str) -> Option<PathBuf> {
    std::env::split_paths(&std::env::var_os("PATH")?).map(|folder| folder.join(name)).find(|file| file.is_file())
}

fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// The system calls of a run after its start, each as its name and its number among those of that name: the ones that
/// read the payload or write the answer left out, and those by which memory is had (where the system refuses it, the
/// standard library ends the process).
fn steps(strace: &Path, home: &Home, payload: &str) -> Vec<(String, usize)> {
    let trace = home.path().join("trace");
    let mut command = traced(strace, home, &["-o", trace.to_str().unwrap()]);
    command.arg(PROGRAM).arg("hook");
    assert!(fed(command, payload).status.success());
    let (mut seen, mut steps, mut started) = (BTreeMap::<String, usize>::new(), Vec::new(), false);
    for line in fs::read_to_string(&trace).unwrap().lines() {
        let Some((name, arguments)) = line.split_once('(') else { continue };
        let number = seen.entry(name.to_owned()).or_default();
        *number += 1;
        // The first thing that is ours.
        started = started || arguments.contains("switch.json");
        let payload_or_answer = matches!(name, "read" | "write") && arguments.starts_with(['0', '1']);
        let memory = matches!(name, "mmap" | "brk" | "munmap" | "mremap");
        if started && !payload_or_answer && !memory && !name.starts_with("exit") {
            steps.push((name.to_owned(), *number));
        }
    }
    steps
}

fn traced(strace: &Path, home: &Home, options: &[&str]) -> Command {
    let mut command = Command::new(strace);
    command.args(["-qq", "-e", "signal=none"]).args(options);
    command.env_clear().env("HOME", home.path()).env("UNATTENDED", "on").env("PATH", "/usr/bin:/bin");
    command
}

#[test]
fn each_system_call_may_fail_and_the_answer_is_the_same() {
    let Some(strace) = on_path("strace") else { return skipped("no strace on PATH to make system calls fail with") };
    if !Command::new(&strace).args(["-qq", "-o", "/dev/null", "true"]).output().unwrap().status.success() {
        return skipped("strace cannot trace here");
    }
    let mut failed = 0;
    for (payload, answer) in calls() {
        let steps = steps(&strace, &Home::on(), &payload);
        assert!(steps.len() > 8, "the trace was not read: {steps:?}");
        for (name, number) in steps {
            for error in ["EIO", "ENOSPC", "EINTR", "EMFILE", "EACCES"] {
                let home = Home::on();
                let inject = format!("inject={name}:error={error}:when={number}");
                let mut command = traced(&strace, &home, &["-o", "/dev/null", "-e", &inject]);
                command.arg(PROGRAM).arg("hook");
                assert_answered(&fed(command, &payload), &answer, &inject);
                failed += 1;
            }
        }
    }
    eprintln!("{failed} system calls failed");
}

/// A wait ends in the answer that is given without one, whatever fails on the way: what cannot be put before a person is
/// not waited for.
#[test]
fn each_system_call_of_a_wait_may_fail_and_the_answer_is_the_same() {
    let Some(strace) = on_path("strace") else { return skipped("no strace on PATH to make system calls fail with") };
    if !Command::new(&strace).args(["-qq", "-o", "/dev/null", "true"]).output().unwrap().status.success() {
        return skipped("strace cannot trace here");
    }
    let waiting = || {
        Home::on()
            .config(&["questions", "plans", "permissions"].map(|of| format!("[{of}]\nwait = \"60ms\"\n")).concat())
    };
    let mut failed = 0;
    for (payload, answer) in calls().into_iter().take(3) {
        let steps = steps(&strace, &waiting(), &payload);
        assert!(steps.iter().any(|(name, _)| name.starts_with("rename")), "nothing was put up: {steps:?}");
        for (name, number) in steps {
            for error in ["EIO", "EMFILE"] {
                let home = waiting();
                let inject = format!("inject={name}:error={error}:when={number}");
                let mut command = traced(&strace, &home, &["-o", "/dev/null", "-e", &inject]);
                command.arg(PROGRAM).arg("hook");
                let output = fed(command, &payload);
                // To ask how large a file may grow cannot fail by the book; where it does, the canned answer is given.
                let canned = name == "prlimit64" && output.stdout == canned(&payload).as_bytes();
                if !canned {
                    assert_answered(&output, &answer, &inject);
                }
                failed += 1;
            }
        }
    }
    eprintln!("{failed} system calls failed");
}

fn canned(payload: &str) -> &'static str {
    let payload: Value = serde_json::from_str(payload).unwrap();
    let (event, tool) = (payload["hook_event_name"].as_str().unwrap(), payload["tool_name"].as_str());
    unattended::reply::canned(event, tool, &unattended::config::Config::default())
}

/// As with `ulimit -n 0`, which a build that loads libraries does not survive itself.
#[test]
fn with_no_file_descriptors_left_the_answer_is_the_same() {
    let Some(strace) = on_path("strace") else { return skipped("no strace on PATH to make system calls fail with") };
    for (payload, answer) in calls() {
        let steps = steps(&strace, &Home::on(), &payload);
        let first = |names: [&str; 2]| steps.iter().find(|(name, _)| names.contains(&name.as_str())).cloned().unwrap();
        let (open, from) = first(["openat", "open"]);
        let (poll, poll_from) = first(["ppoll", "poll"]);
        let home = Home::on();
        let (opens, polls) = (
            format!("inject={open}:error=EMFILE:when={from}+"),
            format!("inject={poll}:error=EINVAL:when={poll_from}+"),
        );
        let mut command = traced(&strace, &home, &["-o", "/dev/null", "-e", &opens, "-e", &polls]);
        command.arg(PROGRAM).arg("hook");
        assert_answered(&fed(command, &payload), &answer, "no file descriptors");
        assert!(home.records().is_empty());
    }
}

#[rstest]
#[case::no_file_may_be_written("ulimit -f 0; exec \"$0\" hook", false)]
#[case::little_stack("ulimit -s 256; exec \"$0\" hook", true)]
#[case::an_umask_that_allows_all("umask 0; exec \"$0\" hook", true)]
#[case::an_umask_that_allows_nothing("umask 0777; exec \"$0\" hook", true)]
#[case::a_folder_that_is_gone("mkdir gone; cd gone; rmdir ../gone; exec \"$0\" hook", true)]
#[case::signals_ignored("trap '' PIPE INT TERM HUP; exec \"$0\" hook", true)]
#[case::standard_error_closed("exec \"$0\" hook 2>&-", true)]
fn limits_of_the_process_change_no_answer(#[case] setup: &str, #[case] recorded: bool) {
    for (payload, answer) in calls() {
        let home = Home::on();
        assert_answered(&through_shell(&home, setup, &payload), &answer, setup);
        assert_eq!(!home.records().is_empty(), recorded, "{setup}");
        if recorded {
            let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
            let records = home.state().join("records");
            let day = fs::read_dir(&records).unwrap().next().unwrap().unwrap().path();
            assert_eq!((mode(&records), mode(&day)), (0o700, 0o600), "{setup}");
        }
    }
}

#[test]
fn a_records_file_at_its_largest_size_ends_no_process_and_is_not_cut() {
    let home = Home::on();
    home.hook(&question());
    let before = home.records().len();
    // A kilobyte of what may be written is already there.
    let output = through_shell(&home, "ulimit -f 1; exec \"$0\" hook", &question().replace("toolu_", "toolv_"));
    assert_eq!(output.status.code(), Some(0));
    denial(&serde_json::from_slice(&output.stdout).unwrap());
    assert!(String::from_utf8_lossy(&output.stderr).contains("the record was not written"));
    assert_eq!(home.records().len(), before);
}

#[test]
fn a_full_disk_changes_no_answer_and_leaves_no_half_a_record() {
    let setup = "mount -t tmpfs -o size=64k tmpfs .local/state && mkdir -p .local/state/unattended/records &&
        { head -c 60k /dev/zero >.local/state/fill; head -c 4k /dev/zero >>.local/state/fill; } 2>/dev/null;
        \"$0\" hook; code=$?; find .local/state -name '*.jsonl' -size +0 -exec cp {} left \\;; exit $code";
    let script = format!("exec unshare --map-root-user --mount sh -c '{}' \"$0\"", setup.replace('\'', "'\\''"));
    for (payload, answer) in calls() {
        let home = Home::on();
        fs::create_dir_all(home.path().join(".local/state")).unwrap();
        let probe = through_shell(&home, "unshare --map-root-user --mount true", "");
        if !probe.status.success() {
            return skipped("no mount namespace here to fill a disk in");
        }
        assert_answered(&through_shell(&home, &script, &payload), &answer, "a full disk");
        let left = fs::read_to_string(home.path().join("left")).unwrap_or_default();
        assert!(left.is_empty() || left.ends_with('\n'), "{left}");
    }
}

#[rstest]
#[case::a_file("mkdir -p .local/state; echo >.local/state/unattended")]
#[case::a_dangling_link("mkdir -p .local/state; ln -s /nowhere/at/all .local/state/unattended")]
#[case::a_link_to_itself("mkdir -p .local/state; ln -s unattended .local/state/unattended")]
#[case::records_are_a_file("mkdir -p .local/state/unattended; echo >.local/state/unattended/records")]
#[case::the_days_file_is_a_folder("mkdir -p .local/state/unattended/records/$(date -u +%F).jsonl")]
#[case::the_days_file_is_a_pipe(
    "mkdir -p .local/state/unattended/records; mkfifo .local/state/unattended/records/$(date -u +%F).jsonl"
)]
#[case::the_memory_is_a_folder("mkdir -p .local/state/unattended/sessions/00000000-0000-4000-8000-000000000002.jsonl")]
#[case::the_switch_is_a_folder("mkdir -p .local/state/unattended/switch.json")]
#[case::the_switch_is_a_pipe("mkdir -p .local/state/unattended; mkfifo .local/state/unattended/switch.json")]
#[case::the_switch_is_of_a_newer_version(
    "mkdir -p .local/state/unattended; echo '{\"v\": 9, \"position\": \"maybe\"}' >.local/state/unattended/switch.json"
)]
#[case::the_switch_is_huge(
    "mkdir -p .local/state/unattended; head -c 64M /dev/zero >.local/state/unattended/switch.json"
)]
#[case::the_config_is_a_folder("mkdir -p .config/unattended/config.toml")]
#[case::the_config_is_a_pipe("mkdir -p .config/unattended; mkfifo .config/unattended/config.toml")]
#[case::the_config_is_cut_off(
    "mkdir -p .config/unattended; printf '[questions]\\nreply = \"le' >.config/unattended/config.toml"
)]
#[case::the_config_is_no_text("mkdir -p .config/unattended; head -c 4096 /dev/urandom >.config/unattended/config.toml")]
#[case::the_config_is_huge("mkdir -p .config/unattended; head -c 64M /dev/zero >.config/unattended/config.toml")]
#[case::the_config_is_of_a_newer_version(
    "mkdir -p .config/unattended; printf 'new = 1\\n[questions]\\nmood = \"x\"\\n' >.config/unattended/config.toml"
)]
fn whatever_stands_where_our_files_should_the_answer_is_the_same(#[case] setup: &str) {
    for (payload, answer) in calls() {
        let home = Home::on();
        let started = Instant::now();
        assert_answered(&through_shell(&home, &format!("{setup}\nexec \"$0\" hook"), &payload), &answer, setup);
        assert!(started.elapsed() < Duration::from_secs(20), "{setup} was waited for");
    }
}

#[rstest]
#[case::cut_off(b"{\"t\":17960530897".to_vec())]
#[case::no_text(vec![0xff; 3000])]
#[case::of_a_newer_version(b"{\"t\":1,\"p\":1,\"new\":{\"deep\":[1]}}\n{\"v\":9}\n".to_vec())]
#[case::empty_lines(vec![b'\n'; 20_000])]
#[case::huge(vec![b'x'; 8 << 20])]
fn a_broken_memory_counts_as_what_can_be_read_of_it(#[case] memory: Vec<u8>) {
    for (payload, answer) in calls() {
        let home = Home::on();
        let session: Value = serde_json::from_str(&payload).unwrap();
        let file = home.state().join("sessions").join(format!("{}.jsonl", session["session_id"].as_str().unwrap()));
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(&file, &memory).unwrap();
        assert_answered(&home.pipe(&["hook"], payload.as_bytes()), &answer, "a broken memory");
        assert!(!home.records().is_empty());
    }
}

#[test]
fn files_of_another_account_that_may_not_be_touched_change_no_answer() {
    if !is_root() {
        return skipped("only root can give files to another account and call a hook as one");
    }
    let program = tempfile::tempdir().unwrap();
    fs::set_permissions(program.path(), PermissionsExt::from_mode(0o755)).unwrap();
    let program = program.path().join("unattended");
    assert!(Command::new("cp").arg(PROGRAM).arg(&program).status().unwrap().success());
    for (payload, answer) in calls() {
        let home = Home::on();
        fs::set_permissions(home.path(), PermissionsExt::from_mode(0o755)).unwrap();
        home.hook(&question());
        let before = home.records();
        let mut command = Command::new(&program);
        command.arg("hook").env_clear().env("HOME", home.path()).env("UNATTENDED", "on").uid(54_321).gid(54_321);
        assert_answered(&fed(command, &payload), &answer, "files of another account");
        let homeless = home.homeless(&["hook"]).unwrap();
        assert_answered(&fed(homeless, &payload), &answer, "no HOME at all");
        assert_eq!(home.records(), before);
    }
}

#[test]
fn a_home_that_is_no_absolute_path_is_no_place_to_write_to() {
    for (payload, answer) in calls() {
        let home = Home::on().with("UNATTENDED_STATE", "relative/state").with("UNATTENDED_CONFIG", "");
        let output = through_shell(&home, "HOME=relative XDG_STATE_HOME=also/relative exec \"$0\" hook", &payload);
        assert_answered(&output, &answer, "relative folders");
    }
}

#[test]
fn another_hook_that_stopped_while_it_cuts_the_memory_down_is_not_waited_for() {
    let home = Home::on();
    home.hook(&payload("2.1.332", "question-unanswered", "SessionStart", ""));
    let id: Value = serde_json::from_str(&question()).unwrap();
    let file = home.state().join("sessions").join(format!("{}.jsonl", id["session_id"].as_str().unwrap()));
    let line = fs::read_to_string(&file).unwrap();
    fs::write(&file, line.repeat(40_000 / line.len())).unwrap();
    let held = fs::File::open(&file).unwrap();
    held.lock().unwrap();
    let started = Instant::now();
    denial(&home.hook(&question()).unwrap());
    assert!(started.elapsed() < Duration::from_secs(4));
    drop(held);
    denial(&home.hook(&question().replace("toolu_", "toolv_")).unwrap());
    assert!(fs::metadata(&file).unwrap().len() < 20_000, "it is cut down once nobody holds it");
}

#[rstest]
#[case::before_the_epoch("1969-12-31 23:59:50", "1969-12-31")]
#[case::in_a_far_year("2100-03-01 00:00:00", "2100-03-01")]
fn a_clock_that_is_wrong_changes_no_answer(#[case] clock: &str, #[case] day: &str) {
    let Some(faketime) = on_path("faketime") else { return skipped("no faketime on PATH to set a clock wrong with") };
    for (payload, answer) in calls() {
        let home = Home::on().with("TZ", "UTC");
        // Another hook has just written by the right clock: time jumps back, or far ahead.
        home.hook(&payload);
        let fresh = Home::on().with("TZ", "UTC");
        let setup = format!("exec {} -f '@{clock}' \"$0\" hook", faketime.display());
        let output = through_shell(&fresh, &setup, &payload);
        assert_answered(&output, &answer, clock);
        assert!(fresh.state().join(format!("records/{day}.jsonl")).exists(), "{clock}");
        let output = through_shell(&home, &setup, &payload);
        assert_eq!(output.status.code(), Some(0));
        let kind = |bytes: &[u8]| {
            let answer: Value = serde_json::from_slice(bytes).unwrap();
            answer["hookSpecificOutput"]["hookEventName"].clone()
        };
        assert_eq!(kind(&output.stdout), kind(&answer), "{clock}, after the right one");
    }
}

#[test]
fn a_payload_that_trickles_in_is_read_up_to_the_limit_and_no_longer() {
    let home = Home::on();
    let started = Instant::now();
    let mut child = home.command(&["hook"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    for byte in question().into_bytes() {
        if stdin.write_all(&[byte]).is_err() || child.try_wait().unwrap().is_some() {
            break;
        }
        std::thread::sleep(Duration::from_millis(500));
    }
    let output = child.wait_with_output().unwrap();
    let took = started.elapsed();
    assert_eq!(output.status.code(), Some(0));
    assert!(took > Duration::from_secs(10) && took < Duration::from_secs(40), "{took:?}");
    assert_eq!(home.last_record()["kind"], "problem");
}
