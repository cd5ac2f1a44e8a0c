//! How long a provider wants to be left alone.

use std::time::Duration;

use core_clock::Time;
use http::{HeaderMap, HeaderName};
use io_http::outbound;

/// `Retry-After` in seconds or as a date, else the time at which a used-up rate limit is renewed.
pub(crate) fn retry_after(headers: &HeaderMap, now: Time) -> Option<Duration> {
    let asked = outbound::retry_after(headers, now);
    asked.or_else(|| renewal(headers, now)).map(|pause| pause.min(outbound::LONGEST_PAUSE))
}

/// Whether the headers say that the rate limit is used up.
pub(crate) fn is_used_up(headers: &HeaderMap) -> bool {
    REMAINING.iter().any(|name| number(headers, name) == Some(0))
}

const REMAINING: [&str; 2] = ["x-ratelimit-remaining", "ratelimit-remaining"];
const RESET: [&str; 2] = ["x-ratelimit-reset", "ratelimit-reset"];

/// These headers hold the moment as seconds since 1970.
fn renewal(headers: &HeaderMap, now: Time) -> Option<Duration> {
    if !is_used_up(headers) {
        return None;
    }
    let reset = RESET.iter().find_map(|name| number(headers, name))?;
    Some(Time::from_seconds(i64::try_from(reset).ok()?).since(now))
}

fn number(headers: &HeaderMap, name: &'static str) -> Option<u64> {
    headers.get(HeaderName::from_static(name))?.to_str().ok()?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pause(list: &[(&'static str, &'static str)]) -> Option<u64> {
        let headers = list
            .iter()
            .map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap()))
            .collect();
        let now = "2026-01-01T00:00:00Z".parse().unwrap();
        retry_after(&headers, now).map(|pause| pause.as_secs())
    }

    #[test]
    fn a_pause_is_named_in_seconds_as_a_date_or_as_the_end_of_a_rate_limit() {
        assert_eq!(pause(&[("retry-after", "7")]), Some(7));
        assert_eq!(pause(&[("retry-after", "Thu, 01 Jan 2026 00:01:00 GMT")]), Some(60));
        let used = [("x-ratelimit-remaining", "0"), ("x-ratelimit-reset", "1767225690")];
        assert_eq!(pause(&used), Some(90));
        let left = [("x-ratelimit-remaining", "4"), ("x-ratelimit-reset", "1767225690")];
        assert_eq!(pause(&left), None);
    }

    #[test]
    fn nonsense_is_no_pause_and_a_very_long_one_is_cut() {
        assert_eq!(pause(&[("retry-after", "soon")]), None);
        assert_eq!(pause(&[("retry-after", "99999999999")]), Some(3_600));
        let odd = [("x-ratelimit-remaining", "0"), ("x-ratelimit-reset", "18446744073709551615")];
        assert_eq!(pause(&odd), None);
    }
}
