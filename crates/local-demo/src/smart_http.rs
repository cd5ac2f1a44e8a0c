//! Git over HTTP, as clients have spoken it since Git 1.6.6: two requests, each answered by a run of the program.

use std::io::Read as _;

use bytes::Bytes;
use http::{
    HeaderMap, Method, Request, StatusCode,
    header::{CONTENT_ENCODING, CONTENT_TYPE},
};

use crate::{
    Error,
    reply::{self, Reply},
    repository::{Repository, Said, Service},
};

/// What a compressed request may become.
const MAX_REQUEST: u64 = 64 << 20;

/// Answers what is asked of the repository; `path` is what follows its own.
pub(crate) async fn answer(repository: &Repository, request: &Request<Bytes>, path: &str) -> Reply {
    let (method, headers) = (request.method(), request.headers());
    let answered = match (method, path) {
        (&Method::GET, "info/refs") => match service_of(request.uri().query()) {
            Some(service) => hello(repository, service, protocol(headers)).await,
            // Clients that know nothing else would read the files of the repository.
            None => {
                Ok(reply::text(StatusCode::FORBIDDEN, "only for clients of Git 1.6.6 or later"))
            }
        },
        (&Method::POST, "git-upload-pack") => talk(repository, Service::UploadPack, request).await,
        (&Method::POST, "git-receive-pack") => {
            talk(repository, Service::ReceivePack, request).await
        }
        _ => Ok(reply::not_found()),
    };
    answered.unwrap_or_else(|error| {
        tracing::warn!(%error, "a client of the Git repository of the demo got no answer");
        reply::text(StatusCode::INTERNAL_SERVER_ERROR, "git failed")
    })
}

async fn hello(
    repository: &Repository,
    service: Service,
    protocol: Option<&str>,
) -> Result<Reply, Error> {
    let refs = repository.serve(service, Said::Hello, protocol).await?;
    let mut body = Vec::new();
    if protocol != Some("version=2") || service == Service::ReceivePack {
        let title = format!("# service=git-{}\n", service.name());
        body.extend(format!("{:04x}{title}0000", title.len() + 4).into_bytes());
    }
    body.extend(refs);
    Ok(reply::content(
        match service {
            Service::UploadPack => "application/x-git-upload-pack-advertisement",
            Service::ReceivePack => "application/x-git-receive-pack-advertisement",
        },
        body,
    ))
}

async fn talk(
    repository: &Repository,
    service: Service,
    request: &Request<Bytes>,
) -> Result<Reply, Error> {
    let (asked, answered) = match service {
        Service::UploadPack => {
            ("application/x-git-upload-pack-request", "application/x-git-upload-pack-result")
        }
        Service::ReceivePack => {
            ("application/x-git-receive-pack-request", "application/x-git-receive-pack-result")
        }
    };
    // A page in a browser cannot send this type to another site, so that no page changes the repository.
    if request.headers().get(CONTENT_TYPE).is_none_or(|given| given != asked) {
        return Ok(reply::text(StatusCode::UNSUPPORTED_MEDIA_TYPE, asked));
    }
    let Some(body) = decoded(request.headers(), request.body()) else {
        return Ok(reply::text(StatusCode::BAD_REQUEST, "the body cannot be decoded"));
    };
    let said = Said::Request(&body);
    let said = repository.serve(service, said, protocol(request.headers())).await?;
    Ok(reply::content(answered, said))
}

fn service_of(query: Option<&str>) -> Option<Service> {
    match query {
        Some("service=git-upload-pack") => Some(Service::UploadPack),
        Some("service=git-receive-pack") => Some(Service::ReceivePack),
        _ => None,
    }
}

/// The version of the protocol that a client asks for, where it is one that exists.
fn protocol(headers: &HeaderMap) -> Option<&'static str> {
    let asked = headers.get("git-protocol")?.to_str().ok()?;
    ["version=2", "version=1"]
        .into_iter()
        .find(|version| asked.split(':').any(|part| part == *version))
}

fn decoded(headers: &HeaderMap, body: &Bytes) -> Option<Bytes> {
    match headers.get(CONTENT_ENCODING).map(http::HeaderValue::as_bytes) {
        None | Some(b"identity") => Some(body.clone()),
        Some(b"gzip" | b"x-gzip") => {
            let mut text = Vec::new();
            let mut limited = flate2::read::GzDecoder::new(body.as_ref()).take(MAX_REQUEST + 1);
            limited.read_to_end(&mut text).ok()?;
            (u64::try_from(text.len()).is_ok_and(|size| size <= MAX_REQUEST)).then(|| text.into())
        }
        Some(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    #[test]
    fn compressed_requests_are_read_and_rubbish_is_refused() {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(b"0032want").unwrap();
        let body = Bytes::from(encoder.finish().unwrap());
        let mut headers = HeaderMap::new();
        assert_eq!(decoded(&headers, &body), Some(body.clone()));
        headers.insert(CONTENT_ENCODING, "gzip".parse().unwrap());
        assert_eq!(decoded(&headers, &body).unwrap(), "0032want");
        assert_eq!(decoded(&headers, &Bytes::from_static(b"rubbish")), None);
        headers.insert(CONTENT_ENCODING, "br".parse().unwrap());
        assert_eq!(decoded(&headers, &body), None);
    }

    #[test]
    fn only_known_versions_reach_the_program() {
        let asked = |text: &str| {
            let mut headers = HeaderMap::new();
            headers.insert("git-protocol", text.parse().unwrap());
            protocol(&headers)
        };
        assert_eq!(asked("version=2"), Some("version=2"));
        assert_eq!(asked("version=2:object-format=sha1"), Some("version=2"));
        assert_eq!(asked("version=9;rm"), None);
    }
}
