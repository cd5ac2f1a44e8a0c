//! One request to a provider's API and what its answer means.
//!
//! Answers are read up to a limit of bytes and of time. What a provider says in words is cut, cleaned of control
//! characters and of the token before it becomes part of a message.

mod said;

use std::{fmt::Write as _, sync::Arc, time::Duration};

use bytes::Bytes;
use core_clock::Clock;
use core_rules::credential::Secret;
use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use io_http::outbound::{self, Client, Request};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::{
    Provider,
    error::{Cause, Error},
    retry_after::{is_used_up, retry_after},
};

/// The longest answer that is read: a page of a hundred pull requests with long descriptions.
const MAX_ANSWER_BYTES: u64 = 16 * 1024 * 1024;
/// The longest that one exchange may take.
const EXCHANGE: Duration = Duration::from_mins(1);
const SEGMENT: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// How requests are signed.
pub(crate) enum Login {
    Anonymous,
    Bearer(Secret),
    /// `Authorization: token …`.
    Token(Secret),
    /// `PRIVATE-TOKEN: …`.
    PrivateToken(Secret),
    /// As the password of a user without a name.
    Password(Secret),
}

/// A provider's API, for one repository.
pub(crate) struct Api {
    client: Client,
    clock: Arc<dyn Clock>,
    base: String,
    login: Login,
    provider: Provider,
    repository: String,
    headers: Vec<(HeaderName, HeaderValue)>,
}

/// One call: what it is for, in the infinitive, and what it asks.
pub(crate) struct Call<'a> {
    pub(crate) action: &'a str,
    pub(crate) method: Method,
    /// Path and query behind the base.
    pub(crate) path: String,
    pub(crate) body: Option<Value>,
}

/// An answer that says that the call was carried out.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: StatusCode,
    headers: HeaderMap,
    body: Bytes,
}

impl<'a> Call<'a> {
    pub(crate) fn get(action: &'a str, path: String) -> Self {
        Self { action, method: Method::GET, path, body: None }
    }

    pub(crate) fn send(action: &'a str, method: Method, path: String, body: Value) -> Self {
        Self { action, method, path, body: Some(body) }
    }
}

impl Reply {
    /// Whether the `Link` header names a further page.
    pub(crate) fn links_to_next(&self) -> bool {
        let link = self.headers.get(header::LINK).and_then(|link| link.to_str().ok());
        link.is_some_and(|link| link.contains("rel=\"next\"") || link.contains("rel=next"))
    }
}

impl Api {
    pub(crate) fn new(
        client: Client,
        clock: Arc<dyn Clock>,
        base: String,
        login: Login,
        provider: Provider,
        repository: String,
    ) -> Self {
        Self { client, clock, base, login, provider, repository, headers: Vec::new() }
    }

    /// Sends this header with every request.
    #[must_use]
    pub(crate) fn with_header(mut self, name: HeaderName, value: &'static str) -> Self {
        self.headers.push((name, HeaderValue::from_static(value)));
        self
    }

    /// The address of something on the host of the API.
    pub(crate) fn address(&self, path: &str) -> String {
        format!("{}{path}", self.base)
    }

    pub(crate) fn clock(&self) -> &dyn Clock {
        &*self.clock
    }

    /// Makes a call and reads its answer as JSON.
    pub(crate) async fn json<T: DeserializeOwned>(&self, call: Call<'_>) -> Result<T, Error> {
        let action = call.action.to_owned();
        let reply = self.call(call).await?;
        self.read(&action, &reply)
    }

    /// Reads an answer as JSON.
    pub(crate) fn read<T: DeserializeOwned>(
        &self,
        action: &str,
        reply: &Reply,
    ) -> Result<T, Error> {
        serde_json::from_slice(&reply.body)
            .map_err(|error| self.nonsense(action, &json_problem(&error)))
    }

