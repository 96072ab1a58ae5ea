//! Where values end: quotation marks as they stand in JSON text, within and at the bounds of its strings.

use super::in_word;

/// The length of a value that stands in no quotation marks, as a shell or a file of settings would take it. A mark with
/// a word right behind it belongs to the value: `a,b`, `a)b`, `a'b'`.
pub(super) fn unquoted(bytes: &[u8]) -> usize {
    let mut end = 0;
    let word_at = |at: usize| bytes.get(at).is_some_and(|byte| in_word(*byte));
    while let Some(byte) = bytes.get(end) {
        match byte {
            b'"' | b'`' | b';' | b'&' | b'|' | b'<' | b'>' => break,
            b'\\' => {
                let slashes = bytes.get(end..).unwrap_or_default().iter().take_while(|byte| **byte == b'\\').count();
                end += match (slashes % 2, bytes.get(end + slashes)) {
                    // A quotation mark within the string.
                    (1, Some(b'"')) if word_at(end + slashes + 1) => slashes + 1,
                    // Backslashes of the value's own.
                    (0, Some(mark)) if *mark != b'"' => slashes,
                    _ => break,
                };
            }
            b'\'' | b')' if !word_at(end + 1) => break,
            b',' if !word_at(end + 1) || is_pair(bytes.get(end + 1..).unwrap_or_default()) => break,
            _ if byte.is_ascii_whitespace() => break,
            _ => end += 1,
        }
    }
    end
}

/// Whether the next of several pairs begins: `host=x`, `user: y`.
fn is_pair(bytes: &[u8]) -> bool {
    /// No name in such a list is longer.
    const LONGEST: usize = 40;
    let name = bytes.iter().take(LONGEST).take_while(|byte| byte.is_ascii_alphabetic() || **byte == b'_').count();
    name > 1 && matches!(bytes.get(name), Some(b'=' | b':')) && bytes.get(name + 1).is_some_and(|byte| *byte != b'=')
}

/// A quotation mark as it stands in JSON text.
#[derive(Clone, Copy)]
pub(super) struct Quote {
    pub(super) mark: u8,
    /// With the backslashes before it.
    pub(super) length: usize,
}

impl Quote {
    /// Whether it begins or ends a string of the line itself.
    pub(super) fn ends_string(self) -> bool {
        self.mark == b'"' && self.length % 2 == 1
    }
}

/// The quotation mark that stands at a place.
pub(super) fn quote(bytes: &[u8], at: usize) -> Option<Quote> {
    let slashes = bytes.get(at..)?.iter().take_while(|byte| **byte == b'\\').count();
    let mark = *bytes.get(at + slashes)?;
    let is = mark == b'"' || (mark == b'\'' && slashes == 0);
    is.then_some(Quote { mark, length: slashes + 1 })
}

/// Where what was opened closes, or its string ends.
pub(super) fn closing(bytes: &[u8], start: usize, opened: Quote) -> Option<usize> {
    let mut at = start;
    loop {
        let byte = *bytes.get(at)?;
        if byte == b'\'' && opened.mark == b'\'' {
            return Some(at);
        }
        if byte != b'"' && byte != b'\\' {
            at += 1;
            continue;
        }
        match quote(bytes, at) {
            Some(quote) if quote.ends_string() => return Some(at + quote.length - 1),
            Some(quote) if quote.mark == opened.mark && quote.length == opened.length => return Some(at),
            Some(quote) => at += quote.length,
            // Escapes of something else: whole pairs, and the byte that the last one escapes.
            None => {
                let slashes = bytes.get(at..)?.iter().take_while(|byte| **byte == b'\\').count();
                at += slashes + slashes % 2;
            }
        }
    }
}
