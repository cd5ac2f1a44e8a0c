//! The cluster where Argo CD runs: that of a kubeconfig of its own, or the one around this process.

use std::path::{Path, PathBuf};

use core_clock::{Environment, SettingError, Variables};
use io_argo::Applications;
use io_kube::{Fence, Ports, RequestCounter, status_code};
use kube::{
    Api, Client,
    api::{ApiResource, DynamicObject, GroupVersionKind, ListParams},
};

use crate::{
    cluster,
    exit::{Failure, with_causes},
};

/// Where Argo CD is.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Settings {
    /// Whether the integration is wanted at all.
    is_enabled: bool,
    /// The kubeconfig of its cluster; without one, the cluster around this process.
    kubeconfig: Option<PathBuf>,
    /// Where Applications are that name no namespace.
    namespace: String,
    cluster: cluster::Settings,
}

/// A cluster with Argo CD.
pub(crate) struct ArgoCd {
    client: Client,
    namespace: String,
}

impl Settings {
    /// Reads `ARGOCD_INTEGRATION_ENABLED`, `ARGOCD_KUBECONFIG` and `ARGOCD_NAMESPACE`.
    pub(crate) fn from_environment(environment: &dyn Environment) -> Result<Self, SettingError> {
        let variables = Variables::new(environment);
        Ok(Self {
            is_enabled: variables.flag("ARGOCD_INTEGRATION_ENABLED", true)?,
            kubeconfig: variables.path("ARGOCD_KUBECONFIG"),
            namespace: variables.text_or("ARGOCD_NAMESPACE", "argocd"),
            cluster: cluster::Settings::from_environment(environment)?,
        })
    }

    /// Connects to the cluster of the kubeconfig, or takes `around`, the client of the cluster around this process.
    /// Without either, or without Argo CD in it, there is nothing to integrate with.
    pub(crate) async fn connect(
        &self,
        around: Option<Client>,
        ports: &Ports,
    ) -> Result<Option<ArgoCd>, Failure> {
        if !self.is_enabled {
            return Ok(None);
        }
        let namespace = self.namespace.clone();
        let argocd = match (&self.kubeconfig, around) {
            (Some(file), _) => self.behind(file, ports).await?,
            (None, Some(client)) => ArgoCd { client, namespace },
            (None, None) => return Ok(None),
        };
        Ok(argocd.is_there().await.then_some(argocd))
    }

    /// The cluster behind a kubeconfig, whether or not there is Argo CD in it.
    pub(crate) async fn behind(&self, file: &Path, ports: &Ports) -> Result<ArgoCd, Failure> {
        let settings = self.cluster.clone().of_kubeconfig(file, None);
        let config = cluster::config(&settings).await?;
        let counter = RequestCounter::for_host(cluster::host(&config));
        let client = cluster::client(config, &settings, counter, ports.clock.clone())?;
        Ok(ArgoCd { client, namespace: self.namespace.clone() })
    }
}

impl ArgoCd {
    /// Its Applications; written to only while the fence is open.
    pub(crate) fn applications(&self, fence: Option<&Fence>, ports: &Ports) -> Applications {
        Applications::new(guarded(&self.client, fence), &self.namespace, ports)
    }

    /// Whether the cluster knows Applications. Who cannot tell takes it that it does: steps tell what is wrong.
    async fn is_there(&self) -> bool {
        let kind = GroupVersionKind::gvk("argoproj.io", "v1alpha1", "Application");
        let resource = ApiResource::from_gvk(&kind);
        let applications: Api<DynamicObject> =
            Api::namespaced_with(self.client.clone(), &self.namespace, &resource);
        match applications.list(&ListParams::default().limit(1)).await {
            Ok(_) => true,
            Err(error) if status_code(&error) == Some(404) => {
                tracing::info!("no Argo CD: its cluster does not serve Applications");
                false
            }
            Err(error) => {
                let error = with_causes(&error);
                tracing::warn!(error, namespace = self.namespace, "cannot list Applications");
                true
            }
        }
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
        assert!(default.is_enabled);
        assert_eq!((default.kubeconfig, default.namespace.as_str()), (None, "argocd"));
        assert!(!read(&[("ARGOCD_INTEGRATION_ENABLED", "false")]).unwrap().is_enabled);
        let wrong = read(&[("ARGOCD_INTEGRATION_ENABLED", "sometimes")]).unwrap_err();
        insta::assert_snapshot!(wrong, @r#"ARGOCD_INTEGRATION_ENABLED: "sometimes" is not true or false"#);
    }
}
