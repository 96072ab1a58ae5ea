//! The demonstration: the real client in tmux with a scripted model, first without us, then with us, then what a person
//! reads afterwards. For a person to watch, or for the pictures in the README, which its trial makes anew.

use std::os::fd::AsFd;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use libtest_mimic::{Failed, Trial};

use crate::api::Api;
use crate::cell::Stage;
use crate::cells::NEWEST;
use crate::client::Client;
use crate::driver::terminal::dialog;
use crate::home::Home;
use crate::hooks::{Hooks, Switch};
use crate::play::Play;
use crate::screens;

/// Its name beside the cells.
pub const NAME: &str = "2.1.332/demo";
/// The scenario that is played.
const SCENARIO: &str = "demo";
/// What is said of the decision afterwards.
const CORRECTION: &str = "Redis: the workers share it.";
/// The rows and columns of a picture; blank rows at its end are left out.
const SIZE: (u16, u16) = (34, 80);
/// How long a screen may take to show something, and how long it has not changed when it counts as still.
const LIMIT: Duration = Duration::from_secs(60);
const STILL: Duration = Duration::from_millis(1500);
/// How long a person may look at a screen, in seconds.
const LOOK: u64 = 8;

/// The pictures: file, the frame's title, what there is to see.
const PICTURES: [(&str, &str, &str); 3] = [
    ("without.svg", "at night, without unattended", "Claude Code asks a question. Nobody is there: it waits."),
    (
        "with.svg",
        "at night, with unattended",
        "The question is denied; the model decides, says what it assumed, and goes on.",
    ),
    (
        "review.svg",
        "in the morning",
        "unattended review shows what was decided; unattended correct says what you want instead.",
    ),
];

/// A tmux server of its own; it ends with the value.
struct Tmux {
    socket: PathBuf,
    /// A person's view of it.
    view: Option<Child>,
}

impl Tmux {
    fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new("tmux");
        command.env_remove("TMUX").env_remove("TMUX_PANE").env("LANG", "C.UTF-8");
        command.arg("-S").arg(&self.socket).args(["-f", "/dev/null"]).args(words);
        command
    }

    fn run(&self, words: &[&str]) -> Result<String> {
        let output = self.command(words).output().context("tmux cannot be run")?;
        ensure!(output.status.success(), "tmux {}: {}", words.join(" "), String::from_utf8_lossy(&output.stderr));
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }

    /// Opens a window with a program in a home; the first one opens the session.
    fn open(&self, home: &Home, program: &[&str]) -> Result<()> {
        let (rows, columns) = (SIZE.0.to_string(), SIZE.1.to_string());
        let project = home.project().display().to_string();
        let opens = ["new-session", "-d", "-x", &columns, "-y", &rows, "-c", &project];
        let words = if self.socket.exists() { &["new-window", "-c", &project][..] } else { &opens };
        let mut words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        words.extend(["env".to_owned(), "-i".to_owned()]);
        for (variable, value) in home.environment().iter().filter(|(variable, _)| variable != "TERM") {
            words.push(format!("{}={}", variable.to_string_lossy(), value.to_string_lossy()));
        }
        words.push("TERM=tmux-256color".to_owned());
        words.extend(program.iter().map(|word| (*word).to_owned()));
        self.run(&words.iter().map(String::as_str).collect::<Vec<_>>())?;
        Ok(())
    }

    /// Shows the session to the person at this terminal.
    fn show(&mut self) -> Result<()> {
        // Standard input is not it: a shell without job control gives what it starts beside itself /dev/null.
        let terminal = std::io::stdout().as_fd().try_clone_to_owned()?;
        for option in [["status-style", "bg=colour25,fg=colour231"], ["status-left-length", "120"]] {
            self.run(&["set", "-g", option[0], option[1]])?;
        }
        for option in ["status-right", "window-status-format", "window-status-current-format"] {
            self.run(&["set", "-g", option, ""])?;
        }
        self.view = Some(self.command(&["attach"]).stdin(terminal).spawn()?);
        Ok(())
    }

    /// Lets a person look for so many seconds; false if they have gone.
    fn pause(&mut self, seconds: u64) -> Result<bool> {
        let Some(view) = &mut self.view else { return Ok(true) };
        let until = Instant::now() + Duration::from_secs(seconds);
        while Instant::now() < until {
            if view.try_wait()?.is_some() {
                return Ok(false);
            }
            std::thread::sleep(Duration::from_millis(100));
        }
        Ok(true)
    }

    /// Says what there is to see.
    fn caption(&self, text: &str) -> Result<()> {
        if self.view.is_some() {
            self.run(&["set", "-g", "status-left", &format!(" {text}  (Ctrl-b d ends it)")])?;
        }
        Ok(())
    }

    fn text(&self) -> Result<String> {
        self.run(&["capture-pane", "-p"])
    }

    /// Waits until the screen shows something and stands still.
    fn until(&self, what: &str, shown: impl Fn(&str) -> bool) -> Result<()> {
        let started = Instant::now();
        let (mut before, mut since) = (String::new(), Instant::now());
        loop {
            let text = self.text()?;
            if text != before {
                (before, since) = (text, Instant::now());
            }
            if shown(&before) && since.elapsed() > STILL {
                return Ok(());
            }
            if started.elapsed() > LIMIT {
                bail!("not seen within {LIMIT:?}: {what}; last:\n{before}");
            }
            std::thread::sleep(Duration::from_millis(100));
        }
    }
}

impl Drop for Tmux {
    fn drop(&mut self) {
        let _ = self.command(&["kill-server"]).output();
        if let Some(view) = &mut self.view {
            let _ = view.wait();
        }
    }
}

