//! The policy, as the table in the documentation has it: every event in every permission mode, with what is remembered.
//! Pure: nothing here starts a process or touches a file.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use chrono::{DateTime, Utc};
use rstest::rstest;
use serde_json::{Value, json};
use unattended::config::{self, Config};
use unattended::decide::{Decision, Ground, decide};
use unattended::event;
use unattended::memory::{Memory, Note};
use unattended::reply;
use unattended::wire::Payload;

const MODES: [&str; 6] = ["default", "acceptEdits", "plan", "auto", "dontAsk", "bypassPermissions"];

fn now() -> DateTime<Utc> {
    "2026-11-30T12:00:00Z".parse().unwrap()
}

fn entered_from(mode: &str) -> Memory {
    Memory::default().with(now(), Note::EnteredPlan { mode: mode.into() })
}

/// What is answered to a payload, as the client reads it, and what is remembered.
fn answered(payload: &Value, acts: bool, config: &Config, memory: &Memory) -> (Option<Value>, Vec<Note>) {
    let text = payload.to_string();
    let call = event::read(&Payload::read(&text).unwrap());
    let Decision { answer, remember, .. } =
        decide(&call, Ground { line: "the line", ..Ground::of(acts, config, memory) });
    let bytes = reply::bytes(&answer);
    ((!bytes.is_empty()).then(|| serde_json::from_slice(&bytes).unwrap()), remember)
}

fn on(payload: &Value, memory: &Memory) -> Option<Value> {
    answered(payload, true, &Config::default(), memory).0
}

fn with(config: &str, payload: &Value) -> Option<Value> {
    let (config, problems) = config::read(config);
    assert_eq!(problems, Vec::<String>::new());
    answered(payload, true, &config, &Memory::default()).0
}

fn question(event: &str, tool: &str, mode: &str) -> Value {
    json!({"session_id": "s", "prompt_id": "p", "permission_mode": mode, "hook_event_name": event, "tool_name": tool,
           "tool_input": {"questions": [{"question": "Red?", "header": "Color", "options": [{"label": "Red"}]}]}})
}

fn exit_plan(event: &str) -> Value {
    json!({"session_id": "s", "permission_mode": "plan", "hook_event_name": event, "tool_name": "ExitPlanMode",
           "tool_input": {"plan": "# Plan", "planFilePath": "/p.md", "added": 1.0}})
}

fn permission(tool: &str, mode: &str) -> Value {
    json!({"session_id": "s", "permission_mode": mode, "hook_event_name": "PermissionRequest", "tool_name": tool,
           "tool_input": {"command": "touch x"}})
}

fn elicitation() -> Value {
    json!({"session_id": "s", "hook_event_name": "Elicitation", "mcp_server_name": "el", "message": "Which region?"})
}

/// The behaviour and the modes set of a plan's answer.
fn plan_answer(answer: Option<Value>) -> Option<Vec<String>> {
    let answer = answer?;
    let specific = &answer["hookSpecificOutput"];
    let (input, modes) = match specific["hookEventName"].as_str().unwrap() {
        "PreToolUse" => {
            assert_eq!(specific["permissionDecision"], "allow");
            (&specific["updatedInput"], &Value::Null)
        }
        _ => {
            assert_eq!(specific["decision"]["behavior"], "allow");
            (&specific["decision"]["updatedInput"], &specific["decision"]["updatedPermissions"])
        }
    };
    assert_eq!(*input, exit_plan("")["tool_input"], "the plan is echoed");
    let modes = modes.as_array().cloned().unwrap_or_default();
    assert!(modes.iter().all(|entry| entry["type"] == "setMode" && entry["destination"] == "session"));
    Some(modes.iter().map(|entry| entry["mode"].as_str().unwrap().to_owned()).collect())
}

#[rstest]
fn a_question_is_denied_by_either_hook_in_every_mode(
    #[values("PreToolUse", "PermissionRequest")] event: &str,
    #[values("AskUserQuestion", "mcp__helper__AskUserQuestion")] tool: &str,
) {
    for mode in MODES {
        let answer = on(&question(event, tool, mode), &Memory::default()).unwrap();
        let specific = &answer["hookSpecificOutput"];
        let denied = specific["permissionDecision"] == "deny" || specific["decision"]["behavior"] == "deny";
        assert!(denied && answer.to_string().contains("Assumed:"), "{mode}: {answer}");
    }
}

