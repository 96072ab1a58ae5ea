//! Settings files as people, programs and accidents write them: a shrinkable document, and its text in some style.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

/// A value; leaves are text as it stands in the file.
#[derive(Debug, Clone)]
pub enum Json {
    Leaf(String),
    Array(Vec<Json>),
    Object(Vec<(String, Json)>),
}

/// How a document is written down.
#[derive(Debug, Clone)]
pub struct Style {
    pub kind: Kind,
    pub crlf: bool,
    /// Before and behind the root.
    pub around: (&'static str, &'static str),
}

#[derive(Debug, Clone)]
pub enum Kind {
    /// As `JSON.stringify` with this indentation writes it.
    Even(&'static str),
    /// One line, with or without spaces.
    OneLine { spaced: bool },
    /// Any white space anywhere, drawn from this seed.
    Wild(u64),
}

pub const MARK: &str = "\"mark\"";

pub fn leaf(text: impl Into<String>) -> Json {
    Json::Leaf(text.into())
}

fn object(members: Vec<(&str, Json)>) -> Json {
    Json::Object(members.into_iter().map(|(name, value)| (format!("\"{name}\""), value)).collect())
}

/// Leaves that are easily changed by reading and writing them. `exotic` ones have no like in serde_json's `Value`.
fn a_leaf(exotic: bool) -> BoxedStrategy<Json> {
    let usual = select(vec![
        "0",
        "-0",
        "1.0",
        "1e5",
        "1E+2",
        "12345678901234567890",
        "0.1000",
        "true",
        "false",
        "null",
        "\"\"",
        "\"a/b\"",
        "\"a\\/b\"",
        "\"\\u00e9\"",
        "\"é😀\"",
        "\"tab\\t \\\" [{,}] // no comment\"",
        "\"\\ud83d\\ude00\"",
        "\"\u{2028}\"",
        "\"hooks\"",
    ]);
    let rare = select(vec!["1e999", "\"\\ud83d\"", "\"\\udc00 alone\""]);
    if exotic { prop_oneof![9 => usual, 1 => rare].prop_map(leaf).boxed() } else { usual.prop_map(leaf).boxed() }
}

fn a_value(exotic: bool) -> impl Strategy<Value = Json> {
    a_leaf(exotic).prop_recursive(3, 12, 4, move |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(Json::Array),
            vec((a_name(), inner), 0..4).prop_map(|members| Json::Object(unique(members))),
        ]
    })
}

fn a_name() -> impl Strategy<Value = String> {
    select(vec!["model", "env", "permissions", "$schema", "a b", "\\u0068ooks2", "é", "", "statusLine", "x\\\"y"])
        .prop_map(|name| format!("\"{name}\""))
}

fn unique(members: Vec<(String, Json)>) -> Vec<(String, Json)> {
    let mut seen = std::collections::BTreeSet::new();
    members.into_iter().filter(|(name, _)| seen.insert(name.clone())).collect()
}

const MATCHERS: [&str; 5] = [
    "\"^(AskUserQuestion|mcp__.*__AskUserQuestion)$\"",
    "\"^(EnterPlanMode|ExitPlanMode)$\"",
    "\"Bash|Edit\"",
    "\"\"",
    "\"*\"",
];

fn foreign_entry() -> impl Strategy<Value = Json> {
    let command =
        select(vec!["\"~/bin/notify.sh\"", "\"cat /x/unattended\"", "\"/x/unattended prompt\"", "\"jq . | tee log\""]);
    (command, any::<bool>(), any::<bool>()).prop_map(|(command, timeout, unknown)| {
        let mut members = vec![("type", leaf("\"command\"")), ("command", leaf(command))];
        if timeout {
            members.push(("timeout", leaf("5.50")));
        }
        if unknown {
            members.push(("x-note", Json::Array(vec![leaf(MARK)])));
        }
        object(members)
    })
}

/// An entry of ours as some version, install or hand wrote it.
fn our_entry() -> impl Strategy<Value = Json> {
    let tag =
        select(vec!["PreToolUse:AskUserQuestion", "PreToolUse:ExitPlanMode", "PermissionRequest", "Stop", "Gone"]);
    (0..4, tag, select(vec!["30", "600", "1", "\"30\""]), any::<bool>()).prop_map(|(form, tag, timeout, block)| {
        let args = |words: &[&str]| Json::Array(words.iter().map(|word| leaf(format!("\"{word}\""))).collect());
        let mut members = vec![("type", leaf("\"command\""))];
        match form {
            0 => members.extend([("command", leaf("\"/old/unattended\"")), ("args", args(&["hook", "--for", tag]))]),
            1 => members.push(("command", leaf(format!("\"'/o d/unattended' hook --for {tag}\"")))),
            2 => members.push(("command", leaf("\"~/.local/bin/unattended\""))),
            _ => members.extend([("args", args(&["hook"])), ("command", leaf("\"/usr/bin/unattended\""))]),
        }
        members.push(("timeout", leaf(timeout)));
        if block {
            members.push(("onFailure", leaf("\"block\"")));
        }
        object(members)
    })
}

fn a_group(ours: bool) -> BoxedStrategy<Json> {
    let entries = if ours {
        prop_oneof![
            2 => vec(foreign_entry(), 0..3),
            2 => vec(our_entry(), 1..3),
            1 => (vec(foreign_entry(), 0..2), our_entry(), vec(foreign_entry(), 0..2))
                .prop_map(|(before, ours, after)| [before, vec![ours], after].concat()),
        ]
        .boxed()
    } else {
        vec(foreign_entry(), 0..3).boxed()
    };
    (proptest::option::of(select(MATCHERS.to_vec())), entries, any::<bool>())
        .prop_map(|(matcher, entries, last)| {
            let mut members = vec![("hooks", Json::Array(entries))];
            if let Some(matcher) = matcher {
                members.insert(usize::from(last), ("matcher", leaf(matcher)));
            }
            object(members)
        })
        .boxed()
}

