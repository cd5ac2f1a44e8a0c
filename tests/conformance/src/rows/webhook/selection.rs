//! Which requests a webhook is asked about.

use anyhow::{Result, ensure};
use dev_testkit::server::webhook::{allow, patch};
use serde_json::{Value, json};

use super::stand::{MUTATING, Stand, VALIDATING};
use crate::{
    expect::{at, equal},
    fixture::{CRDS, served},
    namespace::widget,
    own_kind::OwnKind,
};

pub(super) async fn labels(stand: &Stand<'_, '_>) -> Result<()> {
    stand.answer("o", |_| allow());
    let selector = json!({"objectSelector": {"matchLabels": {"watched": "yes"}}});
    stand.configure(VALIDATING, "conf", vec![stand.hook("o", selector)]).await?;
    let world = stand.world;
    world.create(&stand.namespace.widgets(), &widget("w")).await?;
    equal("calls without the label", &stand.asked("o"), &0)?;
    let path = stand.namespace.widget("w");
    for (label, asked) in [(json!("yes"), 1), (Value::Null, 1), (Value::Null, 0)] {
        let patch = json!({"metadata": {"labels": {"watched": label}}});
        world.merge(&path, &patch).await?.is(200)?;
        equal(format!("calls for label {label}"), &stand.asked("o"), &asked)?;
    }
    Ok(())
}

fn when(expression: &str, policy: &str) -> Value {
    json!({"failurePolicy": policy, "matchConditions": [{"name": "c", "expression": expression}]})
}

const MAY_DELETE: &str = "authorizer.group('conf.example.com').resource('widgets').namespace('x').check('delete').allowed()";

pub(super) async fn conditions(stand: &Stand<'_, '_>) -> Result<()> {
    let cases = [
        ("true", true),
        ("object.spec.color == 'red'", true),
        ("object.spec.color == 'blue'", false),
        ("oldObject == null", true),
        ("request.operation == 'CREATE' && request.kind.kind == 'Widget'", true),
        ("request.namespace.startsWith('conf')", true),
        ("has(request.subResource)", false),
        ("'nobody' in request.userInfo.groups", false),
        ("request.dryRun", false),
        ("request.options.kind == 'CreateOptions'", true),
        ("has(object.metadata.labels) && 'a' in object.metadata.labels", false),
        ("authorizer.requestResource.check('create').allowed()", true),
        ("authorizer.path('/healthz').check('get').allowed()", true),
        (
            "authorizer.serviceAccount('x', 'y').group('').resource('secrets').check('get').allowed()",
            false,
        ),
        (MAY_DELETE, true),
    ];
    let name = |number: usize| format!("c{number}");
    let mut hooks = Vec::new();
    for (number, (expression, _)) in cases.iter().enumerate() {
        stand.answer(&name(number), |_| allow());
        hooks.push(stand.hook(&name(number), when(expression, "Fail")));
    }
    stand.configure(VALIDATING, "conf", hooks).await?;
    stand.world.create(&stand.namespace.widgets(), &widget("w")).await?;
    for (number, (expression, holds)) in cases.iter().enumerate() {
        equal(expression, &(stand.asked(&name(number)) > 0), holds)?;
    }
    Ok(())
}

pub(super) async fn condition_errors(stand: &Stand<'_, '_>) -> Result<()> {
    let widgets = stand.namespace.widgets();
    let wrong = "object.spec.nope == 'x'";
    stand.answer("i", |_| allow());
    stand.configure(VALIDATING, "conf", vec![stand.hook("i", when(wrong, "Ignore"))]).await?;
    stand.world.create(&widgets, &widget("a")).await?;
    equal("calls after an ignored error", &stand.asked("i"), &0)?;
    let mut decided = when(wrong, "Fail");
    if let Some(conditions) = decided["matchConditions"].as_array_mut() {
        conditions.push(json!({"name": "d", "expression": "request.name != 'b'"}));
    }
    stand.configure(VALIDATING, "conf", vec![stand.hook("d", decided)]).await?;
    stand.world.create(&widgets, &widget("b")).await?;
    let refused = stand.world.post(&widgets, &widget("c")).await?;
    let message = format!(
        "widgets.conf.example.com \"c\" is forbidden: expression '{wrong}' resulted in error: no such key: nope"
    );
    refused.fails_saying(403, "Forbidden", &message).map(drop)
}

