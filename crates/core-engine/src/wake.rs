//! When to look at an unfinished step again.

use std::time::Duration;

use jiff::Timestamp;

/// How often a step is looked at that names no interval.
const DEFAULT_INTERVAL: Duration = Duration::from_mins(5);
/// Steps may not ask to be looked at more often.
const SHORTEST_INTERVAL: Duration = Duration::from_secs(10);
/// The wait after the first error; it doubles with every further one in a row.
const FIRST_BACKOFF: Duration = Duration::from_secs(5);
/// A timeout that is due is looked at once more, soon.
const AT_ONCE: Duration = Duration::from_millis(100);

/// Why a step needs another look, and what it knows about when.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Again {
    /// Errors in a row; none means that the step waits for something.
    pub errors: u32,
    /// The interval that the step or the other side asked for.
    pub asked: Option<Duration>,
    /// When the step is given up.
    pub deadline: Option<Timestamp>,
}

/// How long to wait. Something outside may wake the Promotion sooner.
pub fn wake_after(again: &Again, now: Timestamp) -> Duration {
    let wait = match (again.asked, again.errors) {
        (Some(asked), 0) => asked.max(SHORTEST_INTERVAL),
        (Some(asked), errors) => asked.max(backoff(errors)),
        (None, 0) => DEFAULT_INTERVAL,
        (None, errors) => backoff(errors),
    };
    let until_deadline = again.deadline.map(|deadline| {
        // The deadline has passed only when more time went by than the timeout allows.
        let left = now.duration_until(deadline);
        Duration::try_from(left).unwrap_or_default().max(AT_ONCE)
    });
    until_deadline.map_or(wait, |left| wait.min(left))
}

fn backoff(errors: u32) -> Duration {
    let doubled = 1_u32.checked_shl(errors.saturating_sub(1)).unwrap_or(u32::MAX);
    FIRST_BACKOFF.saturating_mul(doubled).min(DEFAULT_INTERVAL)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn again(errors: u32, asked: Option<u64>, deadline: Option<i64>) -> u64 {
        let again = Again {
            errors,
            asked: asked.map(Duration::from_secs),
            deadline: deadline.map(|second| Timestamp::from_second(second).unwrap()),
        };
        wake_after(&again, Timestamp::from_second(1_000).unwrap()).as_secs()
    }

    #[test]
    fn waits_follow_the_step_but_not_too_often_and_never_past_the_deadline() {
        assert_eq!(again(0, None, None), 300);
        assert_eq!(again(0, Some(1), None), 10);
        assert_eq!(again(0, Some(20), None), 20);
        assert_eq!(again(0, None, Some(1_060)), 60);
        assert_eq!(again(0, None, Some(900)), 0);
    }

    #[test]
    fn errors_back_off_and_honour_what_the_other_side_asked() {
        assert_eq!([1, 2, 3, 40].map(|errors| again(errors, None, None)), [5, 10, 20, 300]);
        assert_eq!(again(1, Some(60), None), 60);
    }
}
