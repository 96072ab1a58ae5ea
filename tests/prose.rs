//! Closing messages by class: the labelled files with floors for what is found and what is wrongly sent on, the kinds
//! of ending by name, and what must hold for any string.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use proptest::prelude::*;
use rstest::rstest;
use unattended::prose::{TurnEnd, classify};

#[derive(serde::Deserialize)]
struct Labelled {
    label: String,
    text: String,
}

const CLASSES: [TurnEnd; 3] = [TurnEnd::Waits, TurnEnd::Offer, TurnEnd::Done];

fn class(label: &str) -> TurnEnd {
    match label {
        "waits" => TurnEnd::Waits,
        "offer" => TurnEnd::Offer,
        "done" => TurnEnd::Done,
        other => panic!("the corpus has a label {other:?}"),
    }
}

/// Counts by (labelled, found), in the order of `CLASSES`.
fn measure(file: &str) -> [[usize; 3]; 3] {
    let path = format!("{}/tests/corpus/{file}", env!("CARGO_MANIFEST_DIR"));
    let place = |end: TurnEnd| CLASSES.iter().position(|&class| class == end).unwrap();
    let mut counts = [[0; 3]; 3];
    for line in std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}")).lines() {
        let Labelled { label, text } = serde_json::from_str(line).unwrap();
        counts[place(class(&label))][place(classify(&text))] += 1;
    }
    counts
}

#[rstest]
// Written by someone who did not know the rules, and the rules were not mended by it: what to expect of the unseen.
#[case::unseen("turn-ends-blind-b.jsonl", 0.92, 0.06)]
#[case::shared("turn-ends.jsonl", 0.97, 0.02)]
#[case::development("turn-ends-own.jsonl", 0.97, 0.02)]
#[case::second("turn-ends-second.jsonl", 0.95, 0.05)]
#[case::third("turn-ends-third.jsonl", 0.95, 0.05)]
#[case::blind_a("turn-ends-blind-a.jsonl", 0.98, 0.02)]
#[case::blind_c("turn-ends-blind-c.jsonl", 0.97, 0.02)]
#[case::probes("turn-ends-probes.jsonl", 0.97, 0.02)]
fn what_waits_is_found_and_little_else_is_sent_on(#[case] file: &str, #[case] found: f64, #[case] wrongly: f64) {
    let counts = measure(file);
    println!("{file}");
    for (row, class) in CLASSES.iter().enumerate() {
        let labelled: usize = counts[row].iter().sum();
        let named: usize = counts.iter().map(|of| of[row]).sum();
        let hits = counts[row][row] as f64;
        println!(
            "  {:<6} {labelled:>4} labelled  precision {:.3}  recall {:.3}",
            format!("{class:?}").to_lowercase(),
            hits / named.max(1) as f64,
            hits / labelled.max(1) as f64
        );
    }
    let waits: usize = counts[0].iter().sum();
    let others: usize = counts[1..].iter().flatten().sum();
    assert!(waits > 20 && others > 20, "{file} has too few messages to measure by");
    let recall = counts[0][0] as f64 / waits as f64;
    let sent_on = (counts[1][0] + counts[2][0]) as f64 / others as f64;
    assert!(recall >= found, "{file}: only {recall:.3} of those that wait were found");
    assert!(sent_on <= wrongly, "{file}: {sent_on:.3} of the others would be sent on");
}

#[rstest]
#[case::a_question("I see two ways to fix this. Which one should I take?")]
#[case::a_question_in_bold("Here is the plan.\n\n**Shall I proceed?**")]
#[case::a_full_width_mark("可以开始吗？")]
#[case::an_arabic_mark("هل أتابع؟")]
#[case::a_greek_mark("Να συνεχίσω;")]
#[case::a_question_before_a_short_close("Which branch should I use?\n\nThanks!")]
#[case::a_question_with_a_key_to_press("This deletes 40 files. Continue? (y/n)")]
#[case::choices_after_the_question("Which do you prefer?\n\n- A: fast\n- B: safe\n\nI lean towards B.")]
#[case::choices_before_the_question("Option 1: Redis.\nOption 2: Postgres.\n\nWhich would you like?")]
#[case::a_list_of_questions("Before I can start I need to know:\n\n- Which region?\n- Who owns the domain?")]
#[case::awaiting_approval("The plan is in `plan.md`. Awaiting your approval.")]
#[case::let_me_know_which("I can use a cron job or a worker. Let me know which.")]
#[case::say_the_word("The change is prepared. Say the word and I'll apply it.")]
#[case::something_to_provide("I have no API key. Please provide one.")]
#[case::partly_done("Step 1 of 3 is done. Should I continue with step 2?")]
#[case::done_but_for_what_others_see("All tests pass. Shall I push to main?")]
#[case::found_but_not_fixed("I found the bug in `a.rs`. Should I fix it?")]
fn it_waits(#[case] message: &str) {
    assert_eq!(classify(message), TurnEnd::Waits, "{message}");
}

