//! A payload made fit to be shown and kept: its secrets taken out, its folders and ids replaced by those that recordings
//! have. The same thing becomes the same in all payloads of one sitting. Pure.

use std::collections::HashMap;

use serde_json::Value;

use crate::mask;
use crate::wire::Payload;

/// What a home is called,
const HOME: &str = "/home/dev";
/// and a project in it.
const PROJECT: &str = "/home/dev/project";
/// How the id of a call begins.
const CALL: &str = "toolu_";

/// What was replaced so far.
#[derive(Debug, Default)]
pub struct Neutral {
    /// Folders as they are written in JSON, each with its place, the longest first.
    folders: Vec<(String, String)>,
    projects: usize,
    ids: HashMap<String, String>,
    calls: usize,
    /// Ids in no form of the client's as they are written in JSON, each with its own.
    named: Vec<(String, String)>,
}

impl Neutral {
    /// The payload, which is one JSON object.
    pub fn payload(&mut self, json: &str) -> String {
        if let Some(cwd) = Payload::read(json).ok().and_then(|payload| payload.text("cwd")) {
            self.learn_project(&cwd);
        }
        self.learn_ids(json);
        let mut text = mask::masked(json).map_or_else(|| json.to_owned(), |masked| mask::unmarked(&masked));
        for (folder, place) in &self.folders {
            text = text.replace(folder, place);
        }
        for (parent, end) in [("/home/", '/'), ("/Users/", '/'), ("\\\\Users\\\\", '\\')] {
            text = homes(&text, parent, end);
        }
        // After the others, as these are in their form by then.
        let mut text = self.numbered(&text);
        for (id, new) in &self.named {
            for (before, after) in [("\"", "\""), ("/", ".jsonl\""), ("/", "/")] {
                text = text.replace(&format!("{before}{id}{after}"), &format!("{before}{new}{after}"));
            }
        }
        text
    }

    /// Ids in no form of the client's, which could not be told from other words, are replaced where they stand alone, and in
    /// the paths of transcripts.
    fn learn_ids(&mut self, json: &str) {
        let Ok(payload) = Payload::read(json) else { return };
        for field in ["session_id", "prompt_id", "tool_use_id", "agent_id"] {
            let Some(id) = payload.raw(field).and_then(|id| id.get().strip_prefix('"')?.strip_suffix('"')) else {
                continue;
            };
            let own = uuid(id) == Some(id.len()) || call(id) == Some(id.len());
            if !own && !id.is_empty() && !self.named.iter().any(|(known, _)| known == id) {
                let new = self.id(id);
                self.named.push((id.to_owned(), new));
            }
        }
    }

    fn learn_project(&mut self, cwd: &str) {
        let cwd = cwd.trim_end_matches(['/', '\\']);
        let folder = Value::from(cwd).to_string().trim_matches('"').to_owned();
        // What is below a folder that is known already moves with it.
        if cwd.is_empty() || self.folders.iter().any(|(known, _)| folder.starts_with(known.as_str())) {
            return;
        }
        self.projects += 1;
        let number = if self.projects > 1 { format!("-{}", self.projects) } else { String::new() };
        let place = format!("{PROJECT}{number}");
        // The client names the folder of a project's transcripts so.
        let slug = |path: &str| path.replace(|c: char| !c.is_ascii_alphanumeric(), "-");
        self.folders.push((slug(cwd), slug(&place)));
        self.folders.push((folder, place));
        self.folders.sort_by_key(|(folder, _)| std::cmp::Reverse(folder.len()));
    }

    /// Each UUID and each id of a call as a number of the same form.
    fn numbered(&mut self, text: &str) -> String {
        let mut out = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(c) = rest.chars().next() {
            let length = uuid(rest).or_else(|| call(rest));
            let (piece, after) = rest.split_at(length.unwrap_or(c.len_utf8()));
            if length.is_some() {
                out.push_str(&self.id(piece))
            } else {
                out.push_str(piece)
            }
            rest = after;
        }
        out
    }

    fn id(&mut self, id: &str) -> String {
        if let Some(known) = self.ids.get(id) {
            return known.clone();
        }
        let new = if id.starts_with(CALL) {
            self.calls += 1;
            format!("{CALL}{:024}", self.calls)
        } else {
            format!("00000000-0000-4000-8000-{:012}", self.ids.len() - self.calls + 1)
        };
        self.ids.insert(id.to_owned(), new.clone());
        new
    }
}

