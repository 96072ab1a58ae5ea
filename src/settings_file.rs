//! A settings file on the disk, changed safely: locked, backed up once, replaced whole, read back. What the change is
//! comes from the caller; what a settings text means, says `settings`.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::PathBuf;
use std::thread;
use std::time::Duration;

use crate::ledger::{self, Entry, Ledger};
use crate::lock::{self, Lock};
use crate::settings::{self, Edit, Made};
use crate::trouble::Trouble;
use crate::{files, paths, state};

/// As long as another install may take.
const LOCK_LIMIT: Duration = Duration::from_secs(10);

/// How often a file may change under our hands before we give up.
const TRIES: u32 = 20;

/// A settings file, and the state folder that remembers what was done to it.
#[derive(Debug)]
pub struct SettingsFile {
    /// As it was named.
    named: PathBuf,
    /// Absolute, symlinks of its own followed.
    target: PathBuf,
    state: PathBuf,
}

/// A file's text before and after.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// `None`: there was no file.
    pub before: Option<String>,
    /// `None`: there is no file any more.
    pub after: Option<String>,
    /// The copy that was made of the file as it was, if this was its first change.
    pub backup: Option<PathBuf>,
    /// What a person should know besides.
    pub notes: Vec<String>,
}

impl Change {
    /// Whether anything is different.
    pub fn is_none(&self) -> bool {
        self.before == self.after
    }
}

/// Gives the new text for a text and what is remembered of it.
pub type Plan<'p> = &'p dyn Fn(&str, Option<&Made>) -> Result<Edit, Trouble>;

impl SettingsFile {
    /// Finds out where the file really is. `state` is the state folder.
    ///
    /// # Errors
    /// Symlinks in a circle, no current folder.
    pub fn at(named: PathBuf, state: PathBuf) -> anyhow::Result<SettingsFile> {
        let target = files::resolve(&named).and_then(std::path::absolute).map_err(|error| {
            let hint = "see that its folder is one that you may enter, and that symlinks lead somewhere";
            Trouble::error(format!("{} cannot be reached: {error}", paths::shown(&named)), hint)
        })?;
        let folder = files::folder(&target);
        let target = match (folder.canonicalize(), target.file_name()) {
            (Ok(folder), Some(name)) => folder.join(name),
            _ => target,
        };
        Ok(SettingsFile { named, target, state })
    }

    /// The file for people.
    pub fn shown(&self) -> String {
        paths::shown(&self.named)
    }

    /// What a change would do. Writes nothing.
    ///
    /// # Errors
    /// What keeps the change from being made.
    pub fn preview(&self, plan: Plan<'_>) -> anyhow::Result<Change> {
        let (ledger, notes) = self.ledger();
        let before = self.read()?;
        let entry = ledger.entry(&self.target);
        let edit = self.planned(plan, before.as_deref(), &entry)?;
        let after = (before.is_some() || !edit.text.is_empty()).then_some(edit.text);
        let after = after.filter(|after| !(entry.created && after.is_empty()));
        Ok(Change { before, after, backup: None, notes })
    }

    /// Makes a change. When it returns, the file has been read back and is what it should be.
    ///
    /// # Errors
    /// What keeps the change from being made; the file is as it was then.
    pub fn change(&self, plan: Plan<'_>) -> anyhow::Result<Change> {
        // Most of what can be wrong shows here, before anything is created.
        let preview = self.preview(plan)?;
        if preview.is_none() {
            return Ok(preview);
        }
        state::create_folder(&self.state).map_err(|error| self.state_trouble(&error))?;
        let made_folder = self.make_folder()?;
        let _locks = self.lock()?;
        for _ in 0..TRIES {
            if let Some(change) = self.try_change(plan, made_folder)? {
                return Ok(change);
            }
            thread::sleep(Duration::from_millis(20));
        }
        Err(Trouble::error(
            format!("{} changes all the time; it was left as it is", self.shown()),
            "close what writes it, then try again",
        ))
    }

    /// `None`: somebody else changed the file meanwhile.
    fn try_change(&self, plan: Plan<'_>, made_folder: bool) -> anyhow::Result<Option<Change>> {
        let (mut ledger, notes) = self.ledger();
        let before = self.read()?;
        let mut entry = ledger.entry(&self.target);
        let edit = self.planned(plan, before.as_deref(), &entry)?;
        let old = before.as_deref().map(str::as_bytes);
        let mut change = Change { before: before.clone(), after: Some(edit.text.clone()), backup: None, notes };
        if change.is_none() {
            return Ok(Some(change));
        }
        self.check_writable(old.is_some())?;
        if let (Some(old), None, false) = (old, &entry.backup, entry.created) {
            let backup = ledger::back_up(&self.state, &self.target, old).map_err(|error| self.state_trouble(&error))?;
            entry.backup = Some(backup.clone());
            change.backup = Some(backup);
        }
        let removes = edit.made.is_none();
        if removes && entry.created && edit.text.is_empty() {
            // There was no file before us, and nobody put anything into ours.
            change.after = None;
            if files::read(&self.target).ok().flatten().as_deref() != old {
                return Ok(None);
            }
            fs::remove_file(&self.target).map_err(|error| self.write_trouble(&error))?;
            if entry.folder {
                // Only if nothing else is in it.
                let _ = fs::remove_dir(files::folder(&self.target));
            }
        } else {
            if let Some(made) = edit.made {
                if settings::registered(before.as_deref().unwrap_or_default(), "").events.is_empty() {
                    // What an earlier install had made is gone: this is another file.
                    (entry.created, entry.folder) = (false, false);
                }
                // First: should we be killed in between, more is remembered than is there, which does no harm.
                entry.created |= old.is_none();
                entry.folder |= made_folder;
                entry.made = Some(made);
                ledger.set(&self.target, entry.clone());
                ledger.write(&self.state).map_err(|error| self.state_trouble(&error))?;
            }
            let _ = files::clear_leftovers(&self.target);
            match files::replace_unchanged(&self.target, old, edit.text.as_bytes()) {
                Ok(true) => {}
                Ok(false) => return Ok(None),
                Err(error) => return Err(self.write_trouble(&error)),
            }
            self.read_back(plan, &edit.text, &entry)?;
        }
        if removes {
            ledger.set(&self.target, Entry { backup: entry.backup, ..Entry::default() });
            ledger.write(&self.state).map_err(|error| self.state_trouble(&error))?;
        }
        Ok(Some(change))
    }

