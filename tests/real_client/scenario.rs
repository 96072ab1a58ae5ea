//! What the scripted model does: one TOML file a scenario, turn by turn. Reads files at start, knows nothing of HTTP.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, Result, bail};
use serde::Deserialize;
use serde_json::Value;

/// A scenario file.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scenario {
    /// One line for the report: what the model does.
    pub about: String,
    /// What the person asks for; the marker is added by [`Scenario::prompt`].
    pub prompt: String,
    /// Whether the session needs the eliciting MCP server.
    #[serde(default)]
    pub mcp: bool,
    /// What happens to the session when the script is played: it begins anew, with the scenario `ends`.
    #[serde(default)]
    pub then: Option<Anew>,
    /// What the model says and calls, one entry a message of the model.
    pub turns: Vec<Turn>,
}

/// How a session begins anew, by the `source` that SessionStart then has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Anew {
    /// `/clear` in a terminal.
    Clear,
    /// `/compact` in a terminal.
    Compact,
    /// `--continue` in a new process.
    Resume,
}

impl Anew {
    /// The `source` in the payload.
    pub fn source(self) -> &'static str {
        match self {
            Anew::Clear => "clear",
            Anew::Compact => "compact",
            Anew::Resume => "resume",
        }
    }
}

/// One message of the model.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Turn {
    /// Text before the tool calls, or the closing message.
    #[serde(default)]
    pub say: String,
    /// Tool calls of this message; with none the turn ends.
    #[serde(default)]
    pub calls: Vec<Call>,
    /// Instead of a message, the API's error.
    #[serde(default)]
    pub fails: Option<Failure>,
    /// Say this again for ever (only on the last turn).
    #[serde(default)]
    pub again: bool,
}

/// An error of the API.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Failure {
    /// The HTTP status.
    pub status: u16,
    /// The API's name for it.
    #[serde(rename = "type")]
    pub kind: String,
    /// Its words.
    pub message: String,
}

/// A tool call. In `input`, `{project}` and `{plan_file}` are filled in.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Call {
    /// The tool's name; names of different versions parted by `|`.
    pub tool: String,
    /// Its input.
    pub input: Value,
}

impl Scenario {
    /// The prompt as it is sent, with the marker by which the API finds the scenario again.
    pub fn prompt(&self, name: &str) -> String {
        format!("{} {}", self.prompt, marker(name))
    }

    /// The text of the last turn, by which a screen or a result is known to be complete.
    pub fn closing(&self) -> &str {
        self.turns.last().map_or("", |turn| turn.say.as_str())
    }

    /// The turn with this number; past the end the last one if it is said again.
    pub fn turn(&self, number: usize) -> Option<&Turn> {
        self.turns.get(number).or_else(|| self.turns.last().filter(|turn| turn.again))
    }
}

/// The words in a prompt that name a scenario.
pub fn marker(name: &str) -> String {
    format!("[scenario {name}]")
}

/// The scenario named last in a text.
pub fn named_in(text: &str) -> Option<&str> {
    let (_, rest) = text.rsplit_once("[scenario ")?;
    rest.split_once(']').map(|(name, _)| name)
}

/// All scenarios of a folder by name.
pub fn load(folder: &Path) -> Result<BTreeMap<String, Scenario>> {
    let mut all = BTreeMap::new();
    for entry in std::fs::read_dir(folder).with_context(|| format!("no folder {}", folder.display()))? {
        let path = entry?.path();
        if path.extension().is_none_or(|end| end != "toml") {
            continue;
        }
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let scenario: Scenario = toml::from_str(&std::fs::read_to_string(&path)?)
            .with_context(|| format!("{} is no scenario", path.display()))?;
        let last = scenario.turns.len().saturating_sub(1);
        if scenario.turns.iter().enumerate().any(|(at, turn)| turn.again && at != last) {
            bail!("{}: only the last turn may be said again", path.display());
        }
        all.insert(name, scenario);
    }
    Ok(all)
}
