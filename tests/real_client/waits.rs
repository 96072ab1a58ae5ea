//! Waits for a person with the real client: each kind of request is answered by `unattended answer` while the client
//! runs the hook, or left alone until the time is up; what the model then reads is what the person said, or the guidance.

use std::process::Output;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use libtest_mimic::Trial;
use serde_json::{Value, json};

use crate::api::{Api, Kept};
use crate::cell::{Stage, records};
use crate::cells::{self, NEWEST, VERSIONS};
use crate::client::Client;
use crate::driver::{Outcome, Start, Way, start_and_watch};
use crate::home::Home;
use crate::hooks::{Hooks, Switch};

/// One kind of request, and what a person says to it.
struct Case {
    name: &'static str,
    scenario: &'static str,
    mode: &'static str,
    /// The words of `unattended answer ID`, one list a request; none is left alone.
    said: &'static [&'static [&'static str]],
    /// What the model reads as the result of its calls of this tool.
    told: (&'static str, &'static [&'static str]),
    /// Whether `out.txt` is written.
    carried_out: bool,
    /// Another hook asks for a dialog, whatever ours has said before the call.
    another_asks: bool,
    /// The ways in which it is tried in the quick subset.
    quick: &'static [Way],
}

static CASES: [Case; 11] = [
    Case {
        name: "question-by-digit",
        scenario: "question",
        mode: "default",
        said: &[&["2"]],
        told: ("AskUserQuestion", &["Blue"]),
        carried_out: false,
        another_asks: false,
        quick: &[Way::Tui, Way::Sdk],
    },
    Case {
        name: "question-in-free-text",
        scenario: "question",
        mode: "bypassPermissions",
        said: &[&["A very dark green"]],
        told: ("AskUserQuestion", &["A very dark green"]),
        carried_out: false,
        another_asks: false,
        quick: &[Way::Sdk],
    },
    Case {
        name: "question-turned-into-a-dialog",
        scenario: "question",
        mode: "default",
        said: &[&["2"]],
        told: ("AskUserQuestion", &["Blue"]),
        carried_out: false,
        another_asks: true,
        quick: &[Way::Tui, Way::Sdk],
    },
    Case {
        name: "wizard",
        scenario: "wizard",
        mode: "default",
        said: &[&["1", "1,3", "On the moon"]],
        told: ("AskUserQuestion", &["SQLite", "Login, Export", "On the moon"]),
        carried_out: false,
        another_asks: false,
        quick: &[Way::Sdk],
    },
    Case {
        name: "plan-approved",
        scenario: "plan",
        mode: "plan",
        said: &[&["approve", "--mode", "acceptEdits"]],
        told: ("ExitPlanMode", &["approved"]),
        carried_out: true,
        another_asks: false,
        quick: &[Way::Tui, Way::Sdk],
    },
    Case {
        name: "plan-sent-back",
        scenario: "plan-twice",
        mode: "plan",
        said: &[&["reject", "Say what is written."], &["approve"]],
        told: ("ExitPlanMode", &["A person has read this plan and sends it back", "Say what is written."]),
        carried_out: true,
        another_asks: false,
        quick: &[Way::Sdk],
    },
    Case {
        name: "tool-allowed",
        scenario: "permission",
        mode: "default",
        said: &[&["allow"]],
        // The tool ran, in a project in which there is nothing to deploy.
        told: ("Bash", &["make"]),
        carried_out: false,
        another_asks: false,
        quick: &[Way::Tui, Way::Sdk],
    },
    Case {
        name: "tool-refused",
        scenario: "permission",
        mode: "default",
        said: &[&["deny", "Not on a Friday."]],
        told: ("Bash", &["Not on a Friday."]),
        carried_out: false,
        another_asks: false,
        quick: &[Way::Sdk],
    },
    Case {
        name: "question-left-alone",
        scenario: "question",
        mode: "default",
        said: &[],
        told: ("AskUserQuestion", &["nobody has answered this question"]),
        carried_out: false,
        another_asks: false,
        quick: &[Way::Tui, Way::Sdk, Way::Bg],
    },
    Case {
        name: "plan-left-alone",
        scenario: "plan",
        mode: "plan",
        said: &[],
        told: ("ExitPlanMode", &["approved"]),
        carried_out: true,
        another_asks: false,
        quick: &[Way::Sdk],
    },
    Case {
        name: "tool-left-alone",
        scenario: "permission",
        mode: "default",
        said: &[],
        told: ("Bash", &["no person has seen the request"]),
        carried_out: false,
        another_asks: false,
        // In plain print the client asks nobody, and the hook is called all the same.
        quick: &[Way::Print, Way::Sdk],
    },
];

/// How long a person has where nobody is left to reply, and where somebody does.
const SHORT: &str = "3s";
const LONG: &str = "60s";

/// The trials; some belong to the whole matrix.
pub fn trials(all: bool, stage: Stage, wants: impl Fn(&str) -> bool) -> Vec<Trial> {
    let stage = Arc::new(stage);
    let mut trials = Vec::new();
    for version in VERSIONS.into_iter().filter(|version| all || *version == NEWEST) {
        for case in &CASES {
            for &way in cells::ways(version) {
                let whole = all && way != Way::Print;
                if whole || version == NEWEST && case.quick.contains(&way) {
                    trials.push((version, way, case));
                }
            }
        }
    }
    let trials = trials.into_iter().map(|(version, way, case)| {
        let stage = Arc::clone(&stage);
        Trial::test(format!("waits/{version}/{}/{}", way.name(), case.name), move || {
            case.try_it(&stage, version, way).map_err(|error| format!("{error:#}").into())
        })
    });
    trials.filter(|trial| wants(trial.name())).collect()
}

impl Case {
    fn try_it(&self, stage: &Stage, version: &str, way: Way) -> Result<()> {
        let mut home = Home::make(&Client::cached(version)?, self.mode)?;
        let wait = if self.said.is_empty() { SHORT } else { LONG };
        let config = home.folder().join(".config/unattended");
        std::fs::create_dir_all(&config)?;
        let waits = ["questions", "plans", "permissions"].map(|section| format!("[{section}]\nwait = \"{wait}\"\n"));
        std::fs::write(config.join("config.toml"), waits.concat())?;
        let switch = if way == Way::Tui { Switch::On } else { Switch::Auto };
        Hooks::Ours(switch).install(&home, &stage.binary, Some(version))?;

        if self.another_asks {
            another_asks(&home)?;
        }
        let scenario = stage.scenarios.get(self.scenario).context("no such scenario")?;
        let (bell, heard) = channel();
        let plan_file = home.folder().join(".claude/plans/plan.md");
        let api = Api::start(Arc::clone(&stage.scenarios), home.project(), plan_file, bell.clone())?;
        home.talk_to(api.url());
        let prompt = scenario.prompt(self.scenario);
        let start =
            Start { home: &home, mode: self.mode, prompt: &prompt, closing: scenario.closing(), extra: &[], bell };
        let over = AtomicBool::new(false);
        let (watched, answered) = thread::scope(|scope| {
            let person = scope.spawn(|| self.answer(stage, &home, &over));
            let watched = start_and_watch(|| way.start(start.clone()), &api, &heard);
            over.store(true, Ordering::SeqCst);
            (watched, person.join())
        });
        let (session, outcome) = watched?;
        drop(session);
        ensure!(outcome == Outcome::WentOn, "the session did not go on: {outcome:?}; {:?}", records(&home.state())?);
        match answered {
            Ok(answered) => answered.context("a reply was not taken")?,
            Err(_) => bail!("the person's thread panicked"),
        }
        let written = home.project().join("out.txt").exists();
        ensure!(written == self.carried_out, "out.txt is {}", if written { "there" } else { "not there" });
        self.check(&api.kept(), &records(&home.state())?)
    }

    /// Replies to each request as it comes.
    fn answer(&self, stage: &Stage, home: &Home, over: &AtomicBool) -> Result<()> {
        let mut done: Vec<String> = Vec::new();
        for said in self.said {
            let id = loop {
                let listed = home.run(&stage.binary, &["answer", "--list", "--json"])?;
                let listed: Value = serde_json::from_slice(&listed.stdout)?;
                let ids = listed.as_array().into_iter().flatten().filter_map(|request| request["id"].as_str());
                if let Some(id) = ids.map(str::to_owned).find(|id| !done.contains(id)) {
                    break id;
                }
                ensure!(!over.load(Ordering::SeqCst), "nothing came up to be answered by {said:?}");
                thread::sleep(Duration::from_millis(100));
            };
            let Output { status, stdout, stderr } =
                home.command(&stage.binary).args(["answer", &id]).args(*said).output()?;
            ensure!(
                status.success(),
                "answer {said:?}: {}{}",
                String::from_utf8_lossy(&stdout),
                String::from_utf8_lossy(&stderr)
            );
            done.push(id);
        }
        Ok(())
    }

    fn check(&self, kept: &Kept, records: &[Value]) -> Result<()> {
        let waits: Vec<&Value> = records.iter().map(|record| &record["wait"]).filter(|wait| !wait.is_null()).collect();
        let by: Vec<Option<&str>> = waits.iter().map(|wait| wait["by"].as_str()).collect();
        let expected = if self.said.is_empty() { vec![None] } else { vec![Some("person"); self.said.len()] };
        ensure!(by == expected, "the records say of the waits: {waits:?}");
        let cut = waits.iter().find(|wait| wait.get("cut_from_ms").is_some());
        ensure!(cut.is_none(), "the wait was cut: {cut:?}");
        let stall = records.iter().find(|record| record["stall"] == true);
        ensure!(stall.is_none(), "a stall was recorded: {stall:?}");
        let (tool, words) = self.told;
        let told = kept.told(tool).join("\n");
        for words in words {
            ensure!(told.contains(words), "the model was not told \"{words}\" but: {told}");
        }
        Ok(())
    }
}

/// Hooks in somebody else's hook beside ours, which asks for the dialog of each question.
fn another_asks(home: &Home) -> Result<()> {
    let answer = json!({"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "ask"}});
    let entry = json!({"type": "command", "command": format!("echo '{answer}'")});
    let mut settings = home.read(".claude/settings.json")?;
    let groups = settings["hooks"]["PreToolUse"].as_array_mut().context("no hooks are there")?;
    groups.push(json!({"matcher": "AskUserQuestion", "hooks": [entry]}));
    home.write(".claude/settings.json", &settings)
}
