//! Google by the key of a service account that a Secret holds.

use std::{sync::Arc, time::Duration};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use core_clock::{Clock, Time};
use core_rules::credential::{Credential, Secret};
use form_urlencoded::Serializer;
use futures::FutureExt;
use io_http::outbound::Request as HttpRequest;
use io_kube::Ports;
use serde::Deserialize;
use serde_json::json;

use super::{AccessToken, TERMS, is_google, login};
use crate::{
    matching::Material,
    provider::{Answer, FromSecret, ProviderError, Request, call::Caller, jwt::SigningKey},
    tokens::{Keep, Key, Loaded, Tokens},
};

const SERVICE: &str = "Google's token service";
const NAME: &str = "gcpServiceAccountKey";
const SCOPE: &str = "https://www.googleapis.com/auth/devstorage.read_only";
/// How long a statement may be used; the longest Google takes.
const STATEMENT: Duration = Duration::from_hours(1);

/// For images and charts of Google, with the base64 of a JSON key in `gcpServiceAccountKey`.
pub(crate) struct ServiceAccountKey {
    tokens: Tokens<Option<Credential>>,
    caller: Caller,
    clock: Arc<dyn Clock>,
}

/// The key as Google gives it out.
#[derive(Deserialize)]
struct KeyFile {
    client_email: String,
    private_key: String,
    private_key_id: Option<String>,
    #[serde(default = "token_service")]
    token_uri: String,
}

fn token_service() -> String {
    "https://oauth2.googleapis.com/token".into()
}

impl ServiceAccountKey {
    pub(crate) fn new(caller: &Caller, ports: &Ports) -> Self {
        Self {
            tokens: Tokens::new(TERMS, ports),
            caller: caller.clone(),
            clock: ports.clock.clone(),
        }
    }
}

impl FromSecret for ServiceAccountKey {
    fn answer<'a>(&'a self, request: Request<'a>, material: &'a Material) -> Answer<'a> {
        async move {
            let Some(text) = material.get(NAME).filter(|_| is_google(request)) else {
                return Ok(None);
            };
            let load = || {
                let (caller, clock, text) = (self.caller.clone(), self.clock.clone(), text.clone());
                async move { load(&caller, clock.now(), &text).await }
            };
            self.tokens.get(&Key::of("gar-service-account-key", &[text.expose()]), load).await
        }
        .boxed()
    }
}

async fn load(
    caller: &Caller,
    now: Time,
    text: &Secret,
) -> Result<Loaded<Option<Credential>>, ProviderError> {
    let key = KeyFile::read(text)?;
    let body = Serializer::new(String::new())
        .append_pair("grant_type", "urn:ietf:params:oauth:grant-type:jwt-bearer")
        .append_pair("assertion", key.statement(now)?.expose())
        .finish();
    let request = HttpRequest::post(&key.token_uri, "application/x-www-form-urlencoded", body);
    let token: AccessToken = caller.ask(SERVICE, request).await?.json()?;
    let keep = token.expires(now).map_or(Keep::Default, Keep::Until);
    Ok(Loaded { value: Some(login(&Secret::new(token.access_token))), keep })
}

impl KeyFile {
    fn read(text: &Secret) -> Result<Self, ProviderError> {
        let bytes = STANDARD.decode(text.expose().trim());
        let bytes = bytes.map_err(|_| ProviderError::value(NAME, "it is not base64"))?;
        // The error of the parser may quote the document.
        let not_a_key =
            |_| ProviderError::value(NAME, "it is not the JSON key of a service account");
        serde_json::from_slice(&bytes).map_err(not_a_key)
    }

    fn statement(&self, now: Time) -> Result<Secret, ProviderError> {
        let claims = json!({
            "iss": self.client_email,
            "scope": SCOPE,
            "aud": self.token_uri,
            "iat": now.as_seconds(),
            "exp": (now + STATEMENT).as_seconds(),
        });
        let key = SigningKey::from_pem(&self.private_key);
        let signed = key.and_then(|key| key.sign(&claims, self.private_key_id.as_deref()));
        signed.map_err(|error| ProviderError::value(NAME, format!("private_key: {error}")))
    }
}
