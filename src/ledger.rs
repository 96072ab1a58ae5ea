//! What install did to which settings file: `install.json` and `backups/` in the state folder. For who holds the state
//! folder's lock.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::settings::Made;
use crate::{files, state};

/// The version of the format.
const VERSION: u32 = 1;

/// As much of a path, in bytes, as fits into a file name beside what else is in it.
const NAME_LIMIT: usize = 180;

/// All of `install.json`.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Ledger {
    v: u32,
    /// By the settings file's absolute path, symlinks followed.
    files: BTreeMap<String, Entry>,
}

/// The version alone.
#[derive(Deserialize)]
struct Versioned {
    v: u32,
}

/// What was done to one settings file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Entry {
    /// What was created in it, while our hooks are in.
    pub made: Option<Made>,
    /// There was no file.
    pub created: bool,
    /// There was no folder for it either.
    pub folder: bool,
    /// The file as it was before its first change ever.
    pub backup: Option<PathBuf>,
}

impl Default for Ledger {
    fn default() -> Self {
        Self { v: VERSION, files: BTreeMap::new() }
    }
}

impl Ledger {
    /// Reads it; an absent one is empty.
    ///
    /// # Errors
    /// It cannot be read, or is not of this format (`InvalidData`).
    pub fn read(state: &Path) -> io::Result<Ledger> {
        state::no_link(&file(state))?;
        let Some(bytes) = files::read(&file(state))? else { return Ok(Ledger::default()) };
        // One of another version may have another form as well.
        match serde_json::from_slice(&bytes)? {
            Versioned { v: VERSION } => Ok(serde_json::from_slice(&bytes)?),
            Versioned { v } => Err(io::Error::new(ErrorKind::InvalidData, format!("is of version {v}, not {VERSION}"))),
        }
    }

    /// Writes it.
    ///
    /// # Errors
    /// As the system gives them.
    pub fn write(&self, state: &Path) -> io::Result<()> {
        let mut text = serde_json::to_vec_pretty(self)?;
        text.push(b'\n');
        if state::no_link(&file(state)).is_err() {
            // Nobody reads through it.
            fs::remove_file(file(state))?;
        }
        let _ = files::clear_leftovers(&file(state));
        files::replace(&file(state), &text)
    }

    /// What is known of a settings file.
    pub fn entry(&self, settings: &Path) -> Entry {
        self.files.get(&key(settings)).cloned().unwrap_or_default()
    }

    /// Remembers an entry in the place of the one there was.
    pub fn set(&mut self, settings: &Path, entry: Entry) {
        if entry == Entry::default() {
            self.files.remove(&key(settings));
        } else {
            self.files.insert(key(settings), entry);
        }
    }
}

/// Where the ledger is.
pub fn file(state: &Path) -> PathBuf {
    state.join("install.json")
}

/// Keeps the bytes of a settings file for good, for their owner alone, under a name that tells which file it was.
///
/// # Errors
/// As the system gives them.
pub fn back_up(state_folder: &Path, settings: &Path, bytes: &[u8]) -> io::Result<PathBuf> {
    let folder = state_folder.join("backups");
    state::create_folder(&folder)?;
    let name: String = key(settings).replace(['/', '\\', ':'], "%");
    let end = name.len().saturating_sub(NAME_LIMIT);
    let name = (end..).find_map(|cut| name.get(cut..)).unwrap_or_default();
    let _ = files::clear_leftovers(&folder.join(name));
    let mut backup = files::temporary(&folder.join(name))?;
    backup.write_all(bytes)?;
    backup.as_file().sync_all()?;
    for number in 1.. {
        let file = folder.join(if number == 1 { name.to_owned() } else { format!("{name}.{number}") });
        match backup.persist_noclobber(&file) {
            Ok(_) => return Ok(file),
            Err(taken) if taken.error.kind() == ErrorKind::AlreadyExists => backup = taken.file,
            Err(failed) => return Err(failed.error),
        }
    }
    Err(ErrorKind::AlreadyExists.into())
}

fn key(settings: &Path) -> String {
    settings.to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_remembered_is_read_back_and_an_empty_entry_is_none() {
        let state = tempfile::tempdir().unwrap();
        let mut ledger = Ledger::read(state.path()).unwrap();
        let entry = Entry {
            made: Some(Made { blank: Some("\n".into()), hooks: true, events: ["Stop".to_owned()].into() }),
            created: true,
            ..Entry::default()
        };
        ledger.set(Path::new("/h/settings.json"), entry.clone());
        ledger.write(state.path()).unwrap();
        let mut ledger = Ledger::read(state.path()).unwrap();
        assert_eq!(ledger.entry(Path::new("/h/settings.json")), entry);
        ledger.set(Path::new("/h/settings.json"), Entry::default());
        assert!(ledger.files.is_empty());
    }

    #[test]
    fn another_format_is_not_taken_for_ours() {
        let state = tempfile::tempdir().unwrap();
        for text in ["", "[]", "{\"v\":2,\"files\":{}}"] {
            fs::write(file(state.path()), text).unwrap();
            assert!(Ledger::read(state.path()).is_err(), "{text}");
        }
        fs::write(file(state.path()), "{\"v\":9,\"entries\":[]}").unwrap();
        assert_eq!(Ledger::read(state.path()).unwrap_err().to_string(), "is of version 9, not 1");
    }

    #[test]
    fn a_backup_is_private_and_never_written_over() {
        let state = tempfile::tempdir().unwrap();
        let settings = Path::new("/h/.claude/settings.json");
        let first = back_up(state.path(), settings, b"1").unwrap();
        let second = back_up(state.path(), settings, b"2").unwrap();
        assert_eq!(first, state.path().join("backups/%h%.claude%settings.json"));
        assert_eq!(second, state.path().join("backups/%h%.claude%settings.json.2"));
        assert_eq!(fs::read(&first).unwrap(), b"1");
        let long = PathBuf::from(format!("/{}/ä.json", "ü/".repeat(900)));
        assert_eq!(fs::read(back_up(state.path(), &long, b"3").unwrap()).unwrap(), b"3");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            assert_eq!(fs::metadata(&first).unwrap().permissions().mode() & 0o777, 0o600);
            assert_eq!(fs::metadata(first.parent().unwrap()).unwrap().permissions().mode() & 0o777, 0o700);
        }
    }
}
