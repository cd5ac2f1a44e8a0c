//! What the target must hold in the end.

use api_kinds::{
    promotion::{PromotionPhase, PromotionStepStatus},
    promotion_request::PromotionRequestPhase,
};
use serde_json::{Map, Value, json};

use crate::{Collection, RESOURCES, object};

/// What becomes of Promotions that had not ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unfinished {
    /// They are over: whoever wants them starts them anew.
    Aborted,
    /// They go on as they were.
    Resumed,
}

/// The text that tells why a Promotion is over.
const ABORTED: &str =
    "aborted: it had not ended when the backup that this control plane was restored from was made";

/// What the target must hold in the end: the collection, with what had not ended brought to an end unless it is to go on,
/// and without owners that do not come along.
pub fn expected(collection: &Collection, unfinished: Unfinished) -> Collection {
    let mut expected = collection.clone();
    let uids = collection.uids();
    let ended_at = collection.origin.created_at.as_str();
    for (resource, objects) in RESOURCES.iter().zip(&mut expected.objects) {
        for object in objects {
            keep_owners(object, |uid| uids.contains(uid));
            match (resource.kind, unfinished) {
                ("Freight", _) => keep_age(object),
                ("Promotion", Unfinished::Aborted) => end_promotion(object, ended_at),
                ("PromotionRequest", Unfinished::Aborted) => end_request(object, ended_at),
                _ => {}
            }
        }
    }
    expected
}

/// An owner that is not there would let the server delete what it owns.
fn keep_owners(object: &mut Value, is_kept: impl Fn(&str) -> bool) {
    let Some(metadata) = object::metadata_mut(object) else { return };
    if let Some(Value::Array(owners)) = metadata.get_mut("ownerReferences") {
        owners.retain(|owner| is_kept(object::text(owner, "/uid")));
    }
}

/// Freight is as old as when it was found. Where that is not written, it is the time of its creation, which will be new.
fn keep_age(freight: &mut Value) {
    let created = object::text(freight, "/metadata/creationTimestamp").to_owned();
    let Value::Object(members) = freight else { return };
    if !created.is_empty() {
        members.entry("discoveredAt").or_insert_with(|| created.into());
    }
}

fn end_promotion(promotion: &mut Value, ended_at: &str) {
    let Some(status) = status_mut(promotion) else { return };
    if phase::<PromotionPhase>(status).is_terminal() {
        return;
    }
    status.insert("phase".to_owned(), json!(PromotionPhase::Aborted));
    status.insert("message".to_owned(), ABORTED.into());
    status.insert("finishedAt".to_owned(), ended_at.into());
    let Some(Value::Array(steps)) = status.get_mut("stepExecutionMetadata") else { return };
    for step in steps.iter_mut().filter_map(Value::as_object_mut) {
        if step.get("finishedAt").is_none_or(Value::is_null) {
            step.insert("status".to_owned(), json!(PromotionStepStatus::Aborted));
            step.insert("finishedAt".to_owned(), ended_at.into());
        }
    }
}

fn end_request(request: &mut Value, ended_at: &str) {
    let Some(status) = status_mut(request) else { return };
    if phase::<PromotionRequestPhase>(status).is_terminal() {
        return;
    }
    status.insert("phase".to_owned(), json!(PromotionRequestPhase::Failed));
    status.insert("finishedAt".to_owned(), ended_at.into());
    if let Some(Value::Array(targets)) = status.get_mut("targets") {
        for target in targets.iter_mut().filter_map(Value::as_object_mut) {
            if !phase::<PromotionPhase>(target).is_terminal() {
                target.insert("phase".to_owned(), json!(PromotionPhase::Aborted));
            }
        }
    }
    if let Some(Value::Object(summary)) = status.get_mut("summary") {
        let open = ["pending", "running"].map(|open| summary.remove(open)).into_iter().flatten();
        let aborted =
            open.chain(summary.get("aborted").cloned()).filter_map(|count| count.as_i64());
        let aborted: i64 = aborted.sum();
        summary.insert("aborted".to_owned(), aborted.into());
    }
}

