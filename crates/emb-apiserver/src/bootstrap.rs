//! What must be there before the first request: namespaces, permissions, definitions, and the seeds of the embedding
//! program. Run at every start; what users have changed stays changed.

use emb_meta::{ObjectExt, Reason, Status};
use futures::{
    FutureExt, StreamExt, TryStreamExt,
    future::{self, BoxFuture},
    stream,
};
use serde_json::{Value, json};

use crate::{config::StartError, internal::Internal};

const NAMESPACES: [&str; 3] = ["default", "kube-system", "kube-public"];

/// Objects that are installed at a time, so that they share commits.
const CONCURRENT: usize = 64;

/// What becomes of an object that exists, given the existing and the wanted one; `None` leaves it alone.
type Merge = fn(&Value, &Value) -> Option<Value>;

/// Installs everything, in an order in which each part finds what it needs.
pub(crate) async fn run(
    internal: &Internal,
    definitions: &[Value],
    seeds: &[Value],
) -> Result<(), StartError> {
    let namespaces = NAMESPACES.map(
        |name| json!({ "apiVersion": "v1", "kind": "Namespace", "metadata": { "name": name } }),
    );
    let (places, others): (Vec<&Value>, Vec<&Value>) =
        seeds.iter().partition(|seed| seed.text(&["kind"]) == "Namespace");
    install_all(internal, namespaces.iter().chain(places), keep).await?;
    install_all(internal, &emb_auth::bootstrap_objects(), complete_permissions).await?;
    install_all(internal, definitions, replace_spec).await?;
    install_all(internal, others, keep).await
}

async fn install_all<'a>(
    internal: &'a Internal,
    objects: impl IntoIterator<Item = &'a Value>,
    merge: Merge,
) -> Result<(), StartError> {
    // Boxed, so that the compiler sees that whoever waits for the start may change threads.
    let installs: Vec<BoxFuture<'a, _>> =
        objects.into_iter().map(|object| install(internal, object, merge).boxed()).collect();
    stream::iter(installs).buffered(CONCURRENT).try_for_each(|()| future::ok(())).await
}

/// Creates an object; one that exists becomes what `merge` makes of it, given the existing and the wanted one.
async fn install(internal: &Internal, object: &Value, merge: Merge) -> Result<(), StartError> {
    let (api_version, kind) = (object.text(&["apiVersion"]), object.text(&["kind"]));
    let snapshot = internal.state.registry.snapshot();
    let Some(served) = snapshot.find_version_kind(api_version, kind) else {
        return Err(StartError::UnknownKind {
            api_version: api_version.to_owned(),
            kind: kind.to_owned(),
            name: object.name().to_owned(),
        });
    };
    let failed = |status: Status| StartError::Install {
        kind: kind.to_owned(),
        name: object.name().to_owned(),
        source: Box::new(status),
    };
    let key = served.key(object.namespace(), object.name());
    let Some(entry) = internal.state.store.head(&key) else {
        return match internal.create(served, object).await {
            Err(status) if status.reason != Reason::AlreadyExists => Err(failed(status)),
            _ => Ok(()),
        };
    };
    match merge(&served.value(&entry), object) {
        Some(merged) => internal.update(served, &merged, "").await.map(|_| ()).map_err(failed),
        None => Ok(()),
    }
}

/// Leaves what exists alone.
fn keep(_: &Value, _: &Value) -> Option<Value> {
    None
}

/// Brings a definition up to date. One that is, with its defaults, is left alone: to look through all of them again would
/// take most of a start.
fn replace_spec(existing: &Value, wanted: &Value) -> Option<Value> {
    let mut merged = existing.clone();
    let spec = wanted.get("spec")?.clone();
    merged.as_object_mut()?.insert("spec".into(), spec);
    for member in ["labels", "annotations"] {
        let wanted = wanted.metadata()?.get(member).and_then(Value::as_object);
        for (key, value) in wanted.into_iter().flatten() {
            let map = merged.metadata_mut().entry(member).or_insert_with(|| json!({}));
            map.as_object_mut()?.insert(key.clone(), value.clone());
        }
    }
    emb_kinds::crd::default(&mut merged);
    (merged != *existing).then_some(merged)
}

/// Adds rules and subjects that are missing and keeps those that were added, unless the object opted out.
fn complete_permissions(existing: &Value, wanted: &Value) -> Option<Value> {
    const AUTOUPDATE: &str = "rbac.authorization.kubernetes.io/autoupdate";
    if existing.annotation(AUTOUPDATE) != Some("true") {
        return None;
    }
    let mut merged = existing.clone();
    for member in ["rules", "subjects"] {
        let wanted = wanted.get(member).and_then(Value::as_array);
        // An aggregated role gets its rules from others.
        if existing.get("aggregationRule").is_some_and(Value::is_object) {
            continue;
        }
        for item in wanted.into_iter().flatten() {
            let list = merged.as_object_mut()?.entry(member).or_insert_with(|| json!([]));
            if !list.is_array() {
                *list = json!([]);
            }
            let list = list.as_array_mut()?;
            if !list.contains(item) {
                list.push(item.clone());
            }
        }
    }
    (merged != *existing).then_some(merged)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_definition_is_replaced_only_when_it_differs() {
        let spec = json!({"group": "g", "names": {"kind": "Widget"}});
        let mut existing = json!({"metadata": {"labels": {"own": "x"}}, "spec": spec});
        emb_kinds::crd::default(&mut existing);
        let wanted = json!({"metadata": {"name": "widgets.g"}, "spec": spec});
        assert_eq!(replace_spec(&existing, &wanted), None);
        existing["spec"]["names"]["shortNames"] = json!(["wd"]);
        let replaced = replace_spec(&existing, &wanted).unwrap();
        assert_eq!(replaced["spec"]["names"]["shortNames"], Value::Null);
        assert_eq!(replaced["metadata"]["labels"], json!({"own": "x"}));
        let labelled = json!({"metadata": {"labels": {"new": "y"}}, "spec": spec});
        let labels = replace_spec(&replaced, &labelled).unwrap()["metadata"]["labels"].take();
        assert_eq!(labels, json!({"own": "x", "new": "y"}));
    }

    #[test]
    fn missing_rules_are_added_and_foreign_ones_stay() {
        let annotations = json!({"rbac.authorization.kubernetes.io/autoupdate": "true"});
        let existing =
            json!({"metadata": {"annotations": annotations}, "rules": [{"verbs": ["x"]}]});
        let wanted = json!({"rules": [{"verbs": ["y"]}, {"verbs": ["x"]}]});
        let merged = complete_permissions(&existing, &wanted).unwrap();
        assert_eq!(merged["rules"], json!([{"verbs": ["x"]}, {"verbs": ["y"]}]));
        assert_eq!(complete_permissions(&merged, &wanted), None);
        assert_eq!(complete_permissions(&json!({"metadata": {}}), &wanted), None);
    }
}
