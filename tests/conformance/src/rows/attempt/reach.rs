//! More rights by other paths, namespaces and subresources, and by the kinds that change how the server works.

use http::Method;
use serde_json::{Value, json};

use super::{Attempt, RBAC_GROUP, patch, request, scene::Scene};
use crate::namespace::{config_map, widget};

pub(super) fn attempts(scene: &Scene) -> Vec<Attempt> {
    [namespaces(scene), names(scene), subresources(scene), server(scene)]
        .into_iter()
        .flatten()
        .collect()
}

fn get(title: &'static str, path: String, refusal: super::Refusal) -> Attempt {
    request(title, Method::GET, path, Value::Null, refusal)
}

fn namespaces(scene: &Scene) -> Vec<Attempt> {
    let maps = ("", "configmaps");
    let (home, abroad) = (&scene.home.name, &scene.abroad.name);
    let within = |namespace: &str| format!("/api/v1/namespaces/{namespace}/configmaps");
    vec![
        get(
            "all namespaces at once",
            "/api/v1/configmaps".into(),
            scene.cannot("list", maps, "", ""),
        ),
        get("a namespace called *", within("*"), scene.cannot("list", maps, "", "*")),
        get("a namespace called %2A", within("%2A"), scene.cannot("list", maps, "", "*")),
        get("another namespace", within(abroad), scene.cannot("list", maps, "", abroad)),
        get(
            "all namespaces, narrowed by a selector",
            format!("/api/v1/configmaps?fieldSelector=metadata.namespace%3D{home}"),
            scene.cannot("list", maps, "", ""),
        ),
        get(
            "another namespace by a path with dots",
            format!("/api/v1/namespaces/{home}/../{abroad}/configmaps"),
            scene.cannot("get", ("", "../configmaps"), abroad, home),
        ),
        get(
            "another namespace by a path with encoded slashes",
            format!("/api/v1/namespaces/{home}%2F..%2F{abroad}/configmaps"),
            // To kube-apiserver an encoded slash is a slash, to us a letter of a name that nothing has.
            super::Refusal { code: 403, reason: "Forbidden", message: None },
        ),
        get(
            "a watch over all namespaces",
            "/api/v1/configmaps?watch=true&timeoutSeconds=1".into(),
            scene.cannot("watch", maps, "", ""),
        ),
        request(
            "an object of another namespace through one's own",
            Method::POST,
            within(home),
            json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a", "namespace": abroad}}),
            scene.cannot("create", maps, "", home),
        ),
        request(
            "an object of another namespace at the root",
            Method::POST,
            within(abroad),
            config_map("a", json!({})),
            scene.cannot("create", maps, "", abroad),
        ),
        request(
            "the end of one's own namespace",
            Method::DELETE,
            format!("/api/v1/namespaces/{home}"),
            Value::Null,
            scene.cannot("delete", ("", "namespaces"), home, home),
        ),
        request(
            "the finalizers of one's own namespace",
            Method::PUT,
            format!("/api/v1/namespaces/{home}/finalize"),
            json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": home}, "spec": {}}),
            scene.cannot("update", ("", "namespaces/finalize"), home, home),
        ),
    ]
}

fn names(scene: &Scene) -> Vec<Attempt> {
    let secrets = ("", "secrets");
    let home = &scene.home.name;
    let path = |rest: &str| format!("{}{rest}", scene.home.core("secrets"));
    vec![
        get("another name", path("/closed"), scene.cannot("get", secrets, "closed", home)),
        get("all names", path(""), scene.cannot("list", secrets, "", home)),
        get(
            "a list of the one name that may be read",
            path("?fieldSelector=metadata.name%3Dopen"),
            scene.cannot("list", secrets, "open", home),
        ),
        get(
            "the names by a watch",
            path("?watch=true&timeoutSeconds=1"),
            scene.cannot("watch", secrets, "", home),
        ),
        get(
            "a name with a subresource",
            path("/open/status"),
            scene.cannot("get", ("", "secrets/status"), "open", home),
        ),
        request(
            "the end of all",
            Method::DELETE,
            path(""),
            Value::Null,
            scene.cannot("deletecollection", secrets, "", home),
        ),
        patch(
            "a change to what may be read",
            "merge",
            path("/open"),
            json!({"data": {"a": "YQ=="}}),
            scene.cannot("patch", secrets, "open", home),
        ),
        request(
            "a read with another method in a header",
            Method::GET,
            path("/closed"),
            Value::Null,
            scene.cannot("get", secrets, "closed", home),
        )
        .with("x-http-method-override", "POST"),
    ]
}

fn subresources(scene: &Scene) -> Vec<Attempt> {
    let (group, home) = ("conf.example.com", &scene.home.name);
    let mut forged = widget("honest");
    forged["status"] = json!({"conditions": []});
    let status = || format!("{}/status", scene.home.widget("honest"));
    let refused = |verb| scene.cannot(verb, (group, "widgets/status"), "honest", home);
    vec![
        get("a status", status(), refused("get")),
        request("a status by put", Method::PUT, status(), forged.clone(), refused("update")),
        patch(
            "a status by merge patch",
            "merge",
            status(),
            json!({"status": {}}),
            refused("patch"),
        ),
        patch("a status by JSON patch", "json", status(), json!([]), refused("patch")),
        patch(
            "a status by apply",
            "apply",
            format!("{}?fieldManager=weak", status()),
            forged,
            refused("patch"),
        ),
        get(
            "a subresource that there is not",
            format!("{}/other", scene.home.widget("honest")),
            scene.cannot("get", (group, "widgets/other"), "honest", home),
        ),
    ]
}

fn server(scene: &Scene) -> Vec<Attempt> {
    let create = |title, group: &'static str, kind: &str| {
        let plural = format!("{}s", kind.to_lowercase());
        let body = json!({"apiVersion": format!("{group}/v1"), "kind": kind, "metadata": {"name": "attempt"}});
        let refusal = scene.cannot("create", (group, &plural), "", "");
        request(title, Method::POST, format!("/apis/{group}/v1/{plural}"), body, refusal)
    };
    let (hooks, crds) = ("admissionregistration.k8s.io", "apiextensions.k8s.io");
    let kinds = "customresourcedefinitions";
    let widgets = format!("/apis/{crds}/v1/{kinds}/widgets.conf.example.com");
    vec![
        create("a kind", crds, "CustomResourceDefinition"),
        create("a webhook that changes what others write", hooks, "MutatingWebhookConfiguration"),
        create("a webhook that sees what others write", hooks, "ValidatingWebhookConfiguration"),
        patch(
            "another schema for a kind",
            "merge",
            widgets.clone(),
            json!({"spec": {"preserveUnknownFields": true}}),
            scene.cannot("patch", (crds, kinds), "widgets.conf.example.com", ""),
        ),
        request(
            "the end of a kind",
            Method::DELETE,
            widgets,
            Value::Null,
            scene.cannot("delete", (crds, kinds), "widgets.conf.example.com", ""),
        ),
        request(
            "the end of all roles of the cluster",
            Method::DELETE,
            format!("/apis/{RBAC_GROUP}/v1/clusterroles"),
            Value::Null,
            scene.cannot("deletecollection", (RBAC_GROUP, "clusterroles"), "", ""),
        ),
        request(
            "a namespace",
            Method::POST,
            "/api/v1/namespaces".to_owned(),
            json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "attempt"}}),
            scene.cannot("create", ("", "namespaces"), "", ""),
        ),
    ]
}
