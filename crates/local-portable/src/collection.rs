//! Everything that belongs to a control plane, as it was at one moment.

use std::collections::BTreeSet;

use core_rules::digest::hex;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::{
    Namespaces, RESOURCES, Resource,
    content::{content, digest},
    object,
};

/// Where a collection comes from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Origin {
    /// The version of kargo that made it.
    pub kargo: String,
    /// When it was made, RFC 3339.
    pub created_at: String,
    /// What was read: a directory or the address of an API server.
    pub source: String,
    /// The version that the API server gives itself.
    pub server: String,
    /// The moment: all objects are as they were at this resourceVersion. Empty when the server had no room for that and
    /// each kind is as it was when it was read.
    pub resource_version: String,
    /// The namespaces of the installation.
    pub namespaces: Namespaces,
}

/// An object that was left out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeftOut {
    /// Kind, namespace and name.
    pub object: String,
    /// Why.
    pub why: String,
}

/// Everything that belongs to a control plane.
#[derive(Clone, Debug, PartialEq)]
pub struct Collection {
    /// Where it comes from.
    pub origin: Origin,
    /// What does not come along.
    pub left_out: Vec<LeftOut>,
    /// The objects of each of [`RESOURCES`], oldest first.
    pub(crate) objects: Vec<Vec<Value>>,
}

impl Collection {
    pub(crate) fn new(origin: Origin) -> Self {
        Self { origin, left_out: Vec::new(), objects: vec![Vec::new(); RESOURCES.len()] }
    }

    /// The objects of each kind, in the order in which they are put back.
    pub fn by_resource(&self) -> impl Iterator<Item = (&'static Resource, &[Value])> {
        RESOURCES.iter().zip(self.objects.iter().map(Vec::as_slice))
    }

    /// How many objects there are.
    pub fn len(&self) -> usize {
        self.objects.iter().map(Vec::len).sum()
    }

    /// Whether there is nothing.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// What tells this collection from every other: which objects there are, and what they say.
    pub(crate) fn id(&self) -> String {
        let mut hash = Sha256::new();
        for (resource, objects) in self.by_resource() {
            for object in objects {
                hash.update(object::uid(object));
                hash.update(digest(&content(resource, object)));
            }
        }
        hex(&hash.finalize())
    }

    /// The uids of all objects.
    pub(crate) fn uids(&self) -> BTreeSet<&str> {
        self.objects.iter().flatten().map(object::uid).filter(|uid| !uid.is_empty()).collect()
    }
}
