//! What is read is what is written, known or not.

use api_analysis::{AnalysisPhase, AnalysisRun, AnalysisTemplate, ClusterAnalysisTemplate};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Value, json};

fn survives<T: Serialize + DeserializeOwned>(value: &Value) -> T {
    let object: T = serde_json::from_value(value.clone()).unwrap();
    assert_eq!(serde_json::to_value(&object).unwrap(), *value);
    object
}

fn template_spec() -> Value {
    json!({
        "args": [
            { "name": "url" },
            { "name": "empty", "value": "" },
            { "name": "token", "valueFrom": { "secretKeyRef": { "name": "s", "key": "k" }, "later": 1 } },
            { "name": "pod", "valueFrom": { "fieldRef": { "fieldPath": "metadata.name" } } },
        ],
        "metrics": [
            {
                "name": "web", "interval": "30s", "initialDelay": "5m", "count": 3,
                "failureLimit": "{{args.limit}}", "inconclusiveLimit": 0, "consecutiveErrorLimit": 4,
                "consecutiveSuccessLimit": 2,
                "successCondition": "result.ok", "failureCondition": "result.bad",
                "provider": { "web": {
                    "url": "http://x", "method": "POST", "headers": [{ "key": "a", "value": "b" }],
                    "jsonBody": { "x": [1, null] }, "jsonPath": "{$.ok}", "timeoutSeconds": 3,
                    "insecure": true, "authentication": { "oauth2": { "tokenUrl": "t" } },
                } },
            },
            { "name": "prometheus", "provider": { "prometheus": {
                "address": "http://p", "query": "up", "timeout": 5, "rangeQuery": { "step": "1m" },
            } } },
            { "name": "job", "provider": { "job": {
                "metadata": { "labels": { "a": "b" } },
                "spec": { "backoffLimit": 1, "template": { "spec": { "containers": [] } } },
            } } },
            { "name": "other", "new": { "x": 1 }, "provider": {
                "plugin": { "p": { "q": 1 } }, "datadog": { "query": "avg:x", "apiVersion": "v2" },
            } },
        ],
        "dryRun": [{ "metricName": "web" }],
        "measurementRetention": [{ "metricName": "web", "limit": 20 }],
    })
}

#[test]
fn templates_survive_with_what_is_not_known_here() {
    let mut object = json!({
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "AnalysisTemplate",
        "metadata": { "name": "t", "namespace": "p" },
        "spec": template_spec(),
    });
    object["spec"]["templates"] =
        json!([{ "templateName": "a" }, { "templateName": "b", "clusterScope": true }]);
    survives::<AnalysisTemplate>(&object);
    object["kind"] = json!("ClusterAnalysisTemplate");
    object["metadata"] = json!({ "name": "t" });
    survives::<ClusterAnalysisTemplate>(&object);
}

#[test]
fn runs_survive_with_what_is_not_known_here() {
    let mut spec = template_spec();
    spec["terminate"] = json!(true);
    spec["ttlStrategy"] = json!({ "secondsAfterCompletion": 0, "secondsAfterFailure": 5 });
    let run: AnalysisRun = survives(&json!({
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "AnalysisRun",
        "metadata": { "name": "r", "namespace": "p", "labels": { "a": "b" } },
        "spec": spec,
        "status": {
            "phase": "Running",
            "message": "m",
            "startedAt": "2026-01-02T03:04:05Z",
            "runSummary": { "count": 1, "successful": 1 },
            "dryRunSummary": {},
            "metricResults": [{
                "name": "web", "phase": "Running", "count": 1, "successful": 1, "dryRun": true,
                "consecutiveSuccess": 1, "metadata": { "ResolvedPrometheusQuery": "up" },
                "measurements": [{
                    "phase": "Successful", "value": "1", "metadata": { "job-name": "j" },
                    "startedAt": "2026-01-02T03:04:05Z", "finishedAt": "2026-01-02T03:04:06Z",
                    "resumeAt": "2026-01-02T03:04:07Z", "later": [],
                }],
            }],
        },
    }));
    assert_eq!(run.status.phase, AnalysisPhase::Running);
    assert_eq!(run.spec.metrics[3].provider.others["datadog"]["query"], "avg:x");
}

#[test]
fn a_new_run_has_no_status() {
    let object = serde_json::to_value(AnalysisRun::default()).unwrap();
    assert_eq!(
        object,
        json!({
            "apiVersion": "argoproj.io/v1alpha1",
            "kind": "AnalysisRun",
            "metadata": {},
            "spec": { "metrics": [] },
        })
    );
}
