//! `install` and `uninstall` on the disk: what hook installers are hated for does not happen, and what cannot be done is
//! said.

#![cfg(unix)]
#![allow(unreachable_pub, clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

#[path = "settings/home.rs"]
#[allow(dead_code, reason = "shared by several tests")]
mod home;

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::Path;

use home::Home;
use rstest::rstest;
use serde_json::{Value, json};

const NEWEST: [&str; 3] = ["install", "--client-version", "2.1.332"];

fn settings(home: &Home) -> Value {
    serde_json::from_slice(&home.read()).unwrap()
}

/// The entries of ours for an event.
fn entries(home: &Home, event: &str) -> Vec<Value> {
    let settings = settings(home);
    let groups = settings["hooks"][event].as_array().cloned().unwrap_or_default();
    let entries = groups.iter().flat_map(|group| group["hooks"].as_array().cloned().unwrap_or_default());
    entries.filter(|entry| entry["command"].as_str().is_some_and(|command| command.contains("/unattended"))).collect()
}

#[test]
fn without_a_file_one_is_made_and_uninstall_leaves_none() {
    let home = Home::new();
    let run = home.ok(&NEWEST);
    assert_eq!(
        run.stdout,
        "The hooks are in ~/.claude/settings.json, read back and checked:\n  \
         PreToolUse, PermissionRequest, PostToolUse, PermissionDenied, Elicitation,\n  \
         Notification, Stop, StopFailure, SessionStart, SubagentStart, SessionEnd\n\
         These are the events that Claude Code 2.1.332 knows (as said).\n\
         To undo: unattended uninstall\n"
    );
    assert_eq!(run.stderr, "");
    assert_eq!(fs::metadata(home.settings()).unwrap().mode() & 0o777, 0o600);
    let run = home.ok(&["uninstall"]);
    assert!(run.stdout.starts_with("~/.claude/settings.json is gone: "), "{run:?}");
    assert!(!home.path(".claude").exists());
    assert_eq!(home.files(), [".local/state/unattended/install.json"]);
    assert!(home.ok(&["uninstall"]).stdout.starts_with("Nothing to do"));
}

#[test]
fn a_file_that_somebody_filled_meanwhile_stays() {
    let home = Home::new();
    home.ok(&NEWEST);
    let text = home.text().replacen('{', "{\n  \"model\": \"opus\",", 1);
    fs::write(home.settings(), text).unwrap();
    home.ok(&["uninstall"]);
    assert_eq!(settings(&home), json!({"model": "opus"}));
}

#[test]
fn an_empty_file_of_the_users_own_stays_though_install_once_made_one_there() {
    let home = Home::new();
    home.ok(&NEWEST);
    fs::write(home.settings(), "").unwrap();
    home.ok(&NEWEST);
    home.ok(&["uninstall"]);
    assert_eq!(home.text(), "");
}

#[test]
fn the_registered_hooks_are_the_template_with_this_executable() {
    let home = Home::new();
    home.ok(&NEWEST);
    let template = include_str!("../hooks/hooks.json");
    let exe = env!("CARGO_BIN_EXE_unattended");
    let wanted: Value = serde_json::from_str(&template.replace("${CLAUDE_PLUGIN_ROOT}/bin/unattended", exe)).unwrap();
    assert_eq!(settings(&home), wanted);
}

#[test]
fn the_first_file_is_backed_up_once_by_name_and_for_its_owner_alone() {
    let home = Home::with("{\"env\": {\"KEY\": \"secret\"}}\n");
    let run = home.ok(&NEWEST);
    let line = run.stdout.lines().find(|line| line.starts_with("The file as it was: ")).unwrap();
    let backup = home.path(line.strip_prefix("The file as it was: ~/").unwrap());
    assert_eq!(fs::read_to_string(&backup).unwrap(), "{\"env\": {\"KEY\": \"secret\"}}\n");
    for (path, mode) in [(backup.as_path(), 0o600), (backup.parent().unwrap(), 0o700)] {
        assert_eq!(fs::metadata(path).unwrap().mode() & 0o777, mode);
    }
    assert_eq!(fs::metadata(home.path(".local/state/unattended")).unwrap().mode() & 0o777, 0o700);
    home.ok(&["uninstall"]);
    fs::write(home.settings(), "{}").unwrap();
    assert!(!home.ok(&NEWEST).stdout.contains("The file as it was"));
    assert_eq!(fs::read_dir(backup.parent().unwrap()).unwrap().count(), 1);
}

