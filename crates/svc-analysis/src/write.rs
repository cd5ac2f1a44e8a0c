//! Writes what became of a run.

use api_analysis::{AnalysisPhase, AnalysisRun, AnalysisRunStatus};
use io_kube::{Failure, ObjectKey, Occurrence, Pass, is_not_found, merge_difference};
use k8s_openapi::api::core::v1::ObjectReference;
use kube::{
    Api,
    api::{DeleteParams, Patch, PatchParams, Preconditions},
};
use serde_json::json;

use crate::controller::Context;

/// Writes the status, if it differs. It is no subresource of AnalysisRuns.
pub(crate) async fn status(
    cx: &Context,
    pass: &Pass,
    run: &AnalysisRun,
    status: &AnalysisRunStatus,
) -> Result<(), Failure> {
    let value = |status: &AnalysisRunStatus| {
        serde_json::to_value(status).map_err(|error| Failure::Bug(error.to_string()))
    };
    let Some(difference) = merge_difference(&value(&run.status)?, &value(status)?) else {
        return Ok(());
    };
    let version = &run.metadata.resource_version;
    let patch = json!({"metadata": {"resourceVersion": version}, "status": difference});
    let key = ObjectKey::of(run);
    let written =
        runs(cx, &key).patch(&key.name, &PatchParams::default(), &Patch::Merge(patch)).await;
    match written {
        Ok(written) => pass.wrote(&cx.runs, &written),
        // Deleted meanwhile: nothing is left to tell.
        Err(error) if is_not_found(&error) => return Ok(()),
        Err(error) => return Err(error.into()),
    }
    if status.phase.is_completed() {
        tell_run(cx, run, &status.phase);
    }
    Ok(())
}

/// Deletes a run that has lived as long as it should.
pub(crate) async fn delete(cx: &Context, run: &AnalysisRun) -> Result<(), Failure> {
    let key = ObjectKey::of(run);
    let preconditions = Preconditions { uid: run.metadata.uid.clone(), resource_version: None };
    let params = DeleteParams::background().preconditions(preconditions);
    match runs(cx, &key).delete(&key.name, &params).await {
        Ok(_) => Ok(()),
        Err(error) if is_not_found(&error) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

fn runs(cx: &Context, key: &ObjectKey) -> Api<AnalysisRun> {
    Api::namespaced(cx.client.clone(), &key.namespace)
}

fn tell_run(cx: &Context, run: &AnalysisRun, phase: &AnalysisPhase) {
    let message = format!("Analysis Completed. Result: {phase}");
    tell(cx, run, format!("AnalysisRun{phase}"), message);
}

/// Tells of a metric that did not end well; that it did is told by the run.
pub(crate) fn tell_metric(cx: &Context, run: &AnalysisRun, metric: &str, phase: &AnalysisPhase) {
    if *phase != AnalysisPhase::Successful {
        let message = format!("Metric '{metric}' Completed. Result: {phase}");
        tell(cx, run, format!("Metric{phase}"), message);
    }
}

fn tell(cx: &Context, run: &AnalysisRun, reason: String, message: String) {
    let metadata = &run.metadata;
    let object = ObjectReference {
        api_version: Some(api_analysis::API_VERSION.to_owned()),
        kind: Some("AnalysisRun".to_owned()),
        namespace: metadata.namespace.clone(),
        name: metadata.name.clone(),
        uid: metadata.uid.clone(),
        resource_version: metadata.resource_version.clone(),
        field_path: None,
    };
    cx.events.record(Occurrence { object, reason, message, ..Occurrence::default() });
}
