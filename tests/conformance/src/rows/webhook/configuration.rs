//! Row 130: what configurations default to and what they refuse.

use anyhow::Result;
use serde_json::{Value, json};

use super::stand::{MUTATING, VALIDATING, configuration};
use crate::{
    cases::Cases,
    expect::{at, equal},
    world::World,
};

fn hook(changes: Value) -> Value {
    let mut hook = json!({
        "name": "a.conf.example.com", "sideEffects": "None", "admissionReviewVersions": ["v1"],
        "clientConfig": {"url": "https://127.0.0.1:1/x"},
        "rules": [{"operations": ["CREATE"], "apiGroups": [""], "apiVersions": ["v1"], "resources": ["nothings"]}],
    });
    if let (Some(hook), Some(changes)) = (hook.as_object_mut(), changes.as_object()) {
        hook.extend(changes.clone());
    }
    hook
}

fn rule(changes: Value) -> Value {
    let mut rule = hook(json!({}))["rules"][0].clone();
    if let (Some(rule), Some(changes)) = (rule.as_object_mut(), changes.as_object()) {
        rule.extend(changes.clone());
    }
    json!({"rules": [rule]})
}

pub(crate) async fn rules_and_defaults(world: &World<'_>) -> Result<()> {
    let mut cases = Cases::default();
    for collection in [MUTATING, VALIDATING] {
        cases.note(format!("defaults of {collection}"), defaults(world, collection).await);
    }
    for (changes, causes) in refusals() {
        cases.note(&changes, refused(world, &changes, &causes).await);
    }
    cases.note("conditions", conditions(world).await);
    cases.finish()
}

async fn defaults(world: &World<'_>, collection: &str) -> Result<()> {
    let name = world.unique("conf");
    let object = configuration(collection, &name, json!([hook(json!({}))]));
    let created = world.create(collection, &object).await?;
    at(&created, "/metadata/generation", 1)?;
    let mut want = hook(json!({
        "failurePolicy": "Fail", "matchPolicy": "Equivalent", "namespaceSelector": {},
        "objectSelector": {}, "timeoutSeconds": 10,
    }));
    want["rules"][0]["scope"] = json!("*");
    if collection == MUTATING {
        want["reinvocationPolicy"] = json!("Never");
    }
    equal("webhook", &created["webhooks"][0], &want)?;
    let path = format!("{collection}/{name}");
    let patch = json!({"webhooks": [{"name": "a.conf.example.com", "timeoutSeconds": 5}]});
    let changed = world.patch("strategic-merge", &path, &patch).await?.is(200)?;
    at(&changed, "/webhooks/0/timeoutSeconds", 5)?;
    at(&changed, "/metadata/generation", 2)?;
    world.delete(&path).await?.is(200).map(drop)
}

async fn refused(world: &World<'_>, changes: &Value, causes: &[&str]) -> Result<()> {
    let object = configuration(MUTATING, &world.unique("conf"), json!([hook(changes.clone())]));
    let status = world.post(MUTATING, &object).await?.fails(422, "Invalid")?;
    let told: Vec<String> = status["details"]["causes"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|cause| {
            let text = |key: &str| cause[key].as_str().unwrap_or_default().to_owned();
            format!("{}: {}", text("field").trim_start_matches("webhooks[0]."), text("message"))
        })
        .collect();
    equal("causes", &told, &causes.iter().map(|&cause| cause.to_owned()).collect())
}

