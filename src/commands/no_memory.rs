//! A hook call to which the system gives no memory at all: the canned answer for what it is registered for, or none where
//! a person may have said so. Takes nothing from the heap, so that it knows less than a call does that has memory.

/// Answers nothing: the system does not tell what this call is without memory.
#[cfg(not(target_os = "linux"))]
pub fn answer() -> bool {
    false
}

#[cfg(target_os = "linux")]
pub use self::linux::answer;

#[cfg(target_os = "linux")]
mod linux {
    use std::ffi::CStr;
    use std::io::{IoSlice, IsTerminal};

    use rustix::fs::{Mode, OFlags, open};
    use rustix::io::Errno;

    use super::super::hook::split;
    use crate::config::{Config, Standing};
    use crate::input::SILENCE_LIMIT;
    use crate::switch::nobody_attends;
    use crate::{reply, streams};

    /// A longer path is put together on the heap by who opens it.
    const LONGEST_PATH: usize = 250;

    /// Answers, where this is a hook call; `false` where it is none.
    #[cold]
    #[inline(never)]
    pub fn answer() -> bool {
        let mut room = [0; 4096];
        let words = read(c"/proc/self/cmdline", &mut room).unwrap_or_default();
        let Some(registered_for) = registration(words) else { return false };
        let mut room = [0; 32 * 1024];
        let environment = read(c"/proc/self/environ", &mut room).unwrap_or_default();
        if acts(environment) {
            let (event, tool) = split(Some(registered_for));
            let canned = reply::canned(event, tool, &Config::default());
            let _ = streams::write(&mut [IoSlice::new(canned.as_bytes())], SILENCE_LIMIT);
        }
        true
    }

    /// What a hook call is registered for; `None` for any other call. As `main` tells them apart.
    fn registration(words: &[u8]) -> Option<&str> {
        let mut words = words.split(|byte| *byte == 0).filter(|word| !word.is_empty()).skip(1);
        match words.next() {
            None => (!rustix::stdio::stdin().is_terminal()).then_some(""),
            Some(b"hook") => {
                let value = words.skip_while(|word| *word != b"--for").nth(1);
                Some(value.and_then(|value| std::str::from_utf8(value).ok()).unwrap_or_default())
            }
            Some(_) => None,
        }
    }

    /// Whether we act, as far as it can be told: never where a person may have said otherwise.
    fn acts(environment: &[u8]) -> bool {
        let variable = |name: &str| variable(environment, name);
        let home = variable("HOME");
        let config = match (variable("UNATTENDED_CONFIG"), variable("XDG_CONFIG_HOME")) {
            (Some(file), _) => [file, ""],
            (None, Some(folder)) => [folder, "/unattended/config.toml"],
            (None, None) => [home.unwrap_or_default(), "/.config/unattended/config.toml"],
        };
        let state = match (variable("UNATTENDED_STATE"), variable("XDG_STATE_HOME")) {
            (Some(folder), _) => [folder, "/switch.json"],
            (None, Some(folder)) => [folder, "/unattended/switch.json"],
            (None, None) => [home.unwrap_or_default(), "/.local/state/unattended/switch.json"],
        };
        let mut room = [0; 4096];
        // `None` is a file that cannot be read: it may say anything.
        let leaves = text_of(config, &mut room).is_none_or(|text| {
            ["leave", "decline", "\"off\""].iter().any(|word| memchr::memmem::find(text, word.as_bytes()).is_some())
        });
        let said = text_of(state, &mut room).map(|text| {
            let holds = |word: &str| memchr::memmem::find(text, word.as_bytes()).is_some();
            (!text.is_empty()).then(|| holds("\"on\"") && !holds("\"until\""))
        });
        let nobody = match (variable("CLAUDE_CODE_SESSION_ATTENDED"), variable("CLAUDE_CODE_ENTRYPOINT")) {
            (Some("0"), _) => true,
            (Some("1"), _) => false,
            (_, entrypoint) => entrypoint.is_none_or(nobody_attends),
        };
        let acts = match variable("UNATTENDED").and_then(Standing::of) {
            Some(Standing::On) => true,
            Some(Standing::Off) => false,
            Some(Standing::Auto) => nobody,
            None => said.is_some_and(|said| said.unwrap_or(nobody)),
        };
        acts && !leaves
    }

    /// A variable that is set to something.
    fn variable<'e>(environment: &'e [u8], name: &str) -> Option<&'e str> {
        let value = environment
            .split(|byte| *byte == 0)
            .find_map(|entry| entry.strip_prefix(name.as_bytes())?.strip_prefix(b"="))?;
        std::str::from_utf8(value).ok().filter(|value| !value.is_empty())
    }

    /// What a short file holds: nothing where there is none, `None` where it cannot be told.
    fn text_of<'r>(path: [&str; 2], room: &'r mut [u8]) -> Option<&'r [u8]> {
        let mut whole = [0; LONGEST_PATH + 1];
        let mut length = 0;
        for part in path {
            whole
                .get_mut(length..length + part.len())
                .filter(|_| length + part.len() <= LONGEST_PATH)?
                .copy_from_slice(part.as_bytes());
            length += part.len();
        }
        let size = room.len();
        let text = read(CStr::from_bytes_until_nul(&whole).ok()?, room)?;
        (text.len() < size).then_some(text)
    }

    /// Fills `room` from a file; nothing where there is no file, `None` where it cannot be read.
    fn read<'r>(path: &CStr, room: &'r mut [u8]) -> Option<&'r [u8]> {
        let file = match open(path, OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC, Mode::empty()) {
            Ok(file) => file,
            Err(Errno::NOENT) => return Some(&[]),
            Err(_) => return None,
        };
        let mut length = 0;
        loop {
            match rustix::io::read(&file, room.get_mut(length..)?) {
                Ok(0) => return room.get(..length),
                Ok(more) => length += more,
                Err(Errno::INTR) => {}
                Err(_) => return None,
            }
        }
    }
}
