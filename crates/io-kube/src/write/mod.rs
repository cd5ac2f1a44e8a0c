//! Writes: merge patches of what differs, and nothing when nothing does.

mod difference;
mod finalizer;

use kube::{
    Client,
    api::{Patch, PatchParams},
};
use serde::Serialize;
use serde_json::{Map, Value, json};

pub use difference::merge_difference;
pub use finalizer::{add_finalizer, remove_finalizer};

use crate::{
    ObjectKey,
    object::{Object, lean, requests, send},
};

/// What must still hold for a write to be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Precondition {
    /// The object is as `old` was; else the write fails with a conflict.
    Version,
    /// Nothing: for fields that only this caller writes.
    None,
}

/// Makes the status of the object that `old` shows like that of `new`. `None` when they are equal and nothing was sent.
pub async fn patch_status<K: Object + Serialize>(
    client: &Client,
    old: &K,
    new: &K,
    precondition: Precondition,
) -> Result<Option<K>, kube::Error> {
    let (before, after) = (fields(old)?, fields(new)?);
    let status = |fields: &Map<String, Value>| fields.get("status").cloned().unwrap_or_default();
    let Some(difference) = merge_difference(&status(&before), &status(&after)) else {
        return Ok(None);
    };
    send_patch(client, old, json!({"status": difference}), precondition, Some("status"))
        .await
        .map(Some)
}

/// Makes all but the status of the object that `old` shows like that of `new`. `None` when nothing differs.
pub async fn patch_object<K: Object + Serialize>(
    client: &Client,
    old: &K,
    new: &K,
    precondition: Precondition,
) -> Result<Option<K>, kube::Error> {
    let (before, after) = (writable(old)?, writable(new)?);
    let Some(difference) = merge_difference(&before, &after) else { return Ok(None) };
    send_patch(client, old, difference, precondition, None).await.map(Some)
}

/// Sends a merge patch to the object that `old` shows.
async fn send_patch<K: Object>(
    client: &Client,
    old: &K,
    mut patch: Value,
    precondition: Precondition,
    subresource: Option<&str>,
) -> Result<K, kube::Error> {
    if precondition == Precondition::Version
        && let Some(version) = &old.meta().resource_version
        && let Some(patch) = patch.as_object_mut()
        && let Some(metadata) = patch.entry("metadata").or_insert_with(|| json!({})).as_object_mut()
    {
        metadata.insert("resourceVersion".into(), json!(version));
    }
    let key = ObjectKey::of(old);
    let requests = requests::<K>(key.scope());
    let (params, patch) = (PatchParams::default(), Patch::Merge(patch));
    let request = match subresource {
        Some(subresource) => requests.patch_subresource(subresource, &key.name, &params, &patch),
        None => requests.patch(&key.name, &params, &patch),
    };
    send(client, request.map(lean)).await
}

fn fields(object: &impl Serialize) -> Result<Map<String, Value>, kube::Error> {
    match serde_json::to_value(object).map_err(kube::Error::SerdeError)? {
        Value::Object(fields) => Ok(fields),
        _ => Ok(Map::new()),
    }
}

/// What a write to the object itself may change.
fn writable(object: &impl Serialize) -> Result<Value, kube::Error> {
    let mut fields = fields(object)?;
    fields.remove("status");
    if let Some(metadata) = fields.get_mut("metadata").and_then(Value::as_object_mut) {
        metadata.remove("resourceVersion");
        metadata.remove("managedFields");
    }
    Ok(Value::Object(fields))
}
