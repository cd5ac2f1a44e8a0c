//! Git hosting services as their APIs show them: each has one repository, which is a real one served over HTTP, and
//! pull requests that move its branches when they are merged.
//!
//! Answers have the shape that the services document: status codes, pages, labels, log-ins and refusals in their
//! words. A [`Fault`] makes the next answers go wrong.

mod azure;
mod bitbucket;
mod fault;
mod gitea;
mod github;
mod github_git;
mod gitlab;
mod pull_request;
mod wire;

use std::{
    net::SocketAddr,
    sync::{Arc, Mutex},
};

use anyhow::Result;

pub use self::{
    fault::{Fault, Mishap},
    pull_request::{PullRequest, Status},
    wire::Received,
};
use self::{
    pull_request::PullRequests,
    wire::{Answer, handle},
};
use super::{
    GitHttp, GitRepository,
    http_server::{HttpServer, lock},
};

/// What every service wants to be asked with.
pub const TOKEN: &str = "t0ken-of-the-service";

/// A Git hosting service.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Service {
    Azure,
    Bitbucket,
    Gitea,
    Github,
    Gitlab,
}

impl Service {
    /// All of them.
    pub const ALL: [Self; 5] =
        [Self::Azure, Self::Bitbucket, Self::Gitea, Self::Github, Self::Gitlab];

    /// The path of the repository; capitals show whether letter case is kept.
    fn path(self) -> &'static str {
        match self {
            Self::Azure => "Acme/Shop/_git/App",
            Self::Gitlab => "Acme/Platform/App.git",
            Self::Bitbucket | Self::Gitea | Self::Github => "Acme/App.git",
        }
    }

    /// The path of the API.
    fn base(self) -> &'static str {
        match self {
            Self::Azure => "",
            Self::Bitbucket => "/2.0",
            Self::Gitea => "/api/v1",
            Self::Github => "/api/v3",
            Self::Gitlab => "/api/v4",
        }
    }

    fn answer(self, request: &Received, state: &mut State) -> Result<Answer> {
        match self {
            Self::Azure => azure::answer(request, state),
            Self::Bitbucket => bitbucket::answer(request, state),
            Self::Gitea => gitea::answer(request, state),
            Self::Github => github::answer(request, state),
            Self::Gitlab => gitlab::answer(request, state),
        }
    }
}

/// A service with one repository; it ends when this is dropped.
pub struct ScmServer {
    service: Service,
    http: HttpServer,
    git: GitHttp,
    shared: Arc<Shared>,
}

struct Shared {
    service: Service,
    state: Mutex<State>,
    faults: Mutex<Vec<Fault>>,
    received: Mutex<Vec<Received>>,
}

/// What a service knows.
struct State {
    repository: GitRepository,
    /// Where people see the repository.
    web: String,
    pull_requests: PullRequests,
    /// Labels that exist, where they must exist before they are used.
    labels: Vec<String>,
    /// The most entries of a page, whatever is asked for.
    page_size: usize,
}

impl ScmServer {
    /// Starts on free ports of the loopback interface, with an empty repository.
    pub async fn start(service: Service) -> Result<Self> {
        let git = GitHttp::start().await?;
        let repository = git.repository(service.path())?;
        repository.git(&["config", "http.receivepack", "true"])?;
        let web = git.url(service.path().trim_end_matches(".git"));
        let state = State {
            repository,
            web,
            pull_requests: PullRequests::default(),
            labels: Vec::new(),
            page_size: 100,
        };
        let shared = Arc::new(Shared {
            service,
            state: Mutex::new(state),
            faults: Mutex::default(),
            received: Mutex::default(),
        });
        let http = HttpServer::start(&shared, handle).await?;
        Ok(Self { service, http, git, shared })
    }

    /// The address of the repository.
    pub fn repo_url(&self) -> String {
        self.git.url(self.service.path())
    }

    /// Host and port of the repository.
    pub fn host(&self) -> String {
        self.git.address().to_string()
    }

    /// The address of the API.
    pub fn api_url(&self) -> String {
        format!("http://{}{}", self.api_address(), self.service.base())
    }

    /// Host and port of the API.
    pub fn api_address(&self) -> SocketAddr {
        self.http.address()
    }

    /// The Git side, to make it misbehave.
    pub fn git(&self) -> &GitHttp {
        &self.git
    }

    /// The repository.
    pub fn repository(&self) -> GitRepository {
        lock(&self.shared.state).repository.clone()
    }

    /// The pull requests so far.
    pub fn pull_requests(&self) -> Vec<PullRequest> {
        lock(&self.shared.state).pull_requests.all().to_vec()
    }

    /// Changes a pull request, as somebody on the website does.
    pub fn change(&self, number: u64, change: impl FnOnce(&mut PullRequest)) {
        if let Some(found) = lock(&self.shared.state).pull_requests.find(number) {
            change(found);
        }
    }

    /// Opens a pull request, as somebody on the website does.
    pub fn open(&self, source: &str, target: &str) -> Result<u64> {
        let mut state = lock(&self.shared.state);
        let State { repository, pull_requests, .. } = &mut *state;
        pull_requests.open(repository, PullRequest::new(source, target))
    }

    /// Closes a pull request without merging it.
    pub fn close(&self, number: u64) -> Result<()> {
        let mut state = lock(&self.shared.state);
        let State { repository, pull_requests, .. } = &mut *state;
        pull_requests.close(repository, number)
    }

    /// Merges a pull request, as somebody on the website does.
    pub fn merge(&self, number: u64) -> Result<String> {
        let mut state = lock(&self.shared.state);
        let State { repository, pull_requests, .. } = &mut *state;
        pull_requests.merge(repository, number, "merge")
    }

    /// Creates a label.
    pub fn create_label(&self, name: &str) {
        lock(&self.shared.state).labels.push(name.to_owned());
    }

    /// Makes pages short.
    pub fn limit_pages(&self, entries: usize) {
        lock(&self.shared.state).page_size = entries;
    }

    /// Makes answers go wrong.
    pub fn fail(&self, fault: Fault) {
        lock(&self.shared.faults).push(fault);
    }

    /// What was asked since the last call.
    pub fn received(&self) -> Vec<Received> {
        std::mem::take(&mut *lock(&self.shared.received))
    }
}
