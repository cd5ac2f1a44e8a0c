//! Commits and refs through GitHub's API. Commits made this way without an author are signed by GitHub.

use http::Method;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{root, with_headers};
use crate::{
    Provider,
    api::{Api, Call, commit_id, given, query, segment},
    connection::{Access, Connection},
    error::Error,
};

/// Commits that one page of a comparison holds at most.
const PAGE: usize = 250;
const MAX_PAGES: usize = 20;

/// The commits and refs of a repository at GitHub.
pub struct GithubCommits {
    api: Api,
    root: String,
}

/// How one commit stands to another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Standing {
    Identical,
    Ahead,
    Behind,
    Diverged,
    /// Something that GitHub did not know when this was written.
    Other(String),
}

/// The commits that one commit has and another lacks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comparison {
    pub standing: Standing,
    /// Where both come from.
    pub merge_base: String,
    /// How many commits there are.
    pub total: usize,
    /// The commits, oldest first; none when there are more than were wanted.
    pub commits: Vec<RemoteCommit>,
}

/// A commit as GitHub has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RemoteCommit {
    pub id: String,
    /// `None` when GitHub does not tell.
    pub tree: Option<String>,
    pub message: String,
    pub author: Option<RemotePerson>,
    pub committer: Option<RemotePerson>,
    pub parents: Vec<String>,
}

/// Who did something, and when.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RemotePerson {
    #[serde(default)]
    pub name: String,
    #[serde(default)]
    pub email: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub date: Option<String>,
}

/// A commit to make.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewCommit {
    pub tree: String,
    pub message: String,
    pub parents: Vec<String>,
    /// Author and committer; without them GitHub takes the token's identity and signs.
    pub people: Option<(RemotePerson, RemotePerson)>,
}

/// What became of a ref.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RefUpdate {
    Done,
    /// Refused as things stand (HTTP 422); others may have moved it.
    Refused(String),
}

#[derive(Deserialize)]
struct WireRef {
    object: WireObject,
}

#[derive(Deserialize)]
struct WireObject {
    sha: String,
}

#[derive(Deserialize)]
struct WireComparison {
    status: String,
    merge_base_commit: WireObject,
    total_commits: usize,
    commits: Vec<WireCommit>,
}

#[derive(Deserialize)]
struct WireCommit {
    sha: String,
    commit: WireDetails,
    #[serde(default)]
    parents: Vec<WireObject>,
}

#[derive(Deserialize)]
struct WireDetails {
    #[serde(default)]
    message: String,
    tree: Option<WireObject>,
    author: Option<RemotePerson>,
    committer: Option<RemotePerson>,
}

impl From<WireCommit> for RemoteCommit {
    fn from(commit: WireCommit) -> Self {
        Self {
            id: commit.sha,
            tree: commit.commit.tree.and_then(|tree| commit_id(&tree.sha)),
            message: commit.commit.message,
            author: commit.commit.author,
            committer: commit.commit.committer,
            parents: commit.parents.into_iter().map(|parent| parent.sha).collect(),
        }
    }
}

impl GithubCommits {
    /// Prepares to speak to the repository's host as to a GitHub. Nothing is sent yet.
    pub fn connect(access: Access<'_>) -> Result<Self, Error> {
        let access = Access { provider: Some(Provider::Github), ..access };
        let Connection { repository, api, .. } = access.connect()?;
        Ok(Self { api: with_headers(api), root: root(&repository.place) })
    }

