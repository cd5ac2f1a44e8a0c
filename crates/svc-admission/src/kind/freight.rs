//! Freight.

use std::collections::BTreeSet;

use api_kinds::{Freight, Stage, Warehouse};
use core_rules::admission::{
    Admitted, Operation, Permission, Refusal,
    freight::{self, UpdateWorld},
};
use core_rules::wire_time::to_wire;

use super::EVERY_STAGE;
use crate::{Admitter, Request, Verdict, admitter::changed};

/// How many aliases are tried; each one is known to be taken before the next.
const MAX_ALIASES: usize = 64;

pub(crate) async fn mutate(admitter: &Admitter, request: &Request<'_>) -> Verdict {
    let sent: Freight = request.object()?;
    let now = to_wire(admitter.clock().now());
    let needs_alias = request.is_create() && sent.alias.is_empty();
    let mut taken = BTreeSet::new();
    loop {
        let mut freight = sent.clone();
        freight::default(&mut freight, request.is_create(), &now, &taken);
        let is_settled = !needs_alias
            || taken.len() >= MAX_ALIASES
            || !admitter.lookup.is_alias_taken(request.namespace, &freight.alias, "").await?;
        if is_settled {
            return changed(&sent, &freight);
        }
        taken.insert(freight.alias);
    }
}

pub(crate) async fn validate(
    admitter: &Admitter,
    request: &Request<'_>,
) -> Result<Admitted, Refusal> {
    match request.operation {
        Operation::Create => validate_create(admitter, request).await,
        Operation::Update => validate_update(admitter, request).await,
        Operation::Delete => validate_delete(admitter, request).await,
    }
}

async fn validate_create(admitter: &Admitter, request: &Request<'_>) -> Result<Admitted, Refusal> {
    let freight: Freight = request.object()?;
    let (lookup, namespace) = (&admitter.lookup, request.namespace);
    let home = lookup.project_namespace(namespace).await?;
    let is_alias_taken = lookup.is_alias_taken(namespace, &freight.alias, "").await?;
    let warehouse: Option<Warehouse> = lookup.get(namespace, &freight.origin.name).await?;
    let warehouse = warehouse.as_ref();
    freight::validate_create(&freight, &freight::CreateWorld { home, is_alias_taken, warehouse })?;
    Ok(Admitted::default())
}

async fn validate_update(admitter: &Admitter, request: &Request<'_>) -> Result<Admitted, Refusal> {
    let (freight, old): (Freight, Freight) = (request.object()?, request.required_old()?);
    let (lookup, namespace) = (&admitter.lookup, request.namespace);
    let is_alias_taken = freight.alias != old.alias
        && lookup.is_alias_taken(namespace, &freight.alias, request.name).await?;
    let mut found: Vec<(&str, Option<Stage>, Permission)> = Vec::new();
    for stage in freight::new_approvals(&freight, &old) {
        let permission = lookup.promote(request.user, namespace, stage).await;
        found.push((stage, lookup.get(namespace, stage).await?, permission));
    }
    let approvals: Vec<freight::Approval<'_>> = found
        .iter()
        .map(|(stage_name, stage, permission)| freight::Approval {
            stage_name,
            stage: stage.as_ref(),
            permission: *permission,
        })
        .collect();
    let caller = admitter.settings.identities.caller(request.user);
    let mut promote_everywhere = None;
    if freight::changes_standing(&freight, &old) && !caller.is_control_plane() {
        promote_everywhere = Some(lookup.promote(request.user, namespace, EVERY_STAGE).await);
    }
    let world = UpdateWorld { is_alias_taken, approvals: &approvals, promote_everywhere };
    freight::validate_update(&freight, &old, &caller, &world)
}

async fn validate_delete(admitter: &Admitter, request: &Request<'_>) -> Result<Admitted, Refusal> {
    let freight: Freight = request.required_old()?;
    let name = freight.metadata.name.as_deref().unwrap_or_default();
    let (stages, promotions) = admitter.lookup.users_of_freight(request.namespace, name).await?;
    freight::validate_delete(&freight, &stages, &promotions)?;
    Ok(Admitted::default())
}
