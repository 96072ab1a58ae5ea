//! `unattended run` as a script, cron or a person at a terminal starts it, with a stand-in for the client: what the client
//! is given, what comes out, and that nothing of it stays behind.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

mod home;

use std::fs;
use std::io::Read;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::time::{Duration, Instant};

use home::{Home, PROGRAM};
use portable_pty::{CommandBuilder, PtySize, native_pty_system};
use rstest::rstest;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

/// How long anything here may take before it counts as hanging.
const LIMIT: Duration = Duration::from_secs(60);

struct Machine {
    home: Home,
}

impl Machine {
    /// A machine on which nothing stands in the way of a run; its client does what the script says. Our hooks are not
    /// installed.
    fn new(script: &str) -> Machine {
        let home = Home::new();
        let bin = home.path().join("bin");
        let home = home
            .with("PATH", &format!("{}:/usr/bin:/bin", bin.display()))
            .with("IS_SANDBOX", "1")
            .with("ANTHROPIC_AUTH_TOKEN", "sk-ant-oat01-planted0123456789");
        let machine = Machine { home };
        let folder = machine.home.path().canonicalize().unwrap().display().to_string();
        machine.write(".claude/settings.json", &json!({"permissions": {"defaultMode": "acceptEdits"}}).to_string());
        machine.write(
            ".claude.json",
            &json!({"hasCompletedOnboarding": true, "projects": {folder: {"hasTrustDialogAccepted": true}}})
                .to_string(),
        );
        machine.write("listing", "No MCP servers configured. Use `claude mcp add` to add a server.\n");
        let client = "#!/bin/sh\ncase \"$*\" in\n--version) echo '2.1.332 (Claude Code)' ;;\n'mcp list') cat \"$HOME/listing\" ;;\n\
            *) . \"$HOME/does\" ;;\nesac\n";
        machine.write("text", client);
        fs::create_dir_all(&bin).unwrap();
        // Put in place by another process: a file that somebody has open for writing cannot be run.
        assert!(Command::new("cp").arg(machine.path("text")).arg(bin.join("claude")).status().unwrap().success());
        fs::set_permissions(bin.join("claude"), fs::Permissions::from_mode(0o755)).unwrap();
        machine.write("does", script);
        machine
    }

