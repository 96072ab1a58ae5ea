//! What holds for one call: environment, switch file and config, read once. No fault of theirs stops a decision: what
//! cannot be read counts as absent and is a problem for the record.

use std::path::Path;
use std::{env, fs, io};

use chrono::{DateTime, Utc};

use crate::config::{self, Config};
use crate::switch::{self, Surroundings, Switch, Verdict};
use crate::{paths, state};

/// How much of a config or switch file is read, in bytes; a longer one is no config of ours.
const FILE_LIMIT: usize = 256 * 1024;

/// What was said about what to do, wherever it was said.
#[derive(Debug, Default)]
pub struct Policy {
    /// The environment.
    pub surroundings: Surroundings,
    /// The switch file.
    pub switch: Option<Switch>,
    /// The config file.
    pub config: Config,
    /// What was wrong with them, one sentence each.
    pub problems: Vec<String>,
}

impl Policy {
    /// Whether we act at `now`, in a session that is there since what `there_since` gives.
    pub fn verdict(&self, now: DateTime<Utc>, there_since: impl FnOnce() -> Option<DateTime<Utc>>) -> Verdict {
        switch::resolve(&self.surroundings, self.switch.as_ref(), self.config.default, now, there_since)
    }

    /// Reads everything that a decision needs.
    pub fn load() -> Self {
        let mut problems = Vec::new();
        let surroundings = surroundings();
        problems.extend(surroundings.said().err());
        let switch = paths::state_folder().and_then(|state| read_switch(&state.join("switch.json"), &mut problems));
        let config = paths::config_file().map(|file| read_config(&file, &mut problems)).unwrap_or_default();
        Self { surroundings, switch, config, problems }
    }
}

fn surroundings() -> Surroundings {
    Surroundings {
        unattended: env::var("UNATTENDED").ok(),
        attended: env::var("CLAUDE_CODE_SESSION_ATTENDED").ok(),
        entrypoint: env::var("CLAUDE_CODE_ENTRYPOINT").ok(),
    }
}

fn read_config(file: &Path, problems: &mut Vec<String>) -> Config {
    let Some(text) = readable(file, read_followed(file), problems) else { return Config::default() };
    let (config, complaints) = config::read(&text);
    problems.extend(complaints.into_iter().map(|complaint| format!("{}: {complaint}", file.display())));
    config
}

fn read_switch(file: &Path, problems: &mut Vec<String>) -> Option<Switch> {
    let read = state::read(file, FILE_LIMIT).map_err(|error| state::said_of(file, error));
    let text = readable(file, read, problems)?;
    Switch::read(&text).map_err(|error| problems.push(format!("{}: counts as absent: {error}", file.display()))).ok()
}

/// The config is the person's own file and may be a symlink; a FIFO or a device in its place is not opened.
fn read_followed(file: &Path) -> io::Result<Vec<u8>> {
    if !fs::metadata(file)?.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file"));
    }
    state::read(&fs::canonicalize(file)?, FILE_LIMIT)
}

fn readable(file: &Path, read: io::Result<Vec<u8>>, problems: &mut Vec<String>) -> Option<String> {
    match read.map(String::from_utf8) {
        Ok(Ok(text)) => Some(text),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Ok(Err(error)) => {
            problems.push(format!("{}: counts as absent: {error}", file.display()));
            None
        }
        Err(error) => {
            problems.push(format!("{}: counts as absent: {error}", file.display()));
            None
        }
    }
}
