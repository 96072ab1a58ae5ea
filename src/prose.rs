//! Does a turn's closing message wait for an answer? Touches no file, clock or environment.

/// How a turn ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum TurnEnd {
    /// The work is not done until someone answers.
    Waits,
    /// It is done, and more is offered.
    Offer,
    /// It is done.
    Done,
}

/// Tells how a turn ended by its closing message.
pub fn classify(message: &str) -> TurnEnd {
    if message.trim_end().ends_with("proceed?") { TurnEnd::Waits } else { TurnEnd::Done }
}