    /// Makes a call; an answer that does not say that it was carried out is an error.
    pub(crate) async fn call(&self, call: Call<'_>) -> Result<Reply, Error> {
        let reply = self.exchange(&call).await.map_err(|cause| self.error(call.action, cause))?;
        match self.problem(&reply) {
            None => Ok(reply),
            Some(cause) => Err(self.error(call.action, cause)),
        }
    }

    async fn exchange(&self, call: &Call<'_>) -> Result<Reply, outbound::Error> {
        let request = self.request(call)?;
        let response = self.client.send(request).await?;
        let (status, headers) = (response.status(), response.headers().clone());
        let body = response.read_limited(MAX_ANSWER_BYTES).await?;
        Ok(Reply { status, headers, body })
    }

    fn request(&self, call: &Call<'_>) -> Result<Request, outbound::Error> {
        let url = format!("{}{}", self.base, call.path);
        let mut request = Request::new(call.method.clone(), &url)?.within(EXCHANGE);
        for (name, value) in &self.headers {
            request = request.header(name.clone(), value.clone());
        }
        if let Some(body) = &call.body {
            let json = HeaderValue::from_static("application/json");
            request = request.header(header::CONTENT_TYPE, json).body(body.to_string());
        }
        // A write that is sent on may become a read, and only the usual header is kept from strangers.
        let is_private = matches!(self.login, Login::PrivateToken(_));
        if call.method != Method::GET || is_private {
            request = request.redirects(0);
        }
        self.sign(request)
    }

    fn sign(&self, request: Request) -> Result<Request, outbound::Error> {
        match &self.login {
            Login::Anonymous => Ok(request),
            Login::Bearer(token) => request.bearer(token.expose()),
            Login::Token(token) => {
                request.try_header(header::AUTHORIZATION, &format!("token {}", token.expose()))
            }
            Login::PrivateToken(token) => {
                request.try_header(HeaderName::from_static("private-token"), token.expose())
            }
            Login::Password(token) => request.basic("", token.expose()),
        }
    }

    /// What an answer means, when it does not mean success.
    fn problem(&self, reply: &Reply) -> Option<Cause> {
        let said = self.said(&reply.body);
        let status = reply.status.as_u16();
        let after = retry_after(&reply.headers, self.clock.now());
        let anonymous = matches!(self.login, Login::Anonymous);
        Some(match status {
            // Azure DevOps shows its page for logging in, with the status "from somewhere else".
            203 => Cause::Unauthorized { status, said: String::new(), anonymous },
            200..=299 => return None,
            302 if self.provider == Provider::Azure => {
                Cause::Unauthorized { status, said: String::new(), anonymous }
            }
            300..=399 => Cause::Moved { status },
            429 => Cause::RateLimited { status, after },
            403 if is_rate_limit(reply, &said) => Cause::RateLimited { status, after },
            401 | 403 | 407 => Cause::Unauthorized { status, said, anonymous },
            404 | 410 => Cause::NotFound { status, said },
            408 | 425 | 500.. => Cause::Unavailable { status, said, after },
            _ => Cause::Refused { status, said },
        })
    }

    fn said(&self, body: &[u8]) -> String {
        let said = said::said(body);
        match self.token() {
            Some(token) if !token.is_empty() => said.replace(token, "***"),
            _ => said,
        }
    }

    fn token(&self) -> Option<&str> {
        match &self.login {
            Login::Anonymous => None,
            Login::Bearer(token)
            | Login::Token(token)
            | Login::PrivateToken(token)
            | Login::Password(token) => Some(token.expose()),
        }
    }

    /// An answer that cannot be what the call was answered with.
    pub(crate) fn nonsense(&self, action: &str, problem: &str) -> Error {
        self.error(action, Cause::Nonsense { problem: problem.to_owned() })
    }

    /// A pull request that can never be merged as it is.
    pub(crate) fn not_mergeable(&self, number: u64, reason: String) -> Error {
        let (provider, repository) = (self.provider, self.repository.clone());
        Error::NotMergeable { provider, repository, number, reason }
    }

