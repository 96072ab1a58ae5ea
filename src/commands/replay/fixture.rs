//! The two files of a fixture, as `tests/recorded.rs` reads them: payloads, and the answers expected. Writes nothing else,
//! and over nothing.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::Context;

use crate::replay::neutral::Neutral;
use crate::trouble::Trouble;

/// A fixture that is being written.
pub(super) struct Fixture {
    /// The file of the payloads.
    pub(super) payloads: PathBuf,
    /// The file of the answers.
    pub(super) answers: PathBuf,
    /// What makes payloads fit to be kept.
    pub(super) neutral: Neutral,
    files: [File; 2],
}

impl Fixture {
    /// Makes the files.
    ///
    /// # Errors
    /// Where one cannot be made, or is there already.
    pub(super) fn begin(case: &Path) -> anyhow::Result<Self> {
        let named = |end: &str| {
            let mut name = case.as_os_str().to_owned();
            name.push(end);
            PathBuf::from(name)
        };
        let made = |file: &Path| {
            OpenOptions::new().write(true).create_new(true).open(file).map_err(|error| {
                let hint = "name a case that is not there yet, in a folder that is, such as 2.1.332/my-case";
                Trouble::error(format!("could not make {}: {error}", file.display()), hint)
            })
        };
        let (payloads, answers) = (named(".jsonl"), named(".answers.jsonl"));
        let files = [made(&payloads)?, made(&answers)?];
        Ok(Self { payloads, answers, neutral: Neutral::default(), files })
    }

    /// Adds a payload, which is one line, and its answer, of which nothing is `null`.
    ///
    /// # Errors
    /// Where they cannot be written.
    pub(super) fn add(&mut self, payload: &str, answer: &[u8]) -> anyhow::Result<()> {
        let answer = if answer.is_empty() { b"null" } else { answer };
        let [payloads, answers] = &mut self.files;
        writeln!(payloads, "{payload}")
            .and_then(|()| answers.write_all(answer))
            .and_then(|()| writeln!(answers))
            .with_context(|| format!("could not write {}", self.payloads.display()))
    }
}
