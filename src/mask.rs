//! Takes secrets out of a record: the values of well-known token forms and of names that look secret, never more of
//! the line than the value. Pure. Works on the line of JSON as it is to be written, so that no field is forgotten, and
//! leaves it the JSON it was: only what stands within a string is replaced.

mod addresses;
mod forms;
mod names;
mod quotes;
mod values;

use memchr::{memchr3, memmem};

use self::names::secrecy;
use self::quotes::{Quote, closing, quote};
use self::values::{Given, To, default, value};

/// What stands in the place of a secret.
pub const MASK: &str = "[masked]";
/// The member that marks a record from which something was taken.
const MARK: &str = ",\"masked\":true}";

/// The line without its secrets and marked so; `None` where it has none. `line` is one JSON object.
pub fn masked(line: &str) -> Option<String> {
    let secrets = secrets(line);
    if secrets.is_empty() {
        return None;
    }
    let mut clean = String::with_capacity(line.len() + MARK.len());
    let mut copied = 0;
    for (start, end) in secrets {
        clean.push_str(line.get(copied..start)?);
        clean.push_str(MASK);
        copied = end;
    }
    clean.push_str(line.get(copied..)?.strip_suffix('}')?);
    clean.push_str(MARK);
    Some(clean)
}

/// What `masked` gave, without the mark.
pub fn unmarked(masked: &str) -> String {
    masked.strip_suffix(MARK).map_or_else(|| masked.to_owned(), |line| format!("{line}}}"))
}

/// Where the secrets are, as byte ranges in order, none within another. Looked for from the signs that give a value to a
/// name and from the words that are long enough for a token, so that most of a line is never looked at.
fn secrets(line: &str) -> Vec<(usize, usize)> {
    let bytes = line.as_bytes();
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(sign) = next_sign(bytes, at) {
        at = sign + 1;
        if let Some(secret) = by_sign(bytes, sign) {
            at = at.max(secret.1);
            found.push(secret);
        }
    }
    // A word of this length or more has a byte at one of these places.
    let mut at = forms::SHORTEST - 1;
    while let Some(&byte) = bytes.get(at) {
        let end = at + bytes.get(at..).unwrap_or_default().iter().take_while(|byte| in_word(**byte)).count();
        // From its end: `at` may be the letter of an escape, which is none of the word's.
        let start = if in_word(byte) { word_start(bytes, end) } else { at };
        if let Some(length) = bytes.get(start..end).and_then(forms::token) {
            found.push((start, start + length));
        }
        at = at.max(end) + forms::SHORTEST;
    }
    found.sort_unstable();
    // Of two that overlap, a token within a value, the whole is one.
    found.dedup_by(|later, earlier| {
        let overlap = later.0 < earlier.1;
        earlier.1 = if overlap { earlier.1.max(later.1) } else { earlier.1 };
        overlap
    });
    found
}

/// The next sign that may lead to a secret. The fast search first asks the processor what it can, which costs more than
/// a short line does.
fn next_sign(bytes: &[u8], from: usize) -> Option<usize> {
    const SHORT: usize = 16 * 1024;
    let rest = bytes.get(from..)?;
    let at = match bytes.len() {
        ..SHORT => rest.iter().position(|byte| matches!(byte, b'=' | b':' | b'-')),
        _ => memchr3(b'=', b':', b'-', rest),
    };
    Some(from + at?)
}

/// The secret that a sign leads to.
fn by_sign(bytes: &[u8], at: usize) -> Option<(usize, usize)> {
    let behind = bytes.get(at..)?;
    match bytes.get(at)? {
        b'-' if behind.starts_with(b"-----BEGIN ") => private_key(bytes, at),
        // The flag of a command; the first of its signs.
        b'-' if behind.starts_with(b"--") && begins_word(bytes, at) => {
            let end = at + behind.iter().take_while(|byte| in_word(**byte)).count();
            let start = skip_blanks(bytes, end);
            let name = Some(()).filter(|()| start > end).and_then(|()| secrecy(bytes.get(at..end)?))?;
            value(bytes, start, Given { name, to: To::Flag })
        }
        b':' if behind.starts_with(b"://") => addresses::secret(bytes, at + 3),
        b'=' | b':' => assigned(bytes, at),
        _ => None,
    }
}

