//! The caller's arguments for the client, read as the client reads them, so that what a run needs is merged into them
//! and nothing of theirs is lost. Pure.

use std::ffi::{OsStr, OsString};

/// Options that take the next word, whatever it is.
const ONE: [&str; 35] = [
    "agent",
    "agents",
    "append-system-prompt",
    "append-system-prompt-file",
    "autocompact",
    "debug-file",
    "effort",
    "environment",
    "fallback-model",
    "input-format",
    "json-schema",
    "max-budget-usd",
    "max-thinking-tokens",
    "max-turns",
    "model",
    "name",
    "output-format",
    "permission-mode",
    "permission-prompt-tool",
    "permission-prompts",
    "plugin-dir",
    "plugin-url",
    "remote-control-session-name-prefix",
    "resume-session-at",
    "rewind-files",
    "sdk-url",
    "session-id",
    "setting-sources",
    "settings",
    "system-prompt",
    "system-prompt-file",
    "system-prompt-snapshot",
    "task-budget",
    "thinking",
    "workload",
];
/// Options that take words up to the next option.
const MANY: [&str; 9] = [
    "add-dir",
    "allowedTools",
    "allowed-tools",
    "betas",
    "disallowedTools",
    "disallowed-tools",
    "file",
    "mcp-config",
    "tools",
];
/// Options that take the next word unless it is an option.
const MAYBE: [&str; 8] =
    ["cloud", "debug", "from-pr", "prompt-suggestions", "remote-control", "resume", "teleport", "worktree"];
/// The short ones. What is not listed takes no value.
const SHORT: [(char, &str); 8] = [
    ('p', "print"),
    ('c', "continue"),
    ('r', "resume"),
    ('d', "debug"),
    ('n', "name"),
    ('w', "worktree"),
    ('h', "help"),
    ('v', "version"),
];

/// The words behind `--`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Arguments(Vec<OsString>);

/// An option as it was given.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Given {
    /// Its long name without the dashes.
    name: String,
    /// Its values: the word each is in, and where it begins there (`--settings=x`, `-rx`), in bytes.
    values: Vec<(usize, usize)>,
}

impl Arguments {
    /// Takes the words as they came.
    pub fn new(words: Vec<OsString>) -> Arguments {
        Arguments(words)
    }

    /// The words, for the client.
    pub fn into_words(self) -> Vec<OsString> {
        self.0
    }

    /// The options, and how many words are none.
    fn read(&self) -> (Vec<Given>, usize) {
        let is_option = |at: usize| self.text(at).is_some_and(|word| word.len() > 1 && word.starts_with('-'));
        let (mut given, mut plain, mut at) = (Vec::new(), 0, 0);
        while let Some(word) = self.text(at) {
            let here = at;
            at += 1;
            if word == "--" {
                plain += self.0.len() - at;
                break;
            }
            if !is_option(here) {
                plain += 1;
                continue;
            }
            let (names, behind) = names(&word);
            let last = names.len().saturating_sub(1);
            for (number, name) in names.into_iter().enumerate() {
                let mut values = Vec::new();
                let takes = |list: &[&str]| list.contains(&name.as_str());
                if let Some(behind) = behind.filter(|_| number == last) {
                    values.push((here, behind));
                } else if at < self.0.len() && (takes(&ONE) || takes(&MAYBE) && !is_option(at)) {
                    values.push((at, 0));
                    at += 1;
                }
                while takes(&MANY) && at < self.0.len() && !is_option(at) {
                    values.push((at, 0));
                    at += 1;
                }
                given.push(Given { name, values });
            }
        }
        (given, plain)
    }

    fn text(&self, at: usize) -> Option<String> {
        self.0.get(at).map(|word| word.to_string_lossy().into_owned())
    }

    fn value_in(&self, (at, behind): (usize, usize)) -> Option<OsString> {
        let word = self.0.get(at)?;
        match behind {
            0 => Some(word.clone()),
            behind => Some(word.to_string_lossy().get(behind..)?.into()),
        }
    }

    /// Whether an option is there, by its long name.
    pub fn has(&self, name: &str) -> bool {
        self.read().0.iter().any(|given| given.name == name)
    }

    /// The value of an option that takes one; of several the last, as the client takes it.
    pub fn value(&self, name: &str) -> Option<OsString> {
        self.values(name).pop()
    }

    /// All values of an option.
    pub fn values(&self, name: &str) -> Vec<OsString> {
        let given = self.read().0.into_iter().filter(|given| given.name == name);
        given.flat_map(|given| given.values).filter_map(|place| self.value_in(place)).collect()
    }

    /// Whether there is a prompt among the words.
    pub fn has_prompt(&self) -> bool {
        self.read().1 > 0
    }

    /// Puts a flag in front, unless it is there.
    pub fn add(&mut self, name: &str) {
        if !self.has(name) {
            self.0.insert(0, format!("--{name}").into());
        }
    }