#[rstest]
#[case::bypass("bypassPermissions", true)]
#[case::accept_edits("acceptEdits", true)]
#[case::auto("auto", true)]
#[case::dont_ask("dontAsk", true)]
#[case::default("default", false)]
#[case::of_a_newer_client("someNewMode", false)]
fn a_plan_entered_from_a_mode_is_approved_and_goes_back_to_it(#[case] mode: &str, #[case] before_tool_use: bool) {
    let memory = entered_from(mode);
    let before = plan_answer(on(&exit_plan("PreToolUse"), &memory));
    assert_eq!(before, before_tool_use.then(Vec::new), "PreToolUse can set no mode");
    assert_eq!(plan_answer(on(&exit_plan("PermissionRequest"), &memory)).unwrap(), [mode]);
}

#[rstest]
#[case::by_default("", &["acceptEdits"])]
#[case::default("[plans]\nthen = \"default\"", &["default"])]
#[case::auto("[plans]\nthen = \"auto\"", &["auto"])]
#[case::bypass_above_a_floor("[plans]\nthen = \"bypassPermissions\"", &["acceptEdits", "bypassPermissions"])]
fn the_plan_of_a_session_started_in_plan_mode_goes_on_as_configured(#[case] config: &str, #[case] modes: &[&str]) {
    assert_eq!(with(config, &exit_plan("PreToolUse")), None);
    assert_eq!(plan_answer(with(config, &exit_plan("PermissionRequest"))).unwrap(), modes);
}

#[test]
fn a_configured_mode_never_raises_a_plan_entered_from_a_lower_one() {
    let (config, _) = config::read("[plans]\nthen = \"bypassPermissions\"");
    let (answer, _) = answered(&exit_plan("PermissionRequest"), true, &config, &entered_from("default"));
    assert_eq!(plan_answer(answer).unwrap(), ["default"]);
}

#[test]
fn the_mode_is_remembered_when_plan_mode_is_entered_and_only_there() {
    for mode in MODES {
        let enter = json!({"session_id": "s", "permission_mode": mode, "hook_event_name": "PreToolUse",
                           "tool_name": "EnterPlanMode", "tool_input": {}});
        for acts in [true, false] {
            let (answer, remembered) = answered(&enter, acts, &Config::default(), &Memory::default());
            assert_eq!(answer, None);
            let expected = (mode != "plan").then(|| Note::EnteredPlan { mode: mode.into() });
            assert_eq!(remembered, expected.into_iter().collect::<Vec<_>>());
        }
    }
}

#[test]
fn the_mode_is_forgotten_when_the_plan_is_carried_out_and_at_any_event_out_of_plan_mode() {
    let memory = entered_from("bypassPermissions");
    let forgets = |payload: Value| answered(&payload, true, &Config::default(), &memory).1.contains(&Note::LeftPlan);
    assert!(forgets(json!({"hook_event_name": "PostToolUse", "tool_name": "ExitPlanMode", "permission_mode": "plan"})));
    assert!(forgets(json!({"hook_event_name": "Stop", "permission_mode": "default"})));
    assert!(forgets(permission("Bash", "acceptEdits")));
    assert!(!forgets(json!({"hook_event_name": "Stop", "permission_mode": "plan"})));
    assert!(!forgets(json!({"hook_event_name": "Notification", "notification_type": "permission_prompt"})));
    assert!(
        !forgets(json!({"hook_event_name": "Stop", "permission_mode": "default", "agent_id": "a"})),
        "a subagent's"
    );
}

#[test]
fn the_model_is_told_that_no_one_reviewed_its_plan_unless_a_person_did() {
    let approved = json!({"hook_event_name": "PostToolUse", "tool_name": "ExitPlanMode", "tool_input": {}});
    let told = on(&approved, &Memory::default()).unwrap();
    assert!(told["hookSpecificOutput"]["additionalContext"].as_str().unwrap().contains("no person has reviewed it"));
    let (_, remembered) = answered(&exit_plan("PermissionRequest"), false, &Config::default(), &Memory::default());
    assert_eq!(remembered, [Note::PlanLeft]);
    let left = Memory::default().with(now(), Note::PlanLeft);
    assert_eq!(on(&approved, &left), None, "a person answered the dialog while it was theirs");
    let (_, remembered) = answered(&exit_plan("PermissionRequest"), true, &Config::default(), &left);
    assert_eq!(remembered, [Note::PlanTaken]);
    assert!(on(&approved, &left.with(now(), Note::PlanTaken)).is_some(), "the next plan was approved here");
}

