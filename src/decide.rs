//! The policy: (event, config, memory) -> decision. Pure, and laid out as the table in the documentation.

use std::borrow::Cow;

use crate::answer::{Answer, ContextAt, Echo, ElicitationAction};
use crate::answered::{self, Waited};
use crate::config::{Config, ElicitationReply, PermissionReply, PlanReply, QuestionReply, Then};
use crate::correction::{self, Correction};
use crate::event::{At, Call, Event};
use crate::guidance;
use crate::memory::{Memory, Note};
use crate::prose::{self, TurnEnd};

/// What is answered, what is remembered for the next hook, and what was found on the way, for the record.
#[derive(Debug, Default)]
pub struct Decision<'a> {
    /// What the client is told.
    pub answer: Answer<'a>,
    /// What the session must remember.
    pub remember: Vec<Note>,
    /// What the decision rests on.
    pub findings: Findings,
}

/// What a decision rests on.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Findings {
    /// How many other questions this prompt had asked before.
    pub asked_before: usize,
    /// The mode from which the session entered plan mode by itself.
    pub entered_plan_from: Option<String>,
    /// How a turn ended.
    pub turn: Option<TurnEnd>,
    /// The how-manieth sending on of this prompt it is, from 1.
    pub nudge: Option<u32>,
    /// Something waits although we act.
    pub stall: bool,
    /// The plan was left to a person.
    pub plan_left: bool,
    /// A person approved the plan, or sent it back, by a reply to us.
    pub plan_seen: bool,
    /// A person answered this question by a reply to us.
    pub answered: bool,
    /// How a wait for a person went.
    pub waited: Option<Waited>,
    /// The id under which it was put before a person; its record has it too.
    pub request: Option<String>,
    /// The corrections that the session is given, by their own ids.
    pub corrections: Vec<String>,
}

/// What there is to go by, besides the call itself.
#[derive(Debug, Clone, Copy)]
pub struct Ground<'g> {
    /// Whether we act in this session.
    pub acts: bool,
    /// What the config says.
    pub config: &'g Config,
    /// What the session remembers.
    pub memory: &'g Memory,
    /// Whether a hook of the session waits for a person.
    pub waits: bool,
    /// The line for a person at the start of a session.
    pub line: &'g str,
    /// The corrections that are due to a session that starts, and the file that they are in.
    pub corrections: (&'g str, &'g [Correction]),
}

impl<'g> Ground<'g> {
    /// The ground of a session that nobody waits in, at no start.
    pub fn of(acts: bool, config: &'g Config, memory: &'g Memory) -> Self {
        Self { acts, config, memory, waits: false, line: "", corrections: ("", &[]) }
    }
}

/// Decides what is answered.
pub fn decide<'a>(call: &Call<'a>, ground: Ground<'_>) -> Decision<'a> {
    let mut decision = if ground.acts { acting(call, ground) } else { leaving(call, ground) };
    let plan_is_over = matches!(call.event, Event::PlanApproved { .. }) || out_of_plan_mode(call) || starts(call);
    if plan_is_over && (ground.memory.entered_plan_from().is_some() || ground.memory.plan_left()) {
        decision.remember.push(Note::LeftPlan);
    }
    match call.event {
        Event::SessionStart { .. } if !ground.corrections.1.is_empty() => correct(&mut decision, ground),
        Event::Stop { .. } => decision.remember.extend(ground.memory.to_deliver()),
        _ => {}
    }
    decision
}

