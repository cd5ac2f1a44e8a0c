//! What HTTP servers of tests share: a port, and connections until they are dropped.

use std::{
    convert::Infallible,
    error::Error,
    net::SocketAddr,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use anyhow::Result;
use http::{Request, Response};
use http_body::Body;
use hyper::{body::Incoming, service::service_fn};
use hyper_util::rt::{TokioExecutor, TokioIo};
use tokio::{net::TcpListener, task::JoinHandle};

/// An HTTP server on a free port of the loopback interface; it ends when this is dropped.
pub struct HttpServer {
    address: SocketAddr,
    task: JoinHandle<()>,
}

impl HttpServer {
    /// Gives each request to `answer`, with what the server shares with the test.
    pub async fn start<S, A, F, B>(shared: &Arc<S>, answer: A) -> Result<Self>
    where
        S: Send + Sync + 'static,
        A: Fn(Request<Incoming>, Arc<S>) -> F + Clone + Send + Sync + 'static,
        F: Future<Output = Response<B>> + Send + 'static,
        B: Body<Data: Send, Error: Into<Box<dyn Error + Send + Sync>>> + Send + 'static,
    {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let address = listener.local_addr()?;
        let shared = shared.clone();
        let task = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (shared, answer) = (shared.clone(), answer.clone());
                let service = service_fn(move |request| {
                    let reply = answer(request, shared.clone());
                    async { Ok::<_, Infallible>(reply.await) }
                });
                tokio::spawn(async move {
                    let builder =
                        hyper_util::server::conn::auto::Builder::new(TokioExecutor::new());
                    // A client that goes away, or that tries TLS first, is none of our business.
                    let _ = builder.serve_connection(TokioIo::new(stream), service).await;
                });
            }
        });
        Ok(Self { address, task })
    }

    /// Host and port.
    pub fn address(&self) -> SocketAddr {
        self.address
    }
}

impl Drop for HttpServer {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// What the mutex holds; a test that panicked with it has its own troubles.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
