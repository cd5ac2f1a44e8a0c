//! Counters of the server, printed in the Prometheus text format under the names that Kubernetes dashboards look for.

use std::{
    collections::BTreeMap,
    fmt::Write,
    sync::{
        Arc,
        atomic::{AtomicI64, AtomicU64, Ordering},
    },
    time::Duration,
};

use parking_lot::Mutex;

/// Upper bounds of the request duration buckets, in seconds.
const BUCKETS: [f64; 14] =
    [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0, 60.0];

/// What a request is counted under. Every part comes from a closed set: served resources and known verbs.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Labels {
    pub(crate) verb: &'static str,
    pub(crate) group: String,
    pub(crate) version: String,
    pub(crate) resource: String,
    pub(crate) subresource: String,
    pub(crate) scope: &'static str,
}

impl Labels {
    fn shown(&self) -> String {
        format!(
            "verb=\"{}\",group=\"{}\",version=\"{}\",resource=\"{}\",subresource=\"{}\",scope=\"{}\"",
            self.verb.to_uppercase(),
            self.group,
            self.version,
            self.resource,
            self.subresource,
            self.scope
        )
    }
}

#[derive(Clone, Copy, Default)]
struct Histogram {
    counts: [u64; BUCKETS.len()],
    count: u64,
    sum: f64,
}

impl Histogram {
    fn observe(&mut self, seconds: f64) {
        for (count, bound) in self.counts.iter_mut().zip(BUCKETS) {
            *count += u64::from(seconds <= bound);
        }
        self.count += 1;
        self.sum += seconds;
    }
}

/// All counters.
#[derive(Default)]
pub(crate) struct Metrics {
    requests: Mutex<BTreeMap<(Labels, u16), u64>>,
    durations: Mutex<BTreeMap<Labels, Histogram>>,
    long_running: Mutex<BTreeMap<Labels, Arc<AtomicI64>>>,
    watch_events: Mutex<BTreeMap<(String, String), Arc<AtomicU64>>>,
    commits: Mutex<Histogram>,
    batches: AtomicU64,
    batched_events: AtomicU64,
    unchanged_writes: AtomicU64,
    panics: AtomicU64,
}

/// Counts as running until dropped.
pub(crate) struct LongRunning(Arc<AtomicI64>);

impl Drop for LongRunning {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Metrics {
    /// Counts a completed request.
    pub(crate) fn request(&self, labels: &Labels, code: u16, took: Duration) {
        *self.requests.lock().entry((labels.clone(), code)).or_default() += 1;
        self.durations.lock().entry(labels.clone()).or_default().observe(took.as_secs_f64());
    }

    /// Counts a watch while the returned guard lives.
    pub(crate) fn long_running(&self, labels: &Labels) -> LongRunning {
        let gauge = self.long_running.lock().entry(labels.clone()).or_default().clone();
        gauge.fetch_add(1, Ordering::Relaxed);
        LongRunning(gauge)
    }

    /// The counter of events sent to watchers of a kind.
    pub(crate) fn watch_events(&self, group: &str, kind: &str) -> Arc<AtomicU64> {
        let key = (group.to_owned(), kind.to_owned());
        self.watch_events.lock().entry(key).or_default().clone()
    }

    /// Counts a commit, made durable or refused.
    pub(crate) fn commit(&self, took: Duration) {
        self.commits.lock().observe(took.as_secs_f64());
    }

    /// Counts events that became durable together.
    pub(crate) fn batch(&self, events: usize) {
        self.batches.fetch_add(1, Ordering::Relaxed);
        self.batched_events.fetch_add(events as u64, Ordering::Relaxed);
    }

    /// Counts a write that changed nothing.
    pub(crate) fn unchanged_write(&self) {
        self.unchanged_writes.fetch_add(1, Ordering::Relaxed);
    }

    /// Counts a request that panicked.
    pub(crate) fn panic(&self) {
        self.panics.fetch_add(1, Ordering::Relaxed);
    }

