//! Runs cells as named tests, so that they can be listed, filtered and run beside each other.

use std::sync::Arc;
use std::time::Instant;

use libtest_mimic::{Arguments, Conclusion, Failed, Trial};

use crate::cell::{Cell, Stage};
use crate::expect::expected;
use crate::results::Results;
use crate::{cells, checks};

/// How a cell came out.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// The cell.
    pub cell: Cell,
    /// The day, `2026-11-30`.
    pub date: String,
    /// Wall time in seconds.
    pub seconds: f64,
    /// What was not as expected.
    pub complaints: Vec<String>,
}

/// Runs the cells, and what is tried beside them; the cells' results are kept where they are to be reported.
pub fn run(
    arguments: &Arguments,
    stage: Stage,
    cells: Vec<Cell>,
    beside: Vec<Trial>,
    results: Option<Results>,
) -> Conclusion {
    let (stage, results) = (Arc::new(stage), Arc::new(results));
    let trials = cells.into_iter().map(|cell| {
        let (stage, results) = (Arc::clone(&stage), Arc::clone(&results));
        Trial::test(cell.name(), move || {
            let outcome = judged(&stage, cell);
            if let Some(results) = results.as_ref() {
                results.add(&outcome).map_err(|error| format!("{error:#}"))?;
            }
            if outcome.complaints.is_empty() { Ok(()) } else { Err(Failed::from(outcome.complaints.join("\n"))) }
        })
    });
    libtest_mimic::run(arguments, trials.chain(beside).collect())
}

/// The cells there are: all, or the quick subset and the plugin's.
pub fn chosen(all: bool) -> Vec<Cell> {
    let every = cells::matrix().into_iter().chain(cells::controls());
    if all { every.collect() } else { every.filter(cells::quick).chain(cells::unreported()).collect() }
}

fn judged(stage: &Stage, cell: Cell) -> Outcome {
    let started = Instant::now();
    let complaints = match stage.run(&cell) {
        Ok(facts) => match stage.scenarios.get(cell.scenario) {
            Some(scenario) => checks::complaints(&cell, scenario, &facts, expected(&cell).0),
            None => vec![format!("no scenario {}", cell.scenario)],
        },
        Err(error) => vec![format!("{error:#}")],
    };
    let date = unattended::clock::now().with_timezone(&chrono::Local).format("%Y-%m-%d").to_string();
    Outcome { cell, date, seconds: started.elapsed().as_secs_f64(), complaints }
}
