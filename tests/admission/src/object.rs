//! Objects in the short form of the tables, and where they live.

use anyhow::{Context, Result};
use serde_json::{Map, Value, json};

const KARGO: &str = "kargo.akuity.io/v1alpha1";
const RBAC: &str = "rbac.authorization.k8s.io/v1";

/// Kind, API version, plural, and whether it lives in a namespace.
const KINDS: &[(&str, &str, &str, bool)] = &[
    ("ClusterConfig", KARGO, "clusterconfigs", false),
    ("ClusterPromotionTask", KARGO, "clusterpromotiontasks", false),
    ("Freight", KARGO, "freights", true),
    ("Project", KARGO, "projects", false),
    ("ProjectConfig", KARGO, "projectconfigs", true),
    ("Promotion", KARGO, "promotions", true),
    ("PromotionRequest", KARGO, "promotionrequests", true),
    ("PromotionTask", KARGO, "promotiontasks", true),
    ("Stage", KARGO, "stages", true),
    ("Target", KARGO, "targets", true),
    ("Warehouse", KARGO, "warehouses", true),
    ("ConfigMap", "v1", "configmaps", true),
    ("Namespace", "v1", "namespaces", false),
    ("Secret", "v1", "secrets", true),
    ("ServiceAccount", "v1", "serviceaccounts", true),
    ("ClusterRole", RBAC, "clusterroles", false),
    ("ClusterRoleBinding", RBAC, "clusterrolebindings", false),
    ("Role", RBAC, "roles", true),
    ("RoleBinding", RBAC, "rolebindings", true),
];

/// Members of the short form that belong into the metadata, and their names there.
const METADATA: &[(&str, &str)] = &[
    ("name", "name"),
    ("generateName", "generateName"),
    ("labels", "labels"),
    ("annotations", "annotations"),
    ("owners", "ownerReferences"),
    ("finalizers", "finalizers"),
];

/// An object, and the paths under which it is reached.
#[derive(Clone, Debug)]
pub(crate) struct Located {
    /// The path of the collection.
    pub(crate) collection: String,
    /// The path of the object, with its subresource if one is named.
    pub(crate) path: String,
    /// The object in full.
    pub(crate) body: Value,
}

/// Reads the short form `{kind, name, labels, …, spec}`. What names no namespace is in `home`.
pub(crate) fn locate(short: &Value, home: &str) -> Result<Located> {
    let kind = short["kind"].as_str().context("no kind")?;
    let (_, version, plural, namespaced) = KINDS
        .iter()
        .find(|(known, ..)| *known == kind)
        .with_context(|| format!("kind {kind:?}"))?;
    let root = if *version == "v1" { "/api".to_owned() } else { "/apis".to_owned() };
    let namespace = short["namespace"].as_str().unwrap_or(home);
    let collection = if *namespaced {
        format!("{root}/{version}/namespaces/{namespace}/{plural}")
    } else {
        format!("{root}/{version}/{plural}")
    };
    let mut path = format!("{collection}/{}", short["name"].as_str().unwrap_or_default());
    if let Some(subresource) = short["sub"].as_str() {
        path = format!("{path}/{subresource}");
    }
    Ok(Located { collection, path, body: expand(short, version) })
}

/// Where a whole object, as a manifest has it, is posted to.
pub(crate) fn locate_manifest(object: &Value) -> Result<Located> {
    let metadata = &object["metadata"];
    let short = json!({"kind": object["kind"], "namespace": metadata["namespace"], "name": metadata["name"]});
    Ok(Located { body: object.clone(), ..locate(&short, "default")? })
}

fn expand(short: &Value, version: &str) -> Value {
    let mut metadata = Map::new();
    let mut object = Map::new();
    object.insert("apiVersion".into(), version.into());
    for (member, value) in short.as_object().into_iter().flatten() {
        if let Some((_, name)) = METADATA.iter().find(|(short, _)| short == member) {
            metadata.insert((*name).into(), value.clone());
        } else if !["namespace", "sub", "set", "keep"].contains(&member.as_str()) {
            object.insert(member.clone(), value.clone());
        }
    }
    object.insert("metadata".into(), metadata.into());
    object.into()
}

/// Changes `target` as a merge patch does.
pub(crate) fn merge(target: &mut Value, patch: &Value) {
    let Some(members) = patch.as_object() else {
        *target = patch.clone();
        return;
    };
    if !target.is_object() {
        *target = json!({});
    }
    for (key, value) in members {
        if value.is_null() {
            target.as_object_mut().and_then(|object| object.remove(key));
        } else {
            merge(&mut target[key.as_str()], value);
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{locate, merge};

    #[test]
    fn the_short_form_becomes_an_object_with_a_path() {
        let short =
            json!({"kind": "Stage", "name": "a", "labels": {"x": "y"}, "spec": {"shard": "eu"}});
        let located = locate(&short, "p").unwrap();
        assert_eq!(located.path, "/apis/kargo.akuity.io/v1alpha1/namespaces/p/stages/a");
        assert_eq!(
            located.body,
            json!({"apiVersion": "kargo.akuity.io/v1alpha1", "kind": "Stage",
                "metadata": {"name": "a", "labels": {"x": "y"}}, "spec": {"shard": "eu"}})
        );
        let token =
            json!({"kind": "ServiceAccount", "name": "a", "namespace": "n", "sub": "token"});
        assert_eq!(
            locate(&token, "p").unwrap().path,
            "/api/v1/namespaces/n/serviceaccounts/a/token"
        );
        assert!(locate(&json!({"kind": "Pod"}), "p").is_err());
    }

    #[test]
    fn a_merge_patch_sets_and_removes() {
        let mut object = json!({"a": {"b": 1, "c": 2}, "d": [1]});
        merge(&mut object, &json!({"a": {"b": null, "e": 3}, "d": [2]}));
        assert_eq!(object, json!({"a": {"c": 2, "e": 3}, "d": [2]}));
    }
}
