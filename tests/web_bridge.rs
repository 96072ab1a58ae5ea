//! The worked example of a bridge, `examples/web_bridge.py`: a person answers in a browser what waits, and nobody else
//! can. The page is driven in a headless Chromium.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod browser;
mod home;
mod waiting;

use std::env;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use browser::Browser;
use home::Home;
use serde_json::json;
use waiting::{ONE, TWO, colour, hook, permission, plan, put, wizard};

const BRIDGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/web_bridge.py");

struct Bridge {
    child: Child,
    url: String,
}

impl Bridge {
    fn start(home: &Home) -> Self {
        let programs = Path::new(home::PROGRAM).parent().unwrap().display().to_string();
        let mut command = Command::new("python3");
        command.args(["-B", BRIDGE]).env_clear().env("HOME", home.path()).current_dir(home.path());
        command.env("PATH", format!("{programs}:{}", env::var("PATH").unwrap()));
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut url = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut url).unwrap();
        Self { child, url: url.trim().to_owned() }
    }

    fn port(&self) -> u16 {
        self.url.split([':', '/']).nth(4).unwrap().parse().unwrap()
    }

    fn path(&self) -> String {
        format!("/{}", self.url.rsplit('/').next().unwrap())
    }

    /// The page, once it shows what waits.
    fn page_of(&self, id: &str) -> String {
        let until = Instant::now() + Duration::from_secs(60);
        loop {
            let (status, page) = browser::request(self.port(), "GET", &self.path(), &[], "");
            assert_eq!(status, 200);
            if page.contains(id) {
                return page;
            }
            assert!(Instant::now() < until, "no {id} in {page}");
            thread::sleep(Duration::from_millis(20));
        }
    }
}

