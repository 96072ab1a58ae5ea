//! `unattended run` with the real client: from nohup and a terminal, with and without hooks installed, with a server that
//! wants a login, with a login that does not hold, and ended by signals.

use std::process::{Child, Command, Output, Stdio};
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow, bail, ensure};
use libtest_mimic::Trial;
use portable_pty::{CommandBuilder, PtySize, native_pty_system};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;

use crate::api::Api;
use crate::cell::{Stage, records};
use crate::cells::{NEWEST, VERSIONS};
use crate::client::Client;
use crate::home::Home;
use crate::oauth::Oauth;

/// How long a run may take here before it counts as hanging.
const LIMIT: Duration = Duration::from_secs(60);

/// A run to try.
struct Case {
    name: &'static str,
    /// It is in the quick subset.
    quick: bool,
    try_it: fn(&Machine) -> Result<()>,
}

static CASES: [Case; 9] = [
    Case { name: "nohup", quick: true, try_it: nohup },
    Case { name: "installed", quick: false, try_it: installed },
    Case { name: "terminal", quick: true, try_it: terminal },
    Case { name: "needs-login", quick: true, try_it: needs_login },
    Case {
        name: "login-ended",
        quick: true,
        try_it: |machine| died(machine, "died-of-login", "the login does not hold: "),
    },
    Case {
        name: "quota-ended",
        quick: false,
        try_it: |machine| died(machine, "died-of-rate-limit", "the quota is used up: "),
    },
    Case { name: "terminated", quick: true, try_it: |machine| ended_by(machine, Signal::TERM) },
    Case { name: "interrupted", quick: false, try_it: |machine| ended_by(machine, Signal::INT) },
    Case { name: "killed", quick: false, try_it: |machine| ended_by(machine, Signal::KILL) },
];

static OLDEST: Case = Case { name: "brought", quick: false, try_it: brought };

/// A home on which nothing stands in the way of a run, and the model for it.
struct Machine {
    home: Home,
    api: Api,
    stage: Arc<Stage>,
}

/// The trials; some belong to the whole matrix.
pub fn trials(all: bool, stage: Stage, wants: impl Fn(&str) -> bool) -> Vec<Trial> {
    let stage = Arc::new(stage);
    // What a run gives the client is the same for all of them; the oldest must take it as well.
    let oldest = VERSIONS.last().copied().filter(|_| all).map(|version| (version, &OLDEST));
    let cases = CASES.iter().filter(|case| all || case.quick).map(|case| (NEWEST, case)).chain(oldest);
    let trials = cases.map(|(version, case)| {
        let stage = Arc::clone(&stage);
        let try_it = case.try_it;
        Trial::test(format!("run/{version}/{}", case.name), move || {
            let tried = Machine::make(&stage, version).and_then(|machine| try_it(&machine));
            tried.map_err(|error| format!("{error:#}").into())
        })
    });
    trials.filter(|trial| wants(trial.name())).collect()
}

impl Machine {
    fn make(stage: &Arc<Stage>, version: &str) -> Result<Machine> {
        let mut home = Home::make(&Client::cached(version)?, "default")?;
        let plan_file = home.folder().join(".claude/plans/plan.md");
        // Nobody listens to it: these runs end by themselves, or are ended.
        let (bell, _) = channel();
        let api = Api::start(Arc::clone(&stage.scenarios), home.project(), plan_file, bell)?;
        home.talk_to(api.url());
        // By another process: a file that is open for writing anywhere cannot be run.
        let place = home.folder().join("bin/unattended");
        home.run("cp", &[&stage.binary.to_string_lossy(), &place.to_string_lossy()])?;
        Ok(Machine { home, api, stage: Arc::clone(stage) })
    }

    fn prompt(&self, scenario: &str) -> Result<String> {
        Ok(self.stage.scenarios.get(scenario).context("no such scenario")?.prompt(scenario))
    }

    fn closing(&self, scenario: &str) -> &str {
        self.stage.scenarios.get(scenario).map_or("", |scenario| scenario.closing())
    }

