//! The programs that are measured against each other, built where they must be.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What is run.
pub struct Programs {
    /// The static release.
    pub ours: PathBuf,
    /// Ends at once, without a C library.
    pub nothing: PathBuf,
    /// Reads its standard input and ends.
    pub only_read: PathBuf,
    /// The target folder.
    pub target: PathBuf,
}

impl Programs {
    /// Builds the release, as `release` does, and the yardsticks.
    pub fn build() -> Programs {
        let (ours, is_static) = release();
        let (target, musl) = (target(), musl());
        let yardsticks = target.join("yardsticks");
        std::fs::create_dir_all(&yardsticks).unwrap();
        let (nothing, only_read) = (yardsticks.join("nothing"), yardsticks.join("only_read"));
        let made = Command::new("cc")
            .args(["-nostdlib", "-static", "-o"])
            .arg(&nothing)
            .arg(handlers().join("nothing.S"))
            .status();
        assert!(made.expect("cc starts").success(), "the process that does nothing builds");
        let mut rustc = Command::new("rustc");
        rustc.args(["-O", "--edition", "2024", "-o"]).arg(&only_read).arg(handlers().join("only_read.rs"));
        if is_static {
            rustc.args(["--target", &musl]);
        }
        assert!(rustc.status().expect("rustc starts").success(), "the reader builds");
        Programs { ours, nothing, only_read, target }
    }

    /// The handlers in other languages that can be run here, each with its words; says which cannot.
    pub fn handlers(&self) -> Vec<(&'static str, Vec<OsString>)> {
        // The system's own: one of a version manager may load much at its start.
        let python = if Path::new("/usr/bin/python3").exists() { "/usr/bin/python3" } else { "python3" };
        let known = [
            ("Python", python, "question.py"),
            ("Node", "node", "question.js"),
            ("bash and jq", "bash", "question.sh"),
        ];
        let mut found = Vec::new();
        for (name, program, file) in known {
            let needs: &[&str] = if program == "bash" { &["bash", "jq"] } else { &[program] };
            match needs.iter().find(|needed| !starts(needed)) {
                Some(missing) => println!("{name} is left out: there is no {missing}"),
                None => found.push((name, vec![program.into(), handlers().join(file).into_os_string()])),
            }
        }
        found
    }
}

fn starts(program: &str) -> bool {
    Command::new(program).arg("--version").output().is_ok_and(|output| output.status.success())
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn handlers() -> PathBuf {
    root().join("benches/handlers")
}

/// Builds the release for the musl target where that is there, else for the host, and says so; whether it is static.
pub fn release() -> (PathBuf, bool) {
    let release = |target: Option<&str>| {
        let mut cargo = Command::new(env!("CARGO"));
        cargo.args(["build", "--release", "--locked", "--quiet"]).current_dir(root());
        cargo.args(target.map(|target| ["--target", target]).into_iter().flatten());
        cargo.status().expect("cargo starts").success()
    };
    let is_static = release(Some(&musl()));
    if !is_static {
        println!("The target {} is not there (rustup target add {0}): measuring the host's own build.", musl());
        assert!(release(None), "the release builds");
    }
    let folder = if is_static { target().join(musl()) } else { target() };
    (folder.join("release/unattended"), is_static)
}

fn target() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from)
}

fn musl() -> String {
    format!("{}-unknown-linux-musl", std::env::consts::ARCH)
}
