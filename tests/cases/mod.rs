//! Recorded sessions as they lie on disk: payloads in `CASE.jsonl`, the answers expected in `CASE.answers.jsonl`.
#![allow(dead_code, reason = "each test target uses its part of it")]
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::home::Home;

/// The sessions in the folders of a folder, one folder a client's version: each file, its payloads, and the file with the
/// answers expected.
pub(crate) fn sessions_in(folder: &Path) -> Vec<(PathBuf, Vec<String>, PathBuf)> {
    let mut sessions = Vec::new();
    for version in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_dir()) {
        for file in fs::read_dir(version).unwrap().map(|entry| entry.unwrap().path()) {
            let name = file.file_name().unwrap().to_string_lossy().into_owned();
            if let Some(case) = name.strip_suffix(".jsonl").filter(|case| !case.ends_with(".answers")) {
                let payloads = fs::read_to_string(&file).unwrap().lines().map(str::to_owned).collect();
                let answers = file.with_file_name(format!("{case}.answers.jsonl"));
                sessions.push((file, payloads, answers));
            }
        }
    }
    sessions.sort();
    sessions
}

/// What the hook answers to these payloads in a home, one after another.
pub(crate) fn answers(home: &Home, payloads: &[String]) -> Vec<Value> {
    payloads.iter().map(|payload| home.hook(payload).unwrap_or_default()).collect()
}

/// The answers that a file expects.
pub(crate) fn expected(answers: &Path) -> Vec<Value> {
    let text = fs::read_to_string(answers).unwrap_or_else(|_| panic!("no answers: {}", answers.display()));
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}
