//! A reply as a bridge has written it, before it is one: each field there is, to be held against what it does. Pure.

use serde::Deserialize;
use serde::de::IgnoredAny;
use std::collections::BTreeMap;

use super::{Chosen, MEANS_LIMIT, Said, VERSION};

#[derive(Debug, Deserialize)]
pub(super) struct Reply {
    v: u32,
    token: String,
    means: String,
    #[serde(rename = "do")]
    verb: String,
    answers: Option<Vec<Chosen>>,
    mode: Option<String>,
    message: Option<String>,
    #[serde(flatten)]
    unknown: BTreeMap<String, IgnoredAny>,
}

impl TryFrom<Reply> for super::Reply {
    type Error = String;

    fn try_from(written: Reply) -> Result<Self, String> {
        let Reply { v, token, means, verb, answers, mode, message, unknown } = written;
        if v != VERSION {
            return Err(format!("it is of version {v}"));
        }
        if means.trim().is_empty() || means.chars().count() > MEANS_LIMIT {
            return Err(format!("its `means` is not of 1 to {MEANS_LIMIT} characters"));
        }
        if let Some(name) = unknown.keys().next() {
            return Err(format!("it has a field that none has: {}", name.chars().take(40).collect::<String>()));
        }
        let said = match (verb.as_str(), answers, mode, message) {
            ("answer", Some(answers), None, None) => Said::Answer { answers },
            ("approve", None, mode, None) => Said::Approve { mode },
            ("reject", None, None, Some(message)) => Said::Reject { message },
            ("allow", None, None, None) => Said::Allow,
            ("deny", None, None, message) => Said::Deny { message },
            ("answer", ..) => return Err("\"answer\" goes with `answers` alone".to_owned()),
            ("approve", ..) => return Err("\"approve\" goes with a `mode` at most, and with no words".to_owned()),
            ("reject", ..) => return Err("\"reject\" goes with a `message` alone".to_owned()),
            ("allow", ..) => return Err("\"allow\" goes with nothing else, and with no words".to_owned()),
            ("deny", ..) => return Err("\"deny\" goes with a `message` at most".to_owned()),
            _ => return Err("what it is to `do` is none of answer, approve, reject, allow, deny".to_owned()),
        };
        Ok(Self { v, token, means, said })
    }
}
