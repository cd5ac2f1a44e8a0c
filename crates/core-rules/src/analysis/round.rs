//! One look at a run: what was measured is entered, and what follows from it is decided.

use std::{collections::BTreeSet, time::Duration};

use api_analysis::{
    AnalysisPhase, AnalysisRun, AnalysisRunStatus, Measurement, Metric, MetricResult, RunSummary,
};
use core_clock::Time;

use super::{
    assess,
    limits::{Limits, span},
};
use crate::wire_time::{from_wire, to_wire};

/// How many measurements of a metric are kept.
const KEPT: usize = 10;
/// No metric is measured more often: times are told in seconds.
const SHORTEST: Duration = Duration::from_secs(1);
/// How soon a measurement that could not be carried out is tried again.
const RETRY: Duration = Duration::from_secs(10);

/// A run with its metrics, as far as they are known without Secrets.
#[derive(Clone, Debug)]
pub struct Round {
    metrics: Vec<Metric>,
    dry_runs: BTreeSet<String>,
    kept: Vec<(String, usize)>,
    is_terminated: bool,
    status: AnalysisRunStatus,
}

/// What a round came to.
#[derive(Clone, Debug, PartialEq)]
pub struct Conclusion {
    /// The status to write.
    pub status: AnalysisRunStatus,
    /// When to look again, where time decides.
    pub next: Option<Duration>,
    /// Metrics that ended in this round, and how.
    pub ended: Vec<(String, AnalysisPhase)>,
}

impl Round {
    pub(super) fn new(
        run: &AnalysisRun,
        metrics: Vec<Metric>,
        dry_runs: BTreeSet<String>,
        kept: Vec<(String, usize)>,
    ) -> Self {
        let (is_terminated, status) = (run.spec.terminate, run.status.clone());
        Self { metrics, dry_runs, kept, is_terminated, status }
    }

    /// Whether nothing more is measured: somebody asked for the end, or a metric that counts went
    /// wrong.
    pub fn is_ending(&self) -> bool {
        let is_bad = |result: &MetricResult| {
            let is_good = matches!(result.phase, AnalysisPhase::Successful);
            !result.dry_run && result.phase.is_completed() && !is_good
        };
        self.is_terminated || self.status.metric_results.iter().any(is_bad)
    }

    /// Metrics whose last measurement is under way, as the status tells: those of Jobs.
    pub fn unfinished(&self) -> Vec<(String, Measurement)> {
        let last = |metric: &Metric| {
            let result = self.result(&metric.name)?;
            let last = result.measurements.last()?;
            let is_open = !result.phase.is_completed() && last.finished_at.is_none();
            is_open.then(|| (metric.name.clone(), last.clone()))
        };
        self.metrics.iter().filter_map(last).collect()
    }

    /// Metrics to measure now.
    pub fn due(&self, now: Time) -> Vec<&Metric> {
        if self.is_ending() {
            return Vec::new();
        }
        let is_due = |metric: &&Metric| self.due_at(metric).is_some_and(|due| due <= now);
        self.metrics.iter().filter(is_due).collect()
    }

    /// The result of a metric so far.
    pub fn result(&self, metric: &str) -> Option<&MetricResult> {
        self.status.metric_results.iter().find(|result| result.name == metric)
    }

    /// Enters a measurement: the end of one that is under way, or a new one.
    pub fn record(&mut self, metric: &str, measurement: Measurement) {
        let Some(metric) = self.metrics.iter().find(|known| known.name == metric) else { return };
        let name = &metric.name;
        let results = &mut self.status.metric_results;
        let index = results.iter().position(|result| &result.name == name).unwrap_or_else(|| {
            results.push(MetricResult {
                name: name.clone(),
                phase: AnalysisPhase::Running,
                dry_run: self.dry_runs.contains(name),
                ..MetricResult::default()
            });
            results.len() - 1
        });
        let Some(result) = results.get_mut(index) else { return };
        if let Some(prometheus) = &metric.provider.prometheus
            && result.metadata.is_empty()
        {
            let query = ("ResolvedPrometheusQuery".to_owned(), prometheus.query.clone());
            result.metadata.extend([query]);
        }
        count(result, &measurement.phase);
        match result.measurements.last_mut() {
            Some(open) if open.finished_at.is_none() => *open = measurement,
            _ => result.measurements.push(measurement),
        }
    }

    /// Decides about every metric. Asked again after more was entered, it decides anew about those
    /// that had not ended.
    pub fn assess(&mut self) -> Vec<(String, AnalysisPhase)> {
        let is_ending = self.is_ending();
        let mut ended = Vec::new();
        for metric in &self.metrics {
            let limits = Limits::of(metric);
            let results = &mut self.status.metric_results;
            let found = results.iter_mut().find(|result| result.name == metric.name);
            let Some(result) = found else { continue };
            let phase = assess::phase(&limits, result, is_ending);
            if phase == result.phase {
                continue;
            }
            if let Some(last) = result.measurements.last() {
                result.message.clone_from(&last.message);
            }
            if phase.is_completed() {
                ended.push((metric.name.clone(), phase.clone()));
            }
            result.phase = phase;
        }
        ended
    }

