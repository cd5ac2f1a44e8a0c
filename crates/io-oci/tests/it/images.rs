//! How many requests it takes to know an image, cold and warm, and what is known then.

use std::sync::{Arc, Mutex};

use io_oci::{Error, Scope, Want};
use sha2::{Digest as _, Sha256};

use crate::{
    anonymous, as_user,
    double::{Double, Reply, Seen},
    registries, registries_in,
};

const MANIFEST: &str = "application/vnd.oci.image.manifest.v1+json";
const INDEX: &str = "application/vnd.oci.image.index.v1+json";

/// A digest as registries write it.
pub(crate) fn sha256(content: &str) -> String {
    let hash = Sha256::digest(content);
    hash.iter().fold("sha256:".to_owned(), |text, byte| format!("{text}{byte:02x}"))
}

/// A repository `app` in memory: tags, manifests by digest, blobs by digest.
#[derive(Clone, Default)]
pub(crate) struct Shelf {
    tags: Vec<(String, String)>,
    documents: Vec<(String, &'static str, String)>,
}

impl Shelf {
    fn add(&mut self, media_type: &'static str, content: &str) -> String {
        let digest = sha256(content);
        self.documents.push((digest.clone(), media_type, content.to_owned()));
        digest
    }

    pub(crate) fn image(&mut self, tag: &str, created: &str, annotations: &str) -> String {
        let config = format!(
            r#"{{"created":"{created}","os":"linux","architecture":"arm64","variant":"v8","config":{{"Labels":null}}}}"#
        );
        let config = self.add("application/octet-stream", &config);
        let manifest = format!(
            r#"{{"config":{{"digest":"{config}"}},"annotations":{{{annotations}}},"layers":[],"tag":"{tag}"}}"#
        );
        let manifest = self.add(MANIFEST, &manifest);
        self.tags.push((tag.to_owned(), manifest.clone()));
        manifest
    }

