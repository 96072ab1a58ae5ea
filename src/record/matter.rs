//! The matter of a record: what the call was about, by its kind.

use serde::{Serialize, Serializer};
use serde_json::value::RawValue;

use crate::answer::Answer;
use crate::closing::Closing;
use crate::decide::Decision;
use crate::event::{Call, Event, Plan, Whose};
use crate::prose::TurnEnd;
use crate::question::Question;
use crate::switch::Attendance;
use crate::wire::Written;

/// How much of a tool's input is kept, in bytes; of a longer one the beginning, as a text. Of a closing message as much
/// of its end. Questions and plans are kept whole, but for those that are longer than any is.
const INPUT_LIMIT: usize = 64 * 1024;

/// What kind of thing a record is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs, reason = "the names are the kinds")]
pub enum Kind {
    Question,
    Plan,
    Permission,
    Elicitation,
    Answer,
    Stop,
    Nudge,
    Notice,
    Session,
    Problem,
}

/// The matter itself; its fields stand in the record beside the others.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(super) enum Matter<'a> {
    Question {
        tool: &'a str,
        questions: &'a [Question<'a>],
        /// Where no question could be read, the input as it came.
        #[serde(skip_serializing_if = "Option::is_none")]
        tool_input: Option<Input<'a>>,
        asked_before: usize,
    },
    Answer {
        tool: &'a str,
        #[serde(skip_serializing_if = "Option::is_none")]
        answers: Option<Input<'a>>,
        whose: Whose,
    },
    Plan {
        tool: &'static str,
        plan: PlanMatter<'a>,
    },
    EnterPlan {
        tool: &'static str,
        #[serde(skip_serializing_if = "Option::is_none")]
        entered_from: Option<&'a str>,
    },
    Permission {
        tool: &'a str,
        #[serde(skip_serializing_if = "Option::is_none")]
        tool_input: Option<Input<'a>>,
        #[serde(skip_serializing_if = "Option::is_none")]
        suggestions: Option<Input<'a>>,
        #[serde(skip_serializing_if = "Option::is_none")]
        denied_by: Option<&'static str>,
        #[serde(skip_serializing_if = "Option::is_none")]
        reason: Option<&'a str>,
    },
    Elicitation {
        #[serde(skip_serializing_if = "Option::is_none")]
        mcp_server_name: Option<&'a str>,
        #[serde(skip_serializing_if = "Option::is_none")]
        message: Option<&'a str>,
        #[serde(skip_serializing_if = "Option::is_none")]
        mode: Option<&'a str>,
        #[serde(skip_serializing_if = "Option::is_none")]
        requested_schema: Option<Input<'a>>,
    },
    Stop {
        #[serde(skip_serializing_if = "Option::is_none")]
        last_assistant_message: Option<Ending<'a>>,
        stop_hook_active: bool,
        background_tasks: usize,
        #[serde(skip_serializing_if = "Option::is_none")]
        turn: Option<TurnEnd>,
        #[serde(skip_serializing_if = "Option::is_none")]
        nudge: Option<u32>,
        #[serde(skip_serializing_if = "is_false")]
        in_plan_mode: bool,
        #[serde(skip_serializing_if = "is_false")]
        stall: bool,
        #[serde(skip_serializing_if = "Option::is_none")]
        stall_kind: Option<&'static str>,
    },
    Notice {
        #[serde(skip_serializing_if = "Option::is_none")]
        notification_type: Option<&'a str>,
        #[serde(skip_serializing_if = "Option::is_none")]
        message: Option<&'a str>,
        stall: bool,
    },
    Session {
        #[serde(skip_serializing_if = "Option::is_none")]
        source: Option<&'a str>,
        #[serde(skip_serializing_if = "Option::is_none")]
        model: Option<&'a str>,
        #[serde(skip_serializing_if = "Option::is_none")]
        reason: Option<&'a str>,
        #[serde(skip_serializing_if = "Option::is_none")]
        error: Option<&'a str>,
        #[serde(skip_serializing_if = "Option::is_none")]
        message: Option<&'a str>,
        /// The corrections that the session was given.
        #[serde(skip_serializing_if = "<[String]>::is_empty")]
        corrections: &'a [String],
    },
    Subagent {
        #[serde(skip_serializing_if = "Option::is_none")]
        agent_type: Option<&'a str>,
    },
    Problem {
        #[serde(skip_serializing_if = "Option::is_none")]
        payload: Option<String>,
    },
}

