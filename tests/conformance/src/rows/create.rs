//! Rows 21–39: creating objects and what their metadata may hold.

use anyhow::{Result, ensure};
use http::Method;
use serde_json::{Value, json};

use super::apply::{entry, managers};
use crate::{
    answer::RULES_UNCHECKED,
    difference::Difference,
    expect::{at, equal, matches, revision, text},
    namespace::{Namespace, config_map, widget, widget_with},
    world::World,
};

const SUFFIX: &str = "[bcdfghjklmnpqrstvwxz2456789]{5}";
const UUID: &str = "[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}";

pub(crate) async fn custom_resource(world: &World<'_>) -> Result<()> {
    let namespace = world.namespace().await?;
    let created = world.create(&namespace.widgets(), &widget("a")).await?;
    at(&created, "/apiVersion", "conf.example.com/v1")?;
    at(&created, "/kind", "Widget")?;
    at(&created, "/metadata/namespace", namespace.name.as_str())?;
    at(&created, "/metadata/generation", 1)?;
    matches("uid", text(&created, "/metadata/uid")?, UUID)?;
    matches("resourceVersion", text(&created, "/metadata/resourceVersion")?, r"[1-9]\d*")?;
    let time = text(&created, "/metadata/creationTimestamp")?;
    matches("creationTimestamp", time, r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")?;
    at(&created, "/spec", json!({"color": "red", "size": "medium"}))?;
    equal("stored", &world.read(&namespace.widget("a")).await?, &created)?;
    creators(world, &namespace).await?;
    let next = world.create(&namespace.widgets(), &widget("b")).await?;
    ensure!(revision(&next)? > revision(&created)?, "revisions do not grow");
    Ok(())
}

/// A new object belongs to whoever the request names, or to the program that sent it.
async fn creators(world: &World<'_>, namespace: &Namespace) -> Result<()> {
    let version = "conf.example.com/v1";
    let headers = [("content-type", "application/json"), ("user-agent", "tool/v1.2 (linux) x/y")];
    for (name, query, manager) in
        [("c", "", "tool"), ("d", "?fieldManager=me%2Fmyself", "me/myself")]
    {
        let mut object = widget_with(
            name,
            json!({"color": "red", "tags": ["a"], "path": ["b"],
            "items": [{"name": "c", "value": "d"}], "sub": {"a": "x"}, "any": {"deep": {"er": [1]}}}),
        );
        object["metadata"]["labels"] = json!({"app": "x"});
        let path = format!("{}{query}", namespace.widgets());
        let reply = world.send(Method::POST, &path, &headers, object.to_string()).await?;
        let fields = json!({
            "f:metadata": {"f:labels": {".": {}, "f:app": {}}},
            "f:spec": {".": {}, "f:color": {}, "f:path": {}, "f:size": {}, "f:tags": {".": {}, "v:\"a\"": {}},
                "f:any": {".": {}, "f:deep": {".": {}, "f:er": {}}},
                "f:items": {".": {}, "k:{\"name\":\"c\"}": {".": {}, "f:name": {}, "f:value": {}}},
                "f:sub": {".": {}, "f:a": {}, "f:depth": {}}}});
        let want = json!([entry(manager, "Update", version, fields)]);
        equal("managers", &managers(&reply.is(201)?)?, &want)?;
    }
    Ok(())
}

pub(crate) async fn twice(world: &World<'_>) -> Result<()> {
    let namespace = world.namespace().await?;
    world.create(&namespace.widgets(), &widget("a")).await?;
    let reply = world.post(&namespace.widgets(), &widget("a")).await?;
    let message = "widgets.conf.example.com \"a\" already exists";
    let status = reply.fails_saying(409, "AlreadyExists", message)?;
    at(&status, "/details", json!({"name": "a", "group": "conf.example.com", "kind": "widgets"}))?;
    world.create(&namespace.core("configmaps"), &config_map("a", json!({}))).await?;
    let reply = world.post(&namespace.core("configmaps"), &config_map("a", json!({}))).await?;
    let status = reply.fails_saying(409, "AlreadyExists", "configmaps \"a\" already exists")?;
    at(&status, "/details", json!({"name": "a", "kind": "configmaps"}))
}

pub(crate) async fn generated_name(world: &World<'_>) -> Result<()> {
    let namespace = world.namespace().await?;
    let created = world.create(&namespace.widgets(), &generated("gen-")).await?;
    at(&created, "/metadata/generateName", "gen-")?;
    matches("name", text(&created, "/metadata/name")?, &format!("gen-{SUFFIX}"))
}

pub(crate) async fn long_generated_name(world: &World<'_>) -> Result<()> {
    let namespace = world.namespace().await?;
    let created = world.create(&namespace.widgets(), &generated(&"g".repeat(70))).await?;
    at(&created, "/metadata/generateName", "g".repeat(70))?;
    matches("name", text(&created, "/metadata/name")?, &format!("g{{58}}{SUFFIX}"))
}

pub(crate) async fn name_beats_generated_name(world: &World<'_>) -> Result<()> {
    let namespace = world.namespace().await?;
    let mut both = generated("gen-");
    both["metadata"]["name"] = json!("a");
    let created = world.create(&namespace.widgets(), &both).await?;
    at(&created, "/metadata/name", "a")?;
    at(&created, "/metadata/generateName", "gen-")
}

fn generated(prefix: &str) -> Value {
    let mut object = widget("");
    object["metadata"] = json!({"generateName": prefix});
    object
}

pub(crate) async fn without_name(world: &World<'_>) -> Result<()> {
    let namespace = world.namespace().await?;
    let mut nameless = widget("");
    nameless["metadata"] = json!({});
    let reply = world.post(&namespace.widgets(), &nameless).await?;
    let message = "Required value: name or generateName is required";
    let status =
        reply.invalid(&[("metadata.name", "FieldValueRequired", message), RULES_UNCHECKED])?;
    let (field, _, unchecked) = RULES_UNCHECKED;
    let whole = format!(
        "Widget.conf.example.com \"\" is invalid: [metadata.name: {message}, {field}: {unchecked}]"
    );
    at(&status, "/message", whole)?;
    at(&status, "/details/group", "conf.example.com")?;
    at(&status, "/details/kind", "Widget")
}

pub(crate) async fn bad_names(world: &World<'_>) -> Result<()> {
    let namespace = world.namespace().await?;
    let rule = "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must \
                start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is \
                '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
    for name in ["Upper", "a_b", "-a"] {
        let reply = world.post(&namespace.widgets(), &widget(name)).await?;
        let message = format!("Invalid value: \"{name}\": {rule}");
        let status = reply.invalid(&[("metadata.name", "FieldValueInvalid", &message)])?;
        let whole =
            format!("Widget.conf.example.com \"{name}\" is invalid: metadata.name: {message}");
        at(&status, "/message", whole)?;
    }
    // Length and form are told both.
    let loud = "X".repeat(254);
    let told = ["must be no more than 253 characters", rule]
        .map(|problem| format!("Invalid value: \"{loud}\": {problem}"));
    let causes = told.each_ref().map(|told| ("metadata.name", "FieldValueInvalid", told.as_str()));
    world.post(&namespace.widgets(), &widget(&loud)).await?.invalid(&causes)?;
    let long = "x".repeat(254);
    for (path, name) in [(namespace.widgets(), "a/b"), (namespace.widgets(), &long)] {
        let status = world.post(&path, &widget(name)).await?.fails(422, "Invalid")?;
        at(&status, "/details/causes/0/field", "metadata.name")?;
    }
    let namespaces = "/api/v1/namespaces";
    let dotted = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "a.b"}});
    let status = world.post(namespaces, &dotted).await?.fails(422, "Invalid")?;
    at(&status, "/details/causes/0/field", "metadata.name")?;
    world.create(&namespace.widgets(), &widget(&"x".repeat(253))).await.map(drop)
}

