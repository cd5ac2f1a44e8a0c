//! What a Stage needs.

use std::collections::BTreeSet;

use api_kinds::{Stage, collection::FreightCollection};
use core_clock::Time;
use serde_json::Value;

use crate::wire_time;

/// Where the Stage keeps the names of Freight that it would return to.
const STABLE_FREIGHT: &str = "stableFreight";

/// What of a Stage decides about other objects.
#[derive(Clone, Debug, Default)]
pub(super) struct StageNeeds {
    /// The Freight in it now.
    pub(super) current_freight: BTreeSet<String>,
    /// The Freight it may return to, or is about to get.
    pub(super) other_freight: BTreeSet<String>,
    /// Promotions and PromotionRequests that its status refers to.
    pub(super) promotions: BTreeSet<String>,
    /// When the last Promotion that it took notice of ended.
    pub(super) noticed_until: Option<Time>,
    /// AnalysisRuns of the Freight in it now.
    pub(super) analysis_runs: BTreeSet<String>,
    /// Warehouses that it takes Freight from.
    pub(super) warehouses: BTreeSet<String>,
}

impl From<&Stage> for StageNeeds {
    fn from(stage: &Stage) -> Self {
        let status = &stage.status;
        let current = status.freight_history.first();
        let promotions = [&status.current_promotion, &status.last_promotion].into_iter().flatten();
        let requests =
            [&status.current_promotion_request, &status.last_promotion_request].into_iter();
        let names = promotions.map(|one| &one.name).chain(requests.flatten().map(|one| &one.name));
        let origins = stage.spec.requested_freight.iter().map(|request| &request.origin.name);
        let noticed_until =
            status.last_promotion.as_ref().and_then(|last| last.finished_at.as_ref());
        Self {
            current_freight: current.into_iter().flat_map(freight_names).collect(),
            other_freight: stable_freight(stage).chain(freight_under_way(stage)).collect(),
            promotions: names.cloned().collect(),
            noticed_until: noticed_until.map(wire_time::from_wire),
            analysis_runs: current.into_iter().flat_map(analysis_runs).collect(),
            warehouses: origins.cloned().collect(),
        }
    }
}

/// The names of all Freight in a collection.
pub(super) fn freight_names(collection: &FreightCollection) -> impl Iterator<Item = String> {
    collection.freight.values().map(|piece| piece.name.clone())
}

fn stable_freight(stage: &Stage) -> impl Iterator<Item = String> {
    let by_origin = stage.status.metadata.get(STABLE_FREIGHT).and_then(Value::as_object);
    let names = by_origin.into_iter().flat_map(|map| map.values());
    names.filter_map(|name| name.as_str().map(str::to_owned))
}

fn freight_under_way(stage: &Stage) -> impl Iterator<Item = String> {
    let promotion = stage.status.current_promotion.as_ref();
    let request = stage.status.current_promotion_request.as_ref();
    let promoted = promotion.and_then(|current| current.freight.as_ref()).map(|piece| &piece.name);
    let requested = request.and_then(|current| current.freight.as_ref()).map(|piece| &piece.name);
    promoted.into_iter().chain(requested).cloned()
}

fn analysis_runs(collection: &FreightCollection) -> impl Iterator<Item = String> {
    let attempts = collection.verification_history.iter();
    attempts.filter_map(|attempt| Some(attempt.analysis_run.as_ref()?.name.clone()))
}
