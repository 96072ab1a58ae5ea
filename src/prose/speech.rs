//! From a message in Markdown to the sentences said to the reader: code, quotations, block quotes, links and emphasis
//! are taken out, letters made lower case, marks of other scripts made ours. Only the beginning and the end are kept.

use memchr::memchr;

use super::frames::{self, Speaker};
use super::kinds::Kinds;
use super::{clauses, phrases};

/// Bytes read from the end of what is said; whether a turn waits is decided there.
const TAIL: usize = 1_600;
/// Bytes read from its beginning; what was done is often said there.
const HEAD: usize = 400;
/// Stands for a piece of code, a quotation or an address within a sentence.
pub(super) const HOLE: char = '¤';
/// How far off the end of a quotation or of a piece of code is looked for, in bytes.
const ASIDE: usize = 300;

/// The form of the line that a sentence stands in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    Plain,
    Heading,
    Item,
    Row,
}

/// One sentence said to the reader.
#[derive(Debug)]
pub(super) struct Sentence {
    /// Length in bytes, after cleaning.
    pub(super) length: usize,
    pub(super) form: Form,
    /// The number of its line; sentences of one line belong to one paragraph.
    pub(super) line: usize,
    /// Ends in a question mark of any script.
    pub(super) question: bool,
    /// Ends in a colon: an opening to what follows.
    pub(super) opens: bool,
    /// Is written in a script that often leaves the question mark out.
    pub(super) spaceless: bool,
    /// The kinds of phrase in it.
    pub(super) kinds: Kinds,
}

/// The sentences of a message, in order.
pub(super) fn read(message: &str) -> Vec<Sentence> {
    let lines = spoken_lines(message);
    let total: usize = lines.iter().map(|line| line.len()).sum();
    let mut sentences = Vec::with_capacity(32);
    let mut clean = String::with_capacity(512);
    let mut passed = 0;
    for (number, line) in lines.iter().enumerate() {
        let (from_start, to_end) = (passed, total - passed - line.len());
        passed += line.len();
        if from_start >= HEAD && to_end >= TAIL {
            continue;
        }
        let (form, rest) = form_of(shortened(line));
        clean.clear();
        clean_into(rest, &mut clean);
        split_into(&clean, form, number, &mut sentences);
    }
    sentences
}

/// The lines outside fenced code, block quotes, comments and rules.
fn spoken_lines(message: &str) -> Vec<&str> {
    let mut lines = Vec::with_capacity(64);
    let mut fence: Option<(u8, usize)> = None;
    let mut rest = message;
    while !rest.is_empty() {
        let end = memchr(b'\n', rest.as_bytes()).unwrap_or(rest.len());
        let (line, after) = rest.split_at_checked(end).unwrap_or((rest, ""));
        rest = after.get(1..).unwrap_or("");
        if end == 0 {
            continue;
        }
        let line = line.trim();
        let mark = line.bytes().next().unwrap_or(b' ');
        let run = line.bytes().take_while(|&byte| byte == mark).count();
        match fence {
            Some((open, length)) if mark == open && run >= length && run == line.len() => fence = None,
            Some(_) => {}
            None if (mark == b'`' || mark == b'~')
                && run >= 3
                && !line.get(run..).is_some_and(|info| info.contains('`')) =>
            {
                fence = Some((mark, run));
            }
            None if line.is_empty() || mark == b'>' || line.starts_with("<!--") => {}
            None => lines.push(line),
        }
    }
    lines
}

/// The end of a line that is longer than what is read at all.
fn shortened(line: &str) -> &str {
    let mut at = line.len().saturating_sub(TAIL);
    while !line.is_char_boundary(at) {
        at += 1;
    }
    line.get(at..).unwrap_or(line)
}

