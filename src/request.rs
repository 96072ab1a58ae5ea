//! What is put before a person, and what a person may say to it: the request as it lies in `pending/`, the reply as a
//! bridge writes it, and whether the one fits the other. The schema is `docs/pending.schema.json`. Touches no file,
//! clock or environment.

mod raw;
pub mod screen;
pub mod words;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::question::{Question, RowKind};
use crate::record::Kind;

/// The schema version of a request and of a reply.
pub const VERSION: u32 = 1;
/// How long the means of a reply may be, in characters.
pub const MEANS_LIMIT: usize = 100;
/// How long a person's own words may be, in characters.
pub const WORDS_LIMIT: usize = 10_000;
/// What stands for a secret in a record.
const MASKED: &str = "[masked]";
/// The permission modes that a person may name for a plan.
pub const MODES: [&str; 5] = ["default", "acceptEdits", "auto", "dontAsk", "bypassPermissions"];

/// A request that waits for a person.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Request {
    /// The schema version.
    pub v: u32,
    /// Its id, which its record will have.
    pub id: String,
    /// What a reply must repeat; it is good for this request alone.
    pub token: String,
    /// The registration by which the hook was called that put it up.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub registration: String,
    /// Since when it waits.
    pub since: DateTime<Utc>,
    /// When it is decided without a person, if nobody replies.
    pub until: DateTime<Utc>,
    /// Where the reply belongs: an absolute path, to be made in one step, by a link or a rename.
    pub reply_to: String,
    /// The record as it would be written if nothing were answered.
    pub record: Box<RawValue>,
}

/// What of a request's record a reply is held against, and what a person is shown of it.
#[derive(Debug, Clone, Deserialize)]
pub struct Asked {
    /// What waits: a question, a plan or a permission.
    pub kind: Kind,
    /// The session's id.
    #[serde(default)]
    pub session_id: Option<String>,
    /// The folder that the session works in.
    #[serde(default)]
    pub cwd: Option<String>,
    /// The session's permission mode.
    #[serde(default)]
    pub permission_mode: Option<String>,
    /// The tool.
    #[serde(default)]
    pub tool: Option<String>,
    /// The tool's input, of a permission.
    #[serde(default)]
    pub tool_input: Option<Box<RawValue>>,
    /// The questions with their rows.
    #[serde(default)]
    pub questions: Vec<Question<'static>>,
    /// The plan.
    #[serde(default)]
    pub plan: Option<AskedPlan>,
}

/// A plan as it is shown.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct AskedPlan {
    /// Its text, where the client sent it.
    #[serde(default)]
    pub text: Option<String>,
    /// The file that holds it.
    #[serde(default)]
    pub path: Option<String>,
}

impl Request {
    /// What is asked.
    ///
    /// # Errors
    /// A record that is none.
    pub fn asked(&self) -> serde_json::Result<Asked> {
        serde_json::from_str(self.record.get())
    }
}

/// A person's reply. What is read says nothing that is not understood, so that no word of a person's is lost.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "raw::Reply")]
pub struct Reply {
    /// The schema version.
    pub v: u32,
    /// The request's token.
    pub token: String,
    /// By which means the person replied, in a few words: `terminal`, `web page`.
    pub means: String,
    /// What the person said.
    #[serde(flatten)]
    pub said: Said,
}

/// What a person said.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "do", rename_all = "lowercase")]
pub enum Said {
    /// To the questions, one answer each, in their order.
    Answer {
        /// The answers.
        answers: Vec<Chosen>,
    },
    /// The plan is approved.
    Approve {
        /// The permission mode in which it is carried out; none is the one that it would be without a person.
        #[serde(skip_serializing_if = "Option::is_none")]
        mode: Option<String>,
    },
    /// The plan is sent back.
    Reject {
        /// Why.
        message: String,
    },
    /// The tool is allowed, this once.
    Allow,
    /// The tool is refused.
    Deny {
        /// Why, or what to do instead.
        #[serde(skip_serializing_if = "Option::is_none")]
        message: Option<String>,
    },
}

