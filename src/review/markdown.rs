//! A review as Markdown, for a pull request or a mail. Pure.

use std::fmt::Write;

use super::screen::{day_and_clock, duration, totals, what};
use super::text::harmless;
use super::{Item, Matter, Review, Run};
use crate::assumption::From;

/// The whole review.
pub fn write(review: &Review, full: bool) -> String {
    let mut out = format!("# Decided without a person\n\n{}\n", escaped(&totals(&review.totals)));
    for project in &review.projects {
        let folder = if project.folder.is_empty() { "no known folder" } else { &project.folder };
        let _ = writeln!(out, "\n## {}", code(folder));
        for run in &project.runs {
            write_run(&mut out, run, review.id_length, full);
        }
    }
    out
}

fn write_run(out: &mut String, run: &Run, id_length: usize, full: bool) {
    let when = run.first().map(day_and_clock).unwrap_or_default();
    let resume = run.resume().map(|resume| format!(": {}", code(&resume))).unwrap_or_default();
    let _ = writeln!(out, "\n### {when}{resume}\n");
    for item in &run.items {
        write_item(out, item, id_length, full);
    }
    for wait in &run.stalls {
        let long = wait.seconds.map_or("not over".to_owned(), duration);
        let _ = writeln!(out, "- **waited** since {}: {long} ({})", day_and_clock(wait.at), code(&wait.what));
    }
    for death in &run.deaths {
        let message = flat(death.message.as_deref().unwrap_or_default());
        let error = death.error.as_deref().unwrap_or("an error");
        let _ = writeln!(out, "- **died** {}: {} {message}", day_and_clock(death.at), code(error));
    }
}

fn write_item(out: &mut String, item: &Item, id_length: usize, full: bool) {
    let id = code(item.id.get(..id_length).unwrap_or(&item.id));
    let state = match (&item.correction, item.reviewed) {
        (Some(_), _) => "corrected",
        (None, true) => "reviewed",
        (None, false) => "not reviewed",
    };
    let asked = match &item.matter {
        Matter::Permission { .. } => code(&item.asked),
        _ => flat(&item.asked),
    };
    let _ = writeln!(out, "- [{}] **{}** {id}, {state}: {asked}", if item.reviewed { 'x' } else { ' ' }, what(item));
    match &item.matter {
        Matter::Question { questions } => {
            for option in questions.iter().flat_map(|question| &question.options) {
                let mark = if option.recommended { " *(recommended)*" } else { "" };
                let _ = writeln!(out, "  - {}{mark}", flat(&option.label));
            }
        }
        Matter::Plan { plan } => {
            let ran = plan.ran_in.as_deref().map(|mode| format!(", carried out in {}", code(mode))).unwrap_or_default();
            let _ = writeln!(out, "  - reviewed by no one{ran}");
            if let Some(text) = plan.text.as_deref().filter(|_| full) {
                let _ = writeln!(out, "\n{}\n", fenced(text));
            }
        }
        _ => {}
    }
    let label = match item.assumption_from {
        Some(From::Line) => "assumed",
        Some(From::Words) => "then said",
        Some(From::Closing) => "closed by",
        None => "",
    };
    if let Some(assumption) = &item.assumption {
        let _ = writeln!(out, "  - {label}: {}", flat(assumption));
    }
    if let Some(correction) = &item.correction {
        let _ = writeln!(out, "  - **corrected**: {}", flat(&correction.text));
    }
}

/// In one line, with nothing in it that Markdown or HTML would act on.
fn flat(text: &str) -> String {
    let words: Vec<String> = harmless(text).split_whitespace().map(str::to_owned).collect();
    escaped(&words.join(" "))
}

fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if "\\`*_[]<>|#~&@".contains(c) {
            // A backslash would leave a name behind `@` a mention on GitHub.
            if c == '@' {
                out.push_str("@\u{200b}");
                continue;
            }
            out.push('\\');
        }
        out.push(c);
    }
    out
}

/// As code in one line, whatever back quotes are in it.
fn code(text: &str) -> String {
    let flat: Vec<String> = harmless(text).split_whitespace().map(str::to_owned).collect();
    let flat = flat.join(" ");
    let fence = "`".repeat(longest_run(&flat) + 1);
    let pad = if flat.starts_with('`') || flat.ends_with('`') { " " } else { "" };
    format!("{fence}{pad}{flat}{pad}{fence}")
}

/// As a block of code inside of a list item.
fn fenced(text: &str) -> String {
    let text = harmless(text);
    let fence = "`".repeat((longest_run(&text) + 1).max(3));
    let lines: Vec<String> = text.lines().map(|line| format!("    {line}")).collect();
    format!("    {fence}\n{}\n    {fence}", lines.join("\n"))
}

fn longest_run(text: &str) -> usize {
    text.split(|c| c != '`').map(str::len).max().unwrap_or(0)
}
