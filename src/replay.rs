//! Recorded payloads and our own records, answered again as things stand now: `replay/rebuilt.rs` makes a payload of a
//! record, `replay/rehearsal.rs` answers with a memory that is nowhere but here, `replay/said.rs` compares answers,
//! `replay/neutral.rs` makes a payload fit to be shown, `replay/screen.rs` tells it. Pure.

pub mod neutral;
pub mod rebuilt;
pub mod rehearsal;
pub mod said;
pub mod screen;

use serde::Serialize;
use serde_json::value::RawValue;

use self::said::{Compared, Said};
use crate::switch::Because;

/// The version of `docs/replay.schema.json`.
pub const VERSION: u32 = 1;

/// What became of one line; `replay --json` prints it.
#[derive(Debug, Serialize)]
pub struct Played {
    /// The version of the schema.
    pub v: u32,
    /// The line that it stood in, from 1.
    pub line: usize,
    /// What that line was.
    pub from: Source,
    /// The event, as the client names it.
    pub event: String,
    /// The tool.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// The session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session_id: Option<String>,
    /// Whether dialogs are answered in this session now, and what decides it.
    pub on: bool,
    /// See `on`.
    pub because: Because,
    /// What was answered then; none: it is not known.
    pub then: Option<Said>,
    /// What would be answered now.
    pub now: Said,
    /// The answer as the client would read it; none where there is none.
    pub answer: Option<Box<RawValue>>,
    /// How the two compare; none: it is not known what was answered then.
    pub compared: Option<Compared>,
    /// What a record lacks of the payload, and might matter.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub lacks: Vec<String>,
}

/// What a line was.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Source {
    /// What the client sent.
    Payload,
    /// What we recorded of it.
    Record,
}
