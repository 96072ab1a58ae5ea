//! A home of a test's own: a folder with state and config, and the built program run in an environment that holds
//! nothing but what the test says.
#![allow(dead_code, reason = "each test target uses its part of it")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;
use tempfile::TempDir;

pub(crate) const PROGRAM: &str = env!("CARGO_BIN_EXE_unattended");

/// The folder with the payloads that real clients sent.
pub(crate) fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures")
}

/// The payloads of one recorded session.
pub(crate) fn recorded(version: &str, case: &str) -> Vec<String> {
    let file = fixtures().join(version).join(format!("{case}.jsonl"));
    let text = fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    text.lines().map(str::to_owned).collect()
}

/// The one payload of a recorded session for this event and tool.
pub(crate) fn payload(version: &str, case: &str, event: &str, tool: &str) -> String {
    let found = recorded(version, case).into_iter().find(|line| {
        let payload: Value = serde_json::from_str(line).unwrap();
        payload["hook_event_name"] == event && (tool.is_empty() || payload["tool_name"] == tool)
    });
    found.unwrap_or_else(|| panic!("{version}/{case} has no {event} of {tool}"))
}

pub(crate) struct Home {
    folder: TempDir,
    environment: Vec<(String, String)>,
}

impl Home {
    pub(crate) fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap(), environment: Vec::new() }
    }

    /// A home in whose sessions dialogs are answered.
    pub(crate) fn on() -> Self {
        Self::new().with("UNATTENDED", "on")
    }

    pub(crate) fn with(mut self, variable: &str, value: &str) -> Self {
        self.environment.retain(|(name, _)| name != variable);
        self.environment.push((variable.to_owned(), value.to_owned()));
        self
    }

    pub(crate) fn config(self, text: &str) -> Self {
        fs::create_dir_all(self.path().join(".config/unattended")).unwrap();
        fs::write(self.path().join(".config/unattended/config.toml"), text).unwrap();
        self
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn state(&self) -> PathBuf {
        self.path().join(".local/state/unattended")
    }

    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(PROGRAM);
        command.args(args).env_clear().env("HOME", self.path()).env("PATH", "/usr/bin:/bin").current_dir(self.path());
        command.envs(self.environment.iter().map(|(name, value)| (name, value)));
        command
    }

    /// The same as an account that the system does not know and nothing but what the test says set: there is no home to be
    /// found. With HOME merely unset, the folder of the account that runs the tests would be, and written to. `None`, which
    /// is said, where only root could do that.
    pub(crate) fn homeless(&self, args: &[&str]) -> Option<Command> {
        if !rustix::process::geteuid().is_root() {
            // Past the capture of a test's output, so that CI prints it.
            let _ = writeln!(std::io::stderr(), "SKIPPED: only root can run a program as an unknown account");
            return None;
        }
        fs::set_permissions(self.path(), PermissionsExt::from_mode(0o755)).unwrap();
        let program = self.path().join("unattended");
        assert!(Command::new("cp").arg(PROGRAM).arg(&program).status().unwrap().success());
        let mut command = Command::new(&program);
        command.args(args).env_clear().uid(54_321).gid(54_321).current_dir("/");
        command.envs(self.environment.iter().map(|(name, value)| (name, value)));
        Some(command)
    }

    pub(crate) fn run(&self, args: &[&str]) -> Output {
        self.command(args).stdin(Stdio::null()).output().unwrap()
    }

    /// What a verb prints; it must succeed.
    pub(crate) fn says(&self, args: &[&str]) -> String {
        let output = self.run(args);
        assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    pub(crate) fn pipe(&self, args: &[&str], input: &[u8]) -> Output {
        let mut child =
            self.command(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let _ = child.stdin.take().unwrap().write_all(input);
        child.wait_with_output().unwrap()
    }

    /// What the hook answers; it must exit with 0.
    pub(crate) fn hook(&self, payload: &str) -> Option<Value> {
        self.hook_bytes(&["hook"], payload.as_bytes()).map(|bytes| serde_json::from_slice(&bytes).unwrap())
    }

    pub(crate) fn hook_bytes(&self, args: &[&str], payload: &[u8]) -> Option<Vec<u8>> {
        let output = self.pipe(args, payload);
        assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
        (!output.stdout.is_empty()).then_some(output.stdout)
    }

    /// All records, in the order in which they were written.
    pub(crate) fn records(&self) -> Vec<Value> {
        let Ok(folder) = fs::read_dir(self.state().join("records")) else { return Vec::new() };
        let mut files: Vec<_> = folder.map(|entry| entry.unwrap().path()).collect();
        files.sort();
        files
            .iter()
            .flat_map(|file| fs::read_to_string(file).unwrap().lines().map(str::to_owned).collect::<Vec<_>>())
            .map(|line| serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}")))
            .collect()
    }

    /// The newest record.
    pub(crate) fn last_record(&self) -> Value {
        self.records().pop().expect("there is a record")
    }
}

/// What a denial tells the model, whichever hook it is of.
pub(crate) fn denial(answer: &Value) -> &str {
    let specific = &answer["hookSpecificOutput"];
    let (decision, message) = match specific["hookEventName"].as_str() {
        Some("PreToolUse") => (&specific["permissionDecision"], &specific["permissionDecisionReason"]),
        _ => (&specific["decision"]["behavior"], &specific["decision"]["message"]),
    };
    assert_eq!(decision, "deny", "{answer}");
    message.as_str().unwrap()
}
