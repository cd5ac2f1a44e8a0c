//! Promoting to a Stage, and to those behind it.

use std::{collections::BTreeSet, sync::Arc};

use api_kinds::{Freight, Promotion, Stage, Target as StageTarget};
use api_rest::body::{DownstreamPromotions, PromoteDownstream, PromoteToStage};
use axum::{Router, extract::Path};
use core_rules::{
    action::{
        Created, FreightChoice, add_downstream_error, downstream_code, downstreams,
        promote_downstream, promote_freight, promote_origin, promotion_event,
    },
    gate::{Arrival, PassingStages},
    stage::{is_control_flow, is_target_aware},
};
use serde_json::Value;

use super::{find_stage, mount as add};
use crate::{
    api::Api,
    api_error::{ApiError, ApiResult},
    caller::{Caller, Grant, Target, Verb},
    document::Document,
    json::Json,
    mirror::kinds,
};

const REASON: &str = "whoever may promote to a Stage may promote to all Targets of it";

pub(super) fn mount(router: Router<Api>) -> Router<Api> {
    let router = add(router, "PromoteToStage", stage_promote);
    add(router, "PromoteDownstream", stage_promote_downstream)
}

/// Promotes Freight to a Stage.
async fn stage_promote(
    caller: Caller,
    Path((project, name)): Path<(String, String)>,
    Json(sent): Json<PromoteToStage>,
) -> ApiResult<Document> {
    let choice = FreightChoice::of(&sent).map_err(ApiError::refused)?;
    let stage = find_stage(&caller, &project, &name).await?;
    require_promote(&caller, &project, &name).await?;
    let actor = caller.actor();
    let (created, freight) = match choice {
        FreightChoice::Origin(origin) => {
            let promotion = promote_origin(&stage, origin, &actor).map_err(ApiError::refused)?;
            (Created::Promotion(Box::new(promotion)), None)
        }
        FreightChoice::Name(_) | FreightChoice::Alias(_) => {
            let freight = chosen(&caller, &project, choice).await?;
            let passing = passing_stages(&caller, &project, [&*stage]);
            let arrival = Arrival {
                freight: &freight,
                stage: &stage,
                passing_stages: &passing,
                now: caller.api().ports().clock.now(),
            };
            let targets = targets(&caller, &project, is_target_aware(&stage))?;
            let created = promote_freight(&arrival, &targets, caller.api().next_id(), &actor);
            (created.map_err(ApiError::refused)?, Some(freight))
        }
    };
    Ok(Document::of(&create(&caller, &project, created, freight).await?)?.with_status(201))
}

/// Promotes Freight to all Stages behind a Stage.
async fn stage_promote_downstream(
    caller: Caller,
    Path((project, name)): Path<(String, String)>,
    Json(sent): Json<PromoteDownstream>,
) -> ApiResult<Document> {
    let choice = FreightChoice::of_downstream(&sent).map_err(ApiError::refused)?;
    find_stage(&caller, &project, &name).await?;
    let freight = chosen(&caller, &project, choice).await?;
    let objects = caller.list(&caller.mirrors().stages, &project).await?.list(&project).objects;
    let stages: Vec<Arc<Stage>> = objects.iter().filter_map(|stage| stage.typed()).collect();
    let stages = stages.iter().map(AsRef::as_ref);
    let behind = downstreams(&name, &freight, stages).map_err(ApiError::refused)?;
    for stage in &behind {
        let name = stage.metadata.name.as_deref().unwrap_or_default();
        require_promote(&caller, &project, name).await?;
    }
    let passing = passing_stages(&caller, &project, behind.iter().copied());
    let targets = targets(&caller, &project, behind.iter().any(|stage| is_target_aware(stage)))?;
    let (actor, now) = (caller.actor(), caller.api().ports().clock.now());
    let next_id = || caller.api().next_id();
    let plan = promote_downstream(&freight, &behind, &targets, &passing, (&actor, now), next_id)
        .map_err(ApiError::refused)?;
    let mut answer = DownstreamPromotions::default();
    for (_, planned) in plan {
        let outcome = match planned {
            Ok(created) => Ok((
                matches!(created, Created::Request(_)),
                create(&caller, &project, created, Some(freight.clone())).await,
            )),
            Err(error) => Err(ApiError::refused(error)),
        };
        match outcome {
            Ok((true, Ok(request))) => answer.promotion_requests.push(request),
            Ok((false, Ok(promotion))) => answer.promotions.push(promotion),
            Ok((_, Err(error))) | Err(error) => {
                add_downstream_error(&mut answer, error.message());
            }
        }
    }
    Ok(Document::of(&answer)?.with_status(downstream_code(&answer)))
}

