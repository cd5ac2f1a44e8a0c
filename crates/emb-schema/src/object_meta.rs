//! The schema of `metadata`, which every object has although no custom resource schema spells it out.

use std::sync::LazyLock;

use crate::node::{Additional, JsonType, Node, Types};

/// The members of `metadata`, for finding and pruning unknown ones.
pub(crate) static OBJECT_META: LazyLock<Node> = LazyLock::new(|| {
    object(vec![
        ("annotations", string_map()),
        ("creationTimestamp", string()),
        ("deletionGracePeriodSeconds", of(JsonType::Integer)),
        ("deletionTimestamp", string()),
        ("finalizers", list(string())),
        ("generateName", string()),
        ("generation", of(JsonType::Integer)),
        ("labels", string_map()),
        ("managedFields", list(managed_fields_entry())),
        ("name", string()),
        ("namespace", string()),
        ("ownerReferences", list(owner_reference())),
        ("resourceVersion", string()),
        ("selfLink", string()),
        ("uid", string()),
    ])
});

fn managed_fields_entry() -> Node {
    let texts = ["apiVersion", "fieldsType", "manager", "operation", "subresource", "time"];
    let mut members: Vec<_> = texts.into_iter().map(|name| (name, string())).collect();
    members.push(("fieldsV1", Node { preserve_unknown: true, ..of(JsonType::Object) }));
    object(members)
}

fn owner_reference() -> Node {
    let mut members: Vec<_> =
        ["apiVersion", "kind", "name", "uid"].into_iter().map(|name| (name, string())).collect();
    members.push(("blockOwnerDeletion", of(JsonType::Boolean)));
    members.push(("controller", of(JsonType::Boolean)));
    object(members)
}

fn of(json_type: JsonType) -> Node {
    Node { types: Types::One(json_type), ..Node::default() }
}

fn string() -> Node {
    of(JsonType::String)
}

fn string_map() -> Node {
    Node { additional: Additional::Schema(Box::new(string())), ..of(JsonType::Object) }
}

fn list(items: Node) -> Node {
    Node { items: Some(Box::new(items)), ..of(JsonType::Array) }
}

fn object(members: Vec<(&str, Node)>) -> Node {
    let properties = members.into_iter().map(|(name, node)| (name.into(), node)).collect();
    Node { properties, ..of(JsonType::Object) }
}
