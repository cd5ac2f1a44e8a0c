//! Access tokens of Google Cloud.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::Duration,
};

use base64::{
    Engine as _,
    engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD},
};
use core_rules::{credential::Credential, fault::message};
use io_creds::{Google, Kind, Settings};
use serde_json::{Value, json};

use crate::{
    double::{Double, Reply, Seen},
    world::{START, World},
};

const IMAGE: &str = "europe-docker.pkg.dev/acme/images/app";
const KEY: &str = include_str!("../../testdata/rsa-pkcs8.pem");

fn login(token: &str) -> Credential {
    Credential::basic("oauth2accesstoken", token)
}

async fn service_account(world: &World, double: &Double) {
    let key = json!({
        "type": "service_account", "client_email": "robot@acme", "private_key": KEY,
        "private_key_id": "k1", "token_uri": format!("{}/token", double.url()),
    });
    let key = STANDARD.encode(key.to_string());
    let data = [("repoURL", IMAGE), ("gcpServiceAccountKey", key.as_str())];
    world.secret("p", "gar", "image", &data).await;
}

#[tokio::test]
async fn a_service_account_key_signs_for_a_token_that_is_kept_until_it_gets_old() {
    let world = World::start().await;
    let double =
        world.double(|_| Reply::ok(json!({"access_token": "ya29", "expires_in": 3600}))).await;
    service_account(&world, &double).await;
    let credentials = world.credentials(nowhere());
    for _ in 0..2 {
        assert_eq!(credentials.get("p", Kind::Image, IMAGE).await.unwrap(), Some(login("ya29")));
    }
    let seen = double.seen();
    assert_eq!(seen.len(), 1);
    assert_eq!(seen[0].field("grant_type"), "urn:ietf:params:oauth:grant-type:jwt-bearer");
    let statement = seen[0].field("assertion");
    let part = |index| -> Value {
        let part = statement.split('.').nth(index).unwrap();
        serde_json::from_slice(&URL_SAFE_NO_PAD.decode(part).unwrap()).unwrap()
    };
    assert_eq!(part(0)["kid"], "k1");
    assert_eq!(
        part(1),
        json!({
            "iss": "robot@acme", "aud": format!("{}/token", double.url()), "iat": START,
            "exp": START + 3600, "scope": "https://www.googleapis.com/auth/devstorage.read_only",
        })
    );
    world.pass(Duration::from_mins(55)).await;
    credentials.get("p", Kind::Image, IMAGE).await.unwrap();
    assert_eq!(double.seen().len(), 2);
}

#[tokio::test]
async fn a_token_without_an_expiry_is_kept_for_forty_minutes() {
    let world = World::start().await;
    let double = world.double(|_| Reply::ok(json!({"access_token": "ya29"}))).await;
    service_account(&world, &double).await;
    let credentials = world.credentials(nowhere());
    credentials.get("p", Kind::Image, IMAGE).await.unwrap();
    world.pass(Duration::from_secs(40 * 60 - 1)).await;
    credentials.get("p", Kind::Image, IMAGE).await.unwrap();
    assert_eq!(double.seen().len(), 1);
    world.pass(Duration::from_secs(1)).await;
    credentials.get("p", Kind::Image, IMAGE).await.unwrap();
    assert_eq!(double.seen().len(), 2);
}

