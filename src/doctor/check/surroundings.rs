//! `surroundings`: what makes tools of the run itself wait. Warnings alone: they wait only if the model calls them so.

use crate::doctor::facts::Facts;
use crate::doctor::{Check, Finding, State};

const CHECK: Check = Check::Surroundings;

/// Judges it.
pub(super) fn judge(facts: &Facts) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut warn = |about, finding: String, remedy: &str| {
        findings.push(Finding::bad(CHECK, about, State::Warning, finding, remedy));
    };
    let batch = |name: &str| facts.variable(name).is_some_and(|value| value.to_lowercase().contains("batchmode"));
    let mut asks = Vec::new();
    if facts.variable("GIT_TERMINAL_PROMPT") != Some("0") {
        asks.push("for a password (no GIT_TERMINAL_PROMPT=0)");
    }
    if !batch("GIT_SSH_COMMAND") && !batch("GIT_SSH") {
        asks.push("by ssh (no BatchMode in GIT_SSH_COMMAND)");
    }
    if facts.git && !asks.is_empty() {
        let remedy =
            "export GIT_TERMINAL_PROMPT=0 GIT_SSH_COMMAND='ssh -o BatchMode=yes', or set them in the settings' env";
        warn("git-asks", format!("git may ask {}", asks.join(" and ")), remedy);
    }
    for pager in ["GIT_PAGER", "PAGER", "MANPAGER"] {
        if facts.variable(pager).is_some_and(|value| value.trim() != "cat") {
            warn("pager", format!("{pager} names a pager, which waits for a key"), "set it to cat for the run");
        }
    }
    // The client's tools have none (2.1.50 to 2.1.332), its MCP servers do (2.1.150, 2.1.332).
    let servers = facts.mcp.as_ref().is_none_or(|mcp| !mcp.servers.is_empty());
    if facts.terminal && servers {
        let finding = "there is a controlling terminal: an MCP server can ask there and wait";
        warn("terminal", finding.to_owned(), "start the run without one: setsid, cron, a systemd unit");
    }
    super::or_ok(findings, || Finding::ok(CHECK, "quiet", "git does not ask, and no pager or terminal is there"))
}
