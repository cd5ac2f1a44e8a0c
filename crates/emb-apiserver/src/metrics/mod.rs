//! Counters of the server, printed in the Prometheus text format under the names that Kubernetes dashboards look for.

mod histogram;
mod labels;
mod store;
mod text;
mod webhook;

use std::{
    collections::BTreeMap,
    sync::{
        Arc,
        atomic::{AtomicI64, AtomicU64, Ordering},
    },
    time::Duration,
};

use parking_lot::Mutex;

pub(crate) use labels::Labels;
pub(crate) use webhook::{Asked, Ended, Webhooks};

use self::{
    histogram::{COUNTS, Histogram, SECONDS},
    text::{heading, sample, single},
};
use crate::state::State;

/// All counters.
pub(crate) struct Metrics {
    requests: Mutex<BTreeMap<(Labels, u16), u64>>,
    durations: Mutex<BTreeMap<Labels, Histogram>>,
    long_running: Mutex<BTreeMap<Labels, Arc<AtomicI64>>>,
    watch_events: Mutex<BTreeMap<WatchLabels, Arc<AtomicU64>>>,
    commits: Mutex<Histogram>,
    batches: Mutex<Histogram>,
    unchanged_writes: AtomicU64,
    audit_events: AtomicU64,
    panics: AtomicU64,
    pub(crate) webhooks: Webhooks,
}

/// What events sent to watchers are counted under: group, version and resource.
type WatchLabels = [String; 3];

/// Counts as running until dropped.
pub(crate) struct LongRunning(Arc<AtomicI64>);

impl Drop for LongRunning {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Default for Metrics {
    fn default() -> Self {
        Self {
            requests: Mutex::default(),
            durations: Mutex::default(),
            long_running: Mutex::default(),
            watch_events: Mutex::default(),
            commits: Mutex::new(Histogram::new(SECONDS)),
            batches: Mutex::new(Histogram::new(COUNTS)),
            unchanged_writes: AtomicU64::new(0),
            audit_events: AtomicU64::new(0),
            panics: AtomicU64::new(0),
            webhooks: Webhooks::default(),
        }
    }
}

impl Metrics {
    /// Counts a completed request.
    pub(crate) fn request(&self, labels: &Labels, code: u16, took: Duration) {
        *self.requests.lock().entry((labels.clone(), code)).or_default() += 1;
        let mut durations = self.durations.lock();
        let durations = durations.entry(labels.clone());
        durations.or_insert_with(|| Histogram::new(SECONDS)).observe(took.as_secs_f64());
    }

    /// Counts a watch while the returned guard lives.
    pub(crate) fn long_running(&self, labels: &Labels) -> LongRunning {
        let gauge = self.long_running.lock().entry(labels.clone()).or_default().clone();
        gauge.fetch_add(1, Ordering::Relaxed);
        LongRunning(gauge)
    }

    /// The counter of events sent to watchers of a resource.
    pub(crate) fn watch_events(
        &self,
        group: &str,
        version: &str,
        resource: &str,
    ) -> Arc<AtomicU64> {
        let key = [group, version, resource].map(str::to_owned);
        self.watch_events.lock().entry(key).or_default().clone()
    }

    /// Counts a commit, made durable or refused.
    pub(crate) fn commit(&self, took: Duration) {
        self.commits.lock().observe(took.as_secs_f64());
    }

    /// Counts events that became durable together.
    pub(crate) fn batch(&self, events: usize) {
        self.batches.lock().observe(f64::from(u32::try_from(events).unwrap_or(u32::MAX)));
    }

    /// Counts a write that changed nothing.
    pub(crate) fn unchanged_write(&self) {
        self.unchanged_writes.fetch_add(1, Ordering::Relaxed);
    }

    /// Counts a request that was told to the audit log.
    pub(crate) fn audit_event(&self) {
        self.audit_events.fetch_add(1, Ordering::Relaxed);
    }

    /// Counts a request that panicked.
    pub(crate) fn panic(&self) {
        self.panics.fetch_add(1, Ordering::Relaxed);
    }

