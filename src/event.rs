//! What a payload is about: the one total reduction of what the client sends. What is unknown becomes `Other`, what is
//! broken loses only the broken part. Touches no file, clock or environment.

use std::borrow::Cow;

use serde::Serialize;
use serde_json::value::RawValue;

use crate::closing::Closing;
use crate::question::{Question, questions};
use crate::wire::{Payload, Written, object};

/// One call of the hook.
#[derive(Debug)]
pub struct Call<'a> {
    /// Whose call it is.
    pub ids: Ids<'a>,
    /// What it is about.
    pub event: Event<'a>,
}

/// The ids and places that a payload has. Clients before about 2.1.196 send no `prompt_id`, PermissionRequest has no
/// `tool_use_id`, SessionStart and Notification have no `permission_mode` (FACTS.md, Questions 2 and Turns 5).
#[derive(Debug, Default, Clone, Serialize)]
#[allow(missing_docs, reason = "the names are the client's")]
pub struct Ids<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session_id: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompt_id: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_use_id: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cwd: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub transcript_path: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub permission_mode: Option<Cow<'a, str>>,
    /// The event's name as the client wrote it.
    #[serde(rename = "event", skip_serializing_if = "Option::is_none")]
    pub hook_event_name: Option<Cow<'a, str>>,
}

/// The two hooks that can decide a tool call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum At {
    /// Before the call, whether or not it needs a permission.
    PreToolUse,
    /// When the client would open a dialog.
    PermissionRequest,
}