#[test]
fn a_second_install_says_so_and_writes_nothing() {
    let home = Home::with("{}");
    home.ok(&NEWEST);
    let before = fs::metadata(home.settings()).unwrap();
    let run = home.ok(&NEWEST);
    assert!(run.stdout.starts_with("Nothing to do: the hooks are in ~/.claude/settings.json already.\n"), "{run:?}");
    let after = fs::metadata(home.settings()).unwrap();
    assert_eq!((before.ino(), before.mtime_nsec()), (after.ino(), after.mtime_nsec()));
}

#[test]
fn a_symlink_stays_one_and_the_file_behind_it_keeps_its_mode() {
    let home = Home::new();
    fs::create_dir_all(home.path(".claude")).unwrap();
    fs::create_dir(home.path("dotfiles")).unwrap();
    let real = home.path("dotfiles/claude.json");
    fs::write(&real, "{\"a\": 1}\n").unwrap();
    fs::set_permissions(&real, fs::Permissions::from_mode(0o640)).unwrap();
    symlink("../dotfiles/claude.json", home.settings()).unwrap();
    home.ok(&NEWEST);
    assert_eq!(fs::read_link(home.settings()).unwrap(), Path::new("../dotfiles/claude.json"));
    assert!(fs::read_to_string(&real).unwrap().contains("unattended"));
    assert_eq!(fs::metadata(&real).unwrap().mode() & 0o777, 0o640);
    // By its other name it is the same file, with the same memory.
    home.ok(&["uninstall", "--settings", "dotfiles/claude.json"]);
    assert_eq!(home.text(), "{\"a\": 1}\n");
}

#[test]
fn a_dangling_symlink_gets_its_file_and_loses_it_again() {
    let home = Home::new();
    fs::create_dir_all(home.path(".claude")).unwrap();
    symlink("later.json", home.settings()).unwrap();
    home.ok(&NEWEST);
    assert!(home.path(".claude/later.json").is_file());
    home.ok(&["uninstall"]);
    assert!(home.settings().is_symlink() && !home.path(".claude/later.json").exists());
}

#[test]
fn foreign_hooks_in_the_same_group_stay_when_ours_was_moved_there() {
    let home =
        Home::with("{\"hooks\": {\"Stop\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"say done\"}]}]}}");
    home.ok(&NEWEST);
    let mut value = settings(&home);
    let stop = value["hooks"]["Stop"].as_array_mut().unwrap();
    let ours = stop.pop().unwrap()["hooks"][0].clone();
    stop[0]["hooks"].as_array_mut().unwrap().insert(0, ours);
    fs::write(home.settings(), value.to_string()).unwrap();
    assert!(home.ok(&NEWEST).stdout.starts_with("Nothing to do"), "it is found where it is, and not added again");
    home.ok(&["uninstall"]);
    let want = json!({"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "say done"}]}]}});
    assert_eq!(settings(&home), want);
}

#[test]
fn moved_into_a_group_that_would_not_call_it_it_comes_back_out() {
    let home = Home::new();
    home.ok(&NEWEST);
    let mut value = settings(&home);
    let groups = value["hooks"]["PreToolUse"].as_array_mut().unwrap();
    let ours = groups.remove(0)["hooks"][0].clone();
    groups.push(json!({"matcher": "Bash", "hooks": [{"type": "command", "command": "check"}, ours]}));
    fs::write(home.settings(), value.to_string()).unwrap();
    home.ok(&NEWEST);
    let groups = settings(&home)["hooks"]["PreToolUse"].clone();
    assert_eq!(groups[1], json!({"matcher": "Bash", "hooks": [{"type": "command", "command": "check"}]}));
    assert_eq!(groups[2]["matcher"], "^(AskUserQuestion|mcp__.*__AskUserQuestion)$");
    assert_eq!(entries(&home, "PreToolUse").len(), 2);
}

#[rstest]
#[case::of_an_exec_form(
    "{\"type\": \"command\", \"command\": \"/old/unattended\", \"args\": [\"hook\", \"--for\", \"Stop\"]}"
)]
#[case::of_a_shell_form("{\"type\": \"command\", \"command\": \"'/o d/unattended' hook --for Stop\", \"timeout\": 30}")]
#[case::of_a_client_that_drops_keys("{\"command\": \"/old/bin/unattended\", \"type\": \"command\"}")]
fn an_entry_of_a_binary_that_moved_is_repaired_in_place(#[case] entry: &str) {
    let group = |entry: &str| format!("{{\"hooks\": {{\"Stop\": [{{\"x\": 1, \"hooks\": [{entry}]}}]}}}}");
    let home = Home::with(group(entry));
    home.ok(&NEWEST);
    let stop = settings(&home)["hooks"]["Stop"].clone();
    assert_eq!((stop.as_array().unwrap().len(), &stop[0]["x"]), (1, &json!(1)), "{stop}");
    let want = json!({
        "type": "command", "command": env!("CARGO_BIN_EXE_unattended"), "args": ["hook", "--for", "Stop"], "timeout": 30
    });
    assert_eq!(stop[0]["hooks"], json!([want]));
}

