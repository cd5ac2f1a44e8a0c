use std::{io::Write as _, time::Duration};

use api_kinds::promotion::PromotionStepStatus as Status;
use serde_json::{Value as Json, json};

use super::double::{Double, reply};
use crate::{
    Class, Effects,
    testbed::{Attempt, Testbed},
};

async fn run(config: Json) -> Attempt {
    Testbed::new().await.run("http", config).await
}

/// The configuration with more members.
fn with(mut config: Json, more: &Json) -> Json {
    config.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    config
}

#[tokio::test]
async fn expressions_decide_and_without_them_the_status_does() {
    let testbed = Testbed::new().await;
    for (success, failure, status, wanted) in [
        (None, None, 204, (Status::Succeeded, None)),
        (None, None, 500, (Status::Failed, Some(Class::FailedForNow))),
        (Some(true), None, 500, (Status::Succeeded, None)),
        (Some(false), None, 200, (Status::Running, None)),
        (None, Some(true), 200, (Status::Failed, Some(Class::Failed))),
        (None, Some(false), 200, (Status::Running, None)),
        (None, Some(false), 500, (Status::Running, None)),
        (Some(true), Some(true), 200, (Status::Failed, Some(Class::Failed))),
        (Some(true), Some(false), 500, (Status::Succeeded, None)),
        (Some(false), Some(true), 200, (Status::Failed, Some(Class::Failed))),
        (Some(false), Some(false), 200, (Status::Running, None)),
    ] {
        let server = Double::answering(reply(status, "", ""));
        let mut config = json!({"url": server.url("/")});
        for (name, truth) in [("successExpression", success), ("failureExpression", failure)] {
            if let Some(truth) = truth {
                config[name] = format!("(response.status == {status}) == {truth}").into();
            }
        }
        let attempt = testbed.run("http", config).await;
        let case = (success, failure, status);
        assert_eq!((attempt.status, attempt.class), wanted, "{case:?}: {}", attempt.message);
    }
}

