//! The command line of the verbs for what was decided without a person: clap types, nothing else.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

/// `review`
#[derive(Debug, Args)]
#[allow(clippy::struct_excessive_bools, reason = "each is a flag")]
pub struct ReviewArgs {
    /// From then on: 8h, 2026-11-29, or "2026-11-29 22:00"
    #[arg(long, value_name = "TIME")]
    pub since: Option<String>,
    /// Only the session whose id begins so
    #[arg(long, value_name = "ID")]
    pub session: Option<String>,
    /// Only the project that this folder belongs to
    #[arg(long, value_name = "PATH")]
    pub project: Option<PathBuf>,
    /// Only this kind; may be given more than once
    #[arg(long, value_enum, value_name = "KIND")]
    pub kind: Vec<ReviewKind>,
    /// Only what you have not reviewed yet
    #[arg(long)]
    pub unreviewed: bool,
    /// Everything that is kept
    #[arg(long, conflicts_with = "since")]
    pub all: bool,
    /// Plans, descriptions and inputs whole
    #[arg(long)]
    pub full: bool,
    /// Print one JSON object; its schema is docs/review.schema.json
    #[arg(long, conflicts_with = "markdown")]
    pub json: bool,
    /// Print Markdown, for a pull request or a mail
    #[arg(long)]
    pub markdown: bool,
    /// Exit with 1 while anything is not reviewed, and print that alone
    #[arg(long)]
    pub check: bool,
    /// Print rules that would allow what was denied; nothing is written
    #[arg(long, conflicts_with_all = ["markdown", "check", "kind", "full"])]
    pub rules: bool,
}

/// The kinds of what is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
#[allow(missing_docs, reason = "docstrings here would become part of the help")]
pub enum ReviewKind {
    Question,
    Plan,
    Permission,
    Elicitation,
    Turn,
    Stall,
}

/// `ack`
#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
pub struct AckArgs {
    /// Which: as much of their ids as tells them apart
    #[arg(value_name = "ID")]
    pub ids: Vec<String>,
    /// All that are kept and not reviewed
    #[arg(long)]
    pub all: bool,
}

/// `correct`
#[derive(Debug, Args)]
pub struct CorrectArgs {
    /// Which: as much of its id as tells it apart
    #[arg(value_name = "ID")]
    pub id: String,
    /// What you want instead [default: standard input]
    #[arg(value_name = "TEXT")]
    pub text: Option<String>,
}

/// `export`
#[derive(Debug, Args)]
pub struct ExportArgs {
    /// From then on: 8h, 2026-11-29, or "2026-11-29 22:00"
    #[arg(long, value_name = "TIME")]
    pub since: Option<String>,
    /// Before then
    #[arg(long, value_name = "TIME")]
    pub until: Option<String>,
    /// The state folders, or folders of day files [default: your own]
    #[arg(long, value_name = "DIR", num_args = 1..)]
    pub from: Vec<PathBuf>,
    /// A file in the place of standard output
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,
}
