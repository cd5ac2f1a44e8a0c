//! Cases that are easily got wrong.

use std::time::Duration;

use dev_testkit::engine::Engine;
use http::Method;
use serde_json::{Value, json};

use crate::{
    connection::failure,
    provider::Provider,
    table,
    world::{Reply, World, change, patient, project, stage},
};

const KARGO: &str = "kargo.akuity.io/v1alpha1";

async fn post(world: &World, path: &str, token: &str, body: &Value) -> Reply {
    world.send(Method::POST, path, Some(token), &[], body.to_string()).await
}

#[tokio::test]
async fn keys_of_dex_are_read_inside_the_cluster_whatever_people_call_it() {
    let outside = Engine::start().await.unwrap();
    let provider =
        Provider::behind(&outside, Some("https://kargo.example.com"), "/teams/kargo/dex").await;
    let variables = [
        ("API_BASE_PATH", "/teams/kargo"),
        ("OIDC_ENABLED", "true"),
        ("OIDC_ISSUER_URL", provider.issuer.as_str()),
        ("OIDC_CLIENT_ID", "web"),
        ("DEX_ENABLED", "true"),
        ("DEX_SERVER_ADDRESS", provider.address.as_str()),
    ];
    let world = World::with(&variables, project("demo")).await;
    let now = world.engine.clock().now().as_seconds();
    let token =
        provider.sign(&json!({"iss": provider.issuer, "aud": "web", "sub": "u", "exp": now + 600}));
    // Known, and without a role.
    assert_eq!(world.get("/projects/demo/stages", &token).await.status, 403);
    // People reach it by the address of the server.
    let path = "/teams/kargo/dex/.well-known/openid-configuration";
    let reply = world.send_raw(Method::GET, path, None, &[], "").await;
    assert_eq!((reply.status.as_u16(), &reply.json()["issuer"]), (200, &json!(provider.issuer)));
    assert_eq!(reply.header("content-security-policy"), "", "its pages are its own");
    let outside_of_it = world.send_raw(Method::GET, "/dex/keys", None, &[], "").await;
    assert_eq!(outside_of_it.status, 404);
}

#[tokio::test]
async fn who_creates_is_written_by_the_server_for_projects_and_promotions_alone() {
    const ACTOR: &str = "kargo.akuity.io/create-actor";
    let world = World::start(table::objects()).await;
    let token = world.admin().await;
    let metadata =
        json!({"name": "made", "namespace": "demo", "annotations": {ACTOR: "somebody:else"}});
    let made = [
        json!({"apiVersion": KARGO, "kind": "Project", "metadata": {"name": "made", "annotations": {ACTOR: "x:y"}}}),
        json!({"apiVersion": KARGO, "kind": "Promotion", "metadata": metadata,
            "spec": {"stage": "qa", "freight": "f1", "steps": [{"uses": "compose-output"}]}}),
        json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata}),
    ];
    let reply = post(&world, "/resources", &token, &json!(made)).await;
    let actors: Vec<Value> = reply.json()["results"]
        .as_array()
        .unwrap()
        .iter()
        .map(|result| result["createdResourceManifest"]["metadata"]["annotations"][ACTOR].clone())
        .collect();
    assert_eq!(actors, ["admin", "somebody:else", "admin"], "{}", reply.json());
}

