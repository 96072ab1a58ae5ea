//! Decision -> bytes: the one JSON object that the client reads, and the canned answers for when nothing else works.
//! Touches no file, clock or environment.

use std::borrow::Cow;

use serde::Serialize;

use crate::answer::{Answer, ContextAt, Echo, ElicitationAction};
use crate::config::{Config, ElicitationReply, PermissionReply, PlanReply, QuestionReply};
use crate::event::{At, is_question_tool};

/// The answer as the client reads it; empty where there is none.
pub fn bytes(answer: &Answer<'_>) -> Vec<u8> {
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
        Answer::Reply { at, input, .. } => {
            // Made of the payload's own JSON and of strings: it is JSON.
            let input = serde_json::from_str(input).ok();
            let updated_input = Echo::of(input);
            match at {
                At::PreToolUse => Specific::PreToolUse {
                    permission_decision: "allow",
                    permission_decision_reason: "a person has answered",
                    updated_input: Some(updated_input),
                }
                .into(),
                At::PermissionRequest => Specific::PermissionRequest {
                    decision: Behavior::Allow { updated_input, updated_permissions: Vec::new() },
                }
                .into(),
            }
        }
        Answer::Allow { input } => Specific::PermissionRequest {
            decision: Behavior::Allow { updated_input: *input, updated_permissions: Vec::new() },
        }
        .into(),
        Answer::Approve { at: At::PreToolUse, input, .. } => Specific::PreToolUse {
            permission_decision: "allow",
            permission_decision_reason: "approved automatically: the session runs unattended, no person has reviewed \
                                         this plan",
            updated_input: Some(*input),
        }
        .into(),
        Answer::Approve { at: At::PermissionRequest, input, modes } => {
            let updated_permissions =
                modes.iter().map(|mode| SetMode { kind: "setMode", mode, destination: "session" }).collect();
            let decision = Behavior::Allow { updated_input: *input, updated_permissions };
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
    let echoed = match answer {
        Answer::Approve { input, .. } | Answer::Allow { input } => input.get().len(),
        Answer::Reply { input, .. } => input.len(),
        _ => 0,
    };
    let mut bytes = Vec::with_capacity(1024 + echoed);
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
        updated_input: Option<Echo<'o>>,
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
        updated_input: Echo<'o>,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        updated_permissions: Vec<SetMode<'o>>,
    },
    Deny {
        message: &'o str,
    },
}

#[derive(Serialize)]
struct SetMode<'o> {
    #[serde(rename = "type")]
    kind: &'static str,
    mode: &'o Cow<'o, str>,
    destination: &'static str,
}
