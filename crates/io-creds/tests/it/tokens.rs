//! How tokens are shared between those who ask for them.

use std::sync::{
    Arc,
    atomic::{AtomicBool, AtomicUsize, Ordering},
};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use futures::FutureExt;
use io_creds::{Aws, Credentials, Kind, Settings};
use serde_json::json;

use crate::{
    double::{Double, Reply},
    world::{START, World},
};

const IMAGE: &str = "111111111111.dkr.ecr.eu-west-1.amazonaws.com/app";

async fn start(world: &World, double: &Double) -> Credentials {
    let data = [
        ("repoURL", IMAGE),
        ("awsRegion", "eu-west-1"),
        ("awsAccessKeyID", "AKID"),
        ("awsSecretAccessKey", "secret"),
    ];
    world.secret("p", "ecr", "image", &data).await;
    let aws = Aws { ecr_endpoint: Some(double.url()), ..Aws::default() };
    world.credentials(Settings { aws, ..Settings::default() })
}

fn password() -> Reply {
    let token = STANDARD.encode("AWS:pw");
    let data = json!({"authorizationToken": token, "expiresAt": START + 43200});
    Reply::ok(json!({"authorizationData": [data]}))
}

#[tokio::test]
async fn many_who_miss_a_token_share_one_load() {
    let world = World::start().await;
    let double = world.double(|_| password()).await;
    let credentials = start(&world, &double).await;
    let lookups = (0..50).map(|_| credentials.get("p", Kind::Image, IMAGE));
    let found = futures::future::join_all(lookups).await;
    assert!(found.into_iter().all(|found| found.unwrap().is_some()));
    assert_eq!(double.lines().len(), 1);
}

#[tokio::test]
async fn a_load_goes_on_when_its_caller_gives_up() {
    let world = World::start().await;
    let double = world.double(|_| password()).await;
    let credentials = start(&world, &double).await;
    credentials.get("p", Kind::Image, "ghcr.io/warm").await.unwrap();
    world.settle().await;
    assert!(credentials.get("p", Kind::Image, IMAGE).now_or_never().is_none(), "given up at once");
    let found = credentials.get("p", Kind::Image, IMAGE).await.unwrap();
    assert!(found.is_some());
    assert_eq!(double.lines().len(), 1);
}

#[tokio::test]
async fn a_failure_is_told_to_all_who_wait_and_not_kept() {
    let world = World::start().await;
    let (asked, healthy) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicBool::new(false)));
    let (count, is_healthy) = (asked.clone(), healthy.clone());
    let double = world
        .double(move |_| {
            count.fetch_add(1, Ordering::SeqCst);
            if is_healthy.load(Ordering::SeqCst) {
                password()
            } else {
                Reply::Body(500, String::new())
            }
        })
        .await;
    let credentials = start(&world, &double).await;
    let lookups = (0..10).map(|_| credentials.get("p", Kind::Image, IMAGE));
    let failed = futures::future::join_all(lookups).await;
    assert!(failed.into_iter().all(|outcome| outcome.is_err()));
    assert_eq!(asked.load(Ordering::SeqCst), 1);
    healthy.store(true, Ordering::SeqCst);
    assert!(credentials.get("p", Kind::Image, IMAGE).await.unwrap().is_some());
}

#[tokio::test]
async fn a_changed_secret_gets_a_token_of_its_own() {
    let world = World::start().await;
    let double = world.double(|_| password()).await;
    let credentials = start(&world, &double).await;
    credentials.get("p", Kind::Image, IMAGE).await.unwrap();
    world.delete("p", "ecr").await;
    let data = [
        ("repoURL", IMAGE),
        ("awsRegion", "eu-west-1"),
        ("awsAccessKeyID", "AKID"),
        ("awsSecretAccessKey", "rotated"),
    ];
    world.secret("p", "ecr", "image", &data).await;
    world.settle().await;
    credentials.get("p", Kind::Image, IMAGE).await.unwrap();
    assert_eq!(double.lines().len(), 2);
}
