//! Weighs the sentences of a message: its end decides, what the whole says of the work done decides between a
//! question that waits and an offer. Takes sentences, gives a class; knows no phrase by its words.

use super::TurnEnd;
use super::kinds::Kinds;
use super::speech::{Form, Sentence};

/// How much may be said after a question or a statement for it still to count, in bytes; list items count a third.
const REACH: usize = 700;
/// How much may follow a question put to nobody in particular.
const SHORT: usize = 160;

/// How many sentences before a question may hold the ideas it is about.
const IDEAS: usize = 6;
/// How many sentences make the close of a message.
const CLOSE: usize = 4;

/// What the message says of the work as a whole.
struct Work {
    done: bool,
    /// Done as a whole: nothing left over, nothing not yet begun.
    finished: bool,
    /// Given up and taken back.
    gave_up: bool,
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
        let before = sentences.get(index.saturating_sub(IDEAS)..index).unwrap_or(&[]);
        // Finished work with ideas for more: whatever is asked about them is an offer.
        let ideas = work.finished && before.iter().any(|sentence| sentence.kinds.any(Kinds::IDEA));
        let found = if asks(sentence, &after) {
            match weigh_question(sentence, &work, &after) {
                TurnEnd::Done if sentence.kinds.any(Kinds::WAIT) => weigh_statement(sentence, &work),
                found => found,
            }
        } else {
            weigh_statement(sentence, &work)
        };
        // "The key is missing. Once it is set I'll go on."
        let stuck = before.iter().any(|sentence| sentence.kinds.any(Kinds::CANT | Kinds::OPEN));
        let resumes =
            sentence.kinds.all(Kinds::TILL | Kinds::THEN) && !sentence.kinds.any(Kinds::MACHINE | Kinds::OFFER);
        let found = if stuck && resumes && !work.finished { TurnEnd::Waits } else { found };
        let found = if ideas && found == TurnEnd::Waits { TurnEnd::Offer } else { found };
        match found {
            TurnEnd::Waits => return TurnEnd::Waits,
            TurnEnd::Offer => end = TurnEnd::Offer,
            TurnEnd::Done => {}
        }
        after.bytes += if sentence.form == Form::Item { sentence.length / 3 } else { sentence.length };
        after.kinds = after.kinds | sentence.kinds;
        after.last = false;
    }
    if end == TurnEnd::Done && stands_open(sentences) { TurnEnd::Waits } else { end }
}

/// Whether a message that asks for nothing in words stopped at something open: "without a dump I'd only be guessing, so
/// I haven't changed anything". Work that was given up is no such thing.
fn stands_open(sentences: &[Sentence]) -> bool {
    let whole = sentences.iter().fold(Kinds::NONE, |kinds, sentence| kinds | sentence.kinds);
    let close = sentences.iter().rev().take(CLOSE).fold(Kinds::NONE, |kinds, sentence| kinds | sentence.kinds);
    close.any(Kinds::DEPEND)
        && close.any(Kinds::OPEN)
        && !whole.any(Kinds::GAVEUP | Kinds::VOID)
        && !close.any(Kinds::MACHINE | Kinds::ANSWER)
}

