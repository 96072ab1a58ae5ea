//! `unattended answer` by words of the command line: what it says, what reaches the hook that waits, what it refuses.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod home;
mod waiting;

use std::fs;
use std::process::Output;
use std::thread;
use std::time::Duration;

use home::Home;
use rstest::rstest;
use serde_json::{Value, json};
use unattended::pending;
use waiting::{ONE, TWO, append, colour, end, ended, hook, permission, plan, put, request, toppings, wizard};

fn errors(output: &Output) -> String {
    assert_eq!((output.status.code(), output.stdout.len()), (Some(1), 0), "{output:?}");
    String::from_utf8(output.stderr.clone()).unwrap()
}

/// What is left of a request after its end.
fn left_behind(home: &Home) -> usize {
    fs::read_dir(home.state().join("pending")).unwrap().count()
}

#[rstest]
#[case::by_number(colour(), &["2"], json!({"do": "answer", "answers": [[2]]}), "Blue (Recommended)")]
#[case::in_words(colour(), &["Green, if you can"], json!({"do": "answer", "answers": ["Green, if you can"]}), "Green, if you can")]
#[case::a_number_as_words(colour(), &["=2"], json!({"do": "answer", "answers": ["2"]}), "2")]
#[case::words_that_are_verbs_elsewhere(colour(), &["approve"], json!({"do": "answer", "answers": ["approve"]}), "approve")]
#[case::words_with_a_dash(colour(), &["=--force"], json!({"do": "answer", "answers": ["--force"]}), "--force")]
#[case::several(toppings(), &["1,3"], json!({"do": "answer", "answers": [[1, 3]]}), "Olives, Cheese")]
#[case::one_of_several(toppings(), &["2"], json!({"do": "answer", "answers": [[2]]}), "Onions")]
#[case::a_wizard(wizard(), &["1", "2,3", "4"], json!({"do": "answer", "answers": [[1], [2, 3], "4"]}), "Red; Onions, Cheese; 4")]
#[case::a_plan(plan(), &["approve"], json!({"do": "approve"}), "approved")]
#[case::a_plan_in_a_mode(plan(), &["approve", "--mode", "acceptEdits"], json!({"do": "approve", "mode": "acceptEdits"}), "approved, in acceptEdits")]
#[case::a_plan_sent_back(plan(), &["reject", "Tests first"], json!({"do": "reject", "message": "Tests first"}), "sent back: Tests first")]
#[case::a_plan_sent_back_without_quotes(plan(), &["reject", "Tests", "first"], json!({"do": "reject", "message": "Tests first"}), "sent back: Tests first")]
#[case::a_tool(permission(), &["allow"], json!({"do": "allow"}), "allowed")]
#[case::a_plan_sent_back_word_for_word(plan(), &["reject", "=Tests first"], json!({"do": "reject", "message": "Tests first"}), "sent back: Tests first")]
#[case::another_way_word_for_word(permission(), &["deny", "==ask Bob"], json!({"do": "deny", "message": "=ask Bob"}), "denied: =ask Bob")]
#[case::words_with_a_dash_behind_two(permission(), &["deny", "=--help"], json!({"do": "deny", "message": "--help"}), "denied: --help")]
#[case::a_number_and_a_line_break(colour(), &["2\n"], json!({"do": "answer", "answers": [[2]]}), "Blue (Recommended)")]
#[case::words_with_a_number(colour(), &["2 of them"], json!({"do": "answer", "answers": ["2 of them"]}), "2 of them")]
#[case::no_tool(permission(), &["deny"], json!({"do": "deny"}), "denied")]
#[case::another_way(permission(), &["deny", "Use make test"], json!({"do": "deny", "message": "Use make test"}), "denied: Use make test")]
fn an_answer_reaches_the_hook_and_is_said_to_be_taken(
    #[case] record: Value,
    #[case] words: &[&str],
    #[case] said: Value,
    #[case] told: &str,
) {
    let home = Home::new();
    let hook = hook(&home.state(), ONE, record);
    let says = home.says(&[&["answer", "3f2a"], words].concat());
    assert_eq!(says, format!("3f2a91c: taken: {told}\n"));
    let mut reply = hook.join().unwrap().unwrap();
    let fields = reply.as_object_mut().unwrap();
    assert_eq!(fields.remove("v"), Some(json!(1)));
    assert_eq!(fields.remove("token"), Some(json!(waiting::TOKEN)));
    assert_eq!(fields.remove("means"), Some(json!("terminal")));
    assert_eq!(reply, said);
    assert_eq!(left_behind(&home), 0);
}

