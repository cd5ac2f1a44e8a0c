//! Freight: named by its content, complete, and unchangeable.

mod artifact;

use std::collections::BTreeSet;

use api_kinds::{Freight, Stage, Warehouse, labels};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use serde_json::Value;

use super::{
    caller::{Caller, Permission},
    field::FieldError,
    metadata::{is_being_deleted, name, namespace, set_label},
    namespace::ProjectNamespace,
    outcome::Admitted,
    refusal::Refusal,
};
use crate::{
    event,
    freight::{Contents, choose_alias, freight_name},
};

/// Gives new Freight its name and an alias, and says when it was found. `taken` are aliases known to
/// be those of other Freight.
pub fn default(freight: &mut Freight, is_new: bool, now: &Time, taken: &BTreeSet<String>) {
    if is_new {
        let contents = Contents {
            commits: &freight.commits,
            images: &freight.images,
            charts: &freight.charts,
            artifacts: &freight.artifacts,
        };
        freight.metadata.name = Some(freight_name(&freight.origin, &contents));
    }
    if freight.discovered_at.is_none() {
        let created = freight.metadata.creation_timestamp.as_ref().unwrap_or(now);
        freight.discovered_at = Some(created.clone());
    }
    if is_new && freight.alias.is_empty() {
        freight.alias = choose_alias(name(&freight.metadata), |alias| taken.contains(alias));
    }
    set_label(&mut freight.metadata, labels::ALIAS, &freight.alias);
}

/// What must be known to let new Freight in.
#[derive(Clone, Copy, Debug)]
pub struct CreateWorld<'a> {
    /// Its namespace.
    pub home: ProjectNamespace,
    /// Whether other Freight of the namespace has its alias.
    pub is_alias_taken: bool,
    /// The Warehouse it says it comes from.
    pub warehouse: Option<&'a Warehouse>,
}

/// New Freight must hold exactly one artifact for each subscription of its Warehouse.
pub fn validate_create(freight: &Freight, world: &CreateWorld<'_>) -> Result<(), Refusal> {
    let namespace = namespace(&freight.metadata);
    let mut errors: Vec<FieldError> = world.home.check(namespace)?.into_iter().collect();
    let is_empty = freight.commits.is_empty()
        && freight.images.is_empty()
        && freight.charts.is_empty()
        && freight.artifacts.is_empty();
    if is_empty {
        let detail = "freight must contain at least one commit, image, or chart";
        errors.push(FieldError::invalid("", name(&freight.metadata), detail));
    }
    if world.is_alias_taken {
        let detail =
            format!("alias already used by another piece of Freight in namespace {namespace:?}");
        errors.push(FieldError::invalid("alias", freight.alias.as_str(), &detail));
    }
    match world.warehouse {
        None => {
            let origin = freight.origin.name.as_str();
            errors.push(FieldError::invalid("warehouse", origin, "warehouse does not exist"));
        }
        Some(warehouse) => errors.extend(artifact::check(freight, warehouse)),
    }
    Refusal::unless_valid::<Freight>(name(&freight.metadata), errors)
}

/// An approval that an update adds, and what is known of the Stage it is for.
#[derive(Clone, Debug)]
pub struct Approval<'a> {
    /// The Stage's name.
    pub stage_name: &'a str,
    /// The Stage, if there is one.
    pub stage: Option<&'a Stage>,
    /// Whether the user may promote to it.
    pub permission: Permission,
}

/// The Stages for which an update approves Freight.
pub fn new_approvals<'a>(freight: &'a Freight, old: &Freight) -> Vec<&'a str> {
    let stages = freight.status.approved_for.keys();
    let is_new = |stage: &&String| !old.status.approved_for.contains_key(*stage);
    stages.filter(is_new).map(String::as_str).collect()
}

/// Whether an update says something else of where the Freight is and was verified.
pub fn changes_standing(freight: &Freight, old: &Freight) -> bool {
    let (new, old) = (&freight.status, &old.status);
    new.verified_in != old.verified_in || new.currently_in != old.currently_in
}

/// What must be known to let a change of Freight in.
#[derive(Clone, Copy, Debug)]
pub struct UpdateWorld<'a> {
    /// Whether other Freight of the namespace has its alias.
    pub is_alias_taken: bool,
    /// The approvals that the update adds.
    pub approvals: &'a [Approval<'a>],
    /// Whether the user may promote to every Stage; asked where [`changes_standing`] says so and the
    /// control plane does not write.
    pub promote_everywhere: Option<Permission>,
}

