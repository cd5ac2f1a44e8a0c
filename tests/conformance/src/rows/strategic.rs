//! Rows 59–61: strategic merge patches of built-in kinds.

use anyhow::Result;
use serde_json::{Value, json};

use crate::{
    expect::{at, equal},
    namespace::config_map,
    world::World,
};

pub(crate) async fn maps(world: &World<'_>) -> Result<()> {
    let target = Target::create(world, json!({"data": {"a": "1", "b": "2"}})).await?;
    let patched = target.patch(json!({"data": {"a": null, "c": "3"}})).await?;
    at(&patched, "/data", json!({"b": "2", "c": "3"}))?;
    let patched = target.patch(json!({"data": {"$patch": "replace", "d": "4"}})).await?;
    at(&patched, "/data", json!({"d": "4"}))?;
    let patched = target.patch(json!({"data": {"$patch": "delete"}})).await?;
    at(&patched, "/data", Value::Null)?;
    let same = target.patch(json!({"metadata": {"labels": null}})).await?;
    equal("nothing changed", &same, &patched)
}

pub(crate) async fn finalizers(world: &World<'_>) -> Result<()> {
    let target = Target::create(
        world,
        json!({"metadata": {"finalizers": ["conf.example.com/a", "conf.example.com/b"]}}),
    )
    .await?;
    let patched = target.patch(json!({"metadata": {"finalizers": ["conf.example.com/c"]}})).await?;
    let finalizers = ["conf.example.com/c", "conf.example.com/a", "conf.example.com/b"];
    at(&patched, "/metadata/finalizers", json!(finalizers))?;
    let delete =
        json!({"metadata": {"$deleteFromPrimitiveList/finalizers": ["conf.example.com/a"]}});
    let patched = target.patch(delete).await?;
    at(&patched, "/metadata/finalizers", json!(["conf.example.com/c", "conf.example.com/b"]))?;
    let order = json!({"metadata": {"$setElementOrder/finalizers": ["conf.example.com/b", "conf.example.com/d",
        "conf.example.com/c"], "finalizers": ["conf.example.com/d"]}});
    let patched = target.patch(order).await?;
    let finalizers = ["conf.example.com/b", "conf.example.com/d", "conf.example.com/c"];
    at(&patched, "/metadata/finalizers", json!(finalizers))?;
    let patched = target.patch(json!({"metadata": {"finalizers": null}})).await?;
    at(&patched, "/metadata/finalizers", Value::Null)
}

pub(crate) async fn owner_references(world: &World<'_>) -> Result<()> {
    // The owners are real, so that the garbage collector leaves the references alone.
    let one = owner(world).await?;
    let two = owner(world).await?;
    let three = owner(world).await?;
    let target =
        Target::create(world, json!({"metadata": {"ownerReferences": [one, two]}})).await?;
    let block = json!({"uid": two["uid"], "blockOwnerDeletion": true});
    let patched = target.patch(json!({"metadata": {"ownerReferences": [three, block]}})).await?;
    let mut blocking = two.clone();
    blocking["blockOwnerDeletion"] = json!(true);
    at(&patched, "/metadata/ownerReferences", json!([three, one, blocking]))?;
    let delete = json!({"$patch": "delete", "uid": two["uid"]});
    let patched = target.patch(json!({"metadata": {"ownerReferences": [delete]}})).await?;
    at(&patched, "/metadata/ownerReferences", json!([three, one]))?;
    let replace = json!({"metadata": {"ownerReferences": [{"$patch": "replace"}, two]}});
    at(&target.patch(replace).await?, "/metadata/ownerReferences", json!([two]))
}

/// A reference to a new namespace.
async fn owner(world: &World<'_>) -> Result<Value> {
    let name = world.namespace().await?.name;
    let namespace = world.read(&format!("/api/v1/namespaces/{name}")).await?;
    Ok(
        json!({"apiVersion": "v1", "kind": "Namespace", "name": name, "uid": namespace["metadata"]["uid"]}),
    )
}

/// A ConfigMap to patch.
struct Target<'w> {
    world: &'w World<'w>,
    path: String,
}

impl<'w> Target<'w> {
    async fn create(world: &'w World<'w>, more: Value) -> Result<Self> {
        let collection = world.namespace().await?.core("configmaps");
        world.create(&collection, &config_map("a", json!({}))).await?;
        let path = format!("{collection}/a");
        world.merge(&path, &more).await?.is(200)?;
        Ok(Self { world, path })
    }

    async fn patch(&self, patch: Value) -> Result<Value> {
        self.world.patch("strategic-merge", &self.path, &patch).await?.is(200)
    }
}
