//! `git-merge-pr`: merges a pull request, once it can be merged.
//!
//! Each attempt asks for the merge at most once. One that is merged already counts as done, whoever did it.

use std::time::Duration;

use io_scm::{Merge, Provider};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::pull_request::{self, Hosted, failed, poll_interval::PollInterval};
use crate::{Defaults, Effect, Outcome, Step, StepCx, StepError, StepResult};

const POLL_INTERVAL: Duration = Duration::from_secs(10);

/// The step.
pub(crate) struct GitMergePr;

/// Its configuration.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Config {
    /// Address of the repository.
    #[serde(rename = "repoURL")]
    #[schemars(length(min = 1), extend("format" = "uri"))]
    repo_url: String,
    /// Number of the pull request.
    #[schemars(range(min = 1))]
    pr_number: u64,
    /// Who hosts the repository; otherwise told by its host.
    #[serde(default)]
    #[schemars(with = "Provider")]
    provider: Option<Provider>,
    /// Accept any certificate of the server.
    #[serde(default, rename = "insecureSkipTLSVerify")]
    insecure_skip_tls_verify: bool,
    /// Wait until it can be merged instead of failing when it cannot yet.
    #[serde(default)]
    wait: bool,
    /// How long to wait between two attempts; 10s unless said otherwise.
    #[serde(default)]
    #[schemars(with = "PollInterval")]
    poll_interval: Option<PollInterval>,
    /// How to merge, in the words of the provider; otherwise as the provider does by default.
    #[serde(default)]
    #[schemars(with = "String", length(min = 1))]
    merge_method: Option<String>,
}

impl Step for GitMergePr {
    const KIND: &'static str = "git-merge-pr";
    /// One answer of many that went wrong does not end the wait.
    const DEFAULTS: Defaults = Defaults { timeout: None, error_threshold: 5 };
    type Config = Config;
    type Needs = pull_request::Needs;

    async fn run(&self, config: Config, needs: Self::Needs, cx: &StepCx<'_>) -> StepResult {
        if cx.effects.intercepts(|| effect(&config, cx)) {
            let commit = cx.effects.pushed_commit().unwrap_or_default();
            return Ok(Outcome::done().with("commit", commit));
        }
        let (network, credentials, settings) = needs;
        let hosted = Hosted {
            url: &config.repo_url,
            provider: config.provider,
            insecure_skip_tls_verify: config.insecure_skip_tls_verify,
        };
        let credential = hosted.credential(cx, &credentials).await?;
        let pull_requests =
            hosted.connect(credential.as_ref(), &network, &settings).map_err(failed)?;
        let method = config.merge_method.as_deref();
        match pull_requests.merge(config.pr_number, method).await.map_err(failed)? {
            Merge::Done(merged) => {
                let commit = merged.merge_commit.unwrap_or_default();
                Ok(Outcome::done().with("commit", commit))
            }
            Merge::NotReady(reason) if config.wait => {
                let interval = config.poll_interval.map_or(POLL_INTERVAL, |given| given.0);
                let number = config.pr_number;
                Ok(Outcome::running(Some(interval))
                    .saying(format!("pull request {number} cannot be merged yet: {reason}")))
            }
            Merge::NotReady(reason) => Err(StepError::failed(format!(
                "pull request {} cannot be merged: {reason}; set wait to true to wait for it",
                config.pr_number
            ))),
        }
    }
}

fn effect(config: &Config, cx: &StepCx<'_>) -> Effect {
    Effect {
        step: cx.alias.to_owned(),
        action: "merge pull request",
        target: config.repo_url.clone(),
        detail: json!({ "prNumber": config.pr_number, "mergeMethod": config.merge_method }),
    }
}