#[derive(Debug, Serialize)]
pub(super) struct PlanMatter<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<Written<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<&'a str>,
    /// The mode from which the session entered plan mode; none for one that was started in it.
    #[serde(skip_serializing_if = "Option::is_none")]
    entered_from: Option<&'a str>,
    seen_by: SeenBy,
}

/// Whether a person saw the plan before it was approved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum SeenBy {
    Nobody,
    Person,
    Unknown,
}

/// A value of the payload, written as it came but in one line, or its beginning as a text where it is too long.
#[derive(Debug)]
pub(super) struct Input<'a>(&'a RawValue);

impl Serialize for Input<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let text = self.0.get();
        if text.len() > INPUT_LIMIT {
            let end = text.floor_char_boundary(INPUT_LIMIT);
            return serializer.collect_str(&format_args!(
                "{}… ({} bytes)",
                text.get(..end).unwrap_or_default(),
                text.len()
            ));
        }
        if !text.contains(['\n', '\r']) {
            return self.0.serialize(serializer);
        }
        // A line break inside of JSON stands between its parts: none can stand raw in a string.
        match RawValue::from_string(text.replace(['\n', '\r'], " ")) {
            Ok(flat) => flat.serialize(serializer),
            Err(error) => Err(serde::ser::Error::custom(error)),
        }
    }
}

/// A closing message, or its end where it is too long.
#[derive(Debug)]
pub(super) struct Ending<'a>(&'a Closing<'a>);

impl Serialize for Ending<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Closing { said, length } = self.0;
        if *length <= INPUT_LIMIT {
            return serializer.serialize_str(said);
        }
        let start = said.ceil_char_boundary(said.len().saturating_sub(INPUT_LIMIT));
        serializer.collect_str(&format_args!("({length} bytes) …{}", said.get(start..).unwrap_or_default()))
    }
}

