//! Files of others, such as the client's and the person's own. Replaces one whole: whoever looks, or whenever the process
//! is killed, there is the old file or the new one. `files/reading.rs` reads one without being made to wait. Knows nothing
//! of what is in the files; those of the state folder are `state`'s.

mod reading;

use std::fs::{self, File, Metadata};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

pub use self::reading::{MOST, open, read, read_given, read_text};

/// What our temporary files have in their names, between the target's name and random letters.
const MARK: &str = ".unattended-";

/// As many symlinks in a row as Linux itself follows.
const MAX_LINKS: usize = 40;

/// Puts `bytes` in the place of the file at `path`: a symlink is followed and stays one, mode and owner stay as they
/// were (a new file gets 0600), and file and folder are synced. The folder must be there.
///
/// # Errors
/// As the system gives them.
pub fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let target = resolve(path)?;
    prepare(&target, bytes)?.persist(&target).map_err(|refused| refused.error)?;
    sync_folder(&target)
}

/// As `replace`, but only if the file still holds `old` (`None`: is still absent) when the new one is ready to take its
/// place. `false`: it does not, and nothing was changed.
///
/// # Errors
/// As the system gives them.
pub fn replace_unchanged(path: &Path, old: Option<&[u8]>, bytes: &[u8]) -> io::Result<bool> {
    let target = resolve(path)?;
    let ready = prepare(&target, bytes)?;
    if read(&target)?.as_deref() != old {
        return Ok(false);
    }
    let put = match old {
        Some(_) => ready.persist(&target),
        None => ready.persist_noclobber(&target),
    };
    match put {
        Ok(_) => sync_folder(&target).map(|()| true),
        Err(refused) if old.is_none() && refused.error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
        Err(refused) => Err(refused.error),
    }
}

/// Where the symlinks at `path` lead, whether something is there or not. Unlike `fs::canonicalize` it needs no file, and
/// it leaves links among the folders alone.
///
/// # Errors
/// As the system gives them.
pub fn resolve(path: &Path) -> io::Result<PathBuf> {
    let mut target = path.to_path_buf();
    for _ in 0..MAX_LINKS {
        match fs::symlink_metadata(&target) {
            Ok(there) if there.is_symlink() => target = folder(&target).join(fs::read_link(&target)?),
            Ok(_) => return Ok(target),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(target),
            Err(error) => return Err(error),
        }
    }
    Err(io::Error::other("too many symlinks, one leading to the next"))
}

