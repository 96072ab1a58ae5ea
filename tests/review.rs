//! `review` over sessions of the real client: what was assumed, what is shown and how, and every flag.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod home;
mod recordings;

use std::fs;

use home::{Home, recorded};
use recordings::{add_records, each, put, review, session_id, transcript};
use rstest::rstest;
use serde_json::{Value, json};

#[rstest]
#[case::the_line_that_was_asked_for("assumes-by-line", &[("red, because it is in stock and can be painted over.", "line")])]
#[case::other_words("assumes-without-line", &[("I went with red. It is in stock, and it can be painted over.", "words")])]
#[case::another_language("assumes-in-german", &[("Angenommen: Rot, weil es vorrätig ist. Die Tür ist jetzt rot.", "words")])]
#[case::after_a_tool_call("assumes-after-tool", &[("red, because oak takes it well.", "line")])]
#[case::no_word_of_it("assumes-nothing", &[("Done.", "words")])]
#[case::two_at_once_and_one_later("assumes-twice", &[
    ("red, it is the usual one.", "line"),
    ("the wide brush, it is faster.", "line"),
    ("two coats, since a second one can be left out but not taken off.", "line"),
])]
#[case::asked_three_times("thrice", &[("red, nobody answered. The door is red now.", "line"); 3])]
#[case::a_turn_sent_on("prose-once", &[("option A, it is easy to undo. The retries are in and the tests pass.", "line")])]
#[case::in_a_subagent("subagent", &[("The deployment was not permitted. Shall I try it another way?", "words")])]
fn what_was_assumed_is_found(#[case] session: &str, #[case] expected: &[(&str, &str)]) {
    let home = recordings::home();
    put(&home, session);
    let review = review(&home, &["--all"]);
    let expected_texts: Vec<Value> = expected.iter().map(|(text, _)| json!(text)).collect();
    let expected_places: Vec<Value> = expected.iter().map(|(_, from)| json!(from)).collect();
    assert_eq!(each(&review, "assumption"), expected_texts);
    assert_eq!(each(&review, "assumption_from"), expected_places);
}

#[test]
fn a_session_with_a_question_a_plan_and_a_permission_is_shown_whole() {
    let home = recordings::home();
    put(&home, "decides");
    let review = review(&home, &["--all"]);
    assert_eq!(each(&review, "kind"), ["question", "plan", "permission"]);
    assert_eq!(each(&review, "decision"), ["denied", "approved", "denied"]);
    assert_eq!(each(&review, "asked"), ["Which colour for the door?", "Paint and deploy", "Bash: make deploy"]);
    let assumed = ["red, because it is in stock.", "it need not be deployed now. That step is left undone."];
    assert_eq!(each(&review, "assumption"), [json!(assumed[0]), json!(null), json!(assumed[1])]);
    let plan = &review["decisions"][1]["plan"];
    assert_eq!((&plan["ran_in"], &plan["seen_by"]), (&json!("acceptEdits"), &json!("nobody")));
    assert_eq!(review["decisions"][0]["questions"][0]["options"][0]["recommended"], true);
    assert_eq!(
        review["totals"],
        json!({
            "decisions": 3, "unreviewed": 3, "stalls": 0, "open_stalls": 0, "waited_seconds": 0,
        })
    );
}

#[test]
fn what_is_printed_as_json_is_as_the_schema_says() {
    let schema: Value = serde_json::from_str(include_str!("../docs/review.schema.json")).unwrap();
    let schema = jsonschema::validator_for(&schema).unwrap();
    let home = recordings::all().with("UNATTENDED", "on");
    for case in ["elicitation-unanswered", "tool-denied-by-the-client", "turn-died-of-billing"] {
        recorded("2.1.332", case).iter().for_each(|line| drop(home.hook(line)));
    }
    let id = each(&review(&home, &["--all"]), "id")[0].as_str().unwrap().to_owned();
    home.says(&["correct", &id, "Otherwise."]);
    for args in [&["--all"][..], &["--since", "8h"], &["--unreviewed"], &["--kind", "stall", "--all"]] {
        let review = review(&home, args);
        let errors: Vec<String> =
            schema.iter_errors(&review).map(|error| format!("{}: {error}", error.instance_path())).collect();
        assert_eq!(errors, Vec::<String>::new(), "{args:?}");
    }
    assert_eq!(review(&home, &["--all"])["died"][0]["error"], "billing_error");
}

