//! Definitions of custom resources: from create to removal (rows 84 to 90).

use anyhow::{Result, ensure};
use serde_json::{Value, json};

use super::versions;
use crate::{
    cases::Cases,
    difference::Difference,
    expect::{at, equal, text},
    fixture::{CRDS, served},
    own_kind::OwnKind,
    patience::soon,
    world::World,
};

pub(crate) async fn served_after_create(world: &World<'_>) -> Result<()> {
    let kind = OwnKind::new(world);
    world.create(CRDS, &kind.definition(json!({}))).await?;
    let at_once = world.get(&kind.everywhere()).await?;
    let code = at_once.status.as_u16();
    let allowed = world.differs(Difference::CrdServedAtOnce, &[200][..], &[200, 404, 429][..]);
    ensure!(allowed.contains(&code), "{at_once}, want one of {allowed:?}");
    served(world, &kind.everywhere()).await?;
    let list = world.read(&kind.everywhere()).await?;
    at(&list, "/kind", "ThingList")?;
    at(&list, "/items", json!([]))?;
    kind.remove(world).await
}

pub(crate) async fn conditions(world: &World<'_>) -> Result<()> {
    let kind = OwnKind::new(world);
    let created = world.create(CRDS, &kind.definition(json!({}))).await?;
    let names =
        json!({"plural": "things", "singular": "thing", "kind": "Thing", "listKind": "ThingList"});
    at(&created, "/spec/names", names.clone())?;
    at(&created, "/spec/conversion", json!({"strategy": "None"}))?;
    at(&created, "/status/storedVersions", json!(["v1"]))?;
    at(&created, "/metadata/generation", 1)?;
    let want = json!([
        {"type": "NamesAccepted", "status": "True", "reason": "NoConflicts", "message": "no conflicts found"},
        {"type": "Established", "status": "True", "reason": "InitialNamesAccepted",
            "message": "the initial names have been accepted"}]);
    let settled = settled(world, &kind.crd(), &want).await?;
    at(&settled, "/status/acceptedNames", names)?;
    at(&settled, "/status/storedVersions", json!(["v1"]))?;
    at(&settled, "/metadata/generation", 1)?;
    text(&settled, "/status/conditions/0/lastTransitionTime")?;
    kind.remove(world).await
}

/// Waits for these conditions, whose times are left out.
async fn settled(world: &World<'_>, path: &str, want: &Value) -> Result<Value> {
    soon(|| async {
        let crd = world.read(path).await?;
        let mut conditions = crd["status"]["conditions"].clone();
        for condition in conditions.as_array_mut().into_iter().flatten() {
            if let Some(fields) = condition.as_object_mut() {
                fields.remove("lastTransitionTime");
            }
        }
        equal("conditions", &conditions, want).map(|()| crd)
    })
    .await
}

pub(crate) async fn name_conflict(world: &World<'_>) -> Result<()> {
    let kind = OwnKind::new(world);
    kind.install(world, &kind.definition(json!({}))).await?;
    let rival_of = |plural: &str| {
        let mut rival = kind.definition(json!({}));
        rival["metadata"]["name"] = json!(format!("{plural}.{}", kind.group));
        rival["spec"]["names"]["plural"] = json!(plural);
        rival
    };
    let refused = |reason: &str, name: &str| {
        json!([
            {"type": "NamesAccepted", "status": "False", "reason": reason,
                "message": format!("\"{name}\" is already in use")},
            {"type": "Established", "status": "False", "reason": "NotAccepted",
                "message": "not all names are accepted"}])
    };
    world.create(CRDS, &rival_of("others")).await?;
    let others = format!("{CRDS}/others.{}", kind.group);
    let rejected = settled(world, &others, &refused("ListKindConflict", "ThingList")).await?;
    at(&rejected, "/status/acceptedNames", json!({"plural": "others", "kind": ""}))?;
    let missing = world.get(&format!("/apis/{}/v1/others", kind.group)).await?;
    missing.is(404)?;
    equal("body", &missing.text().as_str(), &"404 page not found\n")?;

    let mut nickname = rival_of("thirds");
    nickname["spec"]["names"] =
        json!({"plural": "thirds", "kind": "Third", "shortNames": ["thing"]});
    world.create(CRDS, &nickname).await?;
    let thirds = format!("{CRDS}/thirds.{}", kind.group);
    settled(world, &thirds, &refused("ShortNamesConflict", "thing")).await?;
    for crd in [others, thirds] {
        world.delete(&crd).await?.is(200)?;
    }
    kind.remove(world).await?;
    versions::freed_names(world).await
}

