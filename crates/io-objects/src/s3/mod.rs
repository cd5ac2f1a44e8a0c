//! Objects in a bucket that speaks S3.

mod wire;

use std::{fmt, sync::Arc, time::Duration};

use bytes::Bytes;
use core_clock::{Clock, Environment, Variables};
use core_rules::{credential::Secret, digest::sha256_hex};
use http::{HeaderName, Method, StatusCode};
use io_http::outbound::{
    Client, Outbound, Response, Tls,
    aws::{Call, Keys, Scope, signed},
};

use self::wire::{Page, Refusal, encode, encode_path};
use crate::{Action, Error, KeySource, address};

const CONTENT_SUM: HeaderName = HeaderName::from_static("x-amz-content-sha256");
const DEFAULT_REGION: &str = "us-east-1";
/// How often one call is made at most.
const TRIES: u32 = 3;
/// The pause before the second try; it doubles.
const PAUSE: Duration = Duration::from_millis(100);
/// How long an answer may take, beside what its bytes need.
const PATIENCE: Duration = Duration::from_secs(10);
/// The slowest way there that is waited for, in bytes per second.
const SLOWEST: u64 = 100 * 1024;
/// More than any object here ever has.
const MAX_OBJECT: u64 = 4 * 1024 * 1024 * 1024;
/// More than a page of a list or an error ever has.
const MAX_PAGE: u64 = 8 * 1024 * 1024;

/// A part of a bucket.
pub struct S3 {
    client: Client,
    clock: Arc<dyn Clock>,
    keys: Arc<dyn KeySource>,
    region: String,
    bucket: address::Bucket,
    /// The address of the bucket, without a slash at its end.
    url: String,
}

/// What to ask.
struct Question<'a> {
    action: Action,
    method: Method,
    key: &'a str,
    query: &'a str,
    body: Bytes,
}

/// A try without success.
struct Failed {
    error: Error,
    /// Whether the next one may have more.
    is_temporary: bool,
}

impl From<Error> for Failed {
    fn from(error: Error) -> Self {
        Self { is_temporary: is_temporary(&error), error }
    }
}

impl S3 {
    pub(crate) fn open(
        bucket: &address::Bucket,
        keys: Arc<dyn KeySource>,
        environment: &dyn Environment,
        outbound: &Outbound,
        clock: Arc<dyn Clock>,
    ) -> Result<Self, Error> {
        let region =
            bucket.region.clone().or_else(|| Variables::new(environment).text("AWS_REGION"));
        let region = region.unwrap_or_else(|| DEFAULT_REGION.to_owned());
        let client = outbound.client(&Tls::default())?;
        let (bucket, url) = (bucket.clone(), bucket_url(bucket, &region));
        Ok(Self { client, clock, keys, region, bucket, url })
    }

    pub(crate) async fn put(&self, key: &str, body: Bytes) -> Result<(), Error> {
        let action = Action::Put;
        self.ask(Question { action, method: Method::PUT, key, query: "", body }).await.map(drop)
    }

    pub(crate) async fn get(&self, key: &str) -> Result<Bytes, Error> {
        let (action, method) = (Action::Get, Method::GET);
        self.ask(Question { action, method, key, query: "", body: Bytes::new() }).await
    }

    pub(crate) async fn delete(&self, key: &str) -> Result<(), Error> {
        let (action, method) = (Action::Delete, Method::DELETE);
        let body = Bytes::new();
        match self.ask(Question { action, method, key, query: "", body }).await {
            Ok(_) | Err(Error::Missing { .. }) => Ok(()),
            Err(error) => Err(error),
        }
    }

    pub(crate) async fn list(&self) -> Result<Vec<String>, Error> {
        let inner = match self.bucket.prefix.as_str() {
            "" => String::new(),
            prefix => format!("{prefix}/"),
        };
        let mut keys = Vec::new();
        let mut token: Option<String> = None;
        loop {
            let mut query = format!("list-type=2&prefix={}", encode(&inner));
            if let Some(token) = &token {
                query = format!("continuation-token={}&{query}", encode(token));
            }
            let (action, method, body) = (Action::List, Method::GET, Bytes::new());
            let page = self.ask(Question { action, method, key: "", query: &query, body }).await?;
            let page =
                Page::parse(&page).map_err(|why| Error::List { place: self.to_string(), why })?;
            keys.extend(
                page.keys.iter().filter_map(|key| key.strip_prefix(&inner)).map(str::to_owned),
            );
            token = page.next;
            if token.is_none() {
                return Ok(keys);
            }
        }
    }

    /// Asks, and asks again where that may help.
    async fn ask(&self, question: Question<'_>) -> Result<Bytes, Error> {
        let mut pause = PAUSE;
        for _ in 1..TRIES {
            match self.try_once(&question).await {
                Err(failed) if failed.is_temporary => self.clock.sleep(pause).await,
                result => return result.map_err(|failed| failed.error),
            }
            pause *= 2;
        }
        self.try_once(&question).await.map_err(|failed| failed.error)
    }

