//! `git-clone`: checks out branches, tags and commits of a repository into work trees.
//!
//! Objects come from the store that discovery uses, and only files that are checked out are fetched; so
//! `blobless` changes nothing. A second attempt replaces what the first one left.

use std::sync::Arc;

use io_git::{At, CheckedOut, CloneRequest, Remote, Store};
use io_http::outbound::Tls;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::git::{self, Author};
use crate::{ControlPlane, Credentials, Effect, Outcome, Step, StepCx, StepError, StepResult};

/// The step.
pub(crate) struct GitClone;

/// Its configuration.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Config {
    /// The repository: https, ssh or `user@host:path`.
    #[serde(rename = "repoURL")]
    #[schemars(length(min = 1))]
    repo_url: String,
    /// Whether any certificate of the server is accepted.
    #[serde(default, rename = "insecureSkipTLSVerify")]
    insecure_skip_tls_verify: bool,
    /// Whether submodules are checked out as well.
    #[serde(default)]
    recurse_submodules: bool,
    /// Accepted for compatibility: files are fetched as they are checked out, whatever it says.
    #[serde(default)]
    #[expect(dead_code, reason = "part of the wire format, and always so")]
    blobless: bool,
    /// Who makes commits in these work trees, instead of the installation's own identity.
    #[serde(default)]
    #[schemars(with = "Author")]
    author: Option<Author>,
    /// The work trees.
    #[schemars(length(min = 1))]
    checkout: Vec<Checkout>,
}

/// One work tree.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(extend("oneOf" = [
    {"properties": {"branch": {"enum": [null, ""]}, "commit": {"enum": [null, ""]}, "tag": {"enum": [null, ""]}}},
    {"required": ["branch"], "properties": {"branch": {"minLength": 1}, "commit": {"enum": [null, ""]}, "tag": {"enum": [null, ""]}}},
    {"required": ["commit"], "properties": {"branch": {"enum": [null, ""]}, "commit": {"minLength": 1}, "tag": {"enum": [null, ""]}}},
    {"required": ["tag"], "properties": {"branch": {"enum": [null, ""]}, "commit": {"enum": [null, ""]}, "tag": {"minLength": 1}}},
]))]
struct Checkout {
    /// Where to; a directory that does not exist or is empty.
    #[schemars(length(min = 1))]
    path: String,
    /// The name of the commit in the output; the path when there is none.
    #[serde(default, rename = "as")]
    alias: String,
    /// The branch to check out. Without branch, commit and tag, the repository's default branch.
    #[serde(default)]
    branch: String,
    /// The commit to check out, on no branch.
    #[serde(default)]
    commit: String,
    /// The tag to check out, on no branch.
    #[serde(default)]
    tag: String,
    /// Whether a branch that does not exist is started, empty, and pushed at once.
    #[serde(default)]
    create: bool,
    /// The directories to check out; all of them when none is named.
    #[serde(default)]
    #[schemars(length(min = 1), inner(length(min = 1)))]
    sparse: Vec<String>,
}

impl Step for GitClone {
    const KIND: &'static str = "git-clone";
    type Config = Config;
    type Needs = (Store, Credentials, Arc<dyn ControlPlane>);

    async fn run(
        &self,
        config: Config,
        (store, credentials, control_plane): Self::Needs,
        cx: &StepCx<'_>,
    ) -> StepResult {
        let names = names(&config.checkout)?;
        let credential = credentials.find(cx, io_creds::Kind::Git, &config.repo_url).await?;
        let identity = Author::or_system(config.author.as_ref(), &*control_plane, cx).await?;
        let tls = Tls { insecure_skip_verify: config.insecure_skip_tls_verify, ..Tls::default() };
        let remote = Remote { url: config.repo_url, credential, tls };
        let request = CloneRequest {
            remote,
            identity,
            checkouts: config.checkout.into_iter().map(Checkout::into_request).collect(),
            submodules: config.recurse_submodules,
            date: cx.subject.started_at,
            publish: matches!(cx.effects, crate::Effects::Real),
        };
        let made =
            store.clone_into(git::desk(cx), cx.alias, &request).await.map_err(git::failure)?;
        cx.files.check_quota()?;
        record_created(cx, &store, &request, &made);
        let commits = names.into_iter().zip(&made);
        let commits: Map<String, Value> =
            commits.map(|(name, made)| (name, made.commit.to_string().into())).collect();
        Ok(Outcome::done().with("commits", commits))
    }
}

impl Checkout {
    fn into_request(self) -> io_git::Checkout {
        let at = if !self.branch.is_empty() {
            At::Branch { name: self.branch, create: self.create }
        } else if !self.commit.is_empty() {
            At::Commit(self.commit)
        } else if !self.tag.is_empty() {
            At::Tag(self.tag)
        } else {
            At::Default
        };
        io_git::Checkout { path: self.path, at, sparse: self.sparse }
    }
}

/// The names of the commits in the output. A name that was chosen must be chosen once.
fn names(checkouts: &[Checkout]) -> Result<Vec<String>, StepError> {
    let mut chosen: Vec<&str> = checkouts.iter().map(|each| each.alias.as_str()).collect();
    chosen.retain(|alias| !alias.is_empty());
    chosen.sort_unstable();
    if let Some(twice) = chosen.windows(2).find_map(|pair| match pair {
        [one, next] if one == next => Some(*one),
        _ => None,
    }) {
        return Err(StepError::failed(format!(
            "invalid git-clone config: two checkouts have the alias {twice:?}: name each once"
        )));
    }
    let name =
        |each: &Checkout| if each.alias.is_empty() { &each.path } else { &each.alias }.clone();
    Ok(checkouts.iter().map(name).collect())
}

/// In a preview, branches are created here only.
fn record_created(cx: &StepCx<'_>, store: &Store, request: &CloneRequest, made: &[CheckedOut]) {
    for (checkout, branch) in request
        .checkouts
        .iter()
        .zip(made)
        .filter_map(|(checkout, made)| Some((checkout, made.created.as_ref()?)))
    {
        let target = || git::open(cx, store, &checkout.path).map(|tree| tree.address());
        let told = cx.effects.intercepts(|| Effect {
            step: cx.alias.to_owned(),
            action: "create branch",
            target: target().unwrap_or_default(),
            detail: json!({ "branch": branch }),
        });
        if !told {
            cx.say(format!("created the branch {branch}"));
        }
    }
}
