//! Whether a Promotion must ask for a sync, wait for one, or is done.

use super::{Application, OperationState, Phase};

/// What to do about an Application.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// Ask for a sync.
    Sync,
    /// A request is under way, ours or somebody else's.
    Wait,
    /// Our request ended like this.
    Ended(Phase),
}

/// When a request ended, which tells one request from the next.
pub type FinishedOperation<'a> = Option<&'a str>;

/// What a Promotion does about an Application whose sources should be at these revisions. A failure
/// that an earlier attempt has reported (`reported`) is a reason to ask again.
pub fn decide(
    application: &Application,
    promotion: &str,
    desired_revisions: &[String],
    reported: FinishedOperation<'_>,
) -> Decision {
    if application.operation.is_some() {
        return Decision::Wait;
    }
    let Some(state) = &application.status.operation_state else { return Decision::Sync };
    if !state.phase.is_finished() {
        return Decision::Wait;
    }
    if state.operation.promotion() != Some(promotion) || !is_at(state, desired_revisions) {
        return Decision::Sync;
    }
    if state.phase != Phase::Succeeded
        && reported.is_some()
        && reported == state.finished_at.as_deref()
    {
        return Decision::Sync;
    }
    Decision::Ended(state.phase)
}

/// Whether the request arrived at the desired revisions. A source without one may be anywhere.
fn is_at(state: &OperationState, desired: &[String]) -> bool {
    let Some(result) = &state.sync_result else { return false };
    let observed = result.revisions();
    desired.iter().enumerate().all(|(position, desired)| {
        desired.is_empty() || observed.get(position).is_some_and(|observed| observed == desired)
    })
}

/// What several requests amount to: the worst decides.
pub fn worst_phase(phases: impl IntoIterator<Item = Phase>) -> Phase {
    phases.into_iter().min().unwrap_or(Phase::Succeeded)
}
