//! Killed at any moment, and run beside others: the settings are the old ones or the new ones, whole.

#![cfg(unix)]
#![allow(unreachable_pub, clippy::unwrap_used, clippy::panic)]

#[path = "settings/home.rs"]
#[allow(dead_code, reason = "shared by several tests")]
mod home;

use std::cell::Cell;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use home::Home;
use unattended::settings::{self, Edit, Form, Made, Waits};
use unattended::settings_file::SettingsFile;

const NEWEST: [&str; 3] = ["install", "--client-version", "2.1.332"];
const BEFORE: &str = "{\n  \"hooks\": {\n    \"Stop\": []\n  },\n  \"a\": 1.0\n}";

/// The system calls by which a file or folder is touched. Killing before each one leaves every state that a process can
/// leave behind. Those that a machine does not have are passed over.
const STEPS: [&str; 22] = [
    "openat",
    "read",
    "write",
    "fchmod",
    "fchown",
    "fsync",
    "rename",
    "renameat",
    "renameat2",
    "link",
    "linkat",
    "unlink",
    "unlinkat",
    "mkdir",
    "mkdirat",
    "rmdir",
    "flock",
    "ftruncate",
    "statx",
    "close",
    "readlink",
    "getdents64",
];

/// Past the capture of a test's output, so that CI prints it.
fn say(line: &str) {
    let _ = std::io::Write::write_all(&mut std::io::stderr(), format!("{line}\n").as_bytes());
}

/// What counts system calls and stops at one; says why if it cannot be had here.
fn strace() -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&path).map(|folder| folder.join("strace")).find(|file| file.is_file());
    let Some(strace) = found else {
        say("SKIPPED: no strace on PATH to stop the process with");
        return None;
    };
    let probe = Command::new(&strace).args(["-qq", "-o", "/dev/null", "true"]).output().unwrap();
    if !probe.status.success() {
        say(&format!("SKIPPED: strace cannot trace here: {}", String::from_utf8_lossy(&probe.stderr)));
        return None;
    }
    Some(strace)
}

/// Runs `args` and kills it when it is about to do its `nth` call of `step`. Whether it came that far.
fn killed_at(strace: &Path, home: &Home, args: &[&str], step: &str, nth: u32) -> bool {
    let mut command = Command::new(strace);
    command.args(["-qq", "-o", "/dev/null", "-e", "signal=none"]);
    command.arg("-e").arg(format!("trace=?{step}")).arg("-e").arg(format!("inject=?{step}:signal=KILL:when={nth}"));
    home.prepare(command.arg(env!("CARGO_BIN_EXE_unattended")).args(args).stdout(Stdio::null()));
    !command.status().unwrap().success()
}

/// Kills a run at each of its steps, each time from the start.
fn kill_at_each_step(strace: &Path, args: &[&str], start: impl Fn() -> Home, old: &[u8], new: &[u8]) {
    let mut seen: BTreeMap<bool, u32> = BTreeMap::new();
    for step in STEPS {
        for nth in 1..1000 {
            let home = start();
            if !killed_at(strace, &home, args, step, nth) {
                break;
            }
            *seen.entry(check_after_kill(&home, old, new, &format!("{step} {nth}"))).or_default() += 1;
        }
    }
    eprintln!(
        "killed at {} steps: the old file {:?}, the new one {:?} times",
        seen.values().sum::<u32>(),
        seen.get(&false),
        seen.get(&true)
    );
    assert!(seen.get(&false) > Some(&10) && seen.get(&true) > Some(&1), "the kills did not hit the write: {seen:?}");
}

/// After a kill: old or new and nothing else, and whoever comes next can go on.
fn check_after_kill(home: &Home, old: &[u8], new: &[u8], step: &str) -> bool {
    let there = home.read();
    assert!(there == old || there == new, "step {step}: neither old nor new:\n{}", String::from_utf8_lossy(&there));
    home.ok(&NEWEST);
    home.ok(&["uninstall"]);
    assert_eq!(home.text(), BEFORE, "step {step}");
    let left: Vec<_> = home.files().into_iter().filter(|file| file.contains(".unattended-")).collect();
    assert!(left.iter().all(|file| file.starts_with(".local/state/unattended/backups/")), "step {step}: {left:?}");
    there == new
}

#[test]
fn killed_at_each_step_of_an_install_the_file_is_the_old_or_the_new_one() {
    if let Some(strace) = strace() {
        let done = Home::with(BEFORE);
        done.ok(&NEWEST);
        kill_at_each_step(&strace, &NEWEST, || Home::with(BEFORE), BEFORE.as_bytes(), &done.read());
    }
}

#[test]
fn killed_at_each_step_of_an_uninstall_the_file_is_the_old_or_the_new_one() {
    if let Some(strace) = strace() {
        let installed = || {
            let home = Home::with(BEFORE);
            home.ok(&NEWEST);
            home
        };
        kill_at_each_step(&strace, &["uninstall"], installed, &installed().read(), BEFORE.as_bytes());
    }
}

