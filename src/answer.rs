//! What the client can be told. Touches no file, clock or environment.

use std::borrow::Cow;

use serde::Serialize;
use serde_json::value::RawValue;

use crate::event::At;

/// What the client is told.
#[derive(Debug, Default, PartialEq)]
pub enum Answer<'a> {
    /// Nothing: exit 0 with no output.
    #[default]
    Nothing,
    /// The tool call is refused, the model reads why.
    Deny {
        /// By which hook.
        at: At,
        /// What the model reads.
        message: String,
    },
    /// The plan is approved.
    Approve {
        /// By which hook.
        at: At,
        /// `tool_input` as it came, byte for byte: it is written into the plan file (FACTS.md, Plans 4).
        input: Echo<'a>,
        /// The modes to be set, of which the last that is possible wins. PreToolUse can set none.
        modes: Vec<Cow<'a, str>>,
    },
    /// The question is answered, by a person.
    Reply {
        /// By which hook.
        at: At,
        /// `tool_input` with the answers in it, as JSON.
        input: String,
        /// What was answered to which question.
        answers: Vec<(Cow<'a, str>, String)>,
    },
    /// The tool may run, by a person's word.
    Allow {
        /// `tool_input` as it came, byte for byte.
        input: Echo<'a>,
    },
    /// The model is told something.
    Context {
        /// By which hook.
        at: ContextAt,
        /// What it reads.
        text: String,
    },
    /// An MCP server's request ends without a choice of the user's.
    Elicitation(ElicitationAction),
    /// The turn goes on.
    SendOn(String),
    /// A session starts.
    Welcome {
        /// What the model is told, where we act.
        context: Option<String>,
        /// What a person sees.
        line: Option<String>,
    },
}

/// The hooks that can tell the model something beside its work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ContextAt {
    /// After a tool call; here, after a plan was approved.
    PostToolUse,
    /// Before a subagent's first turn.
    SubagentStart,
}

/// How an MCP server's request ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs, reason = "the names are the protocol's")]
pub enum ElicitationAction {
    Cancel,
    Decline,
}

/// A tool input to be given back: as it came, or `{}` where it could not be read, which leaves the plan as it is.
#[derive(Debug, Clone, Copy)]
pub struct Echo<'a>(Option<&'a RawValue>);

impl<'a> Echo<'a> {
    /// What came, if it is an object.
    pub fn of(input: Option<&'a RawValue>) -> Self {
        Self(input.filter(|value| value.get().starts_with('{')))
    }

    /// The bytes to give back.
    pub fn get(&self) -> &'a str {
        self.0.map_or("{}", RawValue::get)
    }
}

impl PartialEq for Echo<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.get() == other.get()
    }
}