/// The length of the UUID at the beginning of a text.
fn uuid(text: &str) -> Option<usize> {
    let bytes = text.as_bytes().get(..36)?;
    let fits = bytes.iter().enumerate().all(|(at, byte)| match at {
        8 | 13 | 18 | 23 => *byte == b'-',
        _ => byte.is_ascii_hexdigit(),
    });
    fits.then_some(36)
}

/// The length of the id of a call at the beginning of a text.
fn call(text: &str) -> Option<usize> {
    let id = text.strip_prefix(CALL)?;
    let length = id.bytes().take_while(u8::is_ascii_alphanumeric).count();
    (length >= 16).then_some(CALL.len() + length)
}

/// Each home below `parent` as one.
fn homes(text: &str, parent: &str, end: char) -> String {
    let mut pieces = text.split(parent);
    let mut out = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let name = piece.find(|c: char| c == end || !(c.is_alphanumeric() || "._-".contains(c))).unwrap_or(piece.len());
        out.push_str(if name == 0 { parent } else { HOME });
        out.push_str(piece.get(name..).unwrap_or_default());
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    const UUID: &str = "1c0ffee0-dead-4bee-8fed-0123456789ab";

    #[test]
    fn folders_and_ids_are_replaced_by_the_same_ones_each_time() {
        let mut neutral = Neutral::default();
        let payload = |cwd: &str| {
            format!(
                r#"{{"session_id":"{UUID}","transcript_path":"/home/alice/.claude/projects/-home-alice-shop/{UUID}.jsonl","cwd":"{cwd}","tool_use_id":"toolu_01AbCdEfGhIjKlMnOpQrStUv","tool_input":{{"plan":"in /home/bob.x/y and {cwd}/src"}}}}"#
            )
        };
        let expected = concat!(
            r#"{"session_id":"00000000-0000-4000-8000-000000000001","#,
            r#""transcript_path":"/home/dev/.claude/projects/-home-dev-project/00000000-0000-4000-8000-000000000001.jsonl","#,
            r#""cwd":"/home/dev/project","tool_use_id":"toolu_000000000000000000000001","#,
            r#""tool_input":{"plan":"in /home/dev/y and /home/dev/project/src"}}"#
        );
        assert_eq!(neutral.payload(&payload("/home/alice/shop")), expected);
        assert_eq!(neutral.payload(&payload("/home/alice/shop")), expected);
        let other = neutral.payload(&payload("/srv/other"));
        assert!(other.contains(r#""cwd":"/home/dev/project-2""#), "{other}");
    }

    #[test]
    fn ids_of_another_form_are_replaced_where_they_are_ids() {
        let payload = concat!(
            r#"{"session_id":"alice","transcript_path":"/t/alice.jsonl","prompt_id":"pr-1","agent_id":"alice","#,
            r#""prompt":"alice asks for pr-1"}"#
        );
        let expected = concat!(
            r#"{"session_id":"00000000-0000-4000-8000-000000000001","#,
            r#""transcript_path":"/t/00000000-0000-4000-8000-000000000001.jsonl","#,
            r#""prompt_id":"00000000-0000-4000-8000-000000000002","agent_id":"00000000-0000-4000-8000-000000000001","#,
            r#""prompt":"alice asks for pr-1"}"#
        );
        assert_eq!(Neutral::default().payload(payload), expected);
    }

    #[test]
    fn a_secret_is_taken_out_and_nothing_is_added() {
        let payload = r#"{"hook_event_name":"Stop","last_assistant_message":"DB_PASSWORD=hunter2hunter2"}"#;
        let clean = r#"{"hook_event_name":"Stop","last_assistant_message":"DB_PASSWORD=[masked]"}"#;
        assert_eq!(Neutral::default().payload(payload), clean);
    }

    #[test]
    fn what_is_neutral_stays_as_it_is() {
        let payload = concat!(
            r#"{"session_id":"00000000-0000-4000-8000-000000000001","cwd":"/home/dev/project","#,
            r#""tool_use_id":"toolu_000000000000000000000001","prompt":"toolu_ and /home/ äöü"}"#
        );
        assert_eq!(Neutral::default().payload(payload), payload);
    }
}
