//! The clock: the one place that asks what time it is.

use std::time::SystemTime;

use chrono::{DateTime, Utc};

/// The present moment. Not `Utc::now`, which panics where the clock stands before 1970.
pub fn now() -> DateTime<Utc> {
    SystemTime::now().into()
}