const OPTIONS: &str = "hint: unattended answer 3f2a91c 1, or \"your own words\"; the options are\n      \
    1. Red\n      2. Blue (Recommended)\n";

#[rstest]
#[case::no_such_option(colour(), &["7"], "error: \"Which colour?\": there is no option 7\n", OPTIONS)]
#[case::a_number_beyond_numbers(colour(), &["99999999999999999999999"], "error: \"Which colour?\": there is no option 99999999999999999999999\n", OPTIONS)]
#[case::option_0(colour(), &["0"], "error: \"Which colour?\": there is no option 0\n", OPTIONS)]
#[case::the_row_for_words(colour(), &["3"], "error: \"Which colour?\": for row 3 write the words themselves\n", OPTIONS)]
#[case::the_row_that_closes(colour(), &["4"], "error: \"Which colour?\": row 4 answers nothing\n", OPTIONS)]
#[case::a_number_and_a_dot(colour(), &["2."], "error: \"Which colour?\": \"2.\" is no number of an option; =2. answers with that text\n", OPTIONS)]
#[case::a_span(colour(), &["1-2"], "error: \"Which colour?\": \"1-2\" is no number of an option; =1-2", OPTIONS)]
#[case::a_wide_number(colour(), &["１"], "error: \"Which colour?\": \"１\" is no number of an option;", OPTIONS)]
#[case::no_reason_word_for_word(plan(), &["reject", "="], "error: say why it is sent back\n", "reject")]
#[case::words_that_are_a_flag(permission(), &["deny", "--json"], "error: --json does not go with an answer, and none was given\n", "hint: put = before what a person said")]
#[case::words_that_ask_for_help(permission(), &["deny", "--help"], "error: --help does not go with an answer, and none was given\n", "-- before the id")]
#[case::an_answer_that_asks_for_help(colour(), &["-h"], "error: --help does not go with an answer, and none was given\n", "-- before the id")]
#[case::two_where_one_is_taken(colour(), &["1,2"], "error: \"Which colour?\": it takes one option alone\n", OPTIONS)]
#[case::words_without_quotes(colour(), &["use", "blue"], "error: it asks 1 question, and got 2 answers\n", OPTIONS)]
#[case::nothing(colour(), &["  "], "error: \"Which colour?\": it takes some words\n", OPTIONS)]
#[case::a_mode(colour(), &["1", "--mode", "auto"], "error: a mode goes with the approval of a plan alone\n", OPTIONS)]
#[case::no_answer(colour(), &[], "error: 3f2a91c has been given no answer\n", OPTIONS)]
#[case::twice_the_same(toppings(), &["1,1"], "error: \"Which toppings?\": option 1 is chosen twice\n", "1,2, or")]
#[case::too_few(wizard(), &["1"], "error: it asks 3 questions, and got 1 answer\n", "1 1,2 \"your own words\": one for each question\n      Which colour?\n      1. Red\n")]
#[case::no_word_for_a_plan(plan(), &["yes"], "error: it is a plan, and \"yes\" is neither approve nor reject\n", "hint: unattended answer 3f2a91c approve, or 3f2a91c reject \"why\"\n")]
#[case::no_reason(plan(), &["reject"], "error: say why it is sent back\n", "reject")]
#[case::words_with_an_approval(plan(), &["approve", "but"], "error: an approval takes no words;", "reject")]
#[case::no_such_mode(plan(), &["approve", "--mode", "plan"], "error: there is no permission mode \"plan\"; the modes are default, acceptEdits", "approve")]
#[case::no_word_for_a_tool(permission(), &["approve"], "error: a tool needs a permission, and \"approve\" is neither allow nor deny\n", "hint: unattended answer 3f2a91c allow, or 3f2a91c deny, or 3f2a91c deny \"why\"\n")]
#[case::words_with_an_allowance(permission(), &["allow", "once"], "error: a tool is allowed as it is;", "deny")]
fn an_answer_that_does_not_fit_is_refused_with_what_would(
    #[case] record: Value,
    #[case] words: &[&str],
    #[case] what: &str,
    #[case] hint: &str,
) {
    let home = Home::new();
    let open = put(&home.state(), ONE, record);
    let errors = errors(&home.run(&[&["answer", ONE], words].concat()));
    assert!(errors.starts_with(what) && errors.contains(hint), "{errors}");
    assert!(open.reply().is_none(), "nothing was left");
}

