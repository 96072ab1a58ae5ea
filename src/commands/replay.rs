//! `unattended replay`: recorded payloads, or our own records, answered as things stand now, beside what was answered then.
//! Reads the input, config and switch; writes nothing but the fixture that it is told to.

mod fixture;

use std::fs::File;
use std::io::{self, IsTerminal, Read};
use std::path::Path;
use std::process::ExitCode;

use anyhow::Context;
use chrono::{DateTime, Utc};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use self::fixture::Fixture;
use super::review::print;
use crate::cli::ReplayArgs;
use crate::correction::Correction;
use crate::policy::Policy;
use crate::replay::rebuilt::{self, Before, Rebuilt};
use crate::replay::rehearsal::{self, Answered, Rehearsal, Standing};
use crate::replay::said::Said;
use crate::replay::screen::{self, Sum};
use crate::replay::{Played, Source, VERSION};
use crate::review::text::harmless_json;
use crate::switch::{self, Attendance, Surroundings, Verdict};
use crate::trouble::Trouble;
use crate::wire::{self, Payload};
use crate::{clock, files, input, lines, paths, reviews, standing};

/// After how many lines that are nothing it is no longer said of each.
const WARNINGS: usize = 5;

/// Plays what the file holds, and exits with 1 where a line in it was nothing that can be played.
///
/// # Errors
/// A file that cannot be read, or one with nothing in it.
pub fn run(args: &ReplayArgs) -> anyhow::Result<ExitCode> {
    let shown = shown(&args.file);
    let unreadable = |error: io::Error| {
        let hint = "name a file of payloads or records, or - for standard input";
        Trouble::error(format!("could not read {shown}: {error}"), hint)
    };
    let input: Box<dyn Read> = if args.file.as_os_str() == "-" {
        if io::stdin().is_terminal() {
            eprintln!("Reading payloads or records from the terminal, one a line; Ctrl-D ends them.");
        }
        Box::new(io::stdin())
    } else {
        Box::new(File::open(&args.file).map_err(unreadable)?)
    };
    let mut play = Play::new(args)?;
    let mut stopped = None;
    lines::each_numbered(input, |number, line| {
        if stopped.is_none() {
            stopped = play.line(number, line).err();
        }
    })
    .map_err(unreadable)?;
    match stopped {
        Some(error) => Err(error),
        None => play.end(),
    }
}

/// How the input is called.
fn shown(file: &Path) -> String {
    if file.as_os_str() == "-" { "standard input".to_owned() } else { file.display().to_string() }
}

/// A replay under way.
struct Play<'a> {
    args: &'a ReplayArgs,
    policy: Policy,
    now: DateTime<Utc>,
    rehearsal: Rehearsal,
    answers: Vec<Option<Value>>,
    seen: usize,
    malformed: usize,
    sum: Sum,
    fixture: Option<Fixture>,
}

impl<'a> Play<'a> {
    fn new(args: &'a ReplayArgs) -> anyhow::Result<Self> {
        let mut policy = Policy::load();
        if let Some(position) = args.position {
            policy.surroundings.unattended = Some(position.said().to_owned());
        }
        let fixture = args.as_fixture.as_deref().map(Fixture::begin).transpose()?;
        if fixture.is_some() {
            // As the test that reads fixtures has it.
            let unattended = Some("on".to_owned());
            policy = Policy { surroundings: Surroundings { unattended, ..Default::default() }, ..Policy::default() };
        }
        for problem in &policy.problems {
            anstream::eprintln!("warning: {problem}");
        }
        Ok(Self {
            args,
            policy,
            now: clock::now(),
            rehearsal: Rehearsal::default(),
            answers: answers_beside(&args.file),
            seen: 0,
            malformed: 0,
            sum: Sum::default(),
            fixture,
        })
    }

