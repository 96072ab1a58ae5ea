//! `unattended answer` alone: asks the person in the terminal, one request after another, and notices when one is over
//! while it asks. A line that was begun for one request, or before the next one was shown, never answers that one.

use std::cell::Cell;
use std::collections::HashSet;
use std::io;
use std::path::Path;
use std::slice;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;

use super::{asked, folder, id_length, over, taken, waiting};
use crate::commands::review::{print, width};
use crate::folder_watch::{FolderWatch, Woken};
use crate::record::Kind;
use crate::request::screen::{self, Screen};
use crate::request::{Asked, Chosen, Request, Said, fits, words};
use crate::review::text::{line, wrapped};
use crate::{clock, pending};

/// How long at most between two looks at whether a request still waits: a hook that was killed tells nobody.
const LOOK: Duration = Duration::from_secs(2);
const INDENT: &str = "    ";

/// What ends a look.
enum Event {
    /// A line of the person's; none is the end of the stream.
    Line(Option<String>),
    /// Something changed in `pending`.
    Changed,
}

/// Why there is nothing that was said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Unsaid {
    /// The person passes this one over.
    Skipped,
    /// The person has had enough.
    Quit,
    /// It waits no more.
    Over,
}

/// A request that is put to the person.
struct Asking<'r> {
    state: &'r Path,
    request: &'r Request,
    asked: &'r Asked,
    screen: Screen,
    events: &'r Receiver<Event>,
}

/// Asks about what waits: one request, or all of them and those that come meanwhile.
///
/// # Errors
/// A state folder that cannot be read or written, or a terminal that takes nothing.
pub(super) fn walk(state: &Path, only: Option<&Request>, means: &str) -> anyhow::Result<()> {
    let events = events(state);
    // The same call, asked anew, has the same id and another token.
    let key = |request: &Request| (request.id.clone(), request.token.clone());
    let mut seen = HashSet::new();
    loop {
        let waiting = match only {
            Some(request) => vec![request.clone()],
            None => waiting(state)?,
        };
        let screen = Screen { width: width(), whole: true, id_length: id_length(&waiting) };
        let left: Vec<&Request> = waiting.iter().filter(|request| !seen.contains(&key(request))).collect();
        let Some(request) = left.first() else {
            return match only {
                Some(_) => Ok(()),
                None if seen.is_empty() => print("Nothing waits for a person.\n"),
                None => print("\nNothing more waits.\n"),
            };
        };
        seen.insert(key(request));
        let asked = match asked(request) {
            Ok(asked) => asked,
            Err(error) => {
                print(&format!("\n{}", wrapped(&error.to_string(), screen.width, "")))?;
                continue;
            }
        };
        if !forget_lines(&events) {
            return Ok(());
        }
        let head = screen::head(request, &asked, &folder(&asked), clock::now(), screen);
        let behind = match left.len() {
            0 | 1 => String::new(),
            many => format!("{INDENT}{} more behind it\n", many - 1),
        };
        print(&format!("\n{head}{behind}\n"))?;
        let asking = Asking { state, request, asked: &asked, screen, events: &events };
        match asking.ask()? {
            Ok(said) => {
                let told = taken(state, request, &asked, said, means).unwrap_or_else(|error| error.to_string());
                print(&wrapped(&told, screen.width, INDENT))?;
            }
            Err(Unsaid::Skipped) => print(&format!("{INDENT}passed over; it waits on\n"))?,
            Err(Unsaid::Quit) => return Ok(()),
            Err(Unsaid::Over) => {
                print("\n")?;
                print(&wrapped(&over(state, &request.id).to_string(), screen.width, INDENT))?;
                let go_on = wrapped("Enter to go on; what you have typed answers nothing:", screen.width, INDENT);
                print(&format!("{} ", go_on.trim_end()))?;
                match next_line(&events) {
                    Some(text) if text != "q" => {}
                    _ => return Ok(()),
                }
            }
        }
    }
}

