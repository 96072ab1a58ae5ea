//! A state folder as it may be after years: ten million records and the memories of 100,000 sessions.

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

const RECORDS: usize = 10_000_000;
const DAYS: usize = 100;
const SESSIONS: usize = 100_000;

/// The folder, below the target folder; it is made once. Its days end today, so that calls append to a long file.
pub fn large(target: &Path) -> PathBuf {
    let today = unattended::clock::now().date_naive();
    let folder = target.join("large-state");
    let last = folder.join(format!("records/{today}.jsonl"));
    if last.exists() {
        return folder;
    }
    eprintln!("making a state folder of {RECORDS} records and {SESSIONS} sessions …");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(folder.join("records")).unwrap();
    fs::create_dir_all(folder.join("sessions")).unwrap();
    for age in 0..DAYS {
        let day = today - chrono::Days::new(age as u64);
        let mut file = BufWriter::new(File::create(folder.join(format!("records/{day}.jsonl"))).unwrap());
        for number in 0..RECORDS / DAYS {
            let id = age * (RECORDS / DAYS) + number;
            writeln!(
                file,
                "{{\"v\":1,\"at\":\"{day}T12:00:00.000Z\",\"id\":\"{id:016x}\",\"kind\":\"permission\",\"session_id\":\"{:036}\",\
                 \"cwd\":\"/home/dev/project\",\"event\":\"PermissionRequest\",\"on\":true,\"tool\":\"Bash\",\
                 \"decision\":{{\"action\":\"none\"}}}}",
                id % SESSIONS
            )
            .unwrap();
        }
    }
    for session in 0..SESSIONS {
        fs::write(folder.join(format!("sessions/{session:036}.jsonl")), "{}\n").unwrap();
    }
    folder
}
