//! Rows 113–117: deleting objects, at once or after their finalizers.

use anyhow::{Result, ensure};
use serde_json::{Value, json};

use crate::{
    expect::{at, equal, revision, text},
    namespace::{Namespace, config_map, widget},
    world::World,
};

const FINALIZER: &str = "conf.example.com/hold";

/// A Widget that stays until its finalizer is removed.
fn held(name: &str) -> Value {
    let mut object = widget(name);
    object["metadata"]["finalizers"] = json!([FINALIZER]);
    object
}

async fn release(world: &World<'_>, path: &str) -> Result<Value> {
    world.merge(path, &json!({"metadata": {"finalizers": null}})).await?.is(200)
}

pub(crate) async fn with_and_without_finalizers(world: &World<'_>) -> Result<()> {
    let namespace = world.namespace().await?;
    let plain = world.create(&namespace.widgets(), &widget("plain")).await?;
    let dry = world.delete(&format!("{}?dryRun=All", namespace.widget("plain"))).await?.is(200)?;
    at(&dry, "/status", "Success")?;
    let gone = world.delete(&namespace.widget("plain")).await?.is(200)?;
    let want = json!({"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "details": {
        "name": "plain", "group": "conf.example.com", "kind": "widgets", "uid": plain["metadata"]["uid"]}});
    equal("reply to DELETE", &gone, &want)?;
    let message = "widgets.conf.example.com \"plain\" not found";
    world.delete(&namespace.widget("plain")).await?.fails_saying(404, "NotFound", message)?;
    finalizer_keeps_the_object(world, &namespace).await?;
    built_in_kinds(world, &namespace).await
}

async fn finalizer_keeps_the_object(world: &World<'_>, namespace: &Namespace) -> Result<()> {
    let path = namespace.widget("held");
    let created = world.create(&namespace.widgets(), &held("held")).await?;
    let first = world.delete(&path).await?.is(200)?;
    at(&first, "/kind", "Widget")?;
    text(&first, "/metadata/deletionTimestamp")?;
    at(&first, "/metadata/deletionGracePeriodSeconds", 0)?;
    at(&first, "/metadata/generation", 2)?;
    at(&first, "/metadata/finalizers", json!([FINALIZER]))?;
    ensure!(revision(&first)? > revision(&created)?, "the deletion made no revision");
    equal("second DELETE", &world.delete(&path).await?.is(200)?, &first)?;
    let changed = world.merge(&path, &json!({"spec": {"color": "blue"}})).await?.is(200)?;
    at(&changed, "/metadata/generation", 3)?;
    let cleared = json!({"metadata": {"deletionTimestamp": null}, "spec": {"color": "green"}});
    let kept = world.merge(&path, &cleared).await?.is(200)?;
    equal(
        "deletionTimestamp",
        &kept["metadata"]["deletionTimestamp"],
        &first["metadata"]["deletionTimestamp"],
    )?;
    release(world, &path).await.map(drop)
}

/// ConfigMaps answer with a Status, ServiceAccounts with what was deleted.
async fn built_in_kinds(world: &World<'_>, namespace: &Namespace) -> Result<()> {
    let maps = namespace.core("configmaps");
    let created = world.create(&maps, &config_map("a", json!({}))).await?;
    let gone = world.delete(&format!("{maps}/a")).await?.is(200)?;
    at(
        &gone,
        "/details",
        json!({"name": "a", "kind": "configmaps", "uid": created["metadata"]["uid"]}),
    )?;
    let accounts = namespace.core("serviceaccounts");
    let account = json!({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "a"}});
    let created = world.create(&accounts, &account).await?;
    let gone = world.delete(&format!("{accounts}/a")).await?.is(200)?;
    at(&gone, "/kind", "ServiceAccount")?;
    at(&gone, "/metadata/uid", created["metadata"]["uid"].clone())
}

