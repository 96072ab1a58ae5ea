//! `unattended` keeps Claude Code runs moving when nobody is there to answer.

pub mod paths;
pub mod trouble;
