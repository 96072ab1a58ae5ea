//! The processes that come from this one. Those that lose their parent come to us and not to the system, so that at the
//! end all of them can be found and ended, whatever session or group they have put themselves into. Only Linux tells of
//! them; elsewhere a process group is all there is.

use std::time::Duration;

#[cfg(target_os = "linux")]
use rustix::process::Signal;
use rustix::process::{WaitOptions, wait};

/// From here on orphans of what we start become our children.
#[cfg(target_os = "linux")]
pub fn adopt_orphans() {
    let _ = rustix::process::set_child_subreaper(Some(rustix::process::getpid()));
}

/// From here on the end of the process that started us, however it comes, is a SIGTERM for us.
#[cfg(target_os = "linux")]
pub fn hear_of_parents_end() {
    let _ = rustix::process::set_parent_process_death_signal(Some(Signal::TERM));
}

/// Ends everything that comes from us: asks first, and after `grace` does not ask any more. Their ends are waited for,
/// so that nothing else may wait for children of ours.
#[cfg(target_os = "linux")]
pub fn end_all(grace: Duration) {
    use std::collections::HashSet;
    use std::time::Instant;

    /// What the system itself holds back is left to it after this time.
    const LIMIT: Duration = Duration::from_secs(5);
    let begun = Instant::now();
    let mut asked = HashSet::new();
    loop {
        while let Ok(Some(_)) = wait(WaitOptions::NOHANG) {}
        let all = descendants();
        let passed = begun.elapsed();
        if all.is_empty() || passed > grace + LIMIT {
            return;
        }
        for pid in all {
            if passed >= grace {
                let _ = rustix::process::kill_process(pid, Signal::KILL);
            } else if asked.insert(pid) {
                let _ = rustix::process::kill_process(pid, Signal::TERM);
            }
        }
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// All that come from us and still run.
#[cfg(target_os = "linux")]
fn descendants() -> Vec<rustix::process::Pid> {
    use std::collections::HashMap;

    use rustix::process::{Pid, getpid};
    let mut children: HashMap<i32, Vec<i32>> = HashMap::new();
    for entry in std::fs::read_dir("/proc").into_iter().flatten().flatten() {
        let pid = entry.file_name().to_str().and_then(|name| name.parse::<i32>().ok());
        let Some((pid, parent)) = pid.and_then(|pid| Some((pid, living_parent(pid)?))) else { continue };
        children.entry(parent).or_default().push(pid);
    }
    let mut found = Vec::new();
    let mut open = vec![getpid().as_raw_nonzero().get()];
    while let Some(pid) = open.pop() {
        for child in children.remove(&pid).unwrap_or_default() {
            found.extend(Pid::from_raw(child));
            open.push(child);
        }
    }
    found
}

/// The parent of a process that has not ended.
#[cfg(target_os = "linux")]
fn living_parent(pid: i32) -> Option<i32> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name before it may hold anything.
    let (_, rest) = stat.rsplit_once(')')?;
    let mut fields = rest.split_whitespace();
    let state = fields.next()?;
    let parent = fields.next()?.parse().ok()?;
    (!matches!(state, "Z" | "X")).then_some(parent)
}

/// Only Linux gives orphans to anyone but the system.
#[cfg(not(target_os = "linux"))]
pub fn adopt_orphans() {}

/// Only Linux tells of it.
#[cfg(not(target_os = "linux"))]
pub fn hear_of_parents_end() {}

/// Only Linux tells what there is to be ended; what has ended is waited for.
#[cfg(not(target_os = "linux"))]
pub fn end_all(_: Duration) {
    while let Ok(Some(_)) = wait(WaitOptions::NOHANG) {}
}
