//! Real sockets: our server with trust by our own authority and drain; the outbound client against servers that misbehave.

#![allow(clippy::disallowed_methods, reason = "tests run on the real clock and runtime")]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod outbound;

use std::{convert::Infallible, sync::Arc, time::Duration};

use core_clock::Clock;
use http::{Request, Response};
use http_body_util::Full;
use hyper::body::{Bytes, Incoming};
use io_http::{Authority, Limits, Listener, serve};
use io_runtime::{SystemClock, TaskGroup};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio_rustls::{
    TlsConnector,
    rustls::{
        self, ClientConfig, RootCertStore,
        pki_types::{CertificateDer, ServerName, pem::PemObject},
    },
};

fn connector(authority: &Authority) -> TlsConnector {
    let mut roots = RootCertStore::empty();
    roots
        .add(CertificateDer::from_pem_slice(authority.certificate_pem().as_bytes()).unwrap())
        .unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    TlsConnector::from(Arc::new(config))
}

#[tokio::test]
async fn a_client_that_trusts_the_authority_is_served_and_drain_ends_everything() {
    let clock = Arc::new(SystemClock::new());
    let made = Authority::generate(clock.now()).unwrap();
    let authority = Authority::from_pem(made.certificate_pem(), &made.key_pem()).unwrap();
    let certificate =
        authority.issue(&["127.0.0.1".into(), "localhost".into()], clock.now()).unwrap();
    let listener =
        Listener::bind("127.0.0.1:0".parse::<std::net::SocketAddr>().unwrap()).await.unwrap();
    let address = listener.address();
    let tasks = TaskGroup::new();
    let service = tower::service_fn(|request: Request<Incoming>| async move {
        let peer = request.extensions().get::<std::net::SocketAddr>().unwrap().ip().to_string();
        Ok::<_, Infallible>(Response::new(Full::new(Bytes::from(peer))))
    });
    serve(listener, &certificate, service, clock, Arc::new(tasks.clone()), Limits::default());

    let stream = tokio::net::TcpStream::connect(address).await.unwrap();
    let name = ServerName::try_from("localhost").unwrap();
    let mut client = connector(&authority).connect(name, stream).await.unwrap();
    client
        .write_all(b"GET / HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n")
        .await
        .unwrap();
    let mut reply = String::new();
    client.read_to_string(&mut reply).await.unwrap();
    assert!(reply.starts_with("HTTP/1.1 200 OK"), "{reply}");
    assert!(reply.ends_with("127.0.0.1"), "{reply}");

    assert!(tasks.shutdown(Duration::from_secs(5)).await);
    assert!(tokio::net::TcpStream::connect(address).await.is_err());
}
