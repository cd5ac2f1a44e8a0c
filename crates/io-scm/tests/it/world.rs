//! A service with two branches, and a connection to it.

use std::{sync::Arc, time::Duration};

use core_clock::{Clock, Sleep, Time};
use core_rules::credential::Secret;
use dev_testkit::server::scm::{ScmServer, Service, TOKEN};
use io_http::outbound::{self, Deadlines, Outbound};
use io_runtime::SystemClock;
use io_scm::{Access, Branches, GithubCommits, NewPullRequest, Provider, PullRequests, Settings};

/// Time that passes a hundred times as fast, so that waits do not last.
struct HurriedClock(SystemClock);

impl Clock for HurriedClock {
    fn now(&self) -> Time {
        Time::from_seconds(1_767_225_600)
    }

    fn monotonic(&self) -> Duration {
        self.0.monotonic() * 100
    }

    fn sleep(&self, duration: Duration) -> Sleep {
        self.0.sleep(duration / 100)
    }
}

/// A service whose branch `work` is one commit ahead of `main`.
pub(crate) struct World {
    pub(crate) server: ScmServer,
    pub(crate) provider: Provider,
    pub(crate) head: String,
    url: String,
    outbound: Outbound,
}

impl World {
    pub(crate) async fn of(service: Service) -> Self {
        let server = ScmServer::start(service).await.unwrap();
        let repository = server.repository();
        repository.commit("main", "base", &[("a.txt", "A")]).unwrap();
        repository.git(&["branch", "work", "main"]).unwrap();
        let head = repository.commit("work", "change", &[("b.txt", "B")]).unwrap();
        let second = Duration::from_secs(1);
        let mut settings = outbound::Settings::default();
        settings.deadlines = Deadlines { connect: second, headers: second, idle: second };
        let outbound = Outbound::new(settings);
        let url = server.repo_url();
        Self { server, provider: provider(service), head, url, outbound }
    }

    pub(crate) fn settings(&self) -> Settings {
        let api = self.server.api_url();
        Settings::default().with_host(&self.server.host(), self.provider, Some(&api))
    }

    pub(crate) fn connect(&self) -> PullRequests {
        self.connect_with(Some(TOKEN))
    }

    pub(crate) fn connect_with(&self, token: Option<&str>) -> PullRequests {
        PullRequests::connect(self.access(&self.settings(), token)).unwrap()
    }

    pub(crate) fn commits(&self) -> GithubCommits {
        GithubCommits::connect(self.access(&self.settings(), Some(TOKEN))).unwrap()
    }

    pub(crate) fn access<'a>(&'a self, settings: &'a Settings, token: Option<&str>) -> Access<'a> {
        Access {
            settings,
            outbound: &self.outbound,
            clock: Arc::new(HurriedClock(SystemClock::new())),
            url: &self.url,
            provider: None,
            token: token.map(Secret::new),
            insecure_skip_tls_verify: false,
        }
    }

    pub(crate) fn tip(&self, branch: &str) -> String {
        self.server.repository().git(&["rev-parse", branch]).unwrap()
    }
}

pub(crate) fn branches() -> Branches {
    Branches { source: "work".to_owned(), target: "main".to_owned() }
}

pub(crate) fn new_pull_request() -> NewPullRequest {
    NewPullRequest {
        branches: branches(),
        title: "Change".to_owned(),
        description: "What and why.".to_owned(),
        labels: Vec::new(),
    }
}

fn provider(service: Service) -> Provider {
    match service {
        Service::Azure => Provider::Azure,
        Service::Bitbucket => Provider::Bitbucket,
        Service::Gitea => Provider::Gitea,
        Service::Github => Provider::Github,
        Service::Gitlab => Provider::Gitlab,
    }
}
