//! Pure edits of a `settings.json` text: our hooks in, our hooks out, no other byte touched. Touches no file: what must
//! be remembered between the two is handed back as `Made`.

mod check;
mod json;
mod repair;
mod splice;
mod survey;
mod tree;
mod wanted;

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

pub use self::check::decode;
pub use self::survey::{Foreign, Registration, Survey, survey};
pub use self::tree::NAME;
pub use self::wanted::{Form, Waits, Wanted, needs_quoting, wanted};

use self::splice::{Item, Layout, Out, Splice};
use self::tree::{Event, Group, Tree, uncovers};
use crate::trouble::Trouble;

/// What install had to create, so that uninstall takes away that and no more. It stands beside the file and not in it:
/// the client drops keys that it does not know.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Made {
    /// The text of a blank file, which became an object.
    pub blank: Option<String>,
    /// The `hooks` object.
    pub hooks: bool,
    /// The events whose arrays we made.
    pub events: BTreeSet<String>,
}

/// The text as it shall be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    /// The new text; the old one where nothing is to be done.
    pub text: String,
    /// What has been created by us in it; `None` where nothing of ours is left.
    pub made: Option<Made>,
}

/// What of ours is registered in a text, as the client sees it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Registered {
    /// Events with an entry of ours, in the order of the file.
    pub events: Vec<String>,
    /// `disableAllHooks` is set in this very file.
    pub disabled: bool,
}

/// Registers what is wanted: adds what is missing as groups of their own at the end, repairs in place what is ours
/// already, takes out what is ours and no longer wanted. `made` is what an earlier install had created, `None` where
/// nothing is known of one.
pub fn install(text: &str, exe: &str, wanted: &[Wanted], made: Option<&Made>) -> Result<Edit, Trouble> {
    behind_mark(text, |text| install_in(text, exe, wanted, made))
}

fn install_in(text: &str, exe: &str, wanted: &[Wanted], made: Option<&Made>) -> Result<Edit, Trouble> {
    if is_blank(text) {
        let mut edit = install_in("{}\n", exe, wanted, None)?;
        edit.made.get_or_insert_default().blank = Some(text.to_owned());
        return Ok(edit);
    }
    let (_, root) = check::object(text)?;
    check::hooks(text, &root)?;
    let Some(tree) = Tree::read(text, exe) else { return Err(check::unread()) };
    let mut made = still_made(&tree, made);
    let text = Reading { text: text.to_owned(), tree };
    let text = text.with(exe, |text, tree| remove(text, tree, &made, &repair::unwanted(tree, wanted)))?;
    let text = text.with(exe, |text, tree| repair::in_place(text, tree, wanted))?;
    // From here on ours is only what the client sees: an array of another `hooks`, hidden by this one, was not this one.
    let seen = |tree: &Tree, name: &str| tree.events().any(|(counts, e)| counts && e.name == name && e.has_ours());
    made.events.retain(|name| seen(&text.tree, name));
    made.hooks &= text.tree.effective().is_some_and(|hooks| hooks.events.iter().any(Event::has_ours));
    let text = splice::apply(&text.text, add_missing(&text.text, &text.tree, wanted, &mut made));
    Ok(Edit { text, made: Some(made) })
}

/// A byte order mark, which every client tried passes over (2.0.77 to 2.1.332), stays in front of what is edited.
fn behind_mark(text: &str, edit: impl FnOnce(&str) -> Result<Edit, Trouble>) -> Result<Edit, Trouble> {
    let rest = unmarked(text);
    let edit = edit(rest)?;
    let mark = text.strip_suffix(rest).unwrap_or_default();
    Ok(Edit { text: format!("{mark}{}", edit.text), ..edit })
}

/// A text without its byte order mark.
pub fn unmarked(text: &str) -> &str {
    text.strip_prefix('\u{feff}').unwrap_or(text)
}

/// A text and the reading of it, which is made anew only where the text changes.
struct Reading {
    text: String,
    tree: Tree,
}

impl Reading {
    fn with(self, exe: &str, splices: impl FnOnce(&str, &Tree) -> Vec<Splice>) -> Result<Reading, Trouble> {
        let splices = splices(&self.text, &self.tree);
        if splices.is_empty() {
            return Ok(self);
        }
        let text = splice::apply(&self.text, splices);
        let tree = Tree::read(&text, exe).ok_or_else(check::unread)?;
        Ok(Reading { text, tree })
    }
}

