//! The replica of the store in object storage: what is in it, how it comes back, and what is said when it cannot.

use std::{
    fs,
    io::{Read, Write},
    net::TcpListener,
    path::Path,
    process::{Command, Output},
    thread,
    time::Duration,
};

use bytes::Bytes;
use dev_testkit::{Client, Kargo, UpOptions, server::BucketServer};
use serde_json::json;

use super::{create, kargo, program, stderr};

const CONFIG_MAPS: &str = "/api/v1/namespaces/default/configmaps";

/// `kargo` with the keys of the bucket.
fn entered(arguments: &[&str]) -> Output {
    let mut command = Command::new(program());
    command.args(arguments).env("LOG_LEVEL", "error").envs(BucketServer::environment());
    command.output().unwrap()
}

async fn up_with(data: &Path, url: &str) -> Kargo {
    let environment = BucketServer::environment();
    let options = UpOptions {
        binary: Some(program()),
        arguments: vec!["--replica".into(), url.into()],
        environment: environment.map(|(name, value)| (name.into(), value.into())).into(),
    };
    Kargo::up(data, &options).await.unwrap()
}

fn restore(url: &str, data: &Path) -> Output {
    entered(&["restore", url, "--data-dir", &data.display().to_string()])
}

async fn names(client: &Client) -> Vec<String> {
    let list = client.get(CONFIG_MAPS).await.unwrap().json();
    let items = list["items"].as_array().unwrap();
    let name = |item: &serde_json::Value| item["metadata"]["name"].as_str().unwrap().to_owned();
    items.iter().map(name).filter(|name| name != "kube-root-ca.crt").collect()
}

