//! A person at a browser: follows the provider's pages to the end, and trades the code for a token.

use anyhow::{Context, Result, ensure};
use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use http::{HeaderValue, Method, StatusCode, header};
use io_http::outbound::{self, Outbound, Tls};
use ring::digest;
use serde_json::Value;
use url::Url;

use crate::dex::REDIRECT;

/// More hops than a login takes.
const MAX_HOPS: usize = 10;
const MAX_BYTES: u64 = 1 << 20;
/// What the person keeps to themselves until the code is traded.
pub(crate) const VERIFIER: &str = "a-verifier-that-is-long-enough-for-the-rules-of-pkce-0123456789";
const STATE: &str = "state-of-this-login";

/// Sends requests to plain HTTP servers of this machine.
pub(crate) struct Browser {
    http: outbound::Client,
}

/// A reply.
pub(crate) struct Page {
    pub(crate) status: StatusCode,
    pub(crate) location: Option<String>,
    pub(crate) text: String,
}

impl Page {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_default()
    }
}

impl Browser {
    pub(crate) fn new() -> Result<Self> {
        Ok(Self { http: Outbound::new(outbound::Settings::default()).client(&Tls::default())? })
    }

    /// One request; redirects are not followed.
    pub(crate) async fn send(
        &self,
        method: Method,
        url: &str,
        token: Option<&str>,
        form: Option<&[(&str, &str)]>,
    ) -> Result<Page> {
        let mut request = outbound::Request::new(method, url)?.redirects(0);
        if let Some(token) = token {
            request = request.bearer(token)?;
        }
        if let Some(form) = form {
            let body =
                url::form_urlencoded::Serializer::new(String::new()).extend_pairs(form).finish();
            let content_type = HeaderValue::from_static("application/x-www-form-urlencoded");
            request = request.header(header::CONTENT_TYPE, content_type).body(body);
        }
        let response = self.http.send(request).await?;
        let status = response.status();
        let location = response.header(&header::LOCATION).map(str::to_owned);
        let text = String::from_utf8_lossy(&response.read_limited(MAX_BYTES).await?).into_owned();
        Ok(Page { status, location, text })
    }

    /// Logs in at the provider, and returns the code that it sends back.
    pub(crate) async fn log_in(&self, issuer: &str, client: &str) -> Result<String> {
        let challenge =
            URL_SAFE_NO_PAD.encode(digest::digest(&digest::SHA256, VERIFIER.as_bytes()));
        let query = [
            ("client_id", client),
            ("redirect_uri", REDIRECT),
            ("response_type", "code"),
            ("scope", "openid profile email groups"),
            ("state", STATE),
            ("code_challenge", &challenge),
            ("code_challenge_method", "S256"),
        ];
        let mut url = Url::parse_with_params(&format!("{issuer}/auth"), query)?;
        for _ in 0..MAX_HOPS {
            if url.as_str().starts_with(REDIRECT) {
                return code(&url);
            }
            // Nobody but the server itself is visited on the way.
            ensure!(url.as_str().starts_with(issuer), "sent to {url}");
            let page = self.send(Method::GET, url.as_str(), None, None).await?;
            let next =
                page.location.with_context(|| format!("{url}: {} {}", page.status, page.text))?;
            url = url.join(&next)?;
        }
        anyhow::bail!("the login has no end")
    }

    /// Trades a code for an ID token.
    pub(crate) async fn trade(
        &self,
        issuer: &str,
        client: &str,
        code: &str,
        verifier: &str,
    ) -> Result<Page> {
        let form = [
            ("grant_type", "authorization_code"),
            ("client_id", client),
            ("redirect_uri", REDIRECT),
            ("code", code),
            ("code_verifier", verifier),
        ];
        self.send(Method::POST, &format!("{issuer}/token"), None, Some(&form)).await
    }

    /// The ID token of a whole login.
    pub(crate) async fn id_token(&self, issuer: &str, client: &str) -> Result<String> {
        let code = self.log_in(issuer, client).await?;
        let page = self.trade(issuer, client, &code, VERIFIER).await?;
        let token = page.json()["id_token"].as_str().map(str::to_owned);
        token.with_context(|| format!("no token: {} {}", page.status, page.text))
    }
}

/// The code in the address that the provider sends people back to.
fn code(url: &Url) -> Result<String> {
    let value = |name: &str| {
        url.query_pairs().find(|(key, _)| key == name).map(|(_, value)| value.into_owned())
    };
    ensure!(value("state").as_deref() == Some(STATE), "another state: {url}");
    value("code").with_context(|| format!("no code: {url}"))
}
