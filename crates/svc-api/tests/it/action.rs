//! What people do: promote, approve, verify again, abort.

use http::Method;
use serde_json::{Value, json};

use crate::world::{Reply, World, project, stage};

fn freight(name: &str, alias: &str) -> Value {
    json!({"apiVersion": "kargo.akuity.io/v1alpha1", "kind": "Freight",
        "metadata": {"name": name, "namespace": "demo", "labels": {"kargo.akuity.io/alias": alias}},
        "alias": alias, "origin": {"kind": "Warehouse", "name": "w"},
        "images": [{"repoURL": "example.com/app", "tag": "v1"}]})
}

/// A Stage that takes Freight of the Warehouse, and one behind it.
async fn world() -> (World, String) {
    let mut objects = project("demo");
    let steps = json!({"spec": {"steps": [{"uses": "compose-output"}]}});
    let mut dev = stage("demo", "dev", "w");
    dev["spec"]["promotionTemplate"] = steps.clone();
    let mut prod = stage("demo", "prod", "w");
    prod["spec"]["promotionTemplate"] = steps;
    prod["spec"]["requestedFreight"][0]["sources"] = json!({"stages": ["dev"]});
    objects.extend([dev, prod, freight("f1", "red-fox")]);
    let world = World::start(objects).await;
    let token = world.admin().await;
    (world, token)
}

async fn post(world: &World, path: &str, token: &str, body: &Value) -> Reply {
    world.send(Method::POST, path, Some(token), &[], body.to_string()).await
}

#[tokio::test]
async fn a_refusal_of_the_promotion_comes_through_with_its_status() {
    let (world, token) = world().await;
    let path = "/projects/demo/stages/dev/promotions";
    // Nobody here fills in the steps, which is for admission to do.
    for body in [json!({"freight": "f1"}), json!({"freightAlias": "red-fox"})] {
        let (code, text) = post(&world, path, &token, &body).await.error();
        assert_eq!(code, 422, "{text}");
        assert!(text.contains("spec.steps"), "{text}");
    }
}

#[tokio::test]
async fn what_cannot_be_promoted_is_told() {
    let (world, token) = world().await;
    let dev = "/projects/demo/stages/dev/promotions";
    let one = "exactly one of freight, freightAlias, or origin must be provided";
    for (path, body, code, text) in [
        (dev, json!({}), 400, one),
        (dev, json!({"freight": "f1", "origin": "Warehouse/w"}), 400, one),
        (dev, json!({"freight": "no"}), 404, "Freight \"no\" not found in project \"demo\""),
        (
            dev,
            json!({"freightAlias": "no"}),
            404,
            "Freight with alias \"no\" not found in project \"demo\"",
        ),
        (
            "/projects/demo/stages/no/promotions",
            json!({"freight": "f1"}),
            404,
            "Stage \"no\" not found in project \"demo\"",
        ),
        (
            "/projects/demo/stages/prod/promotions",
            json!({"freight": "f1"}),
            400,
            "Freight \"f1\" is not available to Stage \"prod\"",
        ),
        (
            "/projects/demo/stages/prod/promotions/downstream",
            json!({"freight": "f1"}),
            404,
            "Stage \"prod\" has no downstream stages",
        ),
        ("/projects/demo/stages/dev/verification", json!({}), 409, "stage has no current freight"),
    ] {
        assert_eq!(
            post(&world, path, &token, &body).await.error(),
            (code, text.to_owned()),
            "{path}"
        );
    }
    let empty = world.send(Method::POST, dev, Some(&token), &[], "").await;
    assert_eq!(empty.error(), (400, "EOF".to_owned()));
}

#[tokio::test]
async fn an_approval_opens_a_stage_and_is_given_once() {
    let (world, token) = world().await;
    let path = "/projects/demo/freight/red-fox/approve";
    let missing = post(&world, path, &token, &json!({})).await;
    assert_eq!(missing.error(), (400, "stage query parameter is required".to_owned()));
    for _ in 0..2 {
        let done = post(&world, &format!("{path}?stage=prod"), &token, &json!({})).await;
        assert_eq!((done.status.as_u16(), done.body.len()), (200, 0), "{:?}", done.error());
    }
    let approved = world.get("/projects/demo/freight/f1", &token).await.json();
    assert!(approved["status"]["approvedFor"]["prod"]["approvedAt"].is_string(), "{approved}");
    let path = "/projects/demo/stages/dev/promotions/downstream";
    let promoted = post(&world, path, &token, &json!({"freight": "f1"})).await;
    // The Freight is available, and what each Stage came to is told.
    assert_eq!(promoted.status, 207, "{:?}", promoted.error());
    assert_eq!(promoted.json()["promotions"], json!([]));
    assert!(promoted.json()["errors"].as_str().unwrap().contains("spec.steps"));
}

#[tokio::test]
async fn a_promotion_is_asked_to_abort() {
    let (world, token) = world().await;
    let promotion = json!({"apiVersion": "kargo.akuity.io/v1alpha1", "kind": "Promotion",
        "metadata": {"name": "p1", "namespace": "demo"},
        "spec": {"stage": "dev", "freight": "f1", "steps": [{"uses": "compose-output"}]}});
    let path = "/apis/kargo.akuity.io/v1alpha1/namespaces/demo/promotions";
    world.apply(path, &promotion).await;
    let name = "p1";
    for _ in 0..100 {
        if world.get("/projects/demo/promotions/p1", &token).await.status == 200 {
            break;
        }
        world.engine.clock().sleep(std::time::Duration::from_millis(20)).await;
    }
    let path = format!("/projects/demo/promotions/{name}");
    assert_eq!(post(&world, &format!("{path}/abort"), &token, &json!({})).await.status, 200);
    let aborted = world.get(&path, &token).await.json();
    let request = aborted["metadata"]["annotations"]["kargo.akuity.io/abort"].as_str().unwrap();
    assert!(request.contains("\"actor\":\"admin\""), "{request}");
}
