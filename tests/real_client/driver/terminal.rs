//! A session in a terminal: a pty and a screen. What waits is read off the screen as a person would.

use std::collections::BTreeSet;
use std::io::Write;
use std::num::NonZeroU16;

use anyhow::{Result, anyhow};
use portable_pty::{CommandBuilder, MasterPty, PtySize, native_pty_system};

use super::{Session, Start, listen};

const ROWS: NonZeroU16 = NonZeroU16::new(50).unwrap();
const COLUMNS: NonZeroU16 = NonZeroU16::new(120).unwrap();

/// A client in a terminal.
pub struct Terminal {
    screen: vt100::Parser,
    child: Box<dyn portable_pty::Child + Send + Sync>,
    _master: Box<dyn MasterPty + Send>,
    keys: Box<dyn Write + Send>,
    /// Every line that ever stood on the screen: what is said at the start scrolls away.
    shown: BTreeSet<String>,
    closing: String,
    closed: bool,
}

impl Terminal {
    /// Starts the client with the prompt on its command line.
    pub fn start(start: Start<'_>) -> Result<Terminal> {
        let size = PtySize { rows: ROWS.get(), cols: COLUMNS.get(), pixel_width: 0, pixel_height: 0 };
        let pair = native_pty_system().openpty(size)?;
        let mut command = CommandBuilder::new(start.home.folder().join("bin/claude"));
        command.env_clear();
        for (key, value) in start.home.environment() {
            command.env(key, value);
        }
        command.cwd(start.home.project());
        command.args(["--permission-mode", start.mode]);
        command.args(start.extra);
        if !start.prompt.is_empty() {
            command.arg(start.prompt);
        }
        let child = pair.slave.spawn_command(command).map_err(|error| anyhow!("no client in a terminal: {error}"))?;
        drop(pair.slave);
        listen(pair.master.try_clone_reader()?, start.bell);
        let keys = pair.master.take_writer()?;
        Ok(Terminal {
            screen: vt100::Parser::new(ROWS, COLUMNS, 200),
            child,
            _master: pair.master,
            keys,
            shown: BTreeSet::new(),
            closing: start.closing.to_owned(),
            closed: false,
        })
    }

    /// What is on the screen.
    pub fn text(&self) -> String {
        self.screen.screen().contents()
    }
}

impl Session for Terminal {
    fn take(&mut self, bytes: &[u8]) {
        self.screen.process(bytes);
        self.shown.extend(self.text().lines().map(|line| line.trim().to_owned()));
    }

    fn closed(&mut self) {
        self.closed = true;
    }

    fn waits_for(&mut self) -> Option<String> {
        dialog(&self.text())
    }

    fn is_over(&mut self, quiet: bool) -> bool {
        let text = self.text();
        quiet && !works(&text) && squeezed(&text).contains(&squeezed(&self.closing))
    }

    fn failed(&mut self) -> Option<String> {
        self.closed.then(|| format!("the terminal closed; last: {}", self.last_seen()))
    }

    fn last_seen(&mut self) -> String {
        format!("\n{}", self.text())
    }

    fn shown(&self) -> Vec<String> {
        self.shown.iter().cloned().collect()
    }

    fn screen(&self) -> Option<String> {
        Some(self.text())
    }

    fn closes_with(&mut self, closing: &str) {
        closing.clone_into(&mut self.closing);
    }

    fn press(&mut self, keys: &str) -> Result<()> {
        self.keys.write_all(keys.as_bytes())?;
        Ok(self.keys.flush()?)
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        if let Some(leader) = self.child.process_id() {
            super::end_group(leader);
        }
        let _ = self.child.wait();
    }
}

/// The dialog on a screen, by what it asks: a pointer beside a numbered row, or the line that names a dialog's keys.
pub fn dialog(screen: &str) -> Option<String> {
    let lines: Vec<&str> =
        screen.lines().map(|line| line.trim_matches(|c: char| c.is_whitespace() || c == '│')).collect();
    let keys = ["Esc to cancel", "Enter to select", "Enter to confirm", "Enter to submit"];
    let row = lines.iter().rposition(|line| numbered(line) || keys.iter().any(|keys| line.contains(keys)))?;
    let asked = lines.iter().take(row + 1).rev().find(|line| line.ends_with('?') && line.len() > 8);
    asked.or(lines.get(row)).map(|line| (*line).to_owned())
}

/// `❯ 1. Yes`
fn numbered(line: &str) -> bool {
    let mut chars = line.chars();
    chars.next().is_some_and(|first| "❯›".contains(first))
        && chars.as_str().trim_start().split_once('.').is_some_and(|(number, _)| number.parse::<u8>().is_ok())
}

/// Whether the client shows that it is at work.
fn works(screen: &str) -> bool {
    screen.contains("esc to interrupt")
}

/// A text without white space and the line folds of a screen.
fn squeezed(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace()).collect()
}
