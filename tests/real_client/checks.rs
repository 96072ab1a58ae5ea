//! Holds what a cell showed against what is expected of it. Pure: facts in, complaints out.

use serde_json::Value;

use crate::api::Played;
use crate::cell::{Cell, Facts};
use crate::cells::is_control;
use crate::driver::{Outcome, Way};
use crate::expect::Expect;
use crate::home::NOTES;
use crate::hooks::{Beside, Hooks, Switch};
use crate::play::contains;
use crate::scenario::Scenario;

/// Every text of ours to the model asks for this line.
const GUIDANCE: &str = "Assumed:";
/// The start of the line that a person sees where dialogs are theirs.
const LINE: &str = "unattended: off";
/// What a session is told at its start.
const CONTRACT: &str = include_str!("../../hooks/guidance/session.md");

/// Whatever is not as expected, one line each.
pub fn complaints(cell: &Cell, scenario: &Scenario, facts: &Facts, expect: Expect) -> Vec<String> {
    let mut found = Vec::new();
    match (&facts.outcome, expect) {
        (Outcome::Waits(_), Expect::Waits) => return waited(cell, facts),
        (Outcome::Failed(why), Expect::NoSuchMode) if why.contains(cell.mode) => return found,
        (Outcome::Failed(why), Expect::ClientAborts) if why.contains("exit status: 1") => return found,
        (Outcome::WentOn, Expect::ClientAborts) => return vec!["the client ended well after all".to_owned()],
        (Outcome::WentOn, Expect::Waits) => return vec!["it went on, but it must wait".to_owned()],
        (Outcome::WentOn, Expect::NoSuchMode) => return vec!["the client has the mode after all".to_owned()],
        (Outcome::Waits(what), _) => return vec![format!("it waits: {what}")],
        (Outcome::Failed(why), _) => return vec![why.clone()],
        (Outcome::Unasked(last), _) => {
            return vec![format!("it ended before the model was asked anything; last: {last}")];
        }
        (Outcome::WentOn, _) => {}
    }
    if is_control(cell) {
        return found;
    }
    if facts.kept.turns.iter().any(|turn| turn.beyond) {
        found.push("the model was sent on after its last turn".to_owned());
    }
    if !facts.kept.turns.last().is_some_and(|turn| turn.last) {
        found.push("the script was not played to its end".to_owned());
    }
    if cell.hooks == Hooks::Plugin(Beside::Nothing) {
        without_program(cell, facts, &mut found);
        return found;
    }
    contract(scenario, facts, &mut found);
    match expect {
        Expect::NotOffered => not_offered(scenario, facts, &mut found),
        Expect::PlanOnly => approved(facts, &mut found),
        Expect::PlanStays => {
            if facts.told("ExitPlanMode").iter().any(|told| told.contains("approved your plan")) {
                found.push("the plan was approved although the client was thought unable to".to_owned());
            }
        }
        Expect::ClientDecides => {}
        _ => policy(cell, scenario, facts, &mut found),
    }
    found
}

/// The model has read what holds for an unattended session when it speaks, also where the session began anew.
fn contract(scenario: &Scenario, facts: &Facts, found: &mut Vec<String>) {
    let first_line = CONTRACT.lines().next().unwrap_or_default();
    let told = |turn: &Played| contains(&turn.request["messages"], first_line);
    if !facts.kept.turns.iter().all(told) {
        let missing = facts.kept.turns.iter().filter(|turn| !told(turn)).count();
        found.push(format!("{missing} of {} requests came without the contract", facts.kept.turns.len()));
    }
    if let Some(anew) = scenario.then
        && !facts.records.iter().any(|record| record["kind"] == "session" && record["source"] == anew.source())
    {
        found.push(format!("no record of a session that began by {}", anew.source()));
    }
}

/// Waiting was right. Where a person was there, they saw our line, and the run went on as they answered.
fn waited(cell: &Cell, facts: &Facts) -> Vec<String> {
    let mut found = Vec::new();
    if cell.hooks != Hooks::Ours(Switch::Auto) || cell.way != Way::Tui {
        return found;
    }
    if !facts.shown.iter().any(|line| line.contains(LINE)) {
        found.push(format!("the screen never said {LINE:?}: {:?}", facts.shown));
    }
    if facts.answered != Some(Outcome::WentOn) {
        found.push(format!("the person answered, and then: {:?}", facts.answered));
    }
    if facts.told("AskUserQuestion").iter().any(|told| told.contains(GUIDANCE)) {
        found.push("the model was guided although a person answered".to_owned());
    }
    found
}

/// The client must say itself that each of its own dialog tools is not there.
fn not_offered(scenario: &Scenario, facts: &Facts, found: &mut Vec<String>) {
    let asked = facts.told("mcp__el__ask");
    if asked.last().is_some_and(|told| told != "ELICITED the client cannot be asked") {
        found.push(format!("a server may ask after all: {asked:?}"));
    }
    for call in scenario.turns.iter().flat_map(|turn| &turn.calls) {
        if !["AskUserQuestion", "EnterPlanMode", "ExitPlanMode"].contains(&call.tool.as_str()) {
            continue;
        }
        if !facts.told(&call.tool).iter().all(|told| told.contains("No such tool available")) {
            found.push(format!("{} is offered after all: {:?}", call.tool, facts.told(&call.tool)));
        }
    }
}

