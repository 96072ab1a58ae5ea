//! `unattended doctor` as a person runs it, with a stand-in for the client: what it says, what it leaves on the disk, and
//! that nothing of it stays behind.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

mod home;

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use home::{Home, PROGRAM};
use rstest::rstest;
use serde_json::{Value, json};

/// No output may have it, wherever it is planted.
const SECRET: &str = "sk-ant-oat01-planted0123456789";

struct Machine {
    home: Home,
}

impl Machine {
    /// A machine with a client of this version, which was set up once; our hooks are not installed yet.
    fn new(version: &str) -> Machine {
        let home = Home::new();
        let bin = home.path().join("bin");
        let folder = home.path().canonicalize().unwrap().display().to_string();
        let home = home
            .with("PATH", &format!("{}:/usr/bin:/bin", bin.display()))
            .with("GIT_TERMINAL_PROMPT", "0")
            .with("GIT_SSH_COMMAND", "ssh -o BatchMode=yes")
            .with("IS_SANDBOX", "1")
            .with("ANTHROPIC_AUTH_TOKEN", SECRET);
        let machine = Machine { home };
        machine.write(".claude/settings.json", &json!({"permissions": {"defaultMode": "acceptEdits"}}).to_string());
        machine.write(
            ".claude.json",
            &json!({"hasCompletedOnboarding": true, "projects": {folder: {"hasTrustDialogAccepted": true}}})
                .to_string(),
        );
        machine.write("listing", "No MCP servers configured. Use `claude mcp add` to add a server.\n");
        machine.executable(
            "bin/claude",
            &format!(
                r#"#!/bin/sh
case "$*" in
--version) echo '{version} (Claude Code)' ;;
'mcp list')
    echo $$ > "$HOME/pid"
    ls -la "$CLAUDE_CONFIG_DIR" > "$HOME/copied"
    cat "$CLAUDE_CONFIG_DIR"/.*.json "$CLAUDE_CONFIG_DIR"/*.json > "$HOME/copy" 2>/dev/null
    echo '{{}}' > "$CLAUDE_CONFIG_DIR/mcp-needs-auth-cache.json"
    echo changed > "$CLAUDE_CONFIG_DIR/.credentials.json"
    if [ -e "$HOME/hang" ]; then sleep 1000 & echo $! >> "$HOME/pid"; wait; fi
    cat "$HOME/listing" ;;
*) exit 64 ;;
esac
"#
            ),
        );
        machine
    }

    /// The same, with our hooks installed.
    fn wired(version: &str) -> Machine {
        let machine = Machine::new(version);
        machine.home.says(&["install"]);
        machine
    }

    fn path(&self, name: &str) -> PathBuf {
        self.home.path().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        fs::create_dir_all(self.path(name).parent().unwrap()).unwrap();
        fs::write(self.path(name), text).unwrap();
    }

    /// Put in place by another process: a file that somebody has open for writing cannot be run.
    fn executable(&self, name: &str, text: &str) {
        self.write("text", text);
        fs::create_dir_all(self.path(name).parent().unwrap()).unwrap();
        assert!(Command::new("cp").arg(self.path("text")).arg(self.path(name)).status().unwrap().success());
        fs::remove_file(self.path("text")).unwrap();
        fs::set_permissions(self.path(name), fs::Permissions::from_mode(0o755)).unwrap();
    }

    /// In a session of its own, so that no terminal of who runs the tests is found.
    fn doctor(&self, args: &[&str]) -> Output {
        let mut command = Command::new("setsid");
        let prepared = self.home.command(&[]);
        command.arg("--wait").arg(PROGRAM).arg("doctor").args(args).env_clear().current_dir(self.home.path());
        command.envs(prepared.get_envs().filter_map(|(name, value)| Some((name, value?))));
        command.stdin(Stdio::null()).output().unwrap()
    }

    /// A FIFO in the place of a file.
    fn fifo(&self, name: &str) {
        let file = self.path(name);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        let _ = fs::remove_file(&file);
        assert!(Command::new("mkfifo").arg(&file).status().unwrap().success());
    }

    /// The JSON output, valid by the schema, and whether the exit code is 0.
    fn json(&self, args: &[&str]) -> (Value, bool) {
        let output = self.doctor(&[&["--json"], args].concat());
        let report: Value = serde_json::from_slice(&output.stdout)
            .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&output.stderr)));
        let schema: Value = serde_json::from_str(include_str!("../docs/doctor.schema.json")).unwrap();
        let errors: Vec<_> =
            jsonschema::validator_for(&schema).unwrap().iter_errors(&report).map(|error| error.to_string()).collect();
        assert!(errors.is_empty(), "{errors:?}\n{report:#}");
        let sound = output.status.success();
        assert_eq!(report["sound"], sound);
        (report, sound)
    }

    /// `id about state` of all that is not ok.
    fn found(&self, args: &[&str]) -> Vec<String> {
        let (report, _) = self.json(args);
        let findings = report["findings"].as_array().unwrap().iter().filter(|finding| finding["state"] != "ok");
        let word = |value: &Value| value.as_str().unwrap().to_owned();
        findings.map(|it| format!("{} {} {}", word(&it["id"]), word(&it["about"]), word(&it["state"]))).collect()
    }

    /// Every file below the home, but what the stand-in writes.
    fn files(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        fn walk(folder: &Path, all: &mut BTreeMap<PathBuf, Vec<u8>>) {
            for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
                if entry.file_type().unwrap().is_dir() {
                    walk(&entry.path(), all);
                } else if !["pid", "copy", "copied"].contains(&entry.file_name().to_str().unwrap()) {
                    all.insert(entry.path(), fs::read(entry.path()).unwrap());
                }
            }
        }
        let mut all = BTreeMap::new();
        walk(self.home.path(), &mut all);
        all
    }

    /// Whether what the stand-in started runs still.
    fn is_running(&self) -> bool {
        let pids = fs::read_to_string(self.path("pid")).unwrap_or_default();
        pids.lines().any(|pid| {
            let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
            !stat.is_empty() && !stat.contains(") Z ")
        })
    }

    /// Whether all that ends; killed, a process may take a moment to be gone.
    fn has_ended(&self) -> bool {
        let begun = Instant::now();
        while self.is_running() && begun.elapsed() < Duration::from_secs(30) {
            std::thread::sleep(Duration::from_millis(5));
        }
        !self.is_running()
    }
}

fn text(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

#[test]
fn where_all_is_sound_it_says_one_line_and_changes_nothing() {
    let machine = Machine::wired("2.1.332");
    let before = machine.files();
    let output = machine.doctor(&[]);
    assert_eq!(text(&output), "Nothing stands in the way of a run (13 checks).\n", "{output:?}");
    assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(0), &b""[..]));
    assert_eq!(machine.json(&["--strict"]).0["state"], "ok");
    assert_eq!(machine.files(), before);
    assert!(machine.has_ended());
}

#[test]
fn what_was_never_installed_fails_and_its_remedy_helps() {
    let machine = Machine::new("2.1.332");
    let output = machine.doctor(&["--no-mcp"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output).starts_with("failure  wiring: no hook of ours"), "{}", text(&output));
    assert!(text(&output).contains("do: unattended install\n"));
    assert!(text(&output).lines().all(|line| line.chars().count() <= 80));
    machine.home.says(&["install"]);
    assert_eq!(machine.found(&["--no-mcp"]), Vec::<String>::new());
}

#[test]
fn fix_registers_the_hooks_and_closes_the_folder_and_touches_nothing_else() {
    let machine = Machine::new("2.1.332");
    fs::create_dir_all(machine.home.state()).unwrap();
    fs::set_permissions(machine.home.state(), fs::Permissions::from_mode(0o755)).unwrap();
    let before = machine.files();
    assert_eq!(machine.found(&["--no-mcp"]), ["wiring none failure", "live none unknown", "state open warning"]);
    assert_eq!(machine.files(), before, "without --fix");
    let (report, sound) = machine.json(&["--no-mcp", "--fix"]);
    assert!(sound, "{report:#}");
    assert_eq!(report["fixed"].as_array().unwrap().len(), 2, "{report:#}");
    assert_eq!(fs::metadata(machine.home.state()).unwrap().permissions().mode() & 0o777, 0o700);
    let changed: Vec<_> = machine.files().into_iter().filter(|(file, bytes)| before.get(file) != Some(bytes)).collect();
    let in_state = |file: &Path| file.starts_with(machine.home.state());
    let others: Vec<_> = changed.iter().map(|(file, _)| file).filter(|file| !in_state(file)).collect();
    assert_eq!(others, [&machine.path(".claude/settings.json")]);
    assert_eq!(machine.json(&["--no-mcp", "--fix"]).0["fixed"], json!([]), "nothing is left to do");
}

#[test]
fn fix_makes_a_missing_state_folder_and_leaves_a_file_with_a_fault_alone() {
    let machine = Machine::new("2.1.332");
    machine.write(".claude/settings.json", "{\"hooks\": ");
    let output = machine.doctor(&["--no-mcp", "--fix"]);
    assert!(
        String::from_utf8_lossy(&output.stderr).contains("note: not fixed: ~/.claude/settings.json is not valid JSON")
    );
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(fs::read_to_string(machine.path(".claude/settings.json")).unwrap(), "{\"hooks\": ");
    assert_eq!(fs::metadata(machine.home.state()).unwrap().permissions().mode() & 0o777, 0o700);
}

#[test]
fn an_update_of_the_client_shows_as_events_that_are_not_registered() {
    let machine = Machine::new("2.1.332");
    machine.home.says(&["install", "--client-version", "2.1.77"]);
    let (report, _) = machine.json(&["--only", "wiring"]);
    let finding = report["findings"][0]["finding"].as_str().unwrap().to_owned();
    assert_eq!(finding, "not registered: PermissionDenied and StopFailure (Claude Code 2.1.332 knows that)");
    machine.home.says(&["install"]);
    assert_eq!(machine.found(&["--only", "wiring"]), Vec::<String>::new());
}

#[test]
fn the_registered_command_is_run_as_the_client_runs_it() {
    for version in ["2.1.332", "2.1.50"] {
        let machine = Machine::wired(version);
        let (report, _) = machine.json(&["--only", "live"]);
        let answers: Vec<_> = report["findings"].as_array().unwrap().iter().map(|finding| &finding["about"]).collect();
        assert_eq!(answers, ["answers", "answers"], "{report:#}");
        assert!(machine.home.records().is_empty(), "nothing of it shows in the records");
    }
}

#[test]
fn a_wrapper_that_prints_one_that_fails_and_one_that_is_gone_are_told_apart() {
    let machine = Machine::new("2.1.332");
    let wrapper = machine.path("opt/unattended");
    machine.executable(
        "opt/unattended",
        &format!("#!/bin/sh\n[ \"$1\" = hook ] && echo Welcome\nexec {PROGRAM} \"$@\"\n"),
    );
    let entry =
        |command: &str| json!([{"hooks": [{"type": "command", "command": command, "args": ["hook"], "timeout": 30}]}]);
    let settings = |command: &str| json!({"hooks": {"PreToolUse": entry(command)}}).to_string();
    machine.write(".claude/settings.json", &settings(&wrapper.display().to_string()));
    assert_eq!(machine.found(&["--only", "live"]), ["live noise failure"]);
    machine.executable("opt/unattended", "#!/no/interpreter\n");
    assert_eq!(machine.found(&["--only", "live"]), ["live not-started failure"]);
    machine.executable("opt/unattended", &format!("#!/bin/sh\necho {SECRET} is missing >&2\nexit 3\n"));
    assert_eq!(machine.found(&["--only", "live"]), ["live exit failure"]);
    assert!(!text(&machine.doctor(&["--only", "live"])).contains("planted"));
    fs::remove_file(&wrapper).unwrap();
    assert_eq!(machine.found(&["--only", "live"]), ["live not-started failure"]);
    let found = machine.found(&["--only", "wiring"]);
    assert!(found.contains(&"wiring program failure".to_owned()), "{found:?}");
}

#[test]
fn nothing_that_an_untrusted_project_names_is_run() {
    let machine = Machine::new("2.1.332");
    machine.executable("project/unattended", "#!/bin/sh\ntouch \"$HOME/was-run\"\n");
    let entry = json!([{"hooks": [{"type": "command", "command": "./unattended", "args": ["hook"]}]}]);
    let settings = json!({"hooks": {"PreToolUse": entry}, "enableAllProjectMcpServers": true});
    machine.write("project/.claude/settings.json", &settings.to_string());
    machine.write("project/.mcp.json", &json!({"mcpServers": {"theirs": {"command": "./unattended"}}}).to_string());
    machine.write(".claude.json", &json!({"hasCompletedOnboarding": true}).to_string());
    let report = |trusted: bool| {
        let mut command = machine.home.command(&["doctor", "--json"]);
        let output = command.current_dir(machine.path("project")).stdin(Stdio::null()).output().unwrap();
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(machine.path("was-run").exists(), trusted, "{report:#}");
        fs::read_to_string(machine.path("copy")).unwrap()
    };
    assert!(report(false).contains(r#""disabledMcpjsonServers":["theirs"]"#));
    let project = machine.path("project").canonicalize().unwrap().display().to_string();
    let projects = json!({project: {"hasTrustDialogAccepted": true}});
    machine.write(".claude.json", &json!({"hasCompletedOnboarding": true, "projects": projects}).to_string());
    assert!(!report(true).contains("disabledMcpjsonServers"));
}

#[test]
fn a_command_that_hangs_is_ended_with_what_it_started_and_named() {
    let machine = Machine::new("2.1.332");
    machine.executable(
        "opt/unattended",
        "#!/bin/sh\necho $$ > \"$HOME/pid\"; sleep 1000 & echo $! >> \"$HOME/pid\"; wait\n",
    );
    let entry = json!([{"hooks": [{"type": "command", "command": machine.path("opt/unattended"), "args": ["hook"]}]}]);
    machine.write(".claude/settings.json", &json!({"hooks": {"PreToolUse": entry}}).to_string());
    assert_eq!(machine.found(&["--only", "live"]), ["live hangs failure"]);
    assert!(machine.has_ended());
}

#[test]
fn servers_are_asked_in_a_copy_and_the_clients_own_files_stay_as_they_are() {
    let machine = Machine::wired("2.1.332");
    let listing = include_str!("fixtures/mcp-list/2.1.332.txt");
    machine.write("listing", listing);
    machine.write(".claude/mcp-needs-auth-cache.json", "{\"oauth\": {\"timestamp\": 1}}");
    let credentials = json!({
        "claudeAiOauth": {"accessToken": SECRET, "refreshToken": "sk-ant-ort01-planted-refresh", "expiresAt": 1},
        "mcpOAuth": {"oauth|1": {"serverName": "oauth", "accessToken": SECRET, "refreshToken": "planted-refresh", "expiresAt": 1}},
    });
    machine.write(".claude/.credentials.json", &credentials.to_string());
    let before = machine.files();
    let found = machine.found(&["--only", "mcp"]);
    assert_eq!(machine.files(), before);
    assert!(found.contains(&"mcp token-ended unknown".to_owned()), "{found:?}");
    assert!(found.contains(&"mcp pending failure".to_owned()), "{found:?}");
    assert_eq!(found.iter().filter(|line| *line == "mcp failed failure").count(), 4, "{found:?}");
    let copy = fs::read_to_string(machine.path("copy")).unwrap();
    assert!(copy.contains(SECRET) && copy.contains("hasTrustDialogAccepted"), "{copy}");
    assert!(!copy.contains("refresh") && !copy.contains("timestamp"), "{copy}");
    assert!(copy.contains("\"disableAllHooks\":true"), "no hook is run by the listing: {copy}");
    let copied = fs::read_to_string(machine.path("copied")).unwrap();
    assert!(copied.contains("drwx------") && copied.contains("-rw-------"), "{copied}");
    assert!(!copied.contains("-rw-r"), "{copied}");
}

#[test]
fn a_listing_that_does_not_end_is_ended_at_the_limit_with_all_that_it_started() {
    let machine = Machine::wired("2.1.332");
    machine.write("hang", "");
    machine.write(".mcp.json", &json!({"mcpServers": {"slow": {"command": "x"}}}).to_string());
    machine.write(".claude/settings.local.json", &json!({"enabledMcpjsonServers": ["slow"]}).to_string());
    let output = machine.doctor(&["--only", "mcp", "--mcp-timeout", "1s"]);
    let said = text(&output).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(said.contains("did not end within 1 s and was ended; one of these keeps it: slow"), "{said}");
    assert!(machine.has_ended());
    let home = machine.home.config("[doctor]\noptional_servers = [\"slow\"]\n");
    let machine = Machine { home };
    assert_eq!(machine.found(&["--only", "mcp", "--mcp-timeout", "1s"]), ["mcp no-answer warning"]);
}

#[test]
fn told_to_end_it_ends_what_it_started_and_leaves_no_copy() {
    let machine = Machine::wired("2.1.332");
    machine.write("hang", "");
    fs::create_dir(machine.path("tmp")).unwrap();
    let mut command = machine.home.command(&["doctor", "--only", "mcp"]);
    let mut doctor =
        command.env("TMPDIR", machine.path("tmp")).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let begun = Instant::now();
    while !machine.is_running() && begun.elapsed() < Duration::from_secs(30) {
        std::thread::sleep(Duration::from_millis(10));
    }
    assert_eq!(fs::read_dir(machine.path("tmp")).unwrap().count(), 1, "the copy");
    let pid = rustix::process::Pid::from_raw(doctor.id() as i32).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::TERM).unwrap();
    assert_eq!(doctor.wait().unwrap().code(), Some(1));
    assert!(machine.has_ended());
    assert_eq!(fs::read_dir(machine.path("tmp")).unwrap().count(), 0);
}

#[test]
fn servers_of_the_callers_own_are_asked_too() {
    let machine = Machine::wired("2.1.332");
    machine.write("more.json", &json!({"mcpServers": {"mine": {"command": "x"}}}).to_string());
    machine.write("listing", "mine: x  - ✘ Failed to connect — ENOENT\n");
    assert_eq!(machine.found(&["--only", "mcp", "--mcp-config", "more.json"]), ["mcp failed failure"]);
    assert!(fs::read_to_string(machine.path("copy")).unwrap().contains("\"mine\""));
    assert_eq!(
        machine.found(&["--only", "mcp", "--mcp-config", "absent.json"]),
        ["mcp unread-config failure", "mcp failed failure"]
    );
}

#[test]
fn where_the_client_cannot_be_asked_what_it_remembers_is_told_as_unknown() {
    let machine = Machine::wired("2.1.332");
    fs::remove_file(machine.path("bin/claude")).unwrap();
    machine.write(".claude/mcp-needs-auth-cache.json", "{\"mail\": {\"timestamp\": 1}}");
    machine.write(
        ".claude.json",
        &json!({"mcpServers": {"mail": {"url": "http://x"}, "files": {"command": "y"}}}).to_string(),
    );
    let found = machine.found(&["--only", "mcp"]);
    assert_eq!(found, ["mcp not-asked unknown", "mcp needed-login unknown", "mcp not-run unknown"]);
    assert!(machine.doctor(&["--only", "mcp"]).status.success(), "unknown is no failure");
    assert!(!machine.doctor(&["--only", "mcp", "--strict"]).status.success(), "but for who wants to be sure");
}

#[test]
fn no_secret_is_told_wherever_it_is() {
    let machine = Machine::wired("2.1.332");
    let machine = Machine { home: machine.home.with("ANTHROPIC_API_KEY", SECRET).with("ANTHROPIC_AUTH_TOKEN", "") };
    let servers = json!({
        "web": {"type": "http", "url": format!("http://x/mcp?key={SECRET}"), "headers": {"Authorization": SECRET}},
        "tool": {"command": "x", "args": ["--token", SECRET], "env": {"KEY": SECRET}},
    });
    machine.write(".mcp.json", &json!({"mcpServers": servers}).to_string());
    machine.write(
        "listing",
        &format!("web: http://x/mcp?key={SECRET} (HTTP) - ✘ Failed to connect — no http://x?key={SECRET}\n"),
    );
    let settings = machine.path(".claude/settings.json");
    let mut value: Value = serde_json::from_slice(&fs::read(&settings).unwrap()).unwrap();
    value["env"] = json!({"SOME_KEY": SECRET});
    value["apiKeyHelper"] = json!(format!("echo {SECRET}"));
    value["hooks"]["PreToolUse"].as_array_mut().unwrap().push(json!({"matcher": "*", "hooks": [
        {"type": "command", "command": format!("guard --key {SECRET}")}]}));
    fs::write(&settings, value.to_string()).unwrap();
    machine.write(".claude/settings.local.json", &format!("{{\"env\": {{\"KEY\": \"{SECRET}\" \"x\"}}}}"));
    machine.write(".claude/.credentials.json", &format!("{{\"claudeAiOauth\": {{\"accessToken\": \"{SECRET}\" 1}}}}"));
    machine.write(".claude.json", &format!("{{\"primaryApiKey\": \"{SECRET}\" 1}}"));
    let home = machine.home.config(&format!("default = \"{SECRET}\"\n"));
    let machine = Machine { home };
    for args in [&[][..], &["--json"], &["--fix", "--strict"]] {
        let output = machine.doctor(args);
        let said = text(&output) + &String::from_utf8_lossy(&output.stderr);
        assert!(!said.contains("planted"), "{said}");
        assert!(said.lines().count() > 5, "{said}");
    }
}

#[test]
fn what_ours_holds_is_looked_at_too() {
    let machine = Machine::wired("2.1.332");
    let home = machine.home.config("[stop]\nnugdes = 1\n");
    let record = json!({"at": unattended::clock::now().to_rfc3339(), "kind": "stop", "on": true, "stall": true,
        "stall_kind": "prose", "decision": {"action": "none"}});
    let today = unattended::clock::now().format("%Y-%m-%d").to_string();
    fs::create_dir_all(home.state().join("records")).unwrap();
    fs::write(home.state().join(format!("records/{today}.jsonl")), format!("{record}\n")).unwrap();
    let machine = Machine { home };
    assert_eq!(machine.found(&["--only", "config,stalls"]), ["config unknown-key warning", "stalls stalls warning"]);
    machine.home.says(&["off"]);
    assert_eq!(machine.found(&["--only", "switch"]), ["switch off failure"]);
}

#[test]
fn a_check_or_a_time_that_there_is_not_is_refused_by_name() {
    let machine = Machine::new("2.1.332");
    let output = machine.doctor(&["--only", "weather"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("[possible values: client, wiring, live, in-force"));
    let output = machine.doctor(&["--mcp-timeout", "soon"]);
    assert_eq!(output.status.code(), Some(1));
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(said, "error: \"soon\" is no time for --mcp-timeout\nhint: say it like 60s or 2m\n");
}

#[rstest]
#[case("p/.git", "in-force unread-repository", true)]
#[case("p/.mcp.json", "mcp unread-config", true)]
#[case("p/.claude/settings.json", "in-force unread-settings", true)]
#[case("p/.claude/settings.local.json", "in-force unread-settings", true)]
#[case(".claude.json", "in-force broken-state", true)]
#[case(".claude/settings.json", "in-force unread-settings", true)]
#[case(".claude/mcp-needs-auth-cache.json", "mcp unread-config", true)]
#[case(".claude/.credentials.json", "login unread", false)]
#[case(".config/unattended/config.toml", "config unread", true)]
fn a_fifo_in_the_place_of_a_file_keeps_no_verb_waiting_and_doctor_tells_of_it(
    #[case] file: &str,
    #[case] finding: &str,
    #[case] fails: bool,
) {
    let machine = Machine::wired("2.1.332");
    machine.fifo(file);
    fs::create_dir_all(machine.path("p")).unwrap();
    let verbs = [
        &["doctor", "--json"][..],
        &["run", "--", "hello"],
        &["run", "--no-preflight", "--", "hello"],
        &["status"],
        &["explain", "SessionStart"],
        &["review"],
        &["install", "--dry-run"],
        &["uninstall", "--dry-run"],
        &["prompt"],
        &["statusline"],
    ];
    for args in verbs {
        let prepared = machine.home.command(&[]);
        let mut command = Command::new("timeout");
        command.args(["-k", "1", "60", PROGRAM]).args(args).env_clear().current_dir(machine.path("p"));
        command.envs(prepared.get_envs().filter_map(|(name, value)| Some((name, value?))));
        let output = command.stdin(Stdio::null()).output().unwrap();
        let code = output.status.code().unwrap();
        assert!(code < 124, "{args:?}: {code}: {}", String::from_utf8_lossy(&output.stderr));
        if args[0] == "doctor" {
            let report: Value = serde_json::from_slice(&output.stdout).unwrap();
            let findings = report["findings"].as_array().unwrap();
            let of = |it: &Value| format!("{} {}", it["id"].as_str().unwrap(), it["about"].as_str().unwrap());
            let found = findings.iter().find(|it| of(it) == finding).unwrap_or_else(|| panic!("{report:#}"));
            let said = found["finding"].as_str().unwrap();
            assert!(said.contains(": it is a FIFO, no regular file"), "{said}");
            assert!(said.contains(Path::new(file).file_name().unwrap().to_str().unwrap()), "{said}");
            assert_eq!(found["state"], if fails { "failure" } else { "warning" });
        }
        if args == ["run", "--", "hello"] && fails {
            assert_eq!(code, 3, "{}", String::from_utf8_lossy(&output.stderr));
        }
    }
}
