//! What a person types, read as a reply. What a word means depends on what is asked, never on the word alone: a question
//! may well be answered by "approve". Touches no file, clock or environment.

use super::{Asked, Chosen, Said, fits};
use crate::question::{Question, RowKind};
use crate::record::Kind;

/// What stands behind it is an answer as it is written, whatever it looks like: `=2` is the text "2".
pub const LITERAL: char = '=';

/// The words of a reply: one for each question; `approve`, or `reject` and why; `allow`, or `deny` and perhaps why. `mode`
/// goes with `approve`. What begins with `=` is the text behind it. What is given fits what is asked.
///
/// # Errors
/// Why it is no reply to this, in a sentence.
pub fn said(asked: &Asked, words: &[String], mode: Option<&str>) -> Result<Said, String> {
    let first = words.first().map(String::as_str).unwrap_or_default();
    let rest = words.get(1..).unwrap_or_default().join(" ");
    let why = rest.strip_prefix(LITERAL).unwrap_or(&rest);
    let said = match (asked.kind, first, rest.as_str()) {
        (Kind::Question, ..) => Said::Answer { answers: answers(&asked.questions, words)? },
        (Kind::Plan, "approve", "") => Said::Approve { mode: mode.map(str::to_owned) },
        (Kind::Plan, "approve", _) => {
            return Err("an approval takes no words; to have the plan changed, reject it and say how".to_owned());
        }
        (Kind::Plan, "reject", _) if why.trim().is_empty() => return Err("say why it is sent back".to_owned()),
        (Kind::Plan, "reject", _) => Said::Reject { message: why.to_owned() },
        (Kind::Permission, "allow", "") => Said::Allow,
        (Kind::Permission, "allow", _) => {
            return Err("a tool is allowed as it is; to have something else done, deny it and say what".to_owned());
        }
        (Kind::Permission, "deny", "") => Said::Deny { message: None },
        (Kind::Permission, "deny", _) => Said::Deny { message: Some(why.to_owned()) },
        (Kind::Plan, ..) => return Err(format!("it is a plan, and \"{first}\" is neither approve nor reject")),
        (..) => return Err(format!("a tool needs a permission, and \"{first}\" is neither allow nor deny")),
    };
    if mode.is_some() && !matches!(said, Said::Approve { .. }) {
        return Err("a mode goes with the approval of a plan alone".to_owned());
    }
    fits(&said, asked.kind, &asked.questions).map(|()| said)
}

fn answers(questions: &[Question<'_>], words: &[String]) -> Result<Vec<Chosen>, String> {
    // How many there must be says `fits`; what each of them means needs its question.
    words
        .iter()
        .enumerate()
        .map(|(at, word)| match questions.get(at) {
            Some(question) => chosen(question, word),
            None => Ok(Chosen::Text(word.clone())),
        })
        .collect()
}

/// The answer to one question: numbers of its options, or a text.
///
/// # Errors
/// A number that no option can have, or what only looks like one, in a sentence.
pub fn chosen(question: &Question<'_>, word: &str) -> Result<Chosen, String> {
    if let Some(text) = word.strip_prefix(LITERAL) {
        return Ok(Chosen::Text(text.to_owned()));
    }
    let typed = word.trim();
    if question.options.is_empty() || !typed.chars().any(char::is_numeric) {
        return Ok(Chosen::Text(word.to_owned()));
    }
    if typed.bytes().all(|byte| byte.is_ascii_digit() || byte == b',' || byte == b' ') {
        let numbers = typed.split([',', ' ']).filter(|number| !number.is_empty());
        let number =
            |text: &str| text.parse().map_err(|_| format!("\"{}\": there is no option {text}", question.question));
        return numbers.map(number).collect::<Result<_, _>>().map(Chosen::Options);
    }
    // What may be meant for a number is not taken for a text in silence.
    let maybe = |c: char| c.is_numeric() || c.is_whitespace() || c.is_ascii_punctuation() || "–—".contains(c);
    if typed.chars().all(maybe) {
        return Err(format!(
            "\"{}\": \"{typed}\" is no number of an option; ={typed} answers with that text",
            question.question
        ));
    }
    Ok(Chosen::Text(word.to_owned()))
}

/// The options of a question with their numbers, a line each.
pub fn options(question: &Question<'_>) -> Vec<String> {
    let rows = question.rows.iter().filter(|row| row.kind == RowKind::Option);
    rows.filter_map(|row| Some(format!("{}. {}", row.number?, row.label))).collect()
}
