//! Webhooks that do not answer as they should.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use emb_apiserver::Limits;
use emb_auth::Identity;
use futures::future::{BoxFuture, FutureExt, join};
use http::Request;
use http_body_util::Full;
use serde_json::{Value, json};
use tower::Service as _;

use super::double::{Double, MUTATING, Outcome, VALIDATING, allow, configure, hook, patch, setup};
use crate::world::{CONFIG_MAPS, Setup, World, config_map, test_with};

type Case = (fn() -> Outcome, &'static str);

const FAILURES: [Case; 7] = [
    (
        || Outcome::Unreachable,
        "failed to call webhook: Post \"https://hooks/m?timeout=10s\": connection refused",
    ),
    (
        || Outcome::Raw(500, "oops"),
        "failed to call webhook: an error on the server (\"oops\") has prevented the request from succeeding",
    ),
    (
        || Outcome::Raw(404, ""),
        "failed to call webhook: the server could not find the requested resource",
    ),
    (
        || Outcome::Raw(302, ""),
        "failed to call webhook: the server responded with the status code 302 but did not return more information",
    ),
    (
        || {
            Outcome::Raw(
                200,
                "{\"apiVersion\":\"admission.k8s.io/v1\",\"kind\":\"AdmissionReview\"}",
            )
        },
        "received invalid webhook response: webhook response was absent",
    ),
    (
        || Outcome::Response(json!({"allowed": true, "patchType": "JSONPatch", "patch": "e30="})),
        "received undecodable patch in webhook response: error decoding patch: a JSON patch is a list of operations",
    ),
    (|| Outcome::Raw(200, "no JSON"), "failed to call webhook: couldn't get version/kind"),
];

#[test]
fn the_failure_policy_decides_what_a_failure_means() {
    for policy in ["Fail", "Ignore"] {
        let double = Arc::new(Double::default());
        test_with(setup(&double), |api| async move {
            let hooks = json!([hook("m", json!({"failurePolicy": policy}))]);
            configure(&api, MUTATING, "m", hooks).await.expect(201);
            for (number, (outcome, problem)) in FAILURES.into_iter().enumerate() {
                double.on("m", move |_| outcome());
                let map = config_map(&format!("m{number}"), json!({}));
                let reply = api.post(CONFIG_MAPS, &map).await;
                if policy == "Ignore" {
                    reply.expect(201);
                    continue;
                }
                let reply = reply.expect(500);
                let problem = format!("failed calling webhook \"m.hooks.example.com\": {problem}");
                let told = reply.message();
                assert!(told.starts_with(&format!("Internal error occurred: {problem}")), "{told}");
                assert_eq!(reply.json["reason"], "InternalError");
                let cause = reply.json["details"]["causes"][0]["message"].as_str().unwrap();
                assert!(cause.starts_with(&problem), "{cause}");
            }
        });
    }
}

#[test]
fn a_patch_that_does_not_apply_ends_the_request_whatever_the_policy() {
    let double = Arc::new(Double::default());
    test_with(setup(&double), |api| async move {
        let hooks = json!([hook("m", json!({"failurePolicy": "Ignore"}))]);
        configure(&api, MUTATING, "m", hooks).await.expect(201);
        double.on("m", |_| patch(json!([{"op": "remove", "path": "/data/nope"}])));
        let reply = api.post(CONFIG_MAPS, &config_map("m", json!({}))).await.expect(500);
        assert!(reply.message().starts_with("Internal error occurred: "), "{}", reply.message());
    });
}

#[test]
fn a_webhook_that_hangs_is_given_up_in_time() {
    let double = Arc::new(Double::default());
    test_with(setup(&double), |api| async move {
        let hooks = json!([hook("v", json!({"timeoutSeconds": 3}))]);
        configure(&api, VALIDATING, "v", hooks).await.expect(201);
        double.on("v", |_| Outcome::Never);
        let map = config_map("m", json!({}));
        let waited = api.settle(Duration::from_secs(3));
        let (reply, ()) = join(api.post(CONFIG_MAPS, &map), waited).await;
        assert_eq!(
            reply.expect(500).message(),
            "Internal error occurred: failed calling webhook \"v.hooks.example.com\": failed to call webhook: Post \"https://hooks/v?timeout=3s\": context deadline exceeded"
        );
    });
}

/// A webhook's own way into the server: it sends what it likes.
fn callback(
    api: &World,
    [method, path, content_type]: [&'static str; 3],
) -> impl Fn(Value) -> BoxFuture<'static, u16> + Send + Sync + use<> {
    let server = api.server.clone();
    move |body: Value| {
        let mut service = server.client_service(Identity::admin());
        let request = Request::builder()
            .method(method)
            .uri(format!("{CONFIG_MAPS}{path}"))
            .header("content-type", content_type)
            .body(Full::new(bytes::Bytes::from(body.to_string())))
            .unwrap();
        async move { service.call(request).await.unwrap().status().as_u16() }.boxed()
    }
}

#[expect(clippy::disallowed_methods, reason = "the webhook's own request is nobody's task")]
#[test]
fn a_webhook_that_asks_for_itself_ends_when_no_place_is_left() {
    let double = Arc::new(Double::default());
    let limits = Limits { internal_writes: 20, ..Limits::default() };
    test_with(Setup { limits, ..setup(&double) }, |api| async move {
        configure(&api, VALIDATING, "v", json!([hook("v", json!({}))])).await.expect(201);
        let create = Arc::new(callback(&api, ["POST", "", "application/json"]));
        double.on_async("v", move |_| {
            let create = create.clone();
            async move {
                // As a request of its own, like every webhook's.
                tokio::spawn(create(json!({"metadata": {"generateName": "loop-"}}))).await.unwrap();
                allow()
            }
            .boxed()
        });
        api.post(CONFIG_MAPS, &config_map("m", json!({}))).await.expect(201);
        assert_eq!(double.asked().len(), 20);
        double.on("v", |_| allow());
        api.post(CONFIG_MAPS, &config_map("n", json!({}))).await.expect(201);
    });
}

#[test]
fn a_write_that_keeps_coming_too_late_is_a_conflict_in_the_end() {
    let double = Arc::new(Double::default());
    test_with(setup(&double), |api| async move {
        api.post(CONFIG_MAPS, &config_map("m", json!({"k": "v"}))).await.expect(201);
        let changes = json!({"objectSelector": {"matchLabels": {"watched": "yes"}}});
        configure(&api, VALIDATING, "v", json!([hook("v", changes)])).await.expect(201);
        let interfere = callback(&api, ["PATCH", "/m", "application/merge-patch+json"]);
        let count = Arc::new(AtomicUsize::new(0));
        let counted = count.clone();
        double.on_async("v", move |_| {
            let number = counted.fetch_add(1, Ordering::Relaxed);
            let patched = interfere(json!({"data": {"other": number.to_string()}}));
            async move {
                assert_eq!(patched.await, 200);
                allow()
            }
            .boxed()
        });
        let patch = json!({"metadata": {"labels": {"watched": "yes"}}, "data": {"mine": "1"}});
        let late = api.merge(&format!("{CONFIG_MAPS}/m"), &patch).await.expect(409);
        assert!(late.message().contains("the object has been modified"), "{}", late.message());
        assert_eq!(count.load(Ordering::Relaxed), 5);
    });
}
