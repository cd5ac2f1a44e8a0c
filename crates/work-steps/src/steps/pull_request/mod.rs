//! What the steps for pull requests have in common: the way to the repository's host, and what its errors mean.

pub(crate) mod poll_interval;
pub(crate) mod text;

use std::sync::Arc;

use core_rules::credential::{Credential, Secret};
use io_creds::Kind;
use io_scm::{Access, Provider, PullRequest, PullRequests, State};
use serde_json::{Map, Value, json};

use crate::{Credentials, Network, Settings, StepCx, StepError};

/// What the steps need to speak to a repository's host.
pub(crate) type Needs = (Network, Credentials, Arc<Settings>);

/// The repository, as a step's configuration names it.
pub(crate) struct Hosted<'a> {
    pub(crate) url: &'a str,
    pub(crate) provider: Option<Provider>,
    pub(crate) insecure_skip_tls_verify: bool,
}

impl Hosted<'_> {
    /// Its credential.
    pub(crate) async fn credential(
        &self,
        cx: &StepCx<'_>,
        credentials: &Credentials,
    ) -> Result<Option<Credential>, StepError> {
        credentials.find(cx, Kind::Git, self.url).await
    }

    /// Its pull requests.
    pub(crate) fn connect(
        &self,
        credential: Option<&Credential>,
        network: &Network,
        settings: &Settings,
    ) -> Result<PullRequests, io_scm::Error> {
        PullRequests::connect(Access {
            settings: &settings.scm,
            outbound: &network.outbound,
            clock: network.clock.clone(),
            url: self.url,
            provider: self.provider,
            token: credential.and_then(token),
            insecure_skip_tls_verify: self.insecure_skip_tls_verify,
        })
    }
}

/// Hosts take the password of a repository as the token of their API.
pub(crate) fn token(credential: &Credential) -> Option<Secret> {
    match credential {
        Credential::Basic { password, .. } if !password.is_empty() => Some(password.clone()),
        _ => None,
    }
}

/// An error of the host for which the step is `Errored`, for good if no attempt will help.
pub(crate) fn errored(error: io_scm::Error) -> StepError {
    classified(error, StepError::fatal)
}

/// An error of the host for which the step is `Failed` if no attempt will help.
pub(crate) fn failed(error: io_scm::Error) -> StepError {
    classified(error, StepError::failed)
}

fn classified(error: io_scm::Error, for_good: fn(String) -> StepError) -> StepError {
    if !error.is_temporary() {
        return for_good(error.to_string());
    }
    let again = StepError::retryable(error.to_string());
    match error.retry_after() {
        Some(after) => again.not_before(after),
        None => again,
    }
}

/// What later steps and webhooks know a pull request by.
pub(crate) fn output(found: &PullRequest) -> Map<String, Value> {
    Map::from_iter([("pr".to_owned(), json!({ "id": found.number, "url": found.url }))])
}

/// The same, with what became of it.
pub(crate) fn output_with_state(found: &PullRequest) -> Map<String, Value> {
    let pull_request = json!({
        "id": found.number,
        "url": found.url,
        "open": found.state == State::Open,
        "merged": found.state == State::Merged,
    });
    let mut output = Map::from_iter([("pr".to_owned(), pull_request)]);
    if let Some(commit) = &found.merge_commit {
        output.insert("commit".to_owned(), commit.clone().into());
    }
    output
}
