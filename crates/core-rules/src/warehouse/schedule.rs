//! When a Warehouse is looked after.
//!
//! One interval counts for both questions, whether a search is due and when to come back: the wanted
//! one, or the least one of the installation if that is longer. It is varied a little for each
//! Warehouse and each time, so that Warehouses do not move in step after a restart.

use std::time::Duration;

use api_kinds::Warehouse;
use core_clock::Time;

use super::plan::{Plan, plan};
use crate::wire_time::from_wire;

/// What is overdue is looked after at once, but not in a tight loop.
const OVERDUE: Duration = Duration::from_millis(100);
/// No interval is shorter, whatever is written.
const LEAST: Duration = Duration::from_secs(1);
/// After a start, searches that are merely due wait for up to this part of their interval.
const STARTUP_PART: u32 = 4;
const LONGEST_STARTUP_DELAY: Duration = Duration::from_mins(5);

/// In parts of ten thousand: how far the interval is varied to either side.
const JITTER: u64 = 1_000;
const WHOLE: u64 = 10_000;

/// The timing of all Warehouses of one controller.
#[derive(Clone, Copy, Debug)]
pub struct Schedule {
    minimum: Duration,
    entropy: u64,
}

impl Schedule {
    /// No Warehouse is searched more often than `minimum` apart. `entropy` is drawn once per process.
    pub fn new(minimum: Duration, entropy: u64) -> Self {
        Self { minimum, entropy }
    }

    /// When the next search is due; `None` when there was none yet.
    pub fn due_at(&self, warehouse: &Warehouse) -> Option<Time> {
        let artifacts = warehouse.status.discovered_artifacts.as_ref()?;
        let discovered_at = from_wire(artifacts.discovered_at.as_ref()?);
        Some(discovered_at + self.varied_interval(warehouse))
    }

    /// How long to wait for the next pass.
    pub fn requeue(&self, warehouse: &Warehouse, now: Time) -> Duration {
        match self.due_at(warehouse) {
            None => self.varied_interval(warehouse),
            Some(due) => due.since(now).max(OVERDUE),
        }
    }

    /// How long the first pass after a start may wait: searches that are due only because time went
    /// by while nobody was there are spread, all else begins at once.
    pub fn startup_delay(&self, warehouse: &Warehouse, now: Time) -> Duration {
        let plan = plan(warehouse, self, now);
        if !matches!(plan, Plan::Discover(reason) if reason.is_routine()) {
            return Duration::ZERO;
        }
        let window = (self.interval(warehouse) / STARTUP_PART).min(LONGEST_STARTUP_DELAY);
        scale(window, self.number_for(warehouse) % (WHOLE + 1))
    }

    /// The interval that counts.
    fn interval(&self, warehouse: &Warehouse) -> Duration {
        let wanted = Duration::try_from(warehouse.spec.interval).unwrap_or_default();
        wanted.max(self.minimum).max(LEAST)
    }

    /// The interval for this Warehouse and this time. The least one of the installation still holds.
    fn varied_interval(&self, warehouse: &Warehouse) -> Duration {
        let part = WHOLE - JITTER + self.number_for(warehouse) % (2 * JITTER + 1);
        scale(self.interval(warehouse), part).max(self.minimum)
    }