#[test]
fn what_is_there_twice_or_no_longer_wanted_goes() {
    let ours = "{\"hooks\": [{\"type\": \"command\", \"command\": \"/old/unattended\", \"args\": [\"hook\"]}]}";
    let home = Home::with(format!("{{\"hooks\": {{\"Stop\": [{ours}, {ours}], \"SubagentStop\": [{ours}]}}}}"));
    home.ok(&NEWEST);
    assert_eq!(entries(&home, "Stop").len(), 1);
    assert_eq!(settings(&home)["hooks"].get("SubagentStop"), None);
}

#[rstest]
#[case::shorter("", "5", 5)]
#[case::longer("", "600", 600)]
#[case::enough_for_the_wait("[questions]\nwait = \"5m\"\n", "400", 400)]
#[case::too_short_for_the_wait("[questions]\nwait = \"5m\"\n", "30", 330)]
#[case::no_number("", "\"soon\"", 30)]
#[case::nothing("", "0", 30)]
fn a_timeout_the_user_changed_stays_but_never_below_what_the_waits_need(
    #[case] config: &str,
    #[case] timeout: &str,
    #[case] want: u64,
) {
    let home = Home::new();
    fs::create_dir_all(home.path(".config/unattended")).unwrap();
    home.ok(&NEWEST);
    let text = home.text().replacen("\"timeout\": 30", &format!("\"timeout\": {timeout}"), 1);
    fs::write(home.settings(), text).unwrap();
    fs::write(home.path(".config/unattended/config.toml"), config).unwrap();
    home.ok(&NEWEST);
    assert_eq!(entries(&home, "PreToolUse")[0]["timeout"], json!(want));
}

#[rstest]
#[case("2.0.44", 7, false)]
#[case("2.0.77", 8, false)]
#[case("2.1.76", 9, false)]
#[case("2.1.88", 10, false)]
#[case("2.1.138", 11, false)]
#[case("2.1.139", 11, true)]
fn a_client_gets_the_events_and_the_form_that_it_knows(
    #[case] version: &str,
    #[case] events: usize,
    #[case] exec: bool,
) {
    let home = Home::new();
    home.ok(&["install", "--client-version", version]);
    assert_eq!(settings(&home)["hooks"].as_object().unwrap().len(), events);
    let entry = &entries(&home, "Stop")[0];
    let exe = env!("CARGO_BIN_EXE_unattended");
    if exec {
        assert_eq!((&entry["command"], &entry["args"]), (&json!(exe), &json!(["hook", "--for", "Stop"])));
    } else {
        assert_eq!(*entry, json!({"type": "command", "command": format!("{exe} hook --for Stop"), "timeout": 30}));
    }
}

/// Copies a file that is to be run. Another process does it: what this one has open for writing, a test beside may hand
/// to a child of its own, and a file that someone has open for writing cannot be run ("Text file busy").
fn copy_executable(from: &Path, to: &Path) {
    assert!(std::process::Command::new("cp").args([from, to]).status().unwrap().success());
}

