//! Where things are: our config file and state folder, and the client's own folder. Reads the environment, touches no
//! file.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The config file: `UNATTENDED_CONFIG`, else `unattended/config.toml` in the user's config folder. `None` where there
/// is neither (no home).
pub fn config_file() -> Option<PathBuf> {
    named("UNATTENDED_CONFIG").or_else(|| Some(dirs::config_dir()?.join("unattended").join("config.toml")))
}

/// The state folder: `UNATTENDED_STATE`, else `unattended` in the user's state folder (where the system has none, in
/// the local data folder). `None` where there is no home.
pub fn state_folder() -> Option<PathBuf> {
    named("UNATTENDED_STATE").or_else(|| Some(dirs::state_dir().or_else(dirs::data_local_dir)?.join("unattended")))
}

/// The client's own folder: `CLAUDE_CONFIG_DIR`, else `~/.claude`.
pub fn client_folder() -> Option<PathBuf> {
    named("CLAUDE_CONFIG_DIR").or_else(|| Some(dirs::home_dir()?.join(".claude")))
}

/// The file in which the client keeps what it was told once, by folder too: `.claude.json` in `CLAUDE_CONFIG_DIR`, else
/// at home.
pub fn client_state_file() -> Option<PathBuf> {
    Some(named("CLAUDE_CONFIG_DIR").or_else(dirs::home_dir)?.join(".claude.json"))
}

/// A path for people: the home folder as `~`.
pub fn shown(path: &Path) -> String {
    match dirs::home_dir().and_then(|home| path.strip_prefix(home).ok().map(Path::to_path_buf)) {
        Some(rest) => format!("~/{}", rest.display()),
        None => path.display().to_string(),
    }
}

/// The value of a variable that names a path; an empty one counts as unset, a relative one as said from the current
/// folder.
fn named(variable: &str) -> Option<PathBuf> {
    let value: OsString = env::var_os(variable).filter(|value| !value.is_empty())?;
    Some(PathBuf::from(value))
}
