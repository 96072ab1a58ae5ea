//! What a settings file must be before it is touched: what the client itself would read. Says what is wrong and where.

use super::json::{self, Member, Span};
use crate::trouble::Trouble;

/// The text of a settings file. Clients read UTF-16 too, and other bytes with a loss (tried: 2.0.77 to 2.1.332); we edit
/// UTF-8 alone, so that no byte is touched that need not be.
pub fn decode(bytes: &[u8]) -> Result<&str, Trouble> {
    let save = "save it as UTF-8, then try again";
    if bytes.starts_with(b"\xFF\xFE") || bytes.starts_with(b"\xFE\xFF") {
        return Err(trouble("is UTF-16, not UTF-8", save));
    }
    std::str::from_utf8(bytes).map_err(|error| {
        let good = bytes.get(..error.valid_up_to()).unwrap_or_default();
        let line = good.iter().filter(|&&byte| byte == b'\n').count() + 1;
        trouble(format!("is not UTF-8: there is another byte in line {line}"), save)
    })
}

/// Strict JSON with an object as its root; gives the root. A blank text is the caller's to handle.
pub(super) fn object(text: &str) -> Result<(Span, Vec<Member>), Trouble> {
    let root = json::value(text).map_err(|error| no_json(text, &error))?;
    let members = json::members(text, root).ok_or_else(|| {
        let kind = json::kind(text, root);
        trouble(
            format!("holds {kind}, not an object"),
            "settings are one object: { … }; correct the file or move it away",
        )
    })?;
    Ok((root, members))
}

/// `hooks` and all in it of the types that the client asks for: with a wrong one it drops the file or the entry, and
/// asks at its start.
pub(super) fn hooks(text: &str, root: &[Member]) -> Result<(), Trouble> {
    for member in root.iter().filter(|member| member.name == "hooks") {
        let Some(events) = json::members(text, member.value) else {
            return Err(wrong(text, "`hooks`", member.value, "an object"));
        };
        for event in events {
            let name = format!("`hooks.{}`", event.name);
            let groups =
                json::elements(text, event.value).ok_or_else(|| wrong(text, &name, event.value, "an array"))?;
            for group in groups {
                let Some(members) = json::members(text, group) else {
                    return Err(wrong(text, &format!("an element of {name}"), group, "an object"));
                };
                for member in members {
                    let inner = format!("a `{}` in {name}", member.name);
                    match member.name.as_str() {
                        "matcher" if json::kind(text, member.value) != "a string" => {
                            return Err(wrong(text, &inner, member.value, "a string"));
                        }
                        "hooks" => entries(text, &inner, member.value)?,
                        _ => {}
                    }
                }
            }
        }
    }
    Ok(())
}

fn entries(text: &str, name: &str, value: Span) -> Result<(), Trouble> {
    let entries = json::elements(text, value).ok_or_else(|| wrong(text, name, value, "an array"))?;
    match entries.into_iter().find(|&entry| json::kind(text, entry) != "an object") {
        Some(entry) => Err(wrong(text, &format!("an element of {name}"), entry, "an object")),
        None => Ok(()),
    }
}

fn wrong(text: &str, name: &str, value: Span, wanted: &str) -> Trouble {
    let (line, column) = place(text, value.start);
    trouble(
        format!("is not valid: {name} is {}, not {wanted} (line {line}, column {column})", json::kind(text, value)),
        "the client refuses this too: correct it or take it out, then try again",
    )
}

fn no_json(text: &str, error: &serde_json::Error) -> Trouble {
    if let Some(at) = comment(text) {
        let (line, column) = place(text, at);
        return trouble(
            format!("has a comment (line {line}, column {column})"),
            "settings are strict JSON, without comments: take it out, then try again",
        );
    }
    // serde_json counts columns in bytes, and names the last byte that it read; editors count characters.
    let line = text.split('\n').take(error.line().saturating_sub(1)).map(|line| line.len() + 1).sum::<usize>();
    let at = (line + error.column()).saturating_sub(1).min(text.len());
    let at = (0..=at).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0);
    let (before, rest) = text.split_at(at);
    let message = error.to_string();
    let message = match message.split(" at line ").next() {
        _ if before.trim_end().ends_with(',') && rest.starts_with([']', '}']) => "a comma behind the last item",
        Some(message) => message,
        None => "",
    };
    let (line, column) = place(text, at);
    trouble(
        format!("is not valid JSON: {message} (line {line}, column {column})"),
        "the client cannot read it either: correct it there, then try again",
    )
}

/// Where the first comment begins.
fn comment(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut in_string = false;
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'\\' if in_string => at += 1,
            b'"' => in_string = !in_string,
            b'/' if !in_string && matches!(bytes.get(at + 1), Some(b'/' | b'*')) => return Some(at),
            _ => {}
        }
        at += 1;
    }
    None
}

/// Line and column, from 1, in characters.
fn place(text: &str, at: usize) -> (usize, usize) {
    let before = text.get(..at).unwrap_or_default();
    let line = before.bytes().filter(|&byte| byte == b'\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
    (line, column)
}

/// What was read once can be read again; should that fail, nothing is written.
pub(super) fn unread() -> Trouble {
    trouble("could not be read a second time", "this is a fault of ours: please report it, with the file if you can")
}

fn trouble(what: impl Into<String>, hint: impl Into<String>) -> Trouble {
    Trouble { what: what.into(), hint: hint.into() }
}
