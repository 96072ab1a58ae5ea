//! The hooks of a settings text as a tree of spans, and which entries in it are ours. Reads what has the right shape and
//! passes over the rest; saying what is wrong is `check`'s job.

use super::json::{self, List, Member, Span};

/// What our executable is called, and how an entry of ours is told from others.
pub const NAME: &str = "unattended";

/// The root object and each `hooks` in it (by a slip there may be several, of which the last counts).
pub(super) struct Tree {
    pub(super) root: Span,
    pub(super) members: Vec<Member>,
    pub(super) hooks: Vec<Hooks>,
}

/// A `hooks` member of the root that is an object.
pub(super) struct Hooks {
    /// Which member of the root.
    pub(super) index: usize,
    pub(super) list: List,
    pub(super) members: Vec<Member>,
    pub(super) events: Vec<Event>,
}

/// A member of `hooks` that is an array.
pub(super) struct Event {
    /// Which member of `hooks`.
    pub(super) index: usize,
    pub(super) name: String,
    /// False: a later member of the same name hides this one from the client.
    pub(super) counts: bool,
    pub(super) list: List,
    pub(super) groups: Vec<Group>,
}

/// A matcher and what runs for it.
pub(super) struct Group {
    /// Which element of the event's array.
    pub(super) index: usize,
    pub(super) list: List,
    pub(super) members: Vec<Member>,
    pub(super) matcher: Option<String>,
    pub(super) hooks: List,
    pub(super) entries: Vec<Entry>,
}

/// One hook.
pub(super) struct Entry {
    pub(super) list: List,
    pub(super) members: Vec<Member>,
    pub(super) command: String,
    pub(super) args: Option<Vec<String>>,
    /// For an entry of ours: what it was registered for, where it says so.
    pub(super) ours: Option<Option<String>>,
}

impl Tree {
    /// `None` where the text is no JSON or its root no object. `exe` is our executable, which is ours whatever its path.
    pub(super) fn read(text: &str, exe: &str) -> Option<Tree> {
        let root = json::value(text).ok()?;
        let members = json::members(text, root)?;
        let hooks = members
            .iter()
            .enumerate()
            .filter(|(_, member)| member.name == "hooks")
            .filter_map(|(index, member)| Hooks::read(text, exe, index, member.value))
            .collect();
        Some(Tree { root, members, hooks })
    }

    /// The `hooks` that counts, if it is an object.
    pub(super) fn effective(&self) -> Option<&Hooks> {
        let last = self.members.iter().rposition(|member| member.name == "hooks")?;
        self.hooks.iter().find(|hooks| hooks.index == last)
    }

    /// All events, also those in a `hooks` that does not count; `bool` says whether the client sees it.
    pub(super) fn events(&self) -> impl Iterator<Item = (bool, &Event)> {
        let effective = self.effective().map(|hooks| hooks.index);
        self.hooks.iter().flat_map(move |hooks| {
            hooks.events.iter().map(move |event| (event.counts && Some(hooks.index) == effective, event))
        })
    }
}

/// Whether the client sees this member: of several with one name it takes the last.
fn counts(members: &[Member], index: usize) -> bool {
    let mut same =
        members.iter().skip(index).filter(|other| members.get(index).is_some_and(|it| it.name == other.name));
    same.nth(1).is_none()
}

/// Whether an earlier member of the same name would come to light if this one went too.
pub(super) fn uncovers(members: &[Member], gone: &[bool], index: usize) -> bool {
    let same = |other: &Member| members.get(index).is_some_and(|it| it.name == other.name);
    counts(members, index) && members.iter().zip(gone).take(index).any(|(other, &gone)| same(other) && !gone)
}

impl Hooks {
    fn read(text: &str, exe: &str, index: usize, value: Span) -> Option<Hooks> {
        let members = json::members(text, value)?;
        let events = members
            .iter()
            .enumerate()
            .filter_map(|(index, member)| Event::read(text, exe, index, member, counts(&members, index)))
            .collect();
        Some(Hooks { index, list: json::object_list(value, &members), members, events })
    }
}

impl Event {
    fn read(text: &str, exe: &str, index: usize, member: &Member, counts: bool) -> Option<Event> {
        let elements = json::elements(text, member.value)?;
        let groups =
            elements.iter().enumerate().filter_map(|(index, &group)| Group::read(text, exe, index, group)).collect();
        let list = json::array_list(member.value, elements);
        Some(Event { index, name: member.name.clone(), counts, list, groups })
    }

    pub(super) fn has_ours(&self) -> bool {
        self.groups.iter().any(|group| group.entries.iter().any(|entry| entry.ours.is_some()))
    }
}

impl Group {
    fn read(text: &str, exe: &str, index: usize, value: Span) -> Option<Group> {
        let members = json::members(text, value)?;
        let hooks = json::last(&members, "hooks")?.value;
        let elements = json::elements(text, hooks)?;
        let entries = elements.iter().map(|&entry| Entry::read(text, exe, entry)).collect();
        let matcher = json::last(&members, "matcher").and_then(|matcher| json::string(text, matcher.value));
        Some(Group {
            index,
            list: json::object_list(value, &members),
            members,
            matcher,
            hooks: json::array_list(hooks, elements),
            entries,
        })
    }
}

