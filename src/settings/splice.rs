//! Puts items into a list of a JSON text and takes items out, in the text's own style, so that taking out what was put
//! in gives back the same bytes. Knows nothing of hooks.

use super::json::{List, Span};

/// A JSON value to be written; leaves are written as they are.
#[derive(Debug, Clone)]
pub(super) enum Out {
    Leaf(String),
    Array(Vec<Out>),
    Object(Vec<(String, Out)>),
}

/// An item for a list: a member of an object (with its name) or an element of an array.
pub(super) type Item = (Option<String>, Out);

/// `with` in the place of what is at `at`.
#[derive(Debug)]
pub(super) struct Splice {
    pub(super) at: Span,
    pub(super) with: String,
}

/// How a text is laid out.
#[derive(Debug)]
pub(super) struct Layout {
    newline: &'static str,
    /// One step of indentation.
    unit: String,
    /// False: the whole object is on one line.
    lines: bool,
    /// Between a name and its value, on one line.
    colon: &'static str,
    /// Between two items, on one line.
    comma: &'static str,
}

/// How one item is written: over lines that begin with this indentation, or on one line.
enum Style<'s> {
    Lines(&'s str),
    Inline,
}

/// The text with the splices made; they must not overlap.
pub(super) fn apply(text: &str, mut splices: Vec<Splice>) -> String {
    splices.sort_by_key(|splice| splice.at.start);
    let mut out = String::with_capacity(text.len() + splices.iter().map(|splice| splice.with.len()).sum::<usize>());
    let mut from = 0;
    for splice in &splices {
        out.push_str(Span { start: from, end: splice.at.start }.of(text));
        out.push_str(&splice.with);
        from = splice.at.end;
    }
    out.push_str(Span { start: from, end: text.len() }.of(text));
    out
}

/// Takes items out of a list, each with one comma. The counterpart of `append`: an item goes with the comma and the
/// space before it; the first ones, which have none, with what is behind them.
pub(super) fn remove(text: &str, list: &List, gone: &[bool]) -> Vec<Splice> {
    let is_gone = |index: usize| gone.get(index).copied().unwrap_or(false);
    let mut splices = Vec::new();
    let mut kept_before: Option<Span> = None;
    let mut index = 0;
    while let Some(item) = list.items.get(index) {
        if !is_gone(index) {
            kept_before = Some(*item);
            index += 1;
            continue;
        }
        let first = *item;
        let mut last = first;
        while let Some(item) = list.items.get(index).filter(|_| is_gone(index)) {
            last = *item;
            index += 1;
        }
        let at = match (kept_before, list.items.get(index)) {
            (Some(before), _) => Span { start: before.end, end: last.end },
            (None, Some(next)) => Span { start: first.start, end: next.start },
            (None, None) => {
                let lead = Span { start: list.inside.start, end: first.start }.of(text);
                let tail = Span { start: last.end, end: list.inside.end }.of(text);
                splices.push(Splice { at: list.inside, with: blank_before(lead, tail).to_owned() });
                return splices;
            }
        };
        splices.push(Splice { at, with: String::new() });
    }
    splices
}

/// What was between the brackets of an empty list before `append` put its items there: they got a line of their own
/// behind it or, in a text of one line, nothing behind them. A program that wrote the file anew left neither so.
fn blank_before<'t>(lead: &'t str, tail: &str) -> &'t str {
    match lead.rfind('\n') {
        Some(newline) => {
            let blank = lead.get(..newline).unwrap_or_default();
            blank.strip_suffix('\r').unwrap_or(blank)
        }
        None if tail.is_empty() => lead,
        None => "",
    }
}

/// Puts items at the end of a list.
pub(super) fn append(text: &str, layout: &Layout, list: &List, items: &[Item]) -> Splice {
    let Some((first, last)) = list.items.first().zip(list.items.last()) else {
        return fill(text, layout, list, items);
    };
    let gap = Span { start: list.inside.start, end: first.start }.of(text);
    let (between, style) = match gap.rfind('\n') {
        Some(newline) => {
            let indent = gap.get(newline + 1..).unwrap_or_default();
            (format!(",{}{indent}", layout.newline), Style::Lines(indent))
        }
        None if list.inside.of(text).contains('\n') => {
            (",".to_owned() + " ", Style::Lines(line_indent(text, list.inside.start)))
        }
        None => (layout.comma.to_owned(), Style::Inline),
    };
    let mut with = String::new();
    for item in items {
        with.push_str(&between);
        layout.write_item(&mut with, item, &style);
    }
    Splice { at: Span::empty_at(last.end), with }
}

