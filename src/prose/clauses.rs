//! The clauses and words of a sentence: which kinds stand where a clause begins, and which words say what was done.

use super::kinds::Kinds;
use super::phrases::{at_position, by_ending, in_word, spaceless};
use super::speech::HOLE;

/// The kinds of phrase found anywhere in a sentence, and those found at the beginning of a clause.
pub(super) fn find(sentence: &str) -> (Kinds, Kinds) {
    let bytes = sentence.as_bytes();
    let mut found = Found { fresh: true, ..Found::default() };
    let mut before = ' ';
    for (at, this) in sentence.char_indices() {
        // Within a word nothing begins and nothing ends.
        if this.is_ascii_alphanumeric() && in_word(before) {
            before = this;
            continue;
        }
        if found.inside && !in_word(this) && this != '\'' {
            found.close(bytes.get(found.start..at).unwrap_or(&[]));
        }
        if (!in_word(before) || spaceless(this)) && !this.is_whitespace() {
            found.open(this, at, at_position(sentence, at));
        }
        found.fresh = found.fresh || breaks(this, before);
        before = this;
    }
    if found.inside {
        found.close(bytes.get(found.start..).unwrap_or(&[]));
    }
    (found.all, found.opening)
}

/// What has been found so far, and the word in hand.
#[derive(Default)]
struct Found {
    all: Kinds,
    opening: Kinds,
    /// A clause may begin here.
    fresh: bool,
    /// The word before leads to a form of the past.
    led: bool,
    /// The word before is "is" or "are".
    is: bool,
    /// The word before begins the clause and may be a noun.
    named: bool,
    inside: bool,
    start: usize,
    word: Kinds,
    word_fresh: bool,
}

impl Found {
    fn open(&mut self, this: char, at: usize, kinds: Kinds) {
        self.all = self.all | kinds;
        if self.fresh {
            self.opening = self.opening | kinds;
        }
        if self.inside {
            self.word = self.word | kinds;
        } else if in_word(this) {
            (self.inside, self.start, self.word, self.word_fresh) = (true, at, kinds, self.fresh);
        }
        self.fresh = self.fresh && this != HOLE && (!in_word(this) || kinds.any(Kinds::JOIN));
    }

    /// Takes in the end of a word: what it ends in, and whether it says what was done.
    fn close(&mut self, word: &[u8]) {
        let ending = by_ending(word);
        let did = self.word.any(Kinds::DID);
        // "Sorted the imports", "Tests added", "I've moved it", "the bugs are fixed".
        let placed = self.word_fresh || self.led || self.named || (self.is && did);
        let past = placed && (did || (ending | self.word).any(Kinds::PAST)) && !self.word.any(Kinds::LOOK);
        self.all = self.all | ending.without(Kinds::PAST) | if past { Kinds::PAST } else { Kinds::NONE };
        let through = word.ends_with(b"ly") || self.word.any(Kinds::EXTRA | Kinds::JOIN);
        self.led = self.word.any(Kinds::AUX) || word == b"i" || (self.led && through);
        self.is = word == b"is" || word == b"are" || (self.is && through);
        self.named = self.word_fresh
            && (word.len() > 4 || word.ends_with(b"s"))
            && !word.contains(&b'\'')
            && !self.word.any(Kinds::JOIN);
        self.inside = false;
    }
}

/// Whether a clause may begin after this mark.
fn breaks(this: char, before: char) -> bool {
    matches!(this, ',' | ';' | ':' | '(' | '–' | '—' | '→' | '、') || (this == '-' && before == ' ')
}
