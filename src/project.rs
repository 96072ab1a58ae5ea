//! Which project a folder belongs to: a repository, which all of its worktrees share, else the folder itself. Found by
//! reading `.git`; starts no process and reads the beginnings of three small files at most.

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
///
/// Whoever lays a `.git` into a folder does not get what is said to another repository for it. So a link never leads to
/// one, what a file names is looked at as what it really is, and it counts only where that side names the folder in turn.
fn repository(folder: &Path) -> Option<PathBuf> {
    let git = folder.join(".git");
    let there = fs::symlink_metadata(&git).ok()?;
    if there.is_dir() {
        return git.join("HEAD").exists().then_some(git);
    }
    // Else what it points to is elsewhere, as in a container: the working tree stands for itself.
    let own = || if there.is_file() { named(folder, &git) } else { None };
    (there.is_symlink() || there.is_file()).then(|| own().unwrap_or_else(|| folder.to_path_buf()))
}

/// The repository that a file `.git` names and that knows of this working tree.
fn named(folder: &Path, git: &Path) -> Option<PathBuf> {
    let own = real(&folder.join(pointer(git)?.strip_prefix("gitdir:")?.trim()))?;
    if let Some(common) = pointer(&own.join("commondir")) {
        let common = real(&own.join(common.trim()))?;
        let back = real(&own.join(pointer(&own.join("gitdir"))?.trim()))?;
        // The folder of a worktree that anybody could have made names any repository.
        return (back == git && own.parent() == Some(&common.join("worktrees"))).then_some(common);
    }
    let tree = real(&own.join(work_tree(&pointer(&own.join("config"))?)?))?;
    (tree == folder).then_some(own)
}

/// `core.worktree` of a repository's config, by which a submodule's names its working tree.
fn work_tree(config: &str) -> Option<&str> {
    let core = config.lines().map(str::trim).skip_while(|line| !line.eq_ignore_ascii_case("[core]")).skip(1);
    let pairs = core.take_while(|line| !line.starts_with('[')).filter_map(|line| line.split_once('='));
    pairs.filter(|(name, _)| name.trim().eq_ignore_ascii_case("worktree")).map(|(_, value)| value.trim()).next()
}

fn pointer(file: &Path) -> Option<String> {
    let bytes = state::read(&fs::canonicalize(file).ok()?, POINTER_LIMIT).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

fn real(path: &Path) -> Option<PathBuf> {
    fs::canonicalize(path).ok()
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
        let own = home.path().join("repo/.git/modules/module");
        fs::create_dir_all(own.join("worktrees/wt")).unwrap();
        fs::write(own.join("config"), "[user]\n\tworktree = /\n[core]\n\tbare = false\n\tworktree = ../../../module\n")
            .unwrap();
        fs::write(home.path().join("repo/module/.git"), "gitdir: ../.git/modules/module\n").unwrap();
        let of = |path: &str| Project::of(&home.path().join(path));
        assert_ne!(of("repo/module"), of("repo"));
        // A worktree of the submodule is the submodule.
        let wt = own.join("worktrees/wt");
        fs::write(wt.join("commondir"), "../..\n").unwrap();
        fs::write(wt.join("gitdir"), format!("{}\n", home.path().join("plain/.git").display())).unwrap();
        fs::write(home.path().join("plain/.git"), format!("gitdir: {}\n", wt.display())).unwrap();
        assert_eq!(of("plain"), of("repo/module"));
        // What the submodule's repository does not name stands for itself.
        fs::write(home.path().join("plain/.git"), format!("gitdir: {}\n", own.display())).unwrap();
        assert_ne!(of("plain"), of("repo/module"));
    }

    #[cfg(unix)]
    #[test]
    fn a_link_never_makes_a_folder_another_project() {
        use std::os::unix::fs::symlink;
        let home = laid_out();
        let at = |path: &str| home.path().join(path);
        let git = at("plain/.git");
        let alone = |what: &str| {
            for folder in ["plain", "plain/sub"] {
                let project = Project::of(&at(folder));
                assert_ne!(project, Project::of(&at("repo")), "{what}");
                assert_eq!(project.folder(), fs::canonicalize(at("plain")).unwrap(), "{what}");
            }
            fs::remove_file(&git).unwrap();
        };
        symlink(at("repo/.git"), &git).unwrap();
        alone("a link to a repository");
        symlink(at("elsewhere/wt/.git"), &git).unwrap();
        alone("a link to a worktree's file");
        symlink("nowhere", &git).unwrap();
        alone("a link to nothing");
        symlink(at("repo/.git"), at("plain/alias")).unwrap();
        for named in ["alias", "../plain/alias", "alias/.", "alias/worktrees/wt", "alias/worktrees/../"] {
            fs::write(&git, format!("gitdir: {named}\n")).unwrap();
            alone(named);
        }
    }

    #[test]
    fn a_worktree_of_ones_own_making_leads_to_no_repository() {
        let home = laid_out();
        let at = |path: &str| home.path().join(path);
        for own in ["plain/own", "plain/worktrees/own"] {
            fs::create_dir_all(at(own)).unwrap();
            fs::write(at(own).join("commondir"), at("repo/.git").display().to_string()).unwrap();
            fs::write(at(own).join("gitdir"), at("plain/.git").display().to_string()).unwrap();
            fs::write(at("plain/.git"), format!("gitdir: {}\n", at(own).display())).unwrap();
            assert_eq!(Project::of(&at("plain")).folder(), fs::canonicalize(at("plain")).unwrap(), "{own}");
        }
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
