//! A throwaway home and project for one session, with the client's own gates (onboarding, trust, key, disclaimers)
//! passed beforehand, as they are on a machine in use. Never touches the real home.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

use crate::client::Client;

/// A dummy key in the form of a real one; nothing checks it.
const KEY: &str = "sk-ant-api03-scripted-0000000000000000000000000000000000000000";

/// What stands in `notes.txt` in the project: something to read.
pub const NOTES: &str = "The door is made of oak.";

/// A home folder, a project in it, and the environment that goes with them. Processes that were started with this home
/// end with the value, whoever started them.
pub struct Home {
    root: tempfile::TempDir,
    place: String,
    url: String,
    path: OsString,
}

impl Home {
    /// Makes the folders and the client's files in them.
    pub fn make(client: &Client, mode: &str) -> Result<Home> {
        let root = tempfile::Builder::new().prefix("real.").tempdir()?;
        let home = Home { root, place: "project".to_owned(), url: String::new(), path: client.search_path()? };
        std::fs::create_dir_all(home.folder().join(".claude/plans"))?;
        std::fs::create_dir_all(home.folder().join("bin"))?;
        std::fs::create_dir_all(home.project())?;
        std::fs::create_dir_all(home.temporary())?;
        std::fs::write(home.project().join("notes.txt"), format!("{NOTES}\n"))?;
        client.link(&home.folder().join("bin/claude"))?;
        home.write(".claude.json", &home.client_state())?;
        // A newer client asks at its start about `bypassPermissions` and `auto`; this is a person's yes given before.
        // The one to `auto` also changes what plan mode does, so it is given where it is needed only.
        let settings = match mode {
            "auto" => json!({"skipAutoPermissionPrompt": true}),
            _ => json!({"skipDangerousModePermissionPrompt": true}),
        };
        home.write(".claude/settings.json", &settings)?;
        Ok(home)
    }

    /// Says where the scripted API is.
    pub fn talk_to(&mut self, url: String) {
        self.url = url;
    }

    /// The home folder.
    pub fn folder(&self) -> PathBuf {
        self.root.path().join("home")
    }

    /// The project folder, where the client runs. It is no git repository: in one, a background session may write only
    /// after it has moved to a worktree.
    pub fn project(&self) -> PathBuf {
        self.folder().join(&self.place)
    }

    /// Makes another folder below the home the project, for the sessions from now on.
    pub fn move_to(&mut self, place: &str) -> Result<()> {
        place.clone_into(&mut self.place);
        Ok(std::fs::create_dir_all(self.project())?)
    }

    /// Where our state is for this home.
    pub fn state(&self) -> PathBuf {
        self.folder().join(".local/state/unattended")
    }

    /// Where the client puts what is temporary; short, as sockets go there.
    pub fn temporary(&self) -> PathBuf {
        self.root.path().join("t")
    }

    /// Writes a JSON file below the home.
    pub fn write(&self, name: &str, value: &Value) -> Result<()> {
        let path = self.folder().join(name);
        std::fs::write(&path, format!("{value:#}\n")).with_context(|| format!("cannot write {}", path.display()))
    }

    /// Reads a JSON file below the home.
    pub fn read(&self, name: &str) -> Result<Value> {
        Ok(serde_json::from_str(&std::fs::read_to_string(self.folder().join(name))?)?)
    }

    /// The whole environment of a session.
    pub fn environment(&self) -> Vec<(OsString, OsString)> {
        let mut path = OsString::from(self.folder().join("bin"));
        path.push(":");
        path.push(&self.path);
        let fixed = [
            ("ANTHROPIC_API_KEY", KEY),
            ("ANTHROPIC_BASE_URL", &self.url),
            ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1"),
            ("DISABLE_AUTOUPDATER", "1"),
            ("DISABLE_ERROR_REPORTING", "1"),
            ("DISABLE_TELEMETRY", "1"),
            ("IS_SANDBOX", "1"),
            ("LANG", "C.UTF-8"),
            ("SHELL", "/bin/bash"),
            ("TERM", "xterm-256color"),
            ("USER", "dev"),
        ];
        let mut all: Vec<(OsString, OsString)> = fixed.iter().map(|(k, v)| (k.into(), v.into())).collect();
        all.push(("HOME".into(), self.folder().into()));
        all.push(("PATH".into(), path));
        for variable in ["TMPDIR", "CLAUDE_CODE_TMPDIR"] {
            all.push((variable.into(), self.temporary().into()));
        }
        all
    }

    /// A command in the project with this environment and no input.
    pub fn command(&self, program: impl AsRef<std::ffi::OsStr>) -> Command {
        let mut command = Command::new(program);
        command.env_clear().envs(self.environment()).current_dir(self.project()).stdin(Stdio::null());
        command
    }

    /// Runs a command to its end; its output if it succeeded.
    pub fn run(&self, program: impl AsRef<std::ffi::OsStr>, args: &[&str]) -> Result<Output> {
        let output = self.command(program.as_ref()).args(args).output()?;
        if !output.status.success() {
            bail!(
                "`{} {}` failed ({}): {}{}",
                program.as_ref().to_string_lossy(),
                args.join(" "),
                output.status,
                String::from_utf8_lossy(&output.stdout),
                String::from_utf8_lossy(&output.stderr),
            );
        }
        Ok(output)
    }

    fn client_state(&self) -> Value {
        let project = self.project().display().to_string();
        let tail = KEY.get(KEY.len() - 20..).unwrap_or(KEY);
        json!({
            "hasCompletedOnboarding": true,
            "lastOnboardingVersion": "2.1.332",
            "theme": "dark",
            "numStartups": 20,
            "bypassPermissionsModeAccepted": true,
            "customApiKeyResponses": {"approved": [tail], "rejected": []},
            "projects": {project: {
                "hasTrustDialogAccepted": true,
                "hasCompletedProjectOnboarding": true,
                "projectOnboardingSeenCount": 5,
            }},
        })
    }
}

impl Drop for Home {
    fn drop(&mut self) {
        for _ in 0..20 {
            if end_processes_of(&self.folder()) == 0 {
                break;
            }
            std::thread::sleep(std::time::Duration::from_millis(25));
        }
    }
}

/// Ends each process whose environment has this home, and says how many there were. The folder's name is unique, so
/// that nothing else can be meant.
fn end_processes_of(home: &Path) -> usize {
    let wanted = [b"HOME=", home.as_os_str().as_encoded_bytes()].concat();
    let Ok(entries) = std::fs::read_dir("/proc") else { return 0 };
    let own = std::process::id();
    let mut ended = 0;
    for entry in entries.flatten() {
        let Some(pid) = entry.file_name().to_str().and_then(|name| name.parse::<u32>().ok()) else { continue };
        let Ok(environment) = std::fs::read(entry.path().join("environ")) else { continue };
        if pid == own || !environment.split(|byte| *byte == 0).any(|variable| variable == wanted) {
            continue;
        }
        if let Some(pid) = rustix::process::Pid::from_raw(pid as i32) {
            let _ = rustix::process::kill_process(pid, rustix::process::Signal::KILL);
            ended += 1;
        }
    }
    ended
}
