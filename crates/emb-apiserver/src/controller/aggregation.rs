//! Aggregated ClusterRoles: their rules are those of the roles that their selectors match.

use std::sync::{Arc, LazyLock};

use emb_codec::selector::LabelSelector;
use emb_meta::{GroupResource, Reason, Status};
use emb_store::{Change, Entry, Range};
use serde_json::{Value, json};

use super::{Queue, again};
use crate::{internal::Internal, state::State};

/// Any change of a ClusterRole may change what others aggregate.
#[derive(Default)]
pub(super) struct Feed {
    queue: Queue<()>,
}

impl super::Feed for Feed {
    fn note(&self, _: Change, entry: &Entry) {
        if entry.key.resource == *CLUSTER_ROLES {
            self.queue.push(());
        }
    }
}

static CLUSTER_ROLES: LazyLock<GroupResource> =
    LazyLock::new(|| GroupResource::new("rbac.authorization.k8s.io", "clusterroles"));

/// Runs until the server stops.
pub(super) async fn run(state: Arc<State>, feed: Arc<Feed>) {
    let internal = Internal::new(&state, "clusterrole-aggregation-controller");
    loop {
        feed.queue.pop().await;
        if let Err(status) = aggregate_all(&internal).await {
            tracing::warn!(%status, "cluster roles cannot be aggregated");
            let feed = feed.clone();
            again(&state, move || feed.queue.push(()));
        }
    }
}

async fn aggregate_all(internal: &Internal) -> Result<(), Status> {
    let state = &internal.state;
    let snapshot = state.registry.snapshot();
    let Some(served) = snapshot.find("rbac.authorization.k8s.io", "v1", "clusterroles") else {
        return Ok(());
    };
    let roles = state.store.list(&CLUSTER_ROLES, Range::default()).entries;
    for role in &roles {
        let object = role.value();
        let Some(selectors) = selectors(&object) else { continue };
        let rules = aggregate(role, &selectors, &roles);
        if object.get("rules") == Some(&rules) {
            continue;
        }
        let patch = json!({
            "metadata": { "resourceVersion": role.revision.to_string() }, "rules": rules,
        });
        match internal.merge(served, &role.key, "", &patch).await {
            // Changed meanwhile: its event brings it back.
            Err(status) if matches!(status.reason, Reason::Conflict | Reason::NotFound) => {}
            other => drop(other?),
        }
    }
    Ok(())
}

fn selectors(role: &Value) -> Option<Vec<LabelSelector>> {
    let listed = role.pointer("/aggregationRule/clusterRoleSelectors")?.as_array()?;
    Some(listed.iter().filter_map(|selector| LabelSelector::from_object(selector).ok()).collect())
}

/// The rules of all matching roles in the order of their names, each once.
fn aggregate(role: &Entry, selectors: &[LabelSelector], roles: &[Arc<Entry>]) -> Value {
    let mut rules: Vec<Value> = Vec::new();
    let matching = roles.iter().filter(|other| {
        other.key != role.key
            && selectors.iter().any(|selector| selector.matches(|key| other.label(key)))
    });
    for other in matching {
        let object = other.value();
        let listed = object.get("rules").and_then(Value::as_array);
        for rule in listed.into_iter().flatten() {
            if !rules.contains(rule) {
                rules.push(rule.clone());
            }
        }
    }
    Value::Array(rules)
}
