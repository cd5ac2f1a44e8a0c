//! The server's life: start, serve, and an end that nobody is cut off by.

use std::{future::Future, net::SocketAddr, pin::Pin, sync::Arc, time::Duration};

use api_rest::body::VersionInfo;
use axum::body::Body;
use http::Request;
use hyper::body::Incoming;
use io_http::{
    CertificateError, CertificateFiles, Limits, Listener, ServerCertificate, outbound, serve,
    serve_plain,
};
use io_kube::{Family, Ports};
use kube::{Client, api::ListParams, core::Request as KubeRequest};

use super::Front;
use crate::{
    api::{Api, Parts},
    mirror::kinds,
    settings::Settings,
};

/// How often the files of a certificate are looked at.
const RELOAD: Duration = Duration::from_secs(10);

/// How long the server's own rights may take to be known everywhere, and the API server to answer.
const SETTLING: Duration = Duration::from_secs(20);
const PAUSE: Duration = Duration::from_millis(500);

/// Runs work that keeps a thread busy where that does no harm.
pub trait Blocking: Send + Sync {
    /// The outcome of `work`; false when it did not come to one.
    fn run(
        &self,
        work: Box<dyn FnOnce() -> bool + Send>,
    ) -> Pin<Box<dyn Future<Output = bool> + Send>>;
}

/// What a server is started with.
pub struct Wiring {
    /// What it is told.
    pub settings: Settings,
    /// Which build this is.
    pub version: VersionInfo,
    /// The Kubernetes API, with the server's own rights.
    pub client: Client,
    /// How the identity provider is asked.
    pub outbound: outbound::Client,
    /// Where passwords are checked.
    pub blocking: Arc<dyn Blocking>,
    /// Time, randomness and tasks.
    pub ports: Ports,
}

/// A server that runs until its tasks stop.
#[derive(Clone)]
pub struct Serving {
    address: SocketAddr,
    api: Api,
}

impl Serving {
    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Completes when everything that requests are answered from has arrived.
    pub async fn synced(&self) {
        self.api.mirrors().synced().await;
    }

    /// Why it cannot work now.
    pub fn unready(&self) -> Option<String> {
        self.api.unready()
    }

    /// A token of the administrator for programs of the user who runs the server; `None` where there is no such login.
    pub fn local_token(&self, lifetime: Duration) -> Option<String> {
        self.api.authenticator().local_token(lifetime)
    }

    /// What it counts.
    pub fn metrics(&self) -> Vec<Family> {
        let reviews = self.api.reviews().family();
        self.api.metrics().families().into_iter().chain([reviews]).collect()
    }

    /// Tells whoever asks that the server is about to stop; it still serves.
    pub fn stop(&self) {
        self.api.stop();
    }
}

/// Why a server cannot start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// Its certificate cannot be used.
    #[error("the certificate of the API server")]
    Certificate(#[from] CertificateError),
    /// Nobody can say whether there are AnalysisTemplates.
    #[error("the API server cannot find out whether the kinds of Argo Rollouts are installed")]
    Rollouts(#[source] kube::Error),
}

/// Starts to serve on `listener`. Requests are answered once [`Serving::synced`] completes.
pub async fn start(listener: Listener, wiring: Wiring) -> Result<Serving, StartError> {
    let Wiring { settings, version, client, outbound, blocking, ports } = wiring;
    let settings = without_absent_kinds(settings, &client, &ports).await?;
    let address = listener.address();
    let files = settings
        .tls
        .as_ref()
        .map(|tls| CertificateFiles::new(tls.certificate.clone(), tls.key.clone()));
    let certificate = files.as_ref().map(CertificateFiles::read).transpose()?;
    let parts = Parts { settings, version, client, outbound, blocking, ports: ports.clone() };
    let api = Api::new(parts);
    let front = Front::new(api.clone());
    let service = tower::service_fn(move |request: Request<Incoming>| {
        front.clone().answer(request.map(Body::new))
    });
    let (clock, tasks, limits) = (ports.clock.clone(), ports.tasks.clone(), Limits::default());
    match certificate.zip(files) {
        Some((certificate, files)) => {
            serve(listener, &certificate, service, clock, tasks, limits);
            let reload = keep_up(files, certificate, ports.clone());
            ports.tasks.spawn("certificate", Box::pin(reload));
        }
        None => serve_plain(listener, service, clock, tasks, limits),
    }
    Ok(Serving { address, api })
}

/// The settings without AnalysisTemplates and AnalysisRuns, where their kinds are not installed.
async fn without_absent_kinds(
    settings: Settings,
    client: &Client,
    ports: &Ports,
) -> Result<Settings, StartError> {
    if !settings.rollouts {
        return Ok(settings);
    }
    let deadline = ports.clock.monotonic() + SETTLING;
    let has_kinds = loop {
        match has_kinds(client).await {
            Ok(has_kinds) => break has_kinds,
            Err(error) if ports.clock.monotonic() >= deadline => {
                return Err(StartError::Rollouts(error));
            }
            Err(error) => tracing::debug!(%error, "asking again for the kinds of Argo Rollouts"),
        }
        ports.clock.sleep(PAUSE).await;
    };
    if has_kinds {
        return Ok(settings);
    }
    tracing::info!("the kinds of Argo Rollouts are not installed; doing without");
    Ok(Settings { rollouts: false, analysis_logs: None, ..settings })
}

/// Whether there are AnalysisTemplates.
async fn has_kinds(client: &Client) -> Result<bool, kube::Error> {
    let params = ListParams::default().limit(1);
    let request = KubeRequest::new(kinds::ANALYSIS_TEMPLATE.path(None)).list(&params);
    let request = request.map_err(kube::Error::BuildRequest)?;
    match client.request_text(request).await {
        Ok(_) => Ok(true),
        Err(error) if io_kube::status_code(&error) == Some(404) => Ok(false),
        Err(error) => Err(error),
    }
}

/// Shows new connections what the files hold.
async fn keep_up(files: CertificateFiles, certificate: ServerCertificate, ports: Ports) {
    loop {
        tokio::select! {
            biased;
            () = ports.tasks.stopping() => return,
            () = ports.clock.sleep(RELOAD) => {}
        }
        match files.read() {
            Ok(fresh) => certificate.replace_with(&fresh),
            // Half of a rotation may be visible; the old certificate serves until both files fit.
            Err(error) => tracing::warn!(%error, "certificate not reloaded"),
        }
    }
}
