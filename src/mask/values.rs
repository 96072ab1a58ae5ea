//! What is given to a secret name: where it begins and ends, and what only stands for a value, as `$TOKEN` does.

use super::names::Name;
use super::quotes::{Quote, closing, quote, unquoted};
use super::{MASK, forms, in_value, in_word};

/// As much as is looked at of a value's beginning, so that what is passed over is not read to its end: a line is read
/// once, whatever it holds.
const BEGINNING: usize = 256;

/// How a value is given.
#[derive(Debug, Clone, Copy)]
pub(super) struct Given {
    /// The name.
    pub(super) name: Name,
    /// By what sign.
    pub(super) to: To,
}

/// To what a value is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum To {
    /// A member of the line's own JSON: only a string can be replaced there.
    Member,
    /// A variable of a shell or a parameter, `NAME=…`: whatever stands there is the value.
    Variable,
    /// A flag, `--name …`.
    Flag,
    /// Something in a text, which may be prose: only what is quoted, or is no word, is a value.
    Text,
}

/// The value that begins at `start`.
pub(super) fn value(bytes: &[u8], start: usize, given: Given) -> Option<(usize, usize)> {
    let structural = given.to == To::Member;
    let start = if structural { start } else { start + literal(bytes.get(start..)?) };
    let opened = quote(bytes, start);
    if structural != opened.is_some_and(Quote::ends_string) {
        return None;
    }
    let start = start + opened.map_or(0, |quote| quote.length);
    let begins = bytes.get(start..)?;
    let beginning = begins.get(..BEGINNING).unwrap_or(begins);
    if begins.starts_with(MASK.as_bytes()) || is_reference(beginning, opened, given.to) {
        return None;
    }
    if given.name == Name::Likely {
        let run = beginning.iter().take_while(|byte| in_value(**byte)).count();
        if !forms::is_made(beginning.get(..run)?) {
            return None;
        }
    }
    if let Some(opened) = opened {
        let mut end = closing(bytes, start, opened)?;
        let closed = quote(bytes, end).filter(|quote| quote.mark == opened.mark && quote.length == opened.length);
        let behind = end + closed.filter(|_| !structural).map_or(0, |quote| quote.length);
        // What a shell joins to it.
        if behind > end && given.to == To::Variable && bytes.get(behind).is_some_and(|byte| in_word(*byte)) {
            end = behind + unquoted(bytes.get(behind..)?);
        }
        return (start < end).then_some((start, end));
    }
    let beginning = beginning.get(..unquoted(beginning))?;
    let certain = matches!(given.to, To::Variable | To::Flag) && !beginning.is_empty();
    (certain || forms::is_mixed(beginning)).then(|| (start, start + unquoted(begins)))
}

/// The value of `${NAME:-value}`.
pub(super) fn default(bytes: &[u8], start: usize) -> Option<(usize, usize)> {
    let start = start + quote(bytes, start).filter(|quote| !quote.ends_string()).map_or(0, |quote| quote.length);
    let rest = bytes.get(start..)?;
    let beginning = rest.get(..BEGINNING).unwrap_or(rest);
    let length = beginning.get(..unquoted(beginning))?.iter().take_while(|byte| **byte != b'}').count();
    let reference = beginning.starts_with(b"$") || beginning.starts_with(MASK.as_bytes());
    (length > 0 && !reference).then_some((start, start + length))
}

/// How many bytes before a quotation mark say what kind of a literal it begins: `r'…'`, `f"…"`, `$'…'`.
fn literal(bytes: &[u8]) -> usize {
    let letters =
        bytes.iter().take(2).take_while(|byte| matches!(byte, b'$' | b'@') || b"rRbBfFuUL".contains(byte)).count();
    let opens = quote(bytes, letters).filter(|quote| letters > 0 && !quote.ends_string());
    let behind = opens.and_then(|quote| bytes.get(letters + quote.length));
    // Else it is a value of one letter, and the mark is that of what is around it.
    let is = behind.is_some_and(|byte| byte.is_ascii_graphic() && !b" ,;)]}:\\\"'".contains(byte));
    if is { letters } else { 0 }
}

/// Whether it stands for a value and is none: a variable, a placeholder, the next flag.
fn is_reference(bytes: &[u8], opened: Option<Quote>, to: To) -> bool {
    let Some((first, rest)) = bytes.split_first() else { return false };
    let quoted = opened.is_some();
    let next = rest.first().copied().unwrap_or(b' ');
    match first {
        b'$' => is_variable(rest, opened),
        b'<' => !quoted || closes(rest, b'>'),
        b'{' => !quoted || closes(rest, b'}'),
        b'*' => next == b'*' || !in_word(next),
        b'%' => {
            let name = rest.iter().take_while(|byte| byte.is_ascii_alphabetic() || **byte == b'_').count();
            let ends = rest.get(name).is_none_or(|byte| *byte == b'%' || !byte.is_ascii_alphanumeric());
            matches!(next, b'(' | b'{') || !in_word(next) || (name > 0 && ends)
        }
        b'-' => {
            let number = rest.iter().take_while(|byte| byte.is_ascii_digit() || **byte == b'.').count();
            (to == To::Flag && !quoted)
                || !in_word(next)
                || next == b'-'
                || !rest.get(number).copied().is_some_and(in_word)
        }
        _ => false,
    }
}

/// Whether what follows a `$` is what a shell puts a value for. In single quotation marks it puts none; there a name is
/// taken for a variable's where it is written in one case.
fn is_variable(rest: &[u8], opened: Option<Quote>) -> bool {
    let single = opened.is_some_and(|quote| quote.mark == b'\'');
    let name = rest.iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_').count();
    let name = rest.get(..name).unwrap_or_default();
    match rest.first() {
        Some(b'{') => !single || closes(rest, b'}'),
        Some(b'(') => !single || closes(rest, b')'),
        Some(b'$') => true,
        // What was a variable's name.
        Some(b'[') if rest.starts_with(MASK.as_bytes()) => true,
        // A parameter, and not the beginning of a hash such as `$2b$12$…`.
        Some(byte) if byte.is_ascii_digit() => name.len() == 1 && rest.get(1) != Some(&b'$'),
        Some(byte) if byte.is_ascii_alphabetic() || *byte == b'_' => {
            let upper = name.iter().any(u8::is_ascii_uppercase);
            let lower = name.iter().any(u8::is_ascii_lowercase);
            let digit = name.iter().any(u8::is_ascii_digit);
            !single || (upper != lower && (upper || !digit))
        }
        _ => opened.is_none(),
    }
}

/// Whether a placeholder ends soon, within its string and line.
fn closes(bytes: &[u8], mark: u8) -> bool {
    /// No placeholder is longer.
    const LONGEST: usize = 80;
    let inside = bytes.iter().take(LONGEST).take_while(|byte| !matches!(byte, b'"' | b'\\' | b'\''));
    inside.into_iter().any(|byte| *byte == mark)
}
