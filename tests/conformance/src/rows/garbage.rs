//! Row 118: what happens to the dependents of a deleted owner.
//!
//! kube-controller-manager learns of a new kind only every half minute, so each case has a minute.

use std::{pin::Pin, time::Duration};

use anyhow::{Context, Result, ensure};
use futures::future::join_all;
use serde_json::{Value, json};

use crate::{
    cases::Cases,
    difference::Difference,
    expect::{at, equal, text},
    fixture::GADGETS,
    namespace::{Namespace, config_map, widget},
    patience::within,
    world::World,
};

const PATIENCE: Duration = Duration::from_mins(1);
/// Longer than a collector that is wrong would need, also with its grace.
const QUIET: Duration = Duration::from_secs(4);
const FINALIZER: &str = "conf.example.com/hold";

type Case<'a> = Pin<Box<dyn Future<Output = Result<()>> + 'a>>;

pub(crate) async fn collector(world: &World<'_>) -> Result<()> {
    let cases: Vec<(&str, Case<'_>)> = vec![
        ("background, chain", Box::pin(background(world))),
        ("owner with finalizer", Box::pin(owner_with_finalizer(world))),
        ("foreground, blocking", Box::pin(foreground_blocking(world))),
        ("foreground, not blocking", Box::pin(foreground_not_blocking(world))),
        ("orphan", Box::pin(orphan(world))),
        ("two owners", Box::pin(two_owners(world))),
        ("absent owner", Box::pin(absent_owner(world))),
        ("owner of another namespace", Box::pin(owner_of_another_namespace(world))),
        ("cluster-scoped owner", Box::pin(cluster_scoped_owner(world))),
        ("cluster-scoped dependent", Box::pin(cluster_scoped_dependent(world))),
        ("left alone", Box::pin(left_alone(world))),
    ];
    let mut outcome = Cases::default();
    let (titles, checks): (Vec<_>, Vec<_>) = cases.into_iter().unzip();
    for (title, result) in titles.into_iter().zip(join_all(checks).await) {
        outcome.note(title, result);
    }
    outcome.finish()
}

async fn background(world: &World<'_>) -> Result<()> {
    let place = Place::new(world).await?;
    let owner = place.create(&widget("owner")).await?;
    let child = place.create(&owned_map("child", &[reference(&owner)])).await?;
    let lease = json!({"apiVersion": "coordination.k8s.io/v1", "kind": "Lease",
        "metadata": {"name": "grandchild", "ownerReferences": [reference(&child)]}});
    let leases = place.namespace.collection("coordination.k8s.io/v1", "leases");
    world.create(&leases, &lease).await?;
    let gone = world.delete(&place.path(&owner)?).await?.is(200)?;
    at(&gone, "/status", "Success")?;
    place.gone(&child).await?;
    gone_from(world, &format!("{leases}/grandchild")).await
}

async fn owner_with_finalizer(world: &World<'_>) -> Result<()> {
    let place = Place::new(world).await?;
    let owner = place.create(&held(config_map("owner", json!({})))).await?;
    let child = place.create(&owned_map("child", &[reference(&owner)])).await?;
    world.delete(&place.path(&owner)?).await?.is(200)?;
    tokio::time::sleep(QUIET).await;
    place.stays(&child).await?;
    place.release(&owner).await?;
    place.gone(&child).await
}

async fn foreground_blocking(world: &World<'_>) -> Result<()> {
    let place = Place::new(world).await?;
    let owner = place.create(&config_map("owner", json!({}))).await?;
    let mut blocking = reference(&owner);
    blocking["blockOwnerDeletion"] = json!(true);
    let child = place.create(&held(owned_map("child", &[blocking]))).await?;
    let deleting = world
        .delete_with(&place.path(&owner)?, &json!({"propagationPolicy": "Foreground"}))
        .await?
        .is(200)?;
    at(&deleting, "/metadata/finalizers", json!(["foregroundDeletion"]))?;
    text(&deleting, "/metadata/deletionTimestamp")?;
    place.terminating(&child).await?;
    place.stays(&owner).await?;
    place.release(&child).await?;
    place.gone(&child).await?;
    place.gone(&owner).await
}

async fn foreground_not_blocking(world: &World<'_>) -> Result<()> {
    let place = Place::new(world).await?;
    let owner = place.create(&config_map("owner", json!({}))).await?;
    let child = place.create(&held(owned_map("child", &[reference(&owner)]))).await?;
    world
        .delete(&format!("{}?propagationPolicy=Foreground", place.path(&owner)?))
        .await?
        .is(200)?;
    place.gone(&owner).await?;
    place.terminating(&child).await?;
    place.release(&child).await
}

