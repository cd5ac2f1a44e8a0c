//! What is changed, refused or warned about when an object is written.
//!
//! One module per kind, with `default` (may change the object) and `validate` (may refuse it), in
//! the order in which the API server asks: defaulting, schema, validation. Each function gets the
//! object, who writes it, and what else it must know as a plain struct; whoever calls it has looked
//! that up. A refusal carries the code, reason and fields that a client sees.
//!
//! What upstream accepts and only fails on later is a warning here, never a refusal: every manifest
//! that applies there applies here.

mod caller;
pub mod cluster_config;
mod field;
pub mod freight;
pub(crate) mod metadata;
mod namespace;
mod outcome;
mod patch;
pub mod project;
pub mod project_config;
pub mod promotion;
pub mod promotion_request;
pub mod promotion_task;
mod receiver;
mod refusal;
pub mod replica;
mod request;
mod selector;
pub mod shard;
pub mod stage;
mod step;
pub mod warehouse;
mod window;

#[cfg(test)]
pub(crate) mod fixture;

pub use caller::{Caller, Identities, Permission, User};
pub use field::{FieldError, FieldErrorKind};
pub use namespace::ProjectNamespace;
pub use outcome::Admitted;
pub use patch::{PatchOperation, apply_patch, json_patch};
pub use refusal::{Reason, Refusal};

/// What the request does to the object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// It is new.
    Create,
    /// It changes.
    Update,
    /// It goes away.
    Delete,
}

impl Operation {
    /// The word for it in the wire format.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Create => "CREATE",
            Self::Update => "UPDATE",
            Self::Delete => "DELETE",
        }
    }
}