#[rstest]
#[case(&["--settings", "other.json"])]
#[case(&["--scope", "project"])]
#[case(&["--scope", "local"])]
fn the_undo_that_is_named_takes_the_hooks_out_of_that_very_file(#[case] place: &[&str]) {
    let home = Home::new();
    let run = home.ok(&[&NEWEST[..], place].concat());
    let undo = run.stdout.lines().find_map(|line| line.strip_prefix("To undo: unattended ")).unwrap();
    let undone = home.ok(&undo.split(' ').collect::<Vec<_>>());
    assert!(undone.stdout.contains("is gone: install had made it"), "{undone:?}");
}

fn put_client(home: &Home, path: &str, script: &str) {
    let file = home.path(path);
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    let text = file.with_extension("text");
    fs::write(&text, format!("#!/bin/sh\n{script}\n")).unwrap();
    copy_executable(&text, &file);
    fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn the_client_on_the_path_is_asked_for_its_version() {
    let home = Home::new();
    put_client(&home, "bin/claude", "[ \"$*\" = --version ] && echo '2.1.80 (Claude Code)'");
    let run = home.ok(&["install"]);
    assert!(run.stdout.contains("the events that Claude Code 2.1.80 knows (~/bin/claude)"), "{run:?}");
    assert_eq!(settings(&home)["hooks"].as_object().unwrap().len(), 10);
}

#[rstest]
#[case::there_is_none(None, "no claude on PATH")]
#[case::it_fails(Some("exit 3"), "~/bin/claude: it says nothing")]
fn without_a_version_only_what_every_client_knows_is_added_and_it_is_said(
    #[case] script: Option<&str>,
    #[case] why: &str,
) {
    let home = Home::new();
    if let Some(script) = script {
        put_client(&home, "bin/claude", script);
    }
    let run = home.ok(&["install"]);
    assert!(run.stdout.contains(&format!("The client's version is not known ({why}).")), "{run:?}");
    assert_eq!(settings(&home)["hooks"].as_object().unwrap().len(), 8);
    assert!(run.stdout.lines().all(|line| line.len() <= 80), "{run:?}");
    // What an install that knew the version had added stays.
    home.ok(&NEWEST);
    home.ok(&["install"]);
    assert_eq!(settings(&home)["hooks"].as_object().unwrap().len(), 11);
}

#[test]
fn a_path_that_a_shell_would_split_is_quoted_where_a_shell_may_read_it() {
    let home = Home::new();
    let exe = home.path("my tools/unattended");
    fs::create_dir(home.path("my tools")).unwrap();
    copy_executable(Path::new(env!("CARGO_BIN_EXE_unattended")), &exe);
    let run = |args: &[&str]| {
        let mut command = std::process::Command::new(&exe);
        home.prepare(command.args(args));
        assert!(command.status().unwrap().success());
    };
    run(&["install"]);
    let line = format!("'{}' hook --for Stop", exe.display());
    assert_eq!(entries(&home, "Stop")[0]["command"], json!(line));
    run(&["install", "--client-version", "2.1.332"]);
    assert_eq!(entries(&home, "Stop")[0]["command"], json!(exe));
    run(&["uninstall"]);
    assert!(!home.settings().exists());
}

#[test]
fn a_link_that_outlives_versions_is_registered_rather_than_what_it_leads_to() {
    let home = Home::new();
    fs::create_dir(home.path("bin")).unwrap();
    let link = home.path("bin/unattended");
    symlink(env!("CARGO_BIN_EXE_unattended"), &link).unwrap();
    let mut command = std::process::Command::new("unattended");
    home.prepare(command.args(NEWEST));
    // Found on the PATH of the child.
    assert!(command.status().unwrap().success());
    assert_eq!(entries(&home, "Stop")[0]["command"], json!(link));
}

#[rstest]
#[case(&["--scope", "user"], ".claude/settings.json")]
#[case(&["--scope", "project"], "project/.claude/settings.json")]
#[case(&["--scope", "local"], "project/.claude/settings.local.json")]
#[case(&["--settings", "other.json"], "project/other.json")]
fn each_scope_has_its_file(#[case] args: &[&str], #[case] file: &str) {
    let home = Home::new();
    fs::create_dir(home.path("project")).unwrap();
    let run = |verb: &str| {
        let mut command = home.command(&[verb]);
        command.args(args).current_dir(home.path("project")).output().unwrap()
    };
    let output = run("install");
    assert!(output.status.success(), "{output:?}");
    assert!(home.path(file).is_file(), "{:?}", home.files());
    let note = String::from_utf8(output.stderr).unwrap();
    assert_eq!(note.contains("this file is shared"), args[1] == "project", "{note}");
    assert!(run("uninstall").status.success());
    assert_eq!(home.files(), [".local/state/unattended/install.json"]);
}

#[test]
fn the_clients_own_folder_can_be_elsewhere() {
    let home = Home::new();
    let status = home.command(&NEWEST).env("CLAUDE_CONFIG_DIR", home.path("cfg")).status().unwrap();
    assert!(status.success() && home.path("cfg/settings.json").is_file() && !home.path(".claude").exists());
}

#[test]
fn a_dry_run_shows_a_diff_and_touches_nothing() {
    let home = Home::with("{\n  \"model\": \"opus\"\n}\n");
    let run = home.ok(&["install", "--dry-run", "--client-version", "2.1.332"]);
    let head = "--- ~/.claude/settings.json\n+++ ~/.claude/settings.json\n@@ -1,3 +1,";
    assert!(run.stdout.starts_with(head), "{run:?}");
    assert!(run.stdout.contains("\n-  \"model\": \"opus\"\n+  \"model\": \"opus\",\n+  \"hooks\": {\n"), "{run:?}");
    assert_eq!(home.files(), [".claude/settings.json"]);
    home.ok(&NEWEST);
    let before = home.text();
    let run = home.ok(&["uninstall", "--dry-run"]);
    assert!(run.stdout.contains("\n-  \"hooks\": {\n"), "{run:?}");
    assert_eq!(home.text(), before);
    let run = home.ok(&["install", "--dry-run", "--client-version", "2.1.332"]);
    assert_eq!((run.stdout.as_str(), run.stderr.as_str()), ("", "~/.claude/settings.json would not change\n"));
}

#[test]
fn print_gives_the_hooks_alone_as_settings() {
    let home = Home::new();
    let run = home.ok(&["install", "--print", "--client-version", "2.1.332"]);
    assert_eq!(home.files(), Vec::<String>::new());
    let printed: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(printed.as_object().unwrap().keys().collect::<Vec<_>>(), ["hooks"]);
    home.ok(&NEWEST);
    assert_eq!(printed.to_string().replace("[EXE]", env!("CARGO_BIN_EXE_unattended")), settings(&home).to_string());
}

#[test]
fn hooks_switched_off_in_the_same_file_are_pointed_out() {
    let home = Home::with("{\"disableAllHooks\": true}");
    assert!(home.ok(&NEWEST).stderr.contains("note: disableAllHooks is true in this file"));
}

#[test]
fn a_broken_memory_is_said_and_does_not_stop_the_work() {
    let home = Home::with("{\"hooks\": {}}");
    home.ok(&NEWEST);
    fs::write(home.path(".local/state/unattended/install.json"), "{").unwrap();
    let run = home.ok(&["uninstall"]);
    assert!(run.stderr.starts_with("note: ~/.local/state/unattended/install.json cannot be read ("), "{run:?}");
    assert_eq!(home.text(), "{}");
}

/// What keeps a file from being changed, as the way to bring it about, with the message.
#[rstest]
#[case::read_only_file("chmod 444 .claude/settings.json", "~/.claude/settings.json is read-only; it was left as it is")]
#[case::a_folder(
    "rm .claude/settings.json; mkdir .claude/settings.json",
    "~/.claude/settings.json is not a regular file"
)]
#[case::a_pipe(
    "rm .claude/settings.json; mkfifo .claude/settings.json",
    "~/.claude/settings.json is not a regular file"
)]
#[case::a_circle(
    "rm .claude/settings.json; ln -s settings.json .claude/settings.json",
    "~/.claude/settings.json cannot be reached: too many symlinks, one leading to the next"
)]
#[case::a_file_for_a_folder(
    "rm -r .claude; touch .claude",
    "~/.claude/settings.json cannot be reached: Not a directory"
)]
#[case::no_folder_for_the_state("mkdir -p .local; touch .local/state", "~/.local/state/unattended cannot be written: ")]
fn what_cannot_be_changed_is_refused(#[case] how: &str, #[case] message: &str) {
    let home = Home::with("{\"a\": 1}");
    let done = std::process::Command::new("sh").args(["-c", how]).current_dir(home.path("")).status().unwrap();
    assert!(done.success());
    let before = home.files();
    let run = home.run(&NEWEST);
    assert_eq!(run.code, Some(1), "{run:?}");
    assert!(run.stderr.starts_with(&format!("error: {message}")), "{run:?}");
    assert!(run.stderr.contains("\nhint: "), "{run:?}");
    let mut after = home.files();
    after.retain(|file| !file.starts_with(".local/state/unattended/"));
    assert_eq!(after, before);
}

