//! `git-wait-for-pr`: waits until a pull request is decided.
//!
//! The address in the output is what a webhook of the host names it by, so that the wait ends as soon as it is merged.

use std::time::Duration;

use io_scm::{Provider, State};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::pull_request::{self, Hosted, errored, output_with_state, poll_interval::PollInterval};
use crate::{Defaults, Effect, Outcome, Step, StepCx, StepError, StepResult};

const POLL_INTERVAL: Duration = Duration::from_secs(30);

/// The step.
pub(crate) struct GitWaitForPr;

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
    /// How long to wait between two looks; 30s unless said otherwise.
    #[serde(default)]
    #[schemars(with = "PollInterval")]
    poll_interval: Option<PollInterval>,
}

impl Step for GitWaitForPr {
    const KIND: &'static str = "git-wait-for-pr";
    /// One answer of many that went wrong does not end the wait.
    const DEFAULTS: Defaults = Defaults { timeout: None, error_threshold: 5 };
    type Config = Config;
    type Needs = pull_request::Needs;

    async fn run(&self, config: Config, needs: Self::Needs, cx: &StepCx<'_>) -> StepResult {
        if cx.effects.intercepts(|| effect(&config, cx)) {
            let id = config.pr_number;
            let decided = json!({ "id": id, "url": "", "open": false, "merged": true });
            let commit = cx.effects.pushed_commit().unwrap_or_default();
            return Ok(Outcome::done().with("pr", decided).with("commit", commit));
        }
        let (network, credentials, settings) = needs;
        let hosted = Hosted {
            url: &config.repo_url,
            provider: config.provider,
            insecure_skip_tls_verify: config.insecure_skip_tls_verify,
        };
        let credential = hosted.credential(cx, &credentials).await?;
        let pull_requests =
            hosted.connect(credential.as_ref(), &network, &settings).map_err(errored)?;
        let found = pull_requests.get(config.pr_number).await.map_err(errored)?;
        let output = output_with_state(&found);
        match found.state {
            State::Open => {
                let interval = config.poll_interval.map_or(POLL_INTERVAL, |given| given.0);
                let waiting = Outcome::running(Some(interval)).with_output(output);
                Ok(waiting.saying(format!("waiting for {} to be merged", found.url)))
            }
            State::Merged => Ok(Outcome::done().with_output(output)),
            State::Closed => Err(StepError::failed(format!(
                "pull request {} was closed without being merged",
                found.url
            ))
            .with_output(output)),
        }
    }
}

fn effect(config: &Config, cx: &StepCx<'_>) -> Effect {
    Effect {
        step: cx.alias.to_owned(),
        action: "wait for pull request",
        target: config.repo_url.clone(),
        detail: json!({ "prNumber": config.pr_number }),
    }
}