    fn answer(&self, request: &Seen) -> Reply {
        let path = request.target.trim_start_matches("/v2/app/");
        if path.starts_with("tags/list") {
            let names: Vec<_> = self.tags.iter().map(|(tag, _)| format!("{tag:?}")).collect();
            return Reply::json(format!(r#"{{"tags":[{}]}}"#, names.join(",")));
        }
        let reference = path.rsplit('/').next().unwrap_or_default();
        let tagged = self.tags.iter().rev().find(|(tag, _)| tag == reference);
        let wanted = tagged.map_or(reference, |(_, digest)| digest);
        match self.documents.iter().find(|(digest, ..)| digest == wanted) {
            Some((digest, media_type, content)) => {
                Reply::body(media_type, content).header("docker-content-digest", digest)
            }
            None => Reply::status(404),
        }
    }
}

pub(crate) async fn serve(shelf: Shelf) -> (Double, Arc<Mutex<Shelf>>) {
    let shelf = Arc::new(Mutex::new(shelf));
    let served = shelf.clone();
    (Double::start(move |request| served.lock().unwrap().answer(request)).await, shelf)
}

#[tokio::test]
async fn a_thousand_tags_cost_two_requests_each_and_later_one_head_or_none() {
    let mut shelf = Shelf::default();
    for number in 0..1_000 {
        let created = format!("2024-01-01T{:02}:{:02}:00Z", number / 60 % 24, number % 60);
        shelf.image(&format!("v{number}"), &created, "");
    }
    let (server, _shelf) = serve(shelf).await;
    let directory = tempfile::tempdir().unwrap();
    let registries = registries_in(directory.path());
    let cold = registries.image_repository(&server.repository("app"), &anonymous()).unwrap();
    let tags = cold.tags().await.unwrap();
    let images = cold.images(&tags, Want::default()).await.unwrap();
    assert!(images.len() == 1_000 && images.iter().all(|(_, image)| image.is_ok()));
    // One list, one probe for TLS that failed, one ping.
    assert!(cold.requests() <= 2_003, "{}", cold.requests());
    assert_eq!(server.seen().len(), 2_001);
    drop((cold, registries));

    // A new process: what is known is on disk.
    let registries = registries_in(directory.path());
    let warm = registries.image_repository(&server.repository("app"), &anonymous()).unwrap();
    let again = warm.images(&tags, Want::default()).await.unwrap();
    assert_eq!(again, images);
    assert_eq!(server.seen()[2_001..].iter().filter(|seen| seen.method == "HEAD").count(), 1_000);
    let cached = registries.image_repository(&server.repository("app"), &anonymous()).unwrap();
    let tags = cached.tags().await.unwrap();
    let want = Want { cached_by_tag: true, platforms: true };
    assert_eq!(cached.images(&tags, want).await.unwrap(), images);
    assert_eq!(cached.requests(), 1);
}

#[tokio::test]
async fn a_manifest_that_says_when_it_was_built_costs_one_request() {
    let mut shelf = Shelf::default();
    let annotation = r#""org.opencontainers.image.created":"2023-05-01T00:00:00Z""#;
    shelf.image("v1", "2020-01-01T00:00:00Z", annotation);
    let (server, _shelf) = serve(shelf).await;
    let registries = registries();
    let repository = registries.image_repository(&server.repository("app"), &anonymous()).unwrap();
    let image = repository.image("v1", Want::default()).await.unwrap();
    assert_eq!(image.created_at, "2023-05-01T00:00:00Z".parse().ok());
    assert!(image.platforms.is_empty());
    assert_eq!(server.seen().len(), 1);
    // The platform is in the configuration, which is read when it matters, once.
    for _ in 0..2 {
        let want = Want { platforms: true, ..Want::default() };
        let image = repository.image("v1", want).await.unwrap();
        assert_eq!(image.platforms[0].platform.variant, "v8");
    }
    let blobs = server.targets().iter().filter(|target| target.contains("/blobs/")).count();
    assert_eq!(blobs, 1);
}

#[tokio::test]
async fn a_moved_tag_is_found_by_its_digest_unless_tags_are_believed() {
    let mut shelf = Shelf::default();
    let first = shelf.image("latest", "2024-01-01T00:00:00Z", "");
    let (server, shelf) = serve(shelf).await;
    let registries = registries();
    let repository = registries.image_repository(&server.repository("app"), &anonymous()).unwrap();
    assert_eq!(repository.image("latest", Want::default()).await.unwrap().digest, first);
    let second = shelf.lock().unwrap().image("latest", "2025-01-01T00:00:00Z", r#""a":"b""#);
    let believed = Want { cached_by_tag: true, ..Want::default() };
    assert_eq!(repository.image("latest", believed).await.unwrap().digest, first);
    assert_eq!(repository.image("latest", Want::default()).await.unwrap().digest, second);
    assert_eq!(repository.image("latest", believed).await.unwrap().digest, second);
}

#[tokio::test]
async fn an_index_offers_its_platforms_and_the_newest_time_of_its_entries() {
    let mut shelf = Shelf::default();
    let old = shelf.image("old", "2024-01-01T00:00:00Z", "");
    let new = shelf.image("new", "2024-04-01T00:00:00Z", "");
    let entry = |digest: &str, os: &str, arch: &str| {
        format!(
            r#"{{"digest":"{digest}","platform":{{"os":"{os}","architecture":"{arch}"}},"annotations":{{"for":"{arch}"}}}}"#
        )
    };
    let entries = [
        entry(&old, "linux", "amd64"),
        entry(&new, "linux", "arm64"),
        entry("sha256:0", "unknown", "unknown"),
    ];
    let index = shelf.add(INDEX, &format!(r#"{{"manifests":[{}]}}"#, entries.join(",")));
    shelf.tags.push(("v1".into(), index.clone()));
    let empty = shelf.add(INDEX, r#"{"manifests":[]}"#);
    shelf.tags.push(("empty".into(), empty));
    let odd = shelf.add("application/vnd.example+json", "{}");
    shelf.tags.push(("odd".into(), odd));
    let lost = format!(r#"{{"config":{{"digest":"{}"}}}}"#, sha256("lost"));
    let torn = shelf.add(MANIFEST, &lost);
    shelf.tags.push(("torn".into(), torn));
    let (server, _shelf) = serve(shelf).await;
    let registries = registries();
    let repository = registries.image_repository(&server.repository("app"), &anonymous()).unwrap();
    let image = repository.image("v1", Want::default()).await.unwrap();
    assert_eq!((image.digest, image.created_at), (index, "2024-04-01T00:00:00Z".parse().ok()));
    let arches: Vec<_> = image.platforms.iter().map(|offer| offer.platform.arch.as_str()).collect();
    assert_eq!(arches, ["amd64", "arm64"]);
    assert_eq!(image.platforms[1].annotations["for"], "arm64");

    let tags = ["empty", "odd", "torn", "gone", "v1"].map(str::to_owned);
    let outcomes = repository.images(&tags, Want::default()).await.unwrap();
    let scopes: Vec<_> =
        outcomes.iter().map(|(_, outcome)| outcome.as_ref().err().map(Error::scope)).collect();
    assert_eq!(
        scopes,
        [Some(Scope::Tag), Some(Scope::Tag), Some(Scope::Tag), Some(Scope::Missing), None]
    );
    let text = outcomes[1].1.as_ref().unwrap_err().to_string();
    assert_eq!(text, "unknown artifact type: application/vnd.example+json");
}

#[tokio::test]
async fn what_one_project_may_read_is_not_shown_to_another() {
    let mut shelf = Shelf::default();
    shelf.image("v1", "2024-01-01T00:00:00Z", "");
    let (server, _shelf) = serve(shelf).await;
    let registries = registries();
    let mut access = as_user("robot", "one");
    let believed = Want { cached_by_tag: true, ..Want::default() };
    let mut cost = Vec::new();
    for (project, password) in [("a", "one"), ("a", "rotated"), ("b", "one")] {
        access.project = project.into();
        access.credential = Some(core_rules::credential::Credential::basic("robot", password));
        let before = server.seen().len();
        let repository = registries.image_repository(&server.repository("app"), &access).unwrap();
        repository.image("v1", believed).await.unwrap();
        cost.push(server.seen().len() - before);
    }
    assert_eq!(cost, [2, 0, 2]);
}

#[tokio::test]
async fn searches_may_run_on_any_thread() {
    let registries = registries();
    let search = tokio::task::spawn(async move {
        let access = anonymous();
        let repository = registries.image_repository("169.254.0.1/a/b", &access).unwrap();
        let tags = repository.tags().await.unwrap_or_default();
        let charts = registries.chart_versions("http://169.254.0.1/", "app", &access).await;
        (repository.images(&tags, Want::default()).await.unwrap().len(), charts.is_err())
    });
    assert_eq!(search.await.unwrap(), (0, true));
}
