//! What came of each object.

use std::fmt;

use api_rest::body::ResourceResult;
use serde_json::Value;

use super::object::Resource;

/// What was being done when an error came up. Its text goes before the error's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// The stored object was read.
    Get,
    /// The object was created.
    Create,
    /// The object was replaced.
    Update,
    /// The object was deleted.
    Delete,
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Get => "get resource: ",
            Self::Create => "create resource: ",
            Self::Update => "update resource: ",
            Self::Delete => "delete resource: ",
        })
    }
}

/// What came of an object.
#[derive(Clone, Debug, PartialEq)]
pub enum Done {
    /// It was created, and is this now.
    Created(Value),
    /// It was replaced, and is this now.
    Updated(Value),
    /// It would be replaced, if this were no dry run.
    WouldUpdate {
        /// What it is.
        stored: Value,
        /// What it would be.
        updated: Value,
    },
    /// It was deleted.
    Deleted,
    /// Nothing was done, for this reason.
    Failed(String),
}

/// What came of an object, as it is told. `index` is its place in the request, counted from zero.
pub fn result(resource: &Resource, index: usize, done: Done) -> ResourceResult {
    let mut result = ResourceResult {
        index: Some(index),
        kind: resource.kind().to_owned(),
        name: resource.name().to_owned(),
        namespace: resource.namespace().to_owned(),
        ..ResourceResult::default()
    };
    match done {
        Done::Created(object) => result.created_resource_manifest = Some(object),
        Done::Updated(object) => result.updated_resource_manifest = Some(object),
        Done::WouldUpdate { stored, updated } => {
            result.stored_resource_manifest = Some(stored);
            result.updated_resource_manifest = Some(updated);
        }
        Done::Deleted => result.deleted_resource_manifest = Some(resource.to_value()),
        Done::Failed(reason) => result.error = reason,
    }
    result
}
