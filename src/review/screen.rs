//! A review for a screen of some width, coloured; the caller takes the colours out where they do not belong. Pure.

use std::fmt::Write;

use anstyle::{AnsiColor, Style};
use chrono::{DateTime, Local, Utc};

use super::item::{Choice, Question};
use super::text::{harmless, line, wrapped};
use super::{Death, Item, Matter, Review, Run, Totals, Wait};
use crate::assumption::From;
use crate::record::Kind;

const BOLD: Style = Style::new().bold();
const DIM: Style = Style::new().dimmed();
const WAITS: Style = Style::new().fg_color(Some(anstyle::Color::Ansi(AnsiColor::Yellow)));
const DONE: Style = Style::new().fg_color(Some(anstyle::Color::Ansi(AnsiColor::Green)));
const BAD: Style = Style::new().fg_color(Some(anstyle::Color::Ansi(AnsiColor::Red)));

/// How the screen is.
#[derive(Debug, Clone, Copy)]
pub struct Screen {
    /// Its columns.
    pub width: usize,
    /// Whether plans, descriptions and inputs are shown whole.
    pub full: bool,
}

/// The whole review.
pub fn show(review: &Review, screen: Screen) -> String {
    let mut out = String::new();
    for project in &review.projects {
        let folder = crate::paths::shown(std::path::Path::new(&project.folder));
        let folder = if project.folder.is_empty() { "no known folder".to_owned() } else { folder };
        let _ = writeln!(out, "{BOLD}{}{BOLD:#}", line(&folder, screen.width));
        for run in &project.runs {
            show_run(&mut out, run, review.id_length, screen);
        }
    }
    let _ = writeln!(out, "{}", totals(&review.totals));
    if let (count, Some(last)) = &review.problems {
        let said = match count {
            1 => format!("one problem, {}: {}", day_and_clock(last.at), last.what),
            many => format!("{many} problems, the last {}: {}", day_and_clock(last.at), last.what),
        };
        out.push_str(&wrapped(&said, screen.width, ""));
    }
    if review.unreadable > 0 {
        let _ = writeln!(out, "{} lines of records could not be read", review.unreadable);
    }
    out
}

/// The last line.
pub fn totals(totals: &Totals) -> String {
    let count = |number: usize, one: &str, many: &str| format!("{number} {}", if number == 1 { one } else { many });
    let mut line = count(totals.decisions, "decision", "decisions");
    let _ = write!(line, ", {} not yet reviewed", totals.unreviewed);
    let _ = write!(line, "; {}", count(totals.stalls, "stall", "stalls"));
    if totals.stalls > totals.open_stalls {
        let _ = write!(line, ", {} waited", duration(totals.waited_seconds));
    }
    match totals.open_stalls {
        0 => {}
        open => drop(write!(line, ", {open} not over")),
    }
    line
}

fn show_run(out: &mut String, run: &Run, id_length: usize, screen: Screen) {
    let head = run.session_id.as_deref().map_or("no session".to_owned(), |id| format!("session {}", short(id)));
    let mode = run.items.iter().rev().find_map(|item| item.permission_mode.as_deref());
    let mode = mode.map(|mode| format!(", {mode}")).unwrap_or_default();
    let when = run.first().zip(run.last()).map(|(first, last)| between(first, last)).unwrap_or_default();
    let text = wrapped(&format!("{when}{mode}"), screen.width, &format!("  {head}  "));
    let _ = write!(out, "\n  {BOLD}{head}{BOLD:#}{}", text.get(2 + head.len()..).unwrap_or_default());
    if let Some(resume) = run.resume() {
        let _ = writeln!(out, "  {DIM}{resume}{DIM:#}");
    }
    // In the order in which it happened.
    let mut parts: Vec<(DateTime<Utc>, String)> = Vec::new();
    parts.extend(run.items.iter().map(|item| (item.at, show_item(item, id_length, screen))));
    parts.extend(run.stalls.iter().map(|wait| (wait.at, show_wait(wait, screen))));
    parts.extend(run.deaths.iter().map(|death| (death.at, show_death(death, screen))));
    parts.sort_by_key(|(at, _)| *at);
    for (_, part) in parts {
        let _ = write!(out, "\n{part}");
    }
    out.push('\n');
}

