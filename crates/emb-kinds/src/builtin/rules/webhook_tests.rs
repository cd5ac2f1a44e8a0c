//! What webhook configurations default to and what they refuse.

use serde_json::{Value, json};

use super::webhook::{Stage, default, validate};

fn webhook(changes: Value) -> Value {
    let mut webhook = json!({
        "name": "a.b.io", "sideEffects": "None", "admissionReviewVersions": ["v1"],
        "clientConfig": {"url": "https://x/y"},
        "rules": [{"operations": ["CREATE"], "apiGroups": [""], "apiVersions": ["v1"], "resources": ["secrets"]}],
    });
    emb_codec::patch::merge(&mut webhook, &changes);
    webhook
}

fn refused(changes: Value) -> Vec<String> {
    let configuration = json!({"webhooks": [webhook(changes)]});
    let errors = validate(&configuration, Stage::Mutating);
    errors.iter().map(|error| error.to_string().replacen("webhooks[0].", "", 1)).collect()
}

fn refused_rule(changes: Value) -> Vec<String> {
    let mut rule = webhook(json!({}))["rules"][0].clone();
    emb_codec::patch::merge(&mut rule, &changes);
    let errors = refused(json!({"rules": [rule]}));
    errors.into_iter().map(|error| error.replacen("rules[0].", "", 1)).collect()
}

const NONE: [&str; 0] = [];

#[test]
fn policies_selectors_and_scopes_have_defaults() {
    let mut configuration = json!({"webhooks": [webhook(json!({}))]});
    default(&mut configuration, Stage::Mutating);
    let defaulted = &configuration["webhooks"][0];
    assert_eq!(defaulted["failurePolicy"], "Fail");
    assert_eq!(defaulted["matchPolicy"], "Equivalent");
    assert_eq!(defaulted["timeoutSeconds"], 10);
    assert_eq!(defaulted["reinvocationPolicy"], "Never");
    assert_eq!(
        (&defaulted["namespaceSelector"], &defaulted["objectSelector"]),
        (&json!({}), &json!({}))
    );
    assert_eq!(defaulted["rules"][0]["scope"], "*");
    assert!(validate(&configuration, Stage::Mutating).is_empty());
    let mut validating = json!({"webhooks": [webhook(json!({}))]});
    default(&mut validating, Stage::Validating);
    assert_eq!(validating["webhooks"][0].get("reinvocationPolicy"), None);
}

#[test]
fn names_are_qualified_and_unique() {
    let three = "name: Invalid value: \"a.b\": should be a domain with at least three segments separated by dots";
    assert_eq!(refused(json!({"name": "a.b"})), [three]);
    assert_eq!(refused(json!({"name": ""})), ["name: Required value"]);
    let twice = json!({"webhooks": [webhook(json!({})), webhook(json!({}))]});
    let errors = validate(&twice, Stage::Validating);
    assert_eq!(errors[0].to_string(), "webhooks[1].name: Duplicate value: \"a.b.io\"");
}

