//! `unattended export`: the records of a span of time from many state folders, as JSON lines: merged, each once, in the
//! order of their times.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};

use anyhow::Context;
use chrono::{DateTime, NaiveDate, Utc};
use serde::Deserialize;

use super::state_folder;
use crate::cli::ExportArgs;
use crate::history::{self, Span};
use crate::trouble::Trouble;
use crate::{files, journal, paths, when};

/// A record, as far as it is sorted and told apart.
#[derive(Debug, Deserialize)]
struct Line {
    at: DateTime<Utc>,
    id: String,
}

/// Writes the records.
///
/// # Errors
/// A time or a folder that is none, records that cannot be read, or a file that cannot be written.
pub fn run(args: &ExportArgs) -> anyhow::Result<()> {
    let now = crate::clock::now();
    let moment = |text: &Option<String>| text.as_deref().map(|text| when::past(text, now)).transpose();
    let span = Span { since: moment(&args.since)?, until: moment(&args.until)? };
    let folders = match args.from.as_slice() {
        [] => vec![journal::folder(&state_folder()?)],
        from => from.iter().map(|folder| records(folder)).collect::<anyhow::Result<_>>()?,
    };
    let done = match &args.output {
        None => merge(&folders, span, &mut BufWriter::new(io::stdout().lock())),
        Some(file) => to_file(&folders, span, file),
    };
    match done {
        // Whoever reads only the beginning has had what they wanted.
        Err(error) if is_broken_pipe(&error) => Ok(()),
        done => done.map(|unreadable| {
            if unreadable > 0 {
                eprintln!("unattended: {unreadable} lines are no records and were left out");
            }
        }),
    }
}

/// The folder of records that a folder has or is.
fn records(folder: &Path) -> anyhow::Result<PathBuf> {
    let below = journal::folder(folder);
    if below.is_dir() {
        return Ok(below);
    }
    let days = if folder.is_dir() { history::day_files(folder)? } else { Vec::new() };
    if days.is_empty() {
        return Err(Trouble::error(
            format!("{} holds no records", paths::shown(folder)),
            "name a state folder (it has a folder `records`), or a folder of files like 2026-11-30.jsonl",
        ));
    }
    Ok(folder.to_path_buf())
}

/// Whole or not at all, for its owner alone.
fn to_file(folders: &[PathBuf], span: Span, file: &Path) -> anyhow::Result<usize> {
    let could_not = || format!("could not write {}", paths::shown(file));
    let target = files::resolve(file).with_context(could_not)?;
    if target.exists() && !target.is_file() {
        return Err(Trouble::error(format!("{} is no file", paths::shown(file)), "name a file, or leave --output out"));
    }
    let mut temporary = files::temporary(&target).with_context(could_not)?;
    let unreadable = {
        let mut out = BufWriter::new(&mut temporary);
        let unreadable = merge(folders, span, &mut out)?;
        out.flush().with_context(could_not)?;
        unreadable
    };
    temporary.persist(&target).map_err(|refused| refused.error).with_context(could_not)?;
    Ok(unreadable)
}

/// Day by day, so that no more than one day is held at a time. A record lies in the file of its day.
fn merge(folders: &[PathBuf], span: Span, out: &mut impl Write) -> anyhow::Result<usize> {
    let mut days: BTreeMap<NaiveDate, Vec<PathBuf>> = BTreeMap::new();
    for folder in folders {
        let files = history::day_files(folder).with_context(|| format!("could not list {}", paths::shown(folder)))?;
        for (day, file) in files {
            let before = span.since.is_some_and(|since| day < since.date_naive());
            let after = span.until.is_some_and(|until| day > until.date_naive());
            if !before && !after {
                days.entry(day).or_default().push(file);
            }
        }
    }
    let mut unreadable = 0;
    for files in days.into_values() {
        let mut records: BTreeMap<(DateTime<Utc>, String), BTreeSet<String>> = BTreeMap::new();
        for file in &files {
            let take = |line: &str| match serde_json::from_str::<Line>(line) {
                Ok(Line { at, .. }) if span.since.is_some_and(|since| at < since) => {}
                Ok(Line { at, .. }) if span.until.is_some_and(|until| at >= until) => {}
                // Two of one id are one, unless something else is in them.
                Ok(Line { at, id }) => drop(records.entry((at, id)).or_default().insert(line.to_owned())),
                Err(_) => unreadable += 1,
            };
            history::each_line(file, take).with_context(|| format!("could not read {}", paths::shown(file)))?;
        }
        for line in records.into_values().flatten() {
            out.write_all(line.as_bytes())?;
            out.write_all(b"\n")?;
        }
    }
    out.flush()?;
    Ok(unreadable)
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == ErrorKind::BrokenPipe)
}
