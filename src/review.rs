//! What is shown of decisions: read from the journal, the transcripts and what people said, chosen, grouped and counted.
//! `review/item.rs` turns records into what is shown, `review/screen.rs` and `review/markdown.rs` into text. Reads files,
//! writes nothing.

mod found;
mod item;
pub mod markdown;
pub mod rules;
pub mod screen;
pub mod text;

use std::collections::{BTreeMap, HashSet};
use std::io;
use std::path::Path;

use chrono::{DateTime, Utc};
use serde::Serialize;

use crate::history::{self, Decided, Detail, History, Odd, Problem, Span, Stall};
use crate::project::Project;
use crate::record::Kind;
use crate::reviews::{self, Reviews};

pub use self::item::{Corrected, Item, Matter, PlanMatter};

/// Which decisions are wanted.
#[derive(Debug, Clone, Default)]
pub struct Filter {
    /// Of which time.
    pub span: Span,
    /// Of the sessions whose ids begin so.
    pub session: Option<String>,
    /// Of this project.
    pub project: Option<Project>,
    /// Of these kinds; none means all.
    pub kinds: Vec<Kind>,
    /// Stalls, and what else happened to sessions, too.
    pub stalls: bool,
    /// Only those that no person has reviewed.
    pub unreviewed: bool,
    /// Secrets are taken out of what transcripts say, as they are of records.
    pub mask: bool,
}

/// What is shown.
#[derive(Debug, Default)]
pub struct Review {
    /// By project, the one with the newest run first.
    pub projects: Vec<InProject>,
    /// How much of it there is.
    pub totals: Totals,
    /// How many characters of an id tell all of them apart.
    pub id_length: usize,
    /// Lines of records that could not be read.
    pub unreadable: usize,
    /// How many sentences about what went wrong at calls there are, and the newest. Only where all
    /// sessions and kinds are wanted.
    pub problems: (usize, Option<Problem>),
    /// What else must be said of it.
    pub lacks: Lacks,
}

/// What is missing in what was read, or may be.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Lacks {
    /// Files that could not be read.
    pub odd: Vec<Odd>,
    /// Records of a newer version than this program knows.
    pub newer: usize,
    /// Lines of what people said that could not be read.
    pub unread_reviews: usize,
}

impl Lacks {
    fn of(history: &mut History, reviews: &Reviews) -> Self {
        let mut odd = std::mem::take(&mut history.odd);
        odd.extend(reviews.odd.iter().cloned());
        Self { odd, newer: history.newer, unread_reviews: reviews.unreadable }
    }
}

/// What was decided in a project.
#[derive(Debug)]
pub struct InProject {
    /// Its folder.
    pub folder: String,
    /// Its runs, the newest first.
    pub runs: Vec<Run>,
}

/// What was decided in a session.
#[derive(Debug, Default)]
pub struct Run {
    /// The session.
    pub session_id: Option<String>,
    /// Where it ran.
    pub cwd: Option<String>,
    /// What was decided, the oldest first.
    pub items: Vec<Item>,
    /// What waited.
    pub stalls: Vec<Wait>,
    /// Turns that the API ended.
    pub deaths: Vec<Death>,
}

/// A wait.
#[derive(Debug, Clone, Serialize)]
pub struct Wait {
    /// Since when.
    pub at: DateTime<Utc>,
    /// Until when, as far as records show; none: the session has not moved since.
    pub moved: Option<DateTime<Utc>>,
    /// How long that is, in seconds.
    pub seconds: Option<i64>,
    /// What proves it.
    pub what: String,
    /// The session.
    pub session_id: Option<String>,
    /// Its folder.
    pub cwd: Option<String>,
}

/// A turn that the API ended.
#[derive(Debug, Clone, Serialize)]
pub struct Death {
    /// When.
    pub at: DateTime<Utc>,
    /// The client's name for the cause.
    pub error: Option<String>,
    /// Its words.
    pub message: Option<String>,
    /// The session.
    pub session_id: Option<String>,
    /// Its folder.
    pub cwd: Option<String>,
}

/// How much there is.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Totals {
    /// Decisions.
    pub decisions: usize,
    /// Decisions that no person has reviewed.
    pub unreviewed: usize,
    /// Waits.
    pub stalls: usize,
    /// Waits whose session has not moved since.
    pub open_stalls: usize,
    /// How long the others lasted, in seconds.
    pub waited_seconds: i64,
}

