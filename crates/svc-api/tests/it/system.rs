//! What concerns the whole installation.

use serde_json::{Value, json};

use crate::world::{World, project};

fn announcement(namespace: &str, name: &str, label: &str, data: Value) -> Value {
    json!({"apiVersion": "v1", "kind": "ConfigMap", "data": data, "metadata": {"namespace": namespace,
        "name": name, "labels": {"kargo.akuity.io/announcement": label}}})
}

#[tokio::test]
async fn announcements_of_operators_are_for_everybody_with_a_login() {
    const SYSTEM: &str = "kargo-system-resources";
    let objects = vec![
        announcement(
            SYSTEM,
            "freeze",
            "true",
            json!({"message": "No releases this week.", "severity": "warning", "link": "https://wiki.example.com/freeze"}),
        ),
        announcement(
            SYSTEM,
            "outage",
            "true",
            json!({"message": "Git is down.", "severity": "critical"}),
        ),
        announcement(
            SYSTEM,
            "old",
            "true",
            json!({"message": "Welcome.", "until": "2020-01-01T00:00:00Z"}),
        ),
        announcement(SYSTEM, "draft", "false", json!({"message": "Not yet."})),
        // Whoever may write in a Project speaks to its people at most.
        announcement(
            "demo",
            "mine",
            "true",
            json!({"message": "Click here.", "severity": "critical"}),
        ),
    ];
    let world = World::start([project("demo"), objects].concat()).await;
    let token = world.token_of("kargo", "kargo-user").await;
    let told = world.get("/system/announcements", &token).await;
    assert_eq!(
        told.json(),
        json!({"items": [
            {"name": "outage", "severity": "critical", "message": "Git is down."},
            {"name": "freeze", "severity": "warning", "message": "No releases this week.",
                "link": "https://wiki.example.com/freeze"},
        ]}),
        "{:?}",
        told.error()
    );
}

#[tokio::test]
async fn schemas_of_kinds_steps_and_subscriptions_are_there_for_editors() {
    let world = World::start(vec![]).await;
    let token = world.token_of("kargo", "kargo-user").await;
    let reply = world.get("/system/schemas", &token).await;
    let schemas = reply.json();
    for pointer in [
        "/kinds/Stage/properties/spec/properties/requestedFreight",
        "/steps/git-clone/properties/repoURL",
        "/subscriptions/image/properties/imageSelectionStrategy",
    ] {
        assert!(schemas.pointer(pointer).is_some(), "{pointer}");
    }
    let etag = reply.header("etag").to_owned();
    let again = world
        .send(http::Method::GET, "/system/schemas", Some(&token), &[("if-none-match", &etag)], "")
        .await;
    assert_eq!((again.status.as_u16(), again.body.len()), (304, 0));
}

#[tokio::test]
async fn only_leases_of_the_installation_are_heartbeats() {
    const LABEL: &str = "kargo.akuity.io/controller";
    let lease = |namespace: &str, name: &str, labels: Value| {
        json!({"apiVersion": "coordination.k8s.io/v1", "kind": "Lease",
            "metadata": {"namespace": namespace, "name": name, "labels": labels},
            "spec": {"leaseDurationSeconds": 20, "renewTime": "2020-01-01T00:00:00.000000Z"}})
    };
    let leases = vec![
        lease("kargo", "main", json!({LABEL: ""})),
        lease("kargo", "unlabeled", json!({})),
        lease("demo", "elsewhere", json!({LABEL: "forged"})),
    ];
    let world = World::start([project("demo"), leases].concat()).await;
    let token = world.token_of("kargo", "kargo-user").await;
    let told = world.get("/system/controller-heartbeats", &token).await.json();
    let names: Vec<&String> = told["heartbeats"].as_object().unwrap().keys().collect();
    assert_eq!(names, [""], "{told}");
    assert_eq!(told["heartbeats"][""]["status"], "Dead");
}
