//! The resources that a definition defines.

use std::sync::Arc;

use emb_apply::ObjectType;
use emb_codec::patch::MergeKeys;
use emb_meta::{FieldError, FieldPath, GroupVersionKind, NameRule, ObjectExt, Scope};
use emb_schema::Schema;
use serde_json::{Value, json};

use super::{better_versions, column, flag, storage_version, versions};
use crate::resource::{Origin, Resource, Subresource, Verb};

const VERBS: &[Verb] = &[
    Verb::Delete,
    Verb::DeleteCollection,
    Verb::Get,
    Verb::List,
    Verb::Patch,
    Verb::Create,
    Verb::Update,
    Verb::Watch,
];
const STATUS_VERBS: &[Verb] = &[Verb::Get, Verb::Patch, Verb::Update];

/// One resource for each served version of a definition that was validated before. Whether they are to be served at all
/// is told by [`is_established`](super::is_established).
pub fn custom(definition: &Value) -> Result<Vec<Arc<Resource>>, Vec<FieldError>> {
    versions(definition)
        .iter()
        .enumerate()
        .filter(|(_, version)| flag(version, "served"))
        .map(|(index, version)| resource(definition, version, index).map(Arc::new))
        .collect()
}

fn resource(
    definition: &Value,
    version: &Value,
    index: usize,
) -> Result<Resource, Vec<FieldError>> {
    let document = version.pointer("/schema/openAPIV3Schema").cloned();
    let document = document.unwrap_or_else(|| json!({"type": "object"}));
    let path = FieldPath::new("spec").child("versions").index(index).child("schema");
    let (schema, _) = Schema::compile(&document, &path.child("openAPIV3Schema"))?;
    let names = definition.pointer("/spec/names").unwrap_or(&Value::Null);
    let gvk = GroupVersionKind::new(
        definition.text(&["spec", "group"]),
        version.text(&["name"]),
        names.text(&["kind"]),
    );
    let has_status = version.pointer("/subresources/status").is_some();
    let status = Subresource { name: "status", kind: gvk.clone(), verbs: STATUS_VERBS };
    Ok(Resource {
        plural: names.text(&["plural"]).into(),
        singular: names.text(&["singular"]).into(),
        list_kind: names.text(&["listKind"]).into(),
        short_names: texts(names, "shortNames"),
        categories: texts(names, "categories"),
        scope: match definition.text(&["spec", "scope"]) {
            "Cluster" => Scope::Cluster,
            _ => Scope::Namespaced,
        },
        name_rule: NameRule::DnsSubdomain,
        verbs: VERBS,
        subresources: has_status.then_some(status).into_iter().collect(),
        has_status,
        put_creates: false,
        tracks_generation: true,
        schema,
        fields: ObjectType::of_custom(&document),
        merge_keys: MergeKeys::default(),
        columns: column::columns(version),
        selectable_fields: selectable_fields(version),
        deprecated: deprecation(definition, version, &gvk),
        origin: Origin::Custom {
            crd_name: definition.name().into(),
            storage_version: storage_version(definition).unwrap_or_default().into(),
        },
        document: document.to_string().into(),
        shape: None,
        gvk,
    })
}

fn texts(names: &Value, member: &str) -> Vec<Arc<str>> {
    let list = names.get(member).and_then(Value::as_array);
    list.into_iter().flatten().filter_map(Value::as_str).map(Arc::from).collect()
}

/// Selectors name fields without the leading dot of their path.
fn selectable_fields(version: &Value) -> Vec<Arc<str>> {
    let fields = version.get("selectableFields").and_then(Value::as_array);
    let paths = fields.into_iter().flatten().map(|field| field.text(&["jsonPath"]));
    paths.map(|path| path.trim_start_matches('.').into()).collect()
}

fn deprecation(definition: &Value, version: &Value, gvk: &GroupVersionKind) -> Option<Arc<str>> {
    if !flag(version, "deprecated") {
        return None;
    }
    if let Some(given) = version.get("deprecationWarning").and_then(Value::as_str) {
        return Some(given.into());
    }
    let warning = format!("{} {} is deprecated", gvk.group_version(), gvk.kind);
    Some(match better_versions(definition, &gvk.version).first() {
        Some(better) => format!("{warning}; use {}/{better} {}", gvk.group, gvk.kind).into(),
        None => warning.into(),
    })
}