#[rstest]
#[case::sixty(60)]
#[case::a_hundred_and_twenty(120)]
fn a_terminal_gets_its_width_and_colours(#[case] columns: u16) {
    let home = recordings::all();
    let shown = in_terminal(&home, &["review", "--all", "--full"], columns, &[]);
    assert!(shown.contains("\u{1b}[1m"), "coloured: {shown}");
    let plain = anstream::adapter::strip_str(&shown).to_string().replace("\r\n", "\n");
    let wide: Vec<&str> = plain.lines().filter(|line| line.chars().count() > columns.into()).collect();
    assert_eq!(wide, Vec::<&str>::new());
    insta::assert_snapshot!(format!("review_at_{columns}"), plain);
    let colourless = in_terminal(&home, &["review", "--all", "--full"], columns, &[("NO_COLOR", "1")]);
    assert_eq!(colourless.replace("\r\n", "\n"), plain);
}

#[rstest]
#[case::review(&["review", "--all"])]
#[case::status(&["status"])]
#[case::on(&["on", "--until", "23:59"])]
#[case::auto(&["auto"])]
fn in_a_narrow_terminal_no_word_is_broken(#[case] args: &[&str]) {
    let home = recordings::all().config("[stop]\nnudges = \"often, I would say\"\n[records]\nkeep_days = 0\n");
    let shown = all_in_terminal(&home, args, 60, &[]);
    let plain = anstream::adapter::strip_str(&shown).to_string().replace("\r\n", "\n");
    let wide: Vec<&str> = plain.lines().filter(|line| line.chars().count() > 60).collect();
    // A path is left whole, so that it can be copied.
    assert!(wide.iter().all(|line| line.trim().rsplit("  ").next().unwrap().split(' ').count() == 1), "{wide:?}");
    assert!(plain.lines().count() > 1, "{plain}");
}

/// What a terminal of this width shows, but for the hint: it goes to the terminal as well, as standard error.
fn in_terminal(home: &Home, args: &[&str], columns: u16, environment: &[(&str, &str)]) -> String {
    all_in_terminal(home, args, columns, environment).split("hint: ").next().unwrap().to_owned()
}

fn all_in_terminal(home: &Home, args: &[&str], columns: u16, environment: &[(&str, &str)]) -> String {
    use portable_pty::{CommandBuilder, PtySize, native_pty_system};
    let size = PtySize { rows: 50, cols: columns, pixel_width: 0, pixel_height: 0 };
    let pair = native_pty_system().openpty(size).unwrap();
    let mut command = CommandBuilder::new(home::PROGRAM);
    command.args(args);
    command.env_clear();
    for (name, value) in [("HOME", home.path().to_str().unwrap()), ("TERM", "xterm-256color"), ("TZ", "UTC")] {
        command.env(name, value);
    }
    environment.iter().for_each(|(name, value)| command.env(name, value));
    let mut child = pair.slave.spawn_command(command).unwrap();
    drop(pair.slave);
    let mut reader = pair.master.try_clone_reader().unwrap();
    let mut shown = Vec::new();
    // A terminal whose last process is gone reports an error in the place of an end.
    let _ = std::io::Read::read_to_end(&mut reader, &mut shown);
    assert!(child.wait().unwrap().success());
    String::from_utf8(shown).unwrap()
}

#[test]
fn a_pipe_gets_plain_text_of_eighty_columns() {
    let home = recordings::all();
    let said = home.says(&["review", "--all", "--full"]);
    assert!(!said.contains('\u{1b}') && said.lines().all(|line| line.chars().count() <= 80), "{said}");
    assert!(said.ends_with("16 decisions, 16 not yet reviewed; 0 stalls\n"), "{said}");
}

#[test]
fn whoever_reads_only_the_beginning_sees_no_error() {
    let home = recordings::all();
    let script = format!("'{0}' review --all | head -1; '{0}' export | head -1", home::PROGRAM);
    let mut shell = std::process::Command::new("sh");
    let output =
        shell.args(["-c", &script]).env_clear().env("HOME", home.path()).env("PATH", "/usr/bin:/bin").output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    assert_eq!(String::from_utf8_lossy(&output.stdout).lines().count(), 2);
}