pub(super) async fn subresources(stand: &Stand<'_, '_>) -> Result<()> {
    let rules = |resources: &str| {
        json!({"rules": [{"operations": ["UPDATE"], "apiGroups": ["conf.example.com"],
            "apiVersions": ["*"], "resources": [resources]}]})
    };
    let names = [
        ("object", "widgets"),
        ("status", "widgets/status"),
        ("both", "widgets/*"),
        ("all", "*/*"),
    ];
    for (name, _) in names {
        stand.answer(name, |_| allow());
    }
    let hooks = names.iter().map(|(name, resources)| stand.hook(name, rules(resources))).collect();
    stand.configure(VALIDATING, "conf", hooks).await?;
    let world = stand.world;
    world.create(&stand.namespace.widgets(), &widget("w")).await?;
    let path = stand.namespace.widget("w");
    for (path, patch, want) in [
        (path.clone(), json!({"spec": {"color": "blue"}}), [1, 0, 1, 1]),
        (format!("{path}/status"), json!({"status": {"phase": "x"}}), [0, 1, 1, 1]),
    ] {
        world.merge(&path, &patch).await?.is(200)?;
        let asked = names.map(|(name, _)| stand.requests(name));
        equal(format!("calls for {path}"), &asked.clone().map(|calls| calls.len()), &want)?;
        let subresource = if path.ends_with("/status") { json!("status") } else { Value::Null };
        at(&json!(asked[2]), "/0/subResource", subresource.clone())?;
        at(&json!(asked[2]), "/0/requestSubResource", subresource)?;
    }
    Ok(())
}

pub(super) async fn versions(stand: &Stand<'_, '_>) -> Result<()> {
    let world = stand.world;
    let kind = OwnKind::new(world);
    let mut definition = kind.definition(json!({"color": {"type": "string"}}));
    let mut second = definition["spec"]["versions"][0].clone();
    second["name"] = json!("v2");
    second["storage"] = json!(false);
    if let Some(versions) = definition["spec"]["versions"].as_array_mut() {
        versions.push(second);
    }
    world.create(CRDS, &definition).await?;
    served(world, &kind.everywhere()).await?;
    served(world, &format!("/apis/{}/v2/things", kind.group)).await?;
    let rules = json!([{"operations": ["CREATE"], "apiGroups": [kind.group], "apiVersions": ["v1"],
        "resources": ["things"]}]);
    stand.answer("equivalent", |_| {
        patch(&json!([{"op": "replace", "path": "/spec/color", "value": "blue"}]))
    });
    stand.answer("exact", |_| allow());
    let hooks = vec![
        stand.hook("equivalent", json!({"rules": rules})),
        stand.hook("exact", json!({"rules": rules, "matchPolicy": "Exact"})),
    ];
    stand.configure(MUTATING, "conf", hooks).await?;
    let mut thing = kind.thing("t", json!({"color": "red"}));
    thing["apiVersion"] = json!(format!("{}/v2", kind.group));
    let path = stand.namespace.collection(&format!("{}/v2", kind.group), "things");
    let created = world.create(&path, &thing).await?;
    at(&created, "/spec/color", "blue")?;
    at(&created, "/apiVersion", format!("{}/v2", kind.group))?;
    ensure!(stand.asked("exact") == 0, "the exact webhook was asked");
    let request = stand.request("equivalent")?;
    at(&request, "/kind/version", "v1")?;
    at(&request, "/resource/version", "v1")?;
    at(&request, "/requestKind/version", "v2")?;
    at(&request, "/requestResource/version", "v2")?;
    at(&request, "/object/apiVersion", format!("{}/v1", kind.group))?;
    kind.remove(world).await
}