    async fn try_once(&self, question: &Question<'_>) -> Result<Bytes, Failed> {
        let Question { action, key, body, .. } = question;
        let keys = self.keys.keys().await;
        let keys = keys.map_err(|source| Error::NoKeys { place: self.to_string(), source })?;
        let url = self.question_url(question);
        let sum = sha256_hex(body);
        let headers = [(CONTENT_SUM, sum.as_str())];
        let scope = Scope { region: &self.region, service: "s3", now: self.clock.now() };
        let method = question.method.clone();
        let call = Call { method, url: &url, headers: &headers, body: body.clone() };
        let failed = |source| {
            let (place, key) = (self.to_string(), shown_key(key));
            Error::Network { place, action: *action, key, source }
        };
        let patience = match action {
            // How long an object is, nobody knows before.
            Action::Get => MAX_OBJECT,
            _ => u64::try_from(body.len()).unwrap_or(MAX_OBJECT),
        };
        let patience = PATIENCE + Duration::from_secs(patience / SLOWEST);
        let request = signed(&keys, scope, call).map_err(failed)?;
        let request = request.within(patience).redirects(0);
        let request = if *action == Action::Put { request.patient() } else { request };
        let response = self.client.send(request).await.map_err(failed)?;
        let status = response.status();
        let limit = if *action == Action::Get { MAX_OBJECT } else { MAX_PAGE };
        if status.is_success() {
            return Ok(response.read_limited(limit).await.map_err(failed)?);
        }
        Err(self.refusal(question, &keys, response).await)
    }

    async fn refusal(&self, question: &Question<'_>, keys: &Keys, response: Response) -> Failed {
        let (place, key) = (self.to_string(), shown_key(question.key));
        let status = response.status();
        let body = response.read_limited(MAX_PAGE).await.unwrap_or_default();
        let refusal = Refusal::parse(&body);
        if status == StatusCode::NOT_FOUND && refusal.is_about_an_object() {
            return Error::Missing { place, key }.into();
        }
        let session = keys.session.as_ref().map(Secret::expose);
        let secrets: Vec<&str> =
            [keys.id.as_str(), keys.secret.expose()].into_iter().chain(session).collect();
        let told = refusal.told(&secrets);
        let action = question.action;
        let failed = Failed::from(Error::Refused { place, action, key, status, told });
        let is_renewed = refusal.is_about_keys() && self.keys.give_up(keys);
        Failed { is_temporary: failed.is_temporary || is_renewed, ..failed }
    }

    fn question_url(&self, question: &Question<'_>) -> String {
        let mut url = format!("{}/", self.url);
        if !question.key.is_empty() {
            if !self.bucket.prefix.is_empty() {
                url.push_str(&encode_path(&self.bucket.prefix));
                url.push('/');
            }
            url.push_str(&encode_path(question.key));
        }
        if !question.query.is_empty() {
            url.push('?');
            url.push_str(question.query);
        }
        url
    }
}

impl fmt::Display for S3 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.bucket.fmt(f)
    }
}

fn shown_key(key: &str) -> String {
    if key.is_empty() { "all objects".to_owned() } else { key.to_owned() }
}

/// Where a bucket is. Certificates of AWS do not cover names with dots; other servers have no names for buckets.
fn bucket_url(bucket: &address::Bucket, region: &str) -> String {
    let name = &bucket.name;
    if let Some(endpoint) = &bucket.endpoint {
        return format!("{endpoint}/{name}");
    }
    let domain = if region.starts_with("cn-") { "amazonaws.com.cn" } else { "amazonaws.com" };
    if name.contains('.') {
        format!("https://s3.{region}.{domain}/{name}")
    } else {
        format!("https://{name}.s3.{region}.{domain}")
    }
}

/// Whether the same call may succeed a little later.
fn is_temporary(error: &Error) -> bool {
    match error {
        Error::Network { source, .. } => source.is_temporary(),
        Error::Refused { status, .. } => {
            status.is_server_error() || *status == StatusCode::TOO_MANY_REQUESTS
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bucket_of_aws_has_a_host_and_any_other_a_path() {
        let url = |text: &str, region: &str| match text.parse().unwrap() {
            crate::Address::Bucket(bucket) => bucket_url(&bucket, region),
            crate::Address::Directory(path) => panic!("{}", path.display()),
        };
        assert_eq!(
            url("s3://my-bucket/a", "eu-west-1"),
            "https://my-bucket.s3.eu-west-1.amazonaws.com"
        );
        assert_eq!(
            url("s3://my.bucket/a", "us-east-1"),
            "https://s3.us-east-1.amazonaws.com/my.bucket"
        );
        assert_eq!(
            url("s3://my-bucket", "cn-north-1"),
            "https://my-bucket.s3.cn-north-1.amazonaws.com.cn"
        );
        assert_eq!(
            url("s3://my-bucket/a?endpoint=http://minio:9000", "x"),
            "http://minio:9000/my-bucket"
        );
    }
}
