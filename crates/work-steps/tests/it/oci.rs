//! `oci-download` and `oci-push` against a real registry.

use std::{os::unix::fs::PermissionsExt, sync::Arc};

use api_kinds::promotion::PromotionStepStatus as Status;
use core_rules::credential::Credential;
use dev_testkit::server::registry::{Door, Image, PASSWORD, Registry, USERNAME};
use serde_json::json;
use work_steps::{Class, Effects, Settings, testbed::Testbed};

const LAYER: &str = "application/vnd.oci.image.layer.v1.tar+gzip";
const CHART: &str = "application/vnd.cncf.helm.chart.content.v1.tar+gzip";

fn image(layers: &[(&str, &str)]) -> Image {
    let layers = layers.iter().map(|(kind, content)| ((*kind).into(), content.to_string().into()));
    Image { layers: layers.collect(), ..Image::built("2024-01-01T00:00:00Z") }
}

#[tokio::test]
async fn a_layer_is_downloaded_by_position_or_media_type_and_replaced_only_when_allowed() {
    let Some(server) = Registry::start(Door::Open).await.unwrap() else { return };
    let layers = [(LAYER, "first"), (CHART, "second")];
    server.push_index("app", "v1", &[image(&layers)]).await.unwrap();
    let testbed = Testbed::new().await;
    let reference = server.repository("app:v1");
    let done = testbed.run("oci-download", json!({"imageRef": reference, "outPath": "a/b"})).await;
    assert_eq!(done.status, Status::Succeeded, "{}", done.message);
    assert_eq!(testbed.read("a/b").unwrap(), "first");
    let mode = std::fs::metadata(testbed.files().join("a/b")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);

    let config = json!({"imageRef": reference, "outPath": "a/b", "mediaType": CHART});
    let refused = testbed.run("oci-download", config).await;
    assert_eq!((refused.status, refused.class), (Status::Errored, Some(Class::Fatal)));
    assert_eq!(testbed.read("a/b").unwrap(), "first");
    let config = json!({"imageRef": format!("oci://{reference}"), "outPath": "a/b", "mediaType": CHART, "allowOverwrite": true});
    let done = testbed.run("oci-download", config).await;
    assert_eq!(done.status, Status::Succeeded, "{}", done.message);
    assert_eq!(testbed.read("a/b").unwrap(), "second");
}

#[tokio::test]
async fn what_is_not_there_is_an_error_that_another_attempt_may_not_meet() {
    let Some(server) = Registry::start(Door::Open).await.unwrap() else { return };
    server.push("app", "v1", &image(&[(LAYER, "x")])).await.unwrap();
    let testbed = Testbed::new().await;
    for (reference, media_type) in [("app:v2", LAYER), ("app:v1", CHART), ("none:v1", LAYER)] {
        let config = json!({"imageRef": server.repository(reference), "outPath": "x", "mediaType": media_type});
        let failed = testbed.run("oci-download", config).await;
        assert_eq!(failed.class, Some(Class::Retryable), "{}", failed.message);
        assert_eq!(testbed.read("x"), None);
    }
}

#[tokio::test]
async fn a_locked_registry_opens_to_the_credential_of_the_project() {
    let Some(server) = Registry::start(Door::Locked).await.unwrap() else { return };
    server.push("app", "v1", &image(&[(LAYER, "x")])).await.unwrap();
    let testbed = Testbed::new().await;
    let config = json!({"imageRef": server.repository("app:v1"), "outPath": "x"});
    let refused = testbed.run("oci-download", config.clone()).await;
    assert_eq!(refused.class, Some(Class::Retryable), "{}", refused.message);
    testbed.credentials.put(&server.repository("app"), Credential::basic(USERNAME, PASSWORD));
    let done = testbed.run("oci-download", config).await;
    assert_eq!(done.status, Status::Succeeded, "{}", done.message);
    // Charts have credentials of their own.
    let config =
        json!({"imageRef": format!("oci://{}", server.repository("app:v1")), "outPath": "y"});
    assert_eq!(testbed.run("oci-download", config).await.class, Some(Class::Retryable));
}

fn push(server: &Registry, from: &str, to: &str) -> serde_json::Value {
    json!({"srcRef": server.repository(from), "destRef": server.repository(to)})
}

