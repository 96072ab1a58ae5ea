//! Records the payloads of named sessions as fixtures: `tests/real_client/record VERSION`. The sessions are listed in
//! `sessions.toml`; what they are is said there.

pub mod drift;
pub mod hook;
pub mod stable;
pub mod transcripts;

use std::collections::BTreeMap;
use std::path::Path;
use std::str::FromStr;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow, bail};
use serde::Deserialize;
use serde_json::{Value, json};
use unattended::client::Version;

use crate::api::Api;
use crate::cell::{Stage, offer_mcp};
use crate::client::Client;
use crate::driver::{Happened, Session as Driven, Start, Way};
use crate::home::Home;

/// Events for the record alone, known by every client that is tried.
const MORE_EVENTS: [&str; 3] = ["UserPromptSubmit", "SubagentStart", "SubagentStop"];
/// The longest a session may take; a terminal counts as idle after a minute.
const LIMIT: Duration = Duration::from_secs(120);
/// How long a dialog is left standing before keys are pressed, and a session watched after its last event.
const PAUSE: Duration = Duration::from_millis(1500);

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct List {
    session: Vec<Session>,
}

/// A session to record.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Session {
    /// The name of the fixture.
    pub name: String,
    /// What the model does.
    pub scenario: String,
    mode: String,
    #[serde(default = "tui")]
    way: String,
    /// Answers of the recording hook by event, `PreToolUse:AskUserQuestion` or `Stop`.
    #[serde(default)]
    answers: BTreeMap<String, Value>,
    /// Keys a person presses, one entry a dialog.
    #[serde(default)]
    keys: Vec<String>,
    /// The event after which nothing more is waited for; none means that the last keys end it.
    until: Option<String>,
    /// How often that event must come.
    #[serde(default = "once")]
    times: usize,
    /// Words that the model must have read: an answer that the client drops would make a false fixture.
    read: Option<String>,
    /// The first version that can do this.
    since: Option<String>,
}

fn tui() -> String {
    "tui".to_owned()
}

fn once() -> usize {
    1
}

/// The sessions that can be recorded.
pub fn sessions(root: &Path) -> Result<Vec<Session>> {
    let list = std::fs::read_to_string(root.join("tests/real_client/sessions.toml"))?;
    Ok(toml::from_str::<List>(&list).context("sessions.toml")?.session)
}

/// Records all sessions of a version, and says what changed.
pub fn record(stage: &Stage, root: &Path, version: &str, wanted: impl Fn(&str) -> bool) -> Result<()> {
    let number = Version::from_str(version).map_err(|error| anyhow!(error))?;
    let fixtures = root.join("tests/fixtures");
    let folder = fixtures.join(version);
    std::fs::create_dir_all(&folder)?;
    let mut failed = Vec::new();
    let all = sessions(root)?;
    for session in all.iter().filter(|session| wanted(&session.name)) {
        let since = session.since.as_deref().map(Version::from_str).transpose().map_err(|error| anyhow!(error))?;
        if since.is_some_and(|since| number < since) {
            continue;
        }
        match one(stage, version, number, session) {
            Ok(lines) => {
                std::fs::write(folder.join(format!("{}.jsonl", session.name)), lines.join("\n") + "\n")?;
                println!("{}: {} payloads", session.name, lines.len());
            }
            Err(error) => {
                println!("{}: FAILED: {error:#}", session.name);
                failed.push(session.name.as_str());
            }
        }
    }
    if let Some(old) = drift::newest_but(&fixtures, version) {
        let found = drift::between(&fixtures, &old, version)?;
        println!("\n{version} against {old}: {} changes of fields and events", found.len());
        found.iter().for_each(|line| println!("  {line}"));
    }
    if !failed.is_empty() {
        bail!("not recorded: {}", failed.join(", "));
    }
    Ok(())
}

