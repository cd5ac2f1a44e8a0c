//! Makes sure that the Freight of the newest artifacts exists.

use core_rules::warehouse::{Creation, End, freight_created};
use io_kube::{ObjectKey, Pass, is_already_exists};
use kube::{Api, api::PostParams};

use api_kinds::Freight;

use super::Context;
use crate::telling::occurrence;

/// Creates the Freight unless it is there. Most of the time it is, and the cache knows.
pub(super) async fn ensure(cx: &Context, pass: &Pass, creation: Creation<'_>) -> End {
    let freight = creation.freight();
    let key = ObjectKey::of(freight);
    if cx.shared.caches.freight.get(&key).is_some() {
        return creation.already_exists(cx.shared.now());
    }
    let freights: Api<Freight> = Api::namespaced(cx.shared.client.clone(), &key.namespace);
    let created = freights.create(&PostParams::default(), freight).await;
    let now = cx.shared.now();
    match created {
        Ok(created) => {
            pass.wrote(&cx.shared.caches.freight, &created);
            tell(cx, &created);
            creation.created(now)
        }
        Err(error) if is_already_exists(&error) => creation.already_exists(now),
        Err(error) => creation.failed(&error.to_string(), now),
    }
}

fn tell(cx: &Context, freight: &Freight) {
    let event = freight_created(freight, &cx.component);
    cx.events.record(occurrence(event, Some(&freight.metadata)));
}
