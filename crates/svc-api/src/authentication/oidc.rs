//! Tokens of an identity provider, checked with the keys that it publishes.
//!
//! Keys are fetched when they are first needed, again when a token names one that is not known, and
//! now and then; one fetch at a time, and never more often than the pauses below allow. A provider
//! that does not answer leaves the keys in force that are known.

use std::{sync::Arc, time::Duration};

use core_clock::Time;
use io_http::outbound::{self, Client, Request, Url};
use io_kube::Ports;
use parking_lot::RwLock;
use serde::Deserialize;
use serde_json::{Map, Value};
use tokio::sync::Mutex;

use super::{
    jws::{self, Leeway, TokenError, Unverified},
    key_set::KeySet,
};
use crate::settings::OidcSettings;

const LEEWAY: Leeway = Leeway { before: 300, after: 0 };
/// The most bytes of what a provider publishes.
const MAX_DOCUMENT: u64 = 1024 * 1024;
const DEADLINE: Duration = Duration::from_secs(10);
/// Keys older than this are fetched again, so that one that was taken back stops working.
const MAX_AGE: Duration = Duration::from_mins(30);
/// Between two fetches: tokens with made-up keys must not make us a nuisance.
const PAUSE: Duration = Duration::from_secs(10);

/// The provider and what it published last.
pub(crate) struct Provider {
    settings: OidcSettings,
    client: Client,
    ports: Ports,
    known: RwLock<Option<Known>>,
    /// When keys were last asked for; held while they are.
    asked: Mutex<Option<Duration>>,
}

#[derive(Clone)]
struct Known {
    keys: Arc<KeySet>,
    fetched: Duration,
}

/// Why keys cannot be had.
#[derive(Debug, thiserror::Error)]
pub(crate) enum FetchError {
    #[error("the address of the identity provider cannot be used")]
    Address,
    #[error(transparent)]
    Http(#[from] outbound::Error),
    #[error("the identity provider answers with status {0}")]
    Status(u16),
    #[error("the identity provider publishes no JSON: {0}")]
    Json(#[from] serde_json::Error),
    #[error("the identity provider says that it is {0:?}")]
    Issuer(String),
}

/// Why a token is not taken: for a fault of its own, or because nobody can tell.
#[derive(Debug, thiserror::Error)]
pub(crate) enum VerifyError {
    #[error(transparent)]
    Token(#[from] TokenError),
    #[error("keys of the identity provider: {0}")]
    Keys(#[from] FetchError),
}

/// What a provider says about itself, as far as we need it.
#[derive(Deserialize)]
struct Discovery {
    #[serde(default)]
    issuer: String,
    jwks_uri: String,
    #[serde(default)]
    id_token_signing_alg_values_supported: Vec<String>,
}

/// Who a token is about.
pub(crate) struct Verified {
    pub(crate) claims: Map<String, Value>,
    pub(crate) username: String,
    pub(crate) expires: Time,
}

impl Provider {
    pub(crate) fn new(settings: OidcSettings, client: Client, ports: Ports) -> Self {
        Self { settings, client, ports, known: RwLock::default(), asked: Mutex::default() }
    }

    pub(crate) fn settings(&self) -> &OidcSettings {
        &self.settings
    }

    /// Whether a token says that it is from this provider.
    pub(crate) fn claims(&self, token: &Unverified<'_>) -> bool {
        token.issuer == self.settings.issuer_url
    }

    /// Who the token is about.
    pub(crate) async fn verify(&self, token: Unverified<'_>) -> Result<Verified, VerifyError> {
        let keys = self.keys_for(token.key_id.as_deref()).await?;
        keys.verify(&token)?;
        let claims = token.into_claims();
        let expires =
            jws::check(&claims, self.settings.audiences(), self.ports.clock.now(), LEEWAY)?;
        if claims.get("sub").and_then(Value::as_str).is_none_or(str::is_empty) {
            return Err(TokenError::Subject.into());
        }
        let username = match claims.get(&self.settings.username_claim) {
            None | Some(Value::Null) => String::new(),
            Some(Value::String(name)) => name.clone(),
            Some(_) => return Err(TokenError::Username.into()),
        };
        Ok(Verified { claims, username, expires })
    }

    /// The keys in force, fetched if this one is not among them.
    async fn keys_for(&self, key_id: Option<&str>) -> Result<Arc<KeySet>, FetchError> {
        if let Some(keys) = self.fresh(key_id) {
            return Ok(keys);
        }
        let mut asked = self.asked.lock().await;
        // Somebody else may have fetched them meanwhile.
        if let Some(keys) = self.fresh(key_id) {
            return Ok(keys);
        }
        let now = self.ports.clock.monotonic();
        let known = self.known.read().clone();
        let is_early = asked.is_some_and(|last| now.saturating_sub(last) < PAUSE);
        match known {
            Some(known) if is_early => return Ok(known.keys),
            _ => *asked = Some(now),
        }
        match self.fetch().await {
            Ok(keys) => {
                let keys = Arc::new(keys);
                *self.known.write() = Some(Known { keys: keys.clone(), fetched: now });
                Ok(keys)
            }
            Err(error) => {
                tracing::warn!(%error, "keys of the identity provider not fetched");
                known.map(|known| known.keys).ok_or(error)
            }
        }
    }

    fn fresh(&self, key_id: Option<&str>) -> Option<Arc<KeySet>> {
        let known = self.known.read().clone()?;
        let age = self.ports.clock.monotonic().saturating_sub(known.fetched);
        (age < MAX_AGE && known.keys.knows(key_id)).then_some(known.keys)
    }

    async fn fetch(&self) -> Result<KeySet, FetchError> {
        let issuer = self.settings.issuer_url.trim_end_matches('/');
        let base = self.inside(issuer)?;
        let document = self.get(&format!("{base}/.well-known/openid-configuration")).await?;
        let discovery: Discovery = serde_json::from_slice(&document)?;
        if discovery.issuer.trim_end_matches('/') != issuer {
            return Err(FetchError::Issuer(discovery.issuer.chars().take(200).collect()));
        }
        let address = discovery.jwks_uri.replacen(issuer, &base, 1);
        let keys = self.get(&address).await?;
        Ok(KeySet::parse(&keys, &discovery.id_token_signing_alg_values_supported)?)
    }

    /// Where the issuer is reached from here: Dex has another address inside the cluster.
    fn inside(&self, issuer: &str) -> Result<String, FetchError> {
        let Some(dex) = &self.settings.dex else { return Ok(issuer.to_owned()) };
        let url = Url::parse(issuer).map_err(|_| FetchError::Address)?;
        Ok(format!("{}{}", dex.address.trim_end_matches('/'), url.path().trim_end_matches('/')))
    }

    async fn get(&self, url: &str) -> Result<bytes::Bytes, FetchError> {
        let response = self.client.send(Request::get(url)?.within(DEADLINE)).await?;
        let status = response.status();
        if !status.is_success() {
            return Err(FetchError::Status(status.as_u16()));
        }
        Ok(response.read_limited(MAX_DOCUMENT).await?)
    }
}