#[test]
fn markdown_marks_nothing_up_that_comes_from_data() {
    let home = recordings::all();
    let mut record = question_record("00000000000000aa", "2026-11-30T20:00:00.000Z");
    record["questions"][0]["question"] = json!("<img src=x> `a` [b](c) @someone *d*\n# e");
    add_records(&home, &[record]);
    let said = home.says(&["review", "--all", "--markdown"]);
    assert!(said.starts_with("# Decided without a person\n"), "{said}");
    assert!(said.contains("\\<img src=x\\> \\`a\\` \\[b\\](c) @\u{200b}someone \\*d\\* \\# e"), "{said}");
    assert!(said.contains("- [ ] **permission denied** `c4eb5bb`, not reviewed: `Bash: make deploy`"), "{said}");
    assert!(!said.contains("1. Write out.txt"));
    assert!(home.says(&["review", "--all", "--markdown", "--full"]).contains("    1. Write out.txt\n"));
}

/// The record of a denied question.
fn question_record(id: &str, at: &str) -> Value {
    let text = fs::read_to_string(home::fixtures().join("transcripts/assumes-by-line/records.jsonl")).unwrap();
    let found = text
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap())
        .find(|record| record["kind"] == "question");
    let mut record = found.unwrap();
    record["id"] = json!(id);
    record["at"] = json!(at);
    record["session_id"] = json!("11111111-0000-4000-8000-000000000001");
    record["tool_use_id"] = json!(format!("toolu_{id}"));
    record["transcript_path"] = json!("/nowhere/at/all.jsonl");
    record
}

#[rstest]
#[case::a_kind(&["--all", "--kind", "permission"], 2)]
#[case::two_kinds(&["--all", "--kind", "permission", "--kind", "plan"], 3)]
#[case::turns(&["--all", "--kind", "turn"], 1)]
#[case::elicitations(&["--all", "--kind", "elicitation"], 0)]
#[case::stalls_alone(&["--all", "--kind", "stall"], 0)]
#[case::a_session(&["--session", "5e551005"], 3)]
#[case::a_session_that_is_none(&["--session", "ffff"], 0)]
#[case::a_project(&["--all", "--project", "decides"], 3)]
#[case::a_day(&["--since", "2026-11-30"], 16)]
#[case::a_later_day(&["--since", "2026-12-01"], 0)]
#[case::a_time(&["--since", "2026-11-30 15:49"], 4)]
#[case::unreviewed(&["--unreviewed"], 16)]
fn a_filter_leaves_what_it_names(#[case] args: &[&str], #[case] expected: usize) {
    let home = recordings::all();
    assert_eq!(review(&home, args)["totals"]["decisions"], expected);
}

#[test]
fn without_a_time_it_is_the_last_day_and_says_so() {
    let home = recordings::home();
    let ago = |hours: i64| (unattended::clock::now() - chrono::Duration::hours(hours)).format("%FT%T.000Z").to_string();
    add_records(&home, &[question_record("00000000000000aa", &ago(30)), question_record("00000000000000bb", &ago(3))]);
    assert_eq!(each(&review(&home, &[]), "id"), ["00000000000000bb"]);
    assert_eq!(each(&review(&home, &["--since", "2h"]), "id"), Vec::<Value>::new());
    assert_eq!(each(&review(&home, &["--since", "40h"]), "id").len(), 2);
    assert!(home.says(&["review"]).contains("; --all for everything kept.\n"));
}

#[rstest]
#[case::a_time_that_is_none(&["review", "--since", "soon"], "\"soon\" is no time", "hint: say it like 8h")]
#[case::a_project_that_is_not_there(&["review", "--project", "nowhere"], "nowhere cannot be found", "hint: name a folder of the project")]
fn what_cannot_be_meant_is_refused(#[case] args: &[&str], #[case] what: &str, #[case] hint: &str) {
    let home = recordings::home();
    let output = home.run(args);
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!((output.status.code(), output.stdout.len()), (Some(1), 0));
    assert!(said.contains(what) && said.contains(hint), "{said}");
}

