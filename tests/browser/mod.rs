//! A headless Chromium, driven by chromedriver: the W3C's WebDriver protocol over HTTP on the loopback.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use std::env;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

const PATIENCE: Duration = Duration::from_secs(60);
/// The key under which the protocol names an element.
const ELEMENT: &str = "element-6066-11e4-a52e-4f735466cecf";

pub(crate) struct Browser {
    driver: Child,
    port: u16,
    session: String,
}

/// Says why, where there is no browser; in CI there must be one.
pub(crate) fn is_here() -> bool {
    let path = env::var_os("PATH").unwrap_or_default();
    let missing: Vec<&str> = ["chromedriver", "chromium"]
        .into_iter()
        .filter(|program| !env::split_paths(&path).any(|folder| folder.join(program).is_file()))
        .collect();
    if missing.is_empty() {
        return true;
    }
    let why = format!("not tried: {} is not on PATH (Debian: chromium, chromium-driver)", missing.join(", "));
    assert!(env::var_os("CI").is_none(), "{why}");
    eprintln!("{why}");
    false
}

impl Browser {
    /// Starts one whose files are below `home`.
    pub(crate) fn start(home: &Path) -> Self {
        let mut command = Command::new("chromedriver");
        command.arg("--port=0").env("HOME", home).env_remove("DISPLAY").stdin(Stdio::null());
        let mut driver = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut lines = BufReader::new(driver.stdout.take().unwrap()).lines();
        let port = lines.by_ref().map_while(Result::ok).find_map(|line| {
            let (_, port) = line.split_once("started successfully on port ")?;
            port.trim_end_matches('.').parse().ok()
        });
        std::thread::spawn(move || lines.for_each(drop));
        let mut browser = Self { driver, port: port.expect("chromedriver names its port"), session: String::new() };
        let profile = format!("--user-data-dir={}", home.join("chromium").display());
        let args = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", &profile];
        let options = json!({"args": args.into_iter().chain(["--window-size=900,1000"]).collect::<Vec<_>>()});
        let wanted = json!({"capabilities": {"alwaysMatch": {"goog:chromeOptions": options}}});
        browser.session = browser.call("POST", "/session", &wanted)["sessionId"].as_str().unwrap().to_owned();
        browser
    }

    pub(crate) fn open(&self, url: &str) {
        self.post("url", &json!({"url": url}));
    }

    /// The elements that a CSS selector finds.
    pub(crate) fn find(&self, selector: &str) -> Vec<String> {
        let found = self.post("elements", &json!({"using": "css selector", "value": selector}));
        found.as_array().unwrap().iter().map(|element| element[ELEMENT].as_str().unwrap().to_owned()).collect()
    }

    /// The one element that a CSS selector finds, once it is there.
    pub(crate) fn one(&self, selector: &str) -> String {
        let until = Instant::now() + PATIENCE;
        loop {
            match &self.find(selector)[..] {
                [one] => return one.clone(),
                found => assert!(Instant::now() < until, "{} of {selector}", found.len()),
            }
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    pub(crate) fn click(&self, selector: &str) {
        self.post(&format!("element/{}/click", self.one(selector)), &json!({}));
    }

    pub(crate) fn write(&self, selector: &str, text: &str) {
        self.post(&format!("element/{}/value", self.one(selector)), &json!({"text": text}));
    }

    /// The text that is seen.
    pub(crate) fn text(&self, selector: &str) -> String {
        let path = format!("/session/{}/element/{}/text", self.session, self.one(selector));
        self.call("GET", &path, &Value::Null).as_str().unwrap().to_owned()
    }

    /// What a script in the page gives.
    pub(crate) fn script(&self, script: &str) -> Value {
        self.post("execute/sync", &json!({"script": script, "args": []}))
    }

    /// The screen as a PNG, in base64.
    pub(crate) fn screenshot(&self) -> String {
        let path = format!("/session/{}/screenshot", self.session);
        self.call("GET", &path, &Value::Null).as_str().unwrap().to_owned()
    }

    fn post(&self, command: &str, body: &Value) -> Value {
        self.call("POST", &format!("/session/{}/{command}", self.session), body)
    }

    fn call(&self, method: &str, path: &str, body: &Value) -> Value {
        let body = if method == "POST" { body.to_string() } else { String::new() };
        let (status, answer) = request(self.port, method, path, &[("Content-Type", "application/json")], &body);
        let answer: Value = serde_json::from_str(&answer).unwrap_or_else(|error| panic!("{error}: {answer}"));
        assert_eq!(status, 200, "{method} {path}: {answer}");
        answer["value"].clone()
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let path = format!("/session/{}", self.session);
        let _ = std::panic::catch_unwind(|| request(self.port, "DELETE", &path, &[], ""));
        let _ = self.driver.kill();
        let _ = self.driver.wait();
    }
}

/// One request to a server on the loopback: the status and the body.
pub(crate) fn request(port: u16, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> (u16, String) {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    let mut head = format!("{method} {path} HTTP/1.1\r\nConnection: close\r\nContent-Length: {}\r\n", body.len());
    if !headers.iter().any(|(name, _)| *name == "Host") {
        head.push_str(&format!("Host: 127.0.0.1:{port}\r\n"));
    }
    headers.iter().for_each(|(name, value)| head.push_str(&format!("{name}: {value}\r\n")));
    stream.write_all(format!("{head}\r\n{body}").as_bytes()).unwrap();
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    reader.read_line(&mut line).unwrap();
    let status = line.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or_else(|| panic!("{line:?}"));
    let mut length = None;
    loop {
        line.clear();
        reader.read_line(&mut line).unwrap();
        match line.trim_end().split_once(':') {
            Some((name, value)) if name.eq_ignore_ascii_case("content-length") => length = value.trim().parse().ok(),
            Some(_) => {}
            None => break,
        }
    }
    let mut bytes = Vec::new();
    match length {
        Some(length) => {
            reader.take(length).read_to_end(&mut bytes).unwrap();
        }
        None => drop(reader.read_to_end(&mut bytes).unwrap()),
    }
    (status, String::from_utf8(bytes).unwrap())
}