fn one(stage: &Stage, version: &str, number: Version, session: &Session) -> Result<Vec<String>> {
    let client = Client::cached(version)?;
    let mut home = Home::make(&client, &session.mode)?;
    let scenario = stage.scenarios.get(&session.scenario).context("no such scenario")?;
    if scenario.mcp {
        offer_mcp(&home)?;
    }
    let payloads = home.folder().join("payloads.jsonl");
    register(&home, number, &payloads, &session.answers)?;
    let (bell, heard) = channel();
    let plan_file = home.folder().join(".claude/plans/plan.md");
    let api = Api::start(Arc::clone(&stage.scenarios), home.project(), plan_file, bell.clone())?;
    home.talk_to(api.url());
    let way = match session.way.as_str() {
        "tui" => Way::Tui,
        "sdk" => Way::Sdk,
        other => bail!("{other} is no way to record"),
    };
    let prompt = scenario.prompt(&session.scenario);
    let closing = scenario.closing();
    let mut driven =
        way.start(Start { home: &home, mode: &session.mode, prompt: &prompt, closing, extra: &[], bell })?;
    follow(session, driven.as_mut(), &heard, &payloads)?;
    drop(driven);
    if let Some(words) = session.read.as_deref().filter(|words| !api.kept().heard(words)) {
        bail!("the model has not read {words:?}");
    }
    let mut stable = stable::Stable::of(&home.folder(), &home.temporary());
    Ok(std::fs::read_to_string(&payloads)?.lines().map(|line| stable.line(line)).collect())
}

/// Registers the recording hook for every event the client knows.
fn register(home: &Home, version: Version, payloads: &Path, answers: &BTreeMap<String, Value>) -> Result<()> {
    home.write("answers.json", &json!(answers))?;
    let program = std::env::current_exe()?;
    let answers = home.folder().join("answers.json");
    let command = format!("{} serve-hook {} {}", program.display(), payloads.display(), answers.display());
    let known = ["PreToolUse", "PostToolUse", "PermissionRequest", "PermissionDenied", "Elicitation", "Notification"]
        .into_iter()
        .chain(["Stop", "StopFailure", "SessionStart", "SessionEnd"])
        .filter(|event| version.knows(event))
        .chain(MORE_EVENTS);
    let mut settings = home.read(".claude/settings.json")?;
    settings["hooks"] = known
        .map(|event| (event.to_owned(), json!([{"hooks": [{"type": "command", "command": command, "timeout": 30}]}])))
        .collect::<serde_json::Map<_, _>>()
        .into();
    home.write(".claude/settings.json", &settings)
}

/// Follows a session: presses its keys as dialogs open, until its last event has come.
fn follow(session: &Session, driven: &mut dyn Driven, heard: &Receiver<Happened>, payloads: &Path) -> Result<()> {
    let started = Instant::now();
    let mut keys = session.keys.iter();
    let mut dialog_since: Option<Instant> = None;
    let mut ended: Option<Instant> = None;
    let mut pressed = false;
    loop {
        match heard.recv_timeout(Duration::from_millis(100)) {
            Ok(Happened::Wrote(bytes)) => driven.take(&bytes),
            Ok(Happened::Closed) => driven.closed(),
            _ => {}
        }
        // Lets a client that has ended its work go.
        driven.is_over(false);
        match driven.waits_for() {
            None => dialog_since = None,
            Some(_) if dialog_since.get_or_insert_with(Instant::now).elapsed() > PAUSE => {
                if let Some(next) = keys.next() {
                    driven.press(next)?;
                    pressed = true;
                    dialog_since = None;
                }
            }
            Some(_) => {}
        }
        let done = match &session.until {
            Some(until) => came(payloads, until) >= session.times,
            None => pressed && keys.len() == 0,
        };
        if done && ended.get_or_insert_with(Instant::now).elapsed() > PAUSE {
            return Ok(());
        }
        if started.elapsed() > LIMIT {
            bail!("{:?} did not come within {LIMIT:?}; last: {}", session.until, driven.last_seen());
        }
    }
}

/// How often an event was recorded.
fn came(payloads: &Path, event: &str) -> usize {
    let text = std::fs::read_to_string(payloads).unwrap_or_default();
    let all = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    all.filter(|payload| hook::names(payload).iter().any(|name| name == event)).count()
}
