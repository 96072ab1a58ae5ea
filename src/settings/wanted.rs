//! What shall be registered: `hooks/hooks.json` with the executable's path in it, for the events that the client knows.

use super::json::{self, Span};
use super::splice::{Out, quoted};
use super::tree::Tree;

/// The registration template; the plugin's hooks are generated from it (`tests/plugin.rs`).
const TEMPLATE: &str = include_str!("../../hooks/hooks.json");

/// One group of ours: a matcher, and the one hook in it.
#[derive(Debug, Clone, PartialEq)]
pub struct Wanted {
    /// The event it is registered for.
    pub event: String,
    /// What it is registered for, more exactly: the value of its `--for`.
    pub tag: String,
    /// `None`: everything.
    pub matcher: Option<String>,
    /// The executable or, in the shell form, the whole line.
    pub command: String,
    /// `None` in the shell form.
    pub args: Option<Vec<String>>,
    /// Seconds, for a new entry. Where the hook may wait for a person, it is told so by `--timeout`.
    pub timeout: u64,
    /// Seconds. A timeout that is there already stays if it is at least this.
    pub least_timeout: u64,
    /// The value of `onFailure`, from the template.
    pub on_failure: Option<String>,
}

/// How a command is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// `command` and `args`, run without a shell: clients from 2.1.139 on.
    Exec,
    /// One line for a shell.
    Shell,
}

/// How long the hooks may wait for a person, by the config, in seconds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Waits {
    /// `[questions] wait`
    pub questions: u64,
    /// `[plans] wait`
    pub plans: u64,
    /// `[permissions] wait`
    pub permissions: u64,
}

impl Waits {
    /// The longest wait of the hook with this `--for`. Questions wait before the call, the others where a dialog would
    /// open.
    fn of(self, tag: &str) -> u64 {
        match tag {
            "PreToolUse:AskUserQuestion" => self.questions,
            "PermissionRequest" => self.plans.max(self.permissions),
            _ => 0,
        }
    }
}

/// The groups to register, in the template's order, for the events that the client `knows`.
pub fn wanted(exe: &str, form: Form, waits: Waits, knows: impl Fn(&str) -> bool) -> Vec<Wanted> {
    // A test holds the template against this reading of it.
    let Some(tree) = Tree::read(TEMPLATE, exe) else { return Vec::new() };
    let mut wanted = Vec::new();
    for (_, event) in tree.events().filter(|(_, event)| knows(&event.name)) {
        for group in &event.groups {
            for entry in &group.entries {
                let text_of = |name| json::last(&entry.members, name).map(|member| member.value.of(TEMPLATE));
                let mut args = entry.args.clone().unwrap_or_default();
                let tag = entry.ours.clone().flatten().unwrap_or_default();
                let own = text_of("timeout").and_then(|timeout| timeout.parse().ok()).unwrap_or(0);
                let wait = waits.of(&tag);
                if wait > 0 {
                    args.extend(["--timeout".to_owned(), wait.saturating_add(own).to_string()]);
                }
                wanted.push(Wanted {
                    event: event.name.clone(),
                    matcher: group.matcher.clone(),
                    command: match form {
                        Form::Exec => exe.to_owned(),
                        Form::Shell => shell_line(exe, &args),
                    },
                    args: (form == Form::Exec).then_some(args),
                    timeout: wait.saturating_add(own),
                    least_timeout: if wait == 0 { 0 } else { wait.saturating_add(own) },
                    on_failure: text_of("onFailure").and_then(|value| serde_json::from_str(value).ok()),
                    tag,
                });
            }
        }
    }
    wanted
}

/// Does a path stand for itself in a shell? Such a path works as `command` with every client: those before 2.1.139 run
/// it through a shell, without the `args` they do not know, and a payload alone means `hook`.
pub fn needs_quoting(exe: &str) -> bool {
    exe.is_empty() || !exe.chars().all(|c| c.is_ascii_alphanumeric() || "/._-+@%:,=".contains(c))
}

fn shell_line(exe: &str, args: &[String]) -> String {
    let mut line = quoted_for_shell(exe);
    for arg in args {
        line.push(' ');
        line.push_str(&quoted_for_shell(arg));
    }
    line
}

/// A word for a POSIX shell.
fn quoted_for_shell(word: &str) -> String {
    if needs_quoting(word) { format!("'{}'", word.replace('\'', r"'\''")) } else { word.to_owned() }
}

