//! The scripted Messages API on loopback: plays a scenario to the client and keeps what the client sent. Knows nothing
//! of hooks or of ways of driving.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

use anyhow::{Result, anyhow};
use serde_json::{Value, json};
use tiny_http::{Header, Method, Request, Response, Server};

use crate::driver::Happened;
use crate::scenario::{self, Failure, Scenario, Turn};
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
}

/// Whether any text inside a value has these words.
pub fn contains(value: &Value, words: &str) -> bool {
    let mut found = false;
    each_text(value, &mut |text| {
        found |= text.contains(words);
        Some(())
    });
    found
}

/// What a client says that has not yet started its MCP servers; the model tries that turn again.
const TOO_EARLY: &str = "No such tool available: mcp__";
/// After this time.
const AGAIN: Duration = Duration::from_secs(1);

/// What the model says where it must write a plan and has not been told yet into which file, which comes a moment
/// after it entered plan mode; and how often at most, since some ways of driving never tell it.
const MOMENT: &str = "One moment.";
const MOMENTS: usize = 3;

/// What the server needs to know to answer.
struct Stage {
    scenarios: Arc<BTreeMap<String, Scenario>>,
    project: PathBuf,
    plan_file: PathBuf,
}

impl Api {
    /// Starts a server on a free port of loopback. Each request is told to `bell`.
    pub fn start(
        scenarios: Arc<BTreeMap<String, Scenario>>,
        project: PathBuf,
        plan_file: PathBuf,
        bell: Sender<Happened>,
    ) -> Result<Api> {
        let server = Arc::new(Server::http("127.0.0.1:0").map_err(|error| anyhow!("no loopback server: {error}"))?);
        let port = server.server_addr().to_ip().map(|addr| addr.port()).ok_or_else(|| anyhow!("no port"))?;
        let kept = Arc::new(Mutex::new(Kept::default()));
        let bell = Arc::new(Mutex::new(bell));
        let stage = Stage { scenarios, project, plan_file };
        let worker = std::thread::spawn({
            let (server, kept, bell) = (Arc::clone(&server), Arc::clone(&kept), Arc::clone(&bell));
            move || {
                for request in server.incoming_requests() {
                    answer(&stage, &kept, request);
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

fn answer(stage: &Stage, kept: &Mutex<Kept>, mut request: Request) {
    let mut text = String::new();
    let _ = request.as_reader().read_to_string(&mut text);
    let body: Value = serde_json::from_str(&text).unwrap_or(Value::Null);
    let path = request.url().split('?').next().unwrap_or_default().to_owned();
    let response = match (request.method(), path.as_str()) {
        (Method::Post, "/v1/messages") => messages(stage, kept, body),
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

fn messages(stage: &Stage, kept: &Mutex<Kept>, body: Value) -> Answer {
    let model = body["model"].as_str().unwrap_or("claude").to_owned();
    let streamed = body["stream"].as_bool() == Some(true);
    let content = match scripted(stage, &body) {
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
                Some(said) => written(stage, said, &body),
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

/// Which scenario and turn a request asks for: the marker of the last marked user message, and how often the model has
/// spoken since. Requests without tools, and the client's own ones that borrow the conversation, are none of ours.
fn scripted<'a>(stage: &'a Stage, body: &Value) -> Option<(String, &'a Scenario, usize)> {
    body["tools"].as_array().filter(|tools| !tools.is_empty())?;
    let messages = body["messages"].as_array()?;
    let own = |text: &str| text.contains("[SUGGESTION MODE") || text.contains("create a detailed summary");
    if messages.iter().rev().find(|message| message["role"] == "user").is_some_and(|last| texts(last).any(own)) {
        return None;
    }
    let (at, name) = messages.iter().enumerate().rev().find_map(|(at, message)| {
        (message["role"] == "user").then_some(())?;
        let name = texts(message).filter_map(scenario::named_in).last()?;
        Some((at, name))
    })?;
    let scenario = stage.scenarios.get(name)?;
    let since = messages.get(at..).unwrap_or_default();
    let said = since.iter().filter(|message| message["role"] == "assistant");
    let spoken = said.filter(|message| !texts(message).any(|text| text == MOMENT)).count();
    let too_early = since.iter().filter(|message| contains(&message["content"], TOO_EARLY)).count();
    if messages.iter().rev().take_while(|message| message["role"] != "assistant").any(|last| contains(last, TOO_EARLY))
    {
        std::thread::sleep(AGAIN);
    }
    Some((name.to_owned(), scenario, spoken - too_early.min(spoken)))
}

/// The text blocks of a message.
pub fn texts(message: &Value) -> Box<dyn Iterator<Item = &str> + '_> {
    match &message["content"] {
        Value::String(text) => Box::new(std::iter::once(text.as_str())),
        Value::Array(blocks) => Box::new(blocks.iter().filter_map(|block| block["text"].as_str())),
        _ => Box::new(std::iter::empty()),
    }
}

/// A turn as content blocks, its placeholders filled.
fn written(stage: &Stage, turn: &Turn, body: &Value) -> Vec<Value> {
    let moments = body["messages"].as_array().into_iter().flatten().flat_map(texts).filter(|text| *text == MOMENT);
    let needs_plan_file = turn.calls.iter().any(|call| contains(&call.input, "{plan_file}"));
    if needs_plan_file && plan_file(body).is_none() && moments.count() < MOMENTS {
        let notes = stage.project.join("notes.txt");
        return vec![json!({"type": "text", "text": MOMENT}), sse::call("Read", json!({"file_path": notes}))];
    }
    let mut content = if turn.say.is_empty() { Vec::new() } else { sse::text(&turn.say) };
    for call in &turn.calls {
        let plan_file = plan_file(body).unwrap_or_else(|| stage.plan_file.display().to_string());
        let input =
            filled(&call.input, &[("{project}", &stage.project.display().to_string()), ("{plan_file}", &plan_file)]);
        content.push(sse::call(offered(&call.tool, body), input));
    }
    content
}

/// Of the names a tool had over the versions, `Agent|Task`, the one that the client offers; else the first.
fn offered<'a>(names: &'a str, body: &Value) -> &'a str {
    let offers = |name: &&str| body["tools"].as_array().is_some_and(|all| all.iter().any(|tool| tool["name"] == *name));
    names.split('|').find(offers).or(names.split('|').next()).unwrap_or(names)
}

/// The plan file the client named to the model: the last `…/plans/NAME.md` in the request.
fn plan_file(body: &Value) -> Option<String> {
    let mut found = None;
    each_text(body, &mut |text| {
        for (at, _) in text.match_indices("/plans/") {
            let start =
                text.get(..at)?.rfind(|c: char| c.is_whitespace() || "\"'`(".contains(c)).map_or(0, |at| at + 1);
            let rest = text.get(start..)?;
            let end = rest.find(".md").map(|at| at + 3)?;
            let path = rest.get(..end)?;
            if path.starts_with('/') && !path.contains(char::is_whitespace) && !path.contains('*') {
                found = Some(path.to_owned());
            }
        }
        Some(())
    });
    found
}

/// Calls `look` with each string inside a value.
pub fn each_text<'a>(value: &'a Value, look: &mut dyn FnMut(&'a str) -> Option<()>) {
    match value {
        Value::String(text) => {
            let _ = look(text);
        }
        Value::Array(items) => items.iter().for_each(|item| each_text(item, look)),
        Value::Object(fields) => fields.values().for_each(|field| each_text(field, look)),
        _ => {}
    }
}

fn filled(value: &Value, words: &[(&str, &str)]) -> Value {
    match value {
        Value::String(text) => {
            Value::String(words.iter().fold(text.clone(), |text, (from, to)| text.replace(from, to)))
        }
        Value::Array(items) => items.iter().map(|item| filled(item, words)).collect(),
        Value::Object(fields) => fields.iter().map(|(key, field)| (key.clone(), filled(field, words))).collect(),
        other => other.clone(),
    }
}

/// An answer to the client's own calls: a title where it wants one in JSON, else a word.
fn aside_text(body: &Value) -> &'static str {
    let wants = body.to_string();
    if wants.contains("create a detailed summary") {
        "The work goes on where it was left."
    } else if wants.contains("\"title\"") || wants.contains("isNewTopic") {
        r#"{"title": "Scripted work", "isNewTopic": false}"#
    } else {
        "ok"
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
