//! What each kind refuses, in the words that clients know.

use std::sync::Arc;

use serde_json::{Value, json};

use crate::{BuiltInKind, Resource, builtins};

fn resource(kind: BuiltInKind) -> Arc<Resource> {
    builtins().into_iter().find(|resource| resource.built_in() == Some(kind)).unwrap()
}

fn prepared(resource: &Resource, mut object: Value) -> Value {
    resource.decode_builtin(&mut object).unwrap();
    resource.default_builtin(&mut object);
    object
}

fn refused(kind: BuiltInKind, object: Value) -> Vec<String> {
    let resource = resource(kind);
    let object = prepared(&resource, object);
    resource.validate_builtin(&object, None).iter().map(ToString::to_string).collect()
}

fn refused_update(kind: BuiltInKind, new: Value, old: Value) -> Vec<String> {
    let resource = resource(kind);
    let (new, old) = (prepared(&resource, new), prepared(&resource, old));
    resource.validate_builtin(&new, Some(&old)).iter().map(ToString::to_string).collect()
}

const NONE: [&str; 0] = [];
const KEY: &str = "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')";

#[test]
fn secrets_check_keys_types_and_size() {
    let secret = |object| refused(BuiltInKind::Secret, object);
    assert_eq!(
        secret(json!({"data": {"a b": "", ".": "", "..": "", "..x": "", "ok.A_1-": ""}})),
        [
            "data[.]: Invalid value: \".\": must not be '.'".to_owned(),
            "data[..]: Invalid value: \"..\": must not be '..'".to_owned(),
            "data[..x]: Invalid value: \"..x\": must not start with '..'".to_owned(),
            format!("data[a b]: Invalid value: \"a b\": {KEY}"),
        ]
    );
    assert!(
        secret(json!({"data": {"a".repeat(254): ""}}))[0]
            .ends_with("must be no more than 253 characters")
    );
    let typed = |kind: &str, texts: Value| secret(json!({"type": kind, "stringData": texts}));
    assert_eq!(
        typed("kubernetes.io/tls", json!({"tls.crt": "a"})),
        ["data[tls.key]: Required value"]
    );
    assert_eq!(
        typed("kubernetes.io/ssh-auth", json!({})),
        ["data[ssh-privatekey]: Required value"]
    );
    assert_eq!(
        typed("kubernetes.io/basic-auth", json!({})),
        ["data[username]: Required value", "data[password]: Required value"]
    );
    assert_eq!(typed("kubernetes.io/basic-auth", json!({"username": ""})), NONE);
    assert_eq!(
        typed("kubernetes.io/dockerconfigjson", json!({})),
        ["data[.dockerconfigjson]: Required value"]
    );
    assert_eq!(
        typed("kubernetes.io/dockerconfigjson", json!({".dockerconfigjson": "{x"})),
        [
            "data[.dockerconfigjson]: Invalid value: \"<secret contents redacted>\": not a JSON object: line 1, column 2"
        ]
    );
    assert_eq!(
        typed("kubernetes.io/service-account-token", json!({})),
        ["metadata.annotations[kubernetes.io/service-account.name]: Required value"]
    );
    assert_eq!(secret(json!({"stringData": {"a": "x".repeat(1_048_576)}})), NONE);
    assert_eq!(
        secret(json!({"stringData": {"a": "x".repeat(1_048_577)}})),
        ["data: Too long: may not be more than 1048576 bytes"]
    );
}

