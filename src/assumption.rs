//! What the model assumed after something was decided without a person, found in what it said. Pure.

use chrono::{DateTime, Utc};
use serde::Serialize;

/// Something that happened in a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Beat {
    /// When, where the transcript says.
    pub at: Option<DateTime<Utc>>,
    /// What.
    pub said: Said,
}

/// What happened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Said {
    /// The model wrote something.
    Words(String),
    /// It called a tool.
    Call {
        /// `tool_use_id`.
        id: String,
        /// The input, as a hash: the same question has the same.
        input: u64,
    },
    /// A call came back.
    Result {
        /// `tool_use_id`.
        id: String,
    },
    /// A person wrote something.
    Prompt,
}

/// A decision whose assumption is looked for.
#[derive(Debug, Clone)]
pub struct Sought {
    /// When it was made.
    pub at: DateTime<Utc>,
    /// The call that it answered, where its records have the id.
    pub call: Option<String>,
    /// Only the line that was asked for counts, not just any words.
    pub line_only: bool,
}

/// What was assumed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Assumption {
    /// In the model's words.
    pub text: String,
    /// Where they were found.
    pub from: From,
}

/// Where the words of an assumption were found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum From {
    /// The line `Assumed: …`.
    Line,
    /// The first sentences after the decision.
    Words,
    /// The session's closing message.
    Closing,
}

/// How much of an assumption is kept, in characters.
const LIMIT: usize = 600;
/// How much of other words, in characters.
const WORDS_LIMIT: usize = 300;
/// How many sentences of them.
const SENTENCES: usize = 2;

/// What was assumed after each decision, as far as the beats of its session tell. Decisions between which the model said
/// nothing, as parallel calls are, share the lines that follow: the first line is for the first.
pub fn find(beats: &[Beat], sought: &[Sought]) -> Vec<Option<Assumption>> {
    let mut found: Vec<Option<Assumption>> = vec![None; sought.len()];
    let mut starts: Vec<(usize, usize)> =
        sought.iter().enumerate().filter_map(|(at, sought)| Some((start(beats, sought)?, at))).collect();
    starts.sort_unstable();
    let batches = batches(beats, &starts);
    for (number, batch) in batches.iter().enumerate() {
        let Some((first, _)) = batch.first().copied() else { continue };
        // The same question asked again is the same matter still.
        let ours = input(beats, sought, batch);
        let end = batches.iter().skip(number + 1).find(|later| ours.is_none() || input(beats, sought, later) != ours);
        let end = end.and_then(|later| later.first()).map_or(beats.len(), |(start, _)| *start);
        let words: Vec<&str> = beats
            .get(first..end)
            .unwrap_or_default()
            .iter()
            .take_while(|beat| beat.said != Said::Prompt)
            .filter_map(|beat| match &beat.said {
                Said::Words(words) if !words.trim().is_empty() => Some(words.as_str()),
                _ => None,
            })
            .collect();
        let lines: Vec<String> = words.iter().flat_map(|words| lines(words)).collect();
        for (place, (_, at)) in batch.iter().enumerate() {
            let line = lines.get(place).or(lines.last()).map(|line| (line.clone(), From::Line));
            let line_only = sought.get(*at).is_some_and(|sought| sought.line_only);
            let other = || words.first().filter(|_| !line_only).map(|words| (sentences(words), From::Words));
            if let (Some(slot), Some((text, from))) = (found.get_mut(*at), line.or_else(other)) {
                *slot = Some(Assumption { text, from });
            }
        }
    }
    found
}

/// What a session's closing message says was assumed.
pub fn closing(message: &str) -> Option<Assumption> {
    let text = lines(message).into_iter().next().unwrap_or_else(|| sentences(message));
    (!text.is_empty()).then_some(Assumption { text, from: From::Closing })
}

/// The place behind the result of the decision's call; where that is not known, the first one after its time.
fn start(beats: &[Beat], sought: &Sought) -> Option<usize> {
    let of_call = sought.call.as_deref().and_then(|call| {
        beats.iter().rposition(|beat| matches!(&beat.said, Said::Result { id } if id == call)).map(|at| at + 1)
    });
    of_call.or_else(|| beats.iter().position(|beat| beat.at.is_some_and(|at| at > sought.at)))
}

