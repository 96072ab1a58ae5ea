//! The phrases, by language in `phrases/*.txt`, and the search for them in a sentence. The table is built at compile
//! time and holds offsets instead of pointers, so that it costs a start of the program nothing.

use std::ops::BitOr;

/// A set of kinds of phrase found in a sentence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Kinds(u32);

impl Kinds {
    pub(super) const NONE: Self = Self(0);
    /// Leave is asked for an act of the author's own: "shall I".
    pub(super) const MAY: Self = Self(1);
    /// The same as a wish of the reader: "would you like me to".
    pub(super) const WANT: Self = Self(1 << 1);
    /// The reader is asked for a choice or a fact: "which", "could you".
    pub(super) const ASK: Self = Self(1 << 2);
    /// The reader is asked for a judgement: "does this look good".
    pub(super) const APPROVE: Self = Self(1 << 3);
    /// A courtesy that closes finished work: "anything else".
    pub(super) const ELSE: Self = Self(1 << 4);
    /// Something beyond what was asked for: "also", "as well".
    pub(super) const EXTRA: Self = Self(1 << 5);
    /// The asked-for work going on: "proceed", "step 2".
    pub(super) const GO: Self = Self(1 << 6);
    /// An act that others see or that cannot be undone: "push", "delete".
    pub(super) const OUTWARD: Self = Self(1 << 7);
    /// A statement that waits whatever came before: "awaiting your approval".
    pub(super) const WAIT: Self = Self(1 << 8);
    /// A statement that waits unless the work is done: "let me know which".
    pub(super) const SOFT: Self = Self(1 << 9);
    /// A condition the reader has to meet: "once you".
    pub(super) const ONCE: Self = Self(1 << 10);
    /// What the author does after that: "I'll".
    pub(super) const THEN: Self = Self(1 << 11);
    /// An offer as a statement: "let me know if", "happy to".
    pub(super) const OFFER: Self = Self(1 << 12);
    /// Evidence of finished work: "all tests pass".
    pub(super) const DONE: Self = Self(1 << 13);
    /// Evidence of work done in part: "step 1 of", "remaining".
    pub(super) const PART: Self = Self(1 << 14);
    /// Evidence of work not begun: "haven't", "before I".
    pub(super) const OPEN: Self = Self(1 << 15);
    /// What is finished is only a plan or an analysis, or is not finished at all: "once done".
    pub(super) const PLAN: Self = Self(1 << 16);
    /// Takes back what the sentence seems to wait for: "no need to".
    pub(super) const VOID: Self = Self(1 << 17);
    /// Speaks of a program or of other people that ask: "prompts the user".
    pub(super) const ABOUT: Self = Self(1 << 18);
    /// The author answers a question: "because", "I went with".
    pub(super) const ANSWER: Self = Self(1 << 19);
    /// A question the author puts to nobody: "why did", "what changed".
    pub(super) const RHETORIC: Self = Self(1 << 20);
    /// A verb of finished work, evidence only where it is the author's: "added".
    pub(super) const DID: Self = Self(1 << 21);
    /// A choice or a fact is asked for: "which", "how should I". Not leave, though it may say "should I".
    pub(super) const WHICH: Self = Self(1 << 22);

    /// Whether any of `others` is in the set.
    pub(super) fn any(self, others: Self) -> bool {
        self.0 & others.0 != 0
    }
}

