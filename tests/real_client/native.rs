//! What the client offers of its own against waiting, with no hook at all: each setting with the stall paths, so that
//! docs/native.md says what was seen. It is the client that is tried here, not us.

use std::sync::Arc;
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use libtest_mimic::Trial;
use serde_json::json;

use crate::api::Api;
use crate::cell::{Facts, Stage, offer_mcp};
use crate::cells::NEWEST;
use crate::client::Client;
use crate::driver::{Outcome, Start, Way, start_and_watch, watch};
use crate::home::Home;
use crate::hooks::{Hooks, Switch};

/// How long a question may stand that ends by itself after a minute.
const PATIENCE: Duration = Duration::from_secs(100);

/// What every text of ours to the model asks for.
const GUIDANCE: &str = "Assumed:";

/// The paths, each with the mode of its session and the head of its column on the page.
const PATHS: [(&str, &str, &str); 6] = [
    ("question", "default", "question"),
    ("plan", "plan", "plan, started in plan mode"),
    ("enterplan", "bypassPermissions", "plan mode entered by itself"),
    ("permission", "default", "permission"),
    ("elicitation", "default", "form of a server"),
    ("prose-for-ever", "default", "turn that ends asking"),
];

/// A setting of the client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Setting {
    Nothing,
    DenyInsteadOfPrompting,
    PromptsNone,
    QuestionTimeout,
    Disallowed,
}

/// What is seen of a session with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Seen {
    /// A dialog or a request stands open.
    Waits,
    /// The question tool is not offered, and the run goes on.
    NotOffered,
    /// The plan tools are not offered: the session stays in plan mode and writes nothing.
    NeverLeft,
    /// The plan tools are not offered: the session never enters plan mode, and writes.
    NoPlan,
    /// The client refuses, and the run goes on.
    Refused,
    /// The question ended by itself, unanswered.
    TimedOut,
    /// The model read our guidance.
    Guided,
    /// The plan was approved and carried out.
    CarriedOut,
    /// The turn that ended asking was sent on.
    SentOn,
    /// The server was told `cancel`.
    Cancelled,
    /// The turn ended asking, and nothing sent it on.
    EndsAsking,
    /// The client does not start.
    Fails,
    /// None of these.
    Otherwise,
}

use Seen::{
    Cancelled, CarriedOut, EndsAsking, Fails, Guided, NeverLeft, NoPlan, NotOffered, Refused, SentOn, TimedOut, Waits,
};
use Setting::{DenyInsteadOfPrompting, Disallowed, Nothing, PromptsNone, QuestionTimeout};

const TAKEN_AWAY: [Seen; 6] = [NotOffered, NeverLeft, NoPlan, Refused, Cancelled, EndsAsking];
const ALL_WAIT: [Seen; 6] = [Waits, Waits, Waits, Waits, Waits, EndsAsking];

/// What is seen on the newest client: a row of the page's table each, path by path.
const ROWS: [(Setting, &[Way], [Seen; 6]); 8] = [
    (Nothing, &[Way::Tui, Way::Sdk, Way::Bg], ALL_WAIT),
    (Nothing, &[Way::Print], TAKEN_AWAY),
    (DenyInsteadOfPrompting, &[Way::Tui, Way::Sdk, Way::Print, Way::Bg], TAKEN_AWAY),
    (PromptsNone, &[Way::Sdk, Way::Print], TAKEN_AWAY),
    (PromptsNone, &[Way::Tui, Way::Bg], ALL_WAIT),
    (QuestionTimeout, &[Way::Tui], [TimedOut, Waits, Waits, Waits, Waits, EndsAsking]),
    (QuestionTimeout, &[Way::Sdk, Way::Bg], ALL_WAIT),
    (Disallowed, &[Way::Tui, Way::Sdk, Way::Bg], [NotOffered, Waits, Waits, Waits, Waits, EndsAsking]),
];

/// What is seen on older clients.
const OLDER: [(Setting, &str, Way, &str, Seen); 12] = [
    (DenyInsteadOfPrompting, "2.1.314", Way::Tui, "question", Waits),
    (DenyInsteadOfPrompting, "2.1.314", Way::Sdk, "question", Waits),
    (PromptsNone, "2.1.314", Way::Sdk, "question", NotOffered),
    (PromptsNone, "2.1.314", Way::Sdk, "plan", NeverLeft),
    (PromptsNone, "2.1.314", Way::Print, "permission", Refused),
    (PromptsNone, "2.1.246", Way::Print, "permission", Fails),
    (QuestionTimeout, "2.1.314", Way::Tui, "question", TimedOut),
    (QuestionTimeout, "2.1.246", Way::Tui, "question", TimedOut),
    (QuestionTimeout, "2.1.198", Way::Tui, "question", TimedOut),
    (QuestionTimeout, "2.1.150", Way::Tui, "question", Waits),
    (Disallowed, "2.1.50", Way::Tui, "question", NotOffered),
    (Disallowed, "2.1.50", Way::Tui, "plan", Waits),
];

