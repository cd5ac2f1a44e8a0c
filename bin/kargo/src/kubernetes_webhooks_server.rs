//! `kargo kubernetes-webhooks-server`: admission, asked by the API server of a cluster.

use core_rules::access::Component;
use io_http::{BindAddress, BindError, Listener};
use io_kube::Family;
use io_runtime::SystemEnvironment;
use svc_admission::{Monitor, Settings};

use crate::{
    component::{self, Probe, Process},
    exit::{Exit, Failure},
};

pub(crate) fn run() -> Result<(), Failure> {
    let settings = Settings::from_environment(&SystemEnvironment).map_err(Failure::usage)?;
    component::run(Component::KubernetesWebhooksServer, |process| serve(process, settings))
}

async fn serve(process: Process, settings: Settings) -> Result<(), Failure> {
    let listener =
        Listener::open(BindAddress::everywhere(settings.port)).await.map_err(not_bound)?;
    tracing::info!(address = %listener.address(), "webhook server listens");
    let (client, ports) = (process.client().await?, process.ports());
    let serving = svc_admission::start_on(listener, settings, client, ports.clone())
        .await
        .map_err(|error| Failure::new(Exit::Error, error))?;
    process.ready_with(serving.monitor);
    ports.tasks.stopping().await;
    Ok(())
}

fn not_bound(error: BindError) -> Failure {
    let exit = match error {
        BindError::InUse(_) => Exit::PortTaken,
        _ => Exit::Error,
    };
    Failure::new(exit, error).hint("choose another port with WEBHOOK_SERVER_PORT")
}

/// It is there once its certificate is loaded, and from then on ready.
impl Probe for Monitor {
    fn name(&self) -> &'static str {
        Component::KubernetesWebhooksServer.label()
    }

    fn unready(&self) -> Option<String> {
        None
    }

    fn metrics(&self) -> Vec<Family> {
        Self::metrics(self)
    }
}
