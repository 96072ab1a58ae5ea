//! `unattended run` where there are no sessions, signals and process groups to start a run with: it says so.

use std::process::ExitCode;

use crate::cli::{KeepArgs, RunArgs};
use crate::trouble::Trouble;

/// Refuses.
///
/// # Errors
/// Always.
pub fn run(_: &RunArgs) -> anyhow::Result<ExitCode> {
    Err(Trouble::error(
        "run needs a Unix system: Linux, macOS, or WSL here",
        "call claude -p itself; installed hooks answer there as well",
    ))
}

/// Refuses.
///
/// # Errors
/// Always.
pub fn keep(_: &KeepArgs) -> anyhow::Result<ExitCode> {
    Err(Trouble::error("there is no run here whose client could be kept", "unattended --help lists the verbs"))
}
