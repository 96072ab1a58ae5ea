//! Holds what a cell showed against what is expected of it. Pure: facts in, complaints out.

use serde_json::Value;

use crate::cell::{Cell, Facts};
use crate::cells::is_control;
use crate::driver::Outcome;
use crate::expect::Expect;
use crate::scenario::Scenario;

/// Every text of ours to the model asks for this line.
const GUIDANCE: &str = "Assumed:";

/// Whatever is not as expected, one line each.
pub fn complaints(cell: &Cell, scenario: &Scenario, facts: &Facts, expect: Expect) -> Vec<String> {
    let mut found = Vec::new();
    match (&facts.outcome, expect) {
        (Outcome::Waits(what), Expect::Waits) if is_control(cell) || !what.is_empty() => return found,
        (Outcome::Failed(why), Expect::NoSuchMode) if why.contains(cell.mode) => return found,
        (Outcome::Failed(why), Expect::ClientAborts) if why.contains("exit status: 1") => return found,
        (Outcome::WentOn, Expect::ClientAborts) => return vec!["the client ended well after all".to_owned()],
        (Outcome::WentOn, Expect::Waits) => return vec!["it went on, but it must wait".to_owned()],
        (Outcome::WentOn, Expect::NoSuchMode) => return vec!["the client has the mode after all".to_owned()],
        (Outcome::Waits(what), _) => return vec![format!("it waits: {what}")],
        (Outcome::Failed(why), _) => return vec![why.clone()],
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
    match expect {
        Expect::NotOffered => not_offered(scenario, facts, &mut found),
        Expect::PlanOnly => approved(facts, &mut found),
        Expect::PlanStays => {
            if facts.carried_out {
                found.push("the plan was carried out although the client was thought unable to".to_owned());
            }
        }
        Expect::ClientDecides => {}
        _ => policy(cell, scenario, facts, &mut found),
    }
    found
}

/// The client must say itself that each of its own dialog tools is not there.
fn not_offered(scenario: &Scenario, facts: &Facts, found: &mut Vec<String>) {
    for call in scenario.turns.iter().flat_map(|turn| &turn.calls) {
        if !["AskUserQuestion", "EnterPlanMode", "ExitPlanMode"].contains(&call.tool.as_str()) {
            continue;
        }
        if !facts.told(&call.tool).iter().all(|told| told.contains("No such tool available")) {
            found.push(format!("{} is offered after all: {:?}", call.tool, facts.told(&call.tool)));
        }
    }
}

/// The plan was approved as the model wrote it, and the record says so.
fn approved(facts: &Facts, found: &mut Vec<String>) {
    if !facts.told("ExitPlanMode").iter().any(|told| told.contains("1. Write out.txt")) {
        found.push(format!("the plan that was approved is not the model's: {:?}", facts.told("ExitPlanMode")));
    }
    recorded(facts, "plan", 1, found);
}

fn policy(cell: &Cell, scenario: &Scenario, facts: &Facts, found: &mut Vec<String>) {
    match cell.scenario {
        "question" | "wizard" | "beside" | "thrice" => {
            let calls = scenario.turns.iter().flat_map(|turn| &turn.calls);
            let asked = calls.filter(|call| call.tool == "AskUserQuestion").count();
            guided(facts, "AskUserQuestion", asked, found);
            recorded(facts, "question", asked, found);
            if facts.told("Glob").iter().any(|told| told.contains(GUIDANCE)) {
                found.push("the tool beside the question was denied too".to_owned());
            }
        }
        "plan" | "enterplan" => {
            if !facts.carried_out {
                found.push("the plan was not carried out: there is no out.txt".to_owned());
            }
            approved(facts, found);
        }
        "elicitation" => {
            if facts.told("mcp__regions__pick") != ["ELICITED cancel"] {
                found.push(format!("the server was not told `cancel`: {:?}", facts.told("mcp__regions__pick")));
            }
            recorded(facts, "elicitation", 1, found);
        }
        "permission" => {
            guided(facts, "Bash", 1, found);
            recorded(facts, "permission", 1, found);
        }
        "prose-once" => nudged(facts, 1, found),
        "prose-twice" => nudged(facts, 2, found),
        "prose-for-ever" => {
            nudged(facts, 2, found);
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
    recorded(facts, "nudge", times, found);
}

/// Records of this kind, as many as there were decisions: hooks of one call are joined by its id where it has one.
fn recorded(facts: &Facts, kind: &str, least: usize, found: &mut Vec<String>) {
    let of_kind = |record: &&Value| record["kind"] == kind;
    let have = facts.records.iter().filter(of_kind).count();
    if have < least {
        let kinds: Vec<&str> = facts.records.iter().filter_map(|record| record["kind"].as_str()).collect();
        found.push(format!("{have} records of kind {kind}, expected {least}; there are {kinds:?}"));
    }
}
