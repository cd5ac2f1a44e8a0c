//! Targets and PromotionRequests.

use http::Method;
use serde_json::{Value, json};

use crate::{
    table,
    world::{World, change},
};

const KINDS: &str = "/apis/kargo.akuity.io/v1alpha1/namespaces/demo";

fn named(kind: &str, name: &str, spec: Value) -> Value {
    json!({"apiVersion": "kargo.akuity.io/v1alpha1", "kind": kind,
        "metadata": {"namespace": "demo", "name": name, "labels": {"tier": name}}, "spec": spec})
}

fn names(list: &Value) -> Vec<&str> {
    let items = list["items"].as_array().unwrap().iter();
    items.map(|item| item["metadata"]["name"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn targets_are_listed_chosen_and_watched() {
    let more = [
        named("Target", "eu", json!({"params": {"region": "eu"}})),
        named("Target", "us", json!({})),
    ];
    let world = World::start([table::objects(), more.to_vec()].concat()).await;
    let token = world.token_of("demo", "kargo-viewer").await;
    let list = world.get("/projects/demo/targets", &token).await.json();
    assert_eq!((&list["kind"], names(&list)), (&json!("TargetList"), vec!["eu", "target", "us"]));
    let chosen = world.get("/projects/demo/targets?labelSelector=tier=eu", &token).await.json();
    assert_eq!(names(&chosen), ["eu"]);
    let one = world.get("/projects/demo/targets/eu", &token).await.json();
    assert_eq!(one["spec"]["params"]["region"], "eu");
    assert_eq!(world.get("/projects/demo/targets/none", &token).await.status, 404);
    let version = list["metadata"]["resourceVersion"].as_str().unwrap();
    let path = format!("/projects/demo/targets?watch=true&resourceVersion={version}");
    let mut watch = world.watch(&path, &token, &[]).await;
    world.apply(&format!("{KINDS}/targets"), &named("Target", "new", json!({}))).await;
    assert_eq!(watch.change().await, change("ADDED", "new"));
}

#[tokio::test]
async fn promotion_requests_are_found_by_their_stage_as_soon_as_they_are_made() {
    let mut many = crate::world::stage("demo", "many", "w");
    many["spec"]["targets"] = json!({"selectors": [{"matchLabels": {"tier": "eu"}}]});
    many["spec"]["promotionTemplate"] = json!({"spec": {"steps": [{"uses": "compose-output"}]}});
    let more = [many, named("Target", "eu", json!({}))];
    let world = World::start([table::objects(), more.to_vec()].concat()).await;
    let token = world.token_of("demo", "kargo-promoter").await;
    let path = "/projects/demo/stages/many/promotions";
    let made = world
        .send(Method::POST, path, Some(&token), &[], json!({"freight": "f1"}).to_string())
        .await;
    assert_eq!(made.status, 201, "{:?}", made.error());
    let name = made.json()["metadata"]["name"].as_str().unwrap().to_owned();
    let list = world.get("/projects/demo/promotion-requests?stage=many", &token).await.json();
    assert_eq!(names(&list), [name.as_str()]);
    let all = world.get("/projects/demo/promotion-requests", &token).await.json();
    assert_eq!((&all["kind"], names(&all).len()), (&json!("PromotionRequestList"), 2));
    let path = format!("/projects/demo/promotion-requests/{name}");
    let one = world.get(&path, &token).await.json();
    assert_eq!((&one["spec"]["stage"], &one["spec"]["freight"]), (&json!("many"), &json!("f1")));
    let mut watch = world.watch(&format!("{path}?watch=true"), &token, &[]).await;
    assert_eq!(watch.change().await, change("ADDED", &name));
    let status = json!({"status": {"phase": "Running"}});
    world.patch(&format!("{KINDS}/promotionrequests"), &format!("{name}/status"), status).await;
    assert_eq!(watch.change().await, change("MODIFIED", &name));
}

#[tokio::test]
async fn whoever_has_no_role_in_a_project_sees_neither() {
    let world = World::start(table::objects()).await;
    let token = world.token_of("kargo", "kargo-user").await;
    for path in ["targets", "targets/target", "promotion-requests", "promotion-requests/request"] {
        let reply = world.get(&format!("/projects/demo/{path}"), &token).await;
        assert_eq!(reply.status, 403, "{path}");
    }
}
