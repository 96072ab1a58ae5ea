//! The running count on disk: `tally.json` in the state folder, brought up to date by reading what was appended since, and
//! of that no more than it may. Writing it down costs more than counting some records again, so that is done now and then.
//! A file that may be deleted at any time; never read or written by the hook.

use std::fs;
use std::io::{self, ErrorKind, Read, Seek, SeekFrom};
use std::path::Path;

use chrono::{DateTime, Utc};

use crate::history::{self, Tally};
use crate::{journal, reviews, state};

/// How long a tally may be, in bytes; a longer one is none of ours.
const LONGEST: usize = 1024 * 1024;
/// How long a line of records may be, in bytes.
const LONGEST_LINE: u64 = 32 * 1024 * 1024;

/// How many bytes must have been read for the count to be written down: some twenty records.
pub const WORTH_WRITING: u64 = 16 * 1024;

/// What was counted.
#[derive(Debug)]
pub struct Counted {
    /// The count.
    pub tally: Tally,
    /// Whether it is of all that is recorded, or of a beginning.
    pub whole: bool,
    /// How many bytes of records and reviews were read for it.
    pub read: u64,
    /// Whether something was passed over that could not be read.
    pub passed_over: bool,
}

/// Counts what was appended since the count was last written down, reading `limit` bytes of it and what is left of a line. Where there is
/// no tally it begins anew; with `anew`, in any case.
///
/// # Errors
/// Where the folder of the records is there and cannot be listed. What cannot be read in it is passed over; a tally that
/// cannot be written is none.
pub fn update(state: &Path, now: DateTime<Utc>, limit: u64, anew: bool) -> io::Result<Counted> {
    let file = state.join("tally.json");
    let before = match state::read(&file, LONGEST) {
        Ok(text) if !anew => Tally::read(&text),
        _ => None,
    };
    let mut counted = Counted { tally: before.unwrap_or_default(), whole: true, read: 0, passed_over: false };
    if !catch_up(state, now, limit, &mut counted)? {
        // A file is shorter than it was: another one lies in its place.
        counted = Counted { tally: Tally::default(), whole: true, read: 0, passed_over: false };
        catch_up(state, now, limit, &mut counted)?;
    }
    let worth_it = counted.read >= WORTH_WRITING || !counted.whole || anew;
    if worth_it && counted.tally != Tally::default() {
        let _ = write(&file, &counted.tally);
    }
    Ok(counted)
}

/// The records first: what people said is of records that were there before.
fn catch_up(state: &Path, now: DateTime<Utc>, limit: u64, counted: &mut Counted) -> io::Result<bool> {
    let history::Days { files, odd } = history::days(&journal::folder(state))?;
    for (day, _) in &odd {
        counted.tally.pass_over(*day);
    }
    counted.passed_over |= !odd.is_empty();
    let today = now.date_naive();
    let days: Vec<_> = files.iter().map(|(day, _)| *day).collect();
    let growing: Vec<_> = files.into_iter().filter(|(day, _)| counted.tally.may_grow(*day, today)).collect();
    for (day, file) in growing {
        let from = counted.tally.read_to(day);
        let piece = match piece(&file, from, limit.saturating_sub(counted.read)) {
            Ok(Some(piece)) => piece,
            Ok(None) => return Ok(false),
            Err(_) => {
                counted.tally.pass_over(day);
                counted.passed_over = true;
                continue;
            }
        };
        counted.read += piece.lines.len() as u64;
        counted.whole = piece.whole;
        if piece.whole {
            counted.tally.pass_over_no_more(day);
        }
        if !piece.lines.is_empty() {
            counted.tally.add(day, &piece.lines, from + piece.lines.len() as u64);
        }
        if !piece.whole {
            return Ok(true);
        }
    }
    let from = counted.tally.reviews;
    let piece = match piece(&reviews::file(state), from, limit.saturating_sub(counted.read)) {
        Ok(Some(piece)) => piece,
        Ok(None) => return Ok(false),
        Err(_) => {
            counted.passed_over = true;
            return Ok(true);
        }
    };
    counted.read += piece.lines.len() as u64;
    counted.whole = piece.whole;
    counted.tally.reviews = from + piece.lines.len() as u64;
    counted.tally.reviewed(reviews::reviewed(&piece.lines));
    counted.tally.keep_only(&days, today);
    Ok(true)
}

struct Piece {
    lines: Vec<u8>,
    whole: bool,
}

/// The whole lines of a file behind `from`, about `limit` bytes of them. `None` where the file is shorter than that.
fn piece(file: &Path, from: u64, limit: u64) -> io::Result<Option<Piece>> {
    let mut file = match state::open(file) {
        Err(error) if error.kind() == ErrorKind::NotFound => {
            return Ok((from == 0).then_some(Piece { lines: Vec::new(), whole: true }));
        }
        opened => opened?,
    };
    let length = file.metadata()?.len();
    if length <= from || limit == 0 {
        return Ok((length >= from).then_some(Piece { lines: Vec::new(), whole: length == from }));
    }
    file.seek(SeekFrom::Start(from))?;
    let mut lines = Vec::new();
    let mut step = limit;
    loop {
        let read = (&mut file).take(step).read_to_end(&mut lines)? as u64;
        let so_far = lines.len() as u64;
        match memchr::memrchr(b'\n', &lines).map(|end| end + 1) {
            Some(end) => lines.truncate(end),
            // The line is longer than that: on to its end, if it has one.
            None if read == step && so_far < LONGEST_LINE => {
                step = so_far;
                continue;
            }
            None if so_far < LONGEST_LINE => lines.clear(),
            None => {}
        }
        // What is behind the last line break is being written, and not missing.
        let whole = read < step || from + lines.len() as u64 >= length;
        return Ok(Some(Piece { lines, whole }));
    }
}

/// Others may do the same at the same time: each one's is a count of its own, and the last stays.
fn write(file: &Path, tally: &Tally) -> io::Result<()> {
    let fresh = file.with_extension(format!("{}.new", std::process::id()));
    let _ = fs::remove_file(&fresh);
    state::append(&fresh, &tally.text()?)?;
    fs::rename(&fresh, file)
}
