//! What the processes stand on: an API server with our kinds, namespaces, accounts and roles, and nobody at work.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use core_rules::access::{self, ArgoCd, Component, Options};
use dev_testkit::{Client, Kubeconfig};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::{
    place::{Engine, Place},
    server::create_kind,
};

/// A certificate for servers on the loopback interface, trusted by whoever is given it.
pub(super) struct Certificate {
    pub(super) chain: String,
    pub(super) key: String,
}

/// The API server and what belongs to it.
pub(super) struct Ground {
    pub(super) client: Client,
    pub(super) directory: TempDir,
    pub(super) options: Options,
    pub(super) certificate: Certificate,
    kubeconfig: Kubeconfig,
    place: Place,
}

impl Ground {
    /// Starts it, with kinds, namespaces, accounts and roles.
    pub(super) async fn start(engine: Engine) -> Result<Self> {
        let directory = tempfile::Builder::new().prefix("reference-").tempdir()?;
        let place = Place::start(engine).await?;
        let kubeconfig = place.kubeconfig()?;
        let ground = Self {
            client: Client::new(&kubeconfig)?,
            directory,
            options: Options { rollouts: false, argocd: ArgoCd::Absent, ..Options::default() },
            certificate: Certificate::new()?,
            kubeconfig,
            place,
        };
        if engine == Engine::Cluster {
            ground.install().await?;
        }
        Ok(ground)
    }

    pub(super) async fn stop(self) -> Result<()> {
        self.place.stop().await
    }

    async fn install(&self) -> Result<()> {
        for kind in api_kinds::crd::crds() {
            create_kind(&self.client, kind.to_string()).await?;
        }
        let objects =
            access::namespaces(&self.options).into_iter().chain(access::objects(&self.options));
        for object in objects {
            self.client.create(&collection(&object)?, &object).await?;
        }
        Ok(())
    }

    /// A kubeconfig of a component's ServiceAccount.
    pub(super) async fn kubeconfig_of(&self, component: Component) -> Result<PathBuf> {
        let (namespace, name) = (&self.options.namespace, component.service_account());
        let path = format!("/api/v1/namespaces/{namespace}/serviceaccounts/{name}/token");
        let request = json!({
            "apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest",
            "spec": {"expirationSeconds": 86400},
        });
        let issued = self.client.create(&path, &request).await?;
        let token = issued["status"]["token"].as_str().context("no token")?;
        let file = self.directory.path().join(format!("{name}.kubeconfig"));
        write_kubeconfig(&file, &self.kubeconfig, token)?;
        Ok(file)
    }
}

impl Certificate {
    fn new() -> Result<Self> {
        let made = rcgen::generate_simple_self_signed(["127.0.0.1".to_owned()])?;
        Ok(Self { chain: made.cert.pem(), key: made.signing_key.serialize_pem() })
    }
}

/// The same server for another user.
fn write_kubeconfig(file: &Path, like: &Kubeconfig, token: &str) -> Result<()> {
    let text = std::fs::read_to_string(&like.path)?;
    ensure!(text.contains(&like.token), "the kubeconfig has no token");
    Ok(std::fs::write(file, text.replace(&like.token, token))?)
}

/// Where objects of this kind are created.
fn collection(object: &Value) -> Result<String> {
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let api_version = text(&object["apiVersion"]).context("an object without apiVersion")?;
    let kind = text(&object["kind"]).context("an object without kind")?;
    let root =
        if api_version == "v1" { "/api/v1".to_owned() } else { format!("/apis/{api_version}") };
    let plural = format!("{}s", kind.to_lowercase());
    Ok(match text(&object["metadata"]["namespace"]) {
        Some(namespace) => format!("{root}/namespaces/{namespace}/{plural}"),
        None => format!("{root}/{plural}"),
    })
}
