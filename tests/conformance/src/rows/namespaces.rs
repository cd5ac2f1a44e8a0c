//! Row 119: the life of a namespace.

use std::time::Duration;

use anyhow::Result;
use serde_json::{Value, json};

use super::account::{token_path, token_request};
use crate::{
    difference::Difference,
    expect::{at, equal, text},
    namespace::{Namespace, config_map, widget},
    patience::{soon, within},
    world::World,
};

const NAMESPACES: &str = "/api/v1/namespaces";
const FINALIZER: &str = "conf.example.com/hold";

/// kube-controller-manager waits before it starts to empty a namespace and between its attempts.
fn patience(world: &World<'_>) -> Duration {
    world.differs(
        Difference::NamespaceEmptiedAtOnce,
        Duration::from_secs(5),
        Duration::from_mins(1),
    )
}

pub(crate) async fn lifecycle(world: &World<'_>) -> Result<()> {
    protected(world).await?;
    generated_name(world).await?;
    let namespace = created(world).await?;
    let mut held = widget("held");
    held["metadata"]["finalizers"] = json!([FINALIZER]);
    world.create(&namespace.widgets(), &held).await?;
    world.create(&namespace.widgets(), &widget("plain")).await?;
    let path = format!("{NAMESPACES}/{}", namespace.name);
    let hold = json!({"metadata": {"finalizers": ["conf.example.com/project"]}});
    world.merge(&path, &hold).await?.is(200)?;
    terminating(world, &path).await?;
    nothing_new(world, &namespace).await?;
    remaining(world, &path).await?;
    world.get(&namespace.widget("plain")).await?.fails(404, "NotFound")?;
    let released = json!({"metadata": {"finalizers": null}});
    world.merge(&namespace.widget("held"), &released).await?.is(200)?;
    emptied(world, &path).await?;
    world.merge(&path, &released).await?.is(200)?;
    within(patience(world), async || world.get(&path).await?.is(404).map(drop)).await
}

async fn protected(world: &World<'_>) -> Result<()> {
    for name in ["default", "kube-system", "kube-public"] {
        let message =
            format!("namespaces \"{name}\" is forbidden: this namespace may not be deleted");
        world.delete(&format!("{NAMESPACES}/{name}")).await?.fails_saying(
            403,
            "Forbidden",
            &message,
        )?;
    }
    let dotted = named("conf.dotted");
    let cause = (
        "metadata.name",
        "FieldValueInvalid",
        "Invalid value: \"conf.dotted\": must not contain dots",
    );
    world.post(NAMESPACES, &dotted).await?.invalid(&[cause]).map(drop)
}

fn named(name: &str) -> Value {
    json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})
}

/// The label names the namespace also when the server made up the name.
async fn generated_name(world: &World<'_>) -> Result<()> {
    let mut object = named("");
    object["metadata"] = json!({"generateName": "conf-"});
    let created = world.create(NAMESPACES, &object).await?;
    let name = text(&created, "/metadata/name")?;
    at(&created, "/metadata/labels", json!({"kubernetes.io/metadata.name": name}))
}

async fn created(world: &World<'_>) -> Result<Namespace> {
    let name = world.unique("conf");
    let mut object = named(&name);
    object["metadata"]["labels"] = json!({"kubernetes.io/metadata.name": "other"});
    object["status"] = json!({"phase": "Terminating"});
    let created = world.create(NAMESPACES, &object).await?;
    at(&created, "/spec/finalizers", json!(["kubernetes"]))?;
    at(&created, "/status", json!({"phase": "Active"}))?;
    let label = json!({"kubernetes.io/metadata.name": name});
    at(&created, "/metadata/labels", label.clone())?;
    let path = format!("{NAMESPACES}/{name}");
    let stripped = json!({"metadata": {"labels": null}, "spec": {"finalizers": []}});
    let kept = world.merge(&path, &stripped).await?.is(200)?;
    at(&kept, "/metadata/labels", label)?;
    at(&kept, "/spec/finalizers", json!(["kubernetes"]))?;
    let namespace = Namespace { name };
    let account = format!("{}/default", namespace.core("serviceaccounts"));
    soon(async || world.read(&account).await).await?;
    Ok(namespace)
}

