//! The config file: every key with its default. Reading its text is pure; where the file is, says `paths`.

mod values;

use std::time::Duration;

use serde::{Deserialize, Deserializer};

/// The longest wait for a person; the client measures its timeouts in a number that a month does not fit into.
pub const LONGEST_WAIT: Duration = Duration::from_secs(7 * 24 * 60 * 60);

/// What the config file says, or its defaults.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Config {
    /// Whether we act where neither the environment nor the switch file says so.
    pub default: Standing,
    /// The model's questions.
    pub questions: Questions,
    /// The model's plans.
    pub plans: Plans,
    /// Tools that need a permission.
    pub permissions: Permissions,
    /// MCP servers that ask the user.
    pub elicitations: Elicitations,
    /// Turns that end waiting for an answer.
    pub stop: Stop,
    /// What is recorded.
    pub records: Records,
    /// What `doctor` makes of things.
    pub doctor: Doctor,
    /// What is started where something waits for a person.
    pub notify: Notify,
}

/// Whether we act: always, never, or where nobody is there to be asked.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Standing {
    /// Everywhere.
    On,
    /// Nowhere.
    Off,
    /// Where nobody is there to be asked.
    #[default]
    Auto,
}

impl Standing {
    /// What `UNATTENDED` says by this value; also as other programs have their switches in the environment.
    pub fn of(value: &str) -> Option<Standing> {
        let is = |words: &[&str]| words.iter().any(|word| value.trim().eq_ignore_ascii_case(word));
        if is(&["on", "1", "true", "yes"]) {
            Some(Standing::On)
        } else if is(&["off", "0", "false", "no"]) {
            Some(Standing::Off)
        } else {
            is(&["auto"]).then_some(Standing::Auto)
        }
    }
}

/// `[questions]`
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Questions {
    /// `"guide"` denies with guidance, `"leave"` answers nothing.
    pub reply: QuestionReply,
    /// How long a person may answer first.
    #[serde(deserialize_with = "wait")]
    pub wait: Duration,
}

/// What a question gets.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs, reason = "the names are the values in the file")]
pub enum QuestionReply {
    #[default]
    Guide,
    Leave,
}

/// `[plans]`
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Plans {
    /// `"approve"` or `"leave"`.
    pub reply: PlanReply,
    /// The mode after the plan of a session that was started in plan mode.
    pub then: Then,
    /// How long a person may review it first.
    #[serde(deserialize_with = "wait")]
    pub wait: Duration,
}

/// What a plan gets.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs, reason = "the names are the values in the file")]
pub enum PlanReply {
    #[default]
    Approve,
    Leave,
}

/// The permission mode in which an approved plan is carried out.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
#[allow(missing_docs, reason = "the names are the client's modes")]
pub enum Then {
    Default,
    #[default]
    AcceptEdits,
    Auto,
    BypassPermissions,
}

/// `[permissions]`
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Permissions {
    /// `"deny"` with guidance, or `"leave"`.
    pub reply: PermissionReply,
    /// How long a person may decide first.
    #[serde(deserialize_with = "wait")]
    pub wait: Duration,
}

/// What a tool that needs a permission gets.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs, reason = "the names are the values in the file")]
pub enum PermissionReply {
    #[default]
    Deny,
    Leave,
}

/// `[elicitations]`
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Elicitations {
    /// `"cancel"`, `"decline"` or `"leave"`.
    pub reply: ElicitationReply,
}

/// What an MCP server's request gets.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs, reason = "the names are the values in the file")]
pub enum ElicitationReply {
    #[default]
    Cancel,
    Decline,
    Leave,
}

/// `[stop]`
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Stop {
    /// How often one prompt is sent on when its turn ends waiting for an answer; 0 leaves turns alone.
    pub nudges: u32,
}

impl Default for Stop {
    fn default() -> Self {
        Self { nudges: 2 }
    }
}

/// `[records]`
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Records {
    /// Whether questions, plans and answers are recorded where we do not act.
    pub while_off: bool,
    /// Whether secrets are taken out.
    pub mask: bool,
    /// For how many days records, and what sessions remember, are kept; 0 is for ever.
    pub keep_days: u32,
}

impl Default for Records {
    fn default() -> Self {
        Self { while_off: true, mask: true, keep_days: 90 }
    }
}

/// `[doctor]`
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Doctor {
    /// MCP servers whose absence is only a warning.
    pub optional_servers: Vec<String>,
}

