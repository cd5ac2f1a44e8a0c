//! The documents of discovery.

use std::sync::Arc;

use core_clock::Time;
use emb_meta::GroupVersion;
use serde_json::{Value, json};

use super::{
    AggregatedVersion, Part, aggregated, api_services, core_versions, group, group_list,
    resource_list,
};
use crate::{Resource, builtins, custom};

fn stages() -> Vec<Arc<Resource>> {
    let version = |name: &str, storage: bool| {
        json!({"name": name, "served": true, "storage": storage, "subresources": {"status": {}},
            "schema": {"openAPIV3Schema": {"type": "object"}}})
    };
    custom(&json!({"metadata": {"name": "stages.kargo.akuity.io"}, "spec": {
        "group": "kargo.akuity.io", "scope": "Namespaced",
        "names": {"plural": "stages", "singular": "stage", "kind": "Stage", "listKind": "StageList", "shortNames": ["st"]},
        "versions": [version("v1alpha1", true), version("v1", false)],
    }}))
    .unwrap()
}

fn all() -> Vec<Arc<Resource>> {
    builtins().into_iter().chain(stages()).collect()
}

fn only(plurals: &[&str]) -> Vec<Arc<Resource>> {
    all().into_iter().filter(|resource| plurals.contains(&&*resource.plural)).collect()
}

#[test]
fn groups_come_in_the_order_clients_should_look_at_them() {
    let list = group_list(&all());
    let names: Vec<&str> =
        list["groups"].as_array().unwrap().iter().map(|g| g["name"].as_str().unwrap()).collect();
    assert_eq!(
        names,
        [
            "apiregistration.k8s.io",
            "events.k8s.io",
            "authentication.k8s.io",
            "authorization.k8s.io",
            "rbac.authorization.k8s.io",
            "admissionregistration.k8s.io",
            "apiextensions.k8s.io",
            "coordination.k8s.io",
            "kargo.akuity.io"
        ]
    );
}

#[test]
fn a_group_prefers_its_best_version() {
    let preferred = json!({"groupVersion": "kargo.akuity.io/v1", "version": "v1"});
    assert_eq!(
        group(&all(), "kargo.akuity.io"),
        Some(json!({
            "kind": "APIGroup", "apiVersion": "v1", "name": "kargo.akuity.io", "preferredVersion": preferred,
            "versions": [preferred, {"groupVersion": "kargo.akuity.io/v1alpha1", "version": "v1alpha1"}],
        }))
    );
    assert_eq!(group(&all(), "apps"), None);
}

#[test]
fn the_core_group_is_listed_with_its_subresources() {
    assert_eq!(core_versions("h:1")["versions"], json!(["v1"]));
    let resources = only(&["serviceaccounts", "namespaces"]);
    insta::assert_json_snapshot!(resource_list(&resources, &GroupVersion::new("", "v1")));
    assert_eq!(resource_list(&resources, &GroupVersion::new("", "v2")), None);
}

#[test]
fn the_aggregated_form_holds_everything_at_once() {
    let resources = only(&["serviceaccounts", "roles", "stages"]);
    insta::assert_json_snapshot!(aggregated(&resources, Part::Core, AggregatedVersion::V2));
    insta::assert_json_snapshot!(aggregated(&resources, Part::Groups, AggregatedVersion::V2Beta1));
}

#[test]
fn each_group_version_has_an_api_service() {
    let services = api_services(&only(&["secrets", "stages", "leases"]), Time::from_seconds(0));
    let told: Vec<(&str, &Value)> = services
        .iter()
        .map(|service| (service["metadata"]["name"].as_str().unwrap(), &service["spec"]))
        .collect();
    assert_eq!(
        told,
        [
            (
                "v1.",
                &json!({"version": "v1", "groupPriorityMinimum": 18_000, "versionPriority": 15})
            ),
            (
                "v1.coordination.k8s.io",
                &json!({"group": "coordination.k8s.io", "version": "v1", "groupPriorityMinimum": 16_500, "versionPriority": 15})
            ),
            (
                "v1.kargo.akuity.io",
                &json!({"group": "kargo.akuity.io", "version": "v1", "groupPriorityMinimum": 1_000, "versionPriority": 100})
            ),
            (
                "v1alpha1.kargo.akuity.io",
                &json!({"group": "kargo.akuity.io", "version": "v1alpha1", "groupPriorityMinimum": 1_000, "versionPriority": 100})
            ),
        ]
    );
    assert_eq!(services[0]["status"]["conditions"][0]["reason"], "Local");
}
