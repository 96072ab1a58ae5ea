//! The repository around a folder, found by its files: no git is run, which would read the repository's own config.

use std::path::{Path, PathBuf};

use crate::doctor::trust::Place;
use crate::files;

/// Where a run would start.
pub(super) fn of(folder: PathBuf) -> Place {
    let top = folder.ancestors().find(|above| above.join(".git").exists()).map(Path::to_path_buf);
    let main = top.as_deref().map(main);
    let git = top.as_deref().map(|top| top.join(".git")).filter(|git| !git.is_dir());
    let trouble = git.and_then(|git| files::read(&git).err()).map(|error| error.to_string());
    Place { folder, top, main, trouble }
}

/// The main work tree's root. A linked work tree has a file `.git` that leads into the main one's `.git/worktrees`, and
/// there a `commondir` that leads to that `.git`; a submodule has no such thing and stands for itself.
fn main(top: &Path) -> PathBuf {
    let lead = || -> Option<PathBuf> {
        let text = files::read_text(&top.join(".git")).ok()??;
        let own = top.join(text.strip_prefix("gitdir:")?.trim());
        let common = files::read_text(&own.join("commondir")).ok()??;
        let common = own.join(common.trim()).canonicalize().ok()?;
        common.parent().filter(|_| common.ends_with(".git")).map(Path::to_path_buf)
    };
    lead().unwrap_or_else(|| top.to_path_buf())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_linked_work_tree_leads_to_its_main_one_and_a_submodule_to_itself() {
        let home = tempfile::tempdir().unwrap();
        let home = home.path().canonicalize().unwrap();
        for folder in ["main/.git/worktrees/wt", "main/.git/modules/sub", "wt/deep", "main/sub"] {
            fs::create_dir_all(home.join(folder)).unwrap();
        }
        let wt = home.join("main/.git/worktrees/wt");
        fs::write(home.join("wt/.git"), format!("gitdir: {}\n", wt.display())).unwrap();
        fs::write(wt.join("commondir"), "../..\n").unwrap();
        fs::write(home.join("main/sub/.git"), "gitdir: ../.git/modules/sub\n").unwrap();
        let of = |folder: &str| {
            let place = of(home.join(folder));
            [place.top, place.main].map(|path| path.map(|path| path.strip_prefix(&home).unwrap().display().to_string()))
        };
        let said = |top: &str, main: &str| [Some(top.to_owned()), Some(main.to_owned())];
        assert_eq!(of("main"), said("main", "main"));
        assert_eq!(of("wt/deep"), said("wt", "main"));
        assert_eq!(of("main/sub"), said("main/sub", "main/sub"));
        assert_eq!(super::of(home).top, None, "outside any");
    }
}
