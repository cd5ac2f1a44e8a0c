//! Tokens that only Kubernetes can judge: of ServiceAccounts, of kubeconfigs, API tokens of roles.

use std::time::Duration;

use io_kube::{Ports, Subject};
use k8s_openapi::api::authentication::v1::{TokenReview, TokenReviewSpec};
use kube::{Api, Client, api::PostParams};
use ring::digest;

use crate::expiring::Expiring;

/// How long an answer counts. Whoever takes a token back waits for no longer than this.
const KNOWN: Duration = Duration::from_secs(10);
const DEADLINE: Duration = Duration::from_secs(10);
const MAX_KNOWN: usize = 10_000;

/// Asks Kubernetes who a token is, and remembers for a moment. Tokens themselves are not kept.
pub(crate) struct TokenReviews {
    client: Client,
    ports: Ports,
    known: Expiring<[u8; 32], Subject>,
}

/// Why nobody can say.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ReviewError {
    #[error("the token was refused: {0}")]
    Refused(String),
    #[error("the token cannot be reviewed: {0}")]
    Failed(String),
}

impl TokenReviews {
    pub(crate) fn new(client: Client, ports: Ports) -> Self {
        let known = Expiring::new(MAX_KNOWN);
        Self { client, ports, known }
    }

    /// Who the token is.
    pub(crate) async fn review(&self, token: &str) -> Result<Subject, ReviewError> {
        let key = fingerprint(token);
        let now = self.ports.clock.monotonic();
        if let Some(subject) = self.known.get(&key, now) {
            return Ok(subject);
        }
        let asked = self.ports.within(DEADLINE, self.ask(token)).await;
        let subject = asked.unwrap_or_else(|| Err(ReviewError::Failed("no reply".to_owned())))?;
        self.known.put(key, subject.clone(), now + KNOWN);
        Ok(subject)
    }

    async fn ask(&self, token: &str) -> Result<Subject, ReviewError> {
        let review = TokenReview {
            spec: TokenReviewSpec { token: token.to_owned(), ..TokenReviewSpec::default() },
            ..TokenReview::default()
        };
        let reviews: Api<TokenReview> = Api::all(self.client.clone());
        let reviewed = reviews
            .create(&PostParams::default(), &review)
            .await
            .map_err(|error| ReviewError::Failed(error.to_string()))?;
        let status = reviewed.status.unwrap_or_default();
        if let Some(error) = status.error.filter(|error| !error.is_empty()) {
            return Err(ReviewError::Refused(error));
        }
        if status.authenticated != Some(true) {
            return Err(ReviewError::Refused("not authenticated".to_owned()));
        }
        let user = status.user.unwrap_or_default();
        Ok(Subject {
            user: user.username.unwrap_or_default(),
            uid: user.uid.unwrap_or_default(),
            groups: user.groups.unwrap_or_default(),
            extra: user.extra.unwrap_or_default(),
        })
    }
}

fn fingerprint(token: &str) -> [u8; 32] {
    let digest = digest::digest(&digest::SHA256, token.as_bytes());
    let mut key = [0; 32];
    key.iter_mut().zip(digest.as_ref()).for_each(|(to, from)| *to = *from);
    key
}
