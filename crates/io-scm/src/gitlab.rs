//! GitLab, in the cloud and on the premises. Its pull requests are merge requests, numbered per project.

use http::Method;
use serde::Deserialize;
use serde_json::json;

use crate::{
    Place,
    api::{Api, Call, commit_id, given, query, segment, web_link},
    decision::{CLOSED, CONFLICT, DRAFT, Decision},
    error::Error,
    pull_request::{Branches, Candidate, Listed, Merge, NewPullRequest, Page, PullRequest, State},
    pull_requests::Service,
};

/// Merge requests of a project at GitLab.
pub(crate) struct Gitlab {
    api: Api,
    /// Path of the project's merge requests.
    root: String,
}

#[derive(Debug, Deserialize)]
struct MergeRequest {
    iid: u64,
    web_url: String,
    state: String,
    /// The commit that it proposes.
    sha: Option<String>,
    merge_commit_sha: Option<String>,
    squash_commit_sha: Option<String>,
    source_branch: String,
    target_branch: String,
    source_project_id: Option<u64>,
    target_project_id: Option<u64>,
    #[serde(default)]
    draft: Option<bool>,
    detailed_merge_status: Option<String>,
}

impl MergeRequest {
    fn state(&self) -> Option<State> {
        match self.state.as_str() {
            "opened" | "locked" => Some(State::Open),
            "merged" => Some(State::Merged),
            "closed" => Some(State::Closed),
            _ => None,
        }
    }

    fn normalized(&self) -> Option<PullRequest> {
        let state = self.state()?;
        // A merge by fast-forward makes no commit of its own.
        let merged = [&self.merge_commit_sha, &self.squash_commit_sha, &self.sha];
        let merged = merged.into_iter().flatten().find_map(|id| commit_id(id));
        Some(PullRequest {
            number: self.iid,
            url: web_link(&self.web_url)?,
            state,
            merge_commit: merged.filter(|_| state == State::Merged),
            head_commit: self.sha.clone().unwrap_or_default(),
        })
    }

    fn candidate(&self) -> Option<Candidate> {
        Some(Candidate {
            pull_request: self.normalized()?,
            source: self.source_branch.clone(),
            target: self.target_branch.clone(),
            is_from_fork: self.source_project_id != self.target_project_id,
        })
    }
}

impl Gitlab {
    pub(crate) fn new(api: Api, place: &Place) -> Self {
        let project = segment(&place.to_string());
        Self { api, root: format!("/projects/{project}/merge_requests") }
    }

    async fn read(&self, number: u64) -> Result<MergeRequest, Error> {
        let action = format!("read merge request {number}");
        self.api.json(Call::get(&action, format!("{}/{number}", self.root))).await
    }

    fn normalized(&self, found: &MergeRequest) -> Result<PullRequest, Error> {
        let problem = "it is no merge request";
        found.normalized().ok_or_else(|| self.api.nonsense("read a merge request", problem))
    }
}

impl Service for Gitlab {
    async fn list(
        &self,
        listed: Listed,
        branches: &Branches,
        page: u32,
    ) -> Result<Page<Candidate>, Error> {
        let action = "list merge requests";
        let query = query(&[
            ("state", if listed == Listed::Open { "opened" } else { "merged" }),
            ("source_branch", &branches.source),
            ("target_branch", &branches.target),
            ("order_by", "created_at"),
            ("sort", "desc"),
            ("per_page", "100"),
            ("page", &page.to_string()),
        ]);
        let reply = self.api.call(Call::get(action, format!("{}{query}", self.root))).await?;
        let found: Vec<MergeRequest> = self.api.read(action, &reply)?;
        let items = found.iter().filter_map(MergeRequest::candidate).collect();
        Ok(Page { items, has_more: reply.links_to_next() })
    }

    async fn create(&self, new: &NewPullRequest) -> Result<PullRequest, Error> {
        let labels = (!new.labels.is_empty()).then(|| new.labels.join(","));
        let body = given(json!({
            "source_branch": new.branches.source,
            "target_branch": new.branches.target,
            "title": new.title,
            "description": new.description,
            "labels": labels,
        }));
        let call = Call::send("open a merge request", Method::POST, self.root.clone(), body);
        let opened: MergeRequest = self.api.json(call).await?;
        self.normalized(&opened)
    }

