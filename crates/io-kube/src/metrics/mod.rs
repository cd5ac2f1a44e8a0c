//! Counters of queues and workers, under the names that dashboards of controllers look for.

mod text;

use std::{
    sync::atomic::{AtomicI64, AtomicU64, Ordering},
    time::Duration,
};

use parking_lot::Mutex;

pub use text::prometheus_text;

/// Upper bounds of duration buckets, in seconds.
const BUCKETS: [f64; 14] =
    [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0, 60.0, 300.0];

/// A metric with all its samples, ready to be printed in whatever format.
#[derive(Clone, Debug, PartialEq)]
pub struct Family {
    /// For example `workqueue_depth`.
    pub name: &'static str,
    /// One sentence.
    pub help: &'static str,
    /// What its numbers mean.
    pub kind: FamilyKind,
    /// The numbers.
    pub samples: Vec<Sample>,
}

/// What the numbers of a family mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FamilyKind {
    /// Only grows.
    Counter,
    /// Goes up and down.
    Gauge,
    /// Samples with the suffixes `_bucket`, `_sum` and `_count`.
    Histogram,
}

/// One number.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample {
    /// What follows the name of the family; empty for counters and gauges.
    pub suffix: &'static str,
    /// Labels in the order they are printed.
    pub labels: Vec<(&'static str, String)>,
    /// The number.
    pub value: f64,
}

/// A number that only grows.
#[derive(Debug, Default)]
pub(crate) struct Counter(AtomicU64);

impl Counter {
    pub(crate) fn add(&self, count: u64) {
        self.0.fetch_add(count, Ordering::Relaxed);
    }

    #[expect(clippy::cast_precision_loss, reason = "Prometheus numbers are floats")]
    pub(crate) fn value(&self) -> f64 {
        self.0.load(Ordering::Relaxed) as f64
    }
}

/// A number that goes up and down.
#[derive(Debug, Default)]
pub(crate) struct Gauge(AtomicI64);

impl Gauge {
    pub(crate) fn add(&self, change: i64) {
        self.0.fetch_add(change, Ordering::Relaxed);
    }

    #[expect(clippy::cast_precision_loss, reason = "Prometheus numbers are floats")]
    pub(crate) fn value(&self) -> f64 {
        self.0.load(Ordering::Relaxed) as f64
    }
}

/// Durations, counted in buckets.
#[derive(Debug, Default)]
pub struct Histogram(Mutex<Counts>);

#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    buckets: [u64; BUCKETS.len()],
    count: u64,
    sum: Duration,
}

impl Histogram {
    /// Counts one duration.
    pub fn observe(&self, duration: Duration) {
        let seconds = duration.as_secs_f64();
        let mut counts = self.0.lock();
        for (count, bound) in counts.buckets.iter_mut().zip(BUCKETS) {
            *count += u64::from(seconds <= bound);
        }
        counts.count += 1;
        counts.sum = counts.sum.saturating_add(duration);
    }

    /// The samples of a histogram family, all under these labels.
    #[expect(clippy::cast_precision_loss, reason = "Prometheus numbers are floats")]
    pub fn samples(&self, labels: &[(&'static str, &str)]) -> Vec<Sample> {
        let counts = *self.0.lock();
        let labels: Vec<_> =
            labels.iter().map(|(name, value)| (*name, (*value).to_owned())).collect();
        let bounds = BUCKETS.iter().map(ToString::to_string).chain(["+Inf".to_owned()]);
        let values = counts.buckets.iter().chain([&counts.count]);
        let buckets = bounds.zip(values).map(|(bound, count)| Sample {
            suffix: "_bucket",
            labels: labels.iter().cloned().chain([("le", bound)]).collect(),
            value: *count as f64,
        });
        let whole = [("_sum", counts.sum.as_secs_f64()), ("_count", counts.count as f64)];
        let whole = whole.map(|(suffix, value)| Sample { suffix, labels: labels.clone(), value });
        buckets.chain(whole).collect()
    }
}

/// What a queue counts.
#[derive(Debug, Default)]
pub(crate) struct QueueMetrics {
    pub(crate) adds: Counter,
    pub(crate) retries: Counter,
    pub(crate) queue_seconds: Histogram,
    pub(crate) work_seconds: Histogram,
}

impl QueueMetrics {
    #[expect(clippy::cast_precision_loss, reason = "Prometheus numbers are floats")]
    pub(crate) fn families(&self, name: &str, depth: usize) -> Vec<Family> {
        let label = [("name", name)];
        let plain = |value| plain(vec![("name", name.to_owned())], value);
        vec![
            gauge("workqueue_depth", "Keys that are ready for a worker.", plain(depth as f64)),
            counter("workqueue_adds_total", "Keys that became ready.", plain(self.adds.value())),
            counter(
                "workqueue_retries_total",
                "Keys that go again after a failure.",
                plain(self.retries.value()),
            ),
            histogram(
                "workqueue_queue_duration_seconds",
                "How long keys waited for a worker.",
                self.queue_seconds.samples(&label),
            ),
            histogram(
                "workqueue_work_duration_seconds",
                "How long workers held keys.",
                self.work_seconds.samples(&label),
            ),
        ]
    }
}

/// What the workers of a controller count.
#[derive(Debug, Default)]
pub(crate) struct WorkerMetrics {
    pub(crate) success: Counter,
    pub(crate) requeue: Counter,
    pub(crate) requeue_after: Counter,
    pub(crate) error: Counter,
    pub(crate) panics: Counter,
    pub(crate) seconds: Histogram,
    pub(crate) active: Gauge,
}

impl WorkerMetrics {
    #[expect(clippy::cast_precision_loss, reason = "Prometheus numbers are floats")]
    pub(crate) fn families(&self, name: &str, workers: usize) -> Vec<Family> {
        let plain = |value| plain(vec![("controller", name.to_owned())], value);
        let results = [
            ("success", &self.success),
            ("requeue", &self.requeue),
            ("requeue_after", &self.requeue_after),
            ("error", &self.error),
        ];
        let results = results.map(|(result, count)| Sample {
            suffix: "",
            labels: vec![("controller", name.to_owned()), ("result", result.to_owned())],
            value: count.value(),
        });
        vec![
            counter("controller_runtime_reconcile_total", "Passes by result.", results.into()),
            counter(
                "controller_runtime_reconcile_errors_total",
                "Passes that failed.",
                plain(self.error.value()),
            ),
            counter(
                "controller_runtime_reconcile_panics_total",
                "Passes that panicked.",
                plain(self.panics.value()),
            ),
            histogram(
                "controller_runtime_reconcile_time_seconds",
                "How long passes took.",
                self.seconds.samples(&[("controller", name)]),
            ),
            gauge(
                "controller_runtime_active_workers",
                "Workers that are at a key.",
                plain(self.active.value()),
            ),
            gauge(
                "controller_runtime_max_concurrent_reconciles",
                "Workers there are.",
                plain(workers as f64),
            ),
        ]
    }
}

fn plain(labels: Vec<(&'static str, String)>, value: f64) -> Vec<Sample> {
    vec![Sample { suffix: "", labels, value }]
}

fn counter(name: &'static str, help: &'static str, samples: Vec<Sample>) -> Family {
    Family { name, help, kind: FamilyKind::Counter, samples }
}

fn gauge(name: &'static str, help: &'static str, samples: Vec<Sample>) -> Family {
    Family { name, help, kind: FamilyKind::Gauge, samples }
}

fn histogram(name: &'static str, help: &'static str, samples: Vec<Sample>) -> Family {
    Family { name, help, kind: FamilyKind::Histogram, samples }
}
