//! `unattended uninstall`: takes the hooks out of a settings file again.

use super::install::{executable, settings_file, show_diff};
use crate::cli::UninstallArgs;
use crate::settings::{self, Made};

/// Takes out all that is ours, and says what was done.
///
/// # Errors
/// All that keeps it from being taken out; the settings are as they were then.
pub fn run(args: &UninstallArgs) -> anyhow::Result<()> {
    let exe = executable().unwrap_or_default();
    let file = settings_file(&args.place)?;
    let plan = |text: &str, made: Option<&Made>| settings::uninstall(text, &exe, made);
    if args.dry_run {
        show_diff(&file, &file.preview(&plan)?);
        return Ok(());
    }
    let change = file.change(&plan)?;
    for note in &change.notes {
        eprintln!("note: {note}");
    }
    if change.is_none() {
        println!("Nothing to do: no hook of ours is in {}.", file.shown());
        return Ok(());
    }
    match change.after {
        Some(_) => println!("No hook of ours is in {} any more; nothing else was touched.", file.shown()),
        None => println!("{} is gone: install had made it for the hooks alone.", file.shown()),
    }
    println!("New sessions ask you again.");
    Ok(())
}
