//! What Argo CD Applications say, and what a Promotion may and must do to them.

mod application;
mod operation;
mod permission;
mod source;
mod sync;
#[cfg(test)]
mod tests;
mod wait;

pub use self::{
    application::{Application, Condition, Operation, OperationState, Phase, Source, SyncResult},
    operation::{Decision, FinishedOperation, decide, worst_phase},
    permission::{NotAuthorized, authorize},
    source::{
        HelmParameter, KustomizeImage, SourceMismatch, SourceUpdate, desired_revisions,
        update_sources,
    },
    sync::{Initiator, refresh_patch, sync_message, sync_patch},
    wait::{Readiness, WaitFor, readiness},
};
