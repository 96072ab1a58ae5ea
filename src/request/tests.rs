use rstest::rstest;
use serde_json::json;

use super::*;

fn questions() -> Vec<Question<'static>> {
    let input = json!({"questions": [
        {"question": "Colour?", "multiSelect": false, "options": [{"label": "Red"}, {"label": "Blue", "preview": "#"}]},
        {"question": "Toppings?", "multiSelect": true, "options": [{"label": "Olives"}, {"label": "Onions"}]},
        {"question": "How many?", "multiSelect": false, "options": []},
    ]});
    let input = serde_json::value::to_raw_value(&input).unwrap();
    let text = serde_json::to_string(&crate::question::questions(&input)).unwrap();
    serde_json::from_str(&text).unwrap()
}

fn answer(answers: &[Chosen]) -> Said {
    Said::Answer { answers: answers.to_vec() }
}

fn numbers(numbers: &[usize]) -> Chosen {
    Chosen::Options(numbers.to_vec())
}

fn text(text: &str) -> Chosen {
    Chosen::Text(text.to_owned())
}

#[rstest]
#[case::numbers_and_words(&[numbers(&[2]), numbers(&[2, 1]), text("4")], "")]
#[case::words_where_options_are(&[text("Green"), text("none"), text("4")], "")]
#[case::too_few(&[numbers(&[1])], "it asks 3 questions, and got 1 answer")]
#[case::too_many(&[numbers(&[1]), numbers(&[1]), text("4"), text("5")], "it asks 3 questions, and got 4 answers")]
#[case::no_option(&[numbers(&[3]), numbers(&[1]), text("4")], "\"Colour?\": there is no option 3")]
#[case::option_0(&[numbers(&[0]), numbers(&[1]), text("4")], "\"Colour?\": there is no option 0")]
#[case::two_of_one(&[numbers(&[1, 2]), numbers(&[1]), text("4")], "\"Colour?\": it takes one option alone")]
#[case::twice(&[numbers(&[1]), numbers(&[1, 1]), text("4")], "\"Toppings?\": option 1 is chosen twice")]
#[case::none(&[numbers(&[1]), numbers(&[]), text("4")], "\"Toppings?\": nothing is chosen")]
#[case::the_row_for_words(&[numbers(&[1]), numbers(&[3]), text("4")], "\"Toppings?\": for row 3 write the words themselves")]
#[case::the_row_to_chat(&[numbers(&[1]), numbers(&[4]), text("4")], "\"Toppings?\": row 4 answers nothing")]
#[case::blank(&[numbers(&[1]), numbers(&[1]), text(" \n")], "\"How many?\": it takes some words")]
fn an_answer_fits_question_by_question(#[case] answers: &[Chosen], #[case] why: &str) {
    let fits = fits(&answer(answers), Kind::Question, &questions());
    assert_eq!(fits.err().unwrap_or_default(), why);
}

#[test]
fn words_have_a_limit() {
    let of = |count| Said::Reject { message: "ä".repeat(count) };
    assert_eq!(fits(&of(WORDS_LIMIT), Kind::Plan, &[]), Ok(()));
    let why = fits(&of(WORDS_LIMIT + 1), Kind::Plan, &[]).unwrap_err();
    assert_eq!(why, "10001 characters are too many; 10000 are taken");
}

#[rstest]
#[case(Kind::Question, "it is a question: answer it")]
#[case(Kind::Plan, "it is a plan: approve or reject it")]
#[case(Kind::Permission, "a tool needs a permission: allow or deny it")]
fn what_is_said_to_another_kind_of_thing_does_not_fit(#[case] kind: Kind, #[case] why: &str) {
    let of = |kind| match kind {
        Kind::Question => vec![answer(&[])],
        Kind::Plan => vec![Said::Approve { mode: None }, Said::Reject { message: "no".into() }],
        _ => vec![Said::Allow, Said::Deny { message: None }, Said::Deny { message: Some("no".into()) }],
    };
    for other in [Kind::Question, Kind::Plan, Kind::Permission].into_iter().filter(|other| *other != kind) {
        for said in of(other) {
            assert_eq!(fits(&said, kind, &questions()).unwrap_err(), why, "{said:?}");
        }
    }
}

#[test]
fn a_plan_is_approved_in_a_mode_that_there_is() {
    for mode in MODES {
        assert_eq!(fits(&Said::Approve { mode: Some(mode.into()) }, Kind::Plan, &[]), Ok(()));
    }
    for mode in ["plan", "", "AcceptEdits"] {
        let why = fits(&Said::Approve { mode: Some(mode.into()) }, Kind::Plan, &[]).unwrap_err();
        assert!(why.starts_with(&format!("there is no permission mode \"{mode}\"")), "{why}");
    }
}

#[test]
fn an_answer_is_written_as_the_client_keeps_it() {
    let [colour, toppings, how_many] = &questions()[..] else { panic!() };
    assert_eq!(written(colour, &numbers(&[2])), "Blue");
    assert_eq!(written(toppings, &numbers(&[2, 1])), "Onions, Olives");
    assert_eq!(written(how_many, &text("four, or 5")), "four, or 5");
    assert_eq!(written(how_many, &numbers(&[0, 7])), "", "what does not fit is nothing");
}