#[test]
fn policies_are_of_the_known_ones() {
    let cases = [
        (
            json!({"sideEffects": null}),
            "sideEffects: Required value: must specify one of None, NoneOnDryRun",
        ),
        (
            json!({"sideEffects": "Some"}),
            "sideEffects: Unsupported value: \"Some\": supported values: \"None\", \"NoneOnDryRun\"",
        ),
        (
            json!({"failurePolicy": "F"}),
            "failurePolicy: Unsupported value: \"F\": supported values: \"Fail\", \"Ignore\"",
        ),
        (
            json!({"matchPolicy": "F"}),
            "matchPolicy: Unsupported value: \"F\": supported values: \"Equivalent\", \"Exact\"",
        ),
        (
            json!({"reinvocationPolicy": "F"}),
            "reinvocationPolicy: Unsupported value: \"F\": supported values: \"IfNeeded\", \"Never\"",
        ),
        (
            json!({"timeoutSeconds": 31}),
            "timeoutSeconds: Invalid value: 31: the timeout value must be between 1 and 30 seconds",
        ),
        (
            json!({"admissionReviewVersions": []}),
            "admissionReviewVersions: Required value: must specify one of v1, v1beta1",
        ),
        (
            json!({"admissionReviewVersions": ["v2"]}),
            "admissionReviewVersions: Invalid value: [\"v2\"]: must include at least one of v1, v1beta1",
        ),
        (
            json!({"admissionReviewVersions": ["v1", "v1"]}),
            "admissionReviewVersions[1]: Invalid value: \"v1\": duplicate version",
        ),
        (
            json!({"clientConfig": {"url": null}}),
            "clientConfig: Required value: exactly one of url or service is required",
        ),
        (
            json!({"clientConfig": {"url": null, "service": {"name": "a"}}}),
            "clientConfig.service.namespace: Required value",
        ),
        (
            json!({"clientConfig": {"url": null, "service": {"name": "a", "namespace": "b", "path": "/a//b/"}}}),
            "clientConfig.service.path: Invalid value: \"/a//b/\": segment[1] may not be empty",
        ),
        (
            json!({"clientConfig": {"url": null, "service": {"name": "a", "namespace": "b", "port": 0}}}),
            "clientConfig.service.port: Invalid value: 0: port is not valid: must be between 1 and 65535, inclusive",
        ),
        (
            json!({"namespaceSelector": {"matchExpressions": [{"key": "a", "operator": "In"}]}}),
            "namespaceSelector.matchExpressions[0].values: Required value: must be specified when `operator` is 'In' or 'NotIn'",
        ),
        (
            json!({"matchConditions": [{"name": "a", "expression": "true"}, {"name": "a", "expression": "true"}]}),
            "matchConditions[1].name: Duplicate value: \"a\"",
        ),
        (
            json!({"matchConditions": [{"name": "a", "expression": "object.a"}]}),
            "matchConditions[0].expression: Invalid value: \"object.a\": must evaluate to bool but got dyn",
        ),
        (
            json!({"matchConditions": [{"name": "a"}]}),
            "matchConditions[0].expression: Required value",
        ),
    ];
    for (changes, expected) in cases {
        assert_eq!(refused(changes), [expected]);
    }
}

#[test]
fn wildcards_of_rules_stand_alone() {
    assert_eq!(refused_rule(json!({"resources": ["*", "pods/status"]})), NONE);
    let cases = [
        (
            json!({"operations": ["*", "CREATE"]}),
            "operations: Invalid value: [\"*\",\"CREATE\"]: if '*' is present, must not specify other operations",
        ),
        (
            json!({"operations": ["FOO"]}),
            "operations[0]: Unsupported value: \"FOO\": supported values: \"*\", \"CONNECT\", \"CREATE\", \"DELETE\", \"UPDATE\"",
        ),
        (
            json!({"apiGroups": ["*", "a"]}),
            "apiGroups: Invalid value: [\"*\",\"a\"]: if '*' is present, must not specify other API groups",
        ),
        (json!({"apiVersions": [""]}), "apiVersions[0]: Required value"),
        (json!({"resources": null}), "resources: Required value"),
        (
            json!({"resources": ["a/*", "a/b"]}),
            "resources[1]: Invalid value: \"a/b\": if 'a/*' is present, must not specify a/b",
        ),
        (
            json!({"resources": ["*/s", "a/s"]}),
            "resources[1]: Invalid value: \"a/s\": if '*/s' is present, must not specify a/s",
        ),
        (
            json!({"resources": ["*/*", "pods"]}),
            "resources: Invalid value: [\"*/*\",\"pods\"]: if '*/*' is present, must not specify other resources",
        ),
        (
            json!({"resources": ["*", "pods"]}),
            "resources: Invalid value: [\"*\",\"pods\"]: if '*' is present, must not specify other resources without subresources",
        ),
        (
            json!({"scope": "Foo"}),
            "scope: Unsupported value: \"Foo\": supported values: \"*\", \"Cluster\", \"Namespaced\"",
        ),
    ];
    for (changes, expected) in cases {
        assert_eq!(refused_rule(changes), [expected]);
    }
}
