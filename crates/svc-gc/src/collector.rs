//! One run over all Projects.

use std::sync::Arc;

use api_kinds::labels;
use core_clock::Clock;
use futures::{StreamExt, stream};
use k8s_openapi::api::core::v1::Namespace;
use kube::{Api, Client, api::ListParams};

use crate::{
    limiter::Limiter,
    metrics::Metrics,
    project::Keeper,
    report::Report,
    request::{RequestError, Sender},
    settings::{Mode, Settings},
};

/// Deletes what nobody needs any more.
pub struct Collector {
    client: Client,
    clock: Arc<dyn Clock>,
    sender: Sender,
    limiter: Limiter,
    settings: Settings,
    metrics: Arc<Metrics>,
}

impl Collector {
    /// A collector that works through `client`.
    pub fn new(
        client: Client,
        clock: Arc<dyn Clock>,
        settings: Settings,
        metrics: Arc<Metrics>,
    ) -> Self {
        let sender = Sender::new(clock.clone());
        let limiter = Limiter::new(clock.clone(), settings.deletes_per_second);
        Self { client, clock, sender, limiter, settings, metrics }
    }

    /// Looks at every Project once. Fails as a whole, having done nothing, only when the Projects
    /// cannot be listed; other failures are in the report.
    pub async fn collect(&self) -> Result<Report, RequestError> {
        let keeper = Keeper {
            client: &self.client,
            clock: &self.clock,
            sender: &self.sender,
            limiter: &self.limiter,
            settings: &self.settings,
        };
        let reports = stream::iter(self.projects().await?)
            .map(|project| keeper.collect(project))
            .buffer_unordered(self.settings.workers.get());
        let mut whole = reports
            .fold(Report::default(), |mut whole, report| async {
                whole.merge(report);
                whole
            })
            .await;
        whole.items.sort();
        whole.failures.sort_by(|one, other| one.project.cmp(&other.project));
        if self.settings.mode == Mode::Delete {
            self.metrics.record(&whole, self.clock.now());
        }
        Ok(whole)
    }

    /// The namespaces of Projects that are not on their way out.
    async fn projects(&self) -> Result<Vec<String>, RequestError> {
        let namespaces: Api<Namespace> = Api::all(self.client.clone());
        let labelled = format!("{}={}", labels::PROJECT, labels::TRUE);
        let mut projects = Vec::new();
        let take = |namespace: Namespace| {
            if namespace.metadata.deletion_timestamp.is_none() {
                projects.extend(namespace.metadata.name);
            }
        };
        self.sender.each(&namespaces, &ListParams::default().labels(&labelled), take).await?;
        // A list that began again names some twice.
        projects.sort();
        projects.dedup();
        Ok(projects)
    }
}
