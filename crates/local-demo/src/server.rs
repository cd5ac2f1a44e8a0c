//! One server for everything: the repository below `/git/`, the registry below `/v2/`, the application below `/app/`,
//! and what `kargo demo` asks for below `/demo/`.

use std::{convert::Infallible, error::Error as _, sync::Arc};

use bytes::Bytes;
use http::{HeaderMap, Method, Request, StatusCode, Uri, header::HOST};
use http_body_util::{BodyExt as _, Limited};
use hyper::body::Incoming;
use io_http::{Limits, Listener, serve_plain};
use io_kube::Ports;

use crate::{
    Demo, Error, application,
    control::Control,
    registry,
    reply::{self, Reply},
    smart_http,
};

const MAX_BODY: usize = 64 << 20;

/// Serves until the tasks stop.
pub(crate) fn serve(demo: Demo, control: Control, listener: Listener, ports: &Ports) {
    let control = Arc::new(control);
    let service = tower::service_fn(move |request: Request<Incoming>| {
        let (demo, control) = (demo.clone(), control.clone());
        async move { Ok::<_, Infallible>(receive(&demo, &control, request).await) }
    });
    serve_plain(listener, service, ports.clock.clone(), ports.tasks.clone(), Limits::small());
}

async fn receive(demo: &Demo, control: &Control, request: Request<Incoming>) -> Reply {
    let (head, body) = request.into_parts();
    match Limited::new(body, MAX_BODY).collect().await {
        Ok(body) => answer(demo, control, &Request::from_parts(head, body.to_bytes())).await,
        Err(_) => reply::text(StatusCode::PAYLOAD_TOO_LARGE, "too much"),
    }
}

async fn answer(demo: &Demo, control: &Control, request: &Request<Bytes>) -> Reply {
    let own = demo.address().to_string();
    if host(request.uri(), request.headers()) != Some(&own) {
        // A name that leads here is somebody else's; a page of theirs must not talk to us.
        return reply::text(StatusCode::MISDIRECTED_REQUEST, &format!("this is {own}"));
    }
    let (method, path) = (request.method(), request.uri().path());
    let below = |prefix| path.strip_prefix(prefix);
    let shared = &demo.shared;
    if let Some(rest) = below("/git/guestbook.git/") {
        return smart_http::answer(&shared.repository, request, rest).await;
    }
    if let Some(rest) = below("/v2/") {
        return registry::answer(&shared.releases.list(), method, rest);
    }
    if let Some(stage) = below("/app/").filter(|_| method == Method::GET) {
        return application::answer(&shared.repository, stage).await;
    }
    match below("/demo/") {
        Some(asked) if method == Method::POST => {
            if !control.admits(request.headers()) {
                return reply::text(StatusCode::UNAUTHORIZED, "a token is needed");
            }
            command(demo, asked).await
        }
        _ => reply::not_found(),
    }
}

async fn command(demo: &Demo, asked: &str) -> Reply {
    let done = match asked {
        "push" => demo.push().await.map(|release| reply::json(StatusCode::OK, &release)),
        "remove" => demo.remove().await.map(|()| reply::text(StatusCode::OK, "removed")),
        _ => return reply::not_found(),
    };
    done.unwrap_or_else(|error| reply::text(StatusCode::INTERNAL_SERVER_ERROR, &with_cause(&error)))
}

fn with_cause(error: &Error) -> String {
    match error.source() {
        Some(cause) => format!("{error}: {cause}"),
        None => error.to_string(),
    }
}

/// Who is asked: HTTP/1 has it in a header, HTTP/2 in the address.
fn host<'a>(uri: &'a Uri, headers: &'a HeaderMap) -> Option<&'a str> {
    let named = uri.authority().map(http::uri::Authority::as_str);
    named.or_else(|| headers.get(HOST)?.to_str().ok())
}