/// Everything that fits the filter, with what was assumed.
///
/// # Errors
/// Where the folder of the records is there and cannot be listed.
pub fn make(state: &Path, filter: &Filter) -> io::Result<Review> {
    let reviews = Reviews::read(state);
    let wanted = match filter.unreviewed {
        true => Some(sessions_to_review(state, filter, &reviews)?),
        false => None,
    };
    let mut history = history::read(state, filter.span, wanted.as_ref().map_or(Detail::Records, Detail::RecordsOf))?;
    if let Some(wanted) = &wanted {
        history.decisions.retain(|decided| wanted.contains(&decided.session()));
    }
    let lacks = Lacks::of(&mut history, &reviews);
    // A problem may have no session and no folder: it is told where all are.
    let all = filter.session.is_none() && filter.project.is_none() && filter.kinds.is_empty() && !filter.unreviewed;
    let problems = if all { (history.problems, history.last_problem.take()) } else { (0, None) };
    let mut projects = Projects::default();
    let mut runs = Runs::new();
    let ends = found::turn_ends(&history);
    let ids: Vec<u64> = history.decisions.iter().map(Decided::id).collect();
    for decided in std::mem::take(&mut history.decisions) {
        let item = item::of(&decided, &reviews, &mut projects);
        if filter.fits(item.session_id.as_deref(), item.cwd.as_deref(), &mut projects) {
            run_of(&mut runs, item.session_id.as_deref(), item.cwd.as_deref()).items.push(item);
        }
    }
    // Which words belong to which decision can only be told with all decisions of the session at hand.
    runs.retain(|_, run| run.items.iter().any(|item| filter.wants(item)));
    for run in runs.values_mut() {
        found::assumptions(run, &ends);
        if filter.mask {
            run.items.iter_mut().for_each(Item::mask);
        }
        run.items.retain(|item| filter.wants(item));
    }
    if filter.stalls {
        others(&history, filter, &mut projects, &mut runs);
    }
    let unreadable = history.unreadable;
    let mut review = Review { id_length: id_length(ids), unreadable, problems, lacks, ..Review::default() };
    review.totals = totals(runs.values());
    review.projects = grouped(runs, &mut projects);
    Ok(review)
}

/// The sessions with something to review, told from the least that can be held of records: most of what is kept was
/// reviewed before.
fn sessions_to_review(state: &Path, filter: &Filter, reviews: &Reviews) -> io::Result<HashSet<u64>> {
    let decisions = history::read(state, filter.span, Detail::Counts)?.decisions;
    let fits = |decided: &&Decided| filter.kinds.is_empty() || filter.kinds.contains(&decided.kind);
    let waiting = decisions.iter().filter(fits).filter(|decided| !reviews.is_reviewed(decided));
    Ok(waiting.map(Decided::session).collect())
}

/// The decisions of a span that wait for a person's review, told without reading any transcript.
///
/// # Errors
/// As `make`.
pub fn unreviewed(state: &Path, span: Span) -> io::Result<(Vec<Decided>, Lacks)> {
    let reviews = Reviews::read(state);
    let mut history = history::read(state, span, Detail::Counts)?;
    history.decisions.retain(|decided| !reviews.is_reviewed(decided));
    let lacks = Lacks::of(&mut history, &reviews);
    Ok((history.decisions, lacks))
}

impl Filter {
    fn wants(&self, item: &Item) -> bool {
        (self.kinds.is_empty() || self.kinds.contains(&item.kind)) && !(self.unreviewed && item.reviewed)
    }

    fn fits(&self, session: Option<&str>, cwd: Option<&str>, projects: &mut Projects) -> bool {
        let session = self.session.as_deref().is_none_or(|wanted| session.is_some_and(|id| id.starts_with(wanted)));
        session && self.project.as_ref().is_none_or(|wanted| cwd.is_some_and(|cwd| projects.of(cwd) == wanted))
    }
}

type Runs = BTreeMap<Option<String>, Run>;

fn run_of<'r>(runs: &'r mut Runs, session: Option<&str>, cwd: Option<&str>) -> &'r mut Run {
    let run = runs.entry(session.map(str::to_owned)).or_default();
    run.session_id = session.map(str::to_owned);
    run.cwd = run.cwd.take().or_else(|| cwd.map(str::to_owned));
    run
}

