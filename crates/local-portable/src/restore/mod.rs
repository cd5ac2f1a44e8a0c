//! Puts a collection into a control plane whose controllers stand still.
//!
//! 1. Everything that can be found out before the first write is: permissions, controllers at work, other objects.
//! 2. A ConfigMap tells that a restore of this collection is under way; whoever runs it again goes on.
//! 3. The webhooks are taken out, because they rename and refuse, and kept in that ConfigMap.
//! 4. Kinds that are missing are installed; then objects are put in place kind by kind, each with its status and with the
//!    uids that its owners have here. An object that is there and says the same is left alone.
//! 5. Owners that came after what they own are written; the webhooks are put back; the ConfigMap tells the end.

mod expected;
mod kinds;
mod marker;
mod owners;
mod permission;
mod preflight;
mod put;
mod report;
mod webhooks;

pub use expected::{Unfinished, expected};
pub use preflight::check_still;
pub use report::Report;

pub(crate) use marker::MARKER;

use core_clock::Clock;
use futures::{StreamExt, TryStreamExt, stream};
use kube::Client;
use serde_json::Value;

use self::{
    kinds::Served,
    marker::Marker,
    owners::Owners,
    put::{Outcome, Put},
};
use crate::{Collection, Error, RESOURCES, Resource, object::Key, requests::Requests};

/// How many objects are under way at once.
const CONCURRENCY: usize = 16;

/// How to restore.
#[derive(Clone, Copy, Debug)]
pub struct RestoreOptions {
    /// What becomes of Promotions that had not ended.
    pub unfinished: Unfinished,
    /// Whether the target may have objects of its own, which stay as they are.
    pub merge: bool,
    /// Whether to install the kinds of analysis where Argo Rollouts has not.
    pub analysis_kinds: bool,
    /// Whether nobody but us reaches the target, so that nothing can be at work on it.
    pub is_offline: bool,
}

/// Puts a collection into the control plane. Run again after a failure or a kill, it goes on.
pub async fn restore(
    client: &Client,
    clock: &dyn Clock,
    collection: &Collection,
    options: &RestoreOptions,
) -> Result<Report, Error> {
    let requests = Requests::new(client, clock);
    let expected = expected(collection, options.unfinished);
    let existing = preflight::check(&requests, collection, options).await?;
    let mut marker = Marker::begin(&requests, collection, existing).await?;
    webhooks::take_out(&requests, &mut marker).await?;
    let served = kinds::install(&requests, &expected, options.analysis_kinds).await?;
    let restoring =
        Restoring { put: Put { requests: &requests, existing, owners: Owners::default() }, served };
    let mut report = restoring.put_all(&expected).await?;
    report.tell_of(collection, &expected);
    report.webhooks = webhooks::put_back(&requests, &marker).await?;
    marker.complete(&requests).await?;
    Ok(report)
}

struct Restoring<'a> {
    put: Put<'a>,
    served: Served,
}

impl Restoring<'_> {
    async fn put_all(&self, expected: &Collection) -> Result<Report, Error> {
        let mut report = Report::default();
        for (resource, objects) in expected.by_resource() {
            for (key, outcome) in self.put_each(resource, objects).await? {
                report.add(resource, &key, outcome);
            }
        }
        // Their owners are there by now.
        for (resource, object) in self.late(expected) {
            if let Outcome::Refused(why) = self.put.put(resource, object).await? {
                report.refuse(&Key::of(resource, object), &why);
            }
        }
        Ok(report)
    }

    async fn put_each(
        &self,
        resource: &'static Resource,
        objects: &[Value],
    ) -> Result<Vec<(Key, Outcome)>, Error> {
        stream::iter(objects)
            .map(async |object| {
                let outcome = if self.served.is_served(resource) {
                    self.put.put(resource, object).await?
                } else {
                    Outcome::Refused(kinds::NOT_SERVED.to_owned())
                };
                Ok((Key::of(resource, object), outcome))
            })
            .buffered(CONCURRENCY)
            .try_collect()
            .await
    }

    /// The objects that came before one of their owners.
    fn late<'c>(
        &self,
        expected: &'c Collection,
    ) -> impl Iterator<Item = (&'static Resource, &'c Value)> {
        let late = self.put.owners.take_late();
        let all = RESOURCES.iter().zip(&expected.objects);
        let all =
            all.flat_map(|(resource, objects)| objects.iter().map(move |one| (resource, one)));
        all.filter(move |(resource, object)| late.contains(&Key::of(resource, object)))
    }
}
