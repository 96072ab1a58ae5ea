//! A background session (`claude --bg`). What waits is what `claude agents --json` says of it.

use std::path::PathBuf;
use std::process::Command;
use std::sync::mpsc::Sender;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use serde_json::Value;

use super::{Happened, Session, Start, tail};

/// How often the client is asked; each time starts a process.
const BETWEEN: Duration = Duration::from_secs(1);

/// A background session. It is stopped with the value; its supervisor ends with the home.
pub struct Background {
    /// Kept, as the watch takes a bell that nobody holds for the end of the session.
    _bell: Sender<Happened>,
    id: String,
    list: Command,
    stop: Command,
    logs: Command,
    /// The client's own folder, for what its supervisor writes.
    folder: PathBuf,
    looked: Instant,
    seen: Value,
}

impl Background {
    /// Starts it and reads the id off what the client prints.
    pub fn start(start: Start<'_>) -> Result<Background> {
        let claude = start.home.folder().join("bin/claude");
        let output = start
            .home
            .command(&claude)
            .args(["--bg", "--permission-mode", start.mode])
            .args(start.extra)
            .arg(start.prompt)
            .output()?;
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        let Some((_, id)) = said.split_once("claude stop ") else {
            bail!("no background session: {said}{}", String::from_utf8_lossy(&output.stderr));
        };
        let id = id.split_whitespace().next().context("no id")?.to_owned();
        let mut list = start.home.command(&claude);
        list.args(["agents", "--json", "--all"]);
        let mut stop = start.home.command(&claude);
        stop.args(["stop", &id]);
        let folder = start.home.folder().join(".claude");
        let mut logs = start.home.command(&claude);
        logs.args(["logs", &id]);
        Ok(Background { _bell: start.bell, id, list, stop, logs, folder, looked: Instant::now(), seen: Value::Null })
    }

    /// What the client says of the session now, at most every [`BETWEEN`].
    fn look(&mut self) -> &Value {
        if self.looked.elapsed() >= BETWEEN {
            let listed =
                self.list.output().ok().and_then(|output| serde_json::from_slice::<Value>(&output.stdout).ok());
            let ours = listed
                .as_ref()
                .and_then(Value::as_array)
                .and_then(|all| all.iter().find(|session| session["id"] == self.id.as_str()).cloned());
            self.seen = ours.unwrap_or(Value::Null);
            self.looked = Instant::now();
        }
        &self.seen
    }
}

impl Session for Background {
    fn take(&mut self, _bytes: &[u8]) {}

    fn closed(&mut self) {}

    fn waits_for(&mut self) -> Option<String> {
        self.look()["waitingFor"].as_str().map(|what| format!("waitingFor: {what}"))
    }

    fn is_over(&mut self, quiet: bool) -> bool {
        quiet && (self.look()["status"] == "idle" || self.seen["state"] == "done")
    }

    fn failed(&mut self) -> Option<String> {
        (self.look()["state"] == "failed").then(|| self.seen.to_string())
    }

    fn ended(&mut self) -> bool {
        self.look()["state"] == "done"
    }

    fn last_seen(&mut self) -> String {
        let logs = self.logs.output().map(|output| String::from_utf8_lossy(&output.stdout).into_owned());
        let read = |file: std::path::PathBuf| std::fs::read_to_string(file).unwrap_or_default();
        let supervisor = read(self.folder.join("daemon.log"));
        let job = read(self.folder.join("jobs").join(&self.id).join("state.json"));
        format!("{}\n{job}\n{}\n{}", self.seen, tail(&supervisor, 1500), tail(&logs.unwrap_or_default(), 1500))
    }
}

impl Drop for Background {
    fn drop(&mut self) {
        let _ = self.stop.output();
    }
}
