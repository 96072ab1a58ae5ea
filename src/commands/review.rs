//! `unattended review`: what was decided without a person, and what was assumed.

use std::io::{self, IsTerminal};
use std::process::ExitCode;

use chrono::{DateTime, Duration, Utc};
use serde::Serialize;

use super::out;
pub(super) use super::out::{print, width};
use super::state_folder;
use crate::cli::{ReviewArgs, ReviewKind};
use crate::history::{Odd, Span};
use crate::policy::Policy;
use crate::project::Project;
use crate::record::Kind;
use crate::review::rules::{self, Rules};
use crate::review::screen::{self, Screen};
use crate::review::{Death, Filter, Item, Review, Totals, Wait, markdown, text};
use crate::trouble::Trouble;
use crate::{retention, review, when};

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
    /// Files of records, or of what people said, that could not be read.
    #[serde(skip_serializing_if = "<[Odd]>::is_empty")]
    unread: &'r [Odd],
}

/// Prints what fits the arguments. Exits with 1 where a file of records could not be read, and, if that was asked for,
/// where something waits for a review.
///
/// # Errors
/// A time or a project that is none, or records that cannot be read.
pub fn run(args: &ReviewArgs) -> anyhow::Result<ExitCode> {
    let now = crate::clock::now();
    let state = state_folder()?;
    let policy = Policy::load();
    let removed = retention::apply(&state, &policy, now);
    let filter = Filter { mask: policy.config.records.mask, ..filter(args, now)? };
    let review = review::make(&state, &filter).map_err(|error| super::unlisted(&state, &error))?;
    show(args, &review, &filter)?;
    if let Err(error) = removed {
        out::tell("note: ", &format!("old records were not removed: {error}"));
    }
    out::tell_lacks(&review.lacks);
    if let Some(session) = args.session.as_deref().filter(|_| review.projects.is_empty()) {
        out::tell("note: ", &format!("nothing that fits is recorded of a session whose id begins with {session}"));
    }
    let waits = args.check && review.totals.unreviewed > 0;
    Ok(if waits || !review.lacks.odd.is_empty() { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

fn show(args: &ReviewArgs, review: &Review, filter: &Filter) -> anyhow::Result<()> {
    if args.rules {
        let rules = rules::of(review);
        return print(&if args.json { format!("{:#}\n", rules.settings()) } else { rules_text(&rules) });
    }
    let quiet = args.check && review.totals.unreviewed == 0;
    if args.json {
        let json = serde_json::to_string_pretty(&json(review, filter.span.since))?;
        print(&format!("{}\n", text::harmless_json(&json)))?;
    } else if args.markdown {
        print(&markdown::write(review, args.full))?;
    } else if !quiet {
        let shown = screen::show(review, Screen { width: width(), full: args.full });
        print(&format!("{}{shown}", header(args, filter)))?;
        if io::stdout().is_terminal() && review.totals.unreviewed > 0 {
            let hint = "unattended ack ID marks as reviewed; unattended correct ID \"TEXT\" tells the next session of \
                the project what you want instead";
            out::tell("hint: ", hint);
        }
    }
    Ok(())
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
        unread: &review.lacks.odd,
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