pub(crate) async fn other_namespace_in_body(world: &World<'_>) -> Result<()> {
    let namespace = world.namespace().await?;
    let message =
        "the namespace of the provided object does not match the namespace sent on the request";
    let mut elsewhere = widget("a");
    elsewhere["metadata"]["namespace"] = json!("elsewhere");
    world.post(&namespace.widgets(), &elsewhere).await?.fails_saying(400, "BadRequest", message)?;
    let mut elsewhere = config_map("a", json!({}));
    elsewhere["metadata"]["namespace"] = json!("elsewhere");
    let reply = world.post(&namespace.core("configmaps"), &elsewhere).await?;
    reply.fails_saying(400, "BadRequest", message).map(drop)
}

pub(crate) async fn other_kind_in_body(world: &World<'_>) -> Result<()> {
    let namespace = world.namespace().await?;
    let mut kindless = widget("a");
    kindless.as_object_mut().map(|object| object.remove("kind"));
    world.post(&namespace.widgets(), &kindless).await?.fails_with(
        400,
        "BadRequest",
        "the object provided is unrecognized (must be of type Widget): Object 'Kind' is missing in ",
    )?;
    let mut gizmo = widget("a");
    gizmo["kind"] = json!("Gizmo");
    let reply = world.post(&namespace.widgets(), &gizmo).await?;
    reply.invalid(&[("kind", "FieldValueInvalid", "Invalid value: \"Gizmo\": must be Widget")])?;
    let mut version = widget("a");
    version["apiVersion"] = json!("conf.example.com/v2");
    let message = "the API version in the data (conf.example.com/v2) does not match the expected API version \
                   (conf.example.com/v1)";
    world.post(&namespace.widgets(), &version).await?.fails_saying(400, "BadRequest", message)?;
    // Built-in kinds may leave both out.
    let bare = json!({"metadata": {"name": "a"}, "data": {"k": "v"}});
    let created = world.create(&namespace.core("configmaps"), &bare).await?;
    at(&created, "/kind", "ConfigMap")?;
    at(&created, "/apiVersion", "v1")
}