    /// The same until the next search, whoever asks: else what was planned would not be due when its
    /// time has come.
    fn number_for(&self, warehouse: &Warehouse) -> u64 {
        let metadata = &warehouse.metadata;
        let texts = [&metadata.namespace, &metadata.name, &metadata.uid];
        let bytes = texts.into_iter().flatten().flat_map(|text| text.bytes());
        let artifacts = warehouse.status.discovered_artifacts.as_ref();
        let second = artifacts.and_then(|artifacts| artifacts.discovered_at.as_ref());
        let second = second.map_or(0, |time| time.0.as_second()).to_le_bytes();
        let hash = bytes.chain(second).fold(self.entropy, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
        // Spreads the difference of a last byte over all bits.
        let mixed = (hash ^ (hash >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }
}

fn scale(duration: Duration, part: u64) -> Duration {
    let micros = duration.as_micros().saturating_mul(u128::from(part)) / u128::from(WHOLE);
    Duration::from_micros(u64::try_from(micros).unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use api_kinds::{Duration as WireDuration, warehouse::DiscoveredArtifacts};
    use proptest::prelude::*;

    use super::*;
    use crate::wire_time::to_wire;

    const NOW: Time = Time::from_seconds(1_000_000);

    fn minutes(count: u64) -> Duration {
        Duration::from_mins(count)
    }

    fn warehouse(name: &str, interval: Duration, age: Option<Duration>) -> Warehouse {
        let mut warehouse = Warehouse::default();
        warehouse.metadata.name = Some(name.into());
        warehouse.spec.interval = WireDuration::from(interval);
        let discovered_at = age.map(|age| to_wire(NOW - age));
        warehouse.status.discovered_artifacts =
            Some(DiscoveredArtifacts { discovered_at, ..DiscoveredArtifacts::default() });
        warehouse
    }

    #[test]
    fn the_longer_of_both_intervals_counts_up_to_a_tenth() {
        for (spec, minimum, age, expected) in [
            (5, 2, None, minutes(5)),
            (2, 5, None, minutes(5)),
            (5, 0, Some(minutes(7)), OVERDUE),
            (5, 0, Some(minutes(3)), minutes(2)),
            (2, 5, Some(minutes(1)), minutes(4)),
        ] {
            for entropy in 0..200 {
                let schedule = Schedule::new(minutes(minimum), entropy);
                let warehouse = warehouse("w", minutes(spec), age);
                let after = schedule.requeue(&warehouse, NOW);
                let tenth = minutes(spec.max(minimum)) / 10;
                assert!(after >= expected.saturating_sub(tenth), "{after:?} {expected:?}");
                assert!(after <= expected + tenth, "{after:?} {expected:?}");
                let waited = age.unwrap_or_default() + after;
                assert!(waited >= minutes(minimum), "{waited:?}");
            }
        }
    }

    #[test]
    fn no_interval_is_no_tight_loop() {
        let schedule = Schedule::new(Duration::ZERO, 1);
        let warehouse = warehouse("w", Duration::ZERO, Some(Duration::ZERO));
        assert!(schedule.requeue(&warehouse, NOW) >= Duration::from_millis(900));
    }

    #[test]
    fn after_a_start_only_what_is_merely_due_waits() {
        let schedule = Schedule::new(Duration::ZERO, 7);
        let never = warehouse("w", minutes(5), None);
        assert_eq!(schedule.startup_delay(&never, NOW), Duration::ZERO);
        let fresh = warehouse("w", minutes(5), Some(minutes(1)));
        assert_eq!(schedule.startup_delay(&fresh, NOW), Duration::ZERO);
        let mut asked = warehouse("w", minutes(5), Some(minutes(60)));
        let token = ("kargo.akuity.io/refresh".to_owned(), "now".to_owned());
        asked.metadata.annotations = Some([token].into());
        assert_eq!(schedule.startup_delay(&asked, NOW), Duration::ZERO);
        let delays = (0..100).map(|number| {
            let overdue = warehouse(&format!("w{number}"), minutes(5), Some(minutes(60)));
            schedule.startup_delay(&overdue, NOW)
        });
        let (early, late): (Vec<_>, Vec<_>) = delays.partition(|delay| *delay < minutes(5) / 8);
        assert!(early.len() > 25 && late.len() > 25, "{} {}", early.len(), late.len());
        assert!(late.iter().all(|delay| *delay <= minutes(5) / 4));
    }

    proptest! {
        #[test]
        fn what_is_due_when_its_time_has_come_is_due_for_everybody(
            entropy in any::<u64>(), seconds in 0_u64..10_000, age in 0_u64..10_000,
        ) {
            let schedule = Schedule::new(Duration::from_secs(30), entropy);
            let (interval, age) = (Duration::from_secs(seconds), Duration::from_secs(age));
            let warehouse = warehouse("w", interval, Some(age));
            let then = NOW + schedule.requeue(&warehouse, NOW);
            prop_assert!(schedule.due_at(&warehouse).is_some_and(|due| due <= then));
        }
    }
}
