//! Projects: what their conditions say, how they end, and what remains of those that never began.

#[cfg(test)]
mod tests;

use std::{sync::Arc, time::Duration};

use api_kinds::{
    ObjectMeta, Project,
    condition::{ConditionStatus, reasons::project as reasons, types},
    project::{ProjectStats, ProjectStatus},
};
use core_clock::Time;
use k8s_openapi::api::{core::v1::Namespace, rbac::v1::RoleBinding};

use super::{grant, namespace};
use crate::condition::{self, Observation};

/// Admission makes the namespace before the Project is stored. What is older than this and has no
/// Project never got one.
const ORPHAN_AGE: Duration = Duration::from_mins(1);

const SYNCING: &str = "Ensuring project namespace and permissions";
const SYNCED: &str = "Project is synced and ready for use";

/// Parts of setting up a Project, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Phase {
    /// Its namespace.
    Namespace,
    /// What the API server and the external webhooks server may do in it.
    SystemPermissions,
    /// What controllers may do in it.
    ControllerPermissions,
    /// What people may do in it.
    DefaultRoles,
}

impl Phase {
    const fn reason(self) -> &'static str {
        match self {
            Self::Namespace => reasons::ENSURING_NAMESPACE_FAILED,
            Self::SystemPermissions => reasons::ENSURING_SYSTEM_PERMISSIONS_FAILED,
            Self::ControllerPermissions => reasons::ENSURING_CONTROLLER_PERMISSIONS_FAILED,
            Self::DefaultRoles => reasons::ENSURING_DEFAULT_USER_ROLES,
        }
    }
}

/// How setting up a Project ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// All is there.
    Synced,
    /// The namespace is somebody else's: nothing happens until a person labels it.
    Unlabeled,
    /// A part failed, with what it said.
    Failed(Phase, String),
}

/// The status of a Project after a pass. Numbers are given only for a Project that is set up.
pub fn plan_status(
    project: &Project,
    outcome: &Outcome,
    stats: ProjectStats,
    now: Time,
) -> ProjectStatus {
    let name = project.metadata.name.as_deref().unwrap_or_default();
    let mut draft = Draft {
        status: project.status.clone(),
        generation: project.metadata.generation.unwrap_or_default(),
        now,
    };
    match outcome {
        Outcome::Synced => {
            draft.remove(types::RECONCILING);
            draft.remove(types::STALLED);
            draft.remove(types::HEALTHY);
            draft.set(types::READY, ConditionStatus::True, reasons::SYNCED, SYNCED);
            draft.status.stats = (stats != ProjectStats::default()).then_some(stats);
        }
        Outcome::Unlabeled => {
            let message = unlabeled_message(name);
            draft.fail(Phase::Namespace, &message);
            let reason = reasons::EXISTING_NAMESPACE_MISSING_LABEL;
            draft.set(types::STALLED, ConditionStatus::True, reason, &message);
        }
        Outcome::Failed(phase, message) => {
            draft.fail(*phase, message);
            draft.remove(types::STALLED);
        }
    }
    draft.status
}

/// What to say of a namespace that is not labeled.
pub fn unlabeled_message(project: &str) -> String {
    format!(
        "failed to sync Project {project:?} because namespace {project:?} already exists and is \
         not labeled as a Project namespace; label it {}={} to hand it over",
        api_kinds::labels::PROJECT,
        api_kinds::labels::TRUE
    )
}

/// A status under construction.
struct Draft {
    status: ProjectStatus,
    generation: i64,
    now: Time,
}

impl Draft {
    fn set(&mut self, r#type: &str, status: ConditionStatus, reason: &str, message: &str) {
        let generation = self.generation;
        let observed = Observation { r#type, status, reason, message, generation };
        condition::set(&mut self.status.conditions, observed, self.now);
    }

    fn remove(&mut self, r#type: &str) {
        condition::remove(&mut self.status.conditions, r#type);
    }

    fn fail(&mut self, phase: Phase, message: &str) {
        self.set(types::RECONCILING, ConditionStatus::True, reasons::SYNCING, SYNCING);
        self.set(types::READY, ConditionStatus::False, phase.reason(), message);
    }
}

/// What becomes of the namespace of a Project that is being deleted.
#[derive(Clone, Debug, PartialEq)]
pub enum Ending {
    /// There is none any more.
    Gone,
    /// It goes, with everything in it.
    Delete,
    /// It stays, because somebody asked for that or took its label away, but without the grants of
    /// the system. A label stays too: a Project of the same name may take the namespace over again.
    Keep(Vec<Arc<RoleBinding>>),
    /// It was never the Project's: nothing in it is touched.
    Foreign,
}

/// What becomes of the namespace of a Project that is being deleted.
pub fn plan_ending(
    project: &Project,
    existing: Option<&Namespace>,
    role_bindings: &[Arc<RoleBinding>],
) -> Ending {
    let Some(existing) = existing else {
        return Ending::Gone;
    };
    let is_labeled = namespace::is_project_namespace(existing);
    if !is_labeled && !namespace::has_finalizer(&existing.metadata) {
        Ending::Foreign
    } else if !is_labeled || namespace::is_kept(Some(project), existing) {
        Ending::Keep(grant::system_bindings(role_bindings).into_iter().cloned().collect())
    } else {
        Ending::Delete
    }
}

/// What becomes of a namespace without a Project.
#[derive(Clone, Debug, PartialEq)]
pub enum Orphan {
    /// Nothing in it is ours.
    None,
    /// Its Project may still be on its way: look again later.
    Wait(Duration),
    /// Grants of the system are taken away and its deletion is no longer held back.
    Release(Vec<Arc<RoleBinding>>),
    /// It was made for a Project that was never stored: it goes.
    Remove,
}

/// What becomes of a namespace without a Project; `is_used` says whether people put anything of
/// theirs into it.
pub fn plan_orphan(
    existing: &Namespace,
    role_bindings: &[Arc<RoleBinding>],
    is_used: bool,
    now: Time,
) -> Orphan {
    let strays = grant::system_bindings(role_bindings);
    let is_held = namespace::has_finalizer(&existing.metadata);
    let is_labeled = namespace::is_project_namespace(existing);
    let is_leaving = existing.metadata.deletion_timestamp.is_some();
    // In a namespace that is no Project's, bindings like ours are somebody's own.
    if is_leaving || !is_held && (!is_labeled || strays.is_empty()) {
        return Orphan::None;
    }
    let mut waits = strays.iter().map(|stray| remaining(&stray.metadata, now)).collect::<Vec<_>>();
    if is_held {
        waits.push(remaining(&existing.metadata, now));
    }
    let longest = waits.into_iter().max().unwrap_or_default();
    if !longest.is_zero() {
        return Orphan::Wait(longest);
    }
    if is_held && is_labeled && !is_used && !namespace::is_kept(None, existing) {
        return Orphan::Remove;
    }
    Orphan::Release(strays.into_iter().cloned().collect())
}

/// How long an object is still too young to be called an orphan.
fn remaining(metadata: &ObjectMeta, now: Time) -> Duration {
    let created = metadata.creation_timestamp.as_ref().map_or(0, |time| time.0.as_second());
    ORPHAN_AGE.saturating_sub(now.since(Time::from_seconds(created)))
}
