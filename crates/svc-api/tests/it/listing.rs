//! Lists in portions, of chosen objects, shown as far as somebody looks.

use serde_json::{Value, json};

use crate::world::{World, change, project, stage};

const STAGES: &str = "/apis/kargo.akuity.io/v1alpha1/namespaces/demo/stages";

async fn world() -> (World, String) {
    let mut objects = project("demo");
    for name in ["a", "b", "c", "d", "e"] {
        let mut stage = stage("demo", name, "w");
        let tier = if name < "c" { "test" } else { "live" };
        stage["metadata"]["labels"] = json!({ "tier": tier });
        objects.push(stage);
    }
    let world = World::start(objects).await;
    let token = world.admin().await;
    (world, token)
}

fn names(list: &Value) -> Vec<String> {
    let items = list["items"].as_array().unwrap().iter();
    items.map(|item| item["metadata"]["name"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn a_list_comes_in_portions() {
    let (world, token) = world().await;
    let get = async |query: &str| {
        world.get(&format!("/projects/demo/stages?{query}"), &token).await.json()
    };
    let first = get("limit=2").await;
    assert_eq!(names(&first), ["a", "b"]);
    assert_eq!(first["metadata"]["remainingItemCount"], 3);
    let more = first["metadata"]["continue"].as_str().unwrap();
    let second = get(&format!("limit=2&continue={more}")).await;
    assert_eq!(names(&second), ["c", "d"]);
    let more = second["metadata"]["continue"].as_str().unwrap();
    let last = get(&format!("limit=2&continue={more}")).await;
    assert_eq!((names(&last), &last["metadata"]["continue"]), (vec!["e".to_owned()], &Value::Null));
    let wrong = world.get("/projects/demo/stages?continue=x", &token).await;
    let text = "continue: \"x\" was not given out by this server";
    assert_eq!(wrong.error(), (400, text.to_owned()));
}

#[tokio::test]
async fn objects_are_chosen_by_labels_and_by_fields() {
    let (world, token) = world().await;
    for (query, expected) in [
        ("labelSelector=tier%3Dtest", vec!["a", "b"]),
        ("labelSelector=tier+notin+(test)&limit=1", vec!["c"]),
        ("fieldSelector=metadata.name%3Dd", vec!["d"]),
        ("fieldSelector=metadata.name!%3Dd&labelSelector=tier%3Dlive", vec!["c", "e"]),
    ] {
        let list = world.get(&format!("/projects/demo/stages?{query}"), &token).await.json();
        assert_eq!(names(&list), expected, "{query}");
    }
    let wrong = world.get("/projects/demo/stages?labelSelector=a+b", &token).await;
    assert_eq!(wrong.error().0, 400);
}

#[tokio::test]
async fn only_what_is_looked_at_is_sent() {
    let (world, token) = world().await;
    let path = "/projects/demo/stages?limit=1&fields=spec.requestedFreight.origin.name";
    let list = world.get(path, &token).await.json();
    let stage = &list["items"][0];
    assert_eq!(stage["spec"], json!({"requestedFreight": [{"origin": {"name": "w"}}]}));
    assert_eq!(stage["metadata"]["labels"], Value::Null);
    let card = world.get("/projects/demo/stages?limit=1&fields=card", &token).await.json();
    let metadata = &card["items"][0]["metadata"];
    assert_eq!(
        (&metadata["managedFields"], &metadata["labels"]["tier"]),
        (&Value::Null, &json!("test"))
    );
}

#[tokio::test]
async fn a_stream_is_about_what_is_chosen() {
    let (world, token) = world().await;
    let path = "/projects/demo/stages?watch=true&labelSelector=tier%3Dtest&fields=metadata.labels";
    let mut watch = world.watch(path, &token, &[]).await;
    assert_eq!(watch.change().await, change("ADDED", "a"));
    let frame = watch.frame().await.unwrap();
    assert!(!frame.data.contains("requestedFreight"), "{}", frame.data);
    world.patch(STAGES, "c", json!({"metadata": {"labels": {"tier": "test"}}})).await;
    assert_eq!(watch.change().await, change("ADDED", "c"));
}

#[tokio::test]
async fn freight_comes_in_portions_in_its_order() {
    let mut objects = project("demo");
    for (index, name) in ["c", "a", "b"].into_iter().enumerate() {
        objects.push(json!({"apiVersion": "kargo.akuity.io/v1alpha1", "kind": "Freight",
            "metadata": {"name": name, "namespace": "demo"}, "discoveredAt": format!("2026-01-0{}T00:00:00Z", index + 1),
            "origin": {"kind": "Warehouse", "name": "w"}, "images": [{"repoURL": "example.com/app", "tag": "v1"}]}));
    }
    let world = World::start(objects).await;
    let token = world.admin().await;
    let get = async |query: &str| {
        let reply = world.get(&format!("/projects/demo/freight?{query}"), &token).await.json();
        let items = reply["groups"][""]["items"].clone();
        (
            names(&json!({ "items": items })),
            reply["continue"].as_str().unwrap_or_default().to_owned(),
        )
    };
    let (first, more) = get("limit=2&reverse=true&fields=card").await;
    assert_eq!(first, ["b", "a"]);
    assert_eq!(
        get(&format!("limit=2&reverse=true&continue={more}")).await,
        (vec!["c".to_owned()], String::new())
    );
}

#[tokio::test]
async fn promotions_are_found_by_who_what_and_how() {
    let (world, token) = world().await;
    let path = "/apis/kargo.akuity.io/v1alpha1/namespaces/demo/promotions";
    for (name, freight, actor) in [("p1", "f1", "admin"), ("p2", "f2", "email:a@b.c")] {
        let promotion = json!({"apiVersion": "kargo.akuity.io/v1alpha1", "kind": "Promotion",
            "metadata": {"name": name, "namespace": "demo", "annotations": {"kargo.akuity.io/create-actor": actor}},
            "spec": {"stage": "a", "freight": freight, "steps": [{"uses": "fail"}]}});
        world.apply(path, &promotion).await;
    }
    let mut watch =
        world.watch("/projects/demo/promotions?watch=true&freight=f2", &token, &[]).await;
    assert_eq!(watch.change().await, change("ADDED", "p2"));
    for (query, expected) in [
        ("freight=f1", vec!["p1"]),
        ("actor=email:a@b.c", vec!["p2"]),
        ("phase=Running&phase=Failed", vec![]),
        ("since=2020-01-01T00:00:00Z&stage=a", vec!["p1", "p2"]),
        ("since=2999-01-01T00:00:00Z", vec![]),
    ] {
        let list = world.get(&format!("/projects/demo/promotions?{query}"), &token).await.json();
        assert_eq!(names(&list), expected, "{query}");
    }
    assert_eq!(world.get("/projects/demo/promotions?since=now", &token).await.error().0, 400);
}
