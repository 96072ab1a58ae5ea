//! What is expected of each cell, and where a client does otherwise of its own accord: one table, each entry with its
//! reason. The report shows these entries; nothing is skipped silently.

use crate::cell::Cell;
use crate::cells::is_control;
use crate::driver::Way;

/// What a cell must show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Expect {
    /// The run goes on to its end, told and recorded as the policy says.
    GoesOn,
    /// The run goes on; the client does not offer the tool, so that nothing is there to be answered.
    NotOffered,
    /// The run goes on; the client decides before our hook is asked.
    ClientDecides,
    /// The plan is approved; carrying it out needs a permission that this mode does not give.
    PlanOnly,
    /// The run goes on and ends; the plan cannot be left this way, nothing is carried out.
    PlanStays,
    /// The run is refused an action and the client ends with an error.
    ClientAborts,
    /// Something waits.
    Waits,
    /// This client has no such mode and does not start.
    NoSuchMode,
}

/// A client's own doing.
pub struct Exception {
    /// First and last version it was seen on.
    pub versions: (&'static str, &'static str),
    /// Ways of driving.
    pub ways: &'static [Way],
    /// Scenarios; empty means all.
    pub scenarios: &'static [&'static str],
    /// Modes; empty means all.
    pub modes: &'static [&'static str],
    /// What happens instead.
    pub expect: Expect,
    /// Why, for the report.
    pub why: &'static str,
}

const ALL: &[Way] = &[Way::Tui, Way::Sdk, Way::Print, Way::Bg];
const QUESTIONS: &[&str] = &["question", "wizard", "beside", "thrice"];
const FIRST: &str = "2.1.50";
const LAST: &str = "2.1.332";

/// The table. The first entry that fits holds.
pub const EXCEPTIONS: &[Exception] = &[
    Exception {
        versions: (FIRST, "2.1.50"),
        ways: ALL,
        scenarios: &[],
        modes: &["auto"],
        expect: Expect::NoSuchMode,
        why: "the client has no auto mode",
    },
    Exception {
        versions: (FIRST, "2.1.50"),
        ways: ALL,
        scenarios: &["elicitation"],
        modes: &[],
        expect: Expect::NotOffered,
        why: "the client lets no MCP server ask",
    },
    Exception {
        versions: (FIRST, "2.1.246"),
        ways: &[Way::Print],
        scenarios: &["permission"],
        modes: &["default", "acceptEdits", "plan"],
        expect: Expect::ClientDecides,
        why: "plain -p denies by itself, PermissionRequest does not fire",
    },
    Exception {
        versions: ("2.1.198", LAST),
        ways: &[Way::Print],
        scenarios: QUESTIONS,
        modes: &[],
        expect: Expect::NotOffered,
        why: "plain -p does not offer the question tool",
    },
    Exception {
        versions: ("2.1.332", LAST),
        ways: &[Way::Print],
        scenarios: &["enterplan"],
        modes: &["auto"],
        expect: Expect::ClientAborts,
        why: "the plan tools are not offered, auto mode behind a gateway refuses the plan file, and plain -p exits 1",
    },
    Exception {
        versions: ("2.1.198", LAST),
        ways: &[Way::Print],
        scenarios: &["enterplan"],
        modes: &[],
        expect: Expect::NotOffered,
        why: "plain -p does not offer the plan tools",
    },
    Exception {
        versions: (FIRST, "2.1.50"),
        ways: &[Way::Print],
        scenarios: &["enterplan"],
        modes: &["default", "acceptEdits", "dontAsk", "bypassPermissions"],
        expect: Expect::PlanStays,
        why: "plain -p asks no PermissionRequest hook, and this client does not honour PreToolUse for a plan",
    },
    Exception {
        versions: ("2.1.90", "2.1.150"),
        ways: &[Way::Print],
        scenarios: &["enterplan"],
        modes: &["default"],
        expect: Expect::PlanStays,
        why: "plain -p asks no PermissionRequest hook, and before the tool the mode that was cannot be set",
    },
    Exception {
        versions: (FIRST, LAST),
        ways: ALL,
        scenarios: &["enterplan"],
        modes: &["default", "dontAsk"],
        expect: Expect::PlanOnly,
        why: "the session is back in its mode, where writing needs a person's permission",
    },
    Exception {
        versions: (FIRST, LAST),
        ways: &[Way::Print],
        scenarios: &["plan"],
        modes: &["plan"],
        expect: Expect::PlanStays,
        why: "plain -p never leaves plan mode when the session was started in it",
    },
    Exception {
        versions: ("2.1.314", LAST),
        ways: &[Way::Tui],
        scenarios: &["permission"],
        modes: &["auto", "plan"],
        expect: Expect::Waits,
        why: "auto mode behind a gateway opens a dialog of its own, about which no hook is asked",
    },
    Exception {
        versions: ("2.1.332", LAST),
        ways: &[Way::Print],
        scenarios: &["permission"],
        modes: &["auto", "plan"],
        expect: Expect::ClientAborts,
        why: "auto mode behind a gateway refuses the action, and plain -p exits 1 for it",
    },
    Exception {
        versions: ("2.1.198", LAST),
        ways: ALL,
        scenarios: &["permission"],
        modes: &["plan"],
        expect: Expect::ClientDecides,
        why: "plan mode uses the check of auto mode, which decides by itself",
    },
    Exception {
        versions: (FIRST, LAST),
        ways: ALL,
        scenarios: &["permission"],
        modes: &["auto"],
        expect: Expect::ClientDecides,
        why: "auto mode decides by itself",
    },
    Exception {
        versions: (FIRST, LAST),
        ways: ALL,
        scenarios: &["permission"],
        modes: &["bypassPermissions", "dontAsk"],
        expect: Expect::ClientDecides,
        why: "the mode itself allows or denies every tool, nobody is asked",
    },
];

impl Exception {
    /// Whether it holds for a cell.
    pub fn fits(&self, cell: &Cell) -> bool {
        let at = number(cell.version);
        (number(self.versions.0)..=number(self.versions.1)).contains(&at)
            && self.ways.contains(&cell.way)
            && (self.scenarios.is_empty() || self.scenarios.contains(&cell.scenario))
            && (self.modes.is_empty() || self.modes.contains(&cell.mode))
    }
}

/// A version as numbers, to be compared.
pub fn number(version: &str) -> Vec<u32> {
    version.split('.').filter_map(|part| part.parse().ok()).collect()
}

/// What a cell must show, and why if it is not the plain policy.
pub fn expected(cell: &Cell) -> (Expect, Option<&'static str>) {
    if is_control(cell) {
        // A plan without its echo too, on the clients that honour a bare allow: it sets no mode, so that the first edit
        // opens a dialog.
        return (Expect::Waits, None);
    }
    match EXCEPTIONS.iter().find(|exception| exception.fits(cell)) {
        Some(exception) => (exception.expect, Some(exception.why)),
        None => (Expect::GoesOn, None),
    }
}
