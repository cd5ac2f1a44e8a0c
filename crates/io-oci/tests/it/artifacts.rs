//! Whole artifacts: read, copied within a registry and to another one, and lied about.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use dev_testkit::server::registry::{Door, Image, PASSWORD, Registry, USERNAME};
use io_oci::{Annotations, Artifact, Error, Reference, Registries};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpListener,
};

use crate::{
    anonymous, as_user,
    double::{Double, Reply, Seen},
    images::sha256,
    registries,
};

const LAYER: &str = "application/vnd.oci.image.layer.v1.tar+gzip";
const CHART: &str = "application/vnd.cncf.helm.chart.content.v1.tar+gzip";
const MANIFEST: &str = "application/vnd.oci.image.manifest.v1+json";

fn image(layers: &[(&str, &[u8])]) -> Image {
    let layers = layers.iter().map(|(kind, bytes)| ((*kind).to_owned(), bytes.to_vec().into()));
    Image { layers: layers.collect(), ..Image::built("2024-01-01T00:00:00Z") }
}

fn reference(text: impl AsRef<str>) -> Reference {
    text.as_ref().parse().unwrap()
}

async fn read(registries: &Registries, name: &str) -> Artifact {
    let name = reference(name);
    registries.source(&name, &anonymous()).unwrap().artifact(&name).await.unwrap()
}

async fn layer(registries: &Registries, name: &str, index: usize) -> Result<Vec<u8>, Error> {
    let name = reference(name);
    let repository = registries.source(&name, &anonymous()).unwrap();
    let artifact = repository.image_artifact(&name).await?;
    let mut blob = repository.blob(&artifact.layers()[index]).await?;
    let mut bytes = Vec::new();
    while let Some(piece) = blob.chunk().await? {
        bytes.extend_from_slice(&piece);
    }
    Ok(bytes)
}

#[tokio::test]
async fn an_index_with_its_images_is_copied_within_a_registry_without_sending_blobs() {
    let Some(server) = Registry::start(Door::Open).await.unwrap() else { return };
    let large = vec![7; 3_000_000];
    let amd = image(&[(LAYER, b"amd"), (CHART, &large)]);
    let arm =
        Image { platform: Some(("linux".into(), "arm64".into())), ..image(&[(LAYER, b"arm")]) };
    let digest = server.push_index("team/app", "v1", &[arm, amd]).await.unwrap();
    let registries = registries();
    let from = reference(server.repository("team/app:v1"));
    let to = reference(server.repository("prod/app:v1"));
    let source = registries.source(&from, &anonymous()).unwrap();
    let artifact = source.artifact(&from).await.unwrap();
    assert_eq!(artifact.digest(), digest);
    assert!(artifact.size() > 3_000_006);

    let destination = registries.destination(&to, &anonymous(), &source).unwrap();
    let before = source.requests();
    destination.push(&source, &artifact, "v1").await.unwrap();
    // The registry took the blobs over by itself.
    assert_eq!(source.requests(), before);
    let copy = read(&registries, &server.repository("prod/app:v1")).await;
    assert_eq!(copy.digest(), digest);
    assert_eq!(layer(&registries, &server.repository("prod/app:v1"), 0).await.unwrap(), b"amd");
    assert_eq!(layer(&registries, &server.repository("prod/app:v1"), 1).await.unwrap(), large);
    destination.push(&source, &artifact, "v1").await.unwrap();
}

#[tokio::test]
async fn annotations_give_a_new_artifact_in_the_same_repository() {
    let Some(server) = Registry::start(Door::Open).await.unwrap() else { return };
    let digest = server.push_index("app", "v1", &[image(&[(LAYER, b"a")])]).await.unwrap();
    let registries = registries();
    let name = reference(server.repository("app:v1"));
    let source = registries.source(&name, &anonymous()).unwrap();
    let added =
        Annotations::new([("index:stage".into(), "prod".into()), ("team".into(), "x".into())]);
    let artifact = source.artifact(&name).await.unwrap().annotated(&added).unwrap();
    let destination = registries.destination(&name, &anonymous(), &source).unwrap();
    destination.push(&source, &artifact, "v1-prod").await.unwrap();
    let copy = read(&registries, &server.repository("app:v1-prod")).await;
    assert_eq!(copy.digest(), artifact.digest());
    assert_ne!(copy.digest(), digest);
    assert_eq!(layer(&registries, &server.repository("app:v1-prod"), 0).await.unwrap(), b"a");
}

