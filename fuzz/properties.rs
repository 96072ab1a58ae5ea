//! What holds for any bytes, by what they are read as. The fuzz targets and `tests/fuzzed.rs` share it.

use chrono::{DateTime, Utc};
use serde_json::Value;
use unattended::assumption::{Said, Sought};
use unattended::config::{self, Config};
use unattended::decide::{Ground, decide};
use unattended::event::{self, Event};
use unattended::memory::Memory;
use unattended::settings::{self, Form, Made, Waits};
use unattended::wire::{Payload, glimpse};
use unattended::{assumption, correction, input, mask, prose, reply, switch, transcript};

/// A function that panics where what must hold does not.
pub type Property = fn(&[u8]);

/// What each of them is called, and the function.
pub const ALL: [(&str, Property); 7] = [
    ("payload", payload),
    ("settings", edits),
    ("message", message),
    ("config", config),
    ("memory", memory),
    ("record", record),
    ("transcript", transcript),
];

/// A payload: no answer or one JSON object; a question before the tool is denied; a plan is echoed as it came.
pub fn payload(bytes: &[u8]) {
    let _ = glimpse(bytes);
    let Some(text) = input::text(bytes) else { return };
    let Ok(payload) = Payload::read(text) else { return };
    let call = event::read(&payload);
    let (config, memory) = (Config::default(), Memory::default());
    for acts in [true, false] {
        let decision = decide(&call, Ground { line: "a line", ..Ground::of(acts, &config, &memory) });
        let answer = String::from_utf8(reply::bytes(&decision.answer)).expect("an answer is text");
        if answer.is_empty() {
            continue;
        }
        let read: Value = serde_json::from_str(&answer).expect("an answer is JSON");
        assert!(read.is_object() && !answer.trim_end().contains('\n'), "one object in one line");
        if let (Event::ExitPlan { .. }, Some(raw)) = (&call.event, payload.raw("tool_input"))
            && read["hookSpecificOutput"].to_string().contains("\"allow\"")
            && raw.get().starts_with('{')
        {
            assert!(answer.contains(raw.get()), "the plan is echoed byte for byte");
        }
    }
    if let Event::Question { .. } = call.event {
        let decision = decide(&call, Ground::of(true, &config, &memory));
        let answer: Value = serde_json::from_slice(&reply::bytes(&decision.answer)).expect("a question is answered");
        assert!(answer.to_string().contains("\"deny\""), "a question is denied");
    }
}

/// A settings file: refused with reasons, or edited so that it stays JSON; taken out, nothing of ours is left.
pub fn edits(bytes: &[u8]) {
    const PROGRAM: &str = "/home/u/.local/bin/unattended";
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let wanted = settings::wanted(PROGRAM, Form::Exec, Waits::default(), |_| true);
    let Ok(installed) = settings::install(text, PROGRAM, &wanted, None) else { return };
    let json =
        |text: &str| serde_json::from_str::<&serde_json::value::RawValue>(text.trim_start_matches('\u{feff}')).is_ok();
    assert!(json(&installed.text), "installed, it is JSON");
    let again = settings::install(&installed.text, PROGRAM, &wanted, installed.made.as_ref()).expect("it can be read");
    assert_eq!(again.text, installed.text, "a second time changes nothing");
    let made: Option<&Made> = installed.made.as_ref();
    let gone = settings::uninstall(&installed.text, PROGRAM, made).expect("it can be read");
    // A file that held nothing holds nothing again.
    let nothing = gone.text.trim_start_matches('\u{feff}').trim().is_empty();
    assert!(nothing || json(&gone.text), "taken out, it is JSON: {:?}", gone.text);
    assert!(settings::registered(&gone.text, PROGRAM).events.is_empty(), "nothing of ours is left");
}

/// A closing message: one of three classes, the same each time.
pub fn message(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    assert_eq!(prose::classify(&text), prose::classify(&text));
}

/// A config file: read, or the defaults with a reason of one line.
pub fn config(bytes: &[u8]) {
    let (_, problems) = config::read(&String::from_utf8_lossy(bytes));
    assert!(problems.iter().all(|problem| !problem.contains('\n')), "a problem is one line");
}

/// A memory file and a switch file: whatever can be read of them; what is kept of a memory can be read again.
pub fn memory(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let read = Memory::from_lines(&text, "lane");
    let kept = read.kept(64).expect("a memory can be written");
    let again = Memory::from_lines(&kept, "lane");
    assert_eq!(again.entered_plan_from(), read.entered_plan_from());
    assert_eq!(again.there_since().is_some(), read.there_since().is_some());
    if let Ok(switch) = serde_json::from_slice::<switch::Switch>(bytes) {
        switch.in_force(DateTime::<Utc>::UNIX_EPOCH);
    }
}

/// A record: without its secrets it is the same JSON but for its strings, and has none left.
pub fn record(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let line = serde_json::json!({"v": 1, "text": text, "nested": serde_json::json!({"deep": text}).to_string()});
    if let Some(masked) = mask::masked(&line.to_string()) {
        assert_eq!(mask::masked(&masked), None, "what is masked is masked once");
        let read: Value = serde_json::from_str(&masked).expect("a masked record is JSON");
        assert_eq!((&read["v"], &read["masked"]), (&Value::from(1), &Value::from(true)));
    }
}

/// A transcript, or a file of corrections: what was assumed after any of its calls is some words of it, and not many.
pub fn transcript(bytes: &[u8]) {
    for aside in [true, false] {
        let beats = transcript::read(bytes, DateTime::<Utc>::UNIX_EPOCH, aside).expect("bytes can be read");
        let sought: Vec<Sought> = beats
            .iter()
            .map(|beat| Sought {
                at: beat.at.unwrap_or_default(),
                call: match &beat.said {
                    Said::Call { id, .. } | Said::Result { id } => Some(id.clone()),
                    _ => None,
                },
                line_only: false,
            })
            .collect();
        let found = assumption::find(&beats, &sought);
        assert_eq!(found.len(), sought.len());
        for found in found.into_iter().flatten() {
            assert!(!found.text.is_empty() && found.text.chars().count() <= 601, "{found:?}");
        }
    }
    let text = String::from_utf8_lossy(bytes);
    let due = correction::due(correction::lines(&text), "/home/dev/project", &[]);
    assert!(correction::told(&due).chars().count() < 8_000, "the client would put it into a file");
}
