//! What Argo CD Applications say, and what a Promotion may and must do to them.

mod application;
mod awaited;
mod context;
mod health;
mod operation;
mod permission;
mod source;
mod sync;
#[cfg(test)]
mod tests;
mod wait;
mod wake;

pub use self::{
    application::{
        Application, ApplicationName, Condition, Operation, OperationState, Phase, Source,
        SyncResult,
    },
    awaited::Awaited,
    context::{context, names_applications},
    health::{HEALTH_CHECK_KIND, HealthReport, check_health},
    operation::{Decision, FinishedOperation, decide, worst_phase},
    permission::{NotAuthorized, authorize},
    source::{
        HelmParameter, KustomizeImage, SourceMismatch, SourceUpdate, desired_revisions,
        update_sources,
    },
    sync::{Initiator, refresh_patch, sync_message, sync_patch},
    wait::{Readiness, WaitFor, readiness},
    wake::stages_to_wake,
};
