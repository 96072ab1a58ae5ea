//! `unattended review`: what was decided without a person, and what was assumed.

use std::io::{self, ErrorKind, IsTerminal, Write};
use std::process::ExitCode;

use anyhow::Context;
use chrono::{DateTime, Duration, Utc};
use serde::Serialize;

use super::state_folder;
use crate::cli::{ReviewArgs, ReviewKind};
use crate::history::Span;
use crate::policy::Policy;
use crate::project::Project;
use crate::record::Kind;
use crate::review::rules::{self, Rules};
use crate::review::screen::{self, Screen};
use crate::review::{Death, Filter, Item, Review, Totals, Wait, markdown, text};
use crate::trouble::Trouble;
use crate::{paths, retention, review, when};

/// The columns of a page where there is no terminal.
const PAGE: usize = 80;
/// How far back it goes where nothing is said.
const USUAL: Duration = Duration::hours(24);

/// What `review --json` prints.
#[derive(Debug, Serialize)]
struct Json<'r> {
    v: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    since: Option<DateTime<Utc>>,
    decisions: Vec<&'r Item>,
    stalls: Vec<&'r Wait>,
    died: Vec<&'r Death>,
    totals: &'r Totals,
}

/// Prints what fits the arguments. Exits with 1 where that was asked for and something waits for a review.
///
/// # Errors
/// A time or a project that is none, or records that cannot be read.
pub fn run(args: &ReviewArgs) -> anyhow::Result<ExitCode> {
    let now = crate::clock::now();
    let state = state_folder()?;
    let policy = Policy::load();
    retention::apply(&state, &policy, now)
        .with_context(|| format!("could not remove old records in {}", paths::shown(&state)))?;
    let filter = Filter { mask: policy.config.records.mask, ..filter(args, now)? };
    let review = review::make(&state, &filter)
        .with_context(|| format!("could not read what is recorded in {}", paths::shown(&state)))?;
    if args.rules {
        let rules = rules::of(&review);
        print(&if args.json { format!("{:#}\n", rules.settings()) } else { rules_text(&rules) })?;
        return Ok(ExitCode::SUCCESS);
    }
    let quiet = args.check && review.totals.unreviewed == 0;
    if args.json {
        let json = serde_json::to_string_pretty(&json(&review, filter.span.since))?;
        print(&format!("{}\n", text::harmless_json(&json)))?;
    } else if args.markdown {
        print(&markdown::write(&review, args.full))?;
    } else if !quiet {
        let shown = screen::show(&review, Screen { width: width(), full: args.full });
        print(&format!("{}{shown}", header(args, &filter)))?;
        if io::stdout().is_terminal() && review.totals.unreviewed > 0 {
            eprintln!("hint: unattended ack ID marks as reviewed; unattended correct ID \"TEXT\" tells");
            eprintln!("      the next session of the project what you want instead");
        }
    }
    Ok(if args.check && review.totals.unreviewed > 0 { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

fn filter(args: &ReviewArgs, now: DateTime<Utc>) -> anyhow::Result<Filter> {
    let since = match &args.since {
        Some(since) => Some(when::past(since, now)?),
        // What was not reviewed yet, or is asked for by name, may be older.
        None if args.all || args.unreviewed || args.check || args.rules || args.session.is_some() => None,
        None => Some(now - USUAL),
    };
    let project = args.project.as_deref().map(|path| {
        std::fs::canonicalize(path).map(|path| Project::of(&path)).map_err(|error| {
            let what = format!("{} cannot be found: {error}", path.display());
            Trouble::error(what, "name a folder of the project; `unattended review --all` shows them all")
        })
    });
    let mut kinds: Vec<Kind> = args.kind.iter().filter_map(|kind| kind.recorded()).collect();
    let unreviewed = args.unreviewed || args.check;
    let stalls = args.kind.is_empty() && !unreviewed || args.kind.contains(&ReviewKind::Stall);
    if args.rules {
        kinds = vec![Kind::Permission];
    } else if kinds.is_empty() && !args.kind.is_empty() {
        // Stalls alone: no decision is of this kind.
        kinds = vec![Kind::Notice];
    }
    let project = project.transpose()?;
    let span = Span { since, until: None };
    Ok(Filter { span, session: args.session.clone(), project, kinds, stalls, unreviewed, mask: false })
}

impl ReviewKind {
    fn recorded(self) -> Option<Kind> {
        match self {
            ReviewKind::Question => Some(Kind::Question),
            ReviewKind::Plan => Some(Kind::Plan),
            ReviewKind::Permission => Some(Kind::Permission),
            ReviewKind::Elicitation => Some(Kind::Elicitation),
            ReviewKind::Turn => Some(Kind::Nudge),
            ReviewKind::Stall => None,
        }
    }
}

/// What is looked at, where it is not all that is kept.
fn header(args: &ReviewArgs, filter: &Filter) -> String {
    match (filter.span.since, &args.since) {
        (Some(since), None) => {
            format!("Since {}; --all for everything kept.\n\n", screen::day_and_clock(since))
        }
        (Some(since), Some(_)) => format!("Since {}.\n\n", screen::day_and_clock(since)),
        (None, _) => String::new(),
    }
}

fn json(review: &Review, since: Option<DateTime<Utc>>) -> Json<'_> {
    let runs = || review.projects.iter().flat_map(|project| &project.runs);
    Json {
        v: 1,
        since,
        decisions: runs().flat_map(|run| &run.items).collect(),
        stalls: runs().flat_map(|run| &run.stalls).collect(),
        died: runs().flat_map(|run| &run.deaths).collect(),
        totals: &review.totals,
    }
}

fn rules_text(rules: &Rules) -> String {
    let mut out = String::new();
    for (rule, count) in &rules.rules {
        out.push_str(&text::wrapped(rule, width(), &format!("{count:>5}  ")));
    }
    let left = [
        (rules.without, "came with no rule that would allow it"),
        (rules.masked, "left out, since something in it is masked"),
    ];
    for (count, why) in left.iter().filter(|(count, _)| *count > 0) {
        out.push_str(&format!("{count:>5}  denied: {why}\n"));
    }
    if rules.rules.is_empty() {
        out.push_str("No denied permission comes with a rule.\n");
        return out;
    }
    let json = text::harmless_json(&format!("{:#}", rules.settings()));
    out.push_str(&format!("\nNothing is written. What you want allowed, paste into settings.json:\n\n{json}\n"));
    out
}

/// The columns of the terminal that standard output is.
pub(super) fn width() -> usize {
    terminal_size::terminal_size_of(io::stdout()).map_or(PAGE, |(width, _)| usize::from(width.0).clamp(40, 160))
}

/// Prints, without colours where they do not belong. Whoever reads only the beginning has had what they wanted.
pub(super) fn print(text: &str) -> anyhow::Result<()> {
    let mut stdout = anstream::stdout().lock();
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        written => written.context("could not write to standard output"),
    }
}
