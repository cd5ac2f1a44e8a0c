//! Reading and writing the metadata of an object held as JSON.

use serde_json::{Map, Value};

/// An entry of `metadata.ownerReferences`, as far as deletion cares.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnerReference {
    /// `apiVersion` of the owner.
    pub api_version: String,
    /// Kind of the owner.
    pub kind: String,
    /// Name of the owner.
    pub name: String,
    /// Uid of the owner: a new object of the same name is another owner.
    pub uid: String,
    /// Whether the owner, deleted in the foreground, waits for this object.
    pub block_owner_deletion: bool,
}

/// Short access to what every object has. Anything missing or of the wrong type reads as empty.
pub trait ObjectExt {
    /// A text at a path of member names, or "".
    fn text(&self, path: &[&str]) -> &str;
    /// `metadata`, if it is an object.
    fn metadata(&self) -> Option<&Map<String, Value>>;
    /// `metadata`, made an object if it is none.
    fn metadata_mut(&mut self) -> &mut Map<String, Value>;
    /// `metadata.name`.
    fn name(&self) -> &str;
    /// `metadata.namespace`.
    fn namespace(&self) -> &str;
    /// `metadata.uid`.
    fn uid(&self) -> &str;
    /// `metadata.resourceVersion`.
    fn resource_version(&self) -> &str;
    /// Whether `metadata.deletionTimestamp` is set.
    fn is_terminating(&self) -> bool;
    /// `metadata.generation`, 0 when absent.
    fn generation(&self) -> i64;
    /// `metadata.labels` as pairs.
    fn labels(&self) -> impl Iterator<Item = (&str, &str)>;
    /// The value of one annotation.
    fn annotation(&self, key: &str) -> Option<&str>;
    /// `metadata.finalizers`.
    fn finalizers(&self) -> impl Iterator<Item = &str>;
    /// `metadata.ownerReferences`.
    fn owner_references(&self) -> Vec<OwnerReference>;
}

impl ObjectExt for Value {
    fn text(&self, path: &[&str]) -> &str {
        path.iter().try_fold(self, |at, key| at.get(key)).and_then(Self::as_str).unwrap_or_default()
    }

    fn metadata(&self) -> Option<&Map<String, Value>> {
        self.get("metadata").and_then(Self::as_object)
    }

    fn metadata_mut(&mut self) -> &mut Map<String, Value> {
        member_object(as_object_mut(self), "metadata")
    }

    fn name(&self) -> &str {
        self.text(&["metadata", "name"])
    }

    fn namespace(&self) -> &str {
        self.text(&["metadata", "namespace"])
    }

    fn uid(&self) -> &str {
        self.text(&["metadata", "uid"])
    }

    fn resource_version(&self) -> &str {
        self.text(&["metadata", "resourceVersion"])
    }

    fn is_terminating(&self) -> bool {
        !self.text(&["metadata", "deletionTimestamp"]).is_empty()
    }

    fn generation(&self) -> i64 {
        self.pointer("/metadata/generation").and_then(Self::as_i64).unwrap_or(0)
    }

    fn labels(&self) -> impl Iterator<Item = (&str, &str)> {
        let labels = self.metadata().and_then(|m| m.get("labels")).and_then(Self::as_object);
        labels
            .into_iter()
            .flatten()
            .filter_map(|(key, value)| Some((key.as_str(), value.as_str()?)))
    }

    fn annotation(&self, key: &str) -> Option<&str> {
        self.metadata()?.get("annotations")?.get(key)?.as_str()
    }

    fn finalizers(&self) -> impl Iterator<Item = &str> {
        let finalizers = self.metadata().and_then(|m| m.get("finalizers")).and_then(Self::as_array);
        finalizers.into_iter().flatten().filter_map(Self::as_str)
    }

    fn owner_references(&self) -> Vec<OwnerReference> {
        let owners =
            self.metadata().and_then(|m| m.get("ownerReferences")).and_then(Self::as_array);
        owners
            .into_iter()
            .flatten()
            .map(|owner| OwnerReference {
                api_version: owner.text(&["apiVersion"]).to_owned(),
                kind: owner.text(&["kind"]).to_owned(),
                name: owner.text(&["name"]).to_owned(),
                uid: owner.text(&["uid"]).to_owned(),
                block_owner_deletion: owner
                    .get("blockOwnerDeletion")
                    .and_then(Self::as_bool)
                    .unwrap_or(false),
            })
            .collect()
    }
}

fn as_object_mut(value: &mut Value) -> &mut Map<String, Value> {
    if !value.is_object() {
        *value = Value::Object(Map::new());
    }
    match value {
        Value::Object(object) => object,
        _ => unreachable!("made an object above"),
    }
}

fn member_object<'a>(parent: &'a mut Map<String, Value>, key: &str) -> &'a mut Map<String, Value> {
    as_object_mut(parent.entry(key).or_insert_with(|| Value::Object(Map::new())))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn reads_what_is_there_and_nothing_else() {
        let object = json!({"metadata": {
            "name": "a", "labels": {"x": "1"}, "finalizers": ["f"], "generation": 3,
            "ownerReferences": [{"uid": "u", "kind": "K", "name": "n", "apiVersion": "v1"}],
        }});
        assert_eq!((object.name(), object.namespace(), object.generation()), ("a", "", 3));
        assert_eq!(object.labels().collect::<Vec<_>>(), [("x", "1")]);
        assert_eq!(object.finalizers().collect::<Vec<_>>(), ["f"]);
        assert_eq!(object.owner_references()[0].uid, "u");
        assert!(!object.is_terminating());
        assert_eq!(json!("no object").labels().count(), 0);
    }

    #[test]
    fn metadata_appears_when_written() {
        let mut object = json!({});
        object.metadata_mut().insert("name".into(), json!("n"));
        assert_eq!(object.name(), "n");
    }
}
