//! Finalizers: what must happen before an object may go.

use std::time::Duration;

use kube::{Client, api::GetParams};
use serde_json::json;

use super::{Precondition, send_patch};
use crate::{
    Backoff, ObjectKey, Ports,
    object::{Object, is_conflict, is_not_found, requests, send},
};

/// How often to try when others write the object at the same time.
const ATTEMPTS: u32 = 5;
/// Waits between these tries.
const BACKOFF: Backoff = Backoff { base: Duration::from_millis(20), max: Duration::from_secs(1) };

/// Makes sure that the object has this finalizer; returns it as it is then, or `None` when it is gone. An object that is
/// being deleted takes no new finalizers and is returned as it is.
pub async fn add_finalizer<K: Object>(
    client: &Client,
    ports: &Ports,
    object: &K,
    finalizer: &str,
) -> Result<Option<K>, kube::Error> {
    change(client, ports, object, |finalizers, deleting| {
        if !deleting && !finalizers.iter().any(|name| name == finalizer) {
            finalizers.push(finalizer.to_owned());
        }
    })
    .await
}

/// Makes sure that the object does not have this finalizer; returns it as it is then, or `None` when it is gone, by this
/// or already.
pub async fn remove_finalizer<K: Object>(
    client: &Client,
    ports: &Ports,
    object: &K,
    finalizer: &str,
) -> Result<Option<K>, kube::Error> {
    change(client, ports, object, |finalizers, _| finalizers.retain(|name| name != finalizer)).await
}

/// Edits the list of finalizers under the resourceVersion that it was read with; reads anew on a conflict.
async fn change<K: Object>(
    client: &Client,
    ports: &Ports,
    object: &K,
    edit: impl Fn(&mut Vec<String>, bool),
) -> Result<Option<K>, kube::Error> {
    let mut current = object.clone();
    let mut attempt = 0;
    loop {
        let meta = current.meta();
        let before = meta.finalizers.clone().unwrap_or_default();
        let mut after = before.clone();
        edit(&mut after, meta.deletion_timestamp.is_some());
        if before == after {
            return Ok(Some(current));
        }
        let patch = json!({"metadata": {"finalizers": after, "uid": meta.uid}});
        let error = match send_patch(client, &current, patch, Precondition::Version, None).await {
            Ok(written) => return Ok(Some(written)),
            Err(error) if is_not_found(&error) => return Ok(None),
            Err(error) => error,
        };
        attempt += 1;
        if !is_conflict(&error) || attempt >= ATTEMPTS {
            return Err(error);
        }
        ports.clock.sleep(BACKOFF.delay(attempt, &*ports.entropy)).await;
        match read(client, &current).await? {
            // Another object of the same name is none of our business.
            Some(fresh) if fresh.meta().uid == object.meta().uid => current = fresh,
            _ => return Ok(None),
        }
    }
}

async fn read<K: Object>(client: &Client, object: &K) -> Result<Option<K>, kube::Error> {
    let key = ObjectKey::of(object);
    let request = requests::<K>(key.scope()).get(&key.name, &GetParams::default());
    match send(client, request).await {
        Ok(object) => Ok(Some(object)),
        Err(error) if is_not_found(&error) => Ok(None),
        Err(error) => Err(error),
    }
}