    /// The commit a branch is at; `None` when there is no such branch.
    pub async fn branch(&self, branch: &str) -> Result<Option<String>, Error> {
        let action = format!("read branch {branch}");
        let path = format!("{}/git/ref/heads/{}", self.root, segments(branch));
        match self.api.json::<WireRef>(Call::get(&action, path)).await {
            Ok(found) => {
                let id = commit_id(&found.object.sha);
                let id = id.ok_or_else(|| self.api.nonsense(&action, "it is at no commit"))?;
                Ok(Some(id))
            }
            Err(error) if error.is_not_found() => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// What `head` has that `base` lacks; commits are told only if there are no more than `most`.
    pub async fn compare(&self, base: &str, head: &str, most: usize) -> Result<Comparison, Error> {
        let first = self.compared(base, head, 1).await?;
        let mut comparison = Comparison {
            standing: standing(&first.status),
            merge_base: first.merge_base_commit.sha,
            total: first.total_commits.max(first.commits.len()),
            commits: Vec::new(),
        };
        if comparison.total > most {
            return Ok(comparison);
        }
        comparison.commits.extend(first.commits.into_iter().map(RemoteCommit::from));
        for page in 2..=MAX_PAGES {
            if comparison.commits.len() >= comparison.total {
                break;
            }
            let next = self.compared(base, head, page).await?;
            if next.commits.is_empty() {
                break;
            }
            comparison.commits.extend(next.commits.into_iter().map(RemoteCommit::from));
        }
        if comparison.commits.len() == comparison.total {
            return Ok(comparison);
        }
        Err(self.api.nonsense("compare commits", "it names other commits than it counts"))
    }

    async fn compared(&self, base: &str, head: &str, page: usize) -> Result<WireComparison, Error> {
        let range = format!("{}...{}", segment(base), segment(head));
        let query = query(&[("per_page", &PAGE.to_string()), ("page", &page.to_string())]);
        let path = format!("{}/compare/{range}{query}", self.root);
        self.api.json(Call::get("compare commits", path)).await
    }

    /// Makes a commit and returns its id.
    pub async fn create_commit(&self, new: &NewCommit) -> Result<String, Error> {
        let action = "make a commit";
        let body = given(json!({
            "message": new.message,
            "tree": new.tree,
            "parents": new.parents,
            "author": new.people.as_ref().map(|(author, _)| author),
            "committer": new.people.as_ref().map(|(_, committer)| committer),
        }));
        let path = format!("{}/git/commits", self.root);
        let call = Call::send(action, Method::POST, path, body);
        let made: WireObject = self.api.json(call).await?;
        commit_id(&made.sha).ok_or_else(|| self.api.nonsense(action, "the commit has no id"))
    }

    /// Creates a branch.
    pub async fn create_branch(&self, branch: &str, commit: &str) -> Result<RefUpdate, Error> {
        let action = format!("create branch {branch}");
        let body = json!({ "ref": format!("refs/heads/{branch}"), "sha": commit });
        let path = format!("{}/git/refs", self.root);
        self.update(Call::send(&action, Method::POST, path, body)).await
    }

    /// Moves a branch; `force` also to a commit that does not come after the one it is at.
    pub async fn move_branch(
        &self,
        branch: &str,
        commit: &str,
        force: bool,
    ) -> Result<RefUpdate, Error> {
        let action = format!("move branch {branch}");
        let body = json!({ "sha": commit, "force": force });
        let path = format!("{}/git/refs/heads/{}", self.root, segments(branch));
        self.update(Call::send(&action, Method::PATCH, path, body)).await
    }

    async fn update(&self, call: Call<'_>) -> Result<RefUpdate, Error> {
        match self.api.call(call).await {
            Ok(_) => Ok(RefUpdate::Done),
            Err(error) => match error.refusal() {
                Some((422, said)) => Ok(RefUpdate::Refused(said.to_owned())),
                _ => Err(error),
            },
        }
    }

    /// Deletes a ref, named without `refs/`. One that is not there counts as deleted.
    pub async fn delete_ref(&self, name: &str) -> Result<(), Error> {
        let action = format!("delete ref {name}");
        let path = format!("{}/git/refs/{}", self.root, segments(name));
        let call = Call { action: &action, method: Method::DELETE, path, body: None };
        match self.api.call(call).await {
            Ok(_) => Ok(()),
            Err(error) if error.is_not_found() => Ok(()),
            Err(error) if matches!(error.refusal(), Some((422, _))) => Ok(()),
            Err(error) => Err(error),
        }
    }
}

fn standing(status: &str) -> Standing {
    match status {
        "identical" => Standing::Identical,
        "ahead" => Standing::Ahead,
        "behind" => Standing::Behind,
        "diverged" => Standing::Diverged,
        other => Standing::Other(other.chars().filter(|c| !c.is_control()).take(60).collect()),
    }
}

/// A name with slashes, which stay.
fn segments(name: &str) -> String {
    name.split('/').map(segment).collect::<Vec<_>>().join("/")
}
