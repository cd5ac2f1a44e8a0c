//! What this server has beside upstream's routes.

use http::Method;
use serde_json::{Value, json};

use crate::world::{Reply, World, change, project, stage};

const KARGO: &str = "/apis/kargo.akuity.io/v1alpha1/namespaces/demo";

fn freight(name: &str) -> Value {
    json!({"apiVersion": "kargo.akuity.io/v1alpha1", "kind": "Freight",
        "metadata": {"name": name, "namespace": "demo"},
        "origin": {"kind": "Warehouse", "name": "w"},
        "images": [{"repoURL": "example.com/app", "tag": "v1"}]})
}

fn promotion(name: &str) -> Value {
    json!({"apiVersion": "kargo.akuity.io/v1alpha1", "kind": "Promotion",
        "metadata": {"name": name, "namespace": "demo"},
        "spec": {"stage": "dev", "freight": "f1", "steps": [{"uses": "fail", "as": "first"}]}})
}

async fn world() -> (World, String) {
    let mut objects = project("demo");
    objects.extend(project("other"));
    let mut prod = stage("demo", "prod", "w");
    prod["spec"]["requestedFreight"][0]["sources"] = json!({"stages": ["dev"]});
    objects.extend([stage("demo", "dev", "w"), prod, freight("f1"), promotion("p1")]);
    let world = World::start(objects).await;
    let token = world.admin().await;
    (world, token)
}

async fn post(world: &World, path: &str, token: &str, body: &Value) -> Reply {
    world.send(Method::POST, path, Some(token), &[], body.to_string()).await
}

#[tokio::test]
async fn one_stream_tells_of_several_kinds_and_goes_on_after_a_break() {
    let (world, token) = world().await;
    let path = "/projects/demo/stream?kinds=stages,freight&fields=card";
    let mut watch = world.watch(path, &token, &[]).await;
    let mut there = vec![watch.change().await, watch.change().await, watch.change().await];
    there.sort();
    assert_eq!(there, [change("ADDED", "dev"), change("ADDED", "f1"), change("ADDED", "prod")]);
    let bookmark = watch.frame().await.unwrap();
    assert!(bookmark.data.contains("BOOKMARK"), "{}", bookmark.data);
    world.apply(&format!("{KARGO}/freights"), &freight("f2")).await;
    let frame = watch.frame().await.unwrap();
    let id = frame.id.unwrap();
    assert!(id.contains("stages=") && id.contains("freights="), "{id}");
    assert!(
        frame.data.contains("\"f2\"") && !frame.data.contains("managedFields"),
        "{}",
        frame.data
    );
    drop(watch);
    world.apply(&format!("{KARGO}/stages"), &stage("demo", "uat", "w")).await;
    let mut again = world.watch(path, &token, &[("last-event-id", &id)]).await;
    let mut told = Vec::new();
    while told.is_empty() {
        let frame = again.frame().await.unwrap();
        if !frame.data.contains("BOOKMARK") {
            told.push(frame.data);
        }
    }
    assert!(told[0].contains("\"uat\""), "{told:?}");
    let wrong = world.get("/projects/demo/stream?kinds=secrets", &token).await;
    assert_eq!(wrong.error(), (400, "kinds: \"secrets\" cannot be followed".to_owned()));
}

#[tokio::test]
async fn a_stream_needs_the_right_to_watch_every_kind_of_it() {
    let (world, _) = world().await;
    let user = world.token_of("kargo", "kargo-user").await;
    assert_eq!(world.get("/projects/demo/stream", &user).await.status, 403);
}

#[tokio::test]
async fn the_gate_says_what_may_be_promoted_and_why_not() {
    let (world, token) = world().await;
    let path = "/projects/demo/eligibility";
    let all = post(&world, path, &token, &json!({})).await.json();
    let items = all["items"].as_array().unwrap();
    let told: Vec<(&str, bool)> = items
        .iter()
        .map(|item| (item["stage"].as_str().unwrap(), item["allowed"].as_bool().unwrap()))
        .collect();
    assert_eq!(told, [("dev", true), ("prod", false)]);
    let refused = items[1]["checks"].as_array().unwrap().iter();
    let refused: Vec<_> = refused.filter(|check| check["verdict"] == "refused").collect();
    assert_eq!(refused[0]["name"], "verified", "{refused:?}");
    let viewer = world.token_of("kargo", "kargo-viewer").await;
    let asked = json!({"freight": ["f1"], "stages": ["dev"]});
    let denied = post(&world, path, &viewer, &asked).await.json();
    assert_eq!(denied["items"][0]["allowed"], false, "{denied}");
    let missing = post(&world, path, &token, &json!({"freight": ["no"]})).await;
    assert_eq!(missing.status, 404);
}

#[tokio::test]
async fn everybody_may_ask_what_they_may_do() {
    let (world, _) = world().await;
    let viewer = world.token_of("kargo", "kargo-viewer").await;
    let asked = json!({"items": [
        {"verb": "list", "resource": "stages", "project": "demo"},
        {"verb": "promote", "resource": "stages", "project": "demo", "name": "dev"},
        {"verb": "get", "group": "", "resource": "secrets", "project": "demo"},
    ]});
    let answer = post(&world, "/access-review", &viewer, &asked).await.json();
    let allowed: Vec<_> =
        answer["items"].as_array().unwrap().iter().map(|item| item["allowed"].clone()).collect();
    assert_eq!(allowed, [true, false, false], "{answer}");
    assert!(answer["items"][1]["reason"].as_str().unwrap().contains("not permitted"), "{answer}");
    let empty = post(&world, "/access-review", &viewer, &json!({"items": [{}]})).await;
    assert_eq!(empty.status, 400);
}

