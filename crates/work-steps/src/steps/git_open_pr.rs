//! `git-open-pr`: proposes one branch to another, once.
//!
//! A pull request is found again by its branches, so that an attempt after a crash takes on what the one before has
//! opened. Branches are read from the shared mirror; nothing is cloned.

use io_git::{Remote, Snapshot};
use io_http::outbound::Tls;
use io_scm::{Branches, NewPullRequest, Provider, PullRequest, State};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::pull_request::{
    self, Hosted, errored, output,
    text::{footer, text},
};
use crate::{Effect, Outcome, Step, StepCx, StepError, StepResult};

/// The step.
pub(crate) struct GitOpenPr;

/// Its configuration.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Config {
    /// Address of the repository.
    #[serde(rename = "repoURL")]
    #[schemars(length(min = 1), extend("format" = "uri"))]
    repo_url: String,
    /// The branch with the changes.
    #[schemars(length(min = 1))]
    source_branch: String,
    /// The branch that is to get them.
    #[schemars(length(min = 1))]
    target_branch: String,
    /// Who hosts the repository; otherwise told by its host.
    #[serde(default)]
    #[schemars(with = "Provider")]
    provider: Option<Provider>,
    /// Title; otherwise the first line of the commit's message.
    #[serde(default)]
    #[schemars(with = "String", length(min = 1))]
    title: Option<String>,
    /// Description; otherwise the message of the commit.
    #[serde(default)]
    #[schemars(with = "String", length(min = 1))]
    description: Option<String>,
    /// Labels; at Gitea they must exist, Bitbucket has none.
    #[serde(default)]
    #[schemars(inner(length(min = 1)))]
    labels: Vec<String>,
    /// Accept any certificate of the server.
    #[serde(default, rename = "insecureSkipTLSVerify")]
    insecure_skip_tls_verify: bool,
    /// Has no effect any more: the target branch must exist.
    #[serde(default)]
    #[expect(dead_code, reason = "accepted for the sake of older Stages")]
    create_target_branch: bool,
}

impl Config {
    fn hosted(&self) -> Hosted<'_> {
        Hosted {
            url: &self.repo_url,
            provider: self.provider,
            insecure_skip_tls_verify: self.insecure_skip_tls_verify,
        }
    }

    fn branches(&self) -> Branches {
        Branches { source: self.source_branch.clone(), target: self.target_branch.clone() }
    }
}

impl Step for GitOpenPr {
    const KIND: &'static str = "git-open-pr";
    type Config = Config;
    type Needs = (io_git::Store, pull_request::Needs);

    async fn run(&self, config: Config, needs: Self::Needs, cx: &StepCx<'_>) -> StepResult {
        if let Some(former) = cx.former_output()
            && former.get("pr").is_some_and(|found| found["id"].is_number())
        {
            return Ok(Outcome::done().with_output(former.clone()));
        }
        let (store, (network, credentials, settings)) = needs;
        let hosted = config.hosted();
        let credential = hosted.credential(cx, &credentials).await?;
        let remote = Remote {
            url: config.repo_url.clone(),
            credential: credential.clone(),
            tls: Tls::skip_verify(config.insecure_skip_tls_verify),
        };
        let repository = store.repository(&remote).map_err(unreachable)?;
        if cx.effects.intercepts(|| effect(&config, cx, &repository.address())) {
            let page = json!({ "id": 1, "url": repository.address() });
            return Ok(Outcome::done().with("pr", page));
        }
        let pull_requests =
            hosted.connect(credential.as_ref(), &network, &settings).map_err(errored)?;
        let Proposal { repository, refs, head } = propose(&config, repository).await?;
        let found = pull_requests.find(&config.branches(), &head).await.map_err(errored)?;
        if let Some(found) = found {
            cx.say(format!("pull request {} is there already", found.url));
            if found.state == State::Open {
                pull_requests.label(found.number, &config.labels).await.map_err(errored)?;
            }
            return Ok(opened(&found));
        }
        let target = full_name(&config.target_branch);
        if refs.get(&target).is_none() {
            return Err(missing(&config.target_branch, &repository.address()));
        }
        let source = full_name(&config.source_branch);
        let snapshot = repository.fetch(&refs, &[&source, &target]).await.map_err(unreachable)?;
        let Some(message) = difference(&snapshot, source, target).await.map_err(unreachable)?
        else {
            let Config { source_branch, target_branch, .. } = &config;
            return Ok(Outcome::skipped(format!(
                "branches {source_branch} and {target_branch} do not differ"
            )));
        };
        let new = new_pull_request(&config, cx, &message);
        let found = pull_requests.open(&new).await.map_err(errored)?;
        cx.say(format!("opened {}", found.url));
        Ok(opened(&found))
    }
}

/// The branches as the server has them.
struct Proposal {
    repository: io_git::Repository,
    refs: std::sync::Arc<io_git::Refs>,
    /// The commit that is proposed.
    head: String,
}

async fn propose(config: &Config, repository: io_git::Repository) -> Result<Proposal, StepError> {
    let (source, target) = (full_name(&config.source_branch), full_name(&config.target_branch));
    let refs = repository.list_refs(&[&source, &target]).await.map_err(unreachable)?;
    match refs.get(&source).map(|found| found.id.to_string()) {
        Some(head) => Ok(Proposal { repository, refs, head }),
        None => Err(missing(&config.source_branch, &repository.address())),
    }
}

/// The message of the proposed commit; `None` when both branches hold the same files.
async fn difference(
    snapshot: &Snapshot,
    source: String,
    target: String,
) -> Result<Option<String>, io_git::Error> {
    snapshot
        .read(move |reader| {
            let proposed = reader.commit(reader.tip(&source)?)?;
            let current = reader.commit(reader.tip(&target)?)?;
            Ok((proposed.tree != current.tree).then_some(proposed.message))
        })
        .await
}

fn new_pull_request(config: &Config, cx: &StepCx<'_>, message: &str) -> NewPullRequest {
    let text = text(config.title.as_deref(), config.description.as_deref(), message);
    let footer = footer(&cx.subject.ui_base_url, &cx.subject.project, &cx.subject.stage);
    NewPullRequest {
        branches: config.branches(),
        title: text.title,
        description: text.description + &footer,
        labels: config.labels.clone(),
    }
}

fn opened(found: &PullRequest) -> Outcome {
    Outcome::done().with_output(output(found)).saying(found.url.clone())
}

fn full_name(branch: &str) -> String {
    format!("refs/heads/{branch}")
}

fn unreachable(error: io_git::Error) -> StepError {
    if error.is_temporary() {
        StepError::retryable(error.to_string())
    } else {
        StepError::fatal(error.to_string())
    }
}

fn missing(branch: &str, address: &str) -> StepError {
    StepError::retryable(format!(
        "there is no branch {branch} in {address}: push it before this step"
    ))
}

fn effect(config: &Config, cx: &StepCx<'_>, address: &str) -> Effect {
    Effect {
        step: cx.alias.to_owned(),
        action: "open pull request",
        target: address.to_owned(),
        detail: json!({
            "sourceBranch": config.source_branch,
            "targetBranch": config.target_branch,
            "title": config.title,
            "labels": config.labels,
        }),
    }
}
