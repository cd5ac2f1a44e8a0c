//! Numbers about what a Project contains.
//!
//! Stages that only pass Freight on have no health of their own and are left out, of the count as
//! well as of the number of healthy ones, so that "5 of 5" is possible.

use std::collections::BTreeSet;

use api_kinds::{
    Stage, Warehouse,
    condition::{Condition, ConditionStatus, types},
    project::{HealthStats, ProjectStats, StageStats, WarehouseStats},
};

use crate::{condition, stage::is_control_flow};

/// What of a Stage enters the numbers and grants of its Project: nothing else about it needs a
/// look at the Project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StageMark {
    /// Whether it only passes Freight on.
    pub is_control_flow: bool,
    /// Whether it is healthy, when that is known.
    pub health: Option<ConditionStatus>,
    /// The shard that takes care of it; empty for the default controller.
    pub shard: String,
}

/// What of a Warehouse enters the numbers and grants of its Project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WarehouseMark {
    /// Whether it is healthy, when that is known.
    pub health: Option<ConditionStatus>,
    /// The shard that takes care of it; empty for the default controller.
    pub shard: String,
}

impl From<&Stage> for StageMark {
    fn from(stage: &Stage) -> Self {
        Self {
            is_control_flow: is_control_flow(stage),
            health: health_status(&stage.status.conditions),
            shard: stage.spec.shard.clone(),
        }
    }
}

impl From<&Warehouse> for WarehouseMark {
    fn from(warehouse: &Warehouse) -> Self {
        Self {
            health: health_status(&warehouse.status.conditions),
            shard: warehouse.spec.shard.clone(),
        }
    }
}

/// Counts the Warehouses and Stages of a Project.
pub fn count(warehouses: &[WarehouseMark], stages: &[StageMark]) -> ProjectStats {
    let holding: Vec<_> = stages.iter().filter(|stage| !stage.is_control_flow).collect();
    ProjectStats {
        stages: StageStats {
            count: number(holding.len()),
            health: healthy(holding.iter().map(|stage| stage.health.as_ref())),
        },
        warehouses: WarehouseStats {
            count: number(warehouses.len()),
            health: healthy(warehouses.iter().map(|warehouse| warehouse.health.as_ref())),
        },
    }
}

/// The shards that have objects in a Project.
pub fn shards(warehouses: &[WarehouseMark], stages: &[StageMark]) -> BTreeSet<String> {
    let of_stages = stages.iter().map(|stage| &stage.shard);
    let of_warehouses = warehouses.iter().map(|warehouse| &warehouse.shard);
    of_stages.chain(of_warehouses).filter(|shard| !shard.is_empty()).cloned().collect()
}

fn health_status(conditions: &[Condition]) -> Option<ConditionStatus> {
    condition::find(conditions, types::HEALTHY).map(|condition| condition.status.clone())
}

fn healthy<'a>(all: impl Iterator<Item = Option<&'a ConditionStatus>>) -> HealthStats {
    let healthy = all.filter(|&health| health == Some(&ConditionStatus::True)).count();
    HealthStats { healthy: number(healthy) }
}

fn number(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use api_kinds::{
        stage::{PromotionTemplate, PromotionTemplateSpec},
        step::PromotionStep,
    };
    use core_clock::Time;

    use super::*;
    use crate::condition::Observation;

    fn health(status: ConditionStatus) -> Vec<Condition> {
        let mut conditions = vec![];
        let observed = Observation {
            r#type: types::HEALTHY,
            status,
            reason: "Because",
            message: "",
            generation: 0,
        };
        condition::set(&mut conditions, observed, Time::default());
        conditions
    }

    fn stage(steps: usize, status: Option<ConditionStatus>) -> Stage {
        let mut stage = Stage::default();
        let steps = vec![PromotionStep::default(); steps];
        let spec = PromotionTemplateSpec { steps, ..PromotionTemplateSpec::default() };
        stage.spec.promotion_template = Some(PromotionTemplate { spec });
        stage.status.conditions = status.map(health).unwrap_or_default();
        stage
    }

    #[test]
    fn control_flow_stages_count_nowhere() {
        let mut bare = stage(0, Some(ConditionStatus::True));
        bare.spec.promotion_template = None;
        let stages = [
            stage(1, Some(ConditionStatus::True)),
            stage(1, Some(ConditionStatus::False)),
            stage(2, Some(ConditionStatus::Unknown)),
            stage(1, None),
            stage(0, Some(ConditionStatus::True)),
            bare,
        ];
        let mut warehouse = Warehouse::default();
        warehouse.status.conditions = health(ConditionStatus::True);
        let warehouses = [&warehouse, &Warehouse::default()].map(WarehouseMark::from);
        let stats = count(&warehouses, &stages.each_ref().map(StageMark::from));
        assert_eq!((stats.stages.count, stats.stages.health.healthy), (4, 1));
        assert_eq!((stats.warehouses.count, stats.warehouses.health.healthy), (2, 1));
    }

    #[test]
    fn shards_are_those_named_by_anything() {
        let mut sharded = stage(1, None);
        sharded.spec.shard = "a".into();
        let found = shards(&[], &[&sharded, &stage(1, None)].map(StageMark::from));
        assert_eq!(found, BTreeSet::from(["a".to_owned()]));
    }
}
