//! Metrics that every process has: what it is, and what it takes from the machine.

use core_clock::{Clock, Time};
use io_kube::{Family, FamilyKind, RequestCounter, Sample};
use io_runtime::ProcessFigures;

use super::vitals::Probe;
use crate::version;

/// The process as its operating system sees it.
pub(super) struct ProcessMetrics {
    component: &'static str,
    shard: String,
    started: Time,
}

impl ProcessMetrics {
    /// The process of a subcommand that starts now.
    pub(super) fn new(component: &'static str, shard: Option<&str>, clock: &dyn Clock) -> Self {
        Self { component, shard: shard.unwrap_or_default().to_owned(), started: clock.now() }
    }

    fn build(&self) -> Family {
        let labels = vec![
            ("version", version::number()),
            ("commit", version::COMMIT.to_owned()),
            ("component", self.component.to_owned()),
            ("shard", self.shard.clone()),
        ];
        let samples = vec![Sample { suffix: "", labels, value: 1.0 }];
        let help = "Which build this is.";
        Family { name: "kargo_build_info", help, kind: FamilyKind::Gauge, samples }
    }

    #[expect(clippy::cast_precision_loss, reason = "Prometheus numbers are floats")]
    fn start(&self) -> Option<Family> {
        let seconds = self.started.as_seconds() as f64;
        figure("process_start_time_seconds", "When the process started.", Some(seconds))
    }
}

impl Probe for ProcessMetrics {
    fn name(&self) -> &'static str {
        "process"
    }

    fn unready(&self) -> Option<String> {
        None
    }

    fn metrics(&self) -> Vec<Family> {
        let figures = ProcessFigures::read();
        let told = [
            self.start(),
            figure("process_resident_memory_bytes", "Memory in use.", figures.resident_bytes),
            figure(
                "process_virtual_memory_bytes",
                "Memory that is reserved.",
                figures.virtual_bytes,
            ),
            figure("process_threads", "Threads.", figures.threads),
            figure("process_open_fds", "Files and sockets that are open.", figures.open_files),
            figure("process_max_fds", "Files and sockets that may be open.", figures.max_files),
            figure("process_cpu_seconds_total", "Processor time.", figures.cpu_seconds)
                .map(|family| Family { kind: FamilyKind::Counter, ..family }),
        ];
        told.into_iter().flatten().chain([self.build()]).collect()
    }
}

fn figure(name: &'static str, help: &'static str, value: Option<f64>) -> Option<Family> {
    let samples = vec![Sample { suffix: "", labels: Vec::new(), value: value? }];
    Some(Family { name, help, kind: FamilyKind::Gauge, samples })
}

impl Probe for RequestCounter {
    fn name(&self) -> &'static str {
        "requests"
    }

    fn unready(&self) -> Option<String> {
        None
    }

    fn metrics(&self) -> Vec<Family> {
        vec![self.family()]
    }
}

#[cfg(test)]
mod tests {
    use core_clock::ManualClock;
    use io_kube::prometheus_text;

    use super::*;

    #[test]
    fn every_process_tells_its_build_and_what_it_takes() {
        let clock = ManualClock::new(Time::from_seconds(1_700_000_000));
        let metrics = ProcessMetrics::new("controller", Some("dev"), &clock);
        let text = prometheus_text(metrics.metrics());
        assert!(text.contains("component=\"controller\",shard=\"dev\"} 1\n"), "{text}");
        assert!(text.contains("process_start_time_seconds 1700000000\n"), "{text}");
        #[cfg(target_os = "linux")]
        assert!(text.contains("# TYPE process_cpu_seconds_total counter\n"), "{text}");
    }
}
