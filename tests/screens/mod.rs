//! Screens as pictures: what a terminal shows, as SVG, and the text of such a picture. Pure.
#![allow(dead_code, reason = "each test target uses its part of it")]
#![allow(clippy::unwrap_used)]

use std::fmt::Write;

/// The width and height of a character, in the picture's pixels.
const CELL: (f32, f32) = (8.4, 18.0);
/// The frame's bar with the title, and the room around the text.
const BAR: f32 = 34.0;
const ROOM: f32 = 14.0;

/// Text and background of a terminal that nobody has set up.
const PLAIN: (&str, &str) = ("#d8dee9", "#161b22");

/// The first sixteen colours.
const COLOURS: [&str; 16] = [
    "#484f58", "#ff7b72", "#3fb950", "#d29922", "#58a6ff", "#bc8cff", "#39c5cf", "#b1bac4", "#6e7681", "#ffa198",
    "#56d364", "#e3b341", "#79c0ff", "#d2a8ff", "#56d4dd", "#f0f6fc",
];

/// A screen as SVG, down to its last line that is not blank: its own background, no script, nothing from elsewhere, text
/// as text.
pub(crate) fn svg(screen: &vt100::Screen, title: &str, about: &str) -> String {
    let columns = screen.size().1.get();
    let rows = screen.contents().trim_end().lines().count() as u16;
    let (width, height) = (f32::from(columns) * CELL.0 + 2.0 * ROOM, f32::from(rows) * CELL.1 + BAR + 2.0 * ROOM);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" \
         viewBox=\"0 0 {width:.0} {height:.0}\" role=\"img\" aria-label=\"{0}\">\n<title>{0}</title>\n\
         <style>text {{ font: 14px ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace; \
         white-space: pre; fill: {1}; }} .bar {{ fill: #8b949e; text-anchor: middle; }}</style>\n\
         <rect width=\"{width:.0}\" height=\"{height:.0}\" rx=\"10\" fill=\"{2}\" stroke=\"#30363d\"/>\n\
         <circle cx=\"20\" cy=\"18\" r=\"6\" fill=\"#ff5f57\"/><circle cx=\"40\" cy=\"18\" r=\"6\" fill=\"#febc2e\"/>\
         <circle cx=\"60\" cy=\"18\" r=\"6\" fill=\"#28c840\"/>\n\
         <text class=\"bar\" x=\"{3:.0}\" y=\"23\">{4}</text>\n",
        escaped(about),
        PLAIN.0,
        PLAIN.1,
        width / 2.0,
        escaped(title),
    );
    for row in 0..rows {
        line(&mut out, screen, row, columns);
    }
    out.push_str("</svg>\n");
    out
}

/// A run of cells that look the same.
struct Run {
    column: u16,
    width: u16,
    text: String,
    look: Look,
}

#[derive(Clone, PartialEq, Eq)]
struct Look {
    fore: String,
    back: Option<String>,
    bold: bool,
    dim: bool,
    italic: bool,
    underline: bool,
}

fn line(out: &mut String, screen: &vt100::Screen, row: u16, columns: u16) {
    let mut runs: Vec<Run> = Vec::new();
    for column in 0..columns {
        let Some(cell) = screen.cell(row, column).filter(|cell| !cell.is_wide_continuation()) else { continue };
        let (text, look) = (if cell.has_contents() { drawn(cell.contents()) } else { " " }, look(cell));
        let width = if cell.is_wide() { 2 } else { 1 };
        match runs.last_mut().filter(|run| run.look == look && width == 1 && run.width == columns_of(&run.text)) {
            Some(run) => {
                run.text.push_str(text);
                run.width += width;
            }
            None => runs.push(Run { column, width, text: text.to_owned(), look }),
        }
    }
    let top = BAR + ROOM + f32::from(row) * CELL.1;
    let mut text = String::new();
    for run in &runs {
        let (left, width) = (ROOM + f32::from(run.column) * CELL.0, f32::from(run.width) * CELL.0);
        if let Some(back) = &run.look.back {
            let _ = writeln!(
                out,
                "<rect x=\"{left:.1}\" y=\"{top:.1}\" width=\"{width:.1}\" height=\"{:.1}\" fill=\"{back}\"/>",
                CELL.1
            );
        }
        let shown = run.text.trim_end();
        if shown.trim_start().is_empty() {
            continue;
        }
        // Blanks before the first word only move it.
        let blanks = shown.chars().take_while(|c| *c == ' ').count() as u16;
        let shown = shown.trim_start();
        let (left, width) = (left + f32::from(blanks) * CELL.0, f32::from(columns_of(shown)) * CELL.0);
        let _ = write!(
            text,
            "<tspan x=\"{left:.1}\" textLength=\"{width:.1}\"{}>{}</tspan>",
            run.look.words(),
            escaped(shown)
        );
    }
    if !text.is_empty() {
        let _ = writeln!(out, "<text y=\"{:.1}\">{text}</text>", top + 13.5);
    }
}

