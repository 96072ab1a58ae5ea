//! `unattended answer`: a person's answer to what waits for one, by a word of the command line or in a prompt. Refuses
//! what fits nothing that waits, and says of each answer whether it was taken.

mod give;
mod prompt;
mod told;

use std::io::{IsTerminal, stdin};
use std::path::Path;

use anyhow::Context;
use chrono::{DateTime, Local, Utc};
use clap::CommandFactory;
use serde::Serialize;
use serde_json::value::RawValue;

use self::give::{Given, give};
use self::told::{ended, fitting, told};
use super::review::{print, width};
use super::state_folder;
use crate::cli::{AnswerArgs, Cli};
use crate::project::Project;
use crate::request::screen::{self, Screen};
use crate::request::{Asked, MEANS_LIMIT, Reply, Request, Said, VERSION, words};
use crate::review::text::{harmless_json, line, wrapped};
use crate::trouble::Trouble;
use crate::{clock, paths, pending};

/// How many digits of an id are shown at least, and how many must be named.
const SHOWN: usize = 7;
const NAMED: usize = 4;
const LIST: &str = "`unattended answer --list` shows what waits";

/// One request, as `--list --json` prints it: without the token, which is for bridges alone.
#[derive(Debug, Serialize)]
struct Listed<'r> {
    id: &'r str,
    since: DateTime<Utc>,
    until: DateTime<Utc>,
    seconds_left: i64,
    record: &'r RawValue,
}

/// Lists, answers or walks through what waits.
///
/// # Errors
/// An id that names nothing that waits or several, an answer that does not fit, one that nobody took, or a state folder
/// that cannot be read or written.
pub fn run(args: &AnswerArgs) -> anyhow::Result<()> {
    if args.help && args.id.is_none() {
        return help();
    }
    if args.help || args.json && args.id.is_some() {
        let flag = if args.help { "--help" } else { "--json" };
        let hint = "put = before what a person said, and -- before the id: unattended answer -- ID deny \"=why\"";
        return Err(Trouble::error(format!("{flag} does not go with an answer, and none was given"), hint));
    }
    let state = state_folder()?;
    if args.list {
        return list(&state, args.json);
    }
    if args.json {
        return Err(Trouble::error("--json is for --list", "unattended answer --list --json"));
    }
    let means = means(&args.means)?;
    match (&args.id, args.words.as_slice()) {
        (None, _) if !stdin().is_terminal() => {
            Err(Trouble::error("there is no terminal to ask you on", format!("{LIST}; then unattended answer ID 2")))
        }
        (None, _) => prompt::walk(&state, None, means),
        (Some(id), []) => {
            let request = named(&state, id)?;
            if stdin().is_terminal() {
                return prompt::walk(&state, Some(&request), means);
            }
            let asked = asked(&request)?;
            Err(Trouble::error(format!("{} has been given no answer", short(&request.id)), fitting(&request, &asked)))
        }
        (Some(id), words) => one(&state, &named(&state, id)?, words, args.mode.as_deref(), means),
    }
}

fn help() -> anyhow::Result<()> {
    let mut all = Cli::command();
    all.build();
    let verb = all.find_subcommand_mut("answer").context("there is no help")?;
    print(&verb.render_long_help().ansi().to_string())
}

fn means(text: &str) -> anyhow::Result<&str> {
    match text.trim() {
        means if (1..=MEANS_LIMIT).contains(&means.chars().count()) => Ok(means),
        _ => Err(Trouble::error(
            format!("\"{}\" says nothing about the means", line(text, 40)),
            format!("say in at most {MEANS_LIMIT} characters how the person answers: --means chat"),
        )),
    }
}

fn list(state: &Path, json: bool) -> anyhow::Result<()> {
    let requests = waiting(state)?;
    let now = clock::now();
    if json {
        let listed = requests.iter().map(|request| Listed {
            id: &request.id,
            since: request.since,
            until: request.until,
            seconds_left: screen::seconds_left(request, now),
            record: &request.record,
        });
        let json = serde_json::to_string_pretty(&listed.collect::<Vec<_>>())?;
        return print(&format!("{}\n", harmless_json(&json)));
    }
    if requests.is_empty() {
        return print("Nothing waits for a person.\n");
    }
    let screen = Screen { width: width(), whole: false, id_length: id_length(&requests) };
    let mut parts = Vec::new();
    for request in &requests {
        parts.push(match asked(request) {
            Ok(asked) => {
                let head = screen::head(request, &asked, &folder(&asked), now, screen);
                format!("{head}{}", screen::body(&asked, screen))
            }
            Err(error) => wrapped(&error.to_string(), screen.width, ""),
        });
    }
    print(&parts.join("\n"))?;
    if std::io::stdout().is_terminal() {
        let hint = "unattended answer ID 2, or ID \"words of your own\"; unattended answer asks you";
        eprint!("{}", wrapped(hint, width(), "hint: "));
    }
    Ok(())
}

/// What waits, the oldest first.
fn waiting(state: &Path) -> anyhow::Result<Vec<Request>> {
    pending::list(state)
        .with_context(|| format!("could not read what waits in {}", paths::shown(&pending::folder(state))))
}

