//! `unattended ack` and `unattended correct`: a person's word on what was decided without them. Only ever appends.

use std::io::{IsTerminal, Read, stdin};
use std::path::Path;
use std::process::ExitCode;

use anyhow::Context;
use chrono::{DateTime, Duration, SubsecRound, Utc};

use super::{out, state_folder, unlisted};
use crate::cli::{AckArgs, CorrectArgs};
use crate::correction::Correction;
use crate::hash;
use crate::history::{self, Decided, Detail, Odd, Span, Why};
use crate::policy::Policy;
use crate::project::Project;
use crate::review::text::{harmless, line};
use crate::review::{self, Filter, Item, Lacks};
use crate::reviews;
use crate::trouble::Trouble;

/// How long a correction may be, in characters: it is read by every session that starts until one has done with it.
const TEXT_LIMIT: usize = 4_000;
/// How many decisions an ambiguous id lists.
const LISTED: usize = 8;

/// Marks decisions as reviewed. Exits with 1 where all were meant and a file of records could not be read.
///
/// # Errors
/// An id that names no decision or several, or a state folder that cannot be read or written.
pub fn ack(args: &AckArgs) -> anyhow::Result<ExitCode> {
    let state = state_folder()?;
    let (decisions, lacks) = if args.all {
        review::unreviewed(&state, Span::default()).map_err(|error| unlisted(&state, &error))?
    } else {
        (args.ids.iter().map(|id| find(&state, id)).collect::<anyhow::Result<Vec<_>>>()?, Lacks::default())
    };
    reviews::acknowledge(&state, decisions.iter().map(Decided::id), moment())
        .map_err(|error| unwritten(&reviews::file(&state), &error))?;
    out::say(&match decisions.as_slice() {
        [] if !lacks.odd.is_empty() => "Nothing to do: every decision that can be read is reviewed.".to_owned(),
        [] => "Nothing to do: every decision is reviewed.".to_owned(),
        [one] => format!("{} is reviewed.", reviews::name(one.id())),
        many => format!("{} decisions are reviewed.", many.len()),
    })?;
    out::tell_lacks(&lacks);
    Ok(if lacks.odd.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// That what a person said could not be written down.
fn unwritten(file: &Path, error: &std::io::Error) -> anyhow::Error {
    let odd = Odd::of(file, error);
    match odd.why {
        Why::Refused(_) => Trouble::error(
            format!("{} cannot be written: {error}", crate::paths::shown(file)),
            "see that you may write it, and that there is room",
        ),
        _ => Trouble::error(odd.what(), odd.remedy()),
    }
}

/// Corrects a decision.
///
/// # Errors
/// An id that names no decision or several, a text that is none, or a state folder that cannot be read or written.
pub fn correct(args: &CorrectArgs) -> anyhow::Result<()> {
    let state = state_folder()?;
    let text = text(args.text.as_deref())?;
    let decided = find(&state, &args.id)?;
    let item = item(&state, &decided)?;
    let now = crate::clock::now();
    let project = item.cwd.as_deref().map(|cwd| Project::of(Path::new(cwd)));
    let nanoseconds = now.timestamp_nanos_opt().unwrap_or_default();
    let own = hash::more(hash::of(item.id.as_bytes()), &nanoseconds.to_le_bytes());
    let correction = Correction {
        v: reviews::VERSION,
        at: now.trunc_subsecs(3),
        correction: reviews::name(own),
        id: item.id.clone(),
        kind: item.kind,
        asked: item.asked.clone(),
        assumed: item.assumption.clone(),
        text,
        project: project.as_ref().map(Project::key),
        session_id: item.session_id.clone(),
    };
    reviews::correct(&state, &correction, project.as_ref()).map_err(|(file, error)| unwritten(&file, &error))?;
    println!("{} is corrected: {}", item.id, line(&item.asked, 40));
    match project {
        Some(project) => {
            println!("The next session in {} is told.", harmless(&crate::paths::shown(project.folder())));
        }
        None => println!("Its records name no folder, so that no session is told."),
    }
    Ok(())
}

/// What the person wants instead: the argument, else standard input.
fn text(argument: Option<&str>) -> anyhow::Result<String> {
    let hint = "say what you want instead: unattended correct ID \"Blue, always.\"";
    let text = match argument {
        Some(text) => text.to_owned(),
        None if stdin().is_terminal() => return Err(Trouble::error("there is no correction", hint)),
        None => {
            let mut text = String::new();
            let limit = TEXT_LIMIT as u64 * 4 + 4;
            stdin().take(limit).read_to_string(&mut text).context("standard input could not be read as text")?;
            text
        }
    };
    let text = harmless(text.trim());
    match text.chars().count() {
        0 => Err(Trouble::error("the correction is empty", hint)),
        count if count > TEXT_LIMIT => Err(Trouble::error(
            format!("the correction is longer than {TEXT_LIMIT} characters"),
            "put the details into a file of the project and name it in the correction",
        )),
        _ => Ok(text),
    }
}

/// The one decision whose id begins so.
fn find(state: &Path, id: &str) -> anyhow::Result<Decided> {
    let start = id.to_lowercase();
    if start.len() < 4 || start.len() > 16 || !start.bytes().all(|b| b.is_ascii_hexdigit()) {
        return Err(Trouble::error(
            format!("\"{}\" is no id", line(id, 40)),
            "an id is what `unattended review` shows before a decision, at least four of its digits",
        ));
    }
    let (mut found, odd) = review::named(state, &start).map_err(|error| unlisted(state, &error))?;
    if found.is_empty() {
        // It may stand in there.
        out::tell_odd(&odd);
    }
    match (found.pop(), found.is_empty()) {
        (Some(one), true) => Ok(one),
        (None, _) => Err(Trouble::error(
            format!("no decision has an id that begins with {start}"),
            "unattended review --all shows every decision that is kept",
        )),
        (Some(last), false) => {
            let all = found.iter().chain([&last]).map(|decided| reviews::name(decided.id()));
            let listed: Vec<String> = all.take(LISTED).collect();
            Err(Trouble::error(
                format!("{} decisions have ids that begin with {start}", found.len() + 1),
                format!("write more of it; among them are {}", listed.join(", ")),
            ))
        }
    }
}

/// All that is known of a decision, what was assumed after it included.
fn item(state: &Path, decided: &Decided) -> anyhow::Result<Item> {
    let id = decided.id();
    let moment = Span { since: Some(decided.at), until: Some(decided.at + Duration::milliseconds(1)) };
    let there = history::read(state, moment, Detail::Records).map_err(|error| unlisted(state, &error))?;
    let there = there.decisions.iter().find(|there| there.id() == id).map(Decided::record).unwrap_or_default();
    let session = there.get("session_id").and_then(|session| session.as_str()).map(str::to_owned);
    // Its session may say only later what was assumed.
    let span = Span { since: Some(decided.at), until: None };
    let mask = Policy::load().config.records.mask;
    let filter = Filter { span, session, mask, ..Filter::default() };
    let review = review::make(state, &filter).map_err(|error| unlisted(state, &error))?;
    let name = reviews::name(id);
    let items = review.projects.into_iter().flat_map(|project| project.runs).flat_map(|run| run.items);
    items.into_iter().find(|item| item.id == name).ok_or_else(|| {
        Trouble::error(format!("the records of {name} are gone"), "unattended review --all shows what is kept")
    })
}

/// Now, as precise as records are.
fn moment() -> DateTime<Utc> {
    crate::clock::now().trunc_subsecs(3)
}
