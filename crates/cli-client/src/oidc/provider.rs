//! Who the provider is, and how it is spoken to.

use std::sync::Arc;

use bytes::Bytes;
use http::Method;
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::Value;

use crate::{Error, OidcConfig, Patience, Request, Transport, Trust, client::read};

/// No document of a provider is larger.
const MAX_ANSWER: usize = 1024 * 1024;

/// A provider whose endpoints are known.
#[derive(Clone)]
pub struct Provider {
    transport: Arc<dyn Transport>,
    trust: Trust,
    pub(super) endpoints: Endpoints,
    pub(super) client_id: String,
    pub(super) scopes: Vec<String>,
}

/// What discovery tells.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Endpoints {
    pub(super) issuer: String,
    pub(super) authorization_endpoint: String,
    pub(super) token_endpoint: String,
    pub(super) device_authorization_endpoint: String,
    pub(super) jwks_uri: String,
    scopes_supported: Vec<String>,
}

impl Provider {
    /// Asks the provider for its endpoints.
    pub async fn discover(
        transport: Arc<dyn Transport>,
        trust: Trust,
        config: &OidcConfig,
    ) -> Result<Self, Error> {
        let mut provider = Self {
            transport,
            trust,
            endpoints: Endpoints::default(),
            client_id: config.command_line_client().to_owned(),
            scopes: config.scopes.clone(),
        };
        let issuer = config.issuer_url.trim_end_matches('/');
        let url = format!("{issuer}/.well-known/openid-configuration");
        let endpoints: Endpoints = provider.get(&url).await?;
        if endpoints.issuer != config.issuer_url {
            let text = format!(
                "the identity provider calls itself {:?}, not {:?}",
                endpoints.issuer, config.issuer_url
            );
            return Err(Error::Oidc(text));
        }
        // Without it there is no refresh token, and the user logs in every hour.
        let offline = "offline_access".to_owned();
        if endpoints.scopes_supported.contains(&offline) && !provider.scopes.contains(&offline) {
            provider.scopes.push(offline);
        }
        provider.endpoints = endpoints;
        Ok(provider)
    }

    /// Whether a user without a browser here can log in with one elsewhere.
    pub fn has_device_login(&self) -> bool {
        !self.endpoints.device_authorization_endpoint.is_empty()
    }

    pub(super) async fn get<T: DeserializeOwned>(&self, url: &str) -> Result<T, Error> {
        let (status, body) = self.send(Method::GET, url, Bytes::new()).await?;
        if status != 200 {
            return Err(Error::Oidc(format!("the identity provider answers {status} for {url}")));
        }
        parse(&body)
    }

    /// Posts a form; status and document are returned, because refusals are documents too.
    pub(super) async fn post(
        &self,
        url: &str,
        fields: &[(&str, &str)],
    ) -> Result<(u16, Value), Error> {
        let mut form = form_urlencoded::Serializer::new(String::new());
        form.extend_pairs(fields);
        let (status, body) = self.send(Method::POST, url, form.finish().into()).await?;
        Ok((status, parse(&body)?))
    }

    async fn send(&self, method: Method, url: &str, body: Bytes) -> Result<(u16, Bytes), Error> {
        let mut headers = vec![("accept", "application/json".to_owned())];
        if method == Method::POST {
            headers.push(("content-type", "application/x-www-form-urlencoded".to_owned()));
        }
        let url = url.to_owned();
        let request =
            Request { method, url, headers, body, trust: self.trust, patience: Patience::Answer };
        let response = self.transport.send(request).await?;
        Ok((response.status, read(response.body, MAX_ANSWER).await?))
    }
}

fn parse<T: DeserializeOwned>(body: &[u8]) -> Result<T, Error> {
    serde_json::from_slice(body).map_err(|error| {
        Error::Oidc(format!("the answer of the identity provider cannot be read: {error}"))
    })
}
