//! `unattended man`: manual pages in roff, made from the command line's own types, one for the program and one a verb.

use std::fmt::Write as _;
use std::io::{self, Write as _};

use clap::{Command, CommandFactory};
use clap_mangen::Man;

use super::out;
use crate::cli::{Cli, ManArgs};
use crate::trouble::Trouble;

/// What the program's own page says beyond its help.
const SURROUNDINGS: &str = r#".SH FILES
.TP
\fI~/.config/unattended/config.toml\fR
The config; all keys have defaults.
.TP
\fI~/.local/state/unattended/\fR
The switch, the records (one file a day, one line a decision), and what sessions must remember.
.TP
\fI~/.claude/settings.json\fR
Where \fBunattended install\fR registers the hooks.
.SH ENVIRONMENT
.TP
\fBUNATTENDED\fR
\fBon\fR, \fBoff\fR or \fBauto\fR for one run; counts before the switch.
.TP
\fBUNATTENDED_CONFIG\fR, \fBUNATTENDED_STATE\fR
Another config file, another state folder.
.TP
\fBCLAUDE_CONFIG_DIR\fR
Claude Code's own folder, if it is not \fI~/.claude\fR.
.TP
\fBNO_COLOR\fR
No colours.
"#;

/// Prints the page of the program, or of a verb, to standard output.
///
/// # Errors
/// There is no such verb, or standard output cannot be written.
pub fn run(args: &ManArgs) -> anyhow::Result<()> {
    let mut program = Cli::command().disable_help_subcommand(true);
    program.build();
    let roff = match &args.verb {
        None => page(program, SURROUNDINGS)?,
        Some(verb) => page(verb_of(&program, verb)?, "")?,
    };
    print(roff.as_bytes())
}

/// A verb as a command of its own. Since the program was built it has the name by which its page is found:
/// `unattended-install`.
fn verb_of(program: &Command, verb: &str) -> anyhow::Result<Command> {
    let found = program.get_subcommands().find(|command| command.get_name() == verb);
    let found = found
        .ok_or_else(|| Trouble::error(format!("there is no verb \"{verb}\""), "unattended --help lists the verbs"))?;
    Ok(found.clone().disable_version_flag(true))
}

fn page(command: Command, more: &str) -> anyhow::Result<String> {
    let examples = command.get_after_help().map(ToString::to_string).unwrap_or_default();
    let verbs = command.has_subcommands();
    let man = Man::new(command).source(concat!("unattended ", env!("CARGO_PKG_VERSION"))).manual("unattended");
    let mut roff = Vec::new();
    man.render_title(&mut roff)?;
    man.render_name_section(&mut roff)?;
    man.render_synopsis_section(&mut roff)?;
    man.render_description_section(&mut roff)?;
    man.render_options_section(&mut roff)?;
    if verbs {
        man.render_subcommands_section(&mut roff)?;
    }
    let mut roff = String::from_utf8(roff)?;
    write!(roff, "{}{more}", as_they_stand(&examples))?;
    Ok(roff)
}

/// The examples of a help text as a section, line by line: filled as prose nobody could copy them.
fn as_they_stand(help: &str) -> String {
    let mut section = String::from(".SH EXAMPLES\n.nf\n");
    for line in help.lines().skip_while(|line| line.starts_with("Example")) {
        let line = line.strip_prefix("  ").unwrap_or(line).replace('\\', r"\e").replace('-', r"\-");
        // A line that begins with one of these would be an order to roff.
        let guard = if line.starts_with(['.', '\'']) { r"\&" } else { "" };
        section.extend([guard, &line, "\n"]);
    }
    section + ".fi\n"
}

/// Writes to standard output; a reader that has seen enough is no error.
pub(super) fn print(bytes: &[u8]) -> anyhow::Result<()> {
    let mut stdout = io::stdout().lock();
    out::written(stdout.write_all(bytes).and_then(|()| stdout.flush()))
}
