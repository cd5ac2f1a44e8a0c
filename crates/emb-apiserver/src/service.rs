//! The tower face of the server.

use std::{
    convert::Infallible,
    fmt::Display,
    sync::Arc,
    task::{Context, Poll},
};

use emb_auth::Identity;
use futures::future::{BoxFuture, FutureExt};
use http::{HeaderMap, HeaderValue, Request, Response, header};

use crate::{exchange, request::body, response::Body, state::State};

/// Answers HTTP requests. Never fails: everything that goes wrong is a reply.
#[derive(Clone)]
pub struct Service {
    state: Arc<State>,
    source: Source,
}

/// Where requests come from.
#[derive(Clone)]
pub(crate) enum Source {
    /// From a listener; the request says who asks.
    Network,
    /// From this process, with an identity that no header can change.
    InProcess(Arc<Identity>),
}

/// The address of the peer, which a listener may add to a request's extensions for the audit log.
#[derive(Clone, Debug)]
pub struct Peer(pub String);

impl Service {
    pub(crate) fn new(state: Arc<State>, source: Source) -> Self {
        Self { state, source }
    }
}

impl<B> tower::Service<Request<B>> for Service
where
    B: http_body::Body + Send + 'static,
    B::Data: Send,
    B::Error: Display + Send,
{
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = BoxFuture<'static, Result<Response<Body>, Infallible>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        let (mut parts, body) = request.into_parts();
        if let Source::InProcess(identity) = &self.source {
            introduce(&mut parts.headers, identity);
        }
        let body = body::read(body, self.state.limits.body_bytes).boxed();
        exchange::run(self.state.clone(), self.source.clone(), parts, body).map(Ok).boxed()
    }
}

/// A component that does not say what program it is goes by the name of its account: what it writes is managed under it.
fn introduce(headers: &mut HeaderMap, identity: &Identity) {
    let name = identity.user.rsplit(':').next().unwrap_or_default();
    if let (header::Entry::Vacant(place), Ok(name)) =
        (headers.entry(header::USER_AGENT), HeaderValue::from_str(name))
    {
        place.insert(name);
    }
}
