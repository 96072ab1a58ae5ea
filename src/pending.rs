//! The folder `pending/` with what waits for a person: requests are put there and taken away by the hooks that wait,
//! replies are put beside them by whoever speaks for a person. Each request has a folder of its own for its reply; it is
//! moved away when the wait ends, so that a reply either is read or cannot be left.

use std::cell::Cell;
use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::request::{Reply, Request};
use crate::{clock, hash, journal, state};

/// How much of a reply is read, in bytes.
const REPLY_LIMIT: usize = 1024 * 1024;
/// How much of a request is read, in bytes; a payload is no longer than 32 MiB.
const REQUEST_LIMIT: usize = 64 * 1024 * 1024;
/// After how long what is half done counts as left behind.
const LEFT_BEHIND: Duration = Duration::from_secs(3600);
const REPLY: &str = "reply.json";

/// The folder, below the state folder.
pub fn folder(state: &Path) -> PathBuf {
    state.join("pending")
}

fn request_file(state: &Path, id: &str) -> PathBuf {
    folder(state).join(format!("{id}.json"))
}

fn reply_folder(state: &Path, id: &str) -> PathBuf {
    folder(state).join(format!("{id}.reply"))
}

/// Where the reply to a request belongs.
pub fn reply_file(state: &Path, id: &str) -> PathBuf {
    reply_folder(state, id).join(REPLY)
}

/// What tells the files of a request from those of the same call asked before: identical calls have one id.
fn mark(request: &Request) -> String {
    format!("{:08x}", hash::of(request.token.as_bytes()) as u32)
}

/// A request that this process has put up. It stands until `close`; after the end of the process, however that ended,
/// it counts as gone.
#[derive(Debug)]
pub struct Open {
    state: PathBuf,
    id: String,
    mark: String,
    /// How many replies were taken away.
    refused: Cell<u32>,
    /// The request, locked as long as it is open.
    file: File,
}

/// Puts a request up.
///
/// # Errors
/// `AlreadyExists` where one of this id stands there or stood there; else as the system gives them. Nothing is left
/// then.
pub fn open(state: &Path, request: &Request) -> io::Result<Open> {
    let pending = folder(state);
    state::create_folder(&pending)?;
    if fs::symlink_metadata(&pending)?.is_symlink() {
        return Err(io::Error::new(ErrorKind::InvalidInput, "pending is a symlink"));
    }
    let replies = reply_folder(state, &request.id);
    fs::create_dir(&replies)?;
    let mark = mark(request);
    let fresh = pending.join(format!(".{}.{mark}", request.id));
    let put = || {
        state::close_folder(&replies)?;
        let file = state::append(&fresh, &serde_json::to_vec(request)?)?;
        lock::hold(&file)?;
        fs::rename(&fresh, request_file(state, &request.id))?;
        Ok(file)
    };
    match put() {
        Ok(file) => Ok(Open { state: state.to_path_buf(), id: request.id.clone(), mark, refused: Cell::new(0), file }),
        Err(error) => {
            let _ = fs::remove_file(&fresh);
            let _ = fs::remove_dir(&replies);
            Err(error)
        }
    }
}

impl Open {
    /// The folder in which the reply will be.
    pub fn reply_folder(&self) -> PathBuf {
        reply_folder(&self.state, &self.id)
    }

    /// Whether it can still be answered: nobody has taken it, or the folder for its reply, away.
    pub fn stands(&self) -> bool {
        let gone = |path| fs::symlink_metadata(path).is_err_and(|error| error.kind() == ErrorKind::NotFound);
        !gone(request_file(&self.state, &self.id)) && !gone(self.reply_folder())
    }

    /// The reply, where there is one. What is there and cannot be read, as a folder or a symlink in its place, is one
    /// that says nothing.
    pub fn reply(&self) -> Option<Vec<u8>> {
        match state::read(&reply_file(&self.state, &self.id), REPLY_LIMIT) {
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            read => Some(read.unwrap_or_default()),
        }
    }

    /// Takes a reply away that does not count, whatever it is, so that there is room for another. One that has taken its
    /// place meanwhile is given.
    pub fn refuse(&self, refused: &[u8]) -> Option<Vec<u8>> {
        let number = self.refused.replace(self.refused.get().wrapping_add(1));
        let away = folder(&self.state).join(format!(".{}.{}.{number}.refused", self.id, self.mark));
        fs::rename(reply_file(&self.state, &self.id), &away).ok()?;
        let taken = state::read(&away, REPLY_LIMIT).ok();
        // A folder with something in it stays there, for who lists the requests to take away.
        let _ = fs::remove_file(&away).or_else(|_| fs::remove_dir(&away));
        taken.filter(|taken| taken != refused)
    }

