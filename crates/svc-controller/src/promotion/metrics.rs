//! What is counted of Promotions.

use std::collections::BTreeMap;

use api_kinds::Promotion;
use core_clock::Time;
use core_rules::wire_time::from_wire;
use io_kube::{Family, FamilyKind, Histogram, Sample};
use kube::ResourceExt;
use parking_lot::Mutex;

/// Numbers by Project, Stage and phase.
#[derive(Default)]
pub(super) struct Metrics {
    completed: Mutex<BTreeMap<Line, u64>>,
    /// From the first step to the end.
    durations: Durations,
    /// From creation to the first step.
    waits: Durations,
}

/// By Project and phase.
type Durations = Mutex<BTreeMap<(String, String), Histogram>>;

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Line {
    project: String,
    stage: String,
    phase: String,
}

impl Metrics {
    /// Counts a Promotion that ended.
    pub(super) fn ended(&self, promotion: &Promotion, now: Time) {
        let project = promotion.namespace().unwrap_or_default();
        let phase = promotion.status.phase.as_str().to_owned();
        let started = promotion.status.started_at.as_ref().map(from_wire);
        let created = promotion.metadata.creation_timestamp.as_ref().map(from_wire);
        let observe = |durations: &Durations, from: Option<Time>, to: Option<Time>| {
            if let (Some(from), Some(to)) = (from, to) {
                let mut durations = durations.lock();
                let line = durations.entry((project.clone(), phase.clone())).or_default();
                line.observe(to.since(from));
            }
        };
        observe(&self.durations, started, Some(now));
        observe(&self.waits, created, started);
        let line = Line { project, stage: promotion.spec.stage.clone(), phase };
        *self.completed.lock().entry(line).or_default() += 1;
    }

    /// All numbers, with how many Promotions run here now.
    #[expect(clippy::cast_precision_loss, reason = "Prometheus numbers are floats")]
    pub(super) fn families(&self, running: usize) -> Vec<Family> {
        let completed = self.completed.lock();
        let completed = completed.iter().map(|(line, count)| Sample {
            suffix: "",
            labels: vec![
                ("project", line.project.clone()),
                ("stage", line.stage.clone()),
                ("phase", line.phase.clone()),
            ],
            value: *count as f64,
        });
        let running = Sample { suffix: "", labels: Vec::new(), value: running as f64 };
        vec![
            Family {
                name: "kargo_promotions_completed_total",
                help: "Promotions that ended, by how.",
                kind: FamilyKind::Counter,
                samples: completed.collect(),
            },
            Family {
                name: "kargo_promotion_duration_seconds",
                help: "How long Promotions took from their first step.",
                kind: FamilyKind::Histogram,
                samples: samples(&self.durations),
            },
            Family {
                name: "kargo_promotion_queue_seconds",
                help: "How long Promotions waited for their first step.",
                kind: FamilyKind::Histogram,
                samples: samples(&self.waits),
            },
            Family {
                name: "kargo_promotions_running",
                help: "Promotions that are under way in this process.",
                kind: FamilyKind::Gauge,
                samples: vec![running],
            },
        ]
    }
}

fn samples(durations: &Durations) -> Vec<Sample> {
    let durations = durations.lock();
    let samples = durations.iter().flat_map(|((project, phase), histogram)| {
        histogram.samples(&[("project", project), ("phase", phase)])
    });
    samples.collect()
}

#[cfg(test)]
mod tests {
    use io_kube::prometheus_text;
    use serde_json::json;

    use super::*;

    #[test]
    fn ends_are_counted_by_project_stage_and_phase() {
        let metrics = Metrics::default();
        let promotion = |phase: &str| -> Promotion {
            let started = "2026-01-01T00:00:00Z";
            let promotion = json!({
                "metadata": {"name": "p", "namespace": "demo", "creationTimestamp": "2025-12-31T23:59:59Z"},
                "spec": {"stage": "dev"}, "status": {"phase": phase, "startedAt": started},
            });
            serde_json::from_value(promotion).unwrap()
        };
        let now: Time = "2026-01-01T00:00:02Z".parse().unwrap();
        for phase in ["Succeeded", "Succeeded", "Failed"] {
            metrics.ended(&promotion(phase), now);
        }
        let text = prometheus_text(metrics.families(3));
        for line in [
            r#"kargo_promotions_completed_total{project="demo",stage="dev",phase="Succeeded"} 2"#,
            r#"kargo_promotions_completed_total{project="demo",stage="dev",phase="Failed"} 1"#,
            r#"kargo_promotion_duration_seconds_sum{project="demo",phase="Succeeded"} 4"#,
            r#"kargo_promotion_queue_seconds_sum{project="demo",phase="Succeeded"} 2"#,
            "kargo_promotions_running 3",
        ] {
            assert!(text.lines().any(|it| it == line), "{line}\n{text}");
        }
    }
}
