//! Takes secrets out of a record: the values of well-known token forms and of names that look secret, never more of
//! the line than the value. Pure. Works on the line of JSON as it is to be written, so that no field is forgotten, and
//! leaves it the JSON it was: only what stands within a string is replaced.

mod forms;

use memchr::memmem;

/// What stands in the place of a secret.
pub const MASK: &str = "[masked]";
/// The member that marks a record from which something was taken.
const MARK: &str = ",\"masked\":true}";

/// The line without its secrets and marked so; `None` where it has none. `line` is one JSON object.
pub fn masked(line: &str) -> Option<String> {
    let secrets = secrets(line);
    if secrets.is_empty() {
        return None;
    }
    let mut clean = String::with_capacity(line.len() + MARK.len());
    let mut copied = 0;
    for (start, end) in secrets {
        clean.push_str(line.get(copied..start)?);
        clean.push_str(MASK);
        copied = end;
    }
    clean.push_str(line.get(copied..)?.strip_suffix('}')?);
    clean.push_str(MARK);
    Some(clean)
}

/// Where the secrets are, as byte ranges in order, none within another. One pass; what a word may be is asked at its
/// end, where what follows it says most.
fn secrets(line: &str) -> Vec<(usize, usize)> {
    let bytes = line.as_bytes();
    let mut found: Vec<(usize, usize)> = Vec::new();
    let (mut at, mut start) = (0, 0);
    while let Some(&byte) = bytes.get(at) {
        if in_word(byte) {
            at += 1;
            continue;
        }
        match secret(bytes, start, at, byte) {
            Some(secret) => {
                at = at.max(secret.1);
                found.push(secret);
            }
            None => at += 1,
        }
        start = at;
    }
    found
}

/// The secret that the word from `start` to `end` is, or that the word or the sign behind it leads to.
fn secret(bytes: &[u8], start: usize, end: usize, next: u8) -> Option<(usize, usize)> {
    let word = bytes.get(start..end)?;
    if let Some(length) = forms::token(word) {
        return Some((start, start + length));
    }
    match next {
        b':' if bytes.get(end..)?.starts_with(b"://") => password_in_address(bytes, end + 3),
        b'=' | b':' => assigned(bytes, end, next),
        b' ' if word == b"-----BEGIN" => private_key(bytes, end),
        b' ' if word.starts_with(b"--") && forms::is_secret_name(word) => {
            value(bytes, skip_spaces(bytes, end), false, true)
        }
        b' ' if forms::is_scheme(word) => {
            let length = bytes.get(end + 1..)?.iter().take_while(|byte| in_value(**byte)).count();
            (length >= 16).then_some((end + 1, end + 1 + length))
        }
        _ => None,
    }
}

/// The value that a sign at `at` gives to a secret name before it: `NAME=…`, `name = …`, `"name": …`.
fn assigned(bytes: &[u8], at: usize, sign: u8) -> Option<(usize, usize)> {
    let before = |end: usize, is: fn(u8) -> bool| {
        let run = bytes.get(..end).unwrap_or_default().iter().rev().take_while(|byte| is(**byte)).count();
        end - run
    };
    let spaced = if sign == b'=' { before(at, |byte| byte == b' ') } else { at };
    let quoted = spaced.checked_sub(1).filter(|last| matches!(bytes.get(*last), Some(b'"' | b'\'')));
    let end = quoted.map_or(spaced, |last| before(last, |byte| byte == b'\\'));
    let structural = quoted.is_some_and(|last| bytes.get(last) == Some(&b'"') && (last - end) % 2 == 0);
    if !forms::is_secret_name(bytes.get(before(end, in_word)..end)?) {
        return None;
    }
    match sign {
        b'=' if structural || bytes.get(at + 1) == Some(&b'=') => None,
        b'=' if spaced < at => value(bytes, skip_spaces(bytes, at + 1), false, false),
        b'=' => value(bytes, at + 1, false, true),
        _ => value(bytes, skip_spaces(bytes, at + 1), structural, false),
    }
}

/// The value that begins at `start`. A member of the line's own JSON is `structural`: there only a string can be
/// replaced. One in quotation marks is `certain` to be a value.
fn value(bytes: &[u8], start: usize, structural: bool, certain: bool) -> Option<(usize, usize)> {
    let opened = quote(bytes, start);
    if structural != opened.is_some_and(Quote::ends_string) {
        return None;
    }
    if let Some(opened) = opened {
        let start = start + opened.length;
        return worth(bytes, start, closing(bytes, start, opened)?, true);
    }
    let mut end = start;
    while let Some(byte) = bytes.get(end) {
        match byte {
            // A backslash of the value's own.
            b'\\' if bytes.get(end + 1) == Some(&b'\\') && bytes.get(end + 2) != Some(&b'"') => end += 2,
            b'"' | b'\\' | b'\'' | b'`' | b';' | b'&' | b'|' | b',' | b')' | b'<' | b'>' => break,
            _ if byte.is_ascii_whitespace() => break,
            _ => end += 1,
        }
    }
    worth(bytes, start, end, certain)
}

