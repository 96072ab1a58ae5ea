//! The matrix: which cells there are, which of them are in the quick subset. Lists only; what is expected of a cell is
//! in `expect.rs`.

use crate::cell::Cell;
use crate::driver::Way;
use crate::hooks::{Beside, Hooks, Switch};

/// The clients, newest first.
pub const VERSIONS: [&str; 7] = ["2.1.332", "2.1.314", "2.1.246", "2.1.198", "2.1.150", "2.1.90", "2.1.50"];
/// The newest client: all ways of driving, and most of the quick subset.
pub const NEWEST: &str = VERSIONS[0];
/// The oldest one: it knows least and approves plans otherwise.
const OLDEST: &str = VERSIONS[VERSIONS.len() - 1];

/// Every permission mode.
pub const MODES: [&str; 6] = ["default", "acceptEdits", "plan", "auto", "dontAsk", "bypassPermissions"];

/// The stall paths with the modes in which a session can meet them.
const PATHS: [(&str, &[&str]); 12] = [
    ("question", &MODES),
    ("wizard", &MODES),
    ("beside", &MODES),
    ("thrice", &MODES),
    ("plan", &["plan"]),
    ("enterplan", &["default", "acceptEdits", "auto", "dontAsk", "bypassPermissions"]),
    ("elicitation", &MODES),
    ("permission", &MODES),
    ("prose-once", &MODES),
    ("prose-twice", &["default", "bypassPermissions"]),
    ("prose-for-ever", &["default", "bypassPermissions"]),
    ("ends", &["default"]),
];

/// How a session can begin anew, with the ways in which it can.
const STARTS: [(&str, &[Way]); 3] =
    [("start-clear", &[Way::Tui]), ("start-compact", &[Way::Tui]), ("start-resume", &[Way::Tui, Way::Sdk, Way::Print])];

/// The ways a client can be driven.
pub fn ways(version: &str) -> &'static [Way] {
    if version == NEWEST { &[Way::Tui, Way::Sdk, Way::Print, Way::Bg] } else { &[Way::Tui, Way::Sdk, Way::Print] }
}

/// Every cell with our hook installed: `unattended on` in terminals, the switch left alone elsewhere.
pub fn matrix() -> Vec<Cell> {
    let mut all = Vec::new();
    for version in VERSIONS {
        for &way in ways(version) {
            let hooks = Hooks::Ours(if way == Way::Tui { Switch::On } else { Switch::Auto });
            for (scenario, modes) in PATHS {
                all.extend(modes.iter().map(|mode| Cell { version, way, scenario, mode, hooks }));
            }
            for (scenario, _) in STARTS.iter().filter(|(_, ways)| ways.contains(&way)) {
                all.push(Cell { version, way, scenario, mode: "default", hooks });
            }
        }
    }
    all
}

/// Cells that must wait, so that a green row above means something: no hook at all, the switch off, a terminal whose
/// person is there (`auto`), and a plan approved the wrong way.
pub fn controls() -> Vec<Cell> {
    let mut all = Vec::new();
    for version in VERSIONS {
        for way in ways(version).iter().copied().filter(|way| *way != Way::Print) {
            let paths = [
                ("question", "default"),
                ("question", "bypassPermissions"),
                ("plan", "plan"),
                ("enterplan", "bypassPermissions"),
                ("elicitation", "default"),
                ("permission", "default"),
            ];
            // The oldest client lets no MCP server ask, so that nothing could wait.
            for (scenario, mode) in paths.into_iter().filter(|path| version != OLDEST || path.0 != "elicitation") {
                for hooks in [Hooks::None, Hooks::Ours(Switch::Off)] {
                    all.push(Cell { version, way, scenario, mode, hooks });
                }
                if way == Way::Tui {
                    all.push(Cell { version, way, scenario, mode, hooks: Hooks::Ours(Switch::Auto) });
                }
            }
            all.push(Cell { version, way, scenario: "plan", mode: "plan", hooks: Hooks::PlanWithoutEcho });
        }
    }
    all
}

/// What is more about us than about a client, so that the newest is enough and the report on clients leaves it out: the
/// plugin instead of an installation, beside one, and where there is no program; and a turn that ends asking while a
/// command runs in the background, in a terminal, as elsewhere the client does not end before that.
pub fn unreported() -> Vec<Cell> {
    let (way, hooks) = (Way::Tui, Hooks::Ours(Switch::On));
    let server = Cell { version: NEWEST, way, scenario: "prose-beside-server", mode: "bypassPermissions", hooks };
    plugin().into_iter().chain([server]).collect()
}

fn plugin() -> Vec<Cell> {
    let cells = [
        ("question", "default", Beside::Program),
        ("question", "default", Beside::Settings),
        ("plan", "plan", Beside::Settings),
        ("prose-for-ever", "default", Beside::Settings),
        ("question", "default", Beside::Nothing),
        ("plan", "plan", Beside::Nothing),
        ("permission", "default", Beside::Nothing),
    ];
    cells
        .map(|(scenario, mode, beside)| Cell {
            version: NEWEST,
            way: Way::Sdk,
            scenario,
            mode,
            hooks: Hooks::Plugin(beside),
        })
        .into()
}

/// Whether a cell is in the quick subset: each stall path and way on the newest client in the modes that differ most,
/// questions and plans on the oldest, and one row of controls.
pub fn quick(cell: &Cell) -> bool {
    let ours = matches!(cell.hooks, Hooks::Ours(_)) && !is_control(cell);
    match cell.version {
        NEWEST if ours => {
            let mode = if cell.scenario == "plan" { "plan" } else { "default" };
            // In dontAsk only PreToolUse is asked about a question, so that its answer shows.
            let more = [("enterplan", "bypassPermissions"), ("question", "dontAsk")];
            cell.mode == mode || more.contains(&(cell.scenario, cell.mode))
        }
        OLDEST if ours => {
            cell.way != Way::Print
                && matches!(
                    (cell.scenario, cell.mode),
                    ("question" | "ends", "default") | ("plan", "plan") | ("enterplan", "bypassPermissions")
                )
        }
        NEWEST => {
            matches!((cell.scenario, cell.mode), ("question", "default") | ("plan", "plan"))
                && (cell.hooks != Hooks::Ours(Switch::Off) || cell.way == Way::Tui)
        }
        _ => false,
    }
}

/// Whether a cell is a control.
pub fn is_control(cell: &Cell) -> bool {
    match cell.hooks {
        Hooks::Ours(Switch::On) | Hooks::Plugin(_) => false,
        Hooks::Ours(Switch::Auto) => cell.way == Way::Tui,
        _ => true,
    }
}

impl Cell {
    /// `2.1.332/tui/question/default`, with the hooks before it for a control.
    pub fn name(&self) -> String {
        let place = format!("{}/{}/{}/{}", self.version, self.way.name(), self.scenario, self.mode);
        let control = match self.hooks {
            Hooks::Plugin(Beside::Program) => return format!("plugin/{place}"),
            Hooks::Plugin(Beside::Settings) => return format!("plugin/beside-settings/{place}"),
            Hooks::Plugin(Beside::Nothing) => return format!("plugin/no-program/{place}"),
            _ if !is_control(self) => return place,
            Hooks::None => "no-hook",
            Hooks::Ours(Switch::Off) => "switched-off",
            Hooks::Ours(_) => "person-there",
            Hooks::PlanWithoutEcho => "plan-without-echo",
        };
        format!("control/{control}/{place}")
    }
}
