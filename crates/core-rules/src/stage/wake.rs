//! When to look at a Stage again, although nothing changes.

use core_clock::Time;

/// When to look again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Wake {
    /// When something changes.
    #[default]
    Rest,
    /// As soon as what this pass writes is to be seen.
    Now {
        /// Why.
        reason: &'static str,
    },
    /// At this time at the latest.
    At {
        /// The time.
        time: Time,
        /// Why.
        reason: &'static str,
    },
}

impl Wake {
    /// The earlier of the two.
    #[must_use]
    pub fn or_sooner(self, other: Self) -> Self {
        match (self, other) {
            (Self::Now { .. }, _) | (_, Self::Rest) => self,
            (_, Self::Now { .. }) | (Self::Rest, _) => other,
            (Self::At { time, .. }, Self::At { time: earlier, .. }) if earlier < time => other,
            (Self::At { .. }, Self::At { .. }) => self,
        }
    }
}

#[cfg(test)]
mod tests {
    use core_clock::Time;

    use super::Wake;

    #[test]
    fn the_earlier_wake_wins() {
        let at = |seconds| Wake::At { time: Time::from_seconds(seconds), reason: "" };
        let now = Wake::Now { reason: "" };
        for (one, other, sooner) in [
            (Wake::Rest, at(1), at(1)),
            (at(2), at(1), at(1)),
            (at(1), Wake::Rest, at(1)),
            (at(1), now, now),
            (now, at(1), now),
            (Wake::Rest, Wake::Rest, Wake::Rest),
        ] {
            assert_eq!(one.or_sooner(other), sooner);
        }
    }
}