#[test]
fn killed_at_any_time_the_file_is_the_old_or_the_new_one() {
    let done = Home::with(BEFORE);
    let before = Instant::now();
    done.ok(&NEWEST);
    let whole = before.elapsed();
    for part in 0..60 {
        let home = Home::with(BEFORE);
        let mut child = quiet(home.command(&NEWEST));
        thread::sleep(whole.mul_f64(f64::from(part) / 50.0));
        child.kill().unwrap();
        child.wait().unwrap();
        check_after_kill(&home, BEFORE.as_bytes(), &done.read(), &format!("{part} of 50"));
    }
}

fn quiet(mut command: Command) -> Child {
    command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

#[test]
fn two_installs_at_once_a_hundred_times_register_everything_once() {
    let done = Home::with(BEFORE);
    done.ok(&NEWEST);
    for round in 0..100 {
        let home = Home::with(BEFORE);
        let mut children = [quiet(home.command(&NEWEST)), quiet(home.command(&NEWEST))];
        for child in &mut children {
            assert!(child.wait().unwrap().success(), "round {round}");
        }
        assert_eq!(home.text(), done.text(), "round {round}");
        home.ok(&["uninstall"]);
        assert_eq!(home.text(), BEFORE, "round {round}");
    }
}

#[test]
fn installs_into_two_files_at_once_are_both_remembered() {
    for round in 0..20 {
        let home = Home::with(BEFORE);
        fs::write(home.path("other.json"), BEFORE).unwrap();
        let mut other = home.command(&["install", "--settings", "other.json"]);
        let mut children = [quiet(home.command(&NEWEST)), quiet(std::mem::replace(&mut other, Command::new("true")))];
        for child in &mut children {
            assert!(child.wait().unwrap().success(), "round {round}");
        }
        home.ok(&["uninstall"]);
        home.ok(&["uninstall", "--settings", "other.json"]);
        assert_eq!(
            (home.text().as_str(), fs::read_to_string(home.path("other.json")).unwrap().as_str()),
            (BEFORE, BEFORE)
        );
    }
}

#[test]
fn a_lock_that_somebody_keeps_is_waited_for_a_time_and_no_longer() {
    let home = Home::with(BEFORE);
    let lock = fs::File::open(home.path(".claude")).unwrap();
    rustix::fs::flock(&lock, rustix::fs::FlockOperation::LockExclusive).unwrap();
    let before = Instant::now();
    let run = home.run(&NEWEST);
    assert!(before.elapsed() < Duration::from_secs(30));
    assert_eq!(run.code, Some(1));
    assert!(run.stderr.starts_with("error: another install has been busy in ~/.claude for 10 s\nhint: "), "{run:?}");
    assert_eq!(home.text(), BEFORE);
}

/// A plan that is given each text, and may change the file behind our backs when it is.
fn planned(text: &str, made: Option<&Made>) -> Result<Edit, unattended::trouble::Trouble> {
    let wanted = settings::wanted("/bin/unattended", Form::Exec, Waits::default(), |_| true);
    settings::install(text, "/bin/unattended", &wanted, made)
}

#[test]
fn a_change_between_our_read_and_our_write_is_kept() {
    let home = Home::with(BEFORE);
    let file = SettingsFile::at(home.settings(), home.path("state")).unwrap();
    let calls = Cell::new(0);
    let plan = |text: &str, made: Option<&Made>| {
        calls.set(calls.get() + 1);
        // The first call is the preview's; the second and third are in the way of a write.
        if calls.get() == 2 || calls.get() == 3 {
            fs::write(home.settings(), format!("{{\"b\": {}}}", calls.get())).unwrap();
        }
        planned(text, made)
    };
    let change = file.change(&plan).unwrap();
    assert_eq!(change.before.as_deref(), Some("{\"b\": 3}"));
    assert!(home.text().starts_with("{\"b\": 3, \"hooks\": {"), "{}", home.text());
    let back =
        file.change(&|text: &str, made: Option<&Made>| settings::uninstall(text, "/bin/unattended", made)).unwrap();
    assert_eq!((back.after.as_deref(), home.text().as_str()), (Some("{\"b\": 3}"), "{\"b\": 3}"));
}

#[test]
fn a_file_that_never_rests_is_left_alone() {
    let home = Home::with(BEFORE);
    let file = SettingsFile::at(home.settings(), home.path("state")).unwrap();
    let calls = Cell::new(0);
    let plan = |text: &str, made: Option<&Made>| {
        calls.set(calls.get() + 1);
        fs::write(home.settings(), format!("{{\"b\": {}}}", calls.get())).unwrap();
        planned(text, made)
    };
    let error = file.change(&plan).unwrap_err().to_string();
    assert!(error.ends_with("changes all the time; it was left as it is"), "{error}");
    assert_eq!(home.text(), format!("{{\"b\": {}}}", calls.get()));
}