#[test]
fn nothing_at_all_is_shown_as_that() {
    let home = Home::new();
    assert_eq!(home.says(&["review", "--all"]), "0 decisions, 0 not yet reviewed; 0 stalls\n");
    assert_eq!(home.says(&["review", "--check"]), "");
    assert!(!home.state().exists(), "looking makes no folder");
}

#[test]
fn a_plan_is_shown_by_its_title_and_whole_on_demand() {
    let home = recordings::home();
    put(&home, "decides");
    let said = home.says(&["review", "--all"]);
    assert!(said.contains("Paint and deploy\n    reviewed by no one, carried out in acceptEdits\n"), "{said}");
    assert!(!said.contains("Write out.txt"), "{said}");
    assert!(home.says(&["review", "--all", "--full"]).contains("    | 1. Write out.txt\n"));
}

#[test]
fn what_happened_to_sessions_is_shown_too() {
    let home = Home::on();
    for case in ["turn-died-of-rate-limit", "elicitation-unanswered", "tool-denied-by-the-client"] {
        recorded("2.1.332", case).iter().for_each(|line| drop(home.hook(line)));
    }
    let said = home.says(&["review"]);
    assert!(said.contains("rate_limit"), "{said}");
    assert!(said.contains("form cancelled") && said.contains("permission denied by the client's own check"), "{said}");
    assert!(said.contains("because    Classifier unavailable"), "{said}");
}

#[test]
fn a_stall_lasts_until_its_session_moves() {
    let home = recordings::home();
    let record = |second: u32, kind: &str, session: &str, fields: Value| {
        let mut record = json!({
            "v": 1, "at": format!("2026-11-30T10:{:02}:{:02}.000Z", second / 60, second % 60), "kind": kind, "on": true,
            "id": format!("{:016x}", second * 1000 + session.len() as u32), "session_id": session, "cwd": "/p",
            "decision": {"action": "none"},
        });
        record.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        record
    };
    let notice = |second, session| {
        record(second, "notice", session, json!({"notification_type": "permission_prompt", "stall": true}))
    };
    let stop = |second, session, stall: bool| {
        let fields = json!({"stop_hook_active": false, "background_tasks": 0, "last_assistant_message": "Shall I?"});
        let mut record = record(second, "stop", session, fields);
        if stall {
            record["stall"] = json!(true);
        }
        record
    };
    add_records(
        &home,
        &[
            notice(0, "one"),
            notice(1, "one"),
            notice(60, "one"),
            stop(600, "one", false),
            notice(700, "other"),
            stop(800, "third", true),
            stop(801, "third", true),
            record(860, "notice", "third", json!({"notification_type": "idle_prompt", "stall": true})),
            record(1400, "session", "third", json!({"reason": "exit"})),
        ],
    );
    let review = review(&home, &["--all"]);
    let told: Vec<_> = review["stalls"]
        .as_array()
        .unwrap()
        .iter()
        .map(|wait| (wait["what"].clone(), wait["seconds"].clone()))
        .collect();
    assert_eq!(
        told,
        [
            (json!("prose"), json!(600)),
            (json!("permission_prompt"), json!(null)),
            (json!("permission_prompt"), json!(600)),
        ]
    );
    assert_eq!(
        review["totals"],
        json!({
            "decisions": 0, "unreviewed": 0, "stalls": 3, "open_stalls": 1, "waited_seconds": 1200,
        })
    );
    let said = home.says(&["review", "--all"]);
    assert!(said.contains("waited   10 min, until 10:10 (permission_prompt)"), "{said}");
    assert!(said.ends_with("0 decisions, 0 not yet reviewed; 3 stalls, 20 min waited, 1 not over\n"), "{said}");
}

#[test]
fn a_decision_is_one_entry_however_many_hooks_saw_it_and_however_often() {
    let home = Home::on();
    for case in ["plan-entered-from-bypass-mode", "question-unanswered", "tool-permission-unanswered"] {
        for line in recorded("2.1.332", case) {
            home.hook(&line);
            home.hook(&line);
        }
    }
    let review = review(&home, &[]);
    let mut kinds: Vec<String> = each(&review, "kind").iter().map(|kind| kind.as_str().unwrap().to_owned()).collect();
    kinds.sort();
    assert_eq!(kinds, ["permission", "plan", "question"]);
}

