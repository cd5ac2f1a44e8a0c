//! A hosting service of its own for each Promotion, the steps that go from a clone to a merged pull request there, and
//! the check that nothing happened twice.

use std::{sync::Arc, time::Duration};

use anyhow::{Result, ensure};
use dev_testkit::server::scm::{ScmServer, Service, Status, TOKEN};
use serde_json::{Value, json};

const BRANCH: &str = "kargo/promotion/kill";
const TICK: Duration = Duration::from_millis(2);

/// Who merges: the Promotion itself, or somebody on the website while it waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    MergeFirst,
    WaitFirst,
}

impl Order {
    /// They take turns.
    pub(crate) fn of(promotion: u32) -> Self {
        if promotion.is_multiple_of(2) { Self::MergeFirst } else { Self::WaitFirst }
    }

    /// The steps of a Promotion, which has the address of the repository as `vars.url`.
    pub(crate) fn steps(self) -> Value {
        let (url, number) = ("${{ vars.url }}", "${{ outputs.open.pr.id }}");
        let merge = json!({"uses": "git-merge-pr", "as": "merge", "config": {
            "repoURL": url, "prNumber": number, "pollInterval": "200ms", "wait": true,
        }});
        let wait = json!({"uses": "git-wait-for-pr", "as": "wait", "config": {
            "repoURL": url, "prNumber": number, "pollInterval": "200ms",
        }});
        let (sixth, seventh) = match self {
            Self::MergeFirst => (merge, wait),
            Self::WaitFirst => (wait, merge),
        };
        json!([
            {"uses": "git-clone", "as": "clone", "config": {
                "repoURL": url, "checkout": [{"branch": "main", "path": "repo"}],
            }},
            {"uses": "yaml-update", "as": "update", "config": {
                "path": "repo/values.yaml", "updates": [{"key": "image.tag", "value": "v2"}],
            }},
            {"uses": "git-commit", "as": "commit", "config": {"path": "repo", "message": "Use v2"}},
            {"uses": "git-push", "as": "push", "config": {"path": "repo", "targetBranch": BRANCH}},
            {"uses": "git-open-pr", "as": "open", "config": {
                "repoURL": url, "sourceBranch": BRANCH, "targetBranch": "main",
            }},
            sixth,
            seventh,
        ])
    }
}

/// The service, with one repository.
pub(crate) struct Host {
    server: Arc<ScmServer>,
    pub(crate) order: Order,
}

impl Host {
    pub(crate) async fn start(order: Order) -> Result<Self> {
        let server = ScmServer::start(Service::Github).await?;
        server.repository().commit("main", "base", &[("values.yaml", "image:\n  tag: v1\n")])?;
        Ok(Self { server: Arc::new(server), order })
    }

    /// The address of the repository.
    pub(crate) fn url(&self) -> String {
        self.server.repo_url()
    }

    /// The variables with which kargo finds its way to the service.
    pub(crate) fn environment(&self) -> [(&'static str, String); 2] {
        let hosts = format!("{}=github={}", self.server.host(), self.server.api_url());
        [("GIT_PROVIDER_HOSTS", hosts), ("ALLOW_CREDENTIALS_OVER_HTTP", "true".into())]
    }

    /// The fields of the credential that the service wants.
    pub(crate) fn credential(&self) -> Value {
        json!({"repoURL": self.url(), "username": "git", "password": TOKEN})
    }

    /// Whether anything was asked of it since the last call.
    pub(crate) fn was_asked(&self) -> bool {
        let (seen, received) = (self.server.git().seen(), self.server.received());
        !seen.is_empty() || !received.is_empty()
    }

    /// Somebody who merges a while after the pull request was opened, if the Promotion waits for that.
    pub(crate) fn person(&self, after_ms: u64) -> Option<Person> {
        if self.order == Order::MergeFirst {
            return None;
        }
        let server = self.server.clone();
        Some(Person(tokio::spawn(async move {
            while server.pull_requests().is_empty() {
                tokio::time::sleep(TICK).await;
            }
            tokio::time::sleep(Duration::from_millis(after_ms)).await;
            // A second pull request would be noticed by the check.
            let _ = server.merge(1);
        })))
    }

    /// One commit, one pull request, merged once.
    pub(crate) fn check(&self) -> Result<()> {
        let repository = self.server.repository();
        let requests = self.server.pull_requests();
        let statuses: Vec<Status> = requests.iter().map(|request| request.status).collect();
        ensure!(statuses == [Status::Merged], "pull requests: {requests:?}");
        let made = repository.git(&["rev-list", "--count", "main^1..main"])?;
        let graph = repository.git(&["log", "--all", "--graph", "--oneline"])?;
        ensure!(made == "2", "not one commit and its merge:\n{graph}");
        let all = repository.git(&["rev-list", "--count", "--all"])?;
        ensure!(all == "3", "there are more commits than needed:\n{graph}");
        let values = repository.git(&["show", "main:values.yaml"])?;
        ensure!(values.contains("v2"), "main has {values}");
        Ok(())
    }
}

/// Goes away when dropped.
pub(crate) struct Person(tokio::task::JoinHandle<()>);

impl Drop for Person {
    fn drop(&mut self) {
        self.0.abort();
    }
}
