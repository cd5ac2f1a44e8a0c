//! One Project: what is there, and the deletion of what goes.

use std::sync::Arc;

use api_kinds::{Freight, ProjectConfig, Promotion, PromotionRequest, Stage, Warehouse};
use core_clock::{Clock, Time};
use core_rules::retention::{
    Collected, Deletion, Identity, Inventory, OverrideError, Policy, Reckoning,
};
use kube::{
    Api, Client,
    api::{DeleteParams, ListParams, Preconditions},
};
use serde::de::DeserializeOwned;

use crate::{
    analysis_run,
    limiter::Limiter,
    report::{Failure, Item, Report},
    request::{RequestError, Sender},
    settings::{Mode, Settings},
};

/// A Project cannot be looked at.
#[derive(Debug, thiserror::Error)]
enum ObserveError {
    #[error("list {kind}: {source}")]
    List { kind: &'static str, source: RequestError },
    #[error("read ProjectConfig: {0}")]
    Config(RequestError),
    #[error("ProjectConfig: {0}")]
    Override(#[from] OverrideError),
}

/// Looks after one Project at a time.
pub(crate) struct Keeper<'a> {
    pub(crate) client: &'a Client,
    pub(crate) clock: &'a Arc<dyn Clock>,
    pub(crate) sender: &'a Sender,
    pub(crate) limiter: &'a Limiter,
    pub(crate) settings: &'a Settings,
}

impl Keeper<'_> {
    /// Collects in one Project. What fails is in the report.
    pub(crate) async fn collect(&self, project: String) -> Report {
        let mut report = Report { projects: 1, ..Report::default() };
        match self.plan(&project).await {
            Ok(plan) => {
                for deletion in plan {
                    self.apply(&project, deletion, &mut report).await;
                }
            }
            Err(error) => {
                let failure = Failure { project, kind: None, text: error.to_string() };
                report.failures.push(failure);
            }
        }
        report
    }

    async fn plan(&self, project: &str) -> Result<Vec<Deletion>, ObserveError> {
        let policy = self.policy(project).await?;
        let inventory = self.observe(project, policy.reckoning).await?;
        Ok(inventory.plan(&policy, self.now()))
    }

    fn now(&self) -> Time {
        self.clock.now()
    }

    /// The limits, with those that the Project sets for itself.
    async fn policy(&self, project: &str) -> Result<Policy, ObserveError> {
        let configs: Api<ProjectConfig> = Api::namespaced(self.client.clone(), project);
        let found = self.sender.answer(configs.get_opt(project)).await;
        let config = found.map_err(ObserveError::Config)?;
        let annotations = config.and_then(|config| config.metadata.annotations);
        Ok(self.settings.policy.overridden_by(&annotations.unwrap_or_default())?)
    }

    /// What the Project holds. Those that refer to others are read after them, Stages last: what
    /// moves while we read is then seen in use at least once.
    async fn observe(
        &self,
        project: &str,
        reckoning: Reckoning,
    ) -> Result<Inventory, ObserveError> {
        let mut inventory = Inventory::default();
        if self.settings.analysis_runs && reckoning == Reckoning::ByUse {
            self.observe_runs(project, &mut inventory).await?;
        }
        self.each::<Freight>(project, "Freight", |one| inventory.add_freight(&one)).await?;
        self.each::<Warehouse>(project, "Warehouses", |one| inventory.add_warehouse(&one)).await?;
        self.each::<PromotionRequest>(project, "PromotionRequests", |one| {
            inventory.add_promotion_request(&one);
        })
        .await?;
        self.each::<Promotion>(project, "Promotions", |one| inventory.add_promotion(&one)).await?;
        self.each::<Stage>(project, "Stages", |one| inventory.add_stage(&one)).await?;
        Ok(inventory)
    }

    async fn each<K>(
        &self,
        project: &str,
        kind: &'static str,
        take: impl FnMut(K),
    ) -> Result<(), ObserveError>
    where
        K: api_kinds::Kind
            + kube::Resource<Scope = k8s_openapi::NamespaceResourceScope>
            + std::fmt::Debug
            + DeserializeOwned,
    {
        let api: Api<K> = Api::namespaced(self.client.clone(), project);
        let listed = self.sender.each(&api, &ListParams::default(), take).await;
        listed.map_err(|source| ObserveError::List { kind, source })
    }

    async fn observe_runs(
        &self,
        project: &str,
        inventory: &mut Inventory,
    ) -> Result<(), ObserveError> {
        let api = analysis_run::api(self.client, project);
        let take = |run| inventory.add_analysis_run(analysis_run::facts(&run));
        match self.sender.each(&api, &analysis_run::of_stages(), take).await {
            // The kind is not installed.
            Err(error) if error.code() == Some(404) => Ok(()),
            listed => listed.map_err(|source| ObserveError::List { kind: "AnalysisRuns", source }),
        }
    }

    async fn apply(&self, project: &str, deletion: Deletion, report: &mut Report) {
        let Deletion { kind, identity } = deletion;
        let item = Item { project: project.to_owned(), kind, name: identity.name.clone() };
        if self.settings.mode == Mode::DryRun {
            report.items.push(item);
            return;
        }
        self.limiter.turn().await;
        match self.delete(project, kind, &identity).await {
            Ok(()) => {
                tracing::debug!(project, kind = kind.kind(), name = %identity.name, "deleted");
                report.items.push(item);
            }
            // It is gone, or has changed since we looked and may be in use now.
            Err(error) if matches!(error.code(), Some(404 | 409)) => report.passed_over += 1,
            Err(error) => {
                let text = format!("delete {} {}: {error}", kind.kind(), identity.name);
                let project = project.to_owned();
                report.failures.push(Failure { project, kind: Some(kind), text });
            }
        }
    }

    async fn delete(
        &self,
        project: &str,
        kind: Collected,
        identity: &Identity,
    ) -> Result<(), RequestError> {
        let client = self.client.clone();
        match kind {
            Collected::Promotion => {
                self.delete_from(&Api::<Promotion>::namespaced(client, project), identity).await
            }
            Collected::PromotionRequest => {
                let requests = Api::<PromotionRequest>::namespaced(client, project);
                self.delete_from(&requests, identity).await
            }
            Collected::Freight => {
                self.delete_from(&Api::<Freight>::namespaced(client, project), identity).await
            }
            Collected::AnalysisRun => {
                self.delete_from(&analysis_run::api(self.client, project), identity).await
            }
        }
    }

    async fn delete_from<K>(&self, api: &Api<K>, identity: &Identity) -> Result<(), RequestError>
    where
        K: Clone + DeserializeOwned + std::fmt::Debug,
    {
        let as_it_was = Preconditions {
            uid: Some(identity.uid.clone()),
            resource_version: Some(identity.resource_version.clone()),
        };
        let params = DeleteParams::background().preconditions(as_it_was);
        self.sender.answer(api.delete(&identity.name, &params)).await.map(|_| ())
    }
}
