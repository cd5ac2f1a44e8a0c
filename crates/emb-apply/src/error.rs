//! Why an apply is refused.

use emb_meta::{Details, ObjectExt, Reason, Status};
use serde_json::Value;

use crate::{conflict::Conflicts, validate::Problems};

/// Why an apply is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ApplyError {
    /// Others own what it wants to change.
    #[error("{0}")]
    Conflicts(Conflicts),
    /// The body says who manages what: that is the server's to say.
    #[error("metadata.managedFields must be nil")]
    ManagedFieldsGiven,
    /// The body does not fit the type.
    #[error("failed to create typed patch object ({object}): {problems}")]
    Invalid {
        /// The object, as `namespace/name; group/version, Kind=Kind`.
        object: String,
        /// What is wrong with it.
        problems: Problems,
    },
}

impl ApplyError {
    pub(crate) fn invalid(applied: &Value, problems: Problems) -> Self {
        let version = applied.text(&["apiVersion"]);
        let separator = if version.contains('/') { "" } else { "/" };
        let object = format!(
            "{}/{}; {separator}{version}, Kind={}",
            applied.namespace(),
            applied.name(),
            applied.text(&["kind"])
        );
        Self::Invalid { object, problems }
    }
}

impl From<ApplyError> for Status {
    fn from(error: ApplyError) -> Self {
        let message = error.to_string();
        match error {
            ApplyError::Conflicts(conflicts) => Self::new(Reason::Conflict, message)
                .with_details(Details { causes: conflicts.causes(), ..Details::default() }),
            ApplyError::ManagedFieldsGiven | ApplyError::Invalid { .. } => {
                Self::bad_request(message)
            }
        }
    }
}
