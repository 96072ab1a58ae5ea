//! How a request is shown to the person who is to answer it: all that decides, within the width, with nothing in it that
//! acts on a terminal. The caller takes the colours out where they do not belong. Pure.

use std::fmt::{self, Write};

use anstyle::{AnsiColor, Style};
use chrono::{DateTime, Utc};
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::{Asked, MODES, Request};
use crate::question::{Question, RowKind};
use crate::record::Kind;
use crate::review::screen::{barred, duration};
use crate::review::text::{harmless, line, wrapped};

const BOLD: Style = Style::new().bold();
const DIM: Style = Style::new().dimmed();
const TIME: Style = Style::new().fg_color(Some(anstyle::Color::Ansi(AnsiColor::Yellow)));
const INDENT: &str = "    ";
/// How many lines of a text are shown where it is not to be whole.
const LINES: usize = 10;

/// How it is shown.
#[derive(Debug, Clone, Copy)]
pub struct Screen {
    /// The columns there are.
    pub width: usize,
    /// Whether texts are shown whole; else only their beginnings, which is said.
    pub whole: bool,
    /// How many digits of an id tell all that wait apart.
    pub id_length: usize,
}

/// Which request it is, whose, since when and for how long: two lines, three on a narrow screen. `folder` is the project's.
pub fn head(request: &Request, asked: &Asked, folder: &str, now: DateTime<Utc>, screen: Screen) -> String {
    let id = request.id.get(..screen.id_length).unwrap_or(&request.id);
    let age = (now - request.since).num_seconds().max(0);
    let left = seconds_left(request, now);
    let left = if left == 0 { "time is up".to_owned() } else { format!("{} left", duration(left)) };
    let what = format!("{}, asked {} ago,", kind(asked.kind), duration(age));
    let fits = id.len() + 2 + what.len() + 1 + left.len() <= screen.width;
    let gap = if fits { " ".to_owned() } else { format!("\n{INDENT}") };
    let mut out = format!("{BOLD}{id}{BOLD:#}  {what}{gap}{TIME}{left}{TIME:#}\n");
    let session = asked.session_id.as_deref().map(|id| harmless(id).chars().take(8).collect::<String>());
    let session = session.map(|id| format!("  session {id}")).unwrap_or_default();
    let folder = if folder.is_empty() { "no known folder" } else { folder };
    let folder = line(folder, screen.width.saturating_sub(INDENT.len() + session.len()));
    let _ = writeln!(out, "{INDENT}{DIM}{folder}{session}{DIM:#}");
    out
}

/// The seconds until it is decided without a person; never below 0.
pub fn seconds_left(request: &Request, now: DateTime<Utc>) -> i64 {
    (request.until - now).num_seconds().max(0)
}

/// What is asked, in a word.
pub fn kind(kind: Kind) -> &'static str {
    match kind {
        Kind::Question => "question",
        Kind::Plan => "plan",
        _ => "permission",
    }
}

/// What is asked, with the numbers of what may be chosen.
pub fn body(asked: &Asked, screen: Screen) -> String {
    let mut out = String::new();
    match asked.kind {
        Kind::Question => {
            for (at, question) in asked.questions.iter().enumerate() {
                let number = (asked.questions.len() > 1).then(|| (at + 1, asked.questions.len()));
                out.push_str(&show_question(question, number, screen));
            }
        }
        Kind::Plan => out.push_str(&plan(asked, screen)),
        _ => {
            let tool = asked.tool.as_deref().unwrap_or("a tool");
            out.push_str(&wrapped(&format!("{tool} needs a permission"), screen.width, INDENT));
            let input = asked.tool_input.as_ref().map(|input| fields(input, screen.width));
            out.push_str(&limited(&input.unwrap_or_default(), screen));
        }
    }
    out
}