impl Entry {
    /// Every element is an entry, whatever it is, so that their order is that of the list.
    fn read(text: &str, exe: &str, value: Span) -> Entry {
        let members = json::members(text, value).unwrap_or_default();
        let command = json::last(&members, "command").and_then(|member| json::string(text, member.value));
        let args = json::last(&members, "args").and_then(|member| json::strings(text, member.value));
        let ours = command.as_deref().and_then(|command| ours(exe, command, args.as_deref().unwrap_or_default()));
        let command = command.unwrap_or_default();
        Entry { list: json::object_list(value, &members), members, command, args, ours }
    }
}

impl Entry {
    /// After how many seconds the client ends the hook, where the entry says so.
    pub(super) fn timeout(&self, text: &str) -> Option<f64> {
        json::last(&self.members, "timeout")?.value.of(text).parse().ok()
    }

    /// The value of our `--timeout`, in seconds.
    pub(super) fn told_timeout(&self) -> Option<u64> {
        let args = match &self.args {
            Some(args) => args.clone(),
            None => words(&self.command, true)?,
        };
        value(&args, "--timeout")?.parse().ok()
    }

    /// The first word of the command: in the exec form all of it.
    pub(super) fn program(&self) -> String {
        if self.args.is_some() || !self.command.contains(char::is_whitespace) {
            return self.command.clone();
        }
        if self.ours.is_some() && is_us(&self.command) {
            // A path with a space in it, as an old client left it of the exec form.
            return self.command.clone();
        }
        let words = words(&self.command, true).and_then(|words| words.into_iter().next());
        words.or_else(|| self.command.split_whitespace().next().map(str::to_owned)).unwrap_or_default()
    }
}

/// Is this command ours, and for what? The executable by its name, then `hook` or nothing: as a command with arguments,
/// or as a line for a shell (as older clients need it, or as the client left it that drops keys it does not know).
fn ours(exe: &str, command: &str, args: &[String]) -> Option<Option<String>> {
    // No path, where our own is not known, is no command of ours.
    let is_exe = |program: &str| !exe.is_empty() && program == exe;
    let line;
    let (program, args) = match args {
        [] if is_exe(command) => (command, args),
        [] => {
            line = [true, false].into_iter().filter_map(|posix| words(command, posix)).find(|words| {
                // A shell eats backslashes; in a Windows path they stay.
                words.first().is_some_and(|first| is_us(first))
            })?;
            let (program, args) = line.split_first()?;
            (program.as_str(), args)
        }
        args => (command, args),
    };
    if !(is_exe(program) || is_us(program)) {
        return None;
    }
    match args.split_first() {
        None => Some(None),
        Some((verb, rest)) if verb == "hook" => Some(tag(rest)),
        Some(_) => None,
    }
}

/// The value of `--for`.
fn tag(args: &[String]) -> Option<String> {
    value(args, "--for")
}

fn value(args: &[String], name: &str) -> Option<String> {
    let at = args.iter().position(|arg| arg == name)?;
    args.get(at + 1).cloned()
}

fn is_us(program: &str) -> bool {
    let name = program.rsplit(['/', '\\']).next().unwrap_or_default();
    name == NAME || name.eq_ignore_ascii_case("unattended.exe")
}

/// The words of a simple shell command. `None` if it is more than that (`a | b`, `a; b`, `a > b`): such a line is
/// somebody's own work, of which we are only a part.
fn words(line: &str, posix: bool) -> Option<Vec<String>> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut chars = line.chars();
    while let Some(c) = chars.next() {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (Some('"') | None, '\\') if posix => word.get_or_insert_default().push(chars.next()?),
            (Some(_), c) => word.get_or_insert_default().push(c),
            (None, '\'' | '"') => {
                word.get_or_insert_default();
                quote = Some(c);
            }
            (None, ';' | '|' | '&' | '<' | '>' | '(' | ')' | '`' | '\n') => return None,
            (None, c) if c.is_whitespace() => words.extend(word.take()),
            (None, c) => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    quote.is_none().then_some(words)
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::exec_form("/usr/bin/unattended", &["hook", "--for", "Stop"], Some(Some("Stop")))]
    #[case::exec_form_of_windows("C:\\Program Files\\unattended.exe", &["hook"], Some(None))]
    #[case::what_an_old_client_left_of_the_exec_form("/usr/bin/unattended", &[], Some(None))]
    #[case::the_same_with_a_space("/opt/my tools/unattended", &[], Some(None))]
    #[case::shell_form("'/a b/unattended' hook --for PermissionRequest", &[], Some(Some("PermissionRequest")))]
    #[case::shell_form_by_hand("~/.local/bin/unattended hook", &[], Some(None))]
    #[case::shell_form_of_windows("C:\\tools\\unattended.exe hook", &[], Some(None))]
    #[case::of_the_plugin("${CLAUDE_PLUGIN_ROOT}/bin/unattended", &["hook"], Some(None))]
    #[case::another_verb("/usr/bin/unattended", &["prompt"], None)]
    #[case::another_verb_in_a_shell("unattended status", &[], None)]
    #[case::another_program("/usr/bin/unattended-upgrade", &["hook"], None)]
    #[case::us_as_an_argument("cat /usr/bin/unattended", &[], None)]
    #[case::a_pipeline("/usr/bin/unattended hook | tee log", &[], None)]
    #[case::an_open_quote("'/usr/bin/unattended hook", &[], None)]
    #[case::nothing("", &[], None)]
    fn a_command_is_ours_or_not(#[case] command: &str, #[case] args: &[&str], #[case] want: Option<Option<&str>>) {
        let args: Vec<String> = args.iter().map(ToString::to_string).collect();
        let got = ours("/opt/my tools/unattended", command, &args);
        assert_eq!(got.as_ref().map(Option::as_deref), want);
    }
}
