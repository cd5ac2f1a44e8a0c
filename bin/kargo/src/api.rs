//! `kargo api`: the REST server as a process; and how any process of ours serves it.

use std::{future::Future, pin::Pin, sync::Arc, time::Duration};

use api_rest::body::VersionInfo;
use core_rules::access::Component;
use io_http::{
    BindError, Listener,
    outbound::{self, Outbound, Tls},
};
use io_kube::{Family, Ports};
use io_runtime::{SystemEnvironment, TaskGroup, blocking};
use kube::Client;
use svc_api::{Blocking, Serving, Settings, Wiring};

use crate::{
    component::{self, Probe, Process},
    exit::{Exit, Failure},
    version,
};

/// The longest that requests are still served after a signal: the process itself has little more.
const LONGEST_GRACE: Duration = Duration::from_secs(12);
/// How long requests may then take to end.
const DRAIN: Duration = Duration::from_secs(5);

pub(crate) fn run() -> Result<(), Failure> {
    let settings = Settings::from_environment(&SystemEnvironment).map_err(Failure::usage)?;
    component::run(Component::Api, |process| serve(process, settings))
}

async fn serve(process: Process, settings: Settings) -> Result<(), Failure> {
    let grace = settings.grace.min(LONGEST_GRACE);
    let listener = Listener::bind(settings.address).await.map_err(not_bound)?;
    tracing::info!(address = %listener.address(), "API server listens");
    let (stopping, clock) = (process.ports().tasks.stopping(), process.ports().clock);
    // Its own tasks, so that it still serves while the process has begun to stop.
    let tasks = TaskGroup::new();
    let ports = Ports { tasks: Arc::new(tasks.clone()), ..process.ports() };
    let serving = start(listener, settings, process.client().await?, ports).await?;
    process.ready_with(serving.clone());
    stopping.await;
    serving.stop();
    clock.sleep(grace).await;
    tasks.shutdown(DRAIN).await;
    Ok(())
}

/// Serves with the means of this process.
pub(crate) async fn start(
    listener: Listener,
    settings: Settings,
    client: Client,
    ports: Ports,
) -> Result<Serving, Failure> {
    let wiring = Wiring {
        version: build()?,
        client,
        outbound: identity_provider(&settings)?,
        blocking: Arc::new(Threads),
        ports,
        settings,
    };
    svc_api::start(listener, wiring).await.map_err(|error| Failure::new(Exit::Error, error))
}

/// How the identity provider is asked: whoever signs Dex's certificate is trusted as well.
fn identity_provider(settings: &Settings) -> Result<outbound::Client, Failure> {
    let outbound =
        outbound::Settings::from_environment(&SystemEnvironment).map_err(Failure::usage)?;
    let dex = settings.oidc.as_ref().and_then(|oidc| oidc.dex.as_ref());
    let authority = dex.and_then(|dex| dex.authority.as_ref());
    let ca_pem = authority.map(std::fs::read_to_string).transpose()?.map(Arc::from);
    let tls = Tls { ca_pem, ..Tls::default() };
    Outbound::new(outbound)
        .client(&tls)
        .map_err(|error| Failure::usage(error).hint("look at the file that DEX_CA_CERT_PATH names"))
}

fn build() -> Result<VersionInfo, Failure> {
    serde_json::from_value(version::document()).map_err(|error| Failure::new(Exit::Error, error))
}

fn not_bound(error: BindError) -> Failure {
    let exit = match error {
        BindError::InUse(_) => Exit::PortTaken,
        _ => Exit::Error,
    };
    Failure::new(exit, error).hint("choose another address with BIND_ADDRESS and PORT")
}

/// Threads of the runtime for work that takes its time.
struct Threads;

impl Blocking for Threads {
    fn run(
        &self,
        work: Box<dyn FnOnce() -> bool + Send>,
    ) -> Pin<Box<dyn Future<Output = bool> + Send>> {
        Box::pin(async { blocking(work).await.unwrap_or(false) })
    }
}

impl Probe for Serving {
    fn name(&self) -> &'static str {
        Component::Api.label()
    }

    fn unready(&self) -> Option<String> {
        Self::unready(self)
    }

    fn metrics(&self) -> Vec<Family> {
        Self::metrics(self)
    }
}
