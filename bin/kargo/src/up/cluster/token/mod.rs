//! The token that a component shows to the API server: its own, and renewed long before it ends.
//!
//! It is renewed when a request needs it, so that a machine that was asleep asks for a new one first. While a renewal is
//! under way other requests use the old token; when the API server no longer takes one, it is replaced at once and the
//! request is sent again.

use std::{sync::Arc, time::Duration};

use core_clock::{Clock, Time};
use http::{HeaderValue, Request, Response, StatusCode, header::AUTHORIZATION};
use io_kube::UserAgent;
use k8s_openapi::api::{
    authentication::v1::{TokenRequest, TokenRequestSpec},
    core::v1::ServiceAccount,
};
use kube::{Api, Client, api::PostParams, client::Body};
use parking_lot::Mutex;
use tower::Layer;

/// API servers give no token a shorter life.
const SHORTEST_LIFE: Duration = Duration::from_mins(10);
/// When a renewal failed, the next one waits this long; the old token serves meanwhile.
const RETRY: Duration = Duration::from_secs(10);
/// A renewal that takes longer has failed: whoever waits for it would wait for ever on a dead connection.
const DEADLINE: Duration = Duration::from_secs(10);
/// A token that is younger and refused is not replaced: another one would not fare better.
const YOUNG: Duration = Duration::from_secs(1);

/// A token and when it is to be replaced.
#[derive(Clone, Debug)]
struct Token {
    header: HeaderValue,
    issued_at: Time,
    renew_at: Time,
    expires_at: Time,
}

/// Why there is no token.
#[derive(Debug, thiserror::Error)]
pub(super) enum TokenError {
    /// The API server gives none.
    #[error("no token for ServiceAccount {account:?}")]
    Refused {
        account: String,
        #[source]
        source: kube::Error,
    },
    /// The API server does not answer.
    #[error("no token for ServiceAccount {account:?}: no answer in time")]
    Late { account: String },
    /// What the API server gave is none.
    #[error("the token for ServiceAccount {account:?} cannot be used")]
    Unusable { account: String },
}

/// The tokens of one ServiceAccount.
pub(super) struct TokenSource {
    accounts: Api<ServiceAccount>,
    account: String,
    renewal: Duration,
    clock: Arc<dyn Clock>,
    held: Mutex<Option<Arc<Token>>>,
    /// Whoever has it asks for a new token.
    turn: tokio::sync::Mutex<()>,
}

impl TokenSource {
    /// Tokens that are replaced after `renewal`, asked for with the rights of `accounts`.
    pub(super) fn new(
        accounts: Api<ServiceAccount>,
        account: &str,
        renewal: Duration,
        clock: Arc<dyn Clock>,
    ) -> Self {
        Self {
            accounts,
            account: account.to_owned(),
            renewal,
            clock,
            held: Mutex::default(),
            turn: tokio::sync::Mutex::default(),
        }
    }

    /// A token that can be used now.
    async fn token(&self) -> Result<Arc<Token>, TokenError> {
        let (now, held) = (self.clock.now(), self.held.lock().clone());
        let usable = held.clone().filter(|token| now < token.expires_at);
        let _turn = match usable {
            Some(token) if now < token.renew_at => return Ok(token),
            Some(token) => match self.turn.try_lock() {
                Ok(turn) => turn,
                Err(_) => return Ok(token),
            },
            None => self.turn.lock().await,
        };
        self.next_after(held).await
    }

    /// Another token than `refused`, unless that is so young that another would not help.
    async fn replace(&self, refused: Arc<Token>) -> Option<Arc<Token>> {
        if self.clock.now() < refused.issued_at + YOUNG {
            return None;
        }
        let _turn = self.turn.lock().await;
        self.forget(&refused);
        self.next_after(Some(refused)).await.ok()
    }

    fn forget(&self, refused: &Token) {
        let mut held = self.held.lock();
        if held.as_ref().is_some_and(|held| held.header == refused.header) {
            *held = None;
        }
    }

    /// The token after `old`, which somebody else may have got while we waited for our turn.
    async fn next_after(&self, old: Option<Arc<Token>>) -> Result<Arc<Token>, TokenError> {
        let held = self.held.lock().clone();
        match (held, old) {
            (Some(held), Some(old)) if !Arc::ptr_eq(&held, &old) => return Ok(held),
            (Some(held), None) => return Ok(held),
            _ => {}
        }
        let next = match self.request().await {
            Ok(next) => next,
            Err(error) => self.postpone(error)?,
        };
        let next = Arc::new(next);
        *self.held.lock() = Some(next.clone());
        Ok(next)
    }

