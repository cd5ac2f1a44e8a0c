//! The canonical form of built-in objects, and that the data of the kinds agree with each other.

use std::sync::{Arc, LazyLock};

use emb_codec::patch::MergeRule;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::{BuiltInKind, builtins, schemas};
use crate::resource::Resource;

static KINDS: LazyLock<Vec<Arc<Resource>>> = LazyLock::new(builtins);

fn resource(kind: BuiltInKind) -> Arc<Resource> {
    KINDS.iter().find(|resource| resource.built_in() == Some(kind)).unwrap().clone()
}

fn decoded(kind: BuiltInKind, mut object: Value) -> Result<Value, String> {
    let resource = resource(kind);
    resource.decode_builtin(&mut object).map_err(|malformed| malformed.to_string())?;
    resource.default_builtin(&mut object);
    Ok(object)
}

#[test]
fn empty_members_are_left_out_kept_or_filled_in() {
    let cases = [
        (
            BuiltInKind::Secret,
            json!({"data": {"a": null}, "type": "", "immutable": false, "bogus": 1}),
            json!({"metadata": {}, "data": {"a": ""}, "type": "Opaque", "immutable": false}),
        ),
        (
            BuiltInKind::Secret,
            json!({"data": {"a": "YQ==", "c": "Yg\n=="}, "stringData": {"a": "bb"}}),
            json!({"metadata": {}, "data": {"a": "YmI=", "c": "Yg=="}, "type": "Opaque"}),
        ),
        (BuiltInKind::Role, json!({}), json!({"metadata": {}, "rules": null})),
        (BuiltInKind::Role, json!({"rules": []}), json!({"metadata": {}, "rules": []})),
        (BuiltInKind::Lease, json!({}), json!({"metadata": {}, "spec": {}})),
        (
            BuiltInKind::Lease,
            json!({"spec": {"holderIdentity": "", "renewTime": null, "strategy": "x", "acquireTime": "2020-01-01T02:00:00.000000+02:00"}}),
            json!({"metadata": {}, "spec": {"holderIdentity": "", "acquireTime": "2020-01-01T00:00:00.000000Z"}}),
        ),
        (
            BuiltInKind::ServiceAccount,
            json!({"secrets": [{"name": ""}], "imagePullSecrets": []}),
            json!({"metadata": {}, "secrets": [{}]}),
        ),
        (
            BuiltInKind::Event,
            json!({"lastTimestamp": "2020-01-01T00:00:00.5+01:00"}),
            json!({"metadata": {}, "involvedObject": {}, "source": {}, "firstTimestamp": null,
                "lastTimestamp": "2019-12-31T23:00:00Z", "eventTime": null,
                "reportingComponent": "", "reportingInstance": ""}),
        ),
        (
            BuiltInKind::RoleBinding,
            json!({"roleRef": {"kind": "Role", "name": "x"}, "subjects": [{"kind": "User", "name": "u"}, {"kind": "ServiceAccount", "name": "s"}]}),
            json!({"metadata": {}, "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "x"},
                "subjects": [{"kind": "User", "apiGroup": "rbac.authorization.k8s.io", "name": "u"}, {"kind": "ServiceAccount", "name": "s"}]}),
        ),
        (
            BuiltInKind::TokenReview,
            json!({"spec": {"token": "t"}}),
            json!({"metadata": {}, "spec": {"token": "t"}, "status": {"user": {}}}),
        ),
    ];
    for (kind, given, expected) in cases {
        assert_eq!(decoded(kind, given), Ok(expected), "{kind:?}");
    }
}

#[test]
fn a_body_of_the_wrong_type_is_malformed() {
    let cases = [
        (
            BuiltInKind::Secret,
            json!({"data": {"a": "zz?z"}}),
            "illegal base64 data at input byte 2",
        ),
        (
            BuiltInKind::Secret,
            json!({"data": {"a": 5}}),
            "json: cannot unmarshal number into Go struct field Secret.data of type []uint8",
        ),
        (
            BuiltInKind::ConfigMap,
            json!({"data": {"a": 5}}),
            "json: cannot unmarshal number into Go struct field ConfigMap.data of type string",
        ),
        (
            BuiltInKind::ConfigMap,
            json!({"metadata": {"ownerReferences": {}}}),
            "json: cannot unmarshal object into Go struct field ConfigMap.metadata.ownerReferences of type []object",
        ),
        (
            BuiltInKind::Lease,
            json!({"spec": {"leaseDurationSeconds": 3_000_000_000_i64}}),
            "json: cannot unmarshal number 3000000000 into Go struct field Lease.spec.leaseDurationSeconds of type int32",
        ),
        (
            BuiltInKind::Lease,
            json!({"spec": {"renewTime": "2020-01-01T00:00:00.5Z"}}),
            "parsing time \"2020-01-01T00:00:00.5Z\" as \"2006-01-02T15:04:05.000000Z07:00\": not such a time",
        ),
        (
            BuiltInKind::Event,
            json!({"firstTimestamp": "x"}),
            "parsing time \"x\" as \"2006-01-02T15:04:05Z07:00\": not such a time",
        ),
        (
            BuiltInKind::Namespace,
            json!([]),
            "json: cannot unmarshal array into Go struct field Namespace of type object",
        ),
    ];
    for (kind, given, expected) in cases {
        assert_eq!(decoded(kind, given), Err(expected.to_owned()), "{kind:?}");
    }
}

