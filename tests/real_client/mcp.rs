//! A small MCP server over stdio whose one tool asks the user for input (elicitation) and says what came back. Run by
//! the client as `real_client serve-mcp`.

use std::io::{BufRead, Write};

use anyhow::Result;
use serde_json::{Value, json};

/// The name under which the client knows the server; its tool is `mcp__el__ask`.
pub const NAME: &str = "el";

/// Serves until the input ends.
pub fn serve() -> Result<()> {
    let mut lines = std::io::stdin().lock().lines();
    let mut may_ask = false;
    while let Some(line) = lines.next() {
        let Ok(message) = serde_json::from_str::<Value>(&line?) else { continue };
        let id = &message["id"];
        let result = match message["method"].as_str() {
            Some("initialize") => {
                may_ask = message["params"]["capabilities"]["elicitation"].is_object();
                json!({
                    "protocolVersion": message["params"]["protocolVersion"],
                    "capabilities": {"tools": {}},
                    "serverInfo": {"name": NAME, "version": "1.0.0"},
                })
            }
            Some("tools/list") => json!({"tools": [{
                "name": "ask",
                "description": "Asks the user for a region.",
                "inputSchema": {"type": "object", "properties": {}},
                // In plan mode a tool that may change something needs permission before it can ask.
                "annotations": {"readOnlyHint": true},
            }]}),
            Some("tools/call") => {
                let said = if may_ask { ask(&mut lines)? } else { "the client cannot be asked".to_owned() };
                json!({"content": [{"type": "text", "text": format!("ELICITED {said}")}]})
            }
            Some("ping") => json!({}),
            _ => continue,
        };
        say(&json!({"jsonrpc": "2.0", "id": id, "result": result}))?;
    }
    Ok(())
}

/// Asks and waits for the answer to that request alone.
fn ask(lines: &mut impl Iterator<Item = std::io::Result<String>>) -> Result<String> {
    say(&json!({"jsonrpc": "2.0", "id": "ask-1", "method": "elicitation/create", "params": {
        "message": "Which region?",
        "requestedSchema": {
            "type": "object",
            "properties": {"region": {"type": "string", "enum": ["eu", "us"]}},
            "required": ["region"],
        },
    }}))?;
    for line in lines {
        let Ok(message) = serde_json::from_str::<Value>(&line?) else { continue };
        if message["id"] == "ask-1" {
            return Ok(message["result"]["action"].as_str().unwrap_or("nothing").to_owned());
        }
    }
    Ok("nothing".to_owned())
}

fn say(message: &Value) -> Result<()> {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{message}")?;
    Ok(out.flush()?)
}
