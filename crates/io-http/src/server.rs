//! Serving a tower service over TLS, HTTP/1.1 and HTTP/2, until asked to stop.

use std::{convert::Infallible, net::SocketAddr, pin::pin, sync::Arc, time::Duration};

use core_clock::{Clock, Tasks};
use http::{Request, Response};
use hyper::body::Incoming;
use hyper_util::{
    rt::{TokioExecutor, TokioIo, TokioTimer},
    server::conn::auto::Builder,
    service::TowerToHyperService,
};
use tokio::net::TcpStream;
use tower::Service;

use crate::{Listener, ServerCertificate};

/// What one client may take.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Time for the TLS handshake and for the head of an HTTP/1 request.
    pub handshake: Duration,
    /// Requests at once on one HTTP/2 connection.
    pub streams: u32,
    /// Bytes of all headers of a request.
    pub header_bytes: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self { handshake: Duration::from_secs(10), streams: 2_000, header_bytes: 1024 * 1024 }
    }
}

/// Accepts connections in the background until the group stops; then lets running requests finish.
///
/// The peer's address is put into each request as a `SocketAddr` extension.
pub fn serve<S, B>(
    listener: Listener,
    certificate: &ServerCertificate,
    service: S,
    clock: Arc<dyn Clock>,
    tasks: Arc<dyn Tasks>,
    limits: Limits,
) where
    S: Service<Request<Incoming>, Response = Response<B>, Error = Infallible>
        + Clone
        + Send
        + 'static,
    S::Future: Send + 'static,
    B: http_body::Body + Send + 'static,
    B::Data: Send,
    B::Error: std::error::Error + Send + Sync,
{
    let acceptor = certificate.acceptor();
    let shared = tasks.clone();
    tasks.spawn(
        "accept connections",
        Box::pin(async move {
            let mut stopping = shared.stopping();
            loop {
                let accepted = tokio::select! {
                    () = &mut stopping => return,
                    accepted = listener.inner.accept() => accepted,
                };
                let (stream, peer) = match accepted {
                    Ok(accepted) => accepted,
                    Err(error) => {
                        // Out of file descriptors, mostly: connections that end will free some.
                        tracing::warn!(%error, "accept failed");
                        clock.sleep(Duration::from_millis(100)).await;
                        continue;
                    }
                };
                let connection = Connection {
                    acceptor: acceptor.clone(),
                    service: service.clone(),
                    peer,
                    limits,
                    handshake_over: clock.sleep(limits.handshake),
                    stopping: shared.stopping(),
                };
                shared.spawn("connection", Box::pin(connection.run(stream)));
            }
        }),
    );
}

struct Connection<S> {
    acceptor: tokio_rustls::TlsAcceptor,
    service: S,
    peer: SocketAddr,
    limits: Limits,
    handshake_over: core_clock::Sleep,
    stopping: core_clock::BoxTask,
}

impl<S, B> Connection<S>
where
    S: Service<Request<Incoming>, Response = Response<B>, Error = Infallible>
        + Clone
        + Send
        + 'static,
    S::Future: Send + 'static,
    B: http_body::Body + Send + 'static,
    B::Data: Send,
    B::Error: std::error::Error + Send + Sync,
{
    async fn run(self, stream: TcpStream) {
        // Watch events are small and must not wait for company.
        drop(stream.set_nodelay(true));
        let accepted = tokio::select! {
            accepted = self.acceptor.accept(stream) => accepted,
            () = self.handshake_over => return,
        };
        let stream = match accepted {
            Ok(stream) => stream,
            Err(error) => {
                tracing::debug!(peer = %self.peer, %error, "TLS handshake failed");
                return;
            }
        };
        let peer = self.peer;
        let mut inner = self.service;
        let service = tower::service_fn(move |mut request: Request<Incoming>| {
            request.extensions_mut().insert(peer);
            inner.call(request)
        });
        let builder = builder(self.limits);
        let mut connection =
            pin!(builder.serve_connection(TokioIo::new(stream), TowerToHyperService::new(service)));
        let mut stopping = self.stopping;
        let ended = tokio::select! {
            ended = connection.as_mut() => ended,
            () = &mut stopping => {
                connection.as_mut().graceful_shutdown();
                connection.await
            }
        };
        if let Err(error) = ended {
            tracing::debug!(peer = %self.peer, %error, "connection ended");
        }
    }
}

fn builder(limits: Limits) -> Builder<TokioExecutor> {
    let mut builder = Builder::new(TokioExecutor::new());
    builder.http1().timer(TokioTimer::new()).header_read_timeout(limits.handshake);
    builder
        .http2()
        .timer(TokioTimer::new())
        .max_concurrent_streams(limits.streams)
        .max_header_list_size(limits.header_bytes)
        .adaptive_window(true)
        .keep_alive_interval(Duration::from_secs(30));
    builder
}
