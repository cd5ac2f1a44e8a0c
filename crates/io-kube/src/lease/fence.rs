//! A leader that slept must not write before it knows whether it still leads.
//!
//! A process can stand still for longer than its Lease: a suspended machine, a frozen container, a long page-in. When it
//! goes on, its workers may run before the renewal notices, with caches of the time before, while another leads.
//! So each write looks at the clock first, and nobody waits for its answer longer than the Lease is known to be ours.

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

/// What became of a write when the fence was closed.
#[derive(Debug, thiserror::Error)]
enum Fenced {
    #[error("not sent: the Lease was not renewed in time, so another replica may lead")]
    Before,
    #[error(
        "given up: the Lease was not renewed before the answer came, so another replica may lead"
    )]
    Meanwhile,
}

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

    /// Completes when the fence is closed.
    async fn closed_again(&self) {
        loop {
            let until = Duration::from_millis(self.until.load(Ordering::Acquire));
            let left = until.saturating_sub(self.clock.monotonic());
            if left.is_zero() {
                return;
            }
            // A renewal meanwhile moves the end.
            self.clock.sleep(left).await;
        }
    }

    /// A client whose writes are sent only while the fence is open, and end with it.
    #[must_use]
    pub fn guard(&self, client: Client) -> Client {
        let (fence, namespace) = (self.clone(), client.default_namespace().to_owned());
        let service = tower::service_fn(move |request: Request<Body>| {
            let (fence, client) = (fence.clone(), client.clone());
            async move {
                if !is_write(request.method()) {
                    return client.send(request).await;
                }
                if !fence.is_open() {
                    return Err(kube::Error::Service(Box::new(Fenced::Before)));
                }
                tokio::select! {
                    biased;
                    answer = client.send(request) => answer,
                    () = fence.closed_again() => {
                        Err(kube::Error::Service(Box::new(Fenced::Meanwhile)))
                    }
                }
            }
        });
        Client::new(service, namespace)
    }
}

fn is_write(method: &Method) -> bool {
    !matches!(*method, Method::GET | Method::HEAD | Method::OPTIONS)
}

#[cfg(test)]
mod tests {
    use core_clock::{ManualClock, Time};
    use http::Response;

    use super::*;

    /// A client whose server never answers.
    fn silent() -> Client {
        let service = tower::service_fn(|_: Request<Body>| {
            std::future::pending::<Result<Response<Body>, std::io::Error>>()
        });
        Client::new(service, "default")
    }

    fn write() -> Request<Body> {
        Request::post("/api/v1/namespaces/default/events").body(Body::empty()).unwrap()
    }

    #[tokio::test]
    async fn a_write_under_way_ends_with_the_last_renewal() {
        let clock = ManualClock::new(Time::default());
        let fence = Fence::closed(Arc::new(clock.clone()));
        fence.open_until(Duration::from_secs(10));
        let client = fence.guard(silent());
        let sent = async { client.send(write()).await.err().map(|error| error.to_string()) };
        let time = async {
            tokio::task::yield_now().await;
            fence.open_until(Duration::from_secs(20));
            clock.advance(Duration::from_secs(15));
            tokio::task::yield_now().await;
            assert!(fence.is_open(), "the renewal counts");
            clock.advance(Duration::from_secs(5));
        };
        let (told, ()) = tokio::join!(sent, time);
        assert!(told.unwrap().contains("given up: the Lease"), "the write has ended");
        let refused = client.send(write()).await.err().unwrap().to_string();
        assert!(refused.contains("not sent"), "{refused}");
    }
}
