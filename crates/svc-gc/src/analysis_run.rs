//! AnalysisRuns, whose kind belongs to Argo Rollouts and may not be there.

use api_kinds::labels::STAGE;
use core_clock::Time;
use core_rules::retention::AnalysisRun;
use kube::{
    Api, Client,
    api::{ApiResource, DynamicObject, ListParams},
    core::GroupVersionKind,
};
use serde_json::Value;

/// Runs in a namespace.
pub(crate) fn api(client: &Client, namespace: &str) -> Api<DynamicObject> {
    let kind = GroupVersionKind::gvk("argoproj.io", "v1alpha1", "AnalysisRun");
    let resource = ApiResource::from_gvk_with_plural(&kind, "analysisruns");
    Api::namespaced_with(client.clone(), namespace, &resource)
}

/// Only runs that were made for a Stage.
pub(crate) fn of_stages() -> ListParams {
    ListParams::default().labels(STAGE)
}

/// What of a run decides.
pub(crate) fn facts(run: &DynamicObject) -> AnalysisRun {
    let metadata = &run.metadata;
    let label = metadata.labels.as_ref().and_then(|labels| labels.get(STAGE));
    let created = metadata.creation_timestamp.as_ref();
    AnalysisRun {
        identity: metadata.into(),
        stage: label.cloned().unwrap_or_default(),
        created_at: created.map(|time| Time::from_micros(time.0.as_microsecond())),
        is_finished: is_finished(run.data.pointer("/status/phase")),
        is_going: metadata.deletion_timestamp.is_some(),
    }
}

fn is_finished(phase: Option<&Value>) -> bool {
    matches!(
        phase.and_then(Value::as_str),
        Some("Successful" | "Failed" | "Error" | "Inconclusive")
    )
}
