//! One record, as far as joining and counting need it. What a record lacks, or has of another version, is absent.
//! Pure.

use std::borrow::Cow;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use crate::hash;
use crate::record::{self, Kind};

/// One line of the journal.
#[derive(Debug, Deserialize)]
#[allow(missing_docs, reason = "the names are the record's")]
pub(super) struct Entry<'a> {
    pub(super) at: DateTime<Utc>,
    #[serde(borrow, default)]
    v: Option<&'a RawValue>,
    #[serde(default, deserialize_with = "id")]
    pub(super) id: u64,
    pub(super) kind: Kind,
    #[serde(borrow, default)]
    pub(super) session_id: Option<&'a RawValue>,
    #[serde(borrow, default)]
    prompt_id: Option<&'a RawValue>,
    #[serde(borrow, default)]
    tool_use_id: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(super) cwd: Option<&'a RawValue>,
    #[serde(borrow, default)]
    tool: Option<&'a RawValue>,
    #[serde(borrow, default)]
    questions: Option<&'a RawValue>,
    #[serde(borrow, default)]
    tool_input: Option<&'a RawValue>,
    #[serde(borrow, default)]
    requested_schema: Option<&'a RawValue>,
    #[serde(borrow, default)]
    mcp_server_name: Option<&'a RawValue>,
    #[serde(borrow, default)]
    message: Option<&'a RawValue>,
    #[serde(borrow, default)]
    last_assistant_message: Option<&'a RawValue>,
    #[serde(default)]
    nudge: Option<u32>,
    #[serde(default)]
    pub(super) stall: bool,
    #[serde(borrow, default)]
    pub(super) notification_type: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    plan: Option<Plan<'a>>,
    #[serde(borrow, default)]
    denied_by: Option<Cow<'a, str>>,
    #[serde(borrow)]
    decision: Outcome<'a>,
    #[serde(default)]
    wait: Option<Wait>,
    #[serde(borrow, default)]
    pub(super) problems: Vec<Cow<'a, str>>,
}

#[derive(Debug, Deserialize)]
struct Plan<'a> {
    #[serde(borrow, default)]
    text: Option<&'a RawValue>,
}

#[derive(Debug, Deserialize)]
struct Outcome<'a> {
    #[serde(borrow)]
    action: Cow<'a, str>,
}

/// How a wait for a person went.
#[derive(Debug, Deserialize)]
struct Wait {
    /// Who replied, where somebody did: a person.
    #[serde(default)]
    by: Option<serde::de::IgnoredAny>,
}

impl Entry<'_> {
    /// Whether this record may be part of a decision: a question, a plan, a permission, an elicitation or a turn sent
    /// on. A stall, a notice, a session are none.
    pub(super) fn is_matter(&self) -> bool {
        matches!(self.kind, Kind::Question | Kind::Plan | Kind::Permission | Kind::Elicitation | Kind::Nudge)
    }

    /// Whether something was decided here without a person, by us or by the client's own check.
    pub(super) fn decides(&self) -> bool {
        !self.by_person()
            && !matches!(self.decision.action.as_ref(), "none" | "welcome" | "canned" | "answer" | "allow")
            || self.denied_by.is_some()
    }

    /// Whether a person decided it by a reply.
    fn by_person(&self) -> bool {
        self.wait.as_ref().is_some_and(|wait| wait.by.is_some())
    }

    /// Whether a newer version of this program wrote it.
    pub(super) fn is_newer(&self) -> bool {
        self.v.is_some_and(|v| record::is_newer(v.get()))
    }

    /// The session, as a name for maps.
    pub(super) fn session(&self) -> u64 {
        self.session_id.map_or(0, |id| hash::of(id.get().as_bytes()))
    }

    /// The tool call, as a name for maps, where the record has its id. PermissionRequest has none.
    pub(super) fn call(&self) -> Option<u64> {
        let id = self.tool_use_id.filter(|id| id.get().len() > 2)?;
        Some(hash::more(self.session() ^ self.kind as u64, id.get().as_bytes()))
    }

    /// What the decision is about, whichever hook saw it: kind, session, prompt, tool and input.
    pub(super) fn matter(&self) -> u64 {
        let number = self.nudge.map(|nudge| nudge.to_string());
        let raw = |value: Option<&RawValue>| value.map(RawValue::get).unwrap_or_default().to_owned();
        let parts = [
            raw(self.session_id),
            raw(self.prompt_id),
            raw(self.tool),
            raw(self
                .questions
                .filter(|questions| questions.get() != "[]")
                .or(self.tool_input)
                .or(self.requested_schema)),
            raw(self.plan.as_ref().and_then(|plan| plan.text)),
            raw(self.mcp_server_name),
            raw(self.message.or(self.last_assistant_message)),
            number.unwrap_or_default(),
        ];
        // What a person said to one call says nothing of another that is like it.
        let own = if self.by_person() { self.id } else { 0 };
        let kind = hash::more(hash::of(&[self.kind as u8]), &own.to_le_bytes());
        parts.iter().fold(kind, |hash, part| hash::more(hash::more(hash, &[0]), part.as_bytes()))
    }
}

/// The sixteen hexadecimal digits of a record's id.
fn id<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
    let text = Cow::<str>::deserialize(deserializer)?;
    u64::from_str_radix(&text, 16).map_err(serde::de::Error::custom)
}
