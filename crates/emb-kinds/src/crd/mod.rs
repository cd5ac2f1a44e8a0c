//! CustomResourceDefinitions: their defaults, what is wrong with them, which names they hold, and the resources they
//! define.
//!
//! Order on a write: [`default`], then [`prepare_create`] or [`prepare_update`], then [`validate`]; after the object is
//! accepted, [`accept_names`] decides whether the kind is served.

mod column;
mod names;
mod place;
mod resource;
mod status;
#[cfg(test)]
mod tests;
mod update;
#[cfg(test)]
mod upstream_tests;
mod version;

use emb_meta::{FieldError, FieldPath, NameRule, ObjectExt};
use serde_json::{Map, Value, json};

pub use resource::custom;
pub use status::{accept_names, is_established, is_terminating, mark_terminating, names_in_use};

use crate::discovery::order::compare_versions;

/// The finalizer under which the instances of a deleted definition are removed.
pub const CLEANUP_FINALIZER: &str = "customresourcecleanup.apiextensions.k8s.io";

/// Lets a definition use a group that belongs to the Kubernetes project.
const APPROVAL: &str = "api-approved.kubernetes.io";
const APPROVAL_HELP: &str = "see https://github.com/kubernetes/enhancements/pull/1111";

/// Fills in the names and the conversion that the author left open.
pub fn default(definition: &mut Value) {
    let kind = definition.text(&["spec", "names", "kind"]).to_owned();
    let Some(spec) = definition.get_mut("spec").and_then(Value::as_object_mut) else { return };
    if let Some(names) = spec.get_mut("names").and_then(Value::as_object_mut)
        && !kind.is_empty()
    {
        names.entry("singular").or_insert_with(|| json!(kind.to_lowercase()));
        names.entry("listKind").or_insert_with(|| json!(format!("{kind}List")));
    }
    let conversion = spec.entry("conversion").or_insert_with(|| json!({"strategy": "None"}));
    if conversion.text(&["strategy"]) == "None" {
        *conversion = json!({"strategy": "None"});
    }
}

/// The status of a new definition, before its names are looked at.
pub fn prepare_create(definition: &mut Value) {
    let stored =
        storage_version(definition).map_or_else(Vec::new, |version| vec![version.to_owned()]);
    if let Some(members) = definition.as_object_mut() {
        members.insert(
            "status".to_owned(),
            json!({
                "conditions": null, "acceptedNames": {"plural": "", "kind": ""},
                "storedVersions": if stored.is_empty() { Value::Null } else { json!(stored) },
            }),
        );
    }
}

/// Remembers the storage version of a changed definition among those that objects may be stored in.
pub fn prepare_update(definition: &mut Value) {
    let Some(version) = storage_version(definition).map(|version| json!(version)) else { return };
    let stored = definition.pointer_mut("/status/storedVersions").and_then(Value::as_array_mut);
    if let Some(stored) = stored.filter(|stored| !stored.contains(&version)) {
        stored.push(version);
    }
}

/// All steps of a write at once: what is wrong with the definition, and warnings for its author.
pub fn default_and_validate(
    new: &mut Value,
    old: Option<&Value>,
) -> (Vec<FieldError>, Vec<String>) {
    default(new);
    match old {
        None => prepare_create(new),
        Some(_) => prepare_update(new),
    }
    validate(new, old)
}

/// What is wrong with the definition `new`, which is created or replaces `old`, and warnings for its author.
pub fn validate(new: &Value, old: Option<&Value>) -> (Vec<FieldError>, Vec<String>) {
    let mut errors = Vec::new();
    if let Some(old) = old {
        update::check(new, old, &mut errors);
    } else {
        check_own_name(new, &mut errors);
    }
    check_group(new, &mut errors);
    check_scope(new, &mut errors);
    let warnings = version::check(new, &mut errors);
    names::check(new, &mut errors);
    check_conversion(new, &mut errors);
    check_stored_versions(new, &mut errors);
    (errors, warnings)
}

/// The versions that the definition lists.
fn versions(definition: &Value) -> &[Value] {
    let versions = definition.pointer("/spec/versions").and_then(Value::as_array);
    versions.map(Vec::as_slice).unwrap_or_default()
}

fn flag(object: &Value, member: &str) -> bool {
    object.get(member).and_then(Value::as_bool).unwrap_or(false)
}

/// The version that objects are stored in: the last one that says so, as there should be one.
fn storage_version(definition: &Value) -> Option<&str> {
    versions(definition).iter().rfind(|version| flag(version, "storage"))?.get("name")?.as_str()
}

