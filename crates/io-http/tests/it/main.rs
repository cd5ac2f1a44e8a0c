//! Real sockets: our server with trust by our own authority and drain; the outbound client against servers that misbehave.

#![allow(clippy::disallowed_methods, reason = "tests run on the real clock and runtime")]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod outbound;

use std::{convert::Infallible, net::SocketAddr, sync::Arc, time::Duration};

use core_clock::Clock;
use http::{Request, Response};
use http_body_util::Full;
use hyper::body::{Bytes, Incoming};
use io_http::outbound::{Outbound, Settings, Tls};
use io_http::{Authority, Limits, Listener, serve};
use io_runtime::{SystemClock, TaskGroup};
use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader},
    net::TcpStream,
};
use tokio_rustls::{
    TlsConnector,
    client::TlsStream,
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

/// A server that an authority of its own vouches for.
struct Server {
    authority: Authority,
    address: SocketAddr,
    tasks: TaskGroup,
}

async fn start<A>(names: &[&str], answer: A) -> Server
where
    A: Fn(&Request<Incoming>) -> Vec<u8> + Clone + Send + 'static,
{
    let clock = Arc::new(SystemClock::new());
    let made = Authority::generate(clock.now()).unwrap();
    let authority = Authority::from_pem(made.certificate_pem(), &made.key_pem()).unwrap();
    let names: Vec<String> = names.iter().map(ToString::to_string).collect();
    let certificate = authority.issue(&names, clock.now()).unwrap();
    let listener = Listener::bind("127.0.0.1:0".parse().unwrap()).await.unwrap();
    let (address, tasks) = (listener.address(), TaskGroup::new());
    let service = tower::service_fn(move |request: Request<Incoming>| {
        let body = Bytes::from(answer(&request));
        async { Ok::<_, Infallible>(Response::new(Full::new(body))) }
    });
    serve(listener, &certificate, service, clock, Arc::new(tasks.clone()), Limits::default());
    Server { authority, address, tasks }
}

/// A connection to a server, and what is asked on it.
async fn ask(server: &Server, request: &str) -> TlsStream<TcpStream> {
    let stream = TcpStream::connect(server.address).await.unwrap();
    let name = ServerName::try_from("localhost").unwrap();
    let mut client = connector(&server.authority).connect(name, stream).await.unwrap();
    client.write_all(request.as_bytes()).await.unwrap();
    client
}

#[tokio::test]
async fn a_client_that_trusts_the_authority_is_served_and_drain_ends_everything() {
    let server = start(&["127.0.0.1", "localhost"], |request| {
        let peer = request.extensions().get::<SocketAddr>().unwrap();
        peer.ip().to_string().into_bytes()
    })
    .await;
    let request = "GET / HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n";
    let mut reply = String::new();
    ask(&server, request).await.read_to_string(&mut reply).await.unwrap();
    assert!(reply.starts_with("HTTP/1.1 200 OK"), "{reply}");
    assert!(reply.ends_with("127.0.0.1"), "{reply}");

    assert!(server.tasks.shutdown(Duration::from_secs(5)).await);
    assert!(TcpStream::connect(server.address).await.is_err());
}

#[tokio::test]
async fn replies_of_every_size_arrive_whole_while_the_connection_stays_open() {
    let server = start(&["localhost"], |request| {
        vec![b'x'; request.uri().path().trim_start_matches('/').parse().unwrap()]
    })
    .await;
    let tls = Tls { ca_pem: Some(server.authority.certificate_pem().into()), ..Tls::default() };
    let client = Outbound::new(Settings::default()).client(&tls).unwrap();
    for size in [1, 8_191, 8_192, 16_384, 16_385, 65_536, 80_000, 1_000_000] {
        let url = format!("https://localhost:{}/{size}", server.address.port());
        let response = client.send(io_http::outbound::Request::get(&url).unwrap()).await.unwrap();
        assert_eq!(response.read_limited(1_000_001).await.unwrap().len(), size, "HTTP/2");

        let request = format!("GET /{size} HTTP/1.1\r\nhost: localhost\r\n\r\n");
        let mut reader = BufReader::new(ask(&server, &request).await);
        let mut head = String::new();
        while reader.read_line(&mut head).await.unwrap() > 2 {}
        let mut body = vec![0; size];
        reader.read_exact(&mut body).await.unwrap();
        assert!(body.iter().all(|byte| *byte == b'x'), "HTTP/1.1, {size} bytes");
    }
    assert!(server.tasks.shutdown(Duration::from_secs(5)).await);
}
