//! Waiting until the controllers of a server have done what they can.

use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use dev_testkit::Client;
use http::Method;
use serde_json::{Value, json};

use crate::server::{Server, create};

/// Longer than a garbage collector takes on a busy machine.
const PATIENCE: Duration = Duration::from_secs(30);
/// Longer than a garbage collector at work leaves everything as it is. What it cannot find out about stays so for ever.
const STILL: Duration = Duration::from_secs(8);
/// How long nothing must have changed where objects wait in the hands of a garbage collector: it may be between two steps.
const QUIET: Duration = Duration::from_millis(300);
const WARM_UP: Duration = Duration::from_mins(3);
const PAUSE: Duration = Duration::from_millis(25);

/// Waits until a new namespace has its ServiceAccount.
pub(crate) async fn default_account(client: &Client, namespace: &str) -> Result<()> {
    let path = format!("/api/v1/namespaces/{namespace}/serviceaccounts/default");
    let deadline = Instant::now() + PATIENCE;
    while !client.get(&path).await?.status.is_success() {
        ensure!(Instant::now() < deadline, "{namespace} has no ServiceAccount");
        tokio::time::sleep(PAUSE).await;
    }
    Ok(())
}

/// Waits until the garbage collector follows the kinds of the fixture: that of kube-controller-manager looks for new kinds
/// every half minute.
pub(crate) async fn collector(client: &Client) -> Result<()> {
    let namespace =
        json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "warm-up"}});
    create(client, "/api/v1/namespaces", &namespace).await?;
    let widgets = "/apis/conf.example.com/v1/namespaces/warm-up/widgets";
    let widget = |name: &str, owners: Value| {
        json!({"apiVersion": "conf.example.com/v1", "kind": "Widget", "spec": {"color": "red"},
            "metadata": {"name": name, "ownerReferences": owners}})
    };
    let owner = create(client, widgets, &widget("owner", json!([]))).await?.json();
    let reference = json!([{"apiVersion": "conf.example.com/v1", "kind": "Widget", "name": "owner", "uid": uid(&owner)}]);
    create(client, widgets, &widget("dependent", reference)).await?;
    client.json(Method::DELETE, &format!("{widgets}/owner"), &json!({})).await?;
    let deadline = Instant::now() + WARM_UP;
    while client.get(&format!("{widgets}/dependent")).await?.status.is_success() {
        ensure!(Instant::now() < deadline, "the garbage collector is not at work");
        tokio::time::sleep(PAUSE).await;
    }
    Ok(())
}

/// Waits until nothing in these collections is left for the garbage collector, nor the object at `own`, which may have left
/// them with its labels. When that takes too long the comparison that follows will tell.
pub(crate) async fn garbage(
    server: &Server,
    worker: usize,
    collections: &[String],
    own: &str,
) -> Result<()> {
    let deadline = Instant::now() + PATIENCE;
    let (mut before, mut changed) = (Vec::new(), Instant::now());
    loop {
        let (objects, collected) = observe(server, worker, collections, own).await?;
        let settled = objects.iter().take(collected).all(|object| is_settled(object, &objects));
        let enough = match settled {
            true if objects.iter().any(is_in_its_hands) => QUIET,
            true => Duration::ZERO,
            false => STILL,
        };
        if objects != before {
            (before, changed) = (objects, Instant::now());
        }
        if changed.elapsed() >= enough || Instant::now() > deadline {
            return Ok(());
        }
        tokio::time::sleep(PAUSE).await;
    }
}

/// All objects there are, and how many of them may be taken away: they come first. Others may restart the server before
/// and after.
async fn observe(
    server: &Server,
    worker: usize,
    collections: &[String],
    own: &str,
) -> Result<(Vec<Value>, usize)> {
    let client = server.client(worker).await?;
    let (mut objects, mut events) = (Vec::new(), Vec::new());
    for collection in collections {
        let mut list = client.get(collection).await?.json();
        if let Some(items) = list.get_mut("items").and_then(Value::as_array_mut) {
            if collection.ends_with("/events") { &mut events } else { &mut objects }.append(items);
        }
    }
    let body = client.get(own).await?.json();
    if !uid(&body).is_empty() && !objects.iter().any(|object| uid(object) == uid(&body)) {
        if own.contains("/events/") { &mut events } else { &mut objects }.push(body);
    }
    // Events own, but nothing takes them away.
    let collected = objects.len();
    objects.append(&mut events);
    Ok((objects, collected))
}

