//! One authorized request to a served resource, and what a verb answers.

use std::sync::Arc;

use bytes::Bytes;
use emb_auth::Identity;
use emb_meta::{Reason, Scope, Status};
use emb_store::{Entry, Expect, Key, Op};
use http::{Response, StatusCode};
use serde_json::Value;

use crate::{
    admission::{Operation, Origin, Remarks, Request},
    registry::{DEFINITIONS, Served, Snapshot},
    request::{Info, path::ResourcePath},
    response::Body,
    state::State,
    verb::list::List,
};

/// An authorized request to a resource.
pub(crate) struct Call {
    pub(crate) state: Arc<State>,
    pub(crate) snapshot: Arc<Snapshot>,
    pub(crate) served: Arc<Served>,
    pub(crate) info: Arc<Info>,
    pub(crate) path: ResourcePath,
    pub(crate) identity: Identity,
    pub(crate) body: Bytes,
    /// What the client should know although the request succeeds.
    pub(crate) warnings: Vec<String>,
    /// What webhooks had to say.
    pub(crate) remarks: Arc<Remarks>,
}

/// What a verb answers, before it is written in the negotiated form.
pub(crate) enum Reply {
    /// A stored object as it is.
    Stored(StatusCode, Arc<Entry>),
    /// An object that is not stored in this form: dry runs, reviews.
    Object(StatusCode, Value),
    /// Stored objects.
    List(List),
    /// A document that has no other shapes: a success Status.
    Plain(StatusCode, Value),
    /// Already written: watches and documents.
    Written(Response<Body>),
}

impl Call {
    /// The namespace of the request; empty at cluster scope.
    pub(crate) fn namespace(&self) -> &str {
        match self.served.resource.scope {
            Scope::Namespaced => self.path.namespace.as_deref().unwrap_or_default(),
            Scope::Cluster => "",
        }
    }

    /// The name on the URL; empty for a collection.
    pub(crate) fn name(&self) -> &str {
        self.path.name.as_deref().unwrap_or_default()
    }

    /// The key of the object on the URL.
    pub(crate) fn key(&self) -> Key {
        self.served.key(self.namespace(), self.name())
    }

    /// 404 for the object on the URL.
    pub(crate) fn not_found(&self) -> Status {
        Status::not_found(&self.served.group_resource, self.name())
    }

    /// 409 for the object on the URL: it was changed meanwhile.
    pub(crate) fn modified(&self, name: &str) -> Status {
        Status::conflict(
            &self.served.group_resource,
            name,
            "the object has been modified; please apply your changes to the latest version and try again",
        )
    }

    /// 405 in the words that fit the origin of the resource.
    pub(crate) fn method_not_allowed(&self) -> Status {
        let message = if self.served.custom.is_some() {
            format!(
                "{} is not supported on resources of kind \"{}\"",
                self.info.verb(),
                self.served.group_resource
            )
        } else {
            "the server does not allow this method on the requested resource".to_owned()
        };
        Status::new(Reason::MethodNotAllowed, message)
    }

    /// Makes a commit fail when the definition of a custom resource changes before it: its schema has decided what the
    /// object looks like.
    pub(crate) fn definition_check(&self) -> Option<Op> {
        let custom = self.served.custom.as_ref()?;
        let key = Key::new(&DEFINITIONS, "", custom.definition.as_str());
        Some(Op::Check { key, expect: Expect::Revision(custom.revision) })
    }

    /// Takes over what is served after a definition has changed, once that has become visible.
    pub(crate) async fn refresh(&mut self) -> Result<(), Status> {
        if let Some(custom) = &self.served.custom {
            let key = Key::new(&DEFINITIONS, "", custom.definition.as_str());
            if let Some(latest) = self.state.store.head(&key) {
                self.state.store.wait_for(latest.revision).await;
            }
        }
        self.snapshot = self.state.registry.snapshot();
        let path = &self.path;
        let served = self.snapshot.find(&path.group, &path.version, &path.resource);
        self.served = served.cloned().ok_or_else(Status::no_such_resource)?;
        Ok(())
    }

    /// What admission plugins learn about the request.
    pub(crate) fn admission_request(
        &self,
        operation: Operation,
        name: &str,
        old_object: Option<Arc<Value>>,
        dry_run: bool,
    ) -> Request {
        let namespace_object = (!self.namespace().is_empty())
            .then(|| self.state.namespace(self.namespace()))
            .flatten()
            .map(|entry| Arc::new(self.state.full_namespace(&entry)));
        Request {
            identity: self.identity.clone(),
            operation,
            kind: self.served.resource.kind_at(&self.path.subresource).clone(),
            resource: self.served.resource.plural.clone(),
            subresource: self.path.subresource.clone(),
            namespace: self.namespace().to_owned(),
            name: name.to_owned(),
            old_object,
            dry_run,
            namespace_object,
            origin: Origin::new(self),
        }
    }
}