/// A home with the program and these hooks, and the model for it.
fn machine(stage: &Stage, hooks: Hooks) -> Result<(Home, Api)> {
    let mut home = Home::make(&Client::cached(NEWEST)?, "acceptEdits")?;
    // By another process: a file that is open for writing anywhere cannot be run.
    let place = home.folder().join("bin/unattended");
    home.run("cp", &[&stage.binary.to_string_lossy(), &place.to_string_lossy()])?;
    hooks.install(&home, &place, Some(NEWEST))?;
    let play = Play {
        scenarios: Arc::clone(&stage.scenarios),
        project: home.project(),
        plan_file: home.folder().join(".claude/plans/plan.md"),
        only: Some(SCENARIO.to_owned()),
    };
    // Nobody listens to it: what happens is read off the screen.
    let (bell, _) = channel();
    let api = Api::serve(play, bell)?;
    home.talk_to(api.url());
    Ok((home, api))
}

/// Plays it; the pictures, as many as there were before the person has gone.
fn play(stage: &Stage, person: bool) -> Result<Vec<String>> {
    let scenario = stage.scenarios.get(SCENARIO).context("no scenario for it")?;
    let (without, _model) = machine(stage, Hooks::None)?;
    let (with, _other_model) = machine(stage, Hooks::Ours(Switch::On))?;
    let mut tmux = Tmux { socket: without.temporary().with_file_name("tmux"), view: None };
    let claude = ["claude", "--permission-mode", "acceptEdits", scenario.prompt.as_str()];
    let mut pictures = Vec::new();
    let mut take = |tmux: &Tmux| -> Result<()> {
        let (_, title, about) = PICTURES[pictures.len()];
        let screen = screens::captured(&tmux.run(&["capture-pane", "-e", "-p"])?, SIZE.0, SIZE.1);
        pictures.push(screens::svg(screen.screen(), title, about));
        Ok(())
    };

    tmux.open(&without, &claude)?;
    if person {
        tmux.show()?;
    } else {
        tmux.run(&["set", "-g", "status", "off"])?;
    }
    tmux.caption("1/3 Claude Code at work, without unattended")?;
    tmux.until("a dialog", |text| dialog(text).is_some())?;
    take(&tmux)?;
    tmux.caption("1/3 It asks. Nobody is there, so it waits, all night")?;
    if !tmux.pause(LOOK)? {
        return Ok(pictures);
    }

    tmux.open(&with, &claude)?;
    tmux.caption("2/3 The same work, with unattended")?;
    tmux.until("the end", |text| text.contains(scenario.closing()))?;
    take(&tmux)?;
    tmux.caption("2/3 The question was denied: it decided, said so, and is done")?;
    if !tmux.pause(LOOK)? {
        return Ok(pictures);
    }

    tmux.open(&with, &["env", "PS1=$ ", "sh"])?;
    tmux.caption("3/3 In the morning: what was decided without you")?;
    tmux.until("a prompt", |text| text.contains('$'))?;
    tmux.run(&["send-keys", "unattended review", "Enter"])?;
    tmux.until("the review", |text| text.contains("not yet reviewed"))?;
    if !tmux.pause(LOOK)? {
        return Ok(pictures);
    }
    let text = tmux.text()?;
    let id = text.lines().find(|line| line.contains("question denied")).and_then(|line| line.split_whitespace().next());
    let id = id.context("the review shows no question")?;
    tmux.caption("3/3 Your word on it: the next session of the project is told")?;
    tmux.run(&["send-keys", &format!("unattended correct {id} \"{CORRECTION}\""), "Enter"])?;
    tmux.until("the correction", |text| text.lines().filter(|line| line.starts_with('$')).count() == 3)?;
    take(&tmux)?;
    if tmux.pause(LOOK)? && person {
        tmux.caption("Yours: try `unattended status` or `unattended review --full`; `exit` ends it")?;
        tmux.run(&["kill-window", "-a"])?;
        while tmux.pause(3600)? {}
    }
    Ok(pictures)
}

/// Plays it to the person at this terminal.
pub fn watched(stage: &Stage) -> Result<()> {
    play(stage, true).map(|_| ())
}

/// Plays it for the pictures, and writes them into a folder.
pub fn drawn(stage: &Stage, folder: &Path) -> Result<()> {
    for ((file, ..), picture) in PICTURES.iter().zip(play(stage, false)?) {
        std::fs::write(folder.join(file), picture).with_context(|| format!("cannot write {file}"))?;
        println!("{}", folder.join(file).display());
    }
    Ok(())
}

/// The trial: the pictures in the README, made anew, say the same.
pub fn trial(stage: Stage) -> Trial {
    Trial::test(NAME, move || {
        let found = differences(&stage).map_err(|error| format!("{error:#}"))?;
        if found.is_empty() { Ok(()) } else { Err(Failed::from(found.join("\n"))) }
    })
}

fn differences(stage: &Stage) -> Result<Vec<String>> {
    let mut found = Vec::new();
    for ((file, ..), picture) in PICTURES.iter().zip(play(stage, false)?) {
        let kept = std::fs::read_to_string(crate::root().join("docs/demo").join(file))?;
        let said = |picture: &str| -> Vec<String> {
            screens::lines(picture).iter().filter(|line| !passes(line)).map(|line| screens::steady(line)).collect()
        };
        if said(&kept) != said(&picture) {
            found.push(format!("{file} says\n{}\nnow it is\n{}", said(&kept).join("\n"), said(&picture).join("\n")));
        }
    }
    if !found.is_empty() {
        found.push("docs/demo.sh --pictures docs/demo makes them anew".to_owned());
    }
    Ok(found)
}

/// A line of the client's that comes and goes: how long a turn took, and what it can do besides.
fn passes(line: &str) -> bool {
    line.contains(" for ") && line.contains(" · done ") || line.contains("/effort") || line.contains("shift+tab")
}
