//! Warehouses.

use api_kinds::Warehouse;
use core_rules::admission::{Admitted, Refusal, warehouse};

use crate::{Admitter, Request, Verdict, admitter::changed};

pub(crate) fn mutate(request: &Request<'_>) -> Verdict {
    let sent: Warehouse = request.object()?;
    let mut completed = sent.clone();
    warehouse::default(&mut completed)?;
    changed(&sent, &completed)
}

pub(crate) async fn validate(
    admitter: &Admitter,
    request: &Request<'_>,
) -> Result<Admitted, Refusal> {
    let warehouse: Warehouse = request.object()?;
    let old: Option<Warehouse> = request.old_object()?;
    let home = if request.is_create() {
        Some(admitter.lookup.project_namespace(request.namespace).await?)
    } else {
        None
    };
    let policy = admitter.settings.cache_by_tag_policy;
    let mut admitted =
        warehouse::validate(request.operation, &warehouse, old.as_ref(), home, policy)?;
    let is_changed = old.is_none_or(|old| old.spec != warehouse.spec);
    if let (true, Some(sent)) = (is_changed, request.object) {
        admitted.warnings.extend(warehouse::warn_unknown_members(sent));
    }
    Ok(admitted)
}
