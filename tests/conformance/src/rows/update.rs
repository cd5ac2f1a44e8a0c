//! Rows 40–51: PUT, optimistic locking, generation, and the status subresource.

use anyhow::{Result, ensure};
use serde_json::{Value, json};

use crate::{
    difference::Difference,
    expect::{at, equal, revision, text},
    fixture::GADGETS,
    namespace::{Namespace, config_map, widget},
    world::World,
};

const MODIFIED: &str =
    "the object has been modified; please apply your changes to the latest version and try again";

/// A namespace with Widget `a`, and the Widget.
async fn with_widget(world: &World<'_>) -> Result<(Namespace, Value)> {
    let namespace = world.namespace().await?;
    let created = world.create(&namespace.widgets(), &widget("a")).await?;
    Ok((namespace, created))
}

pub(crate) async fn nothing_changed(world: &World<'_>) -> Result<()> {
    let (namespace, created) = with_widget(world).await?;
    let path = namespace.widget("a");
    let query = format!("resourceVersion={}", revision(&created)?);
    let mut watch = world.watch(&namespace.widgets(), &query).await?;
    let same = world.put(&path, &created).await?.is(200)?;
    equal("reply", &same, &created)?;
    let mut undefaulted = created.clone();
    undefaulted["spec"] = json!({"color": "red"});
    let same = world.put(&path, &undefaulted).await?.is(200)?;
    equal("resourceVersion", &revision(&same)?, &revision(&created)?)?;
    let changed = world.merge(&path, &json!({"spec": {"color": "blue"}})).await?.is(200)?;
    let event = watch.expect("MODIFIED", "a").await?;
    equal("first event", &event.object, &changed)
}

pub(crate) async fn spec_changed(world: &World<'_>) -> Result<()> {
    let (namespace, mut object) = with_widget(world).await?;
    object["spec"]["color"] = json!("blue");
    let updated = world.put(&namespace.widget("a"), &object).await?.is(200)?;
    at(&updated, "/metadata/generation", 2)?;
    at(&updated, "/spec/color", "blue")?;
    ensure!(revision(&updated)? > revision(&object)?, "the revision did not grow");
    for field in ["uid", "creationTimestamp"] {
        let pointer = format!("/metadata/{field}");
        at(&updated, &pointer, text(&object, &pointer)?)?;
    }
    equal("stored", &world.read(&namespace.widget("a")).await?, &updated)
}

pub(crate) async fn label_changed(world: &World<'_>) -> Result<()> {
    let (namespace, mut object) = with_widget(world).await?;
    object["metadata"]["labels"] = json!({"a": "1"});
    object["metadata"]["generation"] = json!(9);
    object["metadata"]["creationTimestamp"] = json!("2001-01-01T00:00:00Z");
    let updated = world.put(&namespace.widget("a"), &object).await?.is(200)?;
    at(&updated, "/metadata/generation", 1)?;
    at(&updated, "/metadata/labels", json!({"a": "1"}))?;
    ensure!(!text(&updated, "/metadata/creationTimestamp")?.starts_with("2001"), "{updated}");
    ensure!(revision(&updated)? > revision(&object)?, "the revision did not grow");
    let path = namespace.widget("a");
    let mut deleted = updated.clone();
    deleted["metadata"]["deletionTimestamp"] = json!("2001-01-01T00:00:00Z");
    let status = world.put(&path, &deleted).await?.fails(422, "Invalid")?;
    at(&status, "/details/causes/0/field", "metadata.deletionTimestamp")
}