/// What stands behind the scheme of an `Authorization` header.
fn credential(bytes: &[u8], at: usize) -> Option<(usize, usize)> {
    let word = bytes.get(at..)?.split(|byte| !byte.is_ascii_alphabetic()).next()?;
    let start = at + word.len() + 1;
    if bytes.get(start - 1) != Some(&b' ') || !forms::is_scheme(word) {
        return None;
    }
    let length = bytes.get(start..)?.iter().take_while(|byte| in_value(**byte)).count();
    (length >= 16).then_some((start, start + length))
}

/// What such a header holds, whatever its scheme, or without one.
fn authorization(bytes: &[u8], start: usize, structural: bool) -> Option<(usize, usize)> {
    let opened = quote(bytes, start);
    if structural != opened.is_some_and(Quote::ends_string) {
        return None;
    }
    let start = start + opened.map_or(0, |quote| quote.length);
    let scheme = bytes.get(start..)?.iter().take(24).take_while(|byte| byte.is_ascii_alphabetic()).count();
    let start = if bytes.get(start + scheme) == Some(&b' ') { start + scheme + 1 } else { start };
    let rest = bytes.get(start..)?;
    let beginning = rest.iter().take(64).take_while(|byte| in_value(**byte)).count();
    let length = || rest.iter().take_while(|byte| in_value(**byte)).count();
    let beginning = rest.get(..beginning)?;
    let long = beginning.len() >= 16 && forms::is_mixed(beginning) && !beginning.contains(&b'/');
    (long || forms::is_made(beginning)).then(|| (start, start + length()))
}

/// The value that a sign at `at` gives to a secret name before it: `NAME=…`, `name := …`, `"name": …`, `'name' => …`,
/// `${NAME:-…}`.
fn assigned(bytes: &[u8], at: usize) -> Option<(usize, usize)> {
    let sign = *bytes.get(at)?;
    let (before_sign, next) = (at.checked_sub(1).and_then(|last| bytes.get(last)), bytes.get(at + 1));
    // `:=`, `+=` and `?=` as well; a value of these is not always a string.
    let wide = sign == b'=' && matches!(before_sign, Some(b':' | b'+' | b'?'));
    let operator = if wide { at - 1 } else { at };
    let spaced = if sign == b'=' { blanks_before(bytes, operator) } else { operator };
    let quoted = spaced.checked_sub(1).filter(|last| matches!(bytes.get(*last), Some(b'"' | b'\'')));
    let end = quoted.map_or(spaced, |last| before(bytes, last, |byte| byte == b'\\'));
    let structural = quoted.is_some_and(|last| bytes.get(last) == Some(&b'"') && (last - end) % 2 == 0);
    let start = word_start(bytes, end);
    let written = bytes.get(start..end)?;
    let value_start = skip_blanks(bytes, at + 1);
    let Some(name) = secrecy(written) else {
        let is_header = forms::is_header(written);
        return Some(())
            .filter(|()| is_header)
            .and_then(|()| authorization(bytes, value_start, structural))
            .or_else(|| credential(bytes, value_start));
    };
    let given = |to| Given { name, to };
    match (sign, next) {
        (b':', Some(b'-' | b'=')) if bytes.get(..start)?.ends_with(b"${") => default(bytes, at + 2),
        (b':', Some(b'+' | b'?')) if bytes.get(..start)?.ends_with(b"${") => None,
        // The sign that follows tells; `::` leads into a module.
        (b':', Some(b'=' | b':')) => None,
        (b':', _) if structural => value(bytes, value_start, given(To::Member)),
        (b':', _) => value(bytes, value_start, given(To::Text)),
        // Comparisons.
        _ if structural || matches!(next, Some(b'=' | b'~')) || matches!(before_sign, Some(b'=' | b'!')) => None,
        (_, Some(b'>')) => value(bytes, skip_blanks(bytes, at + 2), given(To::Text)),
        _ if wide || spaced < at => value(bytes, value_start, given(To::Text)),
        _ => value(bytes, at + 1, given(To::Variable)),
    }
    .or_else(|| credential(bytes, value_start))
}

