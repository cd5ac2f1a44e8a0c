//! Aggregated discovery: one document for all groups.

use std::sync::Arc;

use emb_meta::{GroupVersionKind, Scope};
use serde_json::{Map, Value, json};

use super::{add_names, groups, resources_of, verbs, versions};
use crate::resource::{Origin, Resource};

/// Which half of the groups a document carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The core group: the reply to `/api`.
    Core,
    /// All others: the reply to `/apis`.
    Groups,
}

/// Versions of the document; they differ by name only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names are the wire format")]
pub enum AggregatedVersion {
    V2,
    V2Beta1,
}

impl AggregatedVersion {
    /// The version as media types name it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::V2 => "v2",
            Self::V2Beta1 => "v2beta1",
        }
    }
}

/// The aggregated document of one half of the groups.
pub fn aggregated(resources: &[Arc<Resource>], part: Part, version: AggregatedVersion) -> Value {
    let items: Vec<Value> = groups(resources)
        .into_iter()
        .filter(|name| name.is_empty() == (part == Part::Core))
        .map(|name| describe_group(resources, name))
        .collect();
    json!({
        "kind": "APIGroupDiscoveryList",
        "apiVersion": format!("apidiscovery.k8s.io/{}", version.as_str()),
        "metadata": {}, "items": items,
    })
}

fn describe_group(resources: &[Arc<Resource>], name: &str) -> Value {
    let metadata = if name.is_empty() { json!({}) } else { json!({"name": name}) };
    let versions: Vec<Value> = versions(resources, name)
        .into_iter()
        .map(|version| {
            let served = resources_of(resources, name, version);
            let served: Vec<Value> = served.into_iter().map(describe_resource).collect();
            json!({"version": version, "freshness": "Current", "resources": served})
        })
        .collect();
    json!({"metadata": metadata, "versions": versions})
}

fn describe_resource(resource: &Resource) -> Value {
    let mut entry = Map::new();
    entry.insert("resource".to_owned(), json!(&*resource.plural));
    entry.insert("responseKind".to_owned(), response_kind(resource, &resource.gvk));
    let scope = match resource.scope {
        Scope::Namespaced => "Namespaced",
        Scope::Cluster => "Cluster",
    };
    entry.insert("scope".to_owned(), json!(scope));
    entry.insert("singularResource".to_owned(), json!(&*resource.singular));
    entry.insert("verbs".to_owned(), verbs(resource.verbs));
    add_names(&mut entry, resource);
    let subresources: Vec<Value> = resource
        .subresources
        .iter()
        .map(|sub| {
            json!({
                "subresource": sub.name, "responseKind": response_kind(resource, &sub.kind),
                "verbs": verbs(sub.verbs),
            })
        })
        .collect();
    if !subresources.is_empty() {
        entry.insert("subresources".to_owned(), json!(subresources));
    }
    Value::Object(entry)
}

/// Built-in kinds leave the group and version out when they are those of the enclosing entry.
fn response_kind(resource: &Resource, kind: &GroupVersionKind) -> Value {
    let own = *kind == resource.gvk && matches!(resource.origin, Origin::BuiltIn(_));
    let (group, version) = if own { ("", "") } else { (&*kind.group, &*kind.version) };
    json!({"group": group, "version": version, "kind": &*kind.kind})
}
