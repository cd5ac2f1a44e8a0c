//! Servers that lie, stall, flood, refuse and turn away: a clear sentence, soon, and no secret in it.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use io_oci::{Error, Limits, Scope, Want};

use crate::{
    HURRY, anonymous, as_user,
    double::{Double, Reply},
    registries, registries_with,
};

async fn image_error(answer: impl Fn(&str) -> Reply + Send + Sync + 'static) -> Error {
    let server = Double::start(move |seen| match &*seen.target {
        "/v2/" => Reply::status(200),
        target => answer(target),
    })
    .await;
    let registries = registries_with(|settings| {
        settings.limits = Limits {
            page_bytes: 100_000,
            manifest_bytes: 100_000,
            exchange: Duration::from_millis(300),
            ..Limits::default()
        };
    });
    let access = as_user("kargo", "hunter2");
    let repository = registries.image_repository(&server.repository("app"), &access).unwrap();
    let error = repository.image("v1", Want::default()).await.unwrap_err();
    assert!(!error.to_string().contains("hunter2"), "{error}");
    error
}

#[tokio::test]
async fn refusals_say_who_refuses_what() {
    for (status, scope, words) in [
        (403, Scope::Repository, "refuses the credential for manifest v1 of app (HTTP 403)"),
        (404, Scope::Missing, "manifest v1 of app does not exist on 127.0.0.1"),
        (418, Scope::Repository, "answered HTTP 418 for manifest v1 of app"),
    ] {
        let error = image_error(move |_| Reply::status(status)).await;
        assert_eq!(error.scope(), scope);
        assert!(error.to_string().contains(words), "{error}");
    }
    let error = image_error(|_| Reply::status(401)).await;
    assert!(matches!(error, Error::Challenge { .. }), "{error}");
}

#[tokio::test]
async fn a_wrong_digest_nonsense_and_a_flood_are_faults_of_the_tag() {
    let manifest = "application/vnd.oci.image.manifest.v1+json";
    let wrong = format!("sha256:{}", "0".repeat(64));
    let lying =
        image_error(move |_| Reply::body(manifest, "{}").header("docker-content-digest", &wrong));
    assert!(matches!(lying.await, Error::Digest { .. }));
    for body in ["", "nonsense", "[]", r#"{"config":{"digest":"../../etc"}}"#, r#"{"config":5}"#] {
        let error = image_error(move |_| Reply::body(manifest, body)).await;
        assert!(matches!(error, Error::Malformed { .. }), "{body}: {error}");
        assert_eq!(error.scope(), Scope::Tag);
    }
    let endless = image_error(|_| Reply::Endless(vec![b' '; 1_000])).await;
    assert_eq!(endless.scope(), Scope::Tag);
    assert!(endless.to_string().contains("sent more than 100000 bytes"), "{endless}");
}

#[tokio::test]
async fn a_server_that_drips_or_never_answers_is_given_up() {
    for reply in [Reply::Drip, Reply::Silence] {
        let start = Instant::now();
        let error = image_error(move |_| reply.clone()).await;
        assert!(error.is_temporary(), "{error}");
        assert!(start.elapsed() < Duration::from_secs(15), "{:?}", start.elapsed());
    }
}

