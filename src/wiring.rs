//! What shall be registered on this machine: for the client's version, with the waits of the config. The texts
//! themselves are `settings`' affair.

use std::time::Duration;

use crate::client::{self, Version};
use crate::settings::{self, Form, Waits, Wanted};
use crate::{config, files, paths};

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
    waits(&String::from_utf8(text.unwrap_or_default()).unwrap_or_default())
}

fn waits(config: &str) -> Waits {
    let (config, _) = config::read(config);
    let seconds = |wait: Duration| wait.as_secs() + u64::from(wait.subsec_nanos() > 0);
    Waits {
        questions: seconds(config.questions.wait),
        plans: seconds(config.plans.wait),
        permissions: seconds(config.permissions.wait),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_come_from_the_config_in_whole_seconds() {
        let config = "[questions]\nwait = \"10m\"\n[plans]\nwait = \"1500ms\"\n";
        assert_eq!(waits(config), Waits { questions: 600, plans: 2, permissions: 0 });
        assert_eq!(waits("broken ["), Waits::default());
        assert_eq!(waits(""), Waits::default());
    }
}
