//! Writes docs/compatibility.md from the results of a run. Writes that file and nothing else.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::Path;

use anyhow::Result;

use crate::cells::{VERSIONS, is_control};
use crate::driver::Way;
use crate::expect::{EXCEPTIONS, Expect, expected};
use crate::scenario::Scenario;
use crate::suite::{Outcome, chosen};

/// Writes the report.
pub fn write(place: &Path, results: &[Outcome], scenarios: &BTreeMap<String, Scenario>) -> Result<()> {
    let mut out = String::new();
    let dates: BTreeSet<&str> = results.iter().map(|result| result.date.as_str()).collect();
    let dates = dates.into_iter().collect::<Vec<_>>().join(", ");
    let passed = results.iter().filter(|result| result.complaints.is_empty()).count();
    writeln!(out, "# Compatibility with Claude Code\n")?;
    writeln!(out, "Written by `tests/real_client/run`, run on {dates}; not to be edited by hand. Each cell is a")?;
    writeln!(
        out,
        "session of the real client with the hooks installed by `unattended install`, against a scripted model"
    )?;
    writeln!(
        out,
        "that takes one path into a stall in one permission mode. {passed} of {} cells were as",
        results.len()
    )?;
    writeln!(
        out,
        "expected{}.\n",
        match chosen(true).len() - results.len() {
            0 => String::new(),
            missing => format!("; {missing} were not run"),
        }
    )?;
    overview(&mut out, results)?;
    paths(&mut out, results, scenarios)?;
    doings(&mut out, results)?;
    controls(&mut out, results)?;
    failures(&mut out, results)?;
    if let Some(folder) = place.parent() {
        std::fs::create_dir_all(folder)?;
    }
    Ok(std::fs::write(place, out)?)
}

/// Versions by ways: how many cells were as expected.
fn overview(out: &mut String, results: &[Outcome]) -> Result<()> {
    writeln!(out, "## Clients and ways of driving them\n")?;
    writeln!(out, "Cells as expected, of all: sessions that went on with nobody there, or did what the client alone")?;
    writeln!(
        out,
        "decides (below). `tui` is a terminal after `unattended on`; `sdk` is `-p` with stream-json and a host"
    )?;
    writeln!(out, "to ask; `print` is plain `-p`; `bg` is `claude --bg`.\n")?;
    table(out, "client", |version, way| {
        let of =
            |result: &&Outcome| !is_control(&result.cell) && result.cell.version == version && result.cell.way == way;
        tally(results.iter().filter(of))
    })
}

/// Stall paths by ways, over all versions and modes.
fn paths(out: &mut String, results: &[Outcome], scenarios: &BTreeMap<String, Scenario>) -> Result<()> {
    writeln!(out, "## Stall paths\n")?;
    writeln!(out, "| path | the model | tui | sdk | print | bg |\n|---|---|---|---|---|---|")?;
    for (name, scenario) in scenarios {
        let of =
            |way: Way| {
                tally(results.iter().filter(|result| {
                    !is_control(&result.cell) && result.cell.scenario == name && result.cell.way == way
                }))
            };
        let row = [of(Way::Tui), of(Way::Sdk), of(Way::Print), of(Way::Bg)];
        if row.iter().any(|cell| !cell.is_empty()) {
            writeln!(out, "| {name} | {} | {} |", scenario.about, row.join(" | "))?;
        }
    }
    Ok(writeln!(out)?)
}

/// What the client does of its own accord.
fn doings(out: &mut String, results: &[Outcome]) -> Result<()> {
    writeln!(out, "## Where the client decides\n")?;
    writeln!(
        out,
        "These cells do otherwise than the policy wants, on their client's account. Each was seen as written.\n"
    )?;
    writeln!(out, "| clients | ways | paths | modes | what happens | why |\n|---|---|---|---|---|---|")?;
    for exception in EXCEPTIONS {
        if !results.iter().any(|result| expected(&result.cell).1 == Some(exception.why)) {
            continue;
        }
        let list = |words: &[&str]| if words.is_empty() { "all".to_owned() } else { words.join(", ") };
        let ways: Vec<&str> = exception.ways.iter().map(|way| way.name()).collect();
        let (first, last) = exception.versions;
        let clients = if first == last { first.to_owned() } else { format!("{first} to {last}") };
        writeln!(
            out,
            "| {clients} | {} | {} | {} | {} | {} |",
            list(&ways),
            list(exception.scenarios),
            list(exception.modes),
            words(exception.expect),
            exception.why
        )?;
    }
    Ok(writeln!(out)?)
}

/// The controls: what waits when we do not answer.
fn controls(out: &mut String, results: &[Outcome]) -> Result<()> {
    writeln!(out, "## Controls\n")?;
    writeln!(
        out,
        "The same sessions must wait without our hook (`no-hook`), with the switch off (`switched-off`), in a"
    )?;
    writeln!(out, "terminal whose person is there (`person-there`), and when a plan is approved without its input")?;
    writeln!(out, "(`plan-without-echo`).\n")?;
    table(out, "client", |version, way| {
        tally(
            results
                .iter()
                .filter(|result| is_control(&result.cell) && result.cell.version == version && result.cell.way == way),
        )
    })
}

fn failures(out: &mut String, results: &[Outcome]) -> Result<()> {
    let failed: Vec<&Outcome> = results.iter().filter(|result| !result.complaints.is_empty()).collect();
    if failed.is_empty() {
        return Ok(());
    }
    writeln!(out, "## Not as expected\n")?;
    for result in failed {
        let first = result.complaints.first().and_then(|complaint| complaint.lines().next()).unwrap_or_default();
        writeln!(out, "- `{}`: {first}", result.cell.name())?;
    }
    Ok(())
}

fn table(out: &mut String, head: &str, mut cell: impl FnMut(&str, Way) -> String) -> Result<()> {
    writeln!(out, "| {head} | tui | sdk | print | bg |\n|---|---|---|---|---|")?;
    for version in VERSIONS {
        let ways = [Way::Tui, Way::Sdk, Way::Print, Way::Bg].map(|way| cell(version, way));
        if ways.iter().any(|cell| !cell.is_empty()) {
            writeln!(out, "| {version} | {} |", ways.join(" | "))?;
        }
    }
    Ok(writeln!(out)?)
}

/// `12/12`, nothing where no cell ran.
fn tally<'a>(results: impl Iterator<Item = &'a Outcome>) -> String {
    let (mut good, mut all) = (0, 0);
    for result in results {
        all += 1;
        good += usize::from(result.complaints.is_empty());
    }
    if all == 0 { String::new() } else { format!("{good}/{all}") }
}

fn words(expect: Expect) -> &'static str {
    match expect {
        Expect::GoesOn => "goes on",
        Expect::NotOffered => "goes on without the tool",
        Expect::ClientDecides => "goes on, our hook is not asked",
        Expect::PlanOnly => "plan approved, the write denied",
        Expect::PlanStays => "ends, still in plan mode",
        Expect::ClientAborts => "ends with an error",
        Expect::Waits => "waits",
        Expect::NoSuchMode => "does not start",
    }
}
