use emb_meta::{FieldError, FieldPath};
use serde_json::{Value, json};

use crate::{Budget, Schema};

/// A schema whose `spec` has these properties.
fn spec(properties: Value) -> Schema {
    let schema = json!({"type": "object", "properties": {
        "spec": {"type": "object", "properties": properties},
    }});
    Schema::compile(&schema, &FieldPath::root()).unwrap().0
}

fn errors_of(schema: &Schema, spec: Value) -> Vec<String> {
    let object = json!({"spec": spec});
    schema.validate(&object, None, Budget::default()).iter().map(FieldError::to_string).collect()
}

fn restricted() -> Schema {
    spec(json!({
        "color": {"type": "string", "enum": ["red", "green", "blue"]},
        "count": {"type": "integer", "minimum": 1, "maximum": 100},
        "small": {"type": "integer", "format": "int32"},
        "ratio": {"type": "number", "exclusiveMinimum": true, "minimum": 0.5, "multipleOf": 0.25},
        "note": {"type": "string", "pattern": "^[a-z]+$", "maxLength": 10, "minLength": 2},
        "when": {"type": "string", "format": "date-time"},
        "items": {"type": "array", "items": {"type": "string"}, "maxItems": 3, "minItems": 1},
        "port": {"x-kubernetes-int-or-string": true},
        "map": {"type": "object", "additionalProperties": {"type": "string"}, "maxProperties": 1, "minProperties": 1},
    }))
}

#[test]
fn each_restriction_has_the_words_of_the_api() {
    for (value, expected) in [
        (
            json!({"color": "pink"}),
            r#"spec.color: Unsupported value: "pink": supported values: "red", "green", "blue""#,
        ),
        (
            json!({"count": "x"}),
            r#"spec.count: Invalid value: "string": spec.count in body must be of type integer: "string""#,
        ),
        (
            json!({"count": 101}),
            "spec.count: Invalid value: 101: spec.count in body should be less than or equal to 100",
        ),
        (
            json!({"count": 0}),
            "spec.count: Invalid value: 0: spec.count in body should be greater than or equal to 1",
        ),
        (
            json!({"small": 3_000_000_000_i64}),
            r#"<nil>: Invalid value: "": Checked value must be of type integer with format int32 in spec.small"#,
        ),
        (
            json!({"small": true}),
            r#"spec.small: Invalid value: "": spec.small in body must be of type int32: """#,
        ),
        (
            json!({"ratio": 0.5}),
            "spec.ratio: Invalid value: 0.5: spec.ratio in body should be greater than 0.5",
        ),
        (
            json!({"ratio": 0.6}),
            "spec.ratio: Invalid value: 0.6: spec.ratio in body should be a multiple of 0.25",
        ),
        (
            json!({"note": "ABC"}),
            r#"spec.note: Invalid value: "ABC": spec.note in body should match '^[a-z]+$'"#,
        ),
        (json!({"note": "abcdefghijk"}), "spec.note: Too long: may not be more than 10 bytes"),
        (
            json!({"note": "a"}),
            r#"spec.note: Invalid value: "a": spec.note in body should be at least 2 chars long"#,
        ),
        (
            json!({"when": "x"}),
            r#"spec.when: Invalid value: "x": spec.when in body must be of type date-time: "x""#,
        ),
        (
            json!({"items": ["a", "b", "c", "d"]}),
            "spec.items: Too many: 4: must have at most 3 items",
        ),
        (
            json!({"items": []}),
            "spec.items: Invalid value: 0: spec.items in body should have at least 1 items",
        ),
        (
            json!({"items": [1]}),
            r#"spec.items[0]: Invalid value: "integer": spec.items[0] in body must be of type string: "integer""#,
        ),
        (
            json!({"items": null}),
            r#"spec.items: Invalid value: "null": spec.items in body must be of type array: "null""#,
        ),
        (
            json!({"port": 1.5}),
            r#"spec.port: Invalid value: "number": spec.port in body must be of type integer,string: "number""#,
        ),
        (
            json!({"map": {"a": 1}}),
            r#"spec.map.a: Invalid value: "integer": spec.map.a in body must be of type string: "integer""#,
        ),
        (json!({"map": {"a": "", "b": ""}}), "spec.map: Too many: 2: must have at most 1 item"),
        (
            json!({"map": {}}),
            "spec.map: Invalid value: 0: spec.map in body should have at least 1 properties",
        ),
    ] {
        assert_eq!(errors_of(&restricted(), value.clone()), [expected], "{value}");
    }
}

#[test]
fn values_within_the_restrictions_pass() {
    for good in [
        json!({"color": "red", "count": 5.0, "ratio": 1, "note": "ééé".replace('é', "e")}),
        json!({"port": "http"}),
        json!({"port": 80}),
    ] {
        assert_eq!(errors_of(&restricted(), good), [""; 0]);
    }
}

#[test]
fn lengths_count_characters() {
    let schema = spec(json!({"note": {"type": "string", "maxLength": 3, "minLength": 3}}));
    assert_eq!(errors_of(&schema, json!({"note": "ééé"})), [""; 0]);
    assert_eq!(errors_of(&schema, json!({"note": "éé"})).len(), 1);
}

