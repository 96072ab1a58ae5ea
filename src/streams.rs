//! The standard streams, read and written so that no wait is without an end. What differs between systems is in here
//! alone.

#[cfg(unix)]
pub use self::unix::{read, ready, write};

#[cfg(not(unix))]
pub use self::other::{read, ready, write};

#[cfg(unix)]
mod unix {
    use std::io::{self, ErrorKind};
    use std::time::Duration;

    use rustix::buffer::spare_capacity;
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    use rustix::fd::AsFd;
    use rustix::io::Errno;

    /// What a pipe takes in one piece once it is ready, in bytes: a longer write would wait for a reader.
    const PIECE: usize = 4096;

    /// Waits until standard input has something to read or ended; `false` is neither within `limit`. Where the system
    /// cannot tell (it allows no file descriptors, it has no memory) the stream is to be tried.
    pub fn ready(limit: Duration) -> bool {
        wait(&io::stdin(), PollFlags::IN, limit).unwrap_or(true)
    }

    /// Reads what is there behind what `bytes` holds, `step` bytes at least if there are as many, past the standard
    /// library's small buffer. 0 is the end.
    ///
    /// # Errors
    /// As the system gives them.
    pub fn read(bytes: &mut Vec<u8>, step: usize) -> io::Result<usize> {
        bytes.reserve(step);
        Ok(rustix::io::read(io::stdin(), spare_capacity(bytes))?)
    }

    /// Writes to standard output, and waits at most `limit` for each piece to be taken.
    ///
    /// # Errors
    /// As the system gives them, and `TimedOut`.
    pub fn write(mut bytes: &[u8], limit: Duration) -> io::Result<()> {
        let stdout = io::stdout();
        while !bytes.is_empty() {
            let ready = wait(&stdout, PollFlags::OUT, limit);
            if let Ok(false) = ready {
                return Err(ErrorKind::TimedOut.into());
            }
            let piece = bytes.get(..PIECE).unwrap_or(bytes);
            match rustix::io::write(&stdout, piece) {
                Ok(0) => return Err(ErrorKind::WriteZero.into()),
                Ok(written) => bytes = bytes.get(written..).unwrap_or_default(),
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) if ready.is_ok() => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
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
    use std::io::{self, Read, Write};
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
        bytes.resize(before + step, 0);
        let read = io::stdin().read(bytes.get_mut(before..).unwrap_or_default());
        bytes.truncate(before + *read.as_ref().unwrap_or(&0));
        read
    }

    /// Writes to standard output.
    ///
    /// # Errors
    /// As the system gives them.
    pub fn write(bytes: &[u8], _: Duration) -> io::Result<()> {
        let mut stdout = io::stdout().lock();
        stdout.write_all(bytes)?;
        stdout.flush()
    }
}