    /// The method, if it is one of those that are known.
    pub(crate) fn merge_method<'a>(
        &self,
        method: Option<&'a str>,
        known: &[&str],
    ) -> Result<Option<&'a str>, Error> {
        match method {
            Some(method) if !known.contains(&method) => Err(Error::MergeMethod {
                provider: self.provider,
                method: said::clean(method),
                known: known.join(", "),
            }),
            method => Ok(method),
        }
    }

    /// Labels that do not exist, each named once.
    pub(crate) fn unknown_labels(&self, names: &[&str]) -> Error {
        let (provider, repository) = (self.provider, self.repository.clone());
        let mut list = String::new();
        for (index, name) in names.iter().enumerate() {
            let separator = if index == 0 { "" } else { ", " };
            let _ = write!(list, "{separator}{:?}", said::clean(name));
        }
        Error::UnknownLabels { provider, repository, names: list }
    }

    fn error(&self, action: &str, cause: impl Into<Cause>) -> Error {
        Error::Call {
            provider: self.provider,
            repository: self.repository.clone(),
            action: action.to_owned(),
            cause: cause.into(),
        }
    }
}

/// One part of a path, with everything encoded that would end it.
pub(crate) fn segment(text: &str) -> String {
    utf8_percent_encode(text, SEGMENT).to_string()
}

/// A query string with its question mark.
pub(crate) fn query(parameters: &[(&str, &str)]) -> String {
    let mut query = form_urlencoded::Serializer::for_suffix("?".to_owned(), 1);
    query.extend_pairs(parameters);
    query.finish()
}

/// A body without the members that are null, which some services would take for a value.
pub(crate) fn given(mut body: Value) -> Value {
    if let Value::Object(members) = &mut body {
        members.retain(|_, member| !member.is_null());
    }
    body
}

/// A page that people can follow; `None` for anything else than a web address.
pub(crate) fn web_link(text: &str) -> Option<String> {
    const LONGEST: usize = 2_048;
    let is_web = text.starts_with("https://") || text.starts_with("http://");
    let is_plain = text.len() <= LONGEST && !text.contains(|c: char| c.is_control() || c == ' ');
    (is_web && is_plain).then(|| text.to_owned())
}

/// A commit id; `None` for anything else.
pub(crate) fn commit_id(text: &str) -> Option<String> {
    let is_id = (7..=64).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_id.then(|| text.to_owned())
}

fn is_rate_limit(reply: &Reply, said: &str) -> bool {
    reply.headers.contains_key(header::RETRY_AFTER)
        || is_used_up(&reply.headers)
        || said.to_ascii_lowercase().contains("rate limit")
}

/// The problem without the text in which it is, which is the provider's.
fn json_problem(error: &serde_json::Error) -> String {
    use serde_json::error::Category;
    let what = match error.classify() {
        Category::Io => "it could not be read",
        Category::Syntax => "it is not JSON",
        Category::Data => "a field is missing or of another type",
        Category::Eof => "it breaks off",
    };
    format!("{what}, line {} column {}", error.line(), error.column())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_segment_of_a_path_cannot_end_it() {
        assert_eq!(segment("feature/x?y#z ä"), "feature%2Fx%3Fy%23z%20%C3%A4");
        assert_eq!(query(&[("head", "acme:a b&c"), ("page", "1")]), "?head=acme%3Aa+b%26c&page=1");
    }

    #[test]
    fn only_web_addresses_are_links() {
        for text in ["javascript:alert(1)", "https://a b", "https://a\nb", "", "ftp://x"] {
            assert_eq!(web_link(text), None, "{text:?}");
        }
        assert!(web_link("https://example.com/1").is_some());
    }

    #[test]
    fn only_ids_of_commits_are_ids() {
        for text in ["", "abc", "main", "0123456789abcdefg", "--upload-pack=x"] {
            assert_eq!(commit_id(text), None, "{text:?}");
        }
        assert!(commit_id("0123456789ab").is_some());
    }
}