async fn terminating(world: &World<'_>, path: &str) -> Result<()> {
    let deleting = world.delete(path).await?.is(200)?;
    at(&deleting, "/kind", "Namespace")?;
    at(&deleting, "/status/phase", "Terminating")?;
    at(&deleting, "/metadata/deletionGracePeriodSeconds", Value::Null)?;
    let time = text(&deleting, "/metadata/deletionTimestamp")?;
    let again = world.delete(path).await?.is(200)?;
    at(&again, "/metadata/deletionTimestamp", time)?;
    let labelled =
        world.merge(path, &json!({"metadata": {"labels": {"late": "yes"}}})).await?.is(200)?;
    at(&labelled, "/metadata/labels/late", "yes")
}

async fn nothing_new(world: &World<'_>, namespace: &Namespace) -> Result<()> {
    let name = &namespace.name;
    let why =
        format!("unable to create new content in namespace {name} because it is being terminated");
    let maps = namespace.core("configmaps");
    for path in [maps.clone(), format!("{maps}?dryRun=All")] {
        let reply = world.post(&path, &config_map("late", json!({}))).await?;
        let message = format!("configmaps \"late\" is forbidden: {why}");
        let status = reply.fails_saying(403, "Forbidden", &message)?;
        let cause = json!([{"reason": "NamespaceTerminating", "field": "metadata.namespace",
            "message": format!("namespace {name} is being terminated")}]);
        at(&status, "/details", json!({"name": "late", "kind": "configmaps", "causes": cause}))?;
    }
    let reply = world.post(&namespace.widgets(), &widget("late")).await?;
    let message = format!("widgets.conf.example.com \"late\" is forbidden: {why}");
    reply.fails_saying(403, "Forbidden", &message)?;
    let reply = world.post(&token_path(namespace, "default"), &token_request(json!({}))).await?;
    let message = format!("serviceaccounts \"default\" is forbidden: {why}");
    reply.fails_saying(403, "Forbidden", &message)?;
    let changed = json!({"spec": {"color": "green"}});
    world.merge(&namespace.widget("held"), &changed).await?.is(200)?;
    let message = format!("object is being deleted: namespaces \"{name}\" already exists");
    world
        .post(NAMESPACES, &named(name))
        .await?
        .fails_saying(409, "AlreadyExists", &message)
        .map(drop)
}

async fn remaining(world: &World<'_>, path: &str) -> Result<()> {
    let remaining = world.differs(
        Difference::NamespaceNamesObjects,
        "Some resources are remaining: widgets.conf.example.com has 1 resource instances (held)",
        "Some resources are remaining: widgets.conf.example.com has 1 resource instances",
    );
    let want = [
        (
            "NamespaceDeletionDiscoveryFailure",
            "False",
            "ResourcesDiscovered",
            "All resources successfully discovered",
        ),
        (
            "NamespaceDeletionGroupVersionParsingFailure",
            "False",
            "ParsedGroupVersions",
            "All legacy kube types successfully parsed",
        ),
        (
            "NamespaceDeletionContentFailure",
            "False",
            "ContentDeleted",
            "All content successfully deleted, may be waiting on finalization",
        ),
        ("NamespaceContentRemaining", "True", "SomeResourcesRemain", remaining),
        (
            "NamespaceFinalizersRemaining",
            "True",
            "SomeFinalizersRemain",
            "Some content in the namespace has finalizers remaining: conf.example.com/hold in 1 resource instances",
        ),
    ];
    within(patience(world), async || conditions_are(&world.read(path).await?, &want)).await
}

/// The namespace is empty and waits for its own finalizer.
async fn emptied(world: &World<'_>, path: &str) -> Result<()> {
    within(patience(world), async || {
        let namespace = world.read(path).await?;
        at(&namespace, "/spec", json!({}))?;
        at(&namespace, "/metadata/finalizers", json!(["conf.example.com/project"]))
    })
    .await
}

fn conditions_are(namespace: &Value, want: &[(&str, &str, &str, &str)]) -> Result<()> {
    let field =
        |condition: &Value, name: &str| condition[name].as_str().unwrap_or_default().to_owned();
    let conditions = namespace["status"]["conditions"].as_array().into_iter().flatten();
    let got: Vec<_> = conditions
        .map(|condition| ["type", "status", "reason", "message"].map(|name| field(condition, name)))
        .collect();
    let want: Vec<_> = want.iter().map(|&(a, b, c, d)| [a, b, c, d].map(str::to_owned)).collect();
    equal("conditions", &got, &want)
}
