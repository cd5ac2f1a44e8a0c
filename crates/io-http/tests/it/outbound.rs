//! The outbound client against servers that redirect, stall, flood and lie.

use std::{convert::Infallible, io::Write as _, net::SocketAddr, sync::Arc, time::Duration};

use core_clock::{Clock as _, FixedEnvironment};
use flate2::{Compression, write::GzEncoder};
use http_body_util::Full;
use hyper::body::{Bytes, Incoming};
use io_http::outbound::{Deadlines, Error, Outbound, Phase, Request, Settings, Tls};
use io_http::{Authority, Limits, Listener, serve};
use io_runtime::{SystemClock, TaskGroup};
use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader},
    net::{TcpListener, TcpStream},
    sync::mpsc,
};

/// A server that shows each request's headers and answers with what `answer` writes.
async fn server<A, F>(answer: A) -> (SocketAddr, mpsc::UnboundedReceiver<String>)
where
    A: Fn(TcpStream) -> F + Send + 'static,
    F: Future<Output = ()> + Send + 'static,
{
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let (seen, requests) = mpsc::unbounded_channel();
    tokio::task::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let mut reader = BufReader::new(stream);
            let mut head = String::new();
            while reader.read_line(&mut head).await.is_ok_and(|read| read > 2) {}
            let _ = seen.send(head);
            tokio::task::spawn(answer(reader.into_inner()));
        }
    });
    (address, requests)
}

async fn write(mut stream: TcpStream, text: String) {
    let _ = stream.write_all(text.as_bytes()).await;
    let _ = stream.shutdown().await;
}

fn impatient() -> Outbound {
    let blink = Duration::from_millis(300);
    let deadlines = Deadlines { connect: blink, headers: blink, idle: blink };
    let mut settings = Settings::default();
    settings.deadlines = deadlines;
    Outbound::new(settings)
}

async fn body(outbound: &Outbound, url: &str, limit: u64) -> Result<String, Error> {
    let client = outbound.client(&Tls::default()).unwrap();
    let response = client.send(Request::get(url).unwrap()).await?;
    let bytes = response.read_limited(limit).await?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

#[tokio::test]
async fn a_credential_does_not_follow_a_redirect_to_another_host() {
    let (other, mut other_requests) =
        server(|stream| write(stream, "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok".into()))
            .await;
    let redirect = format!(
        "HTTP/1.1 307 Elsewhere\r\nlocation: http://u:p@{other}/x\r\ncontent-length: 0\r\n\r\n"
    );
    let (first, mut first_requests) = server(move |stream| write(stream, redirect.clone())).await;
    let request = Request::get(&format!("http://{first}/")).unwrap().bearer("hunter2").unwrap();
    let client = impatient().client(&Tls::default()).unwrap();
    let response = client.send(request).await.unwrap();
    assert_eq!(response.url().as_str(), format!("http://{other}/x"));
    let (first, other) =
        (first_requests.recv().await.unwrap(), other_requests.recv().await.unwrap());
    assert!(first.contains("Bearer hunter2") && first.contains("user-agent: Kargo/"), "{first}");
    assert!(!other.to_lowercase().contains("authorization"), "{other}");
}

#[tokio::test]
async fn a_redirect_to_the_metadata_service_is_refused_before_it_is_dialled() {
    let redirect =
        "HTTP/1.1 302 F\r\nlocation: http://169.254.169.254/\r\ncontent-length: 0\r\n\r\n";
    let (address, _requests) = server(|stream| write(stream, redirect.into())).await;
    let result = body(&impatient(), &format!("http://{address}/"), 10).await;
    assert!(matches!(result, Err(Error::Refused { .. })), "{result:?}");
    let result = body(&impatient(), "http://[::ffff:169.254.169.254]/", 10).await;
    assert!(matches!(result, Err(Error::Refused { .. })), "{result:?}");
}

#[tokio::test]
async fn a_redirect_loop_ends() {
    let redirect =
        "HTTP/1.1 302 F\r\nlocation: /again\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";
    let (address, mut requests) = server(|stream| write(stream, redirect.into())).await;
    let result = body(&impatient(), &format!("http://{address}/"), 10).await;
    assert!(matches!(result, Err(Error::TooManyRedirects { limit: 10, .. })), "{result:?}");
    requests.close();
    let mut count = 0;
    while requests.recv().await.is_some() {
        count += 1;
    }
    assert_eq!(count, 11);
}

#[tokio::test]
async fn a_body_without_end_is_refused_at_the_limit() {
    let (address, _requests) = server(|mut stream| async move {
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n").await;
        while stream.write_all(&[b'x'; 4096]).await.is_ok() {}
    })
    .await;
    let result = body(&impatient(), &format!("http://{address}/"), 100_000).await;
    assert!(matches!(result, Err(Error::TooLarge { limit: 100_000, .. })), "{result:?}");
}

#[tokio::test]
async fn a_server_that_never_answers_or_stops_in_the_middle_is_given_up() {
    let silent = server(|stream| async move {
        std::future::pending::<()>().await;
        drop(stream);
    });
    let (address, _requests) = silent.await;
    let result = body(&impatient(), &format!("http://{address}/"), 10).await;
    assert!(matches!(result, Err(Error::Timeout { phase: Phase::Headers, .. })), "{result:?}");
    let stalled = server(|mut stream| async move {
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhalf").await;
        std::future::pending::<()>().await;
    });
    let (address, _requests) = stalled.await;
    let result = body(&impatient(), &format!("http://{address}/"), 10).await;
    assert!(matches!(result, Err(Error::Timeout { phase: Phase::Body, .. })), "{result:?}");
}

#[tokio::test]
async fn a_dripping_body_ends_at_the_total_deadline() {
    let (address, _requests) = server(|mut stream| async move {
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 999\r\n\r\n").await;
        while stream.write_all(b"x").await.is_ok() {
            tokio::time::timeout(Duration::from_millis(50), std::future::pending::<()>())
                .await
                .ok();
        }
    })
    .await;
    let client = impatient().client(&Tls::default()).unwrap();
    let request = Request::get(&format!("http://{address}/")).unwrap();
    let response = client.send(request.within(Duration::from_millis(500))).await.unwrap();
    let result = response.read_limited(1_000).await;
    assert!(matches!(result, Err(Error::Timeout { phase: Phase::Total, .. })), "{result:?}");
}

#[tokio::test]
async fn a_plain_server_behind_an_https_url_is_told_apart_from_one_that_is_away() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::task::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        let _ = stream.read(&mut [0; 4096]).await;
        write(stream, "HTTP/1.1 400 Bad Request\r\n\r\n".into()).await;
    });
    let result = body(&impatient(), &format!("https://{address}/"), 10).await;
    assert!(matches!(result, Err(Error::PlainHttp { .. })), "{result:?}");
    let away = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
    let result = body(&impatient(), &format!("https://{away}/"), 10).await;
    assert!(matches!(result, Err(Error::Connect { .. })), "{result:?}");
}

