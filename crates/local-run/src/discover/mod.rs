//! What the Warehouses of a file would find, and what would become of it.

mod report;
mod searches;
#[cfg(test)]
mod tests;
mod text;

use api_kinds::{
    Warehouse,
    condition::{ConditionStatus, types},
    warehouse::RepoSubscription,
};
use core_clock::Time;
use core_rules::{
    admission::{Operation, warehouse as rules},
    warehouse::{Assessment, End, Failure, Finding, Pass, shown},
};
use futures::future::join_all;
use work_discovery::{Pace, Search, Searcher};

pub use self::{
    report::{Artifact, FreightReport, Rejected, Report, SubscriptionReport, WarehouseReport},
    searches::Searches,
};
use crate::manifest::{Manifest, WrittenWarehouse};

/// How to search.
#[derive(Clone, Copy, Debug)]
pub struct Request {
    /// How many candidates of each subscription are explained.
    pub explained: usize,
    /// What the installation thinks of remembering tags.
    pub cache_by_tag: rules::CacheByTagPolicy,
    pub now: Time,
}

/// Searches for all subscriptions of all Warehouses at once. `searches` says which are under way.
pub async fn discover(
    manifest: &Manifest,
    searcher: &dyn Searcher,
    request: Request,
    searches: &Searches,
) -> Report {
    let explorer = Explorer { searcher, request, searches };
    let reports = manifest.warehouses.iter().map(|written| explorer.explore(written));
    Report { warehouses: join_all(reports).await }
}

/// What all searches of a file have in common.
struct Explorer<'a> {
    searcher: &'a dyn Searcher,
    request: Request,
    searches: &'a Searches,
}

impl Explorer<'_> {
    async fn explore(&self, written: &WrittenWarehouse) -> WarehouseReport {
        let mut warehouse = written.warehouse.clone();
        let mut report = WarehouseReport {
            project: warehouse.metadata.namespace.clone().unwrap_or_default(),
            name: warehouse.metadata.name.clone().unwrap_or_default(),
            warnings: written.warnings.clone(),
            subscriptions: Vec::new(),
            freight: FreightReport::NoFreight(String::new()),
        };
        match admit(&mut warehouse, self.request) {
            Ok(warnings) => report.warnings.extend(warnings),
            Err(refusal) => {
                report.freight = FreightReport::Refused(refusal);
                return report;
            }
        }
        let subscriptions = warehouse.spec.subscriptions.iter();
        let searches = subscriptions.map(|subscription| self.search(&warehouse, subscription));
        let (subscriptions, findings): (Vec<_>, Vec<_>) =
            join_all(searches).await.into_iter().unzip();
        report.subscriptions = subscriptions;
        report.freight = freight(&warehouse, findings, self.request.now);
        report
    }

    async fn search(
        &self,
        warehouse: &Warehouse,
        subscription: &RepoSubscription,
    ) -> (SubscriptionReport, Result<Finding, Failure>) {
        let metadata = &warehouse.metadata;
        let running = self.searches.begin(shown(subscription));
        let search = Search {
            project: metadata.namespace.as_deref().unwrap_or_default(),
            warehouse: metadata.name.as_deref().unwrap_or_default(),
            subscription,
            previous: None,
            explained: self.request.explained,
            progress: &running.progress,
            pace: &Pace::at_once(),
        };
        let outcome = self.searcher.search(search).await;
        let report = SubscriptionReport {
            subscription_type: subscription.source.type_name().to_owned(),
            repository: shown(subscription),
            name: subscription.name.clone(),
            ..SubscriptionReport::default()
        };
        match outcome {
            Ok(outcome) => {
                let selected = report::artifacts(&outcome.finding);
                let report = SubscriptionReport {
                    not_shown: report::not_shown(selected.len(), &outcome.verdicts),
                    selected,
                    rejected: report::rejected(&outcome.verdicts),
                    ..report
                };
                (report, Ok(outcome.finding))
            }
            Err(failure) => {
                (SubscriptionReport { error: Some(failure.to_string()), ..report }, Err(failure))
            }
        }
    }
}

/// What admission says, with what it fills in.
fn admit(warehouse: &mut Warehouse, request: Request) -> Result<Vec<String>, String> {
    rules::default(warehouse).map_err(|refusal| refusal.to_string())?;
    let policy = request.cache_by_tag;
    // There is no namespace to be wrong about.
    let admitted = rules::validate(Operation::Create, warehouse, None, None, policy);
    admitted.map(|admitted| admitted.warnings).map_err(|refusal| refusal.to_string())
}

/// What a controller would make of what was found.
fn freight(
    warehouse: &Warehouse,
    findings: Vec<Result<Finding, Failure>>,
    now: Time,
) -> FreightReport {
    let Ok(pass) = Pass::begin(warehouse).discovered(findings, now) else {
        return FreightReport::NoFreight("not everything could be searched".to_owned());
    };
    match pass.assess(now) {
        Assessment::Create(creation) => {
            FreightReport::Freight(Box::new(creation.freight().clone()))
        }
        Assessment::Done(end) => FreightReport::NoFreight(reason(&end)),
    }
}

/// The condition that would tell why.
fn reason(end: &End) -> String {
    let is_false = |kind: &str| {
        let mut conditions = end.status.conditions.iter();
        conditions.find(|condition| {
            condition.r#type == kind && condition.status == ConditionStatus::False
        })
    };
    let told = is_false(types::FREIGHT_CREATION_CRITERIA_SATISFIED)
        .or_else(|| is_false(types::READY))
        .map(|condition| condition.message.clone());
    told.unwrap_or_else(|| "freightCreationPolicy leaves it to people".to_owned())
}
