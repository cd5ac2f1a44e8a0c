//! Which Applications a Stage is about, for those who link to them.

use std::collections::BTreeSet;

use api_kinds::{Promotion, step::PromotionStep};
use serde::Serialize;
use serde_json::Value;

/// Kinds of steps whose output names Applications.
const STEPS: [&str; 2] = ["argocd-update", "argocd-wait"];

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
struct Reference<'a> {
    name: &'a str,
    namespace: &'a str,
}

/// The value of the annotation that names the Applications which a successful Promotion touched, in the
/// order of its steps, then of its health checks; `None` when it touched none.
pub fn context(promotion: &Promotion) -> Option<String> {
    let mut known = BTreeSet::new();
    let of_steps = outputs(promotion);
    let of_checks = promotion.status.health_checks.iter().filter_map(|check| check.config.as_ref());
    let references: Vec<Reference<'_>> = of_steps
        .iter()
        .chain(of_checks)
        .flat_map(references)
        .filter(|reference| known.insert(reference.clone()))
        .collect();
    if references.is_empty() {
        return None;
    }
    serde_json::to_string(&references).ok()
}

/// Whether the output of a step names Applications.
pub fn names_applications(step: &PromotionStep) -> bool {
    STEPS.contains(&step.uses.as_str()) && !step.r#as.is_empty()
}

fn outputs(promotion: &Promotion) -> Vec<Value> {
    let touching: Vec<_> =
        promotion.spec.steps.iter().filter(|step| names_applications(step)).collect();
    let state = promotion.status.state.as_ref().filter(|_| !touching.is_empty());
    let state = state.map(Value::from).unwrap_or_default();
    touching.into_iter().filter_map(|step| state.get(&step.r#as).cloned()).collect()
}

/// What is of another shape names nothing.
fn references(value: &Value) -> impl Iterator<Item = Reference<'_>> {
    let apps = value.get("apps").and_then(Value::as_array);
    apps.into_iter().flatten().filter_map(|app| {
        let text = |member: &str| app.get(member).and_then(Value::as_str).unwrap_or_default();
        let name = text("name");
        (!name.is_empty()).then(|| Reference { name, namespace: text("namespace") })
    })
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::context;

    fn context_of(steps: Value, status: Value) -> Option<String> {
        let promotion =
            json!({"spec": {"stage": "dev", "freight": "f", "steps": steps}, "status": status});
        context(&serde_json::from_value(promotion).unwrap())
    }

    #[test]
    fn applications_come_from_steps_then_from_checks_each_once() {
        let steps = json!([
            {"uses": "argocd-wait", "as": "wait"},
            {"uses": "http", "as": "ask"},
            {"uses": "argocd-update", "as": "update"},
            {"uses": "argocd-update"},
        ]);
        let app = |name: &str| json!({"name": name, "namespace": "argocd"});
        let status = json!({
            "state": {
                "update": {"apps": [app("b"), app("a"), {"namespace": "argocd"}]},
                "ask": {"apps": [app("not-one")]},
                "wait": {"apps": [app("a")], "healthStatus": {}},
            },
            "healthChecks": [{"uses": "argocd-update", "config": {"apps": [app("b"), {"name": "c"}]}}],
        });
        let expected = r#"[{"name":"a","namespace":"argocd"},{"name":"b","namespace":"argocd"},{"name":"c","namespace":""}]"#;
        assert_eq!(context_of(steps, status).as_deref(), Some(expected));
    }

    #[test]
    fn what_has_another_shape_names_nothing() {
        let steps = json!([{"uses": "argocd-update", "as": "update"}]);
        for output in [json!(7), json!({"apps": "a"}), json!({"apps": [1, {"name": 2}]})] {
            assert_eq!(context_of(steps.clone(), json!({"state": {"update": output}})), None);
        }
        assert_eq!(context_of(steps, json!({})), None);
    }
}
