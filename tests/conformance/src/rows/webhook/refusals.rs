//! How webhooks refuse and warn.

use anyhow::{Result, ensure};
use dev_testkit::server::webhook::WebhookAnswer;
use serde_json::json;

use super::stand::{MUTATING, Stand, VALIDATING};
use crate::{
    expect::{at, equal},
    namespace::widget,
};

pub(super) async fn denials(stand: &Stand<'_, '_>) -> Result<()> {
    let denied = "admission webhook \"v.conf.example.com\" denied the request";
    stand.configure(VALIDATING, "conf", vec![stand.hook("v", json!({}))]).await?;
    let widgets = stand.namespace.widgets();
    let cases = [
        (json!(null), 400, json!(null), format!("{denied} without explanation")),
        (json!({"message": "no way"}), 400, json!(null), format!("{denied}: no way")),
        (json!({"reason": "Because"}), 400, json!("Because"), format!("{denied}: Because")),
        (
            json!({"code": 403, "reason": "Forbidden", "message": "no"}),
            403,
            json!("Forbidden"),
            format!("{denied}: no"),
        ),
        (json!({"code": 200, "message": "fine"}), 400, json!(null), format!("{denied}: fine")),
        (
            json!({"code": 418, "status": "Success", "message": "hot"}),
            418,
            json!(null),
            format!("{denied}: hot"),
        ),
    ];
    for (status, code, reason, message) in cases {
        let response = json!({"allowed": false, "status": status});
        stand.answer("v", move |_| WebhookAnswer::Response(response.clone()));
        let body = stand.world.post(&widgets, &widget("w")).await?.is(code)?;
        at(&body, "/message", message)?;
        at(&body, "/code", code)?;
        at(&body, "/status", "Failure")?;
        at(&body, "/reason", reason)?;
    }
    let details = json!({"name": "w", "causes": [{"reason": "r", "message": "m", "field": "f"}]});
    let response = json!({"allowed": false, "status": {"details": details}});
    stand.answer("v", move |_| WebhookAnswer::Response(response.clone()));
    let body = stand.world.post(&widgets, &widget("w")).await?.is(400)?;
    at(&body, "/details", details)
}

pub(super) async fn warnings(stand: &Stand<'_, '_>) -> Result<()> {
    stand.configure(MUTATING, "conf", vec![stand.hook("m", json!({}))]).await?;
    stand.configure(VALIDATING, "conf", vec![stand.hook("v", json!({}))]).await?;
    stand.answer("m", |_| {
        WebhookAnswer::Response(json!({"allowed": true, "warnings": ["one", "two", "one"]}))
    });
    for allowed in [true, false] {
        let response = json!({"allowed": allowed, "warnings": ["three"]});
        stand.answer("v", move |_| WebhookAnswer::Response(response.clone()));
        let reply = stand.world.post(&stand.namespace.widgets(), &widget("w")).await?;
        ensure!(reply.status == if allowed { 201 } else { 400 }, "{reply}");
        let told: Vec<&str> = reply
            .headers
            .get_all("warning")
            .iter()
            .filter_map(|value| value.to_str().ok())
            .collect();
        let want = ["299 - \"one\"", "299 - \"two\"", "299 - \"three\""];
        equal("warnings", &told, &want.to_vec())?;
    }
    Ok(())
}
