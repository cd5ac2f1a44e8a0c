//! Whether an Application is where a Promotion waits for it to be.

use super::Application;

/// What to wait for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WaitFor {
    Health,
    Sync,
    Operation,
    Suspended,
    Degraded,
}

/// How an Application stands to what is waited for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Readiness {
    Ready,
    /// Not there, and why.
    NotYet(String),
    /// Its health is older than its last operation: Argo CD must compare again first.
    Stale,
    /// It will not get there, and why.
    Never(String),
}

/// Whether the Application is there. `former_health` is what the same step saw before; empty if it saw
/// nothing.
pub fn readiness(
    application: &Application,
    wait_for: &[WaitFor],
    former_health: &str,
) -> Readiness {
    let key = application.key();
    let errors: Vec<String> = application
        .error_conditions()
        .map(|condition| {
            format!("Application {key:?} has {}: {}", condition.r#type, condition.message)
        })
        .collect();
    if !errors.is_empty() {
        return Readiness::Never(errors.join("; "));
    }
    if wait_for.contains(&WaitFor::Operation) && is_operating(application) {
        return Readiness::NotYet(format!("an operation on Application {key:?} is under way"));
    }
    let accepted = accepted_health(wait_for);
    if !accepted.is_empty() {
        if application.is_stale() {
            return Readiness::Stale;
        }
        let health = application.status.health.status.as_str();
        let regressed = wait_for.contains(&WaitFor::Health)
            && health == "Degraded"
            && !matches!(former_health, "" | "Degraded" | "Unknown");
        if regressed {
            return Readiness::Never(format!(
                "health of Application {key:?} went from {former_health} to Degraded"
            ));
        }
        if !accepted.contains(&health) {
            let health = if health.is_empty() { "not known" } else { health };
            return Readiness::NotYet(format!("health of Application {key:?} is {health}"));
        }
    }
    if wait_for.contains(&WaitFor::Sync) && application.status.sync.status != "Synced" {
        return Readiness::NotYet(format!("Application {key:?} is not synced"));
    }
    Readiness::Ready
}

fn is_operating(application: &Application) -> bool {
    let unfinished = |state: &super::OperationState| state.finished_at.is_none();
    application.operation.is_some()
        || application.status.operation_state.as_ref().is_some_and(unfinished)
}

/// Any of these will do.
fn accepted_health(wait_for: &[WaitFor]) -> Vec<&'static str> {
    let health = |wait_for: &WaitFor| match wait_for {
        WaitFor::Health => Some("Healthy"),
        WaitFor::Suspended => Some("Suspended"),
        WaitFor::Degraded => Some("Degraded"),
        WaitFor::Sync | WaitFor::Operation => None,
    };
    wait_for.iter().filter_map(health).collect()
}
