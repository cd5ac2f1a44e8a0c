//! The schemas of a document and their names.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use crate::{
    builtin::schemas,
    resource::{Origin, Resource},
};

/// Types that every document carries, because operations refer to them or clients expect them.
const ALWAYS: [&str; 4] =
    ["meta.v1.DeleteOptions", "meta.v1.ListMeta", "meta.v1.Patch", "meta.v1.Status"];

/// Collects schemas; shared types are added when something refers to them.
#[derive(Default)]
pub(super) struct Components {
    schemas: Map<String, Value>,
    wanted: BTreeSet<String>,
}

impl Components {
    /// Adds the kind of a resource, its list, and the kinds of the paths below it.
    pub(super) fn add_resource(&mut self, resource: &Resource) {
        let mut schema = resource.document();
        match resource.origin {
            Origin::BuiltIn(_) => self.publish(&mut schema),
            Origin::Custom { .. } => {
                // The author's part is published as it is; only what is added speaks our dialect.
                schemas::add_type_and_metadata(&mut schema);
                if let Some(metadata) = schema.pointer_mut("/properties/metadata") {
                    self.publish(metadata);
                }
            }
        }
        add_kind(&mut schema, resource, &resource.gvk.kind);
        let name = kind_name(resource, &resource.gvk.kind);
        let reference = reference_to(&name);
        self.schemas.insert(name, schema);
        let mut list = self.list_schema(&reference);
        add_kind(&mut list, resource, &resource.list_kind);
        self.schemas.insert(kind_name(resource, &resource.list_kind), list);
        if resource.subresource("token").is_some() {
            self.wanted.insert("authentication.v1.TokenRequest".to_owned());
        }
    }

    /// The schemas by name.
    pub(super) fn finish(mut self) -> Map<String, Value> {
        self.wanted.extend(ALWAYS.map(str::to_owned));
        let mut done = BTreeSet::new();
        while let Some(short) = self.wanted.pop_first() {
            let Some(mut schema) = schemas::SHARED.get(&short).cloned() else { continue };
            if done.insert(short.clone()) {
                self.publish(&mut schema);
                self.schemas.insert(shared_name(&short), schema);
            }
        }
        self.schemas
    }

    fn list_schema(&mut self, item: &Value) -> Value {
        let mut schema = json!({
            "description": "A list of objects.", "type": "object", "required": ["items"],
            "properties": {
                "apiVersion": {"description": "Group and version of the list.", "type": "string"},
                "items": {"description": "The objects.", "type": "array", "items": item},
                "kind": {"description": "Kind of the list.", "type": "string"},
                "metadata": {"description": "What a list carries beside its items.", "$ref": "meta.v1.ListMeta"},
            },
        });
        if let Some(metadata) = schema.pointer_mut("/properties/metadata") {
            self.publish(metadata);
        }
        schema
    }

    /// Turns short references into published ones and removes what is only ours.
    fn publish(&mut self, schema: &mut Value) {
        match schema {
            Value::Object(members) => {
                members.remove("x-empty");
                members.remove("x-time");
                if let Some(short) = short_reference(members) {
                    members.remove("$ref");
                    let reference = reference_to(&shared_name(&short));
                    self.wanted.insert(short);
                    if members.is_empty() {
                        *schema = reference;
                    } else {
                        members.insert("allOf".to_owned(), json!([reference]));
                    }
                    return;
                }
                members.values_mut().for_each(|member| self.publish(member));
            }
            Value::Array(items) => items.iter_mut().for_each(|item| self.publish(item)),
            _ => {}
        }
    }
}

fn short_reference(members: &Map<String, Value>) -> Option<String> {
    let short = members.get("$ref")?.as_str()?;
    schemas::SHARED.contains_key(short).then(|| short.to_owned())
}

/// A reference to a published schema.
pub(super) fn reference_to(name: &str) -> Value {
    json!({"$ref": format!("#/components/schemas/{name}")})
}

/// The published name of a kind of the same group and version as `resource`.
pub(super) fn kind_name(resource: &Resource, kind: &str) -> String {
    let gvk = &resource.gvk;
    match resource.origin {
        Origin::Custom { .. } => {
            let reversed: Vec<&str> = gvk.group.rsplit('.').collect();
            format!("{}.{}.{kind}", reversed.join("."), gvk.version)
        }
        Origin::BuiltIn(_) => {
            let package = gvk.group.split('.').next().filter(|first| !first.is_empty());
            shared_name(&format!("{}.{}.{kind}", package.unwrap_or("core"), gvk.version))
        }
    }
}

/// The published name of a shared type.
pub(super) fn shared_name(short: &str) -> String {
    let prefix = match short.split('.').next() {
        Some("meta") => "io.k8s.apimachinery.pkg.apis",
        Some("apiextensions") => "io.k8s.apiextensions-apiserver.pkg.apis",
        Some("apiregistration") => "io.k8s.kube-aggregator.pkg.apis",
        _ => "io.k8s.api",
    };
    format!("{prefix}.{short}")
}

fn add_kind(schema: &mut Value, resource: &Resource, kind: &str) {
    if let Some(members) = schema.as_object_mut() {
        members.insert(
            "x-kubernetes-group-version-kind".to_owned(),
            json!([{
                "group": &*resource.gvk.group, "version": &*resource.gvk.version, "kind": kind,
            }]),
        );
    }
}
