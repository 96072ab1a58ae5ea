//! The path by which this executable was called: through a link that a package manager keeps while versions come and go,
//! rather than where that link leads today.

use std::env;
use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};

/// The absolute path to register.
///
/// # Errors
/// As the system gives them.
pub fn path() -> io::Result<PathBuf> {
    let real = env::current_exe()?;
    let called = env::args_os().next().unwrap_or_default();
    Ok(choose(&called, &env::var_os("PATH").unwrap_or_default(), &env::current_dir()?, real))
}

/// `called` is the word we were called by, `real` what the system says runs.
fn choose(called: &OsStr, path: &OsStr, here: &Path, real: PathBuf) -> PathBuf {
    let called = Path::new(called);
    let candidate = if called.components().count() > 1 {
        Some(here.join(called))
    } else {
        env::split_paths(path).map(|folder| here.join(folder).join(called)).find(|file| same(file, &real))
    };
    candidate.filter(|candidate| same(candidate, &real)).map_or(real, |candidate| tidy(&candidate))
}

fn same(one: &Path, other: &Path) -> bool {
    one.is_file() && one.canonicalize().ok() == other.canonicalize().ok()
}

/// Without `.`; `..` stays, since behind a link it is not what it looks like.
fn tidy(path: &Path) -> PathBuf {
    path.components().collect()
}

#[cfg(all(test, unix))]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn a_link_by_which_we_were_called_is_kept_and_a_stranger_is_not_taken() {
        let home = tempfile::tempdir().unwrap();
        let home = home.path().canonicalize().unwrap();
        for folder in ["bin", "cellar", "other"] {
            fs::create_dir(home.join(folder)).unwrap();
        }
        let real = home.join("cellar/unattended");
        fs::write(&real, "").unwrap();
        symlink("../cellar/unattended", home.join("bin/unattended")).unwrap();
        fs::write(home.join("other/unattended"), "").unwrap();
        let path = env::join_paths([home.join("other"), home.join("bin")]).unwrap();
        let choose = |called: &str| choose(OsStr::new(called), &path, &home, real.clone());
        assert_eq!(choose("unattended"), home.join("bin/unattended"), "found on PATH");
        assert_eq!(choose("./bin/unattended"), home.join("bin/unattended"), "called by a relative path");
        assert_eq!(choose("other/unattended"), real, "a first word that lies");
        assert_eq!(choose(""), real, "none at all");
    }
}
