//! The request, as users configure it.

use std::time::Duration;

use core_rules::digest::hex;
use http::{HeaderName, HeaderValue, Method, header};
use io_http::outbound::{Error, Request};
use schemars::JsonSchema;
use serde::Deserialize;
use sha2::{Digest, Sha256};

use crate::{StepCx, StepError};

/// Nothing takes longer, whatever the configuration says.
const LONGEST: Duration = Duration::from_hours(1);

/// By which a server knows that it has seen a request before.
const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");

/// What the connection decides and users do not.
const OURS: [HeaderName; 3] = [header::CONTENT_LENGTH, header::TRANSFER_ENCODING, header::TRAILER];

/// A header of a request.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Header {
    /// Its name.
    #[schemars(length(min = 1))]
    name: String,
    /// Its value.
    #[schemars(length(min = 1))]
    value: String,
}

/// A parameter of a URL.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct QueryParameter {
    /// Its name.
    #[schemars(length(min = 1))]
    name: String,
    /// Its value.
    #[schemars(length(min = 1))]
    value: String,
}

/// A request that is not sent yet.
pub(crate) struct Message<'a> {
    pub(crate) method: &'static str,
    pub(crate) url: &'a str,
    pub(crate) headers: &'a [Header],
    pub(crate) parameters: &'a [QueryParameter],
    pub(crate) body: Vec<u8>,
    pub(crate) idempotency_key: Option<String>,
}

impl Message<'_> {
    /// With a key that is the same whenever this step of this Promotion sends the same request.
    pub(crate) fn with_idempotency_key(mut self, cx: &StepCx<'_>) -> Self {
        let mut hasher = Sha256::new();
        let subject = cx.subject;
        let parts = [&subject.project, &subject.promotion, cx.alias, self.method, self.url];
        for part in parts.into_iter().map(str::as_bytes).chain([self.body.as_slice()]) {
            hasher.update((part.len() as u64).to_be_bytes());
            hasher.update(part);
        }
        self.idempotency_key = hasher.finalize().get(..16).map(hex);
        self
    }

    /// The request; what HTTP cannot carry is refused for good.
    pub(crate) fn request(&self, timeout: Duration) -> Result<Request, StepError> {
        let refused = |error| StepError::fatal("the request could not be made").because(error);
        let method =
            Method::from_bytes(self.method.as_bytes()).map_err(|_| refused(Error::Header))?;
        let mut request = Request::new(method, self.url)
            .map_err(refused)?
            .body(self.body.clone())
            .within(timeout)
            .patient();
        if let Some(key) = &self.idempotency_key {
            request = request.try_header(IDEMPOTENCY_KEY, key).map_err(refused)?;
        }
        let mut own_key = self.idempotency_key.is_some();
        for Header { name, value } in self.headers {
            let name =
                HeaderName::from_bytes(name.as_bytes()).map_err(|_| refused(Error::Header))?;
            let value = HeaderValue::from_str(value).map_err(|_| refused(Error::Header))?;
            if OURS.contains(&name) {
                continue;
            }
            // There is one host, and one key: the user's.
            let replaces = name == header::HOST || (name == IDEMPOTENCY_KEY && own_key);
            own_key &= name != IDEMPOTENCY_KEY;
            request = if replaces {
                request.header(name, value)
            } else {
                request.add_header(name, value)
            };
        }
        Ok(self
            .parameters
            .iter()
            .fold(request, |request, QueryParameter { name, value }| request.query(name, value)))
    }

    /// Method and host, for people.
    pub(crate) fn describe(&self) -> String {
        let host = Request::get(self.url).map(|request| request.host()).unwrap_or_default();
        format!("{} {host}", self.method)
    }
}

/// A duration of the configuration, or what it is when there is none.
pub(crate) fn duration(text: &str, default: Duration) -> Result<Duration, StepError> {
    if text.is_empty() {
        return Ok(default);
    }
    let wrong = || StepError::fatal(format!("{text:?} is not a duration such as 30s or 5m"));
    let span: api_kinds::duration::Duration = text.parse().map_err(|_| wrong())?;
    Ok(Duration::try_from(span).map_err(|_| wrong())?.min(LONGEST))
}

/// How long a request may take; with 0 it is up to the other side, within reason.
pub(crate) fn timeout(text: &str, default: Duration) -> Result<Duration, StepError> {
    duration(text, default).map(|span| if span.is_zero() { LONGEST } else { span })
}

/// No answer, or not all of it.
pub(crate) fn transport_error(error: Error) -> StepError {
    StepError::retryable("the request had no usable answer").because(error)
}
