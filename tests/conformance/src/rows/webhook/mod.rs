//! Rows 129 and 130: admission webhooks, called over HTTPS by either server.

mod changes;
mod configuration;
mod failures;
mod identity;
mod refusals;
mod reviews;
mod selection;
mod stand;

pub(crate) use configuration::rules_and_defaults;

use anyhow::Result;

use self::stand::Stand;
use crate::{cases::Cases, world::World};

macro_rules! case {
    ($cases:ident, $world:ident, $name:literal, $check:path) => {{
        let outcome = async {
            let stand = Stand::new($world).await?;
            let outcome = $check(&stand).await;
            stand.clear().await?;
            outcome
        };
        $cases.note($name, outcome.await);
    }};
}

pub(crate) async fn calls(world: &World<'_>) -> Result<()> {
    let mut cases = Cases::default();
    case!(cases, world, "order", changes::order);
    case!(cases, world, "reinvocation", changes::reinvocation);
    case!(cases, world, "webhooks against each other", changes::quarrel);
    case!(cases, world, "after changes", changes::pruned_defaulted_and_validated);
    case!(cases, world, "denials", refusals::denials);
    case!(cases, world, "warnings", refusals::warnings);
    case!(cases, world, "failures", failures::policies);
    case!(cases, world, "bad answers", failures::bad_answers);
    case!(cases, world, "timeout", failures::timeout);
    case!(cases, world, "review of create", reviews::create);
    case!(cases, world, "review of update and delete", reviews::update_and_delete);
    case!(cases, world, "collections and dry runs", reviews::collection_and_dry_run);
    case!(cases, world, "namespaces", reviews::namespaces);
    case!(cases, world, "token requests", reviews::token_requests);
    case!(cases, world, "labels", selection::labels);
    case!(cases, world, "conditions", selection::conditions);
    case!(cases, world, "condition errors", selection::condition_errors);
    case!(cases, world, "subresources", selection::subresources);
    case!(cases, world, "versions", selection::versions);
    case!(cases, world, "updates by webhooks", identity::updates);
    case!(cases, world, "creates by webhooks", identity::creates);
    case!(cases, world, "endpoints", identity::endpoints);
    cases.finish()
}