#[test]
fn the_time_before_a_span_is_read_too_where_a_decision_begins_in_it() {
    let home = recordings::home();
    let before = question_record("00000000000000aa", "2026-11-29T23:59:59.900Z");
    let mut after = question_record("00000000000000bb", "2026-11-30T00:00:00.100Z");
    after["tool_use_id"] = before["tool_use_id"].clone();
    add_records(&home, &[before, after]);
    assert_eq!(each(&review(&home, &["--since", "2026-11-30T00:00:00Z"]), "id"), Vec::<Value>::new());
    assert_eq!(each(&review(&home, &["--since", "2026-11-29T23:00:00Z"]), "id"), ["00000000000000aa"]);
}

#[rstest]
#[case::no_transcript(None)]
#[case::an_empty_one(Some(""))]
#[case::nonsense(Some("nonsense\n\u{0}\n{\"type\":7}\n[]\n{\"type\":\"assistant\",\"message\":{\"content\":7}}\n"))]
fn without_a_transcript_the_closing_message_counts(#[case] text: Option<&str>) {
    let home = recordings::home();
    put(&home, "assumes-after-tool");
    fs::remove_file(transcript(&home, "assumes-after-tool")).unwrap();
    if let Some(text) = text {
        fs::write(transcript(&home, "assumes-after-tool"), text).unwrap();
    }
    let review = review(&home, &["--all"]);
    assert_eq!(each(&review, "assumption"), ["red, because oak takes it well."]);
    assert_eq!(each(&review, "assumption_from"), ["closing"]);
}

