//! The conformance suite: the real client, our hook installed as a user installs it, a scripted model on loopback.
//! `tests/real_client/run` runs it; a plain `cargo test` only says so.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]
#![allow(missing_docs)]

mod api;
mod cell;
mod cells;
mod checks;
mod client;
mod driver;
mod expect;
mod home;
mod hooks;
mod mcp;
mod namespace;
mod scenario;
mod sse;
mod suite;

use std::path::Path;
use std::sync::Arc;

use anyhow::Result;

use cell::{Cell, Stage};
use driver::Way;
use hooks::{Hooks, Switch};

fn main() -> Result<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    if args.first().is_some_and(|arg| arg == "serve-mcp") {
        return mcp::serve();
    }
    namespace::enter()?;
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/real_client/scenarios");
    let stage = Stage {
        scenarios: Arc::new(scenario::load(&folder)?),
        binary: std::env::var_os("UNATTENDED_BIN").unwrap_or_default().into(),
    };
    if args[0] == "shell" {
        let mut home = home::Home::make(&client::Client::cached(&args[1])?)?;
        if let Ok(hooks) = std::env::var("HOOKS") {
            let switch = if hooks == "on" { Switch::On } else { Switch::Auto };
            Hooks::Ours(switch).install(&home, &stage.binary)?;
        }
        let (bell, _heard) = std::sync::mpsc::channel();
        let api = api::Api::start(Arc::clone(&stage.scenarios), home.project(), "/x".into(), bell)?;
        home.talk_to(api.url());
        home.command("bash").args(["-c", &args[2]]).status()?;
        for turn in &api.kept().turns {
            println!("turn {} {}", turn.scenario, turn.turn);
        }
        return Ok(());
    }
    if args[0] == "suite" {
        let mut arguments = libtest_mimic::Arguments::from_iter(args.clone().into_iter().filter(|a| a != "--all"));
        arguments.test_threads = arguments.test_threads.or(Some(6));
        let started = std::time::Instant::now();
        let (conclusion, results) = suite::run(&arguments, stage, suite::chosen(args.iter().any(|a| a == "--all")));
        println!("{} cells, mean {:.1} s, wall {:.0} s", results.len(), results.iter().map(|r| r.seconds).sum::<f64>() / results.len() as f64, started.elapsed().as_secs_f64());
        conclusion.exit();
    }
    // try: VERSION WAY SCENARIO MODE HOOKS
    let leak = |text: &String| -> &'static str { text.clone().leak() };
    let cell = Cell {
        version: leak(&args[0]),
        way: match args[1].as_str() {
            "tui" => Way::Tui,
            "sdk" => Way::Sdk,
            "print" => Way::Print,
            _ => Way::Bg,
        },
        scenario: leak(&args[2]),
        mode: leak(&args[3]),
        hooks: match args[4].as_str() {
            "on" => Hooks::Ours(Switch::On),
            "auto" => Hooks::Ours(Switch::Auto),
            "off" => Hooks::Ours(Switch::Off),
            "wrong" => Hooks::PlanWithoutEcho,
            _ => Hooks::None,
        },
    };
    let started = std::time::Instant::now();
    let facts = stage.run(&cell)?;
    println!("{} {:?}", started.elapsed().as_millis(), facts.outcome);
    println!("carried out: {}", facts.carried_out);
    for turn in &facts.kept.turns {
        let mut tools: Vec<&str> = turn.request["tools"].as_array().unwrap().iter().filter_map(|t| t["name"].as_str()).collect();
        tools.sort();
        println!("turn {} {} last={} beyond={} tools {}", turn.scenario, turn.turn, turn.last, turn.beyond, tools.join(","));
    }
    for (what, body) in &facts.kept.aside {
        println!("aside {what} {}", body.to_string().chars().take(300).collect::<String>());
    }
    for tool in ["AskUserQuestion", "EnterPlanMode", "ExitPlanMode", "Write", "Bash", "mcp__regions__pick"] {
        println!("{tool}: {:#?}", facts.told(tool));
    }
    for record in &facts.records {
        println!("record {record}");
    }
    if std::env::var_os("DUMP").is_some() {
        std::fs::write("/tmp/w/dump.json", format!("{:#}", facts.kept.turns.last().unwrap().request))?;
    }
    Ok(())
}
