//! The plugin: its hooks are the template's, its version ours; its launcher starts the program wherever that is, and
//! where there is none gives the answers that the program itself would give unread.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod home;

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use home::{PROGRAM, payload};
use rstest::rstest;
use serde_json::Value;
use unattended::client::Version;
use unattended::config::Config;
use unattended::{guidance, reply};

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn json(file: &str) -> Value {
    serde_json::from_str(&fs::read_to_string(root().join(file)).unwrap()).unwrap()
}

/// A home with a copy of the plugin in it. Its `PATH` has what the launcher needs and no `unattended`.
struct Plugin {
    home: tempfile::TempDir,
    environment: Vec<(&'static str, String)>,
}

impl Plugin {
    /// Nothing says that somebody attends.
    fn new() -> Self {
        let home = tempfile::tempdir().unwrap();
        copy(&root().join("plugin"), &home.path().join("plugin"));
        Self { home, environment: Vec::new() }
    }

    fn with(mut self, variable: &'static str, value: &str) -> Self {
        self.environment.push((variable, value.to_owned()));
        self
    }

    fn path(&self) -> &Path {
        self.home.path()
    }

    /// The program at a place in the home.
    fn program_at(self, place: &str) -> Self {
        let place = self.path().join(place);
        fs::create_dir_all(place.parent().unwrap()).unwrap();
        copy(Path::new(PROGRAM), &place);
        self
    }

    fn switch(self, text: &str) -> Self {
        let state = self.path().join(".local/state/unattended");
        fs::create_dir_all(&state).unwrap();
        fs::write(state.join("switch.json"), text).unwrap();
        self
    }