/// Takes out all that is ours, and the containers that install had made if nothing else is in them. Without a `made`,
/// those that held nothing but ours count as made by us.
pub fn uninstall(text: &str, exe: &str, made: Option<&Made>) -> Result<Edit, Trouble> {
    behind_mark(text, |text| uninstall_in(text, exe, made))
}

fn uninstall_in(text: &str, exe: &str, made: Option<&Made>) -> Result<Edit, Trouble> {
    if is_blank(text) {
        return Ok(Edit { text: text.to_owned(), made: None });
    }
    check::object(text)?;
    let tree = Tree::read(text, exe).ok_or_else(check::unread)?;
    let made = still_made(&tree, made);
    let ours = |group: &Group| group.entries.iter().map(|entry| entry.ours.is_some()).collect();
    let gone: Gone = tree.events().map(|(_, event)| event.groups.iter().map(ours).collect()).collect();
    let mut after = splice::apply(text, remove(text, &tree, &made, &gone));
    if let Some(blank) = made.blank.filter(|_| after != text && is_empty_object(&after)) {
        after = blank;
    }
    Ok(Edit { text: after, made: None })
}

/// What of ours is in a text. Nothing where it is no JSON object.
pub fn registered(text: &str, exe: &str) -> Registered {
    let text = unmarked(text);
    let Some(tree) = Tree::read(text, exe) else { return Registered::default() };
    let mut events: Vec<String> = Vec::new();
    for (_, event) in tree.events().filter(|(counts, event)| *counts && event.has_ours()) {
        events.push(event.name.clone());
    }
    let disabled = json::last(&tree.members, "disableAllHooks").is_some_and(|member| member.value.of(text) == "true");
    Registered { events, disabled }
}

/// Whether the client can read a settings text and the hooks in it. A blank one counts as `{}`.
///
/// # Errors
/// It cannot: says what is wrong, with line and column.
pub fn check(text: &str) -> Result<(), Trouble> {
    let text = unmarked(text);
    if is_blank(text) {
        return Ok(());
    }
    let (_, root) = check::object(text)?;
    check::hooks(text, &root)
}