/// The folder that a file is in; the current one for a bare name.
pub fn folder(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Removes the temporary files that a killed `replace` of this file left behind. Only for who holds a lock against other
/// writers: theirs would go too.
///
/// # Errors
/// As the system gives them.
pub fn clear_leftovers(path: &Path) -> io::Result<()> {
    let target = resolve(path)?;
    let prefix = temporary_prefix(&target);
    for entry in fs::read_dir(folder(&target))? {
        let entry = entry?;
        if entry.file_name().to_string_lossy().starts_with(&prefix) {
            fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}

/// A synced temporary file beside the target, with its bytes, mode and owner as they shall be.
fn prepare(target: &Path, bytes: &[u8]) -> io::Result<NamedTempFile> {
    let old = match fs::metadata(target) {
        Ok(old) => Some(old),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(error),
    };
    if old.as_ref().is_some_and(|old| !old.is_file()) {
        // A rename would put a plain file where a device, a pipe or a folder is.
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file"));
    }
    let mut ready = temporary(target)?;
    ready.write_all(bytes)?;
    if let Some(old) = old {
        keep_owner(ready.as_file(), &old)?;
        // After the owner: changing the owner takes bits of the mode away.
        ready.as_file().set_permissions(old.permissions())?;
    }
    ready.as_file().sync_all()?;
    Ok(ready)
}

/// An empty file beside the target, for its owner alone, that `clear_leftovers` knows.
///
/// # Errors
/// As the system gives them.
pub fn temporary(target: &Path) -> io::Result<NamedTempFile> {
    tempfile::Builder::new().prefix(&temporary_prefix(target)).tempfile_in(folder(target))
}

fn temporary_prefix(target: &Path) -> String {
    let name = target.file_name().unwrap_or_default().to_string_lossy();
    format!(".{name}{MARK}")
}

#[cfg(unix)]
fn keep_owner(new: &File, old: &Metadata) -> io::Result<()> {
    use std::os::unix::fs::{MetadataExt, fchown};
    let made = new.metadata()?;
    let user = (made.uid() != old.uid()).then_some(old.uid());
    let group = (made.gid() != old.gid()).then_some(old.gid());
    if user.is_some() || group.is_some() {
        fchown(new, user, group)?;
    }
    Ok(())
}

/// Elsewhere a new file takes its owner and access list from the folder.
#[cfg(not(unix))]
fn keep_owner(_: &File, _: &Metadata) -> io::Result<()> {
    Ok(())
}

/// Makes the rename last. Some file systems cannot sync a folder, which is no fault.
#[cfg(unix)]
fn sync_folder(target: &Path) -> io::Result<()> {
    match File::open(folder(target))?.sync_all() {
        Err(error) if matches!(error.kind(), io::ErrorKind::InvalidInput | io::ErrorKind::Unsupported) => Ok(()),
        synced => synced,
    }
}

#[cfg(not(unix))]
fn sync_folder(_: &Path) -> io::Result<()> {
    Ok(())
}

#[cfg(all(test, unix))]
#[allow(clippy::unwrap_used, reason = "a test may stop at the first thing that fails")]
mod tests {
    use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};

    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<_> =
            fs::read_dir(folder).unwrap().map(|e| e.unwrap().file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    #[test]
    fn a_new_file_is_for_its_owner_alone() {
        let home = tempfile::tempdir().unwrap();
        let file = home.path().join("a.json");
        replace(&file, b"{}").unwrap();
        assert_eq!(fs::read(&file).unwrap(), b"{}");
        assert_eq!(fs::metadata(&file).unwrap().mode() & 0o7777, 0o600);
        assert_eq!(names(home.path()), ["a.json"]);
    }

    #[test]
    fn mode_and_owner_stay() {
        let home = tempfile::tempdir().unwrap();
        let file = home.path().join("a.json");
        fs::write(&file, "old").unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o2664)).unwrap();
        // Only root can give a file away; for others this is no change.
        let owner = if fs::metadata(&file).unwrap().uid() == 0 { 12345 } else { fs::metadata(&file).unwrap().uid() };
        std::os::unix::fs::chown(&file, Some(owner), None).unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o2664)).unwrap();
        replace(&file, b"new").unwrap();
        let now = fs::metadata(&file).unwrap();
        assert_eq!((now.mode() & 0o7777, now.uid()), (0o2664, owner));
    }

    #[test]
    fn a_chain_of_symlinks_stays_and_its_end_changes() {
        let home = tempfile::tempdir().unwrap();
        fs::create_dir(home.path().join("dotfiles")).unwrap();
        fs::write(home.path().join("dotfiles/real.json"), "old").unwrap();
        symlink("dotfiles/link.json", home.path().join("a.json")).unwrap();
        symlink("real.json", home.path().join("dotfiles/link.json")).unwrap();
        replace(&home.path().join("a.json"), b"new").unwrap();
        assert_eq!(fs::read_link(home.path().join("a.json")).unwrap(), Path::new("dotfiles/link.json"));
        assert_eq!(fs::read(home.path().join("dotfiles/real.json")).unwrap(), b"new");
        assert_eq!(names(&home.path().join("dotfiles")), ["link.json", "real.json"]);
    }

    #[test]
    fn a_dangling_symlink_gets_the_file_it_names() {
        let home = tempfile::tempdir().unwrap();
        symlink("later.json", home.path().join("a.json")).unwrap();
        replace(&home.path().join("a.json"), b"new").unwrap();
        assert_eq!(fs::read(home.path().join("later.json")).unwrap(), b"new");
        assert!(fs::symlink_metadata(home.path().join("a.json")).unwrap().is_symlink());
    }

    #[test]
    fn links_in_a_circle_a_folder_and_a_pipe_are_refused() {
        let home = tempfile::tempdir().unwrap();
        let circle = home.path().join("circle");
        symlink("circle", &circle).unwrap();
        let folder = home.path().join("folder");
        fs::create_dir(&folder).unwrap();
        assert!(replace(&circle, b"new").is_err());
        assert!(replace(&folder, b"new").is_err());
        assert!(replace(Path::new("/dev/null"), b"new").is_err());
        assert_eq!(names(home.path()), ["circle", "folder"]);
    }

    #[test]
    fn a_change_in_between_is_seen_and_nothing_is_written() {
        let home = tempfile::tempdir().unwrap();
        let file = home.path().join("a.json");
        assert!(replace_unchanged(&file, None, b"1").unwrap());
        assert!(!replace_unchanged(&file, None, b"2").unwrap());
        assert!(!replace_unchanged(&file, Some(b"0"), b"2").unwrap());
        assert_eq!(fs::read(&file).unwrap(), b"1");
        assert!(replace_unchanged(&file, Some(b"1"), b"2").unwrap());
        assert_eq!(fs::read(&file).unwrap(), b"2");
        fs::remove_file(&file).unwrap();
        assert!(!replace_unchanged(&file, Some(b"2"), b"3").unwrap());
        assert!(names(home.path()).is_empty());
    }

    #[test]
    fn leftovers_of_this_file_go_and_nothing_else() {
        let home = tempfile::tempdir().unwrap();
        for name in [".a.json.unattended-Xy12", ".b.json.unattended-Xy12", ".a.json.swp", "a.json"] {
            fs::write(home.path().join(name), "").unwrap();
        }
        clear_leftovers(&home.path().join("a.json")).unwrap();
        assert_eq!(names(home.path()), [".a.json.swp", ".b.json.unattended-Xy12", "a.json"]);
    }
}
