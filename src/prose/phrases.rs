//! The phrases, by language in `phrases/*.txt`, and the search for them at a place in a sentence. The table is built at
//! compile time and holds offsets instead of pointers, so that it costs a start of the program nothing.

use super::kinds::{Kinds, NAMES};

/// All phrase files. `[kind]` heads a section, `#` a comment; `; ` parts phrases, which are lower case, as `speech`
/// leaves the text. A phrase begins and ends at the bounds of words, unless a `*` ends it or its script puts no spaces between words.
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
    /// Where it begins in `TEXT`, in the lower 20 bits; above them bits of the hash of its first bytes, so that a phrase
    /// that cannot be the one is passed over without a look at its text.
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
const TAG_SHIFT: u32 = 20;
const START: u32 = (1 << TAG_SHIFT) - 1;
/// Phrases are filed by their first bytes: as many of these as the phrase has. Many begin alike ("would you …"), so
/// that a long key keeps most of them from being looked at.
const KEYS: [usize; 4] = [2, 3, 5, 9];

struct Table<const N: usize> {
    phrases: [Phrase; N],
    heads: [u16; BUCKETS],
    /// The ends of words, filed by their last byte.
    tails: [u16; 256],
}

static TABLE: Table<{ count() }> = build();

/// What a hash begins with, and what one becomes by one more byte; a shorter key's is on the way to a longer one's.
const SEED: u32 = 0x811c_9dc5;
const fn hashed(hash: u32, byte: u8) -> u32 {
    (hash ^ byte as u32).wrapping_mul(0x0100_0193)
}

const fn bucket(hash: u32) -> usize {
    (hash ^ (hash >> 15)) as usize % BUCKETS
}

/// The end of the line or phrase that begins at `start`.
#[allow(clippy::indexing_slicing)] // evaluated at compile time, over our own files
const fn part_end(text: &[u8], start: usize) -> usize {
    let mut end = start;
    while end < text.len() && text[end] != b'\n' && text[end] != b';' {
        end += 1;
    }
    end
}

/// Where the part after the one that ends at `end` begins.
#[allow(clippy::indexing_slicing)] // evaluated at compile time, over our own files
const fn after_part(text: &[u8], end: usize) -> usize {
    if end + 1 < text.len() && text[end + 1] == b' ' { end + 2 } else { end + 1 }
}

#[allow(clippy::indexing_slicing, long_running_const_eval)] // evaluated at compile time, over our own files
const fn count() -> usize {
    let text = TEXT.as_bytes();
    let (mut at, mut found) = (0, 0);
    while at < text.len() {
        let end = part_end(text, at);
        if end > at && text[at] != b'#' && text[at] != b'[' {
            found += 1;
        }
        at = after_part(text, end);
    }
    found
}

#[allow(clippy::indexing_slicing, clippy::panic, long_running_const_eval)] // a bad phrase file must not compile
const fn build<const N: usize>() -> Table<N> {
    let text = TEXT.as_bytes();
    assert!(text.len() < START as usize, "the phrases no longer fit 20-bit offsets");
    assert!(N < END as usize, "the phrases no longer fit 16-bit indices");
    let empty = Phrase { start: 0, next: END, length: 0, kind: 0 };
    let mut table = Table { phrases: [empty; N], heads: [END; BUCKETS], tails: [END; 256] };
    let (mut at, mut index, mut kind) = (0, 0, u8::MAX);
    while at < text.len() {
        let end = part_end(text, at);
        if end > at && text[at] == b'[' {
            kind = kind_named(text, at + 1, end - 1);
        } else if end > at && text[at] != b'#' {
            let stem = text[end - 1] == b'*';
            let tail = text[at] == b'*';
            let at = at + tail as usize;
            let length = end - at - stem as usize;
            assert!(length >= 2 && length <= u8::MAX as usize, "a phrase has 2 to 255 bytes");
            let (mut key, mut hash, mut hashed_to) = (0, SEED, 0);
            while key < KEYS.len() && KEYS[key] <= length {
                while hashed_to < KEYS[key] {
                    hash = hashed(hash, text[at + hashed_to]);
                    hashed_to += 1;
                }
                key += 1;
            }
            let home = bucket(hash);
            let kind = if stem { kind | STEM } else { kind };
            let head = if tail { &mut table.tails[text[end - 1] as usize] } else { &mut table.heads[home] };
            table.phrases[index] =
                Phrase { start: at as u32 | (hash >> TAG_SHIFT) << TAG_SHIFT, next: *head, length: length as u8, kind };
            *head = index as u16;
            index += 1;
        }
        at = after_part(text, end);
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

/// The kinds of the ends of a word.
pub(super) fn by_ending(word: &[u8]) -> Kinds {
    let mut found = Kinds::NONE;
    let last = word.last().copied().unwrap_or(0);
    let mut index = TABLE.tails.get(usize::from(last)).copied().unwrap_or(END);
    while let Some(phrase) = TABLE.phrases.get(usize::from(index)) {
        let (start, length) = ((phrase.start & START) as usize, usize::from(phrase.length));
        let wanted = TEXT.as_bytes().get(start..start + length).unwrap_or(&[]);
        if word.len() > length + 1 && word.ends_with(wanted) {
            found = found | Kinds::bit(phrase.kind);
        }
        index = phrase.next;
    }
    found
}

/// The kinds of the phrases that begin at a place.
pub(super) fn at_position(sentence: &str, at: usize) -> Kinds {
    let mut found = Kinds::NONE;
    let mut hash = SEED;
    let mut hashed_to = 0;
    let here = sentence.as_bytes().get(at..).unwrap_or(&[]);
    for key in KEYS {
        let Some(more) = here.get(hashed_to..key) else { break };
        hash = more.iter().fold(hash, |hash, &byte| hashed(hash, byte));
        hashed_to = key;
        let mut index = TABLE.heads.get(bucket(hash)).copied().unwrap_or(END);
        while let Some(phrase) = TABLE.phrases.get(usize::from(index)) {
            index = phrase.next;
            if phrase.start >> TAG_SHIFT != hash >> TAG_SHIFT {
                continue;
            }
            let (start, length) = ((phrase.start & START) as usize, usize::from(phrase.length));
            let wanted = TEXT.as_bytes().get(start..start + length);
            if wanted.is_some()
                && here.get(..length) == wanted
                && (phrase.kind & STEM != 0 || closes(sentence, at + length))
            {
                found = found | Kinds::bit(phrase.kind & !STEM);
            }
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

pub(super) fn in_word(this: char) -> bool {
    if this.is_ascii() { this.is_ascii_alphanumeric() || this == '_' } else { this.is_alphanumeric() }
}

/// Chinese, Japanese, Korean and Thai: phrases are found within what has no spaces.
pub(super) fn spaceless(this: char) -> bool {
    matches!(this, '\u{e00}'..='\u{e7f}' | '\u{1100}'..='\u{11ff}' | '\u{2e80}'..='\u{9fff}' | '\u{ac00}'..='\u{d7ff}'
        | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}