/// Stalls and deaths, in the runs that they belong to.
fn others(history: &History, filter: &Filter, projects: &mut Projects, runs: &mut Runs) {
    for stall in &history.stalls {
        if filter.fits(stall.session_id.as_deref(), stall.cwd.as_deref(), projects) {
            run_of(runs, stall.session_id.as_deref(), stall.cwd.as_deref()).stalls.push(Wait::of(stall));
        }
    }
    for death in found::deaths(history) {
        if filter.fits(death.session_id.as_deref(), death.cwd.as_deref(), projects) {
            let run = run_of(runs, death.session_id.as_deref(), death.cwd.as_deref());
            // The plugin beside the settings tells it twice.
            if run.deaths.last().is_none_or(|last| death.at - last.at > chrono::Duration::seconds(2)) {
                run.deaths.push(death);
            }
        }
    }
}

impl Wait {
    fn of(stall: &Stall) -> Self {
        Self {
            at: stall.at,
            moved: stall.moved,
            seconds: stall.waited().map(|waited| waited.num_seconds()),
            what: stall.what.clone(),
            session_id: stall.session_id.clone(),
            cwd: stall.cwd.clone(),
        }
    }
}

impl Run {
    /// When something of it was last recorded here.
    pub fn last(&self) -> Option<DateTime<Utc>> {
        let items = self.items.last().map(|item| item.at);
        items.max(self.stalls.last().map(|stall| stall.at)).max(self.deaths.last().map(|death| death.at))
    }

    /// And first.
    pub fn first(&self) -> Option<DateTime<Utc>> {
        let firsts = [
            self.items.first().map(|item| item.at),
            self.stalls.first().map(|stall| stall.at),
            self.deaths.first().map(|death| death.at),
        ];
        firsts.into_iter().flatten().min()
    }

    /// How to go on with the session.
    pub fn resume(&self) -> Option<String> {
        // An id of another form is no word for a shell.
        let id = self.session_id.as_deref().filter(|id| id.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-'))?;
        Some(format!("claude --resume {id}"))
    }
}

/// The projects of folders, each looked up once.
#[derive(Debug, Default)]
pub(crate) struct Projects(BTreeMap<String, Project>);

impl Projects {
    pub(crate) fn of(&mut self, cwd: &str) -> &Project {
        self.0.entry(cwd.to_owned()).or_insert_with(|| Project::of(Path::new(cwd)))
    }
}

fn grouped(runs: Runs, projects: &mut Projects) -> Vec<InProject> {
    let mut all: BTreeMap<String, Vec<Run>> = BTreeMap::new();
    for run in runs.into_values() {
        let folder = run.cwd.as_deref().map(|cwd| projects.of(cwd).folder().display().to_string());
        all.entry(folder.unwrap_or_default()).or_default().push(run);
    }
    let mut grouped: Vec<InProject> = all.into_iter().map(|(folder, runs)| InProject { folder, runs }).collect();
    for project in &mut grouped {
        project.runs.sort_by_key(|run| std::cmp::Reverse(run.last()));
    }
    grouped.sort_by_key(|project| std::cmp::Reverse(project.runs.first().and_then(Run::last)));
    grouped
}

fn totals<'r>(runs: impl Iterator<Item = &'r Run>) -> Totals {
    let mut totals = Totals::default();
    for run in runs {
        totals.decisions += run.items.len();
        totals.unreviewed += run.items.iter().filter(|item| !item.reviewed).count();
        totals.stalls += run.stalls.len();
        totals.open_stalls += run.stalls.iter().filter(|stall| stall.moved.is_none()).count();
        totals.waited_seconds += run.stalls.iter().filter_map(|stall| stall.seconds).sum::<i64>();
    }
    totals
}

/// The shortest beginning, seven characters at least, that tells ids apart.
fn id_length(mut ids: Vec<u64>) -> usize {
    ids.sort_unstable();
    let shared = ids.windows(2).map(|pair| match pair {
        [one, other] if one != other => (one ^ other).leading_zeros() as usize / 4,
        _ => 0,
    });
    (shared.max().unwrap_or(0) + 1).clamp(7, 16)
}

/// The decisions whose ids begin with `start`, or have a record whose id does, over all that is kept; and what of that
/// could not be read.
///
/// # Errors
/// As `make`.
pub fn named(state: &Path, start: &str) -> io::Result<(Vec<Decided>, Vec<Odd>)> {
    let History { mut decisions, odd, .. } = history::read(state, Span::default(), Detail::Counts)?;
    decisions.retain(|decided| decided.ids.iter().any(|id| reviews::name(*id).starts_with(start)));
    Ok((decisions, odd))
}
