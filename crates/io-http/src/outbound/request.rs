//! One request, as data.

use std::{fmt, time::Duration};

use base64::{Engine as _, prelude::BASE64_STANDARD};
use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, Method, header};
use percent_encoding::percent_decode_str;
use reqwest::Url;

use super::{Error, Origin};

/// How often a request is sent on unless it says otherwise.
const REDIRECTS: u8 = 10;

/// What to send, and how patient to be.
#[derive(Clone)]
pub struct Request {
    pub(super) method: Method,
    pub(super) url: Url,
    pub(super) headers: HeaderMap,
    pub(super) body: Bytes,
    pub(super) redirects: u8,
    pub(super) total: Option<Duration>,
    pub(super) is_patient: bool,
}

impl fmt::Debug for Request {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Paths and queries may hold tokens, headers do.
        write!(f, "{} {}", self.method, self.host())
    }
}

impl Request {
    /// A request without a body.
    pub fn new(method: Method, url: &str) -> Result<Self, Error> {
        let mut url = Url::parse(url).map_err(|_| Error::Address)?;
        if !matches!(url.scheme(), "http" | "https") || url.host_str().is_none_or(str::is_empty) {
            return Err(Error::Address);
        }
        let login = take_login(&mut url);
        let request = Self {
            method,
            url,
            headers: HeaderMap::new(),
            body: Bytes::new(),
            redirects: REDIRECTS,
            total: None,
            is_patient: false,
        };
        match login {
            Some((name, password)) => request.basic(&name, &password),
            None => Ok(request),
        }
    }

    pub fn get(url: &str) -> Result<Self, Error> {
        Self::new(Method::GET, url)
    }

    pub fn head(url: &str) -> Result<Self, Error> {
        Self::new(Method::HEAD, url)
    }

    pub fn post(
        url: &str,
        content_type: &'static str,
        body: impl Into<Bytes>,
    ) -> Result<Self, Error> {
        let request = Self::new(Method::POST, url)?;
        let content_type = HeaderValue::from_static(content_type);
        Ok(request.header(header::CONTENT_TYPE, content_type).body(body))
    }

    #[must_use]
    pub fn body(mut self, body: impl Into<Bytes>) -> Self {
        self.body = body.into();
        self
    }

    #[must_use]
    pub fn header(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.headers.insert(name, value);
        self
    }

    /// A header beside those of the same name.
    #[must_use]
    pub fn add_header(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.headers.append(name, value);
        self
    }

    /// A parameter behind those that the URL has.
    #[must_use]
    pub fn query(mut self, name: &str, value: &str) -> Self {
        self.url.query_pairs_mut().append_pair(name, value);
        self
    }

    /// A header whose value is not ours to know: refused when HTTP cannot carry it.
    pub fn try_header(self, name: HeaderName, value: &str) -> Result<Self, Error> {
        Ok(self.header(name, HeaderValue::from_str(value).map_err(|_| Error::Header)?))
    }

    /// A header whose value is a secret: it does not follow a redirect to another host.
    pub fn secret_header(self, name: HeaderName, value: &str) -> Result<Self, Error> {
        let mut value = HeaderValue::from_str(value).map_err(|_| Error::Header)?;
        value.set_sensitive(true);
        Ok(self.header(name, value))
    }

    /// Logs in with name and password.
    pub fn basic(self, username: &str, password: &str) -> Result<Self, Error> {
        self.authorize(&format!(
            "Basic {}",
            BASE64_STANDARD.encode(format!("{username}:{password}"))
        ))
    }

    /// Logs in with a token.
    pub fn bearer(self, token: &str) -> Result<Self, Error> {
        self.authorize(&format!("Bearer {token}"))
    }

    fn authorize(self, value: &str) -> Result<Self, Error> {
        self.secret_header(header::AUTHORIZATION, value)
    }

    /// Limits the whole exchange, redirects and body included.
    #[must_use]
    pub fn within(mut self, total: Duration) -> Self {
        self.total = Some(total);
        self
    }

    /// Lets the server take all the time of [`Request::within`], for its answer and for silence in it.
    #[must_use]
    pub fn patient(mut self) -> Self {
        self.is_patient = true;
        self
    }

    /// Follows at most `limit` redirects; with 0 a redirect is an answer like any other.
    #[must_use]
    pub fn redirects(mut self, limit: u8) -> Self {
        self.redirects = limit;
        self
    }

    /// Host and port as the URL has them, for messages.
    pub fn host(&self) -> String {
        host(&self.url)
    }

    /// Who a credential on this request is meant for.
    pub fn origin(&self) -> Origin {
        Origin::of(&self.url)
    }
}

/// Takes user and password out of an address, so that nothing that shows the address shows them.
fn take_login(url: &mut Url) -> Option<(String, String)> {
    let decode = |text: &str| percent_decode_str(text).decode_utf8_lossy().into_owned();
    let name = decode(url.username());
    let password = url.password().map(decode);
    if name.is_empty() && password.is_none() {
        return None;
    }
    let _ = url.set_username("");
    let _ = url.set_password(None);
    Some((name, password.unwrap_or_default()))
}

/// Host and, where it is not the scheme's own, port.
pub(super) fn host(url: &Url) -> String {
    let host = url.host_str().unwrap_or_default();
    url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_http_urls_with_a_host_are_requests() {
        for url in ["ftp://example.com", "file:///etc/passwd", "example.com", "http://", ""] {
            assert_eq!(Request::get(url).err(), Some(Error::Address), "{url}");
        }
    }

    #[test]
    fn a_request_shows_neither_path_nor_credential() {
        let request = Request::get("https://user:pass@example.com:8443/secret?token=1").unwrap();
        let request = request.basic("kargo", "hunter2").unwrap();
        assert_eq!(format!("{request:?}"), "GET example.com:8443");
    }

    #[test]
    fn a_login_in_the_address_becomes_a_header() {
        let request = Request::get("https://kargo:hunter%32@example.com/").unwrap();
        assert_eq!(request.url.as_str(), "https://example.com/");
        assert_eq!(request.headers[header::AUTHORIZATION], "Basic a2FyZ286aHVudGVyMg==");
        assert!(request.headers[header::AUTHORIZATION].is_sensitive());
    }

    #[test]
    fn a_credential_with_a_line_break_is_refused() {
        let request = Request::get("https://example.com").unwrap();
        assert_eq!(request.bearer("a\r\nX-Evil: 1").err(), Some(Error::Header));
    }
}
