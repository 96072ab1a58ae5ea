//! What one process costs, seen from outside.

use std::io::Write;
use std::process::{Command, Stdio};
use std::time::Instant;

use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};
use wait4::Wait4;

/// The first rounds warm the caches and make the folders.
const WARM: usize = 10;

/// One finished process.
pub struct Cost {
    /// Wall time from before its start to its end, in microseconds.
    pub micros: f64,
    /// Minor page faults.
    pub faults: u64,
    /// Peak memory in KiB.
    pub peak: u64,
}

impl Cost {
    /// Runs a process on an input to its end.
    pub fn of(command: &mut Command, input: &[u8]) -> Cost {
        surroundings(command);
        let started = Instant::now();
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
        let _ = child.stdin.take().unwrap().write_all(input);
        let pid = Pid::from_child(&child);
        waitid(WaitId::Pid(pid), WaitIdOptions::EXITED | WaitIdOptions::NOWAIT).unwrap();
        let micros = started.elapsed().as_secs_f64() * 1e6;
        let faults = minor_faults(pid);
        let ended = child.wait4().unwrap();
        assert!(ended.status.success(), "{command:?}");
        Cost { micros, faults, peak: ended.rusage.maxrss / 1024 }
    }
}

fn surroundings(command: &mut Command) {
    command.env_remove("CLAUDE_CODE_SESSION_ATTENDED").env_remove("CLAUDE_CODE_ENTRYPOINT").env("UNATTENDED", "on");
    command.env("UNATTENDED_CONFIG", "/nonexistent/config.toml");
}

/// The costs of each round, in which several processes run one after the other.
pub fn interleaved(rounds: usize, mut round: impl FnMut(usize) -> Vec<Cost>) -> Vec<Vec<Cost>> {
    (0..rounds + WARM).map(&mut round).skip(WARM).collect()
}

/// How many system calls a process makes, by `strace -c`; none where there is no strace.
pub fn system_calls(command: Command, input: &[u8]) -> Option<usize> {
    let summary = tempfile::NamedTempFile::new().unwrap();
    let mut traced = Command::new("strace");
    traced.args(["-c", "-o"]).arg(summary.path()).arg(command.get_program()).args(command.get_args());
    traced.envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
    surroundings(&mut traced);
    let mut child = traced.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().ok()?;
    let _ = child.stdin.take().unwrap().write_all(input);
    child.wait().unwrap();
    let text = std::fs::read_to_string(summary.path()).unwrap();
    let total = text.lines().find(|line| line.ends_with("total"))?;
    total.split_whitespace().nth(3)?.parse().ok()
}

/// The minor page faults of a process that has ended and was not yet waited for: the tenth field of its `stat`.
fn minor_faults(pid: Pid) -> u64 {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", pid.as_raw_nonzero())).unwrap();
    let behind_name = stat.rsplit(") ").next().unwrap();
    behind_name.split(' ').nth(7).unwrap().parse().unwrap()
}

/// The value in the middle.
pub fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
