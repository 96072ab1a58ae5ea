//! Manual pages and completions: each verb has its page, each page what the help says, and a shell offers every verb.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

mod home;

use std::process::Stdio;

use clap::CommandFactory;
use home::Home;
use rstest::rstest;
use unattended::cli::Cli;

fn verbs() -> Vec<String> {
    Cli::command().get_subcommands().filter(|verb| !verb.is_hide_set()).map(|verb| verb.get_name().to_owned()).collect()
}

#[test]
fn the_programs_page_names_every_verbs_page() {
    let page = Home::new().says(&["man"]);
    for verb in verbs() {
        assert!(page.contains(&format!("unattended\\-{verb}(1)")), "{verb}");
    }
    assert!(!page.contains("unattended\\-help(1)"), "of which there is none");
    for section in ["NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "SUBCOMMANDS", "EXAMPLES", "FILES", "ENVIRONMENT"] {
        assert!(page.contains(&format!("\n.SH {section}\n")), "{section}");
    }
}

#[test]
fn every_verb_has_a_page_with_its_name_options_and_examples() {
    let home = Home::new();
    for verb in Cli::command().get_subcommands().filter(|verb| !verb.is_hide_set()) {
        let name = verb.get_name();
        let page = home.says(&["man", name]);
        assert!(page.contains(&format!(".TH unattended-{name} 1")), "{page}");
        for option in verb.get_arguments().filter_map(|option| option.get_long()) {
            let shown = format!("\\-\\-{}", option.replace('-', "\\-"));
            assert!(page.contains(&shown), "{name}: {shown}");
        }
        let help = verb.get_after_help().unwrap().to_string();
        let example = help.lines().find(|line| line.starts_with("  ")).unwrap().trim();
        assert!(page.contains(&example.replace('-', "\\-")), "{name}: {example}");
        assert!(page.lines().all(|line| !line.starts_with('\'')), "an order to roff by mistake: {page}");
    }
}

#[rstest]
#[case::bash("bash")]
#[case::zsh("zsh")]
#[case::fish("fish")]
#[case::elvish("elvish")]
#[case::powershell("powershell")]
fn a_shell_offers_every_verb(#[case] shell: &str) {
    let script = Home::new().says(&["completions", shell]);
    for verb in verbs() {
        assert!(script.contains(&verb), "{verb}");
    }
}

#[rstest]
#[case::no_such_verb(&["man", "sleep"], "error: there is no verb \"sleep\"\nhint: unattended --help lists the verbs\n")]
#[case::no_page_of_its_own(&["man", "help"], "error: there is no verb \"help\"\nhint: unattended --help lists the verbs\n")]
fn what_has_no_page_is_refused(#[case] args: &[&str], #[case] complaint: &str) {
    let output = Home::new().run(args);
    assert_eq!((output.status.code(), output.stdout.len()), (Some(1), 0));
    assert_eq!(String::from_utf8(output.stderr).unwrap(), complaint);
}

#[rstest]
#[case::completions(&["completions", "zsh"])]
#[case::a_page(&["man", "install"])]
fn a_reader_that_has_seen_enough_is_no_error(#[case] args: &[&str]) {
    let mut child = Home::new().command(args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{output:?}");
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
}
