//! Runs a program to its end or to a limit, with all that it started: its process group ends with it. No wait here is
//! without an end. Knows nothing of what is run.

use std::ffi::OsStr;
use std::io::{self, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

#[cfg(unix)]
pub use self::system::heeded;

/// As a signal to us would: what runs is ended, and what would be run next.
pub fn end_all() {
    system::tell();
}

/// How long what a program left behind may go on writing once the program itself is gone.
const LINGER: Duration = Duration::from_millis(300);
/// How often is looked whether it is gone.
const STEP: Duration = Duration::from_millis(20);
/// As much of an output as is kept, in bytes.
const KEPT: usize = 1024 * 1024;

/// How a program ran.
#[derive(Debug)]
pub struct Ran {
    /// How it ended; `None` where it was ended at the limit.
    pub status: Option<ExitStatus>,
    /// What it wrote to standard output, the first mebibyte.
    pub stdout: Vec<u8>,
    /// What it wrote to standard error, the first mebibyte.
    pub stderr: Vec<u8>,
    /// Until it was gone.
    pub took: Duration,
}

/// Runs a program in a process group of its own, gives it `input`, and tells `tick` now and then how long it runs.
/// After `limit` the group is ended. A signal to us ends it as well.
///
/// # Errors
/// It does not start; `Interrupted` where we were told to end.
pub fn run(command: &mut Command, input: &[u8], limit: Duration, tick: &mut dyn FnMut(Duration)) -> io::Result<Ran> {
    let told = system::told_to_end()?;
    let started = Instant::now();
    system::own_group(command);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    let (tell, hear) = mpsc::channel();
    if let Some(mut stdin) = child.stdin.take() {
        let input = input.to_vec();
        // Not joined: who does not read keeps it waiting until the group is ended.
        thread::spawn(move || stdin.write_all(&input));
    }
    if let Some(stream) = child.stdout.take() {
        listen(stream, Stream::Out, tell.clone());
    }
    if let Some(stream) = child.stderr.take() {
        listen(stream, Stream::Error, tell);
    }
    let (mut stdout, mut stderr) = (Vec::new(), Vec::new());
    let mut gone = None;
    let interrupted = loop {
        match hear.recv_timeout(STEP) {
            Ok((stream, piece)) => {
                let kept = if stream == Stream::Out { &mut stdout } else { &mut stderr };
                let room = KEPT.saturating_sub(kept.len()).min(piece.len());
                kept.extend_from_slice(piece.get(..room).unwrap_or_default());
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) if gone.is_some() => break false,
            Err(RecvTimeoutError::Disconnected) => thread::sleep(Duration::from_millis(1)),
        }
        let now = started.elapsed();
        if gone.is_none() && system::is_gone(&mut child)? {
            gone = Some(now);
        }
        match gone {
            Some(gone) if now > gone + LINGER => break false,
            None if now > limit => break false,
            _ if told() => break true,
            _ => tick(now),
        }
    };
    let took = gone.unwrap_or_else(|| started.elapsed());
    // Before the child is waited for: until then its number, which is the group's, is nobody else's.
    system::end_group(&mut child, gone.is_some());
    let status = child.wait()?;
    if interrupted {
        return Err(ErrorKind::Interrupted.into());
    }
    Ok(Ran { status: gone.map(|_| status), stdout, stderr, took })
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Stream {
    Out,
    Error,
}

fn listen(mut stream: impl Read + Send + 'static, which: Stream, tell: mpsc::Sender<(Stream, Vec<u8>)>) {
    // Not joined: who has the pipe open may outlive the program.
    thread::spawn(move || {
        let mut buffer = [0; 8192];
        while let Ok(read @ 1..) = stream.read(&mut buffer) {
            if tell.send((which, buffer.get(..read).unwrap_or_default().to_vec())).is_err() {
                break;
            }
        }
    });
}

#[cfg(unix)]
mod system {
    use std::io;
    use std::os::unix::process::CommandExt;
    use std::process::{Child, Command};
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::sync::{Arc, OnceLock};
    use std::time::{Duration, Instant};

    use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

    /// How long a group that is asked to end may take before it is ended.
    const GRACE: Duration = Duration::from_millis(700);

    static TOLD: OnceLock<Arc<AtomicBool>> = OnceLock::new();
    static ENOUGH: AtomicBool = AtomicBool::new(false);

    /// From here on a signal that would end us is taken note of, so that who runs a program can end that first. A group
    /// of its own gets no Ctrl-C from the terminal.
    pub(super) fn told_to_end() -> io::Result<impl Fn() -> bool> {
        let told = match TOLD.get() {
            Some(told) => told,
            None => {
                let told = Arc::new(AtomicBool::new(false));
                for signal in heeded() {
                    // The second time it ends us at once.
                    signal_hook::flag::register_conditional_default(signal, Arc::clone(&told))?;
                    signal_hook::flag::register(signal, Arc::clone(&told))?;
                }
                TOLD.get_or_init(|| told)
            }
        };
        Ok(|| told.load(Ordering::SeqCst) || ENOUGH.load(Ordering::SeqCst))
    }

    pub(super) fn tell() {
        ENOUGH.store(true, Ordering::SeqCst);
    }

    /// The signals that would end us, without those that whoever started us has made us ignore: nohup the one of a
    /// terminal that goes, a shell without job control Ctrl-C for what it runs in the background.
    pub fn heeded() -> Vec<i32> {
        let ignored = ignored();
        [SIGINT, SIGTERM, SIGHUP].into_iter().filter(|signal| ignored >> (signal - 1) & 1 == 0).collect()
    }

    /// A bit a signal, from the lowest on. Where the system does not tell, the terminal's going counts as ignored.
    fn ignored() -> u64 {
        let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
        mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(1 << (SIGHUP - 1))
    }

    pub(super) fn own_group(command: &mut Command) {
        command.process_group(0);
    }

    pub(super) fn is_gone(child: &mut Child) -> io::Result<bool> {
        let Some(pid) = pid(child) else { return Ok(true) };
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        Ok(waitid(WaitId::Pid(pid), options)?.is_some())
    }

    /// Asks the group to end first, where its leader is still there to do it in order.
    pub(super) fn end_group(child: &mut Child, gone: bool) {
        let Some(pid) = pid(child) else { return };
        if !gone {
            let _ = kill_process_group(pid, Signal::TERM);
            let asked = Instant::now();
            while asked.elapsed() < GRACE && !is_gone(child).unwrap_or(true) {
                std::thread::sleep(super::STEP);
            }
        }
        let _ = kill_process_group(pid, Signal::KILL);
    }

    fn pid(child: &Child) -> Option<Pid> {
        Pid::from_raw(i32::try_from(child.id()).ok()?)
    }
}

#[cfg(not(unix))]
mod system {
    use std::io;
    use std::process::{Child, Command};
    use std::sync::atomic::{AtomicBool, Ordering};

    static ENOUGH: AtomicBool = AtomicBool::new(false);

    pub(super) fn told_to_end() -> io::Result<impl Fn() -> bool> {
        Ok(|| ENOUGH.load(Ordering::SeqCst))
    }

    pub(super) fn tell() {
        ENOUGH.store(true, Ordering::SeqCst);
    }

    pub(super) fn own_group(_: &mut Command) {}

    pub(super) fn is_gone(child: &mut Child) -> io::Result<bool> {
        Ok(child.try_wait()?.is_some())
    }

    pub(super) fn end_group(child: &mut Child, gone: bool) {
        if !gone {
            let _ = child.kill();
        }
    }
}

#[cfg(all(test, target_os = "linux"))]
#[allow(clippy::unwrap_used, reason = "a test may stop at the first thing that fails")]
mod tests {
    use super::*;

    fn sh(script: &str, input: &[u8], limit: u64) -> Ran {
        run(Command::new("/bin/sh").args(["-c", script]), input, Duration::from_millis(limit), &mut |_| {}).unwrap()
    }

    #[test]
    fn a_program_reads_its_input_and_both_its_outputs_are_kept() {
        let ran = sh("cat; echo no >&2; exit 3", b"yes", 60_000);
        assert_eq!((ran.stdout.as_slice(), ran.stderr.as_slice()), (&b"yes"[..], &b"no\n"[..]));
        assert_eq!(ran.status.and_then(|status| status.code()), Some(3));
    }

    #[test]
    fn one_that_does_not_end_is_ended_with_what_it_started_and_keeps_what_it_wrote() {
        let home = tempfile::tempdir().unwrap();
        let pids = home.path().join("pids");
        let script =
            format!("trap '' TERM; sleep 1000 & echo $! > {0}; echo $$ >> {0}; echo begun; wait; wait", pids.display());
        let ran = sh(&script, b"", 300);
        assert!(ran.status.is_none());
        assert_eq!(ran.stdout, b"begun\n");
        // Killed, one may take a moment to be gone.
        let is_there = |pid: &str| {
            let state = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
            !state.is_empty() && !state.contains(") Z ")
        };
        let pids = std::fs::read_to_string(pids).unwrap();
        let begun = Instant::now();
        while pids.lines().any(is_there) {
            assert!(begun.elapsed() < Duration::from_secs(30), "{pids}");
            thread::sleep(Duration::from_millis(5));
        }
    }

    #[test]
    fn what_a_program_leaves_behind_keeps_nobody_waiting() {
        let ran = sh("sleep 1000 & echo done", b"", 60_000);
        assert!(ran.status.is_some_and(|status| status.success()));
        assert_eq!(ran.stdout, b"done\n");
    }

    #[test]
    fn input_that_nobody_reads_keeps_nobody_waiting() {
        let ran = sh("exec 0<&-; echo done", &vec![b'x'; 1 << 20], 60_000);
        assert_eq!(ran.stdout, b"done\n");
    }
}

/// The first program of this name in the folders of a `PATH`.
pub fn find(path: &OsStr, name: &str) -> Option<PathBuf> {
    std::env::split_paths(path).map(|folder| folder.join(name)).find(|file| is_executable(file))
}

/// Whether a file can be started.
#[cfg(unix)]
pub fn is_executable(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    std::fs::metadata(file).is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
}

/// Whether a file can be started.
#[cfg(not(unix))]
pub fn is_executable(file: &Path) -> bool {
    file.is_file()
}
