//! One cell: a session of one client, one way, in one mode, with one scenario. Runs it and gathers what is known of it
//! afterwards; judges nothing.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::channel;

use anyhow::{Context, Result};
use serde_json::{Value, json};

use crate::api::{Api, Kept};
use crate::client::Client;
use crate::driver::{Outcome, Way, start_and_watch};
use crate::home::Home;
use crate::hooks::{Hooks, Switch};
use crate::run::Run;
use crate::scenario::Scenario;

/// The scenario with which a session goes on that began anew.
const ENDS: &str = "ends";

/// A place in the matrix.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cell {
    /// The client.
    pub version: &'static str,
    /// The way of driving.
    pub way: Way,
    /// The scenario, which is the stall path.
    pub scenario: &'static str,
    /// `--permission-mode`.
    pub mode: &'static str,
    /// What is hooked in.
    pub hooks: Hooks,
}

/// What is known after a cell has run.
#[derive(Debug)]
pub struct Facts {
    /// How the run ended.
    pub outcome: Outcome,
    /// Where a person was there to answer: how the run ended then.
    pub answered: Option<Outcome>,
    /// The lines seen in a terminal until the run first ended or waited.
    pub shown: Vec<String>,
    /// What the client sent to the API.
    pub kept: Kept,
    /// `out.txt` is in the project.
    pub carried_out: bool,
    /// Our records, in the order written.
    pub records: Vec<Value>,
    /// What the client wrote of its sessions: the file's place below its folder of the project, and the text.
    pub transcripts: BTreeMap<String, String>,
    /// Where the home was.
    pub home: PathBuf,
    /// Where temporary files were.
    pub temporary: PathBuf,
}

/// What all cells share.
pub struct Stage {
    /// All scenarios by name.
    pub scenarios: Arc<BTreeMap<String, Scenario>>,
    /// The executable under test.
    pub binary: PathBuf,
}

impl Stage {
    /// Runs a cell.
    pub fn run(&self, cell: &Cell) -> Result<Facts> {
        let client = Client::cached(cell.version)?;
        let scenario = self.scenarios.get(cell.scenario).context("no such scenario")?;
        let mut home = Home::make(&client, cell.mode)?;
        if scenario.mcp {
            offer_mcp(&home)?;
        }
        // Asking a client for its version takes a good part of a session's time; once a version and way is enough.
        let known = (cell.scenario != ENDS).then_some(cell.version);
        cell.hooks.install(&home, &self.binary, known)?;
        let (bell, heard) = channel();
        let plan_file = home.folder().join(".claude/plans/plan.md");
        let api = Api::start(Arc::clone(&self.scenarios), home.project(), plan_file, bell.clone())?;
        home.talk_to(api.url());
        let closing = self.scenarios.get(ENDS).context("no scenario that ends")?.closing();
        let mut run = Run { cell, home: &home, api: &api, bell, heard, closing };
        let start = || run.start(&scenario.prompt(cell.scenario), scenario.closing(), &[]);
        let (mut session, mut outcome) = start_and_watch(start, &api, &run.heard)?;
        let shown = session.shown();
        let mut answered = None;
        if let (Outcome::Waits(_), Hooks::Ours(Switch::Auto), Way::Tui) = (&outcome, cell.hooks, cell.way) {
            answered = Some(run.answer(session.as_mut())?);
        }
        if let (Outcome::WentOn, Some(anew)) = (&outcome, scenario.then) {
            let prompt = self.scenarios.get(ENDS).context("no scenario that ends")?.prompt(ENDS);
            outcome = run.begin_anew(&mut session, anew, &prompt)?;
        }
        let carried_out = home.project().join("out.txt").exists();
        drop(session);
        Ok(Facts {
            outcome,
            answered,
            shown,
            kept: api.kept(),
            carried_out,
            records: records(&home.state())?,
            transcripts: transcripts(&home.folder().join(".claude/projects"))?,
            home: home.folder(),
            temporary: home.temporary(),
        })
    }
}

/// Configures the eliciting server and permits its tool, so that the elicitation is the only thing that asks.
pub fn offer_mcp(home: &Home) -> Result<()> {
    let mut state = home.read(".claude.json")?;
    state["mcpServers"] = json!({crate::mcp::NAME: {
        "type": "stdio", "command": std::env::current_exe()?, "args": ["serve-mcp"], "env": {},
    }});
    home.write(".claude.json", &state)?;
    let mut settings = home.read(".claude/settings.json")?;
    settings["permissions"] = json!({"allow": [format!("mcp__{}", crate::mcp::NAME)]});
    home.write(".claude/settings.json", &settings)
}

/// The records of a state folder. A line that is no JSON is a fault of ours and an error here.
pub fn records(state: &Path) -> Result<Vec<Value>> {
    let folder = state.join("records");
    let mut files: Vec<PathBuf> = match std::fs::read_dir(&folder) {
        Ok(entries) => entries.flatten().map(|entry| entry.path()).collect(),
        Err(_) => return Ok(Vec::new()),
    };
    files.sort();
    let mut all = Vec::new();
    for file in files {
        for line in std::fs::read_to_string(&file)?.lines() {
            all.push(serde_json::from_str(line).with_context(|| format!("{} has a broken line", file.display()))?);
        }
    }
    Ok(all)
}

/// All files of the client's folders of projects by their place below their project's.
fn transcripts(projects: &Path) -> Result<BTreeMap<String, String>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![(projects.to_path_buf(), 0)];
    let mut project = PathBuf::new();
    while let Some((folder, depth)) = folders.pop() {
        if depth == 1 {
            project.clone_from(&folder);
        }
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push((path, depth + 1));
            } else if path.extension().is_some_and(|end| end == "jsonl") {
                let name = path.strip_prefix(&project).unwrap_or(&path).display().to_string();
                found.insert(name, std::fs::read_to_string(&path)?);
            }
        }
    }
    Ok(found)
}

impl Facts {
    /// What the model read as the result of its calls of a tool, in order.
    pub fn told(&self, tool: &str) -> Vec<String> {
        self.kept.told(tool)
    }

    /// The tools the model called, each once, in the order of the first call.
    pub fn called(&self) -> Vec<String> {
        let mut called: Vec<String> = Vec::new();
        let messages = self.kept.turns.last().and_then(|turn| turn.request["messages"].as_array());
        for block in messages.into_iter().flatten().filter_map(|message| message["content"].as_array()).flatten() {
            if let Some(name) = block["name"].as_str().filter(|_| block["type"] == "tool_use")
                && !called.iter().any(|known| known == name)
            {
                called.push(name.to_owned());
            }
        }
        called
    }
}
