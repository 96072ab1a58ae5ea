//! Files that grow, read on from where they were read to: only what is whole, line by line. Reads files, writes nothing.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use crate::{files, history, journal};

/// A file that grows, read line by line.
#[derive(Debug)]
pub struct Tail {
    path: PathBuf,
    at: u64,
    rest: Vec<u8>,
}

impl Tail {
    /// From its first line on.
    pub fn at_start(path: PathBuf) -> Tail {
        Tail { path, at: 0, rest: Vec::new() }
    }

    /// From now on.
    pub fn at_end(path: PathBuf) -> Tail {
        let at = fs::metadata(&path).map(|there| there.len()).unwrap_or_default();
        Tail { path, at, rest: Vec::new() }
    }

    /// The lines that are whole since the last time. What cannot be read is tried again the next time.
    pub fn lines(&mut self) -> Vec<String> {
        let mut read = Vec::new();
        let more = open(&self.path).and_then(|mut file| {
            // One that is shorter than what was read of it is another one.
            if file.metadata()?.len() < self.at {
                (self.at, self.rest) = (0, Vec::new());
            }
            file.seek(SeekFrom::Start(self.at))?;
            file.read_to_end(&mut read)
        });
        if more.is_err() || read.is_empty() {
            return Vec::new();
        }
        self.at += read.len() as u64;
        self.rest.append(&mut read);
        let Some(end) = self.rest.iter().rposition(|byte| *byte == b'\n') else { return Vec::new() };
        let whole: Vec<u8> = self.rest.drain(..=end).collect();
        String::from_utf8_lossy(&whole).lines().map(str::to_owned).collect()
    }
}

fn open(path: &Path) -> io::Result<File> {
    files::open(path)
}

/// The journal from some moment on, whatever day it becomes.
#[derive(Debug)]
pub struct Journal {
    folder: PathBuf,
    days: BTreeMap<PathBuf, Tail>,
}

impl Journal {
    /// From now on.
    pub fn from_now(state: &Path) -> Journal {
        let folder = journal::folder(state);
        let days = history::day_files(&folder).unwrap_or_default();
        let days = days.into_iter().map(|(_, file)| (file.clone(), Tail::at_end(file))).collect();
        Journal { folder, days }
    }

    /// The lines that are whole since the last time, those of an older day first. A folder that is not there is empty.
    pub fn lines(&mut self) -> Vec<String> {
        let there = history::day_files(&self.folder).unwrap_or_default();
        self.days.retain(|file, _| there.iter().any(|(_, still)| still == file));
        for (_, file) in there {
            self.days.entry(file).or_insert_with_key(|file| Tail::at_start(file.clone()));
        }
        self.days.values_mut().flat_map(Tail::lines).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn add(file: &Path, text: &str) {
        use std::io::Write;
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        File::options().append(true).create(true).open(file).unwrap().write_all(text.as_bytes()).unwrap();
    }

    #[test]
    fn of_the_journal_only_what_comes_from_then_on_is_given_and_a_new_day_is_followed() {
        let state = tempfile::tempdir().unwrap();
        let day = |day: &str| journal::folder(state.path()).join(format!("{day}.jsonl"));
        add(&day("2026-11-29"), "old\nhal");
        let mut journal = Journal::from_now(state.path());
        assert_eq!(journal.lines(), Vec::<String>::new());
        add(&day("2026-11-29"), "f\nlate\npar");
        assert_eq!(journal.lines(), ["f", "late"]);
        add(&day("2026-11-30"), "new day\n");
        add(&day("2026-11-29"), "tial\n");
        add(&day("notes"), "no day\n");
        fs::create_dir(day("2026-11-28")).unwrap();
        #[cfg(unix)]
        std::os::unix::fs::symlink(day("notes"), day("2026-11-27")).unwrap();
        assert_eq!(journal.lines(), ["partial", "new day"]);
        fs::remove_file(day("2026-11-29")).unwrap();
        add(&day("2026-11-30"), "more\n");
        assert_eq!(journal.lines(), ["more"]);
        fs::write(day("2026-11-30"), "anew\n").unwrap();
        assert_eq!(journal.lines(), ["anew"]);
    }

    #[test]
    fn a_journal_that_is_not_there_yet_is_followed_once_it_is() {
        let state = tempfile::tempdir().unwrap();
        let mut journal = Journal::from_now(&state.path().join("not/yet"));
        assert!(journal.lines().is_empty());
        add(&journal::folder(&state.path().join("not/yet")).join("2026-11-30.jsonl"), "first\n");
        assert_eq!(journal.lines(), ["first"]);
    }
}