/// The keys of the bucket without their generation; and how many generations there are.
fn parts(server: &BucketServer) -> (Vec<String>, usize) {
    let keys = server.keys();
    let parts: Vec<(&str, &str)> = keys
        .iter()
        .map(|key| key.strip_prefix("plane/").unwrap().split_once('/').unwrap())
        .collect();
    let mut generations: Vec<&str> = parts.iter().map(|(generation, _)| *generation).collect();
    generations.dedup();
    (parts.iter().map(|(_, file)| (*file).to_owned()).collect(), generations.len())
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_written_comes_back_from_a_bucket() {
    let server = BucketServer::start().await.unwrap();
    let url = server.url("plane");
    let directory = tempfile::tempdir().unwrap();
    let (data, other) = (directory.path().join("data"), directory.path().join("other"));
    let first = up_with(&data, &url).await;
    create(&first.client().unwrap(), "one").await;
    let told = first.client().unwrap().get("/debug/engine").await.unwrap().json();
    let place = told["replica"]["place"].as_str().unwrap();
    assert!(place.starts_with("s3://test-bucket/plane at "), "{told}");
    assert_eq!(told["replica"]["problem"], "");
    assert_eq!(first.stop().await.unwrap(), Some(0));
    // The second process goes on in the same generation; its last write is there when it has stopped.
    let second = up_with(&data, &url).await;
    create(&second.client().unwrap(), "two").await;
    assert_eq!(second.stop().await.unwrap(), Some(0));
    let (files, generations) = parts(&server);
    assert_eq!(generations, 1, "{files:?}");
    assert_eq!(files.iter().filter(|file| file.starts_with("base-")).count(), 1, "{files:?}");
    assert!(files.iter().filter(|file| file.ends_with(".log.zst")).count() >= 2, "{files:?}");
    let left: Vec<_> =
        fs::read_dir(&data).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert!(!left.iter().any(|name| name.to_string_lossy().starts_with("replica")), "{left:?}");

    let refused = entered(&[
        "up",
        "--kube-port",
        "0",
        "--api-port",
        "0",
        "--replica",
        &url,
        "--data-dir",
        &other.display().to_string(),
    ]);
    assert_eq!(refused.status.code(), Some(2), "{}", stderr(&refused));
    assert!(stderr(&refused).contains("this data directory is new"), "{}", stderr(&refused));
    assert!(stderr(&refused).contains("`kargo restore URL`"), "{}", stderr(&refused));

    let restored = restore(&url, &other);
    assert!(restored.status.success(), "{}", stderr(&restored));
    let third = up_with(&other, &url).await;
    assert_eq!(names(&third.client().unwrap()).await, ["one", "two"]);
    assert_eq!(third.stop().await.unwrap(), Some(0));
    assert_eq!(parts(&server).1, 2, "a restored store is another one");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_replica_with_a_gap_or_damage_is_not_restored() {
    let server = BucketServer::start().await.unwrap();
    let url = server.url("plane");
    let directory = tempfile::tempdir().unwrap();
    let (data, target) = (directory.path().join("data"), directory.path().join("target"));
    let running = up_with(&data, &url).await;
    for number in 0..4 {
        create(&running.client().unwrap(), &format!("c{number}")).await;
        tokio::time::sleep(Duration::from_millis(600)).await;
    }
    running.stop().await.unwrap();
    let segments: Vec<String> =
        server.keys().into_iter().filter(|key| key.ends_with(".log.zst")).collect();
    assert!(segments.len() >= 4, "{segments:?}");
    let middle = &segments[segments.len() / 2];
    let mut kept = Bytes::new();
    server.change(|all| kept = all.remove(middle).unwrap());
    let gap = restore(&url, &target);
    assert_eq!(gap.status.code(), Some(23), "{}", stderr(&gap));
    assert!(stderr(&gap).contains(" misses revisions from "), "{}", stderr(&gap));
    assert!(stderr(&gap).contains("hint: everything up to revision "), "{}", stderr(&gap));
    for at in [kept.len() / 2, kept.len() - 1] {
        let mut damaged = kept.to_vec();
        damaged[at] ^= 4;
        server.change(|all| drop(all.insert(middle.clone(), damaged.into())));
        let refused = restore(&url, &target);
        assert_eq!(refused.status.code(), Some(23), "{}", stderr(&refused));
        let key = middle.strip_prefix("plane/").unwrap();
        assert!(stderr(&refused).contains(&format!("{key} in s3://")), "{}", stderr(&refused));
    }
    assert!(!target.exists());
    server.change(|all| drop(all.insert(middle.clone(), kept)));
    let restored = restore(&url, &target);
    assert!(restored.status.success(), "{}", stderr(&restored));
}

/// Waits for an object with this end.
async fn shipped(server: &BucketServer, end: &str) {
    let mut left = 200;
    while server.keys().iter().all(|key| !key.ends_with(end)) {
        left -= 1;
        assert!(left > 0, "nothing was shipped: {:?}", server.received());
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bucket_that_does_not_answer_keeps_nobody_from_serving() {
    let server = BucketServer::start().await.unwrap();
    let directory = tempfile::tempdir().unwrap();
    let (data, target) = (directory.path().join("data"), directory.path().join("target"));
    let refusal = "<Error><Code>AccessDenied</Code><Message>not you</Message></Error>";
    server.fail(4, 403, refusal);
    let running = up_with(&data, &server.url("plane")).await;
    create(&running.client().unwrap(), "one").await;
    shipped(&server, ".db.zst").await;
    create(&running.client().unwrap(), "two").await;
    shipped(&server, ".log.zst").await;
    running.kill().await.unwrap();
    server.fail(1, 403, refusal);
    let refused = restore(&server.url("plane"), &target);
    assert_eq!(refused.status.code(), Some(1), "{}", stderr(&refused));
    assert!(stderr(&refused).contains(": 403: AccessDenied: not you"), "{}", stderr(&refused));
    let restored = restore(&server.url("plane"), &target);
    assert!(restored.status.success(), "{}", stderr(&restored));
}

/// A command that has no keys, whatever those who run the tests have.
fn without_keys(command: &mut Command) -> &mut Command {
    for name in [
        "AWS_ACCESS_KEY_ID",
        "AWS_SECRET_ACCESS_KEY",
        "AWS_WEB_IDENTITY_TOKEN_FILE",
        "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
        "AWS_CONTAINER_CREDENTIALS_FULL_URI",
    ] {
        command.env_remove(name);
    }
    command
}

/// The address of the metadata of a machine whose role has the keys of the bucket.
fn machine() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let [id, secret, session] = BucketServer::environment().map(|(_, value)| value);
    let keys = json!({"AccessKeyId": id, "SecretAccessKey": secret, "Token": session,
        "Expiration": "2999-01-01T00:00:00Z"});
    thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let mut head = [0; 4096];
            let read = stream.read(&mut head).unwrap();
            let head = String::from_utf8_lossy(&head[..read]);
            let body = match head.split(' ').nth(1).unwrap() {
                "/latest/api/token" => "token".to_owned(),
                "/latest/meta-data/iam/security-credentials/" => "role".to_owned(),
                _ => keys.to_string(),
            };
            let length = body.len();
            let start = "HTTP/1.1 200 OK\r\nconnection: close";
            write!(stream, "{start}\r\ncontent-length: {length}\r\n\r\n{body}").unwrap();
        }
    });
    format!("http://{address}")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bucket_is_entered_with_the_role_of_the_machine() {
    let server = BucketServer::start().await.unwrap();
    let directory = tempfile::tempdir().unwrap();
    let mut command = Command::new(program());
    command.args(["restore", &server.url("plane"), "--data-dir"]).arg(directory.path());
    without_keys(&mut command).env("AWS_EC2_METADATA_SERVICE_ENDPOINT", machine());
    let listed = command.output().unwrap();
    assert_eq!(listed.status.code(), Some(1), "{}", stderr(&listed));
    let told = stderr(&listed);
    assert!(told.contains(" has no replica of a control plane\n"), "{told}");
}

#[test]
fn addresses_and_combinations_that_cannot_be_are_refused() {
    let directory = tempfile::tempdir().unwrap();
    let place = format!("file://{}/replica", directory.path().display());
    let data = directory.path().join("data").display().to_string();
    for (arguments, told) in [
        (vec!["up", "--replica", "https://bucket/a"], "file:///DIRECTORY"),
        (vec!["up", "--replica", "s3://bucket-1/a"], "no keys for AWS: neither AWS_ACCESS_KEY_ID"),
        (vec!["up", "--replica", &place, "--in-memory"], "cannot be used with"),
        (vec!["up", "--replica", &place, "--kubeconfig", "x"], "cannot be used with"),
        (vec!["up", "--replica", &place, "--replica-snapshot-interval", "5s"], "1m at least"),
        (vec!["restore", "ftp://place/a"], "s3://BUCKET/PREFIX"),
        (
            vec!["restore", "s3://bucket-1/a"],
            "hint: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY",
        ),
        (vec!["restore", &place, "--kubeconfig", "x"], "into a data directory"),
    ] {
        let mut command = Command::new(program());
        command.args(&arguments).env("LOG_LEVEL", "error").env("XDG_DATA_HOME", &data);
        // No test asks the machine that it runs on.
        without_keys(&mut command).env("AWS_EC2_METADATA_DISABLED", "true").args(
            (arguments[0] == "up")
                .then_some(["--kube-port", "0", "--api-port", "0"])
                .into_iter()
                .flatten(),
        );
        let refused = command.output().unwrap();
        assert_eq!(refused.status.code(), Some(2), "{arguments:?}: {}", stderr(&refused));
        assert!(stderr(&refused).contains(told), "{arguments:?}: {}", stderr(&refused));
    }
    let empty = kargo(&["restore", &place, "--data-dir", &data]);
    assert_eq!(empty.status.code(), Some(1), "{}", stderr(&empty));
    let told = format!("error: {place} has no replica of a control plane\n");
    assert!(stderr(&empty).starts_with(&told), "{}", stderr(&empty));
}
