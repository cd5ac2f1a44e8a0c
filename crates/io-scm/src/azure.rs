//! Azure DevOps. Branches go by their full names, and a merge is asked for by completing the pull request, which
//! takes a moment.

use std::time::Duration;

use http::Method;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::{
    Place,
    api::{Api, Call, commit_id, given, query, segment, web_link},
    decision::{CLOSED, CONFLICT, DRAFT, Decision},
    error::Error,
    pull_request::{Branches, Candidate, Listed, Merge, NewPullRequest, Page, PullRequest, State},
    pull_requests::Service,
};

const METHODS: [&str; 4] = ["noFastForward", "rebase", "rebaseMerge", "squash"];
const VERSION: (&str, &str) = ("api-version", "7.1");
const HEADS: &str = "refs/heads/";
const PAGE: u32 = 100;
/// How often, and after which time, is looked whether a merge is done.
const LOOKS: usize = 10;
const PAUSE: Duration = Duration::from_secs(1);

/// Pull requests of a repository at Azure DevOps.
pub(crate) struct Azure {
    api: Api,
    /// Path of the project's repositories.
    root: String,
    /// Name of the repository, encoded.
    name: String,
    /// Path of the repository's page.
    page: String,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Pull {
    #[serde(rename = "pullRequestId")]
    number: u64,
    status: String,
    #[serde(default)]
    is_draft: bool,
    merge_status: Option<String>,
    source_ref_name: String,
    target_ref_name: String,
    last_merge_source_commit: Option<Commit>,
    last_merge_commit: Option<Commit>,
    repository: Option<PullRepository>,
    /// Present when the source is in a fork.
    fork_source: Option<Value>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Commit {
    commit_id: String,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct PullRepository {
    #[serde(default)]
    id: String,
    web_url: Option<String>,
}

#[derive(Debug, Deserialize)]
struct List {
    value: Vec<Pull>,
}

impl Pull {
    fn state(&self) -> Option<State> {
        match self.status.as_str() {
            "active" => Some(State::Open),
            "completed" => Some(State::Merged),
            "abandoned" => Some(State::Closed),
            _ => None,
        }
    }
}

impl Azure {
    pub(crate) fn new(api: Api, place: &Place) -> Self {
        let Place::InProject { organization, project, name } = place else {
            return Self { api, root: String::new(), name: String::new(), page: String::new() };
        };
        let (organization, project) = (segment(organization), segment(project));
        let name = segment(name);
        Self {
            api,
            root: format!("/{organization}/{project}/_apis/git/repositories"),
            page: format!("/{organization}/{project}/_git/{name}"),
            name,
        }
    }

    fn path(&self, repository: &str, rest: &str, parameters: &[(&str, &str)]) -> String {
        let parameters = [parameters, &[VERSION]].concat();
        format!("{}/{repository}/pullrequests{rest}{}", self.root, query(&parameters))
    }

    async fn read(&self, number: u64) -> Result<Pull, Error> {
        let action = format!("read pull request {number}");
        let path = self.path(&self.name, &format!("/{number}"), &[]);
        self.api.json(Call::get(&action, path)).await
    }

    /// The id under which a pull request is opened, which names do not guess.
    async fn repository_id(&self) -> Result<String, Error> {
        let action = "read the repository";
        let path = format!("{}/{}{}", self.root, self.name, query(&[VERSION]));
        let found: PullRepository = self.api.json(Call::get(action, path)).await?;
        if found.id.is_empty() {
            return Err(self.api.nonsense(action, "the repository has no id"));
        }
        Ok(segment(&found.id))
    }

    fn normalized(&self, pull: &Pull) -> Result<PullRequest, Error> {
        let problem = "it is no pull request";
        self.convert(pull).ok_or_else(|| self.api.nonsense("read a pull request", problem))
    }

    fn convert(&self, pull: &Pull) -> Option<PullRequest> {
        let state = pull.state()?;
        let id = |commit: &Option<Commit>| {
            commit.as_ref().and_then(|commit| commit_id(&commit.commit_id))
        };
        Some(PullRequest {
            number: pull.number,
            url: self.link(pull)?,
            state,
            merge_commit: id(&pull.last_merge_commit).filter(|_| state == State::Merged),
            head_commit: id(&pull.last_merge_source_commit).unwrap_or_default(),
        })
    }

    /// The page of a pull request: what it is called by in webhooks.
    fn link(&self, pull: &Pull) -> Option<String> {
        let told = pull.repository.as_ref().and_then(|found| found.web_url.as_deref());
        let page = told.map_or_else(|| self.api.address(&self.page), str::to_owned);
        web_link(&format!("{page}/pullrequest/{}", pull.number))
    }

    fn candidate(&self, pull: &Pull) -> Option<Candidate> {
        Some(Candidate {
            pull_request: self.convert(pull)?,
            source: pull.source_ref_name.strip_prefix(HEADS)?.to_owned(),
            target: pull.target_ref_name.strip_prefix(HEADS)?.to_owned(),
            is_from_fork: pull.fork_source.is_some(),
        })
    }

    /// Asks for the merge and waits a little for it.
    async fn complete(
        &self,
        number: u64,
        pull: &Pull,
        method: Option<&str>,
    ) -> Result<Merge, Error> {
        let action = format!("merge pull request {number}");
        // A head that moved since it was looked at is not merged.
        let head = pull.last_merge_source_commit.as_ref();
        let body = given(json!({
            "status": "completed",
            "lastMergeSourceCommit": head.map(|head| json!({ "commitId": head.commit_id })),
            "completionOptions": method.map(|method| json!({ "mergeStrategy": method })),
        }));
        let path = self.path(&self.name, &format!("/{number}"), &[]);
        self.api.call(Call::send(&action, Method::PATCH, path, body)).await?;
        for look in 0..LOOKS {
            let found = self.read(number).await?;
            if found.state() == Some(State::Merged) {
                return Ok(Merge::Done(self.normalized(&found)?));
            }
            if look + 1 < LOOKS {
                self.api.clock().sleep(PAUSE).await;
            }
        }
        Ok(Merge::NotReady("Azure DevOps took the request and has not merged it yet".to_owned()))
    }
}

impl Service for Azure {
    async fn list(
        &self,
        listed: Listed,
        branches: &Branches,
        page: u32,
    ) -> Result<Page<Candidate>, Error> {
        let skip = page.saturating_sub(1).saturating_mul(PAGE);
        let parameters = [
            ("searchCriteria.status", if listed == Listed::Open { "active" } else { "completed" }),
            ("searchCriteria.sourceRefName", &format!("{HEADS}{}", branches.source)),
            ("searchCriteria.targetRefName", &format!("{HEADS}{}", branches.target)),
            ("$top", &PAGE.to_string()),
            ("$skip", &skip.to_string()),
        ];
        let path = self.path(&self.name, "", &parameters);
        let list: List = self.api.json(Call::get("list pull requests", path)).await?;
        let has_more = u32::try_from(list.value.len()).is_ok_and(|count| count >= PAGE);
        let items = list.value.iter().filter_map(|pull| self.candidate(pull)).collect();
        Ok(Page { items, has_more })
    }

    async fn create(&self, new: &NewPullRequest) -> Result<PullRequest, Error> {
        let repository = self.repository_id().await?;
        let labels: Vec<Value> = new.labels.iter().map(|name| json!({ "name": name })).collect();
        let body = json!({
            "sourceRefName": format!("{HEADS}{}", new.branches.source),
            "targetRefName": format!("{HEADS}{}", new.branches.target),
            "title": new.title,
            "description": new.description,
            "labels": labels,
        });
        let path = self.path(&repository, "", &[]);
        let call = Call::send("open a pull request", Method::POST, path, body);
        let opened: Pull = self.api.json(call).await?;
        self.normalized(&opened)
    }

    async fn label(&self, number: u64, labels: &[String]) -> Result<(), Error> {
        let action = format!("label pull request {number}");
        for label in labels {
            let path = self.path(&self.name, &format!("/{number}/labels"), &[]);
            let body = json!({ "name": label });
            self.api.call(Call::send(&action, Method::POST, path, body)).await?;
        }
        Ok(())
    }

    async fn get(&self, number: u64) -> Result<PullRequest, Error> {
        self.normalized(&self.read(number).await?)
    }

    async fn merge(&self, number: u64, method: Option<&str>) -> Result<Merge, Error> {
        let method = self.api.merge_method(method, &METHODS)?;
        let pull = self.read(number).await?;
        match decide(&pull) {
            Decision::Merged => Ok(Merge::Done(self.normalized(&pull)?)),
            Decision::NotReady(reason) => Ok(Merge::NotReady(reason)),
            Decision::Refused(reason) => Err(self.api.not_mergeable(number, reason)),
            Decision::Merge | Decision::MergeDespitePolicy => {
                self.complete(number, &pull, method).await
            }
        }
    }
}

fn decide(pull: &Pull) -> Decision {
    match (pull.status.as_str(), pull.merge_status.as_deref()) {
        ("completed", _) => Decision::Merged,
        ("abandoned", _) => Decision::refused(CLOSED),
        ("active", _) if pull.is_draft => Decision::not_ready(DRAFT),
        ("active", Some("succeeded")) => Decision::Merge,
        ("active", Some("conflicts")) => Decision::refused(CONFLICT),
        ("active", Some("rejectedByPolicy")) => Decision::not_ready("a policy does not allow it"),
        _ => Decision::not_ready("Azure DevOps does not say that it can be merged"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_state_has_its_decision() {
        let decide = |status: &str, merge: Option<&str>, draft: bool| {
            let pull = json!({
                "pullRequestId": 8, "status": status, "isDraft": draft, "mergeStatus": merge,
                "sourceRefName": "refs/heads/s", "targetRefName": "refs/heads/t",
            });
            decide(&serde_json::from_value(pull).unwrap())
        };
        assert_eq!(decide("active", Some("succeeded"), false), Decision::Merge);
        assert_eq!(decide("completed", None, false), Decision::Merged);
        for (status, merge, draft) in [
            ("active", Some("succeeded"), true),
            ("active", Some("queued"), false),
            ("active", Some("rejectedByPolicy"), false),
            ("active", None, false),
            ("notSet", Some("succeeded"), false),
        ] {
            let decision = decide(status, merge, draft);
            assert!(matches!(decision, Decision::NotReady(_)), "{status} {merge:?}");
        }
        for (status, merge) in [("abandoned", Some("succeeded")), ("active", Some("conflicts"))] {
            let decision = decide(status, merge, false);
            assert!(matches!(decision, Decision::Refused(_)), "{status} {merge:?}");
        }
    }
}
