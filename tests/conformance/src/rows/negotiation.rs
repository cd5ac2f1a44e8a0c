//! Rows 12–20: media types of replies and bodies, protobuf requests, compression.

use anyhow::{Result, ensure};
use bytes::Bytes;
use http::Method;
use serde_json::{Value, json};

use crate::{
    difference::Difference,
    expect::{as_written, at, equal},
    namespace::{Namespace, config_map, widget},
    protobuf::{Message, object_meta},
    world::World,
};

const PROTOBUF: &str = "application/vnd.kubernetes.protobuf";
/// Above the size from which replies are compressed, in eight objects.
const LARGE_ENTRY: usize = 20_000;

pub(crate) async fn unknown_accept(world: &World<'_>) -> Result<()> {
    for path in ["/api/v1/namespaces/default", "/api/v1/configmaps", "/api", "/apis"] {
        world.get_as(path, "text/xml").await?.fails(406, "NotAcceptable")?;
    }
    let namespace = world.namespace().await?;
    let accepted = "only the following media types are accepted: application/json, application/yaml, \
                    application/vnd.kubernetes.protobuf";
    let reply = world.get_as(&namespace.widgets(), "text/xml").await?;
    reply.fails_saying(406, "NotAcceptable", accepted)?;
    for accept in ["*/*", "application/*", "text/xml, application/json"] {
        let reply = world.get_as(&namespace.widgets(), accept).await?;
        at(&reply.is(200)?, "/kind", "WidgetList")?;
        equal("content-type", &reply.header("content-type"), &"application/json")?;
    }
    Ok(())
}

pub(crate) async fn yaml_replies(world: &World<'_>) -> Result<()> {
    let namespace = world.namespace().await?;
    world.create(&namespace.widgets(), &widget("a")).await?;
    world.create(&namespace.core("configmaps"), &config_map("a", json!({"key": "yes"}))).await?;
    let config_maps = namespace.core("configmaps");
    for (path, code, lines) in [
        (namespace.widget("a"), 200, ["kind: Widget", "  color: red"]),
        (namespace.widgets(), 200, ["kind: WidgetList", "items:"]),
        (format!("{config_maps}/a"), 200, ["kind: ConfigMap", "  key: \"yes\""]),
        (namespace.widget("none"), 404, ["kind: Status", "reason: NotFound"]),
        (format!("{config_maps}/none"), 404, ["kind: Status", "code: 404"]),
    ] {
        let reply = world.get_as(&path, "application/yaml").await?;
        reply.is(code)?;
        equal("content-type", &reply.header("content-type"), &"application/yaml")?;
        for line in lines {
            ensure!(reply.text().lines().any(|have| have == line), "{reply}, want line {line:?}");
        }
    }
    Ok(())
}

pub(crate) async fn protobuf_accept(world: &World<'_>) -> Result<()> {
    let namespace = world.namespace().await?;
    world.create(&namespace.core("configmaps"), &config_map("a", json!({}))).await?;
    let path = format!("{}/a", namespace.core("configmaps"));
    let reply = world.get_as(&path, &format!("{PROTOBUF},application/json")).await?;
    reply.is(200)?;
    let content_type = world.differs(Difference::ProtobufReplies, "application/json", PROTOBUF);
    equal("content-type", &reply.header("content-type"), &content_type)?;
    world.create(&namespace.widgets(), &widget("a")).await?;
    let path = namespace.widget("a");
    world.get_as(&path, PROTOBUF).await?.is(406)?;
    for accept in [format!("{PROTOBUF}, */*"), format!("{PROTOBUF},application/json")] {
        let reply = world.get_as(&path, &accept).await?;
        at(&reply.is(200)?, "/kind", "Widget")?;
        equal("content-type", &reply.header("content-type"), &"application/json")?;
    }
    Ok(())
}

pub(crate) async fn unknown_body_type(world: &World<'_>) -> Result<()> {
    let namespace = world.namespace().await?;
    let accepted = "the body of the request was in an unknown format - accepted media types include: \
                    application/json, application/yaml, application/vnd.kubernetes.protobuf";
    let body = config_map("a", json!({})).to_string();
    let reply = world.post_as(&namespace.core("configmaps"), "text/plain", body).await?;
    reply.fails_saying(415, "UnsupportedMediaType", accepted)?;
    let reply = world.post_as(&namespace.widgets(), "text/plain", widget("a").to_string()).await?;
    reply.fails_with(
        415,
        "UnsupportedMediaType",
        "the body of the request was in an unknown format - accepted media types include: application/json, application/yaml",
    )?;
    let without_type =
        world.send(Method::POST, &namespace.widgets(), &[], widget("a").to_string()).await?;
    without_type.is(201).map(drop)
}