#[test]
fn the_means_are_what_a_bridge_says_they_are() {
    let home = Home::new();
    let hook = hook(&home.state(), ONE, colour());
    home.says(&["answer", ONE, "1", "--means", "chat"]);
    assert_eq!(hook.join().unwrap().unwrap()["means"], "chat");
    let long = "x".repeat(101);
    for means in ["", "  ", &long] {
        let errors = errors(&home.run(&["answer", ONE, "1", "--means", means]));
        assert!(errors.contains("says nothing about the means\nhint: say in at most 100 characters"), "{errors}");
    }
}

#[rstest]
#[case::too_short(
    "3f",
    "error: \"3f\" is no id\nhint: say at least 4 digits of an id, as `unattended answer --list` shows it"
)]
#[case::a_path("../../x", "error: \"../../x\" is no id\n")]
#[case::none_of_them(
    "beef",
    "error: no request has an id that begins with beef\nhint: `unattended answer --list` shows what waits\n"
)]
#[case::two_of_them(
    "3f2a",
    "error: 2 requests have ids that begin with 3f2a\nhint: write more of it; they are 3f2a91c0aaaaaaaa, 3f2affffbbbbbbbb\n"
)]
fn an_id_that_names_no_request_or_several_is_refused(#[case] id: &str, #[case] complaint: &str) {
    let home = Home::new();
    let opens = [ONE, "3f2affffbbbbbbbb"].map(|id| put(&home.state(), id, colour()));
    let errors = errors(&home.run(&["answer", id, "1"]));
    assert!(errors.starts_with(complaint), "{errors}");
    assert!(opens.iter().all(|open| open.reply().is_none()));
}

const CORRECT: &str =
    "hint: unattended review shows it; unattended correct 3f2a91c \"TEXT\" says what you want instead\n";
const LIST: &str = "hint: `unattended answer --list` shows what waits\n";

#[rstest]
#[case::answered("reply", "error: 3f2a91c was answered before: at ", ", by web page\n", LIST)]
#[case::out_of_time(
    "time",
    "error: time for 3f2a91c was up at ",
    ": after 1 min it was decided without you\n",
    CORRECT
)]
#[case::turned_off(
    "off",
    "error: 3f2a91c waits no more: the switch was turned off at ",
    "\n",
    "hint: its dialog is open in the session itself\n"
)]
#[case::the_client_is_gone("gone", "error: 3f2a91c waits no more: its hook or its session was ended at ", "\n", LIST)]
#[case::by_a_later_version("else", "error: 3f2a91c waits no more: its wait ended at ", "\n", LIST)]
fn an_answer_that_comes_too_late_is_refused_and_told_why(
    #[case] end: &str,
    #[case] what: &str,
    #[case] more: &str,
    #[case] hint: &str,
) {
    let home = Home::new();
    let reply = json!({"means": "web page"});
    append(&home.state(), &ended(colour(), end, (end == "reply").then_some(&reply)));
    let errors = errors(&home.run(&["answer", "3F2A91C", "1"]));
    assert!(errors.starts_with(what) && errors.contains(more) && errors.ends_with(hint), "{errors}");
}

#[test]
fn what_was_decided_at_once_cannot_be_answered() {
    let home = Home::new();
    append(&home.state(), &colour());
    let errors = errors(&home.run(&["answer", ONE, "1"]));
    assert!(errors.starts_with("error: 3f2a91c did not wait for a person, or waits no more\n"), "{errors}");
}

#[test]
fn a_second_answer_is_refused_and_the_first_one_stands() {
    let home = Home::new();
    let open = put(&home.state(), ONE, colour());
    // Nobody takes the first one: whoever left it is told so.
    let first = errors(&home.run(&["answer", ONE, "1"]));
    assert!(first.starts_with("error: your answer to 3f2a91c lies there, and nobody has taken it yet\n"), "{first}");
    let second = errors(&home.run(&["answer", ONE, "2"]));
    let what = "error: another answer to 3f2a91c lies there, and nobody has taken it yet: yours was not left\n";
    assert!(second.starts_with(what) && second.contains("hint: it counts if the hook wakes before "), "{second}");
    let reply = end(&home.state(), open, colour(), "time").unwrap();
    assert_eq!(reply["answers"], json!([[1]]));
    assert_eq!(left_behind(&home), 0);
}

#[test]
fn who_comes_second_to_an_answer_that_is_refused_is_first() {
    let home = Home::new();
    let state = home.state();
    let open = put(&state, ONE, colour());
    fs::write(pending::reply_file(&state, ONE), "{}").unwrap();
    let refusing = thread::spawn(move || {
        // The second one lies aside, waiting for its place, as soon as it has been tried.
        thread::sleep(Duration::from_millis(200));
        open.refuse(b"{}");
        while open.reply().is_none() {
            thread::sleep(Duration::from_millis(2));
        }
        end(&state, open, colour(), "time")
    });
    assert_eq!(home.says(&["answer", ONE, "2"]), "3f2a91c: taken: Blue (Recommended)\n");
    assert_eq!(refusing.join().unwrap().unwrap()["answers"], json!([[2]]));
}

