//! Reads.

use std::{io::Read, time::Duration};

use http::Method;
use serde_json::{Value, json};

use crate::world::{World, project, stage};

const STAGES: &str = "/apis/kargo.akuity.io/v1alpha1/namespaces/demo/stages";

fn names(list: &Value) -> Vec<&str> {
    let items = list["items"].as_array().unwrap();
    items.iter().map(|item| item["metadata"]["name"].as_str().unwrap()).collect()
}

async fn world() -> (World, String) {
    let mut objects = project("demo");
    objects.extend([stage("demo", "prod", "w1"), stage("demo", "dev", "w2")]);
    let world = World::start(objects).await;
    let token = world.admin().await;
    (world, token)
}

#[tokio::test]
async fn a_list_is_a_kubernetes_list_in_order_of_names() {
    let (world, token) = world().await;
    let reply = world.get("/projects/demo/stages", &token).await;
    let list = reply.json();
    assert_eq!(list["kind"], "StageList");
    assert_eq!(names(&list), ["dev", "prod"]);
    assert!(list["metadata"]["resourceVersion"].as_str().unwrap().parse::<u64>().unwrap() > 0);
    assert_eq!(list["items"][0]["kind"], "Stage");
    assert_eq!(reply.header("content-type"), "application/json; charset=utf-8");
    let only = world.get("/projects/demo/stages?freightOrigins=x&freightOrigins=w1", &token).await;
    assert_eq!(names(&only.json()), ["prod"]);
    let empty = world.get("/projects/demo/warehouses", &token).await.json();
    assert_eq!(empty["items"], json!([]));
}

#[tokio::test]
async fn what_is_missing_is_told_as_kubernetes_does() {
    let (world, token) = world().await;
    for (path, text) in [
        ("/projects/demo/stages/fake-stage", "stages.kargo.akuity.io \"fake-stage\" not found"),
        ("/projects/fake/stages", "projects.kargo.akuity.io \"fake\" not found"),
        ("/projects/fake/stages/x", "projects.kargo.akuity.io \"fake\" not found"),
        ("/projects/fake", "projects.kargo.akuity.io \"fake\" not found"),
        ("/projects/demo/config", "projectconfigs.kargo.akuity.io \"demo\" not found"),
        (
            "/projects/demo/freight/x",
            "Freight with name or alias \"x\" not found in project \"demo\"",
        ),
        ("/projects/demo/freight?stage=x", "Stage \"x\" not found in project \"demo\""),
    ] {
        assert_eq!(world.get(path, &token).await.error(), (404, text.to_owned()), "{path}");
    }
}

#[tokio::test]
async fn who_has_the_version_gets_nothing_until_it_changes() {
    let (world, token) = world().await;
    for path in ["/projects/demo/stages", "/projects/demo/stages/dev"] {
        let etag = world.get(path, &token).await.header("etag").to_owned();
        let ask = || async {
            let known = [("if-none-match", etag.as_str())];
            world.send(Method::GET, path, Some(&token), &known, "").await.status.as_u16()
        };
        assert_eq!(ask().await, 304, "{path}");
        let label = json!({"metadata": {"labels": {"changed": path.len().to_string()}}});
        world.patch(STAGES, "dev", label).await;
        let mut is_known = true;
        for _ in 0..100 {
            is_known = ask().await == 304;
            if !is_known {
                break;
            }
            world.engine.clock().sleep(Duration::from_millis(20)).await;
        }
        assert!(!is_known, "{path}");
    }
}

#[tokio::test]
async fn large_answers_are_packed_for_those_who_take_it() {
    let (world, token) = world().await;
    let packed = [("accept-encoding", "gzip")];
    let path = "/v1beta1/projects/demo/stages";
    let plain = world
        .send_raw(Method::GET, path, Some(&token), &[("accept-encoding", "identity")], "")
        .await;
    let reply = world.send_raw(Method::GET, path, Some(&token), &packed, "").await;
    let text = if reply.header("content-encoding") == "gzip" {
        let mut text = Vec::new();
        flate2::read::GzDecoder::new(&*reply.body).read_to_end(&mut text).unwrap();
        text
    } else {
        // The client unpacked it already.
        reply.body.to_vec()
    };
    assert_eq!(text, plain.body);
}

