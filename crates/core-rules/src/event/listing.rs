//! The events of a Project, as they are listed.

use std::cmp::Reverse;

use api_kinds::GROUP;
use k8s_openapi::api::core::v1::Event;

/// Whether an event is about an object of ours.
pub fn is_about_us(event: &Event) -> bool {
    let api_version = event.involved_object.api_version.as_deref().unwrap_or_default();
    api_version.split_once('/').is_some_and(|(group, _)| group == GROUP)
}

/// The events about objects of ours, the latest first; of one time, by name.
pub fn listed<'a>(events: impl IntoIterator<Item = &'a Event>) -> Vec<&'a Event> {
    let mut listed: Vec<&Event> = events.into_iter().filter(|event| is_about_us(event)).collect();
    listed.sort_by_key(|event| {
        let time = event.last_timestamp.as_ref().map(|time| time.0);
        (Reverse(time), event.metadata.name.as_deref())
    });
    listed
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn events_about_our_objects_are_listed_latest_first() {
        let event = |name: &str, api_version: &str, minute: u32| -> Event {
            serde_json::from_value(json!({
                "metadata": {"name": name},
                "involvedObject": {"apiVersion": api_version},
                "lastTimestamp": format!("2026-01-01T00:{minute:02}:00Z"),
            }))
            .unwrap()
        };
        let events = [
            event("old", "kargo.akuity.io/v1alpha1", 1),
            event("pod", "v1", 9),
            event("run", "argoproj.io/v1alpha1", 9),
            event("new-b", "kargo.akuity.io/v1alpha1", 5),
            event("new-a", "kargo.akuity.io/v2", 5),
        ];
        let names: Vec<&str> =
            listed(&events).iter().filter_map(|event| event.metadata.name.as_deref()).collect();
        assert_eq!(names, ["new-a", "new-b", "old"]);
    }
}
