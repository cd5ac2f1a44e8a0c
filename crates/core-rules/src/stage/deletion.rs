//! What has to go before a Stage may.

use std::sync::Arc;

use api_kinds::finalizer::FINALIZER;
use api_kinds::{Freight, Stage};

use super::effect::{FreightChange, FreightUpdate};
use crate::shorten;

/// What to clean up after a Stage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deletion {
    /// What Freight says about the Stage goes.
    pub freight: Vec<FreightUpdate>,
    /// The AnalysisRuns with this value of the Stage label go.
    pub runs: Option<String>,
}

/// What to clean up after a Stage that is being deleted; `None` when that is not for us to do.
/// Promotions and PromotionRequests go with their owner.
pub fn deletion(stage: &Stage, freight: &[Arc<Freight>], has_analysis: bool) -> Option<Deletion> {
    let finalizers = stage.metadata.finalizers.as_deref().unwrap_or_default();
    if !finalizers.iter().any(|finalizer| finalizer == FINALIZER) {
        return None;
    }
    let name = stage.metadata.name.as_deref().unwrap_or_default();
    let mentions = |freight: &&Arc<Freight>| {
        let status = &freight.status;
        status.currently_in.contains_key(name)
            || status.verified_in.contains_key(name)
            || status.approved_for.contains_key(name)
    };
    let update = |freight: &Arc<Freight>| FreightUpdate {
        freight: freight.metadata.name.clone().unwrap_or_default(),
        changes: vec![FreightChange::Forget],
        as_seen: false,
    };
    Some(Deletion {
        freight: freight.iter().filter(mentions).map(update).collect(),
        runs: has_analysis.then(|| shorten::label_value(name)),
    })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use api_kinds::{Freight, Stage};
    use serde_json::{Value, json};

    use super::deletion;

    fn freight(name: &str, status: Value) -> Arc<Freight> {
        let freight = json!({"metadata": {"name": name}, "status": status});
        Arc::new(serde_json::from_value(freight).unwrap())
    }

    #[test]
    fn nothing_remains_of_a_stage_in_freight() {
        let stage = |finalizers: Value| -> Stage {
            let metadata = json!({"name": "prod", "finalizers": finalizers});
            serde_json::from_value(json!({"metadata": metadata, "spec": {}})).unwrap()
        };
        let freight = [
            freight(
                "a",
                json!({"verifiedIn": {"prod": {}, "qa": {}}, "currentlyIn": {"prod": {}}}),
            ),
            freight("b", json!({"approvedFor": {"prod": {}}})),
            freight("c", json!({"verifiedIn": {"qa": {}}})),
        ];
        assert_eq!(deletion(&stage(json!(["other"])), &freight, true), None);
        let deletion = deletion(&stage(json!(["kargo.akuity.io/finalizer"])), &freight, true);
        let deletion = deletion.unwrap();
        assert_eq!(deletion.runs.as_deref(), Some("prod"));
        let names: Vec<&str> =
            deletion.freight.iter().map(|update| update.freight.as_str()).collect();
        assert_eq!(names, ["a", "b"]);
        let mut status = freight[0].status.clone();
        deletion.freight[0].apply(&mut status, "prod");
        assert_eq!(status, serde_json::from_value(json!({"verifiedIn": {"qa": {}}})).unwrap());
    }
}
