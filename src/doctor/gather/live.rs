//! Tries the registered commands on a sample question and a sample plan, as the client runs them, and nothing of it
//! shows in the records: the state is a throwaway one.

use std::io;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use serde_json::json;

use crate::doctor::facts::{Facts, Sample, Trial, TrialResult};
use crate::program;
use crate::settings::{self, Registration};

/// As long as an answer may take; a hook of ours takes milliseconds.
const LIMIT: Duration = Duration::from_secs(5);

/// Tries each command that is registered for questions and for plans once.
pub(super) fn trials(facts: &Facts) -> io::Result<Vec<Trial>> {
    let own = tempfile::Builder::new().prefix("unattended-doctor.").tempdir()?;
    let state = own.path().join("state");
    let config = match facts.config.text.as_ref().ok().and_then(Option::as_deref).and_then(without_waits) {
        Some(text) => {
            let file = own.path().join("config.toml");
            std::fs::write(&file, text)?;
            Some(file)
        }
        None => None,
    };
    let mut trials = Vec::new();
    let mut tried: Vec<(Sample, Registration)> = Vec::new();
    for layer in facts.runnable() {
        for ours in settings::survey(&layer.text, &facts.exe, &facts.wanted).ours {
            let Some(sample) = sample(&ours) else { continue };
            let same = |(other, entry): &(Sample, Registration)| {
                *other == sample && (&entry.command, &entry.args) == (&ours.command, &ours.args)
            };
            if tried.iter().any(same) {
                continue;
            }
            let result = try_one(facts, &ours, sample, &state, config.as_deref())?;
            trials.push(Trial { sample, file: layer.file.clone(), result });
            tried.push((sample, ours));
        }
    }
    Ok(trials)
}

/// What an entry is to be tried on: questions are answered at the one event, plans at the other.
fn sample(ours: &Registration) -> Option<Sample> {
    match (ours.event.as_str(), ours.tag.as_deref()) {
        ("PreToolUse", None | Some("PreToolUse:AskUserQuestion")) => Some(Sample::Question),
        ("PermissionRequest", _) => Some(Sample::Plan),
        _ => None,
    }
}

/// A config that asks no person and starts nothing, and is the same otherwise; `None` where it is that as it stands.
fn without_waits(config: &str) -> Option<String> {
    let mut table: toml::Table = config.parse().ok()?;
    let mut changed = table.remove("notify").is_some();
    for section in ["questions", "plans", "permissions"] {
        let section = table.get_mut(section).and_then(toml::Value::as_table_mut);
        changed |= section.is_some_and(|section| section.remove("wait").is_some());
    }
    changed.then(|| table.to_string())
}

fn try_one(
    facts: &Facts,
    ours: &Registration,
    sample: Sample,
    state: &Path,
    config: Option<&Path>,
) -> io::Result<TrialResult> {
    let exec = facts.version().is_none_or(|version| version.has_exec_form());
    let mut command = match &ours.args {
        Some(args) if exec => {
            let mut command = Command::new(&ours.command);
            command.args(args);
            command
        }
        // A client that does not know `args` leaves them out.
        _ => shell(&ours.command),
    };
    command
        .current_dir(&facts.place.folder)
        .env("UNATTENDED", "on")
        .env("UNATTENDED_STATE", state)
        .env("CLAUDE_PROJECT_DIR", &facts.place.folder)
        .envs(config.map(|config| ("UNATTENDED_CONFIG", config)));
    let payload = payload(facts, sample).to_string();
    Ok(match program::run(&mut command, payload.as_bytes(), LIMIT, &mut |_| {}) {
        Err(error) if error.kind() == io::ErrorKind::Interrupted => return Err(error),
        Err(error) => TrialResult::NotStarted(error.to_string()),
        Ok(ran) => match ran.status {
            None => TrialResult::Hung(LIMIT),
            Some(status) => TrialResult::Ran {
                code: status.code(),
                stdout: String::from_utf8_lossy(&ran.stdout).into_owned(),
                stderr: String::from_utf8_lossy(&ran.stderr).into_owned(),
                took: ran.took,
            },
        },
    })
}

/// The client runs a plain command by `/bin/sh -c`, in the project's folder, with no profile read (seen on 2.1.150 and
/// 2.1.332).
#[cfg(unix)]
fn shell(line: &str) -> Command {
    let mut command = Command::new("/bin/sh");
    command.args(["-c", line]);
    command
}

#[cfg(not(unix))]
fn shell(line: &str) -> Command {
    let mut command = Command::new("cmd");
    command.args(["/C", line]);
    command
}

fn payload(facts: &Facts, sample: Sample) -> serde_json::Value {
    let (event, mode, tool, input) = match sample {
        Sample::Question => (
            "PreToolUse",
            "default",
            "AskUserQuestion",
            json!({"questions": [{
                "question": "Is this a trial of unattended doctor?",
                "header": "Trial",
                "multiSelect": false,
                "options": [
                    {"label": "Yes (Recommended)", "description": "It is."},
                    {"label": "No", "description": "It is not."},
                ],
            }]}),
        ),
        Sample::Plan => (
            "PermissionRequest",
            "plan",
            "ExitPlanMode",
            json!({"plan": "A trial of unattended doctor: nothing is carried out."}),
        ),
    };
    json!({
        "session_id": "00000000-0000-4000-8000-00000000d0c0",
        "transcript_path": "",
        "cwd": facts.place.folder,
        "permission_mode": mode,
        "hook_event_name": event,
        "tool_name": tool,
        "tool_input": input,
        "tool_use_id": "toolu_doctor",
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trial_asks_no_person_and_keeps_the_rest_of_the_config() {
        let config = "default = \"off\"\n[plans]\nwait = \"1h\"\nthen = \"auto\"\n[notify]\ncommand = [\"page\"]\n";
        let tried = without_waits(config).unwrap();
        let (read, problems) = crate::config::read(&tried);
        assert_eq!((read.plans.wait, read.notify.command, problems), (Duration::ZERO, vec![], vec![]));
        assert_eq!((read.plans.then, read.default), (crate::config::Then::Auto, crate::config::Standing::Off));
        assert_eq!(without_waits("[plans]\nthen = \"auto\"\n"), None);
        assert_eq!(without_waits("broken ["), None);
    }
}
