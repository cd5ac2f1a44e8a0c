//! Debian's `docker-registry` on a free port of this machine, with the little that is needed to fill it.

use std::{net::SocketAddr, process::Stdio, time::Duration};

use anyhow::{Context, Result, bail, ensure};
use bytes::Bytes;
use http::{Method, Request, StatusCode, header};
use http_body_util::{BodyExt, Full};
use hyper_util::{
    client::legacy::{Client, connect::HttpConnector},
    rt::TokioExecutor,
};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use tempfile::TempDir;
use tokio::process::{Child, Command};

const PROGRAM: &str = "docker-registry";
const START_LIMIT: Duration = Duration::from_secs(10);
const OCI_MANIFEST: &str = "application/vnd.oci.image.manifest.v1+json";
const OCI_INDEX: &str = "application/vnd.oci.image.index.v1+json";
/// `kargo` with the password of [`PASSWORD`].
const HTPASSWD: &str = "kargo:$2b$04$bLHDhpeJJPCu5D.1pV4wQOJjC.Cqmr9MVsjJZTo30YrbXMfSmMGbW\n";

/// The user of a registry that asks for one.
pub const USERNAME: &str = "kargo";
/// That user's password.
pub const PASSWORD: &str = "hunter2";

/// Who may read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Door {
    Open,
    /// Basic authentication as [`USERNAME`].
    Locked,
}

/// A running registry; killed and removed when dropped.
pub struct Registry {
    address: SocketAddr,
    door: Door,
    client: Client<HttpConnector, Full<Bytes>>,
    _child: Child,
    _directory: TempDir,
}

/// An image to push.
#[derive(Clone, Debug, Default)]
pub struct Image {
    /// The date in its configuration.
    pub created: Option<String>,
    /// Annotations of its manifest.
    pub annotations: Vec<(String, String)>,
    /// Labels in its configuration.
    pub labels: Vec<(String, String)>,
    /// Operating system and architecture; `linux/amd64` when empty.
    pub platform: Option<(String, String)>,
    /// Layers, each with its media type.
    pub layers: Vec<(String, Bytes)>,
}

impl Registry {
    /// Starts a registry. `None`, with a line that says so, when the program is not installed; under `CI=true` that is an error.
    pub async fn start(door: Door) -> Result<Option<Self>> {
        let directory = tempfile::tempdir()?;
        let address = free_address()?;
        let config = directory.path().join("config.yml");
        std::fs::write(&config, configuration(&directory, address, door)?)?;
        let spawned = Command::new(PROGRAM)
            .arg("serve")
            .arg(&config)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .kill_on_drop(true)
            .spawn();
        let child = match spawned {
            Ok(child) => child,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return skipped(),
            Err(error) => return Err(error).context(PROGRAM),
        };
        let client = Client::builder(TokioExecutor::new()).build_http();
        let registry = Self { address, door, client, _child: child, _directory: directory };
        tokio::time::timeout(START_LIMIT, registry.wait())
            .await
            .context("the registry did not start")?;
        Ok(Some(registry))
    }

    /// Host and port.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The address of a repository as a subscription names it.
    pub fn repository(&self, name: &str) -> String {
        format!("{}/{name}", self.address)
    }

    /// Pushes an image under a tag and returns its digest.
    pub async fn push(&self, repository: &str, tag: &str, image: &Image) -> Result<String> {
        let (manifest, digest) = self.push_config(repository, image).await?;
        self.put_manifest(repository, tag, OCI_MANIFEST, manifest).await?;
        Ok(digest)
    }

    /// Pushes an index of images, one per platform, under a tag and returns its digest.
    pub async fn push_index(
        &self,
        repository: &str,
        tag: &str,
        images: &[Image],
    ) -> Result<String> {
        let mut entries = Vec::new();
        for image in images {
            let (manifest, digest) = self.push_config(repository, image).await?;
            let size = manifest.len();
            self.put_manifest(repository, &digest, OCI_MANIFEST, manifest).await?;
            let (os, architecture) = image.platform();
            entries.push(json!({
                "mediaType": OCI_MANIFEST, "digest": digest, "size": size,
                "platform": {"os": os, "architecture": architecture},
            }));
        }
        let index = json!({"schemaVersion": 2, "mediaType": OCI_INDEX, "manifests": entries});
        let index = Bytes::from(serde_json::to_vec(&index)?);
        let digest = sha256(&index);
        self.put_manifest(repository, tag, OCI_INDEX, index).await?;
        Ok(digest)
    }

