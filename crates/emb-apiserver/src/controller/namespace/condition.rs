//! What a namespace says about its deletion.

use core_clock::Time;
use emb_meta::ObjectExt;
use serde_json::{Value, json};

use super::Remaining;

/// How many objects are named.
const NAMED: usize = 20;

/// The five conditions of a namespace that waits for its content.
pub(super) fn conditions(namespace: &Value, remaining: &Remaining, now: Time) -> Vec<Value> {
    let objects = objects(remaining);
    let finalizers: Vec<String> = remaining
        .finalizers
        .iter()
        .map(|(finalizer, count)| format!("{finalizer} in {count} resource instances"))
        .collect();
    let mut wanted = vec![
        condition(
            "NamespaceDeletionDiscoveryFailure",
            "False",
            "ResourcesDiscovered",
            "All resources successfully discovered",
        ),
        condition(
            "NamespaceDeletionGroupVersionParsingFailure",
            "False",
            "ParsedGroupVersions",
            "All legacy kube types successfully parsed",
        ),
        condition(
            "NamespaceDeletionContentFailure",
            "False",
            "ContentDeleted",
            "All content successfully deleted, may be waiting on finalization",
        ),
        condition(
            "NamespaceContentRemaining",
            "True",
            "SomeResourcesRemain",
            &format!("Some resources are remaining: {}", objects.join(", ")),
        ),
    ];
    wanted.push(if finalizers.is_empty() {
        condition(
            "NamespaceFinalizersRemaining",
            "False",
            "ContentHasNoFinalizers",
            "All content-preserving finalizers finished",
        )
    } else {
        condition(
            "NamespaceFinalizersRemaining",
            "True",
            "SomeFinalizersRemain",
            &format!(
                "Some content in the namespace has finalizers remaining: {}",
                finalizers.join(", ")
            ),
        )
    });
    let old = namespace.pointer("/status/conditions").and_then(Value::as_array);
    let old: Vec<&Value> = old.into_iter().flatten().collect();
    wanted.into_iter().map(|condition| timed(condition, &old, now)).collect()
}

/// How many objects of each resource there are, with the names of the first of all: who waits wants to look at them.
fn objects(remaining: &Remaining) -> Vec<String> {
    let mut room = NAMED;
    let counted = remaining.objects.iter().map(|(resource, names)| {
        let count = names.len();
        let mut shown: Vec<&str> = names.iter().take(room).map(|name| &**name).collect();
        room -= shown.len();
        if shown.len() < count {
            shown.push("…");
        }
        format!("{resource} has {count} resource instances ({})", shown.join(", "))
    });
    counted.collect()
}

fn condition(kind: &str, status: &str, reason: &str, message: &str) -> Value {
    json!({ "type": kind, "status": status, "reason": reason, "message": message })
}

/// Keeps the time of a condition whose status did not change, so that an unchanged one is not written again.
fn timed(mut condition: Value, old: &[&Value], now: Time) -> Value {
    let before = old.iter().find(|before| {
        ["type", "status"].iter().all(|member| before.get(member) == condition.get(member))
    });
    let time = before
        .map(|before| before.text(&["lastTransitionTime"]))
        .filter(|time| !time.is_empty())
        .map_or_else(|| now.to_rfc3339_seconds(), str::to_owned);
    if let Some(members) = condition.as_object_mut() {
        members.insert("lastTransitionTime".into(), json!(time));
    }
    condition
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unchanged_condition_keeps_its_time() {
        let remaining = Remaining {
            objects: [("widgets.a.b".to_owned(), vec!["w".into()])].into(),
            finalizers: [("x.y/z".to_owned(), 1)].into(),
        };
        let first = conditions(&json!({}), &remaining, Time::from_seconds(1));
        assert_eq!(first.len(), 5);
        assert_eq!(
            first[3]["message"],
            "Some resources are remaining: widgets.a.b has 1 resource instances (w)"
        );
        let namespace = json!({"status": {"conditions": first}});
        let again = conditions(&namespace, &remaining, Time::from_seconds(9));
        assert_eq!(json!(again), namespace["status"]["conditions"]);
    }

    #[test]
    fn no_more_than_twenty_objects_are_named() {
        let names = |count: usize| (0..count).map(|n| format!("n{n}").into()).collect();
        let remaining = Remaining {
            objects: [
                ("a.x".to_owned(), names(19)),
                ("b.x".to_owned(), names(3)),
                ("c.x".to_owned(), names(2)),
            ]
            .into(),
            ..Remaining::default()
        };
        let told = objects(&remaining);
        assert!(told[0].ends_with(", n18)"), "{}", told[0]);
        assert_eq!(told[1], "b.x has 3 resource instances (n0, …)");
        assert_eq!(told[2], "c.x has 2 resource instances (…)");
    }
}
