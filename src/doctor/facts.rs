//! The facts that the checks judge. Gathered once; nothing in here reads a file. What is secret in them is never
//! printed: a check tells presence and expiry alone.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use chrono::{DateTime, Utc};
use serde_json::Value;

use super::layers::{Layer, Layers, Scope};
use super::trust::{self, Brings, Place};
use crate::client::Version;
use crate::history::Odd;
use crate::policy::Policy;
use crate::settings::Wanted;

/// All that was found out.
pub struct Facts {
    /// When.
    pub now: DateTime<Utc>,
    /// The folder in which a run would start, and the repository around it.
    pub place: Place,
    /// The home folder, which is shown as `~`.
    pub home: Option<PathBuf>,
    /// Whether we are the superuser.
    pub root: bool,
    /// Where the client's login may be somewhere else than in its files: the keychain of macOS.
    pub keychain: bool,
    /// The path by which this executable is registered.
    pub exe: String,
    /// The client.
    pub client: Client,
    /// Its settings.
    pub layers: Layers,
    /// What would be registered for this client.
    pub wanted: Vec<Wanted>,
    /// What the client was told once: `~/.claude.json`.
    pub told: Told,
    /// Its credentials.
    pub credentials: Credentials,
    /// The environment, with the `env` of the settings laid over it as the client does. Never printed.
    pub environment: BTreeMap<String, String>,
    /// What holds: switch, config, environment.
    pub policy: Policy,
    /// Our config file.
    pub config: ConfigFile,
    /// Our state folder.
    pub state: StateFolder,
    /// How many stalls were recorded in the last days, or why that is not known.
    pub stalls: Result<usize, String>,
    /// The executables that our entries name.
    pub programs: Vec<Program>,
    /// What the registered commands answered; `None` where they were not tried.
    pub trials: Option<Vec<Trial>>,
    /// The MCP servers; `None` where they are left out.
    pub mcp: Option<Mcp>,
    /// There is a controlling terminal.
    pub terminal: bool,
    /// `git` is on the PATH.
    pub git: bool,
}

/// The client.
#[derive(Debug, Clone)]
pub struct Client {
    /// Where it is, if it is.
    pub path: Option<PathBuf>,
    /// What it says of its version.
    pub version: Result<Version, String>,
}

/// What the client keeps of what it was told once.
pub struct Told {
    /// The file, if there is a place for it.
    pub file: Option<PathBuf>,
    /// What is in it; `Null` where it is absent.
    pub value: Value,
    /// Why it could not be read.
    pub trouble: Option<String>,
}

impl Told {
    /// The value at a path of keys; `Null` where there is none.
    pub fn at(&self, path: &[&str]) -> &Value {
        at(&self.value, path)
    }
}

/// The value at a path of keys; `Null` where there is none.
pub fn at<'v>(value: &'v Value, path: &[&str]) -> &'v Value {
    path.iter().try_fold(value, |value, key| value.get(key)).unwrap_or(&Value::Null)
}

/// What the client keeps of its login, without the tokens.
#[derive(Debug, Clone, Default)]
pub struct Credentials {
    /// A login with claude.ai is there.
    pub there: bool,
    /// When its access token ends.
    pub expires: Option<DateTime<Utc>>,
    /// It can be renewed without a person.
    pub renewable: bool,
    /// MCP servers of which a token is there, with what is known of it.
    pub servers: Vec<ServerToken>,
    /// Why they could not be read.
    pub trouble: Option<String>,
}

/// A token of an MCP server.
#[derive(Debug, Clone)]
pub struct ServerToken {
    /// The server's name.
    pub server: String,
    /// When it ends.
    pub expires: Option<DateTime<Utc>>,
    /// It can be renewed without a person.
    pub renewable: bool,
}

/// Our config file.
#[derive(Debug, Clone)]
pub struct ConfigFile {
    /// Where it is looked for.
    pub file: Option<PathBuf>,
    /// Its text; `None` where there is none, an error where it cannot be read.
    pub text: Result<Option<String>, String>,
    /// Why `notify.command` cannot be started, where it cannot.
    pub notify_trouble: Option<&'static str>,
}

/// Our state folder.
#[derive(Debug, Clone)]
pub struct StateFolder {
    /// Where it is, if there is a place for it.
    pub folder: Option<PathBuf>,
    /// What is there.
    pub kind: FolderKind,
    /// Its permission bits, where the system has any.
    pub mode: Option<u32>,
    /// Whether we may write in it, or in the folder in which it would be made.
    pub writable: bool,
    /// Room on its file system, in bytes.
    pub room: Option<u64>,
    /// The switch file is there and cannot be read.
    pub switch_trouble: Option<String>,
    /// What cannot be read where records and people's words are.
    pub odd: Vec<Odd>,
}

/// What is where the state folder should be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub enum FolderKind {
    Absent,
    Folder,
    Else,
}

