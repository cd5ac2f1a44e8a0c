//! The way to servers, over the outbound client.

use std::time::Duration;

use bytes::Bytes;
use cli_client::{Body, BoxFuture, Chunks, Request, Response, Transport, TransportError, Trust};
use core_clock::Environment;
use http::{HeaderName, HeaderValue, Method};
use io_http::outbound::{self, Client, Error, Outbound, Settings, Tls};

use crate::exit::{Exit, Failure};

/// A stream says something every half minute; three times silence is the end of it.
const SILENCE: Duration = Duration::from_secs(90);

/// Clients for servers that can be believed, and for those that must be.
pub(super) struct Outgoing {
    verified: Client,
    anyone: Client,
}

impl Outgoing {
    pub(super) fn new(environment: &dyn Environment) -> Result<Self, Failure> {
        let mut settings = Settings::from_environment(environment).map_err(Failure::usage)?;
        settings.deadlines.idle = SILENCE;
        let outbound = Outbound::new(settings);
        let client = |skip| {
            let made = outbound.client(&Tls::skip_verify(skip));
            made.map_err(|error| Failure::new(Exit::Error, error))
        };
        Ok(Self { verified: client(false)?, anyone: client(true)? })
    }
}

impl Transport for Outgoing {
    fn send(&self, request: Request) -> BoxFuture<'_, Result<Response, TransportError>> {
        let client = match request.trust {
            Trust::Verified => &self.verified,
            Trust::Anyone => &self.anyone,
        };
        Box::pin(async move {
            let response = client.send(outgoing(request)?).await.map_err(told)?;
            let headers = response.headers().iter().filter_map(|(name, value)| {
                Some((name.as_str().to_owned(), value.to_str().ok()?.to_owned()))
            });
            let (status, headers) = (response.status().as_u16(), headers.collect());
            let body: Body = Box::new(Incoming(response));
            Ok(Response { status, headers, body })
        })
    }
}

fn outgoing(request: Request) -> Result<outbound::Request, TransportError> {
    let is_read = request.method == Method::GET;
    let mut sent = outbound::Request::new(request.method, &request.url).map_err(told)?;
    for (name, value) in request.headers {
        let mut value = HeaderValue::from_str(&value).map_err(|_| told(Error::Header))?;
        value.set_sensitive(name == "authorization");
        sent = sent.header(HeaderName::from_static(name), value);
    }
    sent = sent.body(request.body);
    // A write that is led elsewhere would arrive there as a read.
    Ok(if is_read { sent } else { sent.redirects(0) })
}

struct Incoming(outbound::Response);

impl Chunks for Incoming {
    fn next(&mut self) -> BoxFuture<'_, Result<Option<Bytes>, TransportError>> {
        Box::pin(async move { self.0.chunk().await.map_err(told) })
    }
}

fn told(error: Error) -> TransportError {
    let text = error.to_string();
    match error {
        Error::Timeout { .. } => TransportError::TimedOut(text),
        Error::Tls { .. } | Error::PlainHttp { .. } => TransportError::Untrusted(text),
        error if error.is_temporary() => TransportError::Unreachable(text),
        _ => TransportError::Refused(text),
    }
}
