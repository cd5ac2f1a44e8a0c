//! Counts the requests that a client makes.

use std::{
    collections::BTreeMap,
    sync::Arc,
    task::{Context, Poll},
};

use futures::{FutureExt, future::BoxFuture};
use http::{Request, Response, Uri};
use parking_lot::Mutex;
use tower::{Layer, Service};

use crate::metrics::{Family, FamilyKind, Sample};

/// Requests by status, method and host, under the name that dashboards of controllers look for. A layer for the service
/// of a [`kube::Client`]; clones count together.
#[derive(Clone, Debug, Default)]
pub struct RequestCounter {
    counts: Arc<Mutex<BTreeMap<Line, u64>>>,
    /// The server of requests that do not name theirs.
    host: String,
}

/// What requests are counted under.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Line {
    code: String,
    method: String,
    host: String,
}

impl RequestCounter {
    /// A counter for a client of the server at `host`: its requests get their address below this layer.
    pub fn for_host(host: impl Into<String>) -> Self {
        Self { host: host.into(), ..Self::default() }
    }

    /// All requests so far.
    pub fn total(&self) -> u64 {
        self.counts.lock().values().sum()
    }

    /// The metric.
    #[expect(clippy::cast_precision_loss, reason = "Prometheus numbers are floats")]
    pub fn family(&self) -> Family {
        let counts = self.counts.lock();
        let samples = counts.iter().map(|(line, count)| Sample {
            suffix: "",
            labels: vec![
                ("code", line.code.clone()),
                ("method", line.method.clone()),
                ("host", line.host.clone()),
            ],
            value: *count as f64,
        });
        Family {
            name: "rest_client_requests_total",
            help: "Requests to the API server.",
            kind: FamilyKind::Counter,
            samples: samples.collect(),
        }
    }

    /// The server; the embedded one has no address.
    fn host(&self, uri: &Uri) -> String {
        uri.authority().map_or_else(|| self.host.clone(), ToString::to_string)
    }

    fn count(&self, line: Line) {
        *self.counts.lock().entry(line).or_insert(0) += 1;
    }
}

impl<S> Layer<S> for RequestCounter {
    type Service = Counted<S>;

    fn layer(&self, service: S) -> Counted<S> {
        Counted { service, counter: self.clone() }
    }
}

/// A service whose requests are counted.
#[derive(Clone)]
pub struct Counted<S> {
    service: S,
    counter: RequestCounter,
}

impl<S, B, R> Service<Request<B>> for Counted<S>
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
        let counter = self.counter.clone();
        let (method, host) = (request.method().to_string(), counter.host(request.uri()));
        self.service
            .call(request)
            .map(move |reply| {
                let code = match &reply {
                    Ok(response) => response.status().as_u16().to_string(),
                    Err(_) => "<error>".to_owned(),
                };
                counter.count(Line { code, method, host });
                reply
            })
            .boxed()
    }
}
