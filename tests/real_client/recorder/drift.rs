//! What changed in the payloads from one recorded version to another: fields and events that came or went. Reads
//! fixtures, writes nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use anyhow::Result;
use serde_json::Value;

use super::hook::names;
use crate::expect::number;

/// Objects whose keys are questions: what was asked is no field.
const NAMED_BY_CONTENT: [&str; 2] = ["answers", "annotations"];

type Fields = BTreeMap<String, BTreeSet<String>>;

/// The newest recorded version other than this one.
pub fn newest_but(fixtures: &Path, version: &str) -> Option<String> {
    let folders = std::fs::read_dir(fixtures).ok()?.flatten();
    let versions = folders.filter_map(|folder| folder.file_name().into_string().ok());
    versions.filter(|name| name != version && number(name).len() == 3).max_by_key(|name| number(name))
}

/// The differences, one line each. Only sessions that both have are compared, so that a session that was not recorded
/// is no drift.
pub fn between(fixtures: &Path, old: &str, new: &str) -> Result<Vec<String>> {
    let (before, after) = (sessions(&fixtures.join(old))?, sessions(&fixtures.join(new))?);
    let both = || after.iter().filter_map(|(name, payloads)| Some((before.get(name)?, payloads)));
    let was: Vec<Value> = both().flat_map(|(was, _)| was.clone()).collect();
    let is: Vec<Value> = both().flat_map(|(_, is)| is.clone()).collect();
    Ok(differences(&was, &is))
}

/// The differences of two sets of payloads: events that came or went, and fields of what both have. An event is
/// compared by the tool or kind it is about, since each has fields of its own.
pub fn differences(was: &[Value], is: &[Value]) -> Vec<String> {
    let mut found = Vec::new();
    let (was_events, is_events) = (events(was), events(is));
    found.extend(is_events.difference(&was_events).map(|event| format!("{event}: the event came")));
    found.extend(was_events.difference(&is_events).map(|event| format!("{event}: the event went")));
    let (was, is) = (gathered(was), gathered(is));
    for (event, was) in &was {
        let Some(is) = is.get(event) else { continue };
        found.extend(is.difference(was).map(|field| format!("{event}: {field} came")));
        found.extend(was.difference(is).map(|field| format!("{event}: {field} went")));
    }
    found
}

fn events(payloads: &[Value]) -> BTreeSet<String> {
    payloads.iter().filter_map(|payload| names(payload).pop()).collect()
}

fn sessions(folder: &Path) -> Result<BTreeMap<String, Vec<Value>>> {
    let mut all = BTreeMap::new();
    for entry in std::fs::read_dir(folder)?.flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        // Beside each session lie the answers expected to it.
        if name.ends_with(".jsonl") && !name.ends_with(".answers.jsonl") {
            let text = std::fs::read_to_string(entry.path())?;
            let payloads = text.lines().map(serde_json::from_str).collect::<Result<Vec<Value>, _>>()?;
            all.insert(name, payloads);
        }
    }
    Ok(all)
}

fn gathered(payloads: &[Value]) -> Fields {
    let mut fields = Fields::new();
    for payload in payloads {
        let event = names(payload).into_iter().next().unwrap_or_default();
        paths(payload, "", fields.entry(event).or_default());
    }
    fields
}

/// The paths of all fields; the entries of a list count as one.
fn paths(value: &Value, at: &str, into: &mut BTreeSet<String>) {
    match value {
        Value::Object(fields) => {
            for (key, field) in fields {
                let path = if at.is_empty() { key.clone() } else { format!("{at}.{key}") };
                into.insert(path.clone());
                if !NAMED_BY_CONTENT.contains(&key.as_str()) {
                    paths(field, &path, into);
                }
            }
        }
        Value::Array(items) => items.iter().for_each(|item| paths(item, &format!("{at}[]"), into)),
        _ => {}
    }
}
