//! A way to the API server that breaks when told to.

use std::{
    convert::Infallible,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, Waker},
};

use bytes::Bytes;
use futures::{FutureExt, future::BoxFuture};
use http::{Method, Request, Response, StatusCode};
use http_body::{Body, Frame};
use http_body_util::{Either, Full};
use parking_lot::Mutex;
use tower::Service;

/// What is broken, and what was asked for.
#[derive(Default)]
pub(crate) struct Faults(Mutex<State>);

#[derive(Default)]
struct State {
    watch_code: Option<u16>,
    down: bool,
    lose_reply: bool,
    lists: usize,
    writes: usize,
    /// Watches opened before this many cuts have ended.
    cuts: usize,
    held: bool,
    open: usize,
    wakers: Vec<Waker>,
}

impl Faults {
    /// Ends every open watch.
    pub(crate) fn cut_watches(&self) {
        self.change(|state| state.cuts += 1);
    }

    /// Holds back, or lets through, what watches have to say.
    pub(crate) fn hold_watches(&self, held: bool) {
        self.change(|state| state.held = held);
    }

    /// New watches are answered with this status until `None`; with 410 only one of them.
    pub(crate) fn refuse_watches(&self, code: Option<u16>) {
        self.change(|state| state.watch_code = code);
    }

    /// No request is answered any more, or they are again.
    pub(crate) fn set_down(&self, down: bool) {
        self.change(|state| state.down = down);
    }

    /// The next write is made, but its reply never comes.
    pub(crate) fn lose_reply(&self) {
        self.change(|state| state.lose_reply = true);
    }

    /// How many pages were listed.
    pub(crate) fn lists(&self) -> usize {
        self.0.lock().lists
    }

    /// How many writes were sent.
    pub(crate) fn writes(&self) -> usize {
        self.0.lock().writes
    }

    /// How many watches are open.
    pub(crate) fn open_watches(&self) -> usize {
        self.0.lock().open
    }

    fn change(&self, change: impl FnOnce(&mut State)) {
        let wakers = {
            let mut state = self.0.lock();
            change(&mut state);
            std::mem::take(&mut state.wakers)
        };
        wakers.into_iter().for_each(Waker::wake);
    }

    /// Counts a request; returns the status to refuse it with.
    fn admit(&self, request: &Request<kube::client::Body>) -> Option<u16> {
        let mut state = self.0.lock();
        if is_watch(request) {
            let code = state.watch_code;
            state.watch_code = code.filter(|code| *code != 410);
            return code;
        }
        let is_list = request.uri().query().is_some_and(|query| query.contains("limit="));
        state.lists += usize::from(is_list);
        state.writes += usize::from(request.method() != Method::GET);
        None
    }
}

fn is_watch(request: &Request<kube::client::Body>) -> bool {
    request.uri().query().is_some_and(|query| query.contains("watch=true"))
}

/// A service behind faults.
#[derive(Clone)]
pub(crate) struct Flaky<S> {
    pub(crate) service: S,
    pub(crate) faults: Arc<Faults>,
}

impl<S, B> Service<Request<kube::client::Body>> for Flaky<S>
where
    S: Service<Request<kube::client::Body>, Response = Response<B>, Error = Infallible>,
    S::Future: Send + 'static,
    B: Body<Data = Bytes> + Send + Unpin + 'static,
{
    type Response = Response<Either<Full<Bytes>, Stream<B>>>;
    type Error = Infallible;
    type Future = BoxFuture<'static, Result<Self::Response, Infallible>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        self.service.poll_ready(cx)
    }

    fn call(&mut self, request: Request<kube::client::Body>) -> Self::Future {
        if self.faults.0.lock().down {
            return std::future::pending().boxed();
        }
        if let Some(code) = self.faults.admit(&request) {
            let status = format!(
                r#"{{"kind":"Status","apiVersion":"v1","status":"Failure","message":"injected","code":{code}}}"#
            );
            let mut response = Response::new(Either::Left(Full::from(status)));
            *response.status_mut() = StatusCode::from_u16(code).unwrap();
            return std::future::ready(Ok(response)).boxed();
        }
        let open = is_watch(&request).then(|| Open::new(self.faults.clone()));
        let is_write = request.method() != Method::GET;
        let lost = is_write && std::mem::take(&mut self.faults.0.lock().lose_reply);
        let reply = self.service.call(request);
        if lost {
            return reply.then(|_| std::future::pending()).boxed();
        }
        reply
            .map(|reply| {
                reply.map(|response| response.map(|body| Either::Right(Stream { body, open })))
            })
            .boxed()
    }
}

/// A watch that counts as open until dropped.
struct Open {
    faults: Arc<Faults>,
    cuts: usize,
}

impl Open {
    fn new(faults: Arc<Faults>) -> Self {
        let cuts = {
            let mut state = faults.0.lock();
            state.open += 1;
            state.cuts
        };
        Self { faults, cuts }
    }

    /// What to answer instead of what the server says.
    fn fault(&self, cx: &mut Context<'_>) -> Option<Poll<()>> {
        let mut state = self.faults.0.lock();
        state.wakers.push(cx.waker().clone());
        if state.cuts > self.cuts {
            return Some(Poll::Ready(()));
        }
        state.held.then_some(Poll::Pending)
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        self.faults.0.lock().open -= 1;
    }
}

/// A body that can be cut and held when it is that of a watch.
pub(crate) struct Stream<B> {
    body: B,
    open: Option<Open>,
}

impl<B: Body<Data = Bytes> + Unpin> Body for Stream<B> {
    type Data = Bytes;
    type Error = B::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, B::Error>>> {
        match self.open.as_ref().and_then(|open| open.fault(cx)) {
            Some(Poll::Ready(())) => Poll::Ready(None),
            Some(Poll::Pending) => Poll::Pending,
            None => Pin::new(&mut self.body).poll_frame(cx),
        }
    }
}
