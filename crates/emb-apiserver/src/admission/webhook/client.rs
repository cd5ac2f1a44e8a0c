//! The port to the network: how a webhook is reached.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use bytes::Bytes;
use futures::future::BoxFuture;

/// Calls webhooks. Connections may be kept and shared.
pub trait WebhookClient: Send + Sync {
    /// Posts an admission review in JSON and returns whatever comes back. Follows no redirect, accepts only a
    /// certificate of [`WebhookEndpoint::authority`], and gives up by itself some time after `timeout`; the server
    /// gives up exactly then. The error is one line for people.
    fn post(
        &self,
        endpoint: WebhookEndpoint,
        review: Bytes,
        timeout: Duration,
    ) -> BoxFuture<'static, Result<WebhookReply, String>>;
}

/// Where a webhook is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WebhookEndpoint {
    /// Its address, `https://host[:port][/path]`.
    pub url: String,
    /// The certificates (PEM) one of which must have signed the webhook's own; `None` trusts the machine's.
    pub authority: Option<Arc<str>>,
    /// The name in the webhook's certificate, where it is not the host of the address.
    pub server_name: Option<String>,
}

/// What a webhook sent back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WebhookReply {
    /// The HTTP status code.
    pub status: u16,
    /// The type of the body.
    pub content_type: String,
    /// The body, bounded by the client.
    pub body: Bytes,
}

/// How webhooks are reached from here. The default reaches none.
#[derive(Clone, Default)]
pub struct WebhookAccess {
    /// Who calls them.
    pub client: Option<Arc<dyn WebhookClient>>,
    /// The address of each service (`namespace/name`) that configurations may refer to: there is no network of
    /// services here.
    pub services: BTreeMap<String, String>,
}
