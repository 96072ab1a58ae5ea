//! A decision as it is shown: what was asked, what was decided, what was assumed, what a person said of it. Pure, but
//! for the project of a folder.

use chrono::{DateTime, Utc};
use serde::Serialize;
use serde_json::{Map, Value};

use super::Projects;
use crate::assumption::Assumption;
use crate::history::Decided;
use crate::mask;
use crate::record::Kind;
use crate::reviews::{self, Reviews};

/// How much of a tool's input stands in the line that says what was asked, in characters.
const INPUT_LIMIT: usize = 400;
/// How much of the end of a closing message.
const ENDING_LIMIT: usize = 300;

/// A decision.
#[derive(Debug, Clone, Serialize)]
#[allow(missing_docs, reason = "the names are those of the schema, which says what they are")]
pub struct Item {
    pub id: String,
    pub kind: Kind,
    pub at: DateTime<Utc>,
    pub session_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<String>,
    pub cwd: Option<String>,
    pub project: Option<String>,
    pub permission_mode: Option<String>,
    pub asked: String,
    #[serde(flatten)]
    pub matter: Matter,
    pub decision: &'static str,
    pub decided_by: &'static str,
    pub assumption: Option<String>,
    pub assumption_from: Option<crate::assumption::From>,
    pub reviewed: bool,
    pub correction: Option<Corrected>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub masked: bool,
    #[serde(skip)]
    pub(super) transcript_path: Option<String>,
    #[serde(skip)]
    pub(super) tool_use_id: Option<String>,
    #[serde(skip)]
    pub(super) suggestions: Option<Value>,
}

/// What it is about, by its kind.
#[derive(Debug, Clone, Serialize)]
#[serde(untagged)]
#[allow(missing_docs, reason = "the names are those of the schema, which says what they are")]
pub enum Matter {
    Question {
        questions: Vec<Question>,
    },
    Plan {
        plan: PlanMatter,
    },
    Permission {
        tool: String,
        tool_input: Option<Value>,
        #[serde(skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
    },
    Elicitation {
        mcp_server_name: Option<String>,
        message: Option<String>,
    },
    Turn {
        last_assistant_message: Option<String>,
    },
}

/// A question and what it offered.
#[derive(Debug, Clone, Serialize)]
#[allow(missing_docs, reason = "the names are those of the schema, which says what they are")]
pub struct Question {
    pub question: String,
    pub header: String,
    #[serde(rename = "multiSelect")]
    pub multi_select: bool,
    pub options: Vec<Choice>,
}

/// An option.
#[derive(Debug, Clone, Serialize)]
#[allow(missing_docs, reason = "the names are those of the schema, which says what they are")]
pub struct Choice {
    pub label: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    pub recommended: bool,
}

/// A plan.
#[derive(Debug, Clone, Serialize)]
#[allow(missing_docs, reason = "the names are those of the schema, which says what they are")]
pub struct PlanMatter {
    pub title: String,
    pub text: Option<String>,
    pub path: Option<String>,
    pub seen_by: String,
    pub ran_in: Option<String>,
}

/// A person's correction, and where it has arrived.
#[derive(Debug, Clone, Serialize)]
#[allow(missing_docs, reason = "the names are those of the schema, which says what they are")]
pub struct Corrected {
    pub text: String,
    pub at: DateTime<Utc>,
    pub delivered: Vec<Delivered>,
}

/// That it was delivered.
#[derive(Debug, Clone, Serialize)]
#[allow(missing_docs, reason = "the names are those of the schema, which says what they are")]
pub struct Delivered {
    pub at: DateTime<Utc>,
    pub session_id: String,
}

/// What is shown of a decision.
pub(super) fn of(decided: &Decided, reviews: &Reviews, projects: &mut Projects) -> Item {
    let record = decided.record();
    let mut matter = matter(decided.kind, &record);
    if let (Matter::Plan { plan }, Some(mode)) = (&mut matter, mode_after(decided)) {
        plan.ran_in = Some(mode);
    }
    let cwd = text(&record, "cwd");
    let by_client = record.get("denied_by").is_some() && action(&record) == "none";
    let correction = reviews.correction(decided).map(|correction| Corrected {
        text: correction.text.clone(),
        at: correction.at,
        delivered: reviews
            .deliveries(correction)
            .iter()
            .map(|delivery| Delivered { at: delivery.at, session_id: delivery.session_id.clone() })
            .collect(),
    });
    Item {
        id: reviews::name(decided.id()),
        kind: decided.kind,
        at: decided.at,
        session_id: text(&record, "session_id"),
        agent_id: text(&record, "agent_id"),
        project: cwd.as_deref().map(|cwd| projects.of(cwd).folder().display().to_string()),
        cwd,
        permission_mode: text(&record, "permission_mode"),
        asked: asked(&matter),
        decision: if by_client { "denied" } else { outcome(action(&record)) },
        decided_by: if by_client { "client" } else { "unattended" },
        matter,
        assumption: None,
        assumption_from: None,
        reviewed: reviews.is_reviewed(decided),
        correction,
        masked: record.get("masked") == Some(&Value::Bool(true)),
        transcript_path: text(&record, "transcript_path"),
        tool_use_id: text(&record, "tool_use_id"),
        suggestions: record.get("suggestions").cloned(),
    }
}

impl Item {
    /// Takes secrets out of what was assumed.
    pub(super) fn mask(&mut self) {
        let Some(assumption) = &mut self.assumption else { return };
        let line = serde_json::json!({ "text": assumption }).to_string();
        let masked = mask::masked(&line).and_then(|masked| serde_json::from_str::<Map<String, Value>>(&masked).ok());
        if let Some(text) = masked.and_then(|masked| text(&masked, "text")) {
            *assumption = text;
        }
    }

