//! How far the replica has come, for metrics and for the log.

use std::{
    error::Error,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use core_clock::{Clock, Time};
use io_kube::{Family, FamilyKind, Sample};
use parking_lot::Mutex;
use serde_json::{Value, json};

use crate::{component::Probe, exit::with_causes};

/// The pause after the first failure; it doubles up to the longest.
const SHORTEST_PAUSE: Duration = Duration::from_secs(1);
const LONGEST_PAUSE: Duration = Duration::from_secs(30);

/// What is told about the replica. Clones share it.
#[derive(Clone)]
pub(super) struct Progress {
    clock: Arc<dyn Clock>,
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    revision: AtomicU64,
    failures: AtomicU64,
    /// When the oldest change was made that is not there yet, at the earliest.
    waiting: Mutex<Option<Time>>,
    /// Why nothing can be shipped.
    problem: Mutex<Option<String>>,
}

impl Progress {
    pub(super) fn new(clock: Arc<dyn Clock>) -> Self {
        Self { clock, shared: Arc::default() }
    }

    /// There is a change that the replica does not have.
    pub(super) fn is_behind(&self) {
        self.shared.waiting.lock().get_or_insert_with(|| self.clock.now());
    }

    /// Everything up to `revision` is there; what is not was made at `since` or later.
    pub(super) fn has_come_to(&self, revision: u64, since: Option<Time>) {
        self.shared.revision.store(revision, Ordering::Relaxed);
        *self.shared.waiting.lock() = since;
    }

    /// What a doctor is told.
    pub(super) fn report(&self, place: &str) -> Value {
        json!({
            "place": place,
            "revision": self.shared.revision.load(Ordering::Relaxed),
            "lagSeconds": self.lag().as_secs(),
            "problem": self.shared.problem.lock().clone().unwrap_or_default(),
        })
    }

    fn lag(&self) -> Duration {
        let waiting = *self.shared.waiting.lock();
        waiting.map_or(Duration::ZERO, |since| self.clock.now().since(since))
    }
}

impl Probe for Progress {
    fn name(&self) -> &'static str {
        "replica"
    }

    /// Who cannot ship goes on serving.
    fn unready(&self) -> Option<String> {
        None
    }

    #[expect(clippy::cast_precision_loss, reason = "Prometheus numbers are floats")]
    fn metrics(&self) -> Vec<Family> {
        let family = |name, help, kind, value| {
            let samples = vec![Sample { suffix: "", labels: Vec::new(), value }];
            Family { name, help, kind, samples }
        };
        let number = |number: &AtomicU64| number.load(Ordering::Relaxed) as f64;
        vec![
            family(
                "kargo_replica_revision",
                "The last revision that the replica of the store has.",
                FamilyKind::Gauge,
                number(&self.shared.revision),
            ),
            family(
                "kargo_replica_lag_seconds",
                "The age of the oldest change that the replica of the store does not have.",
                FamilyKind::Gauge,
                self.lag().as_secs_f64(),
            ),
            family(
                "kargo_replica_failures_total",
                "How often nothing could be added to the replica of the store.",
                FamilyKind::Counter,
                number(&self.shared.failures),
            ),
        ]
    }
}

/// A time in which nothing can be shipped; told when it begins and when it ends.
#[derive(Default)]
pub(super) struct Trouble {
    pause: Option<Duration>,
}

impl Trouble {
    /// It failed once more; how long to wait before the next try.
    pub(super) fn note(
        &mut self,
        error: &(dyn Error + 'static),
        place: &str,
        progress: &Progress,
    ) -> Duration {
        progress.shared.failures.fetch_add(1, Ordering::Relaxed);
        let error = with_causes(error);
        let next = match self.pause {
            None => {
                tracing::warn!(
                    replica = place,
                    error,
                    "the replica falls behind; it is tried again"
                );
                SHORTEST_PAUSE
            }
            Some(pause) => (pause * 2).min(LONGEST_PAUSE),
        };
        *progress.shared.problem.lock() = Some(error);
        *self.pause.insert(next)
    }

    /// It works.
    pub(super) fn end(&mut self, place: &str, progress: &Progress) {
        if self.pause.take().is_some() {
            *progress.shared.problem.lock() = None;
            tracing::info!(replica = place, "the replica follows again");
        }
    }
}

#[cfg(test)]
mod tests {
    use core_clock::ManualClock;
    use io_kube::prometheus_text;

    use super::*;

    #[test]
    fn the_lag_is_the_age_of_the_oldest_change_that_is_missing() {
        let clock = ManualClock::new(Time::from_seconds(1_700_000_000));
        let progress = Progress::new(Arc::new(clock.clone()));
        let told = || prometheus_text(progress.metrics());
        progress.is_behind();
        clock.advance(Duration::from_secs(3));
        progress.is_behind();
        assert!(told().contains("\nkargo_replica_lag_seconds 3\n"), "{}", told());
        progress.has_come_to(7, None);
        assert!(told().contains("\nkargo_replica_lag_seconds 0\n"), "{}", told());
        assert!(told().contains("\nkargo_replica_revision 7\n"), "{}", told());
    }

    #[test]
    fn failures_are_counted_and_told_and_pauses_grow() {
        let clock = ManualClock::new(Time::default());
        let progress = Progress::new(Arc::new(clock.clone()));
        progress.has_come_to(7, Some(clock.now()));
        let mut trouble = Trouble::default();
        let error = std::io::Error::other("no way");
        let pauses: Vec<u64> =
            (0..7).map(|_| trouble.note(&error, "x", &progress).as_secs()).collect();
        assert_eq!(pauses, [1, 2, 4, 8, 16, 30, 30]);
        clock.advance(Duration::from_secs(90));
        let told = json!({"place": "x", "revision": 7, "lagSeconds": 90, "problem": "no way"});
        assert_eq!(progress.report("x"), told);
        trouble.end("x", &progress);
        progress.has_come_to(8, None);
        let told = json!({"place": "x", "revision": 8, "lagSeconds": 0, "problem": ""});
        assert_eq!(progress.report("x"), told);
        assert_eq!(trouble.note(&error, "x", &progress).as_secs(), 1);
        let told = prometheus_text(progress.metrics());
        assert!(told.contains("\nkargo_replica_failures_total 8\n"), "{told}");
    }
}
