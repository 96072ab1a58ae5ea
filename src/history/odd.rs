//! What stands among the records, or where people's words are kept, and cannot be read: what it is, and what to do about
//! it. What can be read beside it is read. Looks at what is there; reads nothing.

use std::fs::{self, FileType};
use std::io;
use std::path::{Path, PathBuf};

use serde::{Serialize, Serializer};

use crate::{journal, paths, reviews, state};

/// An entry that was passed over.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Odd {
    /// Where it is.
    pub path: PathBuf,
    /// Why it was passed over.
    #[serde(serialize_with = "as_text")]
    pub why: Why,
}

/// Why an entry was passed over.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Why {
    /// It is a folder.
    Folder,
    /// It is a symlink; none is followed.
    Link,
    /// It is a pipe, a socket or a device.
    NoFile,
    /// It is none, where a folder should be.
    NoFolder,
    /// The system refuses it, with these words.
    Refused(String),
}

impl Why {
    /// As it is said of a thing.
    pub fn text(&self) -> String {
        match self {
            Why::Folder => "is a folder, not a file".to_owned(),
            Why::Link => "is a link, which is not followed".to_owned(),
            Why::NoFile => "is no regular file".to_owned(),
            Why::NoFolder => "is no folder".to_owned(),
            Why::Refused(words) => format!("cannot be read: {words}"),
        }
    }

    /// Of what stands there by this type; `None` for a file.
    pub(super) fn of_type(kind: FileType) -> Option<Why> {
        match kind {
            kind if kind.is_file() => None,
            kind if kind.is_dir() => Some(Why::Folder),
            kind if kind.is_symlink() => Some(Why::Link),
            _ => Some(Why::NoFile),
        }
    }
}

impl Odd {
    /// What stands at `path`, which the system refused to be read.
    pub fn of(path: &Path, error: &io::Error) -> Odd {
        let kind = fs::symlink_metadata(path).ok().and_then(|there| Why::of_type(there.file_type()));
        Odd { path: path.to_path_buf(), why: kind.unwrap_or_else(|| Why::Refused(error.to_string())) }
    }

    /// What stands where a folder should, which the system refused to be listed.
    pub fn of_folder(path: &Path, error: &io::Error) -> Odd {
        let is_folder = fs::symlink_metadata(path).is_ok_and(|there| there.is_dir());
        let why = if is_folder { Why::Refused(error.to_string()) } else { Why::NoFolder };
        Odd { path: path.to_path_buf(), why }
    }

    /// One sentence: what it is. For a person; a path may hold anything.
    pub fn what(&self) -> String {
        format!("{} {}", paths::shown(&self.path), self.why.text())
    }

    /// What to do about it.
    pub fn remedy(&self) -> &'static str {
        match self.why {
            Why::Folder | Why::NoFile | Why::NoFolder => "move it away",
            Why::Link => "move it away, or put the file itself in its place",
            Why::Refused(_) => "see that you may read it, or move it away",
        }
    }
}

/// All that stands in a state folder where records and people's words are, and cannot be read.
pub fn all(state: &Path) -> Vec<Odd> {
    let folder = journal::folder(state);
    let mut odd = Vec::new();
    let mut files = Vec::new();
    match super::days(&folder) {
        Ok(days) => {
            odd.extend(days.odd.into_iter().map(|(_, odd)| odd));
            files.extend(days.files.into_iter().map(|(_, file)| file));
        }
        Err(error) => odd.push(Odd::of_folder(&folder, &error)),
    }
    let corrections = reviews::folder(state);
    match fs::read_dir(&corrections) {
        Ok(entries) => files.extend(entries.filter_map(|entry| Some(entry.ok()?.path()))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => odd.push(Odd::of_folder(&corrections, &error)),
    }
    files.push(reviews::file(state));
    for file in files {
        let kind = fs::symlink_metadata(&file).ok().and_then(|there| Why::of_type(there.file_type()));
        let refused = || match state::open(&file) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Some(Why::Refused(error.to_string())),
            _ => None,
        };
        odd.extend(kind.or_else(refused).map(|why| Odd { path: file.clone(), why }));
    }
    odd.sort();
    odd
}

fn as_text<S: Serializer>(why: &Why, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&why.text())
}