/// The client's signs for a result and for a mode are in few fonts; a reader's browser would show boxes.
fn drawn(sign: &str) -> &str {
    match sign {
        "⎿" => "└",
        "⏵" => "▸",
        other => other,
    }
}

/// How many columns a text without wide characters takes.
fn columns_of(text: &str) -> u16 {
    text.chars().count() as u16
}

fn look(cell: &vt100::Cell) -> Look {
    let (mut fore, mut back) = (colour(cell.fgcolor()), colour(cell.bgcolor()));
    if cell.inverse() {
        (fore, back) = (Some(back.unwrap_or(PLAIN.1.to_owned())), Some(fore.unwrap_or(PLAIN.0.to_owned())));
    }
    Look {
        fore: fore.unwrap_or(PLAIN.0.to_owned()),
        back: back.filter(|back| back != PLAIN.1),
        bold: cell.bold(),
        dim: cell.dim(),
        italic: cell.italic(),
        underline: cell.underline(),
    }
}

impl Look {
    /// As attributes of SVG.
    fn words(&self) -> String {
        let mut words = String::new();
        if self.fore != PLAIN.0 {
            let _ = write!(words, " fill=\"{}\"", self.fore);
        }
        for (set, word) in [
            (self.bold, " font-weight=\"bold\""),
            (self.dim, " fill-opacity=\"0.65\""),
            (self.italic, " font-style=\"italic\""),
            (self.underline, " text-decoration=\"underline\""),
        ] {
            words.push_str(if set { word } else { "" });
        }
        words
    }
}

fn colour(colour: vt100::Color) -> Option<String> {
    match colour {
        vt100::Color::Default => None,
        vt100::Color::Rgb(r, g, b) => Some(format!("#{r:02x}{g:02x}{b:02x}")),
        vt100::Color::Idx(index) => Some(match index {
            0..16 => COLOURS.get(usize::from(index)).copied().unwrap_or(PLAIN.0).to_owned(),
            16..232 => {
                let level = |step: u8| if step == 0 { 0 } else { 55 + 40 * step };
                let index = index - 16;
                format!("#{:02x}{:02x}{:02x}", level(index / 36), level(index / 6 % 6), level(index % 6))
            }
            _ => format!("#{0:02x}{0:02x}{0:02x}", 8 + 10 * (index - 232)),
        }),
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// The lines of a picture made here, without blank ones; blanks between words as on the screen.
pub(crate) fn lines(svg: &str) -> Vec<String> {
    let texts = svg.split("<text y=").skip(1).map(|rest| rest.split("</text>").next().unwrap_or_default());
    texts
        .map(|text| {
            let mut line = String::new();
            for part in text.split("<tspan x=\"").skip(1) {
                let left: f32 = part.split('"').next().and_then(|number| number.parse().ok()).unwrap_or_default();
                let column = ((left - ROOM) / CELL.0).round() as usize;
                let words =
                    part.split_once('>').map_or("", |(_, rest)| rest).split("</tspan>").next().unwrap_or_default();
                let missing = column.saturating_sub(line.chars().count());
                line.extend(std::iter::repeat_n(' ', missing));
                line.push_str(
                    &words.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&amp;", "&"),
                );
            }
            line
        })
        .collect()
}

/// A line without what differs from one time to another: ids, days and times.
pub(crate) fn steady(line: &str) -> String {
    let mut out = String::new();
    let mut before = ' ';
    for part in line.split_inclusive(|c: char| !c.is_ascii_alphanumeric()) {
        let word = part.trim_end_matches(|c: char| !c.is_ascii_alphanumeric());
        let after = part.chars().last().unwrap_or(' ');
        let is_id = word.len() >= 4 && word.chars().all(|c| c.is_ascii_hexdigit());
        let is_number = !word.is_empty() && word.chars().all(|c| c.is_ascii_digit());
        let of_a_time = is_number && [before, after].iter().any(|c| ":-".contains(*c));
        let is_day = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"].contains(&word);
        out.push_str(if is_id || of_a_time || is_day { "#" } else { word });
        out.push_str(part.get(word.len()..).unwrap_or_default());
        before = after;
    }
    out
}

/// A text without white space: how it was folded does not matter.
pub(crate) fn squeezed(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace()).collect()
}

/// A screen as `tmux capture-pane -e -p` writes it.
pub(crate) fn captured(text: &str, rows: u16, columns: u16) -> vt100::Parser {
    let size = |number| std::num::NonZeroU16::new(number).unwrap();
    let mut parser = vt100::Parser::new(size(rows), size(columns), 0);
    parser.process(text.trim_end_matches('\n').replace('\n', "\r\n").as_bytes());
    parser
}