/// Puts items into an empty list; what was between its brackets stays in front of them.
fn fill(text: &str, layout: &Layout, list: &List, items: &[Item]) -> Splice {
    let blank = list.inside.of(text);
    let mut with = blank.to_owned();
    if layout.lines {
        let outer = line_indent(text, list.inside.start);
        let inner = format!("{outer}{}", layout.unit);
        // A lone carriage return must not be taken for a part of our line end.
        let newline = if blank.ends_with('\r') { "\r\n" } else { layout.newline };
        for (index, item) in items.iter().enumerate() {
            with.push_str(if index == 0 { newline } else { layout.newline });
            with.push_str(&inner);
            layout.write_item(&mut with, item, &Style::Lines(&inner));
            if index + 1 < items.len() {
                with.push(',');
            }
        }
        with.push_str(layout.newline);
        with.push_str(outer);
    } else {
        for (index, item) in items.iter().enumerate() {
            if index > 0 {
                with.push_str(layout.comma);
            }
            layout.write_item(&mut with, item, &Style::Inline);
        }
    }
    Splice { at: list.inside, with }
}

/// Puts a member in front of the others of an object that has some.
pub(super) fn prepend(text: &str, layout: &Layout, list: &List, name: &str, leaf: &str) -> Option<Splice> {
    let first = list.items.first()?;
    let gap = Span { start: list.inside.start, end: first.start }.of(text);
    let between = if gap.contains('\n') { format!(",{gap}") } else { layout.comma.to_owned() };
    Some(Splice { at: Span::empty_at(first.start), with: format!("{}{}{leaf}{between}", quoted(name), layout.colon) })
}

/// A string as JSON.
pub(super) fn quoted(string: &str) -> String {
    serde_json::Value::from(string).to_string()
}

impl Layout {
    /// The layout of a text with this object as its root.
    pub(super) fn of(text: &str, root: &List) -> Layout {
        let crlf = text.find('\n').is_some_and(|at| text.get(..at).unwrap_or_default().ends_with('\r'));
        let inside = root.inside.of(text);
        let lines = root.items.is_empty() || inside.contains('\n');
        let gap = root.items.first().map(|first| Span { start: root.inside.start, end: first.start }.of(text));
        let outer = line_indent(text, root.inside.start);
        let unit = gap
            .and_then(|gap| gap.get(gap.rfind('\n')? + 1..))
            .map(|indent| indent.strip_prefix(outer).unwrap_or(indent))
            .filter(|unit| !unit.is_empty())
            .unwrap_or("  ");
        let spaced = lines || inside.contains("\": ");
        Layout {
            newline: if crlf { "\r\n" } else { "\n" },
            unit: unit.to_owned(),
            lines,
            colon: if spaced { ": " } else { ":" },
            comma: if spaced { ", " } else { "," },
        }
    }

    fn write_item(&self, into: &mut String, (name, value): &Item, style: &Style<'_>) {
        if let Some(name) = name {
            into.push_str(&quoted(name));
            into.push_str(self.colon);
        }
        self.write(into, value, style);
    }

    /// As `JSON.stringify` would write it with this layout's indentation, since that is how the client itself does.
    fn write(&self, into: &mut String, value: &Out, style: &Style<'_>) {
        let (open, close, items): (_, _, Vec<(Option<&String>, &Out)>) = match value {
            Out::Leaf(leaf) => return into.push_str(leaf),
            Out::Array(items) => ('[', ']', items.iter().map(|item| (None, item)).collect()),
            Out::Object(members) => ('{', '}', members.iter().map(|(name, value)| (Some(name), value)).collect()),
        };
        into.push(open);
        let inner = match style {
            Style::Lines(indent) => format!("{}{indent}{}", self.newline, self.unit),
            Style::Inline => String::new(),
        };
        for (index, (name, value)) in items.iter().enumerate() {
            match (index, style) {
                (0, _) => {}
                (_, Style::Lines(_)) => into.push(','),
                (_, Style::Inline) => into.push_str(self.comma),
            }
            into.push_str(&inner);
            if let Some(name) = name {
                into.push_str(&quoted(name));
                into.push_str(self.colon);
            }
            match style {
                Style::Lines(indent) => self.write(into, value, &Style::Lines(&format!("{indent}{}", self.unit))),
                Style::Inline => self.write(into, value, &Style::Inline),
            }
        }
        if let (Style::Lines(indent), false) = (style, items.is_empty()) {
            into.push_str(self.newline);
            into.push_str(indent);
        }
        into.push(close);
    }
}

/// The white space that the line of this place begins with.
fn line_indent(text: &str, at: usize) -> &str {
    let before = text.get(..at).unwrap_or_default();
    let line = before.get(before.rfind('\n').map_or(0, |newline| newline + 1)..).unwrap_or_default();
    let end = line.find(|c| !matches!(c, ' ' | '\t')).unwrap_or(line.len());
    line.get(..end).unwrap_or_default()
}
