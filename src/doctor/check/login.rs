//! `login`: what the client's files say of its credentials. Of a token nothing is told but that it is there and when it
//! ends.

use chrono::TimeDelta;

use super::terminal_gate;
use crate::doctor::facts::Facts;
use crate::doctor::{Check, Finding, State};
use crate::standing;

const CHECK: Check = Check::Login;

/// A run begun now may last so long.
const SOON: TimeDelta = TimeDelta::hours(12);

/// What authenticates a run besides a login, by the variable that says so.
const OTHERS: [(&str, &str); 6] = [
    ("CLAUDE_CODE_USE_BEDROCK", "Amazon Bedrock"),
    ("CLAUDE_CODE_USE_VERTEX", "Google Vertex"),
    ("CLAUDE_CODE_USE_FOUNDRY", "Microsoft Foundry"),
    ("ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_AUTH_TOKEN"),
    ("ANTHROPIC_API_KEY", "ANTHROPIC_API_KEY"),
    ("CLAUDE_CODE_OAUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN"),
];

/// Judges it.
pub(super) fn judge(facts: &Facts) -> Vec<Finding> {
    let mut findings = vec![credentials(facts)];
    if findings.iter().all(|finding| finding.state == State::Ok) {
        // Whatever else a run is authenticated by: the client may read it all the same.
        findings.extend(unread(facts, State::Warning));
    }
    findings.extend(unapproved_key(facts));
    findings.extend(root(facts));
    findings
}

fn unread(facts: &Facts, state: State) -> Option<Finding> {
    let why = facts.credentials.trouble.as_ref()?;
    let finding = format!("the client's .credentials.json cannot be read: {why}");
    Some(Finding::bad(CHECK, "unread", state, finding, "log in again: claude, then /login"))
}

fn credentials(facts: &Facts) -> Finding {
    let says_so = |variable: &str| facts.variable(variable).is_some_and(|value| !matches!(value, "0" | "false"));
    if let Some((_, by)) = OTHERS.iter().find(|(variable, _)| says_so(variable)) {
        return Finding::ok(CHECK, "environment", format!("runs are authenticated by {by}"));
    }
    if facts.layers.value(&["apiKeyHelper"]).is_some() {
        return Finding::ok(CHECK, "helper", "runs are authenticated by the settings' apiKeyHelper");
    }
    if let Some(unread) = unread(facts, State::Failure) {
        return unread;
    }
    let own = &facts.credentials;
    if !own.there {
        if facts.told.at(&["primaryApiKey"]).is_string() {
            return Finding::ok(CHECK, "key", "runs are authenticated by a key that the client keeps");
        }
        if facts.keychain {
            let finding = "whether there is a login is not known: it may be in the keychain";
            return Finding::bad(CHECK, "keychain", State::Unknown, finding, "claude auth status");
        }
        let finding = "there is no login and no key: a run ends before it begins";
        return Finding::bad(
            CHECK,
            "absent",
            State::Failure,
            finding,
            "log in (claude, then /login), or set ANTHROPIC_API_KEY",
        );
    }
    let Some(expires) = own.expires else {
        return Finding::ok(CHECK, "there", "there is a login; when it ends is not said");
    };
    let at = standing::clock(expires, facts.now);
    match (own.renewable, expires <= facts.now, expires <= facts.now + SOON) {
        (false, true, _) => {
            let finding = format!("the login ended ({at}), and cannot be renewed without a person");
            Finding::bad(CHECK, "expired", State::Failure, finding, "log in again: claude, then /login")
        }
        (false, false, true) => {
            let finding = format!("the login ends soon ({at}), and cannot be renewed without a person");
            Finding::bad(
                CHECK,
                "ends-soon",
                State::Warning,
                finding,
                "log in again before you leave: claude, then /login",
            )
        }
        (true, true, _) => {
            let finding = format!(
                "the login's token ended ({at}); the client renews it at its next start, which is not tried here"
            );
            Finding::bad(CHECK, "stale", State::Warning, finding, "to be sure, start claude once, or: claude -p hello")
        }
        (true, false, _) => {
            Finding::ok(CHECK, "there", format!("there is a login that renews itself (token until {at})"))
        }
        (false, false, false) => Finding::ok(CHECK, "there", format!("there is a login until {at}")),
    }
}

/// A terminal session asks about a key of the environment that nobody has approved; the client keeps its last twenty
/// characters (2.1.332).
fn unapproved_key(facts: &Facts) -> Option<Finding> {
    let key = facts.variable("ANTHROPIC_API_KEY")?;
    let start = key.char_indices().rev().nth(19).map_or(0, |(at, _)| at);
    let tail = key.get(start..).unwrap_or(key);
    let approved = facts.told.at(&["customApiKeyResponses", "approved"]).as_array();
    if approved.is_some_and(|tails| tails.iter().any(|approved| approved == tail)) {
        return None;
    }
    let finding = "ANTHROPIC_API_KEY holds a key that was never approved: a terminal session asks whether to use it";
    Some(Finding::bad(CHECK, "key-unapproved", terminal_gate(facts), finding, "start claude once and answer"))
}

/// As root the client refuses to bypass permissions, unless it is told that it runs in a sandbox (2.1.332: exit 1).
fn root(facts: &Facts) -> Option<Finding> {
    let sandboxed = facts.variable("IS_SANDBOX").is_some_and(|value| value == "1" || value == "true");
    (facts.root && facts.mode() == "bypassPermissions" && !sandboxed).then(|| {
        let finding = "permissions.defaultMode is bypassPermissions, and the client refuses that to root";
        let remedy = "run it as another user, or set IS_SANDBOX=1 where it is one";
        Finding::bad(CHECK, "root-bypass", State::Failure, finding, remedy)
    })
}
