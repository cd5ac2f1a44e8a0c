//! Serving a tower service over HTTP/1.1 and HTTP/2, with TLS or without, until asked to stop.

use std::{convert::Infallible, net::SocketAddr, pin::pin, sync::Arc, time::Duration};

use core_clock::{Clock, Sleep, Tasks};
use http::{Request, Response};
use hyper::body::Incoming;
use hyper_util::{
    rt::{TokioExecutor, TokioIo, TokioTimer},
    server::conn::auto::Builder,
    service::TowerToHyperService,
};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::TcpStream,
    sync::{OwnedSemaphorePermit, Semaphore},
};
use tokio_rustls::TlsAcceptor;
use tower::Service;

use crate::{Listener, ServerCertificate, gather::Gather};

/// What clients may take.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Connections at once; further ones wait to be accepted.
    pub connections: usize,
    /// Time for the TLS handshake and for the head of an HTTP/1 request.
    pub handshake: Duration,
    /// Requests at once on one HTTP/2 connection.
    pub streams: u32,
    /// Bytes of all headers of a request.
    pub header_bytes: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connections: 10_000,
            handshake: Duration::from_secs(10),
            streams: 2_000,
            header_bytes: 1024 * 1024,
        }
    }
}

impl Limits {
    /// For what a probe, a scraper and a person with a browser ask now and then.
    pub fn small() -> Self {
        Self {
            connections: 64,
            handshake: Duration::from_secs(5),
            streams: 16,
            header_bytes: 16 * 1024,
        }
    }
}

/// Serves HTTPS in the background until the group stops; then lets running requests finish.
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
    let server = Server { service, acceptor: Some(certificate.acceptor()), clock, tasks, limits };
    server.start(listener);
}

/// The same without TLS.
pub fn serve_plain<S, B>(
    listener: Listener,
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
    Server { service, acceptor: None, clock, tasks, limits }.start(listener);
}

struct Server<S> {
    service: S,
    /// None: plain HTTP.
    acceptor: Option<TlsAcceptor>,
    clock: Arc<dyn Clock>,
    tasks: Arc<dyn Tasks>,
    limits: Limits,
}

impl<S, B> Server<S>
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
    fn start(self, listener: Listener) {
        let tasks = self.tasks.clone();
        tasks.spawn("accept connections", Box::pin(self.accept(listener)));
    }

    async fn accept(self, listener: Listener) {
        let room = Arc::new(Semaphore::new(self.limits.connections));
        let mut stopping = self.tasks.stopping();
        loop {
            let accepted = tokio::select! {
                () = &mut stopping => return,
                accepted = next(&listener, &room) => accepted,
            };
            match accepted {
                Ok((stream, peer, place)) => {
                    let connection = self.connection(peer, place);
                    self.tasks.spawn("connection", Box::pin(connection.run(stream)));
                }
                Err(error) => {
                    // Out of file descriptors, mostly: connections that end will free some.
                    tracing::warn!(%error, "accept failed");
                    self.clock.sleep(Duration::from_millis(100)).await;
                }
            }
        }
    }

    fn connection(&self, peer: SocketAddr, place: Option<OwnedSemaphorePermit>) -> Connection<S> {
        Connection {
            acceptor: self.acceptor.clone(),
            service: self.service.clone(),
            peer,
            limits: self.limits,
            handshake_over: self.clock.sleep(self.limits.handshake),
            stopping: self.tasks.stopping(),
            _place: place,
        }
    }
}

/// The next connection, once there is room for it.
async fn next(
    listener: &Listener,
    room: &Arc<Semaphore>,
) -> std::io::Result<(TcpStream, SocketAddr, Option<OwnedSemaphorePermit>)> {
    // It fails only when closed, and nobody closes it.
    let place = room.clone().acquire_owned().await.ok();
    let (stream, peer) = listener.inner.accept().await?;
    Ok((stream, peer, place))
}

struct Connection<S> {
    acceptor: Option<TlsAcceptor>,
    service: S,
    peer: SocketAddr,
    limits: Limits,
    handshake_over: Sleep,
    stopping: core_clock::BoxTask,
    /// Makes room for another when this one ends.
    _place: Option<OwnedSemaphorePermit>,
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
    async fn run(mut self, stream: TcpStream) {
        // Watch events are small and must not wait for company.
        drop(stream.set_nodelay(true));
        let Some(acceptor) = self.acceptor.take() else { return self.talk(stream).await };
        let accepted = tokio::select! {
            accepted = acceptor.accept(stream) => accepted,
            () = &mut self.handshake_over => return,
        };
        match accepted {
            Ok(stream) => self.talk(Gather::new(stream)).await,
            Err(error) => tracing::debug!(peer = %self.peer, %error, "TLS handshake failed"),
        }
    }

    async fn talk(self, stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static) {
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
