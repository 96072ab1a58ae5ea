//! An answer as far as two answers are compared: the action, the modes, the words. Pure.

use serde::Serialize;
use serde_json::Value;

use crate::answer::{Answer, ElicitationAction};

/// What was said to the client. The actions are those of a record's `decision`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Said {
    /// `none`, `deny`, `approve`, `answer`, `allow`, `context`, `cancel`, `decline`, `send_on`, `welcome`, and `line` for a
    /// start of which only a person is told; in what others answered, also what is no word of ours.
    pub action: String,
    /// The modes set, of which the last that is possible wins.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub modes: Vec<String>,
    /// What the model reads of it; a record has it not of a session's start. The line for a person depends on the hour, and
    /// is not compared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

/// How two answers compare.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Compared {
    /// They are the same.
    Same,
    /// They do the same with other words for the model.
    Words,
    /// They do something else.
    Different,
}

impl Compared {
    /// Whether they are the same.
    pub fn is_same(self) -> bool {
        self == Self::Same
    }
}

impl Said {
    fn plain(action: &str) -> Self {
        Self { action: action.to_owned(), modes: Vec::new(), message: None }
    }

    fn with(action: &str, message: Option<&str>) -> Self {
        Self { message: message.map(str::to_owned), ..Self::plain(action) }
    }

    /// Of what we answer.
    pub fn of(answer: &Answer<'_>) -> Self {
        match answer {
            Answer::Nothing => Self::plain("none"),
            Answer::Deny { message, .. } => Self::with("deny", Some(message)),
            Answer::Approve { modes, .. } => {
                Self { modes: modes.iter().map(|mode| mode.clone().into_owned()).collect(), ..Self::plain("approve") }
            }
            Answer::Reply { .. } => Self::plain("answer"),
            Answer::Allow { .. } => Self::plain("allow"),
            Answer::Context { text, .. } => Self::with("context", Some(text)),
            Answer::Elicitation(ElicitationAction::Cancel) => Self::plain("cancel"),
            Answer::Elicitation(ElicitationAction::Decline) => Self::plain("decline"),
            Answer::SendOn(message) => Self::with("send_on", Some(message)),
            Answer::Welcome { context: Some(context), .. } => Self::with("welcome", Some(context)),
            Answer::Welcome { context: None, .. } => Self::plain("line"),
        }
    }

    /// Of a record's `decision`; `told`: at a start, the model was told something.
    pub fn of_record(decision: &Value, told: bool) -> Option<Self> {
        let text = |name: &str| decision.get(name).and_then(Value::as_str);
        let action = text("action")?;
        if action == "canned" {
            return serde_json::from_str(text("answer")?).ok().map(|answer| Self::of_json(&answer));
        }
        if action == "welcome" {
            return Some(Self::plain(if told { "welcome" } else { "line" }));
        }
        let modes = decision.get("modes").and_then(Value::as_array).into_iter().flatten();
        let modes = modes.filter_map(Value::as_str).map(str::to_owned).collect();
        Some(Self { modes, ..Self::with(action, text("message")) })
    }

    /// Of an answer as the client reads it, whoever gave it; `null` is none.
    pub fn of_json(answer: &Value) -> Self {
        let specific = &answer["hookSpecificOutput"];
        let decision = &specific["decision"];
        let text = |value: &Value| value.as_str().map(str::to_owned);
        if answer["decision"] == "block" {
            return Self { message: text(&answer["reason"]), ..Self::plain("send_on") };
        }
        let event = specific["hookEventName"].as_str();
        if event == Some("SessionStart") {
            return Self { message: text(&specific["additionalContext"]), ..Self::plain("welcome") };
        }
        if event.is_none() && answer.get("systemMessage").is_some() {
            return Self::plain("line");
        }
        if let Some(action) = specific["action"].as_str() {
            return Self::plain(action);
        }
        match specific["permissionDecision"].as_str().or(decision["behavior"].as_str()) {
            Some("deny") => {
                let message = text(&specific["permissionDecisionReason"]).or(text(&decision["message"]));
                Self { message, ..Self::plain("deny") }
            }
            Some("allow")
                if [specific, decision].iter().any(|said| said.pointer("/updatedInput/answers").is_some()) =>
            {
                Self::plain("answer")
            }
            Some("allow") => {
                let set = decision["updatedPermissions"].as_array().into_iter().flatten();
                let modes = set.filter_map(|entry| text(&entry["mode"])).collect();
                Self { modes, ..Self::plain("approve") }
            }
            Some(other) => Self::plain(other),
            None => match text(&specific["additionalContext"]) {
                Some(told) => Self { message: Some(told), ..Self::plain("context") },
                None => Self::plain("none"),
            },
        }
    }

