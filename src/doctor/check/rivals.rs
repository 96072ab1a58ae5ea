//! `rivals`: hooks, rules and settings of others that can outrank ours or take the tools away.

use std::collections::BTreeSet;

use crate::doctor::facts::Facts;
use crate::doctor::{Check, Finding, State};
use crate::settings;

const CHECK: Check = Check::Rivals;

/// The tools that we answer for.
const TOOLS: [&str; 3] = ["AskUserQuestion", "EnterPlanMode", "ExitPlanMode"];

/// Judges it.
pub(super) fn judge(facts: &Facts) -> Vec<Finding> {
    let mut findings = hooks(facts);
    findings.extend(rules(facts));
    if let Some(layer) = facts.layers.says_true(&["permissions", "denyInsteadOfPrompting"]) {
        let file = facts.shown(&layer.file);
        let finding = format!(
            "permissions.denyInsteadOfPrompting in {file} takes the question and plan tools away: a session in plan mode \
             never leaves it, and nothing is recorded"
        );
        let state = if facts.mode() == "plan" { State::Failure } else { State::Warning };
        let remedy = format!("take it out of {file}: our hooks deny what would prompt");
        findings.push(Finding::bad(CHECK, "denies-prompts", state, finding, remedy).of(file));
    }
    super::or_ok(findings, || Finding::ok(CHECK, "none", "no hook or rule of others touches our tools"))
}

/// Others' hooks for what we answer. A PreToolUse `ask` outranks an `allow` (FACTS.md, Other dialogs 4).
fn hooks(facts: &Facts) -> Vec<Finding> {
    let mut findings = Vec::new();
    for layer in &facts.layers.0 {
        let file = facts.shown(&layer.file);
        let others = settings::survey(&layer.text, &facts.exe, &facts.wanted).others;
        let mut seen = BTreeSet::new();
        for other in others {
            let tools: Vec<&str> = TOOLS.into_iter().filter(|tool| may_match(other.matcher.as_deref(), tool)).collect();
            let decides = matches!(other.event.as_str(), "PreToolUse" | "PermissionRequest");
            let program = other.program.rsplit(['/', '\\']).next().unwrap_or_default().to_owned();
            if !decides || tools.is_empty() || !seen.insert((other.event.clone(), program.clone())) {
                continue;
            }
            let finding = format!(
                "{program} in {file} is asked at {} for {} as well, and can outrank us",
                other.event,
                tools.join(", ")
            );
            let remedy = "narrow its matcher to the tools it is for, or see that it never answers `ask` for these";
            findings.push(Finding::bad(CHECK, "hook", State::Warning, finding, remedy).of(file.clone()));
        }
    }
    findings
}

/// Whether a matcher may be for a tool: names and `|` match exactly, anything else is a regular expression, of which only
/// the plainest are told apart here.
fn may_match(matcher: Option<&str>, tool: &str) -> bool {
    let matcher = matcher.unwrap_or_default();
    if matches!(matcher, "" | "*") {
        return true;
    }
    let plain = |c: char| c.is_ascii_alphanumeric() || "_|".contains(c);
    let inner = matcher.trim_matches(|c| "^$()".contains(c));
    inner.split('|').any(|one| match one.split_once(['.', '*', '[', '?', '+']) {
        _ if matcher.chars().all(plain) => one == tool,
        Some((before, _)) => tool.contains(before),
        None => tool.contains(one) && (!matcher.starts_with('^') || tool.starts_with(one)),
    })
}

/// `permissions.ask` and `permissions.deny` for our tools.
fn rules(facts: &Facts) -> Vec<Finding> {
    let mut findings = Vec::new();
    for list in ["ask", "deny"] {
        for (layer, rule) in facts.layers.strings(&["permissions", list]) {
            let tool = rule.split('(').next().unwrap_or_default();
            if !(tool == "*" || TOOLS.contains(&tool)) {
                continue;
            }
            let file = facts.shown(&layer.file);
            let what = match (list, tool) {
                ("ask", _) => "asks a person for it, and can outrank us",
                (_, "ExitPlanMode" | "*") => "a session in plan mode can never leave it",
                _ => "the model cannot call it, and nothing is recorded",
            };
            let finding = format!("permissions.{list} in {file} has {tool}: {what}");
            findings
                .push(Finding::bad(CHECK, list, State::Warning, finding, format!("take it out of {file}")).of(file));
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case(None, true)]
    #[case(Some("*"), true)]
    #[case(Some("AskUserQuestion"), true)]
    #[case(Some("Bash|AskUserQuestion"), true)]
    #[case(Some("^(AskUserQuestion|mcp__.*)$"), true)]
    #[case(Some("Ask.*"), true)]
    #[case(Some(".*"), true)]
    #[case(Some("Bash"), false)]
    #[case(Some("Question"), false)]
    #[case(Some("^Question$"), false)]
    #[case(Some("mcp__.*"), false)]
    fn a_matcher_may_be_for_questions(#[case] matcher: Option<&str>, #[case] want: bool) {
        assert_eq!(may_match(matcher, "AskUserQuestion"), want);
    }
}
