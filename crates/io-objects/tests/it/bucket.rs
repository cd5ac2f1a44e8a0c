//! A bucket: what is put, listed and refused.

use std::sync::Arc;

use core_clock::FixedEnvironment;
use dev_testkit::server::BucketServer;
use io_http::outbound::{Outbound, Settings};
use io_objects::{Error, Objects};
use io_runtime::SystemClock;

fn open_with(server: &BucketServer, environment: &FixedEnvironment) -> Result<Objects, Error> {
    let address = server.url("some%20place/of%20ours").parse().unwrap();
    let outbound = Outbound::new(Settings::default());
    Objects::open(&address, environment, &outbound, Arc::new(SystemClock::new()))
}

fn open(server: &BucketServer) -> Objects {
    open_with(server, &BucketServer::environment().into_iter().collect()).unwrap()
}

#[tokio::test]
async fn what_is_put_can_be_got_listed_and_deleted() {
    let server = BucketServer::start().await.unwrap();
    let objects = open(&server);
    objects.put("b/2", "two".into()).await.unwrap();
    objects.put("a/1", "one".into()).await.unwrap();
    server.change(|all| drop(all.insert("some place/of ours-not".into(), "alien".into())));
    assert_eq!(objects.list().await.unwrap(), ["a/1", "b/2"]);
    assert_eq!(objects.get("a/1").await.unwrap(), "one");
    let told = objects.get("a/2").await.unwrap_err().to_string();
    assert!(told.starts_with("s3://test-bucket/some place/of ours at http://127.0.0.1"), "{told}");
    assert!(told.ends_with(" has no a/2"), "{told}");
    objects.delete("a/1").await.unwrap();
    objects.delete("a/1").await.unwrap();
    assert_eq!(server.keys(), ["some place/of ours-not", "some place/of ours/b/2"]);
}

#[tokio::test]
async fn a_long_list_is_read_to_its_end() {
    let server = BucketServer::start().await.unwrap();
    let objects = open(&server);
    let keys: Vec<String> = (0..25).map(|number| format!("g/{number:03}")).collect();
    for key in &keys {
        objects.put(key, "x".into()).await.unwrap();
    }
    server.page_of(10);
    server.received();
    assert_eq!(objects.list().await.unwrap(), keys);
    assert_eq!(server.received().len(), 3);
}

#[tokio::test]
async fn a_bucket_that_is_busy_is_asked_again_and_one_that_stays_so_is_not_for_ever() {
    let server = BucketServer::start().await.unwrap();
    let objects = open(&server);
    server.fail(2, 503, "<Error><Code>SlowDown</Code></Error>");
    objects.put("a", "one".into()).await.unwrap();
    assert_eq!(server.received().len(), 3);
    server.fail(9, 500, "<Error><Code>InternalError</Code><Message>later</Message></Error>");
    let told = objects.get("a").await.unwrap_err().to_string();
    assert!(told.ends_with(": 500: InternalError: later"), "{told}");
    assert_eq!(server.received().len(), 3);
}

#[tokio::test]
async fn a_refusal_names_bucket_key_and_reason_but_no_key_of_the_account() {
    let server = BucketServer::start().await.unwrap();
    let mut environment = BucketServer::environment();
    environment[1].1 = "wrong";
    let objects = open_with(&server, &environment.into_iter().collect()).unwrap();
    let told = objects.put("a/1", "one".into()).await.unwrap_err().to_string();
    let end = ": 403: SignatureDoesNotMatch: *** has not signed this";
    assert!(told.starts_with("cannot put a/1 in s3://test-bucket/some place/of ours"), "{told}");
    assert!(told.ends_with(end), "{told}");
    assert_eq!((server.received().len(), server.keys().len()), (1, 0));
}

#[tokio::test]
async fn keys_that_are_missing_are_named() {
    let server = BucketServer::start().await.unwrap();
    let told = open_with(&server, &FixedEnvironment::default()).err().unwrap().to_string();
    assert!(told.starts_with("AWS_ACCESS_KEY_ID: must be set to"), "{told}");
}