#[tokio::test]
async fn projects_are_found_page_by_page() {
    let objects = ["beta", "alpha", "gamma"].into_iter().flat_map(project).collect();
    let world = World::start(objects).await;
    let token = world.admin().await;
    let list = async |query: &str| world.get(&format!("/projects{query}"), &token).await.json();
    assert_eq!(names(&list("").await), ["alpha", "beta", "gamma"]);
    let page = list("?pageSize=2&page=1").await;
    assert_eq!((names(&page), &page["total"]), (vec!["gamma"], &json!(3)));
    let past = list("?pageSize=2&page=9").await;
    assert_eq!((&past["items"], &past["total"]), (&json!([]), &json!(3)));
    assert_eq!(names(&list("?filter=ET").await), ["beta"]);
    // Nothing is the administrator's own.
    assert_eq!(list("?mine=true").await["total"], 0);
}

#[tokio::test]
async fn freight_is_found_by_name_by_alias_and_in_groups() {
    let (world, token) = world().await;
    let path = "/apis/kargo.akuity.io/v1alpha1/namespaces/demo/freights";
    let freight = |name: &str, alias: &str| {
        json!({"apiVersion": "kargo.akuity.io/v1alpha1", "kind": "Freight",
            "metadata": {"name": name, "namespace": "demo", "labels": {"kargo.akuity.io/alias": alias}},
            "alias": alias, "origin": {"kind": "Warehouse", "name": "w1"},
            "images": [{"repoURL": "example.com/app", "tag": name}]})
    };
    for (name, alias) in [("one", "red-fox"), ("two", "blue-owl")] {
        world.apply(path, &freight(name, alias)).await;
    }
    let alias = world
        .send(
            Method::PATCH,
            "/projects/demo/freight/red-fox/alias?newAlias=green-cat",
            Some(&token),
            &[],
            "",
        )
        .await;
    assert_eq!(alias.status, 200, "{:?}", alias.error());
    assert_eq!(
        world.get("/projects/demo/freight/green-cat", &token).await.json()["metadata"]["name"],
        "one"
    );
    let taken = world
        .send(
            Method::PATCH,
            "/projects/demo/freight/one/alias?newAlias=blue-owl",
            Some(&token),
            &[],
            "",
        )
        .await;
    assert_eq!(taken.status, 409);
    let all = world.get("/projects/demo/freight", &token).await.json();
    assert_eq!(all["groups"][""]["items"].as_array().unwrap().len(), 2);
    assert!(all["resourceVersion"].as_str().unwrap().parse::<u64>().is_ok());
    let grouped = world.get("/projects/demo/freight?groupBy=image_repo&stage=prod", &token).await;
    // The Stage asks for Freight of a Warehouse that is not there.
    assert_eq!(grouped.status, 409, "{:?}", grouped.error());
    let wrong = world.get("/projects/demo/freight?group=x", &token).await;
    assert_eq!(wrong.error(), (400, "cannot filter by group without group by".to_owned()));
    let gone =
        world.send(Method::DELETE, "/projects/demo/freight/green-cat", Some(&token), &[], "").await;
    assert_eq!(gone.status, 204);
    assert_eq!(world.get("/projects/demo/freight/one", &token).await.status, 404);
}

#[tokio::test]
async fn the_server_tells_about_itself() {
    let variables =
        [("ARGOCD_URLS", "=https://argo.example.com"), ("ROLLOUTS_INTEGRATION_ENABLED", "false")];
    let world = World::with(&variables, project("demo")).await;
    let token = world.admin().await;
    let config = world.get("/system/server-config", &token).await.json();
    let shard = json!({"url": "https://argo.example.com", "namespace": "argocd"});
    assert_eq!(config["argocdShards"], json!({"": shard}));
    assert_eq!(config["kargoNamespace"], "kargo");
    assert_eq!(world.get("/system/server-version", &token).await.json()["version"], "v1.2.3");
    let beats = world.get("/system/controller-heartbeats", &token).await.json();
    assert_eq!(beats, json!({"heartbeats": {}, "defaultController": ""}));
    let off = world.get("/projects/demo/analysis-templates", &token).await;
    assert_eq!(off.error(), (501, "Argo Rollouts integration is not enabled".to_owned()));
}
