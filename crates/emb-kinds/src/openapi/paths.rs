//! The paths of a resource.

use emb_meta::Scope;
use serde_json::{Map, Value, json};

use super::{operation::operation, root_path};
use crate::resource::{Resource, Verb};

const COLLECTION: [Verb; 3] = [Verb::List, Verb::Create, Verb::DeleteCollection];
const ITEM: [Verb; 4] = [Verb::Get, Verb::Update, Verb::Patch, Verb::Delete];

/// Adds the paths of `resource`.
pub(super) fn add(resource: &Resource, paths: &mut Map<String, Value>) {
    let root = format!("/{}", root_path(&resource.gvk.group_version()));
    let plural = &resource.plural;
    let (collection, place): (String, &[&str]) = match resource.scope {
        Scope::Namespaced => {
            if resource.allows(Verb::List) {
                let everywhere = item(resource, &[Verb::List], &[]);
                paths.insert(format!("{root}/{plural}"), everywhere);
            }
            (format!("{root}/namespaces/{{namespace}}/{plural}"), &["namespace"])
        }
        Scope::Cluster => (format!("{root}/{plural}"), &[]),
    };
    paths.insert(collection.clone(), item(resource, &COLLECTION, place));
    if !ITEM.iter().any(|verb| resource.allows(*verb)) {
        return;
    }
    let place: Vec<&str> = ["name"].iter().chain(place).copied().collect();
    paths.insert(format!("{collection}/{{name}}"), item(resource, &ITEM, &place));
    for sub in &resource.subresources {
        let operations = sub.verbs.iter().filter_map(|verb| operation(resource, *verb, &sub.kind));
        let path = format!("{collection}/{{name}}/{}", sub.name);
        paths.insert(path, with_parameters(operations, &place));
    }
}

fn item(resource: &Resource, verbs: &[Verb], place: &[&str]) -> Value {
    let operations = verbs
        .iter()
        .filter(|verb| resource.allows(**verb))
        .filter_map(|verb| operation(resource, *verb, &resource.gvk));
    with_parameters(operations, place)
}

fn with_parameters(
    operations: impl Iterator<Item = (&'static str, Value)>,
    place: &[&str],
) -> Value {
    let mut members: Map<String, Value> =
        operations.map(|(method, operation)| (method.to_owned(), operation)).collect();
    let mut parameters: Vec<Value> = place.iter().map(|name| path_parameter(name)).collect();
    parameters.push(json!({
        "name": "pretty", "in": "query", "description": "Whether to indent the reply.",
        "schema": {"type": "string", "uniqueItems": true},
    }));
    members.insert("parameters".to_owned(), json!(parameters));
    Value::Object(members)
}

fn path_parameter(name: &str) -> Value {
    let description = match name {
        "name" => "Name of the object.",
        _ => "Namespace of the object.",
    };
    json!({
        "name": name, "in": "path", "required": true, "description": description,
        "schema": {"type": "string", "uniqueItems": true},
    })
}
