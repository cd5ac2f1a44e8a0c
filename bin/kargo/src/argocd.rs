//! The cluster where Argo CD runs: that of a kubeconfig of its own, or the one around this process.

use std::path::{Path, PathBuf};

use core_clock::{Environment, SettingError, Variables};
use core_rules::access::Component;
use io_argo::Applications;
use io_kube::{Fence, Ports, RequestCounter};
use kube::Client;

use crate::{cluster, exit::Failure};

/// Where Argo CD is.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Settings {
    /// Whether the integration is wanted at all.
    is_enabled: bool,
    /// The kubeconfig of its cluster; without one, the cluster around this process.
    kubeconfig: Option<PathBuf>,
    /// Where Applications are that name no namespace.
    namespace: String,
    /// Whether Applications of other namespaces are not watched.
    has_one_namespace: bool,
    cluster: cluster::Settings,
}

/// A cluster with Argo CD, or one that may have it later.
pub(crate) struct ArgoCd {
    client: Client,
    namespace: String,
    has_one_namespace: bool,
}

impl Settings {
    /// Reads `ARGOCD_INTEGRATION_ENABLED`, `ARGOCD_KUBECONFIG`, `ARGOCD_NAMESPACE` and
    /// `ARGOCD_WATCH_ARGOCD_NAMESPACE_ONLY`.
    pub(crate) fn from_environment(environment: &dyn Environment) -> Result<Self, SettingError> {
        let variables = Variables::new(environment);
        Ok(Self {
            is_enabled: variables.flag("ARGOCD_INTEGRATION_ENABLED", true)?,
            kubeconfig: variables.path("ARGOCD_KUBECONFIG"),
            namespace: variables.text_or("ARGOCD_NAMESPACE", "argocd"),
            has_one_namespace: variables.flag("ARGOCD_WATCH_ARGOCD_NAMESPACE_ONLY", false)?,
            cluster: cluster::Settings::from_environment(environment)?,
        })
    }

    /// Connects to the cluster of the kubeconfig, or takes `around`, the client of the cluster around this process.
    /// Without either there is nothing to integrate with. Whether there is Argo CD in it is found out by who watches it.
    pub(crate) async fn connect(
        &self,
        around: Option<Client>,
        ports: &Ports,
    ) -> Result<Option<ArgoCd>, Failure> {
        if !self.is_enabled {
            return Ok(None);
        }
        match (&self.kubeconfig, around) {
            (Some(file), _) => self.behind(file, ports).await.map(Some),
            (None, around) => Ok(around.map(|client| self.of(client))),
        }
    }

    /// The cluster behind a kubeconfig, whether or not there is Argo CD in it.
    pub(crate) async fn behind(&self, file: &Path, ports: &Ports) -> Result<ArgoCd, Failure> {
        let settings = self.cluster.clone().of_kubeconfig(file, None);
        let config = cluster::config(&settings).await?;
        let counter = RequestCounter::for_host(cluster::host(&config));
        let agent = cluster::agent(Component::Controller);
        let client = cluster::client(config, &settings, &agent, counter, ports.clock.clone())?;
        Ok(self.of(client))
    }

    fn of(&self, client: Client) -> ArgoCd {
        let (namespace, has_one_namespace) = (self.namespace.clone(), self.has_one_namespace);
        ArgoCd { client, namespace, has_one_namespace }
    }
}

impl ArgoCd {
    /// Its Applications; written to only while the fence is open.
    pub(crate) fn applications(&self, fence: Option<&Fence>, ports: &Ports) -> Applications {
        let applications = Applications::new(guarded(&self.client, fence), &self.namespace, ports);
        if self.has_one_namespace {
            return applications.in_default_namespace_only();
        }
        applications
    }
}

/// The client, held back by the fence where there is one.
pub(crate) fn guarded(client: &Client, fence: Option<&Fence>) -> Client {
    match fence {
        Some(fence) => fence.guard(client.clone()),
        None => client.clone(),
    }
}

#[cfg(test)]
mod tests {
    use core_clock::FixedEnvironment;

    use super::*;

    #[test]
    fn argo_cd_is_looked_for_unless_told_otherwise() {
        let read = |variables: &[(&str, &str)]| {
            let environment: FixedEnvironment = variables.iter().copied().collect();
            Settings::from_environment(&environment)
        };
        let default = read(&[]).unwrap();
        assert!(default.is_enabled && !default.has_one_namespace);
        assert_eq!((default.kubeconfig, default.namespace.as_str()), (None, "argocd"));
        assert!(!read(&[("ARGOCD_INTEGRATION_ENABLED", "false")]).unwrap().is_enabled);
        let wrong = read(&[("ARGOCD_INTEGRATION_ENABLED", "sometimes")]).unwrap_err();
        insta::assert_snapshot!(wrong, @r#"ARGOCD_INTEGRATION_ENABLED: "sometimes" is not true or false"#);
    }
}
