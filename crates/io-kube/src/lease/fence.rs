//! A leader that slept must not write before it knows whether it still leads.
//!
//! A process can stand still for longer than its Lease: a suspended machine, a frozen container, a long page-in. When it
//! goes on, its workers may run before the renewal notices, with caches of the time before, while another leads.
//! So each write looks at the clock first.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use core_clock::Clock;
use http::{Method, Request};
use kube::{Client, client::Body};

/// Open for as long as the last renewal of a Lease lasts.
#[derive(Clone)]
pub struct Fence {
    clock: Arc<dyn Clock>,
    /// Milliseconds of the monotonic clock.
    until: Arc<AtomicU64>,
}

/// A write that nobody sent.
#[derive(Debug, thiserror::Error)]
#[error("not sent: the Lease was not renewed in time, so another replica may lead")]
struct Fenced;

impl Fence {
    pub(super) fn closed(clock: Arc<dyn Clock>) -> Self {
        Self { clock, until: Arc::default() }
    }

    pub(super) fn open_until(&self, end: Duration) {
        self.until.store(u64::try_from(end.as_millis()).unwrap_or(u64::MAX), Ordering::Release);
    }

    pub(super) fn close(&self) {
        self.until.store(0, Ordering::Release);
    }

    /// Whether we may write.
    pub fn is_open(&self) -> bool {
        self.clock.monotonic() < Duration::from_millis(self.until.load(Ordering::Acquire))
    }

    /// A client whose writes are sent only while the fence is open.
    #[must_use]
    pub fn guard(&self, client: Client) -> Client {
        let (fence, namespace) = (self.clone(), client.default_namespace().to_owned());
        let service = tower::service_fn(move |request: Request<Body>| {
            let (fence, client) = (fence.clone(), client.clone());
            async move {
                if is_write(request.method()) && !fence.is_open() {
                    return Err(kube::Error::Service(Box::new(Fenced)));
                }
                client.send(request).await
            }
        });
        Client::new(service, namespace)
    }
}

fn is_write(method: &Method) -> bool {
    !matches!(*method, Method::GET | Method::HEAD | Method::OPTIONS)
}
