//! The executables that our entries name: do they run, and what version are they?

use std::collections::BTreeSet;
use std::io;
use std::process::Command;
use std::time::Duration;

use crate::doctor::facts::{Facts, Program};
use crate::{program, settings};

/// As long as an executable may take to say its version.
const LIMIT: Duration = Duration::from_secs(5);

/// Each executable once.
pub(super) fn of(facts: &Facts) -> io::Result<Vec<Program>> {
    let surveys = facts.runnable().map(|layer| settings::survey(&layer.text, &facts.exe, &facts.wanted));
    let named: BTreeSet<String> = surveys.flat_map(|survey| survey.ours).map(|ours| ours.program).collect();
    named.into_iter().map(|named| Ok(Program { version: version(facts, &named)?, named })).collect()
}

fn version(facts: &Facts, named: &str) -> io::Result<Result<String, String>> {
    // As the client reads it: a shell may stand between, which knows `~` and variables.
    let mut command = if named.starts_with(['~', '$']) {
        let mut command = Command::new("/bin/sh");
        command.args(["-c", &format!("{named} --version")]);
        command
    } else {
        let mut command = Command::new(named);
        command.arg("--version");
        command
    };
    let ran = match program::run(command.current_dir(&facts.place.folder), b"", LIMIT, &mut |_| {}) {
        Ok(ran) => ran,
        Err(error) if error.kind() == io::ErrorKind::Interrupted => return Err(error),
        Err(error) => return Ok(Err(error.to_string())),
    };
    let said = String::from_utf8_lossy(&ran.stdout);
    Ok(match (ran.status, said.trim().strip_prefix("unattended ")) {
        (None, _) => Err(format!("it does not end within {} s", LIMIT.as_secs())),
        (Some(status), Some(version)) if status.success() => Ok(version.to_owned()),
        (Some(status), _) if status.success() => Err("it is another program".to_owned()),
        (Some(status), _) => Err(format!("it ends with {status}")),
    })
}