    /// What the launcher answers as registered.
    fn answers(&self, registered: &str, payload: &str) -> String {
        let mut child = Command::new(self.path().join("plugin/hooks/unattended"))
            .args(["hook", "--plugin", "--for", registered])
            .env_clear()
            .envs([("HOME", self.path().to_str().unwrap()), ("PATH", "/usr/bin:/bin")])
            .env("CLAUDE_PLUGIN_ROOT", self.path().join("plugin"))
            .envs(self.environment.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // A launcher that does not read is no fault.
        let _ = child.stdin.take().unwrap().write_all(payload.as_bytes());
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{output:?}");
        assert!(output.stderr.is_empty(), "{output:?}");
        String::from_utf8(output.stdout).unwrap().trim_end().to_owned()
    }

    fn asked(&self) -> String {
        self.answers("PreToolUse:AskUserQuestion", &question())
    }

    fn recorded(&self) -> bool {
        self.path().join(".local/state/unattended/records").exists()
    }
}

/// By another process: an executable that is open for writing anywhere cannot be run.
fn copy(from: &Path, to: &Path) {
    assert!(Command::new("cp").arg("-R").args([from, to]).status().unwrap().success());
}

fn question() -> String {
    payload("2.1.332", "question-unanswered", "PreToolUse", "AskUserQuestion")
}

fn canned(event: &str, tool: Option<&str>) -> String {
    reply::canned(event, tool, &Config::default()).to_owned()
}

#[test]
fn its_hooks_are_the_templates_by_way_of_the_launcher() {
    let template = fs::read_to_string(root().join("hooks/hooks.json")).unwrap();
    let expected = template
        .replace("/bin/unattended\"", "/hooks/unattended\"")
        .replace(r#""args": ["hook", "#, r#""args": ["hook", "--plugin", "#);
    let file = root().join("plugin/hooks/hooks.json");
    if std::env::var_os("UPDATE_PLUGIN").is_some() {
        fs::write(&file, &expected).unwrap();
    }
    let written = fs::read_to_string(file).unwrap();
    assert_eq!(written, expected, "UPDATE_PLUGIN=1 cargo test --test plugin writes it anew");
    let hooks: Value = serde_json::from_str(&written).unwrap();
    for (event, groups) in hooks["hooks"].as_object().unwrap() {
        assert!(Version(2, 1, 139).knows(event), "the oldest client with plugins of this form refuses {event}");
        for hook in groups.as_array().unwrap().iter().flat_map(|group| group["hooks"].as_array().unwrap()) {
            assert_eq!(hook["command"], "${CLAUDE_PLUGIN_ROOT}/hooks/unattended");
            assert_eq!(hook["args"][1], "--plugin", "told apart from a registration in the settings");
        }
    }
}

#[test]
fn its_version_is_ours_and_the_marketplace_names_it() {
    let (plugin, market) = (json("plugin/.claude-plugin/plugin.json"), json(".claude-plugin/marketplace.json"));
    assert_eq!(plugin["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(plugin["description"], env!("CARGO_PKG_DESCRIPTION"));
    assert_eq!(market["plugins"][0]["name"], plugin["name"]);
    let source = market["plugins"][0]["source"].as_str().unwrap();
    assert!(root().join(source).join(".claude-plugin/plugin.json").exists());
}

#[rstest]
#[case::of_its_own("plugin/bin/unattended")]
#[case::in_the_home(".local/bin/unattended")]
#[case::of_cargo(".cargo/bin/unattended")]
fn the_program_answers_and_records_wherever_it_is(#[case] place: &str) {
    let plugin = Plugin::new().with("UNATTENDED", "on").program_at(place);
    let answer: Value = serde_json::from_str(&plugin.asked()).unwrap();
    let reason = answer["hookSpecificOutput"]["permissionDecisionReason"].as_str().unwrap();
    assert!(!canned("PreToolUse", Some("AskUserQuestion")).contains(reason), "not the canned one");
    assert!(plugin.recorded());
}

#[test]
fn the_program_on_the_path_answers() {
    let plugin = Plugin::new().program_at("elsewhere/unattended");
    let path = format!("{}:/usr/bin:/bin", plugin.path().join("elsewhere").display());
    let plugin = plugin.with("PATH", &path);
    assert!(plugin.asked().contains("deny"));
    assert!(plugin.recorded());
}

#[rstest]
#[case::nothing_says_who_attends(&[], true)]
#[case::nobody(&[("CLAUDE_CODE_SESSION_ATTENDED", "0"), ("CLAUDE_CODE_ENTRYPOINT", "cli")], true)]
#[case::a_person(&[("CLAUDE_CODE_SESSION_ATTENDED", "1"), ("CLAUDE_CODE_ENTRYPOINT", "cli")], false)]
#[case::an_sdk(&[("CLAUDE_CODE_ENTRYPOINT", "sdk-py")], true)]
#[case::a_terminal_of_an_older_client(&[("CLAUDE_CODE_ENTRYPOINT", "cli")], false)]
#[case::told_on(&[("UNATTENDED", "on"), ("CLAUDE_CODE_SESSION_ATTENDED", "1")], true)]
#[case::told_off(&[("UNATTENDED", "off"), ("CLAUDE_CODE_SESSION_ATTENDED", "0")], false)]
fn without_a_program_a_question_is_denied_where_nobody_attends(
    #[case] said: &[(&'static str, &str)],
    #[case] acts: bool,
) {
    let plugin = said.iter().fold(Plugin::new(), |plugin, (name, value)| plugin.with(name, value));
    let expected = if acts { canned("PreToolUse", Some("AskUserQuestion")) } else { String::new() };
    assert_eq!(plugin.asked(), expected);
    assert!(!plugin.recorded());
}

#[rstest]
#[case::on(r#"{"v":1,"switch":"on","since":"2026-01-01T00:00:00Z"}"#, "1", true)]
#[case::off(r#"{"v":1,"switch":"off","since":"2026-01-01T00:00:00Z"}"#, "0", false)]
#[case::on_and_not_over(
    r#"{"v":1,"switch":"on","since":"2026-01-01T00:00:00Z","until":"9026-01-01T00:00:00Z"}"#,
    "1",
    true
)]
#[case::on_and_over(
    r#"{"v":1,"switch":"on","since":"2020-01-01T00:00:00Z","until":"2020-01-02T00:00:00Z"}"#,
    "1",
    false
)]
#[case::off_and_over(
    r#"{"v":1,"switch":"off","since":"2020-01-01T00:00:00Z","until":"2020-01-02T00:00:00Z"}"#,
    "0",
    true
)]
#[case::cut_off(r#"{"v":1,"sw"#, "0", true)]
fn without_a_program_the_switch_still_counts(#[case] switch: &str, #[case] attended: &'static str, #[case] acts: bool) {
    let plugin = Plugin::new().switch(switch).with("CLAUDE_CODE_SESSION_ATTENDED", attended);
    assert_eq!(!plugin.asked().is_empty(), acts);
}

