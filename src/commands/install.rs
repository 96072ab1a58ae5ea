//! `unattended install`: registers the hooks in a settings file of the client.

use std::path::{Path, PathBuf};

use super::switch;
use crate::cli::{InstallArgs, PlaceArgs, Scope};
use crate::client::{self, Version};
use crate::settings::{self, Made, Waits, Wanted};
use crate::settings_file::{Change, SettingsFile};
use crate::switch::Position;
use crate::trouble::Trouble;
use crate::{executable, paths, wiring};

/// Registers the hooks, says what was done, and turns the switch on if that was asked for.
///
/// # Errors
/// All that keeps the hooks from being registered or from running; the settings are as they were then.
pub fn run(args: &InstallArgs) -> anyhow::Result<()> {
    let exe = executable()?;
    let client = Client::of(args)?;
    let waits = wiring::configured_waits();
    if args.print {
        client.say(&mut |line| eprintln!("{line}"));
        print!("{}", settings::alone(&exe, &client.wanted(&exe, waits, ""))?);
        return Ok(());
    }
    check_managed(client::managed_folder())?;
    let file = settings_file(&args.place)?;
    let plan = |text: &str, made: Option<&Made>| settings::install(text, &exe, &client.wanted(&exe, waits, text), made);
    if args.dry_run {
        show_diff(&file, &file.preview(&plan)?);
        return Ok(());
    }
    let change = file.change(&plan)?;
    report(&file, &change, &client, &args.place);
    warn(&change, args.place.scope, args.place.settings.is_some());
    if args.on {
        switch::turn(Position::On, None)?;
        println!("The switch is on: dialogs are answered without you, in every session.");
    }
    Ok(())
}

fn report(file: &SettingsFile, change: &Change, client: &Client, place: &PlaceArgs) {
    if change.is_none() {
        println!("Nothing to do: the hooks are in {} already.", file.shown());
    } else {
        println!("The hooks are in {}, read back and checked:", file.shown());
    }
    print_list(&settings::registered(change.after.as_deref().unwrap_or_default(), "").events);
    client.say(&mut |line| println!("{line}"));
    if let Some(backup) = &change.backup {
        println!("The file as it was: {}", paths::shown(backup));
    }
    if !change.is_none() {
        let which = match (&place.settings, place.scope) {
            (Some(settings), _) => format!(" --settings {}", settings.display()),
            (None, Scope::User) => String::new(),
            (None, Scope::Project) => " --scope project".to_owned(),
            (None, Scope::Local) => " --scope local".to_owned(),
        };
        println!("To undo: unattended uninstall{which}");
    }
}

/// Words, indented, in lines of at most 80 columns.
fn print_list(words: &[String]) {
    let mut line = String::from(" ");
    for (index, word) in words.iter().enumerate() {
        let comma = if index + 1 < words.len() { "," } else { "" };
        if line.len() + word.len() + 2 > 80 {
            println!("{line}");
            line = String::from(" ");
        }
        line = format!("{line} {word}{comma}");
    }
    println!("{line}");
}

/// What keeps the hooks from doing what one would expect, though they are registered.
fn warn(change: &Change, scope: Scope, named: bool) {
    for note in &change.notes {
        eprintln!("note: {note}");
    }
    let text = change.after.as_deref().unwrap_or_default();
    if settings::registered(text, "").disabled {
        eprintln!("note: disableAllHooks is true in this file: no hook runs until it is taken out");
    }
    if scope == Scope::Project && !named {
        eprintln!("note: this file is shared, and names the executable by its path on this machine");
    }
}

/// Says what a change would be, as a diff.
pub(super) fn show_diff(file: &SettingsFile, change: &Change) {
    for note in &change.notes {
        eprintln!("note: {note}");
    }
    if change.is_none() {
        eprintln!("{} would not change", file.shown());
        return;
    }
    let before = change.before.as_deref().unwrap_or_default();
    let after = change.after.as_deref().unwrap_or_default();
    let name = |text: &Option<String>| text.as_ref().map_or_else(|| "/dev/null".to_owned(), |_| file.shown());
    let diff = similar::TextDiff::from_lines(before, after);
    print!("{}", diff.unified_diff().header(&name(&change.before), &name(&change.after)));
}

