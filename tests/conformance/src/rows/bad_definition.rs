//! Definitions that a server must refuse (row 87).

use anyhow::Result;
use serde_json::{Value, json};

use crate::{cases::Cases, expect::equal, fixture::CRDS, own_kind::OwnKind, world::World};

/// Schemas of the field `spec.a` which are not allowed: the schema, where below it, why.
#[rustfmt::skip]
fn bad_fields() -> Vec<(Value, &'static str, &'static str, &'static str)> {
    vec![
        (json!({"description": "x"}), ".type", "FieldValueRequired",
            "Required value: must not be empty for specified object fields"),
        (json!({"type": "foo"}), ".type", "FieldValueNotSupported",
            r#"Unsupported value: "foo": supported values: "array", "boolean", "integer", "number", "object", "string""#),
        (json!({"type": "array"}), ".items", "FieldValueRequired", "Required value: must be specified"),
        (json!({"type": "object", "properties": {"x": {"type": "string"}}, "additionalProperties": {"type": "string"}}),
            ".additionalProperties", "FieldValueForbidden",
            "Forbidden: additionalProperties and properties are mutual exclusive"),
        (json!({"type": "array", "uniqueItems": true, "items": {"type": "string"}}), ".uniqueItems", "FieldValueForbidden",
            "Forbidden: uniqueItems cannot be set to true since the runtime complexity becomes quadratic"),
        (json!({"type": "string", "enum": ["x"], "default": "y"}), ".default", "FieldValueNotSupported",
            r#"Unsupported value: "y": supported values: "x""#),
        (json!({"type": "string", "default": 5}), ".default", "FieldValueTypeInvalid",
            r#"Invalid value: "integer":  in body must be of type string: "integer""#),
        (json!({"type": "array", "x-kubernetes-list-type": "map",
                "items": {"type": "object", "properties": {"k": {"type": "string"}}}}),
            ".x-kubernetes-list-map-keys", "FieldValueRequired",
            "Required value: must not be empty if x-kubernetes-list-type is map"),
        (json!({"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k"],
                "items": {"type": "object", "properties": {"k": {"type": "string"}}}}),
            ".items.properties[k].default", "FieldValueRequired",
            "Required value: this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property"),
        (json!({"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k"],
                "items": {"type": "object", "required": ["k"], "properties": {"k": {"type": "object"}}}}),
            ".items.properties[k].type", "FieldValueInvalid",
            r#"Invalid value: "object": must be a scalar type if parent array's x-kubernetes-list-type is map"#),
        (json!({"type": "string", "anyOf": [{"type": "string"}]}), ".anyOf[0].type", "FieldValueForbidden",
            "Forbidden: must be empty to be structural"),
        (json!({"type": "string", "x-kubernetes-validations": [{"rule": ""}]}), ".x-kubernetes-validations[0].rule",
            "FieldValueRequired", "Required value: rule is not specified"),
    ]
}

/// Schemas whose refusal is in the words of a library: only where and why count.
#[rustfmt::skip]
fn bad_expressions() -> Vec<(Value, &'static str)> {
    vec![
        (json!({"type": "string", "pattern": "["}), ".pattern"),
        (json!({"type": "string", "pattern": "(?=x)"}), ".pattern"),
        (json!({"type": "string", "x-kubernetes-validations": [{"rule": "self ="}]}), ".x-kubernetes-validations[0].rule"),
        (json!({"type": "string", "x-kubernetes-validations": [{"rule": "self > 5"}]}), ".x-kubernetes-validations[0].rule"),
        (json!({"type": "object", "x-kubernetes-validations": [{"rule": "self.b == 'x'"}]}), ".x-kubernetes-validations[0].rule"),
    ]
}

/// Roots which are not allowed.
#[rustfmt::skip]
fn bad_roots() -> Vec<(Value, &'static str, &'static str, &'static str)> {
    vec![
        (json!({"type": "string"}), ".type", "FieldValueInvalid", r#"Invalid value: "string": must be object at the root"#),
        (json!({"properties": {}}), ".type", "FieldValueRequired", "Required value: must not be empty at the root"),
        (json!({"type": "object", "additionalProperties": {"type": "string"}}), ".additionalProperties",
            "FieldValueForbidden", "Forbidden: must not be used at the root"),
        (json!({"type": "object", "properties": {"metadata": {"type": "object", "properties": {"labels": {"type": "object"}}}}}),
            ".properties[metadata]", "FieldValueForbidden",
            "Forbidden: must not specify anything other than name and generateName, but metadata is implicitly specified"),
    ]
}

/// Changes of a good definition which are not allowed.
#[rustfmt::skip]
fn bad_changes() -> Vec<(Value, &'static str, &'static str, &'static str)> {
    vec![
        (json!({"metadata": {"name": "foo.bar.com"}}), "metadata.name", "FieldValueInvalid",
            r#"Invalid value: "foo.bar.com": must be spec.names.plural+"."+spec.group"#),
        (json!({"metadata": {"name": "things.nodot"}, "spec": {"group": "nodot"}}), "spec.group", "FieldValueInvalid",
            r#"Invalid value: "nodot": should be a domain with at least one dot"#),
        (json!({"metadata": {"name": "things.x.k8s.io"}, "spec": {"group": "x.k8s.io"}}),
            "metadata.annotations[api-approved.kubernetes.io]", "FieldValueRequired",
            r#"Required value: protected groups must have approval annotation "api-approved.kubernetes.io", see https://github.com/kubernetes/enhancements/pull/1111"#),
        (json!({"spec": {"preserveUnknownFields": true}}), "spec.preserveUnknownFields", "FieldValueInvalid",
            "Invalid value: true: cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead"),
        (json!({"spec": {"scope": "Foo"}}), "spec.scope", "FieldValueNotSupported",
            r#"Unsupported value: "Foo": supported values: "Cluster", "Namespaced""#),
    ]
}

pub(crate) async fn refused(world: &World<'_>) -> Result<()> {
    let kind = OwnKind::new(world);
    let path = format!("{CRDS}?dryRun=All");
    let mut cases = Cases::default();
    for (schema, below, reason, message) in bad_fields() {
        let field =
            format!("spec.validation.openAPIV3Schema.properties[spec].properties[a]{below}");
        let reply = world.post(&path, &kind.definition(json!({"a": schema}))).await?;
        cases.note(&schema, reply.invalid(&[(&field, reason, message)]));
    }
    for (schema, below) in bad_expressions() {
        let field =
            format!("spec.validation.openAPIV3Schema.properties[spec].properties[a]{below}");
        let reply = world.post(&path, &kind.definition(json!({"a": schema}))).await?;
        cases.note(
            &schema,
            reply.fails(422, "Invalid").and_then(|status| {
                let cause = &status["details"]["causes"][0];
                let got = (cause["field"].as_str(), cause["reason"].as_str());
                equal("cause", &got, &(Some(field.as_str()), Some("FieldValueInvalid")))
            }),
        );
    }
    for (schema, below, reason, message) in bad_roots() {
        let field = format!("spec.validation.openAPIV3Schema{below}");
        let reply = world.post(&path, &kind.definition_with(schema.clone())).await?;
        cases.note(&schema, reply.invalid(&[(&field, reason, message)]));
    }
    for (change, field, reason, message) in bad_changes() {
        let mut definition = kind.definition(json!({}));
        merge(&mut definition, &change);
        let reply = world.post(&path, &definition).await?;
        cases.note(&change, reply.invalid(&[(field, reason, message)]));
    }
    cases.note("storage versions", storage_versions(world, &kind, &path).await);
    cases.note("unknown format", unknown_format(world, &kind, &path).await);
    cases.finish()
}

async fn storage_versions(world: &World<'_>, kind: &OwnKind, path: &str) -> Result<()> {
    let mut none = kind.definition(json!({}));
    none["spec"]["versions"][0]["storage"] = json!(false);
    let mut two = kind.definition(json!({}));
    let mut second = two["spec"]["versions"][0].clone();
    second["name"] = json!("v2");
    if let Some(versions) = two["spec"]["versions"].as_array_mut() {
        versions.push(second);
    }
    for definition in [none, two] {
        let text = "must have exactly one version marked as storage version";
        let status = world.post(path, &definition).await?.fails_with(422, "Invalid", text)?;
        equal("field", &status["details"]["causes"][0]["field"], &json!("spec.versions"))?;
    }
    let mut without_schema = kind.definition(json!({}));
    if let Some(version) = without_schema["spec"]["versions"][0].as_object_mut() {
        version.remove("schema");
    }
    world.post(path, &without_schema).await?.invalid(&[(
        "spec.versions[0].schema.openAPIV3Schema",
        "FieldValueRequired",
        "Required value",
    )])?;
    Ok(())
}

async fn unknown_format(world: &World<'_>, kind: &OwnKind, path: &str) -> Result<()> {
    let definition = kind.definition(json!({"a": {"type": "string", "format": "weird"}}));
    let reply = world.post(path, &definition).await?;
    reply.is(201)?;
    equal("warnings", &reply.warnings(), &vec!["unrecognized format \"weird\"".to_owned()])
}

/// Puts the values of `change` into `target`.
fn merge(target: &mut Value, change: &Value) {
    match change {
        Value::Object(fields) => {
            for (name, value) in fields {
                merge(&mut target[name], value);
            }
        }
        value => *target = value.clone(),
    }
}
