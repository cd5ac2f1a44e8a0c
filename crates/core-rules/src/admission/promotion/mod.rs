//! Promotions: everything but Stage and Freight is written by us, and stays as it is.

mod default;
mod hold;
mod validate;

use api_kinds::{API_VERSION, Kind, ObjectMeta, Promotion, PromotionRequest, Stage, annotations};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::OwnerReference;

use super::{
    caller::{Caller, Permission},
    metadata::name,
    refusal::Refusal,
};

pub use default::{DefaultWorld, default};
pub use hold::looks_at_freight;
pub use validate::{CreateWorld, UpdateWorld, validate_create, validate_delete, validate_update};

/// What may only be said by the control plane, and does not change afterwards.
const FROZEN_ANNOTATIONS: [&str; 3] = [
    annotations::CREATE_ACTOR,
    annotations::AUTO_PROMOTION_HOLD,
    annotations::AUTO_PROMOTION_RESUME,
];

/// The PromotionRequest that says it controls the Promotion, if one does.
pub fn controlling_request(metadata: &ObjectMeta) -> Option<&OwnerReference> {
    let owners = metadata.owner_references.as_ref()?;
    let controller = owners.iter().find(|owner| owner.controller == Some(true))?;
    let is_request = controller.api_version == API_VERSION
        && controller.kind == PromotionRequest::DEFINITION.kind;
    is_request.then_some(controller)
}

/// Whoever writes a Promotion must be allowed to promote to its Stage. The server that receives
/// webhooks writes in nobody's name and is trusted.
pub(super) fn authorize<K: Kind>(
    object: &ObjectMeta,
    stage: &str,
    action: &str,
    caller: &Caller<'_>,
    permission: Permission,
) -> Result<(), Refusal> {
    if caller.is_external_webhooks_server() {
        return Ok(());
    }
    let kind = K::DEFINITION.kind;
    let why = match permission {
        Permission::Granted => return Ok(()),
        Permission::Denied => {
            let user = caller.name();
            format!("subject {user:?} is not permitted to {action} {kind}s for Stage {stage:?}")
        }
        Permission::Unknown => {
            format!("error creating SubjectAccessReview; refusing to {action} {kind}")
        }
    };
    Err(Refusal::forbidden::<K>(name(object), &why))
}

/// The Stage as the one owner, with which the Promotion goes away.
pub(crate) fn owned_by(stage: &Stage) -> OwnerReference {
    OwnerReference {
        api_version: API_VERSION.to_owned(),
        block_owner_deletion: Some(true),
        controller: Some(true),
        kind: Stage::DEFINITION.kind.to_owned(),
        name: name(&stage.metadata).to_owned(),
        uid: stage.metadata.uid.clone().unwrap_or_default(),
    }
}

/// Refuses a Promotion because of one field.
fn invalid(promotion: &Promotion, error: super::FieldError) -> Refusal {
    Refusal::invalid::<Promotion>(name(&promotion.metadata), vec![error])
}

#[cfg(test)]
mod tests;