pub(crate) async fn yaml_bodies(world: &World<'_>) -> Result<()> {
    let namespace = world.namespace().await?;
    let yaml = "apiVersion: conf.example.com/v1\nkind: Widget\nmetadata:\n  name: a\nspec:\n  color: red\n  \
                count: 7\n  labels: {x: \"1\"}\n";
    let reply = world.post_as(&namespace.widgets(), "application/yaml", yaml).await?;
    at(
        &reply.is(201)?,
        "/spec",
        json!({"color": "red", "count": 7, "labels": {"x": "1"}, "size": "medium"}),
    )?;
    let yaml = "kind: ConfigMap\napiVersion: v1\nmetadata: {name: a}\ndata:\n  text: |\n    one\n    two\n";
    let reply = world.post_as(&namespace.core("configmaps"), "application/yaml", yaml).await?;
    at(&reply.is(201)?, "/data", json!({"text": "one\ntwo\n"}))?;
    let reply = world.post_as(&namespace.widgets(), "application/yaml", "a: [").await?;
    reply.fails(400, "BadRequest").map(drop)
}

pub(crate) async fn protobuf_bodies(world: &World<'_>) -> Result<()> {
    let namespace = world.namespace().await?;
    for twin in twins(&namespace) {
        twin.check(world).await?;
    }
    access_review(world, &namespace).await
}

/// An object in both encodings.
struct Twin {
    path: String,
    json: Value,
    message: Message,
}

impl Twin {
    async fn check(&self, world: &World<'_>) -> Result<()> {
        let (api_version, kind) = (self.json["apiVersion"].as_str(), self.json["kind"].as_str());
        let body = self.message.envelope(api_version.unwrap_or_default(), kind.unwrap_or_default());
        let created = world.post_as(&self.path, PROTOBUF, body).await?;
        created.is(201)?;
        let from_protobuf = world.read(&format!("{}/p", self.path)).await?;
        world.create(&self.path, &self.json).await?;
        let mut from_json = world.read(&format!("{}/j", self.path)).await?;
        from_json["metadata"]["name"] = json!("p");
        equal(&self.path, &as_written(&from_protobuf), &as_written(&from_json))
    }
}

fn twins(namespace: &Namespace) -> Vec<Twin> {
    let object = |api_version: &str, kind: &str, mut rest: Value| {
        rest["apiVersion"] = json!(api_version);
        rest["kind"] = json!(kind);
        rest["metadata"]["name"] = json!("j");
        rest
    };
    let meta = object_meta("p");
    vec![
        Twin {
            path: namespace.core("configmaps"),
            json: object(
                "v1",
                "ConfigMap",
                json!({"metadata": {"labels": {"l": "1"}}, "data": {"k": "v", "empty": ""},
                "binaryData": {"b": "AAH/"}}),
            ),
            message: Message::new()
                .message(1, &meta.clone().entry(11, "l", "1"))
                .entry(2, "k", "v")
                .entry(2, "empty", "")
                .entry(3, "b", [0, 1, 255]),
        },
        Twin {
            path: namespace.core("secrets"),
            json: object(
                "v1",
                "Secret",
                json!({"type": "Opaque", "data": {"k": "c2VjcmV0"}, "immutable": true}),
            ),
            message: Message::new()
                .message(1, &meta)
                .entry(2, "k", "secret")
                .bytes(3, "Opaque")
                .integer(5, 1),
        },
        Twin {
            path: namespace.core("events"),
            json: object(
                "v1",
                "Event",
                json!({"involvedObject": {"kind": "Widget", "namespace": namespace.name, "name": "w"},
                "reason": "Tested", "message": "hello", "source": {"component": "conformance"},
                "firstTimestamp": "2026-01-02T03:04:05Z", "lastTimestamp": null, "count": 2, "type": "Normal"}),
            ),
            message: event(&meta, &namespace.name),
        },
        Twin {
            path: namespace.collection("rbac.authorization.k8s.io/v1", "roles"),
            json: object(
                "rbac.authorization.k8s.io/v1",
                "Role",
                json!({"rules": [
                {"apiGroups": [""], "resources": ["secrets", "configmaps"], "verbs": ["get"], "resourceNames": ["a"]}]}),
            ),
            message: Message::new().message(1, &meta).message(
                2,
                &Message::new()
                    .bytes(1, "get")
                    .bytes(2, "")
                    .bytes(3, "secrets")
                    .bytes(3, "configmaps")
                    .bytes(4, "a"),
            ),
        },
        Twin {
            path: namespace.collection("coordination.k8s.io/v1", "leases"),
            json: object(
                "coordination.k8s.io/v1",
                "Lease",
                json!({"spec": {"holderIdentity": "me",
                "leaseDurationSeconds": 15, "renewTime": "2026-01-02T03:04:05.000006Z"}}),
            ),
            message: Message::new()
                .message(1, &meta)
                .message(2, &Message::new().bytes(1, "me").integer(2, 15).message(4, &time(6000))),
        },
    ]
}

