use emb_meta::{FieldError, FieldPath};
use serde_json::{Value, json};

use crate::Schema;

fn refused(schema: &Value) -> Vec<String> {
    match Schema::compile(schema, &FieldPath::new("s")) {
        Ok(_) => Vec::new(),
        Err(errors) => errors.iter().map(FieldError::to_string).collect(),
    }
}

/// A schema with the property `x`.
fn with(property: Value) -> Value {
    json!({"type": "object", "properties": {"x": property}})
}

#[test]
fn the_root_is_an_object_and_no_map() {
    assert_eq!(refused(&json!({})), ["s.type: Required value: must not be empty at the root"]);
    assert_eq!(
        refused(&json!({"type": "string"})),
        [r#"s.type: Invalid value: "string": must be object at the root"#]
    );
    assert_eq!(
        refused(&json!({"type": "object", "additionalProperties": {"type": "string"}})),
        ["s.additionalProperties: Forbidden: must not be used at the root"]
    );
    assert_eq!(
        refused(&json!({"type": "object", "nullable": true})),
        ["s.nullable: Forbidden: nullable cannot be true at the root"]
    );
}

#[test]
fn every_value_has_a_type() {
    for (property, expected) in [
        (
            json!({}),
            "s.properties[x].type: Required value: must not be empty for specified object fields",
        ),
        (json!({"type": "array"}), "s.properties[x].items: Required value: must be specified"),
        (
            json!({"type": "array", "items": {}}),
            "s.properties[x].items.type: Required value: must not be empty for specified array items",
        ),
        (
            json!({"type": "text"}),
            r#"s.properties[x].type: Unsupported value: "text": supported values: "array", "boolean", "integer", "number", "object", "string""#,
        ),
    ] {
        assert_eq!(refused(&with(property)), [expected]);
    }
    assert_eq!(refused(&with(json!({"x-kubernetes-preserve-unknown-fields": true}))), [""; 0]);
    assert_eq!(refused(&with(json!({"x-kubernetes-int-or-string": true}))), [""; 0]);
}

#[test]
fn keywords_out_of_place_are_refused() {
    for (property, expected) in [
        (
            json!({"type": "object", "properties": {"a": {"type": "string"}}, "additionalProperties": {"type": "string"}}),
            "s.properties[x].additionalProperties: Forbidden: additionalProperties and properties are mutual exclusive",
        ),
        (
            json!({"type": "array", "items": {"type": "string"}, "uniqueItems": true}),
            "s.properties[x].uniqueItems: Forbidden: uniqueItems cannot be set to true since the runtime complexity becomes quadratic",
        ),
        (
            json!({"type": "object", "x-kubernetes-preserve-unknown-fields": false}),
            "s.properties[x].x-kubernetes-preserve-unknown-fields: Invalid value: false: must be true or undefined",
        ),
        (
            json!({"type": "string", "$ref": "#/a"}),
            "s.properties[x].$ref: Forbidden: $ref is not supported",
        ),
        (
            json!({"type": "string", "x-kubernetes-list-type": "set"}),
            r#"s.properties[x].type: Invalid value: "string": must be array if x-kubernetes-list-type is specified"#,
        ),
        (
            json!({"type": "object", "x-kubernetes-map-type": "odd"}),
            r#"s.properties[x].x-kubernetes-map-type: Unsupported value: "odd": supported values: "atomic", "granular""#,
        ),
        (
            json!({"type": "string", "anyOf": [{"type": "string"}]}),
            "s.properties[x].anyOf[0].type: Forbidden: must be empty to be structural",
        ),
        (
            json!({"type": "string", "minLength": "1"}),
            r#"s.properties[x].minLength: Invalid value: "1": must be of type integer"#,
        ),
    ] {
        assert_eq!(refused(&with(property)), [expected]);
    }
    assert_eq!(
        refused(&json!({"type": "object", "oneOf": [{"properties": {"a": {"minLength": 1}}}]})),
        ["s.properties[a]: Required value: because it is defined in s.oneOf[0].properties[a]"]
    );
    let pattern = refused(&with(json!({"type": "string", "pattern": "("})));
    assert_eq!(
        pattern,
        [
            r#"s.properties[x].pattern: Invalid value: "(": must be a valid regular expression, but isn't: error parsing regexp: missing closing ): `(`"#
        ]
    );
}

#[test]
fn a_map_list_needs_good_keys() {
    let list = |keys: Value, items: Value| {
        with(
            json!({"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": keys, "items": items}),
        )
    };
    let named =
        json!({"type": "object", "required": ["name"], "properties": {"name": {"type": "string"}}});
    assert_eq!(refused(&list(json!(["name"]), named.clone())), [""; 0]);
    assert_eq!(
        refused(&list(json!([]), named.clone())),
        [
            "s.properties[x].x-kubernetes-list-map-keys: Required value: must not be empty if x-kubernetes-list-type is map"
        ]
    );
    assert_eq!(
        refused(&list(json!(["other"]), named)),
        [
            r#"s.properties[x].x-kubernetes-list-map-keys: Invalid value: ["other"]: entries must all be names of item properties"#
        ]
    );
    let optional = json!({"type": "object", "properties": {"name": {"type": "string"}}});
    assert_eq!(
        refused(&list(json!(["name"]), optional)),
        [
            "s.properties[x].items.properties[name].default: Required value: this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property"
        ]
    );
    let nested =
        json!({"type": "object", "required": ["name"], "properties": {"name": {"type": "object"}}});
    assert_eq!(refused(&list(json!(["name"]), nested)).len(), 1);
}

#[test]
fn defaults_must_be_valid() {
    assert_eq!(
        refused(&with(json!({"type": "string", "default": 1}))),
        [r#"s.properties[x].default: Invalid value: "integer": s.properties[x].default in body must be of type string: "integer""#
            .replace("s.properties[x].default in body", " in body")]
    );
    assert_eq!(
        refused(&with(json!({"type": "object", "default": {"a": 1}}))),
        [r#"s.properties[x].default: Invalid value: {"a":1}: must not have unknown fields"#]
    );
    assert_eq!(
        refused(&with(
            json!({"type": "string", "default": "b", "x-kubernetes-validations": [{"rule": "self == 'a'"}]})
        )),
        [r#"s.properties[x].default: Invalid value: "b": failed rule: self == 'a'"#]
    );
    assert_eq!(
        refused(
            &json!({"type": "object", "properties": {"kind": {"type": "string", "default": "A"}}})
        ),
        ["s.properties[kind].default: Forbidden: must not be set in top-level kind"]
    );
}

#[test]
fn metadata_may_restrict_only_names() {
    let metadata = |schema: Value| json!({"type": "object", "properties": {"metadata": schema}});
    assert_eq!(
        refused(&metadata(
            json!({"type": "object", "properties": {"name": {"type": "string", "maxLength": 3}}})
        )),
        [""; 0]
    );
    assert_eq!(
        refused(&metadata(json!({"type": "object", "properties": {"labels": {"type": "object"}}}))),
        [
            "s.properties[metadata]: Forbidden: must not specify anything other than name and generateName, but metadata is implicitly specified"
        ]
    );
}

#[test]
fn an_unknown_format_draws_one_warning() {
    let schema = with(json!({"type": "string", "format": "weird"}));
    let (schema, warnings) = Schema::compile(&schema, &FieldPath::root()).unwrap();
    assert_eq!(warnings, ["unrecognized format \"weird\""]);
    assert!(schema.validate(&json!({"x": "?"}), None, crate::Budget::default()).is_empty());
}

#[test]
fn a_schema_that_is_too_deep_is_refused() {
    let mut schema = json!({"type": "string"});
    for _ in 0..150 {
        schema = with(schema);
    }
    assert_eq!(refused(&schema).len(), 1);
}
