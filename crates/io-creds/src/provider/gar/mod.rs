//! Registries of Google Cloud: an access token is the password.

mod service_account_key;
mod workload_identity;

use std::time::Duration;

use core_clock::Time;
use core_rules::credential::{Credential, Secret};
use serde::Deserialize;

pub(crate) use self::{
    service_account_key::ServiceAccountKey, workload_identity::WorkloadIdentity,
};
use super::Request;
use crate::{Kind, tokens::Terms};

/// The service says when a token expires; the default is for when it does not.
const TERMS: Terms = Terms { ttl: Duration::from_mins(40), load_timeout: Duration::from_secs(30) };

/// An access token with its time to live, as Google's token services answer.
#[derive(Deserialize)]
struct AccessToken {
    access_token: String,
    expires_in: Option<u32>,
}

impl AccessToken {
    fn expires(&self, now: Time) -> Option<Time> {
        self.expires_in.map(|seconds| now + Duration::from_secs(seconds.into()))
    }
}

/// Whether a repository is in Artifact Registry or in its predecessor.
fn is_google(request: Request<'_>) -> bool {
    let Some((host, _)) = request.address.normalized.split_once('/') else { return false };
    let is_artifact_registry =
        host.strip_suffix("-docker.pkg.dev").is_some_and(|location| !location.is_empty());
    let is_container_registry = host == "gcr.io"
        || host.strip_suffix(".gcr.io").is_some_and(|location| !location.is_empty());
    request.address.kind != Kind::Git && (is_artifact_registry || is_container_registry)
}

fn login(token: &Secret) -> Credential {
    Credential::Basic { username: "oauth2accesstoken".into(), password: token.clone() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matching::Address;

    #[test]
    fn registries_of_google_are_told_by_their_host() {
        let table = [
            ("us-central1-docker.pkg.dev/p/r/i", true),
            ("europe-docker.pkg.dev/p", true),
            ("gcr.io/p/i", true),
            ("eu.gcr.io/p/i", true),
            ("-docker.pkg.dev/p", false),
            ("notgcr.io/p", false),
            ("gcr.io.evil.example/p", false),
            ("us-docker.pkg.dev.evil.example/p", false),
            ("evil.example/us-docker.pkg.dev/p", false),
            ("gcr.io", false),
        ];
        for (repository, expected) in table {
            for (kind, expected) in [(Kind::Image, expected), (Kind::Git, false)] {
                let address = Address { kind, raw: String::new(), normalized: repository.into() };
                let request = Request { project: "p", address: &address };
                assert_eq!(is_google(request), expected, "{kind} {repository}");
            }
        }
    }
}
