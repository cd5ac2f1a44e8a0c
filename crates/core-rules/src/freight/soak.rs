//! How long Freight has proven itself in a Stage.
//!
//! Only one stay without interruption counts: the longest that has ended, or the present one, which
//! runs from the time of entry. Freight that did not pass verification there has no soak at all.

use api_kinds::Duration;
use api_kinds::freight::FreightStatus;
use core_clock::Time;

use crate::wire_time::from_wire;

/// Whether Freight stays in a Stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Residence {
    /// Freight enters the Stage and leaves it again; the present stay runs from entry.
    Stays,
    /// The Stage only passes Freight on. Nothing ever enters it, so time runs from verification;
    /// otherwise no soak could be asked of such a Stage.
    PassesThrough,
}

/// The soak of one piece of Freight in one Stage at one time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Soak {
    longest: Duration,
    grows_since: Option<Time>,
}

impl Soak {
    /// Reads the soak in `stage` from the Freight's status.
    pub fn of(status: &FreightStatus, stage: &str, residence: Residence, now: Time) -> Self {
        let Some(verified) = status.verified_in.get(stage) else {
            return Self { longest: Duration::ZERO, grows_since: None };
        };
        let since = match residence {
            Residence::Stays => status.currently_in.get(stage).and_then(|stay| stay.since.as_ref()),
            Residence::PassesThrough => verified.verified_at.as_ref(),
        };
        let grows_since = since.map(from_wire);
        let present = grows_since.map_or(Duration::ZERO, |since| now.since(since).into());
        let ended = verified.longest_completed_soak.unwrap_or(Duration::ZERO);
        Self { longest: present.max(ended).max(Duration::ZERO), grows_since }
    }

    /// The longest stay so far.
    pub fn longest(&self) -> Duration {
        self.longest
    }

    /// Whether the longest stay is long enough. Without a requirement it always is.
    pub fn reaches(&self, required: Option<Duration>) -> bool {
        required.is_none_or(|required| self.longest >= required)
    }

    /// When the present stay will be long enough, if nothing ends it; `None` when no time helps.
    pub fn reaches_at(&self, required: Duration) -> Option<Time> {
        let required = std::time::Duration::try_from(required).unwrap_or_default();
        self.grows_since.map(|since| since + required)
    }
}

#[cfg(test)]
mod tests {
    use api_kinds::Duration;
    use api_kinds::freight::FreightStatus;
    use core_clock::Time;
    use serde_json::json;

    use super::{Residence, Soak};

    const HOUR: Duration = Duration::from_secs(3600);

    fn soak(status: serde_json::Value, residence: Residence) -> Soak {
        let status: FreightStatus = serde_json::from_value(status).unwrap();
        let now: Time = "2026-01-10T12:00:00Z".parse().unwrap();
        Soak::of(&status, "test", residence, now)
    }

    #[test]
    fn the_longer_of_the_ended_and_the_present_stay_counts() {
        let present = json!({"test": {"since": "2026-01-10T11:00:00Z"}});
        let short = json!({"verifiedIn": {"test": {"longestSoak": "59m"}}, "currentlyIn": present});
        assert_eq!(soak(short, Residence::Stays).longest(), HOUR);
        let long = json!({"verifiedIn": {"test": {"longestSoak": "2h"}}, "currentlyIn": present});
        assert_eq!(soak(long, Residence::Stays).longest(), Duration::from_secs(7200));
    }

    #[test]
    fn without_verification_there_is_no_soak_and_no_time_helps() {
        let status = json!({"currentlyIn": {"test": {"since": "2026-01-01T00:00:00Z"}}});
        let soak = soak(status, Residence::Stays);
        assert!(!soak.reaches(Some(HOUR)) && soak.reaches(Some(Duration::ZERO)));
        assert!(soak.reaches(None));
        assert_eq!(soak.reaches_at(HOUR), None);
    }

    #[test]
    fn a_stay_without_a_beginning_counts_nothing() {
        let status = json!({"verifiedIn": {"test": {}}, "currentlyIn": {"test": {}}});
        assert_eq!(soak(status, Residence::Stays).longest(), Duration::ZERO);
    }

    #[test]
    fn in_a_stage_that_passes_freight_on_time_runs_from_verification() {
        let status = json!({"verifiedIn": {"test": {"verifiedAt": "2026-01-10T11:30:00Z"}}});
        let soak = soak(status, Residence::PassesThrough);
        assert!(!soak.reaches(Some(HOUR)));
        assert_eq!(soak.reaches_at(HOUR), Some("2026-01-10T12:30:00Z".parse().unwrap()));
    }
}
