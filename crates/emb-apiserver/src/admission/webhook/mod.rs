//! Admission webhooks: what `MutatingWebhookConfiguration` and `ValidatingWebhookConfiguration` objects ask for.
//!
//! Configurations are compiled inside the commit that changes them, so a webhook counts from the moment its create call
//! returns. A write looks through the compiled list, asks the webhooks that match over HTTPS, and treats what they
//! answer as what a stranger said: bounded, verified, and never able to change what identifies the object.

mod answer;
mod authorizer;
mod call;
mod client;
mod denial;
mod hook;
mod hooks;
mod matching;
mod mutate;
mod options;
mod origin;
mod review;
mod rule;
mod validate;

pub use client::{WebhookAccess, WebhookClient, WebhookEndpoint, WebhookReply};
pub(crate) use hooks::{Hooks, Stage};
pub(crate) use mutate::{announce_delete, mutate};
pub(crate) use origin::Origin;
pub(crate) use validate::validate;

use super::Request;

/// Webhooks have no say in webhook configurations: one that refuses everything could never be removed.
fn is_exempt(request: &Request) -> bool {
    Stage::of(&request.kind.group, &request.resource).is_some()
}
