//! Denied permissions as `permissions.allow` rules, from the client's own suggestions, for a person to paste. Pure.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::{Matter, Review};

/// What could be allowed.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Rules {
    /// Each rule with the number of denied permissions that it would have given, the most wanted first.
    pub rules: Vec<(String, usize)>,
    /// Denied permissions for which the client suggested no rule.
    pub without: usize,
    /// Denied permissions that were left out because something in them is masked.
    pub masked: usize,
}

/// Gathers the rules of a review.
pub fn of(review: &Review) -> Rules {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    let (mut without, mut masked) = (0, 0);
    let items = review.projects.iter().flat_map(|project| &project.runs).flat_map(|run| &run.items);
    for item in items.filter(|item| matches!(item.matter, Matter::Permission { .. }) && item.decision == "denied") {
        let rules = item.suggestions.as_ref().map(suggested).unwrap_or_default();
        match (item.masked, rules.is_empty()) {
            (true, _) => masked += 1,
            (false, true) => without += 1,
            (false, false) => rules.into_iter().for_each(|rule| *counts.entry(rule).or_default() += 1),
        }
    }
    let mut rules: Vec<(String, usize)> = counts.into_iter().collect();
    rules.sort_by(|one, other| other.1.cmp(&one.1).then_with(|| one.0.cmp(&other.0)));
    Rules { rules, without, masked }
}

impl Rules {
    /// The settings that would allow all of them.
    pub fn settings(&self) -> Value {
        let rules: Vec<&str> = self.rules.iter().map(|(rule, _)| rule.as_str()).collect();
        json!({"permissions": {"allow": rules}})
    }
}

/// The rules that would allow it; suggestions of modes and folders are none.
fn suggested(suggestions: &Value) -> BTreeSet<String> {
    let allowing = |suggestion: &&Value| suggestion["behavior"] == "allow" && suggestion["type"] == "addRules";
    let suggestions = suggestions.as_array().into_iter().flatten().filter(allowing);
    suggestions.filter_map(|suggestion| suggestion["rules"].as_array()).flatten().filter_map(written).collect()
}

/// A rule as settings have it: `Tool`, or `Tool(content)` with a backslash before each backslash and parenthesis of the
/// content, as the client writes it (2.1.332).
fn written(rule: &Value) -> Option<String> {
    let tool = rule["toolName"].as_str().filter(|tool| !tool.is_empty())?;
    let content = rule["ruleContent"].as_str().unwrap_or_default();
    if content.is_empty() {
        return Some(tool.to_owned());
    }
    Some(format!("{tool}({})", content.replace('\\', "\\\\").replace('(', "\\(").replace(')', "\\)")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_is_written_as_the_client_writes_it() {
        let rule = |tool: &str, content: &str| written(&json!({"toolName": tool, "ruleContent": content}));
        assert_eq!(rule("Bash", "npm run test:*").unwrap(), "Bash(npm run test:*)");
        assert_eq!(rule("Bash", r"echo \(x)").unwrap(), r"Bash(echo \\\(x\))");
        assert_eq!(rule("WebSearch", "").unwrap(), "WebSearch");
        assert_eq!(written(&json!({"ruleContent": "x"})), None);
    }

    #[test]
    fn only_rules_that_allow_are_taken() {
        let suggestions = json!([
            {"type": "addRules", "behavior": "allow", "rules": [{"toolName": "Bash", "ruleContent": "make:*"}]},
            {"type": "addRules", "behavior": "deny", "rules": [{"toolName": "Bash", "ruleContent": "rm:*"}]},
            {"type": "setMode", "mode": "acceptEdits"},
            {"type": "addDirectories", "directories": ["/"]},
            {"type": "addRules", "behavior": "allow", "rules": "oops"},
            7,
        ]);
        assert_eq!(suggested(&suggestions), ["Bash(make:*)".to_owned()].into());
        assert!(suggested(&json!("oops")).is_empty());
    }
}
