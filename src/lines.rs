//! Reads a file line by line, however long it or a line in it is.

use std::io::{self, BufRead, BufReader, Read};

/// How long a line may be, in bytes.
pub const LONGEST: usize = 32 * 1024 * 1024;

/// Calls `look` with each line that is not blank, without white space around it. What is behind the last line break
/// counts as a line. One longer than `LONGEST` is passed over.
///
/// # Errors
/// As the system gives them.
pub fn each(from: impl Read, mut look: impl FnMut(&[u8])) -> io::Result<()> {
    each_numbered(from, |_, line| {
        if let Some(line) = line {
            look(line);
        }
    })
}

/// As `each`, with the line's number in the file, from 1; one longer than `LONGEST` is `None`.
///
/// # Errors
/// As the system gives them.
pub fn each_numbered(from: impl Read, mut look: impl FnMut(usize, Option<&[u8]>)) -> io::Result<()> {
    let mut number = 0;
    let mut reader = BufReader::with_capacity(256 * 1024, from);
    let mut line = Vec::new();
    let mut too_long = false;
    loop {
        let there = match reader.fill_buf() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            there => there?,
        };
        let over = there.is_empty();
        let end = memchr::memchr(b'\n', there);
        let piece = there.get(..end.unwrap_or(there.len())).unwrap_or_default();
        let used = piece.len() + usize::from(end.is_some());
        // Most lines lie in the buffer whole.
        if line.is_empty() && end.is_some() && !too_long {
            number += 1;
            give(piece, number, &mut look);
        } else {
            too_long |= line.len() + piece.len() > LONGEST;
            if too_long {
                line = Vec::new();
            } else {
                line.extend_from_slice(piece);
            }
            if end.is_some() || over {
                number += 1;
                if too_long {
                    look(number, None);
                } else {
                    give(&line, number, &mut look);
                }
                line.clear();
                too_long = false;
            }
        }
        reader.consume(used);
        if over {
            return Ok(());
        }
    }
}

fn give(line: &[u8], number: usize, look: &mut impl FnMut(usize, Option<&[u8]>)) {
    let line = line.trim_ascii();
    if !line.is_empty() {
        look(number, Some(line));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &[u8]) -> Vec<Vec<u8>> {
        let mut lines = Vec::new();
        each(bytes, |line| lines.push(line.to_vec())).unwrap();
        lines
    }

    #[test]
    fn lines_are_given_without_their_ends_and_blank_ones_not_at_all() {
        assert_eq!(read(b"one\r\n\n  \ntwo \nthree"), [b"one".to_vec(), b"two".to_vec(), b"three".to_vec()]);
        assert_eq!(read(b""), Vec::<Vec<u8>>::new());
    }

    #[test]
    fn a_line_that_is_longer_than_the_buffer_is_whole_and_one_that_is_too_long_is_passed_over() {
        let long = vec![b'x'; 700 * 1024];
        let mut text = [b"before\n".to_vec(), long.clone(), b"\n".to_vec()].concat();
        text.extend(vec![b'y'; LONGEST + 1]);
        text.extend(b"\nafter\n");
        assert_eq!(read(&text), [b"before".to_vec(), long, b"after".to_vec()]);
        let mut told = Vec::new();
        each_numbered(&*text, |number, line| told.push((number, line.is_some()))).unwrap();
        assert_eq!(told, [(1, true), (2, true), (3, false), (4, true)]);
    }
}