/// The one request that waits whose id begins so.
fn named(state: &Path, id: &str) -> anyhow::Result<Request> {
    let start = id.to_lowercase();
    if start.len() < NAMED || start.len() > 16 || !start.bytes().all(|b| b.is_ascii_hexdigit()) {
        let hint = format!("say at least {NAMED} digits of an id, as `unattended answer --list` shows it");
        return Err(Trouble::error(format!("\"{}\" is no id", line(id, 40)), hint));
    }
    let mut found: Vec<Request> =
        waiting(state)?.into_iter().filter(|request| request.id.starts_with(&start)).collect();
    match (found.pop(), found.is_empty()) {
        (Some(one), true) => Ok(one),
        (None, _) => Err(over(state, &start)),
        (Some(last), false) => {
            let ids: Vec<&str> = found.iter().chain([&last]).map(|request| request.id.as_str()).collect();
            let what = format!("{} requests have ids that begin with {start}", ids.len());
            Err(Trouble::error(what, format!("write more of it; they are {}", ids.join(", "))))
        }
    }
}

/// Why nothing of this id waits: it was answered, it was decided, or there was none.
fn over(state: &Path, start: &str) -> anyhow::Error {
    match give::ended(state, start) {
        Err(error) => anyhow::Error::new(error).context("could not read what is recorded"),
        Ok(None) => Trouble::error(format!("no request has an id that begins with {start}"), LIST),
        Ok(Some(outcome)) => ended(&outcome),
    }
}

/// Answers one request by the words of the command line.
fn one(state: &Path, request: &Request, said: &[String], mode: Option<&str>, means: &str) -> anyhow::Result<()> {
    let asked = asked(request)?;
    let said =
        words::said(&asked, said, mode).map_err(|why| Trouble::error(line(&why, 400), fitting(request, &asked)))?;
    println!("{}", taken(state, request, &asked, said, means)?);
    Ok(())
}

/// Leaves what was said, and says that it was taken.
fn taken(state: &Path, request: &Request, asked: &Asked, said: Said, means: &str) -> anyhow::Result<String> {
    let id = short(&request.id);
    let told = told(asked, &said);
    let reply = Reply { v: VERSION, token: request.token.clone(), means: means.to_owned(), said };
    let given = give(state, request, &reply)
        .with_context(|| format!("could not leave an answer in {}", paths::shown(&pending::folder(state))))?;
    let until = request.until.with_timezone(&Local).format("%H:%M:%S");
    let wakes = || format!("the hook wakes before {until}; is its process stopped?");
    let retry = || format!("{LIST}; unattended review shows what was decided");
    match given {
        Given::Taken => Ok(format!("{id}: taken: {told}")),
        Given::Second => Err(Trouble::error(
            format!("another answer to {id} lies there, and nobody has taken it yet: yours was not left"),
            format!("it counts if {}", wakes()),
        )),
        Given::TimeUp => Err(Trouble::error(
            format!("time for {id} was up at {until}: an answer does not count any more"),
            "its hook has not noticed yet: is its process stopped? It goes on without you when it wakes",
        )),
        Given::Late(Some(outcome)) => Err(ended(&outcome)),
        Given::Late(None) => Err(Trouble::error(format!("{id} waits no more"), retry())),
        Given::Refused => Err(Trouble::error(
            format!("the hook refused the answer to {id}: it takes it for none"),
            "is the hook of another version? `unattended install` registers this one",
        )),
        Given::Waits => Err(Trouble::error(
            format!("your answer to {id} lies there, and nobody has taken it yet"),
            format!("it counts if {}", wakes()),
        )),
        Given::Unrecorded => Err(Trouble::error(
            format!("{id} is gone and left no record: whether your answer was taken is not known"),
            "the hook may have been ended; look at the session itself",
        )),
    }
}

fn asked(request: &Request) -> anyhow::Result<Asked> {
    request.asked().map_err(|error| {
        Trouble::error(
            format!("{} cannot be read: {error}", short(&request.id)),
            "is the hook of another version? `unattended install` registers this one",
        )
    })
}

/// The folder of the project that it is of, for people.
fn folder(asked: &Asked) -> String {
    asked.cwd.as_deref().map(|cwd| paths::shown(Project::of(Path::new(cwd)).folder())).unwrap_or_default()
}

/// An id as it is shown alone.
fn short(id: &str) -> &str {
    id.get(..SHOWN).unwrap_or(id)
}

/// How many digits tell all of them apart.
fn id_length(requests: &[Request]) -> usize {
    let mut ids: Vec<&str> = requests.iter().map(|request| request.id.as_str()).collect();
    ids.sort_unstable();
    let alike = |one: &str, other: &str| one.bytes().zip(other.bytes()).take_while(|(one, other)| one == other).count();
    let needed = ids.windows(2).map(|pair| match pair {
        [one, other] => alike(one, other) + 1,
        _ => 0,
    });
    needed.max().unwrap_or_default().max(SHOWN)
}
