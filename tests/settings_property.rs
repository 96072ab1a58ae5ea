//! Properties of the edits over generated settings files. `PROPTEST_CASES=200000 cargo test --release --test
//! settings_property` tries as many files for each.

#![allow(unreachable_pub, clippy::unwrap_used, clippy::indexing_slicing, clippy::panic)]

#[path = "settings/generated.rs"]
mod generated;

use generated::{MARK, document, style, text};
use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::FileFailurePersistence;
use serde_json::value::RawValue;
use unattended::client::Version;
use unattended::settings::{self, Edit, Form, Made, Waits, Wanted};

const EXE: &str = "/home/u/.local/bin/unattended";

fn wanted(exe: &str, form: Form, version: Version) -> Vec<Wanted> {
    settings::wanted(exe, form, Waits::default(), |event| version.knows(event))
}

fn current() -> Vec<Wanted> {
    wanted(EXE, Form::Exec, Version(2, 1, 332))
}

/// An install some way: the usual one, one for an old client, one of a binary that was elsewhere.
type How = (&'static str, Form, Version);

fn some_install() -> impl Strategy<Value = How> {
    (
        select(vec![EXE, "/o'd place/unattended"]),
        select(vec![Form::Exec, Form::Shell]),
        select(vec![Version(2, 0, 77), Version(2, 1, 80), Version(2, 1, 332)]),
    )
}

fn install(text: &str, &(exe, form, version): &How, made: Option<&Made>) -> Edit {
    let wanted = wanted(exe, form, version);
    let edit = settings::install(text, exe, &wanted, made).unwrap();
    assert!(
        serde_json::from_str::<&RawValue>(edit.text.trim_start_matches('\u{feff}')).is_ok(),
        "no JSON any more:\n{}",
        edit.text
    );
    let events: std::collections::BTreeSet<_> = settings::registered(&edit.text, exe).events.into_iter().collect();
    assert_eq!(events, wanted.iter().map(|wanted| wanted.event.clone()).collect());
    edit
}

fn uninstall(text: &str, made: Option<&Made>) -> String {
    let edit = settings::uninstall(text, EXE, made).unwrap();
    assert_eq!(settings::registered(&edit.text, EXE).events, Vec::<String>::new());
    assert!(
        serde_json::from_str::<&RawValue>(edit.text.trim_start_matches('\u{feff}')).is_ok(),
        "no JSON any more:\n{}",
        edit.text
    );
    edit.text
}

/// All that is not ours, read by other means than ours: the root without `hooks`, and each foreign entry with its event
/// and matcher, in order. `None` where serde_json's `Value` cannot hold the text.
fn foreign(text: &str) -> Option<(serde_json::Value, Vec<String>)> {
    let mut root: serde_json::Value = serde_json::from_str(text.trim_start_matches('\u{feff}')).ok()?;
    let hooks = root.as_object_mut().unwrap().remove("hooks").unwrap_or_default();
    let mut entries = Vec::new();
    for (event, groups) in hooks.as_object().into_iter().flatten() {
        for group in groups.as_array().unwrap() {
            for entry in group["hooks"].as_array().unwrap() {
                let command = entry["command"].as_str().unwrap();
                if ["~/bin/notify.sh", "cat /x/unattended", "/x/unattended prompt", "jq . | tee log"].contains(&command)
                {
                    entries.push(format!("{event} {} {entry}", group["matcher"]));
                }
            }
        }
    }
    Some((root, entries))
}

fn cases() -> ProptestConfig {
    let cases = std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(400);
    ProptestConfig {
        cases,
        failure_persistence: None::<Box<FileFailurePersistence>>.map(|p| p as _),
        ..ProptestConfig::default()
    }
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn any_installs_and_an_uninstall_give_back_the_same_bytes(
        document in document(false, true), style in style(), first in some_install(), second in some_install()
    ) {
        let before = text(&document, &style);
        let one = install(&before, &first, None);
        let again = install(&one.text, &first, one.made.as_ref());
        prop_assert_eq!(&again, &one, "a second install that changes nothing writes nothing");
        let two = install(&again.text, &second, again.made.as_ref());
        prop_assert_eq!(&uninstall(&one.text, one.made.as_ref()), &before);
        prop_assert_eq!(&uninstall(&two.text, two.made.as_ref()), &before);
        prop_assert_eq!(&uninstall(&before, None), &before, "nothing of ours, nothing to do");
    }

    #[test]
    fn over_old_entries_of_ours_it_ends_as_if_they_had_been_taken_out_first(
        document in document(true, true), style in style(), how in some_install()
    ) {
        let before = text(&document, &style);
        let edit = install(&before, &how, None);
        prop_assert_eq!(&install(&edit.text, &how, edit.made.as_ref()), &edit);
        let after = uninstall(&edit.text, edit.made.as_ref());
        prop_assert_eq!(&after, &uninstall(&before, None));
        prop_assert_eq!(foreign(&edit.text), foreign(&before), "what is not ours is as it was, by install");
        prop_assert_eq!(foreign(&after), foreign(&before), "and by uninstall");
    }

    #[test]
    fn an_edit_by_hand_in_between_stays_byte_for_byte(
        document in document(false, true), style in style(), how in some_install(),
        (from, to) in select(vec![
            (MARK, "1"), (MARK, "{\"hooks\": []}"), (MARK, "[\r\n]"), ("\"m\"", "\"n\" : [1],\n\"m\""),
            ("\"zm\"", "\"n\":1,\"zm\""), ("[\"mark\"", "[\"x\" ,\"mark\""),
        ])
    ) {
        let edit = |text: &str| text.replace(from, to);
        let before = text(&document, &style);
        let installed = install(&before, &how, None);
        prop_assert_eq!(uninstall(&edit(&installed.text), installed.made.as_ref()), edit(&before));
    }

    #[test]
    fn a_program_that_wrote_the_file_anew_in_between_is_as_if_we_had_not_been_there(
        document in document(false, false), style in style(), how in some_install(), edit in 0..4, pretty in any::<bool>()
    ) {
        let rewritten = |text: &str| {
            let mut value: serde_json::Value = serde_json::from_str(text.trim_start_matches('\u{feff}')).unwrap();
            let root = value.as_object_mut().unwrap();
            match edit {
                0 => {}
                1 => drop(root.insert("aa".into(), serde_json::json!({"b": []}))),
                2 => drop(root.insert("zz".into(), serde_json::json!("last"))),
                _ => {
                    let foreign = serde_json::json!({"matcher": "Bash", "hooks": [{"type": "command", "command": "x"}]});
                    let hooks = root.entry("hooks").or_insert_with(|| serde_json::json!({}));
                    let stop = hooks.as_object_mut().unwrap().entry("Stop").or_insert_with(|| serde_json::json!([]));
                    stop.as_array_mut().unwrap().push(foreign);
                }
            }
            if pretty { format!("{value:#}\n") } else { value.to_string() }
        };
        let before = text(&document, &style);
        let installed = install(&before, &how, None);
        prop_assert_eq!(uninstall(&rewritten(&installed.text), installed.made.as_ref()), rewritten(&before));
    }

    #[test]
    fn any_bytes_are_refused_or_come_back(bytes in proptest::collection::vec(any::<u8>(), 0..40), open in any::<bool>()) {
        let bytes = if open { [b"{\"hooks\": {".as_slice(), &bytes, b"}}"].concat() } else { bytes };
        if let Ok(text) = settings::decode(&bytes)
            && let Ok(edit) = settings::install(text, EXE, &current(), None)
        {
            let back = settings::uninstall(&edit.text, EXE, edit.made.as_ref()).unwrap();
            prop_assert_eq!(back.text, text);
        }
    }
}

#[test]
fn blank_files_become_objects_and_come_back() {
    for blank in ["", "\n", " \r\n\t", "\n\n"] {
        let edit = settings::install(blank, EXE, &current(), None).unwrap();
        assert!(edit.text.starts_with("{\n  \"hooks\": {\n    \"PreToolUse\": [\n"), "{}", edit.text);
        assert_eq!(uninstall_blank(&edit), blank);
        let again = settings::install(&edit.text, EXE, &current(), edit.made.as_ref()).unwrap();
        assert_eq!(again, edit);
    }
}

fn uninstall_blank(edit: &Edit) -> String {
    settings::uninstall(&edit.text, EXE, edit.made.as_ref()).unwrap().text
}

/// Found by the property over old entries: of two `hooks` the client takes the last, until that is gone.
#[test]
fn what_a_later_member_of_the_same_name_hides_does_not_come_to_light() {
    let ours = r#"{"Stop": [{"hooks": [{"type": "command", "command": "/old/unattended", "args": ["hook"]}]}]}"#;
    let theirs = r#"{"Stop": [{"hooks": [{"type": "command", "command": "say done"}]}]}"#;
    let two = |one: &str, two: &str| format!("{{\"hooks\": {one}, \"hooks\": {two}}}");
    assert_eq!(uninstall(&two(theirs, ours), None), two(theirs, "{}"));
    assert_eq!(uninstall(&two(ours, theirs), None), format!("{{\"hooks\": {theirs}}}"));
    assert_eq!(uninstall(&two(ours, ours), None), "{}");
    let twice = |one: &str, two: &str| format!("{{\"hooks\": {{\"Stop\": [{one}], \"Stop\": [{two}]}}}}");
    let (ours, theirs) = (
        r#"{"hooks": [{"type": "command", "command": "/old/unattended"}]}"#,
        r#"{"hooks": [{"type": "command", "command": "say done"}]}"#,
    );
    assert_eq!(uninstall(&twice(theirs, ours), None), twice(theirs, ""));
    assert_eq!(uninstall(&twice(ours, ours), None), "{}");
}
