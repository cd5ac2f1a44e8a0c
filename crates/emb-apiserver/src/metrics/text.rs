//! The Prometheus text format.

use std::fmt::{Display, Write};

use super::histogram::Histogram;

/// The two lines before the samples of a metric.
pub(crate) fn heading(out: &mut String, name: &str, kind: &str, help: &str) {
    // Writing to a string cannot fail, here and below.
    let _ = writeln!(out, "# HELP {name} {help}\n# TYPE {name} {kind}");
}

/// One sample; `labels` may be empty.
pub(crate) fn sample(out: &mut String, name: &str, labels: &str, value: impl Display) {
    let _ = if labels.is_empty() {
        writeln!(out, "{name} {value}")
    } else {
        writeln!(out, "{name}{{{labels}}} {value}")
    };
}

/// A metric with one sample and no labels.
pub(crate) fn single(out: &mut String, name: &str, kind: &str, help: &str, value: impl Display) {
    heading(out, name, kind, help);
    sample(out, name, "", value);
}

/// All samples of a histogram.
pub(super) fn histogram(out: &mut String, name: &str, labels: &str, histogram: &Histogram) {
    let comma = if labels.is_empty() { "" } else { "," };
    let bucket = format!("{name}_bucket");
    for (bound, count) in histogram.buckets() {
        sample(out, &bucket, &format!("{labels}{comma}le=\"{bound}\""), count);
    }
    sample(out, &bucket, &format!("{labels}{comma}le=\"+Inf\""), histogram.count);
    sample(out, &format!("{name}_sum"), labels, histogram.sum);
    sample(out, &format!("{name}_count"), labels, histogram.count);
}
