//! A committed definition of a custom resource, and what it makes the server serve.

use std::sync::{Arc, LazyLock};

use emb_kinds::openapi;
use emb_meta::{GroupResource, ObjectExt};
use serde_json::Value;

use super::served::{Custom, Served};

/// Where definitions are stored.
pub(crate) static DEFINITIONS: LazyLock<GroupResource> =
    LazyLock::new(|| GroupResource::new("apiextensions.k8s.io", "customresourcedefinitions"));

/// A definition as far as serving needs it.
#[derive(Clone)]
pub(super) struct Definition {
    pub(super) served: Vec<Arc<Served>>,
    /// A hash of the schema of each version: they are compared, not read again.
    schemas: Vec<String>,
    schema_revision: u64,
}

impl Definition {
    /// Reads a committed definition; `before` is what was known of it until now.
    pub(super) fn new(object: &Value, revision: u64, before: Option<&Self>) -> Self {
        let schemas = schemas(object);
        let unchanged = before.filter(|before| before.schemas == schemas);
        // Nothing is known of the time before the start of the server: the last change of the definition bounds it.
        let schema_revision = unchanged.map_or(revision, |before| before.schema_revision);
        // Versions with different schemas prune and default differently, so every read has to.
        let uniform = schemas.windows(2).all(|pair| pair.first() == pair.last());
        let shown_raw_after = if uniform { schema_revision } else { u64::MAX };
        let served = if emb_kinds::crd::is_established(object) {
            Self::served(object, revision, shown_raw_after)
        } else {
            Vec::new()
        };
        Self { served, schemas, schema_revision }
    }

    fn served(object: &Value, revision: u64, schema_revision: u64) -> Vec<Arc<Served>> {
        // A stored definition passed validation; one written by an older version that no longer does is not served.
        let resources = emb_kinds::custom(object).unwrap_or_else(|errors| {
            tracing::warn!(definition = object.name(), ?errors, "custom resource cannot be served");
            Vec::new()
        });
        resources
            .into_iter()
            .map(|resource| {
                let custom = Custom {
                    definition: object.name().to_owned(),
                    revision,
                    terminating: object.is_terminating(),
                    schema_revision,
                };
                Arc::new(Served::custom(resource, custom))
            })
            .collect()
    }
}

fn schemas(object: &Value) -> Vec<String> {
    let versions = object.pointer("/spec/versions").and_then(Value::as_array);
    versions
        .into_iter()
        .flatten()
        .map(|version| version.get("schema").unwrap_or(&Value::Null).to_string())
        .map(|schema| openapi::hash(schema.as_bytes()))
        .collect()
}
