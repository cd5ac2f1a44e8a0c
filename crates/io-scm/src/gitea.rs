//! Gitea, and Forgejo, which speaks the same.

use std::collections::BTreeSet;

use http::Method;
use serde::Deserialize;
use serde_json::json;

use crate::{
    Place,
    api::{Api, Call, commit_id, query, segment, web_link},
    decision::{CLOSED, DRAFT, Decision},
    error::Error,
    pull_request::{Branches, Candidate, Listed, Merge, NewPullRequest, Page, PullRequest, State},
    pull_requests::Service,
};

const METHODS: [&str; 6] =
    ["fast-forward-only", "manually-merged", "merge", "rebase", "rebase-merge", "squash"];
/// The most pages of labels that are read.
const MAX_LABEL_PAGES: u32 = 50;

/// Pull requests of a repository at Gitea.
pub(crate) struct Gitea {
    api: Api,
    /// Path of the repository.
    root: String,
}

#[derive(Debug, Deserialize)]
struct Pull {
    number: u64,
    html_url: String,
    state: String,
    #[serde(default)]
    merged: bool,
    #[serde(default)]
    mergeable: bool,
    #[serde(default)]
    draft: bool,
    merge_commit_sha: Option<String>,
    head: Side,
    base: Side,
}

#[derive(Debug, Deserialize)]
struct Side {
    #[serde(rename = "ref")]
    branch: String,
    #[serde(default)]
    sha: String,
    repo_id: Option<i64>,
}

#[derive(Debug, Deserialize)]
struct Label {
    id: i64,
    name: String,
}

impl Pull {
    fn state(&self) -> Option<State> {
        match self.state.as_str() {
            _ if self.merged => Some(State::Merged),
            "open" => Some(State::Open),
            "closed" => Some(State::Closed),
            _ => None,
        }
    }

    fn normalized(&self) -> Option<PullRequest> {
        let state = self.state()?;
        let merged = self.merge_commit_sha.as_deref().filter(|_| state == State::Merged);
        Some(PullRequest {
            number: self.number,
            url: web_link(&self.html_url)?,
            state,
            merge_commit: merged.and_then(commit_id),
            head_commit: self.head.sha.clone(),
        })
    }

    fn candidate(&self) -> Option<Candidate> {
        Some(Candidate {
            pull_request: self.normalized()?,
            source: self.head.branch.clone(),
            target: self.base.branch.clone(),
            is_from_fork: self.head.repo_id != self.base.repo_id,
        })
    }
}

impl Gitea {
    pub(crate) fn new(api: Api, place: &Place) -> Self {
        let root = match place {
            Place::Owned { owner, name } => format!("/repos/{}/{}", segment(owner), segment(name)),
            _ => String::new(),
        };
        Self { api, root }
    }

    async fn read(&self, number: u64) -> Result<Pull, Error> {
        let action = format!("read pull request {number}");
        self.api.json(Call::get(&action, format!("{}/pulls/{number}", self.root))).await
    }

    fn normalized(&self, pull: &Pull) -> Result<PullRequest, Error> {
        let problem = "it is no pull request";
        pull.normalized().ok_or_else(|| self.api.nonsense("read a pull request", problem))
    }

    /// Ids of the labels of these names, all of which must exist.
    async fn label_ids(&self, names: &[String]) -> Result<Vec<i64>, Error> {
        if names.is_empty() {
            return Ok(Vec::new());
        }
        let mut missing: BTreeSet<&str> = names.iter().map(String::as_str).collect();
        let mut ids = Vec::new();
        for page in 1..=MAX_LABEL_PAGES {
            let action = "list labels";
            let query = query(&[("limit", "50"), ("page", &page.to_string())]);
            let path = format!("{}/labels{query}", self.root);
            let reply = self.api.call(Call::get(action, path)).await?;
            let labels: Vec<Label> = self.api.read(action, &reply)?;
            for label in &labels {
                if missing.remove(label.name.as_str()) {
                    ids.push(label.id);
                }
            }
            if missing.is_empty() || !reply.links_to_next() {
                break;
            }
        }
        if missing.is_empty() {
            return Ok(ids);
        }
        Err(self.api.unknown_labels(&missing.into_iter().collect::<Vec<_>>()))
    }
}

