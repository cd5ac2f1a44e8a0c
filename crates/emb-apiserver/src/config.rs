//! What the server is started with.

use std::sync::Arc;

use core_clock::{Clock, Entropy, Tasks};
use emb_auth::{StaticToken, TokenKeys};
use emb_meta::GroupResource;
use emb_store::Store;
use serde_json::Value;

use crate::{
    admission::{Admission, WebhookAccess},
    audit::AuditSink,
    limits::Limits,
};

/// Everything the server needs from outside.
pub struct Config {
    /// Where objects live.
    pub store: Arc<Store>,
    /// Time.
    pub clock: Arc<dyn Clock>,
    /// Uids, names, spread of timeouts.
    pub entropy: Arc<dyn Entropy>,
    /// Where the internal controllers run; open watches end when it stops.
    pub tasks: Arc<dyn Tasks>,
    /// The rules of the embedding program, asked in this order.
    pub admission: Vec<Arc<dyn Admission>>,
    /// How webhooks that users configure are reached.
    pub webhooks: WebhookAccess,
    /// Custom resource definitions to install, or to bring up to date.
    pub crds: Vec<Value>,
    /// Objects to create when they are missing.
    pub seeds: Vec<Value>,
    /// What goes first when a namespace is deleted, one resource after the other; the rest follows together.
    pub deletion_order: Vec<GroupResource>,
    /// The keys of ServiceAccount tokens.
    pub tokens: TokenKeys,
    /// Bearer tokens known at start, such as the administrator's.
    pub static_tokens: Vec<StaticToken>,
    /// The certificate authority of the HTTPS listener in PEM form, for token Secrets.
    pub ca_bundle: String,
    /// Bounds on size, time and number of requests.
    pub limits: Limits,
    /// Where the audit log goes; `None` keeps none.
    pub audit: Option<Arc<dyn AuditSink>>,
    /// The version of the embedding program.
    pub version: String,
    /// Host and port of the HTTPS listener, as clients see them.
    pub address: String,
}

/// Why the server did not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// An object that must be there at start was refused.
    #[error("{kind} {name:?} cannot be installed: {source}")]
    Install {
        /// The kind of the object.
        kind: String,
        /// Its name.
        name: String,
        /// What was wrong with it.
        #[source]
        source: Box<emb_meta::Status>,
    },
    /// An object to install is of a kind that nothing serves.
    #[error("{kind} {name:?} of {api_version} cannot be installed: no such kind is served")]
    UnknownKind {
        /// Its apiVersion.
        api_version: String,
        /// Its kind.
        kind: String,
        /// Its name.
        name: String,
    },
}