/// `[notify]`
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Notify {
    /// A program and its arguments; it gets the request on its standard input and is not waited for. Empty is none.
    pub command: Vec<String>,
}

/// A time such as `10m`.
fn wait<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Duration, D::Error> {
    let text = String::deserialize(deserializer)?;
    match humantime::parse_duration(&text) {
        Ok(wait) if wait <= LONGEST_WAIT => Ok(wait),
        Ok(_) => Err(serde::de::Error::custom(format!("\"{text}\" is longer than 7days, the longest wait"))),
        Err(_) => Err(serde::de::Error::custom(format!("\"{text}\" is no time; say it like 10m"))),
    }
}

/// Reads the text of a config file. What is wrong with it comes beside: a broken file means the defaults, a key that
/// nothing knows is passed over.
pub fn read(text: &str) -> (Config, Vec<String>) {
    let mut problems = Vec::new();
    let parsed = toml::Deserializer::parse(text).and_then(|deserializer| {
        serde_ignored::deserialize(deserializer, |key| problems.push(format!("unknown key `{key}`, passed over")))
    });
    match parsed {
        Ok(config) => (config, problems),
        Err(error) => {
            let mut wrong = values::wrong(text);
            if wrong.is_empty() {
                wrong.push(one_line(&error, text));
            }
            (Config::default(), vec![format!("defaults hold: {}", wrong.join("; "))])
        }
    }
}

/// `line 3: invalid type: …`, for a record and a status line.
fn one_line(error: &toml::de::Error, text: &str) -> String {
    let message = error.message().replace('\n', " ");
    match error.span() {
        Some(span) => format!("line {}: {message}", values::line(text, span.start)),
        None => message,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_file_means_the_defaults() {
        assert_eq!(read(""), (Config::default(), vec![]));
    }

    #[test]
    fn every_key_is_read() {
        let (config, problems) = read(concat!(
            "default = \"off\"\n[questions]\nreply = \"leave\"\nwait = \"10m\"\n",
            "[plans]\nreply = \"leave\"\nthen = \"bypassPermissions\"\nwait = \"1h 30m\"\n",
            "[notify]\ncommand = [\"page\", \"me\"]\n[permissions]\nreply = \"leave\"\nwait = \"5s\"\n[elicitations]\nreply = \"decline\"\n[stop]\nnudges = 0\n",
            "[records]\nwhile_off = false\nmask = false\nkeep_days = 7\n[doctor]\noptional_servers = [\"docs\"]\n",
        ));
        assert_eq!(problems, Vec::<String>::new());
        assert_eq!((config.default, config.questions.reply), (Standing::Off, QuestionReply::Leave));
        assert_eq!((config.plans.reply, config.plans.then), (PlanReply::Leave, Then::BypassPermissions));
        assert_eq!(config.permissions.reply, PermissionReply::Leave);
        assert_eq!(config.elicitations.reply, ElicitationReply::Decline);
        let records = Records { while_off: false, mask: false, keep_days: 7 };
        assert_eq!((config.stop.nudges, config.records), (0, records));
        assert_eq!(config.doctor.optional_servers, ["docs"]);
        let seconds = |wait: Duration| wait.as_secs();
        assert_eq!((seconds(config.questions.wait), seconds(config.plans.wait)), (600, 5400));
        assert_eq!((seconds(config.permissions.wait), config.notify.command), (5, vec!["page".into(), "me".into()]));
    }

    #[test]
    fn a_wait_that_is_no_time_or_too_long_is_named() {
        for wait in ["soon", "8days"] {
            let (config, problems) = read(&format!("[plans]\nwait = \"{wait}\"\n"));
            assert_eq!(config, Config::default());
            let said =
                "plans.wait is \"{}\", and must be a time such as \"10m\", at most \"7days\"".replace("{}", wait);
            assert_eq!(problems, [format!("defaults hold: line 2: {said}")]);
        }
    }

    #[test]
    fn a_broken_file_means_the_defaults_and_says_where_it_is_broken() {
        let (config, problems) = read("default = \"off\"\n[stop]\nnudges = \"two\"\n");
        assert_eq!(config, Config::default());
        assert!(problems.len() == 1 && problems[0].starts_with("defaults hold: line 3: "), "{problems:?}");
    }

    #[test]
    fn an_unknown_key_is_named_and_the_rest_counts() {
        let (config, problems) = read("default = \"off\"\n[stop]\nnugdes = 1\n");
        assert_eq!(config.default, Standing::Off);
        assert_eq!(problems, ["unknown key `stop.nugdes`, passed over"]);
    }
}
