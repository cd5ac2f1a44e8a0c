//! Discovery: what the server tells clients about what it serves. Older clients ask for each group and version; newer
//! ones ask for everything at once (the aggregated form).

mod aggregated;
mod api_service;
pub(crate) mod order;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use emb_meta::{GroupVersion, Scope};
use serde_json::{Map, Value, json};

pub use aggregated::{AggregatedVersion, Part, aggregated};
pub use api_service::api_services;

use crate::resource::{Resource, Subresource, Verb};

/// The reply to `/api`. `server_address` is the `host:port` that clients reach the server at.
pub fn core_versions(server_address: &str) -> Value {
    json!({
        "kind": "APIVersions", "versions": ["v1"],
        "serverAddressByClientCIDRs": [{"clientCIDR": "0.0.0.0/0", "serverAddress": server_address}],
    })
}

/// The reply to `/apis`: all groups but the core one.
pub fn group_list(resources: &[Arc<Resource>]) -> Value {
    let groups: Vec<Value> = groups(resources)
        .into_iter()
        .filter(|name| !name.is_empty())
        .map(|name| describe_group(resources, name))
        .collect();
    json!({"kind": "APIGroupList", "apiVersion": "v1", "groups": groups})
}

/// The reply to `/apis/{group}`; `None` when nothing of the group is served.
pub fn group(resources: &[Arc<Resource>], name: &str) -> Option<Value> {
    groups(resources).contains(&name).then(|| {
        let mut body = describe_group(resources, name);
        if let Some(members) = body.as_object_mut() {
            members.insert("kind".to_owned(), json!("APIGroup"));
            members.insert("apiVersion".to_owned(), json!("v1"));
        }
        body
    })
}

/// The reply to `/api/v1` and `/apis/{group}/{version}`; `None` when nothing of it is served.
pub fn resource_list(resources: &[Arc<Resource>], at: &GroupVersion) -> Option<Value> {
    let served = resources_of(resources, &at.group, &at.version);
    if served.is_empty() {
        return None;
    }
    let list: Vec<Value> = served.into_iter().flat_map(describe_resource).collect();
    Some(json!({
        "kind": "APIResourceList", "apiVersion": "v1", "groupVersion": at.to_string(),
        "resources": list,
    }))
}

/// The served groups, best first; the core group has an empty name.
pub fn groups(resources: &[Arc<Resource>]) -> Vec<&str> {
    let mut groups: Vec<&str> = resources.iter().map(|resource| &*resource.gvk.group).collect();
    groups.sort_by(|left, right| order::compare_groups(left, right));
    groups.dedup();
    groups
}

/// The served versions of a group, best first.
pub fn versions<'a>(resources: &'a [Arc<Resource>], group: &str) -> Vec<&'a str> {
    let of_group = resources.iter().filter(|resource| &*resource.gvk.group == group);
    let mut versions: Vec<&str> = of_group.map(|resource| &*resource.gvk.version).collect();
    versions.sort_by(|left, right| order::compare_versions(left, right));
    versions.dedup();
    versions
}

/// Every served group and version, best first.
pub fn group_versions(resources: &[Arc<Resource>]) -> Vec<GroupVersion> {
    let mut all = Vec::new();
    for group in groups(resources) {
        all.extend(versions(resources, group).into_iter().map(|v| GroupVersion::new(group, v)));
    }
    all
}

/// What is served at a group and version, by plural.
pub(crate) fn resources_of<'a>(
    resources: &'a [Arc<Resource>],
    group: &str,
    version: &str,
) -> Vec<&'a Resource> {
    let mut found: Vec<&Resource> = resources
        .iter()
        .map(Arc::as_ref)
        .filter(|resource| &*resource.gvk.group == group && &*resource.gvk.version == version)
        .collect();
    found.sort_by(|left, right| left.plural.cmp(&right.plural));
    found
}

fn describe_group(resources: &[Arc<Resource>], name: &str) -> Value {
    let describe = |version: &str| {
        let at = GroupVersion::new(name, version);
        json!({"groupVersion": at.to_string(), "version": version})
    };
    let versions: Vec<Value> = versions(resources, name).into_iter().map(describe).collect();
    let preferred = versions.first().cloned();
    json!({"name": name, "versions": versions, "preferredVersion": preferred})
}

/// The entry of a resource, followed by those of the paths below it.
fn describe_resource(resource: &Resource) -> Vec<Value> {
    let mut entry = Map::new();
    entry.insert("name".to_owned(), json!(&*resource.plural));
    entry.insert("singularName".to_owned(), json!(&*resource.singular));
    entry.insert("namespaced".to_owned(), json!(resource.scope == Scope::Namespaced));
    entry.insert("kind".to_owned(), json!(&*resource.gvk.kind));
    entry.insert("verbs".to_owned(), verbs(resource.verbs));
    add_names(&mut entry, resource);
    let mut entries = vec![Value::Object(entry)];
    entries.extend(resource.subresources.iter().map(|sub| describe_subresource(resource, sub)));
    entries
}

fn describe_subresource(resource: &Resource, sub: &Subresource) -> Value {
    let mut entry = json!({
        "name": format!("{}/{}", resource.plural, sub.name), "singularName": "",
        "namespaced": resource.scope == Scope::Namespaced, "kind": &*sub.kind.kind,
        "verbs": verbs(sub.verbs),
    });
    if let Some(members) = entry.as_object_mut().filter(|_| sub.kind != resource.gvk) {
        members.insert("group".to_owned(), json!(&*sub.kind.group));
        members.insert("version".to_owned(), json!(&*sub.kind.version));
    }
    entry
}

fn verbs(verbs: &[Verb]) -> Value {
    verbs.iter().map(|verb| verb.as_str()).collect()
}

fn add_names(entry: &mut Map<String, Value>, resource: &Resource) {
    for (member, names) in
        [("shortNames", &resource.short_names), ("categories", &resource.categories)]
    {
        if !names.is_empty() {
            let names = names.iter().map(|name| json!(&**name)).collect();
            entry.insert(member.to_owned(), names);
        }
    }
}
