//! Decision -> bytes: the one JSON object that the client reads, and the canned answers for when nothing else works.
//! Touches no file, clock or environment.

use std::borrow::Cow;
use std::io::IoSlice;

use serde::Serialize;

use crate::answer::{Answer, ContextAt, ElicitationAction};
use crate::config::{Config, ElicitationReply, PermissionReply, PlanReply, QuestionReply};
use crate::event::{At, is_question_tool};

/// The answer as the client reads it, in parts: what is echoed is not copied.
#[derive(Debug, Default)]
pub struct Reply<'a> {
    /// All but what is echoed.
    ours: Vec<u8>,
    /// What is echoed, and where it belongs.
    echo: &'a str,
    at: usize,
}

impl Reply<'_> {
    /// The parts in their order; nothing but empty ones where there is no answer.
    pub fn parts(&self) -> [IoSlice<'_>; 3] {
        self.pieces().map(IoSlice::new)
    }

    fn pieces(&self) -> [&[u8]; 3] {
        let (before, after) = self.ours.split_at_checked(self.at).unwrap_or((&self.ours, &[]));
        [before, self.echo.as_bytes(), after]
    }
}

/// The answer to be written; one without a byte where there is none.
pub fn of<'a>(answer: &'a Answer<'_>) -> Reply<'a> {
    let mut ours = written(answer);
    let echo = match answer {
        Answer::Approve { input, .. } | Answer::Allow { input } => input.get(),
        Answer::Reply { input, .. } => input.as_str(),
        _ => return Reply { ours, ..Reply::default() },
    };
    // Before this there are words of ours alone.
    let at = ours.windows(HOLE.len()).position(|window| window == HOLE);
    let at = at.map_or(ours.len(), |at| at + HOLE.len() - EMPTY.len());
    ours.drain(at..(at + EMPTY.len()).min(ours.len()));
    Reply { ours, echo, at }
}

/// The answer in one piece; empty where there is none.
pub fn bytes(answer: &Answer<'_>) -> Vec<u8> {
    of(answer).pieces().concat()
}

/// Where the echo belongs, as it is written without it.
const HOLE: &[u8] = b"\"updatedInput\":{}";
const EMPTY: &[u8] = b"{}";

fn written(answer: &Answer<'_>) -> Vec<u8> {
    let output = match answer {
        Answer::Nothing => return Vec::new(),
        Answer::SendOn(reason) => Output { decision: Some("block"), reason: Some(reason), ..Output::default() },
        Answer::Welcome { context, line } => Output {
            system_message: line.as_deref(),
            specific: context.as_deref().map(|text| Specific::SessionStart { additional_context: text }),
            ..Output::default()
        },
        Answer::Deny { at: At::PreToolUse, message } => Specific::PreToolUse {
            permission_decision: "deny",
            permission_decision_reason: message,
            updated_input: None,
        }
        .into(),
        Answer::Deny { at: At::PermissionRequest, message } => {
            Specific::PermissionRequest { decision: Behavior::Deny { message } }.into()
        }
        Answer::Reply { at: At::PreToolUse, .. } => Specific::PreToolUse {
            permission_decision: "allow",
            permission_decision_reason: "a person has answered",
            updated_input: Some(Hole {}),
        }
        .into(),
        Answer::Reply { at: At::PermissionRequest, .. } | Answer::Allow { .. } => Specific::PermissionRequest {
            decision: Behavior::Allow { updated_input: Hole {}, updated_permissions: Vec::new() },
        }
        .into(),
        Answer::Approve { at: At::PreToolUse, .. } => Specific::PreToolUse {
            permission_decision: "allow",
            permission_decision_reason: "approved automatically: the session runs unattended, no person has reviewed \
                                         this plan",
            updated_input: Some(Hole {}),
        }
        .into(),
        Answer::Approve { at: At::PermissionRequest, modes, .. } => {
            let updated_permissions =
                modes.iter().map(|mode| SetMode { kind: "setMode", mode, destination: "session" }).collect();
            let decision = Behavior::Allow { updated_input: Hole {}, updated_permissions };
            Specific::PermissionRequest { decision }.into()
        }
        Answer::Context { at: ContextAt::PostToolUse, text } => {
            Specific::PostToolUse { additional_context: text }.into()
        }
        Answer::Context { at: ContextAt::SubagentStart, text } => {
            Specific::SubagentStart { additional_context: text }.into()
        }
        Answer::Elicitation(action) => Specific::Elicitation { action: *action }.into(),
    };
    let mut bytes = Vec::with_capacity(1024);
    match serde_json::to_writer(&mut bytes, &output) {
        Ok(()) => bytes,
        Err(_) => Vec::new(),
    }
}

