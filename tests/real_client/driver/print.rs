//! A session as a pipe has it: plain `-p`. Nobody can be asked, so nothing can be seen waiting but a process that does
//! not end.

use std::io::Read;
use std::process::{Child, Stdio};
use std::sync::mpsc::Sender;

use anyhow::{Context, Result};

use super::{Happened, Session, Start, end_group, listen, tail};

/// A client in a pipe.
pub struct Print {
    child: Child,
    output: Vec<u8>,
    closed: bool,
    status: Option<std::process::ExitStatus>,
}

impl Print {
    /// Starts the client with the prompt on its command line.
    pub fn start(start: Start<'_>) -> Result<Print> {
        use std::os::unix::process::CommandExt;
        let mut command = start.home.command(start.home.folder().join("bin/claude"));
        command
            .args(["-p", "--permission-mode", start.mode])
            .args(start.extra)
            .arg(start.prompt)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0);
        let mut child = command.spawn()?;
        listen(child.stdout.take().context("no stdout")?, start.bell.clone());
        drain(child.stderr.take().context("no stderr")?, start.bell);
        Ok(Print { child, output: Vec::new(), closed: false, status: None })
    }
}

/// Passes a client's complaints on, without counting their end as the end of the session.
pub fn drain(mut stream: impl Read + Send + 'static, bell: Sender<Happened>) {
    std::thread::spawn(move || {
        let mut text = Vec::new();
        let _ = stream.read_to_end(&mut text);
        if !text.is_empty() {
            let _ = bell.send(Happened::Complained(String::from_utf8_lossy(&text).into_owned()));
        }
    });
}

impl Session for Print {
    fn take(&mut self, bytes: &[u8]) {
        self.output.extend_from_slice(bytes);
    }

    fn closed(&mut self) {
        self.closed = true;
    }

    fn waits_for(&mut self) -> Option<String> {
        None
    }

    fn is_over(&mut self, _quiet: bool) -> bool {
        if self.status.is_none() && self.closed {
            self.status = self.child.try_wait().ok().flatten();
        }
        self.status.is_some_and(|status| status.success())
    }

    fn failed(&mut self) -> Option<String> {
        let status = self.status.filter(|status| !status.success())?;
        Some(format!("the client ended with {status}: {}", self.last_seen()))
    }

    fn last_seen(&mut self) -> String {
        tail(&String::from_utf8_lossy(&self.output), 600)
    }
}

impl Drop for Print {
    fn drop(&mut self) {
        // Once it was waited for, its number may be another's.
        if self.status.is_none() {
            end_group(self.child.id());
            let _ = self.child.wait();
        }
    }
}