/// The form of a line and the line without the marks that made it.
fn form_of(line: &str) -> (Form, &str) {
    if line.starts_with('#') {
        return (Form::Heading, line.trim_start_matches('#').trim_start());
    }
    if line.starts_with('|') {
        return (Form::Row, line);
    }
    let bare = line.trim_start_matches("**");
    for bullet in ["- ", "* ", "+ ", "• ", "– ", "☐ "] {
        if let Some(rest) = bare.strip_prefix(bullet) {
            return (Form::Item, rest);
        }
    }
    let label = bare.trim_start_matches('(');
    let digits = label.bytes().take_while(u8::is_ascii_digit).count();
    let width = match label.bytes().next() {
        Some(first) if first.is_ascii_alphabetic() => 1,
        _ => digits,
    };
    let ends = label.get(width..).unwrap_or("");
    if (1..=3).contains(&width) && (ends.starts_with(". ") || ends.starts_with(") ") || ends.starts_with('、')) {
        return (Form::Item, ends.get(1..).map_or(ends, |rest| rest.trim_start()));
    }
    (Form::Plain, line)
}

/// Copies a line, lower case, without code, quotations, addresses and emphasis.
fn clean_into(line: &str, clean: &mut String) {
    let mut rest = line;
    let mut before = ' ';
    loop {
        let plain = rest.bytes().take_while(u8::is_ascii_alphanumeric).count();
        // Most of what is read is words; only an address begins with a letter of its own meaning.
        if let Some((word, remainder)) = rest.split_at_checked(plain)
            && let Some(last) = word.chars().next_back()
            && (!word.starts_with('h') || before.is_alphanumeric() || !remainder.starts_with("://"))
        {
            clean.push_str(word);
            (before, rest) = (last, remainder);
        }
        let Some(this) = rest.chars().next() else { break };
        let after = rest.get(this.len_utf8()..).unwrap_or("");
        if let Some(remainder) = skip_aside(this, before, rest, after) {
            clean.push(HOLE);
            before = HOLE;
            rest = remainder;
            continue;
        }
        rest = after;
        let next = after.chars().next().unwrap_or(' ');
        match this {
            '*' | '\u{200b}' | '\u{fe0f}' | '\u{feff}' => continue,
            '_' if !before.is_alphanumeric() || !next.is_alphanumeric() => continue,
            '~' if next == '~' || before == '~' => {}
            '[' => continue,
            ']' => {
                if let Some(address) = after.strip_prefix('(') {
                    rest = address.split_once(')').map_or("", |(_, remainder)| remainder);
                }
                continue;
            }
            '’' | '‘' | 'ʼ' => clean.push('\''),
            '？' | '؟' | '⁇' | '❓' => clean.push('?'),
            '！' => clean.push_str("! "),
            '。' | '．' | '।' => clean.push_str(". "),
            '，' => clean.push_str(", "),
            '：' => clean.push_str(": "),
            '；' | '\u{37e}' => clean.push(';'),
            '（' => clean.push_str(" ("),
            '）' => clean.push(')'),
            'İ' => clean.push('i'),
            _ if this.is_whitespace() => {
                if !clean.ends_with(' ') {
                    clean.push(' ');
                }
            }
            _ if this.is_ascii() => clean.push(this),
            _ => clean.extend(this.to_lowercase()),
        }
        before = this;
    }
    clean.make_ascii_lowercase();
}