    /// The request as a stream from its beginning, for another process to read.
    ///
    /// # Errors
    /// As the system gives them.
    pub fn stream(&self) -> io::Result<File> {
        state::open(&request_file(&self.state, &self.id))
    }

    /// Takes the request away. From here on no reply can be left; one that was left before is given.
    pub fn close(self) -> Option<Vec<u8>> {
        let closed = closed(&self.state, &self.id, &self.mark);
        let reply = match fs::rename(self.reply_folder(), &closed) {
            Ok(()) => state::read(&closed.join(REPLY), REPLY_LIMIT).ok(),
            Err(_) => None,
        };
        // Who looks at it by another name, and follows it, sees by its length that it was closed.
        let _ = self.file.set_len(0);
        let _ = fs::remove_file(request_file(&self.state, &self.id));
        discard(&closed);
        drop(self.file);
        reply
    }
}

/// Where the folder for a reply is moved to at the end.
fn closed(state: &Path, id: &str, mark: &str) -> PathBuf {
    folder(state).join(format!(".{id}.{mark}.closed"))
}

/// Takes a closed folder away with the reply in it. What else somebody has put there is left to who lists the requests.
fn discard(closed: &Path) {
    let _ = fs::remove_file(closed.join(REPLY));
    let _ = fs::remove_dir(closed);
}

/// The requests that wait, the oldest first. What hooks and bridges left that did not live to its end is taken away.
///
/// # Errors
/// As the system gives them; no folder is no error.
pub fn list(state: &Path) -> io::Result<Vec<Request>> {
    let mut requests: Vec<Request> = ids(state)?.iter().filter_map(|id| find(state, id)).collect();
    requests.sort_by(|one, other| (one.since, &one.id).cmp(&(other.since, &other.id)));
    let _ = tidy(state);
    Ok(requests)
}

/// Takes away what was half put up or half left, long ago.
fn tidy(state: &Path) -> io::Result<()> {
    for entry in fs::read_dir(folder(state))?.filter_map(Result::ok) {
        let name = entry.file_name().to_string_lossy().into_owned();
        let id = name.strip_suffix(".reply").filter(|id| is_id(id));
        let alone = id.is_some_and(|id| !request_file(state, id).exists());
        let age = entry.metadata().and_then(|there| there.modified()).map(|at| at.elapsed().unwrap_or_default());
        if (alone || name.starts_with('.')) && age.is_ok_and(|age| age > LEFT_BEHIND) {
            let _ = remove(&entry.path());
        }
    }
    Ok(())
}

/// The ids of what stands in the folder.
fn ids(state: &Path) -> io::Result<Vec<String>> {
    let entries = match fs::read_dir(folder(state)) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries?,
    };
    let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    Ok(names.filter_map(|name| name.strip_suffix(".json").filter(|id| is_id(id)).map(str::to_owned)).collect())
}

/// The request of an id, if it waits.
pub fn find(state: &Path, id: &str) -> Option<Request> {
    if !is_id(id) {
        return None;
    }
    let path = request_file(state, id);
    let file = state::open(&path).ok()?;
    if !lock::is_held(&file) {
        sweep(state, id);
        return None;
    }
    let bytes = state::read(&path, REQUEST_LIMIT).ok()?;
    serde_json::from_slice(&bytes).ok().filter(|request: &Request| request.id == id)
}

/// Whether this request still waits, and not another one of its id.
pub fn still(state: &Path, request: &Request) -> bool {
    find(state, &request.id).is_some_and(|there| there.token == request.token)
}

/// A request that another hook has put up, followed to its end.
#[derive(Debug)]
pub struct Followed(File);

/// How a request stands that another hook has put up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// It waits.
    Up,
    /// Its hook has ended the wait, and answers.
    Closed,
    /// Its hook was ended.
    Dead,
}

/// Follows the request of this id; `None` where there is none.
pub fn follow(state: &Path, id: &str) -> Option<(Followed, Request)> {
    let file = state::open(&request_file(state, id)).ok()?;
    let request = find(state, id)?;
    Some((Followed(file), request))
}