    /// The file holds what was written, and nothing is left to do.
    fn read_back(&self, plan: Plan<'_>, written: &str, entry: &Entry) -> anyhow::Result<()> {
        let there = self.read()?.unwrap_or_default();
        let again = self.planned(plan, Some(&there), entry)?;
        if there == written && again.text == there {
            return Ok(());
        }
        Err(Trouble::error(
            format!("{} was written, but does not hold what was written", self.shown()),
            "another program writes it too: close that, then try again",
        ))
    }

    fn planned(&self, plan: Plan<'_>, before: Option<&str>, entry: &Entry) -> anyhow::Result<Edit> {
        plan(before.unwrap_or_default(), entry.made.as_ref()).map_err(|trouble| self.about(trouble))
    }

    fn about(&self, trouble: Trouble) -> anyhow::Error {
        Trouble::error(format!("{} {}", self.shown(), trouble.what), trouble.hint)
    }

    fn read(&self) -> anyhow::Result<Option<String>> {
        if fs::metadata(&self.target).is_ok_and(|meta| !meta.is_file()) {
            return Err(Trouble::error(
                format!("{} is not a regular file", self.shown()),
                "name a file with --settings",
            ));
        }
        let bytes = files::read(&self.target).map_err(|error| {
            let hint = "see that you may read it, or name another file with --settings";
            Trouble::error(format!("{} cannot be read: {error}", self.shown()), hint)
        })?;
        let text = bytes.as_deref().map(settings::decode).transpose().map_err(|trouble| self.about(trouble))?;
        Ok(text.map(str::to_owned))
    }

    /// What is remembered; a broken ledger counts as an empty one, and is said.
    fn ledger(&self) -> (Ledger, Vec<String>) {
        Ledger::read(&self.state).map(|ledger| (ledger, Vec::new())).unwrap_or_else(|error| {
            let file = paths::shown(&ledger::file(&self.state));
            (Ledger::default(), vec![format!("{file} cannot be read ({error}): nothing is known of earlier installs")])
        })
    }

    fn make_folder(&self) -> anyhow::Result<bool> {
        let folder = files::folder(&self.target);
        if folder.is_dir() {
            return Ok(false);
        }
        fs::create_dir_all(folder).map(|()| true).map_err(|error| {
            let hint = "make the folder yourself, or name another file with --settings";
            Trouble::error(format!("{} cannot be made: {error}", paths::shown(folder)), hint)
        })
    }

    /// Always in this order, so that two can never wait for each other; once if it is one folder.
    fn lock(&self) -> anyhow::Result<Vec<Lock>> {
        let mut folders = vec![self.state.as_path(), files::folder(&self.target)];
        folders.dedup_by_key(|folder| folder.canonicalize().ok());
        let mut locks = Vec::new();
        for folder in folders {
            let lock = lock::folder(folder, LOCK_LIMIT).map_err(|error| {
                let hint = "see that you may read the folder";
                Trouble::error(format!("{} cannot be locked: {error}", paths::shown(folder)), hint)
            })?;
            locks.push(lock.ok_or_else(|| {
                Trouble::error(
                    format!("another install has been busy in {} for 10 s", paths::shown(folder)),
                    "wait for it or end it, then try again",
                )
            })?);
        }
        Ok(locks)
    }

    /// A rename would replace a read-only file without asking.
    fn check_writable(&self, there: bool) -> anyhow::Result<()> {
        if there && fs::metadata(&self.target).is_ok_and(|meta| meta.permissions().readonly()) {
            let shown = self.shown();
            return Err(Trouble::error(
                format!("{shown} is read-only; it was left as it is"),
                format!("allow writing (chmod u+w {shown}), or edit what generates it: unattended install --print"),
            ));
        }
        Ok(())
    }

    fn write_trouble(&self, error: &io::Error) -> anyhow::Error {
        let folder = paths::shown(files::folder(&self.target));
        match error.kind() {
            ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => Trouble::error(
                format!("{} cannot be written in {folder}: {error}", self.shown()),
                "see that you own the folder and may write in it, or name another file with --settings",
            ),
            ErrorKind::StorageFull | ErrorKind::QuotaExceeded => {
                Trouble::error(format!("{} cannot be written: {error}", self.shown()), "make room, then try again")
            }
            _ => Trouble::error(
                format!("{} cannot be written: {error}", self.shown()),
                "it was left as it is; correct the cause, then try again",
            ),
        }
    }

    fn state_trouble(&self, error: &io::Error) -> anyhow::Error {
        Trouble::error(
            format!("{} cannot be written: {error}", paths::shown(&self.state)),
            "what install does is remembered there: make it writable, or set UNATTENDED_STATE to another folder",
        )
    }
}