/// An executable that an entry of ours names.
#[derive(Debug, Clone)]
pub struct Program {
    /// As it is named there.
    pub named: String,
    /// What `--version` says of ours: `0.1.0`; or why it does not.
    pub version: Result<String, String>,
}

/// A registered command, tried as the client would run it.
#[derive(Debug, Clone)]
pub struct Trial {
    /// `question` or `plan`.
    pub sample: Sample,
    /// The settings file that registers it.
    pub file: PathBuf,
    /// What came of it.
    pub result: TrialResult,
}

/// What a command is tried on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Sample {
    Question,
    Plan,
}

/// What came of a trial.
#[derive(Debug, Clone)]
pub enum TrialResult {
    /// It ran to its end.
    Ran {
        /// Its exit code; `None` for a signal.
        code: Option<i32>,
        /// What it wrote.
        stdout: String,
        /// What it complained of.
        stderr: String,
        /// How long that took.
        took: Duration,
    },
    /// It did not end within this time, and was ended.
    Hung(Duration),
    /// It did not start.
    NotStarted(String),
}

/// The MCP servers.
pub struct Mcp {
    /// What is configured.
    pub servers: Vec<Server>,
    /// What `claude mcp list` says.
    pub listing: Listing,
    /// Servers of which the client remembers that they needed a login.
    pub needed_login: Vec<String>,
    /// Config files named by the caller that cannot be read, and why.
    pub troubles: Vec<(String, String)>,
}

/// A configured MCP server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Server {
    /// Its name.
    pub name: String,
    /// Where it is configured, for people.
    pub from: String,
    /// A project's server that nobody has approved or rejected yet.
    pub pending: bool,
    /// It is turned off, or was rejected.
    pub disabled: bool,
}

/// What `claude mcp list` says.
pub enum Listing {
    /// It was not run, for this reason.
    NotRun(String),
    /// It ran to its end.
    Whole(String),
    /// It was ended at this limit; it had written so much.
    Cut(String, Duration),
}

impl Facts {
    /// A variable of the environment that a run would have, if it is not empty.
    pub fn variable(&self, name: &str) -> Option<&str> {
        self.environment.get(name).map(String::as_str).filter(|value| !value.is_empty())
    }

    /// The client's version, where it is known.
    pub fn version(&self) -> Option<Version> {
        self.client.version.as_ref().ok().copied()
    }

    /// The permission mode in which a session starts where its command line says none. Clients from 2.1.314 on start in
    /// `auto` where no setting says otherwise (2.1.314 and 2.1.332; 2.1.246 in `default`).
    pub fn mode(&self) -> String {
        let said = self.layers.value(&["permissions", "defaultMode"]).and_then(|(_, value)| value.as_str());
        let default =
            if self.version().is_none_or(|version| version >= Version(2, 1, 314)) { "auto" } else { "default" };
        said.unwrap_or(default).to_owned()
    }

    /// Whether the client takes the folder for trusted. In one that is not, nothing that its files name is run here.
    pub fn is_trusted(&self) -> bool {
        let accepted = |path: &Path| {
            *self.told.at(&["projects", path.to_string_lossy().as_ref(), "hasTrustDialogAccepted"]) == true
        };
        let project = |keys: &[&str]| {
            let own = self.layers.0.iter().filter(|layer| layer.scope == Scope::Project);
            own.filter_map(|layer| layer.value(keys)).any(|value| !is_empty(value))
        };
        let brings = Brings { rules: project(&["permissions", "allow"]), hooks: project(&["hooks"]) };
        trust::is_trusted(self.version(), &self.place, brings, accepted)
    }

    /// The settings files whose commands may be run here: not those of a folder that is not trusted.
    pub fn runnable(&self) -> impl Iterator<Item = &Layer> {
        let trusted = self.is_trusted();
        self.layers.0.iter().filter(move |layer| trusted || !matches!(layer.scope, Scope::Project | Scope::Local))
    }

    /// A path for people.
    pub fn shown(&self, path: &Path) -> String {
        match self.home.as_deref().and_then(|home| path.strip_prefix(home).ok()) {
            Some(rest) => format!("~/{}", rest.display()),
            None => path.display().to_string(),
        }
    }

    /// Whether sessions in a terminal are answered: then what stands still there is a failure. Else they are a person's,
    /// who is there to see it.
    pub fn terminals_are_answered(&self) -> bool {
        let surroundings =
            crate::switch::Surroundings { attended: Some("1".to_owned()), ..self.policy.surroundings.clone() };
        let switch = self.policy.switch.as_ref();
        crate::switch::resolve(&surroundings, switch, self.policy.config.default, self.now, || None).acts
    }
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Array(items) => items.is_empty(),
        Value::Object(items) => items.is_empty(),
        value => value.is_null(),
    }
}
