//! A running count of what waits for a review and of what waited: taken up where it was left, so that only what was
//! recorded since need be read. Counts as the whole history would, but for a decision whose records lie further apart than
//! what is remembered here. Pure; the file is `tally`'s.

use std::collections::HashSet;

use chrono::{DateTime, Days, NaiveDate, Utc};
use serde::{Deserialize, Serialize};

use super::entry::Entry;
use super::links::{Links, Open, Waits};

/// The version of the format.
const VERSION: u32 = 1;
/// How many decisions back a record may belong to.
const RECENT: usize = 256;
/// How many unreviewed decisions are known by their ids; of more, only how many.
const NAMED: usize = 1000;
/// How many open waits are remembered, and how many of the last waits' times.
const WAITS: usize = 1000;

/// The count, and how far it has got.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tally {
    v: u32,
    /// How far the reviews are read, in bytes.
    pub reviews: u64,
    /// The newest day of which anything is read.
    newest: Option<NaiveDate>,
    /// The days in which anything may change.
    days: Vec<Day>,
    /// The days whose files could not be read; they are tried again.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    passed_over: Vec<NaiveDate>,
    recent: Vec<Known>,
    open: Vec<(u64, i64, bool)>,
    /// When waits began, in milliseconds since 1970, the oldest first.
    stalls: Vec<i64>,
}

/// A day's file of records.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Day {
    day: NaiveDate,
    /// How far it is read, in bytes.
    read: u64,
    /// The decisions in it that no person has reviewed,
    ids: Vec<u64>,
    /// and how many more.
    more: u64,
}

/// A decision as its next record needs it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
struct Known {
    matter: u64,
    call: Option<u64>,
    decided: bool,
    id: u64,
}

impl Default for Tally {
    fn default() -> Self {
        let (newest, days, passed_over, recent, open, stalls) = Default::default();
        Self { v: VERSION, reviews: 0, newest, days, passed_over, recent, open, stalls }
    }
}

impl Tally {
    /// Reads it back; `None` where the text is none of this version.
    pub fn read(text: &[u8]) -> Option<Self> {
        serde_json::from_slice(text).ok().filter(|tally: &Tally| tally.v == VERSION)
    }

    /// As it is written.
    ///
    /// # Errors
    /// None that a tally can cause.
    pub fn text(&self) -> serde_json::Result<Vec<u8>> {
        serde_json::to_vec(self)
    }

    /// How far the file of a day is read, in bytes.
    pub fn read_to(&self, day: NaiveDate) -> u64 {
        self.days.iter().find(|known| known.day == day).map_or(0, |known| known.read)
    }

    /// Whether the file of a day may have grown, or was never read. Hooks append to the file of their day; one that began
    /// before midnight may do so a moment after it.
    pub fn may_grow(&self, day: NaiveDate, today: NaiveDate) -> bool {
        self.newest.is_none_or(|newest| day >= before(newest.min(today))) || self.passed_over.contains(&day)
    }

    /// Notes that the file of a day cannot be read now.
    pub fn pass_over(&mut self, day: NaiveDate) {
        if !self.passed_over.contains(&day) {
            self.passed_over.push(day);
        }
    }

    /// Notes that it is read to its end again.
    pub fn pass_over_no_more(&mut self, day: NaiveDate) {
        self.passed_over.retain(|passed| *passed != day);
    }

    /// Forgets the days whose files are gone, and what is settled of old ones.
    pub fn keep_only(&mut self, there: &[NaiveDate], today: NaiveDate) {
        let growing: Vec<NaiveDate> = there.iter().copied().filter(|day| self.may_grow(*day, today)).collect();
        self.days.retain(|known| {
            there.contains(&known.day) && (growing.contains(&known.day) || known.more > 0 || !known.ids.is_empty())
        });
    }