#[test]
fn immutable_data_does_not_change() {
    let change = |new, old| refused_update(BuiltInKind::Secret, new, old);
    let old = || json!({"immutable": true, "data": {"a": "YQ=="}});
    assert_eq!(change(old(), old()), NONE);
    assert_eq!(
        change(json!({"immutable": false, "data": {}}), old()),
        [
            "immutable: Forbidden: field is immutable when `immutable` is set",
            "data: Forbidden: field is immutable when `immutable` is set"
        ]
    );
    assert_eq!(
        change(json!({"type": "foo"}), json!({})),
        ["type: Invalid value: \"foo\": field is immutable"]
    );
    assert_eq!(
        refused_update(
            BuiltInKind::ConfigMap,
            json!({"immutable": true, "data": {"a": "2"}}),
            json!({"immutable": true, "data": {"a": "1"}, "binaryData": {"b": "YQ=="}})
        ),
        [
            "data: Forbidden: field is immutable when `immutable` is set",
            "binaryData: Forbidden: field is immutable when `immutable` is set"
        ]
    );
}

#[test]
fn config_maps_check_keys_and_size() {
    assert_eq!(
        refused(BuiltInKind::ConfigMap, json!({"data": {"a": "x"}, "binaryData": {"a": "YQ=="}})),
        ["data[a]: Invalid value: \"a\": duplicate of key present in binaryData"]
    );
    assert_eq!(
        refused(BuiltInKind::ConfigMap, json!({"data": {"a": "x".repeat(1_048_577)}})),
        ["[]: Too long: may not be more than 1048576 bytes"]
    );
}

#[test]
fn leases_check_their_numbers() {
    assert_eq!(
        refused(
            BuiltInKind::Lease,
            json!({"spec": {"leaseDurationSeconds": 0, "leaseTransitions": -1}})
        ),
        [
            "spec.leaseDurationSeconds: Invalid value: 0: must be greater than 0",
            "spec.leaseTransitions: Invalid value: -1: must be greater than or equal to 0"
        ]
    );
}

#[test]
fn core_events_belong_to_the_namespace_of_their_object() {
    let mismatch = |shown: &str| {
        vec![format!(
            "involvedObject.namespace: Invalid value: {shown:?}: does not match event.namespace"
        )]
    };
    let event = |own: &str, involved: Value| {
        refused(
            BuiltInKind::Event,
            json!({"metadata": {"namespace": own}, "involvedObject": involved, "type": "Odd"}),
        )
    };
    assert_eq!(event("pa", json!({"namespace": "x"})), mismatch("x"));
    assert_eq!(event("pa", json!({})), mismatch(""));
    assert_eq!(event("default", json!({"kind": "Namespace"})), NONE);
    assert_eq!(event("kube-system", json!({})), mismatch(""));
    assert_eq!(event("pa", json!({"namespace": "pa"})), NONE);
}

fn full_event() -> Value {
    json!({
        "metadata": {"namespace": "pa"}, "eventTime": "2020-01-01T00:00:00.000001Z",
        "reportingController": "kargo.io/c", "reportingInstance": "ri", "action": "act", "reason": "R",
        "type": "Normal", "note": "N", "regarding": {"namespace": "pa"},
        "series": {"count": 2, "lastObservedTime": "2020-01-01T00:00:00.000001Z"},
    })
}

#[test]
fn events_of_the_newer_api_are_complete() {
    assert_eq!(refused(BuiltInKind::EventsEvent, full_event()), NONE);
    let with = |member: &str, value: Value| {
        let mut event = full_event();
        event[member] = value;
        refused(BuiltInKind::EventsEvent, event)
    };
    assert_eq!(with("eventTime", Value::Null), ["eventTime: Required value"]);
    assert_eq!(with("reportingInstance", json!("")), ["reportingInstance: Required value"]);
    assert_eq!(with("reportingController", json!(""))[0], "reportingController: Required value");
    assert_eq!(with("type", json!("X")), ["type: Invalid value: \"\": has invalid value: X"]);
    assert_eq!(
        with("note", json!("n".repeat(1025))),
        ["message: Invalid value: \"\": can have at most 1024 characters"]
    );
    assert_eq!(
        with("action", json!("n".repeat(129))),
        ["action: Invalid value: \"\": can have at most 128 characters"]
    );
    assert_eq!(
        with("series", json!({"count": 1})),
        [
            "series.count: Invalid value: \"\": should be at least 2",
            "series.lastObservedTime: Required value"
        ]
    );
    assert_eq!(
        with("deprecatedCount", json!(3)),
        ["count: Invalid value: \"\": needs to be unset"]
    );
    assert_eq!(with("regarding", json!({"namespace": "elsewhere"})), NONE);
}

