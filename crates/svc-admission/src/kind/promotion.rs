//! Promotions.

use std::collections::BTreeMap;

use api_kinds::promotion_task::PromotionTaskSpec;
use api_kinds::{Freight, ProjectConfig, Promotion, PromotionRequest, Stage};
use core_rules::admission::{
    Admitted, Caller, Operation, Permission, Refusal,
    promotion::{self, CreateWorld, DefaultWorld, UpdateWorld, controlling_request},
};
use core_rules::gate::PassingStages;
use core_rules::promotion::{Task, referenced_tasks};

use super::EVERY_STAGE;
use crate::{Admitter, Request, Verdict, admitter::changed, lookup::Sight};

pub(crate) async fn mutate(admitter: &Admitter, request: &Request<'_>) -> Verdict {
    let sent: Promotion = request.object()?;
    let old: Option<Promotion> = request.old_object()?;
    let caller = admitter.settings.identities.caller(request.user);
    let sight = sight(&sent, &caller);
    let stage = admitter.lookup.stage(sight, request.namespace, &sent.spec.stage).await?;
    let around = match (&stage, request.is_create()) {
        (Some(stage), true) => Around::find(admitter, &sent, stage, &caller).await?,
        _ => Around::default(),
    };
    let world = DefaultWorld {
        stage: stage.as_deref(),
        id: admitter.next_ulid(),
        freight: &around.freight,
        config: around.config.as_ref(),
        tasks: &around.tasks,
        passing_stages: &around.passing_stages,
        now: admitter.clock().now(),
    };
    let mut completed = sent.clone();
    promotion::default(&mut completed, old.as_ref(), &caller, &world)?;
    if let (true, Some(stage), Some(name)) = (request.is_create(), stage, &completed.metadata.name)
    {
        admitter.stages.put(name.clone(), stage);
    }
    changed(&sent, &completed)
}

/// What a new Promotion needs beside its Stage.
#[derive(Default)]
struct Around {
    freight: Vec<Freight>,
    config: Option<ProjectConfig>,
    tasks: BTreeMap<Task, PromotionTaskSpec>,
    passing_stages: PassingStages,
}

impl Around {
    async fn find(
        admitter: &Admitter,
        sent: &Promotion,
        stage: &Stage,
        caller: &Caller<'_>,
    ) -> Result<Self, Refusal> {
        let lookup = &admitter.lookup;
        let namespace = stage.metadata.namespace.as_deref().unwrap_or_default();
        let template = stage.spec.promotion_template.as_ref();
        let steps = template.map(|template| template.spec.steps.as_slice()).unwrap_or_default();
        let tasks = lookup.tasks(namespace, referenced_tasks(steps)).await?;
        let config = if caller.is_control_plane() && is_silent(sent) {
            None
        } else {
            // Only decides about holds, which never stop a Promotion.
            lookup.config(namespace).await.ok().flatten()
        };
        if !promotion::looks_at_freight(sent, stage, config.as_ref(), caller) {
            return Ok(Self { config, tasks, ..Self::default() });
        }
        let freight = lookup.freight(namespace).await?;
        let passing_stages = lookup.passing_stages(stage).await?;
        Ok(Self { freight, config, tasks, passing_stages })
    }
}

/// Whether nobody is said to be behind the Promotion.
fn is_silent(promotion: &Promotion) -> bool {
    let annotations = promotion.metadata.annotations.as_ref();
    let actor = annotations.and_then(|all| all.get(api_kinds::annotations::CREATE_ACTOR));
    actor.is_none_or(|actor| actor.is_empty() || actor.starts_with("controller:"))
}

pub(crate) async fn validate(
    admitter: &Admitter,
    request: &Request<'_>,
) -> Result<Admitted, Refusal> {
    match request.operation {
        Operation::Create => validate_create(admitter, request).await,
        Operation::Update => validate_update(admitter, request).await,
        Operation::Delete => validate_delete(admitter, request).await,
    }
}

