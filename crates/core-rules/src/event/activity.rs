//! What happened in many Projects, as far as somebody wants to know.

use std::cmp::Reverse;

use api_kinds::annotations::EVENT_PREFIX;
use core_clock::Time;
use k8s_openapi::api::core::v1::Event;

use super::listing::is_about_us;
use crate::wire_time::from_wire;

/// Which events are wanted; what is empty does not matter.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Activity {
    /// Kinds of the objects that they are about.
    pub kinds: Vec<String>,
    /// Their reasons.
    pub reasons: Vec<String>,
    /// Who did it.
    pub actor: String,
    /// Nothing that happened last before this.
    pub since: Option<Time>,
}

impl Activity {
    /// Whether an event is wanted.
    pub fn matches(&self, event: &Event) -> bool {
        let is_among = |list: &[String], value: Option<&String>| {
            list.is_empty() || value.is_some_and(|value| list.contains(value))
        };
        is_about_us(event)
            && is_among(&self.kinds, event.involved_object.kind.as_ref())
            && is_among(&self.reasons, event.reason.as_ref())
            && (self.actor.is_empty() || actor(event) == Some(self.actor.as_str()))
            && self.since.is_none_or(|since| happened(event) >= Some(since))
    }

    /// What puts the latest first; of one time, by Project and name.
    pub fn order(event: &Event) -> (Reverse<Option<Time>>, Option<String>, Option<String>) {
        let metadata = &event.metadata;
        (Reverse(happened(event)), metadata.namespace.clone(), metadata.name.clone())
    }
}

fn actor(event: &Event) -> Option<&str> {
    let annotations = event.metadata.annotations.as_ref()?;
    annotations.get(&format!("{EVENT_PREFIX}actor")).map(String::as_str)
}

/// When an event happened last.
fn happened(event: &Event) -> Option<Time> {
    let exact = || event.event_time.as_ref().map(|time| Time::from_micros(time.0.as_microsecond()));
    event.last_timestamp.as_ref().map(from_wire).or_else(exact)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_condition_counts() {
        let event: Event = serde_json::from_value(json!({
            "metadata": {"name": "e", "annotations": {"event.kargo.akuity.io/actor": "admin"}},
            "involvedObject": {"apiVersion": "kargo.akuity.io/v1alpha1", "kind": "Promotion"},
            "reason": "PromotionCreated",
            "lastTimestamp": "2026-01-01T00:00:00Z",
        }))
        .unwrap();
        let at: Time = "2026-01-01T00:00:00Z".parse().unwrap();
        let later: Time = "2026-01-01T00:00:01Z".parse().unwrap();
        let all = Activity::default();
        let kinds = |kind: &str| Activity { kinds: vec![kind.to_owned()], ..all.clone() };
        let by = |actor: &str| Activity { actor: actor.to_owned(), ..all.clone() };
        let since = |time| Activity { since: Some(time), ..all.clone() };
        for wanted in [all.clone(), kinds("Promotion"), by("admin"), since(at)] {
            assert!(wanted.matches(&event), "{wanted:?}");
        }
        for unwanted in [kinds("Stage"), by("else"), since(later)] {
            assert!(!unwanted.matches(&event), "{unwanted:?}");
        }
    }
}
