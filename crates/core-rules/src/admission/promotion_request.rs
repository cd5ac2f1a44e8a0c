//! PromotionRequests: an order for many Targets of one Stage, given by somebody who may promote.
//!
//! Upstream asks for no permission here, does not look at the Freight, and believes what is said
//! about who asks.

use std::collections::BTreeSet;

use api_kinds::{Freight, PromotionRequest, Stage, annotations, labels};
use core_clock::Time;

use super::{
    caller::{Caller, Permission},
    field::FieldError,
    metadata::{
        is_being_deleted, name, namespace, restore_annotations, set_annotation, set_label,
        set_shard,
    },
    namespace::ProjectNamespace,
    outcome::Admitted,
    promotion::authorize,
    refusal::Refusal,
};
use crate::gate::{Arrival, Availability, PassingStages, availability};
use crate::shorten;

/// Writes down who asks, and for which Stage and shard.
pub fn default(
    request: &mut PromotionRequest,
    old: Option<&PromotionRequest>,
    stage: Option<&Stage>,
    caller: &Caller<'_>,
) {
    if let Some(old) = old {
        let frozen = [annotations::CREATE_ACTOR];
        restore_annotations(&mut request.metadata, &old.metadata, &frozen);
    } else if !caller.is_control_plane() {
        let actor = Some(caller.actor());
        set_annotation(&mut request.metadata, annotations::CREATE_ACTOR, actor);
    }
    let label = shorten::label_value(&request.spec.stage);
    set_label(&mut request.metadata, labels::STAGE, &label);
    if let Some(stage) = stage {
        set_shard(&mut request.metadata, &stage.spec.shard);
    }
}

/// What must be known to let a PromotionRequest in.
#[derive(Clone, Copy, Debug)]
pub struct World<'a> {
    /// Its namespace, on creation.
    pub home: Option<ProjectNamespace>,
    /// Whether the user may promote to the Stage.
    pub permission: Permission,
    /// The Stage it names.
    pub stage: Option<&'a Stage>,
    /// The Freight it names; only looked at on creation.
    pub freight: Option<&'a Freight>,
    /// The Targets it names that do not exist.
    pub missing_targets: &'a BTreeSet<String>,
    /// Stages before this one that only pass Freight on.
    pub passing_stages: &'a PassingStages,
    /// The time.
    pub now: Time,
}

/// Whether the rules have anything to say about an update.
pub fn needs_validation(request: &PromotionRequest, old: Option<&PromotionRequest>) -> bool {
    !is_being_deleted(&request.metadata) && old.is_none_or(|old| old.spec != request.spec)
}

/// What is wrong with a PromotionRequest.
pub fn validate(
    request: &PromotionRequest,
    old: Option<&PromotionRequest>,
    caller: &Caller<'_>,
    world: &World<'_>,
) -> Result<Admitted, Refusal> {
    let metadata = &request.metadata;
    let home = world.home.map(|home| home.check(namespace(metadata))).transpose()?;
    let action = if old.is_none() { "create" } else { "update" };
    let stage = &request.spec.stage;
    authorize::<PromotionRequest>(metadata, stage, action, caller, world.permission)?;
    if !needs_validation(request, old) {
        return Ok(Admitted::default());
    }
    let mut errors: Vec<FieldError> = home.flatten().into_iter().collect();
    errors.extend(check_duplicates(request));
    errors.extend(check_stage(request, world.stage));
    errors.extend(check_targets(request, world.missing_targets));
    if let (None, Some(stage)) = (old, world.stage) {
        errors.extend(check_freight(request, stage, world));
    }
    Refusal::unless_valid::<PromotionRequest>(name(metadata), errors)?;
    Ok(Admitted::default())
}

fn check_duplicates(request: &PromotionRequest) -> Vec<FieldError> {
    let mut seen = BTreeSet::new();
    let targets = request.spec.targets.iter().enumerate();
    targets
        .filter(|(_, target)| !seen.insert(&target.name))
        .map(|(index, target)| {
            FieldError::duplicate(format!("spec.targets[{index}].name"), target.name.as_str())
        })
        .collect()
}

fn check_stage(request: &PromotionRequest, stage: Option<&Stage>) -> Option<FieldError> {
    let name = &request.spec.stage;
    let detail = match stage {
        None => {
            format!("Stage {name:?} not found in namespace {:?}", namespace(&request.metadata))
        }
        Some(stage) if stage.spec.targets.is_none() => format!(
            "Stage {name:?} does not select Targets; it is promoted to with a Promotion rather \
             than a PromotionRequest"
        ),
        Some(_) => return None,
    };
    Some(FieldError::invalid("spec.stage", name.as_str(), &detail))
}

