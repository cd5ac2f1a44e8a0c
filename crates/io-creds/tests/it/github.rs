//! Tokens of GitHub Apps.

use std::{
    sync::atomic::{AtomicUsize, Ordering},
    time::Duration,
};

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use core_rules::{credential::Credential, fault::message};
use io_creds::{Credentials, Kind, Settings};
use serde_json::{Value, json};

use crate::{
    double::{Double, Reply, Seen},
    world::{START, World},
};

const KEY: &str = include_str!("../../testdata/rsa-pkcs1.pem");

/// One hour after the start, as GitHub says it.
const IN_AN_HOUR: &str = "2026-01-01T01:00:00Z";

/// A GitHub that makes tokens and knows every repository.
fn github(made: &AtomicUsize, seen: &Seen) -> Reply {
    if seen.line.starts_with("GET") {
        return Reply::ok("{}");
    }
    let number = made.fetch_add(1, Ordering::SeqCst);
    Reply::Body(
        201,
        json!({"token": format!("ghs_{number}"), "expires_at": IN_AN_HOUR}).to_string(),
    )
}

async fn install(world: &World, double: &Double, annotations: Value, extra: &[(&str, &str)]) {
    let metadata = json!({
        "name": "app", "labels": {"kargo.akuity.io/cred-type": "git"}, "annotations": annotations,
    });
    let pattern = double.url();
    let mut data = vec![
        ("repoURL", pattern.as_str()),
        ("repoURLIsRegex", "true"),
        ("githubAppID", "12"),
        ("githubAppInstallationID", "34"),
        ("githubAppPrivateKey", KEY),
    ];
    data.extend(extra);
    world.secret_with("p", metadata, &data).await;
}

fn credentials(world: &World) -> Credentials {
    world.credentials(Settings { allow_over_http: true, ..Settings::default() })
}