pub(crate) async fn last_finalizer(world: &World<'_>) -> Result<()> {
    let namespace = world.namespace().await?;
    let path = namespace.widget("held");
    world.create(&namespace.widgets(), &held("held")).await?;
    let deleting = world.delete(&path).await?.is(200)?;
    let mut watch = world
        .watch(&namespace.widgets(), &format!("resourceVersion={}", revision(&deleting)?))
        .await?;
    let released = release(world, &path).await?;
    at(&released, "/kind", "Widget")?;
    at(&released, "/metadata/finalizers", Value::Null)?;
    at(
        &released,
        "/metadata/deletionTimestamp",
        deleting["metadata"]["deletionTimestamp"].clone(),
    )?;
    let event = watch.expect("DELETED", "held").await?;
    ensure!(revision(&event.object)? > revision(&deleting)?, "DELETED has no revision of its own");
    world.get(&path).await?.fails(404, "NotFound")?;
    world.create(&namespace.widgets(), &widget("marker")).await?;
    watch.expect("ADDED", "marker").await?;
    last_finalizer_by_put(world, &namespace).await
}

async fn last_finalizer_by_put(world: &World<'_>, namespace: &Namespace) -> Result<()> {
    let path = namespace.widget("put");
    world.create(&namespace.widgets(), &held("put")).await?;
    let mut object = world.delete(&path).await?.is(200)?;
    object["metadata"]["finalizers"] = json!([]);
    world.put(&path, &object).await?.is(200)?;
    world.get(&path).await?.fails(404, "NotFound").map(drop)
}

pub(crate) async fn changes_while_deleting(world: &World<'_>) -> Result<()> {
    let namespace = world.namespace().await?;
    let path = namespace.widget("held");
    world.create(&namespace.widgets(), &held("held")).await?;
    world.delete(&path).await?.is(200)?;
    let more = json!({"metadata": {"finalizers": [FINALIZER, "conf.example.com/more"]}});
    let message = "Widget.conf.example.com \"held\" is invalid: metadata.finalizers: Forbidden: no new finalizers can be \
        added if the object is being deleted, found new finalizers []string{\"conf.example.com/more\"}";
    let status = world.merge(&path, &more).await?.fails_saying(422, "Invalid", message)?;
    at(&status, "/details/causes/0/field", "metadata.finalizers")?;
    at(&status, "/details/causes/0/reason", "FieldValueForbidden")?;
    let message = "object is being deleted: widgets.conf.example.com \"held\" already exists";
    let again = world.post(&namespace.widgets(), &widget("held")).await?;
    let status = again.fails_saying(409, "AlreadyExists", message)?;
    at(
        &status,
        "/details",
        json!({"name": "held", "group": "conf.example.com", "kind": "widgets"}),
    )?;
    release(world, &path).await?;
    world.create(&namespace.widgets(), &widget("held")).await.map(drop)
}

pub(crate) async fn preconditions_and_policies(world: &World<'_>) -> Result<()> {
    let namespace = world.namespace().await?;
    let path = namespace.widget("a");
    let created = world.create(&namespace.widgets(), &widget("a")).await?;
    let (uid, version) =
        (text(&created, "/metadata/uid")?, text(&created, "/metadata/resourceVersion")?);
    let conflict = "Operation cannot be fulfilled on Widget.conf.example.com \"a\": the";
    let reply = world.delete_with(&path, &json!({"preconditions": {"uid": "bad"}})).await?;
    let message = format!(
        "{conflict} UID in the precondition (bad) does not match the UID in record ({uid}). The object \
        might have been deleted and then recreated"
    );
    let status = reply.fails_saying(409, "Conflict", &message)?;
    at(&status, "/details", json!({"name": "a", "group": "conf.example.com", "kind": "Widget"}))?;
    let reply =
        world.delete_with(&path, &json!({"preconditions": {"resourceVersion": "1"}})).await?;
    let message = format!(
        "{conflict} ResourceVersion in the precondition (1) does not match the ResourceVersion in \
        record ({version}). The object might have been modified"
    );
    reply.fails_saying(409, "Conflict", &message)?;
    bad_options(world, &path).await?;
    world.get(&path).await?.is(200)?;
    let both = json!({"preconditions": {"uid": uid, "resourceVersion": version}});
    world.delete_with(&path, &both).await?.is(200).map(drop)
}

