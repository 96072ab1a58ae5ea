//! The status line in the real client's terminal: what it says of the session, and of a decision that waits for a review.

use std::sync::Arc;
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use libtest_mimic::Trial;
use serde_json::json;

use crate::api::Api;
use crate::cell::Stage;
use crate::cells::NEWEST;
use crate::client::Client;
use crate::driver::{Happened, Outcome, Start, Way, watch};
use crate::home::Home;
use crate::hooks::{Hooks, Switch};

/// Its name beside the cells.
pub const NAME: &str = "2.1.332/tui/statusline";
/// How long the client may take to ask for the line again.
const LIMIT: Duration = Duration::from_secs(30);

/// The trial.
pub fn trial(stage: Stage) -> Trial {
    Trial::test(NAME, move || try_it(&stage).map_err(|error| format!("{error:#}").into()))
}

fn try_it(stage: &Stage) -> Result<()> {
    let mut home = Home::make(&Client::cached(NEWEST)?, "default")?;
    Hooks::Ours(Switch::On).install(&home, &stage.binary, Some(NEWEST))?;
    let mut settings = home.read(".claude/settings.json")?;
    settings["statusLine"] = json!({"type": "command", "command": format!("{} statusline", stage.binary.display())});
    home.write(".claude/settings.json", &settings)?;
    let scenario = stage.scenarios.get("question").context("no such scenario")?;
    let (bell, heard) = channel();
    let plan_file = home.folder().join(".claude/plans/plan.md");
    let api = Api::start(Arc::clone(&stage.scenarios), home.project(), plan_file, bell.clone())?;
    home.talk_to(api.url());
    let prompt = scenario.prompt("question");
    let closing = scenario.closing();
    let start = Start { home: &home, mode: "default", prompt: &prompt, closing, extra: &[], bell };
    let mut session = Way::Tui.start(start)?;
    let outcome = watch(session.as_mut(), &api, &heard);
    ensure!(outcome == Outcome::WentOn, "the session did not go on: {outcome:?}");
    let started = Instant::now();
    // What stands below the line in which a person types.
    while !session.screen().is_some_and(|screen| screen.contains("unattended on · 1 to review")) {
        if started.elapsed() > LIMIT {
            bail!("the line is not there; last: {}", session.last_seen());
        }
        if let Ok(Happened::Wrote(bytes)) = heard.recv_timeout(Duration::from_millis(100)) {
            session.take(&bytes);
        }
    }
    Ok(())
}
