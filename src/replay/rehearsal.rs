//! Answers payloads as the hook would, with what sessions remember held here alone. The decision is `decide`'s, the bytes
//! are `reply`'s. Where a person would be asked first, it is what is answered if nobody replies in time. Pure.

use std::borrow::Cow;
use std::collections::HashMap;
use std::time::Duration;

use chrono::{DateTime, Utc};

use super::rebuilt::Before;
use super::said::Said;
use crate::config::Config;
use crate::correction::Correction;
use crate::decide::{Ground, decide};
use crate::event::{self, At, Call, Event};
use crate::memory::{Memory, Note};
use crate::wire::{Payload, glimpse};
use crate::{answered, reply};

/// What one payload was answered.
#[derive(Debug)]
pub struct Answered {
    /// The event, as the client names it.
    pub event: String,
    /// The tool.
    pub tool: Option<String>,
    /// The session.
    pub session_id: Option<String>,
    /// The answer, for comparing.
    pub said: Said,
    /// The answer as the client reads it; empty where there is none.
    pub bytes: Vec<u8>,
    /// What the session remembers of it.
    pub remember: Vec<Note>,
    /// It proves that something waits although we act.
    pub stall: bool,
    /// How long a person may reply first.
    pub wait: Option<Duration>,
}

/// What there is to go by, besides payload and memory.
#[derive(Debug, Clone, Copy)]
pub struct Standing<'s> {
    /// Whether we act.
    pub acts: bool,
    /// What the config says.
    pub config: &'s Config,
    /// The line for a person at the start of a session.
    pub line: &'s str,
    /// The corrections that are due to a session that starts, and the file that they are in.
    pub corrections: (&'s str, &'s [Correction]),
}

/// Sessions and what they remember.
#[derive(Debug, Default)]
pub struct Rehearsal {
    sessions: HashMap<String, Memory>,
}

impl Rehearsal {
    /// The corrections that a session was given so far.
    pub fn given(&self, session: &str) -> Vec<&str> {
        self.sessions.get(session).map(Memory::given).unwrap_or_default()
    }

    /// Answers the next payload. Of `before` the session is made to remember what it does not by what came so far.
    pub fn answer(&mut self, payload: &str, standing: Standing<'_>, before: &Before, now: DateTime<Utc>) -> Answered {
        let session = Payload::read(payload).ok().and_then(|payload| payload.text("session_id").map(String::from));
        let memory = session.as_ref().and_then(|session| self.sessions.remove(session)).unwrap_or_default();
        let memory = reminded(memory, payload, before, now);
        let answered = once(payload, standing, &memory);
        if let Some(session) = session {
            let all = answered.remember.iter().cloned().fold(memory, |memory, note| memory.with(now, note));
            self.sessions.insert(session, all);
        }
        answered
    }
}

/// Answers one payload where that is remembered.
pub fn once(text: &str, standing: Standing<'_>, memory: &Memory) -> Answered {
    let Ok(payload) = Payload::read(text) else { return unread(text, standing) };
    let call = event::read(&payload);
    let Standing { acts, config, line, corrections } = standing;
    let line = if matches!(call.event, Event::SessionStart { .. }) { line } else { "" };
    let decision = decide(&call, Ground { acts, config, memory, waits: false, line, corrections });
    let owned = |text: &Option<Cow<'_, str>>| text.as_deref().map(str::to_owned);
    Answered {
        event: owned(&call.ids.hook_event_name).unwrap_or_default(),
        tool: payload.text("tool_name").map(String::from),
        session_id: owned(&call.ids.session_id),
        said: Said::of(&decision.answer),
        bytes: reply::bytes(&decision.answer),
        stall: decision.findings.stall,
        wait: answered::wait(&call, &decision, config),
        remember: decision.remember,
    }
}

/// As the hook does with what it cannot read: the canned answer for what can be told of it.
pub fn unread(text: &str, standing: Standing<'_>) -> Answered {
    let (event, tool) = glimpse(text.as_bytes());
    let answer = if standing.acts { reply::canned(event.unwrap_or_default(), tool, standing.config) } else { "" };
    Answered {
        event: event.unwrap_or_default().to_owned(),
        tool: tool.map(str::to_owned),
        session_id: None,
        said: Said::of_json(&serde_json::from_str(answer).unwrap_or_default()),
        bytes: answer.as_bytes().to_vec(),
        remember: Vec::new(),
        stall: false,
        wait: None,
    }
}

fn reminded(memory: Memory, text: &str, before: &Before, now: DateTime<Utc>) -> Memory {
    if *before == Before::default() {
        return memory;
    }
    let Ok(payload) = Payload::read(text) else { return memory };
    let Call { ids, event } = event::read(&payload);
    let prompt = ids.prompt_id.as_deref();
    let mut notes = Vec::new();
    if let Some(mode) = before.entered_from.clone().filter(|_| memory.entered_plan_from().is_none()) {
        notes.push(Note::EnteredPlan { mode });
    }
    if let Event::Question { at, .. } = event
        && before.asked > memory.asked_before(at, prompt, ids.tool_use_id.as_deref())
    {
        notes.push(asked(at, prompt));
    }
    if let Event::Stop { stop_hook_active, .. } = event {
        let missing = before.sent_on.saturating_sub(memory.sent_on(prompt, !stop_hook_active)).min(100);
        notes.extend((0..missing).map(|_| sent_on(prompt)));
    }
    notes.into_iter().fold(memory, |memory, note| memory.with(now, note))
}

/// That the prompt asked something else before.
pub fn asked(at: At, prompt: Option<&str>) -> Note {
    Note::Asked { at: at.into(), prompt: prompt.map(str::to_owned), call: None }
}

/// That the prompt was sent on before.
pub fn sent_on(prompt: Option<&str>) -> Note {
    Note::Stopped { prompt: prompt.map(str::to_owned), waits: true, sent_on: true, first: false }
}