#[test]
fn a_pipe_in_the_place_of_a_transcript_or_of_records_is_not_waited_for() {
    let home = recordings::home();
    put(&home, "assumes-after-tool");
    fs::remove_file(transcript(&home, "assumes-after-tool")).unwrap();
    let records = home.state().join("records/2026-11-29.jsonl");
    for pipe in [transcript(&home, "assumes-after-tool"), records] {
        assert!(std::process::Command::new("mkfifo").arg(pipe).status().unwrap().success());
    }
    let output = home.run(&["review", "--json", "--all"]);
    let review: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(each(&review, "assumption_from"), ["closing"]);
    assert_eq!(review["unread"][0]["why"], "is no regular file");
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn a_transcript_that_is_cut_in_a_line_or_holds_huge_and_unknown_ones_is_read() {
    let home = recordings::home();
    put(&home, "assumes-twice");
    let file = transcript(&home, "assumes-twice");
    let whole = fs::read_to_string(&file).unwrap();
    let huge = format!("{{\"type\":\"user\",\"message\":{{\"content\":\"{}\"}}}}\n", "x".repeat(40 * 1024 * 1024));
    let unknown =
        "{\"type\":\"of-a-newer-client\",\"message\":{\"content\":[{\"type\":\"text\",\"text\":\"Assumed: no\"}]}}\n";
    fs::write(&file, format!("{huge}{unknown}{whole}{{\"type\":\"assistant\",\"mess")).unwrap();
    assert_eq!(each(&review(&home, &["--all"]), "assumption")[0], "red, it is the usual one.");
    // Cut before the last question came back: the rest is still told, that one by the closing message.
    let cut = whole.find("two coats").unwrap();
    fs::write(&file, &whole[..cut]).unwrap();
    let review = review(&home, &["--all"]);
    assert_eq!(each(&review, "assumption_from"), ["line", "line", "closing"]);
    assert_eq!(each(&review, "assumption")[2], "two coats, since a second one can be left out but not taken off.");
}

#[test]
fn a_session_that_went_on_under_another_id_is_followed() {
    let home = recordings::home();
    put(&home, "assumes-nothing");
    let file = transcript(&home, "assumes-nothing");
    let whole = fs::read_to_string(&file).unwrap();
    let answered = whole.lines().position(|line| line.contains("\"tool_result\"")).unwrap();
    let lines: Vec<&str> = whole.lines().collect();
    fs::write(&file, lines[..=answered].join("\n")).unwrap();
    let later = whole.replace(&session_id("assumes-nothing"), "another-id").replace("\"Done.\"", "\"Assumed: red\"");
    fs::write(file.with_file_name("another-id.jsonl"), later).unwrap();
    assert_eq!(each(&review(&home, &["--all"]), "assumption"), ["red"]);
}

#[test]
fn terminal_control_characters_do_nothing() {
    let home = recordings::home();
    put(&home, "assumes-without-line");
    let hostile = "\\u001b[2J\\u009b31m\\u0007\\u202eevil";
    let file = transcript(&home, "assumes-without-line");
    fs::write(&file, fs::read_to_string(&file).unwrap().replace("I went", &format!("I {hostile} went"))).unwrap();
    let mut record = question_record("00000000000000aa", "2026-11-30T20:00:00.000Z");
    record["questions"][0]["question"] = json!("a\u{1b}]0;x\u{7}b\u{9b}2J");
    record["cwd"] = json!("/p\u{1b}[31m");
    record["session_id"] = json!("s\u{1b}[31m");
    add_records(&home, &[record]);
    for args in [
        &["review", "--all"][..],
        &["review", "--all", "--full"],
        &["review", "--all", "--markdown"],
        &["review", "--all", "--json"],
    ] {
        let said = home.says(args);
        let bad: Vec<char> = said.chars().filter(|c| (c.is_control() && *c != '\n') || *c == '\u{202e}').collect();
        assert_eq!(bad, [], "{args:?}: {said}");
        assert!(said.contains("evil"), "{said}");
    }
    assert!(
        !home.says(&["review", "--all"]).contains("claude --resume s"),
        "no id of another form is a word for a shell"
    );
}

#[test]
fn secrets_in_what_the_model_said_are_not_shown_and_not_kept() {
    let home = recordings::home();
    put(&home, "assumes-by-line");
    let file = transcript(&home, "assumes-by-line");
    let secret = "ghp_0123456789abcdefghijABCDEFGHIJ012345";
    fs::write(&file, fs::read_to_string(&file).unwrap().replace("red, because", &format!("red, {secret}, because")))
        .unwrap();
    let id = each(&review(&home, &["--all"]), "id")[0].as_str().unwrap().to_owned();
    home.says(&["correct", &id, "Blue."]);
    let said = home.says(&["review", "--all"]) + &fs::read_to_string(home.state().join("reviews.jsonl")).unwrap();
    assert!(!said.contains(secret) && said.matches("[masked]").count() == 2, "{said}");
    let plain = home.config("[records]\nkeep_days = 0\nmask = false\n");
    assert!(plain.says(&["review", "--all"]).contains(secret));
}

#[test]
fn denied_permissions_are_gathered_into_rules_but_for_masked_ones() {
    let home = recordings::home();
    put(&home, "decides");
    put(&home, "subagent");
    let before = fs::read_dir(home.path()).unwrap().count();
    assert!(home.says(&["review", "--rules"]).starts_with("    2  Bash(make deploy *)\n"));
    let mut masked: Value = home.records().into_iter().find(|record| record["kind"] == "permission").unwrap();
    masked["id"] = json!("00000000000000aa");
    masked["session_id"] = json!("another");
    masked["masked"] = json!(true);
    masked["suggestions"][0]["rules"][0]["ruleContent"] = json!("curl -H ******");
    let mut bare = masked.clone();
    bare["id"] = json!("00000000000000bb");
    bare["session_id"] = json!("third");
    bare.as_object_mut().unwrap().remove("masked");
    bare["suggestions"] = json!([{"type": "setMode", "mode": "acceptEdits"}]);
    add_records(&home, &[masked, bare]);
    let said = home.says(&["review", "--rules"]);
    assert!(!said.contains("curl"), "{said}");
    assert!(said.contains("    1  denied: left out, since something in it is masked\n"), "{said}");
    assert!(said.contains("    1  denied: came with no rule that would allow it\n"), "{said}");
    let json: Value = serde_json::from_str(&home.says(&["review", "--rules", "--json"])).unwrap();
    assert_eq!(json, json!({"permissions": {"allow": ["Bash(make deploy *)"]}}));
    assert_eq!(fs::read_dir(home.path()).unwrap().count(), before, "nothing is written");
}