#[tokio::test]
async fn new_freight_is_told_and_nothing_else_is() {
    let world = World::start(table::objects()).await;
    let token = world.admin().await;
    let freight = json!({"apiVersion": KARGO, "kind": "Freight", "metadata": {"namespace": "demo", "name": "f2"},
        "origin": {"kind": "Warehouse", "name": "w"}, "images": [{"repoURL": "example.com/a", "tag": "v2"}]});
    let task = json!({"apiVersion": KARGO, "kind": "PromotionTask",
        "metadata": {"namespace": "demo", "name": "t2"}, "spec": {"steps": [{"uses": "compose-output"}]}});
    let reply = post(&world, "/resources", &token, &json!([task, freight])).await;
    assert_eq!(reply.status, 201, "{}", reply.json());
    let events = patient(async {
        loop {
            let events = world.get("/projects/demo/events", &token).await.json();
            if !events["items"].as_array().unwrap().is_empty() {
                return events;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    })
    .await;
    let told: Vec<(&str, &str)> = events["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|event| (event["reason"].as_str().unwrap(), event["message"].as_str().unwrap()))
        .collect();
    assert_eq!(told, [("FreightCreated", "Freight created by \"admin\"")]);
}

#[tokio::test]
async fn freight_is_made_even_if_nobody_can_be_told() {
    const EVENTS: &str = "POST /api/v1/namespaces/demo/events";
    let world = World::start(table::objects()).await;
    let token = world.admin().await;
    world.connection.answer(EVENTS, std::iter::repeat_n(failure(500), 100));
    let freight = json!({"apiVersion": KARGO, "kind": "Freight", "metadata": {"namespace": "demo", "name": "f2"},
        "origin": {"kind": "Warehouse", "name": "w"}, "images": [{"repoURL": "example.com/a", "tag": "v2"}]});
    let reply = post(&world, "/resources", &token, &freight).await;
    assert_eq!(reply.status, 201, "{}", reply.json());
    let result = &reply.json()["results"][0];
    assert_eq!(result["createdResourceManifest"]["metadata"]["name"], "f2", "{result}");
    assert_eq!(world.get("/projects/demo/freight/f2", &token).await.status, 200);
    patient(async {
        while world.connection.count(EVENTS) == 0 {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    })
    .await;
}

#[tokio::test]
async fn who_may_not_list_is_refused_before_anything_is_read() {
    let rules = json!([{"apiGroups": ["kargo.akuity.io"], "verbs": ["get", "watch"],
        "resources": ["stages", "warehouses", "promotions", "freights"]}]);
    let world =
        World::start([table::objects(), table::role("demo", "watcher", &rules)].concat()).await;
    let token = world.token_of("demo", "watcher").await;
    let before = world.connection.seen().len();
    // From memory, then live.
    for list in
        ["stages", "warehouses", "promotions", "freight", "generic-credentials", "configmaps"]
    {
        for project in ["demo", "absent"] {
            let reply = world.get(&format!("/projects/{project}/{list}"), &token).await;
            let (code, text) = reply.error();
            assert_eq!(code, 403, "{list}: {text}");
            assert!(text.contains("list is not permitted"), "{list}: {text}");
        }
    }
    let asked = world.connection.seen().split_off(before);
    let is_question = |request: &String| {
        request.ends_with("/subjectaccessreviews") || request.ends_with("/tokenreviews")
    };
    assert!(!asked.is_empty() && asked.iter().all(is_question), "{asked:?}");
    let mut watch = world.watch("/projects/demo/warehouses?watch=true", &token, &[]).await;
    assert_eq!(watch.change().await, change("ADDED", "w"));
}

#[tokio::test]
async fn a_token_is_waited_for_until_it_is_signed_but_not_when_it_is_gone() {
    const READ: &str = "GET /api/v1/namespaces/demo/secrets/";
    let world = World::start(table::objects()).await;
    let token = world.admin().await;
    let path = "/projects/demo/roles/builder/api-tokens";
    let unsigned = (
        200,
        json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"namespace": "demo", "name": "late"}}),
    );
    let late = format!("{READ}late");
    let answers = [unsigned, failure(500), failure(429), failure(503), failure(504)];
    let tries = answers.len() + 1;
    world.connection.answer(&late, answers);
    let made = post(&world, path, &token, &json!({"name": "late"})).await;
    assert_eq!(made.status, 201, "{:?}", made.error());
    assert!(!made.json()["data"]["token"].as_str().unwrap_or_default().is_empty());
    assert_eq!(world.connection.count(&late), tries);
    for (name, code) in [("gone", 404), ("denied", 403)] {
        let read = format!("{READ}{name}");
        world.connection.answer(&read, [failure(code)]);
        let reply = post(&world, path, &token, &json!({"name": name})).await;
        assert_eq!(reply.status.as_u16(), code, "{:?}", reply.error());
        assert_eq!(world.connection.count(&read), 1, "{name}");
    }
}

#[tokio::test]
async fn stages_are_found_by_a_warehouse_whose_freight_comes_by_other_stages() {
    let mut behind = stage("demo", "behind", "w");
    behind["spec"]["requestedFreight"][0]["sources"] = json!({"stages": ["qa"]});
    let mut objects = project("demo");
    objects.extend([stage("demo", "qa", "w"), behind, stage("demo", "else", "other")]);
    let world = World::start(objects).await;
    let token = world.admin().await;
    let list = world.get("/projects/demo/stages?freightOrigins=w", &token).await.json();
    let names: Vec<&Value> =
        list["items"].as_array().unwrap().iter().map(|stage| &stage["metadata"]["name"]).collect();
    assert_eq!(names, ["behind", "qa"]);
}

/// A Stage whose Promotions go to Targets, and one behind it.
fn with_targets() -> Vec<Value> {
    let mut many = stage("demo", "many", "w");
    many["spec"]["targets"] = json!({"selectors": [{"matchLabels": {"tier": "edge"}}]});
    many["spec"]["promotionTemplate"] = json!({"spec": {"steps": [{"uses": "compose-output"}]}});
    let mut behind = many.clone();
    behind["metadata"]["name"] = json!("behind");
    behind["spec"]["requestedFreight"][0]["sources"] = json!({"stages": ["qa"]});
    let target = json!({"apiVersion": KARGO, "kind": "Target",
        "metadata": {"namespace": "demo", "name": "t1", "labels": {"tier": "edge"}}, "spec": {}});
    [table::objects(), vec![many, behind, target]].concat()
}

#[tokio::test]
async fn the_same_freight_is_asked_for_again_as_often_as_somebody_asks() {
    let world = World::start(with_targets()).await;
    let token = world.admin().await;
    let mut names = Vec::new();
    for _ in 0..2 {
        let path = "/projects/demo/stages/many/promotions";
        let reply = post(&world, path, &token, &json!({"freight": "f1"})).await;
        assert_eq!(reply.status, 201, "{:?}", reply.error());
        assert_eq!(reply.json()["kind"], "PromotionRequest");
        assert_eq!(reply.json()["spec"]["targets"].as_array().map(Vec::len), Some(1));
        names.push(reply.json()["metadata"]["name"].as_str().unwrap().to_owned());
    }
    assert_ne!(names[0], names[1]);
}

#[tokio::test]
async fn stages_with_targets_behind_a_stage_get_requests() {
    let world = World::start(with_targets()).await;
    let token = world.admin().await;
    world
        .patch(
            "/apis/kargo.akuity.io/v1alpha1/namespaces/demo/freights",
            "f1/status",
            json!({"status": {"verifiedIn": {"qa": {"verifiedAt": "2024-01-01T00:00:00Z"}}}}),
        )
        .await;
    // The one without Targets is not there to get a Promotion.
    let gone =
        world.send(Method::DELETE, "/projects/demo/stages/prod", Some(&token), &[], "").await;
    assert_eq!(gone.status, 204);
    let path = "/projects/demo/stages/qa/promotions/downstream";
    let reply = patient(async {
        loop {
            let reply = post(&world, path, &token, &json!({"freight": "f1"})).await;
            if reply.status != 400 {
                return reply;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    })
    .await;
    assert_eq!(reply.status, 201, "{:?}", reply.error());
    assert_eq!(reply.json()["promotions"], json!([]));
    assert_eq!(reply.json()["promotionRequests"].as_array().map(Vec::len), Some(1));
}