#[tokio::test]
async fn a_passing_failure_is_tried_again_and_a_lasting_one_three_times() {
    static CALLS: AtomicUsize = AtomicUsize::new(0);
    let server = Double::start(|seen| match &*seen.target {
        "/v2/" => Reply::status(200),
        "/v2/app/tags/list?n=1000" if CALLS.fetch_add(1, Ordering::Relaxed) == 0 => {
            Reply::status(503)
        }
        "/v2/app/tags/list?n=1000" => Reply::json(r#"{"tags":["v1"]}"#),
        _ => Reply::status(500),
    })
    .await;
    let registries = registries();
    let repository = registries.image_repository(&server.repository("app"), &anonymous()).unwrap();
    assert_eq!(repository.tags().await.unwrap(), ["v1"]);
    let before = server.seen().len();
    let error = repository.image("v1", Want::default()).await.unwrap_err();
    assert!(error.to_string().contains("HTTP 500") && error.is_temporary(), "{error}");
    assert_eq!(server.seen().len() - before, 3);
}

#[tokio::test]
async fn a_rate_limit_is_obeyed_and_a_long_one_is_told_at_once() {
    static CALLS: AtomicUsize = AtomicUsize::new(0);
    let server = Double::start(|seen| match &*seen.target {
        "/v2/" => Reply::status(200),
        "/v2/app/tags/list?n=1000" if CALLS.fetch_add(1, Ordering::Relaxed) == 0 => {
            Reply::status(429).header("retry-after", "1")
        }
        "/v2/app/tags/list?n=1000" => Reply::json(r#"{"tags":[]}"#),
        _ => Reply::status(429).header("retry-after", "600"),
    })
    .await;
    let registries = registries();
    let repository = registries.image_repository(&server.repository("app"), &anonymous()).unwrap();
    let start = Instant::now();
    repository.tags().await.unwrap();
    assert!(start.elapsed() >= Duration::from_secs(1) / HURRY);
    let start = Instant::now();
    let error = repository.image("v1", Want::default()).await.unwrap_err();
    assert!(matches!(error, Error::RateLimited { .. }), "{error}");
    let before = server.seen().len();
    let error = repository.tags().await.unwrap_err();
    assert!(error.to_string().contains("the next is sent in 5"), "{error}");
    assert!(start.elapsed() < Duration::from_secs(5) && server.seen().len() == before);
}

#[tokio::test]
async fn ten_million_tags_are_refused_in_one_page_or_in_many() {
    let one_page = image_tags(|_| Reply::Endless(br#"{"tags":["v1","v2"],"#.to_vec())).await;
    assert!(matches!(one_page, Error::TooManyTags { .. }), "{one_page}");
    let pages = AtomicUsize::new(0);
    let many_pages = image_tags(move |_| {
        let page = pages.fetch_add(1, Ordering::Relaxed);
        let tags: Vec<_> = (0..100).map(|number| format!("\"v{page}-{number}\"")).collect();
        let next = format!("</v2/app/tags/list?last={page}>; rel=\"next\"");
        Reply::json(format!(r#"{{"tags":[{}]}}"#, tags.join(","))).header("link", &next)
    })
    .await;
    assert!(many_pages.to_string().starts_with("the repository has more than 1000 tags"));
}

async fn image_tags(answer: impl Fn(&str) -> Reply + Send + Sync + 'static) -> Error {
    let server = Double::start(move |seen| match &*seen.target {
        "/v2/" => Reply::status(200),
        target => answer(target),
    })
    .await;
    let registries = registries_with(|settings| {
        settings.limits = Limits { tags: 1_000, page_bytes: 100_000, ..settings.limits };
    });
    let repository = registries.image_repository(&server.repository("app"), &anonymous()).unwrap();
    repository.tags().await.unwrap_err()
}

#[tokio::test]
async fn pages_stay_on_their_host_and_do_not_turn_in_circles() {
    for link in [
        "<http://10.255.255.1/v2/app/tags/list>; rel=\"next\"",
        "</v2/app/tags/list?n=1000>; rel=\"next\"",
        "<http://[>; rel=next",
        "nonsense",
    ] {
        let server = Double::start(move |seen| match &*seen.target {
            "/v2/" => Reply::status(200),
            _ => Reply::json(r#"{"tags":["a","not a tag!","../b"]}"#).header("link", link),
        })
        .await;
        let registries = registries();
        let repository =
            registries.image_repository(&server.repository("app"), &anonymous()).unwrap();
        assert_eq!(repository.tags().await.unwrap(), ["a"], "{link}");
        assert_eq!(server.seen().len(), 1);
    }
}

#[tokio::test]
async fn metadata_addresses_are_refused_for_registries_and_their_redirects() {
    let registries = registries();
    let repository = registries.image_repository("169.254.169.254/a/b", &anonymous()).unwrap();
    let error = repository.tags().await.unwrap_err();
    assert!(error.to_string().contains("link-local addresses are never dialled"), "{error}");
    let error =
        image_error(|_| Reply::status(307).header("location", "http://169.254.169.254/")).await;
    assert!(error.to_string().contains("link-local addresses are never dialled"), "{error}");
}