#[rstest]
#[case::a_tool("permission-asked", "Bash", "Bash")]
#[case::a_plan("plan", "ExitPlanMode", "ExitPlanMode")]
#[case::a_question("question", "AskUserQuestion", "AskUserQuestion")]
#[case::a_tool_whose_input_names_another(
    "hostile",
    r#"mcp__x__y","tool_input":{"tool_name":"ExitPlanMode"},"more":""#,
    "mcp__x__y"
)]
fn without_a_program_a_permission_gets_the_canned_answer(#[case] _name: &str, #[case] named: &str, #[case] tool: &str) {
    let payload = format!(
        r#"{{"session_id":"a","cwd":"/x","hook_event_name":"PermissionRequest","tool_name":"{named}","tool_input":{{}}}}"#
    );
    assert_eq!(Plugin::new().answers("PermissionRequest", &payload), canned("PermissionRequest", Some(tool)));
    assert_eq!(Plugin::new().answers("PermissionRequest", "broken"), canned("PermissionRequest", None));
}

#[test]
fn without_a_program_a_plan_that_went_through_is_labelled_and_a_form_is_cancelled() {
    let approved = payload("2.1.332", "plan-approved-by-hook", "PostToolUse", "ExitPlanMode");
    let answer: Value = serde_json::from_str(&Plugin::new().answers("PostToolUse", &approved)).unwrap();
    let label = answer["hookSpecificOutput"]["additionalContext"].as_str().unwrap();
    assert!(guidance::plan().starts_with(label), "{label}");
    let other = approved.replace("\"ExitPlanMode\"", "\"AskUserQuestion\"");
    assert_eq!(Plugin::new().answers("PostToolUse", &other), "");
    assert_eq!(Plugin::new().answers("Elicitation", "{}"), canned("Elicitation", None));
    for silent in ["Stop", "Notification", "SessionEnd", "PreToolUse:ExitPlanMode"] {
        assert_eq!(Plugin::new().answers(silent, "{}"), "", "{silent}");
    }
}

#[test]
fn without_a_program_every_session_is_told_so() {
    for attended in ["0", "1"] {
        let plugin = Plugin::new().with("CLAUDE_CODE_SESSION_ATTENDED", attended);
        let answer: Value = serde_json::from_str(&plugin.answers("SessionStart", "{}")).unwrap();
        assert!(answer["systemMessage"].as_str().unwrap().contains("the program is missing. Install it"), "{answer}");
    }
}

#[rstest]
#[case::for_another_machine("\u{7f}ELF\u{2}\u{1}\u{1}\0\0\0\0\0\0\0\0\0\u{2}\0\u{1}\0")]
#[case::that_fails("#!/bin/sh\nexit 3\n")]
#[case::that_is_empty_and_denied("")]
fn a_program_that_does_not_run_is_as_good_as_missing(#[case] content: &str) {
    let plugin = Plugin::new();
    let bin = plugin.path().join("plugin/bin");
    fs::create_dir(&bin).unwrap();
    let text = plugin.path().join("text");
    fs::write(&text, content).unwrap();
    copy(&text, &bin.join("unattended"));
    if !content.is_empty() {
        assert!(Command::new("chmod").arg("755").arg(bin.join("unattended")).status().unwrap().success());
    }
    assert_eq!(plugin.asked(), canned("PreToolUse", Some("AskUserQuestion")));
}