pub(crate) async fn stale_revision(world: &World<'_>) -> Result<()> {
    let (namespace, mut object) = with_widget(world).await?;
    let path = namespace.widget("a");
    let latest = world.merge(&path, &json!({"spec": {"count": 1}})).await?.is(200)?;
    object["spec"]["count"] = json!(2);
    let hint = json!([{"reason": "CurrentResourceVersion", "field": "metadata.resourceVersion",
        "message": text(&latest, "/metadata/resourceVersion")?}]);
    let causes = world.differs(Difference::ConflictNamesVersion, hint, Value::Null);
    let message =
        format!("Operation cannot be fulfilled on widgets.conf.example.com \"a\": {MODIFIED}");
    for path in [path.clone(), format!("{path}/status")] {
        let status = world.put(&path, &object).await?.fails_saying(409, "Conflict", &message)?;
        at(&status, "/details/name", "a")?;
        at(&status, "/details/group", "conf.example.com")?;
        at(&status, "/details/kind", "widgets")?;
        at(&status, "/details/causes", causes.clone())?;
    }
    at(&world.read(&path).await?, "/spec/count", 1)?;
    let config_maps = namespace.core("configmaps");
    let mut stale = world.create(&config_maps, &config_map("a", json!({}))).await?;
    world.merge(&format!("{config_maps}/a"), &json!({"data": {"k": "v"}})).await?.is(200)?;
    stale["data"] = json!({"other": "value"});
    let message = format!("Operation cannot be fulfilled on configmaps \"a\": {MODIFIED}");
    let reply = world.put(&format!("{config_maps}/a"), &stale).await?;
    reply.fails_saying(409, "Conflict", &message).map(drop)
}

pub(crate) async fn without_revision(world: &World<'_>) -> Result<()> {
    let (namespace, _) = with_widget(world).await?;
    let message = "must be specified for an update";
    for revision in ["", "0"] {
        let mut object = widget("a");
        object["metadata"]["resourceVersion"] = json!(revision);
        let reply = world.put(&namespace.widget("a"), &object).await?;
        let status = reply.fails_with(422, "Invalid", message)?;
        at(&status, "/details/kind", "widgets")?;
        at(&status, "/details/causes/0/field", "metadata.resourceVersion")?;
    }
    let config_maps = namespace.core("configmaps");
    world.create(&config_maps, &config_map("a", json!({"k": "v"}))).await?;
    let unconditional = config_map("a", json!({"other": "value"}));
    let updated = world.put(&format!("{config_maps}/a"), &unconditional).await?.is(200)?;
    at(&updated, "/data", json!({"other": "value"}))
}

