//! Waits until something changes in a folder, by the system's own watch; where there is none, by a look every little
//! while. Never without an end.

use std::path::Path;
use std::thread;
use std::time::Duration;

/// What ended a wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Woken {
    /// Something may have changed.
    Changed,
    /// Nobody reads our standard output any more.
    HungUp,
    /// The time is up.
    Time,
}

/// How long it sleeps between two looks where the system tells nothing.
const NAP: Duration = Duration::from_millis(200);

/// A watch on some folders: files made, moved there, written and closed, or gone.
#[derive(Debug)]
pub struct FolderWatch(Option<system::Watch>);

impl FolderWatch {
    /// Watches these folders. Where one of them cannot be watched, as where the system watches too many already, they
    /// are looked at every 200 ms instead.
    pub fn on(folders: &[&Path]) -> Self {
        Self(system::Watch::on(folders))
    }

    /// Waits until something changed, nobody reads our standard output any more, or `limit` is over.
    pub fn wait(&self, limit: Duration) -> Woken {
        self.0.as_ref().and_then(|watch| watch.wait(limit)).unwrap_or_else(|| {
            // A reader that is gone is noticed here, too; that the nap is over means another look.
            let nap = limit.min(NAP);
            match system::hung_up(nap) {
                Some(true) => return Woken::HungUp,
                Some(false) => {}
                None => thread::sleep(nap),
            }
            Woken::Changed
        })
    }
}

#[cfg(target_os = "linux")]
mod system {
    use std::io;
    use std::path::Path;
    use std::time::Duration;

    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    use rustix::fd::OwnedFd;
    use rustix::fs::inotify::{CreateFlags, WatchFlags, add_watch, init};
    use rustix::io::Errno;

    use super::Woken;

    #[derive(Debug)]
    pub(super) struct Watch(OwnedFd);

    impl Watch {
        pub(super) fn on(folders: &[&Path]) -> Option<Self> {
            let told = WatchFlags::CREATE | WatchFlags::MOVED_TO | WatchFlags::CLOSE_WRITE | WatchFlags::DELETE;
            let told = told | WatchFlags::MOVE_SELF | WatchFlags::DELETE_SELF | WatchFlags::ONLYDIR;
            let events = init(CreateFlags::CLOEXEC | CreateFlags::NONBLOCK).ok()?;
            folders.iter().all(|folder| add_watch(&events, *folder, told).is_ok()).then_some(Self(events))
        }

        /// `None` where the system cannot tell.
        pub(super) fn wait(&self, limit: Duration) -> Option<Woken> {
            let stdout = io::stdout();
            // A stream that is asked for nothing still says that its other end is gone.
            let mut watched = [PollFd::new(&stdout, PollFlags::empty()), PollFd::new(&self.0, PollFlags::IN)];
            match poll(&mut watched, Some(&timespec(limit))) {
                Ok(0) => return Some(Woken::Time),
                Ok(_) | Err(Errno::INTR) => {}
                Err(_) => return None,
            }
            let [stdout, events] = watched;
            if is_gone(&stdout) {
                return Some(Woken::HungUp);
            }
            // What is told does not matter, only that it is not told again.
            let mut buffer = [0; 4096];
            while events.revents().contains(PollFlags::IN)
                && rustix::io::read(&self.0, &mut buffer).is_ok_and(|n| n > 0)
            {}
            Some(Woken::Changed)
        }
    }

    /// Whether nobody reads our standard output, or `limit` is over before; `None` where the system cannot tell.
    pub(super) fn hung_up(limit: Duration) -> Option<bool> {
        let stdout = io::stdout();
        let mut watched = [PollFd::new(&stdout, PollFlags::empty())];
        poll(&mut watched, Some(&timespec(limit))).ok()?;
        let [stdout] = watched;
        Some(is_gone(&stdout))
    }

    fn is_gone(stream: &PollFd<'_>) -> bool {
        stream.revents().intersects(PollFlags::ERR | PollFlags::HUP | PollFlags::NVAL)
    }

    fn timespec(limit: Duration) -> Timespec {
        Timespec { tv_sec: limit.as_secs() as i64, tv_nsec: limit.subsec_nanos().into() }
    }
}

#[cfg(not(target_os = "linux"))]
mod system {
    use std::path::Path;
    use std::time::Duration;

    use super::Woken;

    #[derive(Debug)]
    pub(super) struct Watch;

    impl Watch {
        pub(super) fn on(_: &[&Path]) -> Option<Self> {
            None
        }

        pub(super) fn wait(&self, _: Duration) -> Option<Woken> {
            None
        }
    }

    pub(super) fn hung_up(_: Duration) -> Option<bool> {
        None
    }
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;

    #[test]
    fn a_file_that_is_moved_in_ends_the_wait() {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().join("watched");
        std::fs::create_dir(&folder).unwrap();
        let watch = FolderWatch::on(&[&folder]);
        std::fs::write(home.path().join("new"), "text").unwrap();
        std::fs::rename(home.path().join("new"), folder.join("new")).unwrap();
        assert_eq!(watch.wait(Duration::from_secs(20)), Woken::Changed);
    }

    #[test]
    fn a_folder_that_cannot_be_watched_is_looked_at_every_little_while() {
        let watch = FolderWatch::on(&[Path::new("/nowhere/at/all")]);
        let before = Instant::now();
        assert_eq!(watch.wait(Duration::from_secs(20)), Woken::Changed);
        assert!(before.elapsed() < Duration::from_secs(10));
    }
}
