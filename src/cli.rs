//! The command line: clap types, nothing else.

mod answering;
mod installing;
mod reviewing;
mod running;
mod trying;

use clap::{Args, Parser, Subcommand};

pub use self::answering::{AnswerArgs, WatchArgs};
pub use self::installing::{InstallArgs, PlaceArgs, Scope, UninstallArgs};
pub use self::reviewing::{AckArgs, CorrectArgs, ExportArgs, ReviewArgs, ReviewKind};
pub use self::running::{DoctorArgs, KeepArgs, RunArgs};
pub use self::trying::{ExplainArgs, ReplayArgs, Standing, StatuslineArgs};

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
  unattended doctor           what would keep the next run waiting
  unattended run -- PROMPT    start claude -p, and nothing keeps it waiting
  unattended on --for 8h      answer in terminal sessions too, for a night
  unattended status           what holds, and what was decided today
  unattended review           what was decided without you, and why
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
    /// Register the hooks in the client's settings
    #[command(after_help = "Examples:\n  unattended install\n  unattended install --dry-run\n  \
        unattended install --scope project\n  claude --settings \"$(unattended install --print)\"")]
    Install(InstallArgs),
    /// Take the hooks out of the client's settings again
    #[command(after_help = "Examples:\n  unattended uninstall\n  unattended uninstall --dry-run")]
    Uninstall(UninstallArgs),
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
    /// Print one line for Claude Code's status line
    ///
    /// What holds for the session, how many decisions wait for your review, what waited today. Reads what Claude Code
    /// pipes in; always exits with 0.
    #[command(after_help = "Examples:\n  unattended statusline < /dev/null\n  unattended statusline --color\n\n\
        In settings.json:\n  \"statusLine\": {\"type\": \"command\", \"command\": \"unattended statusline\"}")]
    Statusline(StatuslineArgs),
    /// Say what would be answered to an event now, and what decides it
    #[command(
        after_help = "Examples:\n  unattended explain PreToolUse AskUserQuestion\n  unattended explain PermissionRequest\n  \
        unattended explain PreToolUse EnterPlanMode --mode auto"
    )]
    Explain(ExplainArgs),
    /// Answer recorded payloads as things stand now, beside what was answered then
    ///
    /// Takes payloads of hooks, records, or both, one a line; touches no state and waits for nobody. A record's session
    /// is attended as it was then; one of which only payloads are there counts as one that nobody attends. Exits with 1 if
    /// a line was neither.
    #[command(after_help = "Examples:\n  unattended replay payloads.jsonl\n  \
        unattended export --since 8h | unattended replay - --only-changed\n  \
        unattended replay report.jsonl --as-fixture tests/fixtures/2.1.332/my-case")]
    Replay(ReplayArgs),
    /// Find what would keep the next run waiting, and say what to do
    ///
    /// Exits with 0 if nothing failed, else with 1.
    #[command(after_help = "Examples:\n  unattended doctor\n  unattended doctor --no-mcp\n  \
        unattended doctor --only wiring,live --fix\n  unattended doctor --json --strict")]
    Doctor(DoctorArgs),
    /// Show what was decided without you, and what was assumed
    ///
    /// Of the last 24 hours where nothing else is said; with --unreviewed, --check, --rules or --session of all that is
    /// kept. Where it is a terminal, colours and its width; NO_COLOR takes the colours away. Exits with 1 if a file of records
    /// of that time could not be read; what could be read is shown.
    #[command(
        after_help = "Examples:\n  unattended review\n  unattended review --since 2026-11-28 --kind question\n  \
        unattended review --unreviewed --project .\n  unattended review --check\n  unattended review --rules"
    )]
    Review(ReviewArgs),
    /// Mark decisions as reviewed
    ///
    /// With --all, exits with 1 if a file of records could not be read; what could be read is marked.
    #[command(after_help = "Examples:\n  unattended ack 3f2a91c 77aa012\n  unattended ack --all")]
    Ack(AckArgs),
    /// Say what you want instead; the next session of the project is told
    #[command(after_help = "Examples:\n  unattended correct 3f2a91c \"Blue\"\n  unattended correct 3f2a91c < text")]
    Correct(CorrectArgs),
    /// Answer what waits for a person: questions, plans, permissions
    ///
    /// With nothing else said it walks through all that waits. What waits, and for how long, is set by `wait` in the
    /// config. An answer is one word for each question: the number of an option, several as in 1,3 where several may be
    /// chosen, or words of your own. For a plan it is approve, or reject and why; for a tool allow, or deny and perhaps
    /// why. What begins with = is taken as it stands behind it. Exits with 0 where the answer was taken, with 1 where
    /// it was not, and with 2 where the command line is not understood. A program that hands on what a person wrote puts
    /// -- before the id and = before the words.
    #[command(after_help = "Examples:\n  unattended answer\n  unattended answer --list\n  \
        unattended answer 3f2a91c 2\n  unattended answer 3f2a91c \"Blue, always\"\n  \
        unattended answer 3f2a91c approve --mode acceptEdits\n  unattended answer 3f2a91c reject \"Tests first\"\n  \
        unattended answer 3f2a91c deny \"Use the test database\"")]
    Answer(AnswerArgs),
    /// Print what waits for a person, what became of it, and each record, as JSON lines
    ///
    /// For programs that put it before a person elsewhere: a chat, a web page. What waits already comes first. It goes on
    /// until nobody reads it. The schema of a line is docs/watch.schema.json.
    #[command(
        after_help = "Examples:\n  unattended watch\n  unattended watch --requests | jq --unbuffered .request.id"
    )]
    Watch(WatchArgs),
    /// Write records as JSON lines, merged from many state folders
    ///
    /// Exits with 1 if a file of records of that time could not be read; what could be read is written.
    #[command(after_help = "Examples:\n  unattended export --since 8h\n  \
        unattended export --from ci/1 ci/2 --output fleet.jsonl")]
    Export(ExportArgs),
    /// Start `claude -p` so that nothing keeps it waiting, and wait for it
    ///
    /// Looks first at what would keep it waiting, as doctor does. Then the client runs with no terminal, with the hooks,
    /// and with tools that ask nobody. Its standard output and its exit code are those of the run; all else goes to
    /// standard error. Exits with 3 if something stands in its way, with 4 if it was ended at a limit.
    #[command(after_help = "Examples:\n  unattended run -- \"fix the failing tests\"\n  \
        unattended run --max-silence 30m -- --model opus \"fix the tests\"\n  \
        unattended run -- --permission-mode acceptEdits < task.md")]
    Run(RunArgs),
    /// Keep the client of a run; `run` calls this
    #[command(hide = true, name = "keep-client")]
    Keep(KeepArgs),
    /// Print what an unattended session is told at its start
    #[command(after_help = "Example:\n  claude -p --append-system-prompt \"$(unattended prompt)\" \"fix the tests\"")]
    Prompt,
    /// Print a shell's completions
    #[command(after_help = COMPLETIONS_HELP)]
    Completions(CompletionsArgs),
    /// Print a manual page, in roff
    #[command(after_help = "Examples:\n  unattended man | man -l -\n  unattended man install > unattended-install.1")]
    Man(ManArgs),
}

const COMPLETIONS_HELP: &str = "\
Examples:
  source <(unattended completions bash)
  unattended completions zsh > ~/.zfunc/_unattended
  unattended completions fish > ~/.config/fish/completions/unattended.fish";

/// `hook`
#[derive(Debug, Args)]
pub struct HookArgs {
    /// What it is registered for: the answer if no payload comes
    #[arg(long = "for", value_name = "EVENT[:TOOL]")]
    pub registered_for: Option<String>,
    /// After how many seconds the client ends it: a wait for a person is shorter
    #[arg(long, value_name = "SECONDS")]
    pub timeout: Option<u64>,
}

/// `completions`
#[derive(Debug, Args)]
pub struct CompletionsArgs {
    /// The shell
    #[arg(value_enum)]
    pub shell: clap_complete::Shell,
}

/// `man`
#[derive(Debug, Args)]
pub struct ManArgs {
    /// The verb whose page it is [default: the program's]
    #[arg(value_name = "VERB")]
    pub verb: Option<String>,
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
