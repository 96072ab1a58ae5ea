//! The loop from a decision to the model of a later session: a session that is denied a question and a permission and
//! carries out a plan, its review, a person's word on it, and what the sessions after it read.

use std::sync::Arc;
use std::sync::mpsc::channel;

use anyhow::{Context, Result, bail};
use libtest_mimic::{Failed, Trial};
use serde_json::Value;

use crate::api::Api;
use crate::cell::Stage;
use crate::cells::NEWEST;
use crate::client::Client;
use crate::driver::{Outcome, Start, Way, watch};
use crate::home::Home;
use crate::hooks::{Hooks, Switch};

/// Its name beside the cells.
pub const NAME: &str = "2.1.332/sdk/reviewed-and-corrected";

const WANTED: &str = "Deploy to the staging machine instead.";

/// The trial.
pub fn trial(stage: Stage) -> Trial {
    Trial::test(NAME, move || {
        let complaints = complaints(&stage).map_err(|error| format!("{error:#}"))?;
        if complaints.is_empty() { Ok(()) } else { Err(Failed::from(complaints.join("\n"))) }
    })
}

/// Whatever is not as expected, one line each.
fn complaints(stage: &Stage) -> Result<Vec<String>> {
    let mut found = Vec::new();
    let client = Client::cached(NEWEST)?;
    let mut home = Home::make(&client, "plan")?;
    Hooks::Ours(Switch::Auto).install(&home, &stage.binary, Some(NEWEST))?;

    session(stage, &mut home, Way::Sdk, "decides", "plan")?;
    let review = review(stage, &home)?;
    let told: Vec<(&str, &str)> = review
        .iter()
        .map(|item| (item["kind"].as_str().unwrap_or_default(), item["assumption"].as_str().unwrap_or_default()))
        .collect();
    let expected = [
        ("question", "red, because it is in stock."),
        ("plan", ""),
        ("permission", "it need not be deployed now. That step is left undone."),
    ];
    if told != expected {
        bail!("review shows {told:?}");
    }
    let id = |at: usize| review[at]["id"].as_str().unwrap_or_default().to_owned();
    let check = |expected: i32| -> Result<Option<String>> {
        let code = home.command(&stage.binary).args(["review", "--check"]).output()?.status.code();
        Ok((code != Some(expected)).then(|| format!("review --check ended with {code:?}, not {expected}")))
    };
    found.extend(check(1)?);
    home.run(&stage.binary, &["ack", &id(0), &id(1)[..8]])?;
    found.extend(check(1)?);
    home.run(&stage.binary, &["correct", &id(2), WANTED])?;
    found.extend(check(0)?);

    home.move_to("other")?;
    if session(stage, &mut home, Way::Print, "ends", "default")?.heard(WANTED) {
        found.push("a session of another project was told the correction".to_owned());
    }
    home.move_to("project")?;
    let next = session(stage, &mut home, Way::Print, "ends", "default")?;
    if !next.heard(&format!("The person says: {WANTED}")) || !next.heard("Bash: make deploy") {
        found.push("the model of the next session was not told the correction".to_owned());
    }
    let delivered = crate::reviewed::review(stage, &home)?[2]["correction"]["delivered"].clone();
    if delivered.as_array().map(Vec::len) != Some(1) {
        found.push(format!("the correction is not listed as delivered once: {delivered}"));
    }
    if session(stage, &mut home, Way::Print, "ends", "default")?.heard(WANTED) {
        found.push("the correction was given again after it was delivered".to_owned());
    }
    Ok(found)
}

fn review(stage: &Stage, home: &Home) -> Result<Vec<Value>> {
    let output = home.run(&stage.binary, &["review", "--json", "--all"])?;
    let review: Value = serde_json::from_slice(&output.stdout)?;
    Ok(review["decisions"].as_array().cloned().unwrap_or_default())
}

/// Runs a session in the home's project to its end; what the client sent to the API.
fn session(stage: &Stage, home: &mut Home, way: Way, name: &str, mode: &str) -> Result<crate::api::Kept> {
    let scenario = stage.scenarios.get(name).with_context(|| format!("no scenario {name}"))?;
    let (bell, heard) = channel();
    let plan_file = home.folder().join(".claude/plans/plan.md");
    let api = Api::start(Arc::clone(&stage.scenarios), home.project(), plan_file, bell.clone())?;
    home.talk_to(api.url());
    let prompt = scenario.prompt(name);
    let start = Start { home, mode, prompt: &prompt, closing: scenario.closing(), extra: &[], bell };
    let mut session = way.start(start)?;
    match watch(session.as_mut(), &api, &heard) {
        Outcome::WentOn => Ok(api.kept()),
        other => bail!("the session {name} did not go on: {other:?}"),
    }
}
