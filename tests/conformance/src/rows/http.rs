//! Rows 1–11: what is there before any object: version, health, discovery, OpenAPI and unknown paths.

use std::time::Duration;

use anyhow::{Context, Result, ensure};
use bytes::Bytes;
use http::Method;
use serde_json::{Value, json};

use crate::{
    expect::{at, equal, matches, text},
    fixture::WIDGETS,
    namespace::widget,
    patience::within,
    world::World,
};

const AGGREGATED: &str = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
const GROUP: &str = "/apis/conf.example.com";

pub(crate) async fn version(world: &World<'_>) -> Result<()> {
    let anonymous = world.with_token(None);
    let version = anonymous.get("/version").await?.is(200)?;
    at(&version, "/major", "1")?;
    matches("minor", text(&version, "/minor")?, r"\d+")?;
    matches("gitVersion", text(&version, "/gitVersion")?, r"v1\.\d+\.\d+([-+][0-9A-Za-z.+-]+)?")?;
    for field in ["gitCommit", "gitTreeState", "buildDate", "goVersion", "compiler", "platform"] {
        ensure!(version[field].is_string(), "{field}: no text in {version}");
    }
    equal("with a slash", &anonymous.get("/version/").await?.is(200)?, &version)
}

pub(crate) async fn health(world: &World<'_>) -> Result<()> {
    let anonymous = world.with_token(None);
    for check in ["readyz", "livez", "healthz"] {
        let brief = anonymous.get(&format!("/{check}")).await?;
        brief.is(200)?;
        equal(&brief, &brief.text().as_str(), &"ok")?;
        matches("content-type", brief.header("content-type"), "text/plain(;.*)?")?;
        equal("x-content-type-options", &brief.header("x-content-type-options"), &"nosniff")?;
        let verbose = anonymous.get(&format!("/{check}?verbose")).await?;
        verbose.is(200)?;
        let text = verbose.text();
        ensure!(text.contains("[+]ping ok\n"), "{verbose}, want [+]ping ok");
        ensure!(text.ends_with(&format!("{check} check passed\n")), "{verbose}, want its end");
        let without = anonymous.get(&format!("/{check}?verbose&exclude=ping")).await?.text();
        ensure!(!without.contains("[+]ping ok\n"), "{check}: ping was excluded, got {without}");
    }
    for path in ["/livez/ping", "/readyz/etcd"] {
        equal(path, &world.get(path).await?.text().as_str(), &"ok")?;
    }
    Ok(())
}

pub(crate) async fn head_livez_ping(world: &World<'_>) -> Result<()> {
    let reply = world.send(Method::HEAD, "/livez/ping", &[], Bytes::new()).await?;
    reply.is(200)?;
    let uuid = "[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}";
    for header in
        ["x-kubernetes-pf-flowschema-uid", "x-kubernetes-pf-prioritylevel-uid", "audit-id"]
    {
        matches(header, reply.header(header), uuid)?;
    }
    equal("cache-control", &reply.header("cache-control"), &"no-cache, private")
}

pub(crate) async fn discovery_as_anonymous(world: &World<'_>) -> Result<()> {
    let reply = world.with_token(None).get("/api").await?;
    let message = "forbidden: User \"system:anonymous\" cannot get path \"/api\"";
    let status = reply.fails_saying(403, "Forbidden", message)?;
    at(&status, "/details", json!({}))
}

pub(crate) async fn aggregated_discovery(world: &World<'_>) -> Result<()> {
    for path in ["/api", "/apis"] {
        let reply = world.get_as(path, &format!("{AGGREGATED},application/json")).await?;
        let list = reply.is(200)?;
        equal("content-type", &reply.header("content-type"), &AGGREGATED)?;
        at(&list, "/kind", "APIGroupDiscoveryList")?;
        at(&list, "/apiVersion", "apidiscovery.k8s.io/v2")?;
        equal("vary", &reply.header("vary"), &"Accept")?;
        let tag = reply.header("etag");
        matches("etag", tag, "\"[0-9A-Fa-f]+\"")?;
        let headers = [("accept", AGGREGATED), ("if-none-match", tag)];
        let again = world.send(Method::GET, path, &headers, Bytes::new()).await?;
        again.is(304)?;
        ensure!(again.body.is_empty(), "{again}, want no body");
    }
    Ok(())
}

