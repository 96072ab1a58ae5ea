//! Which project a folder belongs to: a repository, which all of its worktrees share, else the folder itself. Found by
//! reading `.git`; starts no process and reads no more than three small files.

use std::fs;
use std::path::{Path, PathBuf};

use crate::{hash, state};

/// How many folders are looked at on the way up.
const MOST_FOLDERS: usize = 64;
/// How much of a file that points to a repository is read, in bytes.
const POINTER_LIMIT: usize = 4096;

/// A project.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Project {
    /// The repository's own folder (`.git`), else the folder.
    place: PathBuf,
}

impl Project {
    /// The project of a folder. One that is not there any more counts by its path.
    pub fn of(folder: &Path) -> Project {
        let folder = fs::canonicalize(folder).unwrap_or_else(|_| folder.to_path_buf());
        let place = folder.ancestors().take(MOST_FOLDERS).find_map(repository);
        Project { place: place.unwrap_or(folder) }
    }

    /// As it is written down.
    pub fn key(&self) -> String {
        self.place.to_string_lossy().into_owned()
    }

    /// For people: the folder in which the repository is.
    pub fn folder(&self) -> &Path {
        match self.place.file_name() {
            Some(name) if name == ".git" => self.place.parent().unwrap_or(&self.place),
            _ => &self.place,
        }
    }

    /// A name for a file about it.
    pub fn file_name(&self) -> String {
        format!("{:016x}.jsonl", hash::of(self.place.as_os_str().as_encoded_bytes()))
    }
}

/// The repository whose working tree begins in this folder. In a worktree, and in a submodule, `.git` is a file that
/// names its own folder; a worktree's folder names in `commondir` the one that all worktrees share.
fn repository(folder: &Path) -> Option<PathBuf> {
    let git = folder.join(".git");
    let there = fs::metadata(&git).ok()?;
    if there.is_dir() {
        return git.join("HEAD").exists().then(|| real(&git));
    }
    if !there.is_file() {
        return None;
    }
    let own = folder.join(pointer(&git)?.strip_prefix("gitdir:")?.trim());
    // Whoever lays such a file into a folder does not get what is said to another repository for it: a worktree is one
    // whose repository names it in turn, and a submodule has no other's `.git`.
    let shared = match pointer(&own.join("commondir")) {
        Some(common) => {
            let back = pointer(&own.join("gitdir")).map(|back| real(&own.join(back.trim())));
            (back == Some(real(&git))).then(|| own.join(common.trim()))
        }
        None => Some(own.clone()).filter(|own| own.is_dir() && own.file_name().is_none_or(|name| name != ".git")),
    };
    // Else what it points to is elsewhere, as in a container: the working tree stands for itself.
    Some(shared.map_or_else(|| folder.to_path_buf(), |shared| real(&shared)))
}

fn pointer(file: &Path) -> Option<String> {
    let bytes = state::read(&fs::canonicalize(file).ok()?, POINTER_LIMIT).ok()?;
    String::from_utf8(bytes).ok()
}

fn real(path: &Path) -> PathBuf {
    fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A repository with a worktree as git lays them out, and a folder that is in none.
    fn laid_out() -> tempfile::TempDir {
        let home = tempfile::tempdir().unwrap();
        let at = |path: &str| home.path().join(path);
        for folder in ["repo/.git/worktrees/wt", "repo/src/deep", "elsewhere/wt/src", "plain/sub", "repo/module"] {
            fs::create_dir_all(at(folder)).unwrap();
        }
        fs::write(at("repo/.git/HEAD"), "ref: refs/heads/main\n").unwrap();
        fs::write(at("elsewhere/wt/.git"), format!("gitdir: {}\n", at("repo/.git/worktrees/wt").display())).unwrap();
        fs::write(at("repo/.git/worktrees/wt/commondir"), "../..\n").unwrap();
        fs::write(at("repo/.git/worktrees/wt/gitdir"), format!("{}\n", at("elsewhere/wt/.git").display())).unwrap();
        home
    }

    #[test]
    fn a_repository_is_one_project_from_any_of_its_folders_and_worktrees() {
        let home = laid_out();
        let of = |path: &str| Project::of(&home.path().join(path));
        assert_eq!(of("repo"), of("repo/src/deep"));
        assert_eq!(of("repo"), of("elsewhere/wt/src"));
        assert_eq!(of("repo").folder(), fs::canonicalize(home.path().join("repo")).unwrap());
    }

    #[test]
    fn a_folder_in_no_repository_is_a_project_of_its_own() {
        let home = laid_out();
        let of = |path: &str| Project::of(&home.path().join(path));
        assert_ne!(of("plain"), of("plain/sub"));
        assert_eq!(of("plain/../plain"), of("plain"));
        assert_ne!(of("plain").file_name(), of("plain/sub").file_name());
    }

    #[test]
    fn a_submodule_is_not_the_repository_around_it() {
        let home = laid_out();
        fs::create_dir_all(home.path().join("repo/.git/modules/module")).unwrap();
        fs::write(home.path().join("repo/module/.git"), "gitdir: ../.git/modules/module\n").unwrap();
        assert_ne!(Project::of(&home.path().join("repo/module")), Project::of(&home.path().join("repo")));
    }

    #[test]
    fn what_is_called_git_and_is_no_repository_does_not_make_one() {
        let home = laid_out();
        let sub = home.path().join("plain/sub");
        fs::create_dir(sub.join(".git")).unwrap();
        assert_eq!(Project::of(&sub).folder(), fs::canonicalize(&sub).unwrap());
        for text in ["", "nonsense", "gitdir: /nowhere/at/all\n", "gitdir: \u{0}"] {
            fs::write(home.path().join("plain/.git"), text).unwrap();
            let project = Project::of(&home.path().join("plain"));
            assert_eq!(project.folder(), fs::canonicalize(home.path().join("plain")).unwrap(), "{text:?}");
        }
    }

    #[test]
    fn a_folder_cannot_say_that_it_belongs_to_another_repository() {
        let home = laid_out();
        let plain = home.path().join("plain");
        for target in ["repo/.git", "repo/.git/worktrees/wt"] {
            fs::write(plain.join(".git"), format!("gitdir: {}\n", home.path().join(target).display())).unwrap();
            assert_eq!(Project::of(&plain).folder(), fs::canonicalize(&plain).unwrap(), "{target}");
        }
    }

    #[test]
    fn a_folder_that_is_gone_counts_by_its_path() {
        let gone = Path::new("/nowhere/at/all");
        assert_eq!(Project::of(gone), Project::of(gone));
        assert_eq!(Project::of(gone).folder(), gone);
    }
}
