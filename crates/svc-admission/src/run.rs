//! The server as a component.

use std::{net::Ipv4Addr, sync::Arc, time::Duration};

use io_http::{CertificateFiles, Limits, Listener, ServerCertificate, serve};
use io_kube::Ports;
use kube::Client;

use crate::{
    Admitter, Certificate, Error, Settings, server,
    trust::{RENEWAL, Trust, UPKEEP},
};

/// How often given certificates are read again.
const RELOAD: Duration = Duration::from_secs(10);

/// Serves the webhooks until the tasks stop.
pub async fn run(settings: Settings, client: Client, ports: Ports) -> Result<(), Error> {
    let address = (Ipv4Addr::UNSPECIFIED, settings.port).into();
    let listener = Listener::bind(address).await?;
    tracing::info!(address = %listener.address(), "webhook server listens");
    start_on(listener, settings, client, ports.clone()).await?;
    ports.tasks.stopping().await;
    Ok(())
}

/// What runs once the server is started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Serving {
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
    let admitter = Arc::new(Admitter::new(client, settings, ports.clone()));
    let service = tower::service_fn(move |request| server::answer(admitter.clone(), request));
    serve(listener, &certificate, service, ports.clock, ports.tasks, Limits::default());
    Ok(Serving { authority })
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
