//! Not more requests than the API server was promised.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context, Poll},
    time::Duration,
};

use core_clock::Clock;
use futures::{FutureExt, future::BoxFuture};
use http::{Request, Response};
use parking_lot::Mutex;
use tower::{Layer, Service};

/// What an API server adds to its replies when it shares its time fairly between clients.
const FAIRNESS_HEADER: &str = "x-kubernetes-pf-flowschema-uid";

/// How many requests a client makes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rate {
    /// Per second, on average; above zero.
    pub per_second: f64,
    /// At once, after a pause.
    pub burst: u32,
}

/// Makes requests wait that exceed a [`Rate`], until the API server shows that it shares its time fairly by itself. A
/// layer for the service of a [`kube::Client`]; clones share the rate.
#[derive(Clone)]
pub struct Throttle {
    shared: Arc<Shared>,
}

struct Shared {
    clock: Arc<dyn Clock>,
    rate: Rate,
    bucket: Mutex<Bucket>,
    lifted: AtomicBool,
}

/// Requests that may go at once; below zero, those that wait.
struct Bucket {
    tokens: f64,
    filled: Duration,
}

impl Throttle {
    /// At most `rate`, by `clock`.
    pub fn new(rate: Rate, clock: Arc<dyn Clock>) -> Self {
        let bucket = Bucket { tokens: f64::from(rate.burst), filled: clock.monotonic() };
        let (bucket, lifted) = (Mutex::new(bucket), AtomicBool::new(false));
        Self { shared: Arc::new(Shared { clock, rate, bucket, lifted }) }
    }
}

impl Shared {
    /// Takes a place in the row: how long the request has to wait.
    fn reserve(&self) -> Duration {
        if self.lifted.load(Ordering::Relaxed) {
            return Duration::ZERO;
        }
        let now = self.clock.monotonic();
        let mut bucket = self.bucket.lock();
        let passed = now.saturating_sub(bucket.filled).as_secs_f64();
        let filled = bucket.tokens + passed * self.rate.per_second;
        bucket.tokens = filled.min(f64::from(self.rate.burst)) - 1.0;
        bucket.filled = now;
        let missing = (-bucket.tokens).max(0.0);
        Duration::try_from_secs_f64(missing / self.rate.per_second).unwrap_or(Duration::MAX)
    }

    fn learn<B>(&self, response: &Response<B>) {
        if response.headers().contains_key(FAIRNESS_HEADER)
            && !self.lifted.swap(true, Ordering::Relaxed)
        {
            tracing::debug!("the API server shares its time fairly: requests are not held back");
        }
    }
}

impl<S> Layer<S> for Throttle {
    type Service = Throttled<S>;

    fn layer(&self, service: S) -> Throttled<S> {
        Throttled { service, shared: self.shared.clone() }
    }
}

/// A service whose requests are held back.
#[derive(Clone)]
pub struct Throttled<S> {
    service: S,
    shared: Arc<Shared>,
}

impl<S, B, R> Service<Request<B>> for Throttled<S>
where
    S: Service<Request<B>, Response = Response<R>>,
    S::Future: Send + 'static,
{
    type Response = S::Response;
    type Error = S::Error;
    type Future = BoxFuture<'static, Result<S::Response, S::Error>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.service.poll_ready(cx)
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        let wait = self.shared.reserve();
        let (reply, shared) = (self.service.call(request), self.shared.clone());
        async move {
            if !wait.is_zero() {
                shared.clock.sleep(wait).await;
            }
            let response = reply.await?;
            shared.learn(&response);
            Ok(response)
        }
        .boxed()
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use core_clock::{ManualClock, Time};

    use super::*;

    const RATE: Rate = Rate { per_second: 10.0, burst: 2 };

    async fn fair(_: Request<()>) -> Result<Response<()>, Infallible> {
        let response = Response::builder().header(FAIRNESS_HEADER, "uid").body(());
        Ok(response.unwrap_or_default())
    }

    async fn plain(_: Request<()>) -> Result<Response<()>, Infallible> {
        Ok(Response::default())
    }

    #[test]
    fn what_exceeds_the_burst_waits_its_turn() {
        let clock = ManualClock::new(Time::default());
        let mut service =
            Throttle::new(RATE, Arc::new(clock.clone())).layer(tower::service_fn(plain));
        let mut calls: Vec<_> = (0..4).map(|_| service.call(Request::default())).collect();
        let mut finished = || -> Vec<bool> {
            calls.iter_mut().map(|call| call.now_or_never().is_some()).collect()
        };
        assert_eq!(finished(), [true, true, false, false]);
        clock.advance(Duration::from_millis(100));
        let (third, fourth) = (calls.remove(2), calls.remove(2));
        assert!(third.now_or_never().is_some() && fourth.now_or_never().is_none());
        clock.advance(Duration::from_mins(1));
        let again: Vec<_> = (0..3).map(|_| service.call(Request::default())).collect();
        let finished = again.into_iter().map(|call| call.now_or_never().is_some());
        assert_eq!(finished.collect::<Vec<_>>(), [true, true, false]);
    }

    #[test]
    fn a_server_that_is_fair_by_itself_lifts_the_limit() {
        let clock = ManualClock::new(Time::default());
        let mut service = Throttle::new(RATE, Arc::new(clock)).layer(tower::service_fn(fair));
        for _ in 0..100 {
            assert!(service.call(Request::default()).now_or_never().is_some());
        }
    }
}
