//! One payload from standard input: up to the end of its first JSON value, not to the end of the file, and never
//! longer than the limits below. What differs between systems is in `streams`.

use std::io;
use std::time::{Duration, Instant};

use crate::{room, streams};

/// The most that is read, in bytes. Past it a payload counts as broken.
pub const SIZE_LIMIT: usize = 32 * 1024 * 1024;
/// How long nothing may come, and how long nobody may take the answer.
pub const SILENCE_LIMIT: Duration = Duration::from_secs(5);
/// How long it may take in all; well below the timeout of the registration, which is 30 s.
pub const TIME_LIMIT: Duration = Duration::from_secs(15);

/// How much room there is for the first read, in bytes; nearly every payload fits into it.
const FIRST_STEP: usize = 3 * 1024;
/// How much there is for the others: as much as a pipe holds.
const NEXT_STEP: usize = 64 * 1024;
/// How much more there is for a long one.
const MUCH: usize = 8 * 1024 * 1024;
const BYTE_ORDER_MARK: [u8; 3] = *b"\xef\xbb\xbf";

/// What came.
#[derive(Debug)]
pub struct Input {
    /// The bytes up to the end of the value, or what there was of it.
    pub bytes: Vec<u8>,
    /// What was wrong, in a sentence.
    pub problem: Option<String>,
}

/// Reads one value from standard input.
pub fn read() -> Input {
    read_within(SILENCE_LIMIT)
}

/// Reads one value from standard input, where nothing may come for `silence` at most.
pub fn read_within(silence: Duration) -> Input {
    let started = Instant::now();
    let mut bytes = Vec::new();
    let mut value = Value::default();
    let problem = loop {
        let left = TIME_LIMIT.min(silence * 3).saturating_sub(started.elapsed()).min(silence);
        if !streams::ready(left) {
            break match bytes.len() {
                0 => format!("no payload within {silence:?}"),
                length => format!("the payload stopped after {length} bytes, before it was whole"),
            };
        }
        let step = if bytes.is_empty() { FIRST_STEP } else { NEXT_STEP };
        if bytes.len() >= NEXT_STEP && bytes.capacity() - bytes.len() < step {
            // Room that is not used costs nothing, growing step by step copies each time.
            let _ = bytes.try_reserve_exact(MUCH);
        }
        match streams::read(&mut bytes, step) {
            Ok(0) if bytes.trim_ascii().is_empty() => break "standard input was empty".to_owned(),
            Ok(0) => break format!("the payload ended after {} bytes, before it was whole", bytes.len()),
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => break format!("standard input: {error}"),
        }
        match value.find_end(&bytes) {
            Found::End(length) => {
                bytes.truncate(length);
                if length > room::SMALL && !room::more() {
                    break format!("the system gives no memory for a payload of {length} bytes");
                }
                return Input { bytes, problem: None };
            }
            Found::NoObject => break "the payload is no JSON object".to_owned(),
            Found::NotYet if bytes.len() > SIZE_LIMIT => {
                break format!("the payload is longer than {SIZE_LIMIT} bytes");
            }
            Found::NotYet => {}
        }
    };
    Input { bytes, problem: Some(problem) }
}

/// Where a value ends, found step by step as its bytes come.
#[derive(Debug, Default)]
struct Value {
    seen: usize,
    depth: usize,
    in_string: bool,
}

#[derive(Debug, PartialEq, Eq)]
enum Found {
    /// The value's length, with what stood before it.
    End(usize),
    NotYet,
    NoObject,
}

impl Value {
    fn find_end(&mut self, bytes: &[u8]) -> Found {
        while let Some(rest) = bytes.get(self.seen..).filter(|rest| !rest.is_empty()) {
            if self.in_string {
                match string_end(rest, self.seen) {
                    Some(at) if rest.get(at) == Some(&b'"') => {
                        self.in_string = false;
                        self.seen += at + 1;
                    }
                    // The escaped byte may not have come yet; then this is looked at again.
                    Some(at) if at + 1 == rest.len() => {
                        self.seen += at;
                        return Found::NotYet;
                    }
                    Some(at) => self.seen += at + 2,
                    None => self.seen = bytes.len(),
                }
                continue;
            }
            if self.depth == 0 {
                let blank = |byte: &u8| byte.is_ascii_whitespace() || BYTE_ORDER_MARK.contains(byte);
                match rest.iter().position(|byte| !blank(byte)) {
                    Some(at) if rest.get(at) == Some(&b'{') => self.seen += at,
                    Some(_) => return Found::NoObject,
                    None => {
                        self.seen = bytes.len();
                        return Found::NotYet;
                    }
                }
            }
            let outside = bytes.get(self.seen..).unwrap_or_default();
            match outside.iter().position(|byte| matches!(byte, b'"' | b'{' | b'}')) {
                Some(at) => {
                    self.seen += at + 1;
                    match bytes.get(self.seen - 1) {
                        Some(b'"') => self.in_string = true,
                        Some(b'{') => self.depth += 1,
                        _ if self.depth == 1 => return Found::End(self.seen),
                        _ => self.depth -= 1,
                    }
                }
                None => self.seen = bytes.len(),
            }
        }
        Found::NotYet
    }
}

/// Where a string ends or has an escape, `seen` bytes into the payload. The fast search first asks the processor what it
/// can, which costs more than a short payload does.
fn string_end(rest: &[u8], seen: usize) -> Option<usize> {
    const SHORT: usize = 16 * 1024;
    let near = rest.get(..SHORT.saturating_sub(seen)).unwrap_or(rest);
    near.iter().position(|byte| matches!(byte, b'"' | b'\\')).or_else(|| {
        let far = rest.get(near.len()..).filter(|far| !far.is_empty())?;
        Some(near.len() + memchr::memchr2(b'"', b'\\', far)?)
    })
}

/// The text of a payload, without a byte order mark; `None` where it is no UTF-8.
pub fn text(bytes: &[u8]) -> Option<&str> {
    std::str::from_utf8(bytes.strip_prefix(&BYTE_ORDER_MARK).unwrap_or(bytes)).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn whole(text: &[u8]) -> Found {
        Value::default().find_end(text)
    }

    #[test]
    fn a_value_ends_at_its_last_brace_whatever_follows() {
        assert_eq!(whole(br#"{"a":{"b":"}\"{"}} {"next":1}"#), Found::End(18));
        assert_eq!(whole(b"\xef\xbb\xbf\r\n {}garbage"), Found::End(8));
    }

    #[test]
    fn a_value_that_comes_byte_by_byte_ends_at_the_same_place() {
        let text = br#" {"a":["\\",{"b":"\"}"}]} "#;
        let mut value = Value::default();
        let found: Vec<_> = (1..=text.len()).map(|length| value.find_end(&text[..length])).collect();
        let end = found.iter().position(|found| *found != Found::NotYet).unwrap();
        assert_eq!(found[end], whole(text));
        assert_eq!(found[end], Found::End(text.len() - 1));
    }

    #[test]
    fn what_is_no_object_is_not_waited_for() {
        assert_eq!(whole(b"hello"), Found::NoObject);
        assert_eq!(whole(b"[1]"), Found::NoObject);
        assert_eq!(whole(b"  "), Found::NotYet);
        assert_eq!(whole(b"{\"a\": "), Found::NotYet);
    }
}
