//! What the verbs say: results to standard output, notes to standard error, both in lines that fit the terminal. Who reads
//! only the beginning has had what they wanted; any other fault of standard output is told in one way.

use std::io::{self, ErrorKind, IsTerminal, Write, stderr};

use crate::history::Odd;
use crate::review::Lacks;
use crate::review::text::{filled, harmless};
use crate::trouble::Trouble;

/// The columns of a page where there is no terminal.
const PAGE: usize = 80;
/// How many of many things are named.
const NAMED: usize = 5;

/// The columns of the terminal that standard output is.
pub fn width() -> usize {
    terminal_size::terminal_size_of(io::stdout()).map_or(PAGE, |(width, _)| usize::from(width.0).clamp(40, 160))
}

/// Prints, without colours where they do not belong.
///
/// # Errors
/// Standard output takes nothing, and not because nobody reads it.
pub fn print(text: &str) -> anyhow::Result<()> {
    let mut stdout = anstream::stdout().lock();
    written(stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()))
}

/// Prints lines for a person, wrapped to the terminal's width or a page's.
///
/// # Errors
/// As `print`.
pub fn say(text: &str) -> anyhow::Result<()> {
    print(&filled("", text, Some(width())))
}

/// The columns of the terminal that standard output is, if it is one.
pub fn columns() -> Option<usize> {
    io::stdout().is_terminal().then(width)
}

/// What came of writing to standard output.
///
/// # Errors
/// As `print`.
pub fn written(done: io::Result<()>) -> anyhow::Result<()> {
    match done {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(not_taken(&error)),
        _ => Ok(()),
    }
}

/// That standard output takes nothing, for this reason.
pub fn not_taken(why: &impl ToString) -> anyhow::Error {
    Trouble::error(
        format!("standard output cannot be written: {}", why.to_string()),
        "see where it goes: to a full disk, or to what was closed",
    )
}

/// A line for a person behind `label`, on standard error.
pub fn tell(label: &str, text: &str) {
    let columns = terminal_size::terminal_size_of(stderr()).map(|(width, _)| usize::from(width.0).clamp(40, 100));
    let _ = stderr().write_all(filled(label, &harmless(text), columns).as_bytes());
}

/// Names what could not be read, each once.
pub fn tell_odd(odd: &[Odd]) {
    for odd in odd.iter().take(NAMED) {
        tell("note: ", &format!("{}; {}", odd.what(), odd.remedy()));
    }
    if odd.len() > NAMED {
        tell("note: ", &format!("{} more cannot be read; unattended doctor names them", odd.len() - NAMED));
    }
}

/// Says what is missing in what was shown, or may be.
pub fn tell_lacks(lacks: &Lacks) {
    tell_odd(&lacks.odd);
    match lacks.newer {
        0 => {}
        1 => tell("note: ", "one record is of a newer version of unattended, and is read as far as this one knows it"),
        many => {
            tell(
                "note: ",
                &format!(
                    "{many} records are of a newer version of unattended, and are read as far as this one knows them"
                ),
            );
        }
    }
    match lacks.unread_reviews {
        0 => {}
        1 => tell("note: ", "one line of reviews.jsonl cannot be read, and counts as unsaid"),
        lines => tell("note: ", &format!("{lines} lines of reviews.jsonl cannot be read, and count as unsaid")),
    }
}