    async fn label(&self, number: u64, labels: &[String]) -> Result<(), Error> {
        let action = format!("label merge request {number}");
        let body = json!({ "add_labels": labels.join(",") });
        let path = format!("{}/{number}", self.root);
        self.api.call(Call::send(&action, Method::PUT, path, body)).await.map(drop)
    }

    async fn get(&self, number: u64) -> Result<PullRequest, Error> {
        self.normalized(&self.read(number).await?)
    }

    async fn merge(&self, number: u64, method: Option<&str>) -> Result<Merge, Error> {
        let method = self.api.merge_method(method, &["merge", "squash"])?;
        let found = self.read(number).await?;
        match decide(&found) {
            Decision::Merged => return Ok(Merge::Done(self.normalized(&found)?)),
            Decision::NotReady(reason) => return Ok(Merge::NotReady(reason)),
            Decision::Refused(reason) => return Err(self.api.not_mergeable(number, reason)),
            Decision::Merge | Decision::MergeDespitePolicy => {}
        }
        let action = format!("merge merge request {number}");
        let body = if method == Some("squash") { json!({ "squash": true }) } else { json!({}) };
        let path = format!("{}/{number}/merge", self.root);
        let merged: MergeRequest =
            self.api.json(Call::send(&action, Method::PUT, path, body)).await?;
        if merged.state() == Some(State::Merged) {
            return Ok(Merge::Done(self.normalized(&merged)?));
        }
        Ok(Merge::NotReady("GitLab took the request and has not merged it yet".to_owned()))
    }
}

fn decide(found: &MergeRequest) -> Decision {
    match found.state.as_str() {
        "merged" => return Decision::Merged,
        "opened" => {}
        // For the moment in which somebody's merge is carried out.
        "locked" => return Decision::not_ready("it is being merged"),
        _ => return Decision::refused(CLOSED),
    }
    if found.draft.unwrap_or(false) {
        return Decision::not_ready(DRAFT);
    }
    match found.detailed_merge_status.as_deref() {
        Some("mergeable") => Decision::Merge,
        Some("conflict") => Decision::refused(CONFLICT),
        Some(status) => {
            let status: String = status.chars().filter(char::is_ascii_graphic).take(60).collect();
            Decision::NotReady(format!("its merge status is {status}"))
        }
        None => Decision::not_ready("GitLab does not say that it can be merged"),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    fn request(change: Value) -> MergeRequest {
        let mut found = json!({
            "iid": 3, "web_url": "https://gitlab.com/a/b/-/merge_requests/3", "state": "opened",
            "sha": "aaaaaaaaaa", "source_branch": "s", "target_branch": "t",
            "source_project_id": 1, "target_project_id": 1, "detailed_merge_status": "mergeable",
        });
        found.as_object_mut().unwrap().extend(change.as_object().unwrap().clone());
        serde_json::from_value(found).unwrap()
    }

    #[test]
    fn each_state_has_its_decision() {
        let decide = |change| decide(&request(change));
        assert_eq!(decide(json!({})), Decision::Merge);
        assert_eq!(decide(json!({"state": "merged"})), Decision::Merged);
        assert!(matches!(decide(json!({"state": "closed"})), Decision::Refused(_)));
        assert!(matches!(decide(json!({"state": "locked"})), Decision::NotReady(_)));
        assert!(matches!(decide(json!({"draft": true})), Decision::NotReady(_)));
        for status in ["checking", "not_approved", "ci_still_running", "need_rebase"] {
            let decision = decide(json!({"detailed_merge_status": status}));
            assert!(matches!(decision, Decision::NotReady(_)), "{status}");
        }
        let conflict = decide(json!({"detailed_merge_status": "conflict"}));
        assert!(matches!(conflict, Decision::Refused(_)));
    }

    #[test]
    fn the_commit_of_a_merge_is_found_for_every_way_of_merging() {
        let merged = |change: Value| {
            let mut change = change;
            change["state"] = "merged".into();
            request(change).normalized().unwrap().merge_commit.unwrap()
        };
        assert_eq!(merged(json!({"merge_commit_sha": "bbbbbbbbbb"})), "bbbbbbbbbb");
        assert_eq!(merged(json!({"squash_commit_sha": "cccccccccc"})), "cccccccccc");
        assert_eq!(merged(json!({})), "aaaaaaaaaa");
        assert_eq!(request(json!({})).normalized().unwrap().merge_commit, None);
    }
}
