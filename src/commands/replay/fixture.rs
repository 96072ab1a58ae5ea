//! The two files of a fixture, as `tests/recorded.rs` reads them: payloads, and the answers expected. Writes nothing else,
//! and over nothing.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::Context;

use crate::replay::neutral::Neutral;
use crate::trouble::Trouble;

const HINT: &str = "name a case that is not there yet, in a folder that is, such as 2.1.332/my-case";

/// A fixture that is being written.
pub(super) struct Fixture {
    /// The file of the payloads.
    pub(super) payloads: PathBuf,
    /// The file of the answers.
    pub(super) answers: PathBuf,
    /// What makes payloads fit to be kept.
    pub(super) neutral: Neutral,
    files: Option<[File; 2]>,
}

impl Fixture {
    /// Names the files; they are made with the first payload.
    ///
    /// # Errors
    /// Where the case has no name, its folder is not there, or one of the files is.
    pub(super) fn begin(case: &Path) -> anyhow::Result<Self> {
        let ends_in_a_name = !case.as_os_str().as_encoded_bytes().ends_with(b"/");
        let Some(name) = case.file_name().filter(|_| ends_in_a_name) else {
            return Err(Trouble::error(format!("{} names no case", case.display()), HINT));
        };
        let named = |end: &str| {
            let mut file = Path::new(name).file_stem().filter(|_| name.as_encoded_bytes().ends_with(b".jsonl"));
            let mut file = file.take().unwrap_or(name).to_owned();
            file.push(end);
            case.with_file_name(file)
        };
        let (payloads, answers) = (named(".jsonl"), named(".answers.jsonl"));
        for file in [&payloads, &answers] {
            let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
            if !folder.is_dir() {
                return Err(Trouble::error(format!("there is no folder {}", folder.display()), HINT));
            }
            if file.symlink_metadata().is_ok() {
                return Err(Trouble::error(format!("{} is there already", file.display()), HINT));
            }
        }
        Ok(Self { payloads, answers, neutral: Neutral::default(), files: None })
    }

    fn made(&self) -> anyhow::Result<[File; 2]> {
        let made = |file: &Path| {
            OpenOptions::new()
                .write(true)
                .create_new(true)
                .open(file)
                .map_err(|error| Trouble::error(format!("could not make {}: {error}", file.display()), HINT))
        };
        Ok([made(&self.payloads)?, made(&self.answers)?])
    }

    /// Adds a payload, which is one line, and its answer, of which nothing is `null`.
    ///
    /// # Errors
    /// Where they cannot be made or written.
    pub(super) fn add(&mut self, payload: &str, answer: &[u8]) -> anyhow::Result<()> {
        let answer = if answer.is_empty() { b"null" } else { answer };
        if self.files.is_none() {
            self.files = Some(self.made()?);
        }
        let Some([payloads, answers]) = &mut self.files else { return Ok(()) };
        writeln!(payloads, "{payload}")
            .and_then(|()| answers.write_all(answer))
            .and_then(|()| writeln!(answers))
            .with_context(|| format!("could not write {}", self.payloads.display()))
    }
}