fn event(meta: &Message, namespace: &str) -> Message {
    let involved = Message::new()
        .bytes(1, "Widget")
        .bytes(2, namespace)
        .bytes(3, "w")
        .bytes(4, "")
        .bytes(5, "");
    Message::new()
        .message(1, meta)
        .message(2, &involved)
        .bytes(3, "Tested")
        .bytes(4, "hello")
        .message(5, &Message::new().bytes(1, "conformance").bytes(2, ""))
        .message(6, &time(0))
        .bytes(7, "")
        .integer(8, 2)
        .bytes(9, "Normal")
        .bytes(10, "")
        .bytes(12, "")
        .bytes(14, "")
        .bytes(15, "")
}

/// 2026-01-02T03:04:05Z and some nanoseconds.
fn time(nanoseconds: u64) -> Message {
    Message::new().integer(1, 1_767_323_045).integer(2, nanoseconds)
}

/// A review is not stored: the replies are compared.
async fn access_review(world: &World<'_>, namespace: &Namespace) -> Result<()> {
    let path = "/apis/authorization.k8s.io/v1/subjectaccessreviews";
    let review = json!({"apiVersion": "authorization.k8s.io/v1", "kind": "SubjectAccessReview", "spec": {
        "user": "nobody", "resourceAttributes": {"namespace": namespace.name, "verb": "get", "resource": "secrets"}}});
    let attributes = Message::new()
        .bytes(1, &namespace.name)
        .bytes(2, "get")
        .bytes(3, "")
        .bytes(4, "")
        .bytes(5, "secrets")
        .bytes(6, "")
        .bytes(7, "");
    let spec = Message::new().message(1, &attributes).bytes(3, "nobody").bytes(6, "");
    let message = Message::new()
        .message(1, &object_meta(""))
        .message(2, &spec)
        .message(3, &Message::new().integer(1, 0));
    let body = message.envelope("authorization.k8s.io/v1", "SubjectAccessReview");
    let from_protobuf = world.post_as(path, PROTOBUF, body).await?.is(201)?;
    let from_json = world.create(path, &review).await?;
    at(&from_json, "/status/allowed", false)?;
    equal(path, &as_written(&from_protobuf), &as_written(&from_json))
}

pub(crate) async fn protobuf_delete_options(world: &World<'_>) -> Result<()> {
    let namespace = world.namespace().await?;
    let path = format!("{}/a", namespace.core("configmaps"));
    let created = world.create(&namespace.core("configmaps"), &config_map("a", json!({}))).await?;
    let uid = created["metadata"]["uid"].as_str().unwrap_or_default();
    let headers = [("content-type", PROTOBUF)];
    let delete = |uid: &str| {
        let preconditions = Message::new().bytes(1, uid);
        let options =
            Message::new().integer(1, 0).message(2, &preconditions).bytes(4, "Background");
        options.envelope("v1", "DeleteOptions")
    };
    let other = world.send(Method::DELETE, &path, &headers, delete("other")).await?;
    other.fails(409, "Conflict")?;
    let reply = world.send(Method::DELETE, &path, &headers, delete(uid)).await?;
    let status = reply.is(200)?;
    at(&status, "/status", "Success")?;
    at(&status, "/details", json!({"name": "a", "kind": "configmaps", "uid": uid}))?;
    world.get(&path).await?.fails(404, "NotFound").map(drop)
}

pub(crate) async fn cbor_body(world: &World<'_>) -> Result<()> {
    let namespace = world.namespace().await?;
    for path in [namespace.core("configmaps"), namespace.widgets()] {
        let reply = world.post_as(&path, "application/cbor", vec![0xd9, 0xd9, 0xf7, 0xa0]).await?;
        reply.fails(415, "UnsupportedMediaType")?;
    }
    Ok(())
}

pub(crate) async fn compression(world: &World<'_>) -> Result<()> {
    let namespace = world.namespace().await?;
    let path = namespace.core("configmaps");
    for number in 0..8 {
        let data = json!({"text": "x".repeat(LARGE_ENTRY)});
        world.create(&path, &config_map(&format!("c{number}"), data)).await?;
    }
    let headers = [("accept-encoding", "gzip")];
    let large = world.send(Method::GET, &path, &headers, Bytes::new()).await?;
    ensure!(large.status == 200, "{large}");
    equal("content-encoding", &large.header("content-encoding"), &"gzip")?;
    equal("vary", &large.header("vary"), &"Accept-Encoding")?;
    ensure!(large.body.starts_with(&[0x1f, 0x8b]), "the large list is not gzip");
    let small = world.send(Method::GET, &format!("{path}/c1"), &headers, Bytes::new()).await?;
    equal("content-encoding", &small.header("content-encoding"), &"")?;
    at(&small.is(200)?, "/metadata/name", "c1")?;
    let unasked = world.get(&path).await?;
    equal("content-encoding", &unasked.header("content-encoding"), &"")
}
