//! A session driven as the SDKs do: stream-json both ways, permissions asked of the host. The host here answers
//! nothing: a request that stays open is what waits.

use std::collections::BTreeMap;
use std::io::Write;
use std::process::{Child, ChildStdin, Stdio};

use anyhow::{Context, Result};
use serde_json::{Value, json};

use super::{Session, Start, end_group, listen, tail};

/// A client with a host on its pipes.
pub struct Sdk {
    child: Child,
    input: Option<ChildStdin>,
    partial: Vec<u8>,
    lines: Vec<Value>,
    open: BTreeMap<String, String>,
    result: Option<Value>,
    closed: bool,
}

impl Sdk {
    /// Starts the client and sends the prompt as the first user message.
    pub fn start(start: Start<'_>) -> Result<Sdk> {
        use std::os::unix::process::CommandExt;
        let mut command = start.home.command(start.home.folder().join("bin/claude"));
        command
            .args(["-p", "--input-format", "stream-json", "--output-format", "stream-json", "--verbose"])
            .args(["--permission-prompt-tool", "stdio", "--permission-mode", start.mode])
            .args(start.extra)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0);
        let mut child = command.spawn()?;
        listen(child.stdout.take().context("no stdout")?, start.bell.clone());
        super::print::drain(child.stderr.take().context("no stderr")?, start.bell);
        let mut input = child.stdin.take().context("no stdin")?;
        let message = json!({"type": "user", "message": {"role": "user", "content": start.prompt}, "session_id": "default",
            "parent_tool_use_id": null});
        writeln!(input, "{message}")?;
        Ok(Sdk {
            child,
            input: Some(input),
            partial: Vec::new(),
            lines: Vec::new(),
            open: BTreeMap::new(),
            result: None,
            closed: false,
        })
    }

    fn line(&mut self, line: &[u8]) {
        let Ok(value) = serde_json::from_slice::<Value>(line) else { return };
        let id = value["request_id"].as_str().unwrap_or_default().to_owned();
        match value["type"].as_str() {
            Some("control_request") => {
                let request = &value["request"];
                let what = request["tool_name"].as_str().or(request["subtype"].as_str()).unwrap_or("something");
                self.open.insert(id, format!("host asked: {what}"));
            }
            Some("control_cancel_request") => {
                self.open.remove(&id);
            }
            Some("result") => self.result = Some(value.clone()),
            _ => {}
        }
        self.lines.push(value);
    }
}

impl Session for Sdk {
    fn take(&mut self, bytes: &[u8]) {
        self.partial.extend_from_slice(bytes);
        while let Some(end) = self.partial.iter().position(|byte| *byte == b'\n') {
            let line: Vec<u8> = self.partial.drain(..=end).collect();
            self.line(&line);
        }
    }

    fn closed(&mut self) {
        self.closed = true;
    }

    fn waits_for(&mut self) -> Option<String> {
        self.open.values().next().cloned()
    }

    fn is_over(&mut self, _quiet: bool) -> bool {
        if self.result.is_some() {
            self.input = None;
        }
        self.result.is_some() && self.closed
    }

    fn failed(&mut self) -> Option<String> {
        match &self.result {
            Some(result) if result["is_error"] == true => Some(format!("the result is an error: {result}")),
            None if self.closed => Some(format!("the client ended without a result; last: {}", self.last_seen())),
            _ => None,
        }
    }

    fn last_seen(&mut self) -> String {
        tail(&self.lines.last().map(Value::to_string).unwrap_or_default(), 600)
    }
}

impl Drop for Sdk {
    fn drop(&mut self) {
        end_group(self.child.id());
        let _ = self.child.wait();
    }
}