    fn path(&self, name: &str) -> PathBuf {
        self.home.path().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        fs::create_dir_all(self.path(name).parent().unwrap()).unwrap();
        fs::write(self.path(name), text).unwrap();
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    fn run(&self, args: &[&str]) -> Output {
        self.home.run(&[&["run"], args].concat())
    }

    /// Started and not waited for; heeding signals, whatever whoever runs the tests ignores.
    fn start(&self, args: &[&str]) -> Started {
        self.start_by(&["env", "--default-signal"], args)
    }

    fn start_by(&self, around: &[&str], args: &[&str]) -> Started {
        let prepared = self.home.command(&[]);
        let mut command = Command::new(around[0]);
        command.args(&around[1..]).args([PROGRAM, "run"]).args(args).env_clear().current_dir(self.home.path());
        command.envs(prepared.get_envs().filter_map(|(name, value)| Some((name, value?))));
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        Started(command.spawn().unwrap())
    }

    /// What the client wrote into a file, once it has.
    fn wait_for(&self, name: &str) -> String {
        let begun = Instant::now();
        loop {
            match fs::read_to_string(self.path(name)) {
                Ok(text) if text.ends_with('\n') => return text,
                _ => assert!(begun.elapsed() < LIMIT, "{name} is not there"),
            }
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// The words that the client was given, of a script that writes them by `printf '%s\0'`.
    fn words(&self) -> Vec<String> {
        self.read("words").split_terminator('\0').map(str::to_owned).collect()
    }
}

/// Ended with the test.
struct Started(Child);

impl Started {
    fn tell(&self, signal: Signal) {
        kill_process(Pid::from_raw(self.0.id() as i32).unwrap(), signal).unwrap();
    }

    fn end(&mut self) -> ExitStatus {
        let begun = Instant::now();
        loop {
            if let Some(status) = self.0.try_wait().unwrap() {
                return status;
            }
            assert!(begun.elapsed() < LIMIT, "it does not end");
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    fn said(&mut self) -> String {
        let mut said = String::new();
        self.0.stderr.take().unwrap().read_to_string(&mut said).unwrap();
        said
    }
}

impl Drop for Started {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

const WORDS: &str = "printf '%s\\0' \"$@\" > \"$HOME/words\"\n";

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Processes that are there and no zombies.
fn living(pids: &str) -> Vec<&str> {
    let lives = |pid: &&str| {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        stat.rsplit_once(") ").is_some_and(|(_, rest)| !rest.starts_with('Z'))
    };
    pids.split_whitespace().filter(lives).collect()
}

fn all_gone(pids: &str) {
    let begun = Instant::now();
    while !living(pids).is_empty() {
        assert!(begun.elapsed() < LIMIT, "{:?} are left", living(pids));
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn the_clients_output_and_exit_code_are_the_runs_and_ours_goes_to_standard_error() {
    let machine = Machine::new("printf 'a\\000b\\377\\n'; echo odd >&2; exit 7");
    let output = machine.run(&["--", "hello"]);
    assert_eq!((output.stdout.as_slice(), output.status.code()), (&b"a\0b\xff\n"[..], Some(7)));
    let said = text(&output.stderr);
    assert!(said.contains("odd\n") && said.contains("The run ended with exit code 7 after"), "{said}");
    assert!(said.lines().all(|line| line.chars().count() <= 80), "{said}");
}

#[test]
fn who_reads_nothing_of_ours_ends_no_run() {
    let machine = Machine::new("echo done; exit 7");
    machine.write(".claude/settings.json", r#"{"disableAllHooks": true}"#);
    let mut run = machine.start(&["--", "hello"]);
    drop(run.0.stderr.take());
    assert_eq!(run.end().code(), Some(7));
}

#[test]
fn a_client_ended_by_a_signal_is_the_exit_code_of_shells() {
    assert_eq!(Machine::new("kill -KILL $$").run(&["--", "hello"]).status.code(), Some(137));
}

#[test]
fn hooks_come_along_for_this_run_alone_where_they_are_not_installed() {
    let machine = Machine::new(WORDS);
    let before = machine.read(".claude/settings.json");
    assert!(machine.run(&["--", "--model", "opus", "hello world"]).status.success());
    let words = machine.words();
    assert_eq!(words[0], "--print");
    assert_eq!(words[words.len() - 3..], ["--model", "opus", "hello world"]);
    let at = words.iter().position(|word| word == "--settings").unwrap();
    let settings: Value = serde_json::from_str(&words[at + 1]).unwrap();
    assert_eq!(settings["hooks"]["PreToolUse"][0]["hooks"][0]["command"], PROGRAM);
    assert!(!words.contains(&"--append-system-prompt".to_owned()));
    assert_eq!(machine.read(".claude/settings.json"), before);

    machine.home.says(&["install"]);
    assert!(machine.run(&["--", "-p", "hello"]).status.success());
    let words = machine.words();
    assert!(!words.contains(&"--settings".to_owned()), "they are installed now: {words:?}");
    assert_eq!(words.iter().filter(|word| *word == "-p" || *word == "--print").count(), 1);

    // Which the run does not read.
    assert!(machine.run(&["--", "--setting-sources", "project", "hello"]).status.success());
    assert!(machine.words().contains(&"--settings".to_owned()));
}

#[rstest]
#[case::inline(false)]
#[case::in_a_file(true)]
fn the_callers_settings_are_merged_with_ours(#[case] in_a_file: bool) {
    let machine = Machine::new(&format!(
        "{WORDS}for word in \"$@\"; do [ -f \"$word\" ] && cp \"$word\" \"$HOME/given\"; done; :"
    ));
    let own = r#"{"env": {"API_TOKEN": "planted0123456789"}, "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "/x"}]}]}}"#;
    machine.write("own.json", own);
    let value = if in_a_file { "own.json" } else { own };
    assert!(machine.run(&["--", "--settings", value, "hello"]).status.success());
    let words = machine.words();
    assert_eq!(words.iter().filter(|word| *word == "--settings").count(), 1);
    let at = words.iter().position(|word| word == "--settings").unwrap();
    let merged: Value =
        serde_json::from_str(&if in_a_file { machine.read("given") } else { words[at + 1].clone() }).unwrap();
    assert_eq!(merged["env"]["API_TOKEN"], "planted0123456789");
    assert_eq!(merged["hooks"]["Stop"][0]["hooks"][0]["command"], "/x");
    assert_eq!(merged["hooks"]["Stop"][1]["hooks"][0]["command"], PROGRAM);
    if in_a_file {
        assert!(!words.concat().contains("planted"), "what stood in a file is on no command line");
        assert!(!PathBuf::from(&words[at + 1]).exists(), "the merged file is gone with the run");
        assert_eq!(machine.read("own.json"), own);
    }
}

#[test]
fn settings_that_cannot_be_read_are_told_and_nothing_is_started() {
    let machine = Machine::new(WORDS);
    for value in ["absent.json", "{\"hooks\": 1}"] {
        let output = machine.run(&["--", "--settings", value, "hello"]);
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(1));
        assert!(said.contains("cannot be merged") && said.contains("hint: "), "{said}");
    }
    assert!(!machine.path("words").exists());
}

#[rstest]
#[case::by_settings(r#"{"disableAllHooks": true}"#, &[])]
#[case::by_an_option("{}", &["--bare"])]
fn where_hooks_are_off_the_contract_is_in_the_system_prompt(#[case] settings: &str, #[case] args: &[&str]) {
    let machine = Machine::new(WORDS);
    machine.write(".claude/settings.json", settings);
    let output = machine.run(&[&["--"], args, &["--append-system-prompt", "Speak German.", "hello"]].concat());
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(text(&output.stderr).contains("hooks are turned off"), "{}", text(&output.stderr));
    let words = machine.words();
    let at = words.iter().position(|word| word == "--append-system-prompt").unwrap();
    assert_eq!(words[at + 1], format!("Speak German.\n\n{}", machine.home.says(&["prompt"]).trim_end()));
    assert!(!words.contains(&"--settings".to_owned()));
}

#[test]
fn programs_of_the_run_ask_nobody_and_what_the_caller_set_stays() {
    let machine = Machine::new("env > \"$HOME/environment\"");
    let machine = Machine { home: machine.home.with("PAGER", "more").with("GIT_SSH", "/my/ssh") };
    assert!(machine.run(&["--", "hello"]).status.success());
    let environment = machine.read("environment");
    for line in
        ["UNATTENDED=on", "GIT_TERMINAL_PROMPT=0", "GIT_PAGER=cat", "PAGER=more", "GIT_EDITOR=true", "EDITOR=true"]
    {
        assert!(environment.lines().any(|it| it == line), "{line} is not in\n{environment}");
    }
    assert!(!environment.contains("GIT_SSH_COMMAND"), "{environment}");
    let machine = Machine { home: machine.home.with("UNATTENDED", "off") };
    let output = machine.run(&["--", "hello"]);
    assert_eq!(output.status.code(), Some(3), "off is off: {}", text(&output.stderr));
}

/// What a terminal shows of a run, and its exit code.
fn in_a_terminal(machine: &Machine, args: &[&str]) -> (String, u32) {
    let pair = native_pty_system().openpty(PtySize { rows: 24, cols: 80, pixel_width: 0, pixel_height: 0 }).unwrap();
    let prepared = machine.home.command(&[]);
    let mut command = CommandBuilder::new(PROGRAM);
    command.env_clear();
    for (name, value) in prepared.get_envs().filter_map(|(name, value)| Some((name, value?))) {
        command.env(name, value);
    }
    command.cwd(machine.home.path());
    command.args([&["run"], args].concat());
    let mut child = pair.slave.spawn_command(command).unwrap();
    drop(pair.slave);
    let mut reader = pair.master.try_clone_reader().unwrap();
    let mut shown = Vec::new();
    // The terminal's end is an error on Linux.
    let _ = reader.read_to_end(&mut shown);
    (text(&shown), child.wait().unwrap().exit_code())
}

#[test]
fn from_a_terminal_the_client_has_none_and_shows_that_it_works() {
    let machine = Machine::new(
        "readlink /proc/self/fd/0 > \"$HOME/input\"; cut -d' ' -f7 /proc/self/stat > \"$HOME/terminal\"\n\
         (read -r word < /dev/tty) 2>/dev/null && echo read > \"$HOME/asked\"\nsleep 3; echo done",
    );
    let (shown, code) = in_a_terminal(&machine, &["--", "hello"]);
    assert_eq!((machine.read("input").trim(), machine.read("terminal").trim()), ("/dev/null", "0"));
    assert!(!machine.path("asked").exists(), "a program that opens the terminal fails");
    assert_eq!(code, 0, "{shown}");
    assert!(shown.contains("0 turns, 0 questions denied, 0 permissions denied, 0 stalls"), "{shown:?}");
    assert!(shown.contains("\r\u{1b}[Kdone\r\n"), "the line is taken away before the output: {shown:?}");
}

#[test]
fn a_prompt_may_be_piped_in_and_an_open_pipe_is_not_waited_for_where_there_is_one() {
    let machine = Machine::new("cat > \"$HOME/given\"");
    let output = machine.home.pipe(&["run"], b"fix it");
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert_eq!(machine.read("given"), "fix it");

    let mut started = machine.home.command(&["run", "--", "hello"]);
    let child = started.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut started = Started(child);
    let _open = started.0.stdin.take();
    assert!(started.end().success());
    assert!(started.said().contains("nothing came on standard input"));
    assert_eq!(machine.read("given"), "");
}

#[test]
fn a_run_with_nothing_to_do_or_that_starts_elsewhere_is_refused() {
    let machine = Machine::new(WORDS);
    for (args, what) in
        [(&["--"][..], "there is no prompt"), (&["--", "--bg", "hello"], "--bg starts a session elsewhere")]
    {
        let output = machine.run(args);
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(1));
        assert!(said.contains(what) && said.contains("hint: "), "{said}");
    }
    for args in [["--max-time", "soon", "--", "x"], ["--max-silence", "0s", "--", "x"]] {
        assert!(text(&machine.run(&args).stderr).contains("is no time for --max-"));
    }
    assert!(!machine.path("words").exists());
}

#[test]
fn a_server_that_wants_a_login_ends_it_before_anything_is_spent() {
    let machine = Machine::new(WORDS);
    machine.write("listing", "tickets: http://127.0.0.1:9/mcp (HTTP) - ! Needs authentication\n");
    machine.write(".claude.json", &json!({"hasCompletedOnboarding": true, "mcpServers": {"tickets": {"type": "http", "url": "http://127.0.0.1:9/mcp"}}}).to_string());
    let output = machine.run(&["--", "hello"]);
    let said = text(&output.stderr);
    assert_eq!((output.status.code(), output.stdout.len()), (Some(3), 0), "{said}");
    assert!(said.contains("tickets wants a person to log in") && said.contains("claude mcp login tickets"), "{said}");
    assert!(said.contains("is not trusted yet") && said.contains("1 failure, 1 warning"), "trust is a note: {said}");
    assert!(!machine.path("words").exists());
    assert_eq!(machine.run(&["--no-mcp", "--", "hello"]).status.code(), Some(0));
    assert_eq!(machine.run(&["--no-preflight", "--", "hello"]).status.code(), Some(0));
    // That run does not start it.
    let strict = ["--", "--strict-mcp-config", "--mcp-config", "{\"mcpServers\": {}}", "--", "hello"];
    let output = machine.run(&strict);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
}

#[test]
fn a_server_named_by_the_callers_mcp_config_is_looked_at_too() {
    let machine = Machine::new(WORDS);
    machine.write("listing", "mine: http://127.0.0.1:9/mcp (HTTP) - ✘ Failed to connect\n");
    machine.write("servers.json", r#"{"mcpServers": {"mine": {"type": "http", "url": "http://127.0.0.1:9/mcp"}}}"#);
    let output = machine.run(&["--", "--mcp-config", "servers.json", "--", "hello"]);
    assert_eq!(output.status.code(), Some(3));
    assert!(text(&output.stderr).contains("mine does not answer"), "{}", text(&output.stderr));
}

/// Starts what could outlive it: in its group, in a session of its own, and a daemon.
const LEAVES: &str = "sleep 1000 & echo $! > \"$HOME/left\"\n\
    setsid sleep 1000 & echo $! >> \"$HOME/left\"\n\
    (setsid sh -c 'echo $$ >> \"$HOME/left\"; exec sleep 1000' &)\n\
    while [ \"$(wc -l < \"$HOME/left\")\" != 3 ]; do sleep 0.01; done\n\
    echo $$ >> \"$HOME/left\"; cp \"$HOME/left\" \"$HOME/started\"\n";

#[test]
fn nothing_that_the_client_started_outlives_it() {
    let machine = Machine::new(&format!("{LEAVES}exit 5"));
    assert_eq!(machine.run(&["--", "hello"]).status.code(), Some(5));
    assert_eq!(living(&machine.read("started")), Vec::<&str>::new());
}

#[rstest]
#[case(Signal::TERM, "TERM")]
#[case(Signal::INT, "INT")]
#[case(Signal::HUP, "HUP")]
fn a_signal_is_passed_on_and_everything_ends(#[case] signal: Signal, #[case] name: &str) {
    let machine =
        Machine::new(&format!("trap 'echo {name} > \"$HOME/told\"; exit 9' {name}\n{LEAVES}wait; wait; sleep 1000"));
    let mut run = machine.start(&["--", "hello"]);
    let started = machine.wait_for("started");
    run.tell(signal);
    assert_eq!(run.end().code(), Some(9), "{}", run.said());
    assert_eq!(machine.read("told").trim(), name);
    assert_eq!(living(&started), Vec::<&str>::new());
}

#[test]
fn a_signal_while_servers_are_looked_at_ends_that_and_nothing_is_started() {
    let machine = Machine::new(WORDS);
    fs::remove_file(machine.path("listing")).unwrap();
    assert!(Command::new("mkfifo").arg(machine.path("listing")).status().unwrap().success());
    let mut run = machine.start(&["--", "hello"]);
    // Who opens it has whoever reads it.
    let _writer = fs::OpenOptions::new().write(true).open(machine.path("listing")).unwrap();
    run.tell(Signal::TERM);
    assert_eq!(run.end().code(), Some(143), "{}", run.said());
    assert!(!machine.path("words").exists());
}

#[rstest]
#[case(Signal::TERM, 143)]
#[case(Signal::INT, 130)]
fn a_signal_while_the_client_says_its_version_ends_that_and_nothing_is_started(
    #[case] signal: Signal,
    #[case] code: i32,
) {
    let machine = Machine::new(WORDS);
    let client = "#!/bin/sh\necho $$ > \"$HOME/pid\"\nsleep 1000 & echo $! >> \"$HOME/pid\"\nwait\n";
    machine.write("text", client);
    assert!(Command::new("cp").arg(machine.path("text")).arg(machine.path("bin/claude")).status().unwrap().success());
    let mut run = machine.start(&["--", "hello"]);
    let begun = Instant::now();
    while fs::read_to_string(machine.path("pid")).unwrap_or_default().lines().count() < 2 {
        assert!(begun.elapsed() < LIMIT, "the client is not asked");
        std::thread::sleep(Duration::from_millis(10));
    }
    run.tell(signal);
    assert_eq!(run.end().code(), Some(code), "{}", run.said());
    all_gone(&machine.read("pid"));
    assert!(!machine.path("words").exists());
}

#[test]
fn the_limit_holds_before_the_client_is_started_too_and_leaves_no_copy() {
    let machine = Machine::new(WORDS);
    fs::remove_file(machine.path("listing")).unwrap();
    assert!(Command::new("mkfifo").arg(machine.path("listing")).status().unwrap().success());
    fs::create_dir(machine.path("tmp")).unwrap();
    let machine = Machine { home: machine.home.with("TMPDIR", "tmp") };
    let output = machine.run(&["--max-time", "3s", "--", "hello"]);
    let said = text(&output.stderr).split_whitespace().collect::<Vec<_>>().join(" ");
    assert_eq!(output.status.code(), Some(4), "{said}");
    assert!(said.contains("it has run for 3s; the client was not started yet hint: "), "{said}");
    assert!(!machine.path("words").exists());
    assert_eq!(fs::read_dir(machine.path("tmp")).unwrap().count(), 0);
}

#[test]
fn what_a_caller_names_may_be_a_pipe_and_one_in_which_nothing_comes_is_not_waited_for() {
    let machine = Machine::new(WORDS);
    for name in ["given", "silent"] {
        assert!(Command::new("mkfifo").arg(machine.path(name)).status().unwrap().success());
    }
    let given = machine.path("given");
    let writer = std::thread::spawn(move || fs::write(given, "{\"model\": \"sonnet\"}"));
    let output = machine.run(&["--no-preflight", "--", "--settings", "given", "hello"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    writer.join().unwrap().unwrap();
    let output = machine.run(&["--no-preflight", "--", "--settings", "silent", "hello"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("nothing came to its end there in 10 s"), "{}", text(&output.stderr));
}

#[test]
fn a_client_that_heeds_no_signal_is_ended_by_a_second_one() {
    let machine = Machine::new(&format!("trap '' TERM\n{LEAVES}while :; do sleep 1; done"));
    let mut run = machine.start(&["--no-preflight", "--", "hello"]);
    let started = machine.wait_for("started");
    run.tell(Signal::TERM);
    std::thread::sleep(Duration::from_millis(200));
    run.tell(Signal::TERM);
    assert_eq!(run.end().code(), Some(137));
    all_gone(&started);
}

#[test]
fn nothing_outlives_a_run_that_is_killed() {
    let machine = Machine::new(&format!("trap '' TERM\n{LEAVES}while :; do sleep 1; done"));
    let mut run = machine.start(&["--", "hello"]);
    let started = machine.wait_for("started");
    run.tell(Signal::KILL);
    run.end();
    all_gone(&started);
}

#[test]
fn a_terminal_that_goes_ends_no_run_of_nohup() {
    let machine = Machine::new("echo $$ > \"$HOME/started\"; sleep 2; echo done; exit 6");
    let mut run = machine.start_by(&["nohup"], &["--", "hello"]);
    machine.wait_for("started");
    run.tell(Signal::HUP);
    assert_eq!(run.end().code(), Some(6), "{}", run.said());
}

#[rstest]
#[case::inherited(&[])]
#[case::copied(&["--max-silence", "10m"])]
fn a_gigabyte_passes(#[case] options: &[&str]) {
    let machine = Machine::new("head -c 1073741824 /dev/zero");
    let mut run = machine.start(&[options, &["--no-preflight", "--", "hello"]].concat());
    let mut output = run.0.stdout.take().unwrap();
    let (mut piece, mut all, mut zero) = (vec![0; 1 << 20], 0, true);
    loop {
        match output.read(&mut piece).unwrap() {
            0 => break,
            read => {
                all += read;
                zero &= piece[..read].iter().all(|byte| *byte == 0);
            }
        }
    }
    assert!(run.end().success() && zero);
    assert_eq!(all, 1 << 30);
}

#[test]
fn who_reads_only_the_beginning_ends_the_client_as_without_us() {
    for options in [&[][..], &["--max-silence", "10m"]] {
        let machine = Machine::new("exec cat /dev/zero");
        let mut run = machine.start(&[options, &["--no-preflight", "--", "hello"]].concat());
        let mut piece = [1; 4096];
        run.0.stdout.take().unwrap().read_exact(&mut piece).unwrap();
        assert_eq!(run.end().code(), Some(128 + 13));
    }
}

#[test]
fn a_run_that_is_silent_for_too_long_is_ended_with_what_it_did_last() {
    let machine = Machine::new(
        "mkdir -p \"$HOME/.claude/projects/x\"\n\
         echo '{\"type\":\"assistant\",\"timestamp\":\"2999-01-01T00:00:00Z\",\"message\":{\"id\":\"m\",\"content\":[\
         {\"type\":\"tool_use\",\"name\":\"Bash\",\"input\":{\"command\":\"make test\"}}]}}' \
         > \"$HOME/.claude/projects/x/5e551047-0000-4000-8000-000000000000.jsonl\"\n\
         echo begun; sleep 1000 & echo $! > \"$HOME/started\"; wait",
    );
    let output =
        machine.run(&["--max-silence", "2s", "--", "--session-id", "5e551047-0000-4000-8000-000000000000", "hello"]);
    let said = text(&output.stderr).split_whitespace().collect::<Vec<_>>().join(" ");
    assert_eq!((output.status.code(), text(&output.stdout).as_str()), (Some(4), "begun\n"), "{said}");
    assert!(
        said.contains("no output, transcript or hook for 2s; last: the tool Bash:") && said.contains("make test"),
        "{said}"
    );
    assert!(said.contains("1 turn,"), "{said}");
    assert_eq!(living(&machine.read("started")), Vec::<&str>::new());
}

#[rstest]
#[case::output("echo x")]
#[case::complaints("echo x >&2")]
#[case::transcript("echo >> \"$HOME/.claude/projects/x/5e551047-0000-4000-8000-000000000000.jsonl\"")]
#[case::a_subagents(
    "mkdir -p \"$HOME/.claude/projects/x/5e551047-0000-4000-8000-000000000000/subagents\"; echo >> \"$HOME/.claude/projects/x/5e551047-0000-4000-8000-000000000000/subagents/agent-1.jsonl\""
)]
#[case::a_hook(
    "echo '{\"session_id\":\"5e551047-0000-4000-8000-000000000000\",\"cwd\":\"/x\",\"hook_event_name\":\"SessionEnd\",\"reason\":\"other\"}' | $UNATTENDED_PROGRAM hook"
)]
fn whatever_shows_that_it_works_keeps_a_run_from_being_ended(#[case] works: &str) {
    let machine = Machine::new(&format!(
        "mkdir -p \"$HOME/.claude/projects/x\"; touch \"$HOME/.claude/projects/x/5e551047-0000-4000-8000-000000000000.jsonl\"\n\
         for time in 1 2 3 4 5 6 7 8 9 10 11 12; do {works}; sleep 0.5; done; exit 8"
    ));
    let machine = Machine { home: machine.home.with("UNATTENDED_PROGRAM", PROGRAM) };
    let output =
        machine.run(&["--max-silence", "5s", "--", "--session-id", "5e551047-0000-4000-8000-000000000000", "hello"]);
    assert_eq!(output.status.code(), Some(8), "{}", text(&output.stderr));
}

#[test]
fn a_run_that_takes_too_long_is_ended() {
    let machine = Machine::new("while :; do echo x; sleep 0.1; done");
    let output = machine.run(&["--no-preflight", "--max-time", "5s", "--", "hello"]);
    assert_eq!(output.status.code(), Some(4));
    assert!(
        text(&output.stderr).contains("it has run for 5s; last: nothing that could be seen"),
        "{}",
        text(&output.stderr)
    );
}

#[rstest]
#[case("rate_limit", "the quota is used up")]
#[case("authentication_failed", "the login does not hold")]
fn a_client_that_the_api_ended_is_told_of(#[case] error: &str, #[case] what: &str) {
    let machine = Machine::new(&format!(
        "mkdir -p \"$HOME/.claude/projects/x\"\n\
         while [ \"$1\" != --session-id ]; do shift; done\n\
         echo '{{\"type\":\"assistant\",\"timestamp\":\"2999-01-01T00:00:00Z\",\"isApiErrorMessage\":true,\"error\":\"{error}\",\
         \"message\":{{\"id\":\"m\",\"content\":[{{\"type\":\"text\",\"text\":\"Its words\\u001b[2J\"}}]}}}}' \
         > \"$HOME/.claude/projects/x/$2.jsonl\"; exit 1"
    ));
    let output = machine.run(&["--", "hello"]);
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1));
    assert!(said.contains(&format!("error: {what}: Its words")) && said.contains("hint: "), "{said}");
    assert!(!said.contains('\u{1b}'), "{said:?}");
}

#[test]
fn a_client_that_does_not_start_is_told() {
    let machine = Machine::new("");
    machine.write("broken", "#!/no/such/shell\n");
    fs::set_permissions(machine.path("broken"), fs::Permissions::from_mode(0o755)).unwrap();
    let client = machine.path("broken").display().to_string();
    let output = machine.run(&["--no-preflight", "--client", &client, "--", "hello"]);
    assert_eq!(output.status.code(), Some(126));
    assert!(text(&output.stderr).contains("~/broken does not start: "), "{}", text(&output.stderr));
    let output = machine.run(&["--client", "/no/such/claude", "--", "hello"]);
    assert_eq!(output.status.code(), Some(3), "{}", text(&output.stderr));
}

#[test]
fn a_run_ends_with_what_was_decided_in_it_by_its_ids_and_with_nothing_of_others() {
    let machine = Machine::new(
        "while [ \"$1\" != --session-id ]; do shift; done\n\
         sed \"s/SESSION/$2/\" \"$HOME/question\" | $UNATTENDED_PROGRAM hook > /dev/null\n\
         sed 's/SESSION/another/; s/Painted red/Painted blue/' \"$HOME/question\" | $UNATTENDED_PROGRAM hook > /dev/null",
    );
    let machine = Machine { home: machine.home.with("UNATTENDED_PROGRAM", PROGRAM) };
    machine.write(
        "question",
        &json!({"session_id": "SESSION", "cwd": machine.home.path(), "hook_event_name": "PreToolUse",
            "tool_name": "AskUserQuestion", "tool_use_id": "toolu_1", "permission_mode": "default",
            "tool_input": {"questions": [{"question": "Painted red\u{1b}[2J?", "header": "x", "multiSelect": false,
                "options": [{"label": "Yes", "description": ""}, {"label": "No", "description": ""}]}]}})
        .to_string(),
    );
    let output = machine.run(&["--", "hello"]);
    let said = text(&output.stderr);
    assert!(output.status.success() && output.stdout.is_empty(), "{said}");
    let records = machine.home.records();
    assert_eq!(records.len(), 2);
    let ids: Vec<&str> = records.iter().map(|record| &record["id"].as_str().unwrap()[..7]).collect();
    assert!(
        said.contains(&format!("{}  question denied, not reviewed", ids[0])) && said.contains("Painted red"),
        "{said}"
    );
    assert!(!said.contains(ids[1]) && !said.contains("blue") && !said.contains('\u{1b}'), "{said}");
    assert!(said.contains("1 decision, 1 not yet reviewed; 0 stalls"), "{said}");
    assert!(said.contains("1 question denied,"), "{said}");
}

/// The fenced block of docs/run.md in a language.
fn shown(language: &str) -> String {
    let page = include_str!("../docs/run.md");
    let block = page.split(&format!("```{language}\n")).nth(1).unwrap_or_else(|| panic!("no {language} block"));
    block.split("```").next().unwrap().to_owned()
}

#[test]
fn the_crontab_line_shown_ends_with_its_summary_in_the_log() {
    let line = shown("crontab");
    let machine = Machine::new("readlink /proc/self/fd/0; pwd; echo fixed");
    let bin = machine.path(".local/bin");
    fs::create_dir_all(&bin).unwrap();
    for (program, name) in [(PathBuf::from(PROGRAM), "unattended"), (machine.path("bin/claude"), "claude")] {
        assert!(Command::new("cp").arg(program).arg(bin.join(name)).status().unwrap().success());
    }
    fs::create_dir(machine.path("project")).unwrap();
    // As cron does: the fields of the time are its own, the rest is a line for sh.
    let command = line.trim().splitn(6, ' ').nth(5).unwrap();
    let status = Command::new("sh")
        .args(["-c", command])
        .env_clear()
        .env("HOME", machine.home.path())
        .env("PATH", "/usr/bin:/bin")
        .env("IS_SANDBOX", "1")
        .env("ANTHROPIC_API_KEY", "sk-planted")
        .current_dir(machine.home.path())
        .stdin(Stdio::null())
        .status()
        .unwrap();
    let log = machine.read("unattended.log");
    assert!(status.success(), "{log}");
    let project = machine.path("project").canonicalize().unwrap();
    assert!(log.contains(&format!("/dev/null\n{}\nfixed\n", project.display())), "{log}");
    assert!(log.contains("The run ended with exit code 0 after"), "{log}");
}

#[test]
fn the_unit_and_the_timer_shown_are_taken_by_systemd() {
    let analyze = Command::new("systemd-analyze").arg("--version").output();
    if !analyze.is_ok_and(|output| output.status.success()) {
        eprintln!("not tried: systemd-analyze is not here");
        return;
    }
    let home = tempfile::tempdir().unwrap();
    let page = include_str!("../docs/run.md");
    let mut files = Vec::new();
    for part in page.split("`~/.config/systemd/user/").skip(1) {
        let (name, rest) = part.split_once('`').unwrap();
        let unit = rest.split("```ini\n").nth(1).unwrap().split("```").next().unwrap();
        files.push(home.path().join(name));
        // The executable is not there on this machine.
        fs::write(files.last().unwrap(), unit.replace("%h/.local/bin/unattended", PROGRAM)).unwrap();
    }
    assert_eq!(files.len(), 2);
    let output = Command::new("systemd-analyze")
        .args(["--user", "verify"])
        .args(&files)
        .env("XDG_RUNTIME_DIR", home.path())
        .output()
        .unwrap();
    let said = text(&output.stderr);
    assert!(output.status.success() && said.trim().is_empty(), "{said}");
}
