//! Settings files that are refused, each with its message beside it, and odd ones that are not.

#![allow(unreachable_pub, clippy::unwrap_used, clippy::panic)]

#[path = "settings/home.rs"]
#[allow(dead_code, reason = "shared by several tests")]
mod home;

use std::fs;
use std::path::{Path, PathBuf};

use home::Home;

const NEWEST: [&str; 3] = ["install", "--client-version", "2.1.332"];

fn fixtures(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/settings").join(folder);
    let mut files: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "json"));
    files.sort();
    assert!(!files.is_empty());
    files
}

/// `UPDATE_MESSAGES=1 cargo test --test settings_fixtures` writes the messages anew; read the difference.
#[test]
fn each_refusal_has_its_message_exit_1_and_leaves_everything_as_it_was() {
    for file in fixtures("refused") {
        let bytes = fs::read(&file).unwrap();
        let home = Home::with(&bytes);
        let run = home.run(&NEWEST);
        let name = file.file_stem().unwrap().display();
        assert_eq!((run.code, run.stdout.as_str()), (Some(1), ""), "{name}: {run:?}");
        assert_eq!(home.read(), bytes, "{name}");
        assert_eq!(home.files(), [".claude/settings.json"], "{name}");
        let message = file.with_extension("txt");
        if std::env::var_os("UPDATE_MESSAGES").is_some() {
            fs::write(&message, &run.stderr).unwrap();
        }
        let wanted = fs::read_to_string(&message).unwrap_or_default();
        assert_eq!(run.stderr, wanted, "{name}: another message than {}", message.display());
        assert!(run.stderr.starts_with("error: ~/.claude/settings.json ") && run.stderr.contains("\nhint: "), "{name}");
        let dry = home.run(&["install", "--dry-run"]);
        assert_eq!((dry.code, dry.stderr), (Some(1), wanted), "{name}, --dry-run");
    }
}

#[test]
fn odd_files_get_the_hooks_and_come_back() {
    for file in fixtures("accepted") {
        let bytes = fs::read(&file).unwrap();
        let home = Home::with(&bytes);
        let name = file.file_stem().unwrap().display();
        home.ok(&NEWEST);
        let installed = home.read();
        let text = installed.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(&installed);
        assert!(serde_json::from_slice::<&serde_json::value::RawValue>(text).is_ok(), "{name}");
        assert!(home.ok(&NEWEST).stdout.starts_with("Nothing to do"), "{name}");
        assert_eq!(home.read(), installed, "{name}");
        home.ok(&["install", "--client-version", "2.0.77"]);
        assert_ne!(home.read(), installed, "{name}");
        home.ok(&["uninstall"]);
        assert_eq!(String::from_utf8_lossy(&home.read()), String::from_utf8_lossy(&bytes), "{name}");
    }
}

#[test]
fn a_file_of_5_megabytes_and_one_nested_100_000_deep_come_back() {
    let large = format!("{{\"x\": [{}\"end\"]}}", "{\"key\": \"some text\", \"n\": [1, 2, 3]},\n".repeat(150_000));
    assert!(large.len() > 5_000_000);
    let deep = format!("{{\"x\": {}1{}}}", "[".repeat(100_000), "]".repeat(100_000));
    for text in [large, deep] {
        let home = Home::with(&text);
        home.ok(&NEWEST);
        assert_ne!(home.text(), text);
        home.ok(&["uninstall"]);
        assert!(home.text() == text);
    }
}
