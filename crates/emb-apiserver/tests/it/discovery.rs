//! What the server says about itself.

use http::Method;
use serde_json::json;

use crate::{
    custom::install,
    world::{CONFIG_MAPS, test},
};

const AGGREGATED: &str =
    "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json";

#[test]
fn health_version_and_flow_headers() {
    test(|api| async move {
        let version = api.get("/version").await.expect(200);
        assert_eq!(version.json["gitVersion"], "v1.36.0+kargo-0.0.0");
        assert_eq!(api.get("/readyz").await.expect(200).bytes, "ok");
        let verbose = api.get("/readyz?verbose").await.expect(200);
        assert!(verbose.bytes.ends_with(b"readyz check passed\n"));
        assert_eq!(api.get("/readyz/etcd").await.expect(200).bytes, "ok");
        let ping = api.request(Method::HEAD, "/livez/ping").send().await.expect(200);
        assert!(ping.headers.contains_key("x-kubernetes-pf-flowschema-uid"));
        assert!(ping.headers.contains_key("audit-id"));
        assert_eq!(ping.headers["cache-control"], "no-cache, private");
    });
}

#[test]
fn aggregated_discovery_has_a_type_and_a_tag() {
    test(|api| async move {
        install(&api).await;
        let ask = |tag: &str| {
            let request = api.request(Method::GET, "/apis").header("accept", AGGREGATED);
            let request = request.header("if-none-match", tag);
            async move { request.send().await }
        };
        let first = ask("").await.expect(200);
        assert_eq!(
            first.headers["content-type"],
            "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"
        );
        let items = first.json["items"].as_array().unwrap();
        let probe = items.iter().find(|i| i["metadata"]["name"] == "probe.example.com").unwrap();
        assert_eq!(probe["versions"][0]["resources"][0]["shortNames"], json!(["wd"]));
        let tag = first.headers["etag"].to_str().unwrap().to_owned();
        ask(&tag).await.expect(304);
    });
}

#[test]
fn legacy_discovery_names_groups_and_resources() {
    test(|api| async move {
        install(&api).await;
        assert_eq!(api.get("/api").await.json["kind"], "APIVersions");
        assert_eq!(api.get("/apis/").await.json["kind"], "APIGroupList");
        assert_eq!(api.get("/apis/probe.example.com").await.json["kind"], "APIGroup");
        let list = api.get("/apis/probe.example.com/v1").await.expect(200);
        assert_eq!(list.json["resources"][0]["name"], "widgets");
        assert_eq!(list.json["resources"][1]["name"], "widgets/status");
        api.get("/apis/nope.example.com").await.expect(404);
    });
}

#[test]
fn open_api_is_found_by_hash() {
    test(|api| async move {
        install(&api).await;
        let root = api.get("/openapi/v3").await.expect(200);
        let url = root.json["paths"]["apis/probe.example.com/v1"]["serverRelativeURL"].clone();
        let document = api.get(url.as_str().unwrap()).await.expect(200);
        assert_eq!(document.headers["cache-control"], "public, immutable");
        assert_eq!(document.json["openapi"], "3.0.0");
        let other = api.get("/openapi/v3/apis/probe.example.com/v1?hash=OLD").await.expect(301);
        assert_eq!(other.headers["location"], url.as_str().unwrap());
        api.get("/openapi/v3/apis/nope/v1").await.expect(404);
        api.get("/openapi/v2").await.expect(404);
    });
}

#[test]
fn paths_that_nothing_serves() {
    test(|api| async move {
        for path in ["/nope", "/apis/nope.example.com/v1/things", "/api/v1//configmaps"] {
            assert_eq!(api.get(path).await.expect(404).bytes, "404 page not found\n", "{path}");
        }
        let pods = api.get("/api/v1/namespaces/default/pods").await.expect(404);
        assert_eq!(pods.message(), "the server could not find the requested resource");
        assert_eq!(pods.json["details"], json!({}));
        let services = api.get("/api/v1/namespaces/kube-system/services").await.expect(200);
        assert_eq!(services.json["items"], json!([]));
        let listed = api.get("/apis/apiregistration.k8s.io/v1/apiservices").await.expect(200);
        assert!(listed.names().contains(&"v1."));
        api.get(&format!("{CONFIG_MAPS}/")).await.expect(200);
    });
}

#[test]
fn metrics_count_requests_and_objects() {
    test(|api| async move {
        api.get(CONFIG_MAPS).await.expect(200);
        let metrics = api.get("/metrics").await.expect(200);
        let text = std::str::from_utf8(&metrics.bytes).unwrap();
        assert!(text.contains(
            "apiserver_request_total{code=\"200\",component=\"apiserver\",dry_run=\"\",group=\"\",resource=\"configmaps\",scope=\"namespace\",subresource=\"\",verb=\"LIST\",version=\"v1\"} 1"
        ));
        assert!(text.contains("apiserver_storage_objects{resource=\"namespaces\"} 3"));
        assert!(text.contains("apiserver_storage_commit_duration_seconds_bucket{le=\"+Inf\"}"));
        for line in [
            "apiserver_storage_writable 1",
            "apiserver_resource_objects{group=\"\",resource=\"namespaces\"} 3",
            "apiserver_current_inflight_requests{request_kind=\"readOnly\"} 1",
            "apiserver_audit_error_total{plugin=\"log\"} 0",
            "apiserver_storage_ring_bytes ",
        ] {
            assert!(text.contains(line), "{line}");
        }
    });
}
