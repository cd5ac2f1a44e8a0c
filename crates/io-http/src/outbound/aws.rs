//! Signed requests to AWS and to whatever speaks as it does (Signature Version 4).

use bytes::Bytes;
use core_clock::Time;
use core_rules::{
    credential::Secret,
    digest::{hex, sha256_hex},
};
use http::{HeaderName, Method, header};
use ring::hmac;

use super::{Error, Request};

/// Keys that sign for an identity.
#[derive(Clone, Debug)]
pub struct Keys {
    pub id: String,
    pub secret: Secret,
    /// Comes with keys that expire.
    pub session: Option<Secret>,
}

/// What a signature is good for.
#[derive(Clone, Copy, Debug)]
pub struct Scope<'a> {
    pub region: &'a str,
    pub service: &'a str,
    pub now: Time,
}

/// What is asked.
#[derive(Clone, Debug)]
pub struct Call<'a> {
    pub method: Method,
    /// Everything in its path and query that is not unreserved is percent-encoded.
    pub url: &'a str,
    /// Signed along.
    pub headers: &'a [(HeaderName, &'a str)],
    pub body: Bytes,
}

const ALGORITHM: &str = "AWS4-HMAC-SHA256";
const DATE: HeaderName = HeaderName::from_static("x-amz-date");
const SESSION: HeaderName = HeaderName::from_static("x-amz-security-token");

/// The request of a call, signed.
pub fn signed(keys: &Keys, scope: Scope<'_>, call: Call<'_>) -> Result<Request, Error> {
    let mut request = Request::new(call.method, call.url)?;
    let (host, date) = (request.host(), compact(scope.now));
    let mut headers = call.headers.to_vec();
    headers.push((DATE, &date));
    for (name, value) in &headers {
        request = request.try_header(name.clone(), value)?;
    }
    if let Some(session) = &keys.session {
        request = request.secret_header(SESSION, session.expose())?;
        headers.push((SESSION, session.expose()));
    }
    headers.push((header::HOST, &host));
    let canonical = canonical(&request, headers, &call.body);
    let authorization = authorization(keys, scope, &canonical);
    request.secret_header(header::AUTHORIZATION, &authorization).map(|it| it.body(call.body))
}

/// A request in the form that is signed, with the names of the headers in it.
struct Canonical {
    text: String,
    headers: String,
}

fn canonical(request: &Request, mut headers: Vec<(HeaderName, &str)>, body: &[u8]) -> Canonical {
    headers.sort_by(|a, b| a.0.as_str().cmp(b.0.as_str()));
    let names = headers.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>().join(";");
    let line = |(name, value): &(HeaderName, &str)| format!("{name}:{}\n", value.trim());
    let lines = headers.iter().map(line).collect::<Vec<_>>().concat();
    let (method, path) = (&request.method, request.url.path());
    let query = canonical_query(request.url.query().unwrap_or_default());
    let text = format!("{method}\n{path}\n{query}\n{lines}\n{names}\n{}", sha256_hex(body));
    Canonical { text, headers: names }
}

/// The parameters in order, each with a value.
fn canonical_query(query: &str) -> String {
    let parameters = query.split('&').filter(|parameter| !parameter.is_empty());
    let mut pairs: Vec<(&str, &str)> =
        parameters.map(|parameter| parameter.split_once('=').unwrap_or((parameter, ""))).collect();
    pairs.sort_unstable();
    pairs.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join("&")
}

