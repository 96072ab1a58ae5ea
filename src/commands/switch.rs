//! `unattended on`, `off` and `auto`: write the switch file, and say what holds from now on.

use std::fs;
use std::io::ErrorKind;
use std::path::PathBuf;

use anyhow::Context;
use chrono::{DateTime, Days, Local, NaiveDateTime, NaiveTime, TimeZone, Utc};

use super::out;
use crate::cli::SpanArgs;
use crate::policy::Policy;
use crate::standing;
use crate::switch::{self, Position, Switch};
use crate::trouble::Trouble;
use crate::{clock, files, paths, state};

/// How long a position may hold at most, in days: who says a longer time has mistyped it.
const LONGEST: u64 = 366;

/// Says on or off, for a time if one is given.
///
/// # Errors
/// A time that is none or is over, or a state folder that cannot be written.
pub fn say(position: Position, span: &SpanArgs) -> anyhow::Result<()> {
    let now = clock::now();
    let until = until(span, now)?;
    turn(position, until)?;
    let ends = until.map(|until| format!(" until {}", standing::clock(until, now))).unwrap_or_default();
    let stays = if until.is_some() { "A session that is there before then stays on to its end.\n" } else { "" };
    out::say(&match position {
        Position::On => format!(
            "on{ends}: dialogs are answered without you, in every session.\n{stays}To be asked again: unattended off\n"
        ),
        Position::Off => format!(
            "off{ends}: every dialog waits for a person, in every session.\nFor runs that nobody attends: unattended auto\n"
        ),
    })?;
    warn_of_environment();
    Ok(())
}

/// Says auto: there is no switch file then.
///
/// # Errors
/// A state folder that cannot be written.
pub fn auto() -> anyhow::Result<()> {
    let file = switch_file()?;
    match fs::remove_file(&file) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            return Err(error).with_context(|| format!("could not remove {}", paths::shown(&file)));
        }
        _ => {}
    }
    out::say(&format!(
        "auto: dialogs are answered where nobody attends the session, and wait for you where you do. When you leave: {}\n",
        standing::LEAVING
    ))?;
    warn_of_environment();
    Ok(())
}

/// Writes the switch file.
///
/// # Errors
/// A state folder that cannot be written.
pub fn turn(position: Position, until: Option<DateTime<Utc>>) -> anyhow::Result<()> {
    let file = switch_file()?;
    let switch = Switch { v: switch::VERSION, switch: position, since: clock::now(), until };
    if let Err(error) = state::no_link(&file) {
        return Err(Trouble::error(format!("{} {error}", paths::shown(&file)), "move it away, and say it again"));
    }
    let folder = file.parent().map(state::create_folder).transpose();
    folder
        .and_then(|_| files::replace(&file, &serde_json::to_vec(&switch)?))
        .with_context(|| format!("could not write {}", paths::shown(&file)))
}

fn switch_file() -> anyhow::Result<PathBuf> {
    let state = paths::state_folder().ok_or_else(|| {
        Trouble::error("there is no home folder to keep the switch in", "set HOME, or UNATTENDED_STATE to a folder")
    })?;
    Ok(state.join("switch.json"))
}

/// The environment of a run counts before the switch: whoever says it in such a shell must know.
fn warn_of_environment() {
    if let Ok(Some(said)) = Policy::load().surroundings.said() {
        eprintln!("hint: UNATTENDED={} is set here and counts before the switch", format!("{said:?}").to_lowercase());
    }
}

fn until(span: &SpanArgs, now: DateTime<Utc>) -> anyhow::Result<Option<DateTime<Utc>>> {
    let until = match (&span.duration, &span.until) {
        (Some(duration), _) => after(duration, now)?,
        (None, Some(time)) => at(time, now)?,
        (None, None) => return Ok(None),
    };
    if until <= now {
        let time = span.until.as_ref().or(span.duration.as_ref()).map_or("", String::as_str);
        return Err(Trouble::error(format!("\"{time}\" is over already"), "name a time to come, such as 07:00 or 8h"));
    }
    if now.checked_add_days(Days::new(LONGEST)).is_some_and(|last| until > last) {
        let said = span.duration.as_ref().or(span.until.as_ref()).map_or("", String::as_str);
        return Err(Trouble::error(
            format!("\"{said}\" is more than a year away"),
            "name a time within a year, such as 8h or 07:00, or none: then it holds until you say otherwise",
        ));
    }
    Ok(Some(until))
}

