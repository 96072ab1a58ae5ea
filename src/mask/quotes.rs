//! Where values end: quotation marks as they stand in JSON text, within and at the bounds of its strings.

/// The length of a value that stands in no quotation marks.
pub(super) fn unquoted(bytes: &[u8]) -> usize {
    let mut end = 0;
    while let Some(byte) = bytes.get(end) {
        match byte {
            // A backslash of the value's own.
            b'\\' if bytes.get(end + 1) == Some(&b'\\') && !matches!(bytes.get(end + 2), Some(b'"') | None) => end += 2,
            b'"' | b'\\' | b'\'' | b'`' | b';' | b'&' | b'|' | b',' | b')' | b'<' | b'>' => break,
            _ if byte.is_ascii_whitespace() => break,
            _ => end += 1,
        }
    }
    end
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