pub(crate) async fn immutable_fields(world: &World<'_>) -> Result<()> {
    let kind = OwnKind::new(world);
    kind.install(world, &kind.definition(json!({}))).await?;
    let crd = world.read(&kind.crd()).await?;
    let path = format!("{}?dryRun=All", kind.crd());
    let mut cases = Cases::default();
    for (pointer, value, field) in [
        ("/spec/scope", "Cluster", "spec.scope"),
        ("/spec/names/kind", "Other", "spec.names.kind"),
        ("/spec/names/plural", "others", "spec.names.plural"),
        ("/spec/group", "other.example.com", "spec.group"),
    ] {
        let patch = json!([{"op": "replace", "path": pointer, "value": value},
            {"op": "replace", "path": "/spec/names/listKind", "value": "OtherList"}]);
        let message = format!("Invalid value: \"{value}\": field is immutable");
        let reply = world.patch("json", &path, &patch).await?;
        cases.note(
            field,
            reply.fails(422, "Invalid").and_then(|status| {
                at(&status, "/details/causes/0/field", field)?;
                at(&status, "/details/causes/0/message", message)
            }),
        );
    }
    let mut renamed = crd.clone();
    renamed["spec"]["versions"][0]["name"] = json!("v2");
    let reply = world.put(&path, &renamed).await?;
    cases.note(
        "stored version",
        reply.fails_with(
            422,
            "Invalid",
            "status.storedVersions[0]: Invalid value: \"v1\": missing from spec.versions",
        ),
    );
    let mut free = crd;
    free["spec"]["names"]["listKind"] = json!("Heap");
    free["spec"]["names"]["shortNames"] = json!(["th"]);
    cases.note("other names", world.put(&path, &free).await?.is(200));
    cases.finish()?;
    kind.remove(world).await
}

pub(crate) async fn deletion(world: &World<'_>) -> Result<()> {
    let namespace = world.namespace().await?;
    let kind = OwnKind::new(world);
    kind.install(world, &kind.definition(json!({}))).await?;
    let things = kind.things(&namespace);
    let mut held = kind.thing("held", json!({}));
    held["metadata"]["finalizers"] = json!(["conf.example.com/hold"]);
    world.create(&things, &held).await?;
    world.create(&things, &kind.thing("free", json!({}))).await?;
    let deleted = world.delete(&kind.crd()).await?.is(200)?;
    at(&deleted, "/kind", "CustomResourceDefinition")?;
    at(&deleted, "/metadata/finalizers", json!(["customresourcecleanup.apiextensions.k8s.io"]))?;
    text(&deleted, "/metadata/deletionTimestamp")?;

    soon(|| async {
        let crd = world.read(&kind.crd()).await?;
        let conditions = crd["status"]["conditions"].as_array().cloned().unwrap_or_default();
        let terminating = conditions.iter().find(|condition| condition["type"] == "Terminating");
        let terminating = terminating.cloned().unwrap_or_default();
        at(&terminating, "/status", "True")?;
        at(&terminating, "/reason", "InstanceDeletionInProgress")
    })
    .await?;
    let message = format!(
        "things.{} \"late\" is forbidden: create not allowed while custom resource definition is terminating",
        kind.group
    );
    world.post(&things, &kind.thing("late", json!({}))).await?.fails_saying(
        403,
        "Forbidden",
        &message,
    )?;
    soon(|| async { world.get(&format!("{things}/free")).await?.is(404) }).await?;
    let instance = format!("{things}/held");
    soon(|| async { text(&world.read(&instance).await?, "/metadata/deletionTimestamp").map(drop) })
        .await?;
    world.merge(&instance, &json!({"metadata": {"finalizers": null}})).await?.is(200)?;
    soon(|| async { world.get(&kind.crd()).await?.is(404) }).await?;
    soon(|| async {
        let gone = world.get(&things).await?;
        gone.is(404)?;
        equal("body", &gone.text().as_str(), &"404 page not found\n")
    })
    .await
}

pub(crate) async fn deprecated_version(world: &World<'_>) -> Result<()> {
    let namespace = world.namespace().await?;
    let kind = OwnKind::new(world);
    let mut definition = kind.definition(json!({"a": {"type": "string"}}));
    let current = definition["spec"]["versions"][0].clone();
    let mut old = current.clone();
    old["name"] = json!("v1beta1");
    old["storage"] = json!(false);
    old["deprecated"] = json!(true);
    let mut older = old.clone();
    older["name"] = json!("v1alpha1");
    older["deprecationWarning"] = json!("move on");
    definition["spec"]["versions"] = json!([current, old, older]);
    kind.install(world, &definition).await?;
    world.create(&kind.things(&namespace), &kind.thing("a", json!({"a": "x"}))).await?;

    let group = &kind.group;
    let default = format!("{group}/v1beta1 Thing is deprecated; use {group}/v1 Thing");
    for (version, warnings) in
        [("v1", vec![]), ("v1beta1", vec![default]), ("v1alpha1", vec!["move on".to_owned()])]
    {
        let version = format!("{group}/{version}");
        let things = namespace.collection(&version, "things");
        let object = world.get(&format!("{things}/a")).await?;
        at(&object.is(200)?, "/apiVersion", version.clone())?;
        at(&object.json(), "/spec/a", "x")?;
        equal(&version, &object.warnings(), &warnings)?;
        let list = world.get(&things).await?;
        at(&list.is(200)?, "/items/0/apiVersion", version.clone())?;
        equal(&version, &list.warnings(), &warnings)?;
    }
    kind.remove(world).await?;
    versions::several(world).await
}
