//! Nulls and defaults: a null that a schema does not allow counts as absent, and what is absent gets its default.

use serde_json::{Map, Value};

use crate::node::Node;

/// What becomes of a null that is not allowed and has no default to make way for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Nulls {
    Drop,
    /// It stays, for validation to find.
    Keep,
}

/// Sees to nulls that are not allowed, then fills in defaults, parents before children.
pub(crate) fn default(node: &Node, value: &mut Value, nulls: Nulls) {
    match value {
        Value::Object(members) => object(node, members, nulls),
        Value::Array(items) => {
            let Some(schema) = &node.items else { return };
            for item in items {
                if let (true, Some(default)) = (refuses_null(schema, item), &schema.default) {
                    *item = default.clone();
                }
                default(schema, item, nulls);
            }
        }
        _ => {}
    }
}

fn object(node: &Node, members: &mut Map<String, Value>, nulls: Nulls) {
    members.retain(|name, member| {
        let goes = |schema: &Node| nulls == Nulls::Drop || schema.default.is_some();
        !node.member(name).is_some_and(|schema| refuses_null(schema, member) && goes(schema))
    });
    for (name, schema) in node.properties.iter() {
        if let Some(default) = &schema.default
            && !members.contains_key(name)
        {
            members.insert(name.to_string(), default.clone());
        }
    }
    for (name, member) in members {
        if let Some(schema) = node.member(name) {
            default(schema, member, nulls);
        }
    }
}

fn refuses_null(schema: &Node, value: &Value) -> bool {
    value.is_null() && !schema.nullable
}

#[cfg(test)]
mod tests {
    use emb_meta::FieldPath;
    use serde_json::{Value, json};

    use crate::Schema;

    fn schema() -> Schema {
        Schema::compile(
            &json!({"type": "object", "properties": {"spec": {"type": "object", "properties": {
                "color": {"type": "string", "default": "red"},
                "plain": {"type": "string"},
                "empty": {"type": "string", "nullable": true},
                "empty_default": {"type": "string", "nullable": true, "default": "x"},
                "free": {"x-kubernetes-preserve-unknown-fields": true},
                "sub": {"type": "object", "default": {}, "properties": {"n": {"type": "integer", "default": 1}}},
                "deep": {"type": "object", "properties": {"n": {"type": "integer", "default": 1}}},
                "map": {"type": "object", "additionalProperties": {"type": "object", "properties": {"n": {"type": "integer", "default": 1}}}},
                "list": {"type": "array", "items": {"type": "object", "properties": {"n": {"type": "integer", "default": 1}}}},
            }}}}),
            &FieldPath::root(),
        )
        .unwrap()
        .0
    }

    fn defaulted(mut object: Value) -> Value {
        schema().drop_nulls_and_default(&mut object);
        object
    }

    #[test]
    fn a_default_needs_its_parent() {
        assert_eq!(defaulted(json!({})), json!({}));
        assert_eq!(
            defaulted(json!({"spec": {}})),
            json!({"spec": {"color": "red", "empty_default": "x", "sub": {"n": 1}}})
        );
    }

    #[test]
    fn nulls_vanish_where_they_are_not_allowed() {
        assert_eq!(
            defaulted(json!({"spec": {
                "color": null, "plain": null, "empty": null, "empty_default": null, "sub": null,
                "free": {"a": null}, "deep": {"n": null}, "map": {"a": null, "b": {}}, "list": [{}, null],
            }})),
            json!({"spec": {
                "color": "red", "empty": null, "empty_default": null, "sub": {"n": 1},
                "free": {"a": null}, "deep": {"n": 1}, "map": {"b": {"n": 1}}, "list": [{"n": 1}, null],
            }})
        );
    }

    #[test]
    fn nulls_without_a_default_can_stay() {
        let mut object = json!({"spec": {"color": null, "plain": null, "deep": {"n": null}}});
        schema().default(&mut object);
        let sub = json!({"n": 1});
        assert_eq!(
            object,
            json!({"spec": {"color": "red", "plain": null, "deep": {"n": 1}, "empty_default": "x", "sub": sub}})
        );
    }
}
