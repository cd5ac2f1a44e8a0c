//! What is known about logging in to one repository with one credential.
//!
//! Nothing is asked beforehand: the first request goes out bare and its 401 says what is wanted. From
//! then on the answer is remembered, and a token is shared until it expires; while one caller fetches
//! it, the others wait for it instead of fetching their own.

use core_rules::credential::{Credential, Secret};
use io_http::outbound::Request;
use tokio::sync::Mutex;

use super::{
    challenge::Challenge,
    realm,
    token::{Token, TokenSource, name_and_password},
};
use crate::{Error, line::Line, scheme::Scheme};

const MAX_SCOPES: usize = 8;

/// The log-in of one repository and credential.
pub(crate) struct Login {
    host: String,
    scopes: Vec<String>,
    credential: Option<Credential>,
    state: Mutex<State>,
}

struct State {
    /// Counts what was learnt, so that a late 401 does not undo what an earlier one brought.
    generation: u64,
    method: Method,
}

enum Method {
    /// Nothing is asked for, as far as known.
    Open,
    Basic,
    Bearer {
        source: TokenSource,
        token: Option<Token>,
    },
}

/// What goes into a request, and which knowledge it stands for.
pub(crate) struct Authorization {
    header: Header,
    generation: u64,
}

enum Header {
    None,
    Basic,
    Bearer(Secret),
}

impl Login {
    /// A log-in whose tokens are good for `scopes`, such as `repository:team/app:pull`.
    pub(crate) fn new(host: &str, scopes: Vec<String>, credential: Option<Credential>) -> Self {
        let state = State { generation: 0, method: Method::Open };
        Self { host: host.to_owned(), scopes, credential, state: Mutex::new(state) }
    }

    pub(crate) fn credential(&self) -> Option<&Credential> {
        self.credential.as_ref()
    }

    /// What the next request should carry; fetches a token when there is none that holds.
    pub(crate) async fn authorization(&self, line: &Line) -> Result<Authorization, Error> {
        let mut state = self.state.lock().await;
        let generation = state.generation;
        let header = match &mut state.method {
            Method::Open => Header::None,
            Method::Basic => Header::Basic,
            Method::Bearer { source, token } => {
                let held = token.as_ref().filter(|token| token.until > line.now());
                let value = if let Some(token) = held {
                    token.value.clone()
                } else {
                    let fetched = source.fetch(line, self.credential.as_ref()).await?;
                    token.insert(fetched).value.clone()
                };
                Header::Bearer(value)
            }
        };
        Ok(Authorization { header, generation })
    }

    /// Puts the authorization into a request to the registry.
    pub(crate) fn sign(
        &self,
        request: Request,
        authorization: &Authorization,
    ) -> Result<Request, Error> {
        let login = self.credential.as_ref().and_then(name_and_password);
        Ok(match (&authorization.header, login) {
            (Header::Basic, Some((name, password))) => request.basic(name, password)?,
            (Header::Bearer(token), _) => request.bearer(token.expose())?,
            _ => request,
        })
    }

    /// Learns from a 401. `Ok(false)` when there is nothing more to try.
    pub(crate) async fn challenged(
        &self,
        used: &Authorization,
        challenges: &[Challenge],
        scheme: Scheme,
    ) -> Result<bool, Error> {
        let mut state = self.state.lock().await;
        if state.generation != used.generation {
            return Ok(true);
        }
        let supported =
            challenges.iter().find(|offer| matches!(&*offer.scheme, "basic" | "bearer"));
        let Some(challenge) = supported else {
            return Err(Error::Challenge { host: self.host.clone() });
        };
        let method = match (&*challenge.scheme, &used.header) {
            ("basic", Header::None) if self.has_password() => Method::Basic,
            ("basic", _) => return Ok(false),
            _ => Method::Bearer { source: self.source(challenge, scheme)?, token: None },
        };
        state.method = method;
        state.generation += 1;
        Ok(true)
    }

    /// Whether a credential was given that can log in to a registry.
    pub(crate) fn has_password(&self) -> bool {
        self.credential.as_ref().and_then(name_and_password).is_some()
    }

    fn source(&self, challenge: &Challenge, scheme: Scheme) -> Result<TokenSource, Error> {
        let realm = challenge.parameter("realm").unwrap_or_default();
        let mut scopes = self.scopes.clone();
        let asked = challenge.parameter("scope").unwrap_or_default().split_ascii_whitespace();
        for scope in asked.take(MAX_SCOPES) {
            // A registry's ping asks for its catalogue; only the repository is of use here.
            if scope.starts_with("repository:") && !scopes.iter().any(|known| known == scope) {
                scopes.push(scope.to_owned());
            }
        }
        Ok(TokenSource {
            realm: realm::check(realm, &self.host, scheme)?,
            service: challenge.parameter("service").map(str::to_owned),
            scopes,
        })
    }
}
