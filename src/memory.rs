//! What a session must remember between hooks: the mode before plan mode, the questions asked and turns sent on in a
//! prompt, since when it is there. Lines, only ever added to, and what they say together; the file is the store's.
//! Touches no file, clock or environment.

use std::borrow::Cow;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::event::At;
use crate::question::Question;

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
    /// A person has approved the plan, by a reply to us.
    PlanSeen,
    /// A person has answered a question, by a reply to us.
    Answered {
        /// `tool_use_id`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        call: Option<String>,
        /// `prompt_id`, as above.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        prompt: Option<String>,
        /// Question and answer, for PermissionRequest of the same call, which fires where another hook has asked for it.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        answers: Vec<(String, String)>,
    },
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
    /// It was given corrections.
    Given {
        /// The file of its project's corrections.
        file: String,
        /// Their own ids.
        corrections: Vec<String>,
    },
    /// It has reached a Stop since.
    Delivered {
        /// The same file.
        file: String,
        /// The corrections' ids.
        corrections: Vec<String>,
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
    unreadable: bool,
}

impl Memory {
    /// The memory of a session of which something is remembered that cannot be read.
    pub fn unreadable() -> Self {
        Self { unreadable: true, ..Self::default() }
    }

    /// Whether something may be remembered that is not known here.
    pub fn is_unreadable(&self) -> bool {
        self.unreadable
    }

    /// The memory that the lines of a file hold, for the registration `lane`. A line that cannot be read, cut off or
    /// of a newer version, is passed over.
    pub fn from_lines(text: &str, lane: &str) -> Self {
        let mut lines: Vec<Line<'static>> = text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
        lines.dedup();
        Self { lane: lane.to_owned(), lines, unreadable: false }
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

    /// The same memory as the registration sees it that noted something last; for explaining.
    pub fn as_last_noted(mut self) -> Self {
        self.lane = self.lines.last().map(|line| line.lane.clone().into_owned()).unwrap_or_default();
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
        matches!(self.plan(), Some(Note::PlanLeft | Note::PlanSeen))
    }

    /// Whether a person approved the last plan by a reply to us.
    pub fn plan_seen(&self) -> bool {
        matches!(self.plan(), Some(Note::PlanSeen))
    }

    fn plan(&self) -> Option<&Note> {
        let of_plan = |note: &&Note| matches!(note, Note::PlanLeft | Note::PlanTaken | Note::PlanSeen | Note::LeftPlan);
        self.notes().rev().find(of_plan)
    }

    /// Whether a person answered the question of this call by a reply to us.
    pub fn answered(&self, call: Option<&str>) -> bool {
        let such = |note: &Note| matches!(note, Note::Answered { call: id, .. } if id.as_deref() == call);
        call.is_some() && self.notes().any(such)
    }

    /// What a person answered last to these questions in this prompt, by a reply to us.
    pub fn answers_to(&self, prompt: Option<&str>, questions: &[Question<'_>]) -> Option<&[(String, String)]> {
        self.notes().rev().find_map(|note| match note {
            Note::Answered { prompt: of, answers, .. } if of.as_deref() == prompt && !answers.is_empty() => {
                let asked = answers.iter().map(|(question, _)| question.as_str());
                asked.eq(questions.iter().map(|question| question.question.as_ref())).then_some(answers.as_slice())
            }
            _ => None,
        })
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

    /// The corrections that the session was given, by their ids.
    #[inline(never)]
    pub fn given(&self) -> Vec<&str> {
        let given = self.notes().filter_map(|note| match note {
            Note::Given { corrections, .. } => Some(corrections),
            _ => None,
        });
        given.flatten().map(String::as_str).collect()
    }

    /// What was given and is not delivered yet, as the note that says that it is.
    #[inline(never)]
    pub fn to_deliver(&self) -> Option<Note> {
        let file = self.notes().rev().find_map(|note| match note {
            Note::Given { file, .. } => Some(file),
            _ => None,
        })?;
        let delivered = |id: &str| {
            self.notes()
                .any(|note| matches!(note, Note::Delivered { corrections, .. } if corrections.iter().any(|c| c == id)))
        };
        let mut corrections: Vec<String> = Vec::new();
        for id in self.given() {
            if !delivered(id) && !corrections.iter().any(|known| known == id) {
                corrections.push(id.to_owned());
            }
        }
        (!corrections.is_empty()).then(|| Note::Delivered { file: file.clone(), corrections })
    }

    /// Whether this registration noted just that before.
    pub fn holds(&self, note: &Note) -> bool {
        self.mine(0).any(|held| held == note)
    }

    /// Notes as lines of this registration, to be appended by the process of this id.
    ///
    /// # Errors
    /// None that a note can cause.
    pub fn lines_of(&self, notes: &[Note], now: DateTime<Utc>, process: u32) -> serde_json::Result<String> {
        let mut text = String::new();
        for note in notes {
            let line = Line {
                t: now.timestamp_millis(),
                p: process,
                lane: Cow::Borrowed(&self.lane),
                note: Cow::Borrowed(note),
            };
            text.push_str(&serde_json::to_string(&line)?);
            text.push('\n');
        }
        Ok(text)
    }

    /// The newest lines, and those that say since when the session is there, whether it is in plan mode, and which
    /// corrections it was given.
    ///
    /// # Errors
    /// None that a line can cause.
    pub fn kept(&self, newest: usize) -> serde_json::Result<String> {
        let newest = self.lines.len().saturating_sub(newest);
        let started = self.lines.iter().rposition(|line| matches!(*line.note, Note::Started)).unwrap_or(0);
        let plan = |line: &Line<'_>| matches!(*line.note, Note::EnteredPlan { .. } | Note::LeftPlan);
        let plan = self.lines.iter().rposition(plan);
        let mut text = String::new();
        for (at, line) in self.lines.iter().enumerate() {
            let correction = matches!(*line.note, Note::Given { .. } | Note::Delivered { .. });
            if at >= newest || at == started || Some(at) == plan || correction {
                text.push_str(&serde_json::to_string(line)?);
                text.push('\n');
            }
        }
        Ok(text)
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
