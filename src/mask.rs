//! Takes secrets out of a record: the values of well-known token forms and of names that look secret, never more of
//! the line than the value. Pure. Works on the line of JSON as it is to be written, so that no field is forgotten, and
//! leaves it the JSON it was: only what stands within a string is replaced.

mod forms;
mod quotes;

use memchr::{memchr3, memmem};

use self::quotes::{Quote, closing, quote, unquoted};

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
        let start = if in_word(byte) { word_start(bytes, at) } else { at };
        let end = at + bytes.get(at..).unwrap_or_default().iter().take_while(|byte| in_word(**byte)).count();
        if let Some(length) = bytes.get(start..end).and_then(forms::token) {
            found.push((start, start + length));
        }
        at = at.max(end) + forms::SHORTEST;
    }
    found.sort_unstable();
    let mut last = 0;
    found.retain(|&(start, end)| {
        let apart = start >= last;
        last = if apart { end } else { last };
        apart
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
            let spaced = bytes.get(end) == Some(&b' ') && forms::is_secret_name(bytes.get(at..end)?);
            if spaced { value(bytes, skip_spaces(bytes, end), false, true) } else { None }
        }
        b':' if behind.starts_with(b"://") => password_in_address(bytes, at + 3),
        sign @ (b'=' | b':') => assigned(bytes, at, *sign).or_else(|| credential(bytes, skip_spaces(bytes, at + 1))),
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

/// The value that a sign at `at` gives to a secret name before it: `NAME=…`, `name = …`, `"name": …`.
fn assigned(bytes: &[u8], at: usize, sign: u8) -> Option<(usize, usize)> {
    let spaced = if sign == b'=' { before(bytes, at, |byte| byte == b' ') } else { at };
    let quoted = spaced.checked_sub(1).filter(|last| matches!(bytes.get(*last), Some(b'"' | b'\'')));
    let end = quoted.map_or(spaced, |last| before(bytes, last, |byte| byte == b'\\'));
    let structural = quoted.is_some_and(|last| bytes.get(last) == Some(&b'"') && (last - end) % 2 == 0);
    if !forms::is_secret_name(bytes.get(word_start(bytes, end)..end)?) {
        return None;
    }
    match sign {
        b'=' if structural || bytes.get(at + 1) == Some(&b'=') => None,
        b'=' if spaced < at => value(bytes, skip_spaces(bytes, at + 1), false, false),
        b'=' => value(bytes, at + 1, false, true),
        _ => value(bytes, skip_spaces(bytes, at + 1), structural, false),
    }
}

/// The value that begins at `start`. A member of the line's own JSON is `structural`: there only a string can be
/// replaced. One in quotation marks is `certain` to be a value. Whether it is worth it is seen by its beginning, so that
/// what is passed over was not read to its end: a line is read once, whatever it holds.
fn value(bytes: &[u8], start: usize, structural: bool, certain: bool) -> Option<(usize, usize)> {
    let opened = quote(bytes, start);
    if structural != opened.is_some_and(Quote::ends_string) {
        return None;
    }
    let start = start + opened.map_or(0, |quote| quote.length);
    let begins = bytes.get(start..)?;
    if matches!(begins, [b'$' | b'<' | b'{' | b'*' | b'%' | b'-', ..]) || begins.starts_with(MASK.as_bytes()) {
        return None;
    }
    if let Some(opened) = opened {
        return Some((start, closing(bytes, start, opened)?)).filter(|(start, end)| start < end);
    }
    let beginning = begins.get(..unquoted(begins.get(..256).unwrap_or(begins)))?;
    let random = beginning.len() >= 8
        && beginning.iter().any(u8::is_ascii_digit)
        && beginning.iter().any(u8::is_ascii_alphabetic);
    let worth = !beginning.is_empty() && (certain || random);
    worth.then(|| (start, start + unquoted(begins)))
}

/// The password in `scheme://user:password@host`.
fn password_in_address(bytes: &[u8], start: usize) -> Option<(usize, usize)> {
    let rest = bytes.get(start..)?;
    let ends =
        |byte: &u8| matches!(byte, b'/' | b'"' | b'\\' | b'\'' | b'`' | b'?' | b'#') || byte.is_ascii_whitespace();
    let authority = rest.get(..rest.iter().position(ends)?)?;
    let host = authority.iter().rposition(|byte| *byte == b'@')?;
    let colon = authority.iter().position(|byte| *byte == b':').filter(|colon| *colon < host)?;
    let (start, end) = (start + colon + 1, start + host);
    let reference = matches!(bytes.get(start), Some(b'$' | b'{' | b'<' | b'*'));
    (start < end && !reference && bytes.get(start..end)? != MASK.as_bytes()).then_some((start, end))
}

/// The body of a private key in PEM, after its `-----BEGIN`.
fn private_key(bytes: &[u8], at: usize) -> Option<(usize, usize)> {
    let rest = bytes.get(at..)?;
    let title = memmem::find(rest.get(..64.min(rest.len()))?, b"PRIVATE KEY-----")? + b"PRIVATE KEY-----".len();
    let body = rest.get(title..).filter(|body| !body.starts_with(b"-----END"))?;
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

fn skip_spaces(bytes: &[u8], at: usize) -> usize {
    at + bytes.get(at..).unwrap_or_default().iter().take_while(|byte| **byte == b' ').count()
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
