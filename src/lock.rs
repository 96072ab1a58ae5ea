//! A lock on a folder, for who writes in it, taken within a time or not at all. It is the system's own: it ends with the
//! process, however that ends, and leaves no file.

use std::fs::File;
use std::io;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

/// Held until dropped.
#[derive(Debug)]
pub struct Lock(#[allow(dead_code, reason = "the lock lives as long as the file is open")] Option<File>);

/// Takes the lock of a folder; `None` if others hold it for longer than `limit`. On a file system that knows no locks
/// nobody holds one.
///
/// # Errors
/// The folder cannot be opened.
pub fn folder(folder: &Path, limit: Duration) -> io::Result<Option<Lock>> {
    let until = Instant::now() + limit;
    loop {
        match try_lock(folder)? {
            Some(lock) => return Ok(Some(lock)),
            None if Instant::now() >= until => return Ok(None),
            None => thread::sleep(Duration::from_millis(5)),
        }
    }
}

#[cfg(unix)]
fn try_lock(folder: &Path) -> io::Result<Option<Lock>> {
    use rustix::fs::{FlockOperation, Mode, OFlags, flock};
    use rustix::io::Errno;
    // What has taken the folder's place is not waited for.
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = File::from(rustix::fs::open(folder, flags, Mode::empty())?);
    match flock(&file, FlockOperation::NonBlockingLockExclusive) {
        Ok(()) => Ok(Some(Lock(Some(file)))),
        Err(Errno::WOULDBLOCK | Errno::INTR) => Ok(None),
        // Some network file systems: what is written is compared just before it takes its place, all the same.
        Err(_) => Ok(Some(Lock(None))),
    }
}

/// Windows opens no folders as files: a file that nobody else may have open at the same time does it.
#[cfg(windows)]
fn try_lock(folder: &Path) -> io::Result<Option<Lock>> {
    use std::os::windows::fs::OpenOptionsExt;
    const SHARING_VIOLATION: i32 = 32;
    const DELETE_ON_CLOSE: u32 = 0x0400_0000;
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create(true).truncate(false).share_mode(0).custom_flags(DELETE_ON_CLOSE);
    match options.open(folder.join(".unattended.lock")) {
        Ok(file) => Ok(Some(Lock(Some(file)))),
        Err(error) if error.raw_os_error() == Some(SHARING_VIOLATION) => Ok(None),
        Err(error) => Err(error),
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn one_at_a_time_and_no_wait_without_an_end() {
        let home = tempfile::tempdir().unwrap();
        let first = folder(home.path(), Duration::ZERO).unwrap();
        assert!(first.is_some());
        let before = Instant::now();
        assert!(folder(home.path(), Duration::from_millis(30)).unwrap().is_none());
        assert!(before.elapsed() < Duration::from_secs(5));
        drop(first);
        assert!(folder(home.path(), Duration::ZERO).unwrap().is_some());
        assert_eq!(std::fs::read_dir(home.path()).unwrap().count(), 0);
    }
}
