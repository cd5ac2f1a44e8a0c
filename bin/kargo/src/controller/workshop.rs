//! What a controller works with: opened once, and handed out for each time that it leads.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use core_clock::{Environment, Variables};
use io_creds::{Clusters, Credentials};
use io_git::Store;
use io_kube::{Fence, Ports};
use io_runtime::SystemEnvironment;
use kube::Client;
use svc_controller::{Monitor, Parts, Steps};
use work_steps::{Cluster, ClusterSettings, driver::BuiltIn};

use crate::{
    argocd::{self, ArgoCd, guarded},
    discovery::{self, Opened},
    exit::Failure,
    git_identity,
};

/// Where work directories are, beside mirrors and caches.
const WORK: &str = "work";
/// What a work directory may take on disk unless the operator says otherwise.
const QUOTA_BYTES: u64 = 10 << 30;

/// What a controller follows.
pub(crate) struct Settings {
    pub(crate) controller: svc_controller::Settings,
    pub(crate) sources: discovery::Settings,
    pub(crate) argocd: argocd::Settings,
    steps: work_steps::Settings,
    cluster: ClusterSettings,
    /// Where everything is kept.
    pub(crate) directory: PathBuf,
    /// How much a work directory may take (`WORK_DIR_QUOTA_BYTES`; 0 is no limit).
    quota_bytes: Option<u64>,
}

impl Settings {
    /// Reads the variables of every part; what they keep is below `directory`.
    pub(crate) fn from_environment(
        environment: &dyn Environment,
        directory: &Path,
    ) -> Result<Self, Failure> {
        let git_identity = git_identity::from_environment(environment)?;
        let read = || {
            let sources = discovery::Settings::from_environment(environment, directory)?;
            let variables = Variables::new(environment);
            let quota = variables.count("WORK_DIR_QUOTA_BYTES", 0.., QUOTA_BYTES)?;
            Ok(Self {
                controller: svc_controller::Settings::from_environment(environment)?,
                argocd: argocd::Settings::from_environment(environment)?,
                steps: work_steps::Settings::from_environment(environment)?,
                cluster: ClusterSettings {
                    shared_namespace: sources.credentials.shared_namespace.clone(),
                    system_namespace: variables
                        .text_or("SYSTEM_RESOURCES_NAMESPACE", "kargo-system-resources"),
                    git_identity,
                },
                sources,
                directory: directory.to_owned(),
                quota_bytes: (quota > 0).then_some(quota),
            })
        };
        read().map_err(|error: core_clock::SettingError| Failure::usage(error))
    }

    /// Opens mirrors and caches. `clusters` has the control plane with the identity of the controller.
    pub(crate) async fn open(
        self,
        clusters: Clusters,
        argocd: Option<ArgoCd>,
        ports: &Ports,
    ) -> Result<Workshop, Failure> {
        let client = clusters.control_plane.clone();
        let opened = self.sources.open(&SystemEnvironment, ports, |settings, outbound| {
            Credentials::new(clusters, settings, outbound, ports)
        });
        Ok(Workshop {
            client,
            opened: opened.await?,
            argocd,
            controller: self.controller,
            steps: Arc::new(self.steps),
            cluster: self.cluster,
            work: self.directory.join(WORK),
            quota_bytes: self.quota_bytes,
        })
    }
}

/// What stays open for as long as the process lives.
pub(crate) struct Workshop {
    pub(crate) client: Client,
    pub(crate) controller: svc_controller::Settings,
    pub(crate) argocd: Option<ArgoCd>,
    opened: Opened,
    steps: Arc<work_steps::Settings>,
    cluster: ClusterSettings,
    work: PathBuf,
    quota_bytes: Option<u64>,
}

impl Workshop {
    /// The mirrors of repositories.
    pub(crate) fn mirrors(&self) -> &Store {
        &self.opened.mirrors
    }

    /// What one life of a controller works with: it writes only while the fence is open, and its tasks end with it.
    pub(crate) fn parts(&self, fence: Option<&Fence>, ports: &Ports, monitor: Monitor) -> Parts {
        let client = guarded(&self.client, fence);
        let applications = self.argocd.as_ref().map(|argocd| argocd.applications(fence, ports));
        let control_plane =
            Arc::new(Cluster::new(client.clone(), self.cluster.clone(), ports.clock.clone()));
        let step_ports = self.opened.step_ports(
            ports,
            control_plane.clone(),
            applications.clone(),
            self.steps.clone(),
        );
        let steps = Steps {
            runner: Arc::new(BuiltIn::new(step_ports)),
            control_plane,
            directory: self.work.clone(),
            quota_bytes: self.quota_bytes,
        };
        Parts {
            client,
            ports: ports.clone(),
            settings: self.controller.clone(),
            searcher: self.opened.discovery.clone(),
            steps,
            applications,
            monitor,
        }
    }
}
