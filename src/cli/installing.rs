//! The command line of the verbs that register the hooks and take them out: clap types, nothing else.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use crate::client::Version;

/// `install`
#[derive(Debug, Args)]
pub struct InstallArgs {
    /// Turn the switch on as well: for machines at which nobody sits
    #[arg(long)]
    pub on: bool,
    #[command(flatten)]
    #[allow(missing_docs, reason = "a docstring here would become part of the help")]
    pub place: PlaceArgs,
    /// The client whose version decides which events there are [default: claude on PATH]
    #[arg(long, value_name = "PATH", conflicts_with = "client_version")]
    pub client: Option<PathBuf>,
    /// The client's version, for a client that is not here
    #[arg(long, value_name = "X.Y.Z")]
    pub client_version: Option<Version>,
    /// Show what would change, as a diff, and change nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Print the hooks as settings of their own, and change nothing
    #[arg(long, conflicts_with_all = ["on", "dry_run", "scope", "settings"])]
    pub print: bool,
}

/// `uninstall`
#[derive(Debug, Args)]
pub struct UninstallArgs {
    #[command(flatten)]
    #[allow(missing_docs, reason = "a docstring here would become part of the help")]
    pub place: PlaceArgs,
    /// Show what would change, as a diff, and change nothing
    #[arg(long)]
    pub dry_run: bool,
}

/// Which settings file.
#[derive(Debug, Args)]
pub struct PlaceArgs {
    /// Whose settings
    #[arg(long, value_enum, default_value_t = Scope::User)]
    pub scope: Scope,
    /// Another settings file
    #[arg(long, value_name = "FILE", conflicts_with = "scope")]
    pub settings: Option<PathBuf>,
}

/// The client's layers of settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Scope {
    /// Yours: ~/.claude/settings.json, or in CLAUDE_CONFIG_DIR
    User,
    /// The project's, shared: .claude/settings.json here
    Project,
    /// The project's, your own: .claude/settings.local.json here
    Local,
}
