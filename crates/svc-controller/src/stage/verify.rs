//! Verifications begin as AnalysisRuns, and end early when somebody asks for it.
//!
//! The name of an AnalysisRun follows from what it is for: what a process created before it ended is
//! found, and taken over, by the next one.

use std::sync::Arc;

use api_analysis::{AnalysisRun, AnalysisTemplate, AnalysisTemplateSpec, ClusterAnalysisTemplate};
use api_kinds::{
    Freight,
    verification::{AnalysisTemplateKind, AnalysisTemplateReference, Verification},
};
use core_rules::{
    stage::VerificationStart,
    verification::{
        BuildError, Combined, Gathering, RunOrder, analysis_run, impossible_message, run_view,
    },
};
use io_kube::{is_already_exists, is_not_found, status_code};
use kube::{
    Api,
    api::{Patch, PatchParams, PostParams},
};
use serde_json::json;
use work_steps::verification::{ArgumentError, evaluate_arguments};

use super::execute::{Execution, text};
use crate::caches::beside;

/// Why a verification does not begin.
enum Obstacle {
    /// Waiting does not help.
    Impossible(String),
    /// Trying again may help.
    Postponed(String),
}

impl From<BuildError> for Obstacle {
    fn from(error: BuildError) -> Self {
        Self::Impossible(error.to_string())
    }
}

impl From<ArgumentError> for Obstacle {
    fn from(error: ArgumentError) -> Self {
        match error {
            ArgumentError::Invalid(text) => Self::Impossible(text),
            ArgumentError::Unanswered(text) => Self::Postponed(text),
        }
    }
}

impl From<kube::Error> for Obstacle {
    fn from(error: kube::Error) -> Self {
        match status_code(&error) {
            Some(400 | 403 | 422) => Self::Impossible(text(&error)),
            _ => Self::Postponed(text(&error)),
        }
    }
}

/// Begins a verification, and tells the plan what became of it.
pub(super) async fn start(execution: &mut Execution<'_>, start: &VerificationStart) {
    let begun = begin(execution, start).await;
    let (plan, observed) = (&mut execution.plan, execution.observed);
    let world = observed.world();
    match begun {
        Ok(run) => plan.verification_started(&world, start, &run_view(&run)),
        Err(Obstacle::Impossible(cause)) => {
            let message = impossible_message(&observed.stage, start, &cause);
            plan.verification_impossible(&world, start, &message);
        }
        Err(Obstacle::Postponed(cause)) => plan.verification_postponed(&world, &cause),
    }
}

/// The AnalysisRun of the verification: the one that is there already, or a new one.
async fn begin(
    execution: &Execution<'_>,
    start: &VerificationStart,
) -> Result<Arc<AnalysisRun>, Obstacle> {
    let stage = &execution.observed.stage;
    let cache = execution.cx.runs.cache();
    let known = cache.as_ref().and_then(|cache| cache.get(&beside(&**stage, &start.run_name)));
    if let Some(known) = known {
        return Ok(known);
    }
    let run = build(execution, start).await?;
    let runs: Api<AnalysisRun> = execution.api();
    let run = match runs.create(&PostParams::default(), &run).await {
        Err(error) if is_already_exists(&error) => runs.get(&start.run_name).await?,
        created => created?,
    };
    if let Some(cache) = &cache {
        execution.pass.wrote(cache, &run);
    }
    Ok(Arc::new(run))
}

async fn build(
    execution: &Execution<'_>,
    start: &VerificationStart,
) -> Result<AnalysisRun, Obstacle> {
    let (cx, stage) = (execution.cx, &execution.observed.stage);
    let combined = match &stage.spec.verification {
        Some(verification) => gather(execution, verification).await?,
        None => return Err(Obstacle::Impossible("the Stage has no verification".to_owned())),
    };
    let control_plane = &*cx.shared.steps.control_plane;
    let (collection, now) = (&start.collection, cx.shared.now());
    let values = evaluate_arguments(control_plane, stage, collection, now).await?;
    let order = RunOrder {
        stage,
        start,
        freight: &owners(execution, start),
        instance_id: &cx.shared.settings.verification.rollouts_instance_id,
    };
    Ok(analysis_run(&order, combined, &values)?)
}

/// The Freight that is verified.
fn owners(execution: &Execution<'_>, start: &VerificationStart) -> Vec<Arc<Freight>> {
    let items = start.collection.freight.values();
    items.filter_map(|item| execution.observed.freight(&item.name)).cloned().collect()
}

/// Reads the templates as they are now, and those that they refer to.
async fn gather(
    execution: &Execution<'_>,
    verification: &Verification,
) -> Result<Combined, Obstacle> {
    let mut gathering = Gathering::begin(verification);
    while let Some(wanted) = gathering.wanted() {
        let wanted = wanted.clone();
        match template(execution, &wanted).await? {
            Some(spec) => gathering.take(spec),
            None => return Err(gathering.missing().into()),
        }
    }
    Ok(gathering.combine()?)
}

async fn template(
    execution: &Execution<'_>,
    reference: &AnalysisTemplateReference,
) -> Result<Option<AnalysisTemplateSpec>, kube::Error> {
    if reference.kind == AnalysisTemplateKind::ClusterAnalysisTemplate {
        let templates: Api<ClusterAnalysisTemplate> = Api::all(execution.cx.shared.client.clone());
        return Ok(templates.get_opt(&reference.name).await?.map(|template| template.spec));
    }
    let templates: Api<AnalysisTemplate> = execution.api();
    Ok(templates.get_opt(&reference.name).await?.map(|template| template.spec))
}

/// Lets an AnalysisRun end. One that is gone has ended.
pub(super) async fn terminate(execution: &mut Execution<'_>, name: &str) {
    let runs: Api<AnalysisRun> = execution.api();
    let patch = Patch::Merge(json!({"spec": {"terminate": true}}));
    match runs.patch(name, &PatchParams::default(), &patch).await {
        Ok(_) => {}
        Err(error) if is_not_found(&error) => {}
        Err(error) => {
            let world = execution.observed.world();
            execution.plan.termination_failed(&world, &text(&error));
        }
    }
}