fn after(text: &str, now: DateTime<Utc>) -> anyhow::Result<DateTime<Utc>> {
    let trouble = || Trouble::error(format!("\"{text}\" is no duration"), "say it like 8h, 90m or 1h30m");
    let duration = humantime::parse_duration(text).map_err(|_| trouble())?;
    chrono::Duration::from_std(duration).ok().and_then(|duration| now.checked_add_signed(duration)).ok_or_else(trouble)
}

/// The next such clock time, or that very day and time, in the person's own zone.
fn at(text: &str, now: DateTime<Utc>) -> anyhow::Result<DateTime<Utc>> {
    let trouble = || Trouble::error(format!("\"{text}\" is no time"), "say it like 07:00 or \"2026-12-01 07:00\"");
    let here = now.with_timezone(&Local);
    let local = |naive: NaiveDateTime| Local.from_local_datetime(&naive).latest().map(|at| at.with_timezone(&Utc));
    if let Ok(time) = NaiveTime::parse_from_str(text, "%H:%M") {
        let today = local(here.date_naive().and_time(time)).filter(|at| *at > now);
        let tomorrow = || here.date_naive().checked_add_days(Days::new(1)).and_then(|day| local(day.and_time(time)));
        return today.or_else(tomorrow).ok_or_else(trouble);
    }
    if let Ok(at) = DateTime::parse_from_rfc3339(text) {
        return Ok(at.with_timezone(&Utc));
    }
    ["%Y-%m-%d %H:%M", "%Y-%m-%dT%H:%M"]
        .iter()
        .find_map(|format| NaiveDateTime::parse_from_str(text, format).ok())
        .and_then(local)
        .ok_or_else(trouble)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn now() -> DateTime<Utc> {
        "2026-11-30T12:00:00Z".parse().unwrap()
    }

    #[test]
    fn a_duration_is_counted_from_now() {
        assert_eq!(after("1h30m", now()).unwrap(), now() + chrono::Duration::minutes(90));
    }

    #[test]
    fn a_clock_time_is_the_next_such_time() {
        let at = at("07:00", now()).unwrap();
        assert!(at > now() && at <= now() + chrono::Duration::hours(25), "{at}");
        assert_eq!(at.with_timezone(&Local).format("%H:%M").to_string(), "07:00");
    }

    #[test]
    fn what_is_no_time_is_refused_with_an_example() {
        for text in ["", "soon", "25:00", "8", "-1h", "999999999999y"] {
            assert!(after(text, now()).is_err() && at(text, now()).is_err(), "{text}");
        }
    }

    #[test]
    fn a_time_more_than_a_year_away_is_refused() {
        for (duration, time) in [(Some("99999999h"), None), (Some("400days"), None), (None, Some("2099-01-01 07:00"))] {
            let span = SpanArgs { duration: duration.map(str::to_owned), until: time.map(str::to_owned) };
            let error = until(&span, now()).unwrap_err().to_string();
            assert_eq!(error, format!("\"{}\" is more than a year away", duration.or(time).unwrap()));
        }
        assert!(until(&SpanArgs { duration: Some("1year".into()), until: None }, now()).unwrap().is_some());
    }

    #[test]
    fn a_time_that_is_over_is_refused() {
        let span = SpanArgs { duration: None, until: Some("2020-01-01 07:00".into()) };
        assert_eq!(until(&span, now()).unwrap_err().to_string(), "\"2020-01-01 07:00\" is over already");
        assert!(until(&SpanArgs { duration: Some("0s".into()), until: None }, now()).is_err());
    }
}