/// The plan was approved as the model wrote it, the model knows by whom, and the record says so.
fn approved(facts: &Facts, found: &mut Vec<String>) {
    if !facts.kept.heard("no person has reviewed it") {
        found.push("the model was not told that no person reviewed the plan".to_owned());
    }
    if !facts.told("ExitPlanMode").iter().any(|told| told.contains("1. Write out.txt")) {
        found.push(format!("the plan that was approved is not the model's: {:?}", facts.told("ExitPlanMode")));
    }
    recorded(facts, "plan", "approve", 1, found);
}

/// The plugin's launcher answered by itself, and left no record.
fn without_program(cell: &Cell, facts: &Facts, found: &mut Vec<String>) {
    match cell.scenario {
        "question" => guided(facts, "AskUserQuestion", 1, found),
        "permission" => guided(facts, "Bash", 1, found),
        _ if !facts.kept.heard("no person has reviewed it") => {
            found.push("the model was not told that no person reviewed the plan".to_owned());
        }
        _ => {}
    }
    if !facts.records.is_empty() {
        found.push(format!("there are records: {:?}", facts.records));
    }
}

fn policy(cell: &Cell, scenario: &Scenario, facts: &Facts, found: &mut Vec<String>) {
    match cell.scenario {
        "question" | "wizard" | "beside" | "thrice" => {
            let calls = scenario.turns.iter().flat_map(|turn| &turn.calls);
            let asked = calls.filter(|call| call.tool == "AskUserQuestion").count();
            guided(facts, "AskUserQuestion", asked, found);
            recorded(facts, "question", "deny", asked, found);
            if cell.scenario == "beside" && !facts.told("Read").iter().any(|told| told.contains(NOTES)) {
                found.push(format!("the tool beside the question did not go on: {:?}", facts.told("Read")));
            }
        }
        "plan" | "enterplan" => {
            if !facts.carried_out {
                found.push("the plan was not carried out: there is no out.txt".to_owned());
            }
            approved(facts, found);
        }
        "elicitation" => {
            let told = facts.told("mcp__el__ask");
            if told.last().is_none_or(|told| told != "ELICITED cancel") {
                found.push(format!("the server was not told `cancel`: {told:?}"));
            }
            recorded(facts, "elicitation", "cancel", 1, found);
        }
        "permission" => {
            guided(facts, "Bash", 1, found);
            recorded(facts, "permission", "deny", 1, found);
        }
        "prose-once" | "prose-beside-server" => nudged(facts, 1, found),
        "prose-twice" => nudged(facts, 2, found),
        "prose-for-ever" => {
            nudged(facts, 2, found);
            let stall = |record: &Value| record["kind"] == "stop" && record["stall_kind"] == "prose";
            if !facts.records.iter().any(stall) {
                found.push("the turn that was let go is not recorded as a stall".to_owned());
            }
            let spoken = facts.kept.turns.len();
            if spoken != 3 {
                found.push(format!("the model spoke {spoken} times, not once and twice more"));
            }
        }
        _ => {}
    }
}

/// The model must have read our guidance as the result of each of its calls.
fn guided(facts: &Facts, tool: &str, calls: usize, found: &mut Vec<String>) {
    let told = facts.told(tool);
    let guided = told.iter().filter(|told| told.contains(GUIDANCE)).count();
    if guided != calls {
        found.push(format!("of {calls} calls of {tool} {guided} were guided; the model read {told:?}"));
    }
}

/// A turn sent on: guidance among what came after the model's last message. Which role carries it differs by client.
fn nudged(facts: &Facts, times: usize, found: &mut Vec<String>) {
    let sent_on = facts.kept.turns.iter().filter(|turn| {
        let messages = turn.request["messages"].as_array().map_or(&[][..], Vec::as_slice);
        let news = messages.iter().rev().take_while(|message| message["role"] != "assistant");
        turn.turn > 0 && news.map(Value::to_string).any(|news| news.contains(GUIDANCE))
    });
    let sent_on = sent_on.count();
    if sent_on != times {
        found.push(format!("the model was sent on with guidance {sent_on} times, not {times}"));
    }
    recorded(facts, "nudge", "send_on", times, found);
}

/// Records of this kind with this answer, at least so many: a call may be recorded by more than one of its hooks.
fn recorded(facts: &Facts, kind: &str, action: &str, least: usize, found: &mut Vec<String>) {
    let fits = |record: &&Value| record["kind"] == kind && record["decision"]["action"] == action;
    let have = facts.records.iter().filter(fits).count();
    if have < least {
        let all: Vec<String> = facts
            .records
            .iter()
            .map(|record| format!("{} {} {}", record["event"], record["kind"], record["decision"]["action"]))
            .collect();
        found.push(format!("{have} records say {kind} {action}, not {least}; there are {all:?}"));
    }
    for record in facts.records.iter().filter(|record| record["kind"] == "problem" || record["problems"].is_array()) {
        found.push(format!("a problem was recorded: {record}"));
    }
}