pub(crate) async fn aggregated_widget(world: &World<'_>) -> Result<()> {
    let list = world.get_as("/apis", AGGREGATED).await?.is(200)?;
    let group = item(&list["items"], "/metadata/name", "conf.example.com")?;
    let version = item(&group["versions"], "/version", "v1")?;
    at(version, "/freshness", "Current")?;
    let kind = |name| json!({"group": "conf.example.com", "version": "v1", "kind": name});
    let verbs = ["delete", "deletecollection", "get", "list", "patch", "create", "update", "watch"];
    let widget = json!({"resource": "widgets", "responseKind": kind("Widget"), "scope": "Namespaced",
        "singularResource": "widget", "verbs": verbs, "shortNames": ["wd"], "categories": ["conformance"],
        "subresources": [{"subresource": "status", "responseKind": kind("Widget"), "verbs": ["get", "patch", "update"]}]});
    equal("widgets", item(&version["resources"], "/resource", "widgets")?, &widget)?;
    let gadget = json!({"resource": "gadgets", "responseKind": kind("Gadget"), "scope": "Cluster",
        "singularResource": "gadget", "verbs": verbs});
    equal("gadgets", item(&version["resources"], "/resource", "gadgets")?, &gadget)
}

pub(crate) async fn legacy_discovery(world: &World<'_>) -> Result<()> {
    let versions = world.get_as("/api", "application/json").await?.is(200)?;
    at(&versions, "/kind", "APIVersions")?;
    at(&versions, "/versions", json!(["v1"]))?;
    text(&versions, "/serverAddressByClientCIDRs/0/serverAddress")?;
    let groups = world.get("/apis").await?.is(200)?;
    at(&groups, "/kind", "APIGroupList")?;
    at(&groups, "/apiVersion", "v1")?;
    let ours = json!({"groupVersion": "conf.example.com/v1", "version": "v1"});
    let listed = item(&groups["groups"], "/name", "conf.example.com")?;
    at(listed, "/versions", json!([ours]))?;
    let group = world.get(GROUP).await?.is(200)?;
    let want = json!({"kind": "APIGroup", "apiVersion": "v1", "name": "conf.example.com",
        "versions": [ours], "preferredVersion": ours});
    equal(GROUP, &group, &want)?;
    legacy_resources(world).await
}

async fn legacy_resources(world: &World<'_>) -> Result<()> {
    let list = world.get(&format!("{GROUP}/v1")).await?.is(200)?;
    at(&list, "/kind", "APIResourceList")?;
    at(&list, "/apiVersion", "v1")?;
    at(&list, "/groupVersion", "conf.example.com/v1")?;
    let widget = item(&list["resources"], "/name", "widgets")?;
    at(widget, "/singularName", "widget")?;
    at(widget, "/namespaced", true)?;
    at(widget, "/kind", "Widget")?;
    at(widget, "/shortNames", json!(["wd"]))?;
    at(widget, "/categories", json!(["conformance"]))?;
    let status = json!({"name": "widgets/status", "singularName": "", "namespaced": true, "kind": "Widget",
        "verbs": ["get", "patch", "update"]});
    equal("widgets/status", item(&list["resources"], "/name", "widgets/status")?, &status)?;
    let core = world.get("/api/v1").await?.is(200)?;
    at(&core, "/kind", "APIResourceList")?;
    at(item(&core["resources"], "/name", "configmaps")?, "/shortNames", json!(["cm"]))?;
    at(item(&core["resources"], "/name", "namespaces")?, "/namespaced", false)
}