pub(crate) async fn missing_object(world: &World<'_>) -> Result<()> {
    let namespace = world.namespace().await?;
    let mut object = widget("a");
    object["metadata"]["resourceVersion"] = json!("1");
    let reply = world.put(&namespace.widget("a"), &object).await?;
    let status = reply.fails_saying(404, "NotFound", "widgets.conf.example.com \"a\" not found")?;
    at(&status, "/details", json!({"name": "a", "group": "conf.example.com", "kind": "widgets"}))?;
    let reply = world
        .put(&format!("{}/a", namespace.core("configmaps")), &config_map("a", json!({})))
        .await?;
    reply.fails_saying(404, "NotFound", "configmaps \"a\" not found")?;
    for (path, object) in [
        (
            namespace.collection("coordination.k8s.io/v1", "leases"),
            json!({"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": {"name": "a"}, "spec": {}}),
        ),
        (
            namespace.collection("rbac.authorization.k8s.io/v1", "roles"),
            json!({"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "Role", "metadata": {"name": "a"}, "rules": []}),
        ),
        (
            namespace.core("events"),
            json!({"apiVersion": "v1", "kind": "Event", "metadata": {"name": "a"},
                "involvedObject": {"kind": "Widget", "name": "w", "namespace": namespace.name}}),
        ),
    ] {
        let path = format!("{path}/a");
        let created = world.put(&path, &object).await?.is(201)?;
        equal("stored", &world.read(&path).await?, &created)?;
        world.put(&path, &created).await?.is(200)?;
    }
    Ok(())
}

pub(crate) async fn other_uid(world: &World<'_>) -> Result<()> {
    let (namespace, mut object) = with_widget(world).await?;
    let uid = text(&object, "/metadata/uid")?.to_owned();
    object["metadata"]["uid"] = json!("other");
    let reply = world.put(&namespace.widget("a"), &object).await?;
    let message = format!("UID in precondition: other, UID in object meta: {uid}");
    reply.fails_with(409, "Conflict", &message).map(drop)
}

pub(crate) async fn other_name(world: &World<'_>) -> Result<()> {
    let (namespace, mut object) = with_widget(world).await?;
    object["metadata"]["name"] = json!("zz");
    let message = "the name of the object (zz) does not match the name on the URL (a)";
    let reply = world.put(&namespace.widget("a"), &object).await?;
    reply.fails_saying(400, "BadRequest", message).map(drop)
}

pub(crate) async fn status_through_main_endpoint(world: &World<'_>) -> Result<()> {
    let (namespace, object) = with_widget(world).await?;
    let path = namespace.widget("a");
    let mut with_status = object.clone();
    with_status["status"] = json!({"phase": "Ready"});
    let same = world.put(&path, &with_status).await?.is(200)?;
    equal("reply", &same, &object)?;
    let set = world.put(&format!("{path}/status"), &with_status).await?.is(200)?;
    at(&set, "/status", json!({"phase": "Ready"}))?;
    let mut without_status = set.clone();
    without_status.as_object_mut().map(|object| object.remove("status"));
    without_status["spec"]["color"] = json!("blue");
    let kept = world.put(&path, &without_status).await?.is(200)?;
    at(&kept, "/status", json!({"phase": "Ready"}))?;
    at(&kept, "/spec/color", "blue")
}

pub(crate) async fn everything_through_status_endpoint(world: &World<'_>) -> Result<()> {
    let (namespace, mut object) = with_widget(world).await?;
    object["status"] = json!({"phase": "Ready"});
    object["spec"]["color"] = json!("blue");
    object["metadata"]["labels"] = json!({"a": "1"});
    object["metadata"]["annotations"] = json!({"a": "1"});
    object["metadata"]["finalizers"] = json!(["conf.example.com/x"]);
    object["metadata"]["ownerReferences"] =
        json!([{"apiVersion": "v1", "kind": "ConfigMap", "name": "o", "uid": "u"}]);
    let updated =
        world.put(&format!("{}/status", namespace.widget("a")), &object).await?.is(200)?;
    only_status_changed(&updated)?;
    ensure!(revision(&updated)? > revision(&object)?, "the revision did not grow");
    equal("stored", &world.read(&namespace.widget("a")).await?, &updated)?;
    equal(
        "read of /status",
        &world.read(&format!("{}/status", namespace.widget("a"))).await?,
        &updated,
    )
}

pub(crate) async fn patch_of_status_with_metadata(world: &World<'_>) -> Result<()> {
    let (namespace, _) = with_widget(world).await?;
    let patch = json!({"metadata": {"labels": {"a": "1"}, "annotations": {"a": "1"}, "finalizers": ["conf.example.com/x"]},
        "spec": {"color": "blue"}, "status": {"phase": "Ready"}});
    let updated =
        world.merge(&format!("{}/status", namespace.widget("a")), &patch).await?.is(200)?;
    only_status_changed(&updated)
}

fn only_status_changed(updated: &Value) -> Result<()> {
    at(updated, "/status", json!({"phase": "Ready"}))?;
    at(updated, "/spec/color", "red")?;
    at(updated, "/metadata/generation", 1)?;
    for field in ["labels", "annotations", "finalizers", "ownerReferences"] {
        at(updated, &format!("/metadata/{field}"), Value::Null)?;
    }
    Ok(())
}

pub(crate) async fn status_without_subresource(world: &World<'_>) -> Result<()> {
    let name = world.unique("gadget");
    let path = format!("{GADGETS}/{name}");
    let gadget = json!({"apiVersion": "conf.example.com/v1", "kind": "Gadget", "metadata": {"name": name},
        "spec": {"size": 1}, "status": {"phase": "New"}});
    let created = world.create(GADGETS, &gadget).await?;
    at(&created, "/status", json!({"phase": "New"}))?;
    let patched = world.merge(&path, &json!({"status": {"phase": "Ready"}})).await?.is(200)?;
    at(&patched, "/status", json!({"phase": "Ready"}))?;
    at(&patched, "/metadata/generation", 2)?;
    let labelled =
        world.merge(&path, &json!({"metadata": {"labels": {"a": "1"}}})).await?.is(200)?;
    at(&labelled, "/metadata/generation", 2)?;
    let status = format!("{path}/status");
    world.get(&status).await?.is(404)?;
    world.delete(&path).await?.is(200).map(drop)
}