/// Changes of a sound webhook, and what is said of them.
fn refusals() -> Vec<(Value, Vec<&'static str>)> {
    vec![
        (
            json!({"name": "a.b"}),
            vec![
                "name: Invalid value: \"a.b\": should be a domain with at least three segments separated by dots",
            ],
        ),
        (
            json!({"sideEffects": "Some"}),
            vec![
                "sideEffects: Unsupported value: \"Some\": supported values: \"None\", \"NoneOnDryRun\"",
            ],
        ),
        (
            json!({"failurePolicy": "Maybe"}),
            vec![
                "failurePolicy: Unsupported value: \"Maybe\": supported values: \"Fail\", \"Ignore\"",
            ],
        ),
        (
            json!({"matchPolicy": "Maybe"}),
            vec![
                "matchPolicy: Unsupported value: \"Maybe\": supported values: \"Equivalent\", \"Exact\"",
            ],
        ),
        (
            json!({"reinvocationPolicy": "Maybe"}),
            vec![
                "reinvocationPolicy: Unsupported value: \"Maybe\": supported values: \"IfNeeded\", \"Never\"",
            ],
        ),
        (
            json!({"timeoutSeconds": 31}),
            vec![
                "timeoutSeconds: Invalid value: 31: the timeout value must be between 1 and 30 seconds",
            ],
        ),
        (
            json!({"admissionReviewVersions": ["v2"]}),
            vec![
                "admissionReviewVersions: Invalid value: [\"v2\"]: must include at least one of v1, v1beta1",
            ],
        ),
        (
            json!({"admissionReviewVersions": ["v1", "v1"]}),
            vec!["admissionReviewVersions[1]: Invalid value: \"v1\": duplicate version"],
        ),
        (
            json!({"clientConfig": {}}),
            vec!["clientConfig: Required value: exactly one of url or service is required"],
        ),
        (
            json!({"clientConfig": {"url": "http://x"}}),
            vec![
                "clientConfig.url: Invalid value: \"http\": 'https' is the only allowed URL scheme; desired format: https://host[/path]",
            ],
        ),
        (
            json!({"clientConfig": {"service": {"name": "a", "namespace": "b", "port": 70000}}}),
            vec![
                "clientConfig.service.port: Invalid value: 70000: port is not valid: must be between 1 and 65535, inclusive",
            ],
        ),
        (
            json!({"clientConfig": {"service": {"name": "", "namespace": ""}}}),
            vec![
                "clientConfig.service.name: Required value",
                "clientConfig.service.namespace: Required value",
            ],
        ),
        (
            rule(json!({"operations": ["*", "CREATE"]})),
            vec![
                "rules[0].operations: Invalid value: [\"*\",\"CREATE\"]: if '*' is present, must not specify other operations",
            ],
        ),
        (
            rule(json!({"resources": ["*/*", "pods"]})),
            vec![
                "rules[0].resources: Invalid value: [\"*/*\",\"pods\"]: if '*/*' is present, must not specify other resources",
            ],
        ),
        (
            rule(json!({"scope": "Some"})),
            vec![
                "rules[0].scope: Unsupported value: \"Some\": supported values: \"*\", \"Cluster\", \"Namespaced\"",
            ],
        ),
        (
            json!({"objectSelector": {"matchExpressions": [{"key": "a", "operator": "In"}]}}),
            vec![
                "objectSelector.matchExpressions[0].values: Required value: must be specified when `operator` is 'In' or 'NotIn'",
            ],
        ),
    ]
}

/// Expressions that cannot work are refused where they are written.
async fn conditions(world: &World<'_>) -> Result<()> {
    let mut cases = Cases::default();
    let list = [
        (
            "bogus == 1",
            "Invalid value: \"bogus == 1\": compilation failed: ERROR: <input>:1:1: undeclared reference to 'bogus' (in container '')\n | bogus == 1\n | ^",
        ),
        ("object.spec.on", "Invalid value: \"object.spec.on\": must evaluate to bool but got dyn"),
        ("request.name", "Invalid value: \"request.name\": must evaluate to bool but got string"),
        (
            "request.nope == 1",
            "Invalid value: \"request.nope == 1\": compilation failed: ERROR: <input>:1:8: undefined field 'nope'\n | request.nope == 1\n | .......^",
        ),
        ("", "Required value"),
    ];
    for (expression, message) in list {
        let changes = json!({"matchConditions": [{"name": "c", "expression": expression}]});
        let cause = format!("matchConditions[0].expression: {message}");
        cases.note(expression, refused(world, &changes, &[&cause]).await);
    }
    cases.finish()
}