#[tokio::test]
async fn blobs_travel_to_another_registry_under_its_own_log_in() {
    let Some(server) = Registry::start(Door::Open).await.unwrap() else { return };
    let Some(locked) = Registry::start(Door::Locked).await.unwrap() else { return };
    let large: Vec<u8> = (0..5_000_000_u32).flat_map(u32::to_le_bytes).take(9_000_001).collect();
    let digest = server.push("app", "v1", &image(&[(LAYER, &large), (LAYER, b"")])).await.unwrap();
    let registries = registries();
    let from = reference(format!("{}@{digest}", server.repository("app")));
    let to = reference(locked.repository("copy:v2"));
    let source = registries.source(&from, &anonymous()).unwrap();
    let artifact = source.artifact(&from).await.unwrap();
    for access in [anonymous(), as_user(USERNAME, "wrong")] {
        let destination = registries.destination(&to, &access, &source).unwrap();
        let error = destination.push(&source, &artifact, "v2").await.unwrap_err();
        assert!(matches!(error, Error::Unauthorized { .. }), "{error}");
    }
    let access = as_user(USERNAME, PASSWORD);
    let destination = registries.destination(&to, &access, &source).unwrap();
    destination.push(&source, &artifact, "v2").await.unwrap();
    let copied = registries.source(&to, &access).unwrap();
    let copy = copied.artifact(&to).await.unwrap();
    assert_eq!(copy.digest(), digest);
    let mut blob = copied.blob(&copy.layers()[0]).await.unwrap();
    let mut length = 0;
    while let Some(piece) = blob.chunk().await.unwrap() {
        length += piece.len();
    }
    assert_eq!(length, large.len());
}

/// A manifest with one layer `abc` of the given size.
fn manifest(size: usize) -> String {
    let (config, layer) = (sha256("{}"), sha256("abc"));
    format!(
        r#"{{"config":{{"mediaType":"c","digest":"{config}","size":2}},"layers":[{{"mediaType":"{LAYER}","digest":"{layer}","size":{size}}}]}}"#
    )
}

fn serve(seen: &Seen, layer: Reply, size: usize) -> Reply {
    match &*seen.target {
        "/v2/" => Reply::status(200),
        target if target.contains("/manifests/") => Reply::body(MANIFEST, &manifest(size)),
        target if target.ends_with(&sha256("abc")) => layer,
        target if target.ends_with(&sha256("{}")) => Reply::json("{}"),
        _ => Reply::status(404),
    }
}

#[tokio::test]
async fn a_registry_that_sends_other_bytes_is_found_out() {
    for (layer_reply, size, is_length) in [
        (Reply::body("x", "abd"), 3, false),
        (Reply::body("x", "ab"), 3, true),
        (Reply::body("x", "abcd"), 3, true),
        (Reply::Endless(vec![b'a'; 8_192]), 3, true),
        (Reply::Endless(vec![b'a'; 8_192]), 100_000, true),
    ] {
        let server = Double::start(move |seen| serve(seen, layer_reply.clone(), size)).await;
        let error = layer(&registries(), &server.repository("app:v1"), 0).await.unwrap_err();
        assert!(
            if is_length {
                matches!(error, Error::Length { .. })
            } else {
                matches!(error, Error::Digest { .. })
            },
            "{error}"
        );
    }
}