    /// The held token for a while longer, if it still is good for that.
    fn postpone(&self, error: TokenError) -> Result<Token, TokenError> {
        let now = self.clock.now();
        tracing::warn!(account = self.account, error = %chain(&error), "token not renewed");
        match self.held.lock().as_deref() {
            Some(held) if now < held.expires_at => {
                Ok(Token { renew_at: now + RETRY, ..held.clone() })
            }
            _ => Err(error),
        }
    }

    async fn request(&self) -> Result<Token, TokenError> {
        let now = self.clock.now();
        let life = (self.renewal * 4 / 3).max(SHORTEST_LIFE);
        let request = TokenRequest {
            spec: Some(TokenRequestSpec {
                expiration_seconds: i64::try_from(life.as_secs()).ok(),
                ..TokenRequestSpec::default()
            }),
            ..TokenRequest::default()
        };
        let account = self.account.clone();
        let parameters = PostParams::default();
        let given = tokio::select! {
            given = self.accounts.create_token_request(&account, &parameters, &request) => given,
            () = self.clock.sleep(DEADLINE) => return Err(TokenError::Late { account }),
        };
        let given = given
            .map_err(|source| TokenError::Refused { account: self.account.clone(), source })?;
        let unusable = || TokenError::Unusable { account: self.account.clone() };
        let status = given.status.ok_or_else(unusable)?;
        let token = status.token.ok_or_else(unusable)?;
        let mut header =
            HeaderValue::try_from(format!("Bearer {token}")).map_err(|_| unusable())?;
        header.set_sensitive(true);
        // The API server may give less than was asked for.
        let ends = status.expiration_timestamp.map(|at| Time::from_seconds(at.0.as_second()));
        let given = ends.map(|ends| ends.since(now)).filter(|given| !given.is_zero());
        let life = given.map_or(life, |given| given.min(life));
        tracing::debug!(account = self.account, "token renewed");
        Ok(Token {
            header,
            issued_at: now,
            renew_at: now + self.renewal.min(life * 3 / 4),
            expires_at: now + life,
        })
    }

    async fn send(
        &self,
        client: &Client,
        request: Request<Body>,
    ) -> Result<Response<Body>, kube::Error> {
        let token = self.token().await.map_err(|error| kube::Error::Service(error.into()))?;
        let again = copy(&request);
        let response = client.send(with_token(request, &token)).await?;
        let Some(again) = again.filter(|_| response.status() == StatusCode::UNAUTHORIZED) else {
            return Ok(response);
        };
        match self.replace(token).await {
            Some(fresh) => client.send(with_token(again, &fresh)).await,
            None => Ok(response),
        }
    }
}

/// A client that sends the tokens of `source`, and says that `agent` makes its requests.
pub(super) fn authorized(anonymous: Client, source: Arc<TokenSource>, agent: &UserAgent) -> Client {
    let namespace = anonymous.default_namespace().to_owned();
    let service = tower::service_fn(move |request| {
        let (client, source) = (anonymous.clone(), source.clone());
        async move { source.send(&client, request).await }
    });
    Client::new(agent.layer(service), namespace)
}

fn with_token(mut request: Request<Body>, token: &Token) -> Request<Body> {
    request.headers_mut().insert(AUTHORIZATION, token.header.clone());
    request
}

/// The same request once more, where its body is at hand as a whole.
fn copy(request: &Request<Body>) -> Option<Request<Body>> {
    let mut copy = Request::new(request.body().try_clone()?);
    *copy.method_mut() = request.method().clone();
    *copy.uri_mut() = request.uri().clone();
    *copy.headers_mut() = request.headers().clone();
    *copy.extensions_mut() = request.extensions().clone();
    Some(copy)
}

fn chain(error: &TokenError) -> String {
    match error {
        TokenError::Refused { source, .. } => {
            format!("{error}: {}", super::failure::explain(source))
        }
        TokenError::Late { .. } | TokenError::Unusable { .. } => error.to_string(),
    }
}

#[cfg(test)]
mod tests;