/// The content never changes; an approval needs the same permission as a promotion, and so does what
/// stands for one. Upstream lets anyone approve who may write the status.
pub fn validate_update(
    freight: &Freight,
    old: &Freight,
    caller: &Caller<'_>,
    world: &UpdateWorld<'_>,
) -> Result<Admitted, Refusal> {
    let name = name(&freight.metadata);
    if world.is_alias_taken {
        let why = format!(
            "alias {:?} already used by another piece of Freight in namespace {:?}",
            freight.alias,
            namespace(&freight.metadata)
        );
        return Err(Refusal::conflict::<Freight>(name, &why));
    }
    if !is_being_deleted(&freight.metadata) {
        let changed: Vec<FieldError> = first_change(freight, old).into_iter().collect();
        Refusal::unless_valid::<Freight>(name, changed)?;
    }
    check_standing(freight, caller, world.promote_everywhere)?;
    let mut admitted = Admitted::default();
    for approval in world.approvals {
        check_approval(freight, caller, approval)?;
        let stage = approval.stage_name;
        if approval.stage.is_none() {
            admitted.warnings.push(format!("status.approvedFor[{stage}]: there is no such Stage"));
        }
        if !caller.is_control_plane() {
            admitted.events.push(event::freight_approved(freight, stage, &caller.actor()));
        }
    }
    Ok(admitted)
}

/// What was verified in one Stage is available to all behind it, so whoever says so must be allowed
/// to promote to any: then it gives them nothing that an approval would not.
fn check_standing(
    freight: &Freight,
    caller: &Caller<'_>,
    promote_everywhere: Option<Permission>,
) -> Result<(), Refusal> {
    let why = match promote_everywhere {
        None | Some(Permission::Granted) => return Ok(()),
        Some(Permission::Denied) => format!(
            "subject {:?} is not permitted to say where Freight is or was verified: that takes \
             the permission to promote to every Stage",
            caller.name()
        ),
        Some(Permission::Unknown) => {
            "error creating SubjectAccessReview; refusing to change where Freight was verified"
                .to_owned()
        }
    };
    Err(Refusal::forbidden::<Freight>(name(&freight.metadata), &why))
}

fn check_approval(
    freight: &Freight,
    caller: &Caller<'_>,
    approval: &Approval<'_>,
) -> Result<(), Refusal> {
    let (name, stage) = (name(&freight.metadata), approval.stage_name);
    match approval.permission {
        Permission::Granted => {}
        Permission::Denied => {
            let user = caller.name();
            let why =
                format!("subject {user:?} is not permitted to approve Freight for Stage {stage:?}");
            return Err(Refusal::forbidden::<Freight>(name, &why));
        }
        Permission::Unknown => {
            let why = "error creating SubjectAccessReview; refusing to approve Freight";
            return Err(Refusal::forbidden::<Freight>(name, why));
        }
    }
    let requests = |stage: &Stage| {
        stage.spec.requested_freight.iter().any(|request| request.origin == freight.origin)
    };
    if approval.stage.is_none_or(requests) {
        return Ok(());
    }
    let detail = format!("Stage {stage:?} does not request Freight from {}", freight.origin);
    let field = format!("status.approvedFor[{stage}]");
    Err(Refusal::invalid::<Freight>(name, vec![FieldError::invalid(field, stage, &detail)]))
}

/// The first thing that is not as it was: which list, then which item of it.
fn first_change(freight: &Freight, old: &Freight) -> Option<FieldError> {
    let immutable =
        |path: String, value: Value| Some(FieldError::invalid(path, value, "Freight is immutable"));
    if freight.origin != old.origin {
        return immutable("origin".into(), freight.origin.to_string().into());
    }
    change_in("commits", &freight.commits, &old.commits)
        .or_else(|| change_in("images", &freight.images, &old.images))
        .or_else(|| change_in("charts", &freight.charts, &old.charts))
        .or_else(|| change_in("artifacts", &freight.artifacts, &old.artifacts))
        .and_then(|(path, value)| immutable(path, value))
}

fn change_in<T: PartialEq + serde::Serialize>(
    path: &str,
    new: &[T],
    old: &[T],
) -> Option<(String, Value)> {
    if new.len() != old.len() {
        return Some((path.to_owned(), serde_json::to_value(new).unwrap_or_default()));
    }
    let changed = new.iter().zip(old).enumerate().find(|(_, (new, old))| new != old);
    changed.map(|(index, (new, _))| {
        (format!("{path}[{index}]"), serde_json::to_value(new).unwrap_or_default())
    })
}

/// Freight that a Stage holds, or that is on its way into one, cannot be deleted.
pub fn validate_delete(
    freight: &Freight,
    stages: &[String],
    promotions: &[String],
) -> Result<(), Refusal> {
    let quoted = |names: &[String]| {
        names.iter().map(|name| format!("{name:?}")).collect::<Vec<_>>().join(", ")
    };
    let why = if !stages.is_empty() {
        format!("freight is in-use by stages ({})", quoted(stages))
    } else if !promotions.is_empty() {
        format!("freight is in-use by promotions ({})", quoted(promotions))
    } else {
        return Ok(());
    };
    Err(Refusal::forbidden::<Freight>(name(&freight.metadata), &why))
}

#[cfg(test)]
mod tests;