    fn line(&mut self, number: usize, line: Option<&[u8]>) -> anyhow::Result<()> {
        self.seen += 1;
        let too_long = || format!("longer than {} MiB", lines::LONGEST >> 20);
        let read = line.ok_or_else(too_long).and_then(read).and_then(|read| match self.fixture {
            Some(_) if serde_json::from_str::<Map<String, Value>>(&read.1.payload).is_err() => {
                Err("a payload that could not be read makes no fixture".to_owned())
            }
            _ => Ok(read),
        });
        let (source, mut rebuilt) = match read {
            Ok(read) => read,
            Err(why) => {
                self.malformed += 1;
                if self.malformed <= WARNINGS {
                    anstream::eprintln!("warning: {}, line {number}: {why}; passed over", shown(&self.args.file));
                }
                return Ok(());
            }
        };
        if let Some(fixture) = &mut self.fixture {
            rebuilt.payload = fixture.neutral.payload(&rebuilt.payload);
            // The test begins with sessions that remember nothing.
            if std::mem::take(&mut rebuilt.before) != Before::default() {
                rebuilt.lacks.push("what the session remembered".to_owned());
            }
        }
        let verdict = self.verdict(rebuilt.attendance);
        if source == Source::Record && rebuilt.attendance.is_none() && verdict.because.attendance().is_some() {
            rebuilt.lacks.push("whether anybody attended its session".to_owned());
        }
        let line = standing::start_line(&self.policy, verdict, self.now);
        let (file, corrections) = self.due(&rebuilt.payload)?;
        let corrections = (file.as_str(), corrections.as_slice());
        let standing = Standing { acts: verdict.acts, config: &self.policy.config, line: &line, corrections };
        let answered = if rebuilt.unread {
            rehearsal::unread(&rebuilt.payload, standing)
        } else {
            self.rehearsal.answer(&rebuilt.payload, standing, &rebuilt.before, self.now)
        };
        if let Some(fixture) = &mut self.fixture {
            fixture.add(&rebuilt.payload, &answered.bytes)?;
        }
        let then = match source {
            Source::Record => Said::of_record(&rebuilt.decision, rebuilt.told),
            Source::Payload => self.answers.get(self.seen - 1).and_then(Option::as_ref).map(Said::of_json),
        };
        let played = played(number, source, rebuilt, then, answered, verdict)?;
        self.sum.add(&played);
        self.tell(&played)
    }

    /// The corrections that a session which starts so is given now; a fixture knows of none.
    fn due(&self, payload: &str) -> anyhow::Result<(String, Vec<Correction>)> {
        let payload = Payload::read(payload).unwrap_or_default();
        let starts = payload.text("hook_event_name").is_some_and(|event| event == "SessionStart");
        let (Some(state), Some(cwd), true) = (paths::state_folder(), payload.text("cwd"), starts) else {
            return Ok(Default::default());
        };
        if self.fixture.is_some() {
            return Ok(Default::default());
        }
        let session = payload.text("session_id").unwrap_or_default();
        let given = || self.rehearsal.given(&session);
        reviews::due_at_start(&state, Path::new(&*cwd), payload.text("source").as_deref(), given)
            .with_context(|| format!("could not read the corrections in {}", paths::shown(&state)))
    }

    /// A record's session was attended as it was; one of which only payloads are there counts as one that nobody attends.
    fn verdict(&self, attendance: Option<Attendance>) -> Verdict {
        let attended = match attendance.unwrap_or(Attendance::Unattended) {
            Attendance::Attended => Some("1".to_owned()),
            Attendance::Unattended => Some("0".to_owned()),
            Attendance::Unsaid => None,
        };
        let unattended = self.policy.surroundings.unattended.clone();
        let surroundings = Surroundings { unattended, attended, entrypoint: None };
        switch::resolve(&surroundings, self.policy.switch.as_ref(), self.policy.config.default, self.now, || None)
    }

    fn tell(&self, played: &Played) -> anyhow::Result<()> {
        let changed = played.compared.is_some_and(|compared| !compared.is_same());
        if self.fixture.is_some() || self.args.only_changed && !changed {
            return Ok(());
        }
        if self.args.json {
            return print(&format!("{}\n", harmless_json(&serde_json::to_string(played)?)));
        }
        let first = if self.args.only_changed { self.sum.changed() == 1 } else { self.sum.all == 1 };
        let head = if first { screen::head() } else { String::new() };
        print(&format!("{head}{}", screen::row(played)))
    }