/// What a call is about.
#[derive(Debug)]
#[allow(missing_docs, reason = "the fields' names are the client's")]
pub enum Event<'a> {
    /// The model asks (AskUserQuestion and its MCP twins).
    Question { at: At, tool: Cow<'a, str>, input: Option<&'a RawValue>, questions: Vec<Question<'a>> },
    /// A question came back with an answer, or with none.
    Answer { tool: Cow<'a, str>, answers: Option<&'a RawValue>, whose: Whose },
    /// The model enters plan mode by itself.
    EnterPlan,
    /// The model asks to leave plan mode and carry out its plan.
    ExitPlan { at: At, input: Option<&'a RawValue>, plan: Plan<'a> },
    /// A plan was approved and is carried out from here on.
    PlanApproved { plan: Plan<'a> },
    /// A tool needs a permission.
    Permission { tool: Cow<'a, str>, input: Option<&'a RawValue>, suggestions: Option<&'a RawValue> },
    /// The client refused a tool by itself.
    Denied { tool: Cow<'a, str>, input: Option<&'a RawValue>, reason: Option<Cow<'a, str>> },
    /// An MCP server asks the user for something.
    Elicitation {
        server: Option<Cow<'a, str>>,
        message: Option<Cow<'a, str>>,
        mode: Option<Cow<'a, str>>,
        schema: Option<&'a RawValue>,
    },
    /// The client tells a person something.
    Notification { notification_type: Option<Cow<'a, str>>, message: Option<Cow<'a, str>> },
    /// A turn ended. `background` counts the background tasks that will wake the session again.
    Stop { message: Option<Closing<'a>>, stop_hook_active: bool, background: usize },
    /// A turn was ended by the API.
    StopFailure { error: Option<Cow<'a, str>>, message: Option<Cow<'a, str>> },
    /// A session started, was resumed, cleared or compacted.
    SessionStart { source: Option<Cow<'a, str>>, model: Option<Cow<'a, str>> },
    /// A subagent starts; it has no question tool and asks in prose.
    SubagentStart { agent_type: Option<Cow<'a, str>> },
    /// A session ended.
    SessionEnd { reason: Option<Cow<'a, str>> },
    /// Nothing for us.
    Other,
}

/// A plan as far as the payload has it: `{plan, planFilePath}` since 2.1.90 or earlier, `{plan}` on 2.1.50, `{}` before
/// (FACTS.md, Plans 2).
#[derive(Debug, Default)]
pub struct Plan<'a> {
    /// The text.
    pub text: Option<Written<'a>>,
    /// The file that holds it.
    pub path: Option<Cow<'a, str>>,
}

/// Whose an answer is, as far as the payload shows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Whose {
    /// Something was chosen or written.
    Person,
    /// The client gave up waiting and went on.
    Timeout,
    /// The dialog came back empty.
    Nobody,
    /// The payload has no readable answer.
    Unknown,
}

/// Whether a tool asks the user: the client's own, or an MCP server's look-alike.
pub fn is_question_tool(tool: &str) -> bool {
    tool == "AskUserQuestion" || (tool.starts_with("mcp__") && tool.ends_with("__AskUserQuestion"))
}

/// Reduces a payload to a call.
pub fn read<'a>(payload: &Payload<'a>) -> Call<'a> {
    let ids = Ids {
        session_id: payload.text("session_id"),
        prompt_id: payload.text("prompt_id"),
        tool_use_id: payload.text("tool_use_id"),
        agent_id: payload.text("agent_id"),
        cwd: payload.text("cwd"),
        transcript_path: payload.text("transcript_path"),
        permission_mode: payload.text("permission_mode"),
        hook_event_name: payload.text("hook_event_name"),
    };
    let tool = payload.text("tool_name").unwrap_or_default();
    let event = match ids.hook_event_name.as_deref().unwrap_or_default() {
        "PreToolUse" => before_tool(At::PreToolUse, tool, payload),
        "PermissionRequest" => before_tool(At::PermissionRequest, tool, payload),
        "PostToolUse" => after_tool(tool, payload),
        "PermissionDenied" => Event::Denied { tool, input: payload.raw("tool_input"), reason: payload.text("reason") },
        "Elicitation" => Event::Elicitation {
            server: payload.text("mcp_server_name"),
            message: payload.text("message"),
            mode: payload.text("mode"),
            schema: payload.raw("requested_schema"),
        },
        "Notification" => Event::Notification {
            notification_type: payload.text("notification_type"),
            message: payload.text("message"),
        },
        "Stop" => Event::Stop {
            message: payload.raw("last_assistant_message").and_then(Closing::of),
            stop_hook_active: payload.flag("stop_hook_active"),
            background: payload.entries("background_tasks").into_iter().filter(|task| will_wake(task)).count(),
        },
        "StopFailure" => {
            Event::StopFailure { error: payload.text("error"), message: payload.text("last_assistant_message") }
        }
        "SessionStart" => Event::SessionStart { source: payload.text("source"), model: payload.text("model") },
        "SubagentStart" => Event::SubagentStart { agent_type: payload.text("agent_type") },
        "SessionEnd" => Event::SessionEnd { reason: payload.text("reason") },
        _ => Event::Other,
    };
    Call { ids, event }
}

/// Whether a background task comes to an end and wakes the session then. A command or a watch left in the background may run
/// for ever, as a server does. The types are those that 2.1.332 names.
fn will_wake(task: &RawValue) -> bool {
    let task = Payload::read(task.get()).unwrap_or_default();
    !matches!(task.text("type").as_deref(), Some("shell" | "monitor"))
}

fn before_tool<'a>(at: At, tool: Cow<'a, str>, payload: &Payload<'a>) -> Event<'a> {
    let input = payload.raw("tool_input");
    match tool.as_ref() {
        name if is_question_tool(name) => {
            Event::Question { at, tool, input, questions: input.map(questions).unwrap_or_default() }
        }
        "ExitPlanMode" => {
            let fields = input.and_then(object).unwrap_or_default();
            Event::ExitPlan {
                at,
                input,
                plan: Plan { text: fields.raw("plan").and_then(Written::of), path: fields.text("planFilePath") },
            }
        }
        "EnterPlanMode" if at == At::PreToolUse => Event::EnterPlan,
        _ if at == At::PermissionRequest => {
            Event::Permission { tool, input, suggestions: payload.raw("permission_suggestions") }
        }
        _ => Event::Other,
    }
}

fn after_tool<'a>(tool: Cow<'a, str>, payload: &Payload<'a>) -> Event<'a> {
    let response = payload.object("tool_response").unwrap_or_default();
    let input = payload.object("tool_input").unwrap_or_default();
    match tool.as_ref() {
        name if is_question_tool(name) => {
            let answers = response.raw("answers").or_else(|| input.raw("answers"));
            let timed_out = response.raw("afkTimeoutMs").or_else(|| input.raw("afkTimeoutMs")).is_some();
            let whose = match answers.and_then(object) {
                Some(given) if !given.is_empty() => Whose::Person,
                Some(_) if timed_out => Whose::Timeout,
                Some(_) => Whose::Nobody,
                None => Whose::Unknown,
            };
            Event::Answer { tool, answers, whose }
        }
        "ExitPlanMode" => Event::PlanApproved {
            plan: Plan {
                text: [&response, &input].into_iter().find_map(|fields| Written::of(fields.raw("plan")?)),
                path: response.text("filePath").or_else(|| input.text("planFilePath")),
            },
        },
        _ => Event::Other,
    }
}
