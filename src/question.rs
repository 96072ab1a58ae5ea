//! A question of the model's, read from the tool's input, and the rows that the client draws for it: what a
//! bridge needs to show and answer the dialog with no screen to parse. Touches no file, clock or environment.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::wire::{Payload, list, object, text};

/// The longest input whose questions are read, in bytes, and how many questions and options are: the client itself
/// allows four of each.
const LONGEST: usize = 256 * 1024;
const MOST_QUESTIONS: usize = 1000;
const MOST_OPTIONS: usize = 4000;

/// One question of a dialog.
#[derive(Debug, Clone, Serialize, Deserialize)]
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
    /// The rows as the client draws them, its own last.
    pub rows: Vec<Row<'a>>,
}

/// One option as the model wrote it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct QuestionOption<'a> {
    /// The text; in the client's answers it is the value.
    pub label: Cow<'a, str>,
    /// What it means.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<Cow<'a, str>>,
    /// What it would look like.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preview: Option<Cow<'a, str>>,
    /// Whether the model itself marked it "(Recommended)".
    pub recommended: bool,
}

/// One row of the dialog.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Row<'a> {
    /// The digit that chooses it, from 1; none where the client draws none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub number: Option<usize>,
    /// What stands in the row.
    pub label: Cow<'a, str>,
    /// What choosing it does.
    pub kind: RowKind,
}

/// What choosing a row does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
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
    let Some(fields) = Some(input).filter(|input| input.get().len() <= LONGEST).and_then(object) else {
        return Vec::new();
    };
    let mut left = MOST_OPTIONS;
    match fields.raw("questions") {
        Some(listed) => {
            let listed = list(listed).into_iter().take(MOST_QUESTIONS).filter_map(object);
            listed.filter_map(|fields| question(&fields, &mut left)).collect()
        }
        None => question(&fields, &mut left).into_iter().collect(),
    }
}

/// One question with at most `left` options; takes from `left` what it has.
fn question<'a>(fields: &Payload<'a>, left: &mut usize) -> Option<Question<'a>> {
    let question = fields.text("question")?;
    let listed = fields.raw("options").map(list).unwrap_or_default();
    let options: Vec<_> = listed.into_iter().take(*left).filter_map(option).collect();
    *left -= options.len();
    let multi_select = fields.flag("multiSelect");
    let rows = rows(&options, multi_select);
    let header = fields.text("header").unwrap_or_default();
    Some(Question { question, header, multi_select, options, rows })
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

/// The options, then the client's own rows (seen on 2.1.332): "Type something." and "Chat about this", numbered on;
/// with check boxes the first has no full stop, beside a preview it is left out and the other has no number.
fn rows<'a>(options: &[QuestionOption<'a>], multi_select: bool) -> Vec<Row<'a>> {
    let beside_preview = !multi_select && options.iter().any(|option| option.preview.is_some());
    let offered = options.iter().map(|option| (option.label.clone(), RowKind::Option));
    let free_text = Cow::Borrowed(if multi_select { "Type something" } else { "Type something." });
    let own = [(free_text, RowKind::FreeText), ("Chat about this".into(), RowKind::Chat)];
    offered
        .chain(own.into_iter().filter(|(_, kind)| !(beside_preview && *kind == RowKind::FreeText)))
        .enumerate()
        .map(|(index, (label, kind))| {
            let numbered = !(beside_preview && kind == RowKind::Chat);
            Row { number: numbered.then_some(index + 1), label, kind }
        })
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