/// What is seen on the newest client with our hooks installed as well.
const BESIDE: [(Setting, Way, &str, Seen); 6] = [
    (DenyInsteadOfPrompting, Way::Tui, "question", NotOffered),
    (DenyInsteadOfPrompting, Way::Tui, "permission", Guided),
    (DenyInsteadOfPrompting, Way::Tui, "prose-for-ever", SentOn),
    (PromptsNone, Way::Print, "permission", Guided),
    (QuestionTimeout, Way::Tui, "question", Guided),
    (Disallowed, Way::Tui, "plan", CarriedOut),
];

/// A session to look at.
#[derive(Debug, Clone, Copy)]
struct Case {
    setting: Setting,
    version: &'static str,
    way: Way,
    scenario: &'static str,
    mode: &'static str,
    /// Our hooks are installed, and switched on.
    ours: bool,
    seen: Seen,
}

fn cases() -> Vec<Case> {
    let mut all = Vec::new();
    for (setting, ways, row) in ROWS {
        for way in ways.iter().copied() {
            for ((scenario, mode, _), seen) in PATHS.into_iter().zip(row) {
                all.push(Case { setting, version: NEWEST, way, scenario, mode, ours: false, seen });
            }
        }
    }
    let mode = |scenario| if scenario == "plan" { "plan" } else { "default" };
    all.extend(OLDER.map(|(setting, version, way, scenario, seen)| Case {
        setting,
        version,
        way,
        scenario,
        mode: mode(scenario),
        ours: false,
        seen,
    }));
    all.extend(BESIDE.map(|(setting, way, scenario, seen)| Case {
        setting,
        version: NEWEST,
        way,
        scenario,
        mode: mode(scenario),
        ours: true,
        seen,
    }));
    all
}

impl Setting {
    /// As the page names it.
    fn name(self) -> &'static str {
        match self {
            Nothing => "nothing",
            DenyInsteadOfPrompting => "`permissions.denyInsteadOfPrompting`",
            PromptsNone => "`--permission-prompts none`",
            QuestionTimeout => "`askUserQuestionTimeout`",
            Disallowed => "`--disallowedTools AskUserQuestion`",
        }
    }
}

impl Case {
    fn name(&self) -> String {
        let ours = if self.ours { "beside-ours/" } else { "" };
        format!("native/{ours}{:?}/{}/{}/{}", self.setting, self.version, self.way.name(), self.scenario)
    }

    /// Whether it is in the quick subset: that a session started in plan mode never leaves it, and what waits.
    fn is_quick(&self) -> bool {
        let ways = [
            (DenyInsteadOfPrompting, Way::Tui),
            (PromptsNone, Way::Print),
            (QuestionTimeout, Way::Tui),
            (Disallowed, Way::Sdk),
        ];
        self.version == NEWEST && !self.ours && self.scenario == "plan" && ways.contains(&(self.setting, self.way))
    }
}

/// The trials; most belong to the whole matrix.
pub fn trials(all: bool, stage: Stage, wants: impl Fn(&str) -> bool) -> Vec<Trial> {
    let stage = Arc::new(stage);
    let cases = cases().into_iter().filter(|case| (all || case.is_quick()) && wants(&case.name()));
    cases
        .map(|case| {
            let stage = Arc::clone(&stage);
            Trial::test(case.name(), move || {
                let (seen, told) = look(&stage, case).map_err(|error| format!("{error:#}"))?;
                if seen == case.seen { Ok(()) } else { Err(format!("{seen:?}, not {:?}; {told}", case.seen).into()) }
            })
        })
        .collect()
}

/// The page's table, of what the trials expect.
pub fn table() -> String {
    let heads: Vec<&str> = PATHS.iter().map(|(.., head)| *head).collect();
    let mut table = format!("| set | in | {} |\n|---|---|{}\n", heads.join(" | "), "---|".repeat(PATHS.len()));
    for (setting, ways, row) in ROWS {
        let ways: Vec<&str> = ways.iter().map(|way| way.name()).collect();
        let words = row.map(|seen| match seen {
            Waits => "**waits**",
            NotOffered => "not offered",
            NeverLeft => "never left, nothing written",
            NoPlan => "no plan is made",
            Refused => "refused",
            TimedOut => "unanswered, goes on",
            Cancelled => "cancelled",
            EndsAsking => "ends there",
            Guided | CarriedOut | SentOn | Fails | Seen::Otherwise => "",
        });
        table.push_str(&format!("| {} | {} | {} |\n", setting.name(), ways.join(", "), words.join(" | ")));
    }
    table
}

