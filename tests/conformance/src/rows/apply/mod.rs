//! Rows 64–73: server-side apply, and who manages which fields after it and after other writes.

mod conflict;
mod merge;
mod refused;
mod status;

use anyhow::Result;
use http::Method;
use serde_json::{Value, json};

pub(crate) use conflict::{after_update, between_managers, reset};
pub(crate) use merge::{dropped_fields, lists};
pub(crate) use refused::{bad_bodies, force_elsewhere, without_manager};
pub(crate) use status::subresource;

use super::account::{Account, RBAC, binding, role};
use crate::{
    answer::Answer,
    expect::{at, equal, matches, revision},
    namespace::{config_map, widget, widget_with},
    patience::soon,
    world::World,
};

/// The API version of Widgets.
const VERSION: &str = "conf.example.com/v1";

/// Applies an object as `manager`.
async fn apply(world: &World<'_>, path: &str, manager: &str, object: &Value) -> Result<Answer> {
    apply_with(world, path, &format!("fieldManager={manager}"), object).await
}

/// Applies an object with these query parameters.
async fn apply_with(world: &World<'_>, path: &str, query: &str, object: &Value) -> Result<Answer> {
    let headers = [("content-type", "application/apply-patch+yaml")];
    world.send(Method::PATCH, &format!("{path}?{query}"), &headers, object.to_string()).await
}

/// The managers of an object's fields without the times. Whoever only joins the owners of a value has none.
pub(super) fn managers(object: &Value) -> Result<Value> {
    let mut entries = object["metadata"]["managedFields"].clone();
    for entry in entries.as_array_mut().into_iter().flatten() {
        let time = entry.as_object_mut().and_then(|members| members.remove("time"));
        if let Some(time) = time {
            let time = time.as_str().unwrap_or_default();
            matches("time", time, r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")?;
        }
    }
    Ok(entries)
}

/// An entry of `managedFields` as [`managers`] shows it.
pub(super) fn entry(manager: &str, operation: &str, api_version: &str, fields: Value) -> Value {
    json!({"manager": manager, "operation": operation, "apiVersion": api_version,
        "fieldsType": "FieldsV1", "fieldsV1": fields})
}

/// An entry for a Widget.
fn widget_entry(manager: &str, operation: &str, fields: Value) -> Value {
    entry(manager, operation, VERSION, fields)
}

pub(crate) async fn creates_and_changes(world: &World<'_>) -> Result<()> {
    let namespace = world.namespace().await?;
    let path = namespace.widget("a");
    let created = apply(world, &path, "m1", &widget("a")).await?.is(201)?;
    at(&created, "/spec", json!({"color": "red", "size": "medium"}))?;
    at(&created, "/metadata/generation", 1)?;
    let owned = json!([widget_entry("m1", "Apply", json!({"f:spec": {"f:color": {}}}))]);
    equal("managers", &managers(&created)?, &owned)?;
    equal("stored", &world.read(&path).await?, &created)?;

    tokio::time::sleep(std::time::Duration::from_millis(1100)).await;
    let same = apply(world, &path, "m1", &widget("a")).await?.is(200)?;
    equal("the same again", &same, &created)?;

    let labelled = json!({"apiVersion": VERSION, "kind": "Widget",
        "metadata": {"name": "a", "labels": {"app": "x"}}, "spec": {"color": "green"}});
    let changed = apply(world, &path, "m1", &labelled).await?.is(200)?;
    at(&changed, "/spec/color", "green")?;
    at(&changed, "/metadata/generation", 2)?;
    anyhow::ensure!(revision(&changed)? > revision(&created)?, "the revision did not grow");
    let owned = json!([widget_entry(
        "m1",
        "Apply",
        json!({"f:metadata": {"f:labels": {"f:app": {}}}, "f:spec": {"f:color": {}}})
    )]);
    equal("managers", &managers(&changed)?, &owned)?;
    dry_runs(world, &namespace.widget("dry")).await?;
    built_in(world, &namespace.core("configmaps")).await?;
    permission_to_create(world).await
}

async fn dry_runs(world: &World<'_>, path: &str) -> Result<()> {
    let dry = "fieldManager=m1&dryRun=All";
    let shown = apply_with(world, path, dry, &widget("dry")).await?.is(201)?;
    at(&shown, "/metadata/resourceVersion", Value::Null)?;
    equal("managers", &managers(&shown)?.as_array().map(Vec::len), &Some(1))?;
    world.get(path).await?.is(404)?;
    let created = apply(world, path, "m1", &widget("dry")).await?.is(201)?;
    let changed = widget_with("dry", json!({"color": "blue"}));
    let shown = apply_with(world, path, dry, &changed).await?.is(200)?;
    at(&shown, "/spec/color", "blue")?;
    equal("stored", &world.read(path).await?, &created)
}

async fn built_in(world: &World<'_>, collection: &str) -> Result<()> {
    let path = format!("{collection}/a");
    let object = config_map("a", json!({"one": "1"}));
    let created = apply(world, &path, "m1", &object).await?.is(201)?;
    let owned = json!([entry("m1", "Apply", "v1", json!({"f:data": {"f:one": {}}}))]);
    equal("managers", &managers(&created)?, &owned)?;
    let other = config_map("a", json!({"two": "2"}));
    let both = apply(world, &path, "m2", &other).await?.is(200)?;
    at(&both, "/data", json!({"one": "1", "two": "2"}))?;
    let alone = apply(world, &path, "m1", &config_map("a", json!({}))).await?.is(200)?;
    at(&alone, "/data", json!({"two": "2"}))
}

/// Whoever may patch but not create cannot apply what does not exist.
async fn permission_to_create(world: &World<'_>) -> Result<()> {
    let namespace = world.namespace().await?;
    let account = Account::new(world, &namespace, "patcher").await?;
    let rules =
        json!([{"apiGroups": [""], "resources": ["configmaps"], "verbs": ["patch", "get"]}]);
    world.create(&namespace.collection(RBAC, "roles"), &role("Role", "patcher", rules)).await?;
    let subjects = json!([account.subject(&namespace)]);
    let binding = binding("RoleBinding", "patcher", ("Role", "patcher"), subjects);
    world.create(&namespace.collection(RBAC, "rolebindings"), &binding).await?;
    let caller = world.with_token(Some(&account.token));
    let path = format!("{}/a", namespace.core("configmaps"));
    let message = format!(
        "configmaps \"a\" is forbidden: User \"{}\" cannot create resource \"configmaps\" in API group \"\" in the \
         namespace \"{}\"",
        account.user, namespace.name
    );
    soon(|| async {
        let reply = apply(&caller, &path, "m1", &config_map("a", json!({"a": "1"}))).await?;
        reply.fails_saying(403, "Forbidden", &message)
    })
    .await?;
    world.create(&namespace.core("configmaps"), &config_map("a", json!({}))).await?;
    apply(&caller, &path, "m1", &config_map("a", json!({"a": "1"}))).await?.is(200).map(drop)
}