    /// A run of a scenario in a permission mode, not started yet.
    fn command(&self, around: &[&str], scenario: &str, mode: &str) -> Result<Command> {
        let own = self.home.folder().join("bin/unattended").display().to_string();
        let mut words: Vec<&str> = around.to_vec();
        words.extend([own.as_str(), "run", "--", "--permission-mode", mode]);
        let (program, args) = words.split_first().context("no program")?;
        let mut command = self.home.command(program);
        command.args(args).arg(self.prompt(scenario)?).stdout(Stdio::piped()).stderr(Stdio::piped());
        Ok(command)
    }

    fn run(&self, around: &[&str], scenario: &str, mode: &str) -> Result<Output> {
        let child = self.command(around, scenario, mode)?.spawn()?;
        let leader = child.id();
        let (tell, hear) = channel();
        std::thread::spawn(move || tell.send(child.wait_with_output()));
        hear.recv_timeout(LIMIT).map_err(|_| anyhow!("the run {leader} does not end"))?.map_err(Into::into)
    }

    /// The kinds of what was decided.
    fn decided(&self) -> Result<Vec<String>> {
        let records = records(&self.home.state())?;
        let denied = records.iter().filter(|record| record["decision"]["action"] == "deny");
        Ok(denied.filter_map(|record| record["kind"].as_str().map(str::to_owned)).collect())
    }

