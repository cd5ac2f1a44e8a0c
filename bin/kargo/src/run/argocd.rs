//! The Applications of a cluster that the user names.

use std::path::Path;

use core_clock::Variables;
use io_argo::Applications;
use io_kube::{Ports, RequestCounter};
use io_runtime::SystemEnvironment;

use crate::{cluster, exit::Failure};

/// The Applications of the cluster behind a kubeconfig.
pub(super) async fn applications(file: &Path, ports: &Ports) -> Result<Applications, Failure> {
    let settings = cluster::Settings::from_environment(&SystemEnvironment);
    let settings = settings.map_err(Failure::usage)?.of_kubeconfig(file, None);
    let config = cluster::config(&settings).await?;
    let counter = RequestCounter::for_host(cluster::host(&config));
    let client = cluster::client(config, &settings, counter, ports.clock.clone())?;
    let namespace = Variables::new(&SystemEnvironment).text_or("ARGOCD_NAMESPACE", "argocd");
    Ok(Applications::new(client, namespace, ports))
}
