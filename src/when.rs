//! Times as a person says them: moments in the past, the last midnight. Reads the person's own time zone, nothing else.

use chrono::{DateTime, Local, NaiveDate, NaiveDateTime, NaiveTime, TimeZone, Utc};

use crate::trouble::Trouble;

/// A duration before now (`8h`), a day (its beginning), a day with a time, or a time as RFC 3339 has it.
///
/// # Errors
/// A text that is none of these.
pub fn past(text: &str, now: DateTime<Utc>) -> anyhow::Result<DateTime<Utc>> {
    let trouble =
        || Trouble::error(format!("\"{text}\" is no time"), "say it like 8h, 2026-11-29 or \"2026-11-29 22:00\"");
    if let Ok(duration) = humantime::parse_duration(text) {
        let at = chrono::Duration::from_std(duration).ok().and_then(|duration| now.checked_sub_signed(duration));
        let far = || {
            let hint = "say it like 8h, 2026-11-29 or \"2026-11-29 22:00\"";
            Trouble::error(format!("\"{text}\" is longer ago than there are records"), hint)
        };
        return at.filter(|at| at.timestamp() >= 0).ok_or_else(far);
    }
    if let Ok(at) = DateTime::parse_from_rfc3339(text) {
        return Ok(at.to_utc());
    }
    let day = || NaiveDate::parse_from_str(text, "%Y-%m-%d").ok().map(|day| day.and_time(NaiveTime::MIN));
    let time = |format: &&str| NaiveDateTime::parse_from_str(text, format).ok();
    let at = day().or_else(|| ["%Y-%m-%d %H:%M", "%Y-%m-%dT%H:%M"].iter().find_map(time)).ok_or_else(trouble)?;
    Local.from_local_datetime(&at).earliest().map(|at| at.to_utc()).ok_or_else(trouble)
}

/// The last midnight in the person's own zone.
pub fn midnight(now: DateTime<Utc>) -> DateTime<Utc> {
    let midnight = now.with_timezone(&Local).date_naive().and_time(NaiveTime::MIN);
    Local.from_local_datetime(&midnight).earliest().map_or(now, |at| at.with_timezone(&Utc))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_duration_a_day_and_a_time_are_understood() {
        let now: DateTime<Utc> = "2026-11-30T12:00:00Z".parse().unwrap();
        assert_eq!(past("8h", now).unwrap(), now - chrono::Duration::hours(8));
        assert_eq!(past("2026-11-29T22:00:00+01:00", now).unwrap().to_rfc3339(), "2026-11-29T21:00:00+00:00");
        let local = |text: &str| past(text, now).unwrap().with_timezone(&Local).format("%F %T").to_string();
        assert_eq!(local("2026-11-29"), "2026-11-29 00:00:00");
        assert_eq!(local("2026-11-29 22:05"), "2026-11-29 22:05:00");
        for text in ["", "yesterday", "2026-13-01", "99999999999999h", "99999999h", "-8h"] {
            assert!(past(text, now).is_err(), "{text}");
        }
    }
}
