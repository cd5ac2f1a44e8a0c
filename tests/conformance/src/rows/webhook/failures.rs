//! Webhooks that cannot be reached or do not answer as they should.

use anyhow::{Context, Result, ensure};
use dev_testkit::server::webhook::{WebhookAnswer, patch};
use serde_json::{Value, json};

use super::stand::{MUTATING, Stand, VALIDATING};
use crate::{answer::Answer, namespace::widget};

/// 500 with this problem of the webhook `x`, also as the cause.
fn is_failure(answer: &Answer, problem: &str) -> Result<()> {
    let want = format!("failed calling webhook \"x.conf.example.com\": {problem}");
    let status =
        answer.fails_with(500, "InternalError", &format!("Internal error occurred: {want}"))?;
    let cause = status.pointer("/details/causes/0/message").and_then(Value::as_str);
    let cause = cause.with_context(|| format!("no cause in {status}"))?;
    ensure!(cause.starts_with(&want), "cause {cause:?}, want {want:?}");
    Ok(())
}

pub(super) async fn policies(stand: &Stand<'_, '_>) -> Result<()> {
    let nobody = "https://127.0.0.1:1/x";
    let unreachable = json!({"clientConfig": {"url": nobody}});
    let fail = vec![stand.hook("x", unreachable.clone())];
    let name = stand.configure(VALIDATING, "conf", fail).await?;
    let widgets = stand.namespace.widgets();
    let refused = stand.world.post(&widgets, &widget("w")).await?;
    let call = format!("failed to call webhook: Post \"{nobody}?timeout=10s\": ");
    is_failure(&refused, &call)?;
    stand.world.delete(&format!("{VALIDATING}/{name}")).await?.is(200)?;
    let mut ignored = unreachable;
    ignored["failurePolicy"] = json!("Ignore");
    for collection in [MUTATING, VALIDATING] {
        stand.configure(collection, "conf", vec![stand.hook("x", ignored.clone())]).await?;
    }
    crate::patience::soon(|| async {
        stand.world.post(&widgets, &widget("w")).await?.is(201).map(drop)
    })
    .await
}

/// A response with these members.
fn response(members: Value) -> WebhookAnswer {
    WebhookAnswer::Response(members)
}

pub(super) async fn bad_answers(stand: &Stand<'_, '_>) -> Result<()> {
    stand.configure(MUTATING, "conf", vec![stand.hook("x", json!({}))]).await?;
    let widgets = stand.namespace.widgets();
    let review = r#"{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview"}"#;
    let cases = [
        (
            WebhookAnswer::Raw(500, "oops".into()),
            "failed to call webhook: an error on the server (\"unknown\") has prevented the request from succeeding",
        ),
        (
            WebhookAnswer::Raw(404, "gone".into()),
            "failed to call webhook: the server could not find the requested resource",
        ),
        (WebhookAnswer::Raw(200, "hello".into()), "failed to call webhook: "),
        (
            WebhookAnswer::Raw(200, review.into()),
            "received invalid webhook response: webhook response was absent",
        ),
        (
            response(json!({"uid": "other", "allowed": true})),
            "received invalid webhook response: expected response.uid=",
        ),
        (
            response(json!({"allowed": true, "patch": "W10="})),
            "received invalid webhook response: webhook returned response.patch but not response.patchType",
        ),
        (
            response(json!({"allowed": true, "patchType": "JSONPatch"})),
            "received invalid webhook response: webhook returned response.patchType but not response.patch",
        ),
        (
            response(json!({"allowed": true, "patchType": "", "patch": "W10="})),
            "received invalid webhook response: webhook returned invalid response.patchType of \"\"",
        ),
        (
            response(
                json!({"allowed": true, "patchType": "Merge", "patch": "W3sib3AiOiJyZW1vdmUifV0="}),
            ),
            "unsupported patch type \"Merge\"",
        ),
        (
            response(json!({"allowed": true, "patchType": "JSONPatch", "patch": "e30="})),
            "received undecodable patch in webhook response: ",
        ),
    ];
    for (answer, problem) in cases {
        stand.answer("x", move |_| answer.clone());
        is_failure(&stand.world.post(&widgets, &widget("w")).await?, problem)?;
    }
    stand.answer("x", |_| patch(&json!([{"op": "remove", "path": "/spec/nope"}])));
    let refused = stand.world.post(&widgets, &widget("w")).await?;
    refused.fails_with(500, "InternalError", "Internal error occurred: ").map(drop)
}

pub(super) async fn timeout(stand: &Stand<'_, '_>) -> Result<()> {
    stand.answer("x", |_| WebhookAnswer::Never);
    let hooks = vec![stand.hook("x", json!({"timeoutSeconds": 1}))];
    stand.configure(MUTATING, "conf", hooks).await?;
    let refused = stand.world.post(&stand.namespace.widgets(), &widget("w")).await?;
    is_failure(&refused, "failed to call webhook: Post \"https://127.0.0.1:")?;
    refused.fails_with(500, "InternalError", "?timeout=1s\": context deadline exceeded").map(drop)
}
