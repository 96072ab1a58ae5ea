//! `unattended answer` by words of the command line: what it says, what reaches the hook that waits, what it refuses.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod home;
mod waiting;

use std::fs;

use home::Home;
use rstest::rstest;
use serde_json::{Value, json};
use waiting::{ONE, colour, hook, permission, plan, put, toppings, wizard};

fn errors(output: &std::process::Output) -> String {
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