/// What follows a piece of code, a quotation or an address that begins here.
fn skip_aside<'a>(this: char, before: char, rest: &'a str, after: &'a str) -> Option<&'a str> {
    let ends: &[char] = match this {
        '`' => {
            let run = rest.bytes().take_while(|&byte| byte == b'`').count();
            let (ticks, inside) = rest.split_at_checked(run)?;
            let end = near(inside).find(ticks)?;
            return inside.get(end + run..);
        }
        'h' if !before.is_alphanumeric() && (rest.starts_with("http://") || rest.starts_with("https://")) => {
            let end = rest.find(|c: char| c.is_whitespace() || c == ')' || c == '>').unwrap_or(rest.len());
            return rest.get(end..);
        }
        // An apostrophe opens a quotation only before a word; it is one only if it closes after a mark.
        '\'' if !before.is_alphanumeric() => {
            let mut marks = near(after).match_indices('\'').take(4);
            let end = marks.find(|&(end, _)| after.get(..end).is_some_and(|inside| inside.ends_with(['?', '!'])))?.0;
            return after.get(end + 1..);
        }
        '"' => &['"'],
        // In careless typing the same mark opens and closes.
        '“' => &['”', '“', '"'],
        '„' => &['“', '”', '"'],
        '«' => &['»'],
        '‹' => &['›'],
        '「' => &['」'],
        '『' => &['』'],
        _ => return None,
    };
    let inside = after.get(near(after).find(ends)?..)?;
    inside.get(inside.chars().next()?.len_utf8()..)
}

/// The beginning of a text, as far as an aside may reach.
fn near(text: &str) -> &str {
    let mut end = text.len().min(ASIDE);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.get(..end).unwrap_or(text)
}

/// Splits a clean line at its full stops, question and exclamation marks.
fn split_into(line: &str, form: Form, number: usize, sentences: &mut Vec<Sentence>) {
    let bytes = line.as_bytes();
    let (mut start, mut aside) = (0, false);
    for (at, &byte) in bytes.iter().enumerate() {
        if !matches!(byte, b'.' | b'!' | b'?' | b'(' | b')') {
            continue;
        }
        let next = bytes.get(at + 1).copied().unwrap_or(b' ');
        let ends = match byte {
            b'.' | b'!' => next == b' ' && !abbreviated(bytes.get(start..at).unwrap_or(&[])),
            b'?' => !next.is_ascii_alphanumeric() && next != b'.' && next != b'?',
            // A parenthesis within a sentence: "two points (who pays? when?) are open" asks nothing.
            b'(' => {
                aside = aside || bytes.get(start..at).is_some_and(|said| said.len() > 1);
                false
            }
            b')' => {
                aside = false;
                false
            }
            _ => false,
        };
        if ends {
            push(line.get(start..=at).unwrap_or(""), form, number, aside, sentences);
            start = at + 1;
        }
    }
    push(line.get(start..).unwrap_or(""), form, number, aside, sentences);
}

fn abbreviated(before: &[u8]) -> bool {
    [&b"e.g"[..], b"i.e", b" vs", b"z.b", b"d.h", b" etc"].iter().any(|short| before.ends_with(short))
}

fn push(text: &str, form: Form, line: usize, aside: bool, sentences: &mut Vec<Sentence>) {
    let text = text.trim();
    if !text.chars().any(|this| this.is_alphanumeric() || this == HOLE || this == '?') {
        return;
    }
    let closing = text.trim_end_matches(|this: char| !this.is_alphanumeric() && !matches!(this, '?' | ':' | ';'));
    let greek = || text.chars().any(|this| matches!(this, '\u{370}'..='\u{3ff}'));
    let question = !aside && (closing.ends_with('?') || (closing.ends_with(';') && greek()));
    if text == "?" {
        // The mark was cut off from its sentence by a quotation or an emoji.
        if let Some(last) = sentences.last_mut() {
            last.question = last.question || last.line == line;
        }
        return;
    }
    let (all, opening) = clauses::find(text);
    let kinds = all | frames::read(all, opening, speaker(text), form != Form::Plain);
    let opens = closing.ends_with(':');
    let spaceless = !text.is_ascii() && text.chars().any(phrases::spaceless);
    sentences.push(Sentence { length: text.len(), form, line, question, opens, spaceless, kinds });
}

/// Whether the author speaks of itself; whether the sentence begins with it.
fn speaker(text: &str) -> Speaker {
    let begins = text.starts_with("i ") || text.starts_with("i'");
    let within = || text.as_bytes().windows(3).any(|three| matches!(three, b" i " | b" i'" | b"we " | b"we'"));
    Speaker { begins, author: begins || within() }
}
