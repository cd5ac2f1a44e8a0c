//! What a Stage wants changed, as a patch of its own keys.

use std::collections::BTreeMap;

use api_kinds::freight::FreightStatus;
use core_rules::stage::FreightUpdate;
use io_kube::merge_difference;
use serde_json::{Value, json};

/// The merge patch that the update makes to what a status says about the Stage; `None` when it says so
/// already. Costs the same however many Stages are mentioned, and never touches what others wrote.
pub(crate) fn patch(status: &FreightStatus, stage: &str, update: &FreightUpdate) -> Option<Value> {
    let old = FreightStatus {
        approved_for: only(&status.approved_for, stage),
        currently_in: only(&status.currently_in, stage),
        verified_in: only(&status.verified_in, stage),
        metadata: BTreeMap::new(),
    };
    let mut new = old.clone();
    update.apply(&mut new, stage);
    merge_difference(&about(&old, stage), &about(&new, stage))
}

fn only<V: Clone>(map: &BTreeMap<String, V>, stage: &str) -> BTreeMap<String, V> {
    map.get_key_value(stage).map(|(key, value)| (key.clone(), value.clone())).into_iter().collect()
}

/// What a status says about a Stage. The maps are there even when they say nothing: to remove the map
/// with the last key would remove keys that others add meanwhile.
fn about(status: &FreightStatus, stage: &str) -> Value {
    json!({
        "approvedFor": {stage: status.approved_for.get(stage)},
        "currentlyIn": {stage: status.currently_in.get(stage)},
        "verifiedIn": {stage: status.verified_in.get(stage)},
    })
}

#[cfg(test)]
mod tests {
    use core_clock::Time;
    use core_rules::stage::FreightChange;

    use super::*;

    #[test]
    fn a_stage_changes_only_its_own_keys() {
        let time = "2026-01-01T00:00:00Z";
        let status: FreightStatus = serde_json::from_value(json!({
            "currentlyIn": {"dev": {"since": time}},
            "verifiedIn": {"dev": {"verifiedAt": time}, "other": {"verifiedAt": time}},
            "metadata": {"note": 1},
        }))
        .unwrap();
        let at: Time = "2026-01-01T01:00:00Z".parse().unwrap();
        let make = |changes: &[FreightChange]| {
            let update =
                FreightUpdate { freight: "f".into(), changes: changes.to_vec(), as_seen: false };
            patch(&status, "dev", &update)
        };
        assert_eq!(
            make(&[FreightChange::Leave { at }]),
            Some(json!({
                "currentlyIn": {"dev": null}, "verifiedIn": {"dev": {"longestSoak": "1h0m0s"}},
            }))
        );
        assert_eq!(make(&[FreightChange::Enter { at }, FreightChange::Verify { at }]), None);
        assert_eq!(
            make(&[FreightChange::Forget]),
            Some(json!({"currentlyIn": {"dev": null}, "verifiedIn": {"dev": null}}))
        );
    }
}
