//! Reads files that others have made, who may have put anything in their place: only a regular file is read, only so much of
//! it, and nothing is waited for without an end.

use std::fs::{self, File, Metadata};
use std::io::{self, Read};
use std::path::Path;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

/// No file that is read whole is longer, in bytes.
pub const MOST: u64 = 64 * 1024 * 1024;

/// As long as a pipe that is named on a command line may take to its end.
const GIVEN_TIME: Duration = Duration::from_secs(10);

/// The bytes of a file, `None` where there is none (a symlink that leads nowhere counts as none). Nobody can make us wait
/// with what is put in its place: symlinks are followed, but only a regular file is read, and no more than 64 MiB of one.
///
/// # Errors
/// As the system gives them; what it is, where it is no regular file, and that it is too long.
pub fn read(path: &Path) -> io::Result<Option<Vec<u8>>> {
    read_within(path, MOST)
}

/// The text of a file, as `read`.
///
/// # Errors
/// As `read`; bytes that are no text.
pub fn read_text(path: &Path) -> io::Result<Option<String>> {
    let bytes = read(path)?;
    bytes.map(|bytes| String::from_utf8(bytes).map_err(|error| refused(&error.to_string()))).transpose()
}

/// The text of a file that whoever calls us named, which may be a pipe as well: `<(command)`. Whoever writes into it has
/// ten seconds.
///
/// # Errors
/// Why there is no such text.
pub fn read_given(path: &Path) -> Result<String, String> {
    let pipe = fs::metadata(path).is_ok_and(|there| !there.is_file() && !there.is_dir());
    let bytes = match pipe {
        true => read_in_time(path, GIVEN_TIME)?,
        false => {
            read(path).transpose().unwrap_or_else(|| Err(io::ErrorKind::NotFound.into())).map_err(|e| e.to_string())?
        }
    };
    String::from_utf8(bytes).map_err(|error| error.to_string())
}

fn read_in_time(path: &Path, time: Duration) -> Result<Vec<u8>, String> {
    let path = path.to_path_buf();
    let (tell, hear) = mpsc::channel();
    // Not joined: where nobody writes it waits until this process ends.
    thread::spawn(move || {
        let mut bytes = Vec::new();
        let read = File::open(path).and_then(|file| file.take(MOST).read_to_end(&mut bytes));
        tell.send(read.map(|_| bytes).map_err(|error| error.to_string()))
    });
    hear.recv_timeout(time).unwrap_or_else(|_| Err(format!("nothing came to its end there in {} s", time.as_secs())))
}

/// Opens a regular file to be read by and by, as `read`.
///
/// # Errors
/// As `read`; `NotFound` where there is none.
pub fn open(path: &Path) -> io::Result<File> {
    // Asked first: to open a device can set it going.
    is_regular(&fs::metadata(path)?)?;
    let file = open_without_waiting(path)?;
    is_regular(&file.metadata()?)?;
    Ok(file)
}

fn read_within(path: &Path, most: u64) -> io::Result<Option<Vec<u8>>> {
    let file = match open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        opened => opened?,
    };
    let mut bytes = Vec::new();
    file.take(most + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        return Err(refused(&format!("it is longer than {} MiB", most >> 20)));
    }
    Ok(Some(bytes))
}

fn is_regular(there: &Metadata) -> io::Result<()> {
    match there.is_file() {
        true => Ok(()),
        false => Err(refused(&format!("it is {}, no regular file", what(there)))),
    }
}

fn refused(why: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, why)
}

#[cfg(unix)]
fn what(there: &Metadata) -> &'static str {
    use std::os::unix::fs::FileTypeExt;
    match there.file_type() {
        it if it.is_dir() => "a folder",
        it if it.is_fifo() => "a FIFO",
        it if it.is_socket() => "a socket",
        _ => "a device",
    }
}

#[cfg(not(unix))]
fn what(there: &Metadata) -> &'static str {
    if there.is_dir() { "a folder" } else { "a device" }
}

/// Should a FIFO have come into its place meanwhile, it is not waited for.
#[cfg(unix)]
fn open_without_waiting(path: &Path) -> io::Result<File> {
    use rustix::fs::{Mode, OFlags};
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    Ok(rustix::fs::open(path, flags, Mode::empty())?.into())
}

#[cfg(not(unix))]
fn open_without_waiting(path: &Path) -> io::Result<File> {
    File::open(path)
}

#[cfg(all(test, unix))]
#[allow(clippy::unwrap_used, reason = "a test may stop at the first thing that fails")]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn only_a_regular_file_is_read_and_nothing_is_waited_for() {
        let home = tempfile::tempdir().unwrap();
        let at = |name: &str| home.path().join(name);
        let fifo = std::process::Command::new("mkfifo").arg(at("fifo")).status().unwrap();
        assert!(fifo.success());
        let _socket = std::os::unix::net::UnixListener::bind(at("socket")).unwrap();
        fs::create_dir(at("folder")).unwrap();
        symlink("fifo", at("link")).unwrap();
        symlink("nowhere", at("dangling")).unwrap();
        symlink("/dev/zero", at("device")).unwrap();
        symlink("circle", at("circle")).unwrap();
        for (name, what) in [
            ("fifo", "a FIFO"),
            ("link", "a FIFO"),
            ("socket", "a socket"),
            ("folder", "a folder"),
            ("device", "a device"),
        ] {
            assert_eq!(read(&at(name)).unwrap_err().to_string(), format!("it is {what}, no regular file"), "{name}");
        }
        assert_eq!(read(&at("dangling")).unwrap(), None);
        assert!(read(&at("circle")).is_err());
        fs::write(at("real"), "yes").unwrap();
        symlink("real", at("to_real")).unwrap();
        assert_eq!(read_text(&at("to_real")).unwrap().as_deref(), Some("yes"));
        fs::write(at("real"), b"\xff").unwrap();
        assert!(read_text(&at("real")).is_err());
    }

    #[test]
    fn a_file_is_read_up_to_its_limit_and_no_further() {
        let home = tempfile::tempdir().unwrap();
        let file = home.path().join("a");
        fs::write(&file, "1234").unwrap();
        assert_eq!(read_within(&file, 4).unwrap().unwrap(), b"1234");
        assert!(read_within(&file, 3).unwrap_err().to_string().contains("longer than"));
    }
}
