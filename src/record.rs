//! The record: one line a hook call, with what the client sent, what was answered and why. Builds the line; the
//! journal writes it. The schema is `docs/record.schema.json`.

mod matter;

use std::borrow::Cow;

use chrono::{DateTime, SecondsFormat, Utc};
use serde::{Serialize, Serializer};

use crate::answer::{Answer, ElicitationAction};
use crate::answered::Waited;
use crate::decide::Decision;
use crate::event::{Call, Ids};
use crate::hash;
use crate::switch::{Attendance, Because, Verdict};

pub use self::matter::Kind;
use self::matter::{Matter, matter};

/// The schema version of a record.
pub const VERSION: u32 = 1;

/// Whether this version, as JSON writes it, is newer than the one that this program writes.
pub fn is_newer(v: &str) -> bool {
    v.parse::<u64>().is_ok_and(|v| v > u64::from(VERSION))
}

/// One line of the journal.
#[derive(Debug, Serialize)]
pub struct Record<'a> {
    v: u32,
    at: String,
    id: String,
    kind: Kind,
    #[serde(flatten)]
    ids: Ids<'a>,
    on: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    because: Option<Because>,
    #[serde(skip_serializing_if = "Option::is_none")]
    attendance: Option<Attendance>,
    #[serde(flatten)]
    matter: Matter<'a>,
    decision: Outcome<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    wait: Option<&'a Waited>,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    problems: &'a [String],
}

/// What was answered.
#[derive(Debug, Serialize)]
#[serde(tag = "action", rename_all = "snake_case")]
enum Outcome<'a> {
    None,
    Deny {
        message: &'a str,
    },
    Approve {
        #[serde(skip_serializing_if = "<[_]>::is_empty")]
        modes: &'a [Cow<'a, str>],
    },
    Answer {
        #[serde(serialize_with = "as_map")]
        answers: &'a [(Cow<'a, str>, String)],
    },
    Allow,
    Context {
        message: &'a str,
    },
    Cancel,
    Decline,
    SendOn {
        message: &'a str,
    },
    Welcome {
        #[serde(skip_serializing_if = "Option::is_none")]
        line: Option<&'a str>,
    },
    /// A canned answer, as it was written.
    Canned {
        answer: &'a str,
    },
}

/// Builds the record of a call that was read and decided. `None` where there is nothing to record: an event of no
/// concern, or one that is not kept where we do not act.
pub fn of<'a>(
    call: &'a Call<'a>,
    decision: &'a Decision<'a>,
    verdict: Verdict,
    attendance: Attendance,
    problems: &'a [String],
    at: DateTime<Utc>,
) -> Option<Record<'a>> {
    let (kind, matter) = matter(call, decision, verdict.acts, attendance)?;
    Some(Record {
        v: VERSION,
        id: match &decision.findings.request {
            Some(id) => id.clone(),
            None => id(call.ids.session_id.as_deref().unwrap_or_default(), at),
        },
        at: at.to_rfc3339_opts(SecondsFormat::Millis, true),
        kind,
        ids: call.ids.clone(),
        on: verdict.acts,
        because: Some(verdict.because),
        // Else `because` says it.
        attendance: verdict.because.attendance().is_none().then_some(attendance),
        matter,
        decision: outcome(&decision.answer),
        wait: decision.findings.waited.as_ref(),
        problems,
    })
}

/// Builds the record of a call that could not be read: the beginning of its payload, and the canned answer it got.
pub fn of_problem<'a>(
    payload: &[u8],
    event: Option<&'a str>,
    answer: &'a str,
    verdict: Verdict,
    problems: &'a [String],
    at: DateTime<Utc>,
) -> Record<'a> {
    let head = payload.get(..payload.len().min(2048)).unwrap_or_default();
    let head = (!head.is_empty()).then(|| String::from_utf8_lossy(head).into_owned());
    Record {
        v: VERSION,
        at: at.to_rfc3339_opts(SecondsFormat::Millis, true),
        id: id("", at),
        kind: Kind::Problem,
        ids: Ids { hook_event_name: event.map(Cow::Borrowed), ..Ids::default() },
        on: verdict.acts,
        because: Some(verdict.because),
        attendance: None,
        matter: Matter::Problem { payload: head },
        decision: if answer.is_empty() { Outcome::None } else { Outcome::Canned { answer } },
        wait: None,
        problems,
    }
}

/// Sixteen hexadecimal digits, another one for each call.
pub fn id(session: &str, at: DateTime<Utc>) -> String {
    let nanoseconds = at.timestamp_nanos_opt().unwrap_or_default();
    let mut hash = hash::of(&nanoseconds.to_le_bytes());
    hash = hash::more(hash, &std::process::id().to_le_bytes());
    format!("{:016x}", hash::more(hash, session.as_bytes()))
}

fn as_map<S: Serializer>(answers: &&[(Cow<'_, str>, String)], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(answers.iter().map(|(question, answer)| (question, answer)))
}

fn outcome<'a>(answer: &'a Answer<'a>) -> Outcome<'a> {
    match answer {
        Answer::Nothing => Outcome::None,
        Answer::Deny { message, .. } => Outcome::Deny { message },
        Answer::Approve { modes, .. } => Outcome::Approve { modes },
        Answer::Reply { answers, .. } => Outcome::Answer { answers },
        Answer::Allow { .. } => Outcome::Allow,
        Answer::Context { text, .. } => Outcome::Context { message: text },
        Answer::Elicitation(ElicitationAction::Cancel) => Outcome::Cancel,
        Answer::Elicitation(ElicitationAction::Decline) => Outcome::Decline,
        Answer::SendOn(message) => Outcome::SendOn { message },
        Answer::Welcome { line, .. } => Outcome::Welcome { line: line.as_deref() },
    }
}