/// The kind and matter of a call. `None` where there is nothing to record: an event of no concern, or one that is not
/// kept where we do not act.
pub(super) fn matter<'a>(
    call: &'a Call<'a>,
    decision: &'a Decision<'a>,
    on: bool,
    attendance: Attendance,
) -> Option<(Kind, Matter<'a>)> {
    let findings = &decision.findings;
    let entered_from = findings.entered_plan_from.as_deref();
    let kept_while_off = matches!(
        call.event,
        Event::Question { .. }
            | Event::Answer { .. }
            | Event::EnterPlan
            | Event::ExitPlan { .. }
            | Event::PlanApproved { .. }
    );
    // A session that was given corrections was told something, whoever attends it.
    // So was a person, by what was put before one.
    if !on && !kept_while_off && findings.corrections.is_empty() && findings.waited.is_none() {
        return None;
    }
    Some(match &call.event {
        Event::Question { tool, input, questions, .. } => {
            let tool_input = input.filter(|_| questions.is_empty()).map(Input);
            (Kind::Question, Matter::Question { tool, questions, tool_input, asked_before: findings.asked_before })
        }
        Event::Answer { tool, answers, whose } => {
            // Where the client says that nobody attends, an answer came from a host or another hook.
            let unattended = attendance == Attendance::Unattended;
            let whose = match whose {
                Whose::Person if unattended && !findings.answered => Whose::Unknown,
                whose => *whose,
            };
            (Kind::Answer, Matter::Answer { tool, answers: answers.map(Input), whose })
        }
        Event::EnterPlan => (Kind::Plan, Matter::EnterPlan { tool: "EnterPlanMode", entered_from }),
        Event::ExitPlan { plan, .. } => (Kind::Plan, plan_matter(plan, entered_from, seen_by(decision, false))),
        Event::PlanApproved { plan } => {
            (Kind::Plan, plan_matter(plan, entered_from, seen_by(decision, attendance == Attendance::Attended)))
        }
        Event::Permission { tool, input, suggestions } => {
            let (tool_input, suggestions) = (input.map(Input), suggestions.map(Input));
            (Kind::Permission, Matter::Permission { tool, tool_input, suggestions, denied_by: None, reason: None })
        }
        Event::Denied { tool, input, reason } => {
            let (tool_input, reason) = (input.map(Input), reason.as_deref());
            let denied_by = Some("client");
            (Kind::Permission, Matter::Permission { tool, tool_input, suggestions: None, denied_by, reason })
        }
        Event::Elicitation { server, message, mode, schema } => {
            let (mcp_server_name, message, mode) = (server.as_deref(), message.as_deref(), mode.as_deref());
            let requested_schema = schema.map(Input);
            (Kind::Elicitation, Matter::Elicitation { mcp_server_name, message, mode, requested_schema })
        }
        Event::Stop { message, stop_hook_active, background } => {
            let matter = Matter::Stop {
                last_assistant_message: message.as_ref().map(Ending),
                stop_hook_active: *stop_hook_active,
                background_tasks: *background,
                turn: findings.turn,
                nudge: findings.nudge,
                in_plan_mode: call.ids.permission_mode.as_deref() == Some("plan"),
                stall: findings.stall,
                stall_kind: findings.stall.then_some("prose"),
            };
            (if findings.nudge.is_some() { Kind::Nudge } else { Kind::Stop }, matter)
        }
        Event::Notification { notification_type, message } => {
            let (notification_type, message) = (notification_type.as_deref(), message.as_deref());
            (Kind::Notice, Matter::Notice { notification_type, message, stall: findings.stall })
        }
        Event::StopFailure { error, message } => session(None, None, None, error.as_deref(), message.as_deref(), &[]),
        Event::SessionStart { source, model } => {
            session(source.as_deref(), model.as_deref(), None, None, None, &findings.corrections)
        }
        Event::SubagentStart { agent_type } => (Kind::Session, Matter::Subagent { agent_type: agent_type.as_deref() }),
        Event::SessionEnd { reason } => session(None, None, reason.as_deref(), None, None, &[]),
        Event::Other => return None,
    })
}

fn session<'a>(
    source: Option<&'a str>,
    model: Option<&'a str>,
    reason: Option<&'a str>,
    error: Option<&'a str>,
    message: Option<&'a str>,
    corrections: &'a [String],
) -> (Kind, Matter<'a>) {
    (Kind::Session, Matter::Session { source, model, reason, error, message, corrections })
}

fn plan_matter<'a>(plan: &'a Plan<'a>, entered_from: Option<&'a str>, seen_by: SeenBy) -> Matter<'a> {
    let plan = PlanMatter { text: plan.text, path: plan.path.as_deref(), entered_from, seen_by };
    Matter::Plan { tool: "ExitPlanMode", plan }
}

/// A plan that we approved was seen by nobody. One that was left to a person, and came through in an attended session,
/// was approved by that person.
fn seen_by(decision: &Decision<'_>, approved_attended: bool) -> SeenBy {
    match &decision.answer {
        _ if decision.findings.plan_seen => SeenBy::Person,
        Answer::Approve { .. } | Answer::Context { .. } => SeenBy::Nobody,
        _ if approved_attended => SeenBy::Person,
        _ => SeenBy::Unknown,
    }
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde's signature")]
fn is_false(flag: &bool) -> bool {
    !flag
}
