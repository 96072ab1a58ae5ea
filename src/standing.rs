//! What holds, in words for a person: the line at the start of a session. Formats times in the person's own zone.

use chrono::{DateTime, Local, Utc};

use crate::policy::Policy;
use crate::switch::{Because, Verdict};

/// The word for leaving a terminal session.
pub const LEAVING: &str = "unattended on --for 8h";

/// The line that a person sees at the start of a session: whether dialogs are answered without them, and what to say
/// for the other.
pub fn start_line(policy: &Policy, verdict: Verdict, now: DateTime<Utc>) -> String {
    let until = policy.switch.as_ref().filter(|_| verdict.because == Because::Switch).and_then(|switch| switch.until);
    let until = until.map(|until| format!(" until {}", clock(until, now))).unwrap_or_default();
    match (verdict.acts, verdict.because) {
        (true, Because::Environment) => {
            "unattended: on by UNATTENDED=on: dialogs are answered without you. To be asked, start without it.".into()
        }
        (true, Because::Switch | Because::SwitchEnded | Because::Config) => {
            format!("unattended: on{until}: dialogs are answered without you. To be asked again: unattended off")
        }
        (true, _) => "unattended: on, nobody attends this session. What it decides: unattended status".into(),
        (false, Because::Environment) => "unattended: off by UNATTENDED=off: dialogs are yours to answer.".into(),
        (false, _) => format!("unattended: off{until}: dialogs are yours to answer. When you leave: {LEAVING}"),
    }
}

/// A time for a person: the clock alone where it is within a day, else with its date.
pub fn clock(at: DateTime<Utc>, now: DateTime<Utc>) -> String {
    let local = at.with_timezone(&Local);
    let near = (at - now).num_hours().abs() < 20;
    local.format(if near { "%H:%M" } else { "%a %Y-%m-%d %H:%M" }).to_string()
}
