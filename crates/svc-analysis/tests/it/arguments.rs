//! Arguments from Secrets.

use serde_json::{Value, json};

use crate::{
    server::Server,
    world::{World, verdict},
};

fn spec(url: &str, secret: &str, key: &str) -> Value {
    let metric = json!({
        "name": "m", "successCondition": "result.ok", "consecutiveErrorLimit": 0,
        "provider": {"web": {
            "url": url, "headers": [{"key": "Authorization", "value": "Bearer {{args.token}}"}],
        }},
    });
    let reference = json!({"secretKeyRef": {"name": secret, "key": key}});
    json!({"metrics": [metric], "args": [{"name": "token", "valueFrom": reference}]})
}

#[tokio::test]
async fn the_value_of_a_secret_is_sent_and_never_shown() {
    let (world, server) = (World::start(&[]).await, Server::start().await);
    world.secret("login", json!({}), json!({"token": "hunter2-token"})).await;
    server.answer("/ok", &[(200, r#"{"ok": true, "you": "Bearer hunter2-token"}"#)]);
    world.create("r", spec(&server.url("/ok"), "login", "token")).await;
    let run = world.ended("r").await;
    assert_eq!(verdict(&run), ("Successful", ""));
    assert_eq!(server.seen()[0].headers["authorization"], "Bearer hunter2-token");
    let value = &run.status.metric_results[0].measurements[0].value;
    assert_eq!(value, r#"{"ok":true,"you":"Bearer *****"}"#);
    assert!(!json!(run).to_string().contains("hunter2"));
}

#[tokio::test]
async fn an_argument_without_a_value_ends_the_run() {
    let (world, server) = (World::start(&[]).await, Server::start().await);
    world.secret("login", json!({}), json!({"token": "x"})).await;
    let git = json!({"kargo.akuity.io/cred-type": "git"});
    world.secret("repository", git, json!({"token": "x"})).await;
    let rows = [
        ("missing", "token", "secrets \"missing\" not found"),
        ("login", "other", "key 'other' does not exist in secret 'login'"),
        ("repository", "token", "secret \"repository\" holds the credentials of a repository"),
    ];
    for (secret, key, expected) in rows {
        let name = format!("r-{secret}");
        world.create(&name, spec(&server.url("/ok"), secret, key)).await;
        let run = world.ended(&name).await;
        assert_eq!(run.status.phase.as_str(), "Error");
        let message = &run.status.message;
        let prefix = "Unable to resolve metric arguments: ";
        assert!(message.starts_with(prefix) && message.contains(expected), "{message}");
    }
    assert!(server.seen().is_empty());
}
