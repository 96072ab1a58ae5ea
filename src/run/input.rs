//! The client's standard input: what is piped in, else nothing. A terminal is never passed on, and a pipe in which
//! nothing comes is not waited for where there is a prompt already.

use std::io::{IsTerminal, stdin};
use std::process::Stdio;

/// What the client reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Input {
    /// Nothing.
    None,
    /// What is piped in.
    Piped,
    /// Nothing, although there is a pipe: nothing came in it.
    Silent,
}

impl Input {
    /// Looks at our own standard input.
    pub fn of(has_prompt: bool) -> Input {
        if stdin().is_terminal() || !is_stream() {
            Input::None
        } else if has_prompt && !comes() {
            Input::Silent
        } else {
            Input::Piped
        }
    }

    /// For the client.
    pub fn stdio(self) -> Stdio {
        if self == Input::Piped { Stdio::inherit() } else { Stdio::null() }
    }
}

/// A file, a pipe or a socket: something in which a prompt may be.
#[cfg(unix)]
fn is_stream() -> bool {
    use rustix::fs::{FileType, OFlags, fcntl_getfl, fstat};
    let Ok(there) = fstat(stdin()) else { return false };
    // nohup leaves one that can only be written to.
    let readable = fcntl_getfl(stdin()).is_ok_and(|flags| !flags.contains(OFlags::WRONLY));
    let kind = FileType::from_raw_mode(there.st_mode);
    readable && matches!(kind, FileType::RegularFile | FileType::Fifo | FileType::Socket)
}

/// Whether something, or the end, comes within three seconds, as long as the client itself would wait (2.1.332).
#[cfg(unix)]
fn comes() -> bool {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    let stdin = stdin();
    let mut fds = [PollFd::new(&stdin, PollFlags::IN)];
    poll(&mut fds, Some(&Timespec { tv_sec: 3, tv_nsec: 0 })).is_ok_and(|ready| ready > 0)
}

#[cfg(not(unix))]
fn is_stream() -> bool {
    true
}

#[cfg(not(unix))]
fn comes() -> bool {
    true
}
