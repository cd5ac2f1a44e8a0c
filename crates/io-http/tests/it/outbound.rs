//! The outbound client against servers that redirect, stall, flood and lie.

use std::{io::Write as _, net::SocketAddr, time::Duration};

use core_clock::FixedEnvironment;
use flate2::{Compression, write::GzEncoder};
use io_http::outbound::{Deadlines, Error, Outbound, Phase, Request, Settings, Tls};
use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader},
    net::{TcpListener, TcpStream},
    sync::mpsc,
};

use crate::{Server, start};

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
    let Server { authority, address, tasks } = start(&["localhost"], |_| b"ok".to_vec()).await;
    let port = address.port();
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
    let alone = Tls { exclusive: true, ..ours.clone() };
    assert_eq!(get(&alone, "localhost").await.unwrap(), "ok");
    let named = Tls { server_name: Some("localhost".into()), ..ours.clone() };
    assert_eq!(get(&named, "127.0.0.1").await.unwrap(), "ok");
    let misnamed = Tls { server_name: Some("other.example".into()), ..ours };
    let result = get(&misnamed, "localhost").await;
    assert!(matches!(result, Err(Error::Tls { .. })), "{result:?}");
    assert!(tasks.shutdown(Duration::from_secs(5)).await);
}

#[tokio::test]
async fn a_patient_request_waits_for_as_long_as_it_says() {
    let (slow, _requests) = server(|mut stream| async move {
        tokio::time::sleep(Duration::from_millis(900)).await;
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\no").await;
        tokio::time::sleep(Duration::from_millis(900)).await;
        let _ = stream.write_all(b"k").await;
    })
    .await;
    let client = impatient().client(&Tls::default()).unwrap();
    let request = Request::get(&format!("http://{slow}/")).unwrap();
    let long = request.clone().within(Duration::from_secs(10));
    assert!(client.send(long.clone()).await.is_err(), "the settings are less patient");
    let response = client.send(long.patient()).await.unwrap();
    assert_eq!(response.read_limited(2).await.unwrap(), "ok");
    let short = request.within(Duration::from_millis(200)).patient();
    let error = client.send(short).await.err();
    assert!(matches!(error, Some(Error::Timeout { phase: Phase::Total, .. })), "{error:?}");
}

#[tokio::test]
async fn headers_and_parameters_are_added_and_a_host_stays_with_its_server() {
    let (other, mut other_requests) = server(|stream| write(stream, ok(""))).await;
    let redirect =
        format!("HTTP/1.1 302 Elsewhere\r\nlocation: http://{other}/\r\ncontent-length: 0\r\n\r\n");
    let (first, mut first_requests) = server(move |stream| write(stream, redirect.clone())).await;
    let name = || http::HeaderName::from_static("x-a");
    let value = |text: &'static str| http::HeaderValue::from_static(text);
    let request = Request::get(&format!("http://{first}/?a=1"))
        .unwrap()
        .query("b", "2 3")
        .header(http::header::HOST, value("named.example"))
        .add_header(name(), value("1"))
        .add_header(name(), value("2"));
    impatient().client(&Tls::default()).unwrap().send(request).await.unwrap();
    let first = first_requests.recv().await.unwrap();
    assert!(first.starts_with("GET /?a=1&b=2+3 HTTP/1.1"), "{first}");
    assert!(first.contains("x-a: 1\r\n") && first.contains("x-a: 2\r\n"), "{first}");
    assert!(first.contains("host: named.example\r\n"), "{first}");
    assert!(!other_requests.recv().await.unwrap().contains("named.example"));
}

#[tokio::test]
async fn a_proxy_that_a_user_names_is_used_for_everything_and_held_to_the_policy() {
    let (proxy, mut requests) = server(|stream| write(stream, ok("retry-after: 5\r\n"))).await;
    let outbound = impatient();
    let client = outbound.client_through(&Tls::default(), &format!("http://{proxy}")).unwrap();
    for url in ["http://unknown.invalid/x", "http://localhost:1/y"] {
        client.send(Request::get(url).unwrap()).await.unwrap();
        assert!(requests.recv().await.unwrap().starts_with(&format!("GET {url} HTTP/1.1")));
    }
    for address in ["http://169.254.169.254", "http://[fe80::1]:3128", "socks5://x", "http://", "x"]
    {
        assert!(outbound.client_through(&Tls::default(), address).is_err(), "{address}");
    }
}

#[tokio::test]
async fn a_pause_is_believed_where_the_status_asks_for_one() {
    let now = "2026-01-01T00:00:00Z".parse().unwrap();
    for (status, header, pause) in [
        (503, "7", Some(7)),
        (429, "Thu, 01 Jan 2026 00:01:00 GMT", Some(60)),
        (429, "99999999", Some(3_600)),
        (429, "soon", None),
        (200, "7", None),
    ] {
        let answer =
            format!("HTTP/1.1 {status} X\r\nretry-after: {header}\r\ncontent-length: 0\r\n\r\n");
        let (address, _requests) = server(move |stream| write(stream, answer.clone())).await;
        let client = impatient().client(&Tls::default()).unwrap();
        let response = client.send(Request::get(&format!("http://{address}/")).unwrap()).await;
        let told = response.unwrap().retry_after(now).map(|pause| pause.as_secs());
        assert_eq!(told, pause, "{status} {header}");
    }
}

fn ok(headers: &str) -> String {
    format!("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n{headers}\r\n")
}
