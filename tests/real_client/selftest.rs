//! What of the suite itself can be tried with no client: run by a plain `cargo test`.

use std::path::Path;
use std::sync::mpsc::channel;

use libtest_mimic::{Failed, Trial};
use serde_json::json;

use crate::api::Api;
use crate::driver::Outcome::{Unasked, WentOn};
use crate::driver::terminal::dialog;
use crate::driver::{Session, start_and_watch};
use crate::expect::EXCEPTIONS;
use crate::recorder::stable::Stable;
use crate::{native, recorder, root, scenario, suite};

type Outcome = Result<(), Failed>;

/// The trials.
pub fn trials() -> Vec<Trial> {
    vec![
        Trial::test("every cell and every recorded session has its scenario", every_scenario_is_there),
        Trial::test("every exception of a client fits a cell", every_exception_fits),
        Trial::test("a dialog is told from a prompt by its rows or its keys", dialogs_are_seen),
        Trial::test("a session that ends before it asks anything is started three times", unasked_is_started_again),
        Trial::test("paths and ids in payloads are made stable, nothing else", payloads_are_made_stable),
        Trial::test("the page on the client's own settings shows what is tried", the_page_is_true),
        Trial::test("drift is a field or an event, not what was asked", drift_is_fields),
    ]
}

fn every_scenario_is_there() -> Outcome {
    let all = scenario::load(&root().join("tests/real_client/scenarios")).map_err(|error| format!("{error:#}"))?;
    for cell in suite::chosen(true) {
        all.get(cell.scenario).ok_or(format!("{} has no scenario", cell.name()))?;
    }
    for session in recorder::sessions(&root()).map_err(|error| format!("{error:#}"))? {
        all.get(&session.scenario).ok_or(format!("{} has no scenario", session.name))?;
    }
    for (name, ..) in recorder::transcripts::SESSIONS {
        all.get(name).ok_or(format!("{name} has no scenario"))?;
        let recorded = root().join("tests/fixtures/transcripts").join(name).join("records.jsonl");
        recorded.is_file().then_some(()).ok_or(format!("{name} was not recorded"))?;
    }
    Ok(())
}

fn every_exception_fits() -> Outcome {
    let cells = suite::chosen(true);
    match EXCEPTIONS.iter().find(|exception| !cells.iter().any(|cell| exception.fits(cell))) {
        Some(unused) => Err(format!("no cell for: {}", unused.why).into()),
        None => Ok(()),
    }
}

fn the_page_is_true() -> Outcome {
    let (page, table) = (std::fs::read_to_string(root().join("docs/native.md"))?, native::table());
    if page.contains(&table) { Ok(()) } else { Err(format!("docs/native.md must show\n{table}").into()) }
}

fn dialogs_are_seen() -> Outcome {
    let cases = [
        (" Do you prefer red or blue?\n\n ❯ 1. Red\n   2. Blue\n", Some("Do you prefer red or blue?")),
        (" Do you want to proceed?\n ❯ No\n   Yes\n\n Esc to cancel · Tab to amend\n", Some("Do you want to proceed?")),
        ("│ Do you want to proceed?  │\n│ ❯ 1. Yes                 │\n", Some("Do you want to proceed?")),
        ("● Shall I proceed with option A?\n\n❯ \n  ? for shortcuts\n", None),
        ("● 1. Red\n● 2. Blue\n❯ Paint the door.\n* Working… (esc to interrupt)\n", None),
    ];
    for (screen, expected) in cases {
        let seen = dialog(screen);
        if seen.as_deref() != expected {
            return Err(format!("{screen}\nis {seen:?}, not {expected:?}").into());
        }
    }
    Ok(())
}

/// A session that its client ends at once, or that goes on.
struct Brief {
    ends: bool,
}

impl Session for Brief {
    fn take(&mut self, _bytes: &[u8]) {}
    fn closed(&mut self) {}
    fn waits_for(&mut self) -> Option<String> {
        None
    }
    fn is_over(&mut self, _quiet: bool) -> bool {
        !self.ends
    }
    fn failed(&mut self) -> Option<String> {
        None
    }
    fn ended(&mut self) -> bool {
        self.ends
    }
    fn last_seen(&mut self) -> String {
        "it was there".to_owned()
    }
}

fn unasked_is_started_again() -> Outcome {
    for (brief, starts) in [(0, 1), (1, 2), (2, 3), (9, 3)] {
        let (bell, heard) = channel();
        let api = Api::start(Default::default(), root(), root(), bell)?;
        let mut started = 0;
        let start = || {
            started += 1;
            Ok(Box::new(Brief { ends: started <= brief }) as Box<dyn Session>)
        };
        let (_, outcome) = start_and_watch(start, &api, &heard)?;
        let expected = if brief < 3 { WentOn } else { Unasked("it was there".to_owned()) };
        if (started, &outcome) != (starts, &expected) {
            return Err(format!("{brief} brief ones: {started} starts, {outcome:?}").into());
        }
    }
    Ok(())
}

fn payloads_are_made_stable() -> Outcome {
    let payload = concat!(
        r#"{"session_id":"1b94094b-cbcb-41cc-b2c2-e1cc582d7d23","cwd":"/tmp/real.aB3/home/project","#,
        r#""transcript_path":"/tmp/real.aB3/home/.claude/projects/-tmp-real-aB3-home-project/x.jsonl","#,
        r#""tool_use_id":"toolu_01AbC","tool_input":{"plan":"toolu-free, 1b94","#,
        r#""planFilePath":"/tmp/real.aB3/home/.claude/plans/gentle-otter.md"}}"#,
    );
    let expected = concat!(
        r#"{"session_id":"00000000-0000-4000-8000-000000000001","cwd":"/home/dev/project","#,
        r#""transcript_path":"/home/dev/.claude/projects/-home-dev-project/x.jsonl","#,
        r#""tool_use_id":"toolu_000000000000000000000001","tool_input":{"plan":"toolu-free, 1b94","#,
        r#""planFilePath":"/home/dev/.claude/plans/calm-river.md"}}"#,
    );
    let mut stable = Stable::of(Path::new("/tmp/real.aB3/home"), Path::new("/tmp/real.aB3/t"));
    let (once, again) = (stable.line(payload), stable.line(payload));
    if once == expected && again == expected { Ok(()) } else { Err(format!("{once}\nis not\n{expected}").into()) }
}

fn drift_is_fields() -> Outcome {
    let was = [
        json!({"hook_event_name": "Stop", "old": 1}),
        json!({"hook_event_name": "PostToolUse", "tool_name": "AskUserQuestion", "tool_response": {"answers": {"Red?": "a"}}}),
    ];
    let is = [
        json!({"hook_event_name": "Stop", "new": {"deep": [{"er": 1}]}}),
        json!({"hook_event_name": "PostToolUse", "tool_name": "AskUserQuestion", "tool_response": {"answers": {"Blue?": "b"}}}),
        json!({"hook_event_name": "Setup"}),
    ];
    let found = recorder::drift::differences(&was, &is);
    let expected = [
        "Setup: the event came",
        "Stop: new came",
        "Stop: new.deep came",
        "Stop: new.deep[].er came",
        "Stop: old went",
    ];
    if found == expected { Ok(()) } else { Err(format!("{found:?}").into()) }
}