    /// Gives an option that takes one value this value: in place of the one that counts, else in front, where no option
    /// of the caller's can take it for its own.
    pub fn set(&mut self, name: &str, value: &OsStr) {
        let given = self.read().0.into_iter().rev().filter(|given| given.name == name);
        match given.filter_map(|given| given.values.last().copied()).next() {
            Some((at, behind)) => {
                if let Some(word) = self.0.get_mut(at) {
                    let mut new = OsString::from(word.to_string_lossy().get(..behind).unwrap_or_default());
                    new.push(value);
                    *word = new;
                }
            }
            None => {
                self.0.splice(0..0, [format!("--{name}").into(), value.to_owned()]);
            }
        }
    }
}

/// The long names of the options in a word, and where in it the value of the last one begins, if it is there too.
fn names(word: &str) -> (Vec<String>, Option<usize>) {
    if let Some(long) = word.strip_prefix("--") {
        return match long.split_once('=') {
            Some((name, value)) => (vec![name.to_owned()], Some(word.len() - value.len())),
            None => (vec![long.to_owned()], None),
        };
    }
    let mut names = Vec::new();
    let mut letters = word.get(1..).unwrap_or_default().chars();
    while let Some(letter) = letters.next() {
        let Some((_, name)) = SHORT.iter().find(|(short, _)| *short == letter) else { break };
        names.push((*name).to_owned());
        let rest = letters.as_str();
        if (ONE.contains(name) || MAYBE.contains(name)) && !rest.is_empty() {
            return (names, Some(word.len() - rest.len()));
        }
    }
    (names, None)
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    fn arguments(words: &[&str]) -> Arguments {
        Arguments::new(words.iter().map(OsString::from).collect())
    }

    fn words(arguments: Arguments) -> Vec<String> {
        arguments.into_words().into_iter().map(|word| word.into_string().unwrap()).collect()
    }

    #[rstest]
    #[case::long(&["--print", "hello"], true)]
    #[case::short(&["-p", "hello"], true)]
    #[case::behind(&["hello", "-p"], true)]
    #[case::together(&["-cp", "go on"], true)]
    #[case::a_value(&["--append-system-prompt", "-p", "hello"], false)]
    #[case::behind_the_end(&["--", "-p"], false)]
    #[case::none(&["hello"], false)]
    fn print_is_added_once(#[case] given: &[&str], #[case] there: bool) {
        let mut all = arguments(given);
        all.add("print");
        let want: Vec<&str> = if there { given.to_vec() } else { [&["--print"], given].concat() };
        assert_eq!(words(all), want);
    }

    #[rstest]
    #[case::absent(&["hello"], &["--settings", "NEW", "hello"])]
    #[case::there(&["--settings", "old", "hello"], &["--settings", "NEW", "hello"])]
    #[case::in_one_word(&["--settings=old", "hello"], &["--settings=NEW", "hello"])]
    #[case::twice(&["--settings", "a", "--settings", "b"], &["--settings", "a", "--settings", "NEW"])]
    #[case::behind_many(&["--mcp-config", "a", "b"], &["--settings", "NEW", "--mcp-config", "a", "b"])]
    #[case::a_value(&["--model", "--settings"], &["--settings", "NEW", "--model", "--settings"])]
    #[case::a_prompt(&["--", "--settings"], &["--settings", "NEW", "--", "--settings"])]
    fn a_value_takes_the_place_of_the_callers(#[case] given: &[&str], #[case] want: &[&str]) {
        let mut all = arguments(given);
        all.set("settings", OsStr::new("NEW"));
        assert_eq!(words(all), want);
    }

    #[rstest]
    #[case(&["hello"], true)]
    #[case(&["--", "hello"], true)]
    #[case(&["-p", "--model", "opus"], false)]
    #[case(&["--add-dir", "a", "b"], false)]
    #[case(&["-r", "id"], false)]
    #[case(&["-r", "id", "go on"], true)]
    #[case(&["-c", "go on"], true)]
    #[case(&["-rid", "go on"], true)]
    #[case(&["-pnname"], false)]
    #[case(&[], false)]
    fn a_prompt_is_a_word_that_no_option_takes(#[case] given: &[&str], #[case] want: bool) {
        assert_eq!(arguments(given).has_prompt(), want);
    }

    #[test]
    fn values_are_found_as_the_client_finds_them() {
        let all = arguments(&["--mcp-config", "a", "b", "--mcp-config=c", "-r", "--resume=x", "--mcp-config"]);
        assert_eq!(all.values("mcp-config"), ["a", "b", "c"]);
        assert_eq!(all.value("resume"), Some("x".into()));
        assert_eq!(arguments(&["-prid", "go on"]).value("resume"), Some("id".into()));
        assert_eq!(all.value("settings"), None);
        assert!(all.has("resume") && !all.has("continue"));
    }

    #[cfg(unix)]
    #[test]
    fn words_that_are_no_unicode_stay_as_they_are() {
        use std::os::unix::ffi::OsStringExt;
        let odd = OsString::from_vec(vec![b'a', 0xff]);
        let mut all = Arguments::new(vec![odd.clone()]);
        all.add("print");
        assert_eq!(all.into_words(), ["--print".into(), odd]);
    }
}
