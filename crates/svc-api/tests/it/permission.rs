//! Logins of Kubernetes, and what they may do.

use http::Method;
use serde_json::Value;

use crate::world::{World, project, stage};

async fn world() -> World {
    let mut objects = project("demo");
    objects.push(stage("demo", "qa", "w"));
    World::start(objects).await
}

#[tokio::test]
async fn a_service_account_has_its_own_rights() {
    let world = world().await;
    let viewer = world.token_of("kargo", "kargo-viewer").await;
    assert_eq!(world.get("/projects/demo/stages/qa", &viewer).await.status, 200);
    let refused =
        world.send(Method::DELETE, "/projects/demo/stages/qa", Some(&viewer), &[], "").await;
    let text = "review subject access: stages.kargo.akuity.io \"qa\" is forbidden: \
                delete is not permitted";
    assert_eq!(refused.error(), (403, text.to_owned()));
    let admin = world.token_of("kargo", "kargo-admin").await;
    let gone = world.send(Method::DELETE, "/projects/demo/stages/qa", Some(&admin), &[], "").await;
    assert_eq!((gone.status.as_u16(), gone.body.len()), (204, 0));
    // What was written is seen by the next who reads.
    assert_eq!(world.get("/projects/demo/stages/qa", &viewer).await.status, 404);
}

#[tokio::test]
async fn refresh_is_for_those_who_may_see() {
    let world = world().await;
    let viewer = world.token_of("kargo", "kargo-viewer").await;
    let user = world.token_of("kargo", "kargo-user").await;
    let path = "/projects/demo/stages/qa/refresh";
    assert_eq!(world.send(Method::POST, path, Some(&user), &[], "").await.status, 403);
    let done = world.send(Method::POST, path, Some(&viewer), &[], "").await;
    assert_eq!((done.status.as_u16(), done.body.len()), (200, 0));
    let seen = world.get("/projects/demo/stages/qa", &viewer).await.json();
    let annotation = seen["metadata"]["annotations"]["kargo.akuity.io/refresh"].clone();
    assert!(matches!(annotation, Value::String(_)), "{seen}");
    let absent =
        world.send(Method::POST, "/projects/demo/stages/no/refresh", Some(&viewer), &[], "");
    let text = "stages.kargo.akuity.io \"no\" not found";
    assert_eq!(absent.await.error(), (404, text.to_owned()));
}

#[tokio::test]
async fn a_name_cannot_lead_to_another_object() {
    let world = world().await;
    let admin = world.token_of("kargo", "kargo-admin").await;
    let path = "/projects/demo/stages/..%2Fwarehouses%2Fw";
    let reply = world.send(Method::DELETE, path, Some(&admin), &[], "").await;
    assert_eq!(reply.status, 404);
}
