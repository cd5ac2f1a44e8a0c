//! Which Stages look again when an Application changed.
//!
//! Argo CD writes to an Application all the time. Only what the health of a Stage is made of counts.

use std::collections::BTreeSet;

use api_kinds::annotations;

use super::{Application, Condition, Phase};
use crate::stage::{AuthorizedStage, parse_authorized_stages};

/// What the health of a Stage is made of. Texts that Argo CD rewrites while it works are left out, and the
/// time of the last comparison counts only by whether the health is to be trusted.
#[derive(PartialEq, Eq)]
struct Seen<'a> {
    health: &'a str,
    sync: &'a str,
    revision: &'a str,
    revisions: &'a [String],
    errors: Vec<&'a Condition>,
    phase: Option<Phase>,
    finished_at: Option<&'a str>,
    is_requested: bool,
    is_stale: bool,
    sources: usize,
}

impl<'a> Seen<'a> {
    fn of(application: &'a Application) -> Self {
        let status = &application.status;
        Self {
            health: &status.health.status,
            sync: &status.sync.status,
            revision: &status.sync.revision,
            revisions: &status.sync.revisions,
            errors: application.error_conditions().collect(),
            phase: status.operation_state.as_ref().map(|state| state.phase),
            finished_at: application.finished_at(),
            is_requested: application.operation.is_some(),
            is_stale: application.is_stale(),
            sources: application.sources().len(),
        }
    }
}

/// The Stages whose health may be another now, each once: those that the Application authorizes, or did
/// before. An annotation that cannot be read authorizes nobody.
pub fn stages_to_wake(
    old: Option<&Application>,
    new: Option<&Application>,
) -> Vec<AuthorizedStage> {
    let is_same =
        old.map(Seen::of) == new.map(Seen::of) && authorization(old) == authorization(new);
    if is_same {
        return Vec::new();
    }
    let mut annotations: Vec<&str> = [old, new].into_iter().filter_map(authorization).collect();
    annotations.dedup();
    let stages: BTreeSet<AuthorizedStage> = annotations
        .into_iter()
        .filter_map(|it| parse_authorized_stages(it).ok())
        .flatten()
        .collect();
    stages.into_iter().collect()
}

fn authorization(application: Option<&Application>) -> Option<&str> {
    let annotations = &application?.metadata.annotations;
    annotations.get(annotations::AUTHORIZED_STAGE).map(String::as_str)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{Application, stages_to_wake};

    fn application(authorized: &str, parts: Value) -> Application {
        let annotations = json!({"kargo.akuity.io/authorized-stage": authorized});
        let mut object =
            json!({"metadata": {"name": "web", "namespace": "argocd", "annotations": annotations}});
        for (name, value) in parts.as_object().unwrap() {
            object[name] = value.clone();
        }
        Application::read(object).unwrap()
    }

    fn woken(old: Option<&Application>, new: Option<&Application>) -> Vec<String> {
        let stages = stages_to_wake(old, new).into_iter();
        stages.map(|it| format!("{}:{}", it.project, it.stage)).collect()
    }

    #[test]
    fn what_health_is_made_of_wakes_and_nothing_else() {
        let status = |status: Value| json!({"status": status});
        let state = |state: Value| json!({"status": {"operationState": state}});
        let compared = |at: &str, ended: &str| json!({"status": {"reconciledAt": at, "operationState": {"phase": "Succeeded", "finishedAt": ended}}});
        let rows = [
            (
                "health",
                status(json!({"health": {"status": "Healthy"}})),
                status(json!({"health": {"status": "Degraded"}})),
                true,
            ),
            (
                "phase",
                state(json!({"phase": "Running"})),
                state(json!({"phase": "Succeeded"})),
                true,
            ),
            ("revision", json!({}), status(json!({"sync": {"revision": "a"}})), true),
            ("revisions", json!({}), status(json!({"sync": {"revisions": ["a"]}})), true),
            (
                "trust",
                compared("2026-01-01T00:00:01Z", "2026-01-01T00:00:02Z"),
                compared("2026-01-01T00:00:02Z", "2026-01-01T00:00:02Z"),
                true,
            ),
            (
                "another comparison",
                compared("2026-01-01T00:00:03Z", "2026-01-01T00:00:02Z"),
                compared("2026-01-01T00:00:04Z", "2026-01-01T00:00:02Z"),
                false,
            ),
            (
                "an error",
                json!({}),
                status(json!({"conditions": [{"type": "InvalidSpecError"}]})),
                true,
            ),
            ("a request", json!({}), json!({"operation": {"sync": {}}}), true),
            ("a text", state(json!({"message": "a"})), state(json!({"message": "b"})), false),
            ("nothing", json!({}), json!({}), false),
        ];
        for (what, old, new, expected) in rows {
            let (old, new) = (application("demo:dev", old), application("demo:dev", new));
            assert_eq!(!woken(Some(&old), Some(&new)).is_empty(), expected, "{what}");
        }
    }

    #[test]
    fn stages_are_those_of_the_annotation_before_and_after() {
        let (old, new) =
            (application("demo:dev,demo:qa", json!({})), application("demo:dev", json!({})));
        assert_eq!(woken(Some(&old), Some(&new)), ["demo:dev", "demo:qa"]);
        assert_eq!(woken(None, Some(&old)), ["demo:dev", "demo:qa"]);
        assert_eq!(woken(Some(&new), None), ["demo:dev"]);
        let unreadable = application("demo:*", json!({}));
        assert_eq!(woken(None, Some(&unreadable)), Vec::<String>::new());
    }
}
