//! Records what the client itself writes of a session, beside our records of it, as fixtures for what reads both:
//! `tests/real_client/record-transcripts VERSION`. Each session is a cell with our hook installed as a user installs it.

use std::path::Path;

use anyhow::{Result, bail};
use serde_json::Value;

use super::stable::Stable;
use crate::cell::{Cell, Stage};
use crate::cells;
use crate::driver::{Outcome, Way};
use crate::hooks::{Hooks, Switch};

/// The sessions: the fixture's name and scenario, the mode, the way.
pub const SESSIONS: [(&str, &str, Way); 11] = [
    ("assumes-by-line", "bypassPermissions", Way::Tui),
    ("assumes-without-line", "default", Way::Sdk),
    ("assumes-in-german", "default", Way::Sdk),
    ("assumes-after-tool", "default", Way::Sdk),
    ("assumes-nothing", "default", Way::Sdk),
    ("assumes-twice", "default", Way::Sdk),
    ("thrice", "default", Way::Sdk),
    ("decides", "plan", Way::Tui),
    ("prose-once", "default", Way::Sdk),
    ("subagent", "default", Way::Sdk),
    ("demo", "acceptEdits", Way::Tui),
];

/// The kinds of lines that are kept: what was said, and small ones that say nothing of it. The rest is the client's own
/// words to the model.
const KEPT: [&str; 7] = ["user", "assistant", "system", "mode", "permission-mode", "last-prompt", "tools-used"];

/// Records all of them.
pub fn record(stage: &Stage, root: &Path, version: &str, wanted: impl Fn(&str) -> bool) -> Result<()> {
    let Some(version) = cells::VERSIONS.into_iter().find(|known| *known == version) else {
        bail!("{version} is none of the suite's clients");
    };
    let mut failed = Vec::new();
    for (scenario, mode, way) in SESSIONS.into_iter().filter(|(name, ..)| wanted(name)) {
        let hooks = Hooks::Ours(if way == Way::Tui { Switch::On } else { Switch::Auto });
        let facts = stage.run(&Cell { version, way, scenario, mode, hooks })?;
        if facts.outcome != Outcome::WentOn {
            println!("{scenario}: FAILED: {:?}", facts.outcome);
            failed.push(scenario);
            continue;
        }
        let mut stable = Stable::of(&facts.home, &facts.temporary);
        // The client notes which program a hook is.
        let program = stage.binary.display().to_string();
        let mut stable = |line: &str| stable.line(&line.replace(&program, "/home/dev/.local/bin/unattended"));
        let folder = root.join("tests/fixtures/transcripts").join(scenario);
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder)?;
        let records: Vec<String> = facts.records.iter().map(|record| stable(&record.to_string())).collect();
        std::fs::write(folder.join("records.jsonl"), records.join("\n") + "\n")?;
        for (name, text) in &facts.transcripts {
            let lines: Vec<String> = text.lines().filter(|line| is_kept(line)).map(&mut stable).collect();
            let place = folder.join(stable(name));
            std::fs::create_dir_all(place.parent().unwrap_or(&folder))?;
            std::fs::write(place, lines.join("\n") + "\n")?;
        }
        println!("{scenario}: {} records, {} transcripts", records.len(), facts.transcripts.len());
    }
    if !failed.is_empty() {
        bail!("not recorded: {}", failed.join(", "));
    }
    Ok(())
}

fn is_kept(line: &str) -> bool {
    let kind = serde_json::from_str::<Value>(line).ok().and_then(|line| Some(line["type"].as_str()?.to_owned()));
    kind.is_some_and(|kind| KEPT.contains(&kind.as_str()))
}