fn work_of(sentences: &[Sentence]) -> Work {
    let (mut done, mut left, mut gave_up) = (false, false, false);
    for sentence in sentences.iter().filter(|sentence| !sentence.question) {
        let kinds = sentence.kinds;
        let past = kinds.any(Kinds::PAST) || (kinds.any(Kinds::DONE) && !kinds.any(Kinds::PLAN));
        done = done || (past && !kinds.any(Kinds::OPEN | Kinds::ONCE));
        gave_up = gave_up || kinds.any(Kinds::GAVEUP);
        left = left || kinds.any(Kinds::PART | Kinds::OPEN);
    }
    Work { done, finished: done && !left, gave_up }
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
    let which = kinds.any(Kinds::WHICH);
    let leave = kinds.any(Kinds::MAY | Kinds::WANT) && !which;
    let addressed = leave
        || kinds.any(Kinds::ASK | Kinds::DIRECT | Kinds::YOU | Kinds::APPROVE | Kinds::ELSE)
        || (which && !after.explained);
    let heading = sentence.form == Form::Heading && !after.last;
    let answered = after.kinds.any(Kinds::ANSWER)
        || (after.explained && !leave && !kinds.any(Kinds::DIRECT) && after.kinds.any(Kinds::DONE));
    if sentence.form == Form::Row || heading || answered {
        return TurnEnd::Done;
    }
    let held = after.kinds.any(Kinds::OPEN | Kinds::HOLD);
    if kinds.any(Kinds::RHETORIC) && !leave && !after.last && !held {
        return TurnEnd::Done;
    }
    // A list of questions in finished work is part of the work: a template, a page of answers.
    if sentence.form == Form::Item && work.finished && !leave {
        return TurnEnd::Done;
    }
    if !addressed {
        return weigh_bare(work, after);
    }
    let goes_on = kinds.any(Kinds::GO);
    // "Shall I start, or do you have any questions?" is no courtesy while the work is still to do.
    let matter = (leave && goes_on) || which || kinds.any(Kinds::APPROVE);
    if kinds.any(Kinds::ELSE) && (work.finished || !matter) {
        return TurnEnd::Offer;
    }
    if kinds.any(Kinds::EXTRA) && (work.finished || !goes_on) {
        return TurnEnd::Offer;
    }
    if !work.finished {
        return TurnEnd::Waits;
    }
    let needs_leave = kinds.any(Kinds::MAY) && kinds.any(Kinds::OUTWARD);
    if leave {
        return if goes_on || needs_leave { TurnEnd::Waits } else { TurnEnd::Offer };
    }
    if kinds.any(Kinds::APPROVE) { TurnEnd::Offer } else { TurnEnd::Waits }
}

/// A question that names neither the reader nor the author: "Keep the old endpoint?"
fn weigh_bare(work: &Work, after: &After) -> TurnEnd {
    if after.bytes > SHORT || (after.explained && work.done) {
        return TurnEnd::Done;
    }
    if work.finished { TurnEnd::Offer } else { TurnEnd::Waits }
}

fn weigh_statement(sentence: &Sentence, work: &Work) -> TurnEnd {
    let kinds = sentence.kinds;
    if sentence.form == Form::Row || kinds.any(Kinds::VOID | Kinds::ABOUT) {
        return TurnEnd::Done;
    }
    if kinds.any(Kinds::ELSE) && !kinds.any(Kinds::WAIT) {
        return TurnEnd::Offer;
    }
    if kinds.any(Kinds::WAIT) {
        let courtesy = kinds.any(Kinds::EXTRA | Kinds::ELSE | Kinds::OFFER | Kinds::APPROVE | Kinds::IF);
        return if work.finished && courtesy { TurnEnd::Offer } else { TurnEnd::Waits };
    }
    // "Let me know if you need more" offers; "let me know if you agree" waits.
    let matter = Kinds::APPROVE | Kinds::GO | Kinds::THEN | Kinds::MAY | Kinds::WHICH;
    if kinds.any(Kinds::SOFT) && kinds.any(Kinds::OFFER) && !kinds.any(matter) {
        return TurnEnd::Offer;
    }
    let condition = kinds.any(Kinds::ONCE) && kinds.any(Kinds::THEN) && !kinds.any(Kinds::OFFER);
    if kinds.any(Kinds::SOFT) || condition {
        return if work.finished || (work.gave_up && !kinds.any(Kinds::YOU)) { TurnEnd::Offer } else { TurnEnd::Waits };
    }
    if kinds.any(Kinds::OFFER) {
        return if !work.done && kinds.any(Kinds::GO) { TurnEnd::Waits } else { TurnEnd::Offer };
    }
    TurnEnd::Done
}