#[tokio::test]
async fn activity_is_of_the_projects_that_one_may_look_into() {
    let (world, token) = world().await;
    for (namespace, name, minute) in [("demo", "e1", 1), ("demo", "e2", 3), ("other", "e3", 2)] {
        let event = json!({"apiVersion": "v1", "kind": "Event", "metadata": {"name": name, "namespace": namespace},
            "involvedObject": {"apiVersion": "kargo.akuity.io/v1alpha1", "kind": "Stage", "namespace": namespace, "name": "dev"},
            "reason": "PromotionCreated", "lastTimestamp": format!("2026-01-01T00:0{minute}:00Z")});
        world.apply(&format!("/api/v1/namespaces/{namespace}/events"), &event).await;
    }
    let names = async |query: &str, token: &str| {
        let list = world.get(&format!("/activity?{query}"), token).await.json();
        let items = list["items"].as_array().cloned().unwrap_or_default();
        let names: Vec<String> = items
            .iter()
            .map(|item| item["metadata"]["name"].as_str().unwrap().to_owned())
            .collect();
        (names, list["metadata"]["continue"].as_str().unwrap_or_default().to_owned())
    };
    for _ in 0..100 {
        if names("", &token).await.0.len() == 3 {
            break;
        }
        world.engine.clock().sleep(std::time::Duration::from_millis(20)).await;
    }
    let (first, more) = names("limit=2", &token).await;
    assert_eq!(first, ["e2", "e3"]);
    assert_eq!(names(&format!("limit=2&continue={more}"), &token).await.0, ["e1"]);
    assert_eq!(names("project=demo&kind=Stage", &token).await.0, ["e2", "e1"]);
    assert_eq!(
        names("since=2026-01-01T00:02:00Z&reason=PromotionCreated", &token).await.0,
        ["e2", "e3"]
    );
    let user = world.token_of("kargo", "kargo-user").await;
    assert_eq!(names("", &user).await.0, Vec::<String>::new());
    assert_eq!(world.get("/activity?project=demo", &user).await.status, 403);
}

#[tokio::test]
async fn the_overview_counts_what_one_may_see() {
    let (world, token) = world().await;
    let all = world.get("/overview", &token).await.json();
    let demo = &all["items"][0];
    assert_eq!((&demo["project"], &demo["stages"]["total"]), (&json!("demo"), &json!(2)), "{all}");
    assert_eq!(demo["promotions"], json!({"Pending": 1}));
    assert_eq!(all["items"][1]["project"], "other");
    let user = world.token_of("kargo", "kargo-user").await;
    assert_eq!(world.get("/overview", &user).await.json()["items"], json!([]));
}

#[tokio::test]
async fn what_a_step_told_is_read_with_the_promotion() {
    let (world, token) = world().await;
    let get = async |step: &str| {
        world.get(&format!("/projects/demo/promotions/p1/steps/{step}/logs"), &token).await
    };
    let text = "Promotion \"p1\" has no log of step \"0\" before the Promotion ends";
    assert_eq!(get("0").await.error(), (404, text.to_owned()));
    let log = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "p1.log"},
        "data": {"000-first.log": "one\ntwo\n"}});
    world.apply("/api/v1/namespaces/demo/configmaps", &log).await;
    for step in ["0", "first"] {
        let reply = get(step).await;
        assert_eq!(
            (reply.status.as_u16(), &*reply.body),
            (200, b"one\ntwo\n".as_slice()),
            "{step}"
        );
        assert_eq!(reply.header("content-type"), "text/plain; charset=utf-8");
    }
    let user = world.token_of("kargo", "kargo-user").await;
    let path = "/projects/demo/promotions/p1/steps/0/logs";
    assert_eq!(world.get(path, &user).await.status, 403);
}

#[tokio::test]
async fn a_dry_run_checks_everything_and_changes_nothing() {
    let (world, token) = world().await;
    let stage = stage("demo", "dry", "w");
    let dry = post(&world, "/resources?dryRun=all", &token, &stage).await;
    assert_eq!(dry.status, 201, "{:?}", dry.error());
    let made = &dry.json()["results"][0]["createdResourceManifest"];
    assert_eq!(made["metadata"]["name"], "dry");
    assert_eq!(world.get("/projects/demo/stages/dry", &token).await.status, 404);
    let mut wrong = stage;
    wrong["spec"]["requestedFreight"] = json!(5);
    assert_eq!(post(&world, "/resources?dryRun=all", &token, &wrong).await.status, 422);
    let odd = post(&world, "/resources?dryRun=some", &token, &wrong).await;
    assert_eq!(odd.error(), (400, "dryRun: only \"all\" is known".to_owned()));
    let existing = crate::world::stage("demo", "dev", "other").to_string();
    let updated =
        world.send(Method::PUT, "/resources?dryRun=all", Some(&token), &[], existing.clone()).await;
    assert_eq!(updated.status, 200, "{:?}", updated.error());
    let gone =
        world.send(Method::DELETE, "/resources?dryRun=all", Some(&token), &[], existing).await;
    assert_eq!(gone.status, 200, "{:?}", gone.error());
    let dev = world.get("/projects/demo/stages/dev", &token).await.json();
    assert_eq!(dev["spec"]["requestedFreight"][0]["origin"]["name"], "w");
}

#[tokio::test]
async fn the_document_of_the_api_is_there_for_everybody() {
    let (world, _) = world().await;
    let reply = world.send_raw(Method::GET, "/openapi.json", None, &[], "").await;
    let document = reply.json();
    assert_eq!(document["openapi"], "3.1.0");
    assert!(document["paths"]["/v1beta1/projects/{project}/stages"]["get"].is_object());
    assert!(reply.header("etag").starts_with("W/"), "{}", reply.header("etag"));
}
