//! Bitbucket Cloud. It shortens ids of commits, knows no labels and does not say whether a merge would work.

use http::{Method, StatusCode};
use serde::Deserialize;
use serde_json::json;

use crate::{
    Place,
    api::{Api, Call, commit_id, given, query, segment, web_link},
    decision::{CLOSED, DRAFT, Decision},
    error::Error,
    pull_request::{Branches, Candidate, Listed, Merge, NewPullRequest, Page, PullRequest, State},
    pull_requests::Service,
};

const METHODS: [&str; 6] = [
    "fast_forward",
    "merge_commit",
    "rebase_fast_forward",
    "rebase_merge",
    "squash",
    "squash_fast_forward",
];
/// Digits of a whole id.
const WHOLE_ID: usize = 40;

/// Pull requests of a repository at Bitbucket.
pub(crate) struct Bitbucket {
    api: Api,
    /// Path of the repository.
    root: String,
}

#[derive(Debug, Deserialize)]
struct Pull {
    id: u64,
    state: String,
    #[serde(default)]
    draft: bool,
    links: Links,
    source: Side,
    destination: Side,
    merge_commit: Option<Commit>,
}

#[derive(Debug, Deserialize)]
struct Links {
    html: Link,
}

#[derive(Debug, Deserialize)]
struct Link {
    href: String,
}

#[derive(Debug, Deserialize)]
struct Side {
    branch: Branch,
    /// Absent when the branch is gone.
    commit: Option<Commit>,
    repository: Option<SideRepository>,
}

#[derive(Debug, Deserialize)]
struct Branch {
    name: String,
}

#[derive(Debug, Deserialize)]
struct Commit {
    hash: String,
}

#[derive(Debug, Deserialize)]
struct SideRepository {
    full_name: String,
}

#[derive(Debug, Deserialize)]
struct List {
    values: Vec<Pull>,
    next: Option<String>,
}

impl Pull {
    fn state(&self) -> Option<State> {
        match self.state.as_str() {
            "OPEN" => Some(State::Open),
            "MERGED" => Some(State::Merged),
            "DECLINED" | "SUPERSEDED" => Some(State::Closed),
            _ => None,
        }
    }

    fn normalized(&self) -> Option<PullRequest> {
        let state = self.state()?;
        let merged = self.merge_commit.as_ref().filter(|_| state == State::Merged);
        Some(PullRequest {
            number: self.id,
            url: web_link(&self.links.html.href)?,
            state,
            merge_commit: merged.and_then(|commit| commit_id(&commit.hash)),
            head_commit: self.source.commit.as_ref().map_or("", |commit| &commit.hash).to_owned(),
        })
    }

    fn candidate(&self) -> Option<Candidate> {
        let name =
            |side: &Side| side.repository.as_ref().map(|found| found.full_name.to_lowercase());
        Some(Candidate {
            pull_request: self.normalized()?,
            source: self.source.branch.name.clone(),
            target: self.destination.branch.name.clone(),
            is_from_fork: name(&self.source) != name(&self.destination),
        })
    }
}

impl Bitbucket {
    pub(crate) fn new(api: Api, place: &Place) -> Self {
        let root = match place {
            Place::Owned { owner, name } => {
                format!("/repositories/{}/{}", segment(owner), segment(name))
            }
            _ => String::new(),
        };
        Self { api, root }
    }

    async fn read(&self, number: u64) -> Result<Pull, Error> {
        let action = format!("read pull request {number}");
        self.api.json(Call::get(&action, format!("{}/pullrequests/{number}", self.root))).await
    }

    /// The pull request in our form, with the whole id of its merge.
    async fn normalized(&self, pull: &Pull) -> Result<PullRequest, Error> {
        let problem = "it is no pull request";
        let mut found =
            pull.normalized().ok_or_else(|| self.api.nonsense("read a pull request", problem))?;
        if let Some(id) = &found.merge_commit
            && id.len() < WHOLE_ID
        {
            found.merge_commit = Some(self.whole_id(id).await?);
        }
        Ok(found)
    }

    async fn whole_id(&self, short: &str) -> Result<String, Error> {
        let action = format!("read commit {short}");
        let path = format!("{}/commit/{}", self.root, segment(short));
        let commit: Commit = self.api.json(Call::get(&action, path)).await?;
        let id = commit_id(&commit.hash).filter(|id| id.starts_with(short));
        id.ok_or_else(|| self.api.nonsense(&action, "it is another commit"))
    }
}

