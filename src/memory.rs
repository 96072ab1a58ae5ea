//! What a session must remember between hooks: the mode before plan mode, the questions asked and turns sent on in a
//! prompt, since when it is there. A file of lines a session, only ever appended to, so that hooks side by side lose
//! nothing and nobody waits for a lock. What is in it, folded, is pure; the reading and appending is at the end.

use std::borrow::Cow;
use std::fs::{self, File, Metadata};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::event::At;
use crate::state;

/// How much of a memory file is read, in bytes; what is beyond is forgotten.
const READ_LIMIT: usize = 256 * 1024;
/// The size in bytes from which a memory file is cut down to the lines that still count.
const COMPACT_FROM: usize = 16 * 1024;
/// How many lines a cut leaves.
const KEPT_LINES: usize = 64;

/// One thing to remember.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "e", rename_all = "snake_case")]
pub enum Note {
    /// The session started or was resumed.
    Started,
    /// It entered plan mode by itself, from this mode.
    EnteredPlan {
        /// The permission mode before.
        mode: String,
    },
    /// It is out of plan mode.
    LeftPlan,
    /// Its plan was left to a person.
    PlanLeft,
    /// A plan was approved here after one had been left to a person.
    PlanTaken,
    /// A question was denied.
    Asked {
        /// Which hook denied it.
        at: Hook,
        /// `prompt_id`; clients before about 2.1.196 send none.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        prompt: Option<String>,
        /// `tool_use_id`; PermissionRequest has none.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        call: Option<String>,
    },
    /// A turn ended.
    Stopped {
        /// `prompt_id`, as above.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        prompt: Option<String>,
        /// Whether it waits for an answer.
        waits: bool,
        /// Whether it was sent on.
        sent_on: bool,
        /// The first end of this turn, not one that we caused (`stop_hook_active` is false).
        first: bool,
    },
}

/// Which hook; the names are the client's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "the names are the client's")]
pub enum Hook {
    PreToolUse,
    PermissionRequest,
}

impl From<At> for Hook {
    fn from(at: At) -> Self {
        match at {
            At::PreToolUse => Hook::PreToolUse,
            At::PermissionRequest => Hook::PermissionRequest,
        }
    }
}

/// A note with its time and the registration it came by. Where the plugin stands beside the settings, each call
/// comes twice; each registration counts its own.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Line<'a> {
    /// Milliseconds since 1970.
    t: i64,
    /// The process, so that two lines are never the same.
    p: u32,
    lane: Cow<'a, str>,
    #[serde(flatten)]
    note: Cow<'a, Note>,
}

/// What a session remembers, as one registration sees it.
#[derive(Debug, Clone, Default)]
pub struct Memory {
    lane: String,
    lines: Vec<Line<'static>>,
}

impl Memory {
    /// The memory that the lines of a file hold, for the registration `lane`. A line that cannot be read, cut off or
    /// of a newer version, is passed over.
    pub fn from_lines(text: &str, lane: &str) -> Self {
        let mut lines: Vec<Line<'static>> = text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
        lines.dedup();
        Self { lane: lane.to_owned(), lines }
    }

    /// The same memory with one note more; for tests and replays.
    pub fn with(mut self, at: DateTime<Utc>, note: Note) -> Self {
        self.lines.push(Line {
            t: at.timestamp_millis(),
            p: 0,
            lane: Cow::Owned(self.lane.clone()),
            note: Cow::Owned(note),
        });
        self
    }

    /// When the session last started or was resumed; where that was missed, when it was first heard of.
    pub fn there_since(&self) -> Option<DateTime<Utc>> {
        let started = self.lines.iter().rfind(|line| matches!(*line.note, Note::Started));
        DateTime::from_timestamp_millis(started.or(self.lines.first())?.t)
    }

    /// The mode from which the session entered the plan mode it is in.
    pub fn entered_plan_from(&self) -> Option<&str> {
        let last = self.notes().rev().find(|note| matches!(note, Note::EnteredPlan { .. } | Note::LeftPlan))?;
        match last {
            Note::EnteredPlan { mode } => Some(mode),
            _ => None,
        }
    }

    /// Whether the last plan was left to a person, so that an approval is not ours.
    pub fn plan_left(&self) -> bool {
        let last = self.notes().rev().find(|note| matches!(note, Note::PlanLeft | Note::PlanTaken | Note::LeftPlan));
        matches!(last, Some(Note::PlanLeft))
    }

    /// How many other questions this prompt has asked before, by this hook of this registration. Without a prompt id:
    /// since the last Stop.
    pub fn asked_before(&self, hook: At, prompt: Option<&str>, call: Option<&str>) -> usize {
        let since = match prompt {
            Some(_) => 0,
            None => self.after_last(|note| matches!(note, Note::Stopped { .. })),
        };
        let mut calls: Vec<&str> = Vec::new();
        self.mine(since)
            .filter(|note| match note {
                Note::Asked { at, prompt: of, call: id } if *at == Hook::from(hook) && of.as_deref() == prompt => {
                    match id.as_deref() {
                        Some(id) if Some(id) == call || calls.contains(&id) => false,
                        Some(id) => {
                            calls.push(id);
                            true
                        }
                        None => true,
                    }
                }
                _ => false,
            })
            .count()
    }

    /// How often this prompt was sent on before, by this registration. Without a prompt id a first end begins anew.
    pub fn sent_on(&self, prompt: Option<&str>, first: bool) -> u32 {
        let since = match (prompt, first) {
            (Some(_), _) => 0,
            (None, true) => return 0,
            (None, false) => self.last(|note| matches!(note, Note::Stopped { first: true, .. })),
        };
        // After a first end that was sent on comes one that we caused: two first ends in a row are one, told twice.
        let mut after_first = false;
        let mut count = 0;
        for note in self.mine(since) {
            let Note::Stopped { prompt: of, sent_on, first, .. } = note else { continue };
            if of.as_deref() == prompt && *sent_on && !(*first && after_first) {
                count += 1;
            }
            after_first = *first;
        }
        count
    }

