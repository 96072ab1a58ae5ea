//! Weighs the sentences of a message: its end decides, what the whole says of the work done decides between a
//! question that waits and an offer. Takes sentences, gives a class; knows no phrase by its words.

use super::TurnEnd;
use super::phrases::Kinds;
use super::speech::{Form, Sentence};

/// How much may be said after a question or a statement for it still to count, in bytes; list items count a third.
const REACH: usize = 700;
/// How much may follow a question put to nobody in particular.
const SHORT: usize = 160;

/// What the message says of the work as a whole.
struct Work {
    done: bool,
    /// Done as a whole: nothing left over, nothing not yet begun.
    finished: bool,
}

/// What follows the sentence in hand.
#[derive(Default)]
struct After {
    bytes: usize,
    kinds: Kinds,
    /// The next sentence stands in the same line and is a statement.
    explained: bool,
    last: bool,
}

/// The class of a message made of these sentences.
pub(super) fn judge(sentences: &[Sentence]) -> TurnEnd {
    let work = work_of(sentences);
    let mut after = After { last: true, ..After::default() };
    let mut end = TurnEnd::Done;
    for (index, sentence) in sentences.iter().enumerate().rev() {
        if after.bytes > REACH {
            break;
        }
        let next = sentences.get(index + 1);
        after.explained = next.is_some_and(|next| next.line == sentence.line && !next.question);
        let found = if asks(sentence, &after) {
            weigh_question(sentence, &work, &after)
        } else {
            weigh_statement(sentence, &work)
        };
        match found {
            TurnEnd::Waits => return TurnEnd::Waits,
            TurnEnd::Offer => end = TurnEnd::Offer,
            TurnEnd::Done => {}
        }
        after.bytes += if sentence.form == Form::Item { sentence.length / 3 } else { sentence.length };
        after.kinds = after.kinds | sentence.kinds;
        after.last = false;
    }
    end
}

fn work_of(sentences: &[Sentence]) -> Work {
    let (mut done, mut left) = (false, false);
    for sentence in sentences.iter().filter(|sentence| !sentence.question) {
        let kinds = sentence.kinds;
        done = done || (kinds.any(Kinds::DONE) && !kinds.any(Kinds::OPEN | Kinds::PLAN | Kinds::ONCE));
        left = left || kinds.any(Kinds::PART | Kinds::OPEN);
    }
    Work { done, finished: done && !left }
}

/// Whether a sentence is a question to the reader, with its mark or without.
fn asks(sentence: &Sentence, after: &After) -> bool {
    let leave = Kinds::MAY | Kinds::WANT;
    sentence.question
        || (sentence.opens && sentence.kinds.any(leave) && sentence.form != Form::Heading)
        || (sentence.spaceless
            && after.last
            && sentence.kinds.any(leave | Kinds::ASK)
            && !sentence.kinds.any(Kinds::DONE | Kinds::VOID | Kinds::ABOUT | Kinds::OFFER))
}

fn weigh_question(sentence: &Sentence, work: &Work, after: &After) -> TurnEnd {
    let kinds = sentence.kinds;
    let leave = kinds.any(Kinds::MAY | Kinds::WANT);
    let addressed = leave || kinds.any(Kinds::ASK | Kinds::APPROVE | Kinds::ELSE);
    let heading = sentence.form == Form::Heading && !after.last;
    let answered = after.kinds.any(Kinds::ANSWER) || (after.explained && !leave && after.kinds.any(Kinds::DONE));
    if sentence.form == Form::Row || heading || answered {
        return TurnEnd::Done;
    }
    if kinds.any(Kinds::RHETORIC) && !leave && !after.last {
        return TurnEnd::Done;
    }
    if !addressed {
        return weigh_bare(sentence, work, after);
    }
    if kinds.any(Kinds::ELSE) || (kinds.any(Kinds::EXTRA) && (work.finished || !kinds.any(Kinds::GO))) {
        return TurnEnd::Offer;
    }
    if !work.finished {
        return TurnEnd::Waits;
    }
    let goes_on = kinds.any(Kinds::GO);
    let needs_leave = kinds.any(Kinds::MAY) && kinds.any(Kinds::OUTWARD);
    if leave {
        return if goes_on || needs_leave { TurnEnd::Waits } else { TurnEnd::Offer };
    }
    if kinds.any(Kinds::APPROVE) { TurnEnd::Offer } else { TurnEnd::Waits }
}

/// A question that names neither the reader nor the author: "Keep the old endpoint?"
fn weigh_bare(sentence: &Sentence, work: &Work, after: &After) -> TurnEnd {
    if after.bytes > SHORT || (after.explained && work.done) {
        return TurnEnd::Done;
    }
    match (work.finished, sentence.form) {
        (false, _) => TurnEnd::Waits,
        // A list of questions in finished work is part of the work: a template, a page of answers.
        (true, Form::Item) => TurnEnd::Done,
        (true, _) => TurnEnd::Offer,
    }
}

fn weigh_statement(sentence: &Sentence, work: &Work) -> TurnEnd {
    let kinds = sentence.kinds;
    if sentence.form == Form::Row || kinds.any(Kinds::VOID | Kinds::ABOUT) {
        return TurnEnd::Done;
    }
    if kinds.any(Kinds::WAIT) {
        let courtesy = kinds.any(Kinds::EXTRA | Kinds::ELSE | Kinds::OFFER);
        return if work.finished && courtesy { TurnEnd::Offer } else { TurnEnd::Waits };
    }
    let condition = kinds.any(Kinds::ONCE) && kinds.any(Kinds::THEN) && !kinds.any(Kinds::OFFER);
    if kinds.any(Kinds::SOFT) || condition {
        return if work.finished { TurnEnd::Offer } else { TurnEnd::Waits };
    }
    if kinds.any(Kinds::OFFER) {
        return if !work.done && kinds.any(Kinds::GO) { TurnEnd::Waits } else { TurnEnd::Offer };
    }
    TurnEnd::Done
}
