//! What is wrong with a config file, told key by key: the key, its value, and what it may be. Looked for only where the
//! file could not be read as it is. Pure.

use toml::de::{DeTable, DeValue};

use super::Config;

/// What each key may be, by its table.
const MAY_BE: [(&str, &str, &str); 15] = [
    ("", "default", r#""on", "off" or "auto""#),
    ("questions", "reply", r#""guide" or "leave""#),
    ("questions", "wait", A_WAIT),
    ("plans", "reply", r#""approve" or "leave""#),
    ("plans", "then", r#""acceptEdits", "default", "auto" or "bypassPermissions""#),
    ("plans", "wait", A_WAIT),
    ("permissions", "reply", r#""deny" or "leave""#),
    ("permissions", "wait", A_WAIT),
    ("elicitations", "reply", r#""cancel", "decline" or "leave""#),
    ("stop", "nudges", A_NUMBER),
    ("records", "while_off", "true or false"),
    ("records", "mask", "true or false"),
    ("records", "keep_days", A_NUMBER),
    ("doctor", "optional_servers", r#"a list of names such as ["docs"]"#),
    ("notify", "command", r#"a list such as ["/path/to/program", "argument"]"#),
];
const A_WAIT: &str = r#"a time such as "10m", at most "7days""#;
const A_NUMBER: &str = "a whole number from 0 on, such as 2";

/// As much of a value as is shown, in characters.
const SHOWN: usize = 40;

/// One sentence for each value that is none of its key's; nothing where the text is no TOML.
pub(super) fn wrong(text: &str) -> Vec<String> {
    let Ok(all) = DeTable::parse(text) else { return Vec::new() };
    let mut wrong = Vec::new();
    for (name, value) in all.get_ref() {
        let (name, at) = (name.get_ref().as_ref(), line(text, name.span().start));
        match value.get_ref() {
            DeValue::Table(table) => {
                for (key, value) in table {
                    let at = line(text, key.span().start);
                    wrong.extend(judge(text, name, key.get_ref(), value.get_ref(), value.span(), at));
                }
                if let Some(may_be) = may_be("", name) {
                    wrong.push(format!("line {at}: {name} is a table, and must be {may_be}"));
                }
            }
            other if MAY_BE.iter().any(|(table, ..)| *table == name) => {
                let is = shown(text, other, value.span());
                wrong.push(format!("line {at}: {name} is {is}, and must be a table: a line [{name}], its keys below"));
            }
            other => wrong.extend(judge(text, "", name, other, value.span(), at)),
        }
    }
    wrong
}

type Place = std::ops::Range<usize>;

/// What is wrong with a key's value. Whether it is, says the reading of a file that has nothing else.
fn judge(text: &str, table: &str, key: &str, value: &DeValue<'_>, place: Place, at: usize) -> Option<String> {
    let may_be = may_be(table, key)?;
    let written = text.get(place.clone())?;
    let head = if table.is_empty() { String::new() } else { format!("[{table}]\n") };
    if !value.is_table() && toml::from_str::<Config>(&format!("{head}{key} = {written}\n")).is_ok() {
        return None;
    }
    // What is started may have a secret among its arguments.
    let is = if table == "notify" { a(value) } else { shown(text, value, place) };
    let dot = if table.is_empty() { "" } else { "." };
    Some(format!("line {at}: {table}{dot}{key} is {is}, and must be {may_be}"))
}

fn may_be(table: &str, key: &str) -> Option<&'static str> {
    MAY_BE.iter().find(|(of, name, _)| (*of, *name) == (table, key)).map(|(.., may_be)| *may_be)
}

/// A short value as it is written, what sort of thing another one is.
fn shown(text: &str, value: &DeValue<'_>, place: Place) -> String {
    match text.get(place) {
        Some(written) if !value.is_table() && !written.contains('\n') && written.chars().count() <= SHOWN => {
            written.to_owned()
        }
        _ => a(value),
    }
}

fn a(value: &DeValue<'_>) -> String {
    match value {
        DeValue::String(_) => "a text".to_owned(),
        DeValue::Array(_) => "a list of something else".to_owned(),
        other => format!("of the type {}", other.type_str()),
    }
}

/// The number of the line in which a place lies, from 1.
pub(super) fn line(text: &str, place: usize) -> usize {
    text.bytes().take(place).filter(|byte| *byte == b'\n').count() + 1
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use crate::config::{Config, read};

    #[rstest]
    #[case("default = \"always\"", "line 1: default is \"always\", and must be \"on\", \"off\" or \"auto\"")]
    #[case("default = 1", "line 1: default is 1, and must be \"on\"")]
    #[case("[default]\nx = 1", "line 1: default is a table, and must be \"on\"")]
    #[case(
        "[questions]\nreply = \"allow\"",
        "line 2: questions.reply is \"allow\", and must be \"guide\" or \"leave\""
    )]
    #[case("[questions]\nwait = 10", "line 2: questions.wait is 10, and must be a time such as")]
    #[case("[plans]\nreply = true", "line 2: plans.reply is true, and must be \"approve\" or \"leave\"")]
    #[case("[plans]\nthen = \"plan\"", "line 2: plans.then is \"plan\", and must be \"acceptEdits\", \"default\"")]
    #[case("[permissions]\nreply = \"allow\"", "permissions.reply is \"allow\", and must be \"deny\" or \"leave\"")]
    #[case("permissions.wait = \"-1s\"", "line 1: permissions.wait is \"-1s\", and must be a time")]
    #[case(
        "[elicitations]\nreply = \"accept\"",
        "elicitations.reply is \"accept\", and must be \"cancel\", \"decline\""
    )]
    #[case("[stop]\nnudges = \"x\"", "line 2: stop.nudges is \"x\", and must be a whole number from 0 on")]
    #[case("[stop]\nnudges = -1", "line 2: stop.nudges is -1, and must be a whole number")]
    #[case("[stop]\nnudges = 99999999999", "stop.nudges is 99999999999, and must be a whole number")]
    #[case("[stop.nudges]\nx = 1", "stop.nudges is of the type table, and must be a whole number")]
    #[case("stop = 2", "line 1: stop is 2, and must be a table: a line [stop], its keys below")]
    #[case("[[stop]]\nnudges = 2", "stop is [[stop]], and must be a table")]
    #[case("[records]\nmask = \"no\"", "line 2: records.mask is \"no\", and must be true or false")]
    #[case("[records]\nwhile_off = 0", "line 2: records.while_off is 0, and must be true or false")]
    #[case("[records]\n\nkeep_days = 1.5", "line 3: records.keep_days is 1.5, and must be a whole number")]
    #[case("[doctor]\noptional_servers = \"docs\"", "doctor.optional_servers is \"docs\", and must be a list of names")]
    #[case("[doctor]\noptional_servers = [1]", "doctor.optional_servers is [1], and must be a list of names")]
    #[case(
        "[notify]\ncommand = \"page --token=s3cr3t\"",
        "line 2: notify.command is a text, and must be a list such as"
    )]
    #[case("[stop]\nnudges = 1\n[stop]\n", "line 3: ")]
    #[case("[stop\n", "line 1: ")]
    fn a_wrong_value_is_told_with_its_key_and_what_it_may_be(#[case] text: &str, #[case] said: &str) {
        let (config, problems) = read(text);
        assert_eq!(config, Config::default());
        let problem = problems.last().unwrap();
        assert!(problem.starts_with("defaults hold: line ") && problem.contains(said), "{problem}");
        assert!(!problem.contains("s3cr3t") && !problem.contains('\n'), "{problem}");
    }

    #[test]
    fn each_wrong_value_is_told() {
        let (_, problems) = read("default = 3\n[stop]\nnudges = \"x\"\n");
        let [problem] = problems.as_slice() else { panic!("{problems:?}") };
        assert!(problem.contains("line 1: default is 3") && problem.contains("; line 3: stop.nudges"), "{problem}");
    }
}