    /// Takes the next lines of a day's file, which are then read to `read_to`.
    pub fn add(&mut self, day: NaiveDate, lines: &[u8], read_to: u64) {
        let mut joining = Joining::resume(self);
        let mut found = Vec::new();
        for line in lines.split(|byte| *byte == b'\n') {
            let line = String::from_utf8_lossy(line.trim_ascii());
            if let Ok(entry) = serde_json::from_str::<Entry<'_>>(&line) {
                found.extend(joining.take(&entry));
            }
        }
        joining.leave(self);
        let known: usize = self.days.iter().map(|known| known.ids.len()).sum();
        let place = self.days.iter().position(|known| known.day == day).unwrap_or_else(|| {
            let place = self.days.partition_point(|known| known.day < day);
            self.days.insert(place, Day { day, read: 0, ids: Vec::new(), more: 0 });
            place
        });
        self.newest = self.newest.max(Some(day));
        let Some(of_day) = self.days.get_mut(place) else { return };
        of_day.read = read_to;
        for (at, id) in found.into_iter().enumerate() {
            if known + at < NAMED { of_day.ids.push(id) } else { of_day.more += 1 }
        }
    }

    /// A person has reviewed these. One that is not known by its id counts as one of those beyond.
    pub fn reviewed(&mut self, ids: impl Iterator<Item = u64>) {
        let mut beyond = HashSet::new();
        for id in ids {
            let named = self.days.iter_mut().find_map(|of_day| {
                let at = of_day.ids.iter().position(|known| *known == id)?;
                of_day.ids.swap_remove(at);
                Some(())
            });
            if named.is_none() && beyond.insert(id) {
                let more = self.days.iter_mut().map(|of_day| &mut of_day.more);
                if let Some(more) = more.rev().find(|more| **more > 0) {
                    *more -= 1;
                }
            }
        }
    }

    /// How many decisions no person has reviewed.
    pub fn unreviewed(&self) -> u64 {
        self.days.iter().map(|of_day| of_day.ids.len() as u64 + of_day.more).sum()
    }

    /// Whether there is any wait to ask about.
    pub fn has_stalls(&self) -> bool {
        !self.stalls.is_empty()
    }

    /// How many waits began since then; no more than the last thousand are known.
    pub fn stalls_since(&self, since: DateTime<Utc>) -> usize {
        self.stalls.iter().filter(|at| **at >= since.timestamp_millis()).count()
    }
}

fn before(day: NaiveDate) -> NaiveDate {
    day.checked_sub_days(Days::new(1)).unwrap_or(day)
}

/// The joining of new records with those that are remembered.
struct Joining {
    links: Links,
    waits: Waits,
    known: Vec<Known>,
    stalls: Vec<i64>,
}

impl Joining {
    fn resume(tally: &Tally) -> Self {
        let (mut links, mut waits) = (Links::default(), Waits::default());
        for known in &tally.recent {
            links.place(known.matter, known.call);
        }
        for (session, at, prose) in &tally.open {
            let at = DateTime::from_timestamp_millis(*at).unwrap_or_default();
            waits.open(*session, Open { at, prose: *prose, place: 0 });
        }
        Self { links, waits, known: tally.recent.clone(), stalls: tally.stalls.clone() }
    }

    /// The id of a decision that this record is the first to decide.
    fn take(&mut self, entry: &Entry<'_>) -> Option<u64> {
        if self.waits.see(entry, 0).begins {
            self.stalls.push(entry.at.timestamp_millis());
        }
        if !entry.is_matter() {
            return None;
        }
        let (matter, decides) = (entry.matter(), entry.decides());
        let at = self.links.place(matter, entry.call());
        if at == self.known.len() {
            self.known.push(Known { matter, call: None, decided: false, id: entry.id });
        }
        let known = self.known.get_mut(at)?;
        known.call = self.links.call(at);
        let first = decides && !known.decided;
        known.decided |= decides;
        first.then_some(known.id)
    }

    fn leave(self, tally: &mut Tally) {
        tally.recent = last(self.known, RECENT);
        tally.stalls = last(self.stalls, WAITS);
        let open = self.waits.all().map(|(session, open)| (session, open.at.timestamp_millis(), open.prose));
        let mut open: Vec<_> = open.collect();
        open.sort_unstable_by_key(|(session, at, _)| (*at, *session));
        tally.open = last(open, WAITS);
    }
}

fn last<T>(mut all: Vec<T>, count: usize) -> Vec<T> {
    all.drain(..all.len().saturating_sub(count));
    all
}
