//! Messages of the scripted model as the Messages API writes them, whole or as server-sent events. Pure.

use std::fmt::Write;
use std::sync::atomic::{AtomicU64, Ordering};

use serde_json::{Value, json};

static NEXT: AtomicU64 = AtomicU64::new(1);

/// Content of one text block.
pub fn text(said: &str) -> Vec<Value> {
    vec![json!({"type": "text", "text": said})]
}

/// A tool call block with an id of its own.
pub fn call(tool: &str, input: Value) -> Value {
    let id = format!("toolu_01{:022}", NEXT.fetch_add(1, Ordering::Relaxed));
    json!({"type": "tool_use", "id": id, "name": tool, "input": input})
}

/// A whole message.
pub fn message(model: &str, content: &[Value]) -> Value {
    let calls = content.iter().any(|block| block["type"] == "tool_use");
    json!({
        "id": format!("msg_01{:022}", NEXT.fetch_add(1, Ordering::Relaxed)),
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": content,
        "stop_reason": if calls { "tool_use" } else { "end_turn" },
        "stop_sequence": null,
        "usage": {"input_tokens": 100, "output_tokens": 20, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0},
    })
}

/// A message as a stream of events.
pub fn stream(model: &str, content: &[Value]) -> String {
    let whole = message(model, content);
    let mut start = whole.clone();
    start["content"] = json!([]);
    start["stop_reason"] = Value::Null;
    let mut out = String::new();
    event(&mut out, json!({"type": "message_start", "message": start}));
    for (index, block) in content.iter().enumerate() {
        let (opening, delta) = match block["type"].as_str() {
            Some("tool_use") => {
                let mut opening = block.clone();
                opening["input"] = json!({});
                (opening, json!({"type": "input_json_delta", "partial_json": block["input"].to_string()}))
            }
            _ => (json!({"type": "text", "text": ""}), json!({"type": "text_delta", "text": block["text"]})),
        };
        event(&mut out, json!({"type": "content_block_start", "index": index, "content_block": opening}));
        event(&mut out, json!({"type": "content_block_delta", "index": index, "delta": delta}));
        event(&mut out, json!({"type": "content_block_stop", "index": index}));
    }
    let stop = json!({"stop_reason": whole["stop_reason"], "stop_sequence": null});
    event(&mut out, json!({"type": "message_delta", "delta": stop, "usage": whole["usage"]}));
    event(&mut out, json!({"type": "message_stop"}));
    out
}

fn event(out: &mut String, data: Value) {
    let _ = write!(out, "event: {}\ndata: {data}\n\n", data["type"].as_str().unwrap_or_default());
}
