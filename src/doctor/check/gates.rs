//! `gates`: dialogs about which no hook is asked.

use super::terminal_gate;
use crate::client::Version;
use crate::doctor::facts::Facts;
use crate::doctor::{Check, Finding};

const CHECK: Check = Check::Gates;

/// Clients that open the dialog of `auto` mode behind a gateway (seen on 2.1.314 and 2.1.332).
const GATEWAY_SINCE: Version = Version(2, 1, 314);
/// Clients that ask for a consent to `auto` at their start (seen on 2.1.150 and 2.1.198, no more on 2.1.246).
const CONSENT_UNTIL: Version = Version(2, 1, 245);

/// Judges it.
pub(super) fn judge(facts: &Facts) -> Vec<Finding> {
    let mut findings = Vec::new();
    let auto = facts.mode() == "auto";
    let version = facts.version();
    let gateway = facts.variable("ANTHROPIC_BASE_URL").is_some_and(|url| !url.contains("//api.anthropic.com"));
    if auto && gateway && version.is_none_or(|version| version >= GATEWAY_SINCE) {
        let said = facts.layers.value(&["permissions", "defaultMode"]).is_some();
        let how = if said { "permissions.defaultMode is auto" } else { "the client's own default mode is auto" };
        let finding = format!(
            "{how}, and ANTHROPIC_BASE_URL is a gateway: a terminal session opens a dialog that no hook is asked about"
        );
        let remedy = "start it with --permission-mode acceptEdits (or another), or set permissions.defaultMode";
        findings.push(Finding::bad(CHECK, "auto-behind-gateway", terminal_gate(facts), finding, remedy));
    }
    let consent = facts.layers.says_true(&["skipAutoPermissionPrompt"]).is_some();
    if auto && !consent && version.is_some_and(|version| version <= CONSENT_UNTIL) {
        let finding = "permissions.defaultMode is auto, and its consent was never given: a terminal session asks";
        findings.push(Finding::bad(
            CHECK,
            "auto-consent",
            terminal_gate(facts),
            finding,
            "start claude once and answer",
        ));
    }
    super::or_ok(findings, || Finding::ok(CHECK, "none", "no dialog is known about which no hook is asked"))
}
