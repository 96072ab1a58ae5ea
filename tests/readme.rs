//! What the README says of keys and versions is true, and each fault that is listed is tried. What holds for every page is
//! in `docs.rs`.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

use clap::CommandFactory;
use unattended::cli::Cli;
use unattended::config::{self, Config};

const README: &str = include_str!("../README.md");

fn blocks(language: &str) -> Vec<&'static str> {
    README.split(&format!("```{language}\n")).skip(1).map(|rest| rest.split("```").next().unwrap()).collect()
}

#[test]
fn the_config_shown_is_every_key_with_its_default() {
    let [shown] = blocks("toml")[..] else { panic!("one config is shown") };
    assert_eq!(config::read(shown), (Config::default(), vec![]));
    let keys = shown.lines().filter(|line| line.contains(" = ")).count();
    assert_eq!(keys, 15, "a key was added or taken away: show it here, read it in config.rs, count it here");
}

#[test]
fn every_other_value_shown_is_one_that_the_key_takes() {
    let mut section = String::new();
    for line in blocks("toml")[0].lines() {
        if line.starts_with('[') {
            section = format!("{line}\n");
        }
        let Some((key, rest)) = line.split_once(" = ") else { continue };
        for value in rest.split('"').skip(1).step_by(2).filter(|_| rest.contains('"')) {
            let (_, problems) = config::read(&format!("{section}{key} = \"{value}\"\n"));
            assert_eq!(problems, Vec::<String>::new(), "{section}{key} = {value}");
        }
    }
}

#[test]
fn every_verb_has_an_example_that_the_program_takes() {
    for verb in Cli::command().get_subcommands().filter(|verb| !verb.is_hide_set()) {
        let help = verb.get_after_help().map(ToString::to_string).unwrap_or_default();
        let examples: Vec<_> = help.lines().map(str::trim).filter(|line| line.starts_with("unattended ")).collect();
        assert!(!examples.is_empty() || help.contains("$(unattended "), "{} has no example", verb.get_name());
        for example in examples {
            let words = example.split_whitespace().take_while(|word| !["<", ">", "|"].contains(word));
            assert!(Cli::command().try_get_matches_from(words).is_ok(), "{example}");
        }
    }
}

#[test]
fn the_compiler_named_is_the_one_that_the_manifest_asks_for() {
    let wanted = include_str!("../Cargo.toml").lines().find_map(|line| line.strip_prefix("rust-version = \"")).unwrap();
    assert!(README.contains(&format!("Rust {} or newer", wanted.trim_end_matches('"'))));
}

/// Each row of docs/reliability.md names its tests, the first one with its file.
#[test]
fn every_fault_listed_is_tried_by_a_test_that_is_there() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut named = 0;
    for row in include_str!("../docs/reliability.md").lines().filter(|line| line.starts_with("| ")) {
        let tests = row.trim_end_matches(" |").rsplit(" | ").next().unwrap();
        let mut file = String::new();
        for name in tests.split('`').skip(1).step_by(2) {
            let (place, test) = name.split_once(": ").unwrap_or((name, name));
            if place.contains(['.', '/']) {
                assert!(folder.join(place).exists(), "{row}");
                continue;
            }
            let of_its_own = folder.join(format!("tests/{place}.rs"));
            if of_its_own.exists() {
                file = std::fs::read_to_string(of_its_own).unwrap();
            }
            assert!(
                place == test && folder.join(format!("tests/{place}.rs")).exists()
                    || file.contains(&format!("fn {test}(")),
                "{name}"
            );
            named += 1;
        }
    }
    assert!(named > 25, "{named}");
}
