//! AnalysisRuns, carried out as Argo Rollouts does: when a metric is measured, what a measurement
//! comes to, and what the run comes to.
//!
//! An executor asks [`plan`] what is next for a run. Of a [`Round`] it learns which metrics are
//! due and whether the run ends early, enters measurements, and writes the [`Conclusion`]. What
//! providers are asked is in [`Source`], what they answer becomes a [`Reading`]. Texts are those
//! that people know from Argo Rollouts.

mod argument;
mod assess;
mod check;
pub mod job;
mod json_path;
mod limits;
pub mod log;
mod provider;
mod range;
mod reading;
mod round;
#[cfg(test)]
mod tests;

use std::time::Duration;

use api_analysis::{AnalysisPhase, AnalysisRun, AnalysisRunStatus};
use core_clock::Time;

use crate::wire_time::{from_wire, to_wire};

pub use argument::{ArgumentError, Arguments, secret_of};
pub use check::SpecError;
pub use json_path::{JsonPath, JsonPathError};
pub use provider::{COMMAND_PLUGIN, Command, ProviderError, Source};
pub use range::{QueryRange, RangeError};
pub use reading::{Reading, ReadingError};
pub use round::{Conclusion, Round};

/// What is next for a run.
#[derive(Clone, Debug)]
pub enum Plan {
    /// It has ended. After this long it is deleted, if ever.
    Keep(Option<Duration>),
    /// It cannot be carried out.
    Refuse(Box<AnalysisRunStatus>),
    /// It goes on.
    Measure(Box<Round>),
}

/// Decides what is next for a run.
pub fn plan(run: &AnalysisRun, now: Time) -> Plan {
    if run.status.phase.is_completed() {
        return Plan::Keep(time_to_live(run, now));
    }
    match round(run) {
        Ok(round) => Plan::Measure(Box::new(round)),
        Err(message) => Plan::Refuse(Box::new(refused(run, message, now))),
    }
}

/// The status of a run that cannot be carried out because its arguments cannot be read.
pub fn unresolved(run: &AnalysisRun, problem: &str, now: Time) -> AnalysisRunStatus {
    refused(run, format!("Unable to resolve metric arguments: {problem}"), now)
}

fn refused(run: &AnalysisRun, message: String, now: Time) -> AnalysisRunStatus {
    let status = run.status.clone();
    AnalysisRunStatus {
        phase: AnalysisPhase::Error,
        message,
        started_at: status.started_at.or_else(|| Some(to_wire(now))),
        completed_at: Some(to_wire(now)),
        ..status
    }
}

fn round(run: &AnalysisRun) -> Result<Round, String> {
    let unresolved = |error| format!("Unable to resolve metric arguments: {error}");
    let invalid = |error| format!("Analysis spec invalid: {error}");
    check::sizes(&run.spec).map_err(invalid)?;
    let arguments = Arguments::without_secrets(&run.spec.args).map_err(unresolved)?;
    let metrics = run.spec.metrics.iter().map(|metric| arguments.apply(metric));
    let metrics: Vec<_> = metrics.collect::<Result<_, _>>().map_err(unresolved)?;
    check::metrics(&metrics).map_err(invalid)?;
    let dry_runs = check::dry_runs(&run.spec, &metrics).map_err(invalid)?;
    let dry_runs = dry_runs.into_iter().map(str::to_owned).collect();
    let kept = check::retentions(&run.spec, &metrics).map_err(invalid)?;
    let kept = kept.into_iter().map(|(name, kept)| (name.to_owned(), kept)).collect();
    Ok(Round::new(run, metrics, dry_runs, kept))
}

/// How long a run that has ended still lives; `None` when nobody limits that.
fn time_to_live(run: &AnalysisRun, now: Time) -> Option<Duration> {
    let strategy = run.spec.ttl_strategy.as_ref()?;
    let own = match run.status.phase {
        AnalysisPhase::Successful => strategy.seconds_after_success,
        AnalysisPhase::Failed => strategy.seconds_after_failure,
        _ => None,
    };
    let seconds = u64::try_from(own.or(strategy.seconds_after_completion)?).unwrap_or_default();
    let completed = from_wire(run.status.completed_at.as_ref()?);
    let end = completed + Duration::from_secs(seconds);
    Some(end.since(now))
}
