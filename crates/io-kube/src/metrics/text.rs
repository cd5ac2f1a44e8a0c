//! The Prometheus text format.

use std::{collections::BTreeMap, fmt::Write};

use super::{Family, FamilyKind, Sample};

/// Prints families, ordered by name. Those of several controllers with the same name become one, as the format demands.
pub fn prometheus_text(families: impl IntoIterator<Item = Family>) -> String {
    let mut merged: BTreeMap<&'static str, Family> = BTreeMap::new();
    for family in families {
        match merged.get_mut(family.name) {
            Some(first) => first.samples.extend(family.samples),
            None => {
                merged.insert(family.name, family);
            }
        }
    }
    let mut text = String::new();
    for family in merged.values() {
        let kind = match family.kind {
            FamilyKind::Counter => "counter",
            FamilyKind::Gauge => "gauge",
            FamilyKind::Histogram => "histogram",
        };
        let (name, help) = (family.name, family.help);
        // Writing to a String cannot fail.
        let _ = write!(text, "# HELP {name} {help}\n# TYPE {name} {kind}\n");
        for sample in &family.samples {
            let _ = writeln!(text, "{name}{}", line(sample));
        }
    }
    text
}

/// A sample without the name of its family.
fn line(sample: &Sample) -> String {
    let labels: Vec<String> = sample
        .labels
        .iter()
        .map(|(label, value)| format!("{label}=\"{}\"", escaped(value)))
        .collect();
    let labels =
        if labels.is_empty() { String::new() } else { format!("{{{}}}", labels.join(",")) };
    format!("{}{labels} {}", sample.suffix, sample.value)
}

fn escaped(value: &str) -> String {
    value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::super::{QueueMetrics, WorkerMetrics};
    use super::*;

    #[test]
    fn families_of_the_same_name_share_one_heading() {
        let (first, second) = (QueueMetrics::default(), QueueMetrics::default());
        first.adds.add(3);
        first.queue_seconds.observe(Duration::from_millis(20));
        let families = first.families("stage", 2).into_iter().chain(second.families("a\"b", 0));
        let text = prometheus_text(families);
        assert_eq!(text.matches("# TYPE workqueue_adds_total counter").count(), 1);
        assert!(text.contains("workqueue_adds_total{name=\"stage\"} 3\n"), "{text}");
        assert!(text.contains("workqueue_adds_total{name=\"a\\\"b\"} 0\n"), "{text}");
        assert!(text.contains("workqueue_depth{name=\"stage\"} 2\n"), "{text}");
        let bucket = "workqueue_queue_duration_seconds_bucket{name=\"stage\",le=";
        assert!(text.contains(&format!("{bucket}\"0.01\"}} 0\n")), "{text}");
        assert!(text.contains(&format!("{bucket}\"0.025\"}} 1\n")), "{text}");
        assert!(text.contains(&format!("{bucket}\"+Inf\"}} 1\n")), "{text}");
        assert!(text.contains("workqueue_queue_duration_seconds_sum{name=\"stage\"} 0.02\n"));
        assert!(text.contains("workqueue_queue_duration_seconds_count{name=\"stage\"} 1\n"));
    }

    #[test]
    fn workers_have_the_names_that_dashboards_look_for() {
        let metrics = WorkerMetrics::default();
        metrics.success.add(1);
        let text = prometheus_text(metrics.families("stage", 4));
        for line in [
            "controller_runtime_reconcile_total{controller=\"stage\",result=\"success\"} 1\n",
            "controller_runtime_reconcile_total{controller=\"stage\",result=\"requeue_after\"} 0\n",
            "controller_runtime_reconcile_errors_total{controller=\"stage\"} 0\n",
            "controller_runtime_reconcile_time_seconds_count{controller=\"stage\"} 0\n",
            "controller_runtime_active_workers{controller=\"stage\"} 0\n",
            "controller_runtime_max_concurrent_reconciles{controller=\"stage\"} 4\n",
        ] {
            assert!(text.contains(line), "{line} not in {text}");
        }
    }
}