/// The table: what is answered where we act.
fn acting<'a>(call: &Call<'a>, ground: Ground<'_>) -> Decision<'a> {
    let Ground { config, memory, .. } = ground;
    match &call.event {
        Event::Question { .. } if config.questions.reply == QuestionReply::Leave => Decision::default(),
        // A person has answered this very call, by a reply to another registration of ours: a denial would undo it.
        Event::Question { at: At::PreToolUse, .. } if memory.answered(call.ids.tool_use_id.as_deref()) => {
            Decision::default()
        }
        Event::Question { at, questions, .. } => {
            // Another hook has asked for a dialog, which beats an answer given before the call; here it counts.
            if let Some(answer) = answered::again(call, memory) {
                return Decision { answer, ..Decision::default() };
            }
            let prompt = call.ids.prompt_id.as_deref();
            let tool_use = call.ids.tool_use_id.as_deref();
            let asked_before = memory.asked_before(*at, prompt, tool_use);
            let asked = Note::Asked { at: (*at).into(), prompt: owned(prompt), call: owned(tool_use) };
            let known = tool_use.is_some() && memory.holds(&asked);
            Decision {
                answer: Answer::Deny { at: *at, message: guidance::question(questions, asked_before > 0) },
                remember: if known { Vec::new() } else { vec![asked] },
                findings: Findings { asked_before, ..Findings::default() },
            }
        }
        Event::EnterPlan => enter_plan(call),
        Event::ExitPlan { .. } if config.plans.reply == PlanReply::Leave => leave_plan(call),
        Event::ExitPlan { at, input, .. } => exit_plan(*at, Echo::of(*input), ground),
        Event::PlanApproved { .. } if config.plans.reply == PlanReply::Leave || memory.plan_left() => {
            leaving(call, ground)
        }
        Event::PlanApproved { .. } => tell(ContextAt::PostToolUse, guidance::plan()),
        Event::SubagentStart { .. } => tell(ContextAt::SubagentStart, guidance::session(config)),
        Event::Permission { .. } if config.permissions.reply == PermissionReply::Leave => Decision::default(),
        Event::Permission { tool, .. } => {
            let message = guidance::permission(tool);
            Decision { answer: Answer::Deny { at: At::PermissionRequest, message }, ..Decision::default() }
        }
        Event::Elicitation { .. } => {
            let answer = match config.elicitations.reply {
                ElicitationReply::Cancel => Answer::Elicitation(ElicitationAction::Cancel),
                ElicitationReply::Decline => Answer::Elicitation(ElicitationAction::Decline),
                ElicitationReply::Leave => Answer::Nothing,
            };
            Decision { answer, ..Decision::default() }
        }
        Event::Stop { message, stop_hook_active, background } => {
            let turn = message.as_ref().map_or(TurnEnd::Done, |message| prose::classify(&message.said));
            stop(call, turn, !stop_hook_active, *background > 0, ground)
        }
        Event::Notification { notification_type, .. } => {
            let stall = !ground.waits && proves_a_wait(notification_type.as_deref().unwrap_or_default(), memory);
            Decision { findings: Findings { stall, ..Findings::default() }, ..Decision::default() }
        }
        Event::SessionStart { source, .. } => start(source.as_deref(), Some(guidance::session(config)), ground.line),
        Event::Answer { .. } => answer(call, memory),
        Event::Denied { .. } => Decision::default(),
        Event::SessionEnd { .. } | Event::StopFailure { .. } | Event::Other => Decision::default(),
    }
}

/// What is answered where we do not act: nothing, but the line at the start. Remembered is what a session needs that
/// is switched on in its middle.
fn leaving<'a>(call: &Call<'a>, ground: Ground<'_>) -> Decision<'a> {
    match &call.event {
        Event::EnterPlan => enter_plan(call),
        Event::ExitPlan { .. } => leave_plan(call),
        Event::PlanApproved { .. } => {
            let (plan_left, plan_seen) = (ground.memory.plan_left(), ground.memory.plan_seen());
            Decision { findings: Findings { plan_left, plan_seen, ..Findings::default() }, ..Decision::default() }
        }
        Event::Answer { .. } => answer(call, ground.memory),
        Event::SessionStart { source, .. } => start(source.as_deref(), None, ground.line),
        _ => Decision::default(),
    }
}

fn answer<'a>(call: &Call<'a>, memory: &Memory) -> Decision<'a> {
    let answered = memory.answered(call.ids.tool_use_id.as_deref());
    Decision { findings: Findings { answered, ..Findings::default() }, ..Decision::default() }
}

fn tell<'a>(at: ContextAt, text: String) -> Decision<'a> {
    Decision { answer: Answer::Context { at, text }, ..Decision::default() }
}

fn enter_plan<'a>(call: &Call<'a>) -> Decision<'a> {
    let mode = call.ids.permission_mode.as_deref().filter(|mode| *mode != "plan");
    let remember = mode.map(|mode| Note::EnteredPlan { mode: mode.to_owned() });
    let findings = Findings { entered_plan_from: owned(mode), ..Findings::default() };
    Decision { remember: remember.into_iter().collect(), findings, ..Decision::default() }
}

fn leave_plan<'a>(call: &Call<'a>) -> Decision<'a> {
    let asks_a_person = matches!(call.event, Event::ExitPlan { at: At::PermissionRequest, .. });
    let remember = if asks_a_person { vec![Note::PlanLeft] } else { Vec::new() };
    let findings = Findings { plan_left: true, ..Findings::default() };
    Decision { remember, findings, ..Decision::default() }
}

