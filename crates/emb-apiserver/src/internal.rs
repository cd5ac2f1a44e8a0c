//! Requests that the server makes to itself. Bootstrap and controllers go the way of every other caller, so that their
//! writes are validated, admitted and audited under a name of their own.

use std::{fmt::Write, sync::Arc};

use bytes::Bytes;
use emb_auth::Identity;
use emb_meta::{ObjectExt, Reason, Status};
use emb_store::{Entry, Key};
use futures::{FutureExt, StreamExt, future, stream};
use http::{Method, Request, header};
use http_body_util::BodyExt;
use parking_lot::Mutex;
use serde_json::{Value, json};

use crate::{exchange, registry::Served, service::Source, state::State};

/// How many deletes are under way at once.
const CONCURRENT: usize = 64;

/// A caller inside the server.
#[derive(Clone)]
pub(crate) struct Internal {
    pub(crate) state: Arc<State>,
    source: Source,
    /// The name under which it manages what it writes.
    manager: Arc<str>,
}

impl Internal {
    /// Acts as `system:controller:<name>`.
    pub(crate) fn new(state: &Arc<State>, name: &str) -> Self {
        let identity = Arc::new(Identity::controller(name));
        Self { state: state.clone(), source: Source::InProcess(identity), manager: name.into() }
    }

    /// The same as a part of a program that clients know by another name.
    pub(crate) fn in_the_name_of(self, program: &str) -> Self {
        Self { manager: program.into(), ..self }
    }

    /// Creates an object.
    pub(crate) async fn create(&self, served: &Served, object: &Value) -> Result<Value, Status> {
        let path = collection_path(served, object.namespace());
        self.send(Method::POST, &path, "application/json", object).await
    }

    /// Replaces an object, or its subresource.
    pub(crate) async fn update(
        &self,
        served: &Served,
        object: &Value,
        subresource: &str,
    ) -> Result<Value, Status> {
        let path = object_path(served, object.namespace(), object.name(), subresource);
        self.send(Method::PUT, &path, "application/json", object).await
    }

    /// Merges a patch into an object, or into its subresource.
    pub(crate) async fn merge(
        &self,
        served: &Served,
        key: &Key,
        subresource: &str,
        patch: &Value,
    ) -> Result<Value, Status> {
        let path = object_path(served, &key.namespace, &key.name, subresource);
        self.send(Method::PATCH, &path, "application/merge-patch+json", patch).await
    }

    /// Merges a patch into an object of a built-in kind, the items of its lists by their keys.
    pub(crate) async fn merge_by_keys(
        &self,
        served: &Served,
        key: &Key,
        patch: &Value,
    ) -> Result<Value, Status> {
        let path = object_path(served, &key.namespace, &key.name, "");
        self.send(Method::PATCH, &path, "application/strategic-merge-patch+json", patch).await
    }

    /// Deletes an object if it still has the uid.
    pub(crate) async fn delete(
        &self,
        served: &Served,
        key: &Key,
        uid: &str,
        policy: &str,
    ) -> Result<Value, Status> {
        let path = object_path(served, &key.namespace, &key.name, "");
        let options = json!({ "propagationPolicy": policy, "preconditions": { "uid": uid } });
        self.send(Method::DELETE, &path, "application/json", &options).await
    }

    /// Asks many objects to go, side by side. Those that are gone or changed meanwhile do not count; of other failures the
    /// last is returned, after everything was tried.
    pub(crate) async fn delete_all(
        &self,
        served: &Served,
        entries: Vec<Arc<Entry>>,
    ) -> Result<(), Status> {
        let failure = Mutex::new(None);
        let failed = &failure;
        stream::iter(entries)
            .for_each_concurrent(CONCURRENT, |entry| async move {
                if let Err(status) = self.delete(served, &entry.key, &entry.uid, "Background").await
                    && !matches!(status.reason, Reason::NotFound | Reason::Conflict)
                {
                    tracing::warn!(key = %entry.key, %status, "object cannot be deleted yet");
                    *failed.lock() = Some(status);
                }
            })
            .await;
        failure.into_inner().map_or(Ok(()), Err)
    }

    async fn send(
        &self,
        method: Method,
        path: &str,
        content_type: &str,
        body: &Value,
    ) -> Result<Value, Status> {
        let request = Request::builder()
            .method(method)
            .uri(path)
            .header(header::CONTENT_TYPE, content_type)
            .header(header::USER_AGENT, &*self.manager)
            .body(())
            .map_err(|error| Status::internal(format!("request to {path}: {error}")))?;
        let (parts, ()) = request.into_parts();
        let body = future::ready(Ok(Bytes::from(body.to_string()))).boxed();
        let response = exchange::run(self.state.clone(), self.source.clone(), parts, body).await;
        let failed = !response.status().is_success();
        let bytes = response.into_body().collect().await.unwrap_or_else(|never| match never {});
        let value: Value = serde_json::from_slice(&bytes.to_bytes()).unwrap_or_default();
        if failed { Err(Status::from_value(&value)) } else { Ok(value) }
    }
}

fn collection_path(served: &Served, namespace: &str) -> String {
    let gvk = &served.resource.gvk;
    let root = if gvk.group.is_empty() { "api".to_owned() } else { format!("apis/{}", gvk.group) };
    let plural = &served.resource.plural;
    if namespace.is_empty() {
        format!("/{root}/{}/{plural}", gvk.version)
    } else {
        format!("/{root}/{}/namespaces/{}/{plural}", gvk.version, escape(namespace))
    }
}

fn object_path(served: &Served, namespace: &str, name: &str, subresource: &str) -> String {
    let collection = collection_path(served, namespace);
    let slash = if subresource.is_empty() { "" } else { "/" };
    format!("{collection}/{}{slash}{subresource}", escape(name))
}

/// Percent-encodes what cannot stand in a path segment; names of RBAC objects hold nearly anything.
fn escape(segment: &str) -> String {
    segment.bytes().fold(String::with_capacity(segment.len()), |mut out, byte| {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~') {
            out.push(char::from(byte));
        } else {
            // Writing to a string cannot fail.
            let _ = write!(out, "%{byte:02X}");
        }
        out
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_escaped_in_paths() {
        assert_eq!(escape("system:discovery"), "system%3Adiscovery");
        assert_eq!(escape("a.b-c"), "a.b-c");
    }
}