impl Asking<'_> {
    /// What the person says to it.
    fn ask(&self) -> anyhow::Result<Result<Said, Unsaid>> {
        if self.asked.kind != Kind::Question || self.asked.questions.is_empty() {
            print(&screen::body(self.asked, self.screen))?;
            print(&format!("\n{}", self.ways(self.asked)))?;
            // Who was asked for the reason may give it alone.
            let rejects = Cell::new(false);
            return self.until_it_fits(|typed| {
                let rejected = rejects.replace(typed == "reject");
                self.verb(typed).or_else(|why| match rejected {
                    true => self.verb(&format!("reject {typed}")),
                    false => Err(why),
                })
            });
        }
        let mut answers = Vec::new();
        let of = self.asked.questions.len();
        for (at, question) in self.asked.questions.iter().enumerate() {
            let number = (of > 1).then_some((at + 1, of));
            let gap = if at > 0 { "\n" } else { "" };
            print(&format!("{gap}{}", screen::show_question(question, number, self.screen)))?;
            let alone = Asked { questions: vec![question.clone()], ..self.asked.clone() };
            print(&format!("\n{}", self.ways(&alone)))?;
            let fitting = |typed: &str| -> Result<Chosen, String> {
                let chosen = words::chosen(question, typed)?;
                let said = Said::Answer { answers: vec![chosen.clone()] };
                fits(&said, Kind::Question, slice::from_ref(question)).map(|()| chosen)
            };
            match self.until_it_fits(fitting)? {
                Ok(chosen) => answers.push(chosen),
                Err(unsaid) => return Ok(Err(unsaid)),
            }
        }
        Ok(Ok(Said::Answer { answers }))
    }

    fn ways(&self, asked: &Asked) -> String {
        let ways = screen::ways(asked, self.screen.width);
        format!("{}{INDENT}Enter passes it over, q ends.\n", ways)
    }

    /// `approve`, `approve MODE`, `reject why`, `allow`, `deny`, `deny why`.
    fn verb(&self, typed: &str) -> Result<Said, String> {
        let (verb, rest) = typed.split_once(char::is_whitespace).unwrap_or((typed, ""));
        let rest = rest.trim();
        if verb == "approve" {
            let mode = rest.strip_prefix("--mode").unwrap_or(rest).trim();
            return words::said(self.asked, &[verb.to_owned()], Some(mode).filter(|mode| !mode.is_empty()));
        }
        let why = rest.trim_matches('"');
        let said: Vec<String> = [verb, why].into_iter().filter(|word| !word.is_empty()).map(str::to_owned).collect();
        words::said(self.asked, &said, None)
    }

    /// Asks again until a line fits.
    fn until_it_fits<T>(&self, read: impl Fn(&str) -> Result<T, String>) -> anyhow::Result<Result<T, Unsaid>> {
        loop {
            print(&format!("{INDENT}> "))?;
            let typed = match self.typed() {
                Ok(typed) => typed,
                Err(unsaid) => return Ok(Err(unsaid)),
            };
            match read(&typed) {
                Ok(said) => return Ok(Ok(said)),
                Err(why) => print(&wrapped(&line(&why, 400), self.screen.width, INDENT))?,
            }
        }
    }

    fn typed(&self) -> Result<String, Unsaid> {
        loop {
            let event = self.events.recv_timeout(LOOK);
            // A line that came when it was over answers nothing.
            if !pending::still(self.state, self.request) {
                return Err(match event {
                    Ok(Event::Line(None)) => Unsaid::Quit,
                    _ => Unsaid::Over,
                });
            }
            match event {
                Ok(Event::Line(Some(text))) => match text.trim() {
                    "" => return Err(Unsaid::Skipped),
                    "q" => return Err(Unsaid::Quit),
                    typed => return Ok(typed.to_owned()),
                },
                Ok(Event::Line(None)) | Err(RecvTimeoutError::Disconnected) => return Err(Unsaid::Quit),
                Ok(Event::Changed) | Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }
}

/// The person's next line, whatever else happens; none at the end of the stream.
fn next_line(events: &Receiver<Event>) -> Option<String> {
    loop {
        match events.recv() {
            Ok(Event::Line(text)) => return text.map(|text| text.trim().to_owned()),
            Ok(Event::Changed) => {}
            Err(_) => return None,
        }
    }
}

/// Passes over what was typed before the person could see what it would answer. `false` at the end of the stream.
fn forget_lines(events: &Receiver<Event>) -> bool {
    !events.try_iter().any(|event| matches!(event, Event::Line(None)))
}

/// Lines that the person types, and changes in the folder, as they come. The threads end with the process.
fn events(state: &Path) -> Receiver<Event> {
    let (sender, events) = channel();
    let lines = sender.clone();
    thread::spawn(move || read_lines(&lines));
    let folder = pending::folder(state);
    thread::spawn(move || {
        let watch = FolderWatch::on(&[&folder]);
        loop {
            match watch.wait(Duration::from_secs(3600)) {
                Woken::Changed => {
                    if sender.send(Event::Changed).is_err() {
                        return;
                    }
                }
                Woken::Time => {}
                Woken::HungUp => return,
            }
        }
    });
    events
}

fn read_lines(lines: &Sender<Event>) {
    loop {
        let mut text = String::new();
        let read = match io::stdin().read_line(&mut text) {
            Err(error) if error.kind() == io::ErrorKind::InvalidData => Some(String::from('\u{fffd}')),
            Err(_) | Ok(0) => None,
            Ok(_) => Some(text),
        };
        let over = read.is_none();
        if lines.send(Event::Line(read)).is_err() || over {
            return;
        }
    }
}
