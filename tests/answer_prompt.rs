//! `unattended answer` alone, in a terminal: it walks through what waits, asks again where an answer does not fit, and
//! notices what ends while it asks.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod home;
mod waiting;

use std::io::{Read, Write};
use std::num::NonZeroU16;
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use home::Home;
use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};
use serde_json::json;
use unattended::pending;
use waiting::{ONE, TWO, colour, end, hook, permission, plan, put, request, toppings, wizard};

const PATIENCE: Duration = Duration::from_secs(60);

fn screen() -> vt100::Parser {
    vt100::Parser::new(NonZeroU16::new(60).unwrap(), NonZeroU16::new(80).unwrap(), 0)
}

/// The prompt in a terminal of 80 columns.
struct Prompt {
    child: Box<dyn Child + Send + Sync>,
    _master: Box<dyn MasterPty + Send>,
    keys: Box<dyn Write + Send>,
    bytes: Receiver<Vec<u8>>,
    screen: vt100::Parser,
}

impl Prompt {
    fn start(home: &Home, args: &[&str]) -> Self {
        let size = PtySize { rows: 60, cols: 80, pixel_width: 0, pixel_height: 0 };
        let pair = native_pty_system().openpty(size).unwrap();
        let mut command = CommandBuilder::new(home::PROGRAM);
        command.args([&["answer"], args].concat());
        command.env_clear();
        command.env("HOME", home.path());
        command.env("PATH", "/usr/bin:/bin");
        command.env("TERM", "xterm-256color");
        command.cwd(home.path());
        let child = pair.slave.spawn_command(command).unwrap();
        let mut reader = pair.master.try_clone_reader().unwrap();
        let (sender, bytes) = channel();
        thread::spawn(move || {
            let mut buffer = [0; 4096];
            while let Ok(count @ 1..) = reader.read(&mut buffer) {
                if sender.send(buffer[..count].to_vec()).is_err() {
                    return;
                }
            }
        });
        let keys = pair.master.take_writer().unwrap();
        Self { child, _master: pair.master, keys, bytes, screen: screen() }
    }

    fn types(&mut self, line: &str) {
        self.keys.write_all(format!("{line}\r").as_bytes()).unwrap();
        self.keys.flush().unwrap();
    }

    fn text(&self) -> String {
        self.screen.screen().contents()
    }

    /// Waits until the screen shows it so often.
    fn shows(&mut self, text: &str, times: usize) {
        let until = Instant::now() + PATIENCE;
        while self.text().matches(text).count() < times {
            match self.bytes.recv_timeout(until.saturating_duration_since(Instant::now())) {
                Ok(bytes) => self.screen.process(&bytes),
                Err(error) => panic!("{error}: no {text:?} in\n{}", self.text()),
            }
        }
    }

    /// The whole screen at its end; it must exit with 0.
    fn ends(mut self) -> String {
        let until = Instant::now() + PATIENCE;
        let status = loop {
            match self.child.try_wait().unwrap() {
                Some(status) => break status,
                None if Instant::now() > until => panic!("it goes on:\n{}", self.text()),
                None => thread::sleep(Duration::from_millis(5)),
            }
        };
        while let Ok(bytes) = self.bytes.recv_timeout(Duration::from_millis(300)) {
            self.screen.process(&bytes);
        }
        assert!(status.success(), "{}", self.text());
        self.text()
    }
}