    fn end(self) -> anyhow::Result<ExitCode> {
        if self.seen == 0 {
            return Err(Trouble::error(
                format!("there is nothing in {}", shown(&self.args.file)),
                "give it payloads or records, one a line: unattended export | unattended replay -",
            ));
        }
        if self.malformed > WARNINGS {
            anstream::eprintln!("warning: {} more lines passed over", self.malformed - WARNINGS);
        }
        if self.malformed > 0 && self.sum.all == 0 {
            return Err(Trouble::error(
                format!("there is no payload and no record in {}", shown(&self.args.file)),
                "they are JSON objects, one a line: jq -c . FILE | unattended replay -",
            ));
        }
        if let Some(fixture) = &self.fixture {
            print(&format!("{}\n{}\n", fixture.payloads.display(), fixture.answers.display()))?;
            eprint!("{}", self.sum.lacking());
            eprintln!("hint: read both before you give them away: names in a text are still there");
        } else if self.sum.all > 0 {
            if !self.args.json {
                let nothing_shown = self.args.only_changed && self.sum.changed() == 0;
                print(&format!("{}{}", if nothing_shown { "" } else { "\n" }, self.sum.text()))?;
            }
            if self.sum.on == 0 {
                eprintln!("hint: nothing is answered while off; --as on shows what would be");
            }
        }
        Ok(if self.malformed > 0 { ExitCode::FAILURE } else { ExitCode::SUCCESS })
    }
}

fn played(
    line: usize,
    from: Source,
    rebuilt: Rebuilt,
    then: Option<Said>,
    answered: Answered,
    verdict: Verdict,
) -> anyhow::Result<Played> {
    let answer = String::from_utf8(answered.bytes)?;
    Ok(Played {
        v: VERSION,
        line,
        from,
        event: answered.event,
        tool: answered.tool,
        session_id: answered.session_id,
        on: verdict.acts,
        because: verdict.because,
        compared: then.as_ref().map(|then| then.compare(&answered.said)),
        then,
        now: answered.said,
        answer: Some(answer).filter(|answer| !answer.is_empty()).map(RawValue::from_string).transpose()?,
        lacks: rebuilt.lacks,
    })
}

/// What a line is; an error says why it is nothing that can be played. Payloads are read as the hook reads them, which is
/// more lenient than JSON.
fn read(line: &[u8]) -> Result<(Source, Rebuilt), String> {
    let text = input::text(line).and_then(first_value);
    if let Some(object) = text.and_then(|text| serde_json::from_str::<Map<String, Value>>(text).ok())
        && rebuilt::is_record(&object)
    {
        let rebuilt = rebuilt::of(&object).ok_or("a record of a kind that is not known here")?;
        return Ok((Source::Record, rebuilt));
    }
    if let Some(text) = text.filter(|text| Payload::read(text).is_ok_and(|it| it.text("hook_event_name").is_some())) {
        return Ok((Source::Payload, Rebuilt { payload: text.to_owned(), ..Rebuilt::default() }));
    }
    let is_object = text.is_some_and(|text| Payload::read(text).is_ok());
    // Nor a line of an object that is written over many.
    if is_object || !line.starts_with(b"{") || wire::glimpse(line).0.is_none() {
        return Err("neither a payload, which has a `hook_event_name`, nor a record".to_owned());
    }
    let payload = String::from_utf8_lossy(line).into_owned();
    Ok((Source::Payload, Rebuilt { payload, unread: true, ..Rebuilt::default() }))
}

/// The hook reads no further than to the end of the first value.
fn first_value(text: &str) -> Option<&str> {
    serde_json::Deserializer::from_str(text).into_iter::<&RawValue>().next()?.ok().map(RawValue::get)
}

/// The answers that stand beside a file of payloads, as beside our fixtures: `CASE.answers.jsonl` beside `CASE.jsonl`.
fn answers_beside(file: &Path) -> Vec<Option<Value>> {
    let beside = file.file_stem().map(|stem| file.with_file_name(format!("{}.answers.jsonl", stem.to_string_lossy())));
    let text = beside.and_then(|beside| files::read_text(&beside).ok()?).unwrap_or_default();
    text.lines().map(|line| serde_json::from_str(line).ok()).collect()
}