/// Served versions that are not deprecated and better than `name`, best first.
fn better_versions<'a>(definition: &'a Value, name: &str) -> Vec<&'a str> {
    let mut better: Vec<&str> = versions(definition)
        .iter()
        .filter(|version| flag(version, "served") && !flag(version, "deprecated"))
        .map(|version| version.text(&["name"]))
        .filter(|other| compare_versions(other, name).is_lt())
        .collect();
    better.sort_by(|left, right| compare_versions(left, right));
    better
}

fn check_own_name(definition: &Value, errors: &mut Vec<FieldError>) {
    let expected = format!(
        "{}.{}",
        definition.text(&["spec", "names", "plural"]),
        definition.text(&["spec", "group"])
    );
    if definition.name() != expected {
        let name = json!(definition.name());
        let detail = "must be spec.names.plural+\".\"+spec.group";
        errors.push(FieldError::invalid("metadata.name", &name, detail));
    }
}

fn check_group(definition: &Value, errors: &mut Vec<FieldError>) {
    let group = definition.text(&["spec", "group"]);
    if group.is_empty() {
        errors.push(FieldError::required("spec.group", ""));
    } else if let Some(problem) = NameRule::DnsSubdomain.check(group) {
        errors.push(FieldError::invalid("spec.group", &json!(group), &problem));
    } else if !group.contains('.') {
        let detail = "should be a domain with at least one dot";
        errors.push(FieldError::invalid("spec.group", &json!(group), detail));
    }
    let protected = ["k8s.io", "kubernetes.io"]
        .into_iter()
        .any(|domain| group == domain || group.ends_with(&format!(".{domain}")));
    if protected {
        errors.extend(check_approval(definition));
    }
}

fn check_approval(definition: &Value) -> Option<FieldError> {
    let path = FieldPath::new("metadata").child("annotations").key(APPROVAL);
    let start = format!("protected groups must have approval annotation {APPROVAL:?}");
    let Some(approval) = definition.annotation(APPROVAL).filter(|text| !text.is_empty()) else {
        return Some(FieldError::required(path, &format!("{start}, {APPROVAL_HELP}")));
    };
    let sound = approval.starts_with("unapproved")
        || approval
            .split_once("://")
            .is_some_and(|(scheme, host)| matches!(scheme, "http" | "https") && !host.is_empty());
    let detail = format!(
        "{start} with either a URL or a reason starting with \"unapproved\", {APPROVAL_HELP}"
    );
    (!sound).then(|| FieldError::invalid(path, &json!(approval), &detail))
}

fn check_scope(definition: &Value, errors: &mut Vec<FieldError>) {
    match definition.text(&["spec", "scope"]) {
        "Cluster" | "Namespaced" => {}
        "" => errors.push(FieldError::required("spec.scope", "")),
        other => errors.push(FieldError::not_supported(
            "spec.scope",
            &json!(other),
            ["Cluster", "Namespaced"],
        )),
    }
    if definition.pointer("/spec/preserveUnknownFields") == Some(&Value::Bool(true)) {
        errors.push(FieldError::invalid(
            "spec.preserveUnknownFields",
            &json!(true),
            "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead",
        ));
    }
}

fn check_conversion(definition: &Value, errors: &mut Vec<FieldError>) {
    let field = "spec.conversion.strategy";
    match definition.text(&["spec", "conversion", "strategy"]) {
        "None" => {}
        "" => errors.push(FieldError::required(field, "")),
        "Webhook" => errors.push(FieldError::forbidden(
            field,
            "this server does not call conversion webhooks; use None",
        )),
        other => {
            errors.push(FieldError::not_supported(field, &json!(other), ["None", "Webhook"]));
        }
    }
}

fn check_stored_versions(definition: &Value, errors: &mut Vec<FieldError>) {
    let path = FieldPath::new("status").child("storedVersions");
    let list = definition.pointer("/status/storedVersions").unwrap_or(&Value::Null);
    let stored: Vec<&str> =
        list.as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    if stored.is_empty() {
        errors.push(FieldError::invalid(&path, list, "must have at least one stored version"));
        return;
    }
    for (index, name) in stored.iter().enumerate() {
        if !versions(definition).iter().any(|version| version.text(&["name"]) == *name) {
            let detail = format!(
                "missing from spec.versions; {name} was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in {name} and removes {name} from status.storedVersions"
            );
            errors.push(FieldError::invalid(path.index(index), &json!(name), &detail));
        }
    }
    if let Some(storage) = storage_version(definition).filter(|name| !stored.contains(name)) {
        let detail = format!("must have the storage version {storage}");
        errors.push(FieldError::invalid(&path, list, &detail));
    }
}

/// The member `name` of `object`, made an object if it is none.
fn member_mut<'a>(object: &'a mut Value, name: &str) -> Option<&'a mut Map<String, Value>> {
    let member = object.as_object_mut()?.entry(name).or_insert_with(|| json!({}));
    if !member.is_object() {
        *member = json!({});
    }
    member.as_object_mut()
}