/// root may write anywhere: as root the run is another user's.
#[rstest]
#[case::in_the_folder(0o555, "~/.claude/settings.json cannot be written in ~/.claude: ")]
#[case::not_even_read(0o000, "~/.claude/settings.json cannot be reached: ")]
fn a_folder_in_which_one_may_not_write_is_refused(#[case] mode: u32, #[case] message: &str) {
    use std::os::unix::process::CommandExt;
    let home = Home::with("{\"a\": 1}");
    let exe = home.path("unattended");
    copy_executable(Path::new(env!("CARGO_BIN_EXE_unattended")), &exe);
    let mut command = std::process::Command::new(exe);
    home.prepare(command.args(NEWEST));
    if fs::metadata(home.path("")).unwrap().uid() == 0 {
        for path in ["", ".claude", ".claude/settings.json"] {
            std::os::unix::fs::chown(home.path(path), Some(65534), Some(65534)).unwrap();
        }
        command.uid(65534).gid(65534);
    }
    fs::set_permissions(home.path(".claude"), fs::Permissions::from_mode(mode)).unwrap();
    let output = command.output().unwrap();
    fs::set_permissions(home.path(".claude"), fs::Permissions::from_mode(0o755)).unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{stderr}");
    assert!(stderr.starts_with(&format!("error: {message}")), "{stderr}");
    assert_eq!(home.text(), "{\"a\": 1}");
    let ours = home.files().into_iter().filter(|file| file.starts_with(".claude/")).collect::<Vec<_>>();
    assert_eq!(ours, [".claude/settings.json"]);
}

