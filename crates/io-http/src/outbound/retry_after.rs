//! How long a server wants to be left alone.

use std::time::Duration;

use core_clock::Time;
use http::{HeaderMap, header};

/// A longer pause is not believed.
pub const LONGEST_PAUSE: Duration = Duration::from_hours(1);

/// What `Retry-After` says, in seconds or as a date; [`LONGEST_PAUSE`] at most.
pub fn retry_after(headers: &HeaderMap, now: Time) -> Option<Duration> {
    let text = headers.get(header::RETRY_AFTER)?.to_str().ok()?.trim();
    let pause = if let Ok(seconds) = text.parse() {
        Duration::from_secs(seconds)
    } else {
        let date = jiff::fmt::rfc2822::parse(text).ok()?.timestamp();
        Time::from_seconds(date.as_second()).since(now)
    };
    Some(pause.min(LONGEST_PAUSE))
}
