//! What shall be registered on this machine: for the client's version, with the waits of the config. The texts
//! themselves are `settings`' affair.

use std::time::Duration;

use crate::client::{self, Version};
use crate::settings::{self, Form, Waits, Wanted};
use crate::{files, paths};

/// What shall be in a settings text. Where the version is not known, events that an earlier install found to be known
/// stay.
pub fn wanted(version: Option<Version>, exe: &str, waits: Waits, text: &str) -> Vec<Wanted> {
    let form = match version {
        Some(version) if version.has_exec_form() => Form::Exec,
        Some(_) => Form::Shell,
        // An old client runs `command` alone, through a shell: with a payload on standard input that means `hook`.
        None if settings::needs_quoting(exe) => Form::Shell,
        None => Form::Exec,
    };
    match version {
        Some(version) => settings::wanted(exe, form, waits, |event| version.knows(event)),
        None => {
            let there = settings::registered(text, exe).events;
            let known = |event: &str| client::OLDEST.knows(event) || there.iter().any(|there| there == event);
            settings::wanted(exe, form, waits, known)
        }
    }
}

/// How long the hooks may wait for a person, by the config; a config that cannot be read means the defaults, none.
pub fn configured_waits() -> Waits {
    let text = paths::config_file().and_then(|file| files::read(&file).ok().flatten());
    let text = String::from_utf8(text.unwrap_or_default()).unwrap_or_default();
    waits(&text)
}

fn waits(config: &str) -> Waits {
    let config: toml::Table = config.parse().unwrap_or_default();
    let wait = |section: &str| {
        let text = config.get(section).and_then(|section| section.get("wait")).and_then(|wait| wait.as_str());
        let wait = text.and_then(|text| humantime::parse_duration(text).ok()).unwrap_or(Duration::ZERO);
        wait.as_secs() + u64::from(wait.subsec_nanos() > 0)
    };
    Waits { questions: wait("questions"), plans: wait("plans"), permissions: wait("permissions") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_come_from_the_config_in_whole_seconds() {
        let config = "[questions]\nwait = \"10m\"\n[plans]\nwait = \"1500ms\"\n[permissions]\nwait = \"soon\"\n";
        assert_eq!(waits(config), Waits { questions: 600, plans: 2, permissions: 0 });
        assert_eq!(waits("broken ["), Waits::default());
        assert_eq!(waits(""), Waits::default());
    }
}
