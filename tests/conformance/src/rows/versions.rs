//! A kind in several versions without conversion (part of row 90), and names that become free (part of row 86).

use anyhow::Result;
use http::Method;
use serde_json::{Value, json};

use super::apply::{entry, managers};
use crate::{
    expect::{at, equal, text},
    fixture::{CRDS, served},
    namespace::Namespace,
    own_kind::OwnKind,
    patience::soon,
    world::World,
};

/// A kind with the versions v1 (stored), v2 and v3 (not served), which differ in nothing but their names.
struct Versions {
    kind: OwnKind,
    namespace: Namespace,
}

impl Versions {
    async fn install(world: &World<'_>) -> Result<Self> {
        let (kind, namespace) = (OwnKind::new(world), world.namespace().await?);
        let properties =
            json!({"a": {"type": "string"}, "b": {"type": "string", "default": "new"}});
        let mut definition = kind.definition(properties);
        let first = definition["spec"]["versions"][0].clone();
        let later = |name: &str, is_served: bool| {
            let mut version = first.clone();
            version["name"] = json!(name);
            version["storage"] = json!(false);
            version["served"] = json!(is_served);
            version
        };
        definition["spec"]["versions"] = json!([first, later("v2", true), later("v3", false)]);
        kind.install(world, &definition).await?;
        Ok(Self { kind, namespace })
    }

    fn version(&self, version: &str) -> String {
        format!("{}/{version}", self.kind.group)
    }

    fn things(&self, version: &str) -> String {
        self.namespace.collection(&self.version(version), "things")
    }

    fn thing(&self, version: &str, spec: Value) -> Value {
        json!({"apiVersion": self.version(version), "kind": "Thing", "metadata": {"name": "a"}, "spec": spec})
    }

    async fn apply(&self, world: &World<'_>, version: &str, spec: Value) -> Result<Value> {
        let path = format!("{}/a?fieldManager=m", self.things(version));
        let headers = [("content-type", "application/apply-patch+yaml")];
        let body = self.thing(version, spec).to_string();
        let reply = world.send(Method::PATCH, &path, &headers, body).await?;
        if reply.status == 201 { reply.is(201) } else { reply.is(200) }
    }
}

pub(crate) async fn several(world: &World<'_>) -> Result<()> {
    let versions = Versions::install(world).await?;
    let (first, second) = (versions.things("v1"), versions.things("v2"));
    served(world, &format!("/apis/{}/things", versions.version("v2"))).await?;
    let created = world.create(&second, &versions.thing("v2", json!({"a": "x"}))).await?;
    at(&created, "/apiVersion", versions.version("v2"))?;
    at(&created, "/spec", json!({"a": "x", "b": "new"}))?;
    let older = world.read(&format!("{first}/a")).await?;
    at(&older, "/apiVersion", versions.version("v1"))?;
    at(&older, "/spec", json!({"a": "x", "b": "new"}))?;
    world.get(&format!("{}/a", versions.things("v3"))).await?.is(404)?;

    let revision = text(&created, "/metadata/resourceVersion")?;
    let mut watch = world.watch(&second, &format!("resourceVersion={revision}")).await?;
    let patch = json!({"spec": {"a": "y"}});
    let patched = world.merge(&format!("{first}/a?fieldManager=first"), &patch).await?.is(200)?;
    at(&patched, "/apiVersion", versions.version("v1"))?;
    let event = watch.expect("MODIFIED", "a").await?;
    at(&event.object, "/apiVersion", versions.version("v2"))?;
    at(&event.object, "/spec/a", "y")?;
    let list = world.read(&second).await?;
    at(&list, "/items/0/apiVersion", versions.version("v2"))?;
    world.delete(&format!("{first}/a")).await?.is(200)?;
    let gone = watch.expect("DELETED", "a").await?;
    at(&gone.object, "/apiVersion", versions.version("v2"))?;
    applied_in_both(world, &versions).await?;
    switched(world, &versions).await?;
    versions.kind.remove(world).await
}

