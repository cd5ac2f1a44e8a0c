//! Health of the Applications that a Promotion left in a Stage's care.

#[cfg(test)]
mod tests;

use std::sync::Arc;

use api_kinds::health::HealthState;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{
    Application, ApplicationName, Condition, OperationState,
    application::{Health, REFRESH, Sync},
};
use crate::health::{HealthFinding, merge_health};

/// The kind of the health check about Applications. It is called like the step that asks for it.
pub const HEALTH_CHECK_KIND: &str = "argocd-update";
/// Argo CD quotes whole manifests in its messages; a Stage has no room for them.
const MAX_TEXT: usize = 2048;

/// What a check found, and what would help.
#[derive(Clone, Debug, PartialEq)]
pub struct HealthReport {
    /// What it found.
    pub finding: HealthFinding,
    /// Applications that Argo CD must compare again before their health can be trusted.
    pub refresh: Vec<ApplicationName>,
}

/// What a health check is about.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Input {
    apps: Vec<Checked>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Checked {
    name: String,
    namespace: String,
    /// One for each source; empty where any will do.
    desired_revisions: Vec<String>,
}

/// How one Application is.
struct Assessment {
    state: HealthState,
    issues: Vec<String>,
    needs_refresh: bool,
}

/// What is reported of an Application. The names of the first two members are part of the API.
#[derive(Serialize)]
struct Entry<'a> {
    #[serde(rename = "Namespace")]
    namespace: &'a str,
    #[serde(rename = "Name")]
    name: &'a str,
    health: Health,
    sync: Sync,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    conditions: Vec<Condition>,
    #[serde(rename = "operationState", skip_serializing_if = "Option::is_none")]
    operation_state: Option<OperationState>,
}

impl HealthReport {
    /// What a controller finds that has nothing to do with Argo CD.
    pub fn without_integration() -> Self {
        Self::unknown("the Argo CD integration of this controller is off, so that it cannot tell how Applications are: set ARGOCD_INTEGRATION_ENABLED and install Argo CD".to_owned())
    }

    fn unknown(issue: String) -> Self {
        let finding =
            HealthFinding { status: HealthState::Unknown, issues: vec![issue], output: None };
        Self { finding, refresh: Vec::new() }
    }
}

/// Carries out a health check of [`HEALTH_CHECK_KIND`]. `find` gives an Application, or tells why it cannot.
pub fn check_health(
    config: Option<&Value>,
    default_namespace: &str,
    find: impl Fn(&ApplicationName) -> Result<Option<Arc<Application>>, String>,
) -> HealthReport {
    let input = match config.map_or_else(|| Ok(Input::default()), Input::deserialize) {
        Ok(input) => input,
        Err(error) => {
            return HealthReport::unknown(format!(
                "the configuration of the health check of Applications cannot be read: {error}"
            ));
        }
    };
    let mut finding = HealthFinding { status: HealthState::Healthy, ..HealthFinding::default() };
    let (mut entries, mut refresh) = (Vec::new(), Vec::new());
    for Checked { name, namespace, desired_revisions } in input.apps {
        let namespace = if namespace.is_empty() { default_namespace.to_owned() } else { namespace };
        let name = ApplicationName { namespace, name };
        let found = find(&name);
        let assessment = match &found {
            Ok(Some(application)) => assess(application, &desired_revisions),
            Ok(None) => Assessment::unknown(format!("Application \"{name}\" does not exist")),
            Err(why) => {
                Assessment::unknown(format!("Application \"{name}\" cannot be looked at: {why}"))
            }
        };
        entries.push(json!(entry(&name, found.ok().flatten().as_deref())));
        finding.status = merge_health(finding.status, assessment.state);
        finding.issues.extend(assessment.issues.iter().map(|issue| clipped(issue)));
        if assessment.needs_refresh {
            refresh.push(name);
        }
    }
    finding.output = Some(json!({"applicationStatuses": entries}));
    HealthReport { finding, refresh }
}

impl Assessment {
    fn new(state: HealthState, issues: Vec<String>) -> Self {
        Self { state, issues, needs_refresh: false }
    }

    fn unknown(issue: String) -> Self {
        Self::new(HealthState::Unknown, vec![issue])
    }
}