/// The body of a private key in PEM, after its `-----BEGIN`.
fn private_key(bytes: &[u8], at: usize) -> Option<(usize, usize)> {
    let rest = bytes.get(at..)?;
    // `RSA PRIVATE KEY`, `PGP PRIVATE KEY BLOCK`; words and nothing else.
    let words =
        rest.get(5..)?.iter().take(64).take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b' ').count();
    let (name, dashes) = rest.get(5..)?.split_at_checked(words)?;
    let is_key = name.ends_with(b"PRIVATE KEY") || name.ends_with(b"PRIVATE KEY BLOCK");
    let title = Some(5 + words + 5).filter(|_| is_key && dashes.starts_with(b"-----"))?;
    let body = rest.get(title..).filter(|body| !body.starts_with(b"-----END") && !body.starts_with(MASK.as_bytes()))?;
    let string = closing(body, 0, Quote { mark: b'"', length: 1 })?;
    let length = memmem::find(body.get(..string)?, b"-----END").unwrap_or(string);
    (length > 0).then_some((at + title, at + title + length))
}

/// Where the word begins that ends at `end`. What belongs to an escape before it is none of it: the `n` of a line break
/// is a letter in JSON text.
fn word_start(bytes: &[u8], end: usize) -> usize {
    let start = before(bytes, end, in_word);
    (start + escape(bytes, start)).min(end)
}

/// Whether a word may begin at `at`. Looks back no further than an escape, however long the word before is.
fn begins_word(bytes: &[u8], at: usize) -> bool {
    let in_word_before = at.checked_sub(1).and_then(|last| bytes.get(last)).is_some_and(|byte| in_word(*byte));
    let escaped = |back: usize| at.checked_sub(back).is_some_and(|start| escape(bytes, start) == back);
    !in_word_before || escaped(1) || escaped(5)
}

/// How many bytes at `at` belong to an escape whose backslash is the byte before.
fn escape(bytes: &[u8], at: usize) -> usize {
    let slashes = at - before(bytes, at, |byte| byte == b'\\');
    match (slashes % 2, bytes.get(at)) {
        (1, Some(b'u')) => 5,
        (1, _) => 1,
        _ => 0,
    }
}

/// Where the run of such bytes begins that ends at `end`.
fn before(bytes: &[u8], end: usize, is: fn(u8) -> bool) -> usize {
    end - bytes.get(..end).unwrap_or_default().iter().rev().take_while(|byte| is(**byte)).count()
}

/// Past spaces, and tabs as they stand in JSON text.
fn skip_blanks(bytes: &[u8], mut at: usize) -> usize {
    loop {
        match bytes.get(at..) {
            Some([b' ', ..]) => at += 1,
            Some([b'\\', b't', ..]) => at += 2,
            _ => return at,
        }
    }
}

/// Where such blanks begin that end at `end`.
fn blanks_before(bytes: &[u8], mut end: usize) -> usize {
    loop {
        match bytes.get(..end) {
            Some([.., b' ']) => end -= 1,
            Some([.., b'\\', b't']) if escape(bytes, end - 1) == 1 => end -= 2,
            _ => return end,
        }
    }
}

/// What words, and so names and tokens, are made of; a table, as it is asked of every byte.
#[allow(clippy::indexing_slicing)] // evaluated at compile time, within the table
static WORD: [bool; 256] = {
    let (mut table, mut byte) = ([false; 256], 0);
    while byte < table.len() {
        table[byte] = (byte as u8).is_ascii_alphanumeric() || matches!(byte as u8, b'_' | b'-' | b'.');
        byte += 1;
    }
    table
};

fn in_word(byte: u8) -> bool {
    WORD.get(usize::from(byte)).copied().unwrap_or(false)
}

fn in_value(byte: u8) -> bool {
    in_word(byte) || matches!(byte, b'+' | b'/' | b'=' | b'~')
}

#[cfg(test)]
mod tests;
