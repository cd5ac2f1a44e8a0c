//! Sends a request, hop by hop.
//!
//! Redirects are followed here and not by the library, because each hop is a new decision: may the
//! address be dialled, may the connection get less safe, may the credential come along.

use std::time::Duration;

use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use reqwest::{Url, redirect};
use tokio::time::{Instant, timeout_at};

use super::{
    Deadlines, Error, Origin, Phase, Policy, Request, Response, Settings, TlsError, origin,
    request, resolver::GuardedResolver,
};

/// Idle connections kept per host.
const IDLE_CONNECTIONS: usize = 16;

/// An HTTP client under the dial policy. Cheap to clone; clones share their connections.
#[derive(Clone)]
pub struct Client {
    inner: reqwest::Client,
    policy: Policy,
    deadlines: Deadlines,
}

impl Client {
    pub(super) fn build(
        settings: &Settings,
        policy: Policy,
        tls: rustls::ClientConfig,
    ) -> Result<Self, TlsError> {
        let setup = |text: String| TlsError::Setup(text);
        // The environment is read by `Settings`, never by the library.
        let mut builder = reqwest::Client::builder()
            .no_proxy()
            .redirect(redirect::Policy::none())
            .referer(false)
            .tls_backend_preconfigured(tls)
            .dns_resolver(GuardedResolver::new(policy.clone()))
            .connect_timeout(settings.deadlines.connect)
            .pool_max_idle_per_host(IDLE_CONNECTIONS)
            .user_agent(&settings.user_agent);
        for proxy in settings.proxies.build().map_err(|name| setup(name.to_owned()))? {
            builder = builder.proxy(proxy);
        }
        let inner = builder.build().map_err(|error| setup(error.without_url().to_string()))?;
        Ok(Self { inner, policy, deadlines: settings.deadlines })
    }

    /// Sends `request` and returns when the headers of the final answer are there, whatever its status.
    pub async fn send(&self, mut request: Request) -> Result<Response, Error> {
        let total = request.total.map(|total| (Instant::now() + total, total));
        let mut followed = 0;
        loop {
            let response = self.hop(&request, total).await?;
            let Some(location) = location(&response) else { return Ok(response) };
            if request.redirects == 0 {
                return Ok(response);
            }
            if followed == request.redirects {
                let host = request.host();
                return Err(Error::TooManyRedirects { host, limit: request.redirects });
            }
            followed += 1;
            request = redirected(request, response.status(), &location)?;
        }
    }

    /// Sends `request` with a body that is made while it is sent, and therefore once: a redirect is an
    /// answer like any other. The whole exchange is limited by [`Request::within`] alone.
    pub async fn upload<B>(&self, request: Request, body: B) -> Result<Response, Error>
    where
        B: http_body::Body<Data = Bytes> + Send + Sync + 'static,
        B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
    {
        let patience = self.deadlines.connect + self.deadlines.headers;
        let total = request.total.unwrap_or(patience);
        let end = Instant::now() + total;
        let mut sent = to_library(&request);
        *sent.body_mut() = Some(reqwest::Body::wrap(body));
        self.exchange(&request, sent, (end, Phase::Total, total), Some((end, total))).await
    }

    async fn hop(
        &self,
        request: &Request,
        total: Option<(Instant, Duration)>,
    ) -> Result<Response, Error> {
        let patience = self.deadlines.connect + self.deadlines.headers;
        let headers = Instant::now() + patience;
        let limit = match total {
            Some((end, total)) if end < headers || request.is_patient => (end, Phase::Total, total),
            _ => (headers, Phase::Headers, patience),
        };
        self.exchange(request, to_library(request), limit, total).await
    }

    async fn exchange(
        &self,
        request: &Request,
        sent: reqwest::Request,
        (deadline, phase, after): (Instant, Phase, Duration),
        total: Option<(Instant, Duration)>,
    ) -> Result<Response, Error> {
        self.check_literal(&request.url)?;
        match timeout_at(deadline, self.inner.execute(sent)).await {
            Ok(Ok(response)) => Ok(Response::new(response, self.idle(request), total)),
            Ok(Err(error)) => {
                Err(Error::from_client(&error, &request.host(), phase, self.deadlines.connect))
            }
            Err(_) => Err(Error::Timeout { host: request.host(), phase, after }),
        }
    }

    /// The longest silence while the body is read.
    fn idle(&self, request: &Request) -> Duration {
        request.total.filter(|_| request.is_patient).unwrap_or(self.deadlines.idle)
    }

    /// The connector dials numbers without asking the resolver, so they are judged before.
    fn check_literal(&self, url: &Url) -> Result<(), Error> {
        let Some(address) = origin::literal(url) else { return Ok(()) };
        let host = request::host(url);
        self.policy.check(address).map_err(|refusal| Error::Refused { host, address, refusal })
    }
}