/// PreToolUse can approve but set no mode, and keeps PermissionRequest from firing: it approves only where the client
/// itself goes back to a mode that lets the plan be carried out (FACTS.md, Plans 5), and where no person is asked first.
fn exit_plan<'a>(at: At, input: Echo<'a>, ground: Ground<'_>) -> Decision<'a> {
    let entered_from = ground.memory.entered_plan_from();
    let returns_to_work = matches!(entered_from, Some("bypassPermissions" | "acceptEdits" | "auto" | "dontAsk"));
    let answer = match at {
        At::PreToolUse if returns_to_work && ground.config.plans.wait.is_zero() => {
            Answer::Approve { at, input, modes: Vec::new() }
        }
        At::PreToolUse => Answer::Nothing,
        At::PermissionRequest => {
            let modes = match entered_from {
                Some(mode) => vec![Cow::Owned(mode.to_owned())],
                // It may have been entered from a lower mode than that.
                None if ground.memory.is_unreadable() => Vec::new(),
                None => then(ground.config.plans.then),
            };
            Answer::Approve { at, input, modes }
        }
    };
    let taken = answer != Answer::Nothing && ground.memory.plan_left();
    let remember = if taken { vec![Note::PlanTaken] } else { Vec::new() };
    let findings = Findings { entered_plan_from: owned(entered_from), ..Findings::default() };
    Decision { answer, remember, findings }
}

/// The modes for the plan of a session that was started in plan mode. Where bypass is not to be had, the client drops
/// it and the floor before it holds.
pub(crate) fn then<'a>(then: Then) -> Vec<Cow<'a, str>> {
    match then {
        Then::Default => vec!["default".into()],
        Then::AcceptEdits => vec!["acceptEdits".into()],
        Then::Auto => vec!["auto".into()],
        Then::BypassPermissions => vec!["acceptEdits".into(), "bypassPermissions".into()],
    }
}

/// A turn that waits for an answer is sent on, a bounded number of times a prompt. One that background tasks will wake
/// again is left to them.
fn stop<'a>(call: &Call<'a>, turn: TurnEnd, first: bool, background: bool, ground: Ground<'_>) -> Decision<'a> {
    let prompt = call.ids.prompt_id.as_deref();
    let waits = turn == TurnEnd::Waits;
    let before = ground.memory.sent_on(prompt, first);
    let sent_on = waits && !background && before < ground.config.stop.nudges;
    let remember = if waits || ground.memory.minds_a_stop() {
        vec![Note::Stopped { prompt: owned(prompt), waits, sent_on, first }]
    } else {
        Vec::new()
    };
    let findings = Findings {
        turn: Some(turn),
        nudge: sent_on.then_some(before + 1),
        stall: waits && !background && !sent_on,
        ..Findings::default()
    };
    Decision { answer: if sent_on { Answer::SendOn(guidance::stop()) } else { Answer::Nothing }, remember, findings }
}

/// The notifications that a dialog stands open, and the one that a turn which ended waiting was not answered
/// (FACTS.md, Turns 3).
fn proves_a_wait(notification_type: &str, memory: &Memory) -> bool {
    match notification_type {
        "permission_prompt" | "elicitation_dialog" | "elicitation_url_dialog" | "agent_needs_input" => true,
        "idle_prompt" => memory.stands_waiting(),
        _ => false,
    }
}

/// After a compaction the model must be told again; the person was told at the start.
fn start<'a>(source: Option<&str>, context: Option<String>, line: &str) -> Decision<'a> {
    let compacted = source == Some("compact");
    let line = (!compacted).then(|| line.to_owned());
    let answer = match (&context, &line) {
        (None, None) => Answer::Nothing,
        _ => Answer::Welcome { context, line },
    };
    let remember = if compacted { Vec::new() } else { vec![Note::Started] };
    Decision { answer, remember, ..Decision::default() }
}

/// The session is told the corrections that are due, attended or not.
#[inline(never)]
fn correct(decision: &mut Decision<'_>, ground: Ground<'_>) {
    let (file, corrections) = ground.corrections;
    let told = correction::told(corrections);
    let (context, line) = match std::mem::take(&mut decision.answer) {
        Answer::Welcome { context, line } => (context, line),
        _ => (None, None),
    };
    let context = context.map_or(told.clone(), |contract| format!("{contract}\n\n{told}"));
    decision.answer = Answer::Welcome { context: Some(context), line };
    let ids: Vec<String> = corrections.iter().map(|correction| correction.correction.clone()).collect();
    let known = ground.memory.given();
    let new: Vec<String> = ids.iter().filter(|id| !known.contains(&id.as_str())).cloned().collect();
    if !new.is_empty() {
        decision.remember.push(Note::Given { file: file.to_owned(), corrections: new });
    }
    decision.findings.corrections = ids;
}

/// A process that starts has the mode that it was started with, whatever the session was in before.
fn starts(call: &Call<'_>) -> bool {
    matches!(&call.event, Event::SessionStart { source, .. } if matches!(source.as_deref(), Some("startup" | "resume")))
}

/// An event whose mode is not plan says that the session is out of it. What a subagent runs in says nothing of the
/// session.
fn out_of_plan_mode(call: &Call<'_>) -> bool {
    let mode = call.ids.permission_mode.as_deref();
    call.ids.agent_id.is_none() && !matches!(call.event, Event::EnterPlan) && mode.is_some_and(|mode| mode != "plan")
}

fn owned(text: Option<&str>) -> Option<String> {
    text.map(str::to_owned)
}
