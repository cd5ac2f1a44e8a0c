//! Metrics of web servers.

use std::time::Duration;

use serde_json::{Value, json};

use crate::{
    server::Server,
    world::{World, verdict},
};

fn metric(url: &str, fields: Value) -> Value {
    let mut metric = json!({
        "name": "m", "successCondition": "result == 'ok'",
        "provider": {"web": {"url": url, "jsonPath": "{$.state}"}},
    });
    metric.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    metric
}

#[tokio::test]
async fn a_good_answer_ends_a_run_well_with_one_write() {
    let (world, server) = (World::start(&[]).await, Server::start().await);
    server.answer("/health", &[(200, r#"{"state": "ok"}"#)]);
    world.create("r", json!({"metrics": [metric(&server.url("/health"), json!({}))]})).await;
    let run = world.ended("r").await;
    assert_eq!(verdict(&run), ("Successful", ""));
    let result = &run.status.metric_results[0];
    assert_eq!((result.name.as_str(), result.phase.as_str(), result.count), ("m", "Successful", 1));
    let measurement = &result.measurements[0];
    assert_eq!((measurement.phase.as_str(), measurement.value.as_str()), ("Successful", "\"ok\""));
    assert!(run.status.started_at.is_some() && run.status.completed_at.is_some());
    assert_eq!(json!(run.status.run_summary), json!({"count": 1, "successful": 1}));
    // Created, and written once.
    assert_eq!(run.metadata.generation, Some(2));
    assert_eq!(server.seen().len(), 1);
    let told = world.event("AnalysisRunSuccessful").await;
    assert_eq!(told, "Analysis Completed. Result: Successful");
}

#[tokio::test]
async fn a_bad_answer_fails_a_run_and_says_why() {
    let (world, server) = (World::start(&[]).await, Server::start().await);
    server.answer("/health", &[(200, r#"{"state": "broken"}"#)]);
    world.create("r", json!({"metrics": [metric(&server.url("/health"), json!({}))]})).await;
    let run = world.ended("r").await;
    let why = "Metric \"m\" assessed Failed due to failed (1) > failureLimit (0)";
    assert_eq!(verdict(&run), ("Failed", why));
    assert_eq!(world.event("MetricFailed").await, "Metric 'm' Completed. Result: Failed");
}

#[tokio::test]
async fn measurements_are_repeated_until_the_count_or_the_limit() {
    let (world, server) = (World::start(&[]).await, Server::start().await);
    let [good, bad] = [r#"{"state": "ok"}"#, r#"{"state": "bad"}"#];
    server.answer("/good", &[(200, good), (200, bad), (200, good)]);
    server.answer("/bad", &[(200, good), (200, bad), (200, bad)]);
    let fields = json!({"interval": "30s", "count": 3, "failureLimit": 1});
    world.create("good", json!({"metrics": [metric(&server.url("/good"), fields.clone())]})).await;
    world.create("bad", json!({"metrics": [metric(&server.url("/bad"), fields)]})).await;
    for count in 1..3 {
        for name in ["good", "bad"] {
            let run = world.until(name, |run| {
                run.status.metric_results.first().is_some_and(|result| result.count == count)
            });
            assert_eq!(run.await.status.phase.as_str(), "Running");
        }
        world.clock.advance(Duration::from_secs(31));
    }
    assert_eq!(verdict(&world.ended("good").await), ("Successful", ""));
    let why = "Metric \"m\" assessed Failed due to failed (2) > failureLimit (1)";
    assert_eq!(verdict(&world.ended("bad").await), ("Failed", why));
}

#[tokio::test]
async fn errors_are_tried_again_and_then_end_the_run() {
    let (world, server) = (World::start(&[]).await, Server::start().await);
    server.answer("/health", &[(503, "")]);
    let fields = json!({"consecutiveErrorLimit": 1});
    world.create("r", json!({"metrics": [metric(&server.url("/health"), fields)]})).await;
    world.until("r", |run| run.status.metric_results.iter().any(|result| result.error == 1)).await;
    world.clock.advance(Duration::from_secs(11));
    let why = "Metric \"m\" assessed Error due to consecutiveErrors (2) > \
               consecutiveErrorLimit (1): \"Error Message: received non 2xx response code: 503\"";
    assert_eq!(verdict(&world.ended("r").await), ("Error", why));
}

#[tokio::test]
async fn requests_have_what_the_metric_gives_them() {
    let (world, server) = (World::start(&[]).await, Server::start().await);
    server.answer("/check", &[(200, "fine")]);
    let web = json!({
        "url": server.url("/check?env={{args.env}}"), "method": "POST",
        "headers": [{"key": "X-Env", "value": "{{args.env}}"}],
        "jsonBody": {"env": "{{args.env}}"},
    });
    let metric = json!({"name": "m", "provider": {"web": web}});
    let args = json!([{"name": "env", "value": "prod"}]);
    world.create("r", json!({"metrics": [metric], "args": args})).await;
    let run = world.ended("r").await;
    assert_eq!(verdict(&run), ("Successful", ""));
    assert_eq!(run.status.metric_results[0].measurements[0].value, "fine");
    let seen = server.seen().remove(0);
    assert_eq!((seen.method.as_str(), seen.target.as_str()), ("POST", "/check?env=prod"));
    assert_eq!(seen.headers["x-env"], "prod");
    assert_eq!(seen.body, r#"{"env":"prod"}"#);
    assert_eq!(seen.headers["content-type"], "application/json");
}

#[tokio::test]
async fn a_client_logs_in_by_oauth2() {
    let (world, server) = (World::start(&[]).await, Server::start().await);
    server.answer("/token", &[(200, r#"{"access_token": "abc", "token_type": "bearer"}"#)]);
    server.answer("/check", &[(200, "1")]);
    let oauth2 = json!({
        "tokenUrl": server.url("/token"), "clientId": "me", "clientSecret": "s:e",
        "scopes": ["read", "more"],
    });
    let web = json!({"url": server.url("/check"), "authentication": {"oauth2": oauth2}});
    world.create("r", json!({"metrics": [{"name": "m", "provider": {"web": web}}]})).await;
    assert_eq!(verdict(&world.ended("r").await), ("Successful", ""));
    let [token, check] = <[_; 2]>::try_from(server.seen()).unwrap();
    assert_eq!(token.body, "grant_type=client_credentials&scope=read+more");
    assert_eq!(token.headers["authorization"], "Basic bWU6cyUzQWU=");
    assert_eq!(check.headers["authorization"], "Bearer abc");
}

#[tokio::test]
async fn what_cannot_be_asked_is_an_error_of_the_measurement() {
    let (world, server) = (World::start(&[]).await, Server::start().await);
    server.answer("/x", &[(200, "{}")]);
    let rows = [
        (json!({"url": "ftp://x"}), "the address is not an http or https URL"),
        (json!({"url": server.url("/x"), "method": "DELETE"}), "none of GET, POST and PUT"),
        (json!({"url": server.url("/x"), "body": "b"}), "can only be used with POST or PUT"),
        (json!({"url": server.url("/x"), "jsonPath": "{$.no}"}), "no is not found"),
        (json!({"url": server.url("/x"), "jsonPath": "{"}), "invalid JSONPath"),
        (json!({"url": "http://169.254.169.254/"}), "is refused, because"),
        (
            json!({"url": server.url("/x"), "authentication": {"oauth2": {"tokenUrl": "x"}}}),
            "missing mandatory parameter in metric for OAuth2 setup",
        ),
        (
            json!({"url": server.url("/x"), "authentication": {"sigv4": {"region": "x"}}}),
            "authentication by sigv4 is not possible here",
        ),
    ];
    for (index, (web, expected)) in rows.into_iter().enumerate() {
        let metric = json!({"name": "m", "consecutiveErrorLimit": 0, "provider": {"web": web}});
        let name = format!("r{index}");
        world.create(&name, json!({"metrics": [metric]})).await;
        let run = world.ended(&name).await;
        assert_eq!(run.status.phase.as_str(), "Error");
        assert!(run.status.message.contains(expected), "{}", run.status.message);
    }
}