impl BitOr for Kinds {
    type Output = Self;
    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

/// The names of the kinds as the phrase files write them, in the order of their bits.
const NAMES: [&str; 23] = [
    "may", "want", "ask", "approve", "else", "extra", "go", "outward", "wait", "soft", "once", "then", "offer", "done",
    "part", "open", "plan", "void", "about", "answer", "rhetoric", "did", "which",
];

/// All phrase files. `[kind]` heads a section, `#` a comment; a phrase is lower case, as `speech` leaves the text. A
/// phrase begins and ends at the bounds of words, unless a `*` ends it or its script puts no spaces between words.
const TEXT: &str = concat!(
    include_str!("phrases/english.txt"),
    "\n",
    include_str!("phrases/germanic.txt"),
    "\n",
    include_str!("phrases/romance.txt"),
    "\n",
    include_str!("phrases/slavic.txt"),
    "\n",
    include_str!("phrases/east_asian.txt"),
    "\n",
    include_str!("phrases/others.txt"),
);

#[derive(Clone, Copy)]
struct Phrase {
    start: u32,
    /// The next phrase with the same first bytes; `END` is none.
    next: u16,
    length: u8,
    /// The kind's bit; with `STEM` the phrase may go on within a word.
    kind: u8,
}

const STEM: u8 = 0x80;

const END: u16 = u16::MAX;
const BUCKETS: usize = 4096;
/// Phrases are filed by their first bytes: these many, or these many where the phrase is shorter.
const KEYS: [usize; 2] = [5, 3];

struct Table<const N: usize> {
    phrases: [Phrase; N],
    heads: [u16; BUCKETS],
}

static TABLE: Table<{ count() }> = build();

/// Where phrases that begin with these `key` bytes are filed.
#[allow(clippy::indexing_slicing)] // the caller has seen that the bytes are there
const fn bucket(text: &[u8], start: usize, key: usize) -> usize {
    let (mut hash, mut at) = (key as u32, 0);
    while at < key {
        hash = (hash ^ text[start + at] as u32).wrapping_mul(0x0100_0193);
        at += 1;
    }
    ((hash ^ (hash >> 15)) as usize) % BUCKETS
}

/// The end of the line that begins at `start`.
#[allow(clippy::indexing_slicing)] // evaluated at compile time, over our own files
const fn line_end(text: &[u8], start: usize) -> usize {
    let mut end = start;
    while end < text.len() && text[end] != b'\n' {
        end += 1;
    }
    end
}

#[allow(clippy::indexing_slicing, long_running_const_eval)] // evaluated at compile time, over our own files
const fn count() -> usize {
    let text = TEXT.as_bytes();
    let (mut at, mut found) = (0, 0);
    while at < text.len() {
        let end = line_end(text, at);
        if end > at && text[at] != b'#' && text[at] != b'[' {
            found += 1;
        }
        at = end + 1;
    }
    found
}

#[allow(clippy::indexing_slicing, clippy::panic, long_running_const_eval)] // a bad phrase file must not compile
const fn build<const N: usize>() -> Table<N> {
    let text = TEXT.as_bytes();
    assert!(N < END as usize, "the phrases no longer fit 16-bit indices");
    let empty = Phrase { start: 0, next: END, length: 0, kind: 0 };
    let mut table = Table { phrases: [empty; N], heads: [END; BUCKETS] };
    let (mut at, mut index, mut kind) = (0, 0, u8::MAX);
    while at < text.len() {
        let end = line_end(text, at);
        if end > at && text[at] == b'[' {
            kind = kind_named(text, at + 1, end - 1);
        } else if end > at && text[at] != b'#' {
            let stem = text[end - 1] == b'*';
            let length = end - at - stem as usize;
            assert!(length >= 3 && length <= u8::MAX as usize, "a phrase has 3 to 255 bytes");
            let home = bucket(text, at, if length >= KEYS[0] { KEYS[0] } else { KEYS[1] });
            let kind = if stem { kind | STEM } else { kind };
            let next = table.heads[home];
            table.phrases[index] = Phrase { start: at as u32, next, length: length as u8, kind };
            table.heads[home] = index as u16;
            index += 1;
        }
        at = end + 1;
    }
    table
}

#[allow(clippy::indexing_slicing, clippy::panic)] // a bad phrase file must not compile
const fn kind_named(text: &[u8], start: usize, end: usize) -> u8 {
    let mut kind = 0;
    while kind < NAMES.len() {
        let name = NAMES[kind].as_bytes();
        let mut same = name.len() == end - start;
        let mut at = 0;
        while same && at < name.len() {
            same = name[at] == text[start + at];
            at += 1;
        }
        if same {
            return kind as u8;
        }
        kind += 1;
    }
    panic!("a phrase file names a kind that does not exist")
}

/// The kinds of phrase found anywhere in a sentence, and those found at its beginning.
pub(super) fn find(sentence: &str) -> (Kinds, Kinds) {
    let bytes = sentence.as_bytes();
    let (mut all, mut first) = (Kinds::NONE, Kinds::NONE);
    let mut before = ' ';
    let mut begun = false;
    for (at, this) in sentence.char_indices() {
        let opens = !in_word(before) || spaceless(this);
        if opens && (in_word(this) || !this.is_whitespace()) {
            let found = at_position(sentence, bytes, at);
            all = all | found;
            if !begun {
                first = first | found;
            }
        }
        begun = begun || in_word(this);
        before = this;
    }
    (all, first)
}

fn at_position(sentence: &str, bytes: &[u8], at: usize) -> Kinds {
    let mut found = Kinds::NONE;
    for key in KEYS.into_iter().filter(|key| at + key <= bytes.len()) {
        let mut index = TABLE.heads.get(bucket(bytes, at, key)).copied().unwrap_or(END);
        while let Some(phrase) = TABLE.phrases.get(usize::from(index)) {
            let (start, length) = (phrase.start as usize, usize::from(phrase.length));
            let wanted = TEXT.as_bytes().get(start..start + length);
            if wanted.is_some()
                && bytes.get(at..at + length) == wanted
                && (phrase.kind & STEM != 0 || closes(sentence, at + length))
            {
                found = found | Kinds(1 << (phrase.kind & !STEM));
            }
            index = phrase.next;
        }
    }
    found
}

/// Whether a word may end at `end`.
fn closes(sentence: &str, end: usize) -> bool {
    let after = sentence.get(end..).and_then(|rest| rest.chars().next()).unwrap_or(' ');
    let last = sentence.get(..end).and_then(|start| start.chars().next_back()).unwrap_or(' ');
    !in_word(after) || !in_word(last) || spaceless(after) || spaceless(last)
}

fn in_word(this: char) -> bool {
    if this.is_ascii() { this.is_ascii_alphanumeric() || this == '_' } else { this.is_alphanumeric() }
}

/// Chinese, Japanese, Korean and Thai: phrases are found within what has no spaces.
pub(super) fn spaceless(this: char) -> bool {
    matches!(this, '\u{e00}'..='\u{e7f}' | '\u{1100}'..='\u{11ff}' | '\u{2e80}'..='\u{9fff}' | '\u{ac00}'..='\u{d7ff}'
        | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}
