//! `live`: what the registered commands answered.

use std::time::Duration;

use serde_json::Value;

use super::words;
use crate::config::{PlanReply, QuestionReply};
use crate::doctor::facts::{Facts, Sample, Trial, TrialResult, at};
use crate::doctor::{Check, Finding, State};

const CHECK: Check = Check::Live;

/// A hook of ours takes some milliseconds; a person's shell or a slow disk shows from here on.
const SLOW: Duration = Duration::from_millis(1000);

/// Judges it.
pub(super) fn judge(facts: &Facts) -> Vec<Finding> {
    let trials = facts.trials.as_deref().unwrap_or_default();
    let left_out = facts.layers.0.len() > facts.runnable().count();
    if trials.is_empty() && left_out {
        let finding = "the folder is not trusted yet: the commands that its settings name are not run here";
        return vec![Finding::bad(
            CHECK,
            "untrusted",
            State::Unknown,
            finding,
            "start claude here once and accept, then ask again",
        )];
    }
    if trials.is_empty() {
        let finding = "no registered command was found to be tried";
        return vec![Finding::bad(CHECK, "none", State::Unknown, finding, "unattended install")];
    }
    trials.iter().map(|trial| of(facts, trial).of(facts.shown(&trial.file))).collect()
}

fn of(facts: &Facts, trial: &Trial) -> Finding {
    let file = facts.shown(&trial.file);
    let sample = match trial.sample {
        Sample::Question => "question",
        Sample::Plan => "plan",
    };
    let failure = |about, what: String, remedy: &str| {
        let finding = format!("the command registered for a {sample} in {file} {what}");
        Finding::bad(CHECK, about, State::Failure, finding, remedy.to_owned())
    };
    let (code, stdout, stderr, took) = match &trial.result {
        TrialResult::Ran { code, stdout, stderr, took } => (*code, stdout, stderr, *took),
        TrialResult::Hung(limit) => {
            let what = format!("does not end: it was ended after {} s", limit.as_secs());
            return failure("hangs", what, "see what it waits for; register it anew: unattended install");
        }
        TrialResult::NotStarted(why) => {
            let what = format!("does not start: {}", words::first_line(why));
            return failure("not-started", what, "put the executable back, or register this one: unattended install");
        }
    };
    let complaint = words::first_line(stderr);
    let complaint = if complaint.is_empty() { complaint } else { format!(": {complaint}") };
    if code != Some(0) {
        let ends = code.map_or_else(|| "is ended by a signal".to_owned(), |code| format!("ends with {code}"));
        return failure(
            "exit",
            format!("{ends}{complaint}"),
            "run it by hand with a payload; register it anew: unattended install",
        );
    }
    let answers = match trial.sample {
        Sample::Question => facts.policy.config.questions.reply == QuestionReply::Guide,
        Sample::Plan => facts.policy.config.plans.reply == PlanReply::Approve,
    };
    match (serde_json::from_str::<Value>(stdout), answers) {
        (Ok(answer), true) if is_right(&answer, trial.sample) => {
            let took = format!("{}.{} ms", took.as_millis(), took.as_micros() % 1000 / 100);
            let finding = format!("a sample {sample} is answered in {took} ({file})");
            if is_slow(trial) {
                let remedy = "see what slows it: a network drive, a shell that loads much";
                return Finding::bad(CHECK, "slow", State::Warning, finding, remedy);
            }
            Finding::ok(CHECK, "answers", finding)
        }
        (Err(_), false) if stdout.trim().is_empty() => {
            Finding::ok(CHECK, "left", format!("a sample {sample} is left to a person, as the config says"))
        }
        (Err(_), true) if stdout.trim().is_empty() => {
            failure("silent", format!("answers nothing{complaint}"), "register it anew: unattended install")
        }
        (Err(_), _) => {
            let printed = words::first_line(stdout);
            let what = format!("prints something beside its answer, so that the client cannot read it: {printed}");
            failure("noise", what, "make the shell or wrapper that it runs in silent on standard output")
        }
        (Ok(_), _) => failure(
            "wrong",
            "gives another answer than the policy's".to_owned(),
            "register it anew: unattended install",
        ),
    }
}

fn is_slow(trial: &Trial) -> bool {
    matches!(trial.result, TrialResult::Ran { took, .. } if took >= SLOW)
}

fn is_right(answer: &Value, sample: Sample) -> bool {
    let specific = |path: &[&str]| at(at(answer, &["hookSpecificOutput"]), path).clone();
    match sample {
        Sample::Question => specific(&["permissionDecision"]) == "deny",
        Sample::Plan => {
            specific(&["decision", "behavior"]) == "allow" && specific(&["decision", "updatedInput"]).is_object()
        }
    }
}
