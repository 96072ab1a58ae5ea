//! A session under way in a cell: starts it, answers as a person would, makes it begin anew. Judges nothing.

use std::sync::mpsc::{Receiver, Sender};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use crate::api::Api;
use crate::cell::{Cell, records};
use crate::driver::{Happened, Outcome, Session, Start, watch};
use crate::home::Home;
use crate::scenario::Anew;

/// How long a screen may take to show what was typed.
const SHOWN: Duration = Duration::from_secs(20);
/// The most dialogs a person has to answer in one cell.
const DIALOGS: usize = 4;

/// What a session runs with.
pub struct Run<'a> {
    /// The cell.
    pub cell: &'a Cell,
    /// Its home.
    pub home: &'a Home,
    /// Its API.
    pub api: &'a Api,
    /// Rings for the watch.
    pub bell: Sender<Happened>,
    /// What the watch hears.
    pub heard: Receiver<Happened>,
    /// The closing words of the scenario that follows where the session begins anew.
    pub closing: &'a str,
}

impl Run<'_> {
    /// Starts the client.
    pub fn start(&self, prompt: &str, closing: &str, extra: &[String]) -> Result<Box<dyn Session>> {
        let Cell { mode, way, .. } = self.cell;
        way.start(Start { home: self.home, mode, prompt, closing, extra, bell: self.bell.clone() })
    }

    /// Answers each dialog by the first choice that goes on with it (a form by Esc) until the run has ended.
    pub fn answer(&mut self, session: &mut dyn Session) -> Result<Outcome> {
        let mut outcome = Outcome::Failed("no dialog was answered".to_owned());
        for _ in 0..DIALOGS {
            let screen = session.screen().unwrap_or_default();
            // On 2.1.50 the first way to approve a plan begins a new conversation, of which the script knows nothing.
            let keys = match self.cell.scenario {
                "elicitation" => "\x1b",
                _ if screen.contains("1. Yes, clear context") => "2",
                _ => "1",
            };
            session.press(keys)?;
            outcome = watch(session, self.api, &self.heard);
            if !matches!(outcome, Outcome::Waits(_)) {
                break;
            }
        }
        Ok(outcome)
    }

    /// Makes a session that has ended its turn begin anew, with this prompt, and watches it again.
    pub fn begin_anew(&mut self, session: &mut Box<dyn Session>, anew: Anew, prompt: &str) -> Result<Outcome> {
        match anew {
            Anew::Resume => {
                // By its id: on 2.1.90 `-p --continue` does not find a session of `-p` and starts another.
                let extra = ["--resume".to_owned(), self.session_id()?];
                // The old process must be gone before the new one rings the same bell.
                let (bell, heard) = std::sync::mpsc::channel();
                (self.bell, self.heard) = (bell, heard);
                self.api.ring(self.bell.clone());
                *session = self.start(prompt, self.closing, &extra)?;
            }
            Anew::Clear => self.type_line(session.as_mut(), "/clear")?,
            Anew::Compact => {
                let before = self.api.with(|kept| kept.aside.len());
                self.type_line(session.as_mut(), "/compact")?;
                let summed_up = |_: &str| {
                    self.api.with(|kept| {
                        kept.aside
                            .iter()
                            .skip(before)
                            .any(|(_, body)| body.to_string().contains("create a detailed summary"))
                    })
                };
                self.until(session.as_mut(), "a summary was asked for", summed_up)?;
                self.until(session.as_mut(), "the session is compacted", |screen| screen.contains("ompacted"))?;
            }
        }
        if anew != Anew::Resume {
            self.type_line(session.as_mut(), prompt)?;
            session.closes_with(self.closing);
        }
        Ok(watch(session.as_mut(), self.api, &self.heard))
    }

    /// The id of the session, as our records have it.
    fn session_id(&self) -> Result<String> {
        let records = records(&self.home.state())?;
        let id = records.iter().find_map(|record| record["session_id"].as_str());
        Ok(id.context("no record names a session")?.to_owned())
    }

    /// Types a line, and Enter once it is on the screen.
    fn type_line(&self, session: &mut dyn Session, line: &str) -> Result<()> {
        session.press(line)?;
        let wanted: String = line.split_whitespace().collect();
        let shown = |screen: &str| screen.split_whitespace().collect::<String>().contains(&wanted);
        self.until(session, "what was typed is on the screen", shown)?;
        session.press("\r")?;
        self.until(session, "the line is taken", |screen| !prompt_line(screen).contains(&wanted))
    }

    /// Waits until a screen shows something.
    fn until(&self, session: &mut dyn Session, what: &str, shown: impl Fn(&str) -> bool) -> Result<()> {
        let started = Instant::now();
        while !session.screen().is_some_and(|screen| shown(&screen)) {
            if started.elapsed() > SHOWN {
                bail!("not seen within {SHOWN:?}: {what}; last: {}", session.last_seen());
            }
            if let Ok(Happened::Wrote(bytes)) = self.heard.recv_timeout(Duration::from_millis(100)) {
                session.take(&bytes);
            }
        }
        Ok(())
    }
}

/// The line in which a person types, without white space: the last one that begins with the prompt's sign.
fn prompt_line(screen: &str) -> String {
    let line = screen.lines().rfind(|line| line.trim_start().starts_with(['>', '❯']));
    line.unwrap_or_default().split_whitespace().collect()
}