#[test]
fn the_canonical_form_passes_the_schema_of_its_kind() {
    for resource in builtins() {
        let mut object =
            json!({"apiVersion": "v1", "kind": &*resource.gvk.kind, "metadata": {"name": "x"}});
        resource.decode_builtin(&mut object).unwrap();
        resource.default_builtin(&mut object);
        let errors = resource.schema.validate(&object, None, emb_schema::Budget::default());
        assert_eq!(errors, [], "{}", resource.gvk.kind);
        let mut again = object.clone();
        resource.decode_builtin(&mut again).unwrap();
        assert_eq!(again, object, "{}", resource.gvk.kind);
    }
}

#[test]
fn unknown_fields_are_found_below_metadata_too() {
    let object = json!({"metadata": {"name": "x", "foo": 1}, "data": {"any": "key"}, "bogus": 1});
    let unknown = resource(BuiltInKind::ConfigMap).schema.unknown_fields(&object);
    assert_eq!(unknown, ["bogus", "metadata.foo"]);
}

#[test]
fn merge_keys_are_those_that_the_schemas_publish() {
    fn collect(schema: &Value, path: &str, found: &mut Vec<(String, MergeRule)>) {
        if schema["x-kubernetes-patch-strategy"] == "merge" {
            let rule = match schema["x-kubernetes-patch-merge-key"].as_str() {
                Some("name") => MergeRule::Merge("name"),
                Some("type") => MergeRule::Merge("type"),
                Some("uid") => MergeRule::Merge("uid"),
                None => MergeRule::MergePrimitive,
                Some(other) => panic!("{other} is a new key"),
            };
            found.push((path.to_owned(), rule));
        }
        for (name, child) in schema["properties"].as_object().into_iter().flatten() {
            let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
            collect(child, &path, found);
        }
        if schema["items"].is_object() {
            collect(&schema["items"], path, found);
        }
    }
    let written = builtins().into_iter().filter(|resource| resource.is_stored());
    for resource in written {
        let mut published = Vec::new();
        collect(&schemas::inline(&resource.document()), "", &mut published);
        assert!(published.len() >= 2, "metadata merges everywhere");
        for (path, rule) in published {
            assert_eq!(resource.merge_keys.rule(&path), Some(rule), "{} {path}", resource.gvk.kind);
        }
    }
}

#[test]
fn selectors_name_the_fields_of_their_kind() {
    let event = json!({
        "metadata": {"name": "e", "namespace": "ns"}, "reason": "R", "type": "Normal",
        "involvedObject": {"kind": "Stage", "uid": "u"}, "source": {}, "reportingComponent": "rc",
    });
    let core = resource(BuiltInKind::Event);
    let other = resource(BuiltInKind::EventsEvent);
    let text = |resource: &Resource, field: &str| resource.field(&event, field).map(String::from);
    assert_eq!(text(&core, "involvedObject.kind").as_deref(), Some("Stage"));
    assert_eq!(text(&core, "involvedObject.name").as_deref(), Some(""));
    assert_eq!(text(&core, "source").as_deref(), Some("rc"));
    assert_eq!(text(&core, "metadata.namespace").as_deref(), Some("ns"));
    assert_eq!(text(&core, "regarding.kind"), None);
    assert_eq!(text(&other, "regarding.uid").as_deref(), Some("u"));
    assert_eq!(text(&other, "reportingController").as_deref(), Some("rc"));
    let shown = other.from_storage(event.clone());
    assert_eq!(other.field(&shown, "regarding.uid").as_deref(), Some("u"));
    let secret = json!({"metadata": {"name": "s"}, "type": "Opaque"});
    assert_eq!(resource(BuiltInKind::Secret).field(&secret, "type").as_deref(), Some("Opaque"));
    assert_eq!(resource(BuiltInKind::Secret).field(&secret, "data"), None);
    let namespace = json!({"metadata": {"name": "n"}, "status": {"phase": "Active"}});
    assert_eq!(
        resource(BuiltInKind::Namespace).field(&namespace, "status.phase").as_deref(),
        Some("Active")
    );
}

/// JSON of any shape under names that the kinds know.
fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        "[a-zA-Z0-9=+/:.TZ-]{0,20}".prop_map(Value::from),
    ];
    let name = prop::sample::select(vec![
        "metadata",
        "spec",
        "data",
        "stringData",
        "labels",
        "rules",
        "verbs",
        "webhooks",
        "roleRef",
        "subjects",
        "status",
        "names",
        "versions",
        "finalizers",
        "series",
        "eventTime",
        "name",
        "kind",
    ]);
    leaf.prop_recursive(4, 32, 4, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map(name.clone().prop_map(str::to_owned), inner, 0..5)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn any_body_is_answered_and_its_canonical_form_is_stable(body in any_json()) {
        for resource in KINDS.iter() {
            let mut object = body.clone();
            if resource.decode_builtin(&mut object).is_err() {
                continue;
            }
            let mut again = object.clone();
            resource.decode_builtin(&mut again).unwrap();
            prop_assert_eq!(&again, &object);
            resource.default_builtin(&mut object);
            resource.validate_builtin(&object, None);
            resource.validate_builtin(&object, Some(&again));
        }
    }
}
