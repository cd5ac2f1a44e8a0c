//! APIService objects: nobody writes them here, but clients list them to see which groups answer.

use std::sync::Arc;

use core_clock::Time;
use serde_json::{Value, json};

use super::{group_versions, order};
use crate::resource::Resource;

/// One object for each served group and version, by name. `created` is when the server began to serve.
pub fn api_services(resources: &[Arc<Resource>], created: Time) -> Vec<Value> {
    let mut services: Vec<(String, Value)> = group_versions(resources)
        .into_iter()
        .map(|at| {
            let name = format!("{}.{}", at.version, at.group);
            let service = describe(&name, &at.group, &at.version, created);
            (name, service)
        })
        .collect();
    services.sort_by(|(left, _), (right, _)| left.cmp(right));
    services.into_iter().map(|(_, service)| service).collect()
}

fn describe(name: &str, group: &str, version: &str, created: Time) -> Value {
    let priority = order::group_priority(group);
    let (managed, version_priority) =
        if priority == order::CUSTOM_PRIORITY { ("true", 100) } else { ("onstart", 15) };
    let mut spec = json!({
        "version": version, "groupPriorityMinimum": priority, "versionPriority": version_priority,
    });
    if let Some(members) = spec.as_object_mut().filter(|_| !group.is_empty()) {
        members.insert("group".to_owned(), json!(group));
    }
    let created = created.to_rfc3339_seconds();
    json!({
        "kind": "APIService", "apiVersion": "apiregistration.k8s.io/v1",
        "metadata": {
            "name": name, "creationTimestamp": created,
            "labels": {"kube-aggregator.kubernetes.io/automanaged": managed},
        },
        "spec": spec,
        "status": {"conditions": [{
            "type": "Available", "status": "True", "lastTransitionTime": created,
            "reason": "Local", "message": "Local APIServices are always available",
        }]},
    })
}
