//! `unattended explain`: what would be answered to an event now, and what decides it. Reads config, switch and, where it is
//! named, what a session remembers; writes nothing.

use anyhow::Context;

use super::review::{print, width};
use crate::cli::ExplainArgs;
use crate::correction::Correction;
use crate::explain::cases::{self, Case, EVENTS, Wanted};
use crate::explain::{Ground, explain, screen};
use crate::memory::Memory;
use crate::policy::Policy;
use crate::review::text::{harmless_json, line};
use crate::store::Store;
use crate::switch::{self, Surroundings};
use crate::trouble::Trouble;
use crate::{clock, paths, reviews, standing};

/// Prints it.
///
/// # Errors
/// An event that is none, or a session that cannot be read.
pub fn run(args: &ExplainArgs) -> anyhow::Result<()> {
    let now = clock::now();
    let wanted = Wanted { about: args.about.as_deref(), mode: args.mode.as_deref(), session: args.session.as_deref() };
    let cases = cases::of(&args.event, wanted, now);
    if cases.is_empty() {
        let known: Vec<&str> = EVENTS.iter().map(|(event, _)| *event).collect();
        return Err(Trouble::error(
            format!("\"{}\" is no event that is answered or recorded", line(&args.event, 40)),
            format!("the events are {}", known.join(", ")),
        ));
    }
    let policy = Policy::load();
    let memory = args.session.as_deref().map(memory).transpose()?.unwrap_or_default();
    let here = policy.verdict(now, || memory.there_since());
    let [unattended, attended] = ["0", "1"].map(|attended| {
        let surroundings = Surroundings { attended: Some(attended.to_owned()), ..policy.surroundings.clone() };
        let there_since = || memory.there_since();
        switch::resolve(&surroundings, policy.switch.as_ref(), policy.config.default, now, there_since)
    });
    let lines = [here, unattended, attended].map(|verdict| (verdict, standing::start_line(&policy, verdict, now)));
    let standings = lines.each_ref().map(|(verdict, line)| (*verdict, line.as_str()));
    let explained = cases.iter().map(|case| {
        let (file, corrections) = due(case, &memory)?;
        let corrections = (file.as_str(), corrections.as_slice());
        Ok(explain(case, Ground { config: &policy.config, memory: &memory, standings, corrections })?)
    });
    let explained = explained.collect::<anyhow::Result<Vec<_>>>()?;
    if args.json {
        return print(&format!("{}\n", harmless_json(&serde_json::to_string_pretty(&explained)?)));
    }
    for problem in &policy.problems {
        anstream::eprintln!("warning: {problem}");
    }
    let screens: Vec<String> = explained.iter().map(|explained| screen::show(explained, width())).collect();
    print(&screens.join("\n"))
}

/// The corrections that are due to a session which starts so in this folder.
fn due(case: &Case, memory: &Memory) -> anyhow::Result<(String, Vec<Correction>)> {
    let (Some(state), Ok(cwd), "SessionStart") = (paths::state_folder(), std::env::current_dir(), case.event.as_str())
    else {
        return Ok(Default::default());
    };
    reviews::due_at_start(&state, &cwd, case.about.as_deref(), || memory.given())
        .with_context(|| format!("could not read the corrections in {}", paths::shown(&state)))
}

/// What a session remembers, as the registration sees it that noted something last.
fn memory(session: &str) -> anyhow::Result<Memory> {
    let state = super::state_folder()?;
    let shown = line(session, 40);
    let memory = Store::of(&state, session)
        .load("")
        .with_context(|| format!("could not read what session {shown} remembers in {}", paths::shown(&state)))?;
    if memory.there_since().is_none() {
        let hint = "`unattended review` names sessions by their ids; give one whole";
        return Err(Trouble::error(format!("nothing is remembered of a session {shown}"), hint));
    }
    Ok(memory.as_last_noted())
}