/// Whether a garbage collector has to say when this object goes.
fn is_in_its_hands(object: &Value) -> bool {
    is_terminating(object)
        && ["orphan", "foregroundDeletion"].iter().any(|name| has_finalizer(object, name))
}

fn is_settled(object: &Value, all: &[Value]) -> bool {
    let dangling = references(object).any(|owner| !all.iter().any(|other| uid(other) == owner));
    if !is_terminating(object) {
        return !dangling && !owned_by_foreground(object, all);
    }
    if has_finalizer(object, "orphan") {
        return false;
    }
    !has_finalizer(object, "foregroundDeletion") || all.iter().any(|other| holds(other, object))
}

/// Whether an owner that is deleted in the foreground wants this object gone.
fn owned_by_foreground(object: &Value, all: &[Value]) -> bool {
    let goes = |owner: &Value| is_terminating(owner) && has_finalizer(owner, "foregroundDeletion");
    let owners: Vec<&str> = references(object).collect();
    !owners.is_empty()
        && owners.iter().all(|owner| all.iter().any(|other| uid(other) == *owner && goes(other)))
}

/// Whether an owner waits for this dependent, which waits for somebody else. One that is not going yet will go, or be told
/// that this is its owner no longer.
fn holds(dependent: &Value, owner: &Value) -> bool {
    let blocks = owner_references(dependent).any(|reference| {
        reference.get("uid").and_then(Value::as_str) == Some(uid(owner))
            && reference.get("blockOwnerDeletion") == Some(&Value::Bool(true))
    });
    blocks && is_terminating(dependent) && finalizers(dependent).next().is_some()
}

fn owner_references(object: &Value) -> impl Iterator<Item = &Value> {
    let references = object.pointer("/metadata/ownerReferences").and_then(Value::as_array);
    references.into_iter().flatten()
}

fn references(object: &Value) -> impl Iterator<Item = &str> {
    owner_references(object).filter_map(|reference| reference.get("uid")?.as_str())
}

fn finalizers(object: &Value) -> impl Iterator<Item = &str> {
    let all = object.pointer("/metadata/finalizers").and_then(Value::as_array);
    all.into_iter().flatten().filter_map(Value::as_str)
}

fn has_finalizer(object: &Value, name: &str) -> bool {
    finalizers(object).any(|finalizer| finalizer == name)
}

fn is_terminating(object: &Value) -> bool {
    object.pointer("/metadata/deletionTimestamp").is_some()
}

fn uid(object: &Value) -> &str {
    object.pointer("/metadata/uid").and_then(Value::as_str).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn object(uid: &str, metadata: Value) -> Value {
        let mut object = json!({"metadata": {"uid": uid}});
        crate::memory::merge(&mut object, &json!({ "metadata": metadata }));
        object
    }

    #[test]
    fn an_object_whose_owner_is_gone_is_not_settled() {
        let owner = object("1", json!({}));
        let dependent = object("2", json!({"ownerReferences": [{"uid": "1"}]}));
        assert!(is_settled(&dependent, &[owner, dependent.clone()]));
        assert!(!is_settled(&dependent, std::slice::from_ref(&dependent)));
    }

    #[test]
    fn a_foreground_deletion_is_settled_while_a_dependent_is_held() {
        let going = json!({"deletionTimestamp": "t", "finalizers": ["foregroundDeletion"]});
        let owner = object("1", going);
        assert!(!is_settled(&owner, std::slice::from_ref(&owner)));
        let reference = json!([{"uid": "1", "blockOwnerDeletion": true}]);
        let waits = json!({"ownerReferences": reference, "deletionTimestamp": "t", "finalizers": ["example.com/hold"]});
        let dependent = object("2", waits);
        assert!(is_settled(&owner, &[owner.clone(), dependent.clone()]));
        assert!(is_settled(&dependent, &[owner.clone(), dependent.clone()]));
        let untouched = object("2", json!({"ownerReferences": reference}));
        assert!(!is_settled(&untouched, &[owner, untouched.clone()]));
    }
}
