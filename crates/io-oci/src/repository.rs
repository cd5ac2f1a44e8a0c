//! One repository as one caller sees it: requests with the right scheme, log-in and checks.

use std::{fmt::Display, sync::Arc, time::Duration};

use bytes::Bytes;
use http::{HeaderName, HeaderValue, StatusCode, header};
use io_http::outbound::{Request, Response, Url};

use crate::{
    Error, Limits, Pace,
    auth::{Login, parse_all},
    cache::{Cache, Partition},
    digest::Digest,
    line::Line,
    manifest::{ACCEPT, Configuration, Document},
    place::Place,
    registries::Shared,
    scheme::{Detection, Scheme},
    tags::{self, PageSize},
};

const CONTENT_DIGEST: HeaderName = HeaderName::from_static("docker-content-digest");
/// A request is signed anew this often: once to learn what is asked for, once for a stale token.
const MAX_CHALLENGES: usize = 2;

/// A repository of images or charts. Made by [`crate::Registries`]; cheap to make anew.
pub struct Repository {
    pub(crate) shared: Arc<Shared>,
    pub(crate) place: Place,
    pub(crate) line: Line,
    pub(crate) login: Arc<Login>,
    pub(crate) partition: Partition,
    pub(crate) detection: Detection,
    pub(crate) pace: Pace,
    /// When the search began, in monotonic time; none when each call is for itself.
    pub(crate) began: Option<Duration>,
}

/// A manifest as it was sent, with its true digest.
pub(crate) struct Raw {
    pub(crate) digest: Digest,
    pub(crate) content_type: Option<String>,
    pub(crate) body: Bytes,
}

/// A manifest with its true digest.
pub(crate) struct Fetched {
    pub(crate) digest: Digest,
    pub(crate) document: Document,
}

impl Repository {
    /// Begins a search: whether known tags have moved is asked at this pace, and what others are told
    /// of a tag from now on is not asked again.
    #[must_use]
    pub fn at_pace(self, pace: Pace) -> Self {
        Self { pace, began: Some(self.line.monotonic()), ..self }
    }

    /// All tags of the repository, sorted.
    pub async fn tags(&self) -> Result<Vec<String>, Error> {
        let size = match self.detection {
            Detection::LocalHosts => PageSize::Ours,
            Detection::AnyHost => PageSize::Servers,
        };
        tags::list(self, size).await
    }

    /// How many requests this value has sent, log-in and probes included.
    pub fn requests(&self) -> u64 {
        self.line.requests()
    }

    pub(crate) fn limits(&self) -> Limits {
        self.shared.settings.limits
    }

    pub(crate) fn cache(&self) -> &Cache {
        &self.shared.cache
    }

    pub(crate) fn partition(&self) -> &Partition {
        &self.partition
    }

    /// The address of something in the repository.
    pub(crate) async fn url(&self, path: &str) -> Result<Url, Error> {
        let scheme = self.scheme().await?.as_str();
        let text =
            format!("{scheme}://{}/v2/{}/{path}", self.place.host(), self.place.repository());
        Url::parse(&text).map_err(|_| Error::Repository(Error::quote(&text)))
    }

    /// The digest a tag has now; `None` when the server does not say.
    pub(crate) async fn head(&self, tag: &str) -> Result<Option<Digest>, Error> {
        let url = self.url(&format!("manifests/{tag}")).await?;
        let request = Request::head(url.as_str())?;
        let response = self.send(request, &ACCEPT).await?;
        if response.status() == StatusCode::METHOD_NOT_ALLOWED {
            return Ok(None);
        }
        self.check(&response, &format!("tag {tag}"))?;
        Ok(response.header(&CONTENT_DIGEST).and_then(|digest| digest.parse().ok()))
    }

    /// A manifest or index by tag or digest, checked against `expected` or what the server says it is.
    pub(crate) async fn manifest(
        &self,
        reference: &str,
        expected: Option<&Digest>,
    ) -> Result<Fetched, Error> {
        let Raw { digest, content_type, body } = self.raw_manifest(reference, expected).await?;
        let document = Document::parse(content_type.as_deref(), &body)
            .map_err(|problem| problem.of(self.place.host(), &format!("manifest {reference}")))?;
        Ok(Fetched { digest, document })
    }