pub(crate) async fn unreadable_body(world: &World<'_>) -> Result<()> {
    let namespace = world.namespace().await?;
    for path in [namespace.widgets(), namespace.core("configmaps")] {
        for body in ["", "{", "[]", "nonsense", "{\"kind\": 7}"] {
            world.post_as(&path, "application/json", body).await?.fails(400, "BadRequest")?;
        }
    }
    Ok(())
}

pub(crate) async fn with_resource_version(world: &World<'_>) -> Result<()> {
    let namespace = world.namespace().await?;
    let mut versioned = widget("a");
    versioned["metadata"]["resourceVersion"] = json!("1");
    let reply = world.post(&namespace.widgets(), &versioned).await?;
    let code = world.differs(Difference::ServerErrorForClientMistake, 422, 500);
    let message = reply.is(code)?["message"].to_string();
    let want = "resourceVersion should not be set on objects to be created";
    ensure!(message.contains(want), "{reply}, want {want}");
    world.get(&namespace.widget("a")).await?.fails(404, "NotFound").map(drop)
}

pub(crate) async fn server_fields_in_body(world: &World<'_>) -> Result<()> {
    let namespace = world.namespace().await?;
    let mut object = widget("a");
    object["metadata"] = json!({"name": "a", "uid": "mine", "creationTimestamp": "2001-01-01T00:00:00Z",
        "generation": 77, "deletionTimestamp": "2001-01-01T00:00:00Z", "deletionGracePeriodSeconds": 5, "selfLink": "/x"});
    let created = world.create(&namespace.widgets(), &object).await?;
    matches("uid", text(&created, "/metadata/uid")?, UUID)?;
    matches("creationTimestamp", text(&created, "/metadata/creationTimestamp")?, "20[2-9].*")?;
    at(&created, "/metadata/generation", 1)?;
    for field in ["deletionTimestamp", "deletionGracePeriodSeconds", "selfLink"] {
        at(&created, &format!("/metadata/{field}"), Value::Null)?;
    }
    Ok(())
}

pub(crate) async fn in_missing_namespace(world: &World<'_>) -> Result<()> {
    let name = world.unique("none");
    let message = format!("namespaces \"{name}\" not found");
    for (path, object) in [
        (format!("/apis/conf.example.com/v1/namespaces/{name}/widgets"), widget("a")),
        (format!("/api/v1/namespaces/{name}/configmaps"), config_map("a", json!({}))),
    ] {
        let status = world.post(&path, &object).await?.fails_saying(404, "NotFound", &message)?;
        at(&status, "/details", json!({"name": name, "kind": "namespaces"}))?;
    }
    Ok(())
}

pub(crate) async fn status_is_dropped(world: &World<'_>) -> Result<()> {
    let namespace = world.namespace().await?;
    let mut object = widget("a");
    object["status"] = json!({"phase": "Ready"});
    let created = world.create(&namespace.widgets(), &object).await?;
    at(&created, "/status", Value::Null)?;
    at(&world.read(&namespace.widget("a")).await?, "/status", Value::Null)
}

pub(crate) async fn dry_run(world: &World<'_>) -> Result<()> {
    let namespace = world.namespace().await?;
    for (collection, object) in [
        (namespace.widgets(), widget("a")),
        (namespace.core("configmaps"), config_map("a", json!({}))),
    ] {
        let created = world.post(&format!("{collection}?dryRun=All"), &object).await?.is(201)?;
        matches("uid", text(&created, "/metadata/uid")?, UUID)?;
        text(&created, "/metadata/creationTimestamp")?;
        at(&created, "/metadata/resourceVersion", Value::Null)?;
        world.get(&format!("{collection}/a")).await?.fails(404, "NotFound")?;
    }
    let invalid = widget_with("a", json!({"color": "pink"}));
    let reply = world.post(&format!("{}?dryRun=All", namespace.widgets()), &invalid).await?;
    reply.fails(422, "Invalid").map(drop)
}

pub(crate) async fn unknown_dry_run(world: &World<'_>) -> Result<()> {
    let namespace = world.namespace().await?;
    for path in [namespace.widgets(), namespace.core("configmaps")] {
        let object =
            if path.ends_with("widgets") { widget("a") } else { config_map("a", json!({})) };
        let reply = world.post(&format!("{path}?dryRun=Foo"), &object).await?;
        let message = "Unsupported value: [\"Foo\"]: supported values: \"All\"";
        reply.invalid(&[("dryRun", "FieldValueNotSupported", message)])?;
        world.get(&format!("{path}/a")).await?.fails(404, "NotFound")?;
    }
    Ok(())
}