/// Runs a session; what is seen of it, and the words of it.
fn look(stage: &Stage, case: Case) -> Result<(Seen, String)> {
    let Case { setting, version, way, scenario: name, mode, ours, .. } = case;
    let scenario = stage.scenarios.get(name).with_context(|| format!("no scenario {name}"))?;
    let mut home = Home::make(&Client::cached(version)?, mode)?;
    if scenario.mcp {
        offer_mcp(&home)?;
    }
    let mut settings = home.read(".claude/settings.json")?;
    let extra: &[&str] = match setting {
        Nothing => &[],
        DenyInsteadOfPrompting => {
            settings["permissions"]["denyInsteadOfPrompting"] = json!(true);
            &[]
        }
        QuestionTimeout => {
            settings["askUserQuestionTimeout"] = json!("60s");
            &[]
        }
        PromptsNone => &["--permission-prompts", "none"],
        Disallowed => &["--disallowedTools=AskUserQuestion"],
    };
    home.write(".claude/settings.json", &settings)?;
    if ours {
        Hooks::Ours(Switch::On).install(&home, &stage.binary, Some(version))?;
    }
    let (bell, heard) = channel();
    let plan_file = home.folder().join(".claude/plans/plan.md");
    let api = Api::start(Arc::clone(&stage.scenarios), home.project(), plan_file, bell.clone())?;
    home.talk_to(api.url());
    let prompt = scenario.prompt(name);
    let extra: Vec<String> = extra.iter().map(|word| (*word).to_owned()).collect();
    let start = Start { home: &home, mode, prompt: &prompt, closing: scenario.closing(), extra: &extra, bell };
    let begun = Instant::now();
    let (mut session, mut outcome) = match start_and_watch(|| way.start(start.clone()), &api, &heard) {
        Ok(both) => both,
        Err(error) => return Ok((Fails, format!("{error:#}"))),
    };
    let patient = setting == QuestionTimeout && name == "question";
    while patient && matches!(outcome, Outcome::Waits(_)) && begun.elapsed() < PATIENCE {
        outcome = watch(session.as_mut(), &api, &heard);
    }
    drop(session);
    let facts = Facts {
        outcome,
        answered: None,
        shown: Vec::new(),
        kept: api.kept(),
        carried_out: home.project().join("out.txt").exists(),
        records: Vec::new(),
        transcripts: Default::default(),
        home: home.folder(),
        temporary: home.temporary(),
    };
    let mut told = format!("{:?} after {:?}, {} turns", facts.outcome, begun.elapsed(), facts.kept.turns.len());
    for tool in facts.called() {
        told.push_str(&format!("; {tool}: {:?}; written {}", facts.told(&tool), facts.carried_out));
    }
    Ok((seen(name, &facts), told))
}

fn seen(scenario: &str, facts: &Facts) -> Seen {
    match facts.outcome {
        Outcome::Waits(_) => return Waits,
        Outcome::Failed(_) if facts.kept.turns.is_empty() => return Fails,
        Outcome::Failed(_) | Outcome::Unasked(_) => return Seen::Otherwise,
        Outcome::WentOn => {}
    }
    let refused = |tool: &str, words: &str| facts.told(tool).iter().any(|told| told.contains(words));
    let no_tool = |tool: &str| refused(tool, "No such tool available");
    match scenario {
        "question" if refused("AskUserQuestion", GUIDANCE) => Guided,
        "question" if no_tool("AskUserQuestion") => NotOffered,
        "question" if refused("AskUserQuestion", "No response after") => TimedOut,
        "plan" if no_tool("ExitPlanMode") && !facts.carried_out => NeverLeft,
        "enterplan" if no_tool("EnterPlanMode") && facts.carried_out => NoPlan,
        "plan" if facts.carried_out => CarriedOut,
        "permission" if refused("Bash", GUIDANCE) => Guided,
        "permission" if refused("Bash", "requires approval") => Refused,
        "elicitation" if facts.told("mcp__el__ask") == ["ELICITED cancel"] => Cancelled,
        "prose-for-ever" if facts.kept.turns.len() == 1 => EndsAsking,
        "prose-for-ever" => SentOn,
        _ => Seen::Otherwise,
    }
}
