//! The server as a component.

use std::{convert::Infallible, sync::Arc, time::Duration};

use bytes::Bytes;
use core_clock::Clock;
use http::{Request, Response};
use http_body_util::Full;
use hyper::body::Incoming;
use io_http::{CertificateFiles, Limits, Listener, ServerCertificate, serve};
use io_kube::Ports;
use kube::Client;

use crate::{
    Admitter, Certificate, Error, Monitor, Settings, server,
    trust::{RENEWAL, Trust, UPKEEP},
};

/// How often given certificates are read again.
const RELOAD: Duration = Duration::from_secs(10);

/// What runs once the server is started.
#[derive(Clone)]
pub struct Serving {
    /// What it counts.
    pub monitor: Monitor,
    /// Our own authority in PEM form, for [`Registration`](crate::registration::Registration); `None` when the
    /// certificate was given.
    pub authority: Option<String>,
}

/// Starts to serve on a port that is bound already; it ends when the tasks stop.
pub async fn start_on(
    listener: Listener,
    settings: Settings,
    client: Client,
    ports: Ports,
) -> Result<Serving, Error> {
    let (certificate, authority) = certificate(&settings, &client, &ports).await?;
    let monitor = Monitor::new(certificate.clone());
    let desk = Desk {
        admitter: Arc::new(Admitter::new(client, settings, ports.clone())),
        monitor: monitor.clone(),
        clock: ports.clock.clone(),
    };
    let service = tower::service_fn(move |request| desk.clone().answer(request));
    serve(listener, &certificate, service, ports.clock, ports.tasks, Limits::default());
    Ok(Serving { monitor, authority })
}

/// Where requests are answered, and counted.
#[derive(Clone)]
struct Desk {
    admitter: Arc<Admitter>,
    monitor: Monitor,
    clock: Arc<dyn Clock>,
}

impl Desk {
    async fn answer(self, request: Request<Incoming>) -> Result<Response<Full<Bytes>>, Infallible> {
        let (path, asked) = (request.uri().path().to_owned(), self.clock.monotonic());
        let response = server::answer(self.admitter, request).await?;
        let took = self.clock.monotonic().saturating_sub(asked);
        self.monitor.record(&path, response.status().as_u16(), took);
        Ok(response)
    }
}

/// The certificate to begin with, which a task keeps fresh, and the authority behind it if that is ours.
async fn certificate(
    settings: &Settings,
    client: &Client,
    ports: &Ports,
) -> Result<(ServerCertificate, Option<String>), Error> {
    match &settings.certificate {
        Certificate::Files(directory) => {
            let files = CertificateFiles::in_directory(directory);
            let certificate = files.read()?;
            let task = reload(files, certificate.clone(), ports.clone());
            ports.tasks.spawn("reload certificate", Box::pin(task));
            Ok((certificate, None))
        }
        Certificate::Own => {
            let (namespace, hosts) = (&settings.namespace, &settings.hosts);
            let now = ports.clock.now();
            let trust = Trust::open(client.clone(), namespace, hosts, now).await?;
            let certificate = trust.issue(now)?;
            let authority = trust.authority_pem().to_owned();
            let task = keep_up(trust, certificate.clone(), ports.clone());
            ports.tasks.spawn("keep up trust", Box::pin(task));
            Ok((certificate, Some(authority)))
        }
    }
}

async fn reload(files: CertificateFiles, certificate: ServerCertificate, ports: Ports) {
    while wait(&ports, RELOAD).await {
        match files.read() {
            Ok(fresh) => certificate.replace_with(&fresh),
            // Half of a rotation may be visible; the old certificate serves until both files fit.
            Err(error) => tracing::warn!(%error, "certificate not reloaded"),
        }
    }
}

async fn keep_up(trust: Trust, certificate: ServerCertificate, ports: Ports) {
    let mut issued = ports.clock.monotonic();
    loop {
        if let Err(error) = trust.keep_up().await {
            tracing::warn!(%error, "trust not kept up");
        }
        if !wait(&ports, UPKEEP).await {
            return;
        }
        let now = ports.clock.monotonic();
        if now.saturating_sub(issued) >= RENEWAL {
            match trust.issue(ports.clock.now()) {
                Ok(fresh) => certificate.replace_with(&fresh),
                Err(error) => tracing::warn!(%error, "certificate not renewed"),
            }
            issued = now;
        }
    }
}

/// Waits; false when the tasks are to stop.
async fn wait(ports: &Ports, time: Duration) -> bool {
    tokio::select! {
        biased;
        () = ports.tasks.stopping() => false,
        () = ports.clock.sleep(time) => true,
    }
}