fn check_targets(request: &PromotionRequest, missing: &BTreeSet<String>) -> Vec<FieldError> {
    let namespace = namespace(&request.metadata);
    let targets = request.spec.targets.iter().enumerate();
    targets
        .filter(|(_, target)| missing.contains(&target.name))
        .map(|(index, target)| {
            let name = &target.name;
            let detail = format!("Target {name:?} not found in namespace {namespace:?}");
            FieldError::invalid(format!("spec.targets[{index}].name"), name.as_str(), &detail)
        })
        .collect()
}

fn check_freight(
    request: &PromotionRequest,
    stage: &Stage,
    world: &World<'_>,
) -> Option<FieldError> {
    let is_available = |freight: &Freight| {
        let passing_stages = world.passing_stages;
        let arrival = Arrival { freight, stage, passing_stages, now: world.now };
        availability(&arrival) == Availability::Available
    };
    if world.freight.is_some_and(is_available) {
        return None;
    }
    let detail = "Freight is not available to this Stage";
    Some(FieldError::invalid("spec.freight", request.spec.freight.as_str(), detail))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use api_kinds::{Freight, PromotionRequest, Stage};
    use core_clock::Time;
    use serde_json::{Value, json};

    use super::*;
    use crate::admission::fixture::{API, identities, message, object, user};

    fn request(targets: Value) -> PromotionRequest {
        object("r", json!({"spec": {"stage": "prod", "freight": "f", "targets": targets}}))
    }

    fn stage(mut spec: Value) -> Stage {
        spec["requestedFreight"] =
            json!([{"origin": {"kind": "Warehouse", "name": "w"}, "sources": {"direct": true}}]);
        object("prod", json!({"spec": spec}))
    }

    fn verdict(
        request: &PromotionRequest,
        old: Option<&PromotionRequest>,
        stage: Option<&Stage>,
        permission: Permission,
    ) -> Result<Admitted, Refusal> {
        let freight: Freight = object("f", json!({"origin": {"kind": "Warehouse", "name": "w"}}));
        let user = user("alice");
        let world = World {
            home: Some(ProjectNamespace::Marked),
            permission,
            stage,
            freight: Some(&freight),
            missing_targets: &BTreeSet::from(["gone".to_owned()]),
            passing_stages: &PassingStages::new(),
            now: Time::from_seconds(1),
        };
        validate(request, old, &identities().caller(&user), &world)
    }

    #[test]
    fn targets_exist_and_are_named_once() {
        let selecting = stage(json!({"targets": {"selectors": []}}));
        let check =
            |targets| verdict(&request(targets), None, Some(&selecting), Permission::Granted);
        assert!(check(json!([])).is_ok());
        assert!(check(json!([{"name": "eu"}, {"name": "us"}])).is_ok());
        assert_eq!(
            message(check(json!([{"name": "eu"}, {"name": "eu"}, {"name": "gone"}]))),
            "[spec.targets[1].name: Duplicate value: \"eu\", spec.targets[2].name: Invalid value: \"gone\": Target \"gone\" not found in namespace \"demo\"]"
        );
    }

    #[test]
    fn the_stage_exists_and_selects_targets() {
        let check = |stage: Option<&Stage>| {
            message(verdict(&request(json!([])), None, stage, Permission::Granted))
        };
        assert_eq!(
            check(None),
            r#"spec.stage: Invalid value: "prod": Stage "prod" not found in namespace "demo""#
        );
        assert!(check(Some(&stage(json!({})))).contains(
            r#"Stage "prod" does not select Targets; it is promoted to with a Promotion rather than a PromotionRequest"#
        ));
    }

    #[test]
    fn it_takes_the_permission_to_promote() {
        let selecting = stage(json!({"targets": {"selectors": []}}));
        let refused =
            verdict(&request(json!([])), None, Some(&selecting), Permission::Denied).unwrap_err();
        assert_eq!(refused.code(), 403);
        assert!(refused.message.contains("is not permitted to create PromotionRequests"));
        let old = request(json!([{"name": "gone"}]));
        assert!(verdict(&old, Some(&old), None, Permission::Granted).is_ok());
    }

    #[test]
    fn who_asks_is_written_by_us() {
        let actor = |who: &str| {
            let mut sent: PromotionRequest = object(
                "r",
                json!({"metadata": {"annotations": {"kargo.akuity.io/create-actor": "email:x"}}, "spec": {"stage": "prod", "freight": "f", "targets": []}}),
            );
            let user = user(who);
            default(
                &mut sent,
                None,
                Some(&stage(json!({"shard": "eu"}))),
                &identities().caller(&user),
            );
            assert_eq!(sent.metadata.labels.unwrap()["kargo.akuity.io/shard"], "eu");
            sent.metadata.annotations.unwrap()["kargo.akuity.io/create-actor"].clone()
        };
        assert_eq!(actor("alice"), "kubernetes:alice");
        assert_eq!(actor(API), "email:x");
    }
}
