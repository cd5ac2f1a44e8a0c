//! What Stages refer to: Warehouses, Stages before them, tasks.

use std::collections::{BTreeMap, BTreeSet};

use api_kinds::Stage;

use crate::{
    admission::metadata::name,
    promotion::{Task, referenced_tasks},
};

/// What was found of everything that a Stage refers to.
#[derive(Clone, Debug, Default)]
pub struct References {
    /// Warehouses that were looked for and do not exist.
    pub missing_warehouses: BTreeSet<String>,
    /// Tasks that were looked for and do not exist.
    pub missing_tasks: BTreeSet<Task>,
    /// For each Stage that was looked for the Stages before it, or `None` when it does not exist.
    /// Reaches as far up as somebody looked.
    pub upstreams: BTreeMap<String, Option<Vec<String>>>,
}

/// The Stages before a Stage, each once.
pub fn upstream_names(stage: &Stage) -> Vec<String> {
    let requests = stage.spec.requested_freight.iter();
    let names: BTreeSet<&String> = requests.flat_map(|request| &request.sources.stages).collect();
    names.into_iter().cloned().collect()
}

impl References {
    /// What the Stage refers to and is not there, and whether it comes before itself.
    pub(super) fn warn(&self, stage: &Stage) -> Vec<String> {
        let mut warnings = Vec::new();
        for (index, request) in stage.spec.requested_freight.iter().enumerate() {
            let path = format!("spec.requestedFreight[{index}]");
            let warehouse = &request.origin.name;
            if self.missing_warehouses.contains(warehouse) {
                warnings.push(format!("{path}.origin.name: there is no Warehouse {warehouse:?}"));
            }
            let is_missing = |stage: &&String| self.upstreams.get(*stage) == Some(&None);
            warnings.extend(
                request.sources.stages.iter().filter(is_missing).map(|upstream| {
                    format!("{path}.sources.stages: there is no Stage {upstream:?}")
                }),
            );
        }
        warnings.extend(self.warn_tasks(stage));
        warnings.extend(self.warn_cycle(stage));
        warnings
    }

    fn warn_tasks(&self, stage: &Stage) -> Vec<String> {
        let missing = referenced_tasks(super::steps(stage));
        let missing = missing.iter().filter(|task| self.missing_tasks.contains(task));
        missing
            .map(|task| match task {
                Task::Project(name) => {
                    format!("{}: there is no PromotionTask {name:?}", super::STEPS)
                }
                Task::Cluster(name) => {
                    format!("{}: there is no ClusterPromotionTask {name:?}", super::STEPS)
                }
            })
            .collect()
    }

    /// Freight that must have been in the Stage before it can enter never does.
    fn warn_cycle(&self, stage: &Stage) -> Option<String> {
        let myself = name(&stage.metadata);
        let mut ways: Vec<Vec<String>> =
            upstream_names(stage).into_iter().map(|upstream| vec![upstream]).collect();
        let mut seen = BTreeSet::new();
        while let Some(way) = ways.pop() {
            let Some(last) = way.last() else { continue };
            if last == myself {
                let way = way.join(" → ");
                return Some(format!(
                    "spec.requestedFreight: the Stage comes before itself: {myself} → {way}"
                ));
            }
            if !seen.insert(last.clone()) {
                continue;
            }
            for next in self.upstreams.get(last).cloned().flatten().unwrap_or_default() {
                ways.push([way.as_slice(), &[next]].concat());
            }
        }
        None
    }
}
