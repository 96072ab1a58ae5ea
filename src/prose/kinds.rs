//! The kinds of word and phrase: what each says of its sentence. Names only; `phrases` finds them.

use std::ops::BitOr;

/// A set of kinds of phrase found in a sentence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Kinds(u64);

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
    /// The reader, or a person who is not the author: "you", "someone".
    pub(super) const YOU: Self = Self(1 << 23);
    /// A question that cannot but be put to the reader: "could you", "do you".
    pub(super) const DIRECT: Self = Self(1 << 24);
    /// What only a person gives: "approval", "a decision", "credentials".
    pub(super) const GRANT: Self = Self(1 << 25);
    /// Standing still: "waiting", "on hold", "blocked".
    pub(super) const HOLD: Self = Self(1 << 26);
    /// A bound in time or condition: "until", "as soon as".
    pub(super) const TILL: Self = Self(1 << 27);
    /// What the author is to learn or get: "I know", "that happens".
    pub(super) const KNOW: Self = Self(1 << 28);
    /// The author is short of something: "I need", "I'm missing".
    pub(super) const NEED: Self = Self(1 << 29);
    /// What the author needs to do by itself, no need for the reader: "need to".
    pub(super) const CHORE: Self = Self(1 << 30);
    /// At the beginning of a clause, a request for an answer or a thing: "choose", "send".
    pub(super) const REQUEST: Self = Self(1 << 31);
    /// At the beginning of a clause, a request for an act: "run", "plug in".
    pub(super) const ACT: Self = Self(1 << 32);
    /// The author cannot or will not: "can't", "rather not".
    pub(super) const CANT: Self = Self(1 << 33);
    /// Something open decides: "depends on", "without it".
    pub(super) const DEPEND: Self = Self(1 << 34);
    /// The work was given up: "reverted", "gave up".
    pub(super) const GAVEUP: Self = Self(1 << 35);
    /// What runs without people: "pipeline", "automatically".
    pub(super) const MACHINE: Self = Self(1 << 36);
    /// A word after which a clause may begin: "and", "please".
    pub(super) const JOIN: Self = Self(1 << 37);
    /// A request made polite, in any form of the verb: "please".
    pub(super) const PLEASE: Self = Self(1 << 38);
    /// Someone must act: "has to", "must".
    pub(super) const MUST: Self = Self(1 << 39);
    /// A condition that need not come about: "if".
    pub(super) const IF: Self = Self(1 << 40);
    /// What could be done one day: "possible follow-ups", "for later".
    pub(super) const IDEA: Self = Self(1 << 41);
    /// A bound that nothing passes: "until".
    pub(super) const UNTIL: Self = Self(1 << 42);
    /// After this word a form of the past says what was done: "I've", "were".
    pub(super) const AUX: Self = Self(1 << 43);
    /// Looking and preparing, no work done: "reviewed", "stopped".
    pub(super) const LOOK: Self = Self(1 << 44);
    /// A form of the past, where it says what was done: "Sorted the imports", "were renamed".
    pub(super) const PAST: Self = Self(1 << 45);

    /// The kind at this place in `NAMES`.
    pub(super) fn bit(place: u8) -> Self {
        Self(1 << (place & 63))
    }

    /// Whether any of `others` is in the set.
    pub(super) fn any(self, others: Self) -> bool {
        self.0 & others.0 != 0
    }

    /// The set without `others`.
    pub(super) fn without(self, others: Self) -> Self {
        Self(self.0 & !others.0)
    }

    /// Whether all of `others` are in the set.
    pub(super) fn all(self, others: Self) -> bool {
        self.0 & others.0 == others.0
    }
}

impl BitOr for Kinds {
    type Output = Self;
    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

/// The names of the kinds as the phrase files write them, in the order of their bits.
pub(super) const NAMES: [&str; 46] = [
    "may", "want", "ask", "approve", "else", "extra", "go", "outward", "wait", "soft", "once", "then", "offer", "done",
    "part", "open", "plan", "void", "about", "answer", "rhetoric", "did", "which", "you", "direct", "grant", "hold",
    "till", "know", "need", "chore", "request", "act", "cant", "depend", "gaveup", "machine", "join", "please", "must",
    "if", "idea", "until", "aux", "look", "past",
];