async fn require_promote(caller: &Caller, project: &str, stage: &str) -> ApiResult<()> {
    let target = Target::one(&kinds::STAGE, project, stage);
    caller.require(Verb::Promote, &target).await.map(drop)
}

/// The Freight that was chosen, by its name or by its alias.
async fn chosen(
    caller: &Caller,
    project: &str,
    choice: FreightChoice<'_>,
) -> ApiResult<Arc<Freight>> {
    let freight = &caller.mirrors().freight;
    let found = match choice {
        FreightChoice::Alias(alias) => {
            let freight = caller.list(freight, project).await?;
            freight.tagged(alias, Some(project)).into_iter().next()
        }
        FreightChoice::Name(name) | FreightChoice::Origin(name) => {
            let target = Target::one(freight.kind(), project, name);
            caller.require(Verb::Get, &target).await.map(drop)?;
            freight.ready()?.get(project, name)
        }
    };
    let found = found.and_then(|object| object.typed());
    found.ok_or_else(|| ApiError::refused(choice.not_found(project)))
}

/// Those Stages before `stages` that only pass Freight on.
pub(super) fn passing_stages<'a>(
    caller: &Caller,
    project: &str,
    stages: impl IntoIterator<Item = &'a Stage>,
) -> PassingStages {
    let requests = stages.into_iter().flat_map(|stage| &stage.spec.requested_freight);
    let names: BTreeSet<&String> = requests.flat_map(|request| &request.sources.stages).collect();
    let is_passing = |name: &&String| {
        let upstream = caller.mirrors().stages.get(project, name);
        upstream.and_then(|object| object.typed::<Stage>()).is_some_and(|one| is_control_flow(&one))
    };
    names.into_iter().filter(is_passing).cloned().collect()
}

/// The Targets of a Project, where they are needed.
fn targets(caller: &Caller, project: &str, are_needed: bool) -> ApiResult<Vec<StageTarget>> {
    if !are_needed {
        return Ok(Vec::new());
    }
    let objects = caller.mirrors().targets.ready()?.list(project).objects;
    let targets = objects.iter().filter_map(|target| target.typed::<StageTarget>());
    Ok(targets.map(|target| (*target).clone()).collect())
}

/// Creates what promotes, and tells of it.
async fn create(
    caller: &Caller,
    project: &str,
    created: Created,
    freight: Option<Arc<Freight>>,
) -> ApiResult<Value> {
    match created {
        Created::Request(request) => {
            let name = request.metadata.name.clone().unwrap_or_default();
            let mirror = &caller.mirrors().promotion_requests;
            let target = Target::one(mirror.kind(), project, &name);
            let grant = Grant::of_the_server(REASON, Verb::Create, target);
            caller.create(grant, mirror.kind(), Some(mirror), &*request).await
        }
        Created::Promotion(promotion) => {
            let target = Target::all(&kinds::PROMOTION, project);
            let grant = caller.require(Verb::Create, &target).await?;
            let mirror = &caller.mirrors().promotions;
            let written = caller.create(grant, mirror.kind(), Some(mirror), &*promotion).await?;
            tell(caller, project, &written, freight).await;
            Ok(written)
        }
    }
}

/// Tells of a Promotion. What admission chose is told if the caller may see it.
async fn tell(caller: &Caller, project: &str, written: &Value, freight: Option<Arc<Freight>>) {
    let Ok(promotion) = serde_json::from_value::<Promotion>(written.clone()) else { return };
    let freight = if freight.is_some() {
        freight
    } else {
        let choice = FreightChoice::Name(&promotion.spec.freight);
        chosen(caller, project, choice).await.ok()
    };
    let argocd = &caller.api().settings().argocd_namespace;
    let now = caller.api().ports().clock.now();
    let actor = caller.actor();
    caller.api().tell(promotion_event(&promotion, freight.as_deref(), &actor, argocd, now));
}
