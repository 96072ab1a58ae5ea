//! A question of the model's, read from the tool's input, and the numbered rows that the client draws for it: what a
//! bridge needs to show and answer the dialog with no screen to parse. Touches no file, clock or environment.

use std::borrow::Cow;

use serde::Serialize;
use serde_json::value::RawValue;

use crate::wire::{Payload, list, object, text};

/// One question of a dialog.
#[derive(Debug, Clone, Serialize)]
pub struct Question<'a> {
    /// The text; in the client's answers it is the key.
    pub question: Cow<'a, str>,
    /// The short name over it.
    pub header: Cow<'a, str>,
    /// Whether several options may be chosen.
    #[serde(rename = "multiSelect")]
    pub multi_select: bool,
    /// What the model offers.
    pub options: Vec<QuestionOption<'a>>,
    /// The numbered rows as the client draws them, its own two last (FACTS.md, Questions 7).
    pub rows: Vec<Row<'a>>,
}

/// One option as the model wrote it.
#[derive(Debug, Clone, Serialize)]
pub struct QuestionOption<'a> {
    /// The text; in the client's answers it is the value.
    pub label: Cow<'a, str>,
    /// What it means.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<Cow<'a, str>>,
    /// What it would look like.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preview: Option<Cow<'a, str>>,
    /// Whether the model itself marked it "(Recommended)".
    pub recommended: bool,
}

/// One numbered row: `number` is the digit that chooses it.
#[derive(Debug, Clone, Serialize)]
pub struct Row<'a> {
    /// From 1.
    pub number: usize,
    /// What stands in the row.
    pub label: Cow<'a, str>,
    /// What choosing it does.
    pub kind: RowKind,
}

/// What choosing a row does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RowKind {
    /// Answers with the option of this number.
    Option,
    /// Asks for an answer in the person's own words.
    FreeText,
    /// Closes the dialog with no answer, to talk about it.
    Chat,
}

/// The questions of a tool input: a list under `questions`, else one question laid out
/// flat, as some MCP look-alikes do. What cannot be read is left out.
pub fn questions(input: &RawValue) -> Vec<Question<'_>> {
    let Some(fields) = object(input) else { return Vec::new() };
    match fields.raw("questions") {
        Some(listed) => list(listed).into_iter().filter_map(object).filter_map(|fields| question(&fields)).collect(),
        None => question(&fields).into_iter().collect(),
    }
}

fn question<'a>(fields: &Payload<'a>) -> Option<Question<'a>> {
    let question = fields.text("question")?;
    let options: Vec<_> = fields.raw("options").map(list).unwrap_or_default().into_iter().filter_map(option).collect();
    let rows = rows(&options);
    let header = fields.text("header").unwrap_or_default();
    Some(Question { question, header, multi_select: fields.flag("multiSelect"), options, rows })
}

fn option(value: &RawValue) -> Option<QuestionOption<'_>> {
    let (label, description, preview) = match text(value) {
        Some(label) => (label, None, None),
        None => {
            let fields = object(value)?;
            (fields.text("label")?, fields.text("description"), fields.text("preview"))
        }
    };
    let recommended = label.to_lowercase().contains("(recommended)");
    Some(QuestionOption { label, description, preview, recommended })
}

fn rows<'a>(options: &[QuestionOption<'a>]) -> Vec<Row<'a>> {
    let offered = options.iter().map(|option| (option.label.clone(), RowKind::Option));
    let own = [("Type something.", RowKind::FreeText), ("Chat about this", RowKind::Chat)];
    offered
        .chain(own.map(|(label, kind)| (Cow::Borrowed(label), kind)))
        .enumerate()
        .map(|(index, (label, kind))| Row { number: index + 1, label, kind })
        .collect()
}

/// The labels that the model marked "(Recommended)", over all questions.
pub fn recommended<'q>(questions: &'q [Question<'_>]) -> impl Iterator<Item = &'q str> {
    questions
        .iter()
        .flat_map(|question| &question.options)
        .filter(|option| option.recommended)
        .map(|option| option.label.as_ref())
}