/// The answer to one question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Chosen {
    /// The numbers of options, from 1; one where the question allows one.
    Options(Vec<usize>),
    /// A person's own words.
    Text(String),
}

/// Whether what was said fits what is asked; if not, why not, in a sentence for whoever said it.
///
/// # Errors
/// That sentence.
pub fn fits(said: &Said, kind: Kind, questions: &[Question<'_>]) -> Result<(), String> {
    match (kind, said) {
        (Kind::Question, Said::Answer { answers }) => {
            if answers.len() != questions.len() {
                return Err(format!(
                    "it asks {}, and got {}",
                    count(questions.len(), "question"),
                    count(answers.len(), "answer")
                ));
            }
            questions.iter().zip(answers).try_for_each(|(question, chosen)| answers_it(question, chosen))
        }
        (Kind::Plan, Said::Approve { mode: None }) | (Kind::Permission, Said::Allow | Said::Deny { message: None }) => {
            Ok(())
        }
        (Kind::Plan, Said::Approve { mode: Some(mode) }) if MODES.contains(&mode.as_str()) => Ok(()),
        (Kind::Plan, Said::Approve { mode: Some(mode) }) => {
            Err(format!("there is no permission mode \"{mode}\"; the modes are {}", MODES.join(", ")))
        }
        (Kind::Plan, Said::Reject { message }) | (Kind::Permission, Said::Deny { message: Some(message) }) => {
            words(message)
        }
        (Kind::Question, _) => Err("it is a question: answer it".to_owned()),
        (Kind::Plan, _) => Err("it is a plan: approve or reject it".to_owned()),
        (_, _) => Err("a tool needs a permission: allow or deny it".to_owned()),
    }
}

fn answers_it(question: &Question<'_>, chosen: &Chosen) -> Result<(), String> {
    let refused = |why: &str| Err(format!("\"{}\": {why}", question.question));
    match chosen {
        Chosen::Text(text) if text.trim() == MASKED => refused("what is masked is chosen by its number"),
        Chosen::Text(text) => words(text).or_else(|why| refused(&why)),
        Chosen::Options(numbers) if numbers.is_empty() => refused("nothing is chosen"),
        Chosen::Options(numbers) if numbers.len() > 1 && !question.multi_select => refused("it takes one option alone"),
        Chosen::Options(numbers) => {
            for (at, number) in numbers.iter().enumerate() {
                let row = question.rows.iter().find(|row| row.number == Some(*number));
                match row.map(|row| row.kind) {
                    Some(RowKind::Option) if numbers.iter().take(at).any(|before| before == number) => {
                        return refused(&format!("option {number} is chosen twice"));
                    }
                    Some(RowKind::Option) => {}
                    Some(RowKind::FreeText) => return refused(&format!("for row {number} write the words themselves")),
                    Some(RowKind::Chat) => return refused(&format!("row {number} answers nothing")),
                    None => return refused(&format!("there is no option {number}")),
                }
            }
            Ok(())
        }
    }
}

fn words(text: &str) -> Result<(), String> {
    match text.chars().count() {
        _ if text.trim().is_empty() => Err("it takes some words".to_owned()),
        length if length > WORDS_LIMIT => Err(format!("{length} characters are too many; {WORDS_LIMIT} are taken")),
        _ => Ok(()),
    }
}

/// The answer as the client keeps it: labels joined by a comma and a space, or the words (FACTS.md, Questions 5).
pub fn written(question: &Question<'_>, chosen: &Chosen) -> String {
    match chosen {
        Chosen::Text(text) => text.clone(),
        Chosen::Options(numbers) => {
            let label =
                |number: &usize| question.options.get(number.checked_sub(1)?).map(|option| option.label.as_ref());
            numbers.iter().filter_map(label).collect::<Vec<_>>().join(", ")
        }
    }
}

fn count(number: usize, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests;
