//! What must be asked about an object before it is written.

use super::object::Resource;
use crate::access::attributes::Attributes;
use crate::access::escalation::{Concern, EscalationError, concern};
use crate::fault::{Class, Fault};

/// An object that is not written.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ResourceError {
    /// Secrets are not to be managed here.
    #[error("secret management is not enabled")]
    SecretsDisabled,
    /// It is there already.
    #[error("{} {name:?} already exists", qualified(kind, group))]
    Exists {
        /// The kind.
        kind: String,
        /// The group.
        group: String,
        /// The name.
        name: String,
    },
    /// It is not there.
    #[error("resource does not exist")]
    Missing,
    /// It has changed since the sender looked at it.
    #[error(
        "{} {name:?} has changed: resourceVersion {sent:?} was sent and {stored:?} is stored",
        qualified(kind, group)
    )]
    Changed {
        /// The kind.
        kind: String,
        /// The group.
        group: String,
        /// The name.
        name: String,
        /// The version that was sent.
        sent: String,
        /// The version that is stored.
        stored: String,
    },
}

impl Fault for ResourceError {
    fn class(&self) -> Class {
        match self {
            Self::SecretsDisabled => Class::NotImplemented,
            Self::Exists { .. } | Self::Changed { .. } => Class::Conflict,
            Self::Missing => Class::NotFound,
        }
    }
}

/// What to ask about an object.
#[derive(Clone, Debug, PartialEq)]
pub struct Checks {
    /// Whether it takes the management of Secrets to be enabled.
    pub needs_secret_management: bool,
    /// What a creation takes beside the permission to create it: to promote to the Stage. One that
    /// names no Stage is refused by others.
    pub promotion: Option<Attributes>,
    /// What writing it would let others do.
    pub concern: Concern,
    /// Whether its creation is told as an event.
    pub is_told: bool,
}

/// What to ask about creating or updating the object.
pub fn checks(resource: &Resource) -> Result<Checks, EscalationError> {
    let is_promotion = resource.is_ours("Promotion") || resource.is_ours("PromotionRequest");
    let stage = resource.spec_text("stage");
    let promotion = (is_promotion && !stage.is_empty())
        .then(|| Attributes::promote(resource.namespace(), stage));
    Ok(Checks {
        needs_secret_management: resource.is_core("Secret"),
        promotion,
        concern: concern(&resource.to_value())?,
        is_told: resource.is_ours("Freight"),
    })
}

impl Checks {
    /// Refuses Secrets where they are not managed.
    pub fn require_secret_management(&self, is_enabled: bool) -> Result<(), ResourceError> {
        if self.needs_secret_management && !is_enabled {
            return Err(ResourceError::SecretsDisabled);
        }
        Ok(())
    }
}

impl Resource {
    /// The refusal of a creation because the object is there.
    pub fn exists(&self) -> ResourceError {
        let (kind, group) = (self.kind().to_owned(), self.group().to_owned());
        ResourceError::Exists { kind, group, name: self.name().to_owned() }
    }
}

fn qualified(kind: &str, group: &str) -> String {
    let kind = kind.to_lowercase();
    if group.is_empty() { kind } else { format!("{kind}.{group}") }
}