#[test]
fn any_other_tool_that_needs_a_permission_is_denied_by_name_in_every_mode() {
    for mode in MODES {
        for tool in ["Bash", "Write", "mcp__db__query", "EnterPlanMode", "SomeNewTool"] {
            let answer = on(&permission(tool, mode), &Memory::default()).unwrap();
            let decision = &answer["hookSpecificOutput"]["decision"];
            assert_eq!(decision["behavior"], "deny");
            assert!(decision["message"].as_str().unwrap().contains(tool), "{answer}");
        }
    }
}

#[rstest]
#[case("", Some("cancel"))]
#[case("[elicitations]\nreply = \"decline\"", Some("decline"))]
#[case("[elicitations]\nreply = \"leave\"", None)]
fn an_elicitation_ends_without_a_choice_of_the_users(#[case] config: &str, #[case] action: Option<&str>) {
    let expected =
        action.map(|action| json!({"hookSpecificOutput": {"hookEventName": "Elicitation", "action": action}}));
    assert_eq!(with(config, &elicitation()), expected);
}

#[rstest]
#[case::questions("[questions]\nreply = \"leave\"", question("PreToolUse", "AskUserQuestion", "default"))]
#[case::plans("[plans]\nreply = \"leave\"", exit_plan("PermissionRequest"))]
#[case::permissions("[permissions]\nreply = \"leave\"", permission("Bash", "default"))]
#[case::turns("[stop]\nnudges = 0", json!({"hook_event_name": "Stop", "last_assistant_message": "Shall I proceed?"}))]
fn what_is_to_be_left_is_left(#[case] config: &str, #[case] payload: Value) {
    assert_eq!(with(config, &payload), None);
    assert!(on(&payload, &Memory::default()).is_some(), "and answered by default");
}

#[rstest]
#[case(json!({"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {}}))]
#[case(json!({"hook_event_name": "PostToolUse", "tool_name": "AskUserQuestion", "tool_input": {}}))]
#[case(json!({"hook_event_name": "PermissionDenied", "tool_name": "Write", "tool_input": {}}))]
#[case(json!({"hook_event_name": "Notification", "notification_type": "permission_prompt"}))]
#[case(json!({"hook_event_name": "SessionEnd", "reason": "other"}))]
#[case(json!({"hook_event_name": "StopFailure", "error": "rate_limit"}))]
#[case(json!({"hook_event_name": "SubagentStop", "last_assistant_message": "Shall I proceed?"}))]
#[case(json!({"hook_event_name": "UserPromptSubmit", "prompt": "AskUserQuestion"}))]
#[case(json!({"hook_event_name": "SomeNewEvent", "tool_name": "AskUserQuestion"}))]
#[case(json!({"hook_event_name": 7, "tool_name": ["AskUserQuestion"]}))]
#[case(json!({}))]
fn everything_else_gets_no_answer(#[case] payload: Value) {
    assert_eq!(on(&payload, &Memory::default()), None);
}

#[test]
fn a_second_question_in_one_prompt_gets_a_firmer_text_and_the_same_call_twice_does_not() {
    let payload = question("PreToolUse", "AskUserQuestion", "default");
    let mut first = payload.clone();
    first["tool_use_id"] = json!("one");
    let (answer, noted) = answered(&first, true, &Config::default(), &Memory::default());
    let memory = Memory::default().with(now(), noted[0].clone());
    assert_eq!(on(&first, &memory), answer, "the plugin beside the settings");
    let mut second = payload.clone();
    second["tool_use_id"] = json!("two");
    let firmer = on(&second, &memory).unwrap().to_string();
    assert!(firmer.contains("as you were told before"), "{firmer}");
    second["prompt_id"] = json!("another prompt");
    assert!(!on(&second, &memory).unwrap().to_string().contains("as you were told before"));
}

#[test]
fn without_prompt_ids_a_question_counts_as_repeated_until_the_turn_ends() {
    let mut payload = question("PreToolUse", "AskUserQuestion", "default");
    payload.as_object_mut().unwrap().remove("prompt_id");
    payload["tool_use_id"] = json!("two");
    let asked = Note::Asked { at: unattended::memory::Hook::PreToolUse, prompt: None, call: Some("one".into()) };
    let memory = Memory::default().with(now(), asked);
    assert!(on(&payload, &memory).unwrap().to_string().contains("as you were told before"));
    let stop = json!({"hook_event_name": "Stop", "last_assistant_message": "Done."});
    let (_, noted) = answered(&stop, true, &Config::default(), &memory);
    let memory = memory.with(now(), noted[0].clone());
    assert!(!on(&payload, &memory).unwrap().to_string().contains("as you were told before"));
}

