//! Chart repositories: the index over HTTP, and OCI.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use io_oci::{Error, Limits};

use crate::{
    anonymous, as_user,
    double::{Double, Reply},
    registries, registries_in, registries_with,
};

const INDEX: &str =
    "entries:\n  app:\n  - version: 1.2.0\n  - version: 1.1.0\n  other:\n  - version: 9.0.0\n";

#[tokio::test]
async fn an_unchanged_index_is_not_sent_again_even_after_a_restart() {
    let server = Double::start(|seen| match seen.header("if-none-match") {
        Some("\"one\"") => Reply::status(304),
        _ => Reply::body("text/yaml", INDEX).header("etag", "\"one\""),
    })
    .await;
    let directory = tempfile::tempdir().unwrap();
    for _ in 0..2 {
        let registries = registries_in(directory.path());
        let found =
            registries.chart_versions(&server.url("/index.yaml"), "app", &anonymous()).await;
        let found = found.unwrap();
        assert_eq!((found.versions, found.requests), (vec!["1.2.0".into(), "1.1.0".into()], 1));
    }
    assert_eq!(server.seen()[1].header("if-none-match"), Some("\"one\""));
    let registries = registries_in(directory.path());
    let missing = registries.chart_versions(&server.url("/index.yaml"), "none", &anonymous()).await;
    assert!(missing.unwrap().versions.is_empty());
}

#[tokio::test]
async fn a_credential_is_sent_and_never_shown() {
    let server = Double::start(|seen| match seen.header("authorization") {
        Some("Basic a2FyZ286aHVudGVyMg==") => Reply::body("text/yaml", INDEX),
        _ => Reply::status(401),
    })
    .await;
    let registries = registries();
    let url = server.url("/index.yaml");
    let access = as_user("kargo", "hunter2");
    assert_eq!(registries.chart_versions(&url, "app", &access).await.unwrap().versions.len(), 2);
    let secret_url = url.replace("http://", "http://user:hunter3@");
    let error = registries
        .chart_versions(&secret_url, "app", &as_user("kargo", "wrong"))
        .await
        .unwrap_err();
    let expected =
        format!("received unexpected HTTP 401 when querying repository index at {url:?}");
    assert_eq!(error.to_string(), expected);
}

#[tokio::test]
async fn an_index_that_is_nonsense_or_has_no_end_is_told() {
    let server = Double::start(|seen| match &*seen.target {
        "/endless" => Reply::Endless(vec![b'#'; 1_000]),
        _ => Reply::body("text/yaml", "a: ["),
    })
    .await;
    let registries = registries_with(|settings| {
        settings.limits = Limits { chart_index_bytes: 50_000, ..settings.limits };
    });
    let error =
        registries.chart_versions(&server.url("/x"), "app", &anonymous()).await.unwrap_err();
    assert!(error.to_string().starts_with("error unmarshaling repository index from"), "{error}");
    let error =
        registries.chart_versions(&server.url("/endless"), "app", &anonymous()).await.unwrap_err();
    assert!(error.to_string().contains("sent more than 50000 bytes"), "{error}");
    for url in ["oci://x/y", "nonsense", "http://169.254.169.254/index.yaml"] {
        let error = registries.chart_versions(url, "app", &anonymous()).await.unwrap_err();
        assert!(matches!(error, Error::Outbound(_)), "{url}: {error}");
    }
}

#[tokio::test]
async fn a_plain_oci_registry_is_found_out_and_its_tags_are_listed_over_pages() {
    let calls = Arc::new(AtomicUsize::new(0));
    let count = calls.clone();
    let server = Double::start(move |seen| match &*seen.target {
        "/v2/" => Reply::status(200),
        "/v2/charts/app/tags/list" => Reply::json(r#"{"tags":["1.0.0"]}"#)
            .header("link", r#"</v2/charts/app/tags/list?last=1.0.0>; rel="next""#),
        _ => {
            count.fetch_add(1, Ordering::Relaxed);
            Reply::json(r#"{"tags":["1.1.0_build.5"]}"#)
        }
    })
    .await;
    let registries = registries();
    let host = server.address().to_string();
    let repository = registries.chart_repository(&host, "charts/app", &anonymous()).unwrap();
    assert_eq!(repository.tags().await.unwrap(), ["1.0.0", "1.1.0_build.5"]);
    assert_eq!(calls.load(Ordering::Relaxed), 1);
    assert!(registries.chart_repository(&host, "Charts/../app", &anonymous()).is_err());
}
