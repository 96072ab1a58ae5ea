//! A closing message as a Stop brings it: whole, or of a very long one the two parts that say how a turn ended. Pure.

use std::borrow::Cow;

use serde_json::value::RawValue;

use crate::wire;

/// How long a message may be for all of it to be read, in bytes as the payload writes it.
const WHOLE: usize = 256 * 1024;
/// How much is read of the beginning of a longer one, where it often says what was done; and of its end, where it asks.
const HEAD: usize = 4 * 1024;
const END: usize = 64 * 1024;
const FENCE: &str = "```";

/// A closing message.
#[derive(Debug)]
pub struct Closing<'a> {
    /// What is read of it.
    pub said: Cow<'a, str>,
    /// How long it is, in bytes; of one that is not read whole, as the payload writes it.
    pub length: usize,
}

impl<'a> Closing<'a> {
    /// A value, where it is a string.
    pub fn of(value: &'a RawValue) -> Option<Self> {
        if value.get().len() <= WHOLE {
            let said = wire::whole_text(value)?;
            return Some(Self { length: said.len(), said });
        }
        let (head, end) = (wire::beginning(value, HEAD)?, wire::ending(value, END)?);
        // Code that begins in one part and ends beyond it hides nothing of the other.
        let (close, open) = (if within_code(&head) { FENCE } else { "" }, if within_code(&end) { FENCE } else { "" });
        let said = format!("{head}\n{close}\n\n{open}\n{end}").into();
        Some(Self { said, length: value.get().len() - 2 })
    }
}

/// Whether one of the fences around code stands alone.
fn within_code(text: &str) -> bool {
    text.lines().filter(|line| line.trim_start().starts_with(FENCE)).count() % 2 == 1
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may stop at the first thing that fails")]
mod tests {
    use super::*;
    use crate::prose::{TurnEnd, classify};

    fn class_of(message: &str) -> (TurnEnd, usize) {
        let value = RawValue::from_string(serde_json::to_string(message).unwrap()).unwrap();
        let closing = Closing::of(&value).unwrap();
        (classify(&closing.said), closing.said.len())
    }

    #[test]
    fn of_a_message_of_megabytes_the_beginning_and_the_end_are_read() {
        let much = "The parser looks at \"each\"\tline, é or not.\n".repeat(50_000);
        let (class, read) = class_of(&format!("{much}\nWhich of the two do you want me to use?"));
        assert_eq!(class, TurnEnd::Waits);
        assert!(read < HEAD + END + 100, "{read}");
        assert_eq!(class_of(&format!("{much}\nAll tests pass.")).0, TurnEnd::Done);
    }

    #[test]
    fn a_question_behind_code_of_megabytes_is_read_and_one_in_it_is_not() {
        let code = "let answer = ask(\"Shall I go on?\");\n".repeat(20_000);
        let behind = format!("Here it is:\n```rust\n{code}```\nWhich of the two do you want me to use?");
        assert_eq!(class_of(&behind).0, TurnEnd::Waits);
        let within = format!("Done. Here it is:\n```rust\n{code}Which of the two do you want me to use?\n```\n");
        assert_eq!(class_of(&within).0, TurnEnd::Done);
    }

    #[test]
    fn a_message_of_nothing_but_escapes_is_cut_between_them() {
        for escape in ["\\n", "\\u00e9", "\\\\", "\\ud83d\\ude00"] {
            let value = RawValue::from_string(format!("\"x{}\"", escape.repeat(100_000))).unwrap();
            let closing = Closing::of(&value).unwrap();
            let whole: String = serde_json::from_str(value.get()).unwrap();
            let kept = closing.said.trim_start_matches(|c| c != whole.chars().last().unwrap());
            // At most one pair of surrogates is cut in two.
            assert!(closing.said.matches('\u{fffd}').count() <= 2, "{escape}");
            assert!(kept.len() > 1000, "{escape}");
        }
    }
}
