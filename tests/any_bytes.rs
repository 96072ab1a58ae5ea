//! Whatever comes on standard input: exit 0, and nothing or one JSON object.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

mod home;

use home::{Home, recorded};
use proptest::prelude::*;
use serde_json::Value;

fn holds(home: &Home, bytes: &[u8]) {
    if let Some(answer) = home.hook_bytes(&["hook", "--for", "PermissionRequest"], bytes) {
        let value: Value = serde_json::from_slice(&answer).unwrap_or_else(|error| panic!("{error}: {answer:?}"));
        assert!(value.is_object());
    }
}

/// A recorded payload with a piece cut out, doubled or replaced.
fn mangled() -> impl Strategy<Value = Vec<u8>> {
    let payloads: Vec<Vec<u8>> =
        ["question-wizard-with-multiselect", "plan-entered-from-bypass-mode", "elicitation-unanswered"]
            .iter()
            .flat_map(|case| recorded("2.1.332", case))
            .map(String::into_bytes)
            .collect();
    let noise = prop::collection::vec(any::<u8>(), 0..20);
    (prop::sample::select(payloads), any::<prop::sample::Index>(), any::<prop::sample::Index>(), noise).prop_map(
        |(mut payload, from, to, noise)| {
            let (from, to) = (from.index(payload.len()), to.index(payload.len()));
            payload.splice(from.min(to)..from.max(to), noise);
            payload
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes_give_nothing_or_one_object(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        holds(&Home::on(), &bytes);
    }

    #[test]
    fn any_object_gives_nothing_or_one_object(name in "[A-Za-z]{0,12}", tool in ".{0,12}", value in ".{0,40}") {
        let payload = serde_json::json!({"hook_event_name": name, "tool_name": tool, "tool_input": value});
        holds(&Home::on(), payload.to_string().as_bytes());
    }

    #[test]
    fn a_mangled_payload_gives_nothing_or_one_object(bytes in mangled()) {
        holds(&Home::on(), &bytes);
    }
}
