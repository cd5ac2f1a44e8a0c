//! `kargo up` with Dex behind it, and a Project whose viewers are a group.

use std::{net::TcpListener, time::Duration};

use anyhow::{Result, ensure};
use dev_testkit::{Client, Kargo, Patience, UpOptions, eventually};
use http::Method;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::sync::Mutex;

use crate::{
    browser::{Browser, Page},
    dex::{CLI, Dex, GROUP, WEB},
};

const PATIENCE: Patience = Patience::of(Duration::from_secs(30));
/// The Project that the group may see.
pub(crate) const PROJECT: &str = "demo";
/// One that it may not.
pub(crate) const OTHER_PROJECT: &str = "secret";

/// Everything that a scenario needs.
pub(crate) struct World {
    kargo: Kargo,
    pub(crate) dex: Mutex<Dex>,
    pub(crate) browser: Browser,
    pub(crate) client: Client,
    /// Where the server is.
    pub(crate) url: String,
    /// Where people log in: Dex, by the address of the server.
    pub(crate) issuer: String,
    _directory: TempDir,
}

impl World {
    pub(crate) async fn start() -> Result<Self> {
        let directory = tempfile::tempdir()?;
        let (port, dex_port) = (free_port()?, free_port()?);
        let url = format!("http://127.0.0.1:{port}");
        let issuer = format!("{url}/dex");
        let dex = Dex::start(directory.path(), &issuer, dex_port).await?;
        let environment = [
            ("OIDC_ENABLED", "true".to_owned()),
            ("OIDC_ISSUER_URL", issuer.clone()),
            ("OIDC_CLIENT_ID", WEB.to_owned()),
            ("OIDC_CLI_CLIENT_ID", CLI.to_owned()),
            ("OIDC_ADDITIONAL_SCOPES", "groups".to_owned()),
            ("DEX_ENABLED", "true".to_owned()),
            ("DEX_SERVER_ADDRESS", format!("http://127.0.0.1:{dex_port}")),
        ];
        let options = UpOptions {
            arguments: vec!["--in-memory".into(), "--api-port".into(), port.to_string()],
            environment: environment.map(|(name, value)| (name.to_owned(), value)).into(),
            ..UpOptions::default()
        };
        let kargo = Kargo::up(&directory.path().join("data"), &options).await?;
        let world = Self {
            client: kargo.client()?,
            kargo,
            dex: Mutex::new(dex),
            browser: Browser::new()?,
            url,
            issuer,
            _directory: directory,
        };
        world.await_dex().await?;
        world.make_projects().await?;
        Ok(world)
    }

    pub(crate) async fn stop(self) -> Result<()> {
        self.dex.into_inner().stop().await?;
        ensure!(self.kargo.stop().await? == Some(0), "kargo up did not end well");
        Ok(())
    }

    /// Waits until Dex answers, through the server.
    pub(crate) async fn await_dex(&self) -> Result<()> {
        let path = format!("{}/.well-known/openid-configuration", self.issuer);
        let answers = async || {
            let page = self.browser.send(Method::GET, &path, None, None).await?;
            Ok(page.status == 200)
        };
        eventually(PATIENCE, "Dex answers", answers).await
    }

    /// A read of the REST API.
    pub(crate) async fn get(&self, path: &str, token: &str) -> Result<Page> {
        let url = format!("{}/v1beta1{path}", self.url);
        self.browser.send(Method::GET, &url, Some(token), None).await
    }

    /// Waits until a read has this status.
    pub(crate) async fn until(&self, status: u16, path: &str, token: &str) -> Result<()> {
        let is_there = async || Ok(self.get(path, token).await?.status == status);
        eventually(PATIENCE, &format!("{path} is answered with {status}"), is_there).await
    }

    async fn make_projects(&self) -> Result<()> {
        for project in [PROJECT, OTHER_PROJECT] {
            self.create(
                "/apis/kargo.akuity.io/v1alpha1/projects",
                &json!({"apiVersion": "kargo.akuity.io/v1alpha1", "kind": "Project", "metadata": {"name": project}}),
            )
            .await?;
        }
        let account = format!("/api/v1/namespaces/{PROJECT}/serviceaccounts/kargo-viewer");
        let is_there = async || Ok(self.client.get(&account).await?.status == 200);
        eventually(PATIENCE, "the Project has its roles", is_there).await?;
        self.set_viewers(&[GROUP]).await
    }

    /// Says which groups may see the Project.
    pub(crate) async fn set_viewers(&self, groups: &[&str]) -> Result<()> {
        let path = format!("/api/v1/namespaces/{PROJECT}/serviceaccounts/kargo-viewer");
        let claims = json!({"groups": groups}).to_string();
        let patch = json!({"metadata": {"annotations": {"rbac.kargo.akuity.io/claims": claims}}});
        let headers = [("content-type", "application/merge-patch+json")];
        let reply = self.client.send(Method::PATCH, &path, &headers, patch.to_string()).await?;
        ensure!(reply.status == 200, "{}", reply.text());
        Ok(())
    }

    async fn create(&self, path: &str, body: &Value) -> Result<()> {
        let reply = self.client.json(Method::POST, path, body).await?;
        ensure!(reply.status == 201, "{path}: {}", reply.text());
        Ok(())
    }
}

/// A port of the loopback interface that nobody listens on.
fn free_port() -> Result<u16> {
    Ok(TcpListener::bind("127.0.0.1:0")?.local_addr()?.port())
}