async fn validate_create(admitter: &Admitter, request: &Request<'_>) -> Result<Admitted, Refusal> {
    let new: Promotion = request.object()?;
    let caller = admitter.settings.identities.caller(request.user);
    match sight(&new, &caller) {
        Sight::Watched => match judge(admitter, request, &new, Sight::Watched).await {
            Ok(admitted) => Ok(admitted),
            // Nothing is refused by what a watch shows.
            Err(_) => judge(admitter, request, &new, Sight::Live).await,
        },
        Sight::Live => judge(admitter, request, &new, Sight::Live).await,
    }
}

/// What a component promotes by itself it decided by what a watch showed it.
fn sight(promotion: &Promotion, caller: &Caller<'_>) -> Sight {
    if caller.is_control_plane() && is_silent(promotion) { Sight::Watched } else { Sight::Live }
}

async fn judge(
    admitter: &Admitter,
    request: &Request<'_>,
    new: &Promotion,
    sight: Sight,
) -> Result<Admitted, Refusal> {
    let (lookup, namespace) = (&admitter.lookup, request.namespace);
    let name = new.metadata.name.clone().unwrap_or_default();
    let stage = match admitter.stages.take(&name) {
        Some(stage) if stage.metadata.namespace.as_deref() == Some(namespace) => Some(stage),
        _ => lookup.stage(sight, namespace, &new.spec.stage).await?,
    };
    let freight = lookup.piece(sight, namespace, &new.spec.freight).await?;
    let behind = behind(admitter, new, namespace).await?;
    let passing_stages = match &stage {
        Some(stage) => lookup.passing_stages(stage).await?,
        None => PassingStages::new(),
    };
    let world = CreateWorld {
        home: lookup.project_namespace(namespace).await?,
        permission: permission(admitter, request, new, sight).await,
        stage: stage.as_deref(),
        freight: freight.as_deref(),
        request: behind.as_ref(),
        passing_stages: &passing_stages,
        argocd_namespace: &admitter.settings.argocd_namespace,
        now: admitter.clock().now(),
    };
    promotion::validate_create(new, &admitter.settings.identities.caller(request.user), &world)
}

/// Whether the caller may promote to the Stage. A component may promote to all Stages or to none: what
/// it may do to one Stage of a Project is known of the others.
async fn permission(
    admitter: &Admitter,
    request: &Request<'_>,
    new: &Promotion,
    sight: Sight,
) -> Permission {
    let stage = match sight {
        Sight::Watched => EVERY_STAGE,
        Sight::Live => &new.spec.stage,
    };
    admitter.lookup.promote(request.user, request.namespace, stage).await
}

/// The PromotionRequest that the Promotion says is behind it.
async fn behind(
    admitter: &Admitter,
    promotion: &Promotion,
    namespace: &str,
) -> Result<Option<PromotionRequest>, Refusal> {
    match controlling_request(&promotion.metadata) {
        Some(owner) => admitter.lookup.get(namespace, &owner.name).await,
        None => Ok(None),
    }
}

async fn validate_update(admitter: &Admitter, request: &Request<'_>) -> Result<Admitted, Refusal> {
    let (new, old): (Promotion, Promotion) = (request.object()?, request.required_old()?);
    let (lookup, namespace) = (&admitter.lookup, request.namespace);
    let is_same_child = controlling_request(&new.metadata) == controlling_request(&old.metadata);
    let behind = if is_same_child { None } else { behind(admitter, &new, namespace).await? };
    let permission = lookup.promote(request.user, namespace, &old.spec.stage).await;
    let world = UpdateWorld { permission, request: behind.as_ref() };
    let caller = admitter.settings.identities.caller(request.user);
    promotion::validate_update(&new, &old, &caller, &world)
}

async fn validate_delete(admitter: &Admitter, request: &Request<'_>) -> Result<Admitted, Refusal> {
    let old: Promotion = request.required_old()?;
    let stage = &old.spec.stage;
    let permission = admitter.lookup.promote(request.user, request.namespace, stage).await;
    let caller = admitter.settings.identities.caller(request.user);
    promotion::validate_delete(&old, &caller, permission)?;
    Ok(Admitted::default())
}
