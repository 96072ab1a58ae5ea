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
#[case::where_the_search_meets_the_letter_of_an_escape(
    "0123456789abcdef\nghp_0123456789abcdefghij0123456789",
    "0123456789abcdef\n[masked]"
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
#[case::a_name_in_one_word("PGPASSWORD=S3cretValu3 psql", "PGPASSWORD=[masked] psql")]
#[case::another("SSHPASS=S3cretValu3 sshpass -e", "SSHPASS=[masked] sshpass -e")]
#[case::a_short_name("MYSQL_PWD=S3cretValu3 mysql", "MYSQL_PWD=[masked] mysql")]
#[case::a_numbered_name(
    "API_TOKEN_2=S3cretValu3 x API_TOKEN2=S3cretValu3",
    "API_TOKEN_2=[masked] x API_TOKEN2=[masked]"
)]
#[case::several("API_TOKENS=S3cretValu3 PASSWORDS=S3cretValu3,0therValu3", "API_TOKENS=[masked] PASSWORDS=[masked]")]
#[case::a_key_of_a_service(
    "STRIPE_KEY=S3cretValu3 AZURE_STORAGE_KEY=aGVsbG8gd29ybGQ0Mg== GITHUB_PAT=S3cretValu3",
    "STRIPE_KEY=[masked] AZURE_STORAGE_KEY=[masked] GITHUB_PAT=[masked]"
)]
#[case::a_connection_string(
    "AccountName=me;AccountKey=aGVsbG8gd29ybGQ0Mg==;EndpointSuffix=x",
    "AccountName=me;AccountKey=[masked];EndpointSuffix=x"
)]
#[case::with_a_comma("DB_PASSWORD=S3cret,Valu3tail x", "DB_PASSWORD=[masked] x")]
#[case::with_a_bracket("DB_PASSWORD=S3cret)Valu3tail", "DB_PASSWORD=[masked]")]
#[case::joined_by_a_shell("DB_PASSWORD=ab'S3cretValu3' x", "DB_PASSWORD=[masked]' x")]
#[case::joined_behind("DB_PASSWORD='S3cret'Valu3 x", "DB_PASSWORD='[masked] x")]
#[case::joined_in_double_marks("DB_PASSWORD=ab\"S3cretValu3\" x", "DB_PASSWORD=[masked]\" x")]
#[case::one_of_several_pairs(
    "f(password=S3cret,host=x) {token: S3cretValu3,user: me}",
    "f(password=[masked],host=x) {token: [masked],user: me}"
)]
#[case::a_dollar_in_single_marks("DB_PASSWORD='$S3cretValu3'", "DB_PASSWORD='[masked]'")]
#[case::a_hash("DB_PASSWORD=\"$2b$12$abcdefghijklmnop\"", "DB_PASSWORD=\"[masked]\"")]
#[case::a_dash("DB_PASSWORD=-S3cretValu3", "DB_PASSWORD=[masked]")]
#[case::a_star("DB_PASSWORD='*S3cretValu3'", "DB_PASSWORD='[masked]'")]
#[case::a_percent_sign("DB_PASSWORD=%S3cretValu3", "DB_PASSWORD=[masked]")]
#[case::a_brace("DB_PASSWORD='{S3cretValu3'", "DB_PASSWORD='[masked]'")]
#[case::an_angle("DB_PASSWORD='<S3cretValu3'", "DB_PASSWORD='[masked]'")]
#[case::a_brace_and_a_dollar("DB_PASSWORD='${S3cretValu3'", "DB_PASSWORD='[masked]'")]
#[case::a_key_of_pgp(
    "-----BEGIN PGP PRIVATE KEY BLOCK-----\n\nlQOYBF\n-----END PGP PRIVATE KEY BLOCK-----\n",
    "-----BEGIN PGP PRIVATE KEY BLOCK-----[masked]-----END PGP PRIVATE KEY BLOCK-----\n"
)]
#[case::a_header_of_another_scheme(
    "-H \"Authorization: token S3cretValu3abcdefgh\"",
    "-H \"Authorization: token [masked]\""
)]
#[case::a_header_without_a_scheme("-H 'Authorization: S3cretValu3abcdefgh'", "-H 'Authorization: [masked]'")]
#[case::a_header_in_code("{'authorization': 'ApiKey S3cretValu3abcdefgh'}", "{'authorization': 'ApiKey [masked]'}")]
#[case::an_address_with_a_hash_sign("postgres://u:S3cret#Valu3@host", "postgres://u:[masked]@host")]
#[case::an_address_with_a_slash("https://me:S3cret/Valu3tail@host/a@b", "https://me:[masked]@host/a@b")]
#[case::an_address_with_a_mark("mysql://me:S3cret'Valu3@host/x", "mysql://me:[masked]@host/x")]
#[case::an_address_with_a_token("git clone https://S3cretValu3abcdefgh@host/x", "git clone https://[masked]@host/x")]
#[case::an_address_with_a_token_for_a_user(
    "https://S3cretValu3abcdefgh:x-oauth-basic@host/x",
    "https://[masked]@host/x"
)]
#[case::a_hook_of_slack(
    "curl https://hooks.slack.com/services/T0123ABCD/B0123ABCD/abcdefghijklmnop",
    "curl https://hooks.slack.com/services/[masked]"
)]
#[case::a_bot_of_telegram(
    "curl https://api.telegram.org/bot123456789:AAEhBOweik6ad9r_QXMENQjcrGbqCr4K-bc/sendMessage",
    "curl https://api.telegram.org/bot[masked]/sendMessage"
)]
#[case::literals(
    "password = r'S3cret' password=b'S3cret' password=f\"S3cret\" PASSWORD=$'S3cret'",
    "password = r'[masked]' password=b'[masked]' password=f\"[masked]\" PASSWORD=$'[masked]'"
)]
#[case::other_signs(
    "password := \"S3cret\" 'password' => 'S3cret' DB_PASSWORD+=S3cretValu3 token ?= S3cretValu3 password:=S3cretValu3",
    "password := \"[masked]\" 'password' => '[masked]' DB_PASSWORD+=[masked] token ?= [masked] password:=[masked]"
)]
#[case::a_default(
    "psql ${DB_PASSWORD:-S3cret} ${TOKEN:=\"abc\"}",
    "psql ${DB_PASSWORD:-[masked]} ${TOKEN:=\"[masked]\"}"
)]
#[case::tabs(
    "x --password\thunter2 password:\t\"ab\" token\t=\t'cd'",
    "x --password\t[masked] password:\t\"[masked]\" token\t=\t'[masked]'"
)]
#[case::a_key_of_groq("k gsk_0123456789abcdefghij0123456789abcdef", "k [masked]")]
#[case::a_key_of_age("AGE-SECRET-KEY-1QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7LQPZRY9X8GF2TVDW0S3JN54KHCE", "[masked]")]
#[case::json_in_json(
    "curl -d \"{\\\"password\\\": \\\"a b\\\", \\\"n\\\": \\\"c\\\"}\"",
    "curl -d \"{\\\"password\\\": \\\"[masked]\\\", \\\"n\\\": \\\"c\\\"}\""
)]
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
#[case::a_word_in_prose("password: correcthorsebatterystaple")]
#[case::prose_of_authorization("Authorization: required for all users; authorization: see docs/auth2.md")]
#[case::variables(
    "A_TOKEN=${TOKEN} B_TOKEN=\"${T:-}\" C_TOKEN=$(cat f) PASSWORD=$1 PASSWORD=\"$T\" token: ${{ secrets.TOKEN }}"
)]
#[case::variables_in_single_marks("'password': '$PASSWORD' 'token': '$token' x='${TOKEN}' password='{{ pw }}'")]
#[case::a_variable_that_must_be_set("${DB_PASSWORD:?must be set first1} ${TOKEN:+--with-token-1}")]
#[case::placeholders(
    "API_KEY='<your-token>' TOKEN=\"{token}\" password='****' PASSWORD=%PASSWORD% password='%s' p=%(password)s"
)]
#[case::the_next_flag("x --password --host h --token -v")]
#[case::a_number("token = -1 password=-1")]
#[case::files(
    "POSTGRES_PASSWORD_FILE=/run/secrets/db1 --password-file /etc/pw1 TOKEN_PATH=./t0ken.txt token_dir: abc12345"
)]
#[case::a_folder("PWD=/home/dev OLDPWD=/home/dev2")]
#[case::names_that_are_no_secrets(
    "SORT_KEY=name12345A PRIMARY_KEY=Id12345678 KEY=Value12345 MONKEY=Value12345 COMPASS=N0rthw3st BYPASS=true1234 \
     tokenizer=Gpt2Fast99 passenger=Smith12345 pat=Regex12345 storageKey: 'theme-v2-dark' key: Value12345"
)]
#[case::counts("max_tokens=4096 maxTokens: 12800000 PASSWORDS=12 prompt_tokens: 123456a")]
#[case::code("if password != other1234: self.token == abc12345 and token =~ /abc12345/; token::Kind1234; f(token)")]
#[case::an_address_with_a_port("http://localhost:4873/@scope/pkg https://example.org:8080/a@b https://h:80")]
#[case::an_address_with_a_user("ssh://git@github.com/x https://me@host/x mailto://a https://user-name@host")]
#[case::addresses_with_variables(
    "https://$TOKEN@host https://me:$PW@host https://api.telegram.org/bot$TOKEN/x https://a:${P}/x@h"
)]
#[case::hooks_in_prose("https://hooks.slack.com/services/ and https://api.telegram.org/bot<token>/getMe")]
#[case::what_the_page_on_security_says_stays("mysql -pS3cretValu3; curl -u me:S3cretValu3; ${DB_PASSWORD-S3cretValu3}")]
#[case::a_checksum("sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08")]
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
#[case::tabs("\t=\ttoken\t")]
#[case::commas("TOKEN=a,b")]
#[case::pairs("token:,aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa")]
#[case::marks("TOKENS='a")]
#[case::backslashes("TOKEN=\\\\")]
#[case::defaults("${TOKEN:-$")]
#[case::hosts("://a:b#")]
#[case::headers("authorization: a ")]
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
        "Bearer ", "\t", ",", ")", "$", "{", "-", "*", "%", "<", ">", "+", "${TOKEN:-", "Authorization", "S3cretValu3", "#", "/",
        "hooks.slack.com/services/", "KEY BLOCK-----", "STRIPE_KEY", "tokens", "abc", "b'", ";", "ghp_0123456789abcdefghij0123456789", "é", "{", "}", "\"password\": \"", "[masked]", "\\\"", "npm_0123456789abcdefghij0123456789", "\u{1}", "token",
    ]), 0..30)) {
        let text = parts.concat();
        let nested = json!({"command": text}).to_string();
        for line in [json!({"a": text, "password": nested, "b": 1}), json!({text.clone(): nested, "b": [text]})] {
            if let Some(masked) = masked(&line.to_string()) {
                prop_assert_eq!(super::masked(&masked), None, "masked twice");
                let masked: Value = serde_json::from_str(&masked).unwrap();
                prop_assert_eq!(masked["b"].is_number(), line["b"].is_number());
                prop_assert_eq!(masked.as_object().unwrap().len(), line.as_object().unwrap().len() + 1);
            }
        }
    }
}
