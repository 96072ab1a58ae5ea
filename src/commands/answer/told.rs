//! What whoever answers is told: what they said, why it comes too late, what would fit.

use chrono::Local;

use super::{LIST, short};
use crate::outcome::{End, Outcome};
use crate::question::Question;
use crate::request::{Asked, Request, Said, screen, words, written};
use crate::review::screen::duration;
use crate::review::text::line;
use crate::trouble::Trouble;

/// Why an answer comes too late for it.
pub(super) fn ended(outcome: &Outcome) -> anyhow::Error {
    let id = short(&outcome.id);
    let correct = format!("unattended review shows it; unattended correct {id} \"TEXT\" says what you want instead");
    let Some(wait) = &outcome.wait else {
        return Trouble::error(format!("{id} did not wait for a person, or waits no more"), correct);
    };
    let after = chrono::Duration::milliseconds(i64::try_from(wait.waited_ms).unwrap_or(i64::MAX / 2));
    let at = outcome.at.checked_add_signed(after).unwrap_or(outcome.at).with_timezone(&Local).format("%H:%M:%S");
    match wait.end {
        End::Reply => {
            let means = wait.means.as_deref().unwrap_or("a person");
            let what = format!("{id} was answered before: at {at}, by {}", line(means, 40));
            Trouble::error(what, LIST)
        }
        End::Time => Trouble::error(
            format!("time for {id} was up at {at}: after {} it was decided without you", duration(after.num_seconds())),
            correct,
        ),
        End::Off => Trouble::error(
            format!("{id} waits no more: the switch was turned off at {at}"),
            "its dialog is open in the session itself",
        ),
        End::Gone => Trouble::error(format!("{id} waits no more: its hook or its session was ended at {at}"), LIST),
        End::Other => Trouble::error(format!("{id} waits no more: its wait ended at {at}"), LIST),
    }
}

/// What was said, in a line.
pub(super) fn told(asked: &Asked, said: &Said) -> String {
    let text = match said {
        Said::Answer { answers } => {
            let written = asked.questions.iter().zip(answers).map(|(question, chosen)| written(question, chosen));
            written.collect::<Vec<_>>().join("; ")
        }
        Said::Approve { mode: None } => "approved".to_owned(),
        Said::Approve { mode: Some(mode) } => format!("approved, in {mode}"),
        Said::Reject { message } => format!("sent back: {message}"),
        Said::Allow => "allowed".to_owned(),
        Said::Deny { message: None } => "denied".to_owned(),
        Said::Deny { message: Some(message) } => format!("denied: {message}"),
    };
    line(&text, 60)
}

/// What fits a request, as a hint: the options of its questions, and how to say it.
pub(super) fn fitting(request: &Request, asked: &Asked) -> String {
    let id = short(&request.id);
    match asked.questions.as_slice() {
        [] => match screen::kind(asked.kind) {
            "plan" => format!("unattended answer {id} approve, or {id} reject \"why\""),
            "question" => format!("unattended answer {id} cannot say anything: its questions could not be read"),
            _ => format!("unattended answer {id} allow, or {id} deny, or {id} deny \"why\""),
        },
        questions => {
            let mut hint = format!("unattended answer {id} {}", example(questions));
            for question in questions {
                if questions.len() > 1 {
                    hint.push_str(&format!("\n      {}", line(&question.question, 70)));
                }
                for option in words::options(question) {
                    hint.push_str(&format!("\n      {}", line(&option, 70)));
                }
            }
            hint
        }
    }
}

fn example(questions: &[Question<'_>]) -> String {
    let of = |question: &Question<'_>| match (question.options.len(), question.multi_select) {
        (0, _) => "\"your own words\"",
        (1, _) | (_, false) => "1",
        (_, true) => "1,2",
    };
    let all: Vec<&str> = questions.iter().map(of).collect();
    match all.as_slice() {
        [one] if *one != "\"your own words\"" => format!("{one}, or \"your own words\"; the options are"),
        [one] => (*one).to_owned(),
        many => format!("{}: one for each question", many.join(" ")),
    }
}