#[test]
fn fractions_are_no_integers() {
    let schema = spec(json!({"count": {"type": "integer"}}));
    let errors = errors_of(&schema, json!({"count": 5.5}));
    assert_eq!(
        errors[0],
        r#"spec.count: Invalid value: "number": spec.count in body must be of type integer: "number""#
    );
}

#[test]
fn required_members_are_told_at_every_depth() {
    let schema = Schema::compile(
        &json!({"type": "object", "required": ["spec"], "properties": {
            "spec": {"type": "object", "required": ["color"], "properties": {"color": {"type": "string"}}},
        }}),
        &FieldPath::root(),
    )
    .unwrap()
    .0;
    let told = |object: Value| {
        let errors = schema.validate(&object, None, Budget::default());
        errors.iter().map(FieldError::to_string).collect::<Vec<_>>()
    };
    assert_eq!(told(json!({})), ["spec: Required value"]);
    assert_eq!(told(json!({"spec": {}})), ["spec.color: Required value"]);
}

#[test]
fn duplicates_in_sets_and_maps_are_told_once() {
    let schema = spec(json!({
        "tags": {"type": "array", "items": {"type": "string"}, "x-kubernetes-list-type": "set"},
        "items": {
            "type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"],
            "items": {"type": "object", "required": ["name"], "properties": {"name": {"type": "string"}}},
        },
    }));
    assert_eq!(
        errors_of(&schema, json!({"tags": ["a", "a", "a"]})),
        [r#"spec.tags[1]: Duplicate value: "a""#]
    );
    assert_eq!(
        errors_of(&schema, json!({"items": [{"name": "a"}, {"name": "a"}]})),
        [r#"spec.items[1]: Duplicate value: {"name":"a"}"#]
    );
}

#[test]
fn an_embedded_resource_needs_its_envelope() {
    let schema = spec(json!({"emb": {
        "type": "object", "x-kubernetes-embedded-resource": true,
        "x-kubernetes-preserve-unknown-fields": true,
    }}));
    assert_eq!(
        errors_of(&schema, json!({"emb": {}})),
        ["spec.emb.apiVersion: Required value", "spec.emb.kind: Required value"]
    );
    let bad =
        json!({"emb": {"apiVersion": "v1", "kind": "Pod", "metadata": {"labels": {"a b": "c"}}}});
    assert!(errors_of(&schema, bad)[0].starts_with("spec.emb.metadata.labels: Invalid value"));
    let good =
        json!({"emb": {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "x"}, "spec": 1}});
    assert_eq!(errors_of(&schema, good), [""; 0]);
}

#[test]
fn alternatives_tell_what_the_nearest_one_misses() {
    let schema = spec(json!({
        "any": {"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "string"}},
            "anyOf": [{"required": ["a"]}, {"required": ["b"]}]},
        "one": {"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "string"}},
            "oneOf": [{"required": ["a"]}, {"required": ["b"]}]},
        "not": {"type": "string", "not": {"enum": ["x"]}},
        "all": {"type": "string", "allOf": [{"minLength": 2}, {"pattern": "^a"}]},
    }));
    assert_eq!(
        errors_of(&schema, json!({"any": {}})),
        [
            r#"<nil>: Invalid value: "": "spec.any" must validate at least one schema (anyOf)"#,
            "spec.any.a: Required value"
        ]
    );
    assert_eq!(
        errors_of(&schema, json!({"one": {"a": "", "b": ""}})),
        [
            r#"<nil>: Invalid value: "": "spec.one" must validate one and only one schema (oneOf). Found 2 valid alternatives"#
        ]
    );
    assert_eq!(errors_of(&schema, json!({"not": "x"})).len(), 1);
    assert_eq!(errors_of(&schema, json!({"all": "b"})).len(), 3);
    assert_eq!(
        errors_of(&schema, json!({"any": {"b": ""}, "one": {"a": ""}, "not": "y", "all": "ab"})),
        [""; 0]
    );
}

#[test]
fn what_did_not_change_is_accepted_on_update() {
    let schema = spec(json!({
        "note": {"type": "string", "maxLength": 3},
        "list": {"type": "array", "items": {"type": "string", "maxLength": 3}},
        "map": {
            "type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"],
            "items": {"type": "object", "required": ["name"], "properties": {
                "name": {"type": "string"}, "note": {"type": "string", "maxLength": 3}, "other": {"type": "string"}}},
        },
    }));
    let count = |new: Value, old: Value| {
        schema.validate(&json!({"spec": new}), Some(&json!({"spec": old})), Budget::default()).len()
    };
    assert_eq!(count(json!({"note": "long"}), json!({"note": "long"})), 0);
    assert_eq!(count(json!({"note": "long", "list": ["a"]}), json!({"note": "long"})), 0);
    assert_eq!(count(json!({"note": "longer"}), json!({"note": "long"})), 1);
    // Items of plain lists are one value with their list.
    assert_eq!(count(json!({"list": ["long", "a"]}), json!({"list": ["long"]})), 1);
    assert_eq!(count(json!({"list": ["long"], "note": "a"}), json!({"list": ["long"]})), 0);
    // Items of map lists are followed by their keys.
    assert_eq!(
        count(
            json!({"map": [{"name": "b"}, {"name": "a", "note": "long", "other": "x"}]}),
            json!({"map": [{"name": "a", "note": "long"}]})
        ),
        0
    );
}
