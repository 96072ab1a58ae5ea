//! A throwaway home, and the built binary run in it with nothing of the environment around.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use tempfile::TempDir;

pub struct Home {
    dir: TempDir,
}

impl Home {
    pub fn new() -> Home {
        Home { dir: tempfile::tempdir().unwrap() }
    }

    /// With these bytes as the user's settings.
    pub fn with(settings: impl AsRef<[u8]>) -> Home {
        let home = Home::new();
        fs::create_dir(home.path(".claude")).unwrap();
        fs::write(home.settings(), settings).unwrap();
        home
    }

    pub fn path(&self, path: impl AsRef<Path>) -> PathBuf {
        self.dir.path().join(path)
    }

    pub fn settings(&self) -> PathBuf {
        self.path(".claude/settings.json")
    }

    pub fn read(&self) -> Vec<u8> {
        fs::read(self.settings()).unwrap()
    }

    pub fn text(&self) -> String {
        String::from_utf8(self.read()).unwrap()
    }

    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_unattended"));
        self.prepare(command.args(args));
        command
    }

    pub fn prepare(&self, command: &mut Command) {
        command.env_clear().env("HOME", self.dir.path()).env("PATH", self.path("bin")).current_dir(self.dir.path());
    }

    pub fn run(&self, args: &[&str]) -> Run {
        Run::of(self.command(args).output().unwrap(), self.dir.path())
    }

    /// Runs and must succeed.
    pub fn ok(&self, args: &[&str]) -> Run {
        let run = self.run(args);
        assert_eq!(run.code, Some(0), "{run:?}");
        run
    }

    /// All files below, but for folders, as paths from here.
    pub fn files(&self) -> Vec<String> {
        fn walk(folder: &Path, root: &Path, into: &mut Vec<String>) {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() && !path.is_symlink() {
                    walk(&path, root, into);
                } else {
                    into.push(path.strip_prefix(root).unwrap().display().to_string());
                }
            }
        }
        let mut files = Vec::new();
        walk(self.dir.path(), self.dir.path(), &mut files);
        files.sort();
        files
    }
}

/// What a run printed, with the home and the executable by fixed names.
#[derive(Debug)]
pub struct Run {
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl Run {
    fn of(output: Output, home: &Path) -> Run {
        let text = |bytes: Vec<u8>| {
            String::from_utf8(bytes)
                .unwrap()
                .replace(env!("CARGO_BIN_EXE_unattended"), "[EXE]")
                .replace(home.to_str().unwrap(), "[HOME]")
        };
        Run { code: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) }
    }
}
