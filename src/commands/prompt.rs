//! `unattended prompt`: what an unattended session is told at its start, for `claude --append-system-prompt`.

use crate::guidance;
use crate::policy::Policy;

/// Prints the text.
pub fn run() {
    println!("{}", guidance::session(&Policy::load().config));
}
