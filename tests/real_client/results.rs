//! The results of runs, one line a cell, below target/: a run that was cut short or mended by a filtered one can still
//! be reported as a whole. The last line of a cell counts, and only while the same is expected of it.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::path::PathBuf;
use std::sync::Mutex;

use anyhow::Result;
use serde::{Deserialize, Serialize};

use crate::cell::Cell;
use crate::expect::expected;
use crate::suite::{Outcome, chosen};

/// Where results are kept.
pub struct Results {
    file: PathBuf,
    writing: Mutex<()>,
}

#[derive(Serialize, Deserialize)]
struct Line {
    cell: String,
    expect: String,
    date: String,
    seconds: f64,
    complaints: Vec<String>,
}

impl Results {
    /// The results of this tree.
    pub fn here() -> Results {
        Results { file: crate::root().join("target/real_client/results.jsonl"), writing: Mutex::new(()) }
    }

    /// Forgets what was there before.
    pub fn begin(&self) -> Result<()> {
        if self.file.exists() {
            std::fs::remove_file(&self.file)?;
        }
        Ok(())
    }

    /// Adds the result of a cell.
    pub fn add(&self, outcome: &Outcome) -> Result<()> {
        let _one_at_a_time = self.writing.lock().unwrap();
        std::fs::create_dir_all(self.file.parent().unwrap_or(&self.file))?;
        let line = serde_json::to_string(&Line {
            cell: outcome.cell.name(),
            expect: expectation(&outcome.cell),
            date: outcome.date.clone(),
            seconds: outcome.seconds,
            complaints: outcome.complaints.clone(),
        })?;
        let mut file = std::fs::OpenOptions::new().create(true).append(true).open(&self.file)?;
        Ok(file.write_all(format!("{line}\n").as_bytes())?)
    }

    /// The names of the cells whose result holds and is good.
    pub fn good(&self) -> Result<BTreeSet<String>> {
        let good = self.read()?.into_iter().filter(|outcome| outcome.complaints.is_empty());
        Ok(good.map(|outcome| outcome.cell.name()).collect())
    }

    /// All results that still hold, in the order of the matrix.
    pub fn read(&self) -> Result<Vec<Outcome>> {
        let mut lines = BTreeMap::new();
        for line in std::fs::read_to_string(&self.file)?.lines() {
            let line: Line = serde_json::from_str(line)?;
            lines.insert(line.cell.clone(), line);
        }
        let outcomes = chosen(true).into_iter().filter_map(|cell| {
            let line = lines.remove(&cell.name()).filter(|line| line.expect == expectation(&cell))?;
            Some(Outcome { cell, date: line.date, seconds: line.seconds, complaints: line.complaints })
        });
        Ok(outcomes.collect())
    }
}

/// What is expected of a cell, as a text that changes when the expectation does.
fn expectation(cell: &Cell) -> String {
    let (expect, why) = expected(cell);
    format!("{expect:?} {}", why.unwrap_or_default())
}
