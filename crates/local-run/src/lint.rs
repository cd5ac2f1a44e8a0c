//! `kargo lint`: what is wrong with the Stages, tasks and Promotions of a file.

use std::fmt;

use api_kinds::{
    promotion_task::PromotionTaskSpec, stage::FreightRequest, warehouse::RepoSubscription,
};
use core_rules::promotion::Task;
use serde::Serialize;
use work_steps::lint::{Finding, Known, Process, Scope, lint as lint_process, lint_stage};

use crate::{document::ManifestError, run::Objects};

/// What is wrong with the objects of a file.
#[derive(Clone, Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct LintReport {
    pub objects: Vec<Linted>,
}

/// What is wrong with one object.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Linted {
    /// Kind and name.
    pub object: String,
    pub findings: Vec<Finding>,
}

impl LintReport {
    /// Whether nothing is wrong.
    pub fn is_clean(&self) -> bool {
        self.objects.iter().all(|linted| linted.findings.is_empty())
    }

    /// How many findings there are.
    pub fn count(&self) -> usize {
        self.objects.iter().map(|linted| linted.findings.len()).sum()
    }
}

/// Checks every process of a file. What the file does not have is taken to exist elsewhere, except for the
/// tasks that it refers to when it has any.
pub fn lint(text: &str) -> Result<LintReport, ManifestError> {
    let objects = Objects::parse(text)?;
    let mut report = LintReport::default();
    lint_stages(&objects, &mut report);
    lint_tasks(&objects, &mut report);
    lint_promotion(&objects, &mut report);
    if report.objects.is_empty() {
        return Err(ManifestError::Missing("Stage, PromotionTask or Promotion"));
    }
    Ok(report)
}

fn lint_stages(objects: &Objects, report: &mut LintReport) {
    for stage in &objects.stages {
        let Some(template) = &stage.spec.promotion_template else { continue };
        let subscriptions = subscriptions(objects, &stage.spec.requested_freight);
        let known = Known { tasks: None, subscriptions: subscriptions.as_deref() };
        let process = Process {
            path: "spec.promotionTemplate.spec",
            steps: &template.spec.steps,
            vars: &template.spec.vars,
            outer_vars: &stage.spec.vars,
            scope: Scope::Stage,
            known,
        };
        let name = stage.metadata.name.as_deref().unwrap_or_default();
        let own = lint_stage(&stage.spec, known);
        report.check(&format!("Stage {name}"), objects, own, process);
    }
}

fn lint_tasks(objects: &Objects, report: &mut LintReport) {
    for (task, PromotionTaskSpec { steps, vars }) in &objects.tasks {
        let object = match task {
            Task::Project(name) => format!("PromotionTask {name}"),
            Task::Cluster(name) => format!("ClusterPromotionTask {name}"),
        };
        let (path, outer_vars, scope) = ("spec", &[][..], Scope::Task);
        let known = Known::default();
        let process = Process { path, steps, vars, outer_vars, scope, known };
        report.check(&object, objects, Vec::new(), process);
    }
}

fn lint_promotion(objects: &Objects, report: &mut LintReport) {
    let Some(promotion) = &objects.promotion else { return };
    let stage = objects.stage(&promotion.spec.stage);
    let template = stage.and_then(|stage| stage.spec.promotion_template.as_ref());
    let outer_vars: Vec<_> = stage
        .into_iter()
        .flat_map(|stage| &stage.spec.vars)
        .chain(template.into_iter().flat_map(|template| &template.spec.vars))
        .cloned()
        .collect();
    let process = Process {
        path: "spec",
        steps: &promotion.spec.steps,
        vars: &promotion.spec.vars,
        outer_vars: &outer_vars,
        scope: Scope::Stage,
        known: Known::default(),
    };
    let name = promotion.metadata.name.as_deref().unwrap_or_default();
    report.check(&format!("Promotion {name}"), objects, Vec::new(), process);
}

/// What the Warehouses subscribe to that Freight is requested from; `None` when one is not in the file.
fn subscriptions<'a>(
    objects: &'a Objects,
    requests: &[FreightRequest],
) -> Option<Vec<&'a RepoSubscription>> {
    let mut found = Vec::new();
    for request in requests {
        let is_it = |name: Option<&str>| name == Some(request.origin.name.as_str());
        let mut warehouses = objects.warehouses.iter();
        let warehouse = warehouses.find(|it| is_it(it.metadata.name.as_deref()))?;
        found.extend(&warehouse.spec.subscriptions);
    }
    Some(found)
}

impl LintReport {
    /// Checks the process of an object, about which there may be findings already.
    fn check(
        &mut self,
        object: &str,
        objects: &Objects,
        mut findings: Vec<Finding>,
        process: Process<'_>,
    ) {
        let tasks = Some(&objects.tasks).filter(|tasks| !tasks.is_empty());
        let known = Known { tasks, subscriptions: process.known.subscriptions };
        findings.extend(lint_process(&Process { known, ..process }));
        self.objects.push(Linted { object: object.to_owned(), findings });
    }
}

impl fmt::Display for LintReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for Linted { object, findings } in &self.objects {
            if findings.is_empty() {
                writeln!(f, "{object}: ok")?;
            }
            findings.iter().try_for_each(|finding| writeln!(f, "{object}: {finding}"))?;
        }
        Ok(())
    }
}
