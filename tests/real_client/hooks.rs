//! What is hooked in for a cell: ours as a user installs it, nothing, or a deliberately wrong answer.

use std::path::Path;

use anyhow::Result;
use serde_json::json;

use crate::home::Home;

/// The hooks of a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hooks {
    /// `unattended install`, and the switch as said.
    Ours(Switch),
    /// None at all.
    None,
    /// A plan approved by a bare `allow`, as one would write it from the documentation: without the echoed input.
    PlanWithoutEcho,
}

/// The switch after installing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Switch {
    /// As it is after installing: `auto`.
    Auto,
    /// `unattended on`.
    On,
    /// `unattended off`.
    Off,
}

impl Hooks {
    /// Puts the hooks into a home: as a user would, or saying which version the client has.
    pub fn install(self, home: &Home, binary: &Path, version: Option<&str>) -> Result<()> {
        match self {
            Hooks::None => Ok(()),
            Hooks::Ours(switch) => {
                match version {
                    Some(version) => home.run(binary, &["install", "--client-version", version])?,
                    None => home.run(binary, &["install"])?,
                };
                match switch {
                    Switch::Auto => Ok(()),
                    Switch::On => home.run(binary, &["on"]).map(|_| ()),
                    Switch::Off => home.run(binary, &["off"]).map(|_| ()),
                }
            }
            Hooks::PlanWithoutEcho => {
                let answer = |event: &str, allow: serde_json::Value| {
                    let mut fields = json!({"hookEventName": event});
                    if let (Some(fields), Some(allow)) = (fields.as_object_mut(), allow.as_object()) {
                        fields.extend(allow.clone());
                    }
                    let line = json!({"hookSpecificOutput": fields}).to_string();
                    json!([{"matcher": "ExitPlanMode", "hooks": [
                        {"type": "command", "command": format!("echo '{line}'"), "timeout": 30},
                    ]}])
                };
                let mut settings = home.read(".claude/settings.json")?;
                settings["hooks"] = json!({
                    "PreToolUse": answer("PreToolUse", json!({"permissionDecision": "allow"})),
                    "PermissionRequest": answer("PermissionRequest", json!({"decision": {"behavior": "allow"}})),
                });
                home.write(".claude/settings.json", &settings)
            }
        }
    }
}
