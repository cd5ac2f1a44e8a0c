//! A registry and a chart repository behind a proxy that does what networks and bad servers do.

use std::time::{Duration, Instant};

use dev_testkit::server::{
    ChartServer, ToxicProxy, Toxin,
    registry::{Door, Image, PASSWORD, Registry, USERNAME},
};
use io_oci::{Error, Limits, Registries, Want};

use crate::{
    anonymous, as_user,
    double::{Double, Reply},
    registries_with,
};

/// What is slow is given up after this.
const LIMIT: Duration = Duration::from_millis(500);
/// Three attempts, and what a busy machine adds to them.
const SOON: Duration = Duration::from_secs(20);

fn impatient() -> Registries {
    registries_with(|settings| {
        settings.credentials_over_http = true;
        settings.limits = Limits {
            page_bytes: 100_000,
            chart_index_bytes: 100_000,
            exchange: LIMIT,
            ..Limits::default()
        };
    })
}

/// What goes wrong, and words that tell of it.
fn faults(elsewhere: &Double) -> Vec<(Toxin, &'static str)> {
    let location = format!("location: {}", elsewhere.url("/stolen"));
    vec![
        (Toxin::HalfOpen, "did not finish its answer within 0 s"),
        (Toxin::SlowLoris(Duration::from_millis(50)), "did not finish its answer within 0 s"),
        (Toxin::CutAfter(20), "broke off: "),
        (Toxin::Status(500, Vec::new()), "HTTP 500"),
        (Toxin::Status(429, vec!["retry-after: 3600".into()]), "limits the rate of requests"),
        (Toxin::Status(307, vec![location]), "HTTP 418"),
        (Toxin::EndlessBody, "more than"),
    ]
}

/// A server that is no registry, and notes who sends it a credential.
async fn thief() -> Double {
    Double::start(|_| Reply::status(418)).await
}

fn assert_honest(thief: &Double) {
    let seen = thief.seen();
    assert!(!seen.is_empty(), "nobody was sent there");
    assert!(seen.iter().all(|request| request.header("authorization").is_none()), "{seen:?}");
}

#[tokio::test]
async fn whatever_becomes_of_a_chart_repository_is_told_soon_and_passes() {
    let server = ChartServer::start().await.unwrap();
    server.publish("app", "1.0.0");
    let proxy = ToxicProxy::start(server.address()).await.unwrap();
    let url = format!("http://{}/index.yaml", proxy.address());
    let thief = thief().await;
    for (toxin, words) in faults(&thief) {
        // A pause that was asked for is kept, so each starts afresh.
        let registries = impatient();
        proxy.poison(toxin.clone());
        let begin = Instant::now();
        let access = as_user(USERNAME, PASSWORD);
        let error = registries.chart_versions(&url, "app", &access).await.unwrap_err();
        assert!(error.to_string().contains(words), "{toxin:?}: {error}");
        assert!(!error.to_string().contains(PASSWORD), "{toxin:?}: {error}");
        assert!(begin.elapsed() < SOON, "{toxin:?}: {:?}", begin.elapsed());
        proxy.poison(Toxin::None);
        if !matches!(error, Error::RateLimited { .. }) {
            let found = registries.chart_versions(&url, "app", &access).await.unwrap();
            assert_eq!(found.versions, ["1.0.0"], "{toxin:?}");
        }
    }
    assert_honest(&thief);
}

#[tokio::test]
async fn whatever_becomes_of_a_registry_is_told_soon_and_passes() {
    let Some(server) = Registry::start(Door::Locked).await.unwrap() else { return };
    let image = server.push("app", "v1", &Image::built("2024-01-01T00:00:00Z")).await.unwrap();
    let proxy = ToxicProxy::start(server.address()).await.unwrap();
    let thief = thief().await;
    for (toxin, words) in faults(&thief) {
        let registries = impatient();
        let access = as_user(USERNAME, PASSWORD);
        let address = format!("{}/app", proxy.address());
        let repository = registries.image_repository(&address, &access).unwrap();
        // It was well when it was first seen.
        assert_eq!(repository.tags().await.unwrap(), ["v1"]);
        proxy.poison(toxin.clone());
        proxy.cut();
        let begin = Instant::now();
        let error = repository.tags().await.unwrap_err();
        assert!(error.to_string().contains(words), "{toxin:?}: {error}");
        assert!(!error.to_string().contains(PASSWORD), "{toxin:?}: {error}");
        assert!(begin.elapsed() < SOON, "{toxin:?}: {:?}", begin.elapsed());
        proxy.poison(Toxin::None);
        if !matches!(error, Error::RateLimited { .. }) {
            let found = repository.image("v1", Want::default()).await.unwrap();
            assert_eq!(found.digest, image, "{toxin:?}");
        }
    }
    assert_honest(&thief);
}

#[tokio::test]
async fn slow_chart_repositories_hold_up_no_other() {
    let slow = Double::start(|_| Reply::Drip).await;
    let server = ChartServer::start().await.unwrap();
    server.publish("app", "1.0.0");
    let registries = registries_with(|settings| {
        settings.limits = Limits { exchange: Duration::from_mins(10), ..Limits::default() };
    });
    let searches: Vec<_> = (0..5)
        .map(|_| {
            let (registries, url) = (registries.clone(), slow.url("/index.yaml"));
            tokio::task::spawn(async move {
                registries.chart_versions(&url, "app", &anonymous()).await.map(drop)
            })
        })
        .collect();
    while slow.seen().len() < searches.len() {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let url = format!("{}/index.yaml", server.url());
    let access = anonymous();
    let found = registries.chart_versions(&url, "app", &access);
    let found = tokio::time::timeout(SOON, found).await.unwrap().unwrap();
    assert_eq!(found.versions, ["1.0.0"]);
    for search in searches {
        assert!(!search.is_finished());
        search.abort();
    }
}

#[tokio::test]
async fn a_large_index_is_read_to_its_end() {
    let server = ChartServer::start().await.unwrap();
    for number in 0..20_000 {
        server.publish("other", &format!("1.0.{number}"));
    }
    server.publish("zz-app", "3.0.0");
    let directory = tempfile::tempdir().unwrap();
    for place in [None, Some(directory.path().to_owned())] {
        let registries = registries_with(|settings| settings.cache_directory = place);
        let url = format!("{}/index.yaml", server.url());
        let found = registries.chart_versions(&url, "zz-app", &anonymous()).await.unwrap();
        assert_eq!(found.versions, ["3.0.0"]);
    }
}