/// The keys of managed settings that keep hooks of the user's own settings from running, and what a text says of each:
/// `None` is nothing, so that another file's word holds.
pub fn forbids(managed: &str) -> [(&'static str, Option<bool>); 3] {
    let managed = unmarked(managed);
    let members = json::value(managed).ok().and_then(|root| json::members(managed, root)).unwrap_or_default();
    let value = |name| json::last(&members, name).map(|member| member.value);
    let flag = |name| match value(name).map(|value| value.of(managed)) {
        Some("true") => Some(true),
        Some("false") => Some(false),
        _ => None,
    };
    // `true` or the list of what may come from plugins alone.
    let plugins_only = "strictPluginOnlyCustomization";
    let listed = value(plugins_only).and_then(|value| json::strings(managed, value));
    let listed = listed.map(|what| what.iter().any(|what| what == "hooks"));
    [
        ("disableAllHooks", flag("disableAllHooks")),
        ("allowManagedHooksOnly", flag("allowManagedHooksOnly")),
        (plugins_only, flag(plugins_only).or(listed)),
    ]
}

/// The settings that hold the wanted hooks and nothing else, as text for `claude --settings` or for wiring by hand.
pub fn alone(exe: &str, wanted: &[Wanted]) -> Result<String, Trouble> {
    Ok(install("{}\n", exe, wanted, None)?.text)
}

/// Is there nothing but the root's braces? `{}` in any layout.
pub fn is_empty_object(text: &str) -> bool {
    json::value(text).ok().and_then(|root| json::members(text, root)).is_some_and(|members| members.is_empty())
}

fn is_blank(text: &str) -> bool {
    text.bytes().all(|byte| matches!(byte, b' ' | b'\t' | b'\r' | b'\n'))
}

/// What of `made` still holds: a container that has nothing of ours in it any more is not ours either. Where nothing is
/// remembered, what ours are in counts as ours; it goes only if it becomes empty.
fn still_made(tree: &Tree, made: Option<&Made>) -> Made {
    let with_ours: BTreeSet<String> =
        tree.events().filter(|(_, event)| event.has_ours()).map(|(_, event)| event.name.clone()).collect();
    match made {
        _ if with_ours.is_empty() => Made::default(),
        None => Made { blank: None, hooks: true, events: with_ours },
        Some(made) => Made { events: &made.events & &with_ours, ..made.clone() },
    }
}

/// Which entries shall go: for each event, group and entry, in the order of `Tree::events`.
type Gone = Vec<Vec<Vec<bool>>>;

fn remove(text: &str, tree: &Tree, made: &Made, gone: &Gone) -> Vec<Splice> {
    let mut gone = gone.iter();
    let mut splices: Vec<Splice> = Vec::new();
    let mut root_gone = vec![false; tree.members.len()];
    for hooks in &tree.hooks {
        let mut inner: Vec<Splice> = Vec::new();
        let mut events_gone = vec![false; hooks.list.items.len()];
        for event in &hooks.events {
            let entries = gone.next().into_iter().flatten();
            let mut groups_gone = vec![false; event.list.items.len()];
            let mut changes: Vec<Splice> = Vec::new();
            for (group, entries) in event.groups.iter().zip(entries) {
                if !entries.is_empty() && entries.iter().all(|&gone| gone) {
                    set(&mut groups_gone, group.index);
                } else {
                    changes.extend(splice::remove(text, &group.hooks, entries));
                }
            }
            let emptied = groups_gone.iter().all(|&gone| gone) && !groups_gone.is_empty();
            if emptied && made.events.contains(&event.name) && !uncovers(&hooks.members, &events_gone, event.index) {
                set(&mut events_gone, event.index);
            } else {
                inner.extend(changes);
                inner.extend(splice::remove(text, &event.list, &groups_gone));
            }
        }
        let emptied = events_gone.iter().all(|&gone| gone) && !events_gone.is_empty();
        if emptied && made.hooks && !uncovers(&tree.members, &root_gone, hooks.index) {
            set(&mut root_gone, hooks.index);
        } else {
            splices.extend(inner);
            splices.extend(splice::remove(text, &hooks.list, &events_gone));
        }
    }
    splices.extend(splice::remove(text, &json::object_list(tree.root, &tree.members), &root_gone));
    splices
}

fn set(flags: &mut [bool], index: usize) {
    if let Some(flag) = flags.get_mut(index) {
        *flag = true;
    }
}

/// Adds the groups that no entry of ours stands for yet, and what they need around them.
fn add_missing(text: &str, tree: &Tree, wanted: &[Wanted], made: &mut Made) -> Vec<Splice> {
    let missing = repair::missing(tree, wanted);
    if missing.is_empty() {
        return Vec::new();
    }
    let root = json::object_list(tree.root, &tree.members);
    let layout = Layout::of(text, &root);
    let effective = tree.effective();
    let mut events: Vec<(&str, Vec<Out>)> = Vec::new();
    for wanted in missing {
        match events.iter_mut().find(|(name, _)| *name == wanted.event) {
            Some((_, groups)) => groups.push(wanted.group()),
            None => events.push((&wanted.event, vec![wanted.group()])),
        }
    }
    let mut splices = Vec::new();
    let mut new = Vec::new();
    for (name, groups) in events {
        match effective.and_then(|hooks| hooks.events.iter().find(|event| event.counts && event.name == name)) {
            Some(event) => {
                let groups: Vec<Item> = groups.into_iter().map(|group| (None, group)).collect();
                splices.push(splice::append(text, &layout, &event.list, &groups));
            }
            None => new.push((name.to_owned(), Out::Array(groups))),
        }
    }
    made.events.extend(new.iter().map(|(name, _)| name.clone()));
    match effective {
        Some(_) if new.is_empty() => {}
        Some(hooks) => {
            let new: Vec<Item> = new.into_iter().map(|(name, groups)| (Some(name), groups)).collect();
            splices.push(splice::append(text, &layout, &hooks.list, &new));
        }
        None => {
            made.hooks = true;
            splices.push(splice::append(text, &layout, &root, &[(Some("hooks".to_owned()), Out::Object(new))]));
        }
    }
    splices
}