/// One question with its options. `number`: the how-manieth of how many.
pub fn show_question(question: &Question<'_>, number: Option<(usize, usize)>, screen: Screen) -> String {
    let mut out = String::new();
    let header = if question.header.trim().is_empty() { String::new() } else { format!("{}: ", question.header) };
    let number = number.map(|(at, of)| format!("{at} of {of}  ")).unwrap_or_default();
    let several = if question.multi_select { " (several may be chosen)" } else { "" };
    let asked = format!("{number}{header}{}{several}", question.question);
    out.push_str(&wrapped(&asked, screen.width, INDENT));
    for (row, option) in question.rows.iter().filter(|row| row.kind == RowKind::Option).zip(&question.options) {
        let number = row.number.map(|number| format!("{number}.")).unwrap_or_default();
        let text = match option.description.as_deref().filter(|text| !text.trim().is_empty()) {
            Some(description) => format!("{}: {description}", row.label),
            None => row.label.clone().into_owned(),
        };
        out.push_str(&wrapped(&text, screen.width, &format!("{INDENT}{number:>4} ")));
        if let Some(preview) = &option.preview {
            out.push_str(&barred_to(preview, screen));
        }
    }
    out
}

/// What may be said to it, in a line or two.
pub fn ways(asked: &Asked, width: usize) -> String {
    let text = match asked.kind {
        Kind::Question => match asked.questions.as_slice() {
            [one] if one.options.is_empty() => "answer in words of your own".to_owned(),
            [one] if one.multi_select => "answer by numbers, as in 1,3, or in words of your own".to_owned(),
            [_] => "answer by a number, or in words of your own".to_owned(),
            many => format!("{} answers, one for each: a number, or words of your own", many.len()),
        },
        Kind::Plan => format!("approve, or reject \"why\"; with approve, --mode: {}", MODES.join(", ")),
        _ => "allow (this once), or deny, or deny \"why\"".to_owned(),
    };
    wrapped(&text, width, INDENT)
}

fn plan(asked: &Asked, screen: Screen) -> String {
    let plan = asked.plan.clone().unwrap_or_default();
    let path = plan.path.as_deref().map(|path| wrapped(&format!("in {path}"), screen.width, INDENT));
    let text = match plan.text.as_deref().map(str::trim).filter(|text| !text.is_empty()) {
        Some(text) => barred_to(text, screen),
        None => wrapped("a plan whose text the client did not send", screen.width, INDENT),
    };
    format!("{}{text}", path.unwrap_or_default())
}

/// A tool's input: all of its fields, since any of them may be what matters. What goes on in a further line stands farther
/// in than a name, so that no value can look like another field.
fn fields(input: &RawValue, width: usize) -> String {
    let Ok(Fields(fields)) = serde_json::from_str(input.get()) else { return barred(&plain(input), width) };
    let shown = fields.iter().map(|(name, value)| {
        let text = format!("{}: {}", name.replace('\n', "\u{fffd}"), plain(value));
        let text = barred(&text, width.saturating_sub(2));
        format!("{}\n", text.trim_end().replace("\n    |", "\n    |  "))
    });
    shown.collect()
}

/// A text as it is, all else as it was written: a number may have more digits than one that is read.
fn plain(value: &RawValue) -> String {
    serde_json::from_str(value.get()).unwrap_or_else(|_| value.get().to_owned())
}

/// The fields of an object, in their order.
struct Fields(Vec<(String, Box<RawValue>)>);

impl<'de> Deserialize<'de> for Fields {
    fn deserialize<D: Deserializer<'de>>(json: D) -> Result<Self, D::Error> {
        struct InOrder;
        impl<'de> Visitor<'de> for InOrder {
            type Value = Fields;

            fn expecting(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
                to.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<Fields, A::Error> {
                let mut fields = Vec::new();
                while let Some(field) = object.next_entry()? {
                    fields.push(field);
                }
                Ok(Fields(fields))
            }
        }
        json.deserialize_map(InOrder)
    }
}

fn barred_to(text: &str, screen: Screen) -> String {
    limited(&barred(text, screen.width), screen)
}

fn limited(all: &str, screen: Screen) -> String {
    let count = all.lines().count();
    if screen.whole || count <= LINES {
        return all.to_owned();
    }
    let mut shown: String = all.lines().take(LINES - 1).map(|line| format!("{line}\n")).collect();
    let _ = writeln!(shown, "{INDENT}| … {} lines more", count + 1 - LINES);
    shown
}