#[tokio::test]
async fn a_key_that_is_refused_or_unusable_is_an_error_without_it() {
    let world = World::start().await;
    let refusal = json!({"error": "invalid_grant", "error_description": "Invalid JWT Signature."});
    let double = world.double(move |_| Reply::Body(400, refusal.to_string())).await;
    service_account(&world, &double).await;
    let credentials = world.credentials(nowhere());
    let error = credentials.get("p", Kind::Image, IMAGE).await.unwrap_err();
    let expected = "Google's token service answered 400 (invalid_grant: Invalid JWT Signature.)";
    assert!(message(&error).ends_with(expected), "{}", message(&error));
    let not_a_key = STANDARD.encode(r#"{"private_key": "hunter2"}"#);
    let wrong_key = STANDARD.encode(r#"{"client_email": "a", "private_key": "hunter2"}"#);
    let table = [
        ("hunter2!", "it is not base64"),
        (not_a_key.as_str(), "it is not the JSON key of a service account"),
        (wrong_key.as_str(), "private_key: it is not a private key in PEM form"),
    ];
    for (number, (key, expected)) in table.into_iter().enumerate() {
        let image = format!("gcr.io/acme/{number}");
        let data = [("repoURL", image.as_str()), ("gcpServiceAccountKey", key)];
        world.secret("p", &format!("s{number}"), "image", &data).await;
        world.settle().await;
        let error = credentials.get("p", Kind::Image, &image).await.unwrap_err();
        let text = format!("{} {error:?}", message(&error));
        assert!(
            message(&error).ends_with(&format!("gcpServiceAccountKey cannot be used: {expected}")),
            "{text}"
        );
        assert!(!text.contains("hunter2"), "{text}");
    }
}

/// Outside of Google Cloud: nobody listens where the metadata server would be.
fn nowhere() -> Settings {
    let google = Google { metadata_host: "127.0.0.1:1".into(), ..Google::default() };
    Settings { google, ..Settings::default() }
}

fn inside(double: &Double) -> Settings {
    let google = Google { metadata_host: double.host(), iam_endpoint: double.url() };
    Settings { google, ..Settings::default() }
}

/// Google Cloud with our own token, where `iam` answers for service accounts.
fn google(seen: &Seen, iam: impl Fn(&str) -> Reply) -> Reply {
    let asks_metadata = seen.header("metadata-flavor") == "Google";
    match seen.line.as_str() {
        "GET /computeMetadata/v1/project/project-id" if asks_metadata => {
            Reply::Google(200, "acme".into())
        }
        "GET /computeMetadata/v1/instance/service-accounts/default/token" if asks_metadata => {
            Reply::Google(200, json!({"access_token": "own", "expires_in": 3000}).to_string())
        }
        line => iam(line),
    }
}

#[tokio::test]
async fn a_project_gets_the_service_account_named_after_it() {
    let world = World::start().await;
    let double = world
        .double(|seen| {
            google(seen, |_| {
                Reply::ok(json!({"accessToken": "theirs", "expireTime": "2026-01-01T01:00:00Z"}))
            })
        })
        .await;
    let credentials = world.credentials(inside(&double));
    for _ in 0..2 {
        assert_eq!(credentials.get("p", Kind::Image, IMAGE).await.unwrap(), Some(login("theirs")));
    }
    let seen = double.seen();
    assert_eq!(seen.len(), 3);
    assert_eq!(
        seen[2].line,
        "POST /v1/projects/-/serviceAccounts/kargo-project-p@acme.iam.gserviceaccount.com:generateAccessToken"
    );
    assert_eq!(seen[2].header("authorization"), "Bearer own");
    assert_eq!(seen[2].body, r#"{"scope":["https://www.googleapis.com/auth/cloud-platform"]}"#);
}

#[tokio::test]
async fn without_such_an_account_it_gets_ours_for_some_minutes() {
    for status in [403, 404] {
        let world = World::start().await;
        let asked = Arc::new(AtomicUsize::new(0));
        let count = asked.clone();
        let double = world
            .double(move |seen| {
                google(seen, |_| {
                    count.fetch_add(1, Ordering::SeqCst);
                    Reply::Body(status, "{}".into())
                })
            })
            .await;
        let credentials = world.credentials(inside(&double));
        for (minutes, asks) in [(0, 1), (4, 1), (1, 2)] {
            world.pass(Duration::from_mins(minutes)).await;
            assert_eq!(credentials.get("p", Kind::Image, IMAGE).await.unwrap(), Some(login("own")));
            assert_eq!(asked.load(Ordering::SeqCst), asks);
        }
    }
}

#[tokio::test]
async fn a_hiccup_is_an_error_and_never_gives_a_project_our_permissions() {
    let world = World::start().await;
    let double = world
        .double(|seen| {
            let status = json!({"error": {"status": "UNAVAILABLE", "message": "try later"}});
            google(seen, |_| Reply::Body(503, status.to_string()))
        })
        .await;
    let error = world.credentials(inside(&double)).get("p", Kind::Image, IMAGE).await.unwrap_err();
    assert_eq!(
        message(&error),
        format!(
            "failed to get image creds for {IMAGE} by this controller's identity in Google Cloud: \
             Google's IAM credentials service answered 503 (UNAVAILABLE: try later)"
        )
    );
}

#[tokio::test]
async fn a_metadata_server_that_starts_late_is_found_within_minutes() {
    let world = World::start().await;
    let started = Arc::new(AtomicBool::new(false));
    let is_started = started.clone();
    let double = world
        .double(move |seen| {
            if is_started.load(Ordering::SeqCst) {
                return google(seen, |_| Reply::Body(404, "{}".into()));
            }
            // The metadata service of another cloud answers too, but does not say whose it is.
            Reply::Body(404, String::new())
        })
        .await;
    let credentials = world.credentials(inside(&double));
    for project in ["p", "q", "p"] {
        assert_eq!(credentials.get(project, Kind::Image, IMAGE).await.unwrap(), None);
    }
    assert_eq!(double.lines().len(), 1, "one look for all Projects");
    started.store(true, Ordering::SeqCst);
    world.pass(Duration::from_mins(5)).await;
    assert_eq!(credentials.get("p", Kind::Image, IMAGE).await.unwrap(), Some(login("own")));
}

#[tokio::test]
async fn outside_of_google_cloud_there_is_no_credential() {
    let world = World::start().await;
    let credentials = world.credentials(nowhere());
    assert_eq!(credentials.get("p", Kind::Image, "gcr.io/distroless/base").await.unwrap(), None);
    assert_eq!(credentials.get("p", Kind::Git, "https://gcr.io/a").await.unwrap(), None);
}