impl Service for Gitea {
    /// The service itself does not look for branches.
    async fn list(
        &self,
        listed: Listed,
        _: &Branches,
        page: u32,
    ) -> Result<Page<Candidate>, Error> {
        let action = "list pull requests";
        let state = if listed == Listed::Open { "open" } else { "closed" };
        let query = query(&[("state", state), ("limit", "50"), ("page", &page.to_string())]);
        let reply = self.api.call(Call::get(action, format!("{}/pulls{query}", self.root))).await?;
        let pulls: Vec<Pull> = self.api.read(action, &reply)?;
        let items = pulls.iter().filter_map(Pull::candidate).collect();
        Ok(Page { items, has_more: reply.links_to_next() })
    }

    async fn create(&self, new: &NewPullRequest) -> Result<PullRequest, Error> {
        let labels = self.label_ids(&new.labels).await?;
        let body = json!({
            "title": new.title,
            "head": new.branches.source,
            "base": new.branches.target,
            "body": new.description,
            "labels": labels,
        });
        let path = format!("{}/pulls", self.root);
        let call = Call::send("open a pull request", Method::POST, path, body);
        let opened: Pull = self.api.json(call).await?;
        self.normalized(&opened)
    }

    async fn label(&self, number: u64, labels: &[String]) -> Result<(), Error> {
        let action = format!("label pull request {number}");
        let body = json!({ "labels": self.label_ids(labels).await? });
        let path = format!("{}/issues/{number}/labels", self.root);
        self.api.call(Call::send(&action, Method::POST, path, body)).await.map(drop)
    }

    async fn get(&self, number: u64) -> Result<PullRequest, Error> {
        self.normalized(&self.read(number).await?)
    }

    async fn merge(&self, number: u64, method: Option<&str>) -> Result<Merge, Error> {
        let method = self.api.merge_method(method, &METHODS)?.unwrap_or("merge");
        let pull = self.read(number).await?;
        match decide(&pull) {
            Decision::Merged => return Ok(Merge::Done(self.normalized(&pull)?)),
            Decision::NotReady(reason) => return Ok(Merge::NotReady(reason)),
            Decision::Refused(reason) => return Err(self.api.not_mergeable(number, reason)),
            Decision::Merge | Decision::MergeDespitePolicy => {}
        }
        let action = format!("merge pull request {number}");
        let path = format!("{}/pulls/{number}/merge", self.root);
        let call = Call::send(&action, Method::POST, path, json!({ "Do": method }));
        if let Err(error) = self.api.call(call).await {
            return match error.refusal() {
                Some((405, said)) if said.to_lowercase().contains("try again") => {
                    Ok(Merge::NotReady(said.to_owned()))
                }
                _ => Err(error),
            };
        }
        let merged = self.read(number).await?;
        if merged.state() != Some(State::Merged) {
            let reason = "Gitea did not merge it".to_owned();
            return Err(self.api.not_mergeable(number, reason));
        }
        Ok(Merge::Done(self.normalized(&merged)?))
    }
}

fn decide(pull: &Pull) -> Decision {
    match pull.state() {
        Some(State::Merged) => Decision::Merged,
        Some(State::Open) if pull.draft => Decision::not_ready(DRAFT),
        Some(State::Open) if pull.mergeable => Decision::Merge,
        // One word for conflicts, missing approvals and checks that are still under way.
        Some(State::Open) => Decision::not_ready("Gitea does not say that it can be merged"),
        _ => Decision::refused(CLOSED),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_state_has_its_decision() {
        for (change, expected) in [
            (json!({"mergeable": true}), "merge"),
            (json!({"mergeable": false}), "not ready"),
            (json!({"mergeable": true, "draft": true}), "not ready"),
            (json!({"state": "closed", "merged": true}), "merged"),
            (json!({"state": "closed", "mergeable": true}), "refused"),
        ] {
            let mut pull = json!({
                "number": 4, "html_url": "https://gitea.com/a/b/pulls/4", "state": "open",
                "head": {"ref": "s"}, "base": {"ref": "t"},
            });
            pull.as_object_mut().unwrap().extend(change.as_object().unwrap().clone());
            let decision = match decide(&serde_json::from_value(pull).unwrap()) {
                Decision::Merged => "merged",
                Decision::NotReady(_) => "not ready",
                Decision::Refused(_) => "refused",
                Decision::Merge | Decision::MergeDespitePolicy => "merge",
            };
            assert_eq!(decision, expected, "{change}");
        }
    }
}