/// What is wrong in the options deletes nothing.
async fn bad_options(world: &World<'_>, path: &str) -> Result<()> {
    let unknown = [(
        "propagationPolicy",
        "FieldValueNotSupported",
        "Unsupported value: \"Foo\": supported values: \"Foreground\", \"Background\", \"Orphan\", \"nil\"",
    )];
    world.delete_with(path, &json!({"propagationPolicy": "Foo"})).await?.invalid(&unknown)?;
    world.delete(&format!("{path}?propagationPolicy=Foo")).await?.invalid(&unknown)?;
    let both = json!({"propagationPolicy": "Orphan", "orphanDependents": true});
    world.delete_with(path, &both).await?.invalid(&[(
        "propagationPolicy",
        "FieldValueInvalid",
        "Invalid value: \"Orphan\": orphanDependents and deletionPropagation cannot be both set",
    )])?;
    let reply = world
        .send(http::Method::DELETE, path, &[("content-type", "application/json")], "{\"a\"")
        .await?;
    reply.fails(400, "BadRequest")?;
    let other_kind = json!({"apiVersion": "v1", "kind": "ConfigMap"});
    world.delete_with(path, &other_kind).await?.fails(400, "BadRequest")?;
    world
        .delete(&format!("{path}?gracePeriodSeconds=soon"))
        .await?
        .fails(400, "BadRequest")
        .map(drop)
}

pub(crate) async fn collection(world: &World<'_>) -> Result<()> {
    let namespace = world.namespace().await?;
    for (name, group) in [("a", "one"), ("b", "one"), ("c", "two")] {
        let mut object = widget(name);
        object["metadata"]["labels"] = json!({"group": group});
        world.create(&namespace.widgets(), &object).await?;
    }
    let deleted = world
        .delete(&format!("{}?labelSelector=group%3Done", namespace.widgets()))
        .await?
        .is(200)?;
    at(&deleted, "/kind", "WidgetList")?;
    equal("deleted", &names(&deleted), &vec!["a", "b"])?;
    let left = world.read(&namespace.widgets()).await?;
    equal("left", &names(&left), &vec!["c"])?;
    let by_field = format!("{}?fieldSelector=metadata.name%3Dc", namespace.widgets());
    equal("deleted", &names(&world.delete(&by_field).await?.is(200)?), &vec!["c"])?;
    let nowhere = "/apis/conf.example.com/v1/namespaces/conf-nowhere/widgets";
    let empty = world.delete(nowhere).await?.is(200)?;
    at(&empty, "/items", json!([]))?;
    let message = "the server does not allow this method on the requested resource";
    world.delete("/api/v1/namespaces").await?.fails_saying(405, "MethodNotAllowed", message)?;
    collection_with_finalizers(world, &namespace).await
}

async fn collection_with_finalizers(world: &World<'_>, namespace: &Namespace) -> Result<()> {
    world.create(&namespace.widgets(), &held("held")).await?;
    world.create(&namespace.widgets(), &widget("plain")).await?;
    world.delete(&namespace.widgets()).await?.is(200)?;
    let left = world.read(&namespace.widgets()).await?;
    equal("left", &names(&left), &vec!["held"])?;
    text(&left, "/items/0/metadata/deletionTimestamp")?;
    release(world, &namespace.widget("held")).await.map(drop)
}

fn names(list: &Value) -> Vec<&str> {
    let items = list["items"].as_array().into_iter().flatten();
    items.filter_map(|item| item.pointer("/metadata/name")?.as_str()).collect()
}