impl Wanted {
    /// The group to be written.
    pub(super) fn group(&self) -> Out {
        let leaf = |string: &str| Out::Leaf(quoted(string));
        let mut entry = vec![("type".to_owned(), leaf("command")), ("command".to_owned(), leaf(&self.command))];
        if let Some(args) = &self.args {
            entry.push(("args".to_owned(), Out::Array(args.iter().map(|arg| leaf(arg)).collect())));
        }
        entry.push(("timeout".to_owned(), Out::Leaf(self.timeout.to_string())));
        if let Some(on_failure) = &self.on_failure {
            entry.push(("onFailure".to_owned(), leaf(on_failure)));
        }
        let mut group = Vec::new();
        if let Some(matcher) = &self.matcher {
            group.push(("matcher".to_owned(), leaf(matcher)));
        }
        group.push(("hooks".to_owned(), Out::Array(vec![Out::Object(entry)])));
        Out::Object(group)
    }

    /// Would a group with this matcher call us for all that we want to be called for?
    pub(super) fn is_served_by(&self, matcher: Option<&str>) -> bool {
        let all = |matcher: Option<&str>| matches!(matcher, None | Some("" | "*"));
        all(matcher) || matcher == self.matcher.as_deref()
    }

    /// Is the value that is there what we would write, or one as good?
    pub(super) fn accepts_timeout(&self, text: &str, value: Span) -> bool {
        // Whole seconds are exact in an f64 for longer than anybody waits.
        value.of(text).parse().is_ok_and(|there: f64| there > 0.0 && there >= self.least_timeout as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_template_is_read_whole_and_blocks_on_failure_for_questions_alone() {
        let wanted = wanted("/bin/unattended", Form::Exec, Waits::default(), |_| true);
        let tags: Vec<_> = wanted.iter().map(|w| (w.event.as_str(), w.tag.as_str(), w.on_failure.as_deref())).collect();
        assert_eq!(
            tags,
            [
                ("PreToolUse", "PreToolUse:AskUserQuestion", Some("block")),
                ("PreToolUse", "PreToolUse:ExitPlanMode", None),
                ("PermissionRequest", "PermissionRequest", None),
                ("PostToolUse", "PostToolUse", None),
                ("PermissionDenied", "PermissionDenied", None),
                ("Elicitation", "Elicitation", None),
                ("Notification", "Notification", None),
                ("Stop", "Stop", None),
                ("StopFailure", "StopFailure", None),
                ("SessionStart", "SessionStart", None),
                ("SubagentStart", "SubagentStart", None),
                ("SessionEnd", "SessionEnd", None),
            ]
        );
        assert!(wanted.iter().all(|w| w.timeout == 30 && w.least_timeout == 0 && w.command == "/bin/unattended"));
    }

    #[test]
    fn the_shell_form_is_one_quoted_line() {
        let wanted = wanted("/o'b x/unattended", Form::Shell, Waits::default(), |event| event == "Stop");
        assert_eq!(wanted.len(), 1);
        assert_eq!(wanted[0].command, r"'/o'\''b x/unattended' hook --for Stop");
        assert_eq!(wanted[0].args, None);
    }

    #[test]
    fn a_configured_wait_makes_room_in_the_timeout_of_the_hooks_that_wait() {
        let waits = Waits { questions: 600, plans: 60, permissions: 0 };
        let wanted = wanted("/bin/unattended", Form::Exec, waits, |_| true);
        let of = |tag: &str| wanted.iter().find(|w| w.tag == tag).map(|w| (w.timeout, w.least_timeout)).unwrap();
        assert_eq!(of("PreToolUse:AskUserQuestion"), (630, 630));
        assert_eq!(of("PreToolUse:ExitPlanMode"), (30, 0));
        assert_eq!(of("PermissionRequest"), (90, 90));
        assert_eq!(of("Stop"), (30, 0));
        let args = |tag: &str| wanted.iter().find(|w| w.tag == tag).and_then(|w| w.args.clone()).unwrap().join(" ");
        assert_eq!(args("PreToolUse:ExitPlanMode"), "hook --for PreToolUse:ExitPlanMode");
        assert_eq!(args("PermissionRequest"), "hook --for PermissionRequest --timeout 90");
    }
}
