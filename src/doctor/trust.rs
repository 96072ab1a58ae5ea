//! Whether a session in a terminal starts in a folder without asking whether it is trusted, as the client looks it up.
//! Measured on 2.1.50, 2.1.150, 2.1.198, 2.1.246 and 2.1.332; pure.

use std::path::{Path, PathBuf};

use crate::client::Version;

/// A folder, and the repository around it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The folder, symlinks followed.
    pub folder: PathBuf,
    /// The root of the work tree around it, if there is one.
    pub top: Option<PathBuf>,
    /// The root of the main work tree: for a linked one, of the repository that it belongs to.
    pub main: Option<PathBuf>,
    /// Why the `.git` in `top` cannot be read.
    pub trouble: Option<String>,
}

/// What of the project's own settings makes the client look closer.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Brings {
    /// Rules that allow tools.
    pub rules: bool,
    /// Hooks.
    pub hooks: bool,
}

/// Whether the client takes the folder for trusted; `accepted` tells of a path whether a person has said so.
pub fn is_trusted(version: Option<Version>, place: &Place, brings: Brings, accepted: impl Fn(&Path) -> bool) -> bool {
    let folder = place.folder.as_path();
    let up_to = |end: Option<&Path>| {
        let mut above = Vec::new();
        for folder in folder.ancestors() {
            above.push(folder);
            if end == Some(folder) {
                break;
            }
        }
        above.into_iter().any(&accepted)
    };
    match version {
        // The repository's main root alone where the project allows tools; else from the folder up to the work tree's
        // root as well.
        version if version.is_none_or(|version| version >= Version(2, 1, 246)) => {
            let key = place.main.as_deref().unwrap_or(folder);
            accepted(key) || (!brings.rules && up_to(place.top.as_deref()))
        }
        Some(version) if version >= Version(2, 1, 150) => place.main.as_deref().is_some_and(&accepted) || up_to(None),
        // A linked work tree stands for itself, and whatever the project brings must be trusted by its own name.
        _ if brings.rules || brings.hooks => accepted(folder) || place.top.as_deref().is_some_and(accepted),
        _ => up_to(None),
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    const NEW: Version = Version(2, 1, 332);
    const MIDDLE: Version = Version(2, 1, 198);
    const OLD: Version = Version(2, 1, 50);
    const PLAIN: Brings = Brings { rules: false, hooks: false };
    const RULES: Brings = Brings { rules: true, hooks: false };
    const HOOKS: Brings = Brings { rules: false, hooks: true };

    /// Each line is one session in a terminal of a real client: whether it went on without asking.
    #[rstest]
    #[case::untrusted(NEW, "/p", None, None, PLAIN, "/other", false)]
    #[case::itself(NEW, "/p", None, None, RULES, "/p", true)]
    #[case::a_folder_above(NEW, "/p/sub", None, None, PLAIN, "/p", true)]
    #[case::above_with_hooks(NEW, "/p/sub", None, None, HOOKS, "/p", true)]
    #[case::above_with_rules(NEW, "/p/sub", None, None, RULES, "/p", false)]
    #[case::the_root(NEW, "/p/sub", Some("/p"), Some("/p"), RULES, "/p", true)]
    #[case::below_the_root_with_rules(NEW, "/p/sub", Some("/p"), Some("/p"), RULES, "/p/sub", false)]
    #[case::below_the_root(NEW, "/p/sub", Some("/p"), Some("/p"), PLAIN, "/p/sub", true)]
    #[case::above_the_root(NEW, "/p/repo", Some("/p/repo"), Some("/p/repo"), PLAIN, "/p", false)]
    #[case::a_worktree_of_it(NEW, "/wt", Some("/wt"), Some("/p"), RULES, "/p", true)]
    #[case::the_worktree_alone(NEW, "/wt", Some("/wt"), Some("/p"), PLAIN, "/wt", true)]
    #[case::the_worktree_alone_with_rules(NEW, "/wt", Some("/wt"), Some("/p"), RULES, "/wt", false)]
    #[case::above_the_root_then(MIDDLE, "/p/repo", Some("/p/repo"), Some("/p/repo"), PLAIN, "/p", true)]
    #[case::the_worktree_alone_then(MIDDLE, "/wt", Some("/wt"), Some("/p"), RULES, "/wt", true)]
    #[case::a_worktree_then(MIDDLE, "/wt", Some("/wt"), Some("/p"), PLAIN, "/p", true)]
    #[case::a_worktree_long_ago(OLD, "/wt", Some("/wt"), Some("/p"), PLAIN, "/p", false)]
    #[case::the_worktree_alone_long_ago(OLD, "/wt", Some("/wt"), Some("/p"), RULES, "/wt", true)]
    #[case::above_with_hooks_long_ago(OLD, "/p/sub", None, None, HOOKS, "/p", false)]
    #[case::the_root_long_ago(OLD, "/p/sub", Some("/p"), Some("/p"), RULES, "/p", true)]
    #[case::above_the_root_long_ago(OLD, "/p/repo", Some("/p/repo"), Some("/p/repo"), PLAIN, "/p", true)]
    fn a_folder_is_trusted_as_the_client_says(
        #[case] version: Version,
        #[case] folder: &str,
        #[case] top: Option<&str>,
        #[case] main: Option<&str>,
        #[case] brings: Brings,
        #[case] accepted: &str,
        #[case] want: bool,
    ) {
        let place =
            Place { folder: folder.into(), top: top.map(Into::into), main: main.map(Into::into), trouble: None };
        assert_eq!(is_trusted(Some(version), &place, brings, |path| path == Path::new(accepted)), want);
    }
}
