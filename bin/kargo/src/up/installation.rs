//! What an installation decides, and the settings of components that follow from it.

use core_clock::Environment;
use core_rules::access::{self, ArgoCd, Component, Options};

/// An installation on some engine.
#[derive(Clone, Debug)]
pub(super) struct Installation {
    pub(super) options: Options,
}

/// What else the engine serves that components can work with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Neighbours {
    /// AnalysisTemplates and AnalysisRuns.
    pub(super) rollouts: bool,
    /// Applications.
    pub(super) argocd: bool,
}

impl Installation {
    /// In the namespaces that the environment names, beside these neighbours.
    pub(super) fn new(environment: &dyn Environment, neighbours: Neighbours) -> Self {
        let named = |variable: &str, default: String| {
            environment.var(variable).filter(|name| !name.is_empty()).unwrap_or(default)
        };
        let defaults = Options::default();
        let options = Options {
            namespace: named("KARGO_NAMESPACE", defaults.namespace),
            system_namespace: named("SYSTEM_RESOURCES_NAMESPACE", defaults.system_namespace),
            shared_namespace: named("SHARED_RESOURCES_NAMESPACE", defaults.shared_namespace),
            rollouts: neighbours.rollouts,
            argocd: if neighbours.argocd { ArgoCd::AllNamespaces } else { ArgoCd::Absent },
            ..Options::default()
        };
        Self { options }
    }

    /// Where the ServiceAccounts of components live.
    pub(super) fn namespace(&self) -> &str {
        &self.options.namespace
    }

    /// Whether Argo CD is where the control plane is.
    pub(super) fn has_argocd(&self) -> bool {
        self.options.argocd != ArgoCd::Absent
    }

    /// What the installation implies for settings that `environment` says nothing about.
    pub(super) fn environment<'a>(&'a self, environment: &'a dyn Environment) -> Implied<'a> {
        Implied { installation: self, environment }
    }

    fn implied(&self, variable: &str) -> Option<String> {
        let namespace = self.namespace();
        let user = |component: Component| access::user_name(namespace, component.service_account());
        match variable {
            "KARGO_NAMESPACE" | "GLOBAL_SERVICE_ACCOUNT_NAMESPACES" => Some(namespace.to_owned()),
            "CONTROLPLANE_USER_REGEX" => Some(access::control_plane_user_pattern(namespace)),
            "MANAGEMENT_CONTROLLER_USERNAME" => Some(user(Component::ManagementController)),
            "EXTERNAL_WEBHOOKS_SERVER_USERNAME" => Some(user(Component::ExternalWebhooksServer)),
            "EXTERNAL_WEBHOOK_SERVER_BASE_URL" => Some("http://localhost:8080".to_owned()),
            "SYSTEM_RESOURCES_NAMESPACE" => Some(self.options.system_namespace.clone()),
            "SHARED_RESOURCES_NAMESPACE" => Some(self.options.shared_namespace.clone()),
            "CREDENTIAL_PROVIDERS_ENABLED" | "IS_DEFAULT_CONTROLLER" => Some(true.to_string()),
            "SECRET_MANAGEMENT_ENABLED" => Some(self.options.secret_management.to_string()),
            "ROLLOUTS_INTEGRATION_ENABLED" => Some(self.options.rollouts.to_string()),
            _ => None,
        }
    }
}

/// The environment of the process, with what the installation implies where it says nothing.
pub(super) struct Implied<'a> {
    installation: &'a Installation,
    environment: &'a dyn Environment,
}

impl Environment for Implied<'_> {
    fn var(&self, name: &str) -> Option<String> {
        let given = self.environment.var(name).filter(|value| !value.is_empty());
        given.or_else(|| self.installation.implied(name))
    }
}

#[cfg(test)]
mod tests {
    use core_clock::FixedEnvironment;

    use super::*;

    #[test]
    fn settings_follow_from_the_namespace_unless_they_are_given() {
        let given: FixedEnvironment = [
            ("KARGO_NAMESPACE", "gitops"),
            ("ROLLOUTS_INTEGRATION_ENABLED", "true"),
            ("CONTROLPLANE_USER_REGEX", ""),
        ]
        .into_iter()
        .collect();
        let installation = Installation::new(&given, Neighbours::default());
        assert_eq!(installation.namespace(), "gitops");
        let environment = installation.environment(&given);
        let value = |name| environment.var(name).unwrap_or_default();
        assert_eq!(value("ROLLOUTS_INTEGRATION_ENABLED"), "true");
        assert_eq!(
            value("MANAGEMENT_CONTROLLER_USERNAME"),
            "system:serviceaccount:gitops:kargo-management-controller"
        );
        assert!(value("CONTROLPLANE_USER_REGEX").contains("gitops"));
    }
}
