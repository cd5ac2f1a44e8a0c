//! Stages.

use std::collections::{BTreeSet, VecDeque};

use api_kinds::{ProjectConfig, Stage, Warehouse};
use core_rules::admission::{
    Admitted, ProjectNamespace, Refusal,
    stage::{self, References, World},
};
use core_rules::promotion::referenced_tasks;

use super::process::{Surroundings, warn_stage};
use crate::{Admitter, Request, Verdict, admitter::changed, lookup::Lookup};

/// How many Stages before a Stage are looked at for a way back to it.
const MAX_UPSTREAMS: usize = 32;
/// How many Warehouses and tasks are looked for.
const MAX_REFERENCES: usize = 32;

pub(crate) fn mutate(admitter: &Admitter, request: &Request<'_>) -> Verdict {
    let sent: Stage = request.object()?;
    let old: Option<Stage> = request.old_object()?;
    let mut completed = sent.clone();
    let caller = admitter.settings.identities.caller(request.user);
    stage::default(&mut completed, old.as_ref(), &caller);
    changed(&sent, &completed)
}

pub(crate) async fn validate(
    admitter: &Admitter,
    request: &Request<'_>,
) -> Result<Admitted, Refusal> {
    let stage: Stage = request.object()?;
    let old: Option<Stage> = request.old_object()?;
    let lookup = &admitter.lookup;
    let mut home: Option<ProjectNamespace> = None;
    if request.is_create() {
        home = Some(lookup.project_namespace(request.namespace).await?);
    }
    let is_interesting = stage::needs_validation(&stage, old.as_ref())
        || old.as_ref().is_some_and(|old| old.metadata.labels != stage.metadata.labels);
    // What is only looked at for warnings never stops a write.
    let mut references: Option<References> = None;
    let mut around = Surroundings::default();
    let mut config: Option<ProjectConfig> = None;
    if is_interesting && home != Some(ProjectNamespace::Missing) {
        references = find_references(lookup, &stage, &mut around).await.ok();
        config = lookup.config(request.namespace).await.ok().flatten();
    }
    let world = World { home, references: references.as_ref(), config: config.as_ref() };
    let mut admitted = stage::validate(request.operation, &stage, old.as_ref(), &world)?;
    if stage::needs_validation(&stage, old.as_ref()) {
        admitted.warnings.extend(warn_stage(&stage, &around));
    }
    Ok(admitted)
}

async fn find_references(
    lookup: &Lookup,
    stage: &Stage,
    around: &mut Surroundings,
) -> Result<References, Refusal> {
    let namespace = stage.metadata.namespace.as_deref().unwrap_or_default();
    let mut references = References::default();
    let requests = stage.spec.requested_freight.iter();
    let warehouses: BTreeSet<&String> = requests.map(|request| &request.origin.name).collect();
    let mut found = Vec::new();
    for name in warehouses.into_iter().take(MAX_REFERENCES) {
        match lookup.get::<Warehouse>(namespace, name).await? {
            Some(warehouse) => found.push(warehouse),
            None => drop(references.missing_warehouses.insert(name.clone())),
        }
    }
    around.warehouses = references.missing_warehouses.is_empty().then_some(found);
    let template = stage.spec.promotion_template.as_ref();
    let steps = template.map(|template| template.spec.steps.as_slice()).unwrap_or_default();
    let tasks: BTreeSet<_> = referenced_tasks(steps).into_iter().take(MAX_REFERENCES).collect();
    let found = lookup.tasks(namespace, tasks.clone()).await?;
    references.missing_tasks = tasks.into_iter().filter(|task| !found.contains_key(task)).collect();
    around.tasks = references.missing_tasks.is_empty().then_some(found);
    find_upstreams(lookup, stage, &mut references).await?;
    Ok(references)
}

/// Goes up from the Stage, nearest Stages first.
async fn find_upstreams(
    lookup: &Lookup,
    stage: &Stage,
    references: &mut References,
) -> Result<(), Refusal> {
    let namespace = stage.metadata.namespace.as_deref().unwrap_or_default();
    let mut waiting = VecDeque::from(stage::upstream_names(stage));
    while let Some(name) = waiting.pop_front() {
        let is_itself = stage.metadata.name.as_deref() == Some(&name);
        if is_itself || references.upstreams.contains_key(&name) {
            continue;
        }
        if references.upstreams.len() >= MAX_UPSTREAMS {
            break;
        }
        let upstream: Option<Stage> = lookup.get(namespace, &name).await?;
        let above = upstream.as_ref().map(stage::upstream_names);
        waiting.extend(above.iter().flatten().cloned());
        references.upstreams.insert(name, above);
    }
    Ok(())
}
