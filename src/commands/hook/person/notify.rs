//! Starts `[notify] command`, which is the person's own and not waited for.

use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc::{Receiver, channel};

use super::Asking;
use crate::pending::Open;

/// Starts the person's own program with the request on its standard input. It may take its time to start, so that is
/// not waited for either; what went wrong can be asked for later.
pub(super) fn notify(asking: &Asking<'_>, open: &Open, problems: &mut Vec<String>) -> Option<Receiver<String>> {
    let (program, arguments) = asking.policy.config.notify.command.split_first()?;
    let path = Path::new(program);
    // From the folder of the session a path would lead to what its repository has there.
    if path.components().count() > 1 && !path.is_absolute() {
        problems.push(format!("notify.command was not started: \"{program}\" is neither a name nor an absolute path"));
        return None;
    }
    let request = match open.stream() {
        Ok(request) => request,
        Err(error) => {
            problems.push(format!("notify.command was not started: {error}"));
            return None;
        }
    };
    let mut command = Command::new(program);
    command.args(arguments).current_dir(asking.state).stdin(request).stdout(Stdio::null()).stderr(Stdio::null());
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    let (tell, told) = channel();
    let start = move || {
        if let Err(error) = command.spawn() {
            let _ = tell.send(format!("notify.command was not started: {error}"));
        }
    };
    match std::thread::Builder::new().stack_size(256 * 1024).spawn(start) {
        Ok(_) => Some(told),
        Err(error) => {
            problems.push(format!("notify.command was not started: {error}"));
            None
        }
    }
}
