//! Subscription types that are not built in: the place where others plug theirs in.

use api_kinds::{artifact::ArtifactReference, warehouse::Subscription};
use core_rules::{subscription::GenericSelector, warehouse::Finding};
use futures::future::BoxFuture;
use io_creds::CredentialError;

use crate::{Discovery, Outcome, Search, problem::Problem};

/// Versions, best first.
pub type Found = Result<Vec<ArtifactReference>, CredentialError>;

/// One type of subscription.
pub trait Subscriber: Send + Sync {
    /// The field under which such a subscription is written.
    fn type_name(&self) -> &str;

    /// Searches, with the deadlines and limits that fit what is asked.
    fn discover<'a>(
        &'a self,
        search: Search<'a>,
        subscription: &'a Subscription,
    ) -> BoxFuture<'a, Found>;
}

/// Nobody serves this type here.
#[derive(Debug, thiserror::Error)]
#[error("no matching registration found for subscriptions of type {0:?}")]
struct Unknown(String);

pub(crate) async fn search(
    discovery: &Discovery,
    search: &Search<'_>,
    subscription: &Subscription,
) -> Result<Outcome, Problem> {
    let wanted = &subscription.subscription_type;
    let mut subscribers = discovery.sources.subscribers.iter();
    let subscriber = subscribers
        .find(|subscriber| subscriber.type_name() == wanted)
        .ok_or_else(|| Problem::selector(Unknown(wanted.clone())))?;
    let found = subscriber.discover(*search, subscription).await;
    let versions = found.map_err(Problem::discovery)?;
    let selector = GenericSelector::new(subscription, search.name());
    let (result, verdicts) = selector.select(versions, search.verdicts());
    Ok(Outcome { finding: Finding::Other(result), verdicts })
}
