//! What is masked, what stays, and that a line stays the JSON it was.

use proptest::prelude::*;
use rstest::rstest;
use serde_json::{Value, json};

use super::*;

/// A record with this command, as it is written.
fn with(command: &str) -> Option<String> {
    let line = json!({"v": 1, "tool_input": {"command": command}}).to_string();
    let masked: Value = serde_json::from_str(&masked(&line)?).unwrap();
    assert_eq!(masked["masked"], true);
    Some(masked["tool_input"]["command"].as_str().unwrap().to_owned())
}

#[rstest]
#[case::a_variable("DB_PASSWORD=hunter2 ./run", "DB_PASSWORD=[masked] ./run")]
#[case::one_among_others("A=1 API_KEY=abc B=2", "A=1 API_KEY=[masked] B=2")]
#[case::in_double_quotes("export TOKEN=\"two words\" && x", "export TOKEN=\"[masked]\" && x")]
#[case::in_single_quotes("SECRET='a \"b\" c'; x", "SECRET='[masked]'; x")]
#[case::with_a_backslash("PASSWORD=a\\b x", "PASSWORD=[masked] x")]
#[case::at_the_end_of_a_line("PASSWORD=a\nOTHER=b", "PASSWORD=[masked]\nOTHER=b")]
#[case::at_the_beginning_of_a_line(
    "x\ntoken=abc\n--password hunter2\nnpm_0123456789abcdefghij0123456789abcdef\n",
    "x\ntoken=[masked]\n--password [masked]\n[masked]\n"
)]
#[case::behind_a_control_character("\u{1}token=abc \u{1}--password x", "\u{1}token=[masked] \u{1}--password [masked]")]
#[case::a_flag("mysql --password hunter2 db", "mysql --password [masked] db")]
#[case::a_flag_with_a_sign("x --api-key=abc", "x --api-key=[masked]")]
#[case::json_within("curl -d '{\"password\": \"a b\", \"n\": 1}'", "curl -d '{\"password\": \"[masked]\", \"n\": 1}'")]
#[case::a_line_of_code("api_key = \"abc\"", "api_key = \"[masked]\"")]
#[case::a_line_of_yaml("password: hunter22x", "password: [masked]")]
#[case::a_header("-H 'Authorization: Bearer abcdefghijklmnop1'", "-H 'Authorization: Bearer [masked]'")]
#[case::an_address("git clone https://me:pa55@host/x", "git clone https://me:[masked]@host/x")]
#[case::a_password_with_an_at("x postgres://u:p@ss@host/db", "x postgres://u:[masked]@host/db")]
#[case::a_token_of_a_service("echo ghp_0123456789abcdefghij0123456789abcdef.", "echo [masked].")]
#[case::a_key_of_a_model("k sk-ant-api03-0123456789abcdefghij", "k [masked]")]
#[case::a_web_token("t eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.dBjftJeZ4CVP", "t [masked]")]
#[case::a_private_key(
    "-----BEGIN RSA PRIVATE KEY-----\nMIIE\nabc\n-----END RSA PRIVATE KEY-----\n",
    "-----BEGIN RSA PRIVATE KEY-----[masked]-----END RSA PRIVATE KEY-----\n"
)]
#[case::a_quotation_left_open("TOKEN=\"abc def", "TOKEN=\"[masked]")]
fn it_is_masked(#[case] command: &str, #[case] expected: &str) {
    assert_eq!(with(command).as_deref(), Some(expected));
}

#[rstest]
#[case::a_reference("deploy --token $TOKEN PASSWORD=$PW X_TOKEN=\"$T\"")]
#[case::a_placeholder("API_KEY=<your key>")]
#[case::nothing("PASSWORD= ./run")]
#[case::a_count("max_tokens=4096 tokens: 12000x")]
#[case::prose("The password: it is asked for at the start. A secret is a token.")]
#[case::a_comparison("if password == other")]
#[case::a_path("/home/dev/secrets/token.txt")]
#[case::an_address("https://example.org:8080/a?b=c")]
#[case::a_commit("git show 0123456789abcdef0123456789abcdef01234567")]
#[case::an_id("toolu_01ABCdefGHI 550e8400-e29b-41d4-a716-446655440000")]
#[case::a_public_key("-----BEGIN PUBLIC KEY-----\nMIIB\n-----END PUBLIC KEY-----")]
#[case::a_short_scheme("a bearer of news")]
fn it_stays(#[case] command: &str) {
    assert_eq!(with(command), None);
}

#[test]
fn a_member_of_an_input_is_masked_by_its_name_and_a_number_stays() {
    let line = json!({"tool_input": {"apiKey": "abc\\", "token": 12, "password": null, "secret": ["x"]}, "v": 1});
    let masked: Value = serde_json::from_str(&masked(&line.to_string()).unwrap()).unwrap();
    assert_eq!(masked["tool_input"]["apiKey"], MASK);
    assert_eq!(masked["tool_input"]["token"], 12);
    assert_eq!(masked["tool_input"]["secret"], json!(["x"]));
}

/// Each of these would take minutes if what is passed over were read to its end each time.
#[rstest]
#[case::signs("token:")]
#[case::dashes("-")]
#[case::flags("--token ")]
#[case::keys("-----BEGIN PRIVATE KEY----------END")]
#[case::keys_left_open("-----BEGIN PRIVATE KEY-----")]
#[case::quotations("TOKEN='$x TOKEN=\"$y ")]
#[case::addresses("a://b:c")]
#[case::schemes(": bearer =")]
#[case::spaces("token   =   ")]
fn a_long_line_is_read_once_whatever_it_holds(#[case] piece: &str) {
    let line = json!({"text": piece.repeat((512 << 10) / piece.len())}).to_string();
    if let Some(masked) = masked(&line) {
        assert!(serde_json::from_str::<Value>(&masked).is_ok());
    }
}

#[test]
fn what_is_masked_stays_masked_once() {
    let once = masked(&json!({"command": "TOKEN=abc"}).to_string()).unwrap();
    assert_eq!(masked(&once), None);
}

proptest! {
    #[test]
    fn what_is_masked_is_the_same_json_but_for_its_strings(parts in prop::collection::vec(prop::sample::select(vec![
        "PASSWORD", "=", ":", " ", "\"", "'", "\\", "\n", "--token", "x", "://", "@", "-----BEGIN", "PRIVATE KEY-----",
        "Bearer ", "ghp_0123456789abcdefghij0123456789", "é", "{", "}", "\"password\": \"", "[masked]", "\\\"", "npm_0123456789abcdefghij0123456789", "\u{1}", "token",
    ]), 0..30)) {
        let text = parts.concat();
        let nested = json!({"command": text}).to_string();
        for line in [json!({"a": text, "password": nested, "b": 1}), json!({text.clone(): nested, "b": [text]})] {
            if let Some(masked) = masked(&line.to_string()) {
                let masked: Value = serde_json::from_str(&masked).unwrap();
                prop_assert_eq!(masked["b"].is_number(), line["b"].is_number());
                prop_assert_eq!(masked.as_object().unwrap().len(), line.as_object().unwrap().len() + 1);
            }
        }
    }
}