#[tokio::test]
async fn a_token_is_made_for_the_one_repository_tried_and_kept_until_it_gets_old() {
    let world = World::start().await;
    let made = AtomicUsize::new(0);
    let double = world.double(move |seen| github(&made, seen)).await;
    install(&world, &double, json!({}), &[("githubAppClientID", "Iv1.abc")]).await;
    let credentials = credentials(&world);
    let url = format!("{}/Org/App.git", double.url());
    let token = async || credentials.get("p", Kind::Git, &url).await.unwrap();
    assert_eq!(token().await, Some(Credential::basic("kargo", "ghs_0")));
    let seen = double.seen();
    let lines: Vec<_> = seen.iter().map(|seen| seen.line.as_str()).collect();
    assert_eq!(
        lines,
        ["POST /api/v3/app/installations/34/access_tokens", "GET /api/v3/repos/org/app"]
    );
    assert_eq!(seen[0].body, r#"{"repositories":["app"]}"#);
    assert_eq!(seen[1].header("authorization"), "Bearer ghs_0");
    let statement = seen[0].header("authorization").strip_prefix("Bearer ").unwrap();
    let claims = statement.split('.').nth(1).unwrap();
    let claims: Value = serde_json::from_slice(&URL_SAFE_NO_PAD.decode(claims).unwrap()).unwrap();
    assert_eq!(claims, json!({"iss": "Iv1.abc", "iat": START - 60, "exp": START + 540}));

    world.pass(Duration::from_secs(55 * 60 - 1)).await;
    assert_eq!(token().await, Some(Credential::basic("kargo", "ghs_0")));
    world.pass(Duration::from_secs(1)).await;
    assert_eq!(token().await, Some(Credential::basic("kargo", "ghs_1")));
    let other = format!("{}/org/other", double.url());
    let found = credentials.get("p", Kind::Git, &other).await.unwrap();
    assert_eq!(found, Some(Credential::basic("kargo", "ghs_2")));
}

#[tokio::test]
async fn the_scope_map_decides_which_project_gets_which_repository() {
    let world = World::start().await;
    let made = AtomicUsize::new(0);
    let double = world.double(move |seen| github(&made, seen)).await;
    let scopes = json!({"p": ["App", "org/second"]}).to_string();
    install(&world, &double, json!({"kargo.akuity.io/github-token-scopes": scopes}), &[]).await;
    let credentials = credentials(&world);
    for (path, allowed) in [("org/app", true), ("org/second", true), ("org/third", false)] {
        let url = format!("{}/{path}", double.url());
        let found = credentials.get("p", Kind::Git, &url).await.unwrap();
        assert_eq!(found.is_some(), allowed, "{path}");
    }
}

#[tokio::test]
async fn a_fresh_token_is_tried_four_times_and_then_used_all_the_same() {
    let world = World::start().await;
    let made = AtomicUsize::new(0);
    let double = world
        .double(move |seen| {
            let is_try = seen.line.starts_with("GET");
            if is_try { Reply::Body(404, "{}".into()) } else { github(&made, seen) }
        })
        .await;
    install(&world, &double, json!({}), &[]).await;
    let credentials = credentials(&world);
    let url = format!("{}/org/app", double.url());
    let lookup = credentials.get("p", Kind::Git, &url);
    let found = world.while_time_passes(lookup).await.unwrap();
    assert_eq!(found, Some(Credential::basic("kargo", "ghs_0")));
    assert_eq!(double.lines().len(), 1 + 4);
}

#[tokio::test]
async fn what_goes_wrong_names_the_secret_and_shows_nothing_of_it() {
    let world = World::start().await;
    let refusal = json!({"message": "Integration not found"}).to_string();
    let table = [
        (Reply::Body(404, refusal), "GitHub answered 404 (Integration not found)"),
        (
            Reply::Body(201, "{".into()),
            "GitHub sent an answer that cannot be used: it is not the JSON document expected",
        ),
        (Reply::Body(302, String::new()), "GitHub answered 302"),
        (Reply::Silence, "error loading a token: no answer within 113 s"),
    ];
    for (number, (reply, expected)) in table.into_iter().enumerate() {
        let double = world.double(move |_| reply.clone()).await;
        let name = format!("s{number}");
        let metadata = json!({"name": name, "labels": {"kargo.akuity.io/cred-type": "git"}});
        let url = format!("{}/org/app", double.url());
        let data = [
            ("repoURL", url.as_str()),
            ("githubAppID", "12"),
            ("githubAppInstallationID", "34"),
            ("githubAppPrivateKey", KEY),
        ];
        world.secret_with("p", metadata, &data).await;
        let credentials = credentials(&world);
        let lookup = credentials.get("p", Kind::Git, &url);
        let outcome = if expected.contains("113") {
            world.while_time_passes(lookup).await
        } else {
            lookup.await
        };
        let start = format!("failed to get git creds for {url} from Secret p/{name}: ");
        assert_eq!(message(&outcome.unwrap_err()), format!("{start}{expected}"));
    }
}

#[tokio::test]
async fn a_secret_with_wrong_values_says_which() {
    let world = World::start().await;
    let double = world.double(|_| Reply::ok("{}")).await;
    let table = [
        (
            "installation",
            "x",
            KEY,
            "githubAppInstallationID cannot be used: error parsing installation ID",
        ),
        (
            "key",
            "34",
            "abcde",
            "githubAppPrivateKey cannot be used: probable corrupt base64 encoding",
        ),
    ];
    let credentials = credentials(&world);
    for (name, installation, key, expected) in table {
        let url = format!("{}/org/{name}", double.url());
        let data = [
            ("repoURL", url.as_str()),
            ("githubAppID", "12"),
            ("githubAppInstallationID", installation),
            ("githubAppPrivateKey", key),
        ];
        world.secret("p", name, "git", &data).await;
        world.settle().await;
        let error = credentials.get("p", Kind::Git, &url).await.unwrap_err();
        assert!(message(&error).ends_with(expected), "{}", message(&error));
    }
    assert!(double.lines().is_empty());
}
