//! Telling people about owners that cannot be: in another namespace, or in one at all.

use emb_meta::{ObjectExt, OwnerReference, Reason};
use emb_store::{Entry, Key, Range};
use serde_json::{Value, json};

use super::reference::{Owner, Standing};
use crate::{internal::Internal, state::State};

/// Writes an Event for each owner of a dependent that lives where it cannot own the dependent.
pub(super) async fn complain(internal: &Internal, dependent: &Entry, owners: &[Owner]) {
    let state = &internal.state;
    for owner in owners {
        let elsewhere = owner.standing == Standing::Absent
            && owner.key.as_ref().is_some_and(|key| lives_elsewhere(state, key, &owner.reference));
        if elsewhere || owner.is_impossible(&dependent.key) {
            record(internal, dependent, &owner.reference).await;
        }
    }
}

/// Whether another namespace has the object of that uid.
fn lives_elsewhere(state: &State, key: &Key, reference: &OwnerReference) -> bool {
    !key.namespace.is_empty()
        && state
            .store
            .list(&key.resource, Range::default())
            .entries
            .iter()
            .any(|entry| *entry.uid == *reference.uid)
}

async fn record(internal: &Internal, dependent: &Entry, reference: &OwnerReference) {
    let state = &internal.state;
    let snapshot = state.registry.snapshot();
    let resource = &dependent.key.resource;
    let (Some(events), Some(served)) = (
        snapshot.find("", "v1", "events"),
        snapshot.find_stored(&resource.group, &resource.resource),
    ) else {
        return;
    };
    let event = event(&served.value(dependent), reference, &state.clock.now().to_rfc3339_seconds());
    if let Err(status) = internal.create(events, &event).await
        && status.reason != Reason::AlreadyExists
    {
        tracing::debug!(%status, "an owner in the wrong place cannot be told of");
    }
}

fn event(dependent: &Value, reference: &OwnerReference, now: &str) -> Value {
    let namespace = dependent.namespace();
    let place = if namespace.is_empty() { "default" } else { namespace };
    let message = format!(
        "ownerRef [{}/{}, namespace: {namespace}, name: {}, uid: {}] does not exist in namespace {namespace:?}",
        reference.api_version, reference.kind, reference.name, reference.uid
    );
    // The name is the same each time, so that one pair is told of once.
    let suffix: String =
        reference.uid.chars().filter(char::is_ascii_alphanumeric).take(16).collect();
    json!({
        "apiVersion": "v1", "kind": "Event",
        "metadata": { "name": format!("{}.{suffix}", dependent.name()), "namespace": place },
        "involvedObject": {
            "apiVersion": dependent.text(&["apiVersion"]), "kind": dependent.text(&["kind"]),
            "namespace": namespace, "name": dependent.name(), "uid": dependent.uid(),
            "resourceVersion": dependent.resource_version(),
        },
        "reason": "OwnerRefInvalidNamespace", "message": message, "type": "Warning", "count": 1,
        "source": { "component": "garbage-collector-controller" },
        "firstTimestamp": now, "lastTimestamp": now,
    })
}
