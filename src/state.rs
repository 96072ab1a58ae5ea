//! Files of the state folder: opened so that nothing planted there can make us wait or lead us elsewhere, made so that
//! nobody else can read them. What differs between systems is at the end.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::Path;

/// Reads at most `limit` bytes of a file. No symlink is followed, and a FIFO ends at once.
///
/// # Errors
/// As the system gives them; `NotFound` where there is no such file.
pub fn read(path: &Path, limit: usize) -> io::Result<Vec<u8>> {
    let file = system::open_to_read(path)?;
    let mut bytes = Vec::new();
    loop {
        let step = if bytes.is_empty() { FIRST_STEP } else { NEXT_STEP };
        let read = system::read_some(&file, &mut bytes, step)?;
        // A file gives all it has: less than the room there was is its end.
        if read < step || bytes.len() >= limit {
            bytes.truncate(limit);
            return Ok(bytes);
        }
    }
}

/// Reads the lines at the end of a file that fit into `limit` bytes, guarded as in `read`.
///
/// # Errors
/// As the system gives them; `NotFound` where there is no such file.
#[inline(never)]
pub fn read_end(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    let mut file = system::open_to_read(path)?;
    let length = file.metadata()?.len();
    let cut = length > limit;
    if cut {
        file.seek(SeekFrom::Start(length - limit))?;
    }
    let mut bytes = Vec::new();
    file.take(limit).read_to_end(&mut bytes)?;
    if cut {
        let first = bytes.iter().position(|byte| *byte == b'\n').map_or(bytes.len(), |end| end + 1);
        bytes.drain(..first);
    }
    Ok(bytes)
}

/// Opens a file to be read by and by. No symlink is followed, and a FIFO is not waited for.
///
/// # Errors
/// As the system gives them; `NotFound` where there is no such file.
pub fn open(path: &Path) -> io::Result<File> {
    system::open_to_read(path)
}

/// An error of reading `path` in words that say what stands there, where it is no file: the system's word for a link that is
/// not followed tells of a circle of links.
pub fn said_of(path: &Path, error: io::Error) -> io::Error {
    // As it mostly is on the way of a hook call.
    if error.kind() == ErrorKind::NotFound {
        return error;
    }
    let there = fs::symlink_metadata(path).map(|there| there.file_type());
    match there {
        Ok(kind) if kind.is_symlink() => io::Error::new(error.kind(), LINK),
        Ok(kind) if kind.is_dir() => io::Error::new(error.kind(), "is a folder, not a file"),
        _ => error,
    }
}

/// Refuses a link in the place of a file that others do not follow a link to: what is written through it would not be read.
///
/// # Errors
/// There is a link.
pub fn no_link(path: &Path) -> io::Result<()> {
    match fs::symlink_metadata(path) {
        Ok(there) if there.is_symlink() => Err(io::Error::new(ErrorKind::InvalidInput, LINK)),
        _ => Ok(()),
    }
}

const LINK: &str = "is a link, which is not followed";

/// How much room a read has, in bytes; most files here fit into the first.
const FIRST_STEP: usize = 1024;
const NEXT_STEP: usize = 32 * 1024;

/// Appends `line` in a single write, so that lines of processes side by side stay whole. The file (0600) and its
/// folders (0700) are made where they are missing. Gives the file back.
///
/// # Errors
/// As the system gives them; a write cut short is one, since half a line is on the disk then.
pub fn append(path: &Path, line: &[u8]) -> io::Result<File> {
    let mut file = match system::open_to_append(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => create(path)?,
        opened => opened?,
    };
    system::may_grow(&file, line.len())?;
    match file.write(line)? {
        written if written == line.len() => Ok(file),
        written => {
            let _ = file.write(b"\n");
            Err(io::Error::new(ErrorKind::WriteZero, format!("only {written} of {} bytes fitted", line.len())))
        }
    }
}

/// Makes a folder that only its owner can look into, and the folders above it.
///
/// # Errors
/// As the system gives them.
pub fn create_folder(path: &Path) -> io::Result<()> {
    if path.is_dir() {
        return Ok(());
    }
    if let Some(parent) = path.parent().filter(|parent| !parent.as_os_str().is_empty()) {
        create_folder(parent)?;
    }
    match fs::create_dir(path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Ok(()),
        made => made?,
    }
    close_folder(path)
}

/// Takes a folder away from everybody but its owner, where the system knows of such a thing.
///
/// # Errors
/// As the system gives them.
pub fn close_folder(path: &Path) -> io::Result<()> {
    #[cfg(unix)]
    fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(0o700))?;
    #[cfg(not(unix))]
    let _ = path;
    Ok(())
}

/// Makes a file for appending that only its owner can read, whatever the umask. Where another process was faster, its
/// file is taken.
fn create(path: &Path) -> io::Result<File> {
    if let Some(parent) = path.parent() {
        create_folder(parent)?;
    }
    match system::create_to_append(path) {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => system::open_to_append(path),
        made => made,
    }
}

#[cfg(unix)]
mod system {
    use std::fs::File;
    use std::io;
    use std::path::Path;

    use rustix::buffer::spare_capacity;
    use rustix::fs::{Mode, OFlags};
    use rustix::process::{Resource, getrlimit};

    const GUARDED: OFlags = OFlags::NONBLOCK.union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);
    const APPENDING: OFlags = GUARDED.union(OFlags::WRONLY).union(OFlags::APPEND);

    pub(super) fn open_to_read(path: &Path) -> io::Result<File> {
        Ok(rustix::fs::open(path, GUARDED | OFlags::RDONLY, Mode::empty())?.into())
    }

    pub(super) fn open_to_append(path: &Path) -> io::Result<File> {
        Ok(rustix::fs::open(path, APPENDING, Mode::empty())?.into())
    }

    pub(super) fn create_to_append(path: &Path) -> io::Result<File> {
        let private = Mode::RUSR | Mode::WUSR;
        let file = rustix::fs::open(path, APPENDING | OFlags::CREATE | OFlags::EXCL, private)?;
        rustix::fs::fchmod(&file, private)?;
        Ok(file.into())
    }

    /// Fails where the file would pass the size that this process may write (`ulimit -f`): the system ends a process
    /// that does, and with it an answer that was already given.
    pub(super) fn may_grow(file: &File, by: usize) -> io::Result<()> {
        let Some(limit) = getrlimit(Resource::Fsize).current else { return Ok(()) };
        if file.metadata()?.len() + by as u64 > limit {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        Ok(())
    }

    pub(super) fn read_some(file: &File, bytes: &mut Vec<u8>, step: usize) -> io::Result<usize> {
        let before = bytes.len();
        bytes.reserve_exact(step);
        rustix::io::read(file, spare_capacity(bytes))?;
        Ok(bytes.len() - before)
    }
}

#[cfg(not(unix))]
mod system {
    use std::fs::{File, OpenOptions};
    use std::io::{self, Read};
    use std::path::Path;

    pub(super) fn open_to_read(path: &Path) -> io::Result<File> {
        File::open(path)
    }

    pub(super) fn open_to_append(path: &Path) -> io::Result<File> {
        OpenOptions::new().append(true).open(path)
    }

    pub(super) fn create_to_append(path: &Path) -> io::Result<File> {
        OpenOptions::new().append(true).create_new(true).open(path)
    }

    pub(super) fn may_grow(_: &File, _: usize) -> io::Result<()> {
        Ok(())
    }

    pub(super) fn read_some(file: &File, bytes: &mut Vec<u8>, step: usize) -> io::Result<usize> {
        Read::take(file, step as u64).read_to_end(bytes)
    }
}
