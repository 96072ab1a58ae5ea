//! The command line: clap types, nothing else.

use clap::{Args, Parser, Subcommand};

/// Keeps Claude Code runs moving when nobody is there to answer.
#[derive(Debug, Parser)]
#[command(name = "unattended", version, arg_required_else_help = true, max_term_width = 80, after_help = AFTER_HELP)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub verb: Verb,
}

const AFTER_HELP: &str = "\
Examples:
  unattended install          register the hooks in ~/.claude/settings.json
  unattended on --for 8h      answer in terminal sessions too, for a night
  unattended status           what holds, and what was decided today
  unattended off              leave every dialog to you, at once

With a payload on standard input and no verb it is the hook itself.";

/// The verbs.
#[derive(Debug, Subcommand)]
pub enum Verb {
    /// Answer one hook payload from standard input
    ///
    /// Claude Code calls this. It writes at most one JSON object and exits with 0, whatever happens.
    #[command(after_help = "Example:\n  unattended hook < payload.json")]
    Hook(HookArgs),
    /// Answer dialogs in every session
    #[command(after_help = "Examples:\n  unattended on\n  unattended on --for 8h\n  unattended on --until 07:00")]
    On(SpanArgs),
    /// Leave dialogs to a person in every session, at once
    #[command(after_help = "Examples:\n  unattended off\n  unattended off --for 2h")]
    Off(SpanArgs),
    /// Answer dialogs where nobody attends the session (the default)
    #[command(after_help = "Example:\n  unattended auto")]
    Auto,
    /// Show what holds, why, until when, and what was decided today
    #[command(after_help = "Examples:\n  unattended status\n  unattended status --json")]
    Status(StatusArgs),
    /// Print what an unattended session is told at its start
    #[command(after_help = "Example:\n  claude -p --append-system-prompt \"$(unattended prompt)\" \"fix the tests\"")]
    Prompt,
}

/// `hook`
#[derive(Debug, Args)]
pub struct HookArgs {
    /// What it is registered for: the answer if no payload comes
    #[arg(long = "for", value_name = "EVENT[:TOOL]")]
    pub registered_for: Option<String>,
}

/// How long a position of the switch holds.
#[derive(Debug, Args)]
#[group(multiple = false)]
pub struct SpanArgs {
    /// End after this time, such as 8h or 90m
    #[arg(long = "for", value_name = "DURATION")]
    pub duration: Option<String>,
    /// End at this time: 07:00, or "2026-12-01 07:00"
    #[arg(long, value_name = "TIME")]
    pub until: Option<String>,
}

/// `status`
#[derive(Debug, Args)]
pub struct StatusArgs {
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
}