    /// What is left of the run, by its environment.
    fn left(&self) -> Vec<String> {
        let wanted = [b"HOME=", self.home.folder().as_os_str().as_encoded_bytes()].concat();
        let mut left = Vec::new();
        for entry in std::fs::read_dir("/proc").into_iter().flatten().flatten() {
            let environment = std::fs::read(entry.path().join("environ")).unwrap_or_default();
            if environment.split(|byte| *byte == 0).any(|variable| variable == wanted) {
                let words = std::fs::read(entry.path().join("cmdline")).unwrap_or_default();
                left.push(String::from_utf8_lossy(&words).replace('\0', " ").chars().take(200).collect());
            }
        }
        left
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// It went well, with the closing words alone on standard output, and the summary on standard error.
fn went_on(machine: &Machine, output: &Output, scenario: &str, counts: &str) -> Result<()> {
    let said = text(&output.stderr);
    ensure!(output.status.success(), "{}: {said}", output.status);
    ensure!(text(&output.stdout).trim() == machine.closing(scenario), "{}", text(&output.stdout));
    let flat = said.split_whitespace().collect::<Vec<_>>().join(" ");
    ensure!(flat.contains("The run ended with exit code 0 after") && flat.contains(counts), "{said}");
    ensure!(machine.left().is_empty(), "left: {:?}", machine.left());
    Ok(())
}

/// The hooks come along for this run.
fn nohup(machine: &Machine) -> Result<()> {
    let before = machine.home.read(".claude/settings.json")?;
    let output = machine.run(&["nohup"], "permission", "default")?;
    went_on(machine, &output, "permission", "2 turns, 0 questions denied, 1 permission denied, 0 stalls")?;
    ensure!(machine.home.read(".claude/settings.json")? == before, "the settings have changed");
    ensure!(machine.decided()? == ["permission"], "{:?}", machine.decided()?);
    Ok(())
}

/// What the oldest client asks of hooks in a plain `-p`: the start and the end.
fn brought(machine: &Machine) -> Result<()> {
    let output = machine.run(&[], "ends", "default")?;
    went_on(machine, &output, "ends", "1 turn,")?;
    let records = records(&machine.home.state())?;
    let started = |record: &serde_json::Value| record["event"] == "SessionStart" && record["on"] == true;
    ensure!(records.iter().any(started), "{records:?}");
    Ok(())
}

/// They are there once where they are installed.
fn installed(machine: &Machine) -> Result<()> {
    machine.home.run(machine.home.folder().join("bin/unattended"), &["install", "--client-version", NEWEST])?;
    let output = machine.run(&[], "permission", "default")?;
    went_on(machine, &output, "permission", "1 permission denied")?;
    ensure!(machine.decided()? == ["permission"], "{:?}", machine.decided()?);
    Ok(())
}

/// In which a program that the model starts asks on the terminal.
fn terminal(machine: &Machine) -> Result<()> {
    let size = PtySize { rows: 24, cols: 80, pixel_width: 0, pixel_height: 0 };
    let pair = native_pty_system().openpty(size)?;
    let mut command = CommandBuilder::new(machine.home.folder().join("bin/unattended"));
    command.env_clear();
    machine.home.environment().iter().for_each(|(name, value)| command.env(name, value));
    command.cwd(machine.home.project());
    command.args(["run", "--", "--permission-mode", "bypassPermissions", &machine.prompt("reads-terminal")?]);
    let mut child = pair.slave.spawn_command(command).map_err(|error| anyhow!("no run in a terminal: {error}"))?;
    drop(pair.slave);
    let mut reader = pair.master.try_clone_reader()?;
    let (tell, hear) = channel();
    std::thread::spawn(move || {
        let mut shown = Vec::new();
        // The terminal's end is an error on Linux.
        let _ = std::io::Read::read_to_end(&mut reader, &mut shown);
        tell.send(shown)
    });
    let shown = text(&hear.recv_timeout(LIMIT).context("the run does not end")?);
    ensure!(child.wait()?.success(), "{shown}");
    ensure!(shown.contains(machine.closing("reads-terminal")), "{shown}");
    ensure!(machine.api.with(|kept| kept.heard("no terminal")), "the program was not refused");
    ensure!(shown.contains("turn"), "no progress is shown: {shown:?}");
    Ok(())
}

fn needs_login(machine: &Machine) -> Result<()> {
    let oauth = Oauth::start()?;
    let mut told = machine.home.read(".claude.json")?;
    told["mcpServers"] = json!({"tickets": {"type": "http", "url": oauth.url()}});
    machine.home.write(".claude.json", &told)?;
    let output = machine.run(&[], "ends", "default")?;
    let said = text(&output.stderr);
    ensure!(output.status.code() == Some(3) && output.stdout.is_empty(), "{}: {said}", output.status);
    ensure!(said.contains("tickets wants a person to log in") && said.contains("claude mcp login tickets"), "{said}");
    ensure!(machine.api.with(|kept| kept.turns.is_empty()), "something was spent");
    Ok(())
}

fn died(machine: &Machine, scenario: &str, of: &str) -> Result<()> {
    let output = machine.run(&[], scenario, "default")?;
    let said = text(&output.stderr);
    ensure!(output.status.code() == Some(1), "{}: {said}", output.status);
    ensure!(said.contains(&format!("error: {of}")) && said.contains("hint: "), "{said}");
    Ok(())
}

/// With a tool that is at work, and what that has started in a session of its own.
fn ended_by(machine: &Machine, signal: Signal) -> Result<()> {
    // Whoever runs the suite may have it ignore some.
    let mut child = machine.command(&["env", "--default-signal"], "works-on", "bypassPermissions")?.spawn()?;
    let begun = Instant::now();
    let there =
        |name: &str| std::fs::read_to_string(machine.home.project().join(name)).is_ok_and(|text| !text.is_empty());
    while !(there("working") && there("daemon")) {
        if begun.elapsed() > LIMIT || child.try_wait()?.is_some() {
            let _ = child.kill();
            bail!("the tool did not begin: {}", text(&child.wait_with_output()?.stderr));
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    kill_process(Pid::from_raw(child.id() as i32).context("no pid")?, signal)?;
    ended(&mut child, begun)?;
    // Whoever kills us does not wait for what follows.
    let killed = Instant::now();
    while !machine.left().is_empty() {
        ensure!(signal == Signal::KILL && killed.elapsed() < LIMIT, "left: {:?}", machine.left());
        std::thread::sleep(Duration::from_millis(50));
    }
    if signal != Signal::KILL {
        let said = text(&child.wait_with_output()?.stderr);
        ensure!(said.contains("The run ended with exit code"), "{said}");
    }
    Ok(())
}

fn ended(child: &mut Child, begun: Instant) -> Result<()> {
    while child.try_wait()?.is_none() {
        if begun.elapsed() > LIMIT {
            let _ = child.kill();
            bail!("the run does not end");
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    Ok(())
}