#[test]
fn only_the_series_of_an_event_changes() {
    let mut new = full_event();
    new["series"]["count"] = json!(3);
    assert_eq!(refused_update(BuiltInKind::EventsEvent, new.clone(), full_event()), NONE);
    new["note"] = json!("new");
    assert_eq!(
        refused_update(BuiltInKind::EventsEvent, new, full_event()),
        ["message: Invalid value: \"new\": field is immutable"]
    );
}

#[test]
fn both_views_of_an_event_are_one_record() {
    let view = resource(BuiltInKind::EventsEvent);
    let event = prepared(&view, full_event());
    let stored = view.to_storage(event.clone());
    assert_eq!(stored["message"], "N");
    assert_eq!(stored["source"], json!({}));
    assert_eq!((&stored["firstTimestamp"], &stored["lastTimestamp"]), (&Value::Null, &Value::Null));
    assert_eq!(stored["reportingComponent"], "kargo.io/c");
    let mut canonical = stored.clone();
    resource(BuiltInKind::Event).decode_builtin(&mut canonical).unwrap();
    assert_eq!(canonical, stored, "the stored form is the canonical core form");
    let mut expected = event;
    expected["apiVersion"] = json!("events.k8s.io/v1");
    assert_eq!(view.from_storage(stored), expected);
}

#[test]
fn rules_of_roles_are_complete() {
    let role = |rule: Value| refused(BuiltInKind::Role, json!({"rules": [rule]}));
    let cluster_role = |rule: Value| refused(BuiltInKind::ClusterRole, json!({"rules": [rule]}));
    assert_eq!(role(json!({"verbs": ["get"], "apiGroups": [""], "resources": ["x"]})), NONE);
    assert_eq!(
        role(json!({})),
        [
            "rules[0].verbs: Required value: verbs must contain at least one value",
            "rules[0].apiGroups: Required value: resource rules must supply at least one api group",
            "rules[0].resources: Required value: resource rules must supply at least one resource"
        ]
    );
    let paths = json!({"verbs": ["get"], "nonResourceURLs": ["/x"]});
    assert_eq!(cluster_role(paths.clone()), NONE);
    assert_eq!(
        role(paths),
        [
            "rules[0].nonResourceURLs: Invalid value: [\"/x\"]: namespaced rules cannot apply to non-resource URLs"
        ]
    );
    assert_eq!(
        cluster_role(json!({"verbs": ["get"], "nonResourceURLs": ["/x"], "resources": ["y"]})),
        [
            "rules[0].nonResourceURLs: Invalid value: [\"/x\"]: rules cannot apply to both regular resources and non-resource URLs"
        ]
    );
    assert_eq!(
        refused(BuiltInKind::ClusterRole, json!({"aggregationRule": {}})),
        [
            "aggregationRule.clusterRoleSelectors: Required value: at least one clusterRoleSelector required if aggregationRule is non-nil"
        ]
    );
    assert_eq!(
        refused(
            BuiltInKind::ClusterRole,
            json!({"aggregationRule": {"clusterRoleSelectors": [
            {"matchExpressions": [{"key": "a", "operator": "Foo"}]}]}})
        ),
        [
            "aggregationRule.clusterRoleSelectors[0].matchExpressions[0].operator: Invalid value: \"Foo\": not a valid selector operator",
            "aggregationRule.clusterRoleSelectors[0]: Invalid value: null: invalid label selector."
        ]
    );
}

