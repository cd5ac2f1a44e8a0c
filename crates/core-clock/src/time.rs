//! A point in time as the wire knows it.

use std::{fmt, str::FromStr, time::Duration};

use jiff::Timestamp;

/// Microseconds since the Unix epoch, UTC. Kubernetes writes whole seconds (`Time`) or six decimals (`MicroTime`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Time(i64);

/// A text that is not an RFC 3339 time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseTimeError(String);

impl fmt::Display for ParseTimeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} is not an RFC 3339 time", self.0)
    }
}

impl std::error::Error for ParseTimeError {}

impl Time {
    /// The time `micros` microseconds after the Unix epoch.
    pub const fn from_micros(micros: i64) -> Self {
        Self(micros)
    }

    /// The time `seconds` seconds after the Unix epoch.
    pub const fn from_seconds(seconds: i64) -> Self {
        Self(seconds.saturating_mul(1_000_000))
    }

    /// Microseconds since the Unix epoch.
    pub const fn as_micros(self) -> i64 {
        self.0
    }

    /// Milliseconds since the Unix epoch.
    pub const fn as_millis(self) -> i64 {
        self.0.div_euclid(1_000)
    }

    /// Whole seconds since the Unix epoch.
    pub const fn as_seconds(self) -> i64 {
        self.0.div_euclid(1_000_000)
    }

    /// How long ago `earlier` was; zero when it lies ahead.
    pub fn since(self, earlier: Self) -> Duration {
        Duration::from_micros(u64::try_from(self.0.saturating_sub(earlier.0)).unwrap_or(0))
    }

    /// `2026-01-02T03:04:05Z`, the form of `creationTimestamp`.
    pub fn to_rfc3339_seconds(self) -> String {
        self.timestamp().strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
    }

    /// `2026-01-02T03:04:05.000006Z`, the form of a Lease's `renewTime`.
    pub fn to_rfc3339_micros(self) -> String {
        self.timestamp().strftime("%Y-%m-%dT%H:%M:%S.%6fZ").to_string()
    }

    fn timestamp(self) -> Timestamp {
        // Out of jiff's range (year 9999) only by hostile input: shown as the epoch rather than failing a whole reply.
        Timestamp::from_microsecond(self.0).unwrap_or_default()
    }
}

impl std::ops::Add<Duration> for Time {
    type Output = Self;
    fn add(self, duration: Duration) -> Self {
        Self(self.0.saturating_add(i64::try_from(duration.as_micros()).unwrap_or(i64::MAX)))
    }
}

impl std::ops::Sub<Duration> for Time {
    type Output = Self;
    fn sub(self, duration: Duration) -> Self {
        Self(self.0.saturating_sub(i64::try_from(duration.as_micros()).unwrap_or(i64::MAX)))
    }
}

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.to_rfc3339_seconds())
    }
}

impl FromStr for Time {
    type Err = ParseTimeError;
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let parsed: Timestamp =
            text.parse().map_err(|_| ParseTimeError(text.chars().take(64).collect()))?;
        Ok(Self(parsed.as_microsecond()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prints_what_it_parsed_in_seconds_and_micros() {
        let time: Time = "2026-01-02T03:04:05.000006Z".parse().unwrap();
        assert_eq!(time.to_rfc3339_seconds(), "2026-01-02T03:04:05Z");
        assert_eq!(time.to_rfc3339_micros(), "2026-01-02T03:04:05.000006Z");
        assert_eq!(
            "2026-01-02T05:04:05+02:00".parse::<Time>().unwrap(),
            time - Duration::from_micros(6)
        );
    }

    #[test]
    fn refuses_text_that_is_no_time() {
        assert!("yesterday".parse::<Time>().is_err());
        assert!("2026-13-02T03:04:05Z".parse::<Time>().is_err());
    }

    #[test]
    fn since_never_goes_below_zero() {
        assert_eq!(Time::from_seconds(1).since(Time::from_seconds(2)), Duration::ZERO);
        assert_eq!(Time::from_seconds(5).since(Time::from_seconds(2)), Duration::from_secs(3));
    }
}
