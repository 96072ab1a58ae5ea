//! An error for a person: what went wrong, and what to do next. `main` prints both.

use std::fmt;

/// What went wrong (one sentence that names the place) and a hint at the next step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trouble {
    /// What went wrong, and where.
    pub what: String,
    /// What to do about it.
    pub hint: String,
}

impl Trouble {
    /// A trouble as an `anyhow` error, ready to be returned.
    pub fn error(what: impl Into<String>, hint: impl Into<String>) -> anyhow::Error {
        anyhow::Error::new(Trouble { what: what.into(), hint: hint.into() })
    }
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)
    }
}

impl std::error::Error for Trouble {}
