//! Clients by version: fetched once from the npm registry into a cache that git ignores. Only this file knows npm.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

/// An installed client.
#[derive(Debug, Clone)]
pub struct Client {
    program: PathBuf,
}

impl Client {
    /// The client of this version from the cache. It is not fetched here: inside the namespace there is no network.
    pub fn cached(version: &str) -> Result<Client> {
        let program = folder(version).join("node_modules/.bin/claude");
        if !program.exists() {
            bail!("client {version} is not in {}; the suite fetches it at its start", cache().display());
        }
        Ok(Client { program: program.canonicalize()? })
    }

    /// Fetches a client unless it is there already. Needs npm and the network.
    pub fn fetch(version: &str) -> Result<()> {
        let folder = folder(version);
        if folder.join("node_modules/.bin/claude").exists() {
            return Ok(());
        }
        eprintln!("fetching client {version} …");
        std::fs::create_dir_all(&folder)?;
        // npm must not find a manifest of the project around the cache.
        std::fs::write(folder.join("package.json"), "{\"private\": true}\n")?;
        let output = Command::new("npm")
            .args(["install", "--no-audit", "--no-fund", "--no-save", "--loglevel=error", "--prefix"])
            .arg(&folder)
            .arg(format!("@anthropic-ai/claude-code@{version}"))
            .output()
            .context("npm cannot be run; the suite fetches its clients with it")?;
        if !output.status.success() {
            let _ = std::fs::remove_dir_all(&folder);
            bail!("npm could not fetch client {version}: {}", String::from_utf8_lossy(&output.stderr));
        }
        Ok(())
    }

    /// Makes `claude` at this place.
    pub fn link(&self, place: &Path) -> Result<()> {
        std::os::unix::fs::symlink(&self.program, place).with_context(|| format!("cannot make {}", place.display()))
    }

    /// The search path of a session: the system's, and node's for the clients that are a script.
    pub fn search_path(&self) -> Result<OsString> {
        let mut folders: Vec<PathBuf> = ["/usr/bin", "/bin", "/usr/sbin"].iter().map(PathBuf::from).collect();
        if self.program.extension().is_some_and(|end| end == "js") {
            let node = found_on_path("node").context("node cannot be found; client needs it")?;
            folders.extend(node.parent().map(Path::to_path_buf));
        }
        Ok(std::env::join_paths(folders)?)
    }
}

/// Where clients are kept: `UNATTENDED_CLIENTS`, else `.cache/clients` in the project.
pub fn cache() -> PathBuf {
    match std::env::var_os("UNATTENDED_CLIENTS").filter(|value| !value.is_empty()) {
        Some(folder) => folder.into(),
        None => Path::new(env!("CARGO_MANIFEST_DIR")).join(".cache/clients"),
    }
}

fn folder(version: &str) -> PathBuf {
    cache().join(version)
}

fn found_on_path(name: &str) -> Option<PathBuf> {
    std::env::split_paths(&std::env::var_os("PATH")?).map(|folder| folder.join(name)).find(|path| path.is_file())
}
