//! Reduced CustomResourceDefinitions, for engines on which Argo Rollouts is not installed.
//!
//! They agree with those of Argo Rollouts in names, scope, columns and in having no status
//! subresource, accept every object that those accept, and check the fields used here. Where the
//! originals list the fields of a provider or of a pod, these keep what they are given.

use serde_json::{Value, json};

use crate::{GROUP, VERSION};

/// The CustomResourceDefinitions of all kinds, sorted by name.
pub fn crds() -> Vec<Value> {
    let run = json!({
        "type": "object",
        "required": ["spec"],
        "properties": { "spec": run_spec(), "status": status() },
    });
    let template = json!({
        "type": "object",
        "required": ["spec"],
        "properties": { "spec": template_spec() },
    });
    let status_column = json!({ "jsonPath": ".status.phase", "name": "Status", "type": "string" });
    vec![
        definition("AnalysisRun", "ar", "Namespaced", vec![status_column], run),
        definition("AnalysisTemplate", "at", "Namespaced", vec![], template.clone()),
        definition("ClusterAnalysisTemplate", "cat", "Cluster", vec![], template),
    ]
}

fn definition(
    kind: &str,
    short_name: &str,
    scope: &str,
    mut columns: Vec<Value>,
    schema: Value,
) -> Value {
    let singular = kind.to_lowercase();
    let plural = format!("{singular}s");
    columns
        .push(json!({ "jsonPath": ".metadata.creationTimestamp", "name": "Age", "type": "date" }));
    json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": { "name": format!("{plural}.{GROUP}") },
        "spec": {
            "group": GROUP,
            "names": {
                "kind": kind,
                "listKind": format!("{kind}List"),
                "plural": plural,
                "shortNames": [short_name],
                "singular": singular,
            },
            "scope": scope,
            "versions": [{
                "name": VERSION,
                "served": true,
                "storage": true,
                "additionalPrinterColumns": columns,
                "schema": { "openAPIV3Schema": schema },
                "subresources": {},
            }],
        },
    })
}

fn run_spec() -> Value {
    object(
        &["metrics"],
        json!({
            "metrics": list(metric()),
            "args": list(argument()),
            "dryRun": list(dry_run()),
            "measurementRetention": list(retention()),
            "terminate": { "type": "boolean" },
            "ttlStrategy": object(&[], json!({
                "secondsAfterCompletion": count(),
                "secondsAfterFailure": count(),
                "secondsAfterSuccess": count(),
            })),
        }),
    )
}

fn template_spec() -> Value {
    object(
        &[],
        json!({
            "metrics": list(metric()),
            "args": list(argument()),
            "dryRun": list(dry_run()),
            "measurementRetention": list(retention()),
            "templates": list(object(&[], json!({
                "templateName": text(),
                "clusterScope": { "type": "boolean" },
            }))),
        }),
    )
}

fn metric() -> Value {
    object(
        &["name", "provider"],
        json!({
            "name": text(),
            "interval": text(),
            "initialDelay": text(),
            "count": number_or_text(),
            "successCondition": text(),
            "failureCondition": text(),
            "failureLimit": number_or_text(),
            "inconclusiveLimit": number_or_text(),
            "consecutiveErrorLimit": number_or_text(),
            "consecutiveSuccessLimit": number_or_text(),
            "provider": provider(),
        }),
    )
}

fn provider() -> Value {
    let headers = list(object(&["key", "value"], json!({ "key": text(), "value": text() })));
    let boolean = json!({ "type": "boolean" });
    let seconds = json!({ "type": "integer", "format": "int64" });
    object(
        &[],
        json!({
            "web": object(&["url"], json!({
                "method": text(),
                "url": text(),
                "headers": headers,
                "body": text(),
                "jsonBody": object(&[], json!({})),
                "jsonPath": text(),
                "timeoutSeconds": seconds,
                "insecure": boolean,
            })),
            "prometheus": object(&[], json!({
                "address": text(),
                "query": text(),
                "headers": headers,
                "timeout": seconds,
                "insecure": boolean,
            })),
            "job": object(&["spec"], json!({
                "metadata": object(&[], json!({})),
                "spec": object(&[], json!({})),
            })),
            "plugin": object(&[], json!({})),
        }),
    )
}

fn argument() -> Value {
    object(
        &["name"],
        json!({
            "name": text(),
            "value": text(),
            "valueFrom": object(&[], json!({
                "secretKeyRef": object(&["key", "name"], json!({ "key": text(), "name": text() })),
                "fieldRef": object(&["fieldPath"], json!({ "fieldPath": text() })),
            })),
        }),
    )
}

fn dry_run() -> Value {
    object(&["metricName"], json!({ "metricName": text() }))
}

fn retention() -> Value {
    object(&["limit", "metricName"], json!({ "metricName": text(), "limit": count() }))
}

fn status() -> Value {
    object(
        &["phase"],
        json!({
            "phase": text(),
            "message": text(),
            "metricResults": list(metric_result()),
            "startedAt": time(),
            "completedAt": time(),
            "runSummary": summary(),
            "dryRunSummary": summary(),
        }),
    )
}

fn summary() -> Value {
    object(
        &[],
        json!({
            "count": count(),
            "successful": count(),
            "failed": count(),
            "inconclusive": count(),
            "error": count(),
        }),
    )
}

fn metric_result() -> Value {
    object(
        &["name", "phase"],
        json!({
            "name": text(),
            "phase": text(),
            "measurements": list(measurement()),
            "message": text(),
            "count": count(),
            "successful": count(),
            "failed": count(),
            "inconclusive": count(),
            "error": count(),
            "consecutiveError": count(),
            "consecutiveSuccess": count(),
            "dryRun": { "type": "boolean" },
            "metadata": map_of_text(),
        }),
    )
}

fn measurement() -> Value {
    object(
        &["phase"],
        json!({
            "phase": text(),
            "message": text(),
            "startedAt": time(),
            "finishedAt": time(),
            "value": text(),
            "metadata": map_of_text(),
            "resumeAt": time(),
        }),
    )
}

/// An object of which some fields are known and all are kept.
fn object(required: &[&str], properties: Value) -> Value {
    let mut schema = json!({
        "type": "object",
        "properties": properties,
        "x-kubernetes-preserve-unknown-fields": true,
    });
    if let (Some(schema), false) = (schema.as_object_mut(), required.is_empty()) {
        schema.insert("required".to_owned(), json!(required));
    }
    schema
}

fn list(items: Value) -> Value {
    json!({ "type": "array", "items": items })
}

fn text() -> Value {
    json!({ "type": "string" })
}

fn time() -> Value {
    json!({ "type": "string", "format": "date-time" })
}

fn count() -> Value {
    json!({ "type": "integer", "format": "int32" })
}

fn number_or_text() -> Value {
    json!({
        "anyOf": [{ "type": "integer" }, { "type": "string" }],
        "x-kubernetes-int-or-string": true,
    })
}

fn map_of_text() -> Value {
    json!({ "type": "object", "additionalProperties": { "type": "string" } })
}