#[rstest]
#[case(&["install", "--client-version", "new"], "error: invalid value 'new' for '--client-version <X.Y.Z>'")]
#[case(&["install", "--scope", "user", "--settings", "x"], "error: the argument '--scope <SCOPE>' cannot be used with '--settings")]
#[case(&["install", "--print", "--dry-run"], "error: the argument '--print' cannot be used with '--dry-run'")]
fn a_wrong_use_exits_with_2(#[case] args: &[&str], #[case] message: &str) {
    let run = Home::new().run(args);
    assert_eq!(run.code, Some(2), "{run:?}");
    assert!(run.stderr.starts_with(message), "{run:?}");
}

#[test]
fn a_client_that_was_named_and_says_no_version_is_an_error() {
    let home = Home::new();
    let run = home.run(&["install", "--client", "/dev/null"]);
    assert_eq!(run.code, Some(1), "{run:?}");
    assert!(run.stderr.starts_with("error: the version of /dev/null cannot be had: it does not start: "), "{run:?}");
    assert_eq!(home.files(), Vec::<String>::new());
}

#[test]
fn on_turns_the_switch_on_as_well_and_only_after_the_hooks_are_in() {
    let home = Home::with("[]");
    assert_eq!(home.run(&["install", "--on"]).code, Some(1));
    assert_eq!(home.files(), [".claude/settings.json"]);
    fs::write(home.settings(), "{}").unwrap();
    let run = home.ok(&["install", "--on"]);
    assert!(run.stdout.ends_with("The switch is on: dialogs are answered without you, in every session.\n"), "{run:?}");
    let switch: Value =
        serde_json::from_slice(&fs::read(home.path(".local/state/unattended/switch.json")).unwrap()).unwrap();
    assert_eq!(switch["switch"], "on");
}
