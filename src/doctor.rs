//! What would keep the next run from going on, found beforehand. Facts are gathered at the edge ([`gather`]); judging
//! them is pure ([`check`]), so that a preflight can judge the same facts for one run of its own.

pub mod check;
pub mod facts;
pub mod fix;
pub mod gather;
pub mod layers;
pub mod listing;
pub mod told;
pub mod trust;

use clap::ValueEnum;
use serde::Serialize;

use self::facts::Facts;
use crate::mask;

/// The checks, in the order in which they are told. Their names are the ids of `--only` and `--json`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum Check {
    /// The client is found, its version known and tried
    Client,
    /// Our entries in each settings layer
    Wiring,
    /// The registered command answers a sample question and a sample plan
    Live,
    /// Nothing turns hooks off or opens a dialog before they run
    InForce,
    /// Hooks and rules of others that can outrank ours
    Rivals,
    /// MCP servers that a run would start
    Mcp,
    /// The client's own credentials
    Login,
    /// Our config file
    Config,
    /// Our state folder
    State,
    /// What the switch says
    Switch,
    /// Stalls of the last days
    Stalls,
    /// Dialogs about which no hook is asked
    Gates,
    /// What makes tools of the run itself wait
    Surroundings,
}

impl Check {
    /// As it is called on the command line and in the output.
    pub fn id(self) -> String {
        self.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default()
    }
}

/// What became of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum State {
    /// Nothing stands in the way.
    Ok,
    /// It could not be found out.
    Unknown,
    /// A run goes on, but not as one would expect.
    Warning,
    /// A run stands still, or goes on without us.
    Failure,
}

/// One thing found. `about` names the kind of thing for good, so that another judgement can take it up.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// The check that found it.
    #[serde(rename = "id")]
    pub check: Check,
    /// What kind of thing it is, a word of its own within the check.
    pub about: &'static str,
    /// The file, server or event that it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subject: Option<String>,
    /// How bad it is.
    pub state: State,
    /// One sentence: what was found.
    pub finding: String,
    /// One sentence: what to do about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remedy: Option<String>,
}

impl Finding {
    /// Nothing stands in the way.
    pub fn ok(check: Check, about: &'static str, finding: impl Into<String>) -> Finding {
        Finding { check, about, subject: None, state: State::Ok, finding: finding.into(), remedy: None }
    }

    /// Something to do about.
    pub fn bad(
        check: Check,
        about: &'static str,
        state: State,
        finding: impl Into<String>,
        remedy: impl Into<String>,
    ) -> Finding {
        Finding { state, remedy: Some(remedy.into()), ..Finding::ok(check, about, finding) }
    }

    /// The same, about this file, server or event.
    pub fn of(self, subject: impl Into<String>) -> Finding {
        Finding { subject: Some(subject.into()), ..self }
    }
}

/// Judges the facts by these checks, in the order of the checks. Each gives a finding at least.
pub fn judge(facts: &Facts, checks: &[Check]) -> Vec<Finding> {
    let mut checks = checks.to_vec();
    checks.sort();
    checks.dedup();
    let mut findings: Vec<Finding> = checks.into_iter().flat_map(|check| check::of(check)(facts)).collect();
    for finding in &mut findings {
        finding.finding = guarded(&finding.finding);
        finding.subject = finding.subject.as_deref().map(guarded);
        finding.remedy = finding.remedy.as_deref().map(guarded);
    }
    findings
}

/// The checks leave secrets out; should a name or a path hold one all the same, the mask of the records takes it out.
fn guarded(text: &str) -> String {
    let masked = mask::masked(&serde_json::json!({ "text": text }).to_string());
    let value: Option<serde_json::Value> = masked.and_then(|line| serde_json::from_str(&line).ok());
    value.and_then(|value| Some(value.get("text")?.as_str()?.to_owned())).unwrap_or_else(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_in_a_name_is_taken_out_and_plain_words_stay() {
        let token = format!("ghp_{}", "a1B2".repeat(9));
        assert!(!guarded(&format!("{token} does not answer")).contains(&token));
        assert_eq!(guarded("x \"y\" does not answer: ENOENT"), "x \"y\" does not answer: ENOENT");
    }
}
