//! Asking for a reconciliation.

use core_rules::action;

use super::Done;
use crate::{
    api_error::ApiResult,
    caller::{Caller, Grant, Target, Verb},
    mirror::Mirror,
};

const REASON: &str = "whoever may see an object may ask for it to be looked at again";

/// Asks for a reconciliation of an object that the caller may see.
pub(super) async fn refresh(
    caller: &Caller,
    mirror: &Mirror,
    namespace: &str,
    name: &str,
) -> ApiResult<Done> {
    caller.get(mirror, namespace, name).await?;
    let patch = action::refresh(caller.api().ports().clock.now());
    let target = Target::one(mirror.kind(), namespace, name);
    let grant = Grant::of_the_server(REASON, Verb::Patch, target);
    caller.merge_patch(grant, mirror, &patch).await?;
    Ok(Done)
}
