//! Logging in: tokens are shared, renewed and go only where they belong.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use io_oci::{Error, Mirrors, Want};

use crate::{
    anonymous, as_user,
    double::{Double, Reply, Seen},
    registries, registries_with,
};

/// `kargo:hunter2`
const BASIC: &str = "Basic a2FyZ286aHVudGVyMg==";

fn bearer(seen: &Seen, token: &str) -> bool {
    seen.header("authorization") == Some(&format!("Bearer {token}"))
}

fn challenge(seen: &Seen) -> Reply {
    let host = seen.header("host").unwrap_or_default();
    let value = format!(
        r#"Bearer realm="http://{host}/token",service="registry",scope="repository:app:pull""#
    );
    Reply::status(401).header("www-authenticate", &value)
}

#[tokio::test]
async fn one_token_serves_all_requests_of_a_repository_and_credential() {
    let server = Double::start(|seen| match &*seen.target {
        target if target.starts_with("/token") => Reply::json(r#"{"token":"t1","expires_in":300}"#),
        "/v2/app/tags/list?n=1000" if bearer(seen, "t1") => Reply::json(r#"{"tags":["v1"]}"#),
        _ if bearer(seen, "t1") => Reply::status(404),
        _ => challenge(seen),
    })
    .await;
    let registries = registries();
    let access = as_user("kargo", "hunter2");
    for _ in 0..3 {
        let repository = registries.image_repository(&server.repository("app"), &access).unwrap();
        repository.tags().await.unwrap();
    }
    let seen = server.seen();
    let tokens: Vec<_> = seen.iter().filter(|seen| seen.target.starts_with("/token")).collect();
    assert_eq!((tokens.len(), seen.len()), (1, 5));
    assert_eq!(tokens[0].target, "/token?service=registry&scope=repository%3Aapp%3Apull");
    assert_eq!(tokens[0].header("authorization"), Some(BASIC));
    // The password goes to the token server, never to the registry itself.
    assert!(seen.iter().all(
        |seen| seen.target.starts_with("/token") || seen.header("authorization") != Some(BASIC)
    ));
}

#[tokio::test]
async fn a_revoked_token_is_renewed_once() {
    let issued = Arc::new(AtomicUsize::new(0));
    let count = issued.clone();
    let server = Double::start(move |seen| match &*seen.target {
        target if target.starts_with("/token") => {
            let number = count.fetch_add(1, Ordering::Relaxed) + 1;
            Reply::json(format!(r#"{{"access_token":"t{number}"}}"#))
        }
        "/v2/app/tags/list?n=1000" if bearer(seen, "t1") => Reply::json(r#"{"tags":[]}"#),
        "/v2/app/manifests/v1" if bearer(seen, "t2") => Reply::status(404),
        _ => challenge(seen),
    })
    .await;
    let registries = registries();
    let repository = registries.image_repository(&server.repository("app"), &anonymous()).unwrap();
    repository.tags().await.unwrap();
    let error = repository.image("v1", Want::default()).await.unwrap_err();
    assert!(matches!(error, Error::NotFound { .. }), "{error}");
    let error = repository.image("v2", Want::default()).await.unwrap_err();
    assert!(matches!(error, Error::Unauthorized { credential: false, .. }), "{error}");
    assert!(issued.load(Ordering::Relaxed) <= 4);
}

#[tokio::test]
async fn basic_challenges_and_the_oauth_way_are_known() {
    let server = Double::start(|seen| match seen.header("authorization") {
        Some(BASIC) => Reply::json(r#"{"tags":["v1"]}"#),
        _ => Reply::status(401).header("www-authenticate", r#"Basic realm="registry""#),
    })
    .await;
    let registries = registries();
    let address = server.repository("app");
    let repository = registries.image_repository(&address, &as_user("kargo", "hunter2")).unwrap();
    assert_eq!(repository.tags().await.unwrap(), ["v1"]);
    for access in [anonymous(), as_user("kargo", "wrong"), as_user("kargo", "")] {
        let repository = registries.image_repository(&address, &access).unwrap();
        let error = repository.tags().await.unwrap_err();
        assert!(matches!(error, Error::Unauthorized { status: 401, .. }), "{error}");
    }

    let server = Double::start(|seen| match (&*seen.method, &*seen.target) {
        ("GET", target) if target.starts_with("/token") => Reply::status(405),
        ("POST", "/token") => Reply::json(r#"{"access_token":"t1"}"#),
        _ if bearer(seen, "t1") => Reply::json(r#"{"tags":["v1"]}"#),
        _ => challenge(seen),
    })
    .await;
    let access = as_user("kargo", "hunter2");
    let repository = registries.image_repository(&server.repository("app"), &access).unwrap();
    assert_eq!(repository.tags().await.unwrap(), ["v1"]);
    let form = server.seen().into_iter().find(|seen| seen.method == "POST").unwrap().body;
    assert!(form.contains("grant_type=password") && form.contains("password=hunter2"), "{form}");
}

#[tokio::test]
async fn a_token_server_that_refuses_or_talks_nonsense_is_told_without_secrets() {
    for (reply, words) in [
        (Reply::status(403), "refuses the credential for a token (HTTP 403)"),
        (Reply::json("hunter2"), "the token from 127.0.0.1 cannot be read"),
        (Reply::Endless(vec![b'x'; 1_000]), "sent more than 65536 bytes"),
    ] {
        let server = Double::start(move |seen| match &*seen.target {
            target if target.starts_with("/token") => reply.clone(),
            _ => challenge(seen),
        })
        .await;
        let registries = registries();
        let access = as_user("kargo", "hunter2");
        let repository = registries.image_repository(&server.repository("app"), &access).unwrap();
        let error = repository.tags().await.unwrap_err().to_string();
        assert!(error.contains(words) && !error.contains("hunter2"), "{error}");
    }
}

#[tokio::test]
async fn no_credential_goes_where_a_redirect_or_a_foreign_realm_leads() {
    let other = Double::start(|_| Reply::json(r#"{"tags":["v1"]}"#)).await;
    let elsewhere = other.url("/elsewhere");
    let server = Double::start(move |seen| match seen.header("authorization") {
        Some(BASIC) => Reply::status(307).header("location", &elsewhere),
        _ => Reply::status(401).header("www-authenticate", "Basic realm=x"),
    })
    .await;
    let registries = registries();
    let access = as_user("kargo", "hunter2");
    let repository = registries.image_repository(&server.repository("app"), &access).unwrap();
    assert_eq!(repository.tags().await.unwrap(), ["v1"]);
    assert!(other.seen().iter().all(|seen| seen.header("authorization").is_none()));

    let value = r#"Bearer realm="http://10.0.0.1/token""#;
    let server = Double::start(move |_| Reply::status(401).header("www-authenticate", value)).await;
    let repository = registries.image_repository(&server.repository("app"), &access).unwrap();
    let error = repository.tags().await.unwrap_err();
    assert!(matches!(error, Error::Realm { .. }), "{error}");
}

#[tokio::test]
async fn a_mirror_is_asked_in_place_of_the_registry_and_without_its_credential() {
    let mirror = Double::start(|_| Reply::json(r#"{"tags":["v1"]}"#)).await;
    let entry = format!("docker.io={}/hub", mirror.address());
    let registries = registries_with(|settings| {
        settings.mirrors = Mirrors::parse([entry.as_str()]).unwrap();
    });
    let repository = registries.image_repository("busybox", &as_user("kargo", "hunter2")).unwrap();
    assert_eq!(repository.tags().await.unwrap(), ["v1"]);
    let seen = mirror.seen();
    assert_eq!(seen[0].target, "/v2/hub/library/busybox/tags/list?n=1000");
    assert_eq!(seen[0].header("authorization"), None);
}