/// Decisions between which the model said nothing, together.
fn batches(beats: &[Beat], starts: &[(usize, usize)]) -> Vec<Vec<(usize, usize)>> {
    let mut batches: Vec<Vec<(usize, usize)>> = Vec::new();
    for next in starts {
        let spoken = |from: usize| {
            let between = beats.get(from..next.0).unwrap_or_default();
            between.iter().any(|beat| matches!(&beat.said, Said::Words(words) if !words.trim().is_empty()))
        };
        match batches.last_mut() {
            Some(batch) if batch.last().is_some_and(|(from, _)| !spoken(*from)) => batch.push(*next),
            _ => batches.push(vec![*next]),
        }
    }
    batches
}

/// The input of a batch that is one call.
fn input(beats: &[Beat], sought: &[Sought], batch: &[(usize, usize)]) -> Option<u64> {
    let [(_, at)] = batch else { return None };
    let call = sought.get(*at)?.call.as_deref()?;
    beats.iter().find_map(|beat| match &beat.said {
        Said::Call { id, input } if id == call => Some(*input),
        _ => None,
    })
}

/// What stands behind each `Assumed:` in a text. The guidance asks for a line that begins with it; models put marks
/// before it, write it bold, or let it follow another sentence.
fn lines(text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        let Some(rest) = behind_the_word(line) else { continue };
        let mut rest = rest.trim_matches(['*', '_', '`', ' ']).to_owned();
        // "Assumed:" alone stands over a list.
        while rest.is_empty() || rest.ends_with(';') {
            let Some(next) = lines.next_if(|next| behind_the_word(next).is_none()) else { break };
            let next = next.trim().trim_start_matches(['-', '*', ' ']);
            if next.is_empty() && !rest.is_empty() {
                break;
            }
            rest = if rest.is_empty() { next.to_owned() } else { format!("{rest} {next}") };
        }
        if !rest.is_empty() {
            found.push(limited(&rest, LIMIT));
        }
    }
    found
}

fn behind_the_word(line: &str) -> Option<&str> {
    let start = line.trim_start_matches(|c: char| c.is_whitespace() || "-*_`>#•".contains(c) || c.is_ascii_digit());
    let start = start.strip_prefix(['.', ')']).map_or(start, |rest| rest.trim_start_matches(['*', '_', '`', ' ']));
    let begins = start.get(..7).is_some_and(|word| word.eq_ignore_ascii_case("assumed"));
    let rest = if begins {
        start.get(7..)?
    } else {
        let at = line
            .find("Assumed:")
            .filter(|at| line.get(..*at).is_some_and(|before| before.ends_with([' ', '(', '*'])))?;
        line.get(at + 7..)?
    };
    rest.trim_start_matches(['*', '_', '`', ' ']).strip_prefix(':')
}

/// The first sentences of a text, in one line.
fn sentences(text: &str) -> String {
    let flat: Vec<&str> = text.split_whitespace().collect();
    let flat = flat.join(" ");
    let ends = flat.char_indices().filter(|(at, c)| {
        let rest = flat.get(at + c.len_utf8()..).unwrap_or_default();
        matches!(c, '.' | '!' | '?') && (rest.is_empty() || rest.starts_with(' ')) || matches!(c, '。' | '！' | '？')
    });
    let end = ends.map(|(at, c)| at + c.len_utf8()).nth(SENTENCES - 1).unwrap_or(flat.len());
    limited(flat.get(..end).unwrap_or_default(), WORDS_LIMIT)
}

