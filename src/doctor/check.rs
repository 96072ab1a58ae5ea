//! The checks: facts in, findings out, one file a check. None reads a file, a clock or the environment.

mod client;
mod config;
mod gates;
mod in_force;
mod live;
mod login;
mod mcp;
mod rivals;
mod state;
mod surroundings;
mod wiring;
mod words;

use super::facts::Facts;
use super::{Check, Finding, State};

/// The function that judges a check.
pub fn of(check: Check) -> fn(&Facts) -> Vec<Finding> {
    match check {
        Check::Client => client::judge,
        Check::Wiring => wiring::judge,
        Check::Live => live::judge,
        Check::InForce => in_force::judge,
        Check::Rivals => rivals::judge,
        Check::Mcp => mcp::judge,
        Check::Login => login::judge,
        Check::Config => config::judge,
        Check::State => state::judge,
        Check::Switch => state::judge_switch,
        Check::Stalls => state::judge_stalls,
        Check::Gates => gates::judge,
        Check::Surroundings => surroundings::judge,
    }
}

/// What a dialog at the start of a terminal session is worth: where terminal sessions are answered, nobody is there to
/// see it, and the run stands still; else a person is, and headless sessions pass it over.
fn terminal_gate(facts: &Facts) -> State {
    if facts.terminals_are_answered() { State::Failure } else { State::Warning }
}

/// What was found, or that nothing was.
fn or_ok(findings: Vec<Finding>, ok: impl FnOnce() -> Finding) -> Vec<Finding> {
    if findings.is_empty() { vec![ok()] } else { findings }
}

#[cfg(test)]
pub(crate) mod tests;
