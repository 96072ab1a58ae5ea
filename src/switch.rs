//! The switch: do we act in this session? Environment, switch file, config and who attends, in this order. Pure; the
//! file is read and written elsewhere.

use std::fmt;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::config::Standing;

/// The schema version of `switch.json`.
pub const VERSION: u32 = 1;

/// What `switch.json` says. `auto` is no file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Switch {
    /// The schema version.
    pub v: u32,
    /// On or off.
    pub switch: Position,
    /// When it was said.
    pub since: DateTime<Utc>,
    /// When it ends, if it does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<DateTime<Utc>>,
}

/// A position of the switch file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs, reason = "the names are the values in the file")]
pub enum Position {
    On,
    Off,
}

/// What of a hook's environment tells whether anybody is there.
#[derive(Debug, Clone, Default)]
pub struct Surroundings {
    /// `UNATTENDED`
    pub unattended: Option<String>,
    /// `CLAUDE_CODE_SESSION_ATTENDED`: `1` or `0`, seen from 2.1.290 on (FACTS.md, Turns 4).
    pub attended: Option<String>,
    /// `CLAUDE_CODE_ENTRYPOINT`: `cli` in a terminal, `sdk-cli` and the like elsewhere, `ACTION` on GitHub.
    pub entrypoint: Option<String>,
}

/// The entrypoint that Anthropic's action for GitHub sets (`base-action/src/parse-sdk-options.ts` of claude-code-action).
const ACTION: &str = "claude-code-github-action";

/// Whether it is an entrypoint of sessions that nobody attends.
pub fn nobody_attends(entrypoint: &str) -> bool {
    entrypoint.starts_with("sdk") || entrypoint == ACTION
}

/// Whether somebody attends a session, as far as the environment tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Attendance {
    /// A person can be asked.
    Attended,
    /// Nobody can.
    Unattended,
    /// Nothing says anything: a payload piped in by hand or by CI.
    Unsaid,
}

/// Whether we act, and what decided it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Verdict {
    /// Whether we act.
    pub acts: bool,
    /// What decided it.
    pub because: Because,
}

/// What decided whether we act.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Because {
    /// `UNATTENDED` says on or off.
    Environment,
    /// The switch file does.
    Switch,
    /// The switch was on when this session was there, and its end time is for sessions that start after it.
    SwitchEnded,
    /// `default` in the config does.
    Config,
    /// Auto: the client says that a person attends.
    Attended,
    /// Auto: the client says that nobody does.
    Unattended,
    /// Auto: nothing says anything.
    Unsaid,
}

impl Because {
    /// Who attends the session, where that decided it.
    pub fn attendance(self) -> Option<Attendance> {
        match self {
            Because::Attended => Some(Attendance::Attended),
            Because::Unattended => Some(Attendance::Unattended),
            Because::Unsaid => Some(Attendance::Unsaid),
            Because::Environment | Because::Switch | Because::SwitchEnded | Because::Config => None,
        }
    }
}

impl fmt::Display for Because {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Because::Environment => "UNATTENDED in the environment",
            Because::Switch => "the switch",
            Because::SwitchEnded => "the switch, which ended while the session ran",
            Because::Config => "`default` in the config",
            Because::Attended => "auto: a person attends",
            Because::Unattended => "auto: nobody attends",
            Because::Unsaid => "auto: nothing says that a person attends",
        })
    }
}

impl Surroundings {
    /// Who attends.
    pub fn attendance(&self) -> Attendance {
        match (self.attended.as_deref(), self.entrypoint.as_deref()) {
            (Some("0"), _) => Attendance::Unattended,
            (Some("1"), _) => Attendance::Attended,
            (_, Some(entrypoint)) if nobody_attends(entrypoint) => Attendance::Unattended,
            (_, Some(entrypoint)) if !entrypoint.is_empty() => Attendance::Attended,
            _ => Attendance::Unsaid,
        }
    }

    /// What `UNATTENDED` says; an error names a value that it cannot have.
    ///
    /// # Errors
    /// Where the variable holds anything but `on`, `off` or `auto`.
    pub fn said(&self) -> Result<Option<Standing>, String> {
        let Some(said) = self.unattended.as_deref().filter(|said| !said.trim().is_empty()) else { return Ok(None) };
        let unknown = || format!("UNATTENDED={said:?} is none of on, off, auto, and counts as unset");
        Standing::of(said).ok_or_else(unknown).map(Some)
    }
}

impl Switch {
    /// Reads what the file says.
    ///
    /// # Errors
    /// A sentence on why it cannot be read: it is of a newer version, or no switch at all.
    pub fn read(text: &str) -> Result<Self, String> {
        #[derive(Deserialize)]
        struct Versioned {
            v: u64,
        }
        serde_json::from_str(text).map_err(|error| match serde_json::from_str(text) {
            Ok(Versioned { v }) if v > u64::from(VERSION) => {
                format!("it is of version {v}, and this program knows version {VERSION}")
            }
            _ => error.to_string(),
        })
    }

    /// Whether it still says something at `now`.
    pub fn in_force(&self, now: DateTime<Utc>) -> bool {
        self.until.is_none_or(|until| now < until)
    }
}

/// Decides whether we act. `there_since` gives since when the session is
/// there; it is asked only where that decides: an end time is for sessions that start after it.
pub fn resolve(
    surroundings: &Surroundings,
    switch: Option<&Switch>,
    default: Standing,
    now: DateTime<Utc>,
    there_since: impl FnOnce() -> Option<DateTime<Utc>>,
) -> Verdict {
    let said = |acts, because| Verdict { acts, because };
    match surroundings.said().unwrap_or(None) {
        Some(Standing::On) => return said(true, Because::Environment),
        Some(Standing::Off) => return said(false, Because::Environment),
        Some(Standing::Auto) => return auto(surroundings),
        None => {}
    }
    match switch {
        Some(switch) if switch.in_force(now) => {
            return said(switch.switch == Position::On, Because::Switch);
        }
        Some(Switch { switch: Position::On, until: Some(until), .. })
            if there_since().is_some_and(|at| at < *until) =>
        {
            return said(true, Because::SwitchEnded);
        }
        _ => {}
    }
    match default {
        Standing::On => said(true, Because::Config),
        Standing::Off => said(false, Because::Config),
        Standing::Auto => auto(surroundings),
    }
}

fn auto(surroundings: &Surroundings) -> Verdict {
    match surroundings.attendance() {
        Attendance::Attended => Verdict { acts: false, because: Because::Attended },
        Attendance::Unattended => Verdict { acts: true, because: Because::Unattended },
        Attendance::Unsaid => Verdict { acts: true, because: Because::Unsaid },
    }
}
