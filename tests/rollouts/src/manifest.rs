//! The Project: one Warehouse, one Stage that promotes by itself and verifies what it got.

use serde_json::{Value, json};

pub(crate) const PROJECT: &str = "shop";
pub(crate) const STAGE: &str = "dev";
pub(crate) const TEMPLATE: &str = "well";
/// The id of an executor that is neither Argo Rollouts nor that of `kargo up`.
pub(crate) const ELSEWHERE: &str = "elsewhere";
const KARGO: &str = "kargo.akuity.io/v1alpha1";

/// Lets the Stage promote by itself.
pub(crate) fn project_config() -> Value {
    json!({
        "apiVersion": KARGO, "kind": "ProjectConfig",
        "metadata": { "name": PROJECT, "namespace": PROJECT },
        "spec": { "promotionPolicies": [{ "stage": STAGE, "autoPromotionEnabled": true }] },
    })
}

/// Nobody asks its repository: Freight is made by hand.
pub(crate) fn warehouse() -> Value {
    json!({
        "apiVersion": KARGO, "kind": "Warehouse",
        "metadata": { "name": "web", "namespace": PROJECT },
        "spec": {
            "interval": "24h",
            "freightCreationPolicy": "Manual",
            "subscriptions": [{ "image": { "repoURL": "registry.invalid/web", "constraint": ">=1.0.0" } }],
        },
    })
}

pub(crate) fn freight() -> Value {
    json!({
        "apiVersion": KARGO, "kind": "Freight",
        "metadata": { "namespace": PROJECT },
        "origin": { "kind": "Warehouse", "name": "web" },
        "images": [{ "repoURL": "registry.invalid/web", "tag": "1.0.0" }],
    })
}

/// Its verification asks the application about the version it got.
pub(crate) fn stage(application: &str) -> Value {
    json!({
        "apiVersion": KARGO, "kind": "Stage",
        "metadata": { "name": STAGE, "namespace": PROJECT },
        "spec": {
            "vars": [{ "name": "application", "value": application }],
            "requestedFreight": [{
                "origin": { "kind": "Warehouse", "name": "web" }, "sources": { "direct": true },
            }],
            "promotionTemplate": { "spec": { "steps": [{
                "uses": "compose-output", "as": "deployed", "config": { "version": "1" },
            }] } },
            "verification": {
                "analysisTemplates": [{ "name": TEMPLATE }],
                "analysisRunMetadata": { "labels": { "team": "shop" } },
                "args": [
                    { "name": "url", "value": "http://${{ vars.application }}/${{ ctx.stage }}/${{ imageFrom('registry.invalid/web').Tag }}" },
                    { "name": "spare", "value": "x" },
                ],
            },
        },
    })
}

/// Measures `count` times, once a second.
pub(crate) fn template(count: u32) -> Value {
    json!({
        "apiVersion": "argoproj.io/v1alpha1", "kind": "AnalysisTemplate",
        "metadata": { "name": TEMPLATE, "namespace": PROJECT },
        "spec": {
            "args": [{ "name": "url" }],
            "metrics": [{
                "name": "well",
                "interval": "1s",
                "count": count,
                "successCondition": "result == true",
                "provider": { "web": { "url": "{{args.url}}", "jsonPath": "{$.well}" } },
            }],
        },
    })
}

/// A run that Argo Rollouts must not take.
pub(crate) fn foreign_run(application: &str) -> Value {
    json!({
        "apiVersion": "argoproj.io/v1alpha1", "kind": "AnalysisRun",
        "metadata": {
            "name": "foreign", "namespace": PROJECT,
            "labels": { "argo-rollouts.argoproj.io/controller-instance-id": ELSEWHERE },
        },
        "spec": { "metrics": [{
            "name": "well",
            "provider": { "web": { "url": format!("http://{application}/"), "jsonPath": "{$.well}" } },
        }] },
    })
}