/// Neither without a status: the controller would take it for new, and carry it out.
fn status_mut(object: &mut Value) -> Option<&mut Map<String, Value>> {
    let members = object.as_object_mut()?;
    members.entry("status").or_insert_with(|| json!({})).as_object_mut()
}

fn phase<P: Default + serde::de::DeserializeOwned>(holder: &Map<String, Value>) -> P {
    let phase = holder.get("phase").cloned().unwrap_or_default();
    serde_json::from_value(phase).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Namespaces, Origin};

    fn one(kind: &str, object: Value, unfinished: Unfinished) -> Value {
        let mut collection = Collection::new(Origin {
            kargo: String::new(),
            created_at: "2026-01-02T00:00:00Z".to_owned(),
            source: String::new(),
            server: String::new(),
            resource_version: String::new(),
            namespaces: Namespaces::default(),
        });
        let rank = RESOURCES.iter().position(|one| one.kind == kind).unwrap();
        collection.objects[rank].push(object);
        expected(&collection, unfinished).objects[rank].remove(0)
    }

    #[test]
    fn a_promotion_that_had_not_ended_is_over_unless_it_goes_on() {
        let running = json!({"status": {"phase": "Running", "stepExecutionMetadata": [
            {"status": "Succeeded", "finishedAt": "2026-01-01T00:00:00Z"}, {"status": "Running"},
        ]}});
        let ended = one("Promotion", running.clone(), Unfinished::Aborted);
        assert_eq!(ended["status"]["phase"], "Aborted");
        assert_eq!(ended["status"]["finishedAt"], "2026-01-02T00:00:00Z");
        let steps = &ended["status"]["stepExecutionMetadata"];
        assert_eq!(
            (&steps[0]["status"], &steps[1]["status"]),
            (&json!("Succeeded"), &json!("Aborted"))
        );
        assert_eq!(one("Promotion", running.clone(), Unfinished::Resumed), running);
        let unseen = one("Promotion", json!({}), Unfinished::Aborted);
        assert_eq!(unseen["status"]["phase"], "Aborted");
    }

    #[test]
    fn what_has_ended_stays_as_it_ended() {
        for phase in ["Succeeded", "Failed", "Errored", "Aborted"] {
            let ended = json!({"status": {"phase": phase}});
            assert_eq!(one("Promotion", ended.clone(), Unfinished::Aborted), ended);
        }
    }

    #[test]
    fn a_request_that_had_not_ended_starts_nothing_more() {
        let running = json!({"status": {
            "phase": "Running", "targets": [{"phase": "Succeeded"}, {"phase": "Pending"}],
            "summary": {"pending": 1, "succeeded": 1},
        }});
        let ended = one("PromotionRequest", running, Unfinished::Aborted);
        assert_eq!(ended["status"]["phase"], "Failed");
        assert_eq!(ended["status"]["targets"][1]["phase"], "Aborted");
        assert_eq!(ended["status"]["summary"], json!({"aborted": 1, "succeeded": 1}));
    }

    #[test]
    fn freight_stays_as_old_as_it_is() {
        let old = json!({"metadata": {"creationTimestamp": "2025-01-01T00:00:00Z"}});
        assert_eq!(
            one("Freight", old, Unfinished::Aborted)["discoveredAt"],
            "2025-01-01T00:00:00Z"
        );
        let known = json!({"metadata": {"creationTimestamp": "2025-02-01T00:00:00Z"}, "discoveredAt": "2024-01-01T00:00:00Z"});
        assert_eq!(
            one("Freight", known, Unfinished::Aborted)["discoveredAt"],
            "2024-01-01T00:00:00Z"
        );
    }

    #[test]
    fn owners_that_stay_behind_are_dropped() {
        let owned =
            json!({"metadata": {"uid": "a", "ownerReferences": [{"uid": "a"}, {"uid": "gone"}]}});
        let kept = one("Secret", owned, Unfinished::Aborted);
        assert_eq!(kept["metadata"]["ownerReferences"], json!([{"uid": "a"}]));
    }
}
