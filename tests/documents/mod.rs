//! The pages that people read: their blocks, their inline code, their links. Reads files, judges nothing.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

use std::fs;
use std::path::{Path, PathBuf};

/// A page.
pub(crate) struct Page {
    /// Its place below the project's folder.
    pub(crate) name: String,
    /// Its text.
    pub(crate) text: String,
}

/// A fenced block.
pub(crate) struct Block<'a> {
    /// The language; a block without one counts as `text`.
    pub(crate) language: &'a str,
    /// The words behind it: how the block is to be tried.
    pub(crate) how: Vec<&'a str>,
    /// What stands in it, each line with its end.
    pub(crate) text: &'a str,
    /// Page and line, for messages.
    pub(crate) place: String,
}

pub(crate) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The README and every page of `docs`.
pub(crate) fn pages() -> Vec<Page> {
    let mut places: Vec<PathBuf> =
        fs::read_dir(root().join("docs")).unwrap().map(|entry| entry.unwrap().path()).collect();
    places.retain(|place| place.extension().is_some_and(|end| end == "md"));
    places.sort();
    places.insert(0, root().join("README.md"));
    places
        .iter()
        .map(|place| Page {
            name: place.strip_prefix(root()).unwrap().display().to_string(),
            text: fs::read_to_string(place).unwrap(),
        })
        .collect()
}

impl Page {
    /// The blocks in their order.
    pub(crate) fn blocks(&self) -> Vec<Block<'_>> {
        let mut found = Vec::new();
        let mut open: Option<(Vec<&str>, usize, usize)> = None;
        let mut at = 0;
        for (number, line) in self.text.split_inclusive('\n').enumerate() {
            if let Some(mark) = line.strip_prefix("```") {
                open = match open {
                    None => Some((mark.split_whitespace().collect(), at + line.len(), number + 1)),
                    Some((words, start, opened)) => {
                        let language = words.first().copied().unwrap_or("text");
                        let how = words.into_iter().skip(1).collect();
                        let place = format!("{}:{opened}", self.name);
                        found.push(Block { language, how, text: &self.text[start..at], place });
                        None
                    }
                };
            }
            at += line.len();
        }
        assert!(open.is_none(), "{}: a block is not closed", self.name);
        found
    }

    /// The text without its blocks.
    pub(crate) fn prose(&self) -> String {
        let mut inside = false;
        let outside = self.text.lines().filter(|line| {
            let mark = line.starts_with("```");
            inside ^= mark;
            !inside && !mark
        });
        outside.collect::<Vec<_>>().join("\n")
    }

    /// Code in the middle of sentences.
    pub(crate) fn code(&self) -> Vec<String> {
        let paragraphs: Vec<String> = self.prose().split("\n\n").map(str::to_owned).collect();
        let code = paragraphs.iter().flat_map(|text| text.split('`').skip(1).step_by(2).map(str::to_owned));
        code.map(|text| text.split_whitespace().collect::<Vec<_>>().join(" ")).collect()
    }

    /// What is linked or shown as a picture, without what lies elsewhere.
    pub(crate) fn links(&self) -> Vec<String> {
        let prose = self.prose();
        let marked = prose.split("](").skip(1).map(|rest| rest.split(')').next().unwrap().to_owned());
        let pictures = prose.split("src=\"").skip(1).map(|rest| rest.split('"').next().unwrap().to_owned());
        marked.chain(pictures).filter(|link| !link.contains("://") && !link.starts_with("mailto:")).collect()
    }

    /// The names by which its headings can be linked.
    pub(crate) fn anchors(&self) -> Vec<String> {
        let prose = self.prose();
        let headings = prose.lines().filter(|line| line.starts_with('#'));
        let slug = |line: &str| -> String {
            let kept = line.trim_start_matches('#').trim().to_lowercase();
            kept.chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c)).collect::<String>().replace(' ', "-")
        };
        headings.map(slug).collect()
    }

    /// Where a link leads.
    pub(crate) fn leads(&self, link: &str) -> PathBuf {
        root().join(&self.name).parent().unwrap().join(link)
    }
}

/// The commands of ours in a line of shell, each as its words. What the shell does with them beyond quotes is left out:
/// a command ends at an operator, a bracket or the end of the line.
pub(crate) fn commands(line: &str) -> Vec<Vec<String>> {
    let mut found = Vec::new();
    for (at, name) in line.match_indices("unattended") {
        let before = line[..at].chars().last();
        let starts = before.is_none_or(|c| c.is_whitespace() || "/(`".contains(c));
        let rest = &line[at + name.len()..];
        let with_slash = before == Some('/') && !line[..at].ends_with("bin/");
        if !starts || with_slash || !rest.starts_with(' ') || line[..at].contains(['#']) {
            continue;
        }
        // As an argument of another program it is a word, not a command.
        let command_so_far = line[..at].rsplit(['|', ';', '&', '(', '`']).next().unwrap();
        let names_another = command_so_far
            .split_whitespace()
            .any(|word| !word.contains('=') && !word.contains("bin/") && !is_time(word) && word != "$");
        if names_another {
            continue;
        }
        let mut words = vec!["unattended".to_owned()];
        let (mut word, mut quote, mut begun) = (String::new(), None, false);
        for c in rest.chars() {
            match (quote, c) {
                (Some(open), c) if c == open => quote = None,
                (Some(_), c) => word.push(c),
                (None, '"' | '\'') => (quote, begun) = (Some(c), true),
                (None, ' ') => {
                    if begun || !word.is_empty() {
                        words.push(std::mem::take(&mut word));
                    }
                    begun = false;
                }
                (None, '|' | ';' | '&' | '<' | '>' | ')' | '`') => break,
                (None, c) => word.push(c),
            }
        }
        if begun || !word.is_empty() {
            words.push(word);
        }
        found.push(words);
    }
    found
}

/// A field of a crontab line.
fn is_time(word: &str) -> bool {
    word.chars().all(|c| c.is_ascii_digit() || "*/,-".contains(c))
}