#[tokio::test]
async fn what_is_neither_image_nor_index_is_refused_by_its_type() {
    let server = Double::start(|_| Reply::body("application/vnd.example+json", "{}")).await;
    let error = layer(&registries(), &server.repository("app:v1"), 0).await.unwrap_err();
    assert_eq!(error, Error::ArtifactType("application/vnd.example+json".into()));
}

#[tokio::test]
async fn an_index_without_an_image_for_linux_on_amd64_has_nothing_to_download() {
    let index = "application/vnd.oci.image.index.v1+json";
    let server = Double::start(move |_| Reply::body(index, r#"{"manifests":[]}"#)).await;
    let error = layer(&registries(), &server.repository("app:v1"), 0).await.unwrap_err();
    assert!(matches!(error, Error::Platform { platform: "linux/amd64", .. }), "{error}");
}

/// A registry that takes everything, asks for tokens, and sends uploads to `storage`.
fn accept(seen: &Seen, storage: &str) -> Reply {
    if seen.target.starts_with("/token") {
        return Reply::json(r#"{"token":"t","expires_in":300}"#);
    }
    if seen.target != "/v2/" && seen.header("authorization") != Some("Bearer t") {
        let host = seen.header("host").unwrap_or_default();
        let challenge = format!(r#"Bearer realm="http://{host}/token",service="s""#);
        return Reply::status(401).header("www-authenticate", &challenge);
    }
    match (&*seen.method, &*seen.target) {
        ("GET", "/v2/") => Reply::status(200),
        ("GET", _) => serve(seen, Reply::body("x", "abc"), 3),
        ("POST", _) => Reply::status(202).header("location", storage),
        ("PUT", _) => Reply::status(201),
        _ => Reply::status(404),
    }
}

#[tokio::test]
async fn tokens_are_asked_with_the_right_to_push_and_to_read_the_neighbour() {
    let server = Double::start(|seen| accept(seen, "/upload?state=1")).await;
    let registries = registries();
    let (from, to) =
        (reference(server.repository("team/app:v1")), reference(server.repository("prod/app:v1")));
    let access = as_user("kargo", "hunter2");
    let source = registries.source(&from, &access).unwrap();
    let artifact = source.artifact(&from).await.unwrap();
    let destination = registries.destination(&to, &access, &source).unwrap();
    destination.push(&source, &artifact, "v1").await.unwrap();
    let targets = server.targets();
    let scopes = "scope=repository%3Aprod%2Fapp%3Apull%2Cpush&scope=repository%3Ateam%2Fapp%3Apull";
    assert!(targets.iter().any(|target| target.contains(scopes)), "{targets:?}");
    let mount = format!("mount={}&from=team%2Fapp", sha256("abc").replace(':', "%3A"));
    assert!(targets.iter().any(|target| target.contains(&mount)), "{targets:?}");
    let seen = server.seen();
    let upload = seen.iter().find(|seen| seen.method == "PUT" && seen.body == "abc").unwrap();
    assert_eq!(
        upload.target,
        format!("/upload?state=1&digest={}", sha256("abc").replace(':', "%3A"))
    );
    assert_eq!(upload.header("content-length"), Some("3"));
}

#[tokio::test]
async fn storage_elsewhere_gets_the_bytes_and_no_token() {
    let storage = Double::start(|_| Reply::status(201)).await;
    let address = storage.url("/bucket/1");
    let server = Double::start(move |seen| accept(seen, &address)).await;
    let origin = Double::start(|seen| serve(seen, Reply::body("x", "abc"), 3)).await;
    let registries = registries();
    let from = reference(origin.repository("app:v1"));
    let to = reference(server.repository("app:v1"));
    let source = registries.source(&from, &anonymous()).unwrap();
    let artifact = source.artifact(&from).await.unwrap();
    let destination = registries.destination(&to, &as_user("kargo", "hunter2"), &source).unwrap();
    destination.push(&source, &artifact, "v1").await.unwrap();
    let seen = storage.seen();
    assert_eq!(seen.len(), 2);
    assert!(seen.iter().all(|seen| seen.header("authorization").is_none()));
}

#[tokio::test]
async fn a_source_that_lies_in_the_middle_of_a_copy_is_the_one_that_is_blamed() {
    let uploads = Arc::new(AtomicUsize::new(0));
    let count = uploads.clone();
    let server = Double::start(move |seen| {
        if seen.method == "PUT" && seen.body == "abc" {
            count.fetch_add(1, Ordering::Relaxed);
        }
        accept(seen, "/upload")
    })
    .await;
    let origin = Double::start(|seen| serve(seen, Reply::body("x", "ab"), 3)).await;
    let registries = registries();
    let from = reference(origin.repository("app:v1"));
    let to = reference(server.repository("app:v1"));
    let source = registries.source(&from, &anonymous()).unwrap();
    let artifact = source.artifact(&from).await.unwrap();
    let destination = registries.destination(&to, &anonymous(), &source).unwrap();
    let error = destination.push(&source, &artifact, "v1").await.unwrap_err();
    let host = origin.address().to_string();
    assert!(matches!(&error, Error::Length { host: blamed, .. } if *blamed == host), "{error}");
    assert_eq!(uploads.load(Ordering::Relaxed), 0);
    let put = |seen: &Seen| seen.method == "PUT" && seen.target.contains("/manifests/");
    assert!(!server.seen().iter().any(put));
}

/// Reads no further than the headers, refuses, and stays.
async fn refuse_early(listener: TcpListener) {
    let mut open = Vec::new();
    while let Ok((mut stream, _)) = listener.accept().await {
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            head.push(stream.read_u8().await.unwrap());
        }
        stream.write_all(b"HTTP/1.1 413 S\r\ncontent-length: 0\r\n\r\n").await.unwrap();
        open.push(stream);
    }
}

#[tokio::test]
async fn a_destination_that_refuses_before_it_has_read_everything_holds_up_nobody() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}/upload", listener.local_addr().unwrap());
    let refusing = tokio::task::spawn(refuse_early(listener));
    let server = Double::start(move |seen| accept(seen, &address)).await;
    let large = "a".repeat(30_000_000);
    let digest = sha256(&large);
    let manifest = format!(
        r#"{{"config":{{"digest":"{digest}","size":{size}}},"layers":[]}}"#,
        size = large.len()
    );
    let origin = Double::start(move |seen| match &*seen.target {
        "/v2/" => Reply::status(200),
        target if target.contains("/manifests/") => Reply::body(MANIFEST, &manifest),
        _ => Reply::body("x", &large),
    })
    .await;
    let registries = registries();
    let from = reference(origin.repository("app:v1"));
    let to = reference(server.repository("app:v1"));
    let source = registries.source(&from, &anonymous()).unwrap();
    let artifact = source.artifact(&from).await.unwrap();
    let destination = registries.destination(&to, &anonymous(), &source).unwrap();
    let pushed = destination.push(&source, &artifact, "v1");
    let error = tokio::time::timeout(Duration::from_secs(20), pushed).await.unwrap().unwrap_err();
    assert!(matches!(error, Error::Status { status: 413, .. }), "{error}");
    refusing.abort();
}

#[tokio::test]
async fn an_upload_without_an_address_is_an_error() {
    let server = Double::start(|seen| match &*seen.method {
        "POST" => Reply::status(202),
        _ => accept(seen, "/upload"),
    })
    .await;
    let origin = Double::start(|seen| serve(seen, Reply::body("x", "abc"), 3)).await;
    let registries = registries();
    let from = reference(origin.repository("app:v1"));
    let to = reference(server.repository("app:v1"));
    let source = registries.source(&from, &anonymous()).unwrap();
    let artifact = source.artifact(&from).await.unwrap();
    let destination = registries.destination(&to, &anonymous(), &source).unwrap();
    let error = destination.push(&source, &artifact, "v1").await.unwrap_err();
    assert!(matches!(error, Error::UploadAddress { .. }), "{error}");
}