/// An applier that moves to another version takes its fields along; another writer is another one in each version.
async fn applied_in_both(world: &World<'_>, versions: &Versions) -> Result<()> {
    versions.apply(world, "v1", json!({"a": "x"})).await?;
    let moved = versions.apply(world, "v2", json!({"a": "z", "b": "given"})).await?;
    at(&moved, "/spec", json!({"a": "z", "b": "given"}))?;
    let fields = json!({"f:spec": {"f:a": {}, "f:b": {}}});
    let owned = json!([entry("m", "Apply", &versions.version("v2"), fields)]);
    equal("managers", &managers(&moved)?, &owned)?;
    for version in ["v1", "v2"] {
        let path = format!("{}/a?fieldManager=w", versions.things(version));
        world.merge(&path, &json!({"metadata": {"labels": {version: "1"}}})).await?.is(200)?;
    }
    let object = world.read(&format!("{}/a", versions.things("v2"))).await?;
    let writers = managers(&object)?;
    let writers = writers.as_array().into_iter().flatten().filter(|entry| entry["manager"] == "w");
    let mut found: Vec<Value> = writers.map(|entry| entry["apiVersion"].clone()).collect();
    found.sort_by_key(ToString::to_string);
    let want = [versions.version("v1"), versions.version("v2")].map(Value::from);
    equal("versions of the writer", &found, &want.to_vec())
}

/// Another version becomes the stored one; the former may go once nothing is stored in it.
async fn switched(world: &World<'_>, versions: &Versions) -> Result<()> {
    let crd = versions.kind.crd();
    let switch = json!([
        {"op": "replace", "path": "/spec/versions/0/storage", "value": false},
        {"op": "replace", "path": "/spec/versions/1/storage", "value": true}]);
    let switched = world.patch("json", &crd, &switch).await?.is(200)?;
    at(&switched, "/status/storedVersions", json!(["v1", "v2"]))?;
    let object = world.read(&format!("{}/a", versions.things("v1"))).await?;
    at(&object, "/spec/a", "z")?;
    let drop_first = json!([{"op": "remove", "path": "/spec/versions/0"}]);
    let message = "status.storedVersions[0]: Invalid value: \"v1\": missing from spec.versions";
    world.patch("json", &crd, &drop_first).await?.fails_with(422, "Invalid", message)?;
    // A write stores the object in the new version.
    let rewrite = json!({"metadata": {"labels": {"rewritten": "1"}}});
    world.merge(&format!("{}/a", versions.things("v2")), &rewrite).await?.is(200)?;
    let stored = json!({"status": {"storedVersions": ["v2"]}});
    world.merge(&format!("{crd}/status"), &stored).await?.is(200)?;
    world.patch("json", &crd, &drop_first).await?.is(200)?;
    soon(|| async { world.get(&versions.things("v1")).await?.is(404) }).await?;
    let second = format!("{}/a", versions.things("v2"));
    soon(|| async { at(&world.read(&second).await?, "/spec/b", "given") }).await?;

    let hide = json!([{"op": "replace", "path": "/spec/versions/0/served", "value": false},
        {"op": "replace", "path": "/spec/versions/1/served", "value": true}]);
    world.patch("json", &crd, &hide).await?.is(200)?;
    soon(|| async { world.get(&versions.things("v2")).await?.is(404) }).await?;
    let third = format!("{}/a", versions.things("v3"));
    soon(|| async { at(&world.read(&third).await?, "/spec/b", "given") }).await
}

/// A definition whose names were taken gets them when the one that has them goes.
pub(crate) async fn freed_names(world: &World<'_>) -> Result<()> {
    let kind = OwnKind::new(world);
    kind.install(world, &kind.definition(json!({}))).await?;
    let mut rival = kind.definition(json!({}));
    rival["metadata"]["name"] = json!(format!("others.{}", kind.group));
    rival["spec"]["names"]["plural"] = json!("others");
    world.create(CRDS, &rival).await?;
    let others = format!("/apis/{}/v1/others", kind.group);
    world.get(&others).await?.is(404)?;
    kind.remove(world).await?;
    served(world, &others).await?;
    let path = format!("{CRDS}/others.{}", kind.group);
    let accepted = world.read(&path).await?;
    at(&accepted, "/status/acceptedNames/kind", "Thing")?;
    world.delete(&path).await?.is(200).map(drop)
}
