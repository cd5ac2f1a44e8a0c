//! One object, as clients get it.

use std::{
    any::Any,
    sync::{Arc, OnceLock},
};

use bytes::Bytes;
use core_rules::listing::View;
use serde::de::DeserializeOwned;
use serde_json::{Value, value::RawValue};

use super::Kind;

/// An object: what names it, and its JSON.
pub(crate) struct Object {
    /// Empty for kinds without namespaces.
    pub(crate) namespace: String,
    pub(crate) name: String,
    pub(crate) version: u64,
    /// In one line, with `apiVersion` and `kind`.
    pub(crate) json: Bytes,
    /// What it can be found by.
    pub(super) tags: Vec<String>,
    /// Made when a client first asks for it.
    card: OnceLock<Bytes>,
    /// Read when a rule first needs it.
    typed: OnceLock<Option<Arc<dyn Any + Send + Sync>>>,
}

impl Object {
    /// Reads what came; `None` when it does not belong here or has no name.
    pub(super) fn read(kind: &Kind, raw: &RawValue) -> Option<Self> {
        let value: Value = serde_json::from_str(raw.get()).ok()?;
        if !(kind.accept)(&value) {
            return None;
        }
        let text = |pointer: &str| value.pointer(pointer).and_then(Value::as_str);
        let version = text("/metadata/resourceVersion").and_then(|version| version.parse().ok());
        Some(Self {
            namespace: text("/metadata/namespace").unwrap_or_default().to_owned(),
            name: text("/metadata/name")?.to_owned(),
            version: version.unwrap_or(0),
            tags: (kind.tags)(&value),
            json: complete(kind, raw.get(), &value),
            card: OnceLock::new(),
            typed: OnceLock::new(),
        })
    }

    /// The version of an object that does not belong here.
    pub(super) fn version_of(raw: &RawValue) -> Option<u64> {
        let value: Value = serde_json::from_str(raw.get()).ok()?;
        value.pointer("/metadata/resourceVersion")?.as_str()?.parse().ok()
    }

    /// The object as a rule reads it; `None` when it is not what its schema says. A kind is always read as one type.
    pub(crate) fn typed<T: DeserializeOwned + Send + Sync + 'static>(&self) -> Option<Arc<T>> {
        let read = || -> Option<Arc<dyn Any + Send + Sync>> {
            let object: T = serde_json::from_slice(&self.json).ok()?;
            Some(Arc::new(object))
        };
        self.typed.get_or_init(read).clone()?.downcast().ok()
    }

    /// Whether it is found by this tag.
    pub(crate) fn has_tag(&self, tag: &str) -> bool {
        self.tags.iter().any(|one| one == tag)
    }

    /// The JSON of it, as far as it is shown.
    pub(crate) fn shown_as(&self, view: &View) -> Bytes {
        let shown = || Bytes::from(view.of(self.value()).to_string());
        match view {
            View::Whole => self.json.clone(),
            View::Card => self.card.get_or_init(shown).clone(),
            View::Paths(_) => shown(),
        }
    }

    /// The object as a tree.
    pub(crate) fn value(&self) -> Value {
        serde_json::from_slice(&self.json).unwrap_or_default()
    }
}

/// The JSON with `apiVersion` and `kind`, which lists of built-in kinds leave out of their items.
fn complete(kind: &Kind, json: &str, value: &Value) -> Bytes {
    if value.get("kind").is_some() {
        return Bytes::copy_from_slice(json.as_bytes());
    }
    let rest = json.trim_start().strip_prefix('{').unwrap_or_default();
    let head = format!(r#"{{"apiVersion":"{}","kind":"{}","#, kind.api_version(), kind.name);
    Bytes::from(format!("{head}{rest}"))
}

#[cfg(test)]
mod tests {
    use serde_json::{json, value::to_raw_value};

    use super::{super::kinds, *};

    #[test]
    fn items_of_built_in_kinds_are_told_what_they_are() {
        let account = json!({"metadata": {"name": "a", "namespace": "n", "resourceVersion": "7"}});
        let raw = to_raw_value(&account).unwrap();
        let object = Object::read(&kinds::SERVICE_ACCOUNT, &raw).unwrap();
        assert_eq!((object.name.as_str(), object.version), ("a", 7));
        assert_eq!(object.value()["kind"], "ServiceAccount");
        assert_eq!(object.value()["metadata"], account["metadata"]);
    }

    #[test]
    fn what_has_no_name_is_no_object() {
        for value in [json!({}), json!({"metadata": {"name": 5}}), json!("x"), json!(null)] {
            let raw = to_raw_value(&value).unwrap();
            assert!(Object::read(&kinds::STAGE, &raw).is_none(), "{value}");
        }
    }
}
