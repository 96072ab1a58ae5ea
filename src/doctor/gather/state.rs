//! The state folder as it is; nothing is written into it.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use crate::doctor::facts::{FolderKind, StateFolder};
use crate::switch::Switch;
use crate::{history, state};

/// Looks at it.
pub(super) fn of(folder: Option<PathBuf>) -> StateFolder {
    let there = folder.as_deref().map(fs::metadata);
    let kind = match &there {
        None => FolderKind::Absent,
        Some(Ok(meta)) if meta.is_dir() => FolderKind::Folder,
        Some(Err(error)) if error.kind() == ErrorKind::NotFound => FolderKind::Absent,
        Some(_) => FolderKind::Else,
    };
    // Where it is missing: the folder in which it would be made.
    let nearest = folder.as_deref().and_then(|folder| folder.ancestors().find(|above| above.is_dir()));
    StateFolder {
        kind,
        mode: there.and_then(Result::ok).and_then(|meta| mode(&meta)),
        writable: nearest.is_some_and(is_writable),
        room: nearest.and_then(room),
        switch_trouble: folder.as_deref().and_then(switch_trouble),
        odd: folder.as_deref().map(history::all_odd).unwrap_or_default(),
        folder,
    }
}

fn switch_trouble(folder: &Path) -> Option<String> {
    let file = folder.join("switch.json");
    match state::read(&file, 64 * 1024).map_err(|error| state::said_of(&file, error)) {
        Err(error) if error.kind() == ErrorKind::NotFound => None,
        Err(error) => Some(error.to_string()),
        Ok(bytes) => Switch::read(&String::from_utf8_lossy(&bytes)).err(),
    }
}

#[cfg(unix)]
fn mode(meta: &fs::Metadata) -> Option<u32> {
    use std::os::unix::fs::PermissionsExt;
    Some(meta.permissions().mode() & 0o777)
}

#[cfg(unix)]
fn is_writable(folder: &Path) -> bool {
    use rustix::fs::{Access, access};
    access(folder, Access::WRITE_OK | Access::EXEC_OK).is_ok()
}

#[cfg(unix)]
fn room(folder: &Path) -> Option<u64> {
    let room = rustix::fs::statvfs(folder).ok()?;
    Some(room.f_bavail.saturating_mul(room.f_frsize))
}

#[cfg(not(unix))]
fn mode(_: &fs::Metadata) -> Option<u32> {
    None
}

#[cfg(not(unix))]
fn is_writable(folder: &Path) -> bool {
    fs::metadata(folder).is_ok_and(|meta| !meta.permissions().readonly())
}

#[cfg(not(unix))]
fn room(_: &Path) -> Option<u64> {
    None
}