fn to_library(request: &Request) -> reqwest::Request {
    let mut sent = reqwest::Request::new(request.method.clone(), request.url.clone());
    *sent.headers_mut() = request.headers.clone();
    if !request.body.is_empty() || request.method == Method::POST {
        *sent.body_mut() = Some(request.body.clone().into());
    }
    sent
}

/// Where a redirect leads; `None` for every other answer.
fn location(response: &Response) -> Option<String> {
    use StatusCode as Status;
    let redirects = matches!(
        response.status(),
        Status::MOVED_PERMANENTLY
            | Status::FOUND
            | Status::SEE_OTHER
            | Status::TEMPORARY_REDIRECT
            | Status::PERMANENT_REDIRECT
    );
    let location = redirects.then(|| response.header(&header::LOCATION)).flatten()?;
    Some(location.to_owned())
}

/// The request of the next hop.
fn redirected(mut request: Request, status: StatusCode, location: &str) -> Result<Request, Error> {
    let refuse = |reason| Error::Redirect { host: request.host(), reason };
    let mut next = request.url.join(location).map_err(|_| refuse("it is not a URL"))?;
    if !matches!(next.scheme(), "http" | "https") || next.host_str().is_none() {
        return Err(refuse("it is not an http or https URL"));
    }
    if request.url.scheme() == "https" && next.scheme() == "http" {
        return Err(refuse("it leads from https to http"));
    }
    if origin::literal(&next).is_some()
        && origin::is_local(&next)
        && !origin::is_local(&request.url)
    {
        return Err(refuse("it leads to a private address"));
    }
    let _ = next.set_username("");
    let _ = next.set_password(None);
    if Origin::of(&next) != Origin::of(&request.url) {
        drop_credentials(&mut request.headers);
        // A name of their own was for the first host.
        request.headers.remove(header::HOST);
    }
    let keeps_method =
        matches!(status, StatusCode::TEMPORARY_REDIRECT | StatusCode::PERMANENT_REDIRECT);
    if !keeps_method && !matches!(request.method, Method::GET | Method::HEAD) {
        request.method = Method::GET;
        request.body = Bytes::new();
        request.headers.remove(header::CONTENT_TYPE);
    }
    request.url = next;
    Ok(request)
}

fn drop_credentials(headers: &mut HeaderMap) {
    for name in [header::AUTHORIZATION, header::COOKIE, header::PROXY_AUTHORIZATION] {
        headers.remove(name);
    }
    let is_secret =
        |(name, value): (&HeaderName, &HeaderValue)| value.is_sensitive().then(|| name.clone());
    let secret: Vec<HeaderName> = headers.iter().filter_map(is_secret).collect();
    for name in secret {
        headers.remove(name);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn follow(from: &str, status: u16, location: &str) -> Result<Request, Error> {
        let request = Request::post(from, "text/plain", "body").unwrap().bearer("token").unwrap();
        redirected(request, StatusCode::from_u16(status).unwrap(), location)
    }

    #[test]
    fn a_credential_stays_with_its_host_port_and_scheme() {
        let kept = follow("https://a.example/x", 302, "/y").unwrap();
        assert!(kept.headers.contains_key(header::AUTHORIZATION));
        for location in ["https://b.example/", "https://a.example:8443/", "//b.example/y"] {
            let next = follow("https://a.example/x", 302, location).unwrap();
            assert!(!next.headers.contains_key(header::AUTHORIZATION), "{location}");
        }
    }

    #[test]
    fn a_secret_header_stays_too_and_a_plain_one_goes_along() {
        let name = HeaderName::from_static;
        let request = Request::get("https://a.example/x").unwrap();
        let request = request.secret_header(name("x-api-key"), "token").unwrap();
        let request = request.try_header(name("x-plain"), "1").unwrap();
        let follow =
            |location| redirected(request.clone(), StatusCode::FOUND, location).unwrap().headers;
        assert!(follow("/y").contains_key("x-api-key"));
        let elsewhere = follow("https://b.example/y");
        assert!(!elsewhere.contains_key("x-api-key") && elsewhere.contains_key("x-plain"));
    }

    #[test]
    fn a_redirect_never_gets_less_safe() {
        for location in ["http://a.example/", "file:///etc/passwd", "https://10.0.0.1/", "https://"]
        {
            let result = follow("https://a.example/", 302, location);
            assert!(matches!(result, Err(Error::Redirect { .. })), "{location}");
        }
        assert!(follow("http://a.example/", 302, "https://a.example/").is_ok());
        assert!(follow("http://127.0.0.1:5000/", 302, "http://127.0.0.1:6000/").is_ok());
    }

    #[test]
    fn a_post_becomes_a_get_unless_the_status_forbids_it() {
        let found = follow("https://a.example/", 302, "/y").unwrap();
        assert_eq!((found.method, found.body.len()), (Method::GET, 0));
        let kept = follow("https://a.example/", 307, "/y").unwrap();
        assert_eq!((kept.method, kept.body.len()), (Method::POST, 4));
    }
}