#[rstest]
#[case("startup")]
#[case("resume")]
#[case("clear")]
#[case("compact")]
fn a_session_is_told_the_contract_at_each_start_and_a_person_sees_one_line(#[case] source: &str) {
    let start = json!({"hook_event_name": "SessionStart", "source": source});
    let answer = on(&start, &Memory::default()).unwrap();
    assert!(answer["hookSpecificOutput"]["additionalContext"].as_str().unwrap().contains("runs unattended"));
    assert_eq!(answer.get("systemMessage").is_some(), source != "compact");
    let (off, _) = answered(&start, false, &Config::default(), &Memory::default());
    assert_eq!(off, (source != "compact").then(|| json!({"systemMessage": "the line"})));
}

#[test]
fn a_subagent_is_told_the_contract_too() {
    let start = json!({"hook_event_name": "SubagentStart", "agent_id": "a", "agent_type": "general-purpose"});
    let answer = on(&start, &Memory::default()).unwrap();
    assert_eq!(answer["hookSpecificOutput"]["hookEventName"], "SubagentStart");
    assert!(answer["hookSpecificOutput"]["additionalContext"].as_str().unwrap().contains("runs unattended"));
    assert_eq!(answered(&start, false, &Config::default(), &Memory::default()), (None, vec![]));
}

#[test]
fn where_we_do_not_act_nothing_is_answered() {
    for mode in MODES {
        for payload in [
            question("PreToolUse", "AskUserQuestion", mode),
            question("PermissionRequest", "AskUserQuestion", mode),
            exit_plan("PreToolUse"),
            exit_plan("PermissionRequest"),
            permission("Bash", mode),
            elicitation(),
            json!({"hook_event_name": "PostToolUse", "tool_name": "ExitPlanMode"}),
            json!({"hook_event_name": "Stop", "last_assistant_message": "Shall I proceed?"}),
        ] {
            let (answer, _) = answered(&payload, false, &Config::default(), &entered_from("bypassPermissions"));
            assert_eq!(answer, None, "{payload}");
        }
    }
}

fn stop(prompt: Option<&str>, first: bool, message: &str) -> Value {
    json!({"hook_event_name": "Stop", "prompt_id": prompt, "stop_hook_active": !first, "last_assistant_message": message})
}

/// Plays the ends of turns one after another and gives, for each, whether it was sent on.
fn played(stops: &[Value], config: &Config) -> Vec<bool> {
    let mut memory = Memory::default();
    stops
        .iter()
        .map(|stop| {
            let (answer, noted) = answered(stop, true, config, &memory);
            noted.into_iter().for_each(|note| memory = std::mem::take(&mut memory).with(now(), note));
            answer.is_some_and(|answer| answer["decision"] == "block")
        })
        .collect()
}

#[rstest]
#[case::with_prompt_ids(Some("p"))]
#[case::without(None)]
fn a_model_that_asks_for_ever_is_sent_on_twice_and_then_let_go(#[case] prompt: Option<&str>) {
    let asks = |first| stop(prompt, first, "Shall I proceed?");
    let turns = [asks(true), asks(false), asks(false), asks(false)];
    assert_eq!(played(&turns, &Config::default()), [true, true, false, false]);
    let (once, _) = config::read("[stop]\nnudges = 1");
    assert_eq!(played(&turns, &once), [true, false, false, false]);
}

#[test]
fn each_prompt_has_its_own_count() {
    let turns = ["one", "two"].map(|prompt| stop(Some(prompt), true, "Shall I proceed?"));
    assert_eq!(played(&turns, &Config { stop: config::Stop { nudges: 1 }, ..Config::default() }), [true, true]);
    let turns = [stop(None, true, "Shall I proceed?"), stop(None, true, "Shall I proceed?")];
    assert_eq!(played(&turns, &Config { stop: config::Stop { nudges: 1 }, ..Config::default() }), [true, true]);
}

#[test]
fn a_first_end_told_twice_counts_once() {
    let asks = |first| stop(Some("p"), first, "Shall I proceed?");
    let turns = [asks(true), asks(true), asks(false), asks(false)];
    assert_eq!(played(&turns, &Config::default()), [true, true, true, false]);
}

