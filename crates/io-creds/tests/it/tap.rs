//! Listens in on what is asked of the API server.

use std::{
    convert::Infallible,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context, Poll},
};

use futures::{FutureExt, future::BoxFuture};
use http::{Request, Response};
use parking_lot::Mutex;
use tower::Service;

/// What was asked, and whether anything is answered.
#[derive(Default)]
pub(crate) struct Tap {
    asked: Mutex<Vec<String>>,
    down: AtomicBool,
}

impl Tap {
    /// No request is answered any more, or they are again.
    pub(crate) fn set_down(&self, down: bool) {
        self.down.store(down, Ordering::SeqCst);
    }

    /// The addresses of all requests, without watches.
    pub(crate) fn lists(&self) -> Vec<String> {
        let asked = self.asked.lock();
        asked.iter().filter(|uri| !uri.contains("watch=")).cloned().collect()
    }

    /// Forgets what was asked.
    pub(crate) fn clear(&self) {
        self.asked.lock().clear();
    }
}

/// A service that is listened in on.
#[derive(Clone)]
pub(crate) struct Tapped<S> {
    pub(crate) service: S,
    pub(crate) tap: Arc<Tap>,
}

impl<S, B> Service<Request<kube::client::Body>> for Tapped<S>
where
    S: Service<Request<kube::client::Body>, Response = Response<B>, Error = Infallible>,
    S::Future: Send + 'static,
    B: 'static,
{
    type Response = Response<B>;
    type Error = Infallible;
    type Future = BoxFuture<'static, Result<Response<B>, Infallible>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        self.service.poll_ready(cx)
    }

    fn call(&mut self, request: Request<kube::client::Body>) -> Self::Future {
        self.tap.asked.lock().push(request.uri().to_string());
        if self.tap.down.load(Ordering::SeqCst) {
            return std::future::pending().boxed();
        }
        self.service.call(request).boxed()
    }
}
