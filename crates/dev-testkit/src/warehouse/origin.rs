//! A repository of each kind, on a server of its own, to push to.

use std::net::SocketAddr;

use anyhow::{Context as _, Result};
use api_kinds::{
    artifact::{Chart, GitCommit, Image},
    origin::FreightOrigin,
};
use core_rules::freight::{Contents, freight_name};
use serde_json::{Value, json};

use crate::server::{
    Behaviour, ChartServer, GitHttp, GitRepository, SshServer, missing_sshd,
    registry::{Door, Image as Built, PASSWORD, Registry, USERNAME},
};

const REPOSITORY: &str = "app";

/// A repository with a Warehouse's view of it.
pub struct Origin {
    name: String,
    server: Server,
    /// Where the Warehouse finds it, when that is not where it is.
    front: Option<SocketAddr>,
    pushes: usize,
}

enum Server {
    GitOverHttp(GitHttp, GitRepository),
    GitOverSsh(SshServer, GitRepository),
    Images(Box<Registry>),
    Charts(ChartServer),
}

impl Origin {
    /// One of each kind that this machine has the programs for.
    pub async fn all() -> Result<Vec<Self>> {
        let mut all = vec![Self::git_over_http("git-http").await?];
        all.extend(Self::git_over_ssh("git-ssh").await?);
        all.extend(Self::images("image").await?);
        all.push(Self::charts("chart").await?);
        Ok(all)
    }

    /// Git over HTTP, with a password. The Warehouse is called `name`.
    pub async fn git_over_http(name: &str) -> Result<Self> {
        let server = GitHttp::start().await?;
        let repository = server.repository(REPOSITORY)?;
        server.behave(REPOSITORY, Behaviour::Login(USERNAME.into(), PASSWORD.into()));
        Ok(Self::new(name, Server::GitOverHttp(server, repository)))
    }

    /// Git over SSH, with a key; `None` without the program.
    #[expect(clippy::print_stderr, reason = "a test that does less says so")]
    pub async fn git_over_ssh(name: &str) -> Result<Option<Self>> {
        if let Some(reason) = missing_sshd() {
            eprintln!("{reason}");
            return Ok(None);
        }
        let server = SshServer::start().await?;
        let repository = server.repository(REPOSITORY)?;
        Ok(Some(Self::new(name, Server::GitOverSsh(server, repository))))
    }

    /// A registry with a password; `None` without the program.
    pub async fn images(name: &str) -> Result<Option<Self>> {
        let registry = Registry::start(Door::Locked).await?;
        Ok(registry.map(|registry| Self::new(name, Server::Images(Box::new(registry)))))
    }

    /// A chart repository that everybody may read.
    pub async fn charts(name: &str) -> Result<Self> {
        Ok(Self::new(name, Server::Charts(ChartServer::start().await?)))
    }

    fn new(name: &str, server: Server) -> Self {
        Self { name: name.to_owned(), server, front: None, pushes: 0 }
    }

    /// What its Warehouse is called.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What kind of repository it is, for people.
    pub fn kind(&self) -> &'static str {
        match self.server {
            Server::GitOverHttp(..) => "Git over HTTP",
            Server::GitOverSsh(..) => "Git over SSH",
            Server::Images(_) => "images",
            Server::Charts(_) => "charts",
        }
    }

    /// Where the server listens.
    pub fn address(&self) -> SocketAddr {
        match &self.server {
            Server::GitOverHttp(server, _) => server.address(),
            Server::GitOverSsh(server, _) => server.address(),
            Server::Images(registry) => registry.address(),
            Server::Charts(server) => server.address(),
        }
    }

    /// From now on the Warehouse looks for it there.
    #[must_use]
    pub fn behind(mut self, front: SocketAddr) -> Self {
        self.front = Some(front);
        self
    }

    /// The address of the repository, as a subscription names it.
    pub fn url(&self) -> String {
        let (url, address) = match &self.server {
            Server::GitOverHttp(server, _) => (server.url(REPOSITORY), server.address()),
            Server::GitOverSsh(server, _) => (server.url(REPOSITORY), server.address()),
            Server::Images(registry) => (registry.repository(REPOSITORY), registry.address()),
            Server::Charts(server) => (server.url(), server.address()),
        };
        let front = self.front.unwrap_or(address);
        url.replace(&address.to_string(), &front.to_string())
    }

    /// The subscription of the Warehouse.
    pub fn subscription(&self) -> Value {
        match &self.server {
            Server::GitOverHttp(..) | Server::GitOverSsh(..) => {
                json!({"git": {"repoURL": self.url()}})
            }
            Server::Images(_) => json!({"image": {"repoURL": self.url()}}),
            Server::Charts(_) => json!({"chart": {"repoURL": self.url(), "name": REPOSITORY}}),
        }
    }

    /// The type and the fields of the Secret that opens it.
    pub fn login(&self) -> Result<Option<(&'static str, Value)>> {
        let password =
            || json!({"repoURL": self.url(), "username": USERNAME, "password": PASSWORD});
        Ok(match &self.server {
            Server::GitOverHttp(..) => Some(("git", password())),
            Server::GitOverSsh(server, _) => {
                let key = server.client_key()?;
                Some(("git", json!({"repoURL": self.url(), "sshPrivateKey": key})))
            }
            Server::Images(_) => Some(("image", password())),
            Server::Charts(_) => None,
        })
    }

    /// Pushes something newer than before, and returns the name that Freight of it has by the rules.
    pub async fn push(&mut self) -> Result<String> {
        self.pushes += 1;
        let number = self.pushes;
        let (repo_url, version) = (self.url(), format!("1.{number}.0"));
        let (commits, images, charts);
        let contents = match &self.server {
            Server::GitOverHttp(_, repository) | Server::GitOverSsh(_, repository) => {
                let id = repository.commit("main", &version, &[("app.yaml", &version)])?;
                commits = [GitCommit { repo_url, id, ..GitCommit::default() }];
                Contents { commits: &commits, ..Contents::default() }
            }
            Server::Images(registry) => {
                let built = Built::built(&format!("2026-01-01T00:{:02}:00Z", number % 60));
                let digest = registry.push(REPOSITORY, &version, &built).await;
                let digest = digest.context("push an image")?;
                images = [Image { repo_url, tag: version, digest, ..Image::default() }];
                Contents { images: &images, ..Contents::default() }
            }
            Server::Charts(server) => {
                server.publish(REPOSITORY, &version);
                let name = REPOSITORY.to_owned();
                charts = [Chart { repo_url, name, version, ..Chart::default() }];
                Contents { charts: &charts, ..Contents::default() }
            }
        };
        Ok(freight_name(&FreightOrigin::warehouse(&self.name), &contents))
    }
}
