//! Unknown fields: naming them for strict clients, and removing them before an object is stored.

use serde_json::{Map, Value};

use crate::{
    node::{Additional, Envelope, Node},
    object_meta::OBJECT_META,
    place::Place,
};

/// Removes every field that the schema does not know.
pub(crate) fn prune(node: &Node, value: &mut Value) {
    match value {
        Value::Object(members) => {
            if !node.preserve_unknown {
                members.retain(|name, _| is_known(node, name));
            }
            for (name, member) in members {
                match member_schema(node, name) {
                    Member::Schema(schema) => prune(schema, member),
                    Member::Unspecified if !node.preserve_unknown => empty_objects(member),
                    Member::Unspecified | Member::Kept => {}
                }
            }
        }
        Value::Array(items) => match &node.items {
            Some(schema) => items.iter_mut().for_each(|item| prune(schema, item)),
            None if !node.preserve_unknown => items.iter_mut().for_each(empty_objects),
            None => {}
        },
        _ => {}
    }
}

/// The paths of the fields that [`prune`] would remove, sorted.
pub(crate) fn unknown_fields(node: &Node, value: &Value) -> Vec<String> {
    let mut found = Vec::new();
    collect(node, value, &Place::Root, &mut found);
    found.sort();
    found
}

fn collect(node: &Node, value: &Value, place: &Place<'_>, found: &mut Vec<String>) {
    match value {
        Value::Object(members) => {
            for (name, member) in members {
                let here = Place::Field(place, name);
                if !node.preserve_unknown && !is_known(node, name) {
                    found.push(here.to_string());
                    continue;
                }
                match member_schema(node, name) {
                    Member::Schema(schema) => collect(schema, member, &here, found),
                    Member::Unspecified if !node.preserve_unknown => {
                        collect_all(member, &here, found);
                    }
                    Member::Unspecified | Member::Kept => {}
                }
            }
        }
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                let here = Place::Index(place, index);
                match &node.items {
                    Some(schema) => collect(schema, item, &here, found),
                    None if !node.preserve_unknown => collect_all(item, &here, found),
                    None => {}
                }
            }
        }
        _ => {}
    }
}

/// How the schema speaks of one member.
enum Member<'n> {
    Schema(&'n Node),
    /// The member may stand here, but nothing says what is in it.
    Unspecified,
    /// `apiVersion` and `kind`, which belong to every object.
    Kept,
}

fn member_schema<'n>(node: &'n Node, name: &str) -> Member<'n> {
    if node.envelope != Envelope::None {
        match name {
            "metadata" => return Member::Schema(&OBJECT_META),
            "apiVersion" | "kind" => return Member::Kept,
            _ => {}
        }
    }
    node.member(name).map_or(Member::Unspecified, Member::Schema)
}

fn is_known(node: &Node, name: &str) -> bool {
    let in_envelope =
        node.envelope != Envelope::None && matches!(name, "apiVersion" | "kind" | "metadata");
    in_envelope
        || node.properties.get(name).is_some()
        || !matches!(node.additional, Additional::Absent)
}

/// Where nothing says what a value holds, objects in it lose all members.
fn empty_objects(value: &mut Value) {
    match value {
        Value::Object(members) => *members = Map::new(),
        Value::Array(items) => items.iter_mut().for_each(empty_objects),
        _ => {}
    }
}

fn collect_all(value: &Value, place: &Place<'_>, found: &mut Vec<String>) {
    match value {
        Value::Object(members) => {
            found.extend(members.keys().map(|name| Place::Field(place, name).to_string()));
        }
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                collect_all(item, &Place::Index(place, index), found);
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use emb_meta::FieldPath;
    use serde_json::json;

    use crate::Schema;

    #[test]
    fn unknown_fields_are_named_and_removed() {
        let schema = Schema::compile(
            &json!({"type": "object", "properties": {"spec": {"type": "object", "properties": {
                "color": {"type": "string"},
                "free": {"x-kubernetes-preserve-unknown-fields": true},
                "half": {"type": "object", "x-kubernetes-preserve-unknown-fields": true,
                    "properties": {"strict": {"type": "object", "properties": {"a": {"type": "string"}}}}},
                "map": {"type": "object", "additionalProperties": {"type": "object", "properties": {"a": {"type": "string"}}}},
                "list": {"type": "array", "items": {"type": "object", "properties": {"a": {"type": "string"}}}},
                "emb": {"type": "object", "x-kubernetes-embedded-resource": true,
                    "properties": {"spec": {"type": "object"}}},
            }}}}),
            &FieldPath::root(),
        )
        .unwrap()
        .0;
        let mut object = json!({
            "apiVersion": "a/v1", "kind": "A", "bogus": 1,
            "metadata": {"name": "x", "foo": 1, "labels": {"a": "b"}, "managedFields": [{"fieldsV1": {"f:x": {}}}]},
            "spec": {
                "color": "red", "zz": null,
                "free": {"any": {"thing": null}},
                "half": {"kept": 1, "strict": {"a": "", "b": ""}},
                "map": {"k.1": {"a": "", "b": ""}},
                "list": [{"a": "", "b": ""}],
                "emb": {"apiVersion": "v1", "kind": "K", "metadata": {"bar": 1}, "status": {}, "spec": {"x": 1}},
            },
        });
        assert_eq!(
            schema.unknown_fields(&object),
            [
                "bogus",
                "metadata.foo",
                "spec.emb.metadata.bar",
                "spec.emb.spec.x",
                "spec.emb.status",
                "spec.half.strict.b",
                "spec.list[0].b",
                "spec.map.k.1.b",
                "spec.zz",
            ]
        );
        schema.prune(&mut object);
        assert_eq!(schema.unknown_fields(&object), [""; 0]);
        assert_eq!(
            object,
            json!({
                "apiVersion": "a/v1", "kind": "A",
                "metadata": {"name": "x", "labels": {"a": "b"}, "managedFields": [{"fieldsV1": {"f:x": {}}}]},
                "spec": {
                    "color": "red",
                    "free": {"any": {"thing": null}},
                    "half": {"kept": 1, "strict": {"a": ""}},
                    "map": {"k.1": {"a": ""}},
                    "list": [{"a": ""}],
                    "emb": {"apiVersion": "v1", "kind": "K", "metadata": {}, "spec": {}},
                },
            })
        );
    }

    #[test]
    fn a_builtin_schema_knows_only_what_it_names() {
        let schema = Schema::compile_builtin(
            &json!({"type": "object", "properties": {"kind": {"type": "string"}}}),
        )
        .unwrap();
        assert_eq!(
            schema.unknown_fields(&json!({"kind": "A", "metadata": {}})),
            ["metadata".to_owned()]
        );
    }
}
