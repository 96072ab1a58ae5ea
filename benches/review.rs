//! What reading back costs in a state folder with a million records: whole processes of the static release, wall time and
//! peak memory. The records are what the program itself writes for the recorded payloads, multiplied over 60 days that
//! end now. Prints; asserts only that there is something to review.
//!
//! `cargo bench --bench review`, `cargo bench --bench review -- RECORDS` for another number of them.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic, unreachable_pub)]

#[path = "whole_process/programs.rs"]
#[allow(dead_code, reason = "the yardsticks are for the other bench")]
mod programs;

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use chrono::{DateTime, Duration, SecondsFormat, Utc};
use wait4::Wait4;

const DAYS: i64 = 60;
const VERBS: [&[&str]; 8] = [
    &["review"],
    &["review", "--json"],
    &["status"],
    &["review", "--check", "--since", "24h"],
    &["review", "--check", "--json"],
    &["export"],
    &["ack", "--all"],
    &["review", "--check"],
];

fn main() {
    let records = std::env::args().skip(1).find_map(|arg| arg.parse().ok()).unwrap_or(1_000_000);
    let (program, _) = programs::release();
    let folder = tempfile::tempdir().unwrap();
    let state = folder.path().join("state");
    let number = multiply(&seeds(&program, &folder.path().join("seed")), records, &state);
    let bytes: u64 =
        fs::read_dir(state.join("records")).unwrap().map(|file| file.unwrap().metadata().unwrap().len()).sum();
    println!("{number} records of {DAYS} days, {} MiB; {}", bytes / 1024 / 1024, program.display());
    println!("{:<32} {:>8} {:>9} {:>12}", "", "s", "peak MiB", "bytes out");
    for verb in VERBS {
        let mut best = f64::INFINITY;
        let (mut peak, mut written) = (0, 0);
        for _ in 0..3 {
            let started = Instant::now();
            let mut command = command(&program, &state);
            let mut child = command.args(verb).stdin(Stdio::null()).stdout(Stdio::piped()).spawn().unwrap();
            written = std::io::copy(&mut child.stdout.take().unwrap(), &mut std::io::sink()).unwrap();
            let ended = child.wait4().unwrap();
            assert!(ended.status.code().is_some_and(|code| code < 2), "{verb:?} is understood");
            assert!(written > 200 || verb.contains(&"--check") || verb.contains(&"ack"), "{verb:?} says something");
            best = best.min(started.elapsed().as_secs_f64());
            peak = ended.rusage.maxrss / 1024 / 1024;
        }
        println!("{:<32} {best:>8.2} {peak:>9} {written:>12}", verb.join(" "));
    }
    println!("The best of three runs each, the files in the system's cache; the first three are of one day.");
}

fn command(program: &Path, state: &Path) -> Command {
    let mut command = Command::new(program);
    command.env_clear().env("HOME", state).env("UNATTENDED", "on").env("UNATTENDED_STATE", state);
    command
}

/// What the program records for every payload that a recorded client sent.
fn seeds(program: &Path, state: &Path) -> Vec<String> {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/2.1.332");
    let mut files: Vec<_> = fs::read_dir(fixtures).unwrap().map(|file| file.unwrap().path()).collect();
    files.sort();
    for (number, file) in files.iter().filter(|file| !file.to_string_lossy().contains(".answers.")).enumerate() {
        for payload in fs::read_to_string(file).unwrap().lines() {
            let payload = payload.replace("00000000-0000-4000", &format!("{number:08x}-0000-4000"));
            let mut child =
                command(program, state).arg("hook").stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
            child.stdin.take().unwrap().write_all(payload.as_bytes()).unwrap();
            assert!(child.wait().unwrap().success());
        }
    }
    let mut lines = Vec::new();
    for file in fs::read_dir(state.join("records")).unwrap() {
        lines.extend(fs::read_to_string(file.unwrap().path()).unwrap().lines().map(str::to_owned));
    }
    assert!(lines.len() > 100, "{} records", lines.len());
    lines
}

/// Writes so many records: copies of the seeds, each copy other sessions at another time.
fn multiply(seeds: &[String], records: usize, state: &Path) -> usize {
    let parts: Vec<Vec<String>> = seeds.iter().map(|line| parts(line)).collect();
    let copies = records.div_ceil(parts.len());
    let now = unattended::clock::now();
    let step = Duration::milliseconds(DAYS * 24 * 60 * 60 * 1000 / copies as i64);
    let mut number = 0;
    let mut open: Option<(String, BufWriter<File>)> = None;
    fs::create_dir_all(state.join("records")).unwrap();
    for copy in 0..copies {
        let at: DateTime<Utc> = now - step * i32::try_from(copies - copy).unwrap();
        let stamp = at.to_rfc3339_opts(SecondsFormat::Millis, true);
        let day = stamp[..10].to_owned();
        if open.as_ref().is_none_or(|(open, _)| *open != day) {
            let file = File::create(state.join(format!("records/{day}.jsonl"))).unwrap();
            open = Some((day, BufWriter::with_capacity(1 << 20, file)));
        }
        let out = &mut open.as_mut().unwrap().1;
        for parts in &parts {
            number += 1;
            let values = [stamp.clone(), format!("{:016x}", (number as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15))];
            let mut line = String::with_capacity(2048);
            for part in parts {
                match part.as_str() {
                    "\0at" => line.push_str(&values[0]),
                    "\0id" => line.push_str(&values[1]),
                    "\0copy" => line.push_str(&format!("{copy:04x}")),
                    text => line.push_str(text),
                }
            }
            writeln!(out, "{line}").unwrap();
        }
    }
    number
}

/// A line, parted at what is another in each copy: its time, its id, its ids of sessions and prompts.
fn parts(line: &str) -> Vec<String> {
    let record: serde_json::Value = serde_json::from_str(line).unwrap();
    let (at, id) = (record["at"].as_str().unwrap(), record["id"].as_str().unwrap());
    let marked = line.replacen(at, "\u{1}\0at\u{1}", 1).replacen(id, "\u{1}\0id\u{1}", 1);
    let marked = marked.replace("-0000-4000-8000-", "-\u{1}\0copy\u{1}-4000-8000-");
    marked.split('\u{1}').map(str::to_owned).collect()
}
