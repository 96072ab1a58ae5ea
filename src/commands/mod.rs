//! The verbs, one a file. Each does its I/O, prints its result to standard output and gives errors back to `main`.

pub mod completions;
pub mod doctor;
pub mod hook;
pub mod install;
pub mod man;
pub mod prompt;
pub mod status;
pub mod switch;
pub mod uninstall;
