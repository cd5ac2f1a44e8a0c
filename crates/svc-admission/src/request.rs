//! A write as an API server describes it, and the answer.

use core_rules::admission::{Admitted, Operation, PatchOperation, Refusal, User};
use serde::de::DeserializeOwned;
use serde_json::Value;

/// A write on its way into the store.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// What it does.
    pub operation: Operation,
    /// The API group; empty for the core group.
    pub group: &'a str,
    /// The plural name of the resource.
    pub resource: &'a str,
    /// The subresource; empty when the object itself is written.
    pub subresource: &'a str,
    /// The namespace; empty for objects without.
    pub namespace: &'a str,
    /// The name; empty while it is still to be made up.
    pub name: &'a str,
    /// Who writes.
    pub user: &'a User,
    /// The object as it would be stored; `None` on delete.
    pub object: Option<&'a Value>,
    /// The object as it is stored; `None` on create.
    pub old_object: Option<&'a Value>,
    /// Whether nothing will be stored.
    pub dry_run: bool,
}

/// A write that is let through.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Admission {
    /// How the object must be changed first.
    pub patch: Vec<PatchOperation>,
    /// What the client should be told.
    pub warnings: Vec<String>,
}

/// The answer to a request.
pub type Verdict = Result<Admission, Refusal>;

impl From<Admitted> for Admission {
    fn from(admitted: Admitted) -> Self {
        Self { patch: Vec::new(), warnings: admitted.warnings }
    }
}

impl Request<'_> {
    /// The object as one of our types.
    pub(crate) fn object<K: DeserializeOwned>(&self) -> Result<K, Refusal> {
        decode(self.object)
    }

    /// The stored object as one of our types; `None` when there is none.
    pub(crate) fn old_object<K: DeserializeOwned>(&self) -> Result<Option<K>, Refusal> {
        self.old_object.map(|old| decode(Some(old))).transpose()
    }

    /// The stored object, which the operation implies.
    pub(crate) fn required_old<K: DeserializeOwned>(&self) -> Result<K, Refusal> {
        decode(self.old_object)
    }

    pub(crate) fn is_create(&self) -> bool {
        self.operation == Operation::Create
    }
}

fn decode<K: DeserializeOwned>(object: Option<&Value>) -> Result<K, Refusal> {
    let object = object.ok_or_else(|| Refusal::bad_request("the request holds no object"))?;
    K::deserialize(object).map_err(|error| Refusal::bad_request(error.to_string()))
}
