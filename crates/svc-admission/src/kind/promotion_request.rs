//! PromotionRequests.

use std::collections::BTreeSet;

use api_kinds::{Freight, PromotionRequest, Stage, Target};
use core_rules::admission::{
    Admitted, Refusal,
    promotion_request::{self, World},
};
use core_rules::gate::PassingStages;

use crate::{Admitter, Request, Verdict, admitter::changed};

pub(crate) async fn mutate(admitter: &Admitter, request: &Request<'_>) -> Verdict {
    let sent: PromotionRequest = request.object()?;
    let old: Option<PromotionRequest> = request.old_object()?;
    let stage: Option<Stage> = admitter.lookup.get(request.namespace, &sent.spec.stage).await?;
    let mut completed = sent.clone();
    let caller = admitter.settings.identities.caller(request.user);
    promotion_request::default(&mut completed, old.as_ref(), stage.as_ref(), &caller);
    changed(&sent, &completed)
}

pub(crate) async fn validate(
    admitter: &Admitter,
    request: &Request<'_>,
) -> Result<Admitted, Refusal> {
    let new: PromotionRequest = request.object()?;
    let old: Option<PromotionRequest> = request.old_object()?;
    let (lookup, namespace) = (&admitter.lookup, request.namespace);
    let mut missing_targets = BTreeSet::new();
    let (mut stage, mut freight) = (None::<Stage>, None::<Freight>);
    let mut passing_stages = PassingStages::new();
    if promotion_request::needs_validation(&new, old.as_ref()) {
        stage = lookup.get(namespace, &new.spec.stage).await?;
        freight = lookup.get(namespace, &new.spec.freight).await?;
        if let Some(stage) = &stage {
            passing_stages = lookup.passing_stages(stage).await?;
        }
        missing_targets = find_missing(admitter, namespace, &new, old.as_ref()).await?;
    }
    let home =
        if request.is_create() { Some(lookup.project_namespace(namespace).await?) } else { None };
    let world = World {
        home,
        permission: lookup.promote(request.user, namespace, &new.spec.stage).await,
        stage: stage.as_ref(),
        freight: freight.as_ref(),
        missing_targets: &missing_targets,
        passing_stages: &passing_stages,
        now: admitter.clock().now(),
    };
    let caller = admitter.settings.identities.caller(request.user);
    promotion_request::validate(&new, old.as_ref(), &caller, &world)
}

/// Those of the newly named Targets that do not exist.
async fn find_missing(
    admitter: &Admitter,
    namespace: &str,
    new: &PromotionRequest,
    old: Option<&PromotionRequest>,
) -> Result<BTreeSet<String>, Refusal> {
    let known: BTreeSet<&String> =
        old.iter().flat_map(|old| &old.spec.targets).map(|target| &target.name).collect();
    let mut missing = BTreeSet::new();
    for target in new.spec.targets.iter().filter(|target| !known.contains(&target.name)) {
        if admitter.lookup.get::<Target>(namespace, &target.name).await?.is_none() {
            missing.insert(target.name.clone());
        }
    }
    Ok(missing)
}
