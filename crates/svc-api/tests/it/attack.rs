//! Requests that no honest client sends.

use std::{sync::Arc, time::Duration};

use core_clock::{ManualClock, Time};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

use crate::world::{World, patient};

/// Sends bytes as they are, and reads until the other end has nothing more to say.
async fn raw(world: &World, bytes: &[u8]) -> String {
    let mut stream = TcpStream::connect(world.serving.address()).await.unwrap();
    // The server may hang up before it has heard everything.
    let _ = stream.write_all(bytes).await;
    let mut reply = Vec::new();
    let mut buffer = [0; 4096];
    while let Ok(Ok(read)) =
        tokio::time::timeout(Duration::from_millis(500), stream.read(&mut buffer)).await
    {
        if read == 0 {
            break;
        }
        reply.extend_from_slice(&buffer[..read]);
    }
    String::from_utf8_lossy(&reply).into_owned()
}

fn status(reply: &str) -> &str {
    reply.split(' ').nth(1).unwrap_or_default()
}

#[tokio::test]
async fn two_readings_of_a_body_are_none() {
    let world = World::start(vec![]).await;
    let smuggled = "GET /healthz HTTP/1.1\r\nhost: a\r\n\r\n";
    for headers in [
        format!("content-length: {}\r\ntransfer-encoding: chunked\r\n", smuggled.len() + 5),
        "content-length: 0\r\ncontent-length: 44\r\n".to_owned(),
        "content-length: +0\r\n".to_owned(),
        "transfer-encoding: chunked, identity\r\n".to_owned(),
        "transfer-encoding : chunked\r\n".to_owned(),
        " x: folded\r\n".to_owned(),
    ] {
        let request =
            format!("POST /v1beta1/login HTTP/1.1\r\nhost: a\r\n{headers}\r\n0\r\n\r\n{smuggled}");
        let reply = raw(&world, request.as_bytes()).await;
        assert!(!reply.contains("\r\n\r\nok"), "{headers}: {reply}");
        let code: u16 = status(&reply).parse().unwrap_or(400);
        assert!((400..500).contains(&code), "{headers}: {reply}");
    }
}

#[tokio::test]
async fn a_body_that_does_not_say_its_size_is_held_to_the_limit_too() {
    let world = World::start(vec![]).await;
    let token = world.admin().await;
    let mut request = format!(
        "POST /v1beta1/projects/demo/roles HTTP/1.1\r\nhost: a\r\nauthorization: Bearer {token}\r\n\
         transfer-encoding: chunked\r\n\r\n"
    )
    .into_bytes();
    for _ in 0..17 {
        request.extend_from_slice(b"10000\r\n");
        request.extend_from_slice(&vec![b' '; 0x10000]);
        request.extend_from_slice(b"\r\n");
    }
    request.extend_from_slice(b"0\r\n\r\n");
    let reply = raw(&world, &request).await;
    assert_eq!(status(&reply), "413", "{reply}");
    assert!(reply.contains("request body too large"), "{reply}");
}

#[tokio::test]
async fn heads_without_end_are_refused() {
    let world = World::start(vec![]).await;
    let long = "x".repeat(1 << 20);
    for request in [
        format!("GET /healthz HTTP/1.1\r\nhost: a\r\nx-long: {long}\r\n\r\n"),
        format!("GET /v1beta1/projects?filter={long} HTTP/1.1\r\nhost: a\r\n\r\n"),
        format!("GET /healthz HTTP/1.1\r\n{}\r\n", "x: y\r\n".repeat(2_000)),
    ] {
        let reply = raw(&world, request.as_bytes()).await;
        let code: u16 = status(&reply).parse().unwrap_or(431);
        assert!((400..500).contains(&code), "{}", &reply[..reply.len().min(200)]);
    }
    assert_eq!(status(&raw(&world, b"GET /healthz HTTP/1.1\r\nhost: a\r\n\r\n").await), "200");
}

#[tokio::test]
async fn what_is_no_http_is_not_answered_as_such() {
    let world = World::start(vec![]).await;
    for bytes in [
        &b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"[..],
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\nnonsense that is no frame at all",
        b"GET\r\n\r\n",
        b"GET /healthz HTTP/9.9\r\nhost: a\r\n\r\n",
        b"\0\0\0\0",
    ] {
        let reply = raw(&world, bytes).await;
        assert!(!reply.contains(" 200 ") && !reply.contains(" 500 "), "{reply}");
    }
    assert_eq!(status(&raw(&world, b"GET /healthz HTTP/1.1\r\nhost: a\r\n\r\n").await), "200");
}

#[tokio::test]
async fn a_body_that_never_comes_keeps_nobody() {
    let clock = Arc::new(ManualClock::new(Time::from_seconds(1_700_000_000)));
    let world = World::at(clock.clone(), vec![]).await;
    let token = world.admin().await;
    let mut stream = TcpStream::connect(world.serving.address()).await.unwrap();
    let head = format!(
        "POST /v1beta1/projects/demo/roles HTTP/1.1\r\nhost: a\r\nauthorization: Bearer {token}\r\n\
         content-length: 100\r\n\r\n{{"
    );
    stream.write_all(head.as_bytes()).await.unwrap();
    let mut reply = [0; 12];
    let time_passes = async {
        loop {
            clock.advance(Duration::from_secs(5));
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::select! {
        read = patient(stream.read_exact(&mut reply)) => assert_eq!(read.unwrap(), 12),
        () = time_passes => unreachable!("time never ends"),
    }
    assert_eq!(&reply, b"HTTP/1.1 503");
}

#[tokio::test]
async fn the_identity_provider_is_not_looked_for_where_the_machine_keeps_its_secrets() {
    use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
    let issuer = "http://169.254.169.254/latest";
    let variables =
        [("OIDC_ENABLED", "true"), ("OIDC_ISSUER_URL", issuer), ("OIDC_CLIENT_ID", "web")];
    let world = World::with(&variables, vec![]).await;
    let encode = |text: String| URL_SAFE_NO_PAD.encode(text);
    let claims = encode(format!(r#"{{"iss":"{issuer}","aud":"web","exp":4000000000}}"#));
    let token = format!("{}.{claims}.c2ln", encode(r#"{"alg":"RS256","kid":"x"}"#.to_owned()));
    let reply = world.get("/projects", &token).await;
    assert_eq!(reply.error(), (503, "the identity provider does not answer".to_owned()));
}
