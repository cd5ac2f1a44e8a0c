//! Admission: whoever has a say in a write before it is stored.
//!
//! The order is fixed: namespace lifecycle; the mutators of the embedding program, then mutating webhooks; schema
//! validation; the validators of the embedding program, then validating webhooks; the commit. All of it runs outside of
//! the writer: the write is committed on the condition that nothing has changed since, and admitted anew otherwise.

mod chain;
mod remarks;
mod webhook;

use std::sync::Arc;

use emb_auth::Identity;
use emb_meta::{GroupVersionKind, Status};
use futures::future::{BoxFuture, FutureExt};
use serde_json::Value;

pub(crate) use chain::Chain;
pub(crate) use remarks::Remarks;
pub(crate) use webhook::{Hooks, Origin, Stage};
pub use webhook::{WebhookAccess, WebhookClient, WebhookEndpoint, WebhookReply};

/// What the request does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operation {
    /// A new object.
    Create,
    /// A change of an object, by update or patch.
    Update,
    /// A removal.
    Delete,
}

/// A write on its way. The object itself is handed beside it, because mutators change it.
#[derive(Clone, Debug)]
pub struct Request {
    /// Who asks.
    pub identity: Identity,
    /// What for.
    pub operation: Operation,
    /// Group, version and kind of the object.
    pub kind: GroupVersionKind,
    /// The plural name of the resource.
    pub resource: Arc<str>,
    /// The subresource, or "".
    pub subresource: String,
    /// The namespace, or "".
    pub namespace: String,
    /// The object's name; empty while a generated name is not known and when a whole collection is deleted.
    pub name: String,
    /// The stored object on update and delete.
    pub old_object: Option<Arc<Value>>,
    /// Whether nothing will be stored.
    pub dry_run: bool,
    /// The namespace as an object, for namespaced requests.
    pub namespace_object: Option<Arc<Value>>,
    /// What only webhooks need to know.
    pub(crate) origin: Origin,
}

/// Warnings for the client, or why the request is refused.
pub type Verdict = Result<Vec<String>, Status>;

/// One admission plugin of the embedding program: the inputs and the power of webhooks, without a network in between.
pub trait Admission: Send + Sync {
    /// May change the object before it is validated. Not called for deletes.
    fn mutate<'a>(
        &'a self,
        _request: &'a Request,
        _object: &'a mut Value,
    ) -> BoxFuture<'a, Verdict> {
        futures::future::ready(Ok(Vec::new())).boxed()
    }

    /// May refuse the object as it would be stored; `None` on delete.
    fn validate<'a>(
        &'a self,
        _request: &'a Request,
        _object: Option<&'a Value>,
    ) -> BoxFuture<'a, Verdict> {
        futures::future::ready(Ok(Vec::new())).boxed()
    }
}