    /// Whether the last turn ended waiting for an answer and was let go.
    pub fn stands_waiting(&self) -> bool {
        let last = self.notes().rev().find(|note| matches!(note, Note::Stopped { .. }));
        matches!(last, Some(Note::Stopped { waits: true, sent_on: false, .. }))
    }

    /// Whether a turn's end changes anything in what is remembered.
    pub fn minds_a_stop(&self) -> bool {
        self.notes().any(|note| matches!(note, Note::Stopped { .. } | Note::Asked { prompt: None, .. }))
    }

    /// Whether this registration noted just that before.
    pub fn holds(&self, note: &Note) -> bool {
        self.mine(0).any(|held| held == note)
    }

    fn notes(&self) -> impl DoubleEndedIterator<Item = &Note> {
        self.lines.iter().map(|line| line.note.as_ref())
    }

    fn mine(&self, since: usize) -> impl Iterator<Item = &Note> {
        self.lines.iter().skip(since).filter(|line| line.lane == self.lane).map(|line| line.note.as_ref())
    }

    /// The place of the last line of this registration that is such, or 0.
    fn last(&self, such: impl Fn(&Note) -> bool) -> usize {
        self.lines.iter().rposition(|line| line.lane == self.lane && such(&line.note)).unwrap_or(0)
    }

    fn after_last(&self, such: impl Fn(&Note) -> bool) -> usize {
        self.lines.iter().rposition(|line| line.lane == self.lane && such(&line.note)).map_or(0, |at| at + 1)
    }
}

/// The memory file of a session.
#[derive(Debug, Clone)]
pub struct Store {
    path: PathBuf,
}

impl Store {
    /// The file of session `id` below the state folder. An id that is no plain name, as the client's are, becomes one,
    /// so that nothing in a payload leads out of the folder.
    pub fn of(state: &Path, id: &str) -> Self {
        let plain = !id.is_empty() && id.len() <= 100 && id.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-');
        let name = if plain { id.to_owned() } else { format!("other-{:016x}", crate::hash::of(id.as_bytes())) };
        Self { path: state.join("sessions").join(format!("{name}.jsonl")) }
    }

    /// What the session remembers; a missing file is an empty memory.
    ///
    /// # Errors
    /// Where there is something that cannot be read.
    pub fn load(&self, lane: &str) -> io::Result<Memory> {
        match state::read(&self.path, READ_LIMIT) {
            Ok(bytes) => Ok(Memory::from_lines(&String::from_utf8_lossy(&bytes), lane)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                Ok(Memory { lane: lane.to_owned(), lines: vec![] })
            }
            Err(error) => Err(error),
        }
    }

    /// Adds notes to the file.
    ///
    /// # Errors
    /// Where they could not be written.
    pub fn add(&self, memory: &Memory, notes: &[Note], now: DateTime<Utc>) -> io::Result<()> {
        let mut text = String::new();
        for note in notes {
            let line = Line {
                t: now.timestamp_millis(),
                p: std::process::id(),
                lane: Cow::Borrowed(&memory.lane),
                note: Cow::Borrowed(note),
            };
            text.push_str(&serde_json::to_string(&line)?);
            text.push('\n');
        }
        let mut tries = 3;
        loop {
            let file = state::append(&self.path, text.as_bytes())?;
            tries -= 1;
            // A cut may have put another file in its place between our opening and our writing.
            let now = file.metadata()?;
            if tries == 0 || !is_gone(&now) {
                return if now.len() > COMPACT_FROM as u64 { self.cut(&memory.lane) } else { Ok(()) };
            }
        }
    }

    /// Cuts the file down to the lines that still count. One process at a time does it, the others go on without
    /// waiting; what they append meanwhile is carried over.
    fn cut(&self, lane: &str) -> io::Result<()> {
        let mut old = File::open(&self.path)?;
        if old.try_lock().is_err() || is_gone(&old.metadata()?) {
            return Ok(());
        }
        let mut text = String::new();
        (&mut old).take(READ_LIMIT as u64).read_to_string(&mut text)?;
        let kept = kept(&Memory::from_lines(&text, lane).lines)?;
        let fresh = self.path.with_extension(format!("{}.new", std::process::id()));
        let _ = fs::remove_file(&fresh);
        state::append(&fresh, kept.as_bytes())?;
        fs::rename(&fresh, &self.path)?;
        let mut late = Vec::new();
        old.read_to_end(&mut late)?;
        if !late.is_empty() {
            state::append(&self.path, &late)?;
        }
        Ok(())
    }
}

/// The newest lines, and those that say since when the session is there and whether it is in plan mode.
fn kept(lines: &[Line<'_>]) -> io::Result<String> {
    let newest = lines.len().saturating_sub(KEPT_LINES);
    let started = lines.iter().rposition(|line| matches!(*line.note, Note::Started)).unwrap_or(0);
    let plan = lines.iter().rposition(|line| matches!(*line.note, Note::EnteredPlan { .. } | Note::LeftPlan));
    let mut text = String::new();
    for (at, line) in lines.iter().enumerate() {
        if at >= newest || at == started || Some(at) == plan {
            text.push_str(&serde_json::to_string(line)?);
            text.push('\n');
        }
    }
    Ok(text)
}

/// Whether the file has no name any more.
#[cfg(unix)]
fn is_gone(file: &Metadata) -> bool {
    std::os::unix::fs::MetadataExt::nlink(file) == 0
}

#[cfg(not(unix))]
fn is_gone(_: &Metadata) -> bool {
    false
}
