//! What is set in the environment of a run, so that the programs it starts ask nobody. Pure.

/// What is set unless the caller has set it, and for git's own variables also unless the caller has set another of the
/// same meaning.
const QUIET: [(&str, &str, &[&str]); 11] = [
    ("UNATTENDED", "on", &[]),
    ("GIT_TERMINAL_PROMPT", "0", &[]),
    ("GIT_SSH_COMMAND", "ssh -o BatchMode=yes", &["GIT_SSH"]),
    // Without a terminal ssh would open a window on a desktop.
    ("SSH_ASKPASS_REQUIRE", "never", &[]),
    ("GIT_PAGER", "cat", &[]),
    ("PAGER", "cat", &[]),
    ("MANPAGER", "cat", &[]),
    ("GIT_EDITOR", "true", &[]),
    ("GIT_SEQUENCE_EDITOR", "true", &[]),
    ("EDITOR", "true", &[]),
    ("VISUAL", "true", &[]),
];

/// The variables to add; `is_set` says what the caller has set.
pub fn additions(is_set: impl Fn(&str) -> bool) -> Vec<(&'static str, &'static str)> {
    let wanted = QUIET.iter().filter(|(name, _, same)| !is_set(name) && !same.iter().any(|name| is_set(name)));
    wanted.map(|(name, value, _)| (*name, *value)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_caller_set_stays() {
        let set = ["UNATTENDED", "GIT_SSH", "EDITOR"];
        let added: Vec<_> = additions(|name| set.contains(&name)).into_iter().map(|(name, _)| name).collect();
        assert!(!added.contains(&"UNATTENDED") && !added.contains(&"GIT_SSH_COMMAND") && !added.contains(&"EDITOR"));
        assert!(added.contains(&"GIT_TERMINAL_PROMPT") && added.contains(&"GIT_EDITOR"));
        assert_eq!(additions(|_| false).len(), QUIET.len());
    }
}
