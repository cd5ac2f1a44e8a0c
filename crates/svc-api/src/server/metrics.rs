//! What the server counts about its requests.

use std::{
    collections::BTreeMap,
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
    time::Duration,
};

use http::StatusCode;
use io_kube::{Family, FamilyKind, Histogram, Sample};
use parking_lot::Mutex;

/// The operation of the route that answered, carried by its response.
#[derive(Clone, Copy)]
pub(crate) struct Operation(pub(crate) &'static str);

/// What is no route of the table.
const NO_OPERATION: &str = "none";

/// Counts since the start.
#[derive(Default)]
pub(crate) struct Metrics {
    requests: Mutex<BTreeMap<&'static str, Requests>>,
    streams: Arc<AtomicI64>,
}

#[derive(Default)]
struct Requests {
    codes: BTreeMap<u16, u64>,
    durations: Histogram,
}

impl Metrics {
    /// A request was answered.
    pub(super) fn answered(
        &self,
        operation: Option<Operation>,
        status: StatusCode,
        took: Duration,
    ) {
        let name = operation.map_or(NO_OPERATION, |Operation(name)| name);
        let mut all = self.requests.lock();
        let requests = all.entry(name).or_default();
        *requests.codes.entry(status.as_u16()).or_default() += 1;
        requests.durations.observe(took);
    }

    /// A stream is open until the mark is dropped.
    pub(super) fn stream(&self) -> OpenStream {
        self.streams.fetch_add(1, Ordering::Relaxed);
        OpenStream(self.streams.clone())
    }

    /// The counts, for Prometheus.
    #[expect(clippy::cast_precision_loss, reason = "Prometheus numbers are floats")]
    pub(crate) fn families(&self) -> Vec<Family> {
        let all = self.requests.lock();
        let counts = all.iter().flat_map(|(operation, requests)| {
            requests.codes.iter().map(|(code, count)| Sample {
                suffix: "",
                labels: vec![("operation", (*operation).to_owned()), ("code", code.to_string())],
                value: *count as f64,
            })
        });
        let durations = all.iter().flat_map(|(operation, requests)| {
            requests.durations.samples(&[("operation", *operation)])
        });
        let streams = self.streams.load(Ordering::Relaxed) as f64;
        vec![
            Family {
                name: "kargo_api_requests_total",
                help: "Requests by operation and status.",
                kind: FamilyKind::Counter,
                samples: counts.collect(),
            },
            Family {
                name: "kargo_api_request_duration_seconds",
                help: "How long requests took until the head of their answer.",
                kind: FamilyKind::Histogram,
                samples: durations.collect(),
            },
            Family {
                name: "kargo_api_streams",
                help: "Streams of changes and logs that are open.",
                kind: FamilyKind::Gauge,
                samples: vec![Sample { suffix: "", labels: Vec::new(), value: streams }],
            },
        ]
    }
}

/// The mark of an open stream.
pub(super) struct OpenStream(Arc<AtomicI64>);

impl Drop for OpenStream {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use io_kube::prometheus_text;

    use super::*;

    #[test]
    fn requests_are_counted_by_operation_and_status_and_streams_while_they_are_open() {
        let metrics = Metrics::default();
        let took = Duration::from_millis(2);
        metrics.answered(Some(Operation("ListStages")), StatusCode::OK, took);
        metrics.answered(Some(Operation("ListStages")), StatusCode::OK, took);
        metrics.answered(None, StatusCode::UNAUTHORIZED, took);
        let open = metrics.stream();
        let text = prometheus_text(metrics.families());
        for line in [
            "kargo_api_requests_total{operation=\"ListStages\",code=\"200\"} 2\n",
            "kargo_api_requests_total{operation=\"none\",code=\"401\"} 1\n",
            "kargo_api_request_duration_seconds_count{operation=\"ListStages\"} 2\n",
            "kargo_api_streams 1\n",
        ] {
            assert!(text.contains(line), "{line}{text}");
        }
        drop(open);
        assert!(prometheus_text(metrics.families()).contains("kargo_api_streams 0\n"));
    }
}