    fn print(&self, out: &mut String) {
        self.print_requests(out);
        self.print_watches(out);
        self.webhooks.print(out);
        let commits = "apiserver_storage_commit_duration_seconds";
        heading(out, commits, "histogram", "From the request of a commit to its answer.");
        text::histogram(out, commits, "", &self.commits.lock());
        let batches = "apiserver_storage_batch_events";
        heading(
            out,
            batches,
            "histogram",
            "Events that were made durable together, with one sync.",
        );
        text::histogram(out, batches, "", &self.batches.lock());
        let counters = [
            (
                "apiserver_unchanged_writes_total",
                "Writes that changed nothing and were not stored.",
                &self.unchanged_writes,
            ),
            (
                "apiserver_audit_event_total",
                "Requests that were told to the audit log.",
                &self.audit_events,
            ),
            ("apiserver_request_panics_total", "Requests that panicked.", &self.panics),
        ];
        for (name, help, counter) in counters {
            single(out, name, "counter", help, counter.load(Ordering::Relaxed));
        }
    }

    fn print_requests(&self, out: &mut String) {
        heading(out, "apiserver_request_total", "counter", "Completed requests.");
        for ((labels, code), count) in &*self.requests.lock() {
            let labels = format!("code=\"{code}\",{labels}");
            sample(out, "apiserver_request_total", &labels, count);
        }
        let durations = "apiserver_request_duration_seconds";
        heading(out, durations, "histogram", "How long requests took.");
        for (labels, histogram) in &*self.durations.lock() {
            text::histogram(out, durations, &labels.to_string(), histogram);
        }
    }

    fn print_watches(&self, out: &mut String) {
        heading(out, "apiserver_longrunning_requests", "gauge", "Watches that are open.");
        for (labels, gauge) in &*self.long_running.lock() {
            let (labels, open) =
                (labels.of_long_running().to_string(), gauge.load(Ordering::Relaxed));
            sample(out, "apiserver_longrunning_requests", &labels, open);
        }
        heading(out, "apiserver_watch_events_total", "counter", "Events sent to watchers.");
        for ([group, version, resource], count) in &*self.watch_events.lock() {
            let labels = format!("group=\"{group}\",resource=\"{resource}\",version=\"{version}\"");
            let sent = count.load(Ordering::Relaxed);
            sample(out, "apiserver_watch_events_total", &labels, sent);
        }
    }
}

/// Everything as text.
pub(crate) fn print(state: &State) -> String {
    let mut out = String::new();
    state.metrics.print(&mut out);
    if let Some(sink) = &state.audit {
        let name = "apiserver_audit_error_total";
        heading(&mut out, name, "counter", "Audit lines that were dropped.");
        sample(&mut out, name, "plugin=\"log\"", sink.dropped());
    }
    let in_flight = "apiserver_current_inflight_requests";
    heading(&mut out, in_flight, "gauge", "Requests under way.");
    for (kind, count) in ["readOnly", "mutating"].iter().zip(state.in_flight.counts()) {
        sample(&mut out, in_flight, &format!("request_kind=\"{kind}\""), count);
    }
    store::print(&state.store, &mut out);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_counted_by_label_and_code() {
        let metrics = Metrics::default();
        let labels = Labels { verb: "LIST", resource: "stages".into(), ..Labels::default() };
        metrics.request(&labels, 200, Duration::from_millis(2));
        metrics.request(&labels, 200, Duration::from_millis(2));
        metrics.batch(3);
        let open = metrics.long_running(&labels);
        let mut text = String::new();
        metrics.print(&mut text);
        for line in [
            "apiserver_request_total{code=\"200\",component=\"apiserver\",dry_run=\"\",group=\"\",resource=\"stages\",scope=\"\",subresource=\"\",verb=\"LIST\",version=\"\"} 2",
            "verb=\"LIST\",version=\"\",le=\"0.0025\"} 2",
            "verb=\"LIST\",version=\"\",le=\"0.001\"} 0",
            "apiserver_storage_batch_events_bucket{le=\"2\"} 0",
            "apiserver_storage_batch_events_bucket{le=\"5\"} 1",
            "apiserver_longrunning_requests{component=\"apiserver\",group=\"\",resource=\"stages\",scope=\"\",subresource=\"\",verb=\"LIST\",version=\"\"} 1",
        ] {
            assert!(text.contains(line), "{line}\n{text}");
        }
        drop(open);
    }
}