#[rstest]
#[case::something_more("Implemented and tested. Want me to also update the README?")]
#[case::a_pull_request("Done, all tests pass. Would you like me to open a PR?")]
#[case::anything_else("Finished. Anything else?")]
#[case::let_me_know_if("Fixed. Let me know if you have questions.")]
#[case::if_you_want("Fixed and committed. If you want, I can backport it.")]
fn it_offers(#[case] message: &str) {
    assert_eq!(classify(message), TurnEnd::Offer, "{message}");
}

#[rstest]
#[case::nothing("")]
#[case::a_question_in_a_code_block("Added the prompt.\n\n```sh\nread -p \"Continue?\"\n# shall I proceed?\n```")]
#[case::a_question_in_a_code_block_left_open("Here it is:\n\n```\nShall I proceed?")]
#[case::a_question_in_inline_code("The label is now `Shall I proceed?`")]
#[case::a_question_in_quotes("It prints \"Do you want to continue?\"")]
#[case::a_question_in_low_quotes("Der Dialog zeigt „Möchten Sie fortfahren?“")]
#[case::a_question_in_corner_brackets("画面には「続行しますか？」と表示されます。")]
#[case::a_question_in_a_block_quote("> Should I use tabs?\n\nI ran the formatter, which settles it.")]
#[case::a_question_in_a_table("Added the questions:\n\n| id | text |\n|---|---|\n| 1 | Which one do you want? |")]
#[case::a_question_in_an_address("It is live at https://example.org/?which=you")]
#[case::answered_by_the_author("Why did it fail? Because the lock file was stale. It is fixed.")]
#[case::a_heading("## What changed?\n\n- The cache is keyed by tenant.\n- The tests pass.")]
#[case::an_assumption("Assumed: Postgres, as the ticket names none. The migration is in.")]
#[case::no_answer_needed("The change is merged. No need to confirm anything.")]
#[case::a_wait_for_a_machine("The pipeline runs. Waiting for the CI to finish.")]
#[case::a_program_that_asks("The script asks the user for a name and waits. Tests added.")]
#[case::a_failure_without_a_question("I could not finish: the server refuses connections. Nothing was changed.")]
fn it_is_done(#[case] message: &str) {
    assert_eq!(classify(message), TurnEnd::Done, "{message}");
}

#[test]
fn a_long_report_is_judged_by_its_end() {
    let report = "The parser reads one line at a time and keeps the offsets.\n".repeat(400);
    assert_eq!(classify(&format!("{report}\nShall I go ahead with the rewrite?")), TurnEnd::Waits);
    assert_eq!(classify(&format!("Shall I go ahead?\n\n{report}")), TurnEnd::Done);
}

#[test]
fn the_class_is_written_in_lower_case() {
    assert_eq!(serde_json::to_string(&TurnEnd::Waits).unwrap(), "\"waits\"");
}

/// Run by hand: `cargo test --release --test prose -- --ignored --nocapture`. The bound is the issue's, 0.1 ms.
#[test]
#[ignore = "a timing, to be run by hand in a release build"]
fn twenty_kilobytes_take_less_than_a_tenth_of_a_millisecond() {
    let english = "I looked at `src/main.rs` and what it does; should the cache be kept? I would rather wait for you. ";
    let chinese = "我已经分析了代码，有两种方案，请问您希望采用哪一种？";
    let lines = |line: &str| format!("- {line}\n").repeat(20_000 / (line.len() + 3) + 1);
    for (name, text) in [
        ("lines of English", lines(english)),
        ("one line of English", english.repeat(20_000 / english.len() + 1)),
        ("lines of Chinese", lines(chinese)),
        ("report", lines("Added a test for the parser and moved the offsets.")),
    ] {
        let mut times: Vec<_> = (0..2000)
            .map(|_| {
                let start = std::time::Instant::now();
                std::hint::black_box(classify(std::hint::black_box(&text)));
                start.elapsed()
            })
            .collect();
        times.sort();
        println!("{name}: {} bytes, median {:?}, first {:?}", text.len(), times[1000], times[1999]);
        assert!(times[1000].as_micros() < 100, "{name} took {:?}", times[1000]);
    }
}

proptest! {
    #[test]
    fn no_string_is_too_odd(text in "\\PC{0,400}") {
        classify(&text);
    }

    #[test]
    fn no_mixture_of_marks_is_too_odd(parts in prop::collection::vec(
        prop::sample::select(vec![
            "`", "```", "\n", "> ", "\"", "„", "“", "«", "「", "?", "？", ";", ".", "[", "](", "http://", "* ", "1. ", "| ",
            "İ", "ß", "shall i", "請", "हाँ", "🚀", "'", "_", "**", "\u{0}", "let me know", " ",
        ]), 0..400)) {
        classify(&parts.concat());
    }
}
