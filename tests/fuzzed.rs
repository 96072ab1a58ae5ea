//! A bounded run of the fuzz targets' properties on a stable toolchain: recorded payloads, closing messages and settings
//! as seeds, cut, doubled, joined and strewn with noise.
#![allow(unreachable_pub, clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod home;
#[path = "../fuzz/properties.rs"]
#[allow(unreachable_pub, clippy::type_complexity, reason = "it is a crate of its own to the fuzzer")]
mod properties;

use std::fs;
use std::path::Path;

use proptest::prelude::*;
use proptest::sample::{Index, select};

/// Pieces that mean something to one of the readers.
const PIECES: [&str; 36] = [
    "{",
    "}",
    "[",
    "]",
    "\"",
    "\\",
    ":",
    ",",
    "\n",
    "\u{feff}",
    "\\ud83d",
    "null",
    "1e999",
    "-0",
    "hooks",
    "tool_input",
    "questions",
    "AskUserQuestion",
    "ExitPlanMode",
    "PreToolUse",
    "PermissionRequest",
    "[questions]\nreply = \"leave\"\n",
    "{\"t\":1,\"p\":2,\"lane\":\"lane\"",
    "?",
    "```",
    "shall I",
    "PASSWORD=",
    "--token ",
    "-----BEGIN PRIVATE KEY-----",
    "//",
    "${TOKEN:-",
    "Authorization: ",
    "://me:",
    "S3cretValu3",
    "@",
    "'",
];

/// Every line of the files below a folder of the tests, and each file as a whole where it is short.
fn seeds(folder: &str) -> Vec<Vec<u8>> {
    let mut found = Vec::new();
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(folder)];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(next).unwrap().map(|entry| entry.unwrap().path()) {
            if entry.is_dir() {
                folders.push(entry);
            } else if let Ok(text) = fs::read(&entry) {
                found.extend(text.split(|byte| *byte == b'\n').filter(|line| line.len() > 1).map(<[u8]>::to_vec));
                found.extend((text.len() < 8_000).then_some(text));
            }
        }
    }
    assert!(found.len() > 20, "{folder} has no seeds");
    found
}

/// A seed with pieces of itself, of another and of nothing in particular put into it.
fn strewn(seeds: Vec<Vec<u8>>) -> impl Strategy<Value = Vec<u8>> {
    let noise = prop_oneof![
        prop::collection::vec(any::<u8>(), 0..6),
        select(PIECES.to_vec()).prop_map(|piece| piece.as_bytes().to_vec()),
        select(seeds.clone()),
    ];
    let cuts = prop::collection::vec((any::<Index>(), any::<Index>(), noise, any::<bool>()), 0..4);
    (select(seeds), cuts).prop_map(|(mut bytes, cuts)| {
        for (from, to, noise, replaces) in cuts {
            let (from, to) = (from.index(bytes.len() + 1), to.index(bytes.len() + 1));
            let (from, to) = (from.min(to), if replaces { from.max(to) } else { from.min(to) });
            bytes.splice(from..to, noise);
        }
        bytes
    })
}

/// Tries a property on seeds as they are, then strewn. `PROPTEST_CASES` says how often.
fn tried(name: &str, folder: &str) {
    let (_, property) = properties::ALL.into_iter().find(|(known, _)| *known == name).unwrap();
    let seeds = seeds(folder);
    seeds.iter().for_each(|seed| property(seed));
    let config = ProptestConfig { failure_persistence: None, ..ProptestConfig::default() };
    let mut runner = proptest::test_runner::TestRunner::new(config);
    let outcome = runner.run(&strewn(seeds), |bytes| {
        property(&bytes);
        Ok(())
    });
    outcome.unwrap_or_else(|error| panic!("{name}: {error}"));
}

#[test]
fn any_payload_is_answered_as_the_policy_says_or_not_at_all() {
    tried("payload", "fixtures");
}

#[test]
fn any_settings_file_is_refused_or_stays_json_and_forgets_us() {
    tried("settings", "fixtures/settings");
}

#[test]
fn any_closing_message_has_a_class() {
    tried("message", "corpus");
}

#[test]
fn any_config_file_is_read_or_means_the_defaults() {
    tried("config", "fixtures");
}

#[test]
fn any_memory_file_is_read_as_far_as_it_goes() {
    tried("memory", "fixtures");
}

#[test]
fn any_record_stays_json_without_its_secrets() {
    tried("record", "fixtures");
}

#[test]
fn of_any_transcript_some_words_are_found_or_none() {
    tried("transcript", "fixtures/transcripts");
}