#[test]
fn help_is_there_where_nothing_is_answered() {
    let home = Home::new();
    for flag in ["--help", "-h"] {
        let help = home.says(&["answer", flag]);
        assert!(help.contains("Usage: unattended answer") && help.contains("command line is not understood"), "{help}");
    }
}

#[test]
fn who_answers_a_hook_that_dies_is_told_that_it_was_ended() {
    let home = Home::new();
    let state = home.state();
    let open = put(&state, ONE, colour());
    let dying = thread::spawn(move || {
        while open.reply().is_none() {
            thread::sleep(Duration::from_millis(2));
        }
    });
    let errors = errors(&home.run(&["answer", ONE, "1"]));
    dying.join().unwrap();
    assert!(errors.starts_with("error: 3f2a91c waits no more: its hook or its session was ended"), "{errors}");
    assert_eq!(left_behind(&home), 0, "what it left is swept");
}

#[test]
fn who_is_refused_by_the_hook_is_told_so() {
    let home = Home::new();
    let open = put(&home.state(), ONE, colour());
    let refusing = thread::spawn(move || {
        while open.reply().is_none() {
            thread::sleep(Duration::from_millis(2));
        }
        open.refuse(&open.reply().unwrap_or_default());
        open
    });
    let errors = errors(&home.run(&["answer", ONE, "1"]));
    assert!(errors.starts_with("error: the hook refused the answer to 3f2a91c"), "{errors}");
    drop(refusing.join().unwrap());
}

#[test]
fn of_answers_at_once_exactly_one_is_taken_and_told_so() {
    for round in 0..5 {
        let home = Home::new();
        let hook = hook(&home.state(), ONE, colour());
        let says = |word: &str| home.command(&["answer", ONE, word]).output().unwrap();
        let outputs: Vec<Output> = thread::scope(|scope| {
            let all: Vec<_> = ["=a", "=b", "=c"].map(|word| scope.spawn(move || says(word))).into_iter().collect();
            all.into_iter().map(|one| one.join().unwrap()).collect()
        });
        let taken: Vec<String> = outputs
            .iter()
            .filter(|output| output.status.success())
            .map(|output| String::from_utf8_lossy(&output.stdout).trim().replace("3f2a91c: taken: ", ""))
            .collect();
        let read = hook.join().unwrap().unwrap();
        assert_eq!(json!(taken), read["answers"], "{round}: {outputs:?}");
        for refused in outputs.iter().filter(|output| !output.status.success()) {
            let errors = errors(refused);
            assert!(errors.starts_with("error: 3f2a91c was answered before"), "{errors}");
        }
    }
}

/// The wait ends at about the time at which the answer is left, a little earlier or later in each round.
#[test]
fn who_is_told_at_the_very_end_that_it_was_taken_was_read() {
    let mut taken = 0;
    for round in 0..24 {
        let home = Home::new();
        let state = home.state();
        let open = put(&state, ONE, colour());
        let ending = thread::spawn(move || {
            thread::sleep(Duration::from_millis(round));
            end(&state, open, colour(), "time")
        });
        let output = home.run(&["answer", ONE, "2"]);
        let read = ending.join().unwrap();
        assert_eq!(output.status.success(), read.is_some(), "{round}: {output:?}");
        taken += usize::from(read.is_some());
        if !output.status.success() {
            let errors = errors(&output);
            assert!(errors.contains("time for 3f2a91c was up at "), "{errors}");
        }
        assert_eq!(left_behind(&home), 0);
    }
    assert!(taken < 24, "none came too late");
}