#[tokio::test]
async fn an_artifact_is_pushed_under_another_name_again_and_again() {
    let Some(server) = Registry::start(Door::Locked).await.unwrap() else { return };
    let digest = server.push_index("team/app", "v1", &[image(&[(LAYER, "x")])]).await.unwrap();
    let testbed = Testbed::new().await;
    let refused = testbed.run("oci-push", push(&server, "team/app:v1", "prod/app:v1")).await;
    assert_eq!(refused.class, Some(Class::Retryable), "{}", refused.message);
    for name in ["team/app", "prod/app"] {
        testbed.credentials.put(&server.repository(name), Credential::basic(USERNAME, PASSWORD));
    }
    for _ in 0..2 {
        let done = testbed.run("oci-push", push(&server, "team/app:v1", "prod/app:v1")).await;
        assert_eq!(done.status, Status::Succeeded, "{}", done.message);
        let expected =
            json!({"image": server.repository("prod/app:v1"), "digest": digest, "tag": "v1"});
        assert_eq!(json!(done.output()), expected);
    }
    let config = json!({"imageRef": server.repository("prod/app:v1"), "outPath": "x"});
    assert_eq!(testbed.run("oci-download", config).await.status, Status::Succeeded);
}

#[tokio::test]
async fn annotations_change_the_digest_the_same_way_each_time() {
    let Some(server) = Registry::start(Door::Open).await.unwrap() else { return };
    let digest = server.push("app", "v1", &image(&[(LAYER, "x")])).await.unwrap();
    let testbed = Testbed::new().await;
    let mut config = push(&server, "app:v1", "app:v2");
    config["annotations"] = json!({"index:a": "ignored"});
    let same = testbed.run("oci-push", config.clone()).await;
    assert_eq!(same.output()["digest"], digest);
    config["annotations"] = json!({"manifest:a": "1", "b": "2"});
    let first = testbed.run("oci-push", config.clone()).await;
    assert_eq!(first.status, Status::Succeeded, "{}", first.message);
    assert_ne!(first.output()["digest"], digest);
    assert_eq!(testbed.run("oci-push", config).await.output(), first.output());
}

#[tokio::test]
async fn the_size_guard_counts_between_repositories_only() {
    let Some(server) = Registry::start(Door::Open).await.unwrap() else { return };
    server.push("app", "v1", &image(&[(LAYER, &"x".repeat(10_000))])).await.unwrap();
    let mut testbed = Testbed::new().await;
    for (limit, other, passes) in [
        (None, "other:v1", true),
        (Some(1 << 20), "other:v2", true),
        (Some(9_000), "other:v3", false),
        (Some(0), "other:v4", false),
        (Some(0), "app:v5", true),
        (Some(9_000), "app:v6", true),
    ] {
        let settings = Settings { oci_push_max_bytes: limit, ..Settings::default() };
        testbed.ports.settings = Arc::new(settings);
        let attempt = testbed.run("oci-push", push(&server, "app:v1", other)).await;
        let expected = (!passes).then_some(Class::Fatal);
        assert_eq!(attempt.class, expected, "{limit:?} {other}: {}", attempt.message);
    }
}

#[tokio::test]
async fn a_preview_pushes_nothing_and_tells_what_it_would() {
    let Some(server) = Registry::start(Door::Open).await.unwrap() else { return };
    let digest = server.push("app", "v1", &image(&[(LAYER, "x")])).await.unwrap();
    let mut testbed = Testbed::new().await;
    testbed.effects = Effects::recorded();
    let told = testbed.run("oci-push", push(&server, "app:v1", "prod:v1")).await;
    assert_eq!(told.output()["digest"], digest);
    let effects = testbed.effects.list();
    assert_eq!((effects.len(), &*effects[0].target), (1, &*server.repository("prod:v1")));
    let config = json!({"imageRef": server.repository("prod:v1"), "outPath": "x"});
    assert_eq!(testbed.run("oci-download", config).await.class, Some(Class::Retryable));
}

#[tokio::test]
async fn names_that_are_none_fail_for_good() {
    let testbed = Testbed::new().await;
    for (from, to) in [
        ("app:", "x:v1"),
        ("ghcr.io/app@sha256:12", "ghcr.io/x:v1"),
        ("ghcr.io/app:v1", "ghcr.io/x@sha256:1"),
    ] {
        let failed = testbed.run("oci-push", json!({"srcRef": from, "destRef": to})).await;
        assert_eq!(failed.class, Some(Class::Failed), "{from} {to}: {}", failed.message);
    }
}