fn limited(text: &str, limit: usize) -> String {
    match text.char_indices().nth(limit) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default().trim_end()),
        None => text.trim_end().to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    fn beats(session: &[&str]) -> Vec<Beat> {
        let said = |beat: &&str| match beat.split_once(' ') {
            Some(("say", words)) => Said::Words(words.to_owned()),
            Some(("call", id)) => Said::Call { id: id.to_owned(), input: id.bytes().next().unwrap().into() },
            Some(("result", id)) => Said::Result { id: id.to_owned() },
            _ => Said::Prompt,
        };
        let at = |second: usize| DateTime::from_timestamp(second as i64, 0);
        session.iter().enumerate().map(|(second, beat)| Beat { at: at(second), said: said(beat) }).collect()
    }

    fn sought(call: Option<&str>, second: i64) -> Sought {
        Sought { at: DateTime::from_timestamp(second, 0).unwrap(), call: call.map(str::to_owned), line_only: false }
    }

    /// What is found for each of these calls.
    fn found(session: &[&str], calls: &[&str]) -> Vec<String> {
        let sought: Vec<_> = calls.iter().map(|call| sought(Some(call), 0)).collect();
        find(&beats(session), &sought)
            .into_iter()
            .map(|found| found.map_or("-".to_owned(), |found| found.text))
            .collect()
    }

    #[rstest]
    #[case::as_asked("Assumed: red, it is usual.", &["red, it is usual."])]
    #[case::bold("**Assumed:** red", &["red"])]
    #[case::bold_word("**Assumed**: red", &["red"])]
    #[case::in_a_list("- Assumed: red\n- Assumed: wide", &["red", "wide"])]
    #[case::in_a_numbered_list("1. Assumed: red\n2. **Assumed:** wide", &["red", "wide"])]
    #[case::quoted("> Assumed: red", &["red"])]
    #[case::in_code("`Assumed: red`", &["red"])]
    #[case::behind_a_sentence("I go on. Assumed: red", &["red"])]
    #[case::over_a_list("Assumed:\n- red", &["red"])]
    #[case::lower_case("assumed: red", &["red"])]
    #[case::no_such_line("I assumed that red is fine.", &[])]
    #[case::a_word_that_begins_so("Assumedly: red", &[])]
    #[case::nothing_behind_it("Assumed:", &[])]
    fn the_line_is_found_however_it_is_dressed(#[case] text: &str, #[case] expected: &[&str]) {
        assert_eq!(lines(text), expected);
    }

    #[test]
    fn parallel_calls_share_the_lines_in_their_order() {
        let session =
            ["call a", "call b", "result a", "result b", "say Assumed: red\nAssumed: wide", "call c", "result c"];
        assert_eq!(found(&session, &["a", "b", "c"]), ["red", "wide", "-"]);
        assert_eq!(found(&["call a", "call b", "result a", "result b", "say Assumed: both"], &["a", "b"]), ["both"; 2]);
    }

    #[test]
    fn a_line_about_a_later_question_is_not_taken_for_an_earlier_one() {
        let session = ["call a", "result a", "say I go on.", "call b", "result b", "say Assumed: wide"];
        assert_eq!(found(&session, &["a", "b"]), ["I go on.", "wide"]);
    }

    #[test]
    fn the_same_question_asked_again_is_the_same_matter() {
        let session = ["call a1", "result a1", "say Which one?", "call a2", "result a2", "say Assumed: red"];
        assert_eq!(found(&session, &["a1", "a2"]), ["red", "red"]);
    }

    #[test]
    fn what_follows_a_persons_next_prompt_is_not_looked_at() {
        let session = ["call a", "result a", "prompt", "say Assumed: red"];
        assert_eq!(found(&session, &["a"]), ["-"]);
    }

    #[test]
    fn without_a_call_the_time_counts() {
        let session = beats(&["say before", "result x", "say Assumed: red"]);
        assert_eq!(find(&session, &[sought(None, 1)])[0].as_ref().unwrap().text, "red");
        assert_eq!(find(&session, &[sought(None, 9)]), [None]);
    }

    #[test]
    fn only_two_sentences_of_other_words_are_kept() {
        let session = ["result a", "say It is v1.2 now.  Red\nit is! Nothing else."];
        assert_eq!(found(&session, &["a"]), ["It is v1.2 now. Red it is!"]);
        assert_eq!(found(&["result a", "say 赤にした。在庫がある。他は何も。"], &["a"]), ["赤にした。在庫がある。"]);
    }

    #[test]
    fn where_only_the_line_counts_other_words_do_not() {
        let only = Sought { line_only: true, ..sought(Some("a"), 0) };
        assert_eq!(find(&beats(&["result a", "say Carried out."]), &[only]), [None]);
    }
}