    /// The status that follows, and when to look again.
    pub fn conclude(mut self, ended: Vec<(String, AnalysisPhase)>, now: Time) -> Conclusion {
        let started = self.status.metric_results.iter().flat_map(|result| &result.measurements);
        let started = started.filter_map(|measurement| measurement.started_at.clone()).min();
        self.status.started_at.get_or_insert_with(|| started.unwrap_or_else(|| to_wire(now)));
        let (phase, message) = self.summarize();
        if phase != self.status.phase {
            if phase.is_completed() {
                self.status.completed_at.get_or_insert_with(|| to_wire(now));
            }
            (self.status.phase, self.status.message) = (phase, message);
        }
        let next = self.next(now);
        self.trim();
        Conclusion { status: self.status, next, ended }
    }

    /// Counts the metrics, and finds the phase of the run.
    fn summarize(&mut self) -> (AnalysisPhase, String) {
        let mut worst: Option<AnalysisPhase> = None;
        let mut message = if self.is_terminated { "Run Terminated" } else { "" }.to_owned();
        let (mut counted, mut dry) = (RunSummary::default(), RunSummary::default());
        let mut is_complete = true;
        for metric in &self.metrics {
            let is_dry = self.dry_runs.contains(&metric.name);
            let summary = if is_dry { &mut dry } else { &mut counted };
            summary.count += 1;
            let results = &mut self.status.metric_results;
            let found = results.iter_mut().find(|result| result.name == metric.name);
            let Some(result) = found.filter(|result| result.phase.is_completed()) else {
                is_complete = false;
                continue;
            };
            tally(summary, &result.phase);
            let reason = assess::passed_limit(&Limits::of(metric), result).map(|(_, why)| why);
            let phase = result.phase.clone();
            if is_dry {
                worst.get_or_insert(AnalysisPhase::Successful);
                if let Some(reason) = reason {
                    result.message = format!("Metric assessed {phase} due to {reason}");
                }
            } else if worst.as_ref().is_none_or(|worst| assess::is_worse(&phase, worst)) {
                if let Some(reason) = reason {
                    message = explain(result, &reason);
                }
                worst = Some(phase);
            }
        }
        self.status.run_summary = counted;
        self.status.dry_run_summary = Some(dry);
        match worst {
            // Nothing was measured when the end was asked for.
            None if self.is_ending() => (AnalysisPhase::Successful, message),
            Some(worst) if is_complete || self.is_ending() => (worst, message),
            _ => (AnalysisPhase::Running, String::new()),
        }
    }

    /// When a metric is to be measured; `None` when it is under way, or not any more.
    fn due_at(&self, metric: &Metric) -> Option<Time> {
        let result = self.result(&metric.name);
        let Some((result, last)) =
            result.and_then(|found| Some((found, found.measurements.last()?)))
        else {
            let delay = span(&metric.initial_delay).unwrap_or_default();
            if delay.is_zero() {
                return Some(Time::from_seconds(0));
            }
            // The delay begins with the run, which this round may be the first of.
            return Some(from_wire(self.status.started_at.as_ref()?) + delay);
        };
        let is_done = Limits::of(metric).count.is_some_and(|count| result.count >= count);
        if result.phase.is_completed() || is_done {
            return None;
        }
        let is_error = matches!(last.phase, AnalysisPhase::Error);
        let interval = span(&metric.interval).filter(|_| !is_error).unwrap_or(RETRY);
        Some(from_wire(last.finished_at.as_ref()?) + interval.max(SHORTEST))
    }

    fn next(&self, now: Time) -> Option<Duration> {
        if self.status.phase.is_completed() {
            return None;
        }
        let due = self.metrics.iter().filter_map(|metric| self.due_at(metric));
        due.filter(|due| *due > now).min().map(|due| due.since(now))
    }

    fn trim(&mut self) {
        for result in &mut self.status.metric_results {
            let own = self.kept.iter().rev().find(|(name, _)| *name == result.name);
            let kept = own.map(|(_, kept)| *kept).filter(|kept| *kept > 0).unwrap_or(KEPT);
            let surplus = result.measurements.len().saturating_sub(kept);
            result.measurements.drain(..surplus);
        }
    }
}

/// Enters the phase of a measurement into the counts of its metric.
fn count(result: &mut MetricResult, phase: &AnalysisPhase) {
    let kind = match phase {
        AnalysisPhase::Successful => &mut result.successful,
        AnalysisPhase::Failed => &mut result.failed,
        AnalysisPhase::Inconclusive => &mut result.inconclusive,
        AnalysisPhase::Error => &mut result.error,
        _ => return,
    };
    *kind = kind.saturating_add(1);
    let is_error = matches!(phase, AnalysisPhase::Error);
    let is_success = matches!(phase, AnalysisPhase::Successful);
    result.count = result.count.saturating_add(i32::from(!is_error));
    let follow = |before: i32, goes_on: bool| if goes_on { before.saturating_add(1) } else { 0 };
    result.consecutive_error = follow(result.consecutive_error, is_error);
    result.consecutive_success = follow(result.consecutive_success, is_success);
}

fn tally(summary: &mut RunSummary, phase: &AnalysisPhase) {
    *match phase {
        AnalysisPhase::Failed => &mut summary.failed,
        AnalysisPhase::Inconclusive => &mut summary.inconclusive,
        AnalysisPhase::Error => &mut summary.error,
        _ => &mut summary.successful,
    } += 1;
}

fn explain(result: &MetricResult, reason: &str) -> String {
    let MetricResult { name, phase, message, .. } = result;
    let summary = format!("Metric \"{name}\" assessed {phase} due to {reason}");
    if message.is_empty() {
        return summary;
    }
    format!("{summary}: \"Error Message: {message}\"")
}