fn the_hooks(ours: bool) -> impl Strategy<Value = Json> {
    let event = select(vec![
        "\"PreToolUse\"",
        "\"PostToolUse\"",
        "\"PermissionRequest\"",
        "\"Stop\"",
        "\"StopFailure\"",
        "\"SessionStart\"",
        "\"UserPromptSubmit\"",
        "\"SubagentStop\"",
    ]);
    vec((event, vec(a_group(ours), 0..4)), 0..6).prop_map(|events| {
        Json::Object(unique(events.into_iter().map(|(name, groups)| (name.to_owned(), Json::Array(groups))).collect()))
    })
}

/// A document: members of any kind around `hooks`, which may be absent, and rarely there twice.
pub fn document(ours: bool, exotic: bool) -> impl Strategy<Value = Json> {
    let others = || {
        vec((a_name(), a_value(exotic)), 0..4)
            .prop_map(|members| members.into_iter().chain([("\"m\"".to_owned(), leaf(MARK))]).collect::<Vec<_>>())
    };
    let hooks = prop_oneof![
        1 => Just(vec![]),
        4 => the_hooks(ours).prop_map(|hooks| vec![hooks]),
        1 => (the_hooks(ours), the_hooks(ours)).prop_map(move |(one, two)| if exotic { vec![one, two] } else { vec![two] }),
    ];
    (proptest::option::of(others()), hooks, proptest::option::of(others()), proptest::bool::weighted(0.2)).prop_map(
        |(before, hooks, after, large)| {
            let mut members = unique(before.unwrap_or_default());
            if large {
                members.extend(
                    members.first().cloned().map(|(_, value)| ("\"large\"".to_owned(), Json::Array(vec![value; 15]))),
                );
            }
            members.extend(hooks.into_iter().map(|hooks| ("\"hooks\"".to_owned(), hooks)));
            members.extend(
                unique(after.unwrap_or_default())
                    .into_iter()
                    .map(|(name, value)| (name.replacen('"', "\"z", 1), value)),
            );
            Json::Object(members)
        },
    )
}

pub fn style() -> impl Strategy<Value = Style> {
    let kind = prop_oneof![
        3 => select(vec!["  ", "    ", "\t", " ", ""]).prop_map(Kind::Even),
        2 => any::<bool>().prop_map(|spaced| Kind::OneLine { spaced }),
        4 => any::<u64>().prop_map(Kind::Wild),
    ];
    let around = select(vec![
        ("", ""),
        ("", "\n"),
        ("", "\r\n"),
        ("\n  ", "\n\n"),
        ("\t", " "),
        ("\r", "\r"),
        ("\u{feff}", "\n"),
    ]);
    (kind, any::<bool>(), around).prop_map(|(kind, crlf, around)| Style { kind, crlf, around })
}

/// The text of a document.
pub fn text(document: &Json, style: &Style) -> String {
    let mut out = String::from(style.around.0);
    let seed = if let Kind::Wild(seed) = style.kind { seed | 1 } else { 1 };
    Writer { style, seed }.write(&mut out, document, 0);
    out.push_str(style.around.1);
    if style.crlf { out.replace("\r\n", "\n").replace('\n', "\r\n") } else { out }
}

struct Writer<'s> {
    style: &'s Style,
    seed: u64,
}

impl Writer<'_> {
    fn write(&mut self, out: &mut String, value: &Json, depth: usize) {
        let (open, close, items): (_, _, Vec<(Option<&String>, &Json)>) = match value {
            Json::Leaf(leaf) => return out.push_str(leaf),
            Json::Array(items) => ('[', ']', items.iter().map(|item| (None, item)).collect()),
            Json::Object(members) => ('{', '}', members.iter().map(|(name, value)| (Some(name), value)).collect()),
        };
        out.push(open);
        for (index, (name, value)) in items.iter().enumerate() {
            if index > 0 {
                out.push_str(&self.wild());
                out.push(',');
            }
            self.gap(out, depth + 1, index > 0);
            if let Some(name) = name {
                out.push_str(name);
                out.push_str(&self.wild());
                out.push(':');
                match self.style.kind {
                    Kind::Even(_) | Kind::OneLine { spaced: true } => out.push(' '),
                    Kind::OneLine { spaced: false } => {}
                    Kind::Wild(_) => out.push_str(&self.wild()),
                }
            }
            self.write(out, value, depth + 1);
        }
        match self.style.kind {
            Kind::Wild(_) => out.push_str(&self.wild()),
            _ if items.is_empty() => {}
            _ => self.gap(out, depth, false),
        }
        out.push(close);
    }

    fn gap(&mut self, out: &mut String, depth: usize, between: bool) {
        match self.style.kind {
            Kind::Even(unit) => out.push_str(&format!("\n{}", unit.repeat(depth))),
            Kind::OneLine { spaced } => out.push_str(if spaced && between { " " } else { "" }),
            Kind::Wild(_) => out.push_str(&self.wild()),
        }
    }

    /// Nothing but in the wild style.
    fn wild(&mut self) -> String {
        if !matches!(self.style.kind, Kind::Wild(_)) {
            return String::new();
        }
        self.seed ^= self.seed << 13;
        self.seed ^= self.seed >> 7;
        self.seed ^= self.seed << 17;
        const SPACE: [&str; 12] = ["", "", "", " ", "  ", "\t", "\n", "\n  ", "\r", "\n\n\t", " \n", "\r\n    "];
        SPACE[(self.seed >> 33) as usize % SPACE.len()].to_owned()
    }
}
