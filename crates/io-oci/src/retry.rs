//! When to try again, and how long to wait before.

use std::time::Duration;

use core_clock::{Entropy, Time};
use http::{HeaderMap, HeaderName, StatusCode};
use io_http::outbound::{LONGEST_PAUSE, retry_after};

/// Attempts in all.
pub(crate) const ATTEMPTS: usize = 3;
const WAITS: [Duration; ATTEMPTS - 1] = [Duration::from_secs(1), Duration::from_secs(3)];

/// Statuses that say "not now" rather than "no".
pub(crate) fn is_temporary(status: StatusCode) -> bool {
    matches!(status.as_u16(), 408 | 429 | 499 | 500 | 502 | 503 | 504 | 522)
}

/// How long to wait after attempt number `attempt` (from 0), ±10 %; `None` when that was the last.
pub(crate) fn backoff(attempt: usize, entropy: &dyn Entropy) -> Option<Duration> {
    let wait = WAITS.get(attempt)?;
    let tenth = u64::try_from(wait.as_millis() / 10).unwrap_or(0);
    let jitter = Duration::from_millis(entropy.below(2 * tenth + 1));
    Some(wait.saturating_sub(Duration::from_millis(tenth)) + jitter)
}

/// How long the server wants to be left alone, by `Retry-After` or by a used-up rate limit.
pub(crate) fn pause(status: StatusCode, headers: &HeaderMap, now: Time) -> Option<Duration> {
    let asked = retry_after(headers, now).filter(|_| {
        matches!(status, StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE)
    });
    asked.or_else(|| used_up(headers)).map(|pause| pause.min(LONGEST_PAUSE))
}

/// `RateLimit-Remaining: 0` with `RateLimit-Reset: <seconds>`, and the same in one `RateLimit` header.
fn used_up(headers: &HeaderMap) -> Option<Duration> {
    let header = |name: &'static str| headers.get(HeaderName::from_static(name))?.to_str().ok();
    let (remaining, reset) = if let Some(remaining) = header("ratelimit-remaining") {
        (leading_number(remaining)?, leading_number(header("ratelimit-reset")?)?)
    } else {
        let combined = header("ratelimit")?;
        (field(combined, "remaining")?, field(combined, "reset")?)
    };
    (remaining == 0).then(|| Duration::from_secs(reset))
}

/// `76;w=21600` is 76.
fn leading_number(text: &str) -> Option<u64> {
    let text = text.trim();
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    text.get(..end)?.parse().ok()
}

fn field(text: &str, name: &str) -> Option<u64> {
    let mut fields = text.split([',', ';']).filter_map(|field| field.split_once('='));
    fields.find(|(key, _)| key.trim() == name).and_then(|(_, value)| leading_number(value))
}

#[cfg(test)]
mod tests {
    use core_clock::SeededEntropy;

    use super::*;

    fn headers(list: &[(&'static str, &'static str)]) -> HeaderMap {
        list.iter().map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap())).collect()
    }

    fn paused(status: u16, list: &[(&'static str, &'static str)]) -> Option<u64> {
        let now = "2026-01-01T00:00:00Z".parse().unwrap();
        let pause = pause(StatusCode::from_u16(status).unwrap(), &headers(list), now);
        pause.map(|pause| pause.as_secs())
    }

    #[test]
    fn a_server_names_its_pause_in_seconds_or_as_a_date() {
        assert_eq!(paused(429, &[("retry-after", "7")]), Some(7));
        assert_eq!(paused(503, &[("retry-after", "Thu, 01 Jan 2026 00:01:00 GMT")]), Some(60));
        assert_eq!(paused(429, &[("retry-after", "Wed, 31 Dec 2025 00:00:00 GMT")]), Some(0));
        assert_eq!(paused(429, &[("retry-after", "99999999")]), Some(3_600));
        assert_eq!(paused(200, &[("retry-after", "7")]), None);
        assert_eq!(paused(429, &[("retry-after", "soon")]), None);
    }

    #[test]
    fn a_used_up_limit_is_a_pause_even_without_a_refusal() {
        let used = [("ratelimit-remaining", "0;w=21600"), ("ratelimit-reset", "30")];
        assert_eq!(paused(200, &used), Some(30));
        assert_eq!(paused(200, &[("ratelimit", "limit=100, remaining=0, reset=5")]), Some(5));
        assert_eq!(paused(200, &[("ratelimit", "limit=100, remaining=3, reset=5")]), None);
        assert_eq!(paused(200, &[("ratelimit-remaining", "76;w=21600")]), None);
    }

    #[test]
    fn waits_grow_with_a_little_jitter_and_end() {
        let entropy = SeededEntropy::new(1);
        for (attempt, seconds) in [(0, 1_000), (1, 3_000)] {
            let wait = backoff(attempt, &entropy).unwrap().as_millis();
            assert!((seconds * 9 / 10..=seconds * 11 / 10).contains(&wait), "{wait}");
        }
        assert_eq!(backoff(2, &entropy), None);
    }
}
