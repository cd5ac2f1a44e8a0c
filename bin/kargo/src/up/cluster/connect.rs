//! The way into the cluster: as the user of the kubeconfig, and as each ServiceAccount.

use std::{path::Path, sync::Arc, time::Duration};

use core_rules::access::Component;
use io_kube::{RequestCounter, UserAgent, status_code};
use io_runtime::SystemEnvironment;
use kube::{Api, Client, Config, config::AuthInfo};

use super::{
    ClusterArgs,
    failure::request_failure,
    token::{TokenSource, authorized},
};
use crate::{
    cluster,
    exit::{Exit, Failure},
    up::{
        World,
        components::Clients,
        installation::{Installation, Neighbours},
    },
};

/// How long the cluster may take to answer at all.
const PATIENCE: Duration = Duration::from_secs(15);
/// Where Argo keeps its kinds.
const ARGO: &str = "argoproj.io/v1alpha1";

/// A cluster that answers.
pub(super) struct Cluster {
    /// The user of the kubeconfig, who installs.
    pub(super) installer: Client,
    /// Nobody; tokens are added to its requests. All identities share its connections.
    anonymous: Client,
    /// Where its API server is.
    pub(super) url: http::Uri,
    token_renewal: Duration,
    world: World,
}

impl Cluster {
    /// Reads the kubeconfig and asks the cluster for its version.
    pub(super) async fn connect(
        args: &ClusterArgs,
        kubeconfig: &Path,
        world: &World,
    ) -> Result<Self, Failure> {
        let settings = cluster::Settings::from_environment(&SystemEnvironment)
            .map_err(Failure::usage)?
            .of_kubeconfig(kubeconfig, args.context.clone());
        let config = cluster::config(&settings).await?;
        let url = config.cluster_url.clone();
        let mut anonymous = config.clone();
        anonymous.auth_info = AuthInfo::default();
        let counter = RequestCounter::for_host(cluster::host(&config));
        let agent = cluster::command_agent();
        let client = |config: Config| {
            cluster::client(config, &settings, &agent, counter.clone(), world.clock.clone())
        };
        world.vitals.add(counter.clone());
        let cluster = Self {
            installer: client(config)?,
            anonymous: client(anonymous)?,
            url,
            token_renewal: args.token_renewal(),
            world: world.clone(),
        };
        cluster.greet().await?;
        Ok(cluster)
    }

    async fn greet(&self) -> Result<(), Failure> {
        let failed = |why: String| {
            let reached = format!("the cluster at {} cannot be reached: {why}", self.url);
            Failure::new(Exit::ClusterUnreachable, reached)
        };
        let version = tokio::select! {
            version = self.installer.apiserver_version() => version,
            () = self.world.clock.sleep(PATIENCE) => {
                return Err(failed(format!("no answer within {} s", PATIENCE.as_secs())));
            }
        };
        match version {
            Ok(version) => {
                tracing::info!(url = %self.url, version = version.git_version, "cluster answers");
                Ok(())
            }
            Err(error @ kube::Error::Api(_)) => {
                Err(request_failure("ask the cluster for its version", &error))
            }
            Err(error) => Err(failed(super::failure::explain(&error))),
        }
    }

    /// What else the cluster serves that components can work with.
    pub(super) async fn neighbours(&self) -> Result<Neighbours, Failure> {
        let found = match self.installer.list_api_group_resources(ARGO).await {
            Ok(found) => found.resources,
            Err(error) if status_code(&error) == Some(404) => return Ok(Neighbours::default()),
            Err(error) => return Err(request_failure(format!("see what {ARGO} serves"), &error)),
        };
        let serves = |plural: &str| found.iter().any(|resource| resource.name == plural);
        Ok(Neighbours { rollouts: serves("analysisruns"), argocd: serves("applications") })
    }

    /// A client with the identity of a ServiceAccount, whose token is renewed for as long as it lives. Its requests say
    /// that `agent` makes them.
    pub(super) fn client_as(&self, namespace: &str, account: &str, agent: &UserAgent) -> Client {
        let accounts = Api::namespaced(self.installer.clone(), namespace);
        let clock = self.world.clock.clone();
        let source = Arc::new(TokenSource::new(accounts, account, self.token_renewal, clock));
        authorized(self.anonymous.clone(), source, agent)
    }
}

/// Clients that enter the cluster over the network, each as the ServiceAccount of its component.
pub(super) struct ByToken<'a> {
    pub(super) cluster: &'a Cluster,
    pub(super) installation: &'a Installation,
}

impl Clients for ByToken<'_> {
    fn client(&self, component: Component) -> Client {
        let (namespace, account) = (self.installation.namespace(), component.service_account());
        self.cluster.client_as(namespace, account, &cluster::agent(component))
    }
}