    /// The same, byte for byte.
    pub(crate) async fn raw_manifest(
        &self,
        reference: &str,
        expected: Option<&Digest>,
    ) -> Result<Raw, Error> {
        let url = self.url(&format!("manifests/{reference}")).await?;
        let response = self.get(url.as_str(), &ACCEPT, &format!("manifest {reference}")).await?;
        let stated = response.header(&CONTENT_DIGEST).and_then(|digest| digest.parse().ok());
        let content_type = response.header(&header::CONTENT_TYPE).map(str::to_owned);
        let body = response.read_limited(self.limits().manifest_bytes).await?;
        let digest = self.verify(&body, expected.cloned().or(stated))?;
        Ok(Raw { digest, content_type, body })
    }

    /// The configuration of an image.
    pub(crate) async fn configuration(&self, digest: &Digest) -> Result<Configuration, Error> {
        let url = self.url(&format!("blobs/{digest}")).await?;
        let response = self.get(url.as_str(), &[], &format!("configuration {digest}")).await?;
        let body = response.read_limited(self.limits().manifest_bytes).await?;
        self.verify(&body, Some(digest.clone()))?;
        serde_json::from_slice(&body)
            .map_err(|error| self.malformed("an image configuration", &error))
    }

    /// Sends a GET and makes every status but success an error.
    pub(crate) async fn get(
        &self,
        url: &str,
        accept: &[&str],
        what: &str,
    ) -> Result<Response, Error> {
        let response = self.send(Request::get(url)?, accept).await?;
        self.check(&response, what)?;
        Ok(response)
    }

    pub(crate) fn malformed(&self, what: &str, problem: &dyn Display) -> Error {
        Error::Malformed {
            host: self.place.host().to_owned(),
            what: what.to_owned(),
            problem: Error::quote(&problem.to_string()),
        }
    }

    /// Sends with the log-in that is known, and learns from a 401.
    pub(crate) async fn send(&self, request: Request, accept: &[&str]) -> Result<Response, Error> {
        self.send_within(self.limits().exchange, request, accept).await
    }

    /// The same with another limit for the whole exchange.
    pub(crate) async fn send_within(
        &self,
        limit: Duration,
        request: Request,
        accept: &[&str],
    ) -> Result<Response, Error> {
        let mut request = request.within(limit);
        if let Ok(accept) = HeaderValue::from_str(&accept.join(", "))
            && !accept.is_empty()
        {
            request = request.header(header::ACCEPT, accept);
        }
        let scheme = self.scheme().await?;
        let mut challenges = 0;
        loop {
            let authorization = self.login.authorization(&self.line).await?;
            let signed = self.login.sign(request.clone(), &authorization)?;
            let response = self.line.send(signed).await?;
            if response.status() != StatusCode::UNAUTHORIZED || challenges == MAX_CHALLENGES {
                return Ok(response);
            }
            challenges += 1;
            // The credential would be next: not over a line that anybody can read.
            self.check_plain(scheme)?;
            let offers = parse_all(response.headers());
            if !self.login.challenged(&authorization, &offers, scheme).await? {
                return Ok(response);
            }
        }
    }

    fn check_plain(&self, scheme: Scheme) -> Result<(), Error> {
        let allowed = scheme == Scheme::Https
            || !self.login.has_password()
            || self.shared.settings.credentials_over_http
            || Detection::LocalHosts.applies(&self.place);
        if allowed {
            return Ok(());
        }
        Err(Error::CredentialOverHttp { host: self.place.host().to_owned() })
    }

    pub(crate) async fn scheme(&self) -> Result<Scheme, Error> {
        if !self.detection.applies(&self.place) {
            return Ok(Scheme::Https);
        }
        self.shared.schemes.of(&self.place, &self.line).await
    }

    /// Makes every status but success an error.
    pub(crate) fn check(&self, response: &Response, what: &str) -> Result<(), Error> {
        let (host, what) =
            (self.place.host().to_owned(), format!("{what} of {}", self.place.repository()));
        let status = response.status();
        match status.as_u16() {
            200..=299 => Ok(()),
            401 | 403 => Err(Error::Unauthorized {
                host,
                what,
                status: status.as_u16(),
                credential: self.login.has_password(),
            }),
            404 => Err(Error::NotFound { host, what }),
            status => Err(Error::Status { host, what, status }),
        }
    }

    fn verify(&self, body: &[u8], expected: Option<Digest>) -> Result<Digest, Error> {
        let Some(expected) = expected else { return Ok(Digest::of(body)) };
        let actual = expected.alike(body);
        if actual == expected {
            return Ok(actual);
        }
        Err(Error::Digest {
            host: self.place.host().to_owned(),
            expected: expected.into(),
            actual: actual.into(),
        })
    }
}
