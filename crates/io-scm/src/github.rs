//! GitHub, in the cloud and on the premises.

pub(crate) mod commits;
mod merge;

use http::{HeaderName, Method};
use serde::Deserialize;
use serde_json::json;

use crate::{
    Place,
    api::{Api, Call, commit_id, query, segment, web_link},
    error::Error,
    pull_request::{Branches, Candidate, Listed, Merge, NewPullRequest, Page, PullRequest, State},
    pull_requests::Service,
};

/// Pull requests of a repository at GitHub.
pub(crate) struct Github {
    api: Api,
    owner: String,
    /// Path of the repository.
    root: String,
}

/// A pull request, as far as it is looked at.
#[derive(Debug, Deserialize)]
struct Pull {
    number: u64,
    html_url: String,
    state: String,
    merged_at: Option<String>,
    merge_commit_sha: Option<String>,
    head: Side,
    base: Side,
    #[serde(default)]
    draft: Option<bool>,
    mergeable: Option<bool>,
    mergeable_state: Option<String>,
}

#[derive(Debug, Deserialize)]
struct Side {
    #[serde(rename = "ref")]
    branch: String,
    sha: String,
    /// Absent when a fork was deleted.
    repo: Option<SideRepository>,
}

#[derive(Debug, Deserialize)]
struct SideRepository {
    full_name: String,
}

impl Pull {
    fn state(&self) -> Option<State> {
        match (self.state.as_str(), &self.merged_at) {
            (_, Some(_)) => Some(State::Merged),
            ("open", None) => Some(State::Open),
            ("closed", None) => Some(State::Closed),
            _ => None,
        }
    }

    fn normalized(&self) -> Option<PullRequest> {
        let state = self.state()?;
        // Before the merge this is the commit of a trial.
        let merged = self.merge_commit_sha.as_deref().filter(|_| state == State::Merged);
        Some(PullRequest {
            number: self.number,
            url: web_link(&self.html_url)?,
            state,
            merge_commit: merged.and_then(commit_id),
            head_commit: commit_id(&self.head.sha)?,
        })
    }

    fn candidate(&self) -> Option<Candidate> {
        let name = |side: &Side| side.repo.as_ref().map(|repo| repo.full_name.to_lowercase());
        Some(Candidate {
            pull_request: self.normalized()?,
            source: self.head.branch.clone(),
            target: self.base.branch.clone(),
            is_from_fork: name(&self.head) != name(&self.base),
        })
    }
}

impl Github {
    pub(crate) fn new(api: Api, place: &Place) -> Self {
        let owner = match place {
            Place::Owned { owner, .. } => owner.clone(),
            _ => String::new(),
        };
        Self { api: with_headers(api), owner, root: root(place) }
    }

    async fn read(&self, number: u64) -> Result<Pull, Error> {
        let action = format!("read pull request {number}");
        self.api.json(Call::get(&action, format!("{}/pulls/{number}", self.root))).await
    }

    fn normalized(&self, action: &str, pull: &Pull) -> Result<PullRequest, Error> {
        pull.normalized().ok_or_else(|| self.api.nonsense(action, "it is no pull request"))
    }
}

/// What GitHub wants to be asked with.
fn with_headers(api: Api) -> Api {
    api.with_header(http::header::ACCEPT, "application/vnd.github+json")
        .with_header(HeaderName::from_static("x-github-api-version"), "2022-11-28")
}

fn root(place: &Place) -> String {
    match place {
        Place::Owned { owner, name } => format!("/repos/{}/{}", segment(owner), segment(name)),
        _ => String::new(),
    }
}

impl Service for Github {
    async fn list(
        &self,
        listed: Listed,
        branches: &Branches,
        page: u32,
    ) -> Result<Page<Candidate>, Error> {
        let action = "list pull requests";
        let state = if listed == Listed::Open { "open" } else { "closed" };
        let query = query(&[
            ("state", state),
            ("head", &format!("{}:{}", self.owner, branches.source)),
            ("base", &branches.target),
            ("sort", "created"),
            ("direction", "desc"),
            ("per_page", "100"),
            ("page", &page.to_string()),
        ]);
        let reply = self.api.call(Call::get(action, format!("{}/pulls{query}", self.root))).await?;
        let pulls: Vec<Pull> = self.api.read(action, &reply)?;
        let items = pulls.iter().filter_map(Pull::candidate).collect();
        Ok(Page { items, has_more: reply.links_to_next() })
    }

    async fn create(&self, new: &NewPullRequest) -> Result<PullRequest, Error> {
        let action = "open a pull request";
        let body = json!({
            "title": new.title,
            "head": new.branches.source,
            "base": new.branches.target,
            "body": new.description,
            "maintainer_can_modify": false,
        });
        let call = Call::send(action, Method::POST, format!("{}/pulls", self.root), body);
        let pull: Pull = self.api.json(call).await?;
        let opened = self.normalized(action, &pull)?;
        if !new.labels.is_empty() {
            self.label(opened.number, &new.labels).await?;
        }
        Ok(opened)
    }

    async fn label(&self, number: u64, labels: &[String]) -> Result<(), Error> {
        let action = format!("label pull request {number}");
        let path = format!("{}/issues/{number}/labels", self.root);
        let body = json!({ "labels": labels });
        self.api.call(Call::send(&action, Method::POST, path, body)).await.map(drop)
    }

    async fn get(&self, number: u64) -> Result<PullRequest, Error> {
        let pull = self.read(number).await?;
        self.normalized("read a pull request", &pull)
    }

    async fn merge(&self, number: u64, method: Option<&str>) -> Result<Merge, Error> {
        merge::merge(self, number, method).await
    }
}
