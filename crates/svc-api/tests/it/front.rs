//! What happens to every request, whatever its route.

use http::Method;

use crate::world::{World, project};

#[tokio::test]
async fn health_is_told_to_anybody_and_in_no_other_way_than_by_reading() {
    let world = World::start(vec![]).await;
    for path in ["/healthz", "/livez", "/readyz"] {
        let reply = world.send_raw(Method::GET, path, None, &[], "").await;
        assert_eq!((reply.status.as_u16(), &*reply.body), (200, b"ok".as_slice()), "{path}");
        let posted = world.send_raw(Method::POST, path, None, &[], "").await;
        assert_eq!((posted.status.as_u16(), posted.header("allow")), (405, "GET, HEAD"), "{path}");
    }
    world.serving.stop();
    let stopping = world.send_raw(Method::GET, "/readyz", None, &[], "").await;
    assert_eq!(stopping.status.as_u16(), 503);
}

#[tokio::test]
async fn a_base_path_is_before_everything_but_health() {
    let world = World::with(&[("API_BASE_PATH", "/teams/kargo/")], vec![]).await;
    let get = async |path: &str| world.send_raw(Method::GET, path, None, &[], "").await;
    let config = "/v1beta1/system/public-server-config";
    assert_eq!(get(&format!("/teams/kargo{config}")).await.status, 200);
    assert_eq!(get(config).await.status, 404);
    assert_eq!(get("/healthz").await.status, 200);
    assert_eq!(get("/teams/kargo/healthz").await.status, 200);
    let edge = get("/teams/kargo?a=b").await;
    assert_eq!((edge.status.as_u16(), edge.header("location")), (301, "/teams/kargo/?a=b"));
}

#[tokio::test]
async fn a_command_line_of_another_age_is_warned_with_every_answer() {
    let world = World::start(vec![]).await;
    let ask = async |version: &str| {
        let headers = [("x-kargo-cli-version", version)];
        let reply = world.send(Method::GET, "/nowhere", None, &headers, "").await;
        reply.header("x-kargo-warning").to_owned()
    };
    let warning = ask("v1.9.0").await;
    assert!(
        warning.starts_with("the command line is v1.9.0 and the server is v1.2.3"),
        "{warning}"
    );
    for version in ["v1.3.0", "v1.1.7", "devel+unknown"] {
        assert_eq!(ask(version).await, "", "{version}");
    }
    let reply = world.send(Method::GET, "/nowhere", None, &[], "").await;
    assert_eq!(reply.header("x-kargo-warning"), "");
}

#[tokio::test]
async fn an_unknown_route_is_told_in_json_to_those_who_are_logged_in() {
    let world = World::start(vec![]).await;
    let token = world.admin().await;
    let reply = world.get("/nowhere", &token).await;
    assert_eq!(reply.error(), (404, "there is no such route".to_owned()));
    assert_eq!(reply.json()["code"], "NotFound");
    assert_eq!(reply.json()["requestId"], reply.header("x-request-id"));
    let stranger = world.send(Method::GET, "/nowhere", None, &[], "").await;
    assert_eq!(stranger.error(), (401, "no token provided".to_owned()));
}

#[tokio::test]
async fn a_wrong_method_is_told_with_the_right_ones() {
    let world = World::start(vec![]).await;
    let token = world.admin().await;
    let reply = world.send(Method::PUT, "/projects", Some(&token), &[], "").await;
    assert_eq!(reply.error(), (405, "method not allowed".to_owned()));
    assert!(reply.header("allow").contains("GET"), "{}", reply.header("allow"));
}

#[tokio::test]
async fn a_slash_at_the_end_changes_nothing() {
    let world = World::start(project("demo")).await;
    let token = world.admin().await;
    assert_eq!(world.get("/projects/demo/", &token).await.status, 200);
    assert_eq!(world.get("/projects/", &token).await.status, 200);
}

#[tokio::test]
async fn a_body_over_the_limit_is_refused_on_every_path() {
    let world = World::start(vec![]).await;
    let large = vec![b'x'; 1024 * 1024 + 1];
    for path in ["/login", "/projects/demo/roles"] {
        let reply = world.send(Method::POST, path, None, &[], large.clone()).await;
        assert_eq!(reply.error(), (413, "request body too large".to_owned()), "{path}");
    }
}

#[tokio::test]
async fn requests_are_named_and_answers_are_protected() {
    let world = World::start(vec![]).await;
    let path = "/system/public-server-config";
    let named = world.send(Method::GET, path, None, &[("x-request-id", "abc-1")], "").await;
    assert_eq!(named.header("x-request-id"), "abc-1");
    assert_eq!(named.header("x-content-type-options"), "nosniff");
    assert_eq!(named.header("x-frame-options"), "DENY");
    assert_eq!(named.header("access-control-allow-origin"), "");
    let odd = world.send(Method::GET, path, None, &[("x-request-id", "a b")], "").await;
    assert_eq!(odd.header("x-request-id").len(), 36);
}

#[tokio::test]
async fn other_origins_are_let_in_only_when_asked_for() {
    let world = World::with(&[("PERMISSIVE_CORS_POLICY_ENABLED", "true")], vec![]).await;
    let headers = [("origin", "https://a.example"), ("access-control-request-method", "PATCH")];
    let asked = world.send(Method::OPTIONS, "/projects", None, &headers, "").await;
    assert_eq!(asked.status, 204);
    assert_eq!(asked.header("access-control-allow-origin"), "*");
    assert!(asked.header("access-control-allow-methods").contains("PATCH"));
}
