//! What a person replied, as a decision: the answer for the client, and what is kept of it. Also how a wait ended, for
//! the record. Touches no file, clock or environment.

use std::borrow::Cow;
use std::time::Duration;

use serde::Serialize;
use serde_json::value::RawValue;

use crate::answer::{Answer, Echo};
use crate::config::{Config, Then};
use crate::decide::{Decision, Findings, then};
use crate::event::{At, Call, Event};
use crate::guidance;
use crate::memory::{Memory, Note};
use crate::question::Question;
use crate::request::{Chosen, Said, written};

/// How a wait for a person went.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Waited {
    /// How long it could have been, in milliseconds.
    pub limit_ms: u64,
    /// How long it should have been, where the hook's own timeout left less.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cut_from_ms: Option<u64>,
    /// How long it was.
    pub waited_ms: u64,
    /// What ended it.
    pub end: End,
    /// Who replied; never anybody but a person.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<By>,
    /// By which means.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub means: Option<String>,
}

/// What ended a wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum End {
    /// A person replied.
    Reply,
    /// The time was up.
    Time,
    /// The switch was turned off: the dialog is the person's.
    Off,
    /// The client took no answer any more, or the request was taken away.
    Gone,
}

/// Who replied.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs, reason = "the name says it")]
pub enum By {
    Person,
}

/// How much of a tool's input, and of a plan, a person can be shown: as much as a record keeps of it, in bytes. What
/// cannot be shown whole is not put before anybody.
const SHOWN_INPUT: usize = 64 * 1024;
const SHOWN_PLAN: usize = 256 * 1024;

/// How long a person may reply to what is decided here, before it is. Nothing waits whose decision is not ours to make,
/// no question that could not be read, and none whose answers could not be told apart. Questions wait before the call,
/// where the denial ends them on every client; plans and permissions where the client would open a dialog.
pub fn wait(call: &Call<'_>, decision: &Decision<'_>, config: &Config) -> Option<Duration> {
    let wait = match (&call.event, &decision.answer) {
        (Event::Question { at: At::PreToolUse, .. }, Answer::Deny { .. }) => config.questions.wait,
        (Event::ExitPlan { at: At::PermissionRequest, .. }, Answer::Approve { .. }) => config.plans.wait,
        (Event::Permission { .. }, Answer::Deny { .. }) => config.permissions.wait,
        _ => Duration::ZERO,
    };
    (!wait.is_zero() && can_be_put(&call.event)).then_some(wait)
}

/// Whether a person can be asked about it. Not on the way of a call that does not wait.
#[inline(never)]
fn can_be_put(event: &Event<'_>) -> bool {
    match event {
        Event::Question { questions, .. } => can_be_told_apart(questions),
        Event::ExitPlan { input, .. } => fits_in(*input, SHOWN_PLAN),
        Event::Permission { input, .. } => fits_in(*input, SHOWN_INPUT),
        _ => false,
    }
}

fn fits_in(input: Option<&RawValue>, limit: usize) -> bool {
    input.is_none_or(|input| input.get().len() <= limit)
}

