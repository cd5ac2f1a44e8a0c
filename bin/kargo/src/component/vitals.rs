//! What a process tells about itself over HTTP: `/livez`, `/readyz` and `/metrics`.

use std::{
    convert::Infallible,
    future::ready,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use bytes::Bytes;
use core_clock::{Clock, Tasks};
use http::{
    HeaderValue, Method, Request, Response, StatusCode,
    header::{ALLOW, CONTENT_TYPE},
};
use http_body_util::Full;
use io_http::{BindAddress, BindError, Limits, Listener, serve_plain};
use io_kube::{Family, prometheus_text};
use parking_lot::RwLock;

use super::{metrics::ProcessMetrics, settings::Doors};
use crate::exit::{Exit, Failure};

const PLAIN: HeaderValue = HeaderValue::from_static("text/plain; charset=utf-8");
const PROMETHEUS: HeaderValue =
    HeaderValue::from_static("text/plain; version=0.0.4; charset=utf-8");

/// A part of the process that can be asked how it is.
pub(crate) trait Probe: Send + Sync {
    /// Whom an answer is about.
    fn name(&self) -> &'static str;
    /// What keeps it from working now.
    fn unready(&self) -> Option<String>;
    /// Why only a new process helps.
    fn stuck(&self) -> Option<String> {
        None
    }
    /// What it counts.
    fn metrics(&self) -> Vec<Family> {
        Vec::new()
    }
}

/// Twice as long as a pass may take at most: by then the oldest key must have had its turn.
const STALL_LIMIT: Duration = Duration::from_mins(10);

/// Why only a new process helps workers of whom `stalled` tells how long the oldest key has waited, beyond a limit.
pub(crate) fn stuck_workers(stalled: impl FnOnce(Duration) -> Option<Duration>) -> Option<String> {
    let waited = stalled(STALL_LIMIT)?;
    Some(format!("a key waits for {} s without progress", waited.as_secs()))
}

/// How the whole process is. Clones share it.
#[derive(Clone, Default)]
pub(crate) struct Vitals {
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    probes: RwLock<Vec<Arc<dyn Probe>>>,
    started: AtomicBool,
    stopping: AtomicBool,
}

impl Vitals {
    /// Those of the process of a subcommand, which starts now.
    pub(crate) fn of_process(
        subcommand: &'static str,
        shard: Option<&str>,
        clock: &dyn Clock,
    ) -> Self {
        let vitals = Self::default();
        vitals.add(ProcessMetrics::new(subcommand, shard, clock));
        vitals
    }

    /// Asks `probe` from now on.
    pub(crate) fn add(&self, probe: impl Probe + 'static) {
        self.shared.probes.write().push(Arc::new(probe));
    }

    /// Every part that there will be is known; before that the process is not ready.
    pub(crate) fn complete(&self) {
        self.shared.started.store(true, Ordering::Relaxed);
    }

    /// The process ends: it is not ready any more.
    pub(crate) fn stop(&self) {
        self.shared.stopping.store(true, Ordering::Relaxed);
    }

    /// Answers at the doors until the tasks stop.
    pub(crate) async fn serve(
        &self,
        doors: Doors,
        clock: &Arc<dyn Clock>,
        tasks: &Arc<dyn Tasks>,
    ) -> Result<(), Failure> {
        let open = async |address: BindAddress, variable: &str, pages: Pages| {
            let listener = Listener::open(address).await.map_err(|error| taken(error, variable))?;
            tracing::info!(address = %listener.address(), variable, "listening");
            let vitals = self.clone();
            let service = tower::service_fn(move |request: Request<_>| {
                ready(Ok::<_, Infallible>(vitals.answer(pages, &request)))
            });
            serve_plain(listener, service, clock.clone(), tasks.clone(), Limits::small());
            Ok::<_, Failure>(())
        };
        let Doors { health, metrics } = doors;
        if let Some(address) = health {
            let pages = Pages { health: true, metrics: metrics == health };
            open(address, "HEALTH_BIND_ADDRESS", pages).await?;
        }
        if let Some(address) = metrics.filter(|_| metrics != health) {
            let pages = Pages { health: false, metrics: true };
            open(address, "METRICS_BIND_ADDRESS", pages).await?;
        }
        Ok(())
    }

    fn answer<B>(&self, pages: Pages, request: &Request<B>) -> Response<Full<Bytes>> {
        if !matches!(*request.method(), Method::GET | Method::HEAD) {
            let mut refused = page(StatusCode::METHOD_NOT_ALLOWED, "only GET\n".to_owned());
            refused.headers_mut().insert(ALLOW, HeaderValue::from_static("GET, HEAD"));
            return refused;
        }
        match request.uri().path() {
            "/livez" | "/healthz" if pages.health => {
                verdict(self.stuck(), StatusCode::INTERNAL_SERVER_ERROR)
            }
            "/readyz" if pages.health => verdict(self.unready(), StatusCode::SERVICE_UNAVAILABLE),
            "/metrics" if pages.metrics => {
                let mut page = page(StatusCode::OK, prometheus_text(self.metrics()));
                page.headers_mut().insert(CONTENT_TYPE, PROMETHEUS);
                page
            }
            _ => page(StatusCode::NOT_FOUND, "not found\n".to_owned()),
        }
    }

    fn stuck(&self) -> Vec<String> {
        self.told(|probe| probe.stuck())
    }

    fn unready(&self) -> Vec<String> {
        if self.shared.stopping.load(Ordering::Relaxed) {
            return vec!["stopping".to_owned()];
        }
        let mut reasons = self.told(|probe| probe.unready());
        if !self.shared.started.load(Ordering::Relaxed) {
            reasons.push("starting".to_owned());
        }
        reasons
    }

    fn metrics(&self) -> Vec<Family> {
        self.probes().iter().flat_map(|probe| probe.metrics()).collect()
    }

    fn told(&self, ask: impl Fn(&dyn Probe) -> Option<String>) -> Vec<String> {
        let probes = self.probes();
        let told = probes.iter().filter_map(|probe| {
            ask(probe.as_ref()).map(|reason| format!("{}: {reason}", probe.name()))
        });
        told.collect()
    }

    fn probes(&self) -> Vec<Arc<dyn Probe>> {
        self.shared.probes.read().clone()
    }
}

/// What is answered behind one door.
#[derive(Clone, Copy)]
struct Pages {
    health: bool,
    metrics: bool,
}

fn taken(error: BindError, variable: &str) -> Failure {
    let exit = match error {
        BindError::InUse(_) => Exit::PortTaken,
        _ => Exit::Error,
    };
    Failure::new(exit, error).hint(format!("set {variable} to another address, or to 0 for none"))
}

fn verdict(reasons: Vec<String>, status: StatusCode) -> Response<Full<Bytes>> {
    if reasons.is_empty() {
        return page(StatusCode::OK, "ok\n".to_owned());
    }
    page(status, reasons.into_iter().map(|reason| reason + "\n").collect())
}

fn page(status: StatusCode, text: String) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(Bytes::from(text)));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, PLAIN);
    response
}