#[tokio::test]
async fn a_small_answer_that_unfolds_without_end_is_refused_at_the_limit() {
    let mut packed = GzEncoder::new(Vec::new(), Compression::best());
    packed.write_all(&vec![0; 10_000_000]).unwrap();
    let packed = packed.finish().unwrap();
    let (address, _requests) = server(move |mut stream| {
        let packed = packed.clone();
        async move {
            let head = format!(
                "HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: {}\r\n\r\n",
                packed.len()
            );
            let _ = stream.write_all(head.as_bytes()).await;
            let _ = stream.write_all(&packed).await;
        }
    })
    .await;
    let result = body(&impatient(), &format!("http://{address}/"), 100_000).await;
    assert!(matches!(result, Err(Error::TooLarge { .. })), "{result:?}");
}

#[tokio::test]
async fn a_proxy_of_the_environment_is_asked_and_loopback_is_not_sent_to_it() {
    let answer = "HTTP/1.1 200 OK\r\ncontent-length: 5\r\nconnection: close\r\n\r\nproxy";
    let (proxy, mut requests) = server(|stream| write(stream, answer.into())).await;
    let environment: FixedEnvironment = [("HTTP_PROXY", proxy.to_string())].into_iter().collect();
    let outbound = Outbound::new(Settings::from_environment(&environment).unwrap());
    assert_eq!(body(&outbound, "http://registry.invalid/v2/", 10).await.unwrap(), "proxy");
    assert!(requests.recv().await.unwrap().starts_with("GET http://registry.invalid/v2/ HTTP/1.1"));
    let direct = "HTTP/1.1 200 OK\r\ncontent-length: 6\r\nconnection: close\r\n\r\ndirect";
    let (address, _requests) = server(|stream| write(stream, direct.into())).await;
    assert_eq!(body(&outbound, &format!("http://{address}/"), 10).await.unwrap(), "direct");
}

#[tokio::test]
async fn no_proxy_is_asked_for_the_metadata_service() {
    let answer = "HTTP/1.1 200 OK\r\ncontent-length: 5\r\nconnection: close\r\n\r\nproxy";
    let (proxy, mut requests) = server(|stream| write(stream, answer.into())).await;
    let environment: FixedEnvironment = [("HTTP_PROXY", proxy.to_string())].into_iter().collect();
    let outbound = Outbound::new(Settings::from_environment(&environment).unwrap());
    let client = outbound.metadata_client().unwrap();
    let request = Request::get("http://metadata.invalid/token").unwrap();
    let result = client.send(request.clone()).await.map(|response| response.status());
    assert!(matches!(result, Err(Error::Name { .. } | Error::Connect { .. })), "{result:?}");
    assert!(requests.try_recv().is_err());
    let client = outbound.client(&Tls::default()).unwrap();
    assert!(client.send(request).await.is_ok() && requests.try_recv().is_ok());
}

#[tokio::test]
async fn a_certificate_is_trusted_by_its_authority_or_by_order_and_not_otherwise() {
    let clock = Arc::new(SystemClock::new());
    let authority = Authority::generate(clock.now()).unwrap();
    let certificate = authority.issue(&["localhost".into()], clock.now()).unwrap();
    let listener = Listener::bind("127.0.0.1:0".parse().unwrap()).await.unwrap();
    let port = listener.address().port();
    let tasks = TaskGroup::new();
    let service = tower::service_fn(|_: http::Request<Incoming>| async {
        Ok::<_, Infallible>(http::Response::new(Full::new(Bytes::from("ok"))))
    });
    serve(listener, &certificate, service, clock, Arc::new(tasks.clone()), Limits::default());
    let get = async |tls: &Tls, host: &str| {
        let client = impatient().client(tls).unwrap();
        let request = Request::get(&format!("https://{host}:{port}/")).unwrap();
        client.send(request).await?.read_limited(10).await
    };
    let ours = Tls { ca_pem: Some(authority.certificate_pem().into()), ..Tls::default() };
    assert_eq!(get(&ours, "localhost").await.unwrap(), "ok");
    for (tls, host) in [(&Tls::default(), "localhost"), (&ours, "127.0.0.1")] {
        let result = get(tls, host).await;
        assert!(matches!(result, Err(Error::Tls { .. })), "{result:?}");
    }
    assert_eq!(get(&Tls::skip_verify(true), "127.0.0.1").await.unwrap(), "ok");
    assert!(tasks.shutdown(Duration::from_secs(5)).await);
}