fn assess(application: &Application, desired: &[String]) -> Assessment {
    let key = application.key();
    if application.is_stale() {
        // Argo CD does not always write down that it compared; asked to do so from scratch, it does.
        let is_asked = application.metadata.annotations.contains_key(REFRESH);
        let issue = format!(
            "Application {key:?} was not reconciled after its most recent operation, so that its health is not trusted yet"
        );
        return Assessment { needs_refresh: !is_asked, ..Assessment::unknown(issue) };
    }
    let errors: Vec<String> = application
        .error_conditions()
        .map(|it| format!("Application {key:?} has {}: {}", it.r#type, it.message))
        .collect();
    if !errors.is_empty() {
        return Assessment::new(HealthState::Unhealthy, errors);
    }
    assess_sync(application, desired).unwrap_or_else(|| assess_resources(application))
}

/// What speaks against the Application being at the revisions it should be at. Whether it is in sync with
/// them is not asked: that is for its health to say.
fn assess_sync(application: &Application, desired: &[String]) -> Option<Assessment> {
    if desired.iter().all(String::is_empty) {
        return None;
    }
    let key = application.key();
    let is_requested = application.operation.as_ref().is_some_and(|it| it.sync.is_some());
    if is_requested || application.finished_at().is_none() {
        return Some(Assessment::unknown(format!("Application {key:?} is being synced")));
    }
    let (sources, observed) = (application.sources(), application.status.sync.revisions());
    for (count, what) in [(sources.len(), "sources"), (observed.len(), "synced revisions")] {
        if count != desired.len() {
            let desired = desired.len();
            let issue =
                format!("Application {key:?} has {count} {what}, but {desired} are desired");
            return Some(Assessment::unknown(issue));
        }
    }
    let differences: Vec<String> = sources
        .iter()
        .zip(observed)
        .zip(desired)
        .filter(|((_, observed), desired)| !desired.is_empty() && observed != desired)
        .map(|((source, observed), desired)| {
            format!("source {:?} is at {observed:?} instead of {desired:?}", source.repo_url)
        })
        .collect();
    if differences.is_empty() {
        return None;
    }
    let differences = differences.join("; ");
    let issue = format!("Application {key:?} is not at the desired revisions: {differences}");
    Some(Assessment::new(HealthState::Unhealthy, vec![issue]))
}

fn assess_resources(application: &Application) -> Assessment {
    let key = application.key();
    let Health { status, message } = &application.status.health;
    let (state, adverb) = match status.as_str() {
        "Healthy" => return Assessment::new(HealthState::Healthy, Vec::new()),
        "Progressing" | "" => (HealthState::Progressing, "progressing"),
        // Somebody will let it go on.
        "Suspended" => (HealthState::Progressing, "suspended"),
        other => (HealthState::Unhealthy, other),
    };
    let message = if message.is_empty() { String::new() } else { format!(": {message}") };
    Assessment::new(state, vec![format!("Application {key:?} is {adverb}{message}")])
}

/// What is reported of an Application. It must not change while nothing happens, or each look would be
/// a write: times of comparisons are left out.
fn entry<'a>(name: &'a ApplicationName, application: Option<&Application>) -> Entry<'a> {
    let ApplicationName { namespace, name } = name;
    let Some(Application { status, .. }) = application else {
        let unknown = || "Unknown".to_owned();
        return Entry {
            namespace,
            name,
            health: Health { status: unknown(), ..Health::default() },
            sync: Sync { status: unknown(), ..Sync::default() },
            conditions: Vec::new(),
            operation_state: None,
        };
    };
    let Health { status: health, message } = &status.health;
    let condition =
        |it: &Condition| Condition { r#type: it.r#type.clone(), message: clipped(&it.message) };
    Entry {
        namespace,
        name,
        health: Health { status: health.clone(), message: clipped(message) },
        sync: status.sync.clone(),
        conditions: status.conditions.iter().map(condition).collect(),
        operation_state: status
            .operation_state
            .as_ref()
            .map(|state| OperationState { message: clipped(&state.message), ..state.clone() }),
    }
}

fn clipped(text: &str) -> String {
    if text.len() <= MAX_TEXT {
        return text.to_owned();
    }
    format!("{} …", text.get(..text.floor_char_boundary(MAX_TEXT)).unwrap_or_default())
}