#[test]
fn the_list_shows_whose_how_old_how_long_and_the_numbers() {
    let home = Home::new();
    assert_eq!(home.says(&["answer", "--list"]), "Nothing waits for a person.\n");
    let state = home.state();
    fs::create_dir_all(home.path().join("src/shop/.git")).unwrap();
    fs::write(home.path().join("src/shop/.git/HEAD"), "ref: refs/heads/main\n").unwrap();
    fs::create_dir_all(home.path().join("src/shop/deep")).unwrap();
    let mut colour = colour();
    colour["cwd"] = json!(home.path().join("src/shop/deep"));
    let mut toppings = toppings();
    toppings["questions"][0]["options"][0]["description"] = json!("long ".repeat(40));
    let mut permission = permission();
    permission["tool_input"]["command"] = json!((1..30).map(|n| format!("step {n}\n")).collect::<String>());
    let records = [colour, toppings, plan(), permission, wizard()];
    let ids = [ONE, TWO, "c0ffee0000000000", "c0ffee0100000000", "dddd000000000000"];
    let mut opens = Vec::new();
    for (at, (id, record)) in ids.into_iter().zip(records).enumerate() {
        let mut request = request(&state, id, record, 3600 - 1);
        request.since += chrono::Duration::milliseconds(at as i64);
        opens.push(pending::open(&state, &request).unwrap());
    }
    let list = home.says(&["answer", "--list"]);
    insta::assert_snapshot!(list);
    assert!(list.lines().all(|line| line.chars().count() <= 80), "{list}");
}

#[test]
fn nothing_that_is_asked_acts_on_the_terminal_that_lists_it() {
    let home = Home::new();
    let hostile = "a\u{1b}[2J\u{9b}31m\u{7}\u{202e}b";
    let mut record = waiting::question(&json!({"questions": [{
        "question": hostile, "header": hostile, "options": [{"label": hostile, "description": hostile, "preview": hostile}],
    }]}));
    record["session_id"] = json!(hostile);
    record["cwd"] = json!(format!("/{hostile}"));
    let mut permission = permission();
    permission["tool"] = json!(hostile);
    permission["tool_input"] = json!({hostile: hostile});
    let mut plan = plan();
    plan["plan"] = json!({"text": hostile, "path": hostile, "seen_by": "nobody"});
    let _opens = [(ONE, record), (TWO, permission), ("c0ffee0000000000", plan)]
        .map(|(id, record)| put(&home.state(), id, record));
    for output in [home.says(&["answer", "--list"]), home.says(&["answer", "--list", "--json"])] {
        assert!(!output.chars().any(|c| c.is_control() && c != '\n' || c == '\u{202e}'), "{output:?}");
    }
    let errors = errors(&home.run(&["answer", ONE, "9"]));
    assert!(!errors.chars().any(|c| c.is_control() && c != '\n' || c == '\u{202e}'), "{errors:?}");
}

#[test]
fn as_json_it_is_an_array_without_tokens() {
    let home = Home::new();
    assert_eq!(home.says(&["answer", "--list", "--json"]), "[]\n");
    let state = home.state();
    let over = pending::open(&state, &request(&state, TWO, plan(), -5)).unwrap();
    let open = put(&state, ONE, colour());
    let text = home.says(&["answer", "--list", "--json"]);
    let listed: Vec<Value> = serde_json::from_str(&text).unwrap();
    assert!(!text.contains(waiting::TOKEN), "{text}");
    let [first, second] = &listed[..] else { panic!("{text}") };
    assert_eq!((&first["id"], &first["seconds_left"]), (&json!(TWO), &json!(0)));
    let fields: Vec<&String> = second.as_object().unwrap().keys().collect();
    assert_eq!(fields, ["id", "record", "seconds_left", "since", "until"]);
    assert_eq!(second["record"], colour());
    let left = second["seconds_left"].as_i64().unwrap();
    assert!((500..=600).contains(&left), "{left}");
    drop((over, open));
    assert_eq!(home.says(&["answer", "--list", "--json"]), "[]\n", "what dead hooks left waits for nobody");
    assert_eq!(left_behind(&home), 0);
}

#[test]
fn without_a_terminal_nobody_is_asked() {
    let home = Home::new();
    let _open = put(&home.state(), ONE, colour());
    let errors = errors(&home.run(&["answer"]));
    assert_eq!(
        errors,
        "error: there is no terminal to ask you on\n\
         hint: `unattended answer --list` shows what waits; then unattended answer ID 2\n"
    );
}

#[test]
fn a_request_that_this_version_cannot_read_is_named_all_the_same() {
    let home = Home::new();
    let mut strange = colour();
    strange["kind"] = json!("riddle");
    let _opens = [(ONE, strange), (TWO, colour())].map(|(id, record)| put(&home.state(), id, record));
    let list = home.says(&["answer", "--list"]);
    assert!(list.contains("3f2a91c cannot be read: unknown variant `riddle`") && list.contains("77aa012"), "{list}");
    let errors = errors(&home.run(&["answer", ONE, "1"]));
    assert!(errors.contains("hint: is the hook of another version?"), "{errors}");
}

#[test]
fn json_without_list_says_what_to_say() {
    let said = errors(&Home::new().run(&["answer", "--json"]));
    assert_eq!(said, "error: --json is for --list\nhint: unattended answer --list --json\n");
}