/// The value of the header that proves who asks.
fn authorization(keys: &Keys, scope: Scope<'_>, canonical: &Canonical) -> String {
    let date = compact(scope.now);
    let day = date.get(..8).unwrap_or_default();
    let reach = format!("{day}/{}/{}/aws4_request", scope.region, scope.service);
    let text = format!("{ALGORITHM}\n{date}\n{reach}\n{}", sha256_hex(canonical.text.as_bytes()));
    let start = format!("AWS4{}", keys.secret.expose());
    let key = [day, scope.region, scope.service, "aws4_request"]
        .into_iter()
        .fold(start.into_bytes(), |key, part| hmac_sha256(&key, part.as_bytes()));
    let signature = hex(&hmac_sha256(&key, text.as_bytes()));
    let (id, names) = (&keys.id, &canonical.headers);
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

    fn keys(id: &str, secret: &str) -> Keys {
        Keys { id: id.into(), secret: Secret::new(secret), session: None }
    }

    fn example_keys() -> Keys {
        keys("AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY")
    }

    fn authorization(keys: &Keys, scope: Scope<'_>, call: Call<'_>) -> String {
        let request = signed(keys, scope, call).unwrap();
        request.headers[header::AUTHORIZATION].to_str().unwrap().to_owned()
    }

    #[test]
    fn signs_as_the_published_examples_do() {
        let now = "2015-08-30T12:36:00Z".parse().unwrap();
        let scope = Scope { region: "us-east-1", service: "service", now };
        let signature = |method| {
            let url = "https://example.amazonaws.com";
            authorization(
                &example_keys(),
                scope,
                Call { method, url, headers: &[], body: Bytes::new() },
            )
        };
        let start = "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, \
                     SignedHeaders=host;x-amz-date, Signature=";
        assert_eq!(
            signature(Method::GET),
            format!("{start}5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31")
        );
        assert_eq!(
            signature(Method::POST),
            format!("{start}5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b")
        );
    }

    /// The signature of a call to the bucket of the published examples of S3.
    fn s3(method: Method, path: &str, headers: &[(&'static str, &str)], body: &str) -> String {
        let keys = keys("AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY");
        let now = "2013-05-24T00:00:00Z".parse().unwrap();
        let scope = Scope { region: "us-east-1", service: "s3", now };
        let sum = sha256_hex(body.as_bytes());
        let mut headers: Vec<(HeaderName, &str)> =
            headers.iter().map(|(name, value)| (HeaderName::from_static(name), *value)).collect();
        headers.push((HeaderName::from_static("x-amz-content-sha256"), &sum));
        let url = format!("https://examplebucket.s3.amazonaws.com{path}");
        let body = Bytes::copy_from_slice(body.as_bytes());
        let call = Call { method, url: &url, headers: &headers, body };
        let authorization = authorization(&keys, scope, call);
        authorization.rsplit_once('=').unwrap().1.to_owned()
    }

    #[test]
    fn signs_as_the_published_examples_of_s3_do() {
        assert_eq!(
            s3(Method::GET, "/test.txt", &[("range", "bytes=0-9")], ""),
            "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"
        );
        let headers = [
            ("date", "Fri, 24 May 2013 00:00:00 GMT"),
            ("x-amz-storage-class", "REDUCED_REDUNDANCY"),
        ];
        assert_eq!(
            s3(Method::PUT, "/test%24file.text", &headers, "Welcome to Amazon S3."),
            "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd"
        );
        assert_eq!(
            s3(Method::GET, "/?lifecycle", &[], ""),
            "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"
        );
        assert_eq!(
            s3(Method::GET, "/?prefix=J&max-keys=2", &[], ""),
            "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"
        );
    }

    #[test]
    fn an_endpoint_that_is_no_address_is_refused_before_anything_is_sent() {
        let scope = Scope { region: "us-east-1", service: "ecr", now: Time::default() };
        for url in ["", "no address", "/path", "ftp://host/"] {
            let call = Call { method: Method::POST, url, headers: &[], body: Bytes::new() };
            assert!(signed(&example_keys(), scope, call).is_err(), "{url}");
        }
    }

    #[test]
    fn a_session_that_no_header_can_carry_is_an_error_without_it() {
        let keys = Keys { session: Some(Secret::new("hunter2\n")), ..example_keys() };
        let scope = Scope { region: "us-east-1", service: "ecr", now: Time::default() };
        let (method, url) = (Method::POST, "https://a.b/");
        let call = Call { method, url, headers: &[], body: Bytes::new() };
        let error = signed(&keys, scope, call).unwrap_err();
        assert!(!format!("{error:?} {error} {keys:?}").contains("hunter2"));
    }
}