pub(crate) async fn open_api(world: &World<'_>) -> Result<()> {
    // kube-apiserver publishes the document some time after it serves the kind.
    let root = within(Duration::from_secs(30), || async {
        let root = world.get("/openapi/v3").await?.is(200)?;
        let url = text(&root, "/paths/apis~1conf.example.com~1v1/serverRelativeURL")?;
        let document = world.get(url).await?.is(200)?;
        text(&document, "/components/schemas/com.example.conf.v1.Widget/type")?;
        Ok(root)
    })
    .await?;
    let url = text(&root, "/paths/apis~1conf.example.com~1v1/serverRelativeURL")?;
    matches("url", url, r"/openapi/v3/apis/conf\.example\.com/v1\?hash=[0-9A-F]{128}")?;
    let reply = world.get(url).await?;
    let document = reply.is(200)?;
    equal("cache-control", &reply.header("cache-control"), &"public, immutable")?;
    let gvk = json!({"group": "conf.example.com", "version": "v1", "kind": "Widget"});
    let item_path =
        &document["paths"]["/apis/conf.example.com/v1/namespaces/{namespace}/widgets/{name}"];
    at(item_path, "/patch/x-kubernetes-group-version-kind", gvk.clone())?;
    item(&item_path["patch"]["parameters"], "/name", "fieldValidation")?;
    let list_path = &document["paths"]["/apis/conf.example.com/v1/namespaces/{namespace}/widgets"];
    at(list_path, "/get/x-kubernetes-action", "list")?;
    let schema = &document["components"]["schemas"]["com.example.conf.v1.Widget"];
    at(schema, "/x-kubernetes-group-version-kind", json!([gvk]))?;
    at(schema, "/properties/spec/properties/size/default", "medium")?;
    let core = text(&root, "/paths/api~1v1/serverRelativeURL")?;
    let core = world.get(core).await?.is(200)?;
    let config_map = &core["paths"]["/api/v1/namespaces/{namespace}/configmaps/{name}"];
    item(&config_map["patch"]["parameters"], "/name", "fieldValidation").map(drop)
}

pub(crate) async fn unknown_paths(world: &World<'_>) -> Result<()> {
    let namespace = world.namespace().await?;
    let gadget_in_namespace = namespace.collection("conf.example.com/v1", "gadgets");
    for path in [
        "/nonsense",
        "/apis/nonsense.example.com",
        "/apis/nonsense.example.com/v1/things",
        "/apis/conf.example.com/v1/things",
        "/apis/conf.example.com/v9/widgets",
        gadget_in_namespace.as_str(),
    ] {
        let reply = world.get(path).await?;
        reply.is(404)?;
        equal(&reply, &reply.text().as_str(), &"404 page not found\n")?;
        matches("content-type", reply.header("content-type"), "text/plain(;.*)?")?;
    }
    let at_cluster_scope = world.post(WIDGETS, &widget("lost")).await?;
    at_cluster_scope.is(404)?;
    equal(&at_cluster_scope, &at_cluster_scope.text().as_str(), &"404 page not found\n")
}

pub(crate) async fn unknown_core_plural(world: &World<'_>) -> Result<()> {
    let message = "the server could not find the requested resource";
    for path in ["/api/v1/things", "/api/v1/namespaces/default/things"] {
        let status = world.get(path).await?.fails_saying(404, "NotFound", message)?;
        at(&status, "/details", json!({}))?;
    }
    Ok(())
}

pub(crate) async fn path_forms(world: &World<'_>) -> Result<()> {
    let namespace = world.namespace().await?;
    world.create(&namespace.widgets(), &widget("a")).await?;
    let with_slash = format!("{}/", namespace.widget("a"));
    for path in ["/api/", "/apis/", "/api/v1/", "/apis/conf.example.com/v1/", with_slash.as_str()] {
        world.get(path).await?.is(200)?;
    }
    let role = "/apis/rbac.authorization.k8s.io/v1/clusterroles/system%3Adiscovery";
    at(&world.get(role).await?.is(200)?, "/metadata/name", "system:discovery")?;
    world.get(&namespace.widgets().replacen("/widgets", "//widgets", 1)).await?.is(404).map(drop)
}

/// The member of a list whose value at `pointer` is `want`.
fn item<'a>(list: &'a Value, pointer: &str, want: &str) -> Result<&'a Value> {
    list.as_array()
        .into_iter()
        .flatten()
        .find(|member| member.pointer(pointer).and_then(Value::as_str) == Some(want))
        .with_context(|| format!("nothing with {pointer} = {want}"))
}
