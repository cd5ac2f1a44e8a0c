//! GitHub's side: who a repository belongs to, and tokens for it.

use std::time::Duration;

use core_clock::{Clock, Time};
use core_rules::credential::{Credential, Secret};
use http::{HeaderValue, header};
use io_http::outbound::{Error, Request};
use serde::Deserialize;
use serde_json::json;

use crate::{
    provider::{
        ProviderError,
        call::Caller,
        jwt::{KeyError, SigningKey},
    },
    tokens::{Keep, Loaded},
};

const SERVICE: &str = "GitHub";
const USERNAME: &str = "kargo";
/// How far GitHub's clock may be behind ours.
const SKEW: Duration = Duration::from_mins(1);
/// How long a statement of the App may be used.
const STATEMENT: Duration = Duration::from_mins(9);

/// A fresh token is tried until it works, because GitHub's parts do not all know it at once: this
/// long between one try and the next.
const PAUSES: [Duration; 3] =
    [Duration::from_secs(3), Duration::from_secs(10), Duration::from_secs(30)];
/// How long one try may take.
const TRY: Duration = Duration::from_secs(10);

/// A repository by the normal form of its address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Repository {
    api: String,
    owners: String,
    name: String,
}

impl Repository {
    /// Reads `https://host/owner/name`; `None` for other protocols and shorter paths.
    pub(super) fn of(url: &str) -> Option<Self> {
        let (scheme, rest) = url.split_once("://")?;
        let (host, path) = rest.split_once('/')?;
        let (owners, name) = path.rsplit_once('/')?;
        let is_web = matches!(scheme, "http" | "https");
        if !is_web || [host, owners, name].contains(&"") {
            return None;
        }
        let api = match (scheme, host) {
            ("https", "github.com") => "https://api.github.com".to_owned(),
            _ => format!("{scheme}://{host}/api/v3"),
        };
        Some(Self { api, owners: owners.to_owned(), name: name.to_owned() })
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// `owner/name`.
    pub(super) fn full_name(&self) -> String {
        format!("{}/{}", self.owners, self.name)
    }
}

/// An App where somebody installed it.
pub(super) struct Installation {
    pub(super) app: String,
    pub(super) id: i64,
    pub(super) key: SigningKey,
}

#[derive(Deserialize)]
struct Token {
    token: String,
    expires_at: Option<String>,
}

impl Installation {
    /// A token for one repository, tried out.
    pub(super) async fn token(
        &self,
        caller: &Caller,
        clock: &dyn Clock,
        repository: &Repository,
    ) -> Result<Loaded<Option<Credential>>, ProviderError> {
        let statement = self
            .statement(clock.now())
            .map_err(|error| ProviderError::value("githubAppPrivateKey", error.to_string()))?;
        let url = format!("{}/app/installations/{}/access_tokens", repository.api, self.id);
        let body = json!({"repositories": [repository.name]}).to_string();
        let request = Request::post(&url, "application/json", body)
            .and_then(|request| authorized(request, &statement));
        let token: Token = caller.ask(SERVICE, request).await?.json()?;
        let expiry = token.expires_at.and_then(|text| text.parse().ok());
        let token = Secret::new(token.token);
        try_out(caller, clock, repository, &token).await;
        let value = Credential::Basic { username: USERNAME.into(), password: token };
        let keep = expiry.map_or(Keep::Default, Keep::Until);
        Ok(Loaded { value: Some(value), keep })
    }

    fn statement(&self, now: Time) -> Result<Secret, KeyError> {
        let claims = json!({
            "iss": self.app,
            "iat": (now - SKEW).as_seconds(),
            "exp": (now + STATEMENT).as_seconds(),
        });
        self.key.sign(&claims, None)
    }
}

/// Waits until a fresh token works. One that never does is used all the same: what it is used for
/// will say better what is wrong.
async fn try_out(caller: &Caller, clock: &dyn Clock, repository: &Repository, token: &Secret) {
    if repository.owners.contains('/') {
        // Not a repository that the API could be asked about.
        return;
    }
    let mut pauses = PAUSES.into_iter();
    while !works(caller, clock, repository, token).await {
        let Some(pause) = pauses.next() else {
            tracing::warn!(
                repository = repository.full_name(),
                "a fresh GitHub token does not work yet; using it"
            );
            return;
        };
        clock.sleep(pause).await;
    }
}

async fn works(
    caller: &Caller,
    clock: &dyn Clock,
    repository: &Repository,
    token: &Secret,
) -> bool {
    let url = format!("{}/repos/{}", repository.api, repository.full_name());
    let request = Request::get(&url).and_then(|request| authorized(request, token));
    tokio::select! {
        reply = caller.ask(SERVICE, request) => {
            reply.is_ok_and(|reply| !matches!(reply.status.as_u16(), 401 | 403 | 404))
        }
        () = clock.sleep(TRY) => false,
    }
}

fn authorized(request: Request, token: &Secret) -> Result<Request, Error> {
    let accept = HeaderValue::from_static("application/vnd.github+json");
    request.header(header::ACCEPT, accept).bearer(token.expose())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_repository_is_known_by_owner_and_name_and_has_an_api() {
        let table = [
            ("https://github.com/org/app", "https://api.github.com", "org/app"),
            ("http://github.com/org/app", "http://github.com/api/v3", "org/app"),
            ("https://ghe.example:8443/org/app", "https://ghe.example:8443/api/v3", "org/app"),
            ("https://ghe.example/a/b/c", "https://ghe.example/api/v3", "a/b/c"),
        ];
        for (url, api, full_name) in table {
            let repository = Repository::of(url).unwrap();
            assert_eq!(
                (repository.api.as_str(), repository.full_name().as_str()),
                (api, full_name)
            );
        }
        for url in [
            "ssh://git@github.com/org/app",
            "https://github.com/app",
            "https://github.com",
            "org/app",
            "",
        ] {
            assert_eq!(Repository::of(url), None, "{url}");
        }
    }
}