async fn orphan(world: &World<'_>) -> Result<()> {
    let place = Place::new(world).await?;
    let owner = place.create(&config_map("owner", json!({}))).await?;
    let child = place.create(&owned_map("child", &[reference(&owner)])).await?;
    let deleting = world
        .delete_with(&place.path(&owner)?, &json!({"propagationPolicy": "Orphan"}))
        .await?
        .is(200)?;
    at(&deleting, "/metadata/finalizers", json!(["orphan"]))?;
    place.gone(&owner).await?;
    let child = place.stays(&child).await?;
    at(&child, "/metadata/ownerReferences", Value::Null)?;
    at(&child, "/metadata/deletionTimestamp", Value::Null)
}

async fn two_owners(world: &World<'_>) -> Result<()> {
    let place = Place::new(world).await?;
    let first = place.create(&config_map("first", json!({}))).await?;
    let second = place.create(&config_map("second", json!({}))).await?;
    let child = place.create(&owned_map("child", &[reference(&first), reference(&second)])).await?;
    world.delete(&place.path(&first)?).await?.is(200)?;
    let path = place.path(&child)?;
    within(PATIENCE, async || {
        at(&world.read(&path).await?, "/metadata/ownerReferences", json!([reference(&second)]))
    })
    .await?;
    world.delete(&place.path(&second)?).await?.is(200)?;
    place.gone(&child).await
}

async fn absent_owner(world: &World<'_>) -> Result<()> {
    let place = Place::new(world).await?;
    let live = place.create(&config_map("live", json!({}))).await?;
    let mut never_was = reference(&live);
    never_was["name"] = json!("never");
    never_was["uid"] = json!("11111111-2222-4333-8444-555555555555");
    let mut other_uid = reference(&live);
    other_uid["uid"] = never_was["uid"].clone();
    let first = place.create(&owned_map("of-none", &[never_was])).await?;
    let second = place.create(&owned_map("of-namesake", &[other_uid])).await?;
    if world.differs(Difference::GarbageCollectorGrace, true, false) {
        tokio::time::sleep(Duration::from_secs(1)).await;
        place.stays(&first).await?;
        place.stays(&second).await?;
    }
    place.gone(&first).await?;
    place.gone(&second).await?;
    place.stays(&live).await.map(drop)
}

async fn owner_of_another_namespace(world: &World<'_>) -> Result<()> {
    let (there, here) = (Place::new(world).await?, Place::new(world).await?);
    let owner = there.create(&config_map("owner", json!({}))).await?;
    let child = here.create(&owned_map("child", &[reference(&owner)])).await?;
    here.gone(&child).await?;
    there.stays(&owner).await?;
    let event = complaint(world, &here.namespace.name, &child).await?;
    let message = format!(
        "ownerRef [v1/ConfigMap, namespace: {0}, name: owner, uid: {1}] does not exist in namespace \"{0}\"",
        here.namespace.name,
        text(&owner, "/metadata/uid")?
    );
    at(&event, "/message", message)
}

async fn cluster_scoped_owner(world: &World<'_>) -> Result<()> {
    let place = Place::new(world).await?;
    let owner = world.create(GADGETS, &gadget(&world.unique("owner"))).await?;
    let child = place.create(&owned_map("child", &[reference(&owner)])).await?;
    tokio::time::sleep(QUIET).await;
    place.stays(&child).await?;
    world.delete(&format!("{GADGETS}/{}", text(&owner, "/metadata/name")?)).await?.is(200)?;
    place.gone(&child).await
}

async fn cluster_scoped_dependent(world: &World<'_>) -> Result<()> {
    let place = Place::new(world).await?;
    let owner = place.create(&config_map("owner", json!({}))).await?;
    let mut dependent = gadget(&world.unique("dependent"));
    dependent["metadata"]["ownerReferences"] = json!([reference(&owner)]);
    let dependent = world.create(GADGETS, &dependent).await?;
    let event = complaint(world, "default", &dependent).await?;
    at(&event, "/type", "Warning")?;
    world.delete(&place.path(&owner)?).await?.is(200)?;
    tokio::time::sleep(QUIET).await;
    let path = format!("{GADGETS}/{}", text(&dependent, "/metadata/name")?);
    at(&world.read(&path).await?, "/metadata/deletionTimestamp", Value::Null)?;
    world.delete(&path).await?.is(200).map(drop)
}

