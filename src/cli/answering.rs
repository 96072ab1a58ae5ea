//! The command line of the verbs for what waits for a person: clap types, nothing else.

use clap::Args;

/// `answer`. Its help is a flag like others: that of clap exits with 0, which here says that an answer was taken.
#[derive(Debug, Args)]
#[command(disable_help_flag = true)]
pub struct AnswerArgs {
    /// Which: as much of its id as tells it apart [default: one after another]
    #[arg(value_name = "ID")]
    pub id: Option<String>,
    /// The answer: one word, or one text in quotes, for each question
    #[arg(value_name = "ANSWER")]
    pub words: Vec<String>,
    /// The permission mode in which an approved plan is carried out
    #[arg(long, value_name = "MODE", requires = "words")]
    pub mode: Option<String>,
    /// By which means the person answers, for the record: for programs that call this
    #[arg(long, value_name = "TEXT", default_value = "terminal")]
    pub means: String,
    /// Show what waits
    #[arg(long, conflicts_with_all = ["id", "words"])]
    pub list: bool,
    /// With --list: print one JSON array
    #[arg(long)]
    pub json: bool,
    /// Print help
    #[arg(short, long)]
    pub help: bool,
}

/// `watch`
#[derive(Debug, Args)]
pub struct WatchArgs {
    /// Only what waits for a person, and what became of it
    #[arg(long)]
    pub requests: bool,
}
