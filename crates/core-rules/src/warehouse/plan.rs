//! Whether to look for artifacts.

use api_kinds::{Warehouse, annotations};
use core_clock::Time;

use super::schedule::Schedule;

/// What to do with a Warehouse now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Plan {
    /// Nothing, and do not come back: it is on its way out.
    Leave,
    /// Look for artifacts.
    Discover(Reason),
    /// Nothing new is to be looked for; what is known may still have to become Freight.
    Reuse,
}

/// Why to look for artifacts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// It never ended well before.
    First,
    /// The Warehouse was changed.
    Change,
    /// Somebody asks for it.
    Refresh,
    /// Time went by.
    Interval,
}

impl Reason {
    /// Whether nobody waits for the result. Such a search is announced only when it takes long, and
    /// does not make a Warehouse that is ready unready meanwhile.
    pub fn is_routine(self) -> bool {
        self == Self::Interval
    }
}

/// What to do with a Warehouse now. A request for a refresh stays open until a search ended well.
pub fn plan(warehouse: &Warehouse, schedule: &Schedule, now: Time) -> Plan {
    if warehouse.metadata.deletion_timestamp.is_some() {
        return Plan::Leave;
    }
    let Some(due) = schedule.due_at(warehouse) else { return Plan::Discover(Reason::First) };
    let generation = warehouse.metadata.generation.unwrap_or_default();
    if generation > warehouse.status.observed_generation {
        return Plan::Discover(Reason::Change);
    }
    let token = refresh_token(warehouse);
    if token.is_some_and(|token| token != warehouse.status.last_handled_refresh) {
        return Plan::Discover(Reason::Refresh);
    }
    if due <= now { Plan::Discover(Reason::Interval) } else { Plan::Reuse }
}

/// The token of the last request for a refresh.
pub(super) fn refresh_token(warehouse: &Warehouse) -> Option<&str> {
    let annotations = warehouse.metadata.annotations.as_ref()?;
    annotations.get(annotations::REFRESH).map(String::as_str)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use serde_json::json;

    use super::*;

    #[test]
    fn each_reason_to_look_counts_in_its_turn() {
        let schedule = Schedule::new(Duration::from_mins(10), 3);
        let now: Time = "2026-01-01T01:00:00Z".parse().unwrap();
        for (metadata, status, expected) in [
            (json!({}), json!({}), Plan::Discover(Reason::First)),
            (json!({}), json!({"discoveredArtifacts": {}}), Plan::Discover(Reason::First)),
            (
                json!({"generation": 2}),
                json!({"observedGeneration": 1, "discoveredArtifacts": {"discoveredAt": "2026-01-01T00:59:00Z"}}),
                Plan::Discover(Reason::Change),
            ),
            (
                json!({"generation": 1, "annotations": {"kargo.akuity.io/refresh": "b"}}),
                json!({"observedGeneration": 1, "lastHandledRefresh": "a", "discoveredArtifacts": {"discoveredAt": "2026-01-01T00:59:00Z"}}),
                Plan::Discover(Reason::Refresh),
            ),
            (
                json!({"generation": 1, "annotations": {"kargo.akuity.io/refresh": "a"}}),
                json!({"observedGeneration": 1, "lastHandledRefresh": "a", "discoveredArtifacts": {"discoveredAt": "2026-01-01T00:59:00Z"}}),
                Plan::Reuse,
            ),
            (
                json!({"generation": 1}),
                json!({"observedGeneration": 1, "lastHandledRefresh": "a", "discoveredArtifacts": {"discoveredAt": "2026-01-01T00:59:00Z"}}),
                Plan::Reuse,
            ),
            // The interval of the Warehouse is over, the least one of the installation is not.
            (
                json!({"generation": 1}),
                json!({"observedGeneration": 1, "discoveredArtifacts": {"discoveredAt": "2026-01-01T00:52:00Z"}}),
                Plan::Reuse,
            ),
            (
                json!({"generation": 1}),
                json!({"observedGeneration": 1, "discoveredArtifacts": {"discoveredAt": "2026-01-01T00:48:00Z"}}),
                Plan::Discover(Reason::Interval),
            ),
            (json!({"deletionTimestamp": "2026-01-01T00:00:00Z"}), json!({}), Plan::Leave),
        ] {
            let warehouse = serde_json::from_value(json!({
                "apiVersion": "kargo.akuity.io/v1alpha1", "kind": "Warehouse",
                "metadata": metadata, "status": status,
                "spec": {"interval": "5m", "subscriptions": []},
            }))
            .unwrap();
            assert_eq!(plan(&warehouse, &schedule, now), expected, "{status}");
        }
    }
}