#[test]
fn a_turn_that_background_tasks_will_wake_is_left_to_them() {
    let mut waits = stop(Some("p"), true, "Shall I proceed?");
    for task in [json!({"id": "b1"}), json!({"type": "subagent"}), json!({"type": "workflow"}), json!({"type": 7})] {
        waits["background_tasks"] = json!([{"type": "shell"}, task]);
        assert_eq!(on(&waits, &Memory::default()), None, "{task}");
    }
    for tasks in [json!([{"type": "shell", "command": "npm run dev"}]), json!([{"type": "monitor"}]), json!("none")] {
        waits["background_tasks"] = tasks;
        assert!(on(&waits, &Memory::default()).is_some(), "{waits}");
    }
}

#[test]
fn where_what_is_remembered_cannot_be_read_a_plan_sets_no_mode() {
    let plan = |mode: &str| {
        json!({"hook_event_name": "PermissionRequest", "tool_name": "ExitPlanMode",
                                   "permission_mode": mode, "tool_input": {"plan": "x"}})
    };
    let set = |memory: &Memory| {
        on(&plan("plan"), memory).unwrap()["hookSpecificOutput"]["decision"].get("updatedPermissions").cloned()
    };
    assert!(set(&Memory::default()).is_some());
    assert_eq!(set(&Memory::unreadable()), None);
}

#[test]
fn a_process_that_starts_knows_no_mode_that_plan_mode_was_entered_from() {
    let entered = Memory::default().with(now(), Note::EnteredPlan { mode: "bypassPermissions".into() });
    let after = |source: &str| {
        let start = json!({"hook_event_name": "SessionStart", "source": source}).to_string();
        let payload = Payload::read(&start).unwrap();
        let notes = decide(&event::read(&payload), Ground::of(true, &Config::default(), &entered)).remember;
        let memory = notes.into_iter().fold(entered.clone(), |memory, note| memory.with(now(), note));
        memory.entered_plan_from().is_some()
    };
    assert_eq!(["startup", "resume", "compact", "clear"].map(after), [false, false, true, true]);
}

#[test]
fn an_idle_terminal_is_a_stall_only_where_the_turn_ended_waiting() {
    let idle = json!({"hook_event_name": "Notification", "notification_type": "idle_prompt"});
    let stalls = |memory: &Memory| {
        let text = idle.to_string();
        let call = event::read(&Payload::read(&text).unwrap());
        decide(&call, Ground::of(true, &Config::default(), memory)).findings.stall
    };
    let ended = |waits, sent_on| {
        Memory::default().with(now(), Note::Stopped { prompt: Some("p".into()), waits, sent_on, first: true })
    };
    assert!(!stalls(&Memory::default()) && !stalls(&ended(false, false)) && !stalls(&ended(true, true)));
    assert!(stalls(&ended(true, false)));
}

#[test]
fn a_notification_of_a_wait_for_a_person_is_no_stall() {
    for (kind, waits, stall) in [("permission_prompt", false, true), ("permission_prompt", true, false)] {
        let text = json!({"hook_event_name": "Notification", "notification_type": kind}).to_string();
        let call = event::read(&Payload::read(&text).unwrap());
        let (config, memory) = (Config::default(), Memory::default());
        let ground = Ground { waits, ..Ground::of(true, &config, &memory) };
        assert_eq!(decide(&call, ground).findings.stall, stall);
    }
}

#[test]
fn a_plan_that_a_person_may_review_is_left_to_the_hook_that_waits() {
    let entered = entered_from("bypassPermissions");
    for (text, answers) in [("", true), ("[plans]\nwait = \"10m\"\n", false)] {
        let (config, _) = config::read(text);
        assert_eq!(answered(&exit_plan("PreToolUse"), true, &config, &entered).0.is_some(), answers);
        assert!(answered(&exit_plan("PermissionRequest"), true, &config, &entered).0.is_some());
    }
}

#[test]
fn an_input_that_cannot_be_read_is_echoed_as_an_empty_object() {
    for input in [json!(null), json!("text"), json!([1]), json!(7)] {
        let mut payload = exit_plan("PermissionRequest");
        payload["tool_input"] = input;
        let answer = on(&payload, &Memory::default()).unwrap();
        assert_eq!(answer["hookSpecificOutput"]["decision"]["updatedInput"], json!({}));
    }
}