#[cfg(test)]
mod tests {
    use http_body_util::BodyExt;

    use super::*;

    struct Sick;

    impl Probe for Sick {
        fn name(&self) -> &'static str {
            "sick"
        }
        fn unready(&self) -> Option<String> {
            Some("not yet".into())
        }
        fn stuck(&self) -> Option<String> {
            Some("never".into())
        }
    }

    const ALL: Pages = Pages { health: true, metrics: true };

    async fn ask(vitals: &Vitals, pages: Pages, method: Method, path: &str) -> (u16, String) {
        let request = Request::builder().method(method).uri(path).body(()).unwrap();
        let (head, body) = vitals.answer(pages, &request).into_parts();
        let body = body.collect().await.unwrap().to_bytes();
        (head.status.as_u16(), String::from_utf8_lossy(&body).into_owned())
    }

    #[tokio::test]
    async fn a_process_is_ready_between_its_start_and_its_stop() {
        let vitals = Vitals::default();
        let ready = async || ask(&vitals, ALL, Method::GET, "/readyz").await;
        assert_eq!(ready().await, (503, "starting\n".into()));
        vitals.complete();
        assert_eq!(ready().await, (200, "ok\n".into()));
        assert_eq!(ask(&vitals, ALL, Method::HEAD, "/livez").await.0, 200);
        vitals.stop();
        assert_eq!(ready().await, (503, "stopping\n".into()));
        assert_eq!(ask(&vitals, ALL, Method::GET, "/livez").await.0, 200, "it still lives");
    }

    #[tokio::test]
    async fn one_sick_part_is_named() {
        let vitals = Vitals::default();
        vitals.complete();
        vitals.add(Sick);
        let answer = async |path| ask(&vitals, ALL, Method::GET, path).await;
        assert_eq!(answer("/readyz").await, (503, "sick: not yet\n".into()));
        assert_eq!(answer("/livez").await, (500, "sick: never\n".into()));
        assert_eq!(answer("/healthz").await.0, 500);
    }

    #[tokio::test]
    async fn a_door_answers_for_its_own_pages_only() {
        let vitals = Vitals::default();
        let status = async |pages, method, path| ask(&vitals, pages, method, path).await.0;
        let health = Pages { health: true, metrics: false };
        assert_eq!(status(health, Method::GET, "/metrics").await, 404);
        let metrics = Pages { health: false, metrics: true };
        assert_eq!(status(metrics, Method::GET, "/metrics").await, 200);
        assert_eq!(status(metrics, Method::GET, "/livez").await, 404);
        assert_eq!(status(ALL, Method::POST, "/livez").await, 405);
        assert_eq!(status(ALL, Method::GET, "/debug/pprof/").await, 404);
    }
}