    /// Everything as text.
    pub(crate) fn print(&self, objects: impl Iterator<Item = (String, usize)>) -> String {
        let mut out = String::new();
        self.print_requests(&mut out);
        self.print_durations(&mut out);
        heading(&mut out, "apiserver_longrunning_requests", "gauge", "Watches that are open.");
        for (labels, gauge) in &*self.long_running.lock() {
            let open = gauge.load(Ordering::Relaxed);
            sample(&mut out, "apiserver_longrunning_requests", &labels.shown(), open);
        }
        heading(&mut out, "apiserver_watch_events_total", "counter", "Events sent to watchers.");
        for ((group, kind), count) in &*self.watch_events.lock() {
            let labels = format!("group=\"{group}\",kind=\"{kind}\"");
            let sent = count.load(Ordering::Relaxed);
            sample(&mut out, "apiserver_watch_events_total", &labels, sent);
        }
        heading(&mut out, "apiserver_storage_objects", "gauge", "Stored objects by resource.");
        for (resource, count) in objects {
            let labels = format!("resource=\"{resource}\"");
            sample(&mut out, "apiserver_storage_objects", &labels, count);
        }
        let commits = "apiserver_storage_commit_duration_seconds";
        heading(&mut out, commits, "histogram", "From the request of a commit to its answer.");
        print_histogram(&mut out, commits, "", &self.commits.lock());
        let single = [
            (
                "apiserver_storage_batches_total",
                "Batches that were made durable, each with one sync.",
                &self.batches,
            ),
            (
                "apiserver_storage_batched_events_total",
                "Events in those batches.",
                &self.batched_events,
            ),
            (
                "apiserver_unchanged_writes_total",
                "Writes that changed nothing and were not stored.",
                &self.unchanged_writes,
            ),
            ("apiserver_request_panics_total", "Requests that panicked.", &self.panics),
        ];
        for (name, help, counter) in single {
            heading(&mut out, name, "counter", help);
            sample(&mut out, name, "", counter.load(Ordering::Relaxed));
        }
        out
    }

    fn print_requests(&self, out: &mut String) {
        heading(out, "apiserver_request_total", "counter", "Completed requests.");
        for ((labels, code), count) in &*self.requests.lock() {
            let labels = format!("{},code=\"{code}\"", labels.shown());
            sample(out, "apiserver_request_total", &labels, count);
        }
    }

    fn print_durations(&self, out: &mut String) {
        let name = "apiserver_request_duration_seconds";
        heading(out, name, "histogram", "How long requests took.");
        for (labels, histogram) in &*self.durations.lock() {
            print_histogram(out, name, &labels.shown(), histogram);
        }
    }
}

fn print_histogram(out: &mut String, name: &str, labels: &str, histogram: &Histogram) {
    let comma = if labels.is_empty() { "" } else { "," };
    let bucket = format!("{name}_bucket");
    for (bound, count) in BUCKETS.iter().zip(histogram.counts) {
        sample(out, &bucket, &format!("{labels}{comma}le=\"{bound}\""), count);
    }
    sample(out, &bucket, &format!("{labels}{comma}le=\"+Inf\""), histogram.count);
    sample(out, &format!("{name}_sum"), labels, histogram.sum);
    sample(out, &format!("{name}_count"), labels, histogram.count);
}

/// The two lines before the samples of a metric.
pub(crate) fn heading(out: &mut String, name: &str, kind: &str, help: &str) {
    let _ = writeln!(out, "# HELP {name} {help}\n# TYPE {name} {kind}");
}

/// One sample; `labels` may be empty.
pub(crate) fn sample(out: &mut String, name: &str, labels: &str, value: impl std::fmt::Display) {
    // Writing to a string cannot fail.
    let _ = if labels.is_empty() {
        writeln!(out, "{name} {value}")
    } else {
        writeln!(out, "{name}{{{labels}}} {value}")
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_counted_by_label_and_code() {
        let metrics = Metrics::default();
        let labels = Labels { verb: "list", resource: "stages".into(), ..Labels::default() };
        metrics.request(&labels, 200, Duration::from_millis(2));
        metrics.request(&labels, 200, Duration::from_millis(2));
        let open = metrics.long_running(&labels);
        let text = metrics.print(std::iter::once(("stages".to_owned(), 3)));
        assert!(text.contains("code=\"200\"} 2"), "{text}");
        assert!(text.contains("le=\"0.0025\"} 2"), "{text}");
        assert!(text.contains("le=\"0.001\"} 0"), "{text}");
        assert!(text.contains("apiserver_storage_objects{resource=\"stages\"} 3"), "{text}");
        drop(open);
    }
}
