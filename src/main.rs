//! The hook's fast path, else the command line; the one place that prints errors and exits.

use std::io::{IsTerminal, stderr, stdin};
use std::process::ExitCode;

use clap::Parser;
use unattended::cli::{Cli, StatuslineArgs, Verb};
use unattended::commands;
use unattended::room;
use unattended::switch::Position;
use unattended::trouble::Trouble;

/// The allocator of musl asks the system for every few pages and gives them back at once; this one keeps them. It saves
/// a question some 30 system calls.
#[global_allocator]
static ALLOCATOR: dlmalloc::GlobalDlmalloc = dlmalloc::GlobalDlmalloc;

fn main() -> ExitCode {
    if !room::first() && commands::no_memory::answer() {
        return ExitCode::SUCCESS;
    }
    if let Some((registered_for, timeout)) = called_as_hook() {
        commands::hook::run(registered_for.as_deref(), timeout);
        return ExitCode::SUCCESS;
    }
    command_line()
}

/// Everything but the hook. On its own, so that the hook's stack holds nothing of it.
#[inline(never)]
fn command_line() -> ExitCode {
    end_where_nobody_reads();
    if let Some(args) = called_for_the_status_line() {
        commands::statusline::run(&args);
        return ExitCode::SUCCESS;
    }
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(said) if said.use_stderr() => said.exit(),
        // Help, or the version.
        Err(said) => return ended(commands::out::print(&said.render().ansi().to_string()).map(|()| ExitCode::SUCCESS)),
    };
    let done = match &cli.verb {
        Verb::Review(args) => return ended(commands::review::run(args)),
        Verb::Ack(args) => return ended(commands::correct::ack(args)),
        Verb::Correct(args) => commands::correct::correct(args),
        Verb::Export(args) => return ended(commands::export::run(args)),
        Verb::Answer(args) => commands::answer::run(args),
        Verb::Watch(args) => commands::watch::run(args),
        Verb::Hook(args) => {
            commands::hook::run(args.registered_for.as_deref(), args.timeout);
            Ok(())
        }
        Verb::Install(args) => commands::install::run(args),
        Verb::Uninstall(args) => commands::uninstall::run(args),
        Verb::On(span) => commands::switch::say(Position::On, span),
        Verb::Off(span) => commands::switch::say(Position::Off, span),
        Verb::Auto => commands::switch::auto(),
        Verb::Status(args) => commands::status::run(args),
        Verb::Statusline(args) => {
            commands::statusline::run(args);
            Ok(())
        }
        Verb::Explain(args) => commands::explain::run(args),
        Verb::Replay(args) => return ended(commands::replay::run(args)),
        Verb::Doctor(args) => match commands::doctor::run(args) {
            Ok(code) => return code,
            Err(error) => Err(error),
        },
        Verb::Run(args) => match commands::run::run(args) {
            Ok(code) => return code,
            Err(error) => Err(error),
        },
        Verb::Keep(args) => match commands::run::keep(args) {
            Ok(code) => return code,
            Err(error) => Err(error),
        },
        Verb::Prompt => {
            commands::prompt::run();
            Ok(())
        }
        Verb::Completions(args) => commands::completions::run(args),
        Verb::Man(args) => commands::man::run(args),
    };
    ended(done.map(|()| ExitCode::SUCCESS))
}

/// Whether this is the client's call for its status line. It comes at each turn, and to lay out all that the command line
/// can say takes longer than the answer.
fn called_for_the_status_line() -> Option<StatuslineArgs> {
    let mut args = std::env::args_os().skip(1);
    if args.next()? != "statusline" {
        return None;
    }
    let rest: Vec<_> = args.collect();
    rest.iter().all(|arg| arg == "--color").then_some(StatuslineArgs { color: !rest.is_empty(), recount: false })
}

/// Printing panics where standard output takes nothing: who closed it has read enough, all else is an error to be told.
fn end_where_nobody_reads() {
    let otherwise = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        match panic.payload().downcast_ref::<String>().filter(|said| said.starts_with("failed printing to stdout")) {
            Some(said) if said.contains("Broken pipe") => std::process::exit(0),
            Some(said) => {
                let why = said.split_once(": ").map_or(said.as_str(), |(_, why)| why);
                complain(&commands::out::not_taken(&why));
                std::process::exit(1);
            }
            None => otherwise(panic),
        }
    }));
}

/// The exit code, and the error for a person.
fn ended(done: anyhow::Result<ExitCode>) -> ExitCode {
    done.unwrap_or_else(|error| {
        complain(&error);
        ExitCode::FAILURE
    })
}

/// Whether this is a hook call, told before the command line is looked at: `hook …`, or a payload on standard input and
/// no argument, as clients before 2.1.139 call it (FACTS.md, Settings 2). A hook never fails, so that words behind
/// `hook` that nothing knows are passed over, but for a person's question for help.
fn called_as_hook() -> Option<(Option<String>, Option<u64>)> {
    let mut args = std::env::args_os().skip(1);
    match args.next() {
        None => (!stdin().is_terminal()).then_some((None, None)),
        Some(verb) if verb == "hook" => {
            let rest: Vec<_> = args.collect();
            if rest.iter().any(|arg| arg == "--help" || arg == "-h") {
                return None;
            }
            let after = |name: &str| rest.iter().skip_while(|arg| *arg != name).nth(1);
            let registered_for = after("--for").map(|value| value.to_string_lossy().into_owned());
            Some((registered_for, after("--timeout").and_then(|value| value.to_str()?.parse().ok())))
        }
        Some(_) => None,
    }
}

/// The error, its causes, and what to do about it.
fn complain(error: &anyhow::Error) {
    let bold = anstyle::Style::new().bold().fg_color(Some(anstyle::AnsiColor::Red.into()));
    anstream::eprintln!("{bold}error:{bold:#} {}", fitted(&format!("{error:#}"), "error: "));
    if let Some(trouble) = error.downcast_ref::<Trouble>() {
        anstream::eprintln!("hint: {}", fitted(&trouble.hint, "hint: "));
    }
}

/// A text for behind `label`, in lines that fit the terminal; as it is where there is none, so that it can be searched.
fn fitted(text: &str, label: &str) -> String {
    let Some((terminal_size::Width(width), _)) = terminal_size::terminal_size_of(stderr()) else {
        return text.to_owned();
    };
    let width = usize::from(width).clamp(40, 100).saturating_sub(label.len());
    let fits = |line: &str| textwrap::fill(line, textwrap::Options::new(width).break_words(false));
    let lines: Vec<String> = text.lines().map(fits).collect();
    lines.join("\n").replace('\n', &format!("\n{}", " ".repeat(label.len())))
}
