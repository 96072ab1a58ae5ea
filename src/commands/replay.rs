//! `unattended replay`: recorded payloads, or our own records, answered as things stand now, beside what was answered then.
//! Reads the input, config and switch; writes nothing but the fixture that it is told to.

mod fixture;

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;
use std::process::ExitCode;

use anyhow::Context;
use chrono::{DateTime, Utc};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use self::fixture::Fixture;
use super::review::print;
use crate::cli::ReplayArgs;
use crate::policy::Policy;
use crate::replay::rebuilt::{self, Before, Rebuilt};
use crate::replay::rehearsal::{Answered, Rehearsal, Standing};
use crate::replay::said::Said;
use crate::replay::screen::{self, Sum};
use crate::replay::{Played, Source, VERSION};
use crate::review::text::harmless_json;
use crate::switch::{self, Attendance, Surroundings, Verdict};
use crate::trouble::Trouble;
use crate::{clock, lines, standing};

/// Plays what the file holds, and exits with 1 where a line in it was nothing that can be played.
///
/// # Errors
/// A file that cannot be read, or one with nothing in it.
pub fn run(args: &ReplayArgs) -> anyhow::Result<ExitCode> {
    let shown = args.file.display();
    let input: Box<dyn Read> = if args.file.as_os_str() == "-" {
        Box::new(io::stdin())
    } else {
        Box::new(File::open(&args.file).map_err(|error| {
            let hint = "name a file of payloads or records, or - for standard input";
            Trouble::error(format!("could not read {shown}: {error}"), hint)
        })?)
    };
    let mut play = Play::new(args)?;
    let mut stopped = None;
    lines::each_numbered(input, |number, line| {
        if stopped.is_none() {
            stopped = play.line(number, line).err();
        }
    })
    .with_context(|| format!("could not read {shown}"))?;
    match stopped {
        Some(error) => Err(error),
        None => play.end(),
    }
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

    fn line(&mut self, number: usize, line: &[u8]) -> anyhow::Result<()> {
        self.seen += 1;
        let read = read(line).and_then(|read| match self.fixture {
            Some(_) if serde_json::from_str::<Map<String, Value>>(&read.1.payload).is_err() => {
                Err("a payload that could not be read makes no fixture".to_owned())
            }
            _ => Ok(read),
        });
        let (source, mut rebuilt) = match read {
            Ok(read) => read,
            Err(why) => {
                self.malformed += 1;
                anstream::eprintln!("warning: {}, line {number}: {why}; passed over", self.args.file.display());
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
        let line = standing::start_line(&self.policy, verdict, self.now);
        let standing = Standing { acts: verdict.acts, config: &self.policy.config, line: &line };
        let answered = self.rehearsal.answer(&rebuilt.payload, standing, &rebuilt.before, self.now);
        if let Some(fixture) = &mut self.fixture {
            fixture.add(&rebuilt.payload, &answered.bytes)?;
        }
        let then = match source {
            Source::Record => Said::of_record(&rebuilt.decision),
            Source::Payload => self.answers.get(self.seen - 1).and_then(Option::as_ref).map(Said::of_json),
        };
        let played = played(number, source, rebuilt, then, answered, verdict)?;
        self.sum.add(&played);
        self.tell(&played)
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
                format!("there is nothing in {}", self.args.file.display()),
                "give it payloads or records, one a line: unattended export | unattended replay -",
            ));
        }
        if let Some(fixture) = &self.fixture {
            print(&format!("{}\n{}\n", fixture.payloads.display(), fixture.answers.display()))?;
            eprint!("{}", self.sum.lacking());
            eprintln!("hint: read both before you give them away: names in a text are still there");
        } else if self.sum.all > 0 {
            if !self.args.json {
                print(&format!("\n{}", self.sum.text()))?;
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

/// What a line is; an error says why it is nothing that can be played.
fn read(line: &[u8]) -> Result<(Source, Rebuilt), String> {
    let text = std::str::from_utf8(line).map_err(|_| "no UTF-8".to_owned())?;
    let object: Map<String, Value> =
        serde_json::from_str(text).map_err(|error| format!("no JSON object in one line ({error})"))?;
    if rebuilt::is_record(&object) {
        let rebuilt = rebuilt::of(&object).ok_or("a record of a kind that is not known here")?;
        return Ok((Source::Record, rebuilt));
    }
    if !object.get("hook_event_name").is_some_and(Value::is_string) {
        return Err("neither a payload, which has a `hook_event_name`, nor a record".to_owned());
    }
    Ok((Source::Payload, Rebuilt { payload: text.to_owned(), ..Rebuilt::default() }))
}

/// The answers that stand beside a file of payloads, as beside our fixtures: `CASE.answers.jsonl` beside `CASE.jsonl`.
fn answers_beside(file: &Path) -> Vec<Option<Value>> {
    let beside = file.file_stem().map(|stem| file.with_file_name(format!("{}.answers.jsonl", stem.to_string_lossy())));
    let text = beside.and_then(|beside| fs::read_to_string(beside).ok()).unwrap_or_default();
    text.lines().map(|line| serde_json::from_str(line).ok()).collect()
}
