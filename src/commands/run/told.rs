//! What a run says of itself: a line while it works, and at its end what became of it. On standard error alone.

use std::io::{Write, stderr};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use super::Reached;
use crate::doctor::told::wrapped;
use crate::history::Span;
use crate::paths;
use crate::policy::Policy;
use crate::review::screen::{self, Screen};
use crate::review::{self, Filter};
use crate::run::follow::{Counts, Death, Follower};

/// The columns where standard error is no terminal.
const PAGE: usize = 80;

/// Writes to standard error. Who does not read it any more ends no run.
pub(super) fn say(text: &str) {
    let _ = anstream::stderr().write_all(text.as_bytes());
}

/// The line on a terminal.
pub(super) struct Progress {
    shows: bool,
    shown: Arc<AtomicBool>,
}

impl Progress {
    pub(super) fn new(shows: bool) -> Progress {
        Progress { shows, shown: Arc::default() }
    }

    /// Draws the line anew.
    pub(super) fn show(&self, so_far: Duration, counts: &Counts) {
        if self.shows {
            let _ = write!(stderr(), "\r{}\x1b[K", line(so_far, counts));
            self.shown.store(true, Ordering::SeqCst);
        }
    }

    /// Takes it away.
    pub(super) fn clear(&self) {
        clear(&self.shown);
    }

    /// What takes it away before something else is written.
    pub(super) fn clearing(&self) -> Option<Box<dyn FnMut() + Send>> {
        let shown = Arc::clone(&self.shown);
        self.shows.then(|| Box::new(move || clear(&shown)) as Box<dyn FnMut() + Send>)
    }
}

fn clear(shown: &AtomicBool) {
    if shown.swap(false, Ordering::SeqCst) {
        let _ = write!(stderr(), "\r\x1b[K");
    }
}

fn line(so_far: Duration, counts: &Counts) -> String {
    format!("{}  {}", clock(so_far), counted(counts))
}

/// `1:02:03`, `2:03`.
fn clock(time: Duration) -> String {
    let seconds = time.as_secs();
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    if hours > 0 { format!("{hours}:{minutes:02}:{seconds:02}") } else { format!("{minutes}:{seconds:02}") }
}

fn counted(counts: &Counts) -> String {
    let of = |count: usize, one: &str, many: &str| format!("{count} {}", if count == 1 { one } else { many });
    [
        of(counts.turns, "turn", "turns"),
        of(counts.questions, "question denied", "questions denied"),
        of(counts.permissions, "permission denied", "permissions denied"),
        of(counts.stalls, "stall", "stalls"),
    ]
    .join(", ")
}

/// What became of the run.
pub(super) fn end(follower: &Follower, reached: Option<Reached>, exit: u8, took: Duration) {
    if let Some(death) = &follower.death {
        complain(&died(death), remedy(death));
    }
    if let Some(reached) = reached {
        let last = follower.doing.as_deref().unwrap_or("nothing that could be seen");
        let (what, option) = match reached {
            Reached::Silence(limit) => (format!("no output, transcript or hook for {}", said(limit)), "--max-silence"),
            Reached::Time(limit) => (format!("it has run for {}", said(limit)), "--max-time"),
        };
        complain(&format!("the run was ended: {what}; last: {last}"), &format!("let it run longer with {option}"));
    }
    summary(follower);
    let with = if reached.is_some() { "was ended".to_owned() } else { format!("ended with exit code {exit}") };
    let summary = format!("The run {with} after {}: {}.", clock(took), counted(&follower.counts));
    say(&format!("{}\n", wrapped(&summary, 0)));
}

/// That it was ended at the limit while what stands in its way was looked for.
pub(super) fn not_started(limit: Duration) {
    let what = format!("the run was ended: it has run for {}; the client was not started yet", said(limit));
    complain(&what, "let it run longer with --max-time, or see with doctor what takes so long");
}

/// What was decided in the run's sessions, as `review` gives it.
fn summary(follower: &Follower) {
    let Some(state) = paths::state_folder() else { return };
    let mask = Policy::load().config.records.mask;
    let span = Span { since: Some(follower.since()), until: None };
    let columns = terminal_size::terminal_size_of(stderr()).map(|(width, _)| usize::from(width.0).clamp(40, 160));
    for session in follower.sessions() {
        let filter = Filter { span, session: Some(session.clone()), stalls: true, mask, ..Filter::default() };
        match review::make(&state, &filter) {
            Ok(review) if review.projects.is_empty() => {}
            Ok(review) => {
                let screen = Screen { width: columns.unwrap_or(PAGE), full: false };
                say(&screen::show(&review, screen));
            }
            Err(error) => {
                say(&format!("note: what was recorded in {} cannot be read: {error}\n", paths::shown(&state)))
            }
        }
    }
}

fn said(limit: Duration) -> String {
    humantime::format_duration(limit).to_string()
}

fn died(death: &Death) -> String {
    let what = match death.error.as_str() {
        "authentication_failed" => "the login does not hold",
        "rate_limit" => "the quota is used up",
        "billing_error" => "there is no credit left",
        _ => "the API ended its turn",
    };
    format!("{what}: {} ({})", death.message, death.error)
}

fn remedy(death: &Death) -> &'static str {
    match death.error.as_str() {
        "authentication_failed" => "log in again (claude, then /login), then go on with claude --continue",
        "rate_limit" => "go on with claude --continue once it is there again",
        "billing_error" => "see to it, then go on with claude --continue",
        _ => "go on with claude --continue",
    }
}

fn complain(what: &str, hint: &str) {
    let bold = anstyle::Style::new().bold().fg_color(Some(anstyle::AnsiColor::Red.into()));
    say(&format!("{bold}error:{bold:#} {}\n", wrapped(what, 7)));
    say(&format!("hint: {}\n", wrapped(hint, 6)));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_fits() {
        let counts = Counts { turns: 1234, questions: 12, permissions: 345, stalls: 1 };
        let line = line(Duration::from_secs(100 * 3600 + 61), &counts);
        assert_eq!(line, "100:01:01  1234 turns, 12 questions denied, 345 permissions denied, 1 stall");
        assert!(line.len() < 80);
        assert_eq!(clock(Duration::from_secs(125)), "2:05");
    }
}
