//! OpenAPI v3 documents, one for each group and version: what `kubectl` explains, applies and creates by.
//!
//! Documents are as small as clients allow. Building one walks every schema of the group, so callers keep the bytes
//! until a definition of the group changes.

mod component;
mod operation;
mod paths;
#[cfg(test)]
mod tests;

use std::{fmt::Write, sync::Arc};

use emb_meta::GroupVersion;
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha512};

use crate::{discovery, resource::Resource};

/// The document of a group and version; `None` when nothing of it is served. `release` is the server's version.
pub fn document(resources: &[Arc<Resource>], at: &GroupVersion, release: &str) -> Option<Value> {
    let served = discovery::resources_of(resources, &at.group, &at.version);
    if served.is_empty() {
        return None;
    }
    let mut components = component::Components::default();
    let mut all_paths = Map::new();
    for resource in served {
        components.add_resource(resource);
        paths::add(resource, &mut all_paths);
    }
    Some(json!({
        "openapi": "3.0.0",
        "info": {"title": "Kubernetes", "version": release},
        "paths": all_paths,
        "components": {"schemas": components.finish()},
    }))
}

/// The reply to `/openapi/v3`: where each document is. Clients keep a document as long as its hash stays.
pub fn root<'a>(documents: impl IntoIterator<Item = (&'a GroupVersion, &'a str)>) -> Value {
    let paths: Map<String, Value> = documents
        .into_iter()
        .map(|(at, hash)| {
            let path = root_path(at);
            let url = format!("/openapi/v3/{path}?hash={hash}");
            (path, json!({"serverRelativeURL": url}))
        })
        .collect();
    json!({"paths": paths})
}

/// The hash of a document's bytes: SHA-512 in upper-case hexadecimal.
pub fn hash(document: &[u8]) -> String {
    Sha512::digest(document).iter().fold(String::with_capacity(128), |mut text, byte| {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02X}");
        text
    })
}

/// `api/v1` or `apis/{group}/{version}`.
fn root_path(at: &GroupVersion) -> String {
    if at.group.is_empty() { format!("api/{at}") } else { format!("apis/{at}") }
}
