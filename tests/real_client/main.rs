//! The conformance suite: the real client, our hook installed as a user installs it, a scripted model on loopback.
//! `tests/real_client/run` runs it; a plain `cargo test` only says so.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]
#![allow(missing_docs, unreachable_pub)]

mod api;
mod cell;
mod cells;
mod checks;
mod client;
mod demo;
mod doctor;
mod driver;
mod expect;
mod home;
mod hooks;
mod mcp;
mod namespace;
mod native;
mod oauth;
mod options;
mod play;
mod recorder;
mod report;
mod results;
mod reviewed;
mod run;
mod scenario;
#[path = "../screens/mod.rs"]
mod screens;
mod selftest;
mod sse;
mod started;
mod status;
mod suite;
mod waits;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{Context, Result};
use libtest_mimic::{Arguments, Trial};

use cell::Stage;
use options::{Options, Verb, WANTED};
use results::Results;

fn main() -> Result<ExitCode> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.split_first() {
        Some((first, _)) if first == "serve-mcp" => return mcp::serve().map(|()| ExitCode::SUCCESS),
        Some((first, rest)) if first == "serve-hook" => return recorder::hook::serve(rest).map(|()| ExitCode::SUCCESS),
        _ => {}
    }
    if std::env::var_os(WANTED).is_none() {
        return Ok(say_how());
    }
    let options = Options::read()?;
    match options.verb.clone() {
        Verb::Run => run(options),
        Verb::Show(name) => show(&options, &name),
        Verb::Demo(folder) => demonstrate(&options, folder.as_deref()),
        Verb::Record(version) => record(&options, &version),
        Verb::RecordTranscripts(version) => record_transcripts(&options, &version),
    }
}

/// What a plain `cargo test` sees: the suite's own parts, and one ignored test whose name is the way to run the rest.
fn say_how() -> ExitCode {
    let ignored = Trial::test("the real client: run tests/real_client/run (needs npm, node, unshare)", || {
        Err("it is run by tests/real_client/run, not by --ignored".into())
    });
    let trials = selftest::trials().into_iter().chain([ignored.with_ignored_flag(true)]).collect();
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}

fn run(options: Options) -> Result<ExitCode> {
    let good = if options.mend { Results::here().good()? } else { BTreeSet::new() };
    let mut cells = suite::chosen(options.all);
    cells.retain(|cell| options.wants(&cell.name()) && !good.contains(&cell.name()));
    let results = options.report.then(Results::here);
    // A run that mends is about the cells of the report alone.
    let wants_beside = |name: &str| !options.mend && options.wants(name);
    let mut beside = doctor::trials(options.all, &options.binary, wants_beside);
    if wants_beside(reviewed::NAME) {
        beside.push(reviewed::trial(stage(&options)?));
    }
    if wants_beside(status::NAME) {
        beside.push(status::trial(stage(&options)?));
    }
    if wants_beside(demo::NAME) {
        beside.push(demo::trial(stage(&options)?));
    }
    beside.extend(started::trials(options.all, stage(&options)?, wants_beside));
    beside.extend(waits::trials(options.all, stage(&options)?, wants_beside));
    beside.extend(native::trials(options.all, stage(&options)?, wants_beside));
    if options.libtest.list {
        return Ok(suite::run(&options.libtest, stage(&options)?, cells, beside, results).exit_code());
    }
    if !cells.is_empty() || !beside.is_empty() {
        let more = if beside.is_empty() { Vec::new() } else { doctor::versions(options.all) };
        let more = more.into_iter().chain([cells::NEWEST]);
        ready(cells.iter().map(|cell| cell.version).chain(more))?;
    }
    if let Some(results) = results.as_ref().filter(|_| options.all && !options.mend && options.filters.is_empty()) {
        results.begin()?;
    }
    let conclusion = suite::run(&options.libtest, stage(&options)?, cells, beside, results);
    if options.report {
        let place = root().join("docs/compatibility.md");
        report::write(&place, &Results::here().read()?, &stage(&options)?.scenarios)?;
        eprintln!("wrote {}", place.display());
    }
    Ok(conclusion.exit_code())
}

fn show(options: &Options, name: &str) -> Result<ExitCode> {
    let cell = suite::chosen(true)
        .into_iter()
        .chain(cells::unreported())
        .find(|cell| cell.name() == name)
        .context("no cell of this name")?;
    ready([cell.version])?;
    let stage = stage(options)?;
    let facts = stage.run(&cell)?;
    println!("{:?}; out.txt is {}", facts.outcome, if facts.carried_out { "there" } else { "not there" });
    for turn in &facts.kept.turns {
        println!("turn {} of {}{}", turn.turn, turn.scenario, if turn.beyond { ", past the end" } else { "" });
    }
    for tool in facts.called() {
        for told in facts.told(&tool) {
            println!("{tool}: {told}");
        }
    }
    for record in &facts.records {
        println!("{record}");
    }
    if let Some(scenario) = stage.scenarios.get(cell.scenario) {
        println!("complaints: {:?}", checks::complaints(&cell, scenario, &facts, expect::expected(&cell).0));
    }
    Ok(ExitCode::SUCCESS)
}

/// Plays the demonstration, to a person or into pictures.
fn demonstrate(options: &Options, folder: Option<&Path>) -> Result<ExitCode> {
    if !namespace::inside() {
        client::Client::fetch(cells::NEWEST)?;
    }
    if namespace::possible() {
        namespace::enter()?;
    } else {
        eprintln!(
            "note: no network namespace can be made here; the client is kept from the network by its settings alone"
        );
    }
    let stage = stage(options)?;
    match folder {
        Some(folder) => demo::drawn(&stage, folder)?,
        None => demo::watched(&stage)?,
    }
    Ok(ExitCode::SUCCESS)
}

fn record(options: &Options, version: &str) -> Result<ExitCode> {
    ready([version])?;
    recorder::record(&stage(options)?, &root(), version, |name| options.wants(name))?;
    Ok(ExitCode::SUCCESS)
}

fn record_transcripts(options: &Options, version: &str) -> Result<ExitCode> {
    ready([version])?;
    recorder::transcripts::record(&stage(options)?, &root(), version, |name| options.wants(name))?;
    Ok(ExitCode::SUCCESS)
}

/// Fetches what is missing, then goes on inside the namespace.
fn ready<'a>(versions: impl IntoIterator<Item = &'a str>) -> Result<()> {
    if !namespace::inside() {
        for version in versions.into_iter().collect::<BTreeSet<_>>() {
            client::Client::fetch(version)?;
        }
    }
    namespace::enter()
}

fn stage(options: &Options) -> Result<Stage> {
    let scenarios = scenario::load(&root().join("tests/real_client/scenarios"))?;
    Ok(Stage { scenarios: Arc::new(scenarios), binary: options.binary.clone() })
}

/// The project's folder.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).to_path_buf()
}
