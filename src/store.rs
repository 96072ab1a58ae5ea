//! The memory file of a session, below the state folder: lines, only ever appended to, so that hooks side by side lose
//! nothing and nobody waits for a lock.

use std::fs::{self, Metadata};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use chrono::{DateTime, Utc};

use crate::memory::{Memory, Note};
use crate::{hash, state};

/// How much of a memory file is read, in bytes; what is beyond is forgotten.
const READ_LIMIT: usize = 256 * 1024;
/// The size in bytes from which a memory file is cut down to the lines that still count.
const COMPACT_FROM: usize = 16 * 1024;
/// How many lines a cut leaves.
const KEPT_LINES: usize = 64;

/// The memory file of a session.
#[derive(Debug, Clone)]
pub struct Store {
    path: PathBuf,
}

impl Store {
    /// The file of session `id` below the state folder. An id that is no plain name, as the client's are, becomes one,
    /// so that nothing in a payload leads out of the folder.
    pub fn of(state: &Path, id: &str) -> Self {
        let plain = !id.is_empty() && id.len() <= 100 && id.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-');
        let name = if plain { id.to_owned() } else { format!("other-{:016x}", hash::of(id.as_bytes())) };
        Self { path: state.join("sessions").join(format!("{name}.jsonl")) }
    }

    /// What the session remembers; a missing file is an empty memory.
    ///
    /// # Errors
    /// Where there is something that cannot be read.
    pub fn load(&self, lane: &str) -> io::Result<Memory> {
        match state::read(&self.path, READ_LIMIT) {
            Ok(bytes) => Ok(Memory::from_lines(&String::from_utf8_lossy(&bytes), lane)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Memory::from_lines("", lane)),
            Err(error) => Err(error),
        }
    }

    /// Adds notes to the file.
    ///
    /// # Errors
    /// Where they could not be written.
    pub fn add(&self, memory: &Memory, notes: &[Note], now: DateTime<Utc>) -> io::Result<()> {
        let text = memory.lines_of(notes, now, std::process::id())?;
        let mut tries = 3;
        loop {
            let file = state::append(&self.path, text.as_bytes())?;
            tries -= 1;
            // A cut may have put another file in its place between our opening and our writing.
            let now = file.metadata()?;
            if tries == 0 || !is_gone(&now) {
                return if now.len() > COMPACT_FROM as u64 { self.cut() } else { Ok(()) };
            }
        }
    }

    /// Cuts the file down to the lines that still count. One process at a time does it, the others go on without
    /// waiting; what they append meanwhile is carried over.
    fn cut(&self) -> io::Result<()> {
        let mut old = state::open(&self.path)?;
        if old.try_lock().is_err() || is_gone(&old.metadata()?) {
            return Ok(());
        }
        let mut text = Vec::new();
        (&mut old).take(READ_LIMIT as u64).read_to_end(&mut text)?;
        let kept = Memory::from_lines(&String::from_utf8_lossy(&text), "").kept(KEPT_LINES)?;
        let fresh = self.path.with_extension(format!("{}.new", std::process::id()));
        let _ = fs::remove_file(&fresh);
        state::append(&fresh, kept.as_bytes())?;
        fs::rename(&fresh, &self.path)?;
        let mut late = Vec::new();
        old.read_to_end(&mut late)?;
        if !late.is_empty() {
            state::append(&self.path, &late)?;
        }
        Ok(())
    }
}

/// Whether the file has no name any more.
#[cfg(unix)]
fn is_gone(file: &Metadata) -> bool {
    std::os::unix::fs::MetadataExt::nlink(file) == 0
}

#[cfg(not(unix))]
fn is_gone(_: &Metadata) -> bool {
    false
}