#[tokio::test]
async fn outputs_are_plain_json_whatever_expressions_make() {
    let headers = "content-type: application/json; charset=utf-8\r\nx-many: 1\r\nX-MANY: 2\r\n";
    let server = Double::answering(reply(200, headers, r#"{"items": [1, 2.5], "none": null}"#));
    let output = |name: &str, expression: &str| json!({"name": name, "fromExpression": expression});
    let attempt = run(json!({"url": server.url("/"), "outputs": [
        output("status", "response.status"),
        output("count", "len(response.body.items)"),
        output("items", "response.body.items"),
        output("none", "response.body.none"),
        output("missing", "response.body.missing"),
        output("many", "response.headers['X-Many']"),
        output("one", "response.header('x-many')"),
        output("no", "response.header('absent')"),
    ]}))
    .await;
    assert_eq!(attempt.status, Status::Succeeded, "{}", attempt.message);
    assert_eq!(
        Json::from(attempt.output.unwrap()),
        json!({
            "status": 200, "count": 2, "items": [1, 2.5], "none": null, "missing": null,
            "many": ["1", "2"], "one": "1", "no": "",
        })
    );
}

#[tokio::test]
async fn the_request_is_made_as_configured() {
    let server = Double::answering(reply(200, "", ""));
    let testbed = Testbed::new().await;
    testbed.write("body.json", "{\"a\": 1}");
    let header = |name: &str, value: &str| json!({"name": name, "value": value});
    let config = json!({
        "url": server.url("/path?a=1"),
        "method": "PUT",
        "headers": [header("X-A", "1"), header("x-a", "2"), header("Host", "other.example"),
            header("Content-Length", "999")],
        "queryParams": [header("b", "x y"), header("b", "&")],
        "bodyFromFile": "body.json",
    });
    for _ in 0..2 {
        let attempt = testbed.run("http", config.clone()).await;
        assert_eq!(attempt.status, Status::Succeeded, "{}", attempt.message);
    }
    let requests = server.requests();
    let asked = requests[0].to_lowercase();
    assert!(asked.starts_with("put /path?a=1&b=x+y&b=%26 http/1.1\r\n"), "{asked}");
    for part in ["x-a: 1\r\n", "x-a: 2\r\n", "host: other.example\r\n", "\r\n\r\n{\"a\": 1}"] {
        assert!(asked.contains(part), "{part}: {asked}");
    }
    assert!(!asked.contains("999"));
    assert_eq!(requests[0], requests[1], "a repetition is the same request, its key included");
}

/// The keys by which a server knows a request.
fn keys(server: &Double) -> Vec<String> {
    let lines = |request: &String| {
        let line = request.lines().find_map(|line| line.strip_prefix("idempotency-key: "));
        line.unwrap_or_default().to_owned()
    };
    server.requests().iter().map(lines).collect()
}

#[tokio::test]
async fn requests_that_change_something_have_a_key() {
    let server = Double::answering(reply(200, "", ""));
    let mut testbed = Testbed::new().await;
    let post = json!({"url": server.url("/"), "method": "POST", "body": "x"});
    testbed.run("http", json!({"url": server.url("/")})).await;
    testbed.run("http", post.clone()).await;
    let own = json!({"headers": [{"name": "Idempotency-Key", "value": "mine"}]});
    testbed.run("http", with(post.clone(), &own)).await;
    testbed.run("http", with(post.clone(), &json!({"body": "y"}))).await;
    testbed.subject.promotion = "another".to_owned();
    testbed.run("http", post).await;
    let keys = keys(&server);
    assert_eq!((keys[0].as_str(), keys[1].len(), keys[2].as_str()), ("", 32, "mine"));
    assert!(keys[1] != keys[3] && keys[1] != keys[4], "{keys:?}");
}

#[tokio::test]
async fn mistakes_in_the_configuration_end_for_good_before_anything_is_sent() {
    let server = Double::answering(reply(200, "", ""));
    let testbed = Testbed::new().await;
    let base = json!({"url": server.url("/"), "method": "POST"});
    for more in [
        json!({"url": "ftp://example.com"}),
        json!({"url": "no url"}),
        json!({"timeout": "x5s"}),
        json!({"pollInterval": "5s-"}),
        json!({"proxy": "http://"}),
        json!({"proxy": "http://169.254.169.254:80"}),
        json!({"bodyFromFile": "missing"}),
        json!({"headers": [{"name": "a b", "value": "x"}]}),
        json!({"headers": [{"name": "a", "value": "x\r\nEvil: 1"}]}),
        json!({"successExpression": "1 +"}),
        json!({"failureExpression": "nope("}),
        json!({"errorExpression": "'"}),
        json!({"outputs": [{"name": "x", "fromExpression": "]"}]}),
    ] {
        let attempt = testbed.run("http", with(base.clone(), &more)).await;
        assert_eq!(attempt.class, Some(Class::Fatal), "{more}: {}", attempt.message);
    }
    let both = with(base, &json!({"body": "a", "bodyFromFile": "b"}));
    assert_eq!(testbed.run("http", both).await.class, Some(Class::Failed));
    assert!(server.requests().is_empty());
}

#[tokio::test]
async fn expressions_that_fail_on_this_answer_may_work_on_another() {
    let server = Double::answering(reply(200, "", "{}"));
    for more in [
        json!({"successExpression": "'text'"}),
        json!({"successExpression": "secret('x')"}),
        json!({"failureExpression": "1"}),
        json!({"successExpression": "response.body.a.b.c == 1"}),
        json!({"outputs": [{"name": "f", "fromExpression": "response.header"}]}),
        json!({"responseContentType": "application/json", "url": Double::answering(reply(200, "", "{")).url("/")}),
    ] {
        let attempt = run(with(json!({"url": server.url("/")}), &more)).await;
        assert_eq!(attempt.class, Some(Class::Retryable), "{more}: {}", attempt.message);
    }
}

#[tokio::test]
async fn a_failure_is_explained_when_there_is_an_explanation() {
    let server = Double::answering(reply(418, "", r#"{"why": "short and stout"}"#));
    let plain = "HTTP (418) response met failure criteria";
    for (expression, told) in [
        ("response.body.why", format!("{plain}: \"short and stout\"")),
        ("response.body.missing", plain.to_owned()),
        ("response.status", plain.to_owned()),
        ("response.body.why.deeper.still", plain.to_owned()),
        ("", plain.to_owned()),
    ] {
        let attempt = run(json!({
            "url": server.url("/"),
            "failureExpression": "response.status >= 400",
            "errorExpression": expression,
        }))
        .await;
        assert_eq!(attempt.class, Some(Class::Failed));
        assert!(attempt.message.ends_with(&told), "{expression}: {}", attempt.message);
    }
}

#[tokio::test]
async fn a_server_that_asks_for_a_pause_gets_it() {
    let server = Double::answering(reply(503, "retry-after: 77\r\n", "overloaded"));
    let config = json!({"url": server.url("/"), "successExpression": "response.status == 200"});
    let attempt = run(config.clone()).await;
    assert_eq!(attempt.poll_after, Some(Duration::from_secs(77)));
    assert!(attempt.message.contains("HTTP (503): overloaded"), "{}", attempt.message);
    let calm = Double::answering(reply(202, "retry-after: 77\r\n", ""));
    let attempt = run(with(config, &json!({"url": calm.url("/"), "pollInterval": "1m"}))).await;
    assert_eq!(attempt.poll_after, Some(Duration::from_mins(1)));
    let soon = json!({"url": calm.url("/"), "timeout": "0s", "pollInterval": "0s"});
    let attempt = run(with(soon, &json!({"failureExpression": "false"}))).await;
    assert_eq!(attempt.poll_after, Some(Duration::ZERO), "the engine knows how soon is too soon");
}

#[tokio::test]
async fn large_endless_and_slow_answers_end_the_attempt() {
    let announced = Double::answering("HTTP/1.1 200 OK\r\ncontent-length: 2097153\r\n\r\n");
    let endless = Double::start(|stream| {
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n");
        let chunk = format!("10000\r\n{}\r\n", "x".repeat(0x10000));
        while stream.write_all(chunk.as_bytes()).is_ok() {}
    });
    let slow = Double::start(|stream| {
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n");
        while stream.write_all(b"x").is_ok() {
            std::thread::sleep(Duration::from_millis(50));
        }
    });
    let silent = Double::start(|_| std::thread::sleep(Duration::from_mins(1)));
    let fits = Double::answering(reply(200, "", &"x".repeat(2 << 20)));
    let testbed = Testbed::new().await;
    for server in [&announced, &endless, &slow, &silent] {
        let started = testbed.ports.clock.monotonic();
        let config = json!({"url": server.url("/"), "timeout": "1s"});
        let attempt = testbed.run("http", config).await;
        assert_eq!(attempt.class, Some(Class::Retryable), "{}", attempt.message);
        let end = started + Duration::from_secs(20);
        assert!(testbed.ports.clock.monotonic() < end);
    }
    assert_eq!(run(json!({"url": fits.url("/")})).await.status, Status::Succeeded);
}

#[tokio::test]
async fn link_local_addresses_are_not_asked_not_even_after_a_redirect() {
    let location = "location: http://169.254.169.254/latest/meta-data\r\n";
    let redirecting = Double::answering(reply(302, location, ""));
    let circling = Double::answering(reply(302, "location: /again\r\n", ""));
    for url in [
        "http://169.254.169.254/latest/meta-data".to_owned(),
        "http://[fe80::1]/".to_owned(),
        redirecting.url("/"),
        circling.url("/"),
    ] {
        let attempt = run(json!({"url": url})).await;
        assert_eq!(attempt.class, Some(Class::Retryable), "{url}: {}", attempt.message);
    }
    assert_eq!(circling.requests().len(), 11);
}

#[tokio::test]
async fn a_proxy_is_asked_in_the_server_s_stead() {
    let proxy = Double::answering(reply(200, "", ""));
    let attempt = run(json!({"url": "http://unknown.invalid/x", "proxy": proxy.url("")})).await;
    assert_eq!(attempt.status, Status::Succeeded, "{}", attempt.message);
    assert!(proxy.requests()[0].starts_with("GET http://unknown.invalid/x HTTP/1.1"));
}

#[tokio::test]
async fn in_a_preview_only_requests_that_look_are_sent() {
    let server = Double::answering(reply(200, "", ""));
    let mut testbed = Testbed::new().await;
    testbed.effects = Effects::recorded();
    let outputs = json!({"outputs": [{"name": "id", "fromExpression": "response.body.id"}]});
    let config = with(json!({"url": server.url("/"), "method": "POST", "body": "b"}), &outputs);
    let attempt = testbed.run("http", config).await;
    assert_eq!(attempt.status, Status::Succeeded);
    assert_eq!(Json::from(attempt.output.unwrap()), json!({"id": null}));
    assert_eq!(testbed.effects.list()[0].detail, json!({"method": "POST", "body": "b"}));
    assert!(server.requests().is_empty());
    testbed.run("http", json!({"url": server.url("/")})).await;
    assert_eq!(server.requests().len(), 1);
}
