//! A bucket: what is put, listed and refused.

use std::sync::{
    Arc, Mutex,
    atomic::{AtomicBool, Ordering},
};

use core_clock::FixedEnvironment;
use core_rules::{credential::Secret, fault::message};
use dev_testkit::server::BucketServer;
use io_http::outbound::{Outbound, Settings, aws::Keys};
use io_objects::{Address, ComingKeys, Error, KeySource, NoKeys, Objects};
use io_runtime::SystemClock;

/// Keys that stay, or others once they were given up.
struct TestKeys {
    now: Mutex<Result<Keys, NoKeys>>,
    next: Option<Keys>,
    given_up: AtomicBool,
}

impl TestKeys {
    fn new(now: Result<Keys, NoKeys>, next: Option<Keys>) -> Arc<Self> {
        Arc::new(Self { now: Mutex::new(now), next, given_up: AtomicBool::new(false) })
    }
}

impl KeySource for TestKeys {
    fn keys(&self) -> ComingKeys<'_> {
        Box::pin(async move { self.now.lock().unwrap().clone() })
    }

    fn give_up(&self, refused: &Keys) -> bool {
        assert_eq!(self.now.lock().unwrap().as_ref().unwrap().id, refused.id);
        self.given_up.store(true, Ordering::SeqCst);
        if let Some(next) = &self.next {
            *self.now.lock().unwrap() = Ok(next.clone());
        }
        self.next.is_some()
    }
}

/// The keys that the server knows.
fn good_keys() -> Keys {
    let [id, secret, session] = BucketServer::environment().map(|(_, value)| value);
    Keys { id: id.into(), secret: Secret::new(secret), session: Some(Secret::new(session)) }
}

fn open_with(server: &BucketServer, keys: Arc<TestKeys>) -> Objects {
    let Address::Bucket(bucket) = server.url("some%20place/of%20ours").parse().unwrap() else {
        unreachable!("it is a bucket")
    };
    let (outbound, clock) = (Outbound::new(Settings::default()), Arc::new(SystemClock::new()));
    Objects::in_bucket(&bucket, keys, &FixedEnvironment::default(), &outbound, clock).unwrap()
}

fn open(server: &BucketServer) -> Objects {
    open_with(server, TestKeys::new(Ok(good_keys()), None))
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
    let wrong = Keys { secret: Secret::new("wrong"), ..good_keys() };
    let keys = TestKeys::new(Ok(wrong), None);
    let objects = open_with(&server, keys.clone());
    let told = objects.put("a/1", "one".into()).await.unwrap_err().to_string();
    let end = ": 403: SignatureDoesNotMatch: *** has not signed this";
    assert!(told.starts_with("cannot put a/1 in s3://test-bucket/some place/of ours"), "{told}");
    assert!(told.ends_with(end), "{told}");
    assert_eq!((server.received().len(), server.keys().len()), (1, 0));
    assert!(!keys.given_up.load(Ordering::SeqCst), "others would not sign better");
}

#[tokio::test]
async fn keys_that_have_expired_are_given_up_for_others_where_there_are_any() {
    let server = BucketServer::start().await.unwrap();
    let expired = Keys { session: Some(Secret::new("of yesterday")), ..good_keys() };
    let objects = open_with(&server, TestKeys::new(Ok(expired.clone()), Some(good_keys())));
    objects.put("a", "one".into()).await.unwrap();
    assert_eq!(server.received().len(), 2);
    let keys = TestKeys::new(Ok(expired), None);
    let told = open_with(&server, keys.clone()).get("a").await.unwrap_err().to_string();
    assert!(told.ends_with(": 403: InvalidToken: *** has not signed this"), "{told}");
    assert_eq!(server.received().len(), 1);
    assert!(keys.given_up.load(Ordering::SeqCst));
}

#[tokio::test]
async fn without_keys_nothing_is_asked() {
    let server = BucketServer::start().await.unwrap();
    let get = async |is_final| {
        let missing = NoKeys { why: "nobody gives any".into(), is_final };
        open_with(&server, TestKeys::new(Err(missing), None)).get("a").await.unwrap_err()
    };
    let error = get(true).await;
    assert!(matches!(error, Error::NoKeys { .. }));
    let told = message(&error);
    assert!(told.starts_with("cannot enter s3://test-bucket/some place/of ours at "), "{told}");
    assert!(told.ends_with(": nobody gives any"), "{told}");
    assert!(error.lacks_keys() && !get(false).await.lacks_keys());
    assert!(server.received().is_empty());
}
