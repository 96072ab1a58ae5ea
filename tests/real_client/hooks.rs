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
    /// The plugin, installed by the client from a folder.
    Plugin(Beside),
    /// A plan approved by a bare `allow`, as one would write it from the documentation: without the echoed input.
    PlanWithoutEcho,
}

/// What there is beside the plugin's registration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Beside {
    /// The program in the plugin's `bin`.
    Program,
    /// The program in `~/.local/bin`, and `unattended install` was run: each call comes twice.
    Settings,
    /// No program.
    Nothing,
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
            Hooks::Plugin(beside) => plugin(home, binary, beside),
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

/// Installs the plugin as a user does: from a folder that is a marketplace.
fn plugin(home: &Home, binary: &Path, beside: Beside) -> Result<()> {
    let (market, local) = (home.folder().join("market"), home.folder().join(".local/bin"));
    std::fs::create_dir_all(&market)?;
    std::fs::create_dir_all(&local)?;
    // By another process: a file that is open for writing anywhere cannot be run.
    let copy = |from: &Path, to: &Path| home.run("cp", &["-R", &from.to_string_lossy(), &to.to_string_lossy()]);
    copy(&crate::root().join(".claude-plugin"), &market)?;
    copy(&crate::root().join("plugin"), &market)?;
    match beside {
        Beside::Program => {
            std::fs::create_dir(market.join("plugin/bin"))?;
            copy(binary, &market.join("plugin/bin/unattended"))?;
        }
        Beside::Settings => {
            copy(binary, &local.join("unattended"))?;
            home.run(local.join("unattended"), &["install", "--client-version", crate::cells::NEWEST])?;
        }
        Beside::Nothing => {}
    }
    let client = home.folder().join("bin/claude");
    home.run(&client, &["plugin", "marketplace", "add", &market.to_string_lossy()])?;
    home.run(&client, &["plugin", "install", "unattended@unattended"])?;
    Ok(())
}