    pub(super) fn assume(&mut self, assumption: Assumption) {
        self.assumption = Some(assumption.text);
        self.assumption_from = Some(assumption.from);
    }
}

fn matter(kind: Kind, record: &Map<String, Value>) -> Matter {
    match kind {
        Kind::Plan => Matter::Plan { plan: plan(record) },
        Kind::Permission => Matter::Permission {
            tool: text(record, "tool").unwrap_or_default(),
            tool_input: record.get("tool_input").cloned(),
            reason: text(record, "reason"),
        },
        Kind::Elicitation => {
            Matter::Elicitation { mcp_server_name: text(record, "mcp_server_name"), message: text(record, "message") }
        }
        Kind::Nudge => Matter::Turn { last_assistant_message: text(record, "last_assistant_message") },
        _ => Matter::Question { questions: list(record.get("questions")).iter().map(question).collect() },
    }
}

/// The mode in which a plan is carried out: PostToolUse says it.
fn mode_after(decided: &Decided) -> Option<String> {
    let after = decided.records().find(|record| text(record, "event").as_deref() == Some("PostToolUse"))?;
    text(&after, "permission_mode").filter(|mode| mode != "plan")
}

fn question(value: &Value) -> Question {
    let of = |value: &Value, name: &str| value.get(name).and_then(Value::as_str).map(str::to_owned);
    Question {
        question: of(value, "question").unwrap_or_default(),
        header: of(value, "header").unwrap_or_default(),
        multi_select: value.get("multiSelect") == Some(&Value::Bool(true)),
        options: list(value.get("options"))
            .iter()
            .map(|option| Choice {
                label: of(option, "label").unwrap_or_default(),
                description: of(option, "description"),
                recommended: option.get("recommended") == Some(&Value::Bool(true)),
            })
            .collect(),
    }
}

fn plan(record: &Map<String, Value>) -> PlanMatter {
    let plan = record.get("plan").and_then(Value::as_object).cloned().unwrap_or_default();
    let written = text(&plan, "text");
    let title = written.as_deref().and_then(|text| text.lines().map(str::trim).find(|line| !line.is_empty()));
    let modes = list(record.get("decision").and_then(|decision| decision.get("modes")));
    let set = modes.last().and_then(Value::as_str).map(str::to_owned);
    PlanMatter {
        title: title.unwrap_or("a plan without a text").trim_start_matches(['#', ' ']).to_owned(),
        path: text(&plan, "path"),
        seen_by: text(&plan, "seen_by").unwrap_or_else(|| "unknown".to_owned()),
        ran_in: set.or_else(|| text(&plan, "entered_from")),
        text: written,
    }
}

/// What was asked, in a line or a few.
fn asked(matter: &Matter) -> String {
    match matter {
        Matter::Question { questions } if questions.is_empty() => "a question that could not be read".to_owned(),
        Matter::Question { questions } => {
            questions.iter().map(|question| question.question.as_str()).collect::<Vec<_>>().join("\n")
        }
        Matter::Plan { plan } => plan.title.clone(),
        Matter::Permission { tool, tool_input, .. } => match tool_input.as_ref().map(input).filter(|it| !it.is_empty())
        {
            Some(input) => format!("{tool}: {input}"),
            None => tool.clone(),
        },
        Matter::Elicitation { mcp_server_name, message } => {
            let server = mcp_server_name.as_deref().unwrap_or("an MCP server");
            message.as_deref().map_or(server.to_owned(), |message| format!("{server}: {message}"))
        }
        Matter::Turn { last_assistant_message } => ending(last_assistant_message.as_deref().unwrap_or_default()),
    }
}

/// The one thing that a tool's input is about, else all of it.
fn input(input: &Value) -> String {
    let about = ["command", "file_path", "notebook_path", "path", "url", "query", "pattern", "skill", "description"]
        .iter()
        .find_map(|name| input.get(name).and_then(Value::as_str));
    let text = match (about, input) {
        (Some(about), _) => about.to_owned(),
        (None, Value::String(text)) => text.clone(),
        (None, Value::Object(fields)) if fields.is_empty() => String::new(),
        (None, other) => other.to_string(),
    };
    limited(&text, INPUT_LIMIT)
}

/// The last paragraph of a message, where what it waits for stands.
fn ending(message: &str) -> String {
    let last = message.trim_end().rsplit("\n\n").next().unwrap_or_default().trim();
    let length = last.chars().count();
    if length <= ENDING_LIMIT {
        return last.to_owned();
    }
    format!("…{}", last.chars().skip(length - ENDING_LIMIT).collect::<String>())
}

fn limited(text: &str, limit: usize) -> String {
    match text.char_indices().nth(limit) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}

fn action(record: &Map<String, Value>) -> &str {
    record.get("decision").and_then(|decision| decision.get("action")).and_then(Value::as_str).unwrap_or("none")
}

fn outcome(action: &str) -> &'static str {
    match action {
        "deny" => "denied",
        "approve" | "context" => "approved",
        "cancel" => "cancelled",
        "decline" => "declined",
        "send_on" => "sent_on",
        _ => "unknown",
    }
}

pub(super) fn text(record: &Map<String, Value>, name: &str) -> Option<String> {
    record.get(name).and_then(Value::as_str).map(str::to_owned)
}

fn list(value: Option<&Value>) -> &[Value] {
    value.and_then(Value::as_array).map_or(&[], Vec::as_slice)
}
