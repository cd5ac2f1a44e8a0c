//! Metrics that are measured by Jobs.

use std::collections::BTreeMap;

use api_analysis::{AnalysisPhase, AnalysisRun, Fields, JobProvider, MetricResult};
use k8s_openapi::{
    api::batch::v1::{Job, JobSpec},
    apimachinery::pkg::apis::meta::v1::{ObjectMeta, OwnerReference},
};

/// Label of a Job and of its Pods: the uid of the run.
pub const RUN_UID_LABEL: &str = "analysisrun.argoproj.io/uid";
/// Metadata of a measurement: the name of its Job.
pub const JOB_NAME: &str = "job-name";
/// Metadata of a measurement: the namespace of its Job.
pub const JOB_NAMESPACE: &str = "job-namespace";

const RUN_NAME_ANNOTATION: &str = "analysisrun.argoproj.io/name";
const RUN_NAMESPACE_ANNOTATION: &str = "analysisrun.argoproj.io/namespace";
const METRIC_ANNOTATION: &str = "analysisrun.argoproj.io/metric-name";
/// Names of Jobs become labels of their Pods.
const MAX_NAME: usize = 63;

/// Why a metric makes no Job.
#[derive(Debug, thiserror::Error)]
pub enum JobError {
    /// Its spec is none of a Job.
    #[error("job initialization failed: {0}")]
    Spec(#[from] serde_json::Error),
}

/// The Job of the next measurement. Its name follows from what was measured before, so that a Job
/// of which only the status knows nothing yet is found again.
pub fn job(
    run: &AnalysisRun,
    metric: &str,
    provider: &JobProvider,
    result: Option<&MetricResult>,
) -> Result<Job, JobError> {
    let uid = run.metadata.uid.clone().unwrap_or_default();
    let mut spec: JobSpec = serde_json::from_value(provider.spec.clone())?;
    let labels = spec.template.metadata.get_or_insert_default().labels.get_or_insert_default();
    labels.insert(RUN_UID_LABEL.to_owned(), uid.clone());
    let mut labels = texts(&provider.metadata, "labels");
    labels.insert(RUN_UID_LABEL.to_owned(), uid.clone());
    let mut annotations = texts(&provider.metadata, "annotations");
    let name = run.metadata.name.clone().unwrap_or_default();
    let namespace = run.metadata.namespace.clone().unwrap_or_default();
    annotations.insert(RUN_NAME_ANNOTATION.to_owned(), name);
    annotations.insert(RUN_NAMESPACE_ANNOTATION.to_owned(), namespace);
    annotations.insert(METRIC_ANNOTATION.to_owned(), metric.to_owned());
    let metadata = ObjectMeta {
        name: Some(name_of(&uid, metric, result)),
        namespace: run.metadata.namespace.clone(),
        labels: Some(labels),
        annotations: Some(annotations),
        owner_references: Some(vec![owner(run)]),
        ..ObjectMeta::default()
    };
    Ok(Job { metadata, spec: Some(spec), status: None })
}

/// Whether a Job was made for this run.
pub fn is_of(job: &Job, run: &AnalysisRun) -> bool {
    let label = job.metadata.labels.as_ref().and_then(|labels| labels.get(RUN_UID_LABEL));
    label.is_some() && label == run.metadata.uid.as_ref()
}

/// How a Job ended, with what it says about a bad end; `None` while it runs.
pub fn outcome(job: &Job) -> Option<(AnalysisPhase, String)> {
    let conditions = job.status.as_ref()?.conditions.as_ref()?;
    conditions.iter().filter(|condition| condition.status == "True").find_map(|condition| {
        match condition.type_.as_str() {
            "Complete" => Some((AnalysisPhase::Successful, String::new())),
            "Failed" => {
                Some((AnalysisPhase::Failed, condition.message.clone().unwrap_or_default()))
            }
            _ => None,
        }
    })
}

/// `<uid of the run>.<metric>.<number of the measurement>`, the metric cut where it must be.
fn name_of(uid: &str, metric: &str, result: Option<&MetricResult>) -> String {
    let taken = result.map_or(0, |result| result.count.saturating_add(result.error));
    let number = taken.saturating_add(1).to_string();
    let room = MAX_NAME.saturating_sub(uid.len() + number.len() + 2);
    let cut = metric.get(..metric.floor_char_boundary(room)).unwrap_or(metric);
    format!("{uid}.{cut}.{number}")
}

fn owner(run: &AnalysisRun) -> OwnerReference {
    OwnerReference {
        api_version: api_analysis::API_VERSION.to_owned(),
        kind: "AnalysisRun".to_owned(),
        name: run.metadata.name.clone().unwrap_or_default(),
        uid: run.metadata.uid.clone().unwrap_or_default(),
        controller: Some(true),
        block_owner_deletion: None,
    }
}

fn texts(metadata: &Fields, field: &str) -> BTreeMap<String, String> {
    let entries = metadata.get(field).and_then(serde_json::Value::as_object).into_iter().flatten();
    entries.filter_map(|(key, value)| Some((key.clone(), value.as_str()?.to_owned()))).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn run() -> AnalysisRun {
        let uid = "0b1c2d3e-0000-4000-8000-000000000000";
        let metadata = json!({"name": "r", "namespace": "p", "uid": uid});
        serde_json::from_value(json!({"metadata": metadata, "spec": {"metrics": []}})).unwrap()
    }

    fn made(metric: &str, result: Option<&MetricResult>) -> Job {
        let provider = json!({
            "metadata": {"labels": {"a": "b"}, "annotations": {"c": "d"}},
            "spec": {"backoffLimit": 0, "template": {"spec": {"containers": []}}},
        });
        let provider = serde_json::from_value(provider).unwrap();
        job(&run(), metric, &provider, result).unwrap()
    }

    #[test]
    fn a_job_belongs_to_its_run() {
        let job = made("smoke", None);
        let uid = run().metadata.uid.unwrap();
        assert_eq!(job.metadata.name, Some(format!("{uid}.smoke.1")));
        let labels = job.metadata.labels.clone().unwrap();
        assert_eq!((labels["a"].as_str(), labels[RUN_UID_LABEL].as_str()), ("b", uid.as_str()));
        let annotations = job.metadata.annotations.clone().unwrap();
        assert_eq!(annotations["analysisrun.argoproj.io/metric-name"], "smoke");
        assert_eq!(annotations["c"], "d");
        let pod = job.spec.clone().unwrap().template.metadata.unwrap().labels.unwrap();
        assert_eq!(pod[RUN_UID_LABEL], uid);
        assert_eq!(job.metadata.owner_references.as_ref().unwrap()[0].uid, uid);
        assert!(is_of(&job, &run()));
        assert!(!is_of(&Job::default(), &run()));
    }

    #[test]
    fn names_count_measurements_and_fit() {
        let result = MetricResult { count: 2, error: 1, ..MetricResult::default() };
        let name = made("smoke", Some(&result)).metadata.name.unwrap();
        assert!(name.ends_with(".smoke.4"), "{name}");
        let name = made(&"ö".repeat(40), None).metadata.name.unwrap();
        assert!(name.len() <= 63 && name.ends_with(".1"), "{name}");
    }

    #[test]
    fn conditions_tell_the_end() {
        let with = |conditions: serde_json::Value| {
            let job = json!({"metadata": {}, "status": {"conditions": conditions}});
            outcome(&serde_json::from_value(job).unwrap())
        };
        assert_eq!(with(json!([])), None);
        assert_eq!(with(json!([{"type": "Failed", "status": "False"}])), None);
        let (phase, _) = with(json!([{"type": "Complete", "status": "True"}])).unwrap();
        assert_eq!(phase, AnalysisPhase::Successful);
        let failed = json!([{"type": "Failed", "status": "True", "message": "limit"}]);
        assert_eq!(with(failed), Some((AnalysisPhase::Failed, "limit".to_owned())));
    }
}