    /// How this, said then, compares with what is said now.
    pub fn compare(&self, now: &Said) -> Compared {
        // Of an answer alone it cannot be told whether a tool or a plan was allowed.
        let does = |said: &Said| if said.action == "allow" { "approve".to_owned() } else { said.action.clone() };
        let unknown = self.action == "welcome" && (self.message.is_none() || now.message.is_none());
        match (does(self) == does(now) && self.modes == now.modes, self.message == now.message || unknown) {
            (true, true) => Compared::Same,
            (true, false) => Compared::Words,
            (false, _) => Compared::Different,
        }
    }

    /// In two or three words.
    pub fn short(&self) -> String {
        let action = match self.action.as_str() {
            "none" => "nothing",
            "context" => "tell the model",
            "send_on" => "send on",
            "welcome" => "start words",
            "line" => "start line",
            other => other,
        };
        match self.modes.last() {
            Some(mode) => format!("{action}, {mode}"),
            None => action.to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer::{ContextAt, Echo};
    use crate::event::At;
    use crate::reply;

    #[test]
    fn an_answer_says_the_same_whichever_way_it_is_read() {
        let deny = |at| Answer::Deny { at, message: "no".into() };
        let approve = |at, modes| Answer::Approve { at, input: Echo::of(None), modes };
        let answered = || r#"{"answers":{"Red?":"Red"}}"#.to_owned();
        for answer in [
            Answer::Nothing,
            deny(At::PreToolUse),
            deny(At::PermissionRequest),
            approve(At::PreToolUse, vec![]),
            approve(At::PermissionRequest, vec!["acceptEdits".into(), "auto".into()]),
            Answer::Reply { at: At::PreToolUse, input: answered(), answers: vec![] },
            Answer::Reply { at: At::PermissionRequest, input: answered(), answers: vec![] },
            Answer::Allow { input: Echo::of(None) },
            Answer::Context { at: ContextAt::PostToolUse, text: "t".into() },
            Answer::Elicitation(ElicitationAction::Cancel),
            Answer::Elicitation(ElicitationAction::Decline),
            Answer::SendOn("on".into()),
            Answer::Welcome { context: Some("c".into()), line: None },
            Answer::Welcome { context: None, line: Some("l".into()) },
        ] {
            let bytes = reply::bytes(&answer);
            let json = if bytes.is_empty() { Value::Null } else { serde_json::from_slice(&bytes).unwrap() };
            assert_eq!(Said::of_json(&json).compare(&Said::of(&answer)), Compared::Same, "{json}");
        }
    }

    #[test]
    fn other_words_are_told_from_another_answer() {
        let deny = |text| Said::with("deny", Some(text));
        assert_eq!(deny("a").compare(&deny("a")), Compared::Same);
        assert_eq!(deny("a").compare(&deny("b")), Compared::Words);
        assert_eq!(deny("a").compare(&Said::plain("none")), Compared::Different);
        let welcome = |text| Said::with("welcome", text);
        assert_eq!(welcome(Some("a")).compare(&welcome(Some("b"))), Compared::Words);
        assert_eq!(welcome(None).compare(&welcome(Some("b"))), Compared::Same, "not known");
        assert_eq!(welcome(Some("a")).compare(&Said::plain("line")), Compared::Different);
        let modes = |mode: &str| Said { modes: vec![mode.into()], ..Said::plain("approve") };
        assert_eq!(modes("auto").compare(&modes("default")), Compared::Different);
    }
}
