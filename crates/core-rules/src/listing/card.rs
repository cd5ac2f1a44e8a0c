//! What a card or a row of an interface shows of an object.
//!
//! Nothing is renamed or added, so that whoever reads whole objects reads these too. What is long
//! and only shown in a page of its own is left out.

use serde_json::Value;

const APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";

/// What each kind can do without.
const LEFT_OUT: &[(&str, &[&[&str]])] = &[
    (
        "Stage",
        &[
            &["spec", "vars"],
            &["spec", "verification", "args"],
            &["spec", "promotionTemplate", "spec", "vars"],
            &["status", "health", "config"],
            &["status", "health", "output"],
            &["status", "lastPromotion", "status", "state"],
            &["status", "lastPromotion", "status", "healthChecks"],
            &["status", "lastPromotion", "status", "freightCollection"],
            &["status", "currentPromotion", "status", "state"],
        ],
    ),
    (
        "Promotion",
        &[
            &["spec", "vars"],
            &["status", "state"],
            &["status", "healthChecks"],
            &["status", "freightCollection"],
        ],
    ),
    ("Warehouse", &[&["status", "discoveredArtifacts"]]),
    ("Freight", &[&["status", "metadata"]]),
];

/// Lists of steps: which step it is and how it went is enough.
const STEPS: [&[&str]; 3] = [
    &["spec", "steps"],
    &["spec", "promotionTemplate", "spec", "steps"],
    &["status", "stepExecutionMetadata"],
];
const STEP_FIELDS: [&str; 5] = ["as", "uses", "task", "alias", "status"];

pub(super) fn reduce(object: &mut Value) {
    remove(object, &["metadata", "managedFields"]);
    remove(object, &["metadata", "annotations", APPLIED]);
    let kind = object.get("kind").and_then(Value::as_str).unwrap_or_default().to_owned();
    let paths = LEFT_OUT.iter().find(|(name, _)| *name == kind).map(|(_, paths)| *paths);
    for path in paths.unwrap_or_default() {
        remove(object, path);
    }
    for path in STEPS {
        for step in find(object, path).and_then(Value::as_array_mut).into_iter().flatten() {
            if let Value::Object(fields) = step {
                fields.retain(|name, _| STEP_FIELDS.contains(&name.as_str()));
            }
        }
    }
    // What the Stage held before is shown in its own page.
    let history = find(object, &["status", "freightHistory"]).and_then(Value::as_array_mut);
    if let Some(history) = history {
        history.truncate(1);
    }
}

fn find<'a>(object: &'a mut Value, path: &[&str]) -> Option<&'a mut Value> {
    path.iter().try_fold(object, |value, key| value.get_mut(*key))
}

fn remove(object: &mut Value, path: &[&str]) {
    let Some((last, way)) = path.split_last() else { return };
    if let Some(Value::Object(fields)) = find(object, way) {
        fields.remove(*last);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_card_keeps_what_is_drawn_and_loses_what_is_long() {
        let mut stage = json!({
            "kind": "Stage",
            "metadata": {"name": "qa", "managedFields": [], "annotations": {APPLIED: "{}", "a": "b"}},
            "spec": {"promotionTemplate": {"spec": {"steps": [{"uses": "git-push", "config": {"x": 1}}]}}},
            "status": {"freightHistory": [{"id": "1"}, {"id": "2"}], "health": {"status": "Healthy", "output": []}},
        });
        reduce(&mut stage);
        let expected = json!({
            "kind": "Stage",
            "metadata": {"name": "qa", "annotations": {"a": "b"}},
            "spec": {"promotionTemplate": {"spec": {"steps": [{"uses": "git-push"}]}}},
            "status": {"freightHistory": [{"id": "1"}], "health": {"status": "Healthy"}},
        });
        assert_eq!(stage, expected);
        let mut promotion = json!({"kind": "Promotion", "status": {"phase": "Running", "state": {"a": 1},
            "stepExecutionMetadata": [{"alias": "a", "status": "Running", "message": "m"}]}});
        reduce(&mut promotion);
        let expected = json!({"kind": "Promotion", "status": {"phase": "Running",
            "stepExecutionMetadata": [{"alias": "a", "status": "Running"}]}});
        assert_eq!(promotion, expected);
    }
}