    async fn push_config(&self, repository: &str, image: &Image) -> Result<(Bytes, String)> {
        let config = Bytes::from(serde_json::to_vec(&image.configuration())?);
        let config_digest = sha256(&config);
        let config_size = config.len();
        self.push_blob(repository, &config_digest, config).await?;
        let mut layers = Vec::new();
        for (media_type, content) in &image.layers {
            let digest = sha256(content);
            self.push_blob(repository, &digest, content.clone()).await?;
            layers.push(json!({"mediaType": media_type, "digest": digest, "size": content.len()}));
        }
        let annotations: serde_json::Map<String, Value> =
            image.annotations.iter().map(|(key, value)| (key.clone(), json!(value))).collect();
        let manifest = json!({
            "schemaVersion": 2, "mediaType": OCI_MANIFEST, "layers": layers, "annotations": annotations,
            "config": {
                "mediaType": "application/vnd.oci.image.config.v1+json",
                "digest": config_digest, "size": config_size,
            },
        });
        let manifest = Bytes::from(serde_json::to_vec(&manifest)?);
        let digest = sha256(&manifest);
        Ok((manifest, digest))
    }

    async fn push_blob(&self, repository: &str, digest: &str, content: Bytes) -> Result<()> {
        let start = format!("http://{}/v2/{repository}/blobs/uploads/", self.address);
        let (status, location) = self.send(Method::POST, &start, "", Bytes::new()).await?;
        ensure!(status == StatusCode::ACCEPTED, "upload was answered with {status}");
        let location = location.context("an upload has no location")?;
        let end = format!("{location}&digest={digest}");
        let (status, _) = self.send(Method::PUT, &end, "application/octet-stream", content).await?;
        ensure!(status == StatusCode::CREATED, "a blob was answered with {status}");
        Ok(())
    }

    async fn put_manifest(
        &self,
        repository: &str,
        reference: &str,
        media_type: &str,
        content: Bytes,
    ) -> Result<()> {
        let url = format!("http://{}/v2/{repository}/manifests/{reference}", self.address);
        let (status, _) = self.send(Method::PUT, &url, media_type, content).await?;
        ensure!(status == StatusCode::CREATED, "a manifest was answered with {status}");
        Ok(())
    }

    async fn send(
        &self,
        method: Method,
        url: &str,
        media_type: &str,
        body: Bytes,
    ) -> Result<(StatusCode, Option<String>)> {
        let mut request =
            Request::builder().method(method).uri(url).header(header::CONTENT_TYPE, media_type);
        if self.door == Door::Locked {
            use base64::{Engine as _, prelude::BASE64_STANDARD};
            let login = BASE64_STANDARD.encode(format!("{USERNAME}:{PASSWORD}"));
            request = request.header(header::AUTHORIZATION, format!("Basic {login}"));
        }
        let response = self.client.request(request.body(Full::new(body))?).await?;
        let status = response.status();
        let location = response.headers().get(header::LOCATION);
        let location = location.and_then(|value| value.to_str().ok()).map(str::to_owned);
        response.into_body().collect().await?;
        Ok((status, location))
    }

    async fn wait(&self) {
        let url = format!("http://{}/v2/", self.address);
        while self.send(Method::GET, &url, "", Bytes::new()).await.is_err() {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }
}

impl Image {
    /// An image that was built at `created` (RFC 3339).
    pub fn built(created: &str) -> Self {
        Self { created: Some(created.to_owned()), ..Self::default() }
    }

    fn platform(&self) -> (&str, &str) {
        self.platform.as_ref().map_or(("linux", "amd64"), |(os, arch)| (os, arch))
    }

    fn configuration(&self) -> Value {
        let labels: serde_json::Map<String, Value> =
            self.labels.iter().map(|(key, value)| (key.clone(), json!(value))).collect();
        let (os, architecture) = self.platform();
        let mut config = json!({
            "os": os, "architecture": architecture, "config": {"Labels": labels},
            "rootfs": {"type": "layers", "diff_ids": []},
        });
        if let (Some(created), Some(fields)) = (&self.created, config.as_object_mut()) {
            fields.insert("created".into(), json!(created));
        }
        config
    }
}

fn free_address() -> Result<SocketAddr> {
    Ok(std::net::TcpListener::bind("127.0.0.1:0")?.local_addr()?)
}

fn configuration(directory: &TempDir, address: SocketAddr, door: Door) -> Result<String> {
    let data = directory.path().join("data");
    let users = directory.path().join("htpasswd");
    let mut config = json!({
        "version": "0.1", "log": {"level": "error"}, "http": {"addr": address.to_string()},
        "storage": {"filesystem": {"rootdirectory": data}},
    });
    if let (Door::Locked, Some(fields)) = (door, config.as_object_mut()) {
        std::fs::write(&users, HTPASSWD)?;
        fields.insert("auth".into(), json!({"htpasswd": {"realm": "tests", "path": users}}));
    }
    // JSON is YAML.
    Ok(config.to_string())
}

#[expect(clippy::print_stderr, reason = "a test that does nothing says so")]
fn skipped() -> Result<Option<Registry>> {
    if std::env::var("CI").is_ok_and(|value| value == "true") {
        bail!("{PROGRAM} is not installed");
    }
    eprintln!("skipped: {PROGRAM} is not installed");
    Ok(None)
}

/// A digest as registries write it.
pub(super) fn sha256(content: &[u8]) -> String {
    let digest = Sha256::digest(content);
    digest.iter().fold("sha256:".to_owned(), |text, byte| format!("{text}{byte:02x}"))
}
