//! Most kinds live in the namespace of a Project only.

use super::{field::FieldError, refusal::Refusal};

/// What is known of the namespace of a new object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProjectNamespace {
    /// There is none.
    Missing,
    /// It carries no mark of a Project.
    Unmarked,
    /// It belongs to a Project.
    Marked,
}

impl ProjectNamespace {
    /// Refuses a missing namespace at once; an unmarked one is a wrong field among others.
    pub(super) fn check(self, namespace: &str) -> Result<Option<FieldError>, Refusal> {
        match self {
            Self::Missing => Err(Refusal::namespace_not_found(namespace)),
            Self::Unmarked => Ok(Some(FieldError::invalid(
                "metadata.namespace",
                namespace,
                &format!("namespace {namespace:?} is not a project"),
            ))),
            Self::Marked => Ok(None),
        }
    }
}
