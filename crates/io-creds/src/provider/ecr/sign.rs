//! Signed requests to AWS (Signature Version 4).

use core_clock::Time;
use core_rules::{
    credential::Secret,
    digest::{hex, sha256_hex},
};
use http::{HeaderName, HeaderValue, Uri, header};
use io_http::outbound::{Error, Request};
use ring::hmac;

/// Keys that sign for an identity.
#[derive(Clone, Debug)]
pub(crate) struct Keys {
    pub(crate) id: String,
    pub(crate) secret: Secret,
    /// Comes with keys that expire.
    pub(crate) session: Option<Secret>,
}

/// What a signature is good for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scope<'a> {
    pub(crate) region: &'a str,
    pub(crate) service: &'a str,
    pub(crate) now: Time,
}

const ALGORITHM: &str = "AWS4-HMAC-SHA256";
const DATE: HeaderName = HeaderName::from_static("x-amz-date");
const SESSION: HeaderName = HeaderName::from_static("x-amz-security-token");

/// A POST of `body` to `endpoint`, signed. `headers` are signed along.
pub(crate) fn signed_post(
    keys: &Keys,
    scope: Scope<'_>,
    endpoint: &str,
    headers: &[(HeaderName, &'static str)],
    body: String,
) -> Result<Request, Error> {
    let uri: Uri = endpoint.parse().map_err(|_| Error::Address)?;
    let host = uri.authority().ok_or(Error::Address)?.as_str();
    let date = compact(scope.now);
    let mut signed: Vec<(HeaderName, &str)> = headers.to_vec();
    signed.push((header::HOST, host));
    signed.push((DATE, &date));
    if let Some(session) = &keys.session {
        signed.push((SESSION, session.expose()));
    }
    let authorization = authorization(keys, scope, "POST", uri.path(), signed, body.as_bytes());
    let mut request = Request::new(http::Method::POST, endpoint)?.body(body);
    for (name, value) in headers {
        request = request.header(name.clone(), HeaderValue::from_static(value));
    }
    request = request.try_header(DATE, &date)?;
    if let Some(session) = &keys.session {
        request = request.try_header(SESSION, session.expose())?;
    }
    request.try_header(header::AUTHORIZATION, &authorization)
}

/// The value of the header that proves who asks.
fn authorization(
    keys: &Keys,
    scope: Scope<'_>,
    method: &str,
    path: &str,
    mut headers: Vec<(HeaderName, &str)>,
    body: &[u8],
) -> String {
    headers.sort_by(|a, b| a.0.as_str().cmp(b.0.as_str()));
    let names = headers.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>().join(";");
    let line = |(name, value): &(HeaderName, &str)| format!("{name}:{}\n", value.trim());
    let lines = headers.iter().map(line).collect::<Vec<_>>().concat();
    let path = if path.is_empty() { "/" } else { path };
    let canonical = format!("{method}\n{path}\n\n{lines}\n{names}\n{}", sha256_hex(body));
    let date = compact(scope.now);
    let day = date.get(..8).unwrap_or_default();
    let reach = format!("{day}/{}/{}/aws4_request", scope.region, scope.service);
    let text = format!("{ALGORITHM}\n{date}\n{reach}\n{}", sha256_hex(canonical.as_bytes()));
    let start = format!("AWS4{}", keys.secret.expose());
    let key = [day, scope.region, scope.service, "aws4_request"]
        .into_iter()
        .fold(start.into_bytes(), |key, part| hmac_sha256(&key, part.as_bytes()));
    let signature = hex(&hmac_sha256(&key, text.as_bytes()));
    let id = &keys.id;
    format!("{ALGORITHM} Credential={id}/{reach}, SignedHeaders={names}, Signature={signature}")
}

/// `20150830T123600Z`.
fn compact(time: Time) -> String {
    time.to_rfc3339_seconds().replace(['-', ':'], "")
}

fn hmac_sha256(key: &[u8], text: &[u8]) -> Vec<u8> {
    let key = hmac::Key::new(hmac::HMAC_SHA256, key);
    hmac::sign(&key, text).as_ref().to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys() -> Keys {
        Keys {
            id: "AKIDEXAMPLE".into(),
            secret: Secret::new("wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"),
            session: None,
        }
    }

    fn signature(method: &str, date: &str, headers: Vec<(HeaderName, &str)>) -> String {
        let now = date.parse().unwrap();
        let scope = Scope { region: "us-east-1", service: "service", now };
        authorization(&keys(), scope, method, "/", headers, b"")
    }

    #[test]
    fn signs_as_the_published_examples_do() {
        let date = "2015-08-30T12:36:00Z";
        let headers = || vec![(DATE, "20150830T123600Z"), (header::HOST, "example.amazonaws.com")];
        let start = "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, \
                     SignedHeaders=host;x-amz-date, Signature=";
        assert_eq!(
            signature("GET", date, headers()),
            format!("{start}5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31")
        );
        assert_eq!(
            signature("POST", date, headers()),
            format!("{start}5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b")
        );
    }

    #[test]
    fn an_endpoint_that_is_no_address_is_refused_before_anything_is_sent() {
        let scope = Scope { region: "us-east-1", service: "ecr", now: Time::default() };
        for endpoint in ["", "no address", "/path", "ftp://host/"] {
            assert!(
                signed_post(&keys(), scope, endpoint, &[], String::new()).is_err(),
                "{endpoint}"
            );
        }
    }

    #[test]
    fn a_session_that_no_header_can_carry_is_an_error_without_it() {
        let keys = Keys { session: Some(Secret::new("hunter2\n")), ..keys() };
        let scope = Scope { region: "us-east-1", service: "ecr", now: Time::default() };
        let error = signed_post(&keys, scope, "https://a.b/", &[], String::new()).unwrap_err();
        assert!(!format!("{error:?} {error} {keys:?}").contains("hunter2"));
    }
}