impl Service for Bitbucket {
    async fn list(
        &self,
        listed: Listed,
        branches: &Branches,
        page: u32,
    ) -> Result<Page<Candidate>, Error> {
        let state = if listed == Listed::Open { "OPEN" } else { "MERGED" };
        let filter = format!(
            "source.branch.name={} AND destination.branch.name={}",
            quoted(&branches.source),
            quoted(&branches.target)
        );
        let query = query(&[
            ("state", state),
            ("q", &filter),
            ("sort", "-created_on"),
            ("pagelen", "50"),
            ("page", &page.to_string()),
        ]);
        let path = format!("{}/pullrequests{query}", self.root);
        let list: List = self.api.json(Call::get("list pull requests", path)).await?;
        let items = list.values.iter().filter_map(Pull::candidate).collect();
        // Only that there is more is believed: the address of it could be anywhere.
        Ok(Page { items, has_more: list.next.is_some() })
    }

    async fn create(&self, new: &NewPullRequest) -> Result<PullRequest, Error> {
        let description = Some(&new.description).filter(|text| !text.is_empty());
        let body = given(json!({
            "title": new.title,
            "source": { "branch": { "name": new.branches.source } },
            "destination": { "branch": { "name": new.branches.target } },
            "description": description,
        }));
        let path = format!("{}/pullrequests", self.root);
        let call = Call::send("open a pull request", Method::POST, path, body);
        let opened: Pull = self.api.json(call).await?;
        self.normalized(&opened).await
    }

    async fn label(&self, _: u64, _: &[String]) -> Result<(), Error> {
        Ok(())
    }

    async fn get(&self, number: u64) -> Result<PullRequest, Error> {
        let pull = self.read(number).await?;
        self.normalized(&pull).await
    }

    async fn merge(&self, number: u64, method: Option<&str>) -> Result<Merge, Error> {
        let method = self.api.merge_method(method, &METHODS)?;
        let pull = self.read(number).await?;
        match decide(&pull) {
            Decision::Merged => return Ok(Merge::Done(self.normalized(&pull).await?)),
            Decision::NotReady(reason) => return Ok(Merge::NotReady(reason)),
            Decision::Refused(reason) => return Err(self.api.not_mergeable(number, reason)),
            Decision::Merge | Decision::MergeDespitePolicy => {}
        }
        let action = format!("merge pull request {number}");
        let body = given(json!({ "merge_strategy": method }));
        let path = format!("{}/pullrequests/{number}/merge", self.root);
        let reply = self.api.call(Call::send(&action, Method::POST, path, body)).await?;
        if reply.status == StatusCode::ACCEPTED {
            let reason = "Bitbucket merges it in the background, which is not waited for";
            return Err(self.api.not_mergeable(number, reason.to_owned()));
        }
        let merged: Pull = self.api.read(&action, &reply)?;
        if merged.state() != Some(State::Merged) {
            let reason = "Bitbucket did not merge it".to_owned();
            return Err(self.api.not_mergeable(number, reason));
        }
        Ok(Merge::Done(self.normalized(&merged).await?))
    }
}

/// A text in Bitbucket's language for filters.
fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

fn decide(pull: &Pull) -> Decision {
    match pull.state() {
        Some(State::Merged) => Decision::Merged,
        Some(State::Open) if pull.draft => Decision::not_ready(DRAFT),
        Some(State::Open) => Decision::Merge,
        _ => Decision::refused(CLOSED),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_state_has_its_decision() {
        let decide = |state: &str, draft: bool| {
            let side = json!({"branch": {"name": "b"}, "commit": null, "repository": null});
            let pull = json!({
                "id": 5, "state": state, "draft": draft, "source": side, "destination": side,
                "links": {"html": {"href": "https://bitbucket.org/a/b/pull-requests/5"}},
                "merge_commit": null,
            });
            decide(&serde_json::from_value(pull).unwrap())
        };
        assert_eq!(decide("OPEN", false), Decision::Merge);
        assert!(matches!(decide("OPEN", true), Decision::NotReady(_)));
        assert_eq!(decide("MERGED", false), Decision::Merged);
        for state in ["DECLINED", "SUPERSEDED", "?"] {
            assert!(matches!(decide(state, false), Decision::Refused(_)), "{state}");
        }
    }

    #[test]
    fn a_branch_cannot_change_the_filter() {
        assert_eq!(quoted(r#"a" OR state="OPEN"#), r#""a\" OR state=\"OPEN""#);
    }
}
