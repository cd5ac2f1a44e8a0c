//! Every mirror of the server.

use futures::future::join_all;
use io_kube::Ports;
use kube::Client;

use crate::{
    api_error::{ApiError, ApiResult},
    mirror::{Kind, Mirror, kinds},
    settings::Settings,
};

/// The objects that requests are answered from.
pub(crate) struct Mirrors {
    pub(crate) projects: Mirror,
    pub(crate) project_configs: Mirror,
    pub(crate) cluster_configs: Mirror,
    pub(crate) stages: Mirror,
    pub(crate) warehouses: Mirror,
    pub(crate) promotions: Mirror,
    pub(crate) freight: Mirror,
    pub(crate) promotion_requests: Mirror,
    pub(crate) targets: Mirror,
    pub(crate) promotion_tasks: Mirror,
    pub(crate) cluster_promotion_tasks: Mirror,
    pub(crate) events: Mirror,
    pub(crate) leases: Mirror,
    pub(crate) namespaces: Mirror,
    pub(crate) service_accounts: Mirror,
    pub(crate) roles: Mirror,
    pub(crate) role_bindings: Mirror,
    pub(crate) cluster_roles: Mirror,
    pub(crate) cluster_role_bindings: Mirror,
    analysis: Option<Analysis>,
}

/// Objects of Argo Rollouts, where they are used.
pub(crate) struct Analysis {
    pub(crate) templates: Mirror,
    pub(crate) cluster_templates: Mirror,
    pub(crate) runs: Mirror,
}

impl Mirrors {
    /// Starts to watch everything; `on_permission` is told when anybody's rights may have changed.
    pub(crate) fn start(
        settings: &Settings,
        client: &Client,
        ports: &Ports,
        on_permission: impl Fn() + Clone + Send + Sync + 'static,
    ) -> Self {
        let start = |kind: &'static Kind| Mirror::start(kind, None, client.clone(), ports, || {});
        let watched_for_rights = |kind: &'static Kind| {
            Mirror::start(kind, None, client.clone(), ports, on_permission.clone())
        };
        let own = Some(settings.namespace.clone());
        let analysis = || Analysis {
            templates: start(&kinds::ANALYSIS_TEMPLATE),
            cluster_templates: start(&kinds::CLUSTER_ANALYSIS_TEMPLATE),
            runs: start(&kinds::ANALYSIS_RUN),
        };
        Self {
            projects: start(&kinds::PROJECT),
            project_configs: start(&kinds::PROJECT_CONFIG),
            cluster_configs: start(&kinds::CLUSTER_CONFIG),
            stages: start(&kinds::STAGE),
            warehouses: start(&kinds::WAREHOUSE),
            promotions: start(&kinds::PROMOTION),
            freight: start(&kinds::FREIGHT),
            promotion_requests: start(&kinds::PROMOTION_REQUEST),
            targets: start(&kinds::TARGET),
            promotion_tasks: start(&kinds::PROMOTION_TASK),
            cluster_promotion_tasks: start(&kinds::CLUSTER_PROMOTION_TASK),
            events: start(&kinds::EVENT),
            leases: Mirror::start(&kinds::LEASE, own, client.clone(), ports, || {}),
            namespaces: start(&kinds::NAMESPACE),
            service_accounts: watched_for_rights(&kinds::SERVICE_ACCOUNT),
            roles: watched_for_rights(&kinds::ROLE),
            role_bindings: watched_for_rights(&kinds::ROLE_BINDING),
            cluster_roles: watched_for_rights(&kinds::CLUSTER_ROLE),
            cluster_role_bindings: watched_for_rights(&kinds::CLUSTER_ROLE_BINDING),
            analysis: settings.rollouts.then(analysis),
        }
    }

    /// Objects of Argo Rollouts; refused where they are not used.
    pub(crate) fn analysis(&self) -> ApiResult<&Analysis> {
        let refused = || ApiError::not_enabled("Argo Rollouts integration is not enabled");
        self.analysis.as_ref().ok_or_else(refused)
    }

    /// The mirror of a kind, if it is kept.
    pub(crate) fn of(&self, group: &str, resource: &str) -> Option<&Mirror> {
        self.all().find(|mirror| mirror.kind().group == group && mirror.kind().plural == resource)
    }

    /// Completes when all of them have their first list.
    pub(crate) async fn synced(&self) {
        join_all(self.all().map(Mirror::synced)).await;
    }

    /// The kinds that have not arrived yet.
    pub(crate) fn missing(&self) -> Vec<&'static str> {
        let missing = self.all().filter(|mirror| !mirror.is_synced());
        missing.map(|mirror| mirror.kind().plural).collect()
    }

    fn all(&self) -> impl Iterator<Item = &Mirror> {
        let analysis = self.analysis.iter();
        let analysis =
            analysis.flat_map(|those| [&those.templates, &those.cluster_templates, &those.runs]);
        [
            &self.projects,
            &self.project_configs,
            &self.cluster_configs,
            &self.stages,
            &self.warehouses,
            &self.promotions,
            &self.freight,
            &self.promotion_requests,
            &self.targets,
            &self.promotion_tasks,
            &self.cluster_promotion_tasks,
            &self.events,
            &self.leases,
            &self.namespaces,
            &self.service_accounts,
            &self.roles,
            &self.role_bindings,
            &self.cluster_roles,
            &self.cluster_role_bindings,
        ]
        .into_iter()
        .chain(analysis)
    }
}
