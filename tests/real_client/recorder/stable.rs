//! Makes recorded payloads stable: paths, session and prompt ids, tool ids and plan names. Works on the text, so that
//! everything else stays as the client wrote it. Pure.

use std::collections::BTreeMap;
use std::path::Path;

/// What was replaced so far; one value for a whole session.
#[derive(Default)]
pub struct Stable {
    folders: Vec<(String, &'static str)>,
    ids: BTreeMap<String, String>,
    tools: BTreeMap<String, String>,
}

impl Stable {
    /// For a session in this home, whose temporary files are there.
    pub fn of(home: &Path, temporary: &Path) -> Stable {
        let home = home.display().to_string();
        let slug = home.replace(|c: char| !c.is_ascii_alphanumeric(), "-");
        let folders = vec![(temporary.display().to_string(), "/tmp"), (home, "/home/dev"), (slug, "-home-dev")];
        Stable { folders, ..Stable::default() }
    }

    /// A payload with stable names.
    pub fn line(&mut self, payload: &str) -> String {
        let mut text = payload.to_owned();
        for (from, to) in &self.folders {
            text = text.replace(from.as_str(), to);
        }
        let text = replaced(&text, is_uuid, |found| {
            let next = self.ids.len() + 1;
            self.ids.entry(found.to_owned()).or_insert(format!("00000000-0000-4000-8000-{next:012}")).clone()
        });
        let text = replaced(&text, is_tool_id, |found| {
            let next = self.tools.len() + 1;
            self.tools.entry(found.to_owned()).or_insert(format!("toolu_{next:024}")).clone()
        });
        plan_names(&text)
    }
}

/// Replaces each longest run of id characters that `is` takes for one.
fn replaced(text: &str, is: fn(&str) -> bool, mut by: impl FnMut(&str) -> String) -> String {
    let mut out = String::with_capacity(text.len());
    let mut run = String::new();
    for c in text.chars().chain(['\n']) {
        if c.is_ascii_alphanumeric() || c == '-' || c == '_' {
            run.push(c);
            continue;
        }
        out.push_str(&if is(&run) { by(&run) } else { std::mem::take(&mut run) });
        run.clear();
        out.push(c);
    }
    out.pop();
    out
}

fn is_uuid(word: &str) -> bool {
    let lengths: Vec<usize> = word.split('-').map(str::len).collect();
    lengths == [8, 4, 4, 4, 12] && word.chars().all(|c| c.is_ascii_hexdigit() || c == '-')
}

fn is_tool_id(word: &str) -> bool {
    word.starts_with("toolu_")
}

/// `/plans/gentle-otter.md` is `/plans/calm-river.md`.
fn plan_names(text: &str) -> String {
    let mut parts = text.split("/plans/");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        out.push_str("/plans/");
        match part.split_once(".md") {
            Some((name, rest)) if name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-') => {
                out.push_str("calm-river.md");
                out.push_str(rest);
            }
            _ => out.push_str(part),
        }
    }
    out
}
