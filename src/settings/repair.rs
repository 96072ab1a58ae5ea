//! Which of our entries stand for what is wanted, and putting them right where they are.

use super::json::{self, Member};
use super::splice::{self, Layout, Out, Splice, quoted};
use super::tree::{Entry, Group, Tree};
use super::wanted::Wanted;

/// An entry of ours that stands for something wanted.
struct Kept<'t> {
    wanted: &'t Wanted,
    group: &'t Group,
    entry: &'t Entry,
}

/// Entries of ours that stand for nothing wanted: marks for each event, group and entry in the order of `Tree::events`.
pub(super) fn unwanted(tree: &Tree, wanted: &[Wanted]) -> Vec<Vec<Vec<bool>>> {
    let kept = kept(tree, wanted);
    let is_kept = |entry: &Entry| kept.iter().any(|kept| std::ptr::eq(kept.entry, entry));
    let marks = |group: &Group| group.entries.iter().map(|entry| entry.ours.is_some() && !is_kept(entry)).collect();
    tree.events().map(|(_, event)| event.groups.iter().map(marks).collect()).collect()
}

/// What no entry stands for.
pub(super) fn missing<'t>(tree: &'t Tree, wanted: &'t [Wanted]) -> Vec<&'t Wanted> {
    let kept = kept(tree, wanted);
    wanted.iter().filter(|wanted| !kept.iter().any(|kept| std::ptr::eq(kept.wanted, *wanted))).collect()
}

/// Puts our entries right where they are: command, arguments, too short a timeout, matcher.
pub(super) fn in_place(text: &str, tree: &Tree, wanted: &[Wanted]) -> Vec<Splice> {
    let layout = Layout::of(text, &json::object_list(tree.root, &tree.members));
    kept(tree, wanted).iter().flat_map(|kept| repairs(text, &layout, kept)).collect()
}

/// One entry for each thing wanted, as far as there are any: by what it says it is for, else by its matcher, else as the
/// only one of its event. Where the client does not see it, or where a foreign group's matcher would not call us, an
/// entry stands for nothing.
fn kept<'t>(tree: &'t Tree, wanted: &'t [Wanted]) -> Vec<Kept<'t>> {
    let mut kept: Vec<Kept<'t>> = Vec::new();
    for wanted_one in wanted {
        let only = wanted.iter().filter(|other| other.event == wanted_one.event).count() == 1;
        let mut best: Option<(u8, Kept<'t>)> = None;
        let events = tree.events().filter(|(counts, event)| *counts && event.name == wanted_one.event);
        for group in events.flat_map(|(_, event)| &event.groups) {
            for entry in &group.entries {
                let Some(tag) = &entry.ours else { continue };
                let served = group.entries.len() == 1 || wanted_one.is_served_by(group.matcher.as_deref());
                if !served || kept.iter().any(|kept| std::ptr::eq(kept.entry, entry)) {
                    continue;
                }
                let fit = match tag {
                    Some(tag) if *tag == wanted_one.tag => 3,
                    None if group.matcher == wanted_one.matcher => 2,
                    _ if only => 1,
                    _ => continue,
                };
                if best.as_ref().is_none_or(|(best, _)| fit > *best) {
                    best = Some((fit, Kept { wanted: wanted_one, group, entry }));
                }
            }
        }
        kept.extend(best.map(|(_, kept)| kept));
    }
    kept
}

/// What is not as it should be in one entry and its group. All at once: half a change of form could not be told for
/// ours any more.
fn repairs(text: &str, layout: &Layout, kept: &Kept<'_>) -> Vec<Splice> {
    let Kept { wanted, group, entry } = kept;
    let mut splices = Vec::new();
    let everything = wanted.matcher.is_none() && wanted.is_served_by(group.matcher.as_deref());
    if group.entries.len() == 1 && group.matcher != wanted.matcher && !everything {
        match (&wanted.matcher, json::last(&group.members, "matcher")) {
            (Some(matcher), Some(there)) => splices.push(Splice { at: there.value, with: quoted(matcher) }),
            (Some(matcher), None) => {
                splices.extend(splice::prepend(text, layout, &group.list, "matcher", &quoted(matcher)));
            }
            (None, _) => splices.extend(take_out(text, &group.list, &group.members, "matcher")),
        }
    }
    let array = |args: &Vec<String>| format!("[{}]", args.iter().map(|arg| quoted(arg)).collect::<Vec<_>>().join(", "));
    let wants = [
        ("type", Some(quoted("command"))),
        ("command", Some(quoted(&wanted.command))),
        ("args", wanted.args.as_ref().map(array)),
        ("timeout", Some(wanted.timeout.to_string())),
        ("onFailure", wanted.on_failure.as_deref().map(quoted)),
    ];
    let mut new = Vec::new();
    for (name, value) in wants {
        match (value, json::last(&entry.members, name)) {
            (None, None) => {}
            (None, Some(_)) => splices.extend(take_out(text, &entry.list, &entry.members, name)),
            (Some(_), Some(there)) if is_right(text, name, there, kept) => {}
            (Some(value), Some(there)) => splices.push(Splice { at: there.value, with: value }),
            (Some(value), None) => new.push((Some(name.to_owned()), Out::Leaf(value))),
        }
    }
    if !new.is_empty() {
        splices.push(splice::append(text, layout, &entry.list, &new));
    }
    splices
}

fn is_right(text: &str, name: &str, there: &Member, kept: &Kept<'_>) -> bool {
    let string = || json::string(text, there.value);
    match name {
        "type" => string().as_deref() == Some("command"),
        "command" => kept.entry.command == kept.wanted.command,
        "args" => kept.entry.args == kept.wanted.args,
        "timeout" => kept.wanted.accepts_timeout(text, there.value),
        _ => string() == kept.wanted.on_failure,
    }
}

fn take_out(text: &str, list: &json::List, members: &[Member], name: &str) -> Vec<Splice> {
    let gone: Vec<bool> = members.iter().map(|member| member.name == name).collect();
    splice::remove(text, list, &gone)
}
