//! Whole schemas: those of the products that are served, and hostile ones.
#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "test helpers")]

use std::path::{Path, PathBuf};

use emb_meta::FieldPath;
use emb_schema::{Budget, Schema};
use proptest::prelude::*;
use serde_json::{Value, json};

/// The folder of conformance data, if it is there.
fn conformance() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/conformance");
    if folder.is_dir() {
        return Some(folder);
    }
    assert!(std::env::var_os("CI").is_none_or(|ci| ci != "true"), "../shared not found");
    println!("skipped: ../shared not found");
    None
}

fn definitions(folder: &Path) -> Vec<(String, Value)> {
    let mut found = Vec::new();
    for inner in ["crds", "argoproj"] {
        for entry in std::fs::read_dir(folder.join(inner)).unwrap() {
            let path = entry.unwrap().path();
            let text = std::fs::read_to_string(&path).unwrap();
            let definition: Value = serde_saphyr::from_str(&text).unwrap();
            found.push((path.file_name().unwrap().to_string_lossy().into_owned(), definition));
        }
    }
    assert!(found.len() >= 16, "{} definitions", found.len());
    found
}

fn schema_of(definition: &Value) -> Result<Schema, String> {
    let schema = definition.pointer("/spec/versions/0/schema/openAPIV3Schema").unwrap();
    match Schema::compile(schema, &FieldPath::new("spec")) {
        Ok((schema, warnings)) if warnings.is_empty() => Ok(schema),
        Ok((_, warnings)) => Err(warnings.join("\n")),
        Err(errors) => Err(errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")),
    }
}

#[test]
fn every_conformance_schema_compiles() {
    let Some(folder) = conformance() else { return };
    for (name, definition) in definitions(&folder) {
        if let Err(problem) = schema_of(&definition) {
            panic!("{name}: {problem}");
        }
    }
}

fn kargo(name: &str) -> Option<Schema> {
    let folder = conformance()?;
    let (_, definition) =
        definitions(&folder).into_iter().find(|(file, _)| file.contains(name)).unwrap();
    Some(schema_of(&definition).unwrap())
}

#[test]
fn a_warehouse_gets_its_defaults() {
    let Some(schema) = kargo("warehouses") else { return };
    let mut object = json!({
        "apiVersion": "kargo.akuity.io/v1alpha1", "kind": "Warehouse", "metadata": {"name": "w"},
        "spec": {"subscriptions": [{"image": {"repoURL": "example.com/a"}}]},
    });
    schema.prune(&mut object);
    schema.drop_nulls_and_default(&mut object);
    assert_eq!(object["spec"]["freightCreationPolicy"], "Automatic");
    assert_eq!(object["spec"]["interval"], "5m0s");
    assert_eq!(schema.validate(&object, None, Budget::default()), []);
}

fn stage(steps: &Value) -> Value {
    json!({
        "apiVersion": "kargo.akuity.io/v1alpha1", "kind": "Stage", "metadata": {"name": "s", "namespace": "p"},
        "spec": {
            "requestedFreight": [{"origin": {"kind": "Warehouse", "name": "w"}, "sources": {"direct": true}}],
            "promotionTemplate": {"spec": {"steps": steps}},
        },
    })
}

#[test]
fn a_stage_obeys_its_rules() {
    let Some(schema) = kargo("stages") else { return };
    let told = |steps: Value| {
        let errors = schema.validate(&stage(&steps), None, Budget::default());
        errors.iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    assert_eq!(told(json!([{"uses": "git-clone", "config": {"any": [1, null]}}])), [""; 0]);
    assert_eq!(
        told(json!([{"as": "x"}])),
        [
            "spec.promotionTemplate.spec.steps[0]: Invalid value: PromotionTemplate step must have exactly one of uses or task set"
        ]
    );
    assert_eq!(
        told(json!([])),
        [
            "spec.promotionTemplate.spec.steps: Invalid value: 0: spec.promotionTemplate.spec.steps in body should have at least 1 items"
        ]
    );
}

/// Any JSON, not too large.
fn json_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        "[a-e.]{0,4}".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 48, 4, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            proptest::collection::btree_map(name(), inner, 0..4).prop_map(|map| json!(map)),
        ]
    })
}