/// The value, unless it is none, stands for another, or is but a word of prose after a colon.
fn worth(bytes: &[u8], start: usize, end: usize, certain: bool) -> Option<(usize, usize)> {
    let value = bytes.get(start..end).filter(|value| !value.is_empty())?;
    let reference = matches!(value, [b'$' | b'<' | b'{' | b'*' | b'%' | b'-', ..]) || value == MASK.as_bytes();
    let random =
        || value.len() >= 8 && value.iter().any(u8::is_ascii_digit) && value.iter().any(u8::is_ascii_alphabetic);
    (!reference && (certain || random())).then_some((start, end))
}

/// A quotation mark as it stands in JSON text.
#[derive(Clone, Copy)]
struct Quote {
    mark: u8,
    /// With the backslashes before it.
    length: usize,
}

impl Quote {
    /// Whether it begins or ends a string of the line itself.
    fn ends_string(self) -> bool {
        self.mark == b'"' && self.length % 2 == 1
    }
}

fn quote(bytes: &[u8], at: usize) -> Option<Quote> {
    let slashes = bytes.get(at..)?.iter().take_while(|byte| **byte == b'\\').count();
    let mark = *bytes.get(at + slashes)?;
    let is = mark == b'"' || (mark == b'\'' && slashes == 0);
    is.then_some(Quote { mark, length: slashes + 1 })
}

/// Where what was opened closes, or its string ends.
fn closing(bytes: &[u8], start: usize, opened: Quote) -> Option<usize> {
    let mut at = start;
    loop {
        let byte = *bytes.get(at)?;
        if byte == b'\'' && opened.mark == b'\'' {
            return Some(at);
        }
        if byte != b'"' && byte != b'\\' {
            at += 1;
            continue;
        }
        match quote(bytes, at) {
            Some(quote) if quote.ends_string() => return Some(at + quote.length - 1),
            Some(quote) if quote.mark == opened.mark && quote.length == opened.length => return Some(at),
            Some(quote) => at += quote.length,
            // Escapes of something else: whole pairs, and the byte that the last one escapes.
            None => {
                let slashes = bytes.get(at..)?.iter().take_while(|byte| **byte == b'\\').count();
                at += slashes + slashes % 2;
            }
        }
    }
}

/// The password in `scheme://user:password@host`.
fn password_in_address(bytes: &[u8], start: usize) -> Option<(usize, usize)> {
    let rest = bytes.get(start..)?;
    let ends =
        |byte: &u8| matches!(byte, b'/' | b'"' | b'\\' | b'\'' | b'`' | b'?' | b'#') || byte.is_ascii_whitespace();
    let authority = rest.get(..rest.iter().position(ends)?)?;
    let host = authority.iter().rposition(|byte| *byte == b'@')?;
    let colon = authority.iter().position(|byte| *byte == b':').filter(|colon| *colon < host)?;
    worth(bytes, start + colon + 1, start + host, true)
}

/// The body of a private key in PEM, after its `-----BEGIN`.
fn private_key(bytes: &[u8], at: usize) -> Option<(usize, usize)> {
    let rest = bytes.get(at..)?;
    let title = memmem::find(rest.get(..64.min(rest.len()))?, b"PRIVATE KEY-----")? + b"PRIVATE KEY-----".len();
    let body = rest.get(title..)?;
    let string = closing(body, 0, Quote { mark: b'"', length: 1 })?;
    let length = memmem::find(body.get(..string)?, b"-----END").unwrap_or(string);
    (length > 0).then_some((at + title, at + title + length))
}

fn skip_spaces(bytes: &[u8], at: usize) -> usize {
    at + bytes.get(at..).unwrap_or_default().iter().take_while(|byte| **byte == b' ').count()
}

fn in_word(byte: u8) -> bool {
    matches!(byte, b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'_' | b'-' | b'.')
}

fn in_value(byte: u8) -> bool {
    in_word(byte) || matches!(byte, b'+' | b'/' | b'=' | b'~')
}

#[cfg(test)]
mod tests {
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
    #[case::a_flag("mysql --password hunter2 db", "mysql --password [masked] db")]
    #[case::a_flag_with_a_sign("x --api-key=abc", "x --api-key=[masked]")]
    #[case::json_within(
        "curl -d '{\"password\": \"a b\", \"n\": 1}'",
        "curl -d '{\"password\": \"[masked]\", \"n\": 1}'"
    )]
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

    #[test]
    fn what_is_masked_stays_masked_once() {
        let once = masked(&json!({"command": "TOKEN=abc"}).to_string()).unwrap();
        assert_eq!(masked(&once), None);
    }

    proptest! {
        #[test]
        fn what_is_masked_is_the_same_json_but_for_its_strings(parts in prop::collection::vec(prop::sample::select(vec![
            "PASSWORD", "=", ":", " ", "\"", "'", "\\", "\n", "--token", "x", "://", "@", "-----BEGIN", "PRIVATE KEY-----",
            "Bearer ", "ghp_0123456789abcdefghij0123456789", "é", "{", "}", "\"password\": \"", "[masked]", "\\\"",
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
}
