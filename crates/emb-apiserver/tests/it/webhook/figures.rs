//! What metrics tell about webhooks.

use std::{sync::Arc, time::Duration};

use futures::future::{FutureExt, join};
use serde_json::json;

use super::double::{Double, MUTATING, Outcome, VALIDATING, configure, hook, patch, setup};
use crate::world::{CONFIG_MAPS, config_map, test_with};

#[test]
fn metrics_tell_how_webhooks_answered() {
    let double = Arc::new(Double::default());
    test_with(setup(&double), |api| async move {
        let ignored = json!({"failurePolicy": "Ignore"});
        configure(&api, MUTATING, "m", json!([hook("m", ignored)])).await.expect(201);
        configure(&api, VALIDATING, "v", json!([hook("v", json!({}))])).await.expect(201);
        let post = async |name: &str| api.post(CONFIG_MAPS, &config_map(name, json!({}))).await;
        post("a").await.expect(201);
        double.on("m", |_| Outcome::Raw(500, "oops"));
        post("b").await.expect(201);
        double.on("m", |_| patch(json!([{"op": "test", "path": "/data/none", "value": 1}])));
        post("c").await.expect(500);
        double.on("m", |_| Outcome::Response(json!({"allowed": true})));
        double.on("v", |_| Outcome::Response(json!({"allowed": false, "status": {"code": 418}})));
        post("d").await.expect(418);
        double.on_async("v", |_| std::future::ready(Outcome::Never).boxed());
        let (late, ()) = join(post("e"), api.settle(Duration::from_secs(11))).await;
        late.expect(500);
        let metrics = api.get("/metrics").await.expect(200);
        let text = std::str::from_utf8(&metrics.bytes).unwrap();
        let mutating = "name=\"m.hooks.example.com\",operation=\"CREATE\"";
        let validating = "name=\"v.hooks.example.com\",operation=\"CREATE\"";
        for line in [
            format!("request_total{{code=\"200\",{mutating},rejected=\"false\",type=\"admit\"}} 3"),
            format!("request_total{{code=\"500\",{mutating},rejected=\"false\",type=\"admit\"}} 1"),
            format!("request_total{{code=\"0\",{mutating},rejected=\"true\",type=\"admit\"}} 1"),
            format!(
                "request_total{{code=\"200\",{validating},rejected=\"false\",type=\"validating\"}} 2"
            ),
            "fail_open_count{name=\"m.hooks.example.com\",type=\"admit\"} 1".to_owned(),
            format!(
                "rejection_count{{error_type=\"apiserver_internal_error\",{mutating},rejection_code=\"0\",type=\"admit\"}} 1"
            ),
            format!(
                "rejection_count{{error_type=\"no_error\",{validating},rejection_code=\"418\",type=\"validating\"}} 1"
            ),
            format!(
                "rejection_count{{error_type=\"calling_webhook_error\",{validating},rejection_code=\"503\",type=\"validating\"}} 1"
            ),
            format!(
                "admission_duration_seconds_bucket{{{validating},rejected=\"true\",type=\"validating\",le=\"2.5\"}} 1"
            ),
            format!(
                "admission_duration_seconds_count{{{validating},rejected=\"true\",type=\"validating\"}} 2"
            ),
        ] {
            let line = format!("\napiserver_admission_webhook_{line}\n");
            assert!(text.contains(&line), "{line}\n{text}");
        }
    });
}