/// Owners of a kind that is not served, and Events.
async fn left_alone(world: &World<'_>) -> Result<()> {
    let place = Place::new(world).await?;
    let absent = json!({"apiVersion": "v1", "kind": "ConfigMap", "name": "never",
        "uid": "11111111-2222-4333-8444-555555555555"});
    let unserved = json!({"apiVersion": "unserved.example.com/v1", "kind": "Unserved", "name": "never",
        "uid": "11111111-2222-4333-8444-555555555556"});
    let child = place.create(&owned_map("child", &[unserved])).await?;
    let events = place.namespace.core("events");
    let event = json!({"apiVersion": "v1", "kind": "Event",
        "metadata": {"name": "event", "ownerReferences": [absent]},
        "involvedObject": {"kind": "ConfigMap", "namespace": place.namespace.name, "name": "child"}});
    world.create(&events, &event).await?;
    tokio::time::sleep(QUIET).await;
    place.stays(&child).await?;
    world.read(&format!("{events}/event")).await.map(drop)
}

/// A namespace with the Widgets and ConfigMaps of one case.
struct Place<'w> {
    world: &'w World<'w>,
    namespace: Namespace,
}

impl<'w> Place<'w> {
    async fn new(world: &'w World<'w>) -> Result<Self> {
        Ok(Self { world, namespace: world.namespace().await? })
    }

    fn collection(&self, object: &Value) -> String {
        if object["kind"] == "Widget" {
            self.namespace.widgets()
        } else {
            self.namespace.core("configmaps")
        }
    }

    fn path(&self, object: &Value) -> Result<String> {
        Ok(format!("{}/{}", self.collection(object), text(object, "/metadata/name")?))
    }

    async fn create(&self, object: &Value) -> Result<Value> {
        self.world.create(&self.collection(object), object).await
    }

    async fn release(&self, object: &Value) -> Result<()> {
        let patch = json!({"metadata": {"finalizers": null}});
        self.world.merge(&self.path(object)?, &patch).await?.is(200).map(drop)
    }

    async fn gone(&self, object: &Value) -> Result<()> {
        gone_from(self.world, &self.path(object)?).await
    }

    async fn stays(&self, object: &Value) -> Result<Value> {
        self.world.read(&self.path(object)?).await
    }

    async fn terminating(&self, object: &Value) -> Result<()> {
        let path = self.path(object)?;
        within(PATIENCE, async || {
            text(&self.world.read(&path).await?, "/metadata/deletionTimestamp").map(drop)
        })
        .await
        .with_context(|| format!("{path} is not being deleted"))
    }
}

async fn gone_from(world: &World<'_>, path: &str) -> Result<()> {
    within(PATIENCE, async || world.get(path).await?.is(404).map(drop)).await
}

/// The Event by which the collector says that an owner can not be.
async fn complaint(world: &World<'_>, namespace: &str, about: &Value) -> Result<Value> {
    let selector = format!("involvedObject.uid={}", text(about, "/metadata/uid")?);
    let path = format!(
        "/api/v1/namespaces/{namespace}/events?fieldSelector={}",
        selector.replace('=', "%3D")
    );
    let event = within(PATIENCE, async || {
        let list = world.read(&path).await?;
        let event = list["items"].get(0).cloned();
        event.with_context(|| format!("no Event about {about}"))
    })
    .await?;
    at(&event, "/reason", "OwnerRefInvalidNamespace")?;
    at(&event, "/source/component", "garbage-collector-controller")?;
    ensure!(event["metadata"]["namespace"] == namespace, "Event in another namespace: {event}");
    equal("involved name", &event["involvedObject"]["name"], &about["metadata"]["name"])?;
    Ok(event)
}

fn reference(owner: &Value) -> Value {
    json!({"apiVersion": owner["apiVersion"], "kind": owner["kind"],
        "name": owner["metadata"]["name"], "uid": owner["metadata"]["uid"]})
}

fn owned_map(name: &str, owners: &[Value]) -> Value {
    let mut object = config_map(name, json!({}));
    object["metadata"]["ownerReferences"] = json!(owners);
    object
}

fn held(mut object: Value) -> Value {
    object["metadata"]["finalizers"] = json!([FINALIZER]);
    object
}

fn gadget(name: &str) -> Value {
    json!({"apiVersion": "conf.example.com/v1", "kind": "Gadget", "metadata": {"name": name}})
}
