//! What a Stage's spec makes of it, and which Freight it asks for.

use api_kinds::Stage;
use api_kinds::origin::{FreightOrigin, FreightOriginKind};
use api_kinds::stage::FreightRequest;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

/// Whether the Stage only passes Freight on: it has no promotion steps.
pub fn is_control_flow(stage: &Stage) -> bool {
    stage.spec.promotion_template.as_ref().is_none_or(|template| template.spec.steps.is_empty())
}

/// Whether promotion to the Stage means promotion to each of its Targets, even to none.
pub fn is_target_aware(stage: &Stage) -> bool {
    stage.spec.targets.is_some()
}

/// What the Stage says about Freight of this origin: nothing, or (admission sees to it) one entry.
pub fn requests_from<'a>(
    stage: &'a Stage,
    origin: &'a FreightOrigin,
) -> impl Iterator<Item = &'a FreightRequest> {
    stage.spec.requested_freight.iter().filter(move |request| request.origin == *origin)
}

/// Whether the Stage asks for Freight of any of these Warehouses, directly or through other Stages.
pub fn requests_from_any(stage: &Stage, warehouses: &[&str]) -> bool {
    stage.spec.requested_freight.iter().any(|request| {
        request.origin.kind == FreightOriginKind::Warehouse
            && warehouses.contains(&request.origin.name.as_str())
    })
}

/// Whether something that names the Stage belongs to it, and not to an earlier Stage of the same name. What belonged to
/// that one is still there for a while after both were exchanged.
pub fn is_owned_by(stage: &Stage, metadata: &ObjectMeta) -> bool {
    let owners = metadata.owner_references.iter().flatten();
    let mut stages = owners.filter(|owner| owner.kind == "Stage");
    stages.all(|owner| Some(&owner.uid) == stage.metadata.uid.as_ref())
}

#[cfg(test)]
mod tests {
    use api_kinds::Stage;
    use serde_json::json;

    use super::{is_control_flow, is_owned_by, is_target_aware, requests_from_any};

    fn stage(spec: serde_json::Value) -> Stage {
        serde_json::from_value(json!({"metadata": {"name": "prod"}, "spec": spec})).unwrap()
    }

    #[test]
    fn only_steps_make_a_stage_hold_freight() {
        assert!(is_control_flow(&stage(json!({}))));
        assert!(is_control_flow(&stage(json!({"promotionTemplate": {"spec": {}}}))));
        let steps = json!([{"uses": "copy"}]);
        assert!(!is_control_flow(&stage(json!({"promotionTemplate": {"spec": {"steps": steps}}}))));
    }

    #[test]
    fn targets_count_even_when_they_select_nothing() {
        assert!(!is_target_aware(&stage(json!({}))));
        assert!(is_target_aware(&stage(json!({"targets": {"selectors": []}}))));
    }

    #[test]
    fn what_an_earlier_stage_of_the_name_left_is_not_the_stages() {
        let mut stage = stage(json!({}));
        stage.metadata.uid = Some("second".to_owned());
        let owned_by = |kind: &str, uid: &str| {
            let owner = json!({"apiVersion": "v1", "kind": kind, "name": "prod", "uid": uid});
            serde_json::from_value(json!({"ownerReferences": [owner]})).unwrap()
        };
        assert!(is_owned_by(&stage, &owned_by("Stage", "second")));
        assert!(!is_owned_by(&stage, &owned_by("Stage", "first")));
        assert!(is_owned_by(&stage, &owned_by("PromotionRequest", "first")));
    }

    #[test]
    fn a_warehouse_is_asked_for_directly_or_through_other_stages() {
        let stage = stage(json!({"requestedFreight": [
            {"origin": {"kind": "Warehouse", "name": "w1"}, "sources": {"stages": ["test"]}},
        ]}));
        assert!(requests_from_any(&stage, &["w0", "w1"]));
        assert!(!requests_from_any(&stage, &["w2"]));
    }
}
