//! In-process admission: rules of the embedding program that every write passes, with the inputs and the power of
//! admission webhooks but without a network in between.
//!
//! The order is fixed: namespace lifecycle, these mutators, schema validation, these validators, the commit. HTTP webhooks
//! have their place behind the in-process plugins of the same phase.

use std::sync::Arc;

use emb_auth::Identity;
use emb_meta::{GroupVersionKind, Status};
use futures::future::{BoxFuture, FutureExt};
use serde_json::Value;

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
}

/// Warnings for the client, or why the request is refused.
pub type Verdict = Result<Vec<String>, Status>;

/// One admission plugin.
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

/// All plugins, in the order given at start.
#[derive(Default)]
pub(crate) struct Chain(Vec<Arc<dyn Admission>>);

impl Chain {
    pub(crate) fn new(plugins: Vec<Arc<dyn Admission>>) -> Self {
        Self(plugins)
    }

    /// Whether any plugin is there; without one a write skips the copies that plugins need.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Lets each plugin change the object, one after the other.
    pub(crate) async fn mutate(&self, request: &Request, object: &mut Value) -> Verdict {
        let mut warnings = Vec::new();
        for plugin in &self.0 {
            warnings.extend(plugin.mutate(request, object).await?);
        }
        Ok(warnings)
    }

    /// Asks each plugin; the first refusal counts.
    pub(crate) async fn validate(&self, request: &Request, object: Option<&Value>) -> Verdict {
        let mut warnings = Vec::new();
        for plugin in &self.0 {
            warnings.extend(plugin.validate(request, object).await?);
        }
        Ok(warnings)
    }
}
