//! The scripted Messages API on loopback: plays a scenario to the client and keeps what the client sent. Knows nothing
//! of hooks or of ways of driving.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

use anyhow::{Result, anyhow};
use serde_json::{Value, json};
use tiny_http::{Header, Method, Request, Response, Server};

use crate::driver::Happened;
use crate::play::{Play, aside_text, contains, scripted, written};
use crate::scenario::{Failure, Scenario};
use crate::sse;

/// A running server; it ends with the value.
pub struct Api {
    server: Arc<Server>,
    kept: Arc<Mutex<Kept>>,
    bell: Arc<Mutex<Sender<Happened>>>,
    port: u16,
    worker: Option<JoinHandle<()>>,
}

/// What was asked and answered so far.
#[derive(Debug, Default, Clone)]
pub struct Kept {
    /// Each scripted request with the scenario and the turn it was answered with.
    pub turns: Vec<Played>,
    /// Requests that belong to no scenario: titles, token counts, suggestions.
    pub aside: Vec<(String, Value)>,
}

/// A request of the main conversation (or a subagent's) and what answered it.
#[derive(Debug, Clone)]
pub struct Played {
    /// The scenario's name.
    pub scenario: String,
    /// The number of the turn, from 0.
    pub turn: usize,
    /// It was the last turn of the script.
    pub last: bool,
    /// The script had no such turn: somebody sent the model on past its end.
    pub beyond: bool,
    /// The request as it came.
    pub request: Value,
}

impl Kept {
    /// Whether the model was sent these words in any turn.
    pub fn heard(&self, words: &str) -> bool {
        self.turns.iter().any(|turn| contains(&turn.request["messages"], words))
    }

    /// What the model read as the result of its calls of a tool, in order.
    pub fn told(&self, tool: &str) -> Vec<String> {
        let Some(messages) = self.turns.last().and_then(|turn| turn.request["messages"].as_array()) else {
            return Vec::new();
        };
        let blocks = || messages.iter().filter_map(|message| message["content"].as_array()).flatten();
        let mut told = Vec::new();
        for call in blocks().filter(|block| block["type"] == "tool_use" && block["name"] == tool) {
            told.extend(
                blocks()
                    .filter(|block| block["type"] == "tool_result" && block["tool_use_id"] == call["id"])
                    .map(|result| plain(&result["content"])),
            );
        }
        told
    }
}

/// The text of a tool result.
fn plain(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(blocks) => blocks.iter().filter_map(|block| block["text"].as_str()).collect::<Vec<_>>().join("\n"),
        _ => String::new(),
    }
}

impl Api {
    /// Starts a server on a free port of loopback. Each request is told to `bell`.
    pub fn start(
        scenarios: Arc<BTreeMap<String, Scenario>>,
        project: PathBuf,
        plan_file: PathBuf,
        bell: Sender<Happened>,
    ) -> Result<Api> {
        Api::serve(Play { scenarios, project, plan_file, only: None }, bell)
    }

    /// Starts a server that plays this.
    pub fn serve(play: Play, bell: Sender<Happened>) -> Result<Api> {
        let server = Arc::new(Server::http("127.0.0.1:0").map_err(|error| anyhow!("no loopback server: {error}"))?);
        let port = server.server_addr().to_ip().map(|addr| addr.port()).ok_or_else(|| anyhow!("no port"))?;
        let kept = Arc::new(Mutex::new(Kept::default()));
        let bell = Arc::new(Mutex::new(bell));
        let worker = std::thread::spawn({
            let (server, kept, bell) = (Arc::clone(&server), Arc::clone(&kept), Arc::clone(&bell));
            move || {
                for request in server.incoming_requests() {
                    answer(&play, &kept, request);
                    let _ = bell.lock().unwrap().send(Happened::Asked);
                }
            }
        });
        Ok(Api { server, kept, bell, port, worker: Some(worker) })
    }

    /// The value for `ANTHROPIC_BASE_URL`.
    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// Tells another bell of each request from now on.
    pub fn ring(&self, bell: Sender<Happened>) {
        *self.bell.lock().unwrap() = bell;
    }

    /// What was kept so far.
    pub fn kept(&self) -> Kept {
        self.kept.lock().unwrap().clone()
    }

    /// Reads what was kept without copying it.
    pub fn with<T>(&self, look: impl FnOnce(&Kept) -> T) -> T {
        look(&self.kept.lock().unwrap())
    }
}

impl Drop for Api {
    fn drop(&mut self) {
        self.server.unblock();
        if let Some(worker) = self.worker.take() {
            let _ = worker.join();
        }
    }
}

fn answer(play: &Play, kept: &Mutex<Kept>, mut request: Request) {
    let mut text = String::new();
    let _ = request.as_reader().read_to_string(&mut text);
    let body: Value = serde_json::from_str(&text).unwrap_or(Value::Null);
    let path = request.url().split('?').next().unwrap_or_default().to_owned();
    let response = match (request.method(), path.as_str()) {
        (Method::Post, "/v1/messages") => messages(play, kept, body),
        (method, path) => {
            kept.lock().unwrap().aside.push((format!("{method} {path}"), body));
            match path {
                "/v1/messages/count_tokens" => in_json(&json!({"input_tokens": 1000})),
                "/" | "/api/hello" => in_json(&json!({"message": "hello"})),
                _ => {
                    in_json(&json!({"type": "error", "error": {"type": "not_found_error", "message": "not scripted"}}))
                        .with_status_code(404)
                }
            }
        }
    };
    let _ = request.respond(response);
}

type Answer = Response<std::io::Cursor<Vec<u8>>>;

fn messages(play: &Play, kept: &Mutex<Kept>, body: Value) -> Answer {
    let model = body["model"].as_str().unwrap_or("claude").to_owned();
    let streamed = body["stream"].as_bool() == Some(true);
    let content = match scripted(play, &body) {
        None => {
            kept.lock().unwrap().aside.push(("POST /v1/messages".to_owned(), body.clone()));
            sse::text(aside_text(&body))
        }
        Some((name, scenario, turn)) => {
            let found = scenario.turn(turn);
            if let Some(failure) = found.and_then(|turn| turn.fails.as_ref()) {
                return failed(failure);
            }
            let content = match found {
                Some(said) => written(play, said, &body),
                None => sse::text("There is nothing left to do."),
            };
            kept.lock().unwrap().turns.push(Played {
                scenario: name,
                turn,
                last: turn + 1 >= scenario.turns.len(),
                beyond: found.is_none(),
                request: body,
            });
            content
        }
    };
    if streamed {
        Response::from_data(sse::stream(&model, &content)).with_header(header("text/event-stream"))
    } else {
        in_json(&sse::message(&model, &content))
    }
}

/// An error, and the word that trying again is no use: the client would try for minutes.
fn failed(failure: &Failure) -> Answer {
    let error = json!({"type": failure.kind, "message": failure.message});
    in_json(&json!({"type": "error", "error": error}))
        .with_status_code(failure.status)
        .with_header(Header::from_bytes("x-should-retry", "false").unwrap())
}

fn in_json(value: &Value) -> Answer {
    Response::from_data(value.to_string()).with_header(header("application/json"))
}

fn header(content_type: &str) -> Header {
    Header::from_bytes("content-type", content_type).unwrap()
}