impl Followed {
    /// How it stands now.
    pub fn standing(&self) -> Standing {
        match self.0.metadata() {
            _ if lock::is_held(&self.0) => Standing::Up,
            Ok(there) if there.len() == 0 => Standing::Closed,
            _ => Standing::Dead,
        }
    }
}

/// Whether a hook of this session waits for a person.
pub fn waits(state: &Path, session: &str) -> bool {
    let of_session = |id: &String| {
        let asked = find(state, id).and_then(|request| request.asked().ok());
        asked.is_some_and(|asked| asked.session_id.as_deref() == Some(session))
    };
    ids(state).is_ok_and(|ids| ids.iter().any(of_session))
}

/// Sixteen hexadecimal digits; nothing else becomes a path.
pub fn is_id(text: &str) -> bool {
    text.len() == 16 && text.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte))
}

/// Takes away what a hook has left that did not live to the end of its wait, and records what it would have.
fn sweep(state: &Path, id: &str) {
    let away = folder(state).join(format!(".{id}.dead"));
    // Of those that sweep at once, one has it: the other has nothing to do with what is put up next under this id.
    if fs::rename(request_file(state, id), &away).is_err() {
        return;
    }
    let left = state::read(&away, REQUEST_LIMIT).ok();
    let _ = fs::remove_file(&away);
    let request = left.and_then(|bytes| serde_json::from_slice::<Request>(&bytes).ok());
    if let Some(request) = &request {
        let _ = journal::append_ended(state, request);
    }
    let closed = closed(state, id, &request.as_ref().map_or_else(|| "dead".to_owned(), mark));
    if fs::rename(reply_folder(state, id), &closed).is_ok() {
        discard(&closed);
    }
}

fn remove(path: &Path) -> io::Result<()> {
    match fs::symlink_metadata(path)?.is_dir() {
        true => fs::remove_dir_all(path),
        false => fs::remove_file(path),
    }
}

/// Whether a name is taken, by whatever it is.
pub fn is_there(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok()
}

/// How the leaving of a reply ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Left {
    /// It is there, and the hook will read it.
    There,
    /// Another one lies there, which the hook has not taken yet.
    Second,
    /// It is there, its time is up, and its hook has not noticed yet.
    TimeUp,
    /// The wait is over.
    Late,
}

/// Leaves a reply to the request of this id, in one step, and only where there is none.
///
/// # Errors
/// As the system gives them.
pub fn leave(state: &Path, id: &str, reply: &Reply) -> io::Result<Left> {
    let place = reply_file(state, id);
    match find(state, id) {
        Some(request) if request.token != reply.token => return Ok(Left::Late),
        Some(request) if request.until <= clock::now() => return Ok(Left::TimeUp),
        Some(_) => {}
        None => return Ok(Left::Late),
    }
    let fresh = folder(state).join(format!(".{id}.{}.new", std::process::id()));
    let _ = fs::remove_file(&fresh);
    state::append(&fresh, &serde_json::to_vec(reply)?)?;
    let left = match fs::hard_link(&fresh, &place) {
        // A file system without links.
        Err(error)
            if matches!(error.kind(), ErrorKind::PermissionDenied | ErrorKind::Unsupported) && !is_there(&place) =>
        {
            fs::rename(&fresh, &place)
        }
        linked => linked,
    };
    let _ = fs::remove_file(&fresh);
    match left {
        Ok(()) => Ok(Left::There),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(Left::Second),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(Left::Late),
        Err(error) => Err(error),
    }
}

/// A lock says whether the process that put a request up still lives.
#[cfg(unix)]
mod lock {
    use std::fs::File;
    use std::io;

    use rustix::fs::{FlockOperation, flock};
    use rustix::io::Errno;

    pub(super) fn hold(file: &File) -> io::Result<()> {
        match flock(file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) | Err(Errno::NOLCK | Errno::NOTSUP) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// On a file system that knows no locks every request counts as waiting until it is taken away.
    pub(super) fn is_held(file: &File) -> bool {
        flock(file, FlockOperation::NonBlockingLockShared).is_err()
    }
}

#[cfg(not(unix))]
mod lock {
    use std::fs::File;
    use std::io;

    pub(super) fn hold(file: &File) -> io::Result<()> {
        Ok(file.try_lock()?)
    }

    pub(super) fn is_held(file: &File) -> bool {
        file.try_lock_shared().is_err()
    }
}

#[cfg(test)]
mod tests;
