//! Which Applications a step waits for, so that it looks again when one of them changed.

use api_kinds::selector::LabelSelector;
use serde::Deserialize;
use serde_json::Value;

use super::{Application, ApplicationName, Condition};
use crate::selector::matches_labels;

/// The Applications that a step waits for: by name, or by their labels.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Awaited {
    names: Vec<ApplicationName>,
    selectors: Vec<Selected>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Selected {
    namespace: String,
    labels: LabelSelector,
}

/// An entry of `apps` in the configuration of a step.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Entry {
    name: Option<String>,
    namespace: Option<String>,
    selector: Option<LabelSelector>,
}

impl Awaited {
    /// What a step with this configuration, in which no expressions are left, waits for. A step of another
    /// kind waits for no Application.
    pub fn of_step(kind: &str, config: &Value, default_namespace: &str) -> Self {
        let mut awaited = Self::default();
        if !matches!(kind, "argocd-update" | "argocd-wait") {
            return awaited;
        }
        let entries = config.get("apps").and_then(Value::as_array).into_iter().flatten();
        for entry in entries.filter_map(|entry| Entry::deserialize(entry).ok()) {
            let namespace = entry.namespace.filter(|it| !it.is_empty());
            let namespace = namespace.unwrap_or_else(|| default_namespace.to_owned());
            if let Some(name) = entry.name.filter(|name| !name.is_empty()) {
                awaited.names.push(ApplicationName { namespace, name });
            } else if let Some(labels) = entry.selector {
                awaited.selectors.push(Selected { namespace, labels });
            }
        }
        awaited
    }

    /// Whether it waits for none.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty() && self.selectors.is_empty()
    }

    /// Whether the step should look again after this change.
    pub fn is_woken_by(&self, old: Option<&Application>, new: Option<&Application>) -> bool {
        let counts = match (old, new) {
            (Some(old), Some(new)) => is_progress(old, new),
            (old, new) => old.is_some() != new.is_some(),
        };
        counts && [old, new].into_iter().flatten().any(|application| self.includes(application))
    }

    fn includes(&self, application: &Application) -> bool {
        let metadata = &application.metadata;
        let is_named = self
            .names
            .iter()
            .any(|it| it.namespace == metadata.namespace && it.name == metadata.name);
        // A selector that makes no sense selects nothing; the step itself tells the user.
        is_named
            || self.selectors.iter().any(|selected| {
                selected.namespace == metadata.namespace
                    && matches_labels(&selected.labels, Some(&metadata.labels)).unwrap_or(false)
            })
    }
}

/// Whether a step that waits may find something else than before.
fn is_progress(old: &Application, new: &Application) -> bool {
    let has_finished = |application: &Application| {
        let state = application.status.operation_state.as_ref();
        state.is_some_and(|state| state.phase.is_finished())
    };
    let errors = |application: &Application| -> Vec<Condition> {
        application.error_conditions().cloned().collect()
    };
    (has_finished(new) && !has_finished(old))
        || old.finished_at() != new.finished_at()
        || old.status.health.status != new.status.health.status
        || old.status.sync.status != new.status.sync.status
        || (old.is_stale() && old.status.reconciled_at != new.status.reconciled_at)
        || old.metadata.labels != new.metadata.labels
        || errors(old) != errors(new)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{Application, Awaited};

    fn application(status: Value, tier: &str) -> Application {
        let metadata = json!({"name": "web", "namespace": "argocd", "labels": {"tier": tier}});
        Application::read(json!({"metadata": metadata, "status": status})).unwrap()
    }

    fn named() -> Awaited {
        Awaited::of_step("argocd-wait", &json!({"apps": [{"name": "web"}]}), "argocd")
    }

    fn selected(tier: &str) -> Awaited {
        let app = json!({"selector": {"matchLabels": {"tier": tier}}});
        Awaited::of_step("argocd-update", &json!({"apps": [app]}), "argocd")
    }

    #[test]
    fn every_change_that_moves_a_waiting_step_wakes_it_and_no_other() {
        let phase = |phase: &str| json!({"operationState": {"phase": phase}});
        let times = |reconciled: &str| json!({"reconciledAt": reconciled, "operationState": {"phase": "Succeeded", "finishedAt": "2026-01-01T00:00:05Z"}});
        let health = |status: &str| json!({"health": {"status": status}});
        let message = |text: &str| json!({"operationState": {"phase": "Running", "message": text}});
        let rows = [
            ("an operation ends", phase("Running"), phase("Failed"), true),
            ("an operation begins", json!({}), phase("Running"), false),
            ("it says something else", message("a"), message("b"), false),
            ("health", health("Progressing"), health("Healthy"), true),
            ("sync", json!({}), json!({"sync": {"status": "Synced"}}), true),
            (
                "it is trusted again",
                times("2026-01-01T00:00:04Z"),
                times("2026-01-01T00:00:05Z"),
                true,
            ),
            (
                "it compared as usual",
                times("2026-01-01T00:00:06Z"),
                times("2026-01-01T00:00:07Z"),
                false,
            ),
            ("an error", json!({}), json!({"conditions": [{"type": "ComparisonError"}]}), true),
            (
                "a warning",
                json!({}),
                json!({"conditions": [{"type": "OrphanedResourceWarning"}]}),
                false,
            ),
        ];
        for (what, old, new, expected) in rows {
            let (old, new) = (application(old, "front"), application(new, "front"));
            assert_eq!(named().is_woken_by(Some(&old), Some(&new)), expected, "{what}");
        }
    }

    #[test]
    fn selectors_look_at_the_labels_before_and_after() {
        let (front, back) = (application(json!({}), "front"), application(json!({}), "back"));
        assert!(selected("front").is_woken_by(Some(&back), Some(&front)));
        assert!(selected("front").is_woken_by(Some(&front), Some(&back)));
        assert!(!selected("other").is_woken_by(Some(&front), Some(&back)));
        assert!(selected("front").is_woken_by(None, Some(&front)));
        assert!(selected("front").is_woken_by(Some(&front), None));
        assert!(!selected("front").is_woken_by(None, Some(&back)));
    }

    #[test]
    fn other_kinds_other_namespaces_and_odd_configurations_wait_for_nothing() {
        let config = json!({"apps": [{"name": "web"}]});
        assert!(Awaited::of_step("http", &config, "argocd").is_empty());
        for odd in [json!(null), json!({"apps": 7}), json!({"apps": [7, {"name": 1}, {}]})] {
            assert!(Awaited::of_step("argocd-wait", &odd, "argocd").is_empty());
        }
        let elsewhere = json!({"apps": [{"name": "web", "namespace": "other"}]});
        let elsewhere = Awaited::of_step("argocd-wait", &elsewhere, "argocd");
        assert!(!elsewhere.is_empty());
        assert!(!elsewhere.is_woken_by(None, Some(&application(json!({}), "front"))));
    }
}