#[test]
fn bindings_name_a_role_and_subjects() {
    let bad = json!({
        "roleRef": {"apiGroup": "foo", "kind": "Bar", "name": ""},
        "subjects": [
            {"kind": "X", "name": ""}, {"kind": "User", "name": "u", "apiGroup": "foo"},
            {"kind": "ServiceAccount", "name": "x", "apiGroup": "zz"},
        ],
    });
    assert_eq!(
        refused(BuiltInKind::RoleBinding, bad),
        [
            "roleRef.apiGroup: Unsupported value: \"foo\": supported values: \"rbac.authorization.k8s.io\"",
            "roleRef.kind: Unsupported value: \"Bar\": supported values: \"Role\", \"ClusterRole\"",
            "roleRef.name: Required value",
            "subjects[0].name: Required value",
            "subjects[0].kind: Unsupported value: \"X\": supported values: \"ServiceAccount\", \"User\", \"Group\"",
            "subjects[1].apiGroup: Unsupported value: \"foo\": supported values: \"rbac.authorization.k8s.io\"",
            "subjects[2].apiGroup: Unsupported value: \"zz\": supported values: \"\"",
        ]
    );
    assert_eq!(
        refused(
            BuiltInKind::ClusterRoleBinding,
            json!({"roleRef": {"kind": "Role", "name": "x"}, "subjects": [{"kind": "ServiceAccount", "name": "x"}]})
        ),
        [
            "roleRef.kind: Unsupported value: \"Role\": supported values: \"ClusterRole\"",
            "subjects[0].namespace: Required value"
        ]
    );
    let binding = |name: &str| json!({"roleRef": {"kind": "Role", "name": name}});
    assert_eq!(
        refused_update(BuiltInKind::RoleBinding, binding("y"), binding("x")),
        [
            "roleRef: Invalid value: {\"APIGroup\":\"rbac.authorization.k8s.io\",\"Kind\":\"Role\",\"Name\":\"y\"}: cannot change roleRef"
        ]
    );
}

#[test]
fn namespaces_start_active_with_their_finalizer_and_label() {
    let resource = resource(BuiltInKind::Namespace);
    let mut namespace = prepared(
        &resource,
        json!({
            "metadata": {"name": "n", "labels": {"kubernetes.io/metadata.name": "other"}},
            "spec": {"finalizers": ["foo/bar"]}, "status": {"phase": "Terminating"},
        }),
    );
    resource.prepare_create(&mut namespace);
    assert_eq!(namespace["spec"]["finalizers"], json!(["foo/bar", "kubernetes"]));
    assert_eq!(namespace["status"], json!({"phase": "Active"}));
    assert_eq!(namespace["metadata"]["labels"]["kubernetes.io/metadata.name"], "n");
    let mut update = prepared(&resource, json!({"metadata": {"name": "n"}, "spec": {}}));
    resource.prepare_update(&mut update, &namespace);
    assert_eq!((&update["spec"], &update["status"]), (&namespace["spec"], &namespace["status"]));
}

#[test]
fn namespaces_check_finalizers_and_phase() {
    assert_eq!(
        refused(BuiltInKind::Namespace, json!({"spec": {"finalizers": ["foo"]}})),
        [
            "spec.finalizers: Invalid value: \"foo\": name is neither a standard finalizer name nor is it fully qualified"
        ]
    );
    let phase = |phase: &str, metadata: Value| {
        let namespace = json!({"metadata": metadata, "status": {"phase": phase}});
        refused_update(BuiltInKind::Namespace, namespace, json!({}))
    };
    assert_eq!(phase("Active", json!({})), NONE);
    assert_eq!(
        phase("Weird", json!({})),
        [
            "status.Phase: Invalid value: \"Weird\": may only be 'Active' if `deletionTimestamp` is empty"
        ]
    );
    assert_eq!(phase("Terminating", json!({"deletionTimestamp": "2020-01-01T00:00:00Z"})), NONE);
}