impl Drop for Bridge {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A form of the page by its request.
fn within(id: &str, rest: &str) -> String {
    format!("form:has([value='{id}']) {rest}")
}

fn keep_screenshot(browser: &Browser, name: &str) {
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.png.base64"));
    fs::write(file, browser.screenshot()).unwrap();
}

#[test]
fn a_person_answers_in_a_browser_what_waits() {
    if !browser::is_here() {
        return;
    }
    let home = Home::new();
    let bridge = Bridge::start(&home);
    let browser = Browser::start(home.path());
    browser.open(&bridge.url);
    // The page looks for itself as long as nothing waits.
    let hooks = [(ONE, colour()), (TWO, wizard()), ("c0ffee0000000000", plan()), ("dddd000000000000", permission())]
        .map(|(id, record)| hook(&home.state(), id, record));
    bridge.page_of("dddd000000000000");
    browser.one(&within(ONE, "button"));
    browser.open(&bridge.url);
    keep_screenshot(&browser, "web_bridge");

    browser.click(&within(ONE, "label:nth-of-type(2) input"));
    browser.click(&within(ONE, "button"));
    assert_eq!(browser.text(".said"), "3f2a91c: taken: Blue (Recommended)");
    keep_screenshot(&browser, "web_bridge_said");
    browser.click(&within(TWO, "[name=option0][value='1']"));
    browser.click(&within(TWO, "[name=option1][value='1']"));
    browser.click(&within(TWO, "[name=option1][value='3']"));
    browser.write(&within(TWO, "[name=text2]"), "12");
    browser.click(&within(TWO, "button"));
    assert_eq!(browser.text(".said"), "77aa012: taken: Red; Olives, Cheese; 12");
    browser.write(&within("c0ffee0000000000", "[name=why]"), "Tests first");
    browser.click(&within("c0ffee0000000000", "button[value=reject]"));
    assert_eq!(browser.text(".said"), "c0ffee0: taken: sent back: Tests first");
    browser.click(&within("dddd000000000000", "button[value=allow]"));
    assert_eq!(browser.text(".said"), "dddd000: taken: allowed");
    assert!(browser.find("form").is_empty());

    let [colour, wizard, plan, permission] = hooks.map(|hook| hook.join().unwrap().unwrap());
    assert_eq!((&colour["answers"], &colour["means"]), (&json!([[2]]), &json!("web page")));
    assert_eq!(wizard["answers"], json!([[1], [1, 3], "12"]));
    assert_eq!((&plan["do"], &plan["message"]), (&json!("reject"), &json!("Tests first")));
    assert_eq!(permission["do"], "allow");
}

#[test]
fn an_answer_that_does_not_fit_is_said_and_the_request_stays() {
    if !browser::is_here() {
        return;
    }
    let home = Home::new();
    let open = put(&home.state(), ONE, colour());
    let bridge = Bridge::start(&home);
    bridge.page_of(ONE);
    let browser = Browser::start(home.path());
    browser.open(&bridge.url);
    browser.click(&within(ONE, "button"));
    assert!(browser.text(".said").starts_with("error: \"Which colour?\": it takes some words"));
    browser.one(&within(ONE, "button"));
    assert!(open.reply().is_none());
}

#[test]
fn what_is_asked_is_text_and_nothing_else_in_the_page() {
    if !browser::is_here() {
        return;
    }
    let hostile = "</b><script>document.title='taken'</script><img src=x onerror=\"document.title='taken'\">'\"&amp;";
    let mut record = waiting::question(&json!({"questions": [{
        "question": hostile, "header": hostile, "options": [{"label": hostile, "description": hostile, "preview": hostile}],
    }]}));
    record["cwd"] = json!(hostile);
    let mut permission = permission();
    permission["tool"] = json!(hostile);
    permission["tool_input"] = json!({hostile: hostile});
    let home = Home::new();
    let _opens = [(ONE, record), (TWO, permission)].map(|(id, record)| put(&home.state(), id, record));
    let bridge = Bridge::start(&home);
    bridge.page_of(TWO);
    let browser = Browser::start(home.path());
    browser.open(&bridge.url);
    assert_eq!(browser.text(&within(ONE, "fieldset > b")), hostile);
    assert_eq!(browser.text(&within(TWO, "b")), hostile);
    assert_eq!(
        browser.script("return [document.title, document.querySelectorAll('img, script').length]"),
        json!(["What waits for you", 0])
    );
}

#[test]
fn who_does_not_know_the_secret_or_comes_by_another_name_gets_nothing_and_answers_nothing() {
    let home = Home::new();
    let open = put(&home.state(), ONE, colour());
    let bridge = Bridge::start(&home);
    bridge.page_of(ONE);
    let (port, path) = (bridge.port(), bridge.path());
    assert!(path.len() > 20, "{path}");
    let form = format!("id={ONE}&verb=answer&option0=1&text0=");
    let longer = format!("{path}x");
    let local = format!("localhost:{port}");
    let cases: [(&str, &[(&str, &str)]); 6] = [
        ("/", &[]),
        ("/x", &[]),
        (&longer, &[]),
        ("/\u{e9}", &[]),
        // A page elsewhere whose name is made to lead here.
        (&path, &[("Host", "evil.example")]),
        (&path, &[("Host", &local)]),
    ];
    for (path, headers) in cases {
        for (method, body) in [("GET", ""), ("POST", form.as_str())] {
            let (status, page) = browser::request(port, method, path, headers, body);
            assert_eq!((status, page.contains("Which colour")), (404, false), "{method} {path} {headers:?}");
        }
    }
    assert!(open.reply().is_none());
    // And nobody comes from another machine.
    let listens = fs::read_to_string("/proc/net/tcp").unwrap();
    let port = format!(":{port:04X}");
    let addresses: Vec<&str> = listens
        .lines()
        .filter_map(|line| line.split_whitespace().nth(1).filter(|_| line.contains(" 0A ")))
        .filter(|address| address.ends_with(&port))
        .collect();
    assert_eq!(addresses, [format!("0100007F{port}")]);
}

#[test]
fn an_answer_is_not_given_for_what_does_not_wait() {
    let home = Home::new();
    let bridge = Bridge::start(&home);
    for id in ["--list", "", ONE, "../../x"] {
        let form = format!("id={id}&verb=answer&option0=1&text0=");
        let (status, page) = browser::request(bridge.port(), "POST", &bridge.path(), &[], &form);
        assert!(status == 200 && page.contains("<p class=said>error: "), "{id}: {page}");
    }
}

#[test]
fn the_example_is_short() {
    let text = fs::read_to_string(BRIDGE).unwrap();
    assert!(text.lines().count() <= 60);
}