impl Drop for Prompt {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn it_asks_one_after_another_and_says_what_was_taken() {
    let home = Home::new();
    let hooks = [(ONE, wizard()), (TWO, plan()), ("c0ffee0000000000", permission())]
        .map(|(id, record)| hook(&home.state(), id, record));
    let mut prompt = Prompt::start(&home, &[]);
    prompt.shows("2 more behind it", 1);
    prompt.shows("> ", 1);
    prompt.types("2");
    prompt.shows("> ", 2);
    prompt.types("1,3");
    prompt.shows("> ", 3);
    prompt.types("=12");
    prompt.shows("3f2a91c: taken: Blue; Olives, Cheese; 12", 1);
    prompt.shows("> ", 4);
    prompt.types("approve acceptEdits");
    prompt.shows("> ", 5);
    prompt.types("deny use make test");
    let screen = prompt.ends();
    assert!(screen.contains("77aa012: taken: approved, in acceptEdits"), "{screen}");
    assert!(screen.contains("c0ffee0: taken: denied: use make test"), "{screen}");
    assert!(screen.trim_end().ends_with("Nothing more waits."), "{screen}");
    let [wizard, plan, permission] = hooks.map(|hook| hook.join().unwrap().unwrap());
    assert_eq!(wizard["answers"], json!([[2], [1, 3], "12"]));
    assert_eq!((&plan["do"], &plan["mode"]), (&json!("approve"), &json!("acceptEdits")));
    assert_eq!((&permission["do"], &permission["message"]), (&json!("deny"), &json!("use make test")));
    assert_eq!(permission["means"], "terminal");
}

#[test]
fn what_does_not_fit_is_said_and_asked_again() {
    let home = Home::new();
    let hook = hook(&home.state(), ONE, colour());
    let mut prompt = Prompt::start(&home, &["3f2a"]);
    for (times, (typed, why)) in [
        ("9", "there is no option 9"),
        ("1,2", "it takes one option alone"),
        ("3", "for row 3 write the words themselves"),
        ("4", "row 4 answers nothing"),
        ("=", "it takes some words"),
    ]
    .into_iter()
    .enumerate()
    {
        prompt.shows("> ", times + 1);
        prompt.types(typed);
        prompt.shows(why, 1);
    }
    prompt.types("Green");
    assert!(prompt.ends().contains("3f2a91c: taken: Green"));
    assert_eq!(hook.join().unwrap().unwrap()["answers"], json!(["Green"]));
}

#[test]
fn who_sends_a_plan_back_is_asked_why_and_may_say_just_that() {
    let home = Home::new();
    let hook = hook(&home.state(), TWO, plan());
    let mut prompt = Prompt::start(&home, &[]);
    prompt.shows("> ", 1);
    prompt.types("reject");
    prompt.shows("say why it is sent back", 1);
    prompt.shows("> ", 2);
    prompt.types("approve of no plan without tests");
    assert!(prompt.ends().contains("taken: sent back: approve of no plan"), "the words are the reason");
    assert_eq!(hook.join().unwrap().unwrap()["message"], "approve of no plan without tests");
}

#[test]
fn enter_passes_one_over_and_q_ends() {
    let home = Home::new();
    let state = home.state();
    let opens =
        [(ONE, colour()), (TWO, toppings()), ("c0ffee0000000000", plan())].map(|(id, record)| put(&state, id, record));
    let mut prompt = Prompt::start(&home, &[]);
    prompt.shows("> ", 1);
    prompt.types("");
    prompt.shows("passed over; it waits on", 1);
    prompt.shows("> ", 2);
    prompt.types("q");
    assert!(!prompt.ends().contains("c0ffee0"));
    assert!(opens.iter().all(|open| open.reply().is_none()));
}

#[test]
fn what_ends_while_it_asks_is_told_and_what_was_typed_for_it_answers_nothing_else() {
    let home = Home::new();
    let state = home.state();
    let first = put(&state, ONE, colour());
    let second = hook(&state, TWO, colour());
    let mut prompt = Prompt::start(&home, &[]);
    prompt.shows("> ", 1);
    // Begun for the first, sent when it is over.
    prompt.keys.write_all(b"2").unwrap();
    end(&state, first, colour(), "time");
    prompt.shows("time for 3f2a91c was up at ", 1);
    prompt.shows("Enter to go on", 1);
    prompt.types("");
    prompt.shows("77aa012", 1);
    prompt.shows("> ", 2);
    prompt.types("1");
    assert!(prompt.ends().contains("77aa012: taken: Red"));
    assert_eq!(second.join().unwrap().unwrap()["answers"], json!([[1]]));
}

#[test]
fn one_that_is_answered_elsewhere_meanwhile_is_told() {
    let home = Home::new();
    let hook = hook(&home.state(), ONE, colour());
    let mut prompt = Prompt::start(&home, &[]);
    prompt.shows("> ", 1);
    home.says(&["answer", ONE, "2", "--means", "web page"]);
    prompt.shows("3f2a91c was answered before: at ", 1);
    prompt.shows("by web page", 1);
    prompt.types("");
    assert!(prompt.ends().contains("Nothing more waits."));
    assert!(hook.join().unwrap().is_some());
}

#[test]
fn a_hook_that_dies_meanwhile_is_noticed() {
    let home = Home::new();
    let open = put(&home.state(), ONE, colour());
    let mut prompt = Prompt::start(&home, &[]);
    prompt.shows("> ", 1);
    drop(open);
    prompt.shows("3f2a91c waits no more: its hook or its session was ended", 1);
    prompt.types("q");
    prompt.ends();
}

#[test]
fn what_begins_to_wait_meanwhile_comes_next() {
    let home = Home::new();
    let first = hook(&home.state(), ONE, colour());
    let mut prompt = Prompt::start(&home, &[]);
    prompt.shows("> ", 1);
    let second = hook(&home.state(), TWO, permission());
    prompt.types("1");
    prompt.shows("Bash needs a permission", 1);
    prompt.shows("> ", 2);
    prompt.types("allow");
    prompt.ends();
    assert_eq!(first.join().unwrap().unwrap()["answers"], json!([[1]]));
    assert_eq!(second.join().unwrap().unwrap()["do"], "allow");
}

#[test]
fn where_nothing_waits_it_says_so() {
    assert_eq!(Prompt::start(&Home::new(), &[]).ends().trim(), "Nothing waits for a person.");
}

#[test]
fn a_request_is_shown_whole() {
    let home = Home::new();
    let mut record = plan();
    record["plan"]["text"] = json!((1..=30).map(|n| format!("{n}. step\n")).collect::<String>());
    let _open = put(&home.state(), ONE, record);
    let mut prompt = Prompt::start(&home, &[]);
    prompt.shows("> ", 1);
    prompt.shows("| 30. step", 1);
    prompt.types("q");
    let screen = prompt.ends();
    assert!(screen.lines().all(|line| line.chars().count() <= 80), "{screen}");
    insta::assert_snapshot!(screen.lines().map(str::trim_end).collect::<Vec<_>>().join("\n"));
}

#[test]
fn what_is_typed_before_the_next_one_is_shown_does_not_answer_it() {
    let home = Home::new();
    let state = home.state();
    let first = put(&state, ONE, colour());
    let second = put(&state, TWO, colour());
    let mut prompt = Prompt::start(&home, &[]);
    prompt.shows("> ", 1);
    // The answer, and impatiently a second one, while the hook has not taken the first.
    prompt.types("1");
    prompt.types("2");
    thread::sleep(Duration::from_millis(500));
    end(&state, first, colour(), "time");
    prompt.shows("3f2a91c: taken: Red", 1);
    prompt.shows("> ", 2);
    prompt.types("q");
    prompt.ends();
    assert!(second.reply().is_none());
}

#[test]
fn the_same_call_asked_anew_comes_next() {
    let home = Home::new();
    let state = home.state();
    let first = hook(&state, ONE, permission());
    let mut prompt = Prompt::start(&home, &[]);
    prompt.shows("> ", 1);
    prompt.types("deny");
    prompt.shows("3f2a91c: taken: denied", 1);
    first.join().unwrap();
    prompt.shows("Nothing more waits.", 1);
    // Now while the prompt stands at the first of two.
    let first = hook(&state, ONE, permission());
    let second = put(&state, TWO, colour());
    let mut prompt = Prompt::start(&home, &[]);
    prompt.shows("1 more behind it", 1);
    prompt.types("deny");
    prompt.shows("3f2a91c: taken: denied", 1);
    first.join().unwrap();
    prompt.shows("> ", 2);
    let mut anew = request(&state, ONE, permission(), 600);
    anew.token = "f".repeat(32);
    let anew = pending::open(&state, &anew).unwrap();
    end(&state, second, colour(), "time");
    prompt.shows("Enter to go on", 1);
    prompt.types("");
    prompt.shows("Bash needs a permission", 2);
    prompt.types("q");
    prompt.ends();
    drop(anew);
}
