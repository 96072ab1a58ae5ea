//! The command line: clap types, nothing else.

mod answering;

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::client::Version;
use crate::doctor::Check;

pub use self::answering::{AnswerArgs, WatchArgs};

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
    /// kept. Where it is a terminal, colours and its width; NO_COLOR takes the colours away.
    #[command(
        after_help = "Examples:\n  unattended review\n  unattended review --since 2026-11-28 --kind question\n  \
        unattended review --unreviewed --project .\n  unattended review --check\n  unattended review --rules"
    )]
    Review(ReviewArgs),
    /// Mark decisions as reviewed
    #[command(after_help = "Examples:\n  unattended ack 3f2a91c 77aa012\n  unattended ack --all")]
    Ack(AckArgs),
    /// Say what you want instead; the next session of the project is told
    #[command(after_help = "Examples:\n  unattended correct 3f2a91c \"Blue\"\n  unattended correct 3f2a91c < text")]
    Correct(CorrectArgs),
    /// Answer what waits for a person: questions, plans, permissions
    ///
    /// With nothing else said it walks through all that waits. What waits, and for how long, is set by `wait` in the
    /// config. An answer is one word for each question: the number of an option, several as in 1,3 where several may be
    /// chosen, or words of your own; what begins with = is taken as it stands behind it. For a plan it is approve, or
    /// reject and why; for a tool allow, or deny and perhaps why. Exits with 1 where it was not taken.
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
    #[arg(long, value_name = "MODE")]
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

/// `doctor`
#[derive(Debug, Args)]
pub struct DoctorArgs {
    /// Only these checks
    #[arg(long, value_name = "ID,…", value_delimiter = ',')]
    pub only: Vec<Check>,
    /// Register our hooks anew and make our folder private, where that is what is wrong
    #[arg(long)]
    pub fix: bool,
    /// Let warnings, and what could not be found out, count as failures
    #[arg(long)]
    pub strict: bool,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
    /// Do not start MCP servers
    #[arg(long)]
    pub no_mcp: bool,
    /// As long as the MCP servers may take to answer
    #[arg(long, value_name = "DURATION", default_value = "60s")]
    pub mcp_timeout: String,
    /// Servers that a run gets besides, as for `claude --mcp-config`
    #[arg(long, value_name = "FILE")]
    pub mcp_config: Vec<String>,
    /// The client [default: claude on PATH]
    #[arg(long, value_name = "PATH")]
    pub client: Option<PathBuf>,
}

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

/// `run`
#[derive(Debug, Args)]
pub struct RunArgs {
    /// End it after so long without output, transcript or hook
    #[arg(long, value_name = "DURATION")]
    pub max_silence: Option<String>,
    /// End it after so long
    #[arg(long, value_name = "DURATION")]
    pub max_time: Option<String>,
    /// Start at once, without looking at what would keep it waiting
    #[arg(long)]
    pub no_preflight: bool,
    /// Do not start MCP servers beforehand
    #[arg(long)]
    pub no_mcp: bool,
    /// As long as the MCP servers may take to answer beforehand
    #[arg(long, value_name = "DURATION", default_value = "60s")]
    pub mcp_timeout: String,
    /// The client [default: claude on PATH]
    #[arg(long, value_name = "PATH")]
    pub client: Option<PathBuf>,
    /// What the client is given; -p is added
    #[arg(last = true, value_name = "CLAUDE_ARGS")]
    pub args: Vec<OsString>,
}

/// `keep-client`
#[derive(Debug, Args)]
pub struct KeepArgs {
    /// The process that asks for it
    #[arg(long)]
    pub parent: u32,
    /// The client and its arguments
    #[arg(last = true, required = true)]
    pub command: Vec<OsString>,
}

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
