//! Runs cells as named tests, so that they can be listed, filtered and run beside each other.

use std::sync::{Arc, Mutex};
use std::time::Instant;

use libtest_mimic::{Arguments, Conclusion, Failed, Trial};

use crate::cell::{Cell, Stage};
use crate::expect::{Expect, expected};
use crate::{cells, checks};

/// How a cell came out, for the report.
#[derive(Debug, Clone)]
pub struct Result {
    /// The cell.
    pub cell: Cell,
    /// What was expected, and why if it is not the plain policy.
    pub expect: (Expect, Option<&'static str>),
    /// What was not as expected.
    pub complaints: Vec<String>,
    /// Wall time in seconds.
    pub seconds: f64,
}

/// Runs the cells; the results in the order in which they ended.
pub fn run(arguments: &Arguments, stage: Stage, cells: Vec<Cell>) -> (Conclusion, Vec<Result>) {
    let stage = Arc::new(stage);
    let results = Arc::new(Mutex::new(Vec::new()));
    let trials = cells.into_iter().map(|cell| {
        let (stage, results) = (Arc::clone(&stage), Arc::clone(&results));
        Trial::test(cell.name(), move || {
            let result = judged(&stage, cell);
            let complaints = result.complaints.clone();
            results.lock().unwrap().push(result);
            if complaints.is_empty() { Ok(()) } else { Err(Failed::from(complaints.join("\n"))) }
        })
    });
    let conclusion = libtest_mimic::run(arguments, trials.collect());
    let results = std::mem::take(&mut *results.lock().unwrap());
    (conclusion, results)
}

/// The cells that were asked for.
pub fn chosen(all: bool) -> Vec<Cell> {
    let every = cells::matrix().into_iter().chain(cells::controls());
    every.filter(|cell| all || cells::quick(cell)).collect()
}

fn judged(stage: &Stage, cell: Cell) -> Result {
    let started = Instant::now();
    let expect = expected(&cell);
    let complaints = match stage.run(&cell) {
        Ok(facts) => match stage.scenarios.get(cell.scenario) {
            Some(scenario) => checks::complaints(&cell, scenario, &facts, expect.0),
            None => vec![format!("no scenario {}", cell.scenario)],
        },
        Err(error) => vec![format!("{error:#}")],
    };
    Result { cell, expect, complaints, seconds: started.elapsed().as_secs_f64() }
}
