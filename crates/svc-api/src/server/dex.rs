//! Dex behind the server's own address: what comes for it is passed on as it is, and so is what it says.
//!
//! Only its own address is ever called, whatever a request says.

use std::net::SocketAddr;

use axum::{
    body::{Body, to_bytes},
    response::{IntoResponse, Response},
};
use bytes::Bytes;
use futures::{Stream, stream};
use http::{
    HeaderMap, HeaderName, HeaderValue, Request,
    header::{
        CONNECTION, CONTENT_LENGTH, HOST, PROXY_AUTHENTICATE, PROXY_AUTHORIZATION, TE, TRAILER,
        TRANSFER_ENCODING, UPGRADE,
    },
    request::Parts,
};
use io_http::outbound;

use super::{headers::Foreign, limit};
use crate::{
    api::Api,
    api_error::{ApiError, ApiResult},
};

/// What all its paths begin with, behind the base path.
const PREFIX: &str = "/dex/";
const FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");
/// Headers that are for the next hop alone.
const HOP: [HeaderName; 9] = [
    CONNECTION,
    CONTENT_LENGTH,
    PROXY_AUTHENTICATE,
    PROXY_AUTHORIZATION,
    TE,
    TRAILER,
    TRANSFER_ENCODING,
    UPGRADE,
    HeaderName::from_static("keep-alive"),
];

/// Whether a path behind the base path is one of Dex, where there is one.
pub(super) fn is_its(api: &Api, path: &str) -> bool {
    address(api).is_some() && path.starts_with(PREFIX)
}

/// What Dex answers.
pub(super) async fn answer(api: &Api, request: Request<Body>) -> Response {
    match pass_on(api, request).await {
        Ok(response) => response,
        Err(error) => error.into_response(),
    }
}

fn address(api: &Api) -> Option<&str> {
    let dex = api.settings().oidc.as_ref()?.dex.as_ref()?;
    Some(dex.address.trim_end_matches('/'))
}

async fn pass_on(api: &Api, request: Request<Body>) -> ApiResult<Response> {
    let (parts, body) = request.into_parts();
    let absent = || ApiError::not_found("there is nothing here");
    let address = address(api).ok_or_else(absent)?;
    if climbs(parts.uri.path()) {
        return Err(absent());
    }
    let path = parts.uri.path_and_query().map_or("/", |path| path.as_str());
    let silent = |error: outbound::Error| ApiError::unavailable("Dex does not answer", error);
    let body = to_bytes(body, limit::BODY).await.map_err(|_| ApiError::too_large())?;
    let url = format!("{address}{path}");
    let request = outbound::Request::new(parts.method.clone(), &url).map_err(silent)?;
    let request = with_headers(request, &parts).redirects(0).body(body);
    Ok(respond(api.outbound().send(request).await.map_err(silent)?))
}

/// Whether a path could lead out of its prefix, whoever reads it.
fn climbs(path: &str) -> bool {
    let is_step = |segment: &str| {
        matches!(segment.to_ascii_lowercase().replace("%2e", ".").as_str(), "." | "..")
    };
    path.contains('\\') || path.to_ascii_lowercase().contains("%2f") || path.split('/').any(is_step)
}

/// The headers that came, and who sent them.
fn with_headers(mut request: outbound::Request, parts: &Parts) -> outbound::Request {
    for (name, value) in through(&parts.headers) {
        request = request.add_header(name, value);
    }
    // Addresses in its pages and tokens are those by which people know it.
    let host = parts.headers.get(HOST).cloned();
    let host = host.or_else(|| HeaderValue::from_str(parts.uri.authority()?.as_str()).ok());
    if let Some(host) = host {
        request = request.header(HOST, host);
    }
    if let Some(peer) = parts.extensions.get::<SocketAddr>() {
        let before = parts.headers.get(FORWARDED_FOR).and_then(|value| value.to_str().ok());
        let before = before.map(|before| format!("{before}, ")).unwrap_or_default();
        let all = HeaderValue::from_str(&format!("{before}{}", peer.ip()));
        if let Ok(all) = all {
            request = request.header(FORWARDED_FOR, all);
        }
    }
    request
}

/// The headers that are not for one hop alone.
fn through(headers: &HeaderMap) -> impl Iterator<Item = (HeaderName, HeaderValue)> {
    let named: Vec<String> = headers
        .get_all(CONNECTION)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .map(|name| name.trim().to_ascii_lowercase())
        .collect();
    let is_through = move |name: &HeaderName| {
        !HOP.contains(name) && !named.iter().any(|one| one == name.as_str())
    };
    headers
        .iter()
        .filter(move |(name, _)| is_through(name))
        .map(|(name, value)| (name.clone(), value.clone()))
}

fn respond(reply: outbound::Response) -> Response {
    let (status, headers): (_, HeaderMap) = (reply.status(), through(reply.headers()).collect());
    let mut response = Response::new(Body::from_stream(chunks(reply)));
    *response.status_mut() = status;
    *response.headers_mut() = headers;
    response.extensions_mut().insert(Foreign);
    response
}

fn chunks(
    reply: outbound::Response,
) -> impl Stream<Item = Result<Bytes, outbound::Error>> + Send + 'static {
    stream::try_unfold(reply, |mut reply| async move {
        Ok(reply.chunk().await?.map(|chunk| (chunk, reply)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_path_leads_out_of_its_prefix() {
        for path in ["/dex/../x", "/dex/%2e%2E/x", "/dex/./x", "/dex/..%2fx", "/dex/..\\x"] {
            assert!(climbs(path), "{path}");
        }
        for path in ["/dex/auth", "/dex/static/main.css", "/dex/a..b", "/dex/"] {
            assert!(!climbs(path), "{path}");
        }
    }

    #[test]
    fn headers_of_a_hop_stay_there() {
        let headers: HeaderMap = [
            ("connection", "close, X-Mine"),
            ("x-mine", "1"),
            ("te", "trailers"),
            ("content-length", "3"),
            ("cookie", "a=b"),
        ]
        .into_iter()
        .map(|(name, value)| (name.parse().unwrap(), HeaderValue::from_static(value)))
        .collect();
        let left: Vec<_> = through(&headers).map(|(name, _)| name.to_string()).collect();
        assert_eq!(left, ["cookie"]);
    }
}
