//! The administrator.

use http::Method;
use serde_json::json;

use crate::world::{PASSWORD, World};

async fn log_in(world: &World, authorization: Option<&str>) -> (u16, String) {
    let headers: Vec<_> = authorization.map(|value| ("authorization", value)).into_iter().collect();
    world.send(Method::POST, "/login", None, &headers, "").await.error()
}

#[tokio::test]
async fn the_password_opens_and_nothing_else_does() {
    let world = World::start(vec![]).await;
    let token = world.admin().await;
    assert_eq!(world.get("/projects", &token).await.status, 200);
    // A token without the word before it works, too.
    let bare = [("authorization", token.as_str())];
    assert_eq!(world.send(Method::GET, "/projects", None, &bare, "").await.status, 200);
    let form = "Authorization header must be in format 'Bearer <password>'".to_owned();
    assert_eq!(log_in(&world, None).await, (400, "Authorization header is required".to_owned()));
    assert_eq!(log_in(&world, Some("Basic x")).await, (400, form.clone()));
    assert_eq!(log_in(&world, Some(PASSWORD)).await, (400, form));
    assert_eq!(log_in(&world, Some("Bearer wrong")).await, (403, "invalid password".to_owned()));
}

#[tokio::test]
async fn guessing_is_made_slow() {
    let world = World::start(vec![]).await;
    for _ in 0..5 {
        assert_eq!(log_in(&world, Some("Bearer wrong")).await.0, 403);
    }
    let right = format!("Bearer {PASSWORD}");
    let headers = [("authorization", right.as_str())];
    let refused = world.send(Method::POST, "/login", None, &headers, "").await;
    assert_eq!(refused.status, 429);
    assert!(!refused.header("retry-after").is_empty());
}

#[tokio::test]
async fn bad_tokens_are_all_the_same() {
    let world = World::start(vec![]).await;
    let token = world.admin().await;
    let (head, _) = token.rsplit_once('.').unwrap();
    let unsigned = format!("{head}.");
    for bad in ["opaque", "a.b.c", &unsigned, &format!("{token}x")] {
        let reply = world.get("/projects", bad).await;
        assert_eq!(reply.error(), (401, "invalid token".to_owned()), "{bad}");
    }
    let none = world.send(Method::GET, "/projects", None, &[], "").await;
    assert_eq!(none.error(), (401, "no token provided".to_owned()));
}

#[tokio::test]
async fn how_to_log_in_is_told_to_anybody_and_the_rest_is_not() {
    let world = World::start(vec![]).await;
    let public = world.send(Method::GET, "/system/public-server-config", None, &[], "").await;
    assert_eq!(public.json(), json!({"adminAccountEnabled": true, "skipAuth": false}));
    for path in ["/system/server-config", "/system/server-version"] {
        assert_eq!(world.send(Method::GET, path, None, &[], "").await.status, 401, "{path}");
    }
}
