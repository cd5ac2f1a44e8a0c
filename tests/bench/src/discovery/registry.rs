//! A registry in memory that counts what it is asked. Every repository has the same images.

use std::{
    collections::HashMap,
    fmt::Write as _,
    future::ready,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use anyhow::Result;
use bytes::Bytes;
use dev_testkit::server::HttpServer;
use http::{Method, Request, Response, StatusCode, header};
use http_body_util::Full;
use hyper::body::Incoming;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

const MANIFEST: &str = "application/vnd.oci.image.manifest.v1+json";

/// Where images say when they were built.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Dated {
    /// In their configuration, which is a request of its own.
    InConfiguration,
    /// In an annotation of their manifest.
    InManifest,
}

/// The registry; it ends when this is dropped.
pub(super) struct Registry {
    http: HttpServer,
    counts: Arc<Counts>,
}

#[derive(Default)]
struct Counts {
    requests: AtomicU64,
    heads: AtomicU64,
}

struct Shelf {
    tags: Bytes,
    /// Manifests by tag and by digest, configurations by digest.
    documents: HashMap<String, Document>,
}

#[derive(Clone)]
struct Document {
    digest: String,
    content: Bytes,
}

impl Registry {
    /// With images tagged `1.0.0`, `1.0.1` and so on, each newer than the one before.
    pub(super) async fn start(tags: usize, dated: Dated) -> Result<Self> {
        let (shelf, counts) = (Arc::new(Shelf::fill(tags, dated)?), Arc::<Counts>::default());
        let answer = move |request: Request<Incoming>, counts: Arc<Counts>| {
            counts.requests.fetch_add(1, Ordering::SeqCst);
            if request.method() == Method::HEAD {
                counts.heads.fetch_add(1, Ordering::SeqCst);
            }
            ready(shelf.answer(&request).unwrap_or_default())
        };
        let http = HttpServer::start(&counts, answer).await?;
        Ok(Self { http, counts })
    }

    pub(super) fn repository(&self, name: &str) -> String {
        format!("{}/{name}", self.http.address())
    }

    /// Requests so far.
    pub(super) fn requests(&self) -> u64 {
        self.counts.requests.load(Ordering::SeqCst)
    }

    /// Those of them that were HEAD.
    pub(super) fn heads(&self) -> u64 {
        self.counts.heads.load(Ordering::SeqCst)
    }
}

impl Shelf {
    fn fill(tags: usize, dated: Dated) -> Result<Self> {
        let names: Vec<String> = (0..tags).map(|number| format!("1.0.{number}")).collect();
        let mut documents = HashMap::new();
        for (number, name) in names.iter().enumerate() {
            let created =
                jiff::Timestamp::from_second(1_700_000_000 + 60 * i64::try_from(number)?)?;
            let config = Document::of(&json!({
                "created": created.to_string(), "os": "linux", "architecture": "amd64",
            }));
            let annotations = match dated {
                Dated::InConfiguration => json!({}),
                Dated::InManifest => {
                    json!({"org.opencontainers.image.created": created.to_string()})
                }
            };
            let manifest = Document::of(&json!({
                "schemaVersion": 2, "mediaType": MANIFEST, "layers": [], "annotations": annotations,
                "config": {"digest": config.digest, "size": config.content.len()},
            }));
            documents.insert(config.digest.clone(), config);
            documents.insert(manifest.digest.clone(), manifest.clone());
            documents.insert(name.clone(), manifest);
        }
        Ok(Self { tags: json!({"tags": names}).to_string().into(), documents })
    }

    fn answer(&self, request: &Request<Incoming>) -> Result<Response<Full<Bytes>>, http::Error> {
        let path = request.uri().path();
        if path == "/v2/" {
            return Response::builder().body(Full::default());
        }
        if path.ends_with("/tags/list") {
            let reply = Response::builder().header(header::CONTENT_TYPE, "application/json");
            return reply.body(Full::new(self.tags.clone()));
        }
        let reference = path.rsplit('/').next().unwrap_or_default();
        let Some(document) = self.documents.get(reference) else {
            return Response::builder().status(StatusCode::NOT_FOUND).body(Full::default());
        };
        let reply = Response::builder()
            .header(header::CONTENT_TYPE, MANIFEST)
            .header(header::CONTENT_LENGTH, document.content.len())
            .header("docker-content-digest", &document.digest);
        let is_head = request.method() == Method::HEAD;
        reply.body(if is_head { Full::default() } else { Full::new(document.content.clone()) })
    }
}

impl Document {
    fn of(content: &Value) -> Self {
        let content = Bytes::from(content.to_string());
        let mut digest = String::from("sha256:");
        for byte in Sha256::digest(&content) {
            // Writing to a String cannot fail.
            let _ = write!(digest, "{byte:02x}");
        }
        Self { digest, content }
    }
}
