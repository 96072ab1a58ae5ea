//! What is registered in a settings text, ours and others', held against what is wanted. Changes nothing.

use super::tree::{Entry, Tree};
use super::wanted::Wanted;
use super::{repair, unmarked};

/// The hooks of one settings text.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Survey {
    /// Our entries that the client sees, in the order of the file.
    pub ours: Vec<Registration>,
    /// Others' entries that the client sees.
    pub others: Vec<Foreign>,
    /// What is wanted and no entry stands for, by its `--for`.
    pub missing: Vec<String>,
    /// Entries stand for what is wanted, but are not written as install would write them.
    pub unlike: bool,
}

/// An entry of ours.
#[derive(Debug, Clone, PartialEq)]
pub struct Registration {
    /// The event it is registered for.
    pub event: String,
    /// The value of its `--for`, where it says one.
    pub tag: Option<String>,
    /// The executable or, in the shell form, the whole line.
    pub command: String,
    /// `None` in the shell form.
    pub args: Option<Vec<String>>,
    /// Our executable, as it is named there.
    pub program: String,
    /// After how many seconds the client ends it, where the entry says so.
    pub timeout: Option<f64>,
    /// After how many seconds it is told that the client ends it.
    pub told_timeout: Option<u64>,
    /// It stands for nothing that is wanted: the client does not know the event, or another entry stands for it.
    pub unwanted: bool,
}

/// An entry of somebody else's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Foreign {
    /// The event it is registered for.
    pub event: String,
    /// The matcher of its group.
    pub matcher: Option<String>,
    /// The first word of its command, or what else it is: a prompt, an HTTP hook. The rest may hold secrets.
    pub program: String,
}

/// Looks through a text; nothing is found in one that is no JSON object. `exe` is our executable, which is ours whatever
/// its path.
pub fn survey(text: &str, exe: &str, wanted: &[Wanted]) -> Survey {
    let text = unmarked(text);
    let Some(tree) = Tree::read(text, exe) else { return Survey::default() };
    let unwanted = repair::unwanted(&tree, wanted);
    let mut marks = unwanted.iter().flatten().flatten();
    let mut survey = Survey::default();
    for (counts, event) in tree.events() {
        for group in &event.groups {
            for entry in &group.entries {
                let unwanted = marks.next().copied().unwrap_or(false);
                match &entry.ours {
                    _ if !counts => {}
                    Some(tag) => survey.ours.push(Registration {
                        event: event.name.clone(),
                        tag: tag.clone(),
                        command: entry.command.clone(),
                        args: entry.args.clone(),
                        program: entry.program(),
                        timeout: entry.timeout(text),
                        told_timeout: entry.told_timeout(),
                        unwanted,
                    }),
                    None => survey.others.push(Foreign {
                        event: event.name.clone(),
                        matcher: group.matcher.clone(),
                        program: foreign(entry),
                    }),
                }
            }
        }
    }
    survey.missing = repair::missing(&tree, wanted).into_iter().map(|wanted| wanted.tag.clone()).collect();
    survey.unlike = !repair::in_place(text, &tree, wanted).is_empty();
    survey
}

fn foreign(entry: &Entry) -> String {
    let program = entry.program();
    if program.is_empty() { "a hook without a command".to_owned() } else { program }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::{Form, Waits, alone, wanted};

    const EXE: &str = "/opt/unattended";

    fn all(form: Form) -> Vec<Wanted> {
        wanted(EXE, form, Waits::default(), |_| true)
    }

    #[test]
    fn what_install_writes_is_ours_and_nothing_is_missing() {
        for form in [Form::Exec, Form::Shell] {
            let wanted = all(form);
            let survey = survey(&alone(EXE, &wanted).unwrap(), EXE, &wanted);
            assert_eq!((survey.ours.len(), survey.missing.len(), survey.unlike), (wanted.len(), 0, false));
            assert!(survey.ours.iter().all(|ours| ours.program == EXE && !ours.unwanted && ours.tag.is_some()));
            assert_eq!(survey.others, []);
        }
    }

    #[test]
    fn what_is_missing_twice_there_or_of_another_path_is_told() {
        let wanted = all(Form::Exec);
        let text = r#"{"hooks": {"Stop": [{"hooks": [
            {"type": "command", "command": "/old/unattended", "args": ["hook", "--for", "Stop"], "timeout": 30},
            {"type": "command", "command": "/old/unattended hook"}]}],
            "NoSuchEvent": [{"hooks": [{"type": "command", "command": "unattended hook"}]}]}}"#;
        let survey = survey(text, EXE, &wanted);
        let unwanted: Vec<_> = survey.ours.iter().map(|ours| (ours.event.as_str(), ours.unwanted)).collect();
        assert_eq!(unwanted, [("Stop", false), ("Stop", true), ("NoSuchEvent", true)]);
        assert!(survey.unlike, "the path");
        assert_eq!(survey.missing.len(), wanted.len() - 1);
        assert!(survey.ours.iter().take(2).all(|ours| ours.program == "/old/unattended"));
    }

    #[test]
    fn of_a_foreign_hook_the_first_word_is_told_and_no_more() {
        let text = r#"{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [
            {"type": "command", "command": "'/my tools/guard' --token sk-secret"}, {"type": "prompt", "prompt": "x"}]}]}}"#;
        let programs: Vec<_> = survey(text, EXE, &[]).others.into_iter().map(|other| other.program).collect();
        assert_eq!(programs, ["/my tools/guard", "a hook without a command"]);
    }
}
