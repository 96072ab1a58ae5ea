//! What the suite was asked to do: its own options, the rest is libtest's. Reads the command line and the environment.

use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use libtest_mimic::Arguments;

/// Set by `tests/real_client/run`; without it the target only says how to run it.
pub const WANTED: &str = "UNATTENDED_REAL_CLIENT";
/// The executable under test; set by `run` too.
pub const BINARY: &str = "UNATTENDED_REAL_CLIENT_BINARY";

/// How many cells run beside each other: a cell mostly waits, but a client's start takes a core for a second or two.
const BESIDE: usize = 6;

/// The options.
pub struct Options {
    /// What to do.
    pub verb: Verb,
    /// The whole matrix, not the quick subset.
    pub all: bool,
    /// Write docs/compatibility.md.
    pub report: bool,
    /// Only cells that have no good result yet.
    pub mend: bool,
    /// Only cells whose name contains one of these; empty means all.
    pub filters: Vec<String>,
    /// The executable under test.
    pub binary: PathBuf,
    /// For libtest.
    pub libtest: Arguments,
}

/// What to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verb {
    /// Run cells.
    Run,
    /// Run one cell and print what is known of it.
    Show(String),
    /// Play the demonstration: its pictures into a folder, else to a person.
    Demo(Option<PathBuf>),
    /// Record the payloads of a client.
    Record(String),
    /// Record the transcripts of a client, and our records beside them.
    RecordTranscripts(String),
}

impl Options {
    /// Reads the command line.
    pub fn read() -> Result<Options> {
        let mut arguments = std::env::args().skip(1);
        let (mut all, mut report, mut mend) = (false, false, false);
        let (mut filters, mut rest) = (Vec::new(), vec!["real_client".to_owned()]);
        let mut verb = Verb::Run;
        while let Some(argument) = arguments.next() {
            let mut value = || arguments.next().with_context(|| format!("{argument} needs a value"));
            match argument.as_str() {
                "--all" => all = true,
                "--report" => report = true,
                "--mend" => (all, report, mend) = (true, true, true),
                "--filter" => filters.extend(value()?.split(',').map(str::to_owned)),
                "--show" => verb = Verb::Show(value()?),
                "--demo" => verb = Verb::Demo(None),
                "--demo-pictures" => verb = Verb::Demo(Some(value()?.into())),
                "--record-transcripts" => verb = Verb::RecordTranscripts(value()?),
                "--record" => verb = Verb::Record(value()?),
                _ => rest.push(argument),
            }
        }
        if all && filters.is_empty() {
            report = true;
        }
        let mut libtest = Arguments::from_iter(rest);
        libtest.test_threads = libtest.test_threads.or(Some(BESIDE));
        let Some(binary) = std::env::var_os(BINARY).map(PathBuf::from) else {
            bail!("{BINARY} is not set; start the suite by tests/real_client/run");
        };
        Ok(Options { verb, all, report, mend, filters, binary, libtest })
    }

    /// Whether a cell of this name is asked for.
    pub fn wants(&self, name: &str) -> bool {
        self.filters.is_empty() || self.filters.iter().any(|filter| name.contains(filter.as_str()))
    }
}
