//! The standard streams, read and written so that no wait is without an end. What differs between systems is in here
//! alone.

#[cfg(unix)]
pub use self::unix::{read, ready, write};

#[cfg(not(unix))]
pub use self::other::{read, ready, write};

#[cfg(unix)]
mod unix {
    use std::io::{self, ErrorKind, IoSlice};
    use std::time::Duration;

    use rustix::buffer::spare_capacity;
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    use rustix::fd::{AsFd, BorrowedFd};
    use rustix::io::Errno;
    // The standard library's own streams take buffers for themselves.
    use rustix::stdio::{stdin, stdout};

    /// What a pipe takes in one piece once it is ready, in bytes: a longer write would wait for a reader.
    const PIECE: usize = 4096;

    /// Waits until standard input has something to read or ended; `false` is neither within `limit`. Where the system
    /// cannot tell (it allows no file descriptors, it has no memory) the stream is to be tried.
    pub fn ready(limit: Duration) -> bool {
        wait(&stdin(), PollFlags::IN, limit).unwrap_or(true)
    }

    /// Reads what is there behind what `bytes` holds, `step` bytes at least if there are as many, past the standard
    /// library's small buffer. 0 is the end.
    ///
    /// # Errors
    /// As the system gives them, and where it gives no memory.
    pub fn read(bytes: &mut Vec<u8>, step: usize) -> io::Result<usize> {
        bytes.try_reserve(step)?;
        Ok(rustix::io::read(stdin(), spare_capacity(bytes))?)
    }

    /// Writes parts one behind the other to standard output, and waits at most `limit` for each piece to be taken.
    ///
    /// # Errors
    /// As the system gives them, and `TimedOut`.
    pub fn write(mut parts: &mut [IoSlice<'_>], limit: Duration) -> io::Result<()> {
        let stdout = stdout();
        let mut at_once = true;
        IoSlice::advance_slices(&mut parts, 0);
        while let Some(first) = parts.first() {
            let written = match at_once.then(|| write_at_once(stdout, parts)) {
                Some(Ok(written)) if written > 0 => written,
                refused => {
                    at_once = matches!(refused, Some(Err(Errno::AGAIN | Errno::INTR)));
                    write_piece(stdout, first.get(..PIECE).unwrap_or(first), limit)?
                }
            };
            IoSlice::advance_slices(&mut parts, written);
        }
        Ok(())
    }

    /// Writes as much as is taken without a wait. Not every system and stream can; then nothing is written.
    #[cfg(target_os = "linux")]
    fn write_at_once(stdout: BorrowedFd<'_>, parts: &[IoSlice<'_>]) -> rustix::io::Result<usize> {
        rustix::io::pwritev2(stdout, parts, u64::MAX, rustix::io::ReadWriteFlags::NOWAIT)
    }

    #[cfg(not(target_os = "linux"))]
    fn write_at_once(_: BorrowedFd<'_>, _: &[IoSlice<'_>]) -> rustix::io::Result<usize> {
        Err(Errno::NOSYS)
    }

    /// Waits until a piece is taken.
    fn write_piece(stdout: BorrowedFd<'_>, piece: &[u8], limit: Duration) -> io::Result<usize> {
        let ready = wait(&stdout, PollFlags::OUT, limit);
        if let Ok(false) = ready {
            return Err(ErrorKind::TimedOut.into());
        }
        match rustix::io::write(stdout, piece) {
            Ok(0) => Err(ErrorKind::WriteZero.into()),
            Ok(written) => Ok(written),
            Err(Errno::INTR) => Ok(0),
            Err(Errno::AGAIN) if ready.is_ok() => Ok(0),
            Err(error) => Err(error.into()),
        }
    }

    fn wait(stream: &impl AsFd, flags: PollFlags, limit: Duration) -> io::Result<bool> {
        let mut watched = [PollFd::new(stream, flags)];
        let limit = Timespec { tv_sec: limit.as_secs() as i64, tv_nsec: limit.subsec_nanos().into() };
        match poll(&mut watched, Some(&limit)) {
            Ok(count) => Ok(count > 0),
            Err(Errno::INTR) => Ok(true),
            Err(error) => Err(error.into()),
        }
    }
}

#[cfg(not(unix))]
mod other {
    use std::io::{self, IoSlice, Read, Write};
    use std::time::Duration;

    /// There is no wait with a limit here: the client closes the stream behind the payload.
    pub fn ready(_: Duration) -> bool {
        true
    }

    /// Reads what is there behind what `bytes` holds. 0 is the end.
    ///
    /// # Errors
    /// As the system gives them.
    pub fn read(bytes: &mut Vec<u8>, step: usize) -> io::Result<usize> {
        let before = bytes.len();
        bytes.try_reserve(step)?;
        bytes.resize(before + step, 0);
        let read = io::stdin().read(bytes.get_mut(before..).unwrap_or_default());
        bytes.truncate(before + *read.as_ref().unwrap_or(&0));
        read
    }

    /// Writes parts one behind the other to standard output.
    ///
    /// # Errors
    /// As the system gives them.
    pub fn write(parts: &mut [IoSlice<'_>], _: Duration) -> io::Result<()> {
        let mut stdout = io::stdout().lock();
        for part in parts {
            stdout.write_all(part)?;
        }
        stdout.flush()
    }
}