fn name() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("spec".to_owned()),
        Just("metadata".to_owned()),
        Just("kind".to_owned()),
        "[a-c]".prop_map(String::from),
    ]
}

/// Schemas that are mostly well formed, with keywords where they do and do not belong.
fn schema_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(json!({"type": "string", "maxLength": 2, "default": "a"})),
        Just(json!({"type": "integer", "minimum": 1, "format": "int32"})),
        Just(json!({"type": "number", "multipleOf": 0.1})),
        Just(json!({"type": "string", "pattern": "^[a-c]*$", "nullable": true})),
        Just(json!({"x-kubernetes-int-or-string": true})),
        Just(json!({"x-kubernetes-preserve-unknown-fields": true})),
        Just(
            json!({"type": "object", "x-kubernetes-embedded-resource": true, "x-kubernetes-preserve-unknown-fields": true})
        ),
        Just(
            json!({"type": "string", "format": "date-time", "x-kubernetes-validations": [{"rule": "self == oldSelf"}]})
        ),
        json_value(),
    ];
    leaf.prop_recursive(4, 32, 4, |inner| {
        let properties = proptest::collection::btree_map(name(), inner.clone(), 0..4).boxed();
        prop_oneof![
            (properties.clone(), inner.clone()).prop_map(|(properties, not)| {
                json!({"type": "object", "properties": properties, "required": ["a"], "anyOf": [not]})
            }),
            properties.prop_map(|properties| json!({"type": "object", "properties": properties})),
            inner.clone().prop_map(|items| json!({"type": "array", "items": items, "x-kubernetes-list-type": "set"})),
            inner.clone().prop_map(|items| {
                json!({"type": "array", "items": items, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["a"]})
            }),
            inner.prop_map(|values| json!({"type": "object", "additionalProperties": values})),
        ]
    })
}

fn check_all(schema: &Schema, object: &Value, old: &Value) -> Result<(), TestCaseError> {
    let mut pruned = object.clone();
    schema.prune(&mut pruned);
    prop_assert!(schema.unknown_fields(&pruned).is_empty());
    let mut again = pruned.clone();
    schema.prune(&mut again);
    prop_assert_eq!(&again, &pruned);

    schema.drop_nulls_and_default(&mut pruned);
    let mut again = pruned.clone();
    schema.drop_nulls_and_default(&mut again);
    prop_assert_eq!(&again, &pruned);

    schema.validate(&pruned, None, Budget::default());
    schema.validate(&pruned, Some(old), Budget::default());
    Ok(())
}

proptest! {
    #[test]
    fn no_object_upsets_a_schema(schema in schema_value(), object in json_value(), old in json_value()) {
        if let Ok((schema, _)) = Schema::compile(&schema, &FieldPath::root()) {
            check_all(&schema, &object, &old)?;
        }
        if let Ok(schema) = Schema::compile_builtin(&schema) {
            check_all(&schema, &object, &old)?;
        }
    }

    #[test]
    fn what_did_not_change_is_never_refused(schema in schema_value(), object in json_value()) {
        if let Ok(schema) = Schema::compile_builtin(&schema)
            && let Ok(text) = serde_json::to_string(&object)
        {
            let old: Value = serde_json::from_str(&text).unwrap();
            let errors = schema.validate(&old, Some(&old), Budget::default());
            // Envelopes are checked always; an error in one of them leaves rules unchecked, which is told for no field.
            let outside_envelopes = |field: &str| {
                !["apiVersion", "kind", "metadata", "<nil>"].iter().any(|name| field.contains(name))
            };
            let structural: Vec<_> =
                errors.iter().filter(|error| outside_envelopes(&error.field)).collect();
            prop_assert!(structural.is_empty(), "{:?}", structural);
        }
    }
}