/// The settings file that is meant, and the state folder.
pub(super) fn settings_file(args: &PlaceArgs) -> anyhow::Result<SettingsFile> {
    let state = paths::state_folder().ok_or_else(|| {
        Trouble::error(
            "there is no home folder in which to remember what was changed",
            "set HOME, or UNATTENDED_STATE to a folder",
        )
    })?;
    SettingsFile::at(place(args)?, std::path::absolute(state)?)
}

fn place(args: &PlaceArgs) -> anyhow::Result<PathBuf> {
    if let Some(file) = &args.settings {
        return Ok(file.clone());
    }
    Ok(match args.scope {
        Scope::User => paths::client_folder()
            .ok_or_else(|| {
                Trouble::error(
                    "there is no home folder with the client's settings",
                    "set HOME, or name a file with --settings",
                )
            })?
            .join("settings.json"),
        Scope::Project => Path::new(".claude").join("settings.json"),
        Scope::Local => Path::new(".claude").join("settings.local.json"),
    })
}

/// Refuses where an administrator's settings in this folder keep our hooks from running.
///
/// # Errors
/// They do; says which.
pub fn check_managed(folder: &Path) -> anyhow::Result<()> {
    match client::forbidden(folder) {
        Ok(None) => Ok(()),
        Ok(Some(forbidden)) => Err(Trouble::error(
            format!("{} in {} keeps our hooks from running", forbidden.key, forbidden.file.display()),
            "whoever manages this machine can take it out, or register the hooks there: unattended install --print",
        )),
        Err(error) => {
            eprintln!("note: the managed settings in {} cannot be read: {error}", folder.display());
            Ok(())
        }
    }
}

/// The path to register.
pub(super) fn executable() -> anyhow::Result<String> {
    let path = executable::path().map_err(|error| {
        Trouble::error(format!("this executable's own path cannot be had: {error}"), "call it by its full path")
    })?;
    let name_hint = "give it its own name back and call it by that; by its name its hooks are found again";
    let name = path.file_stem().unwrap_or_default();
    if name != settings::NAME {
        return Err(Trouble::error(format!("this executable is called {}, not unattended", name.display()), name_hint));
    }
    path.into_os_string().into_string().map_err(|path| {
        Trouble::error(
            format!("the path {} is no Unicode, and settings are", path.display()),
            "put the executable in a folder with a plain name",
        )
    })
}

/// Which client the hooks are for.
struct Client {
    version: Option<Version>,
    /// How we know, or why we do not.
    how: String,
}

impl Client {
    fn of(args: &InstallArgs) -> anyhow::Result<Client> {
        if let Some(version) = args.client_version {
            return Ok(Client { version: Some(version), how: "as said".to_owned() });
        }
        if let Some(path) = &args.client {
            let version = client::version(path).map_err(|why| {
                Trouble::error(
                    format!("the version of {} cannot be had: {why}", paths::shown(path)),
                    "name the claude executable, or its version with --client-version",
                )
            })?;
            return Ok(Client { version: Some(version), how: paths::shown(path) });
        }
        let Some(path) = std::env::var_os("PATH").and_then(|path| client::find(&path)) else {
            return Ok(Client { version: None, how: "no claude on PATH".to_owned() });
        };
        Ok(match client::version(&path) {
            Ok(version) => Client { version: Some(version), how: paths::shown(&path) },
            Err(why) => Client { version: None, how: format!("{}: {why}", paths::shown(&path)) },
        })
    }

    /// What shall be in a settings text.
    fn wanted(&self, exe: &str, waits: Waits, text: &str) -> Vec<Wanted> {
        wiring::wanted(self.version, exe, waits, text)
    }

    fn say(&self, say: &mut dyn FnMut(&str)) {
        match self.version {
            Some(version) => say(&format!("These are the events that Claude Code {version} knows ({}).", self.how)),
            None => {
                say(&format!("The client's version is not known ({}).", self.how));
                say(&format!(
                    "New entries are for events that every client knows from {} on; for more,",
                    client::OLDEST
                ));
                say("name the client with --client PATH or --client-version X.Y.Z.");
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_managed_setting_is_refused_by_name() {
        let etc = tempfile::tempdir().unwrap();
        assert!(check_managed(etc.path()).is_ok());
        std::fs::write(etc.path().join("managed-settings.json"), r#"{"allowManagedHooksOnly": true}"#).unwrap();
        let error = check_managed(etc.path()).unwrap_err().to_string();
        let file = etc.path().join("managed-settings.json");
        assert_eq!(error, format!("allowManagedHooksOnly in {} keeps our hooks from running", file.display()));
    }
}
