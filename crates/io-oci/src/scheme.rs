//! Whether a registry is spoken to with TLS.
//!
//! Always, unless its address can only be this machine or a private network and TLS fails there; OCI
//! chart repositories also when the server proves to speak plain HTTP.

use std::time::Duration;

use futures::future::{Either, select};
use io_http::outbound::{self, Request, is_local_host};

use crate::{Access, Error, Registries, line::Line, place::Place};

const PROBE_LIMIT: Duration = Duration::from_secs(30);
const HEAD_START: Duration = Duration::from_millis(300);

/// How to speak to a host.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Scheme {
    Https,
    Http,
}

/// When plain HTTP may be found out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Detection {
    /// For this machine and private addresses written as numbers.
    LocalHosts,
    /// For any host that answers TLS with plain text.
    AnyHost,
}

impl Scheme {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Https => "https",
            Self::Http => "http",
        }
    }
}

impl Detection {
    /// Whether `place` has to be probed at all.
    pub(crate) fn applies(self, place: &Place) -> bool {
        self == Self::AnyHost || is_local_host(place.host_name())
    }
}

impl Registries {
    /// Whether a registry of charts is one that speaks plain HTTP.
    pub async fn speaks_plain_http(&self, registry: &str, access: &Access) -> Result<bool, Error> {
        // Any repository will do: the question is put to the registry as a whole.
        let place = Place::chart(registry, "charts")?;
        let line = self.shared().line(place.budget_key(), access)?;
        Ok(self.shared().schemes.of(&place, &line).await? == Scheme::Http)
    }
}

/// Finds out how `place` wants to be spoken to.
pub(crate) async fn detect(place: &Place, line: &Line) -> Result<Scheme, Error> {
    if is_local_host(place.host_name()) {
        return race(place, line).await;
    }
    match probe(place, Scheme::Https, line).await {
        Err(Error::Outbound(outbound::Error::PlainHttp { .. })) => Ok(Scheme::Http),
        // Any other failure is for the real request to report.
        _ => Ok(Scheme::Https),
    }
}

/// TLS first; plain HTTP shortly after, or as soon as TLS failed.
async fn race(place: &Place, line: &Line) -> Result<Scheme, Error> {
    let https = Box::pin(probe(place, Scheme::Https, line));
    let https = match select(https, line.sleep(HEAD_START)).await {
        Either::Left((Ok(()), _)) => return Ok(Scheme::Https),
        Either::Left((Err(error), _)) => {
            return settle(error, probe(place, Scheme::Http, line).await);
        }
        Either::Right(((), https)) => https,
    };
    let http = Box::pin(probe(place, Scheme::Http, line));
    match select(https, http).await {
        Either::Left((Ok(()), _)) => Ok(Scheme::Https),
        Either::Left((Err(error), http)) => settle(error, http.await),
        Either::Right((Ok(()), _)) => Ok(Scheme::Http),
        Either::Right((http, https)) => match https.await {
            Ok(()) => Ok(Scheme::Https),
            Err(error) => settle(error, http),
        },
    }
}

/// Which scheme it is after TLS failed. When both fail, TLS is what was meant, unless the server
/// proved that it does not speak it.
fn settle(https: Error, http: Result<(), Error>) -> Result<Scheme, Error> {
    match (https, http) {
        (_, Ok(())) => Ok(Scheme::Http),
        (Error::Outbound(outbound::Error::PlainHttp { .. }), Err(http)) => Err(http),
        (https, Err(_)) => Err(https),
    }
}

async fn probe(place: &Place, scheme: Scheme, line: &Line) -> Result<(), Error> {
    let url = format!("{}://{}/v2/", scheme.as_str(), place.host());
    let request = Request::get(&url)?.redirects(0).within(line.patience().min(PROBE_LIMIT));
    let status = line.send_once(request).await?.status().as_u16();
    // A TLS server answers plain requests too, with 400 or a redirect.
    match status {
        200..=299 | 401 | 403 | 404 | 429 => Ok(()),
        status => {
            Err(Error::Status { host: place.host().to_owned(), what: "/v2/".to_owned(), status })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outbound(plain: bool) -> Error {
        let host = "localhost".to_owned();
        Error::Outbound(if plain {
            outbound::Error::PlainHttp { host }
        } else {
            outbound::Error::Tls { host, reason: "unknown issuer".into() }
        })
    }

    fn bad_request() -> Error {
        Error::Status { host: "localhost".into(), what: "/v2/".into(), status: 400 }
    }

    #[test]
    fn an_untrusted_certificate_is_reported_and_not_hidden_behind_plain_http() {
        assert_eq!(settle(outbound(false), Err(bad_request())), Err(outbound(false)));
        assert_eq!(settle(outbound(true), Err(bad_request())), Err(bad_request()));
        assert_eq!(settle(outbound(true), Ok(())), Ok(Scheme::Http));
    }

    #[test]
    fn only_local_image_registries_are_probed_and_any_chart_registry() {
        let (local, public) = ("localhost:5000/app", "ghcr.io/a/b");
        let probed =
            |detection: Detection, address| detection.applies(&Place::image(address).unwrap());
        assert!(probed(Detection::LocalHosts, local) && !probed(Detection::LocalHosts, public));
        assert!(probed(Detection::AnyHost, local) && probed(Detection::AnyHost, public));
    }
}