fn show_item(item: &Item, id_length: usize, screen: Screen) -> String {
    let mut out = String::new();
    let id = item.id.get(..id_length).unwrap_or(&item.id);
    let (style, state) = match (&item.correction, item.reviewed) {
        (Some(_), _) => (DONE, "corrected"),
        (None, true) => (DIM, "reviewed"),
        (None, false) => (WAITS, "not reviewed"),
    };
    let _ =
        writeln!(out, "  {BOLD}{id}{BOLD:#}  {}, {style}{state}{style:#}  {DIM}{}{DIM:#}", what(item), clock(item.at));
    match &item.matter {
        Matter::Question { questions } if !questions.is_empty() => {
            questions.iter().for_each(|question| show_question(&mut out, question, screen));
        }
        Matter::Plan { plan } => {
            out.push_str(&wrapped(&plan.title, screen.width, INDENT));
            let ran = plan.ran_in.as_deref().map(|mode| format!(", carried out in {mode}")).unwrap_or_default();
            let seen = if plan.seen_by == "person" { "reviewed by a person" } else { "reviewed by no one" };
            out.push_str(&wrapped(&format!("{seen}{ran}"), screen.width, INDENT));
            if let Some(text) = plan.text.as_deref().filter(|_| screen.full) {
                out.push_str(&barred(text, screen.width));
            }
        }
        Matter::Permission { tool_input: Some(input), .. } if screen.full && !input.is_string() => {
            out.push_str(&wrapped(&item.asked, screen.width, INDENT));
            out.push_str(&barred(&input.to_string(), screen.width));
        }
        _ => out.push_str(&wrapped(&item.asked, screen.width, INDENT)),
    }
    if let Matter::Permission { reason: Some(reason), .. } = &item.matter {
        out.push_str(&wrapped(reason, screen.width, "    because    "));
    }
    show_assumption(&mut out, item, screen);
    if let Some(correction) = &item.correction {
        out.push_str(&wrapped(&correction.text, screen.width, "    corrected  "));
        let delivered = match correction.delivered.first() {
            Some(first) => format!("delivered {} to session {}", day_and_clock(first.at), short(&first.session_id)),
            None => "not delivered yet: the next session here is given it".to_owned(),
        };
        out.push_str(&wrapped(&delivered, screen.width, "               "));
    }
    out
}

const INDENT: &str = "    ";

/// A text of its own, behind a bar.
pub fn barred(text: &str, width: usize) -> String {
    text.trim_end().lines().map(|line| wrapped(line, width, "    | ").replace("\n      ", "\n    | ")).collect()
}

fn show_question(out: &mut String, question: &Question, screen: Screen) {
    out.push_str(&wrapped(&question.question, screen.width, INDENT));
    for Choice { label, description, recommended } in &question.options {
        let first = if *recommended { "      * " } else { "      - " };
        let text = match description.as_deref().filter(|_| screen.full) {
            Some(description) => format!("{label}: {description}"),
            None => label.clone(),
        };
        out.push_str(&wrapped(&text, screen.width, first));
    }
}

fn show_assumption(out: &mut String, item: &Item, screen: Screen) {
    let label = match item.assumption_from {
        Some(From::Line) => "    assumed    ",
        Some(From::Words) => "    then said  ",
        Some(From::Closing) => "    closed by  ",
        None if item.kind == Kind::Plan => return,
        None => return out.push_str("    assumed    nothing that could be found\n"),
    };
    out.push_str(&wrapped(item.assumption.as_deref().unwrap_or_default(), screen.width, label));
}

/// What happened to it.
pub(super) fn what(item: &Item) -> String {
    let thing = match item.kind {
        Kind::Question => "question",
        Kind::Plan => "plan",
        Kind::Permission => "permission",
        Kind::Elicitation => "form",
        _ => "turn",
    };
    let by = if item.decided_by == "client" { " by the client's own check" } else { "" };
    format!("{thing} {}{by}", item.decision.replace('_', " "))
}

fn show_wait(wait: &Wait, screen: Screen) -> String {
    let text = match (wait.seconds, wait.moved) {
        (Some(seconds), Some(moved)) => format!("{}, until {} ({})", duration(seconds), clock(moved), wait.what),
        _ => format!("since {}, the session has not moved ({})", day_and_clock(wait.at), wait.what),
    };
    let text = wrapped(&text, screen.width, "  waited   ");
    format!("  {BAD}waited{BAD:#}{}", text.get(8..).unwrap_or_default())
}

fn show_death(death: &Death, screen: Screen) -> String {
    let message = death.message.as_deref().map(|message| format!(": {message}")).unwrap_or_default();
    let text = format!("{}, {}{message}", clock(death.at), death.error.as_deref().unwrap_or("an error"));
    let text = wrapped(&text, screen.width, "  died     ");
    format!("  {BAD}died{BAD:#}{}", text.get(6..).unwrap_or_default())
}

/// The beginning of a session's id.
fn short(id: &str) -> String {
    harmless(id).chars().take(8).collect()
}

/// A time that passed, in words.
pub fn duration(seconds: i64) -> String {
    match seconds {
        ..60 => format!("{seconds} s"),
        60..3600 => format!("{} min", seconds / 60),
        _ => format!("{} h {} min", seconds / 3600, seconds % 3600 / 60),
    }
}

fn clock(at: DateTime<Utc>) -> String {
    at.with_timezone(&Local).format("%H:%M").to_string()
}

/// A time in the person's own zone.
pub fn day_and_clock(at: DateTime<Utc>) -> String {
    at.with_timezone(&Local).format("%a %Y-%m-%d %H:%M").to_string()
}

/// From when to when, the day once where it is one.
fn between(first: DateTime<Utc>, last: DateTime<Utc>) -> String {
    let day = |at: DateTime<Utc>| at.with_timezone(&Local).date_naive();
    match (day(first) == day(last), clock(first) == clock(last)) {
        (true, true) => day_and_clock(first),
        (true, false) => format!("{} to {}", day_and_clock(first), clock(last)),
        (false, _) => format!("{} to {}", day_and_clock(first), day_and_clock(last)),
    }
}
