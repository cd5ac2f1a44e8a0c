//! What has to be known of a Promotion after it ended.

use std::mem::take;

use api_kinds::{
    ObjectMeta, Promotion,
    annotations::{AUTO_PROMOTION_HOLD, AUTO_PROMOTION_RESUME, CREATE_ACTOR},
    step::PromotionStep,
};

use crate::argo_cd::names_applications;

/// Takes from a Promotion that ended what only those need who carry it out. There are many such Promotions, and all
/// that is asked about them is what came of them, whether they hold automatic promotion, and which of their steps
/// named Applications.
pub fn reduce_to_outcome(promotion: &mut Promotion) {
    if !promotion.status.phase.is_terminal() {
        return;
    }
    reduce_metadata(&mut promotion.metadata);
    let spec = &mut promotion.spec;
    spec.vars = Vec::new();
    spec.steps.retain(names_applications);
    spec.steps.shrink_to_fit();
    for step in &mut spec.steps {
        let (alias, uses) = (take(&mut step.r#as), take(&mut step.uses));
        *step = PromotionStep { r#as: alias, uses, ..PromotionStep::default() };
    }
}

fn reduce_metadata(metadata: &mut ObjectMeta) {
    let counts =
        |key: &str| [AUTO_PROMOTION_HOLD, AUTO_PROMOTION_RESUME, CREATE_ACTOR].contains(&key);
    metadata.labels = None;
    if let Some(annotations) = &mut metadata.annotations {
        annotations.retain(|key, _| counts(key));
    }
    metadata.annotations.take_if(|annotations| annotations.is_empty());
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::argo_cd::context;

    fn promotion(phase: &str) -> Promotion {
        let app = json!({"name": "a", "namespace": "argocd"});
        let spec = json!({
            "stage": "dev",
            "freight": "f",
            "vars": [{"name": "v", "value": "1"}],
            "steps": [
                {"uses": "git-clone", "as": "clone", "config": {"repoURL": "u"}},
                {"uses": "argocd-update", "as": "update", "config": {"apps": [app]}},
            ],
        });
        let state = json!({"clone": {"commits": {}}, "update": {"apps": [app]}});
        let status = json!({"phase": phase, "state": state});
        let metadata = json!({
            "name": "p",
            "labels": {"kargo.akuity.io/stage": "dev"},
            "annotations": {AUTO_PROMOTION_HOLD: "Warehouse/w", CREATE_ACTOR: "admin", "note": "n"},
        });
        let promotion = json!({"metadata": metadata, "spec": spec, "status": status});
        serde_json::from_value(promotion).unwrap()
    }

    #[test]
    fn of_one_that_ended_what_rules_ask_about_stays() {
        let whole = promotion("Succeeded");
        let mut reduced = whole.clone();
        reduce_to_outcome(&mut reduced);
        assert_eq!(json!(reduced.spec.steps), json!([{"uses": "argocd-update", "as": "update"}]));
        assert!(reduced.spec.vars.is_empty());
        let kept = json!({AUTO_PROMOTION_HOLD: "Warehouse/w", CREATE_ACTOR: "admin"});
        assert_eq!(json!(reduced.metadata), json!({"name": "p", "annotations": kept}));
        assert_eq!(reduced.status, whole.status);
        assert_eq!(context(&reduced), context(&whole));
        assert!(context(&reduced).is_some());
    }

    #[test]
    fn one_that_has_not_ended_stays_as_it_is() {
        for phase in ["", "Pending", "Running"] {
            let mut promotion = promotion(phase);
            let whole = promotion.clone();
            reduce_to_outcome(&mut promotion);
            assert_eq!(promotion, whole);
        }
    }
}
