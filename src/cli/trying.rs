//! The command line of the verbs that show what would be answered: clap types, nothing else.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

/// The modes in which an event can be asked about.
const MODES: [&str; 6] = ["default", "acceptEdits", "plan", "auto", "dontAsk", "bypassPermissions"];

/// `statusline`
#[derive(Debug, Args)]
pub struct StatuslineArgs {
    /// In colours, unless NO_COLOR is set
    #[arg(long)]
    pub color: bool,
    /// Count all that is recorded anew, however long that takes
    #[arg(long)]
    pub recount: bool,
}

/// `explain`
#[derive(Debug, Args)]
pub struct ExplainArgs {
    /// The event, as the client names it
    #[arg(value_name = "EVENT")]
    pub event: String,
    /// The tool; of a Notification its type, of a SessionStart its source, of a Stop the turn's last words
    #[arg(value_name = "TOOL")]
    pub about: Option<String>,
    /// In this permission mode [default: default; plan for ExitPlanMode]
    #[arg(long, value_name = "MODE", value_parser = MODES)]
    pub mode: Option<String>,
    /// With what this session remembers
    #[arg(long, value_name = "ID")]
    pub session: Option<String>,
    /// Print a JSON list; its schema is docs/explain.schema.json
    #[arg(long)]
    pub json: bool,
}

/// `replay`
#[derive(Debug, Args)]
pub struct ReplayArgs {
    /// The file, or - for standard input; of CASE.jsonl the answers may stand in CASE.answers.jsonl
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// As if UNATTENDED said so [default: as it stands]
    #[arg(long = "as", value_enum, value_name = "SWITCH")]
    pub position: Option<Standing>,
    /// Only what is answered otherwise now
    #[arg(long)]
    pub only_changed: bool,
    /// Print a JSON object a line; its schema is docs/replay.schema.json
    #[arg(long)]
    pub json: bool,
    /// Write CASE.jsonl and CASE.answers.jsonl: payloads without secrets, folders and ids, and the default answers
    #[arg(long, value_name = "CASE", conflicts_with_all = ["json", "only_changed", "position"])]
    pub as_fixture: Option<PathBuf>,
}

/// The switch, as UNATTENDED says it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
#[allow(missing_docs, reason = "docstrings here would become part of the help")]
pub enum Standing {
    On,
    Off,
    Auto,
}

impl Standing {
    /// The value of UNATTENDED.
    pub fn said(self) -> &'static str {
        match self {
            Standing::On => "on",
            Standing::Off => "off",
            Standing::Auto => "auto",
        }
    }
}