/// The client keeps answers by the questions' texts, and in them the options by their labels.
fn can_be_told_apart(questions: &[Question<'_>]) -> bool {
    let mut texts: Vec<&str> = questions.iter().map(|question| question.question.as_ref()).collect();
    texts.sort_unstable();
    texts.dedup();
    let labelled = |question: &Question<'_>| question.options.iter().all(|option| !option.label.trim().is_empty());
    !questions.is_empty() && texts.len() == questions.len() && questions.iter().all(labelled)
}

/// What a person said instead of `otherwise`, which is what would be decided without. `takes_answers`: the client takes
/// answers from a hook; else they are handed on in a denial.
pub fn decide<'a>(call: &Call<'a>, otherwise: Decision<'a>, said: &Said, takes_answers: bool) -> Decision<'a> {
    let Decision { answer, remember, findings } = otherwise;
    match (&call.event, said) {
        (Event::Question { at, tool, input, questions }, Said::Answer { answers }) => {
            let answers = pairs(questions, answers);
            // A look-alike's server would be called with the answers, which it does not expect.
            let own = tool == "AskUserQuestion";
            let filled = input.filter(|_| takes_answers && own).and_then(|input| with_answers(input.get(), &answers));
            let remember = vec![note(call, &answers)];
            let answer = match filled {
                Some(input) => Answer::Reply { at: *at, input, answers },
                None => Answer::Deny { at: *at, message: guidance::answered(&answers) },
            };
            Decision { answer, remember, findings }
        }
        (Event::ExitPlan { at, input, .. }, Said::Approve { mode }) => {
            let modes = match (mode.as_deref(), answer) {
                (Some("bypassPermissions"), _) => then(Then::BypassPermissions),
                (Some(mode), _) => vec![Cow::Owned(mode.to_owned())],
                (None, Answer::Approve { modes, .. }) => modes,
                (None, _) => Vec::new(),
            };
            let findings = Findings { plan_seen: true, ..findings };
            let remember = vec![Note::PlanSeen];
            Decision { answer: Answer::Approve { at: *at, input: Echo::of(*input), modes }, remember, findings }
        }
        (Event::ExitPlan { at, .. }, Said::Reject { message }) => {
            let findings = Findings { plan_seen: true, ..findings };
            Decision { answer: Answer::Deny { at: *at, message: guidance::rejected(message) }, remember, findings }
        }
        (Event::Permission { input, .. }, Said::Allow) => {
            Decision { answer: Answer::Allow { input: Echo::of(*input) }, remember, findings }
        }
        (Event::Permission { tool, .. }, Said::Deny { message }) => {
            let message = guidance::refused(tool, message.as_deref());
            Decision { answer: Answer::Deny { at: At::PermissionRequest, message }, remember, findings }
        }
        // What does not fit is refused before it comes here.
        _ => Decision { answer, remember, findings },
    }
}

/// How long answers may be to be remembered, in bytes; a memory is read by each hook of its session.
const REMEMBERED: usize = 4 * 1024;

fn note(call: &Call<'_>, answers: &[(Cow<'_, str>, String)]) -> Note {
    let owned = |text: Option<&str>| text.map(str::to_owned);
    let length: usize = answers.iter().map(|(question, answer)| question.len() + answer.len()).sum();
    let kept = if length <= REMEMBERED { answers } else { &[] };
    Note::Answered {
        call: owned(call.ids.tool_use_id.as_deref()),
        prompt: owned(call.ids.prompt_id.as_deref()),
        answers: kept.iter().map(|(question, answer)| (question.to_string(), answer.clone())).collect(),
    }
}

/// The answer that a person gave to these questions before the call, once more: where another hook has asked for a dialog
/// by then, PermissionRequest fires with the input as the model wrote it (seen on 2.1.246 and 2.1.332).
pub fn again<'a>(call: &Call<'a>, memory: &Memory) -> Option<Answer<'a>> {
    let Event::Question { at: at @ At::PermissionRequest, tool, input, questions } = &call.event else { return None };
    let known = memory.answers_to(call.ids.prompt_id.as_deref(), questions).filter(|_| tool == "AskUserQuestion")?;
    let answers: Vec<_> =
        known.iter().map(|(question, answer)| (Cow::Owned(question.clone()), answer.clone())).collect();
    let input = with_answers(input.as_ref()?.get(), &answers)?;
    Some(Answer::Reply { at: *at, input, answers })
}

fn pairs<'a>(questions: &[Question<'a>], answers: &[Chosen]) -> Vec<(Cow<'a, str>, String)> {
    let pair = |(question, chosen): (&Question<'a>, &Chosen)| (question.question.clone(), written(question, chosen));
    questions.iter().zip(answers).map(pair).collect()
}

/// The input with the answers in it, and else as it came: where it has answers already, the last of two counts
/// (FACTS.md, Questions 5).
fn with_answers(input: &str, answers: &[(Cow<'_, str>, String)]) -> Option<String> {
    let rest = input.trim_end().strip_prefix('{')?.strip_suffix('}')?;
    let answers: serde_json::Map<_, _> =
        answers.iter().map(|(question, answer)| (question.to_string(), answer.clone().into())).collect();
    let answers = serde_json::to_string(&answers).ok()?;
    let comma = if rest.trim().is_empty() { "" } else { "," };
    Some(format!("{{{rest}{comma}\"answers\":{answers}}}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_put_behind_what_the_input_holds() {
        let answers = [(Cow::Borrowed("Which \"one\"?"), "A, B".to_owned())];
        assert_eq!(with_answers("{}", &answers).unwrap(), r#"{"answers":{"Which \"one\"?":"A, B"}}"#);
        assert_eq!(
            with_answers("{ \"questions\": [ 1.50 ] }\n", &answers).unwrap(),
            "{ \"questions\": [ 1.50 ] ,\"answers\":{\"Which \\\"one\\\"?\":\"A, B\"}}"
        );
        assert_eq!(with_answers("[]", &answers), None);
    }
}
