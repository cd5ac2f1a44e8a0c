//! What can go wrong on the way to a server. No text here holds a credential, a path or a query.

use std::{io, net::IpAddr, time::Duration};

use super::Refusal;

/// Which wait ended without an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    Connect,
    Headers,
    Body,
    /// The whole exchange, as the caller limited it.
    Total,
}

impl Phase {
    fn awaited(self) -> &'static str {
        match self {
            Self::Connect => "be reached",
            Self::Headers => "answer",
            Self::Body => "go on sending",
            Self::Total => "finish its answer",
        }
    }
}

/// Why there is no (whole) answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    #[error("the address is not an http or https URL with a host")]
    Address,
    #[error("a header would hold characters that HTTP does not allow")]
    Header,
    #[error("{host} is not dialled: its address {address} is refused, because {refusal}")]
    Refused { host: String, address: IpAddr, refusal: Refusal },
    #[error("the name {host} could not be resolved")]
    Name { host: String },
    #[error("{host} could not be reached: {reason}")]
    Connect { host: String, reason: String },
    #[error("{host} answers in plain HTTP where TLS was expected")]
    PlainHttp { host: String },
    #[error("no trusted TLS connection to {host}: {reason}")]
    Tls { host: String, reason: String },
    #[error("{host} did not {} within {} s", .phase.awaited(), .after.as_secs())]
    Timeout { host: String, phase: Phase, after: Duration },
    #[error("{host} broke off: {reason}")]
    Broken { host: String, reason: String },
    #[error("{host} sent more than {limit} bytes")]
    TooLarge { host: String, limit: u64 },
    #[error("{host} redirects more than {limit} times")]
    TooManyRedirects { host: String, limit: u8 },
    #[error("{host} redirects to an address that is not followed: {reason}")]
    Redirect { host: String, reason: &'static str },
}

impl Error {
    /// Whether the same request may succeed a little later.
    pub fn is_temporary(&self) -> bool {
        matches!(
            self,
            Self::Name { .. } | Self::Connect { .. } | Self::Timeout { .. } | Self::Broken { .. }
        )
    }

    /// Puts the client's error in our words; `phase` is what was under way.
    pub(super) fn from_client(
        error: &reqwest::Error,
        host: &str,
        phase: Phase,
        after: Duration,
    ) -> Self {
        let host = host.to_owned();
        if let Some(refused) = find::<Self>(error) {
            return refused.clone();
        }
        if error.is_timeout() {
            let phase = if error.is_connect() { Phase::Connect } else { phase };
            return Self::Timeout { host, phase, after };
        }
        if let Some(tls) = find::<rustls::Error>(error) {
            return Self::from_tls(tls, host);
        }
        let reason = root_cause(error);
        if error.is_connect() {
            Self::Connect { host, reason }
        } else {
            Self::Broken { host, reason }
        }
    }

    fn from_tls(error: &rustls::Error, host: String) -> Self {
        use rustls::{Error as Tls, InvalidMessage};
        match error {
            // The first byte was no TLS record type: a server that speaks plain text.
            Tls::InvalidMessage(InvalidMessage::InvalidContentType) => Self::PlainHttp { host },
            other => Self::Tls { host, reason: other.to_string() },
        }
    }
}

/// The first cause of type `E`, looking into I/O errors, which hide what they carry.
fn find<'e, E: std::error::Error + 'static>(
    error: &'e (dyn std::error::Error + 'static),
) -> Option<&'e E> {
    let mut next = Some(error);
    while let Some(error) = next {
        if let Some(found) = error.downcast_ref::<E>() {
            return Some(found);
        }
        next = match error.downcast_ref::<io::Error>().and_then(io::Error::get_ref) {
            Some(inner) => Some(inner),
            None => error.source(),
        };
    }
    None
}

/// The last cause: the operating system's or the protocol's own words, which name no URL.
fn root_cause(error: &(dyn std::error::Error + 'static)) -> String {
    let mut last = error;
    while let Some(source) = last.source() {
        last = source;
    }
    if last.is::<reqwest::Error>() {
        return "the connection failed".to_owned();
    }
    last.to_string().chars().filter(|c| !c.is_control()).take(200).collect()
}
