//! `unattended completions`: a shell's completions, made from the command line's own types.

use clap::CommandFactory;

use super::man;
use crate::cli::{Cli, CompletionsArgs};

/// Prints them to standard output.
///
/// # Errors
/// Standard output cannot be written.
pub fn run(args: &CompletionsArgs) -> anyhow::Result<()> {
    let mut command = Cli::command();
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut command, "unattended", &mut script);
    man::print(&script)
}
