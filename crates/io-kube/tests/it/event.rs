//! Every event is written, with the envelope that readers expect.

use std::{collections::BTreeMap, time::Duration};

use io_kube::{EventRecorder, Occurrence};
use k8s_openapi::api::core::v1::{Event, ObjectReference};
use kube::{Api, api::ListParams};

use crate::world::World;

fn occurrence(message: &str) -> Occurrence {
    Occurrence {
        object: ObjectReference {
            api_version: Some("kargo.akuity.io/v1alpha1".into()),
            kind: Some("Promotion".into()),
            namespace: Some("default".into()),
            name: Some("p1".into()),
            ..ObjectReference::default()
        },
        reason: "PromotionCreated".into(),
        message: message.into(),
        annotations: BTreeMap::from([("event.kargo.akuity.io/project".into(), "default".into())]),
    }
}

#[tokio::test]
async fn each_occurrence_becomes_an_event_even_at_the_same_moment_and_before_a_stop() {
    let world = World::start().await;
    let recorder = EventRecorder::start(world.client.clone(), "promotion-webhook", &world.ports);
    recorder.record(occurrence("one"));
    recorder.record(occurrence("two"));
    assert!(world.tasks.shutdown(Duration::from_secs(5)).await);
    let events: Api<Event> = Api::namespaced(world.engine.admin_client(), "default");
    let events = events.list(&ListParams::default()).await.unwrap().items;
    let messages: Vec<_> = events.iter().filter_map(|event| event.message.as_deref()).collect();
    assert_eq!(messages, ["one", "two"]);
    let event = &events[0];
    assert!(event.metadata.name.as_deref().unwrap().starts_with("p1."));
    assert_eq!(event.type_.as_deref(), Some("Normal"));
    assert_eq!(event.count, Some(1));
    assert_eq!(event.reporting_component.as_deref(), Some("promotion-webhook"));
    assert_eq!(event.source.as_ref().unwrap().component.as_deref(), Some("promotion-webhook"));
    assert_eq!(event.first_timestamp, event.last_timestamp);
    assert!(event.first_timestamp.is_some());
    assert_eq!(event.involved_object.uid, None);
}

#[tokio::test]
async fn a_burst_of_thousands_is_written_whole() {
    let world = World::start().await;
    let recorder = EventRecorder::start(world.client.clone(), "promotions", &world.ports);
    for number in 0..3_000 {
        recorder.record(occurrence(&number.to_string()));
    }
    assert!(world.tasks.shutdown(Duration::from_mins(1)).await);
    let events: Api<Event> = Api::namespaced(world.engine.admin_client(), "default");
    let events = events.list(&ListParams::default()).await.unwrap().items;
    assert_eq!(events.len(), 3_000);
}
