//! Which policy of a Project is a Stage's.

use api_kinds::project_config::PromotionPolicy;
use api_kinds::{ProjectConfig, Stage};

use crate::selector::{SelectorError, matches_name, matches_policy};

/// The first policy that selects the Stage; later ones are not looked at. A policy that cannot be
/// read and comes before it is an error: it might have been the one.
pub fn policy_for<'a>(
    policies: &'a [PromotionPolicy],
    stage: &Stage,
) -> Result<Option<&'a PromotionPolicy>, SelectorError> {
    for policy in policies {
        if selects(policy, stage)? {
            return Ok(Some(policy));
        }
    }
    Ok(None)
}

/// Whether the Stage promotes by itself. Without settings, or without a policy, it does not.
pub fn is_enabled(config: Option<&ProjectConfig>, stage: &Stage) -> Result<bool, SelectorError> {
    let Some(config) = config else { return Ok(false) };
    let policy = policy_for(&config.spec.promotion_policies, stage)?;
    Ok(policy.is_some_and(|policy| policy.auto_promotion_enabled))
}

/// The deprecated field takes the same patterns as the selector's name.
fn selects(policy: &PromotionPolicy, stage: &Stage) -> Result<bool, SelectorError> {
    let name = stage.metadata.name.as_deref().unwrap_or_default();
    match &policy.stage_selector {
        Some(selector) => matches_policy(selector, name, stage.metadata.labels.as_ref()),
        None => matches_name(&policy.stage, name),
    }
}
