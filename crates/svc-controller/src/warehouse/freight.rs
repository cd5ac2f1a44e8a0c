//! Makes sure that the Freight of the newest artifacts exists.

use core_rules::warehouse::{Creation, End, freight_created};
use io_kube::{ObjectKey, Occurrence, Pass, is_already_exists};
use k8s_openapi::api::core::v1::ObjectReference;
use kube::{Api, api::PostParams};

use api_kinds::Freight;

use super::Context;

/// Creates the Freight unless it is there. Most of the time it is, and the cache knows.
pub(super) async fn ensure(cx: &Context, pass: &Pass, creation: Creation<'_>) -> End {
    let freight = creation.freight();
    let key = ObjectKey::of(freight);
    if cx.caches.freight.get(&key).is_some() {
        return creation.already_exists(cx.ports.clock.now());
    }
    let freights: Api<Freight> = Api::namespaced(cx.client.clone(), &key.namespace);
    let created = freights.create(&PostParams::default(), freight).await;
    let now = cx.ports.clock.now();
    match created {
        Ok(created) => {
            pass.wrote(&cx.caches.freight, &created);
            tell(cx, &created);
            creation.created(now)
        }
        Err(error) if is_already_exists(&error) => creation.already_exists(now),
        Err(error) => creation.failed(&error.to_string(), now),
    }
}

fn tell(cx: &Context, freight: &Freight) {
    let event = freight_created(freight, &cx.component);
    cx.events.record(Occurrence {
        object: ObjectReference {
            uid: freight.metadata.uid.clone(),
            resource_version: freight.metadata.resource_version.clone(),
            ..event.object()
        },
        reason: event.reason.to_owned(),
        message: event.message,
        annotations: event.annotations,
    });
}