#[test]
fn a_reply_is_written_by_the_schema_and_read_back() {
    let schema: serde_json::Value = serde_json::from_str(include_str!("../../docs/pending.schema.json")).unwrap();
    let schema = jsonschema::validator_for(&schema).unwrap();
    for said in [
        answer(&[numbers(&[1, 3]), text("words")]),
        Said::Approve { mode: None },
        Said::Approve { mode: Some("auto".into()) },
        Said::Reject { message: "no".into() },
        Said::Allow,
        Said::Deny { message: None },
        Said::Deny { message: Some("no".into()) },
    ] {
        let reply = Reply { v: VERSION, token: "0".repeat(32), means: "terminal".into(), said };
        let written = serde_json::to_value(&reply).unwrap();
        assert!(schema.is_valid(&written), "{written}");
        assert_eq!(serde_json::from_value::<Reply>(written).unwrap(), reply);
    }
    for bad in [
        json!({"v": 1, "token": "t", "means": "x", "do": "answer", "answers": [{"option": 1}]}),
        json!({"v": 1, "token": "t", "means": "x", "do": "answer"}),
        json!({"v": 1, "token": "t", "means": "x", "do": "reject"}),
        json!({"v": 1, "token": "t", "means": "x", "do": "allow_always"}),
        json!({"v": 1, "token": "t", "do": "allow"}),
    ] {
        assert!(!schema.is_valid(&bad) && serde_json::from_value::<Reply>(bad.clone()).is_err(), "{bad}");
    }
}

fn screen_of(width: usize) -> screen::Screen {
    screen::Screen { width, whole: true, id_length: 7 }
}

#[test]
fn no_value_of_a_tools_input_looks_like_another_field_and_fields_stand_in_their_order() {
    let command = format!("ls{}; rm x\ndescription: harmless\n    | note: fine", " ".repeat(60));
    let input = json!({"command": command, "description": "real"});
    let text = format!("{{\"kind\":\"permission\",\"tool\":\"pay\",\"tool_input\":{}}}", input)
        .replace("\"tool_input\":{", "\"tool_input\":{\"z\\nname: x\":1234567890123456789012.50,");
    let asked: Asked = serde_json::from_str(&text).unwrap();
    for width in [40, 80] {
        let body = screen::body(&asked, screen_of(width));
        assert!(body.lines().all(|line| line.chars().count() <= width), "{body}");
        let fields: Vec<&str> =
            body.lines().filter_map(|line| line.strip_prefix("    | ")).filter(|line| !line.starts_with(' ')).collect();
        let names: Vec<&str> = fields.iter().filter_map(|line| line.split(':').next()).collect();
        assert_eq!(names, ["z\u{fffd}name", "command", "description"], "{body}");
        assert!(
            body.contains("1234567890123456789012.50") && body.contains("\n    |   description: harmless\n"),
            "{body}"
        );
    }
}

#[test]
fn a_head_fits_a_narrow_screen() {
    let asked: Asked = serde_json::from_value(json!({"kind": "permission", "session_id": "abc"})).unwrap();
    let now: DateTime<Utc> = "2026-11-30T12:00:00Z".parse().unwrap();
    let request = Request {
        v: VERSION,
        id: "0123456789abcdef".into(),
        token: "t".into(),
        registration: String::new(),
        since: now - chrono::Duration::seconds(3_700),
        until: now + chrono::Duration::seconds(7_300),
        reply_to: "/x".into(),
        record: RawValue::from_string("{}".into()).unwrap(),
    };
    let lines = |width| {
        let head = screen::head(&request, &asked, "/nowhere", now, screen_of(width));
        anstream::adapter::strip_str(&head).to_string()
    };
    assert_eq!(lines(40), "0123456  permission, asked 1 h 1 min ago,\n    2 h 1 min left\n    /nowhere  session abc\n");
    assert_eq!(lines(80), "0123456  permission, asked 1 h 1 min ago, 2 h 1 min left\n    /nowhere  session abc\n");
}

proptest::proptest! {
    /// Whatever is typed, what is made of it fits, and a text behind the sign is that text.
    #[test]
    fn what_is_made_of_words_fits(typed in "[0-9, =a-c]{0,6}", other in "\\PC{0,12}") {
        let asked: Asked = serde_json::from_value(json!({"kind": "question", "questions": questions()})).unwrap();
        for word in [&typed, &other] {
            let all = [word.clone(), "1".to_owned(), "4".to_owned()];
            if let Ok(said) = words::said(&asked, &all, None) {
                assert_eq!(fits(&said, Kind::Question, &asked.questions), Ok(()));
            }
            let literal = words::chosen(&asked.questions[0], &format!("={word}"));
            assert_eq!(literal, Ok(Chosen::Text(word.clone())));
        }
    }
}
