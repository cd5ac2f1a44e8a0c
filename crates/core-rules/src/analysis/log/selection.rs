//! Which log is meant.

use api_analysis::{AnalysisRun, Metric};
use api_kinds::{annotations, labels};
use serde_json::Value;

use super::super::job::{JOB_NAME, JOB_NAMESPACE};
use super::LogError;
use crate::admission::metadata::{annotation, label, name};
use crate::fault::{Class, Fault};

/// There is no such AnalysisRun.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("AnalysisRun {name:?} in namespace {namespace:?} not found")]
pub struct RunNotFound {
    /// The name.
    pub name: String,
    /// The Project.
    pub namespace: String,
}

impl Fault for RunNotFound {
    fn class(&self) -> Class {
        Class::NotFound
    }
}

/// The log of one container of one Job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogSubject {
    /// The metric.
    pub metric: String,
    /// The container.
    pub container: String,
    /// The namespace of the Job.
    pub job_namespace: String,
    /// The name of the Job.
    pub job_name: String,
    /// The Stage that is verified.
    pub stage: String,
}

/// The log that is meant. What is not named is found when there is only one.
pub fn subject(
    run: &AnalysisRun,
    metric_name: &str,
    container_name: &str,
) -> Result<LogSubject, LogError> {
    let metric = metric(run, metric_name)?;
    let container = container(metric, container_name)?;
    let (job_namespace, job_name) = job(run, &metric.name)?;
    Ok(LogSubject {
        metric: metric.name.clone(),
        container,
        job_namespace,
        job_name,
        stage: stage_of(run)?.to_owned(),
    })
}

/// The Stage that a run verifies. The annotation has the full name, the label perhaps a shorter one.
pub fn stage_of(run: &AnalysisRun) -> Result<&str, LogError> {
    annotation(&run.metadata, annotations::STAGE)
        .or_else(|| label(&run.metadata, labels::STAGE))
        .filter(|stage| !stage.is_empty())
        .ok_or_else(|| LogError::NoStage { run: run_name(run) })
}

fn metric<'a>(run: &'a AnalysisRun, wanted: &str) -> Result<&'a Metric, LogError> {
    let measured_by_job = run.spec.metrics.iter().filter(|metric| metric.provider.job.is_some());
    let metrics: Vec<&Metric> = measured_by_job.collect();
    if !wanted.is_empty() {
        let found = metrics.into_iter().find(|metric| metric.name == wanted);
        return found.ok_or_else(|| LogError::MetricNotFound {
            metric: wanted.to_owned(),
            run: run_name(run),
        });
    }
    match metrics.as_slice() {
        [] => Err(LogError::NoMetric { run: run_name(run) }),
        [only] => Ok(only),
        several => Err(LogError::AmbiguousMetric {
            run: run_name(run),
            names: several.iter().map(|metric| metric.name.as_str()).collect::<Vec<_>>().join(", "),
        }),
    }
}

fn container(metric: &Metric, wanted: &str) -> Result<String, LogError> {
    let spec = metric.provider.job.as_ref().map(|job| &job.spec);
    let containers = spec.and_then(|spec| spec.pointer("/template/spec/containers"));
    let containers = containers.and_then(Value::as_array).into_iter().flatten();
    let names: Vec<&str> =
        containers.filter_map(|container| container.get("name")?.as_str()).collect();
    let metric = metric.name.clone();
    if !wanted.is_empty() {
        let container = wanted.to_owned();
        let is_there = names.contains(&wanted);
        return is_there
            .then_some(container.clone())
            .ok_or(LogError::ContainerNotFound { metric, container });
    }
    match names.as_slice() {
        [] => Err(LogError::NoContainer { metric }),
        [only] => Ok((*only).to_owned()),
        several => Err(LogError::AmbiguousContainer { metric, names: several.join(", ") }),
    }
}

/// The Job of the first measurement.
fn job(run: &AnalysisRun, metric: &str) -> Result<(String, String), LogError> {
    let result = run.status.metric_results.iter().find(|result| result.name == metric);
    let measurement = result.and_then(|result| result.measurements.first());
    let job = measurement.and_then(|measurement| {
        let namespace = measurement.metadata.get(JOB_NAMESPACE)?;
        Some((namespace.clone(), measurement.metadata.get(JOB_NAME)?.clone()))
    });
    job.ok_or_else(|| LogError::NotMeasured { metric: metric.to_owned(), run: run_name(run) })
}

fn run_name(run: &AnalysisRun) -> String {
    name(&run.metadata).to_owned()
}
