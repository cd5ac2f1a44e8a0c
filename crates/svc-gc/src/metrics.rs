//! Counters of the collector.

use std::collections::BTreeMap;

use core_clock::Time;
use core_rules::retention::Collected;
use io_kube::{Family, FamilyKind, Sample};
use parking_lot::Mutex;

use crate::report::Report;

/// Failures that concern no kind are counted under the Project itself.
const WHOLE_PROJECT: &str = "Project";

type Counts = BTreeMap<(&'static str, String), u64>;

/// What all runs of this process together did.
#[derive(Debug, Default)]
pub struct Metrics(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    deleted: Counts,
    errors: Counts,
    last_run: Option<Time>,
}

impl Metrics {
    /// Counts a run that deleted what it reports.
    pub(crate) fn record(&self, report: &Report, ended: Time) {
        let mut state = self.0.lock();
        for item in &report.items {
            *state.deleted.entry((item.kind.kind(), item.project.clone())).or_default() += 1;
        }
        for failure in &report.failures {
            let kind = failure.kind.map_or(WHOLE_PROJECT, Collected::kind);
            *state.errors.entry((kind, failure.project.clone())).or_default() += 1;
        }
        state.last_run = Some(ended);
    }

    /// The counters, ready to be printed.
    pub fn families(&self) -> Vec<Family> {
        let state = self.0.lock();
        vec![
            counter("kargo_gc_deleted_total", "Objects that were deleted.", &state.deleted),
            counter("kargo_gc_errors_total", "Failures of runs.", &state.errors),
            Family {
                name: "kargo_gc_last_run_timestamp_seconds",
                help: "When the last run ended.",
                kind: FamilyKind::Gauge,
                samples: state.last_run.into_iter().map(last_run).collect(),
            },
        ]
    }
}

#[expect(clippy::cast_precision_loss, reason = "Prometheus numbers are floats")]
fn last_run(ended: Time) -> Sample {
    Sample { suffix: "", labels: Vec::new(), value: ended.as_seconds() as f64 }
}

fn counter(name: &'static str, help: &'static str, counts: &Counts) -> Family {
    #[expect(clippy::cast_precision_loss, reason = "Prometheus numbers are floats")]
    let sample = |((kind, project), count): (&(&'static str, String), &u64)| Sample {
        suffix: "",
        labels: vec![("kind", (*kind).to_owned()), ("project", project.clone())],
        value: *count as f64,
    };
    Family { name, help, kind: FamilyKind::Counter, samples: counts.iter().map(sample).collect() }
}
