//! What the process tells about the webhook server while it runs.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use io_http::ServerCertificate;
use io_kube::{Family, FamilyKind, Histogram, Sample};
use parking_lot::Mutex;

use crate::registration::phase_of_path;

/// Counts of a running webhook server, under the names that dashboards of controllers look for. Clones share them.
#[derive(Clone)]
pub struct Monitor {
    certificate: ServerCertificate,
    webhooks: Arc<Mutex<BTreeMap<String, Counts>>>,
}

/// What one webhook was asked.
#[derive(Default)]
struct Counts {
    codes: BTreeMap<u16, u64>,
    seconds: Histogram,
}

impl Monitor {
    pub(crate) fn new(certificate: ServerCertificate) -> Self {
        Self { certificate, webhooks: Arc::default() }
    }

    /// Counts an answer. What is no webhook is not counted: its path is anyone's.
    pub(crate) fn record(&self, path: &str, code: u16, took: Duration) {
        if phase_of_path(path).is_none() {
            return;
        }
        let mut webhooks = self.webhooks.lock();
        let counts = webhooks.entry(path.to_owned()).or_default();
        *counts.codes.entry(code).or_default() += 1;
        counts.seconds.observe(took);
    }

    /// The metrics of the server.
    pub fn metrics(&self) -> Vec<Family> {
        let webhooks = self.webhooks.lock();
        vec![
            Family {
                name: "controller_runtime_webhook_requests_total",
                help: "Answers by status.",
                kind: FamilyKind::Counter,
                samples: webhooks
                    .iter()
                    .flat_map(|(path, counts)| requests(path, counts))
                    .collect(),
            },
            Family {
                name: "controller_runtime_webhook_latency_seconds",
                help: "How long answers took.",
                kind: FamilyKind::Histogram,
                samples: webhooks
                    .iter()
                    .flat_map(|(path, counts)| counts.seconds.samples(&[("webhook", path)]))
                    .collect(),
            },
            self.expiry(),
        ]
    }

    #[expect(clippy::cast_precision_loss, reason = "Prometheus numbers are floats")]
    fn expiry(&self) -> Family {
        let sample = |seconds: i64| Sample {
            suffix: "",
            labels: vec![("component", "kubernetes-webhooks-server".to_owned())],
            value: seconds as f64,
        };
        Family {
            name: "kargo_certificate_expiry_timestamp_seconds",
            help: "When the certificate runs out.",
            kind: FamilyKind::Gauge,
            samples: self
                .certificate
                .expires()
                .map(|time| sample(time.as_seconds()))
                .into_iter()
                .collect(),
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "Prometheus numbers are floats")]
fn requests(path: &str, counts: &Counts) -> Vec<Sample> {
    let sample = |(code, count): (&u16, &u64)| Sample {
        suffix: "",
        labels: vec![("webhook", path.to_owned()), ("code", code.to_string())],
        value: *count as f64,
    };
    counts.codes.iter().map(sample).collect()
}

#[cfg(test)]
mod tests {
    use core_clock::Time;
    use io_http::Authority;
    use io_kube::prometheus_text;

    use super::*;

    #[test]
    fn webhooks_are_counted_by_path_and_status_and_nothing_else_is() {
        let now = Time::from_seconds(1_700_000_000);
        let authority = Authority::generate(now).unwrap();
        let monitor = Monitor::new(authority.issue(&["localhost".to_owned()], now).unwrap());
        let path = "/validate-kargo-akuity-io-v1alpha1-stage";
        monitor.record(path, 200, Duration::from_millis(3));
        monitor.record(path, 200, Duration::from_millis(30));
        monitor.record(path, 400, Duration::ZERO);
        monitor.record("/anything", 404, Duration::ZERO);
        let text = prometheus_text(monitor.metrics());
        let requests = "controller_runtime_webhook_requests_total";
        assert!(
            text.contains(&format!("{requests}{{webhook=\"{path}\",code=\"200\"}} 2\n")),
            "{text}"
        );
        assert!(
            text.contains(&format!("{requests}{{webhook=\"{path}\",code=\"400\"}} 1\n")),
            "{text}"
        );
        let latency = "controller_runtime_webhook_latency_seconds";
        let bucket = format!("{latency}_bucket{{webhook=\"{path}\",le=\"0.01\"}} 2\n");
        assert!(text.contains(&bucket), "{text}");
        assert!(!text.contains("anything"), "{text}");
        let expiry = "kargo_certificate_expiry_timestamp_seconds{component=";
        assert!(text.contains(expiry), "{text}");
    }
}
