//! What a run brings along for itself: our hooks by `--settings`, or the contract by `--append-system-prompt` where hooks
//! cannot carry it; each merged with the caller's own.

use std::ffi::{OsStr, OsString};
use std::io::Write;
use std::path::Path;

use tempfile::NamedTempFile;

use crate::doctor::facts::Facts;
use crate::policy::Policy;
use crate::run::arguments::Arguments;
use crate::trouble::Trouble;
use crate::{files, guidance, settings};

/// The caller's `--settings`.
pub(super) struct Settings {
    /// The file, or the option.
    pub(super) name: String,
    /// What is in it.
    pub(super) text: String,
    /// It is a file, which others may read less than a command line.
    is_file: bool,
}

/// The caller's `--settings`, read.
///
/// # Errors
/// They cannot be read, or are no settings.
pub(super) fn callers_settings(arguments: &Arguments) -> anyhow::Result<Option<Settings>> {
    let Some(value) = arguments.value("settings") else { return Ok(None) };
    let is_file = !value.to_string_lossy().trim_start().starts_with('{');
    let name = if is_file { value.to_string_lossy().into_owned() } else { "--settings".to_owned() };
    let wrong = |why: String| {
        Trouble::error(format!("the settings in {name} cannot be merged: {why}"), "correct what --settings names")
    };
    let text = match is_file {
        true => read(&value).map_err(&wrong)?,
        false => value.to_string_lossy().into_owned(),
    };
    settings::check(&text).map_err(|trouble| wrong(trouble.what))?;
    Ok(Some(Settings { name, text, is_file }))
}

/// Merges our hooks with the caller's settings, for this run alone. What comes back is to be kept until its end.
///
/// # Errors
/// They cannot be merged.
pub(super) fn hooks(
    arguments: &mut Arguments,
    facts: &Facts,
    own: Option<&Settings>,
) -> anyhow::Result<Option<NamedTempFile>> {
    let text = own.map_or("{}\n", |own| own.text.as_str());
    let merged = settings::install(text, &facts.exe, &facts.wanted, None)?.text;
    match own {
        Some(own) if own.is_file => in_a_file(arguments, "settings", ".json", &merged).map(Some),
        _ => {
            arguments.set("settings", OsStr::new(&merged));
            Ok(None)
        }
    }
}

/// Appends the contract to the system prompt, behind the caller's own. What comes back is to be kept until its end.
///
/// # Errors
/// The caller's file cannot be read.
pub(super) fn contract(arguments: &mut Arguments) -> anyhow::Result<Option<NamedTempFile>> {
    let (option, file) = ("append-system-prompt", "append-system-prompt-file");
    let contract = guidance::session(&Policy::load().config);
    if let Some(named) = arguments.value(file) {
        let text = read(&named).map_err(|why| {
            let what = format!("{} cannot be read: {why}", named.display());
            Trouble::error(what, format!("correct what --{file} names"))
        })?;
        return in_a_file(arguments, file, ".md", &format!("{}\n\n{contract}\n", text.trim_end())).map(Some);
    }
    let mut all = OsString::new();
    if let Some(own) = arguments.value(option) {
        all.push(own);
        all.push("\n\n");
    }
    all.push(contract);
    arguments.set(option, &all);
    Ok(None)
}

fn read(path: &OsStr) -> Result<String, String> {
    files::read_given(Path::new(path))
}

/// What stood in a file goes into one for us alone: a command line can be read by anyone.
fn in_a_file(arguments: &mut Arguments, option: &str, end: &str, text: &str) -> anyhow::Result<NamedTempFile> {
    let mut file = tempfile::Builder::new().prefix("unattended-run.").suffix(end).tempfile()?;
    file.write_all(text.as_bytes())?;
    file.flush()?;
    arguments.set(option, file.path().as_os_str());
    Ok(file)
}
