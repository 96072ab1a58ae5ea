//! `unattended export`: the records of a span of time from many state folders, as JSON lines: merged, each once, in the
//! order of their times.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context;
use chrono::{DateTime, NaiveDate, Utc};
use serde::Deserialize;

use super::{out, state_folder};
use crate::cli::ExportArgs;
use crate::history::{self, Days, Odd, Span};
use crate::review::Lacks;
use crate::trouble::Trouble;
use crate::{files, journal, paths, record, when};

/// A record, as far as it is sorted and told apart.
#[derive(Debug, Deserialize)]
struct Line {
    at: DateTime<Utc>,
    id: String,
    #[serde(default)]
    v: u64,
}

/// What came of it.
#[derive(Debug, Default)]
struct Written {
    records: usize,
    /// Lines that are no records.
    unreadable: usize,
    /// Records of a newer version than this program knows.
    newer: usize,
    /// What could not be read.
    odd: Vec<Odd>,
}

/// Writes the records. Exits with 1 where a file of them could not be read.
///
/// # Errors
/// A time or a folder that is none, records that cannot be read, or a file that cannot be written.
pub fn run(args: &ExportArgs) -> anyhow::Result<ExitCode> {
    let now = crate::clock::now();
    let moment = |text: &Option<String>| text.as_deref().map(|text| when::past(text, now)).transpose();
    let span = Span { since: moment(&args.since)?, until: moment(&args.until)? };
    let folders = match args.from.as_slice() {
        [] => vec![journal::folder(&state_folder()?)],
        from => from.iter().map(|folder| records(folder)).collect::<anyhow::Result<_>>()?,
    };
    let done = match &args.output {
        None => merge(&folders, span, &mut BufWriter::new(io::stdout().lock()), |error| match error.kind() {
            ErrorKind::BrokenPipe => error.into(),
            _ => out::not_taken(&error),
        }),
        Some(file) => to_file(&folders, span, file),
    };
    match done {
        // Whoever reads only the beginning has had what they wanted.
        Err(error) if is_broken_pipe(&error) => Ok(ExitCode::SUCCESS),
        done => {
            let written = done?;
            tell(&written, span);
            Ok(if written.odd.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
        }
    }
}

/// Says what is missing in it.
fn tell(written: &Written, span: Span) {
    match written.unreadable {
        0 => {}
        1 => out::tell("note: ", "one line is no record and was left out"),
        lines => out::tell("note: ", &format!("{lines} lines are no records and were left out")),
    }
    out::tell_lacks(&Lacks { odd: written.odd.clone(), newer: written.newer, unread_reviews: 0 });
    if span.since.zip(span.until).is_some_and(|(since, until)| since >= until) {
        out::tell("note: ", "nothing lies between --since and --until: it ends before it begins");
    } else if written.records == 0 {
        out::tell("note: ", "nothing is recorded of that time");
    }
}

/// The folder of records that a folder has or is.
fn records(folder: &Path) -> anyhow::Result<PathBuf> {
    let below = journal::folder(folder);
    if below.is_dir() {
        return Ok(below);
    }
    let days = if folder.is_dir() { history::days(folder)? } else { Days::default() };
    if days.files.is_empty() && days.odd.is_empty() {
        return Err(Trouble::error(
            format!("{} holds no records", paths::shown(folder)),
            "name a state folder (it has a folder `records`), or a folder of files like 2026-11-30.jsonl",
        ));
    }
    Ok(folder.to_path_buf())
}

/// Whole or not at all, for its owner alone.
fn to_file(folders: &[PathBuf], span: Span, file: &Path) -> anyhow::Result<Written> {
    let could_not = || format!("could not write {}", paths::shown(file));
    let target = files::resolve(file).with_context(could_not)?;
    if target.exists() && !target.is_file() {
        return Err(Trouble::error(format!("{} is no file", paths::shown(file)), "name a file, or leave --output out"));
    }
    let mut temporary = files::temporary(&target).with_context(could_not)?;
    let written = {
        let mut out = BufWriter::new(&mut temporary);
        let written = merge(folders, span, &mut out, |error| anyhow::Error::new(error).context(could_not()))?;
        out.flush().with_context(could_not)?;
        written
    };
    temporary.persist(&target).map_err(|refused| refused.error).with_context(could_not)?;
    Ok(written)
}

/// Day by day, so that no more than one day is held at a time. A record lies in the file of its day.
fn merge(
    folders: &[PathBuf],
    span: Span,
    out: &mut impl Write,
    could_not: impl Fn(io::Error) -> anyhow::Error,
) -> anyhow::Result<Written> {
    let mut written = Written::default();
    let mut days: BTreeMap<NaiveDate, Vec<PathBuf>> = BTreeMap::new();
    for folder in folders {
        let there = history::days(folder).map_err(|error| {
            let odd = Odd::of_folder(folder, &error);
            Trouble::error(odd.what(), odd.remedy())
        })?;
        let within = |day: NaiveDate| {
            let before = span.since.is_some_and(|since| day < since.date_naive());
            !before && span.until.is_none_or(|until| day <= until.date_naive())
        };
        written.odd.extend(there.odd.into_iter().filter(|(day, _)| within(*day)).map(|(_, odd)| odd));
        for (day, file) in there.files.into_iter().filter(|(day, _)| within(*day)) {
            days.entry(day).or_default().push(file);
        }
    }
    for files in days.into_values() {
        let mut records: BTreeMap<(DateTime<Utc>, String), BTreeSet<String>> = BTreeMap::new();
        for file in &files {
            let take = |line: &str| match serde_json::from_str::<Line>(line) {
                Ok(Line { at, .. }) if span.since.is_some_and(|since| at < since) => {}
                Ok(Line { at, .. }) if span.until.is_some_and(|until| at >= until) => {}
                // Two of one id are one, unless something else is in them.
                Ok(Line { at, id, v }) => {
                    let fresh = records.entry((at, id)).or_default().insert(line.to_owned());
                    written.newer += usize::from(fresh && v > u64::from(record::VERSION));
                }
                Err(_) => written.unreadable += 1,
            };
            let read = history::each_line(file, take);
            written.odd.extend(read.err().map(|error| Odd::of(file, &error)));
        }
        for line in records.into_values().flatten() {
            written.records += 1;
            out.write_all(line.as_bytes()).and_then(|()| out.write_all(b"\n")).map_err(&could_not)?;
        }
    }
    out.flush().map_err(could_not)?;
    written.odd.sort();
    Ok(written)
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == ErrorKind::BrokenPipe)
}
