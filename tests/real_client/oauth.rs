//! An MCP server over HTTP that wants a login, as real ones do: 401, and metadata that says where to log in. Nobody can.

use std::sync::Arc;
use std::thread::JoinHandle;

use anyhow::{Result, anyhow};
use serde_json::{Value, json};
use tiny_http::{Header, Request, Response, Server};

/// A running server; it ends with the value.
pub struct Oauth {
    server: Arc<Server>,
    base: String,
    worker: Option<JoinHandle<()>>,
}

impl Oauth {
    /// Starts on a free port of loopback.
    pub fn start() -> Result<Oauth> {
        let server = Arc::new(Server::http("127.0.0.1:0").map_err(|error| anyhow!("no loopback server: {error}"))?);
        let port = server.server_addr().to_ip().map(|addr| addr.port()).ok_or_else(|| anyhow!("no port"))?;
        let base = format!("http://127.0.0.1:{port}");
        let worker = std::thread::spawn({
            let (server, base) = (Arc::clone(&server), base.clone());
            move || server.incoming_requests().for_each(|request| answer(&base, request))
        });
        Ok(Oauth { server, base, worker: Some(worker) })
    }

    /// Where the MCP server is.
    pub fn url(&self) -> String {
        format!("{}/mcp", self.base)
    }
}

impl Drop for Oauth {
    fn drop(&mut self) {
        self.server.unblock();
        if let Some(worker) = self.worker.take() {
            let _ = worker.join();
        }
    }
}

fn answer(base: &str, request: Request) {
    let path = request.url().to_owned();
    let (code, body) = match path.as_str() {
        "/register" => (201, json!({"client_id": "dev", "redirect_uris": ["http://localhost:1/callback"]})),
        _ if path.starts_with("/.well-known/oauth-protected-resource") => {
            (200, json!({"resource": format!("{base}/mcp"), "authorization_servers": [base]}))
        }
        _ if path.starts_with("/.well-known/") => (200, metadata(base)),
        _ if path.starts_with("/mcp") => (401, json!({"error": "invalid_token"})),
        _ => (404, json!({})),
    };
    let mut response = Response::from_string(body.to_string()).with_status_code(code);
    response.add_header(Header::from_bytes("Content-Type", "application/json").unwrap());
    if code == 401 {
        let login = format!("Bearer resource_metadata=\"{base}/.well-known/oauth-protected-resource\"");
        response.add_header(Header::from_bytes("WWW-Authenticate", login).unwrap());
    }
    let _ = request.respond(response);
}

fn metadata(base: &str) -> Value {
    json!({
        "issuer": base,
        "authorization_endpoint": format!("{base}/authorize"),
        "token_endpoint": format!("{base}/token"),
        "registration_endpoint": format!("{base}/register"),
        "response_types_supported": ["code"],
        "grant_types_supported": ["authorization_code", "refresh_token"],
        "code_challenge_methods_supported": ["S256"],
    })
}