/// The answer to give when a call cannot be read, has not come, or went wrong: the safe one for the event and tool, so
/// that nothing waits and nothing is consented to. A plan is let through as it stands, with no mode set: the client
/// goes back to the mode it had.
pub fn canned(event: &str, tool: Option<&str>, config: &Config) -> &'static str {
    match event {
        "PreToolUse" if tool.is_some_and(is_question_tool) && config.questions.reply == QuestionReply::Guide => {
            concat!(
                r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","#,
                r#""permissionDecisionReason":"nobody is available: this session runs unattended, and nobody has "#,
                r#"answered this question or will. Decide it yourself, preferring what is easiest to undo; write one "#,
                r#"line starting `Assumed:` with your choice and the reason, and go on. Do not ask again."}}"#
            )
        }
        "PermissionRequest" => match tool {
            Some(tool) if is_question_tool(tool) && config.questions.reply == QuestionReply::Leave => "",
            Some("ExitPlanMode") if config.plans.reply == PlanReply::Leave => "",
            Some("ExitPlanMode") => concat!(
                r#"{"hookSpecificOutput":{"hookEventName":"PermissionRequest","#,
                r#""decision":{"behavior":"allow","updatedInput":{}}}}"#
            ),
            Some(tool) if !is_question_tool(tool) && config.permissions.reply == PermissionReply::Leave => "",
            None if config.permissions.reply == PermissionReply::Leave => "",
            _ => concat!(
                r#"{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"deny","#,
                r#""message":"nobody is available to decide this: the session runs unattended, and no person has seen "#,
                r#"the request. Do it in a way that needs no one, or leave it undone and say so; write one line "#,
                r#"starting `Assumed:` with what you chose and why, and go on. Do not ask again."}}}"#
            ),
        },
        "Elicitation" => match config.elicitations.reply {
            ElicitationReply::Cancel => r#"{"hookSpecificOutput":{"hookEventName":"Elicitation","action":"cancel"}}"#,
            ElicitationReply::Decline => r#"{"hookSpecificOutput":{"hookEventName":"Elicitation","action":"decline"}}"#,
            ElicitationReply::Leave => "",
        },
        _ => "",
    }
}

#[derive(Serialize, Default)]
struct Output<'o> {
    #[serde(skip_serializing_if = "Option::is_none")]
    decision: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'o str>,
    #[serde(rename = "systemMessage", skip_serializing_if = "Option::is_none")]
    system_message: Option<&'o str>,
    #[serde(rename = "hookSpecificOutput", skip_serializing_if = "Option::is_none")]
    specific: Option<Specific<'o>>,
}

impl<'o> From<Specific<'o>> for Output<'o> {
    fn from(specific: Specific<'o>) -> Self {
        Self { specific: Some(specific), ..Self::default() }
    }
}

#[derive(Serialize)]
#[serde(tag = "hookEventName")]
enum Specific<'o> {
    #[serde(rename_all = "camelCase")]
    PreToolUse {
        permission_decision: &'static str,
        permission_decision_reason: &'o str,
        #[serde(skip_serializing_if = "Option::is_none")]
        updated_input: Option<Hole>,
    },
    PermissionRequest {
        decision: Behavior<'o>,
    },
    #[serde(rename_all = "camelCase")]
    PostToolUse {
        additional_context: &'o str,
    },
    #[serde(rename_all = "camelCase")]
    SubagentStart {
        additional_context: &'o str,
    },
    Elicitation {
        action: ElicitationAction,
    },
    #[serde(rename_all = "camelCase")]
    SessionStart {
        additional_context: &'o str,
    },
}

#[derive(Serialize)]
#[serde(tag = "behavior", rename_all = "lowercase")]
enum Behavior<'o> {
    #[serde(rename_all = "camelCase")]
    Allow {
        updated_input: Hole,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        updated_permissions: Vec<SetMode<'o>>,
    },
    Deny {
        message: &'o str,
    },
}

/// The place of what is echoed.
#[derive(Serialize)]
struct Hole {}

#[derive(Serialize)]
struct SetMode<'o> {
    #[serde(rename = "type")]
    kind: &'static str,
    mode: &'o Cow<'o, str>,
    destination: &'static str,
}
