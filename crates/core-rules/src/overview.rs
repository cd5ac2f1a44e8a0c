//! A Project at a glance.

use std::collections::BTreeMap;

use api_kinds::{Promotion, Stage, Warehouse, condition::types::READY, promotion::PromotionPhase};
use api_rest::body::{ProjectOverview, StageCounts, WarehouseCounts};

use crate::{condition, stage::is_control_flow, wire_time::from_wire};

/// What Stages have whose health nobody has looked at.
const UNKNOWN: &str = "Unknown";

/// Counts what there is in a Project, and names what needs somebody.
pub fn overview<'a>(
    project: &str,
    stages: impl IntoIterator<Item = &'a Stage>,
    promotions: impl IntoIterator<Item = &'a Promotion>,
    warehouses: impl IntoIterator<Item = &'a Warehouse>,
) -> ProjectOverview {
    let mut overview =
        ProjectOverview { project: project.to_owned(), ..ProjectOverview::default() };
    stages.into_iter().for_each(|stage| count_stage(&mut overview.stages, stage));
    let mut last = None;
    for promotion in promotions {
        let status = &promotion.status;
        last = last.max(status.finished_at.as_ref().map(from_wire));
        if !status.phase.is_terminal() {
            *overview.promotions.entry(phase(&status.phase)).or_default() += 1;
        }
    }
    overview.last_promotion_at = last.map(|time| time.to_string());
    warehouses
        .into_iter()
        .for_each(|warehouse| count_warehouse(&mut overview.warehouses, warehouse));
    overview
}

/// A Promotion that nobody has looked at waits too.
fn phase(phase: &PromotionPhase) -> String {
    match phase {
        PromotionPhase::Unset => PromotionPhase::Pending.to_string(),
        known => known.to_string(),
    }
}

fn count_stage(counts: &mut StageCounts, stage: &Stage) {
    counts.total += 1;
    let name = stage.metadata.name.clone().unwrap_or_default();
    let last = stage.status.last_promotion.as_ref().and_then(|last| last.status.as_ref());
    let is_failed = last
        .is_some_and(|last| matches!(last.phase, PromotionPhase::Failed | PromotionPhase::Errored));
    if is_failed {
        counts.failed.push(name);
    }
    if !is_control_flow(stage) && !stage.status.freight_history.is_empty() {
        count_health(&mut counts.health, stage);
    }
}

fn count_health(counts: &mut BTreeMap<String, usize>, stage: &Stage) {
    let health = stage.status.health.as_ref().map(|health| health.status.to_string());
    let health = health.filter(|health| !health.is_empty());
    *counts.entry(health.unwrap_or_else(|| UNKNOWN.to_owned())).or_default() += 1;
}

fn count_warehouse(counts: &mut WarehouseCounts, warehouse: &Warehouse) {
    counts.total += 1;
    if !condition::is_true(&warehouse.status.conditions, READY) {
        counts.unready.push(warehouse.metadata.name.clone().unwrap_or_default());
    }
}

#[cfg(test)]
mod tests {
    use serde::de::DeserializeOwned;
    use serde_json::{Value, json};

    use super::*;

    fn read<T: DeserializeOwned>(value: Value) -> T {
        serde_json::from_value(value).unwrap()
    }

    #[test]
    fn what_needs_somebody_is_named_and_the_rest_is_counted() {
        let steps = json!({"spec": {"steps": [{"uses": "fail"}]}});
        let stage = |name: &str, status: Value| -> Stage {
            read(
                json!({"metadata": {"name": name}, "spec": {"promotionTemplate": steps}, "status": status}),
            )
        };
        let held = json!([{"id": "1"}]);
        let stages = [
            stage("dev", json!({"freightHistory": held, "health": {"status": "Healthy"}})),
            stage(
                "qa",
                json!({"freightHistory": held,
                "lastPromotion": {"name": "p", "status": {"phase": "Failed"}}}),
            ),
            stage("empty", json!({})),
        ];
        let promotions: [Promotion; 3] = [
            read(json!({"status": {"phase": "Running"}})),
            read(json!({})),
            read(json!({"status": {"phase": "Succeeded", "finishedAt": "2026-01-02T03:04:05Z"}})),
        ];
        let warehouses: [Warehouse; 1] = [read(json!({"metadata": {"name": "w"}}))];
        let told = overview("p", &stages, &promotions, &warehouses);
        let expected = json!({
            "project": "p",
            "stages": {"total": 3, "health": {"Healthy": 1, "Unknown": 1}, "failed": ["qa"]},
            "promotions": {"Pending": 1, "Running": 1},
            "warehouses": {"total": 1, "unready": ["w"]},
            "lastPromotionAt": "2026-01-02T03:04:05Z",
        });
        assert_eq!(json!(told), expected);
    }
}
