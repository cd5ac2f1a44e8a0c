//! The schemas of the built-in kinds, read once from the files beside this one.
//!
//! The files speak the structural part of OpenAPI v3 with three extensions of our own: `$ref` to a shared type by its
//! short name, `x-empty` (what becomes of an empty value) and `x-time` (the precision of a time). Readers outside never
//! see the last two.

use std::{collections::BTreeMap, sync::LazyLock};

use serde_json::{Map, Value, json};

use super::BuiltInKind;

/// Types that several kinds share, by short name such as `meta.v1.ObjectMeta`.
pub(crate) static SHARED: LazyLock<BTreeMap<String, Value>> = LazyLock::new(|| {
    let files = [
        include_str!("schema/shared/admissionregistration.yaml"),
        include_str!("schema/shared/apiextensions.yaml"),
        include_str!("schema/shared/authentication.yaml"),
        include_str!("schema/shared/authorization.yaml"),
        include_str!("schema/shared/core.yaml"),
        include_str!("schema/shared/meta.yaml"),
        include_str!("schema/shared/rbac.yaml"),
    ];
    files.into_iter().flat_map(|text| read(text).as_object().cloned().unwrap_or_default()).collect()
});

/// The schema of a kind with `apiVersion`, `kind` and `metadata`; references are not followed.
pub(crate) fn document(kind: BuiltInKind) -> Value {
    let mut schema = read(text(kind));
    add_type_and_metadata(&mut schema);
    schema
}

/// Adds the three members that every object has to the schema of a kind.
pub(crate) fn add_type_and_metadata(schema: &mut Value) {
    let Some(root) = schema.as_object_mut() else { return };
    let properties = root.entry("properties").or_insert_with(|| json!({}));
    let Some(properties) = properties.as_object_mut() else { return };
    properties.insert(
        "apiVersion".into(),
        json!({
            "description": "Group and version of the object, such as v1 or kargo.akuity.io/v1alpha1.",
            "type": "string"
        }),
    );
    properties.insert(
        "kind".into(),
        json!({"description": "Kind of the object, in CamelCase.", "type": "string"}),
    );
    properties.insert(
        "metadata".into(),
        json!({
            "description": "What every object carries beside its own content.",
            "$ref": "meta.v1.ObjectMeta", "x-empty": "fill"
        }),
    );
}

/// `schema` with every reference replaced by what it names; members beside a reference win.
pub(crate) fn inline(schema: &Value) -> Value {
    match schema {
        Value::Object(members) => match members.get("$ref").and_then(Value::as_str) {
            Some(name) => merge_reference(name, members),
            None => Value::Object(
                members.iter().map(|(key, value)| (key.clone(), inline(value))).collect(),
            ),
        },
        Value::Array(items) => items.iter().map(inline).collect(),
        other => other.clone(),
    }
}

fn merge_reference(name: &str, beside: &Map<String, Value>) -> Value {
    let mut merged = SHARED.get(name).map(inline).unwrap_or_default();
    if let Some(target) = merged.as_object_mut() {
        for (key, value) in beside.iter().filter(|(key, _)| *key != "$ref") {
            target.insert(key.clone(), value.clone());
        }
    }
    merged
}

/// Removes the extensions that are our own, everywhere below `schema`.
pub(crate) fn strip_private(schema: &mut Value) {
    match schema {
        Value::Object(members) => {
            members.remove("x-empty");
            members.remove("x-time");
            members.values_mut().for_each(strip_private);
        }
        Value::Array(items) => items.iter_mut().for_each(strip_private),
        _ => {}
    }
}

#[expect(clippy::expect_used, reason = "the files are compiled in and a test reads all of them")]
fn read(text: &str) -> Value {
    emb_codec::yaml::decode(text.as_bytes()).expect("a compiled-in schema is sound YAML").value
}

fn text(kind: BuiltInKind) -> &'static str {
    match kind {
        BuiltInKind::Namespace => include_str!("schema/namespace.yaml"),
        BuiltInKind::Secret => include_str!("schema/secret.yaml"),
        BuiltInKind::ConfigMap => include_str!("schema/configmap.yaml"),
        BuiltInKind::ServiceAccount => include_str!("schema/serviceaccount.yaml"),
        BuiltInKind::Event => include_str!("schema/event.yaml"),
        BuiltInKind::EventsEvent => include_str!("schema/events_event.yaml"),
        BuiltInKind::Service => include_str!("schema/service.yaml"),
        BuiltInKind::Role => include_str!("schema/role.yaml"),
        BuiltInKind::RoleBinding => include_str!("schema/rolebinding.yaml"),
        BuiltInKind::ClusterRole => include_str!("schema/clusterrole.yaml"),
        BuiltInKind::ClusterRoleBinding => include_str!("schema/clusterrolebinding.yaml"),
        BuiltInKind::Lease => include_str!("schema/lease.yaml"),
        BuiltInKind::TokenReview => include_str!("schema/tokenreview.yaml"),
        BuiltInKind::SelfSubjectReview => include_str!("schema/selfsubjectreview.yaml"),
        BuiltInKind::SubjectAccessReview => include_str!("schema/subjectaccessreview.yaml"),
        BuiltInKind::SelfSubjectAccessReview => include_str!("schema/selfsubjectaccessreview.yaml"),
        BuiltInKind::SelfSubjectRulesReview => include_str!("schema/selfsubjectrulesreview.yaml"),
        BuiltInKind::LocalSubjectAccessReview => {
            include_str!("schema/localsubjectaccessreview.yaml")
        }
        BuiltInKind::CustomResourceDefinition => {
            include_str!("schema/customresourcedefinition.yaml")
        }
        BuiltInKind::MutatingWebhookConfiguration => {
            include_str!("schema/mutatingwebhookconfiguration.yaml")
        }
        BuiltInKind::ValidatingWebhookConfiguration => {
            include_str!("schema/validatingwebhookconfiguration.yaml")
        }
        BuiltInKind::ApiService => include_str!("schema/apiservice.yaml"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builtins;

    fn every_node(schema: &Value, path: &str, visit: &mut impl FnMut(&str, &Value)) {
        visit(path, schema);
        for (name, child) in schema["properties"].as_object().into_iter().flatten() {
            every_node(child, &format!("{path}.{name}"), visit);
        }
        for inner in ["items", "additionalProperties"] {
            if schema[inner].is_object() {
                every_node(&schema[inner], &format!("{path}.{inner}"), visit);
            }
        }
    }

    #[test]
    fn every_field_has_a_type_and_every_property_a_description() {
        let kinds = builtins();
        let documents = kinds.iter().filter_map(|resource| resource.built_in()).map(document);
        for schema in documents.chain(SHARED.values().cloned()) {
            every_node(&inline(&schema), "", &mut |path, node| {
                assert!(node["type"].is_string(), "{path}: {node}");
                let inner =
                    matches!(path.rsplit('.').next(), Some("items" | "additionalProperties"));
                assert!(inner || node["description"].is_string(), "{path}: {node}");
            });
        }
    }
}
