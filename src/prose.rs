//! Does a closing message wait for an answer? Pure: no file, clock, model or network; it never panics and it never
//! reads more than a bounded part of the message. `prose/speech.rs` takes out what is not said to the reader,
//! `prose/phrases.rs` knows words by their part in a sentence, `prose/frames.rs` what they say together,
//! `prose/verdict.rs` weighs it.

mod clauses;
mod frames;
mod kinds;
mod phrases;
mod speech;
mod verdict;

use serde::Serialize;

/// How a turn ends, as far as its closing message tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum TurnEnd {
    /// The work is not done until someone answers, approves, chooses or provides something.
    Waits,
    /// The work is done; something further is offered.
    Offer,
    /// The work is done, or was given up with a reason; nothing is asked.
    Done,
}

/// The class of a closing message (`last_assistant_message` of Stop). Any string will do; an empty one is `Done`.
pub fn classify(message: &str) -> TurnEnd {
    verdict::judge(&speech::read(message))
}
