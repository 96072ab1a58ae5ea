//! The verbs, one a file. Each does its I/O, prints its result to standard output and gives errors back to `main`.

pub mod answer;
pub mod completions;
pub mod correct;
pub mod doctor;
pub mod explain;
pub mod export;
pub mod hook;
pub mod install;
pub mod man;
pub mod no_memory;
pub mod out;
pub mod prompt;
pub mod replay;
pub mod review;
#[cfg(unix)]
pub mod run;
#[cfg(not(unix))]
#[path = "run/elsewhere.rs"]
pub mod run;
pub mod status;
pub mod statusline;
pub mod switch;
pub mod uninstall;
pub mod watch;

use std::path::{Path, PathBuf};

use crate::history::Odd;
use crate::trouble::Trouble;
use crate::{journal, paths};

/// That the folder of the records cannot be listed.
fn unlisted(state: &Path, error: &std::io::Error) -> anyhow::Error {
    let odd = Odd::of_folder(&journal::folder(state), error);
    Trouble::error(odd.what(), odd.remedy())
}

/// The state folder, for a person's verb.
///
/// # Errors
/// Where there is no home.
fn state_folder() -> anyhow::Result<PathBuf> {
    paths::state_folder().ok_or_else(|| {
        Trouble::error(
            "there is no home folder in which the state could be",
            "set HOME, or UNATTENDED_STATE to a folder",
        )
    })
}
