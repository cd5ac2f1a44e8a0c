//! Metrics of Prometheus.

use serde_json::{Value, json};

use crate::{
    server::Server,
    world::{World, verdict},
};

fn vector(values: &[&str]) -> String {
    let series: Vec<_> = values.iter().map(|value| json!({"value": [1, value]})).collect();
    json!({"status": "success", "data": {"resultType": "vector", "result": series}}).to_string()
}

fn spec(prometheus: Value, condition: &str) -> Value {
    json!({"metrics": [{
        "name": "m", "successCondition": condition, "consecutiveErrorLimit": 0,
        "provider": {"prometheus": prometheus},
    }], "args": [{"name": "app", "value": "web"}]})
}

#[tokio::test]
async fn a_query_is_asked_and_its_numbers_are_judged() {
    let server = Server::start().await;
    let address = server.url("/prom/");
    let world = World::start(&[("ARGO_ROLLOUTS_PROMETHEUS_ADDRESS", &address)]).await;
    server.answer("/prom/api/v1/query", &[(200, &vector(&["0.5", "2"]))]);
    let query = json!({
        "query": "rate(errors{app=\"{{args.app}}\"}[5m])",
        "headers": [{"key": "X-Scope-OrgID", "value": "team"}],
        "authentication": {"basicAuth": {"username": "u", "password": "p"}},
    });
    world.create("r", spec(query, "len(result) == 2 && result[0] < 1")).await;
    let run = world.ended("r").await;
    assert_eq!(verdict(&run), ("Successful", ""));
    let result = &run.status.metric_results[0];
    assert_eq!(result.measurements[0].value, "[0.5,2]");
    let query = "rate(errors{app=\"web\"}[5m])";
    assert_eq!(result.metadata["ResolvedPrometheusQuery"], query);
    let seen = server.seen().remove(0);
    assert!(seen.target.starts_with("/prom/api/v1/query?query=rate%28errors"), "{}", seen.target);
    assert_eq!(seen.headers["x-scope-orgid"], "team");
    assert_eq!(seen.headers["authorization"], "Basic dTpw");
}

#[tokio::test]
async fn a_range_is_asked_for_by_expressions() {
    let (world, server) = (World::start(&[]).await, Server::start().await);
    let series = json!([{"values": [[1, "1"], [2, "3"]]}]);
    let answer = json!({"status": "success", "data": {"resultType": "matrix", "result": series}});
    server.answer("/api/v1/query_range", &[(200, &answer.to_string())]);
    let range = json!({"start": "now() - duration('1h')", "end": "now()", "step": "1m"});
    let query = json!({"address": server.url(""), "query": "up", "rangeQuery": range});
    world.create("r", spec(query, "max(result) == 3")).await;
    assert_eq!(verdict(&world.ended("r").await), ("Successful", ""));
    let target = server.seen().remove(0).target;
    let times = "start=2025-12-31T23%3A00%3A00Z&end=2026-01-01T00%3A00%3A00Z&step=60";
    assert!(target.ends_with(times), "{target}");
}

#[tokio::test]
async fn what_prometheus_refuses_is_told_in_its_words() {
    let (world, server) = (World::start(&[]).await, Server::start().await);
    let refusal = json!({"status": "error", "errorType": "bad_data", "error": "parse error"});
    server.answer("/api/v1/query", &[(400, &refusal.to_string())]);
    server.answer("/empty/api/v1/query", &[(200, &vector(&[]))]);
    server.answer("/html/api/v1/query", &[(502, "<html>")]);
    let rows = [
        (json!({"address": server.url(""), "query": "{"}), "bad_data: parse error"),
        (json!({"address": server.url("/empty"), "query": "x"}), "metric result is nil or empty"),
        (json!({"address": server.url("/html"), "query": "x"}), "non 2xx response code: 502"),
        (json!({"query": "x"}), "prometheus address is not configured"),
        (json!({"address": "nowhere", "query": "x"}), "prometheus address \"nowhere\""),
        (
            json!({"address": server.url(""), "query": "x", "rangeQuery": {"start": "now()"}}),
            "failed to parse rangeQuery.step as duration",
        ),
        (
            json!({"address": server.url(""), "authentication": {"basicAuth": {"username": "u"}}}),
            "missing mandatory parameter in metric for basic auth setup: password",
        ),
        (
            json!({"address": server.url(""), "authentication": {"sigv4": {"region": "x"}}}),
            "authentication by sigv4 is not possible here",
        ),
    ];
    for (index, (prometheus, expected)) in rows.into_iter().enumerate() {
        let name = format!("r{index}");
        world.create(&name, spec(prometheus, "result[0] > 1")).await;
        let run = world.ended(&name).await;
        assert_eq!(run.status.phase.as_str(), "Error");
        assert!(run.status.message.contains(expected), "{}", run.status.message);
    }
}
